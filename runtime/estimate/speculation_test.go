package estimate

import (
	"context"
	"github.com/sngdgen/sngdgen/runtime"
	"testing"
)

// What is found ahead is that of the end of a run that it was looked for, and of no other; a search for another one ends.
func TestSpeculation(t *testing.T) {
	for _, c := range []struct {
		what string
		end  *runEnd
		ok   bool
	}{
		{"the same", &runEnd{loss: 1.5, theta: []float64{1, 2}}, true},
		{"another loss", &runEnd{loss: 1.25, theta: []float64{1, 2}}, false},
		{"another point", &runEnd{loss: 1.5, theta: []float64{1, 3}}, false},
		{"on the way to infinity", &runEnd{loss: 1.5, theta: []float64{1, 2}, far: true}, false},
		{"no end", nil, false},
	} {
		ctx, cancel := context.WithCancel(t.Context())
		f := &speculation{of: &runEnd{loss: 1.5, theta: []float64{1, 2}}, cancel: cancel, done: make(chan struct{})}
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

// TestSupremumOnTheWay: what a run came to on its way to infinity is not said to be above the supremum there.
func TestSupremumOnTheWay(t *testing.T) {
	const way = noMaximum + "the length of eta goes to infinity"
	for _, c := range []struct {
		found float64
		want  string
	}{
		{-100, "; the supremum that was found is -100, as the length of eta goes to infinity (half)"},
		{-101, "; the supremum was not found: it is at least -100"},
		{-100.0005, "; the supremum that was found is -100.0005, as the length of eta goes to infinity (half)"}, // which is all that the verdict can tell
		{-99, "; the supremum that was found is -99, as the length of eta goes to infinity (half)"},
	} {
		rep := &Report{Status: runtime.AtInfinity, Message: way, LogLikelihood: -100,
			Limits: []AtInfinity{{Name: "other", LogLikelihood: -200}, {Name: "half", When: "the length of eta goes to infinity", LogLikelihood: Number(c.found)}}}
		if rep.compareLimits(""); rep.Message != way+c.want {
			t.Errorf("found %v: %q", c.found, rep.Message)
		}
	}
}

// TestReachLimits: a run that has failed has come to no maximum where its likelihood is the supremum of a limit, or where a limit has none.
func TestReachLimits(t *testing.T) {
	for _, c := range []struct {
		status runtime.Status
		limit  AtInfinity
		want   string
	}{
		{runtime.Failed, AtInfinity{LogLikelihood: -90, Above: 10}, "failed"},
		{runtime.Failed, AtInfinity{LogLikelihood: -100}, noMaximum + "nu goes to infinity; the supremum that was found is -100, as nu goes to infinity (half)"},
		{runtime.Failed, AtInfinity{LogLikelihood: -90, Above: 10, Unbounded: "sigma goes to 0"}, growsThere + "nu goes to infinity (half) and sigma goes to 0"},
		{runtime.EvaluationLimit, AtInfinity{LogLikelihood: -100}, "failed"},
	} {
		c.limit.Name, c.limit.When = "half", "nu goes to infinity"
		rep := &Report{Status: c.status, Message: "failed", LogLikelihood: -100, Limits: []AtInfinity{c.limit}}
		rep.reachLimits()
		if rep.compareLimits(""); rep.Message != c.want || (rep.Status == runtime.AtInfinity) == (rep.Message == "failed") {
			t.Errorf("%v: %v: %q, want %q", c.limit, rep.Status, rep.Message, c.want)
		}
	}
}
