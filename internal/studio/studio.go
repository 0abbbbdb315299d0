// Package studio answers what the page of the studio asks: what is wrong with a spec, how it is derived, what it generates, which
// columns of a file are its data, and what a fit finds. Questions and answers are JSON, and nothing else is touched, so that the same
// page works with a server and, compiled to WebAssembly, without one.
package studio

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/sngdgen/sngdgen/internal/diag"
	"github.com/sngdgen/sngdgen/internal/table"
)

// MostRequest is how many bytes a question may have: those of a data file, above all.
const MostRequest = 32 << 20

// method is something that can be asked for.
type method func(ctx context.Context, request []byte, tell func(event any)) (any, error)

// methods are all that there are, by the names that the page uses.
var methods = map[string]method{
	"gallery":       one(gallery),
	"check":         one(check),
	"explain":       one(describe),
	"code":          one(code),
	"columns":       one(inspect),
	"draw":          one(draw),
	"regress":       one(regress),
	"distributions": one(distributions),
	"fit": func(ctx context.Context, request []byte, tell func(any)) (any, error) {
		return decoded(ctx, request, tell, fit)
	},
}

// Methods are the names of what can be asked for.
func Methods() []string { return slices.Sorted(maps.Keys(methods)) }

// Long reports whether answers may take long.
func Long(name string) bool { return name == "fit" || name == "regress" }

// one makes a method of a function that says nothing on the way.
func one[R any](f func(context.Context, *R) (any, error)) method {
	return func(ctx context.Context, request []byte, tell func(any)) (any, error) {
		return decoded(ctx, request, tell, func(ctx context.Context, r *R, _ func(any)) (any, error) { return f(ctx, r) })
	}
}

// decoded reads the question strictly, and asks it.
func decoded[R any](ctx context.Context, request []byte, tell func(any), f func(context.Context, *R, func(any)) (any, error)) (any, error) {
	r := new(R)
	d := json.NewDecoder(bytes.NewReader(request))
	d.DisallowUnknownFields()
	if err := d.Decode(r); err != nil {
		return nil, fmt.Errorf("the request cannot be read: %w", err)
	}
	return f(ctx, r, tell)
}

// Fault is what went wrong.
type Fault struct {
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"`
}

// Message is what the page receives: events, one after the other, and then a result or an error.
type Message struct {
	Event  any    `json:"event,omitempty"`
	Result any    `json:"result,omitempty"`
	Error  *Fault `json:"error,omitempty"`
}

// Answer answers a question with messages in JSON, each without a line break in it, of which the last one is a result or an error.
// Send is called by one goroutine at a time.
func Answer(ctx context.Context, name string, request []byte, send func(message []byte)) {
	post := func(m Message) {
		text, err := json.Marshal(m)
		if err != nil {
			text, _ = json.Marshal(Message{Error: &Fault{Message: err.Error()}})
		}
		send(text)
	}
	ask, ok := methods[name]
	switch {
	case !ok:
		post(Message{Error: &Fault{Message: fmt.Sprintf("no method %q", name), Hint: "there are " + strings.Join(Methods(), ", ")}})
		return
	case len(request) > MostRequest:
		post(Message{Error: &Fault{Message: fmt.Sprintf("a request of more than %d MiB", MostRequest>>20)}})
		return
	}
	result, err := ask(ctx, request, func(event any) { post(Message{Event: event}) })
	if err != nil {
		post(Message{Error: fault(ctx, err)})
		return
	}
	post(Message{Result: result})
}

// fault says what an error is, in words for the page.
func fault(ctx context.Context, err error) *Fault {
	var found *diag.ListError
	var place *table.Error
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return &Fault{Message: "this takes longer than a page may ask for", Hint: "sngdgen fit has no such limit"}
	case ctx.Err() != nil:
		return &Fault{Message: "stopped"}
	case errors.As(err, &found):
		all := found.List.All()
		first := all[max(0, slices.IndexFunc(all, func(d *diag.Diagnostic) bool { return d.Severity == diag.Error }))]
		return &Fault{Message: first.Message, Hint: first.Hint}
	case errors.As(err, &place):
		return &Fault{Message: strings.TrimSuffix(err.Error(), "\nhint: "+place.Hint), Hint: place.Hint}
	}
	message, hint, _ := strings.Cut(err.Error(), "\nhint: ")
	return &Fault{Message: message, Hint: strings.ReplaceAll(hint, "\nhint: ", "\n")}
}
