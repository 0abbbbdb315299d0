// Package oracle_test holds generated code, and the derivations it is made from, against slower and simpler ways to the
// same numbers: theorems, the interpreter on what the spec says before any rule has touched it, and differences. The
// tests walk the library, so that what is added to it is covered because it exists.
package oracle_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/expr/eval"
	"github.com/sngdgen/sngdgen/gen/bind"
	"github.com/sngdgen/sngdgen/gen/derive"
	"github.com/sngdgen/sngdgen/runtime/types"
	"github.com/sngdgen/sngdgen/spec"
)

// lengths are those of the dimensions: no length, a plane, an odd one, and one past the unrolled loops.
var lengths = []int{1, 2, 3, 8}

// lengthsOf are those at which problems with a variable are tested: a simplex of one entry is the number 1.
func lengthsOf(variable bind.Param) []int {
	if strings.HasPrefix(variable.Kind.Name, "simplex") || variable.Kind.Type.Form.Has(types.UnitLength) {
		return lengths[1:]
	}
	return lengths
}

// derived returns what is derived for a problem.
func derived(t *testing.T, p *spec.Problem) *derive.Result {
	t.Helper()
	b, diags := bind.Bind(p)
	if diags.HasErrors() {
		t.Fatal(diags.String())
	}
	d, err := derive.Derive(b)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// numbers evaluates nodes, one after the other, matrices row by row, one component of a mixture after the other.
func numbers(t *testing.T, env *eval.Env, nodes ...*expr.Node) []float64 {
	t.Helper()
	all, err := eval.All(nodes, env)
	if err != nil {
		t.Fatal(err)
	}
	var out []float64
	for _, v := range all {
		out = append(out, entries(v)...)
	}
	return out
}

func entries(v eval.Value) []float64 {
	switch {
	case v.Components != nil:
		var out []float64
		for _, own := range v.Components {
			out = append(out, entries(own)...)
		}
		return out
	case v.Cores == nil:
		return []float64{v.Scalar}
	}
	var out []float64
	r, _ := v.Cores[0].Dims()
	for i := range r {
		out = append(out, v.Cores[0].RawRowView(i)...)
	}
	return out
}

// give gives a symbol a value: a number, the entries of a vector, or those of a square matrix row by row; or so many
// values, one for each component of a mixture.
func give(env *eval.Env, sym *expr.Node, x []float64) {
	if !sym.Type.Axes.Has(expr.Components) {
		env.Symbols[sym.Name] = valueOf(sym.Type.Rank, x)
		return
	}
	k := int(env.Symbols["size.k"].Scalar)
	all := make([]eval.Value, k)
	for c := range all {
		n := len(x) / k
		all[c] = valueOf(sym.Type.Rank, x[c*n:(c+1)*n])
	}
	env.Symbols[sym.Name] = eval.PerComponent(all)
}

func valueOf(rank int, x []float64) eval.Value {
	switch rank {
	case 0:
		return eval.Value{Scalar: x[0]}
	case 1:
		return eval.Core(mat.NewDense(len(x), 1, slices.Clone(x)))
	}
	d := side(len(x))
	return eval.Core(mat.NewDense(d, d, slices.Clone(x)))
}

// laid evaluates a node for a place that may have one value for each component of a mixture: all are the same where the
// node does not vary over them.
func laid(t *testing.T, env *eval.Env, place, n *expr.Node) []float64 {
	t.Helper()
	x := numbers(t, env, n)
	if n.Is(0) { // of every shape
		for _, d := range place.Type.Dims[:place.Type.Rank] {
			if d.Name != "" {
				x = slices.Repeat(x, int(env.Symbols[d.Name].Scalar))
			}
		}
	}
	if place.Type.Axes.Has(expr.Components) && !n.Type.Axes.Has(expr.Components) {
		return slices.Repeat(x, int(env.Symbols["size.k"].Scalar))
	}
	return x
}

// side is the number of rows of a square matrix with n entries.
func side(n int) int { return int(math.Round(math.Sqrt(float64(n)))) }

// define evaluates definitions in order and makes their symbols known.
func define(t *testing.T, env *eval.Env, defs []derive.Def) {
	t.Helper()
	for _, d := range defs {
		give(env, d.Sym, laid(t, env, d.Sym, d.Node))
	}
}

func nodes(defs []derive.Def) []*expr.Node {
	var out []*expr.Node
	for _, d := range defs {
		out = append(out, d.Node)
	}
	return out
}

// near reports whether a and b agree to a tolerance relative to the largest of them and scale.
func near(a, b, scale, tolerance float64) bool {
	return math.Abs(a-b) <= tolerance*max(scale, math.Abs(a), math.Abs(b))
}

// agree compares vectors relative to a size or the largest entry, whichever is more. It reports the worst entry.
func agree(t *testing.T, what string, got, want []float64, size, tolerance float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%s: %d numbers for %d", what, len(got), len(want))
		return
	}
	scale, worst, at := max(largest(want), size), -1.0, 0
	for i := range want {
		e := math.Abs(got[i] - want[i])
		if math.IsNaN(e) {
			e = math.Inf(1)
		}
		if e > worst {
			worst, at = e, i
		}
	}
	if !(worst <= tolerance*scale) { // also where the scale is no number
		t.Errorf("%s[%d] is %.17g, want %.17g: %.1e of %.3g", what, at, got[at], want[at], worst/scale, scale)
	}
}

// largest is the largest magnitude.
func largest(x []float64) float64 {
	m := 0.0
	for _, v := range x {
		m = max(m, math.Abs(v))
	}
	return m
}
