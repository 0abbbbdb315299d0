// Package exprtest draws random symbols, formulas and points for the tests of the expression packages, and evaluates
// formulas in the most naive way, with a bound on the rounding errors.
package exprtest

import (
	"fmt"
	"math"

	"pgregory.net/rapid"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/expr/eval"
	"github.com/sngdgen/sngdgen/expr/syntax"
	"github.com/sngdgen/sngdgen/runtime/types"
)

// Rows is the number of rows of the data of a point.
const Rows = 3

// World is a graph with symbols of every kind: one number of each kind, one value over the rows of each kind (its name
// starts with x), values over the components, over the rows and components too (their names start with k and kx), and a
// few numbers from random ranges.
type World struct {
	G     *expr.Graph
	Names map[string]*expr.Node
	Order []string // the names, in the order in which they were made
}

// NewWorld returns a world with the kinds of symbols that a spec can declare.
func NewWorld() *World {
	w := &World{G: expr.NewGraph(), Names: map[string]*expr.Node{}}
	for _, e := range types.Entries {
		facts := expr.KindOf(types.Number.Of(e)).Facts
		w.add(e.Name, expr.Scalar, facts)
		w.add("x"+e.Name, expr.Scalar.Over(expr.Rows), facts)
	}
	for _, e := range types.Entries[:3] {
		w.add("k"+e.Name, expr.Scalar.Over(expr.Components), expr.KindOf(types.Number.Of(e)).Facts)
	}
	w.add("kxreal", expr.Scalar.Over(expr.Rows|expr.Components), expr.Unknown)
	return w
}

// DrawWorld returns a world that has numbers from random ranges too.
func DrawWorld(t *rapid.T) *World {
	w := NewWorld()
	for i := range 2 {
		name := fmt.Sprintf("range%d", i)
		w.add(name, expr.Scalar, expr.Facts{Range: DrawRange(t, name), Integer: false})
	}
	return w
}

func (w *World) add(name string, t expr.Type, f expr.Facts) {
	w.Names[name] = w.G.Sym(name, t, f)
	w.Order = append(w.Order, name)
}

// Builder returns a builder for formulas in the names of the world.
func (w *World) Builder() *expr.Builder {
	names := map[string]*expr.Node{}
	for _, axis := range []expr.Axes{expr.Rows, expr.Components} {
		names[axis.String()] = w.G.Size(axis)
	}
	for k, v := range w.Names {
		names[k] = v
	}
	return &expr.Builder{G: w.G, Scope: expr.Scope{Names: names, What: "a test", Reductions: true, Unknown: expr.In(expr.Positive)}}
}

// TB is what this package needs of *testing.T and *rapid.T.
type TB interface {
	Helper()
	Fatalf(format string, args ...any)
}

// Build returns the node of a tree that has no faults.
func (w *World) Build(t TB, e syntax.Expr) *expr.Node {
	t.Helper()
	b := w.Builder()
	n := b.Build(e)
	if n == nil {
		t.Fatalf("%s: %+v", syntax.Format(e), b.Faults)
	}
	return n
}

// Parse returns the node of a formula that has no faults.
func (w *World) Parse(t TB, formula string) *expr.Node {
	t.Helper()
	e, errs := syntax.Parse(formula)
	if len(errs) > 0 {
		t.Fatalf("%s: %v", formula, errs)
	}
	return w.Build(t, e)
}

// Point draws values of all symbols inside their ranges, and weights of the rows.
func (w *World) Point(t *rapid.T) *eval.Env {
	env := eval.Scalars(nil)
	total := 0.0
	for i := range Rows {
		weight := rapid.SampledFrom([]float64{1, 2, 0.5, 0}).Draw(t, "weight")
		if i == 0 && weight == 0 {
			weight = 1 // never all zero
		}
		env.Weights = append(env.Weights, weight)
		total += weight
	}
	env.Set(w.G.Size(expr.Rows).Name, total)
	env.Set(w.G.Size(expr.Components).Name, Components)
	for _, name := range w.Order {
		n := w.Names[name]
		values := make([]float64, size(n.Type.Axes))
		for i := range values {
			values[i] = DrawIn(t, name, n.Facts)
		}
		env.Symbols[name] = Unflat(values)
	}
	return env
}

// size is the number of values of what varies over axes.
func size(axes expr.Axes) int {
	n := 1
	if axes.Has(expr.Rows) {
		n *= Rows
	}
	if axes.Has(expr.Components) {
		n *= Components
	}
	return n
}

// ends are the finite ends of random ranges. The tiny ones underflow when they are multiplied.
var ends = []float64{0, 1, -1, 2, -2, 0.5, -0.5, 3, -5, 1e-200, -1e-200}

// DrawRange draws a range that is not empty.
func DrawRange(t *rapid.T, label string) expr.Range {
	end := func(infinite float64) (float64, bool) {
		if rapid.Bool().Draw(t, label+" infinite") {
			return infinite, true
		}
		return rapid.SampledFrom(ends).Draw(t, label+" end"), rapid.Bool().Draw(t, label+" open")
	}
	r := expr.Range{}
	r.Lo, r.LoOpen = end(math.Inf(-1))
	r.Hi, r.HiOpen = end(math.Inf(1))
	if r.Lo > r.Hi {
		r.Lo, r.Hi = r.Hi, r.Lo
	}
	if r.Lo == r.Hi {
		r.LoOpen, r.HiOpen = false, false
	}
	return r
}

// DrawIn draws a number that has the facts: an end of the range where it belongs to it, or a number of moderate size
// between. Numbers are multiples of a thousandth of a step, so that they shrink to readable ones.
func DrawIn(t *rapid.T, label string, f expr.Facts) float64 {
	r := f.Range
	step := float64(rapid.IntRange(0, 1000).Draw(t, label)) / 1000
	var v float64
	switch lo, hi := !math.IsInf(r.Lo, 0), !math.IsInf(r.Hi, 0); {
	case lo && hi:
		v = r.Lo + step*(r.Hi-r.Lo)
	case lo:
		v = r.Lo + 4*step
	case hi:
		v = r.Hi - 4*step
	default:
		v = 8*step - 4
	}
	if f.Integer {
		v = math.Round(v)
	}
	if r.Contains(v) {
		return v
	}
	return inner(r)
}

// inner is a number inside a range, not at its ends where there are others.
func inner(r expr.Range) float64 {
	switch lo, hi := !math.IsInf(r.Lo, 0), !math.IsInf(r.Hi, 0); {
	case lo && hi:
		return r.Lo + (r.Hi-r.Lo)/2
	case lo:
		return r.Lo + 1
	case hi:
		return r.Hi - 1
	}
	return 0
}
