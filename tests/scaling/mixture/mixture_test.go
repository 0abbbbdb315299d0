package main

import (
	"math"
	"testing"

	"github.com/sngdgen/sngdgen/generated/mvnormalmix"
	"github.com/sngdgen/sngdgen/runtime"
)

// TestStart: the coordinates of the start are those of its parameters, and from it both ways come to a loss.
func TestStart(t *testing.T) {
	s := sizes{Rows: 500, Columns: 3, Components: 2}
	x := drawn(s)
	m := new(mvnormalmix.Model)
	if m.SetComponents(s.Components) != nil || m.SetData(runtime.Data{Values: x.data, Columns: s.Columns}) != nil {
		t.Fatal("no model")
	}
	z, err := x.start(m, s)
	if err != nil {
		t.Fatal(err)
	}
	theta := m.ThetaAt(z)
	for i, v := range theta.Sigma {
		if want := x.covariance[i%len(x.covariance)]; !(math.Abs(v-want) < 1e-9) {
			t.Errorf("entry %d of the covariances is %v, not %v", i, v, want)
		}
	}
	for _, w := range ways {
		if r, err := x.fit(t.Context(), s, w, 1, m.Loss(z)-0.1); err != nil || r.iterations < 1 {
			t.Errorf("%v: %+v, %v", w.Method, r, err)
		}
	}
}

// TestPasses: from a poor start L-BFGS takes hardly more passes than unit steps to a loss near theirs, and far fewer to one near the end.
func TestPasses(t *testing.T) {
	s := sizes{Rows: 4000, Columns: 4, Components: 5}
	x := drawn(s)
	m := new(mvnormalmix.Model)
	if m.SetComponents(s.Components) != nil || m.SetData(runtime.Data{Values: x.data, Columns: s.Columns}) != nil {
		t.Fatal("no model")
	}
	z, err := x.start(m, s)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		iterations int
		most       float64 // passes for each of unit steps
	}{{10, 1.5}, {100, 0.75}} {
		unit := ways[0]
		unit.MaxIterations = c.iterations
		r, err := runtime.Minimize(t.Context(), m, z, &unit)
		if err != nil {
			t.Fatal(err)
		}
		got, err := x.fit(t.Context(), s, ways[1], 1, r.Loss+slack)
		t.Logf("%d unit steps to %.6f, %d passes", c.iterations, r.Loss, got.passes)
		if err != nil || float64(got.passes) > c.most*float64(c.iterations+1) {
			t.Errorf("%d passes to the loss of %d unit steps, %v", got.passes, c.iterations, err)
		}
	}
}
