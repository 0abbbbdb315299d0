package server

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

func request(method, path, body string, head map[string]string) *http.Request {
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	r.Host = "127.0.0.1:8642"
	for name, value := range head {
		if name == "Host" {
			r.Host = value
			continue
		}
		r.Header.Set(name, value)
	}
	return r
}

// TestRefused: requests under other names, from other pages, of other kinds.
func TestRefused(t *testing.T) {
	h, err := Handler(8642)
	if err != nil {
		t.Fatal(err)
	}
	asJSON := func(more ...string) map[string]string {
		head := map[string]string{"Content-Type": "application/json"}
		for i := 0; i < len(more); i += 2 {
			head[more[i]] = more[i+1]
		}
		return head
	}
	for _, test := range []struct {
		what, method, path, body string
		head                     map[string]string
		code                     int
	}{
		{"the page", "GET", "/", "", nil, 200},
		{"the page by its other name", "GET", "/", "", map[string]string{"Host": "localhost:8642"}, 200},
		{"a link of others", "GET", "/", "", map[string]string{"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}, 200},
		{"a question", "POST", "/api/check", `{"spec": ""}`, asJSON("Origin", "http://127.0.0.1:8642", "Sec-Fetch-Site", "same-origin"), 200},
		{"a script of others", "GET", "/app.js", "", map[string]string{"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors"}, 403},
		{"another name of the address", "GET", "/", "", map[string]string{"Host": "evil.example:8642"}, 403},
		{"another port", "GET", "/", "", map[string]string{"Host": "127.0.0.1:80"}, 403},
		{"no port", "GET", "/", "", map[string]string{"Host": "127.0.0.1"}, 403},
		{"another address", "POST", "/api/check", "{}", asJSON("Host", "0.0.0.0:8642"), 403},
		{"another origin", "POST", "/api/check", "{}", asJSON("Origin", "http://evil.example"), 403},
		{"another port's origin", "POST", "/api/check", "{}", asJSON("Origin", "http://127.0.0.1:9"), 403},
		{"no origin", "POST", "/api/check", "{}", asJSON("Origin", "null"), 403},
		{"another site", "POST", "/api/check", "{}", asJSON("Sec-Fetch-Site", "same-site"), 403},
		{"a form", "POST", "/api/check", "{}", map[string]string{"Content-Type": "text/plain"}, 415},
		{"no type", "POST", "/api/check", "{}", nil, 415},
		{"a question that is got", "GET", "/api/check", "", nil, 405},
		{"a file that is posted", "POST", "/index.html", "", nil, 405},
		{"another file", "GET", "/../server.go", "", nil, 404},
		{"too long", "POST", "/api/check", strings.Repeat(" ", 33<<20), asJSON(), 413},
	} {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, request(test.method, test.path, test.body, test.head))
		if w.Code != test.code {
			t.Errorf("%s: %d, not %d: %.100s", test.what, w.Code, test.code, w.Body.String())
		}
		if policy := w.Header().Get("Content-Security-Policy"); !strings.Contains(policy, "default-src 'none'") || w.Header().Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s: policy %q", test.what, policy)
		}
	}
}

// TestServe: answers come over the network, from the loopback address, and end with the context.
func TestServe(t *testing.T) {
	l, err := Listen(0)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(l.Addr().String(), "127.0.0.1:") {
		t.Fatalf("listens on %v", l.Addr())
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- Serve(ctx, l) }()
	res, err := http.Post("http://"+l.Addr().String()+"/api/check", "application/json; charset=utf-8", strings.NewReader(`{"spec": "package: p"}`))
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if body, err := io.ReadAll(res.Body); err != nil || !strings.HasPrefix(string(body), `{"result":{"findings":[{"severity":"error"`) {
		t.Errorf("%v: %s", err, body)
	}
	cancel()
	select {
	case err := <-ended:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(time.Minute):
		t.Error("it goes on")
	}
}
