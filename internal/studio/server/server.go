// Package server serves the studio to the browser of who started it, and to nobody else: it listens on the loopback address, refuses
// requests that name another host, as those do that come by a foreign name for this address, and requests that pages of others make.
package server

import (
	"context"
	"errors"
	"io"
	"mime"
	"net"
	"net/http"
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/sngdgen/sngdgen/internal/studio"
	"github.com/sngdgen/sngdgen/internal/studio/page"
)

const (
	mostShort  = 30 * time.Second // of an answer
	mostLong   = 10 * time.Minute // of a fit
	shortAtOne = 2                // answers at a time
)

// Listen opens a port of the loopback address; 0 is any that is free.
func Listen(port int) (net.Listener, error) {
	return net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
}

// Serve answers requests until the context ends.
func Serve(ctx context.Context, l net.Listener) error {
	h, err := Handler(l.Addr().(*net.TCPAddr).Port)
	if err != nil {
		return err
	}
	s := &http.Server{Handler: h, BaseContext: func(net.Listener) context.Context { return ctx }, ReadHeaderTimeout: 10 * time.Second,
		ReadTimeout: time.Minute, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 32 << 10}
	ended := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		_ = s.Close() // the connections of who has gone
		close(ended)
	})
	defer stop()
	if err := s.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	<-ended
	return nil
}

// handler is the studio on a port.
type handler struct {
	port        string
	files       map[string][]byte
	short, long chan struct{} // places for answers at a time
}

// Handler returns what answers requests to a port.
func Handler(port int) (http.Handler, error) {
	files, err := page.Files(page.Server)
	if err != nil {
		return nil, err
	}
	return &handler{strconv.Itoa(port), files, make(chan struct{}, shortAtOne), make(chan struct{}, 1)}, nil
}

// ServeHTTP answers one request.
func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	head := w.Header()
	for name, value := range map[string]string{
		"Content-Security-Policy": page.Policy + "; frame-ancestors 'none'", "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer",
		"Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Resource-Policy": "same-origin", "Cache-Control": "no-store",
	} {
		head.Set(name, value)
	}
	method, isCall := strings.CutPrefix(r.URL.Path, "/api/")
	switch {
	case !h.own(r):
		http.Error(w, "this is for the page of the studio, on 127.0.0.1", http.StatusForbidden)
	case isCall:
		h.call(w, r, method)
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		http.Error(w, "this file is read only", http.StatusMethodNotAllowed)
	default:
		h.file(w, r)
	}
}

// own reports whether a request is for this host by its own name, and made by its own page or by typing the address.
func (h *handler) own(r *http.Request) bool {
	host, port, err := net.SplitHostPort(r.Host)
	if err != nil || port != h.port || host != "127.0.0.1" && host != "localhost" {
		return false
	}
	if site := r.Header.Get("Sec-Fetch-Site"); site != "" && site != "same-origin" && site != "none" {
		return r.Header.Get("Sec-Fetch-Mode") == "navigate" && r.Method == http.MethodGet && !strings.HasPrefix(r.URL.Path, "/api/")
	}
	origin := r.Header.Get("Origin")
	return origin == "" || origin == "http://"+r.Host
}

// file serves a file of the page.
func (h *handler) file(w http.ResponseWriter, r *http.Request) {
	name := strings.TrimPrefix(r.URL.Path, "/")
	if name == "" {
		name = "index.html"
	}
	text, ok := h.files[name]
	if !ok {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", contentType(name))
	w.Header().Set("Content-Length", strconv.Itoa(len(text)))
	if r.Method == http.MethodGet {
		_, _ = w.Write(text) // whoever does not listen has gone
	}
}

// contentType does not ask the machine, whose tables differ.
func contentType(name string) string {
	switch path.Ext(name) {
	case ".html":
		return "text/html; charset=utf-8"
	case ".js":
		return "text/javascript; charset=utf-8"
	case ".css":
		return "text/css; charset=utf-8"
	case ".svg":
		return "image/svg+xml"
	}
	return "text/plain; charset=utf-8"
}

// call answers a question of the page: a line of JSON for each message.
func (h *handler) call(w http.ResponseWriter, r *http.Request, method string) {
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	switch {
	case r.Method != http.MethodPost:
		http.Error(w, "questions are posted", http.StatusMethodNotAllowed)
		return
	case err != nil || kind != "application/json": // which no page of others can send without being asked for permission
		http.Error(w, "questions are JSON", http.StatusUnsupportedMediaType)
		return
	}
	places, most := h.short, mostShort
	if studio.Long(method) {
		places, most = h.long, mostLong
	}
	ctx, cancel := context.WithTimeout(r.Context(), most)
	defer cancel()
	select {
	case places <- struct{}{}:
		defer func() { <-places }()
	case <-ctx.Done():
		http.Error(w, "others are being answered", http.StatusServiceUnavailable)
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, studio.MostRequest))
	if err != nil {
		http.Error(w, "the question is longer than "+strconv.Itoa(studio.MostRequest>>20)+" MiB, or was not sent whole", http.StatusRequestEntityTooLarge)
		return
	}
	w.Header().Set("Content-Type", "application/x-ndjson")
	flush := http.NewResponseController(w)
	studio.Answer(ctx, method, body, func(message []byte) {
		if _, err := w.Write(append(message, '\n')); err != nil {
			cancel()
		}
		_ = flush.Flush() // an error shows at the next message
	})
}
