package estimate

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/sngdgen/sngdgen/runtime"
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

// TestHigherThanTheMaximum: what is above a maximum is named, and where equal rows have no bound that, in place of a supremum that is none; nothing is said where it is the highest.
func TestHigherThanTheMaximum(t *testing.T) {
	for _, c := range []struct {
		limit AtInfinity
		onto  string
		want  string
	}{
		{AtInfinity{LogLikelihood: -90, Above: 10}, "", none + "as nu goes to infinity (half) the log-likelihood tends to -90, which is 10 above this maximum, the best finite one that was found"},
		{AtInfinity{LogLikelihood: -90, Above: 10}, "sigma goes to 0 at 2, the value of 3 of 9 rows", none + "it grows without bound as sigma goes to 0 at 2, the value of 3 of 9 rows"},
		{AtInfinity{LogLikelihood: -110, Above: -10}, "sigma goes to 0", ""},
		{AtInfinity{LogLikelihood: -90, Above: 10, Unbounded: "sigma goes to 0"}, "", none + "it grows without bound as nu goes to infinity (half) and sigma goes to 0"},
	} {
		c.limit.Name, c.limit.When = "half", "nu goes to infinity"
		rep := &Report{Converged: true, LogLikelihood: -100, Limits: []AtInfinity{c.limit}}
		if rep.compareLimits(c.onto); strings.Join(rep.Warnings, "\n") != c.want {
			t.Errorf("%v: %q, want %q", c.limit, rep.Warnings, c.want)
		}
	}
}

const none = "the likelihood has no global maximum: "

// oneNumber is a loss of one coordinate.
type oneNumber struct {
	runtime.Unconstrained
	loss func(x float64) float64
}

func (o oneNumber) Loss(u []float64) float64 { return o.loss(u[0]) }

// TestFallsOnlyBack: a maximum that is hardly above what lies beyond is one, as far as digits tell.
func TestFallsOnlyBack(t *testing.T) {
	for _, c := range []struct {
		what string
		loss func(x float64) float64
		want bool
	}{
		{"a limit", func(x float64) float64 { return 1 + math.Exp(-x-40) }, true},
		{"a limit far away", func(x float64) float64 { return 1 + math.Exp(-x-10) }, true},
		{"a maximum", func(x float64) float64 { return 1 + math.Exp(-2*x-20) - 2*math.Exp(-x-20) }, false},
		{"the end of the domain", func(x float64) float64 { return 1 + math.Exp(-x-40) + 0*math.Sqrt(30-x) }, false},
		{"nothing", func(x float64) float64 { return 1 }, false},
	} {
		if got := fallsOnlyBack(oneNumber{loss: c.loss}, func(t float64) []float64 { return []float64{t} }, 100); got != c.want {
			t.Errorf("%s: %v", c.what, got)
		}
	}
}

// jumping is a loss of one coordinate that jumps, and a slope.
type jumping struct {
	oneNumber
	slope func(x float64) float64
}

func (s jumping) Gradient(g, u []float64) float64 {
	g[0] = s.slope(u[0])
	return s.loss(u[0])
}

// TestDescends: a loss that is lower by a jump, where the slope is none, is no way down from a maximum; one that falls as its slope says is.
func TestDescends(t *testing.T) {
	jump := func(x float64) float64 {
		if math.Abs(x) > 0.1 {
			return -1e-3
		}
		return 0
	}
	for _, c := range []struct {
		what string
		u    jumping
		want bool
	}{
		{"a jump", jumping{oneNumber{loss: jump}, func(float64) float64 { return 0 }}, false},
		{"a fall", jumping{oneNumber{loss: func(x float64) float64 { return -x * x }}, func(x float64) float64 { return -2 * x }}, true},
	} {
		if got := lower(c.u, []float64{0}, []float64{1}, 0); (got != nil) != c.want {
			t.Errorf("%s: %v", c.what, got)
		}
	}
}
