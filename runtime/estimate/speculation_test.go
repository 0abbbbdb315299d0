package estimate

import (
	"context"
	"testing"
)

// What is found ahead is that of the maximum that it was looked for, and of no other; a search for another one ends.
func TestSpeculation(t *testing.T) {
	for _, c := range []struct {
		what string
		end  *maximum
		ok   bool
	}{
		{"the same", &maximum{1.5, []float64{1, 2}}, true},
		{"another loss", &maximum{1.25, []float64{1, 2}}, false},
		{"another point", &maximum{1.5, []float64{1, 3}}, false},
		{"no maximum", nil, false},
	} {
		ctx, cancel := context.WithCancel(t.Context())
		f := &speculation{of: &maximum{1.5, []float64{1, 2}}, cancel: cancel, done: make(chan struct{})}
		lent := make(chan struct{})
		f.lend = func() { close(lent) }
		go func() {
			defer close(f.done)
			select {
			case <-lent:
			case <-ctx.Done():
			}
		}()
		if _, ok := f.take(c.end); ok != c.ok {
			t.Errorf("%s: taken is %v", c.what, ok)
		}
		<-f.done
		if ended := ctx.Err() != nil; ended == c.ok {
			t.Errorf("%s: the search was ended: %v", c.what, ended)
		}
		f.end()
	}
}
