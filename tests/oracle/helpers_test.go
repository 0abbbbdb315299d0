// Package oracle_test holds generated code, and the derivations it is made from, against slower and simpler ways to the
// same numbers: theorems, the interpreter on what the spec says before any rule has touched it, and differences. The
// tests walk the library, so that what is added to it is covered because it exists.
package oracle_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/expr/eval"
	"github.com/sngdgen/sngdgen/gen/bind"
	"github.com/sngdgen/sngdgen/gen/derive"
	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/modeltest"
	"github.com/sngdgen/sngdgen/spec"
)

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

// bySelf is the problem of fitting a family of the library by itself: target, surrogate and map come from a document
// made here.
func bySelf(t *testing.T, name, step string) *spec.Problem {
	t.Helper()
	text := fmt.Sprintf("package: byself\ntarget: %s\nsurrogate: %s\nstep: %s\nmap:\n", name, name, step)
	for _, p := range spec.Library().Family(name).Parameters {
		text += fmt.Sprintf("  %s: %s\n", p.Name, p.Name)
	}
	f, diags := spec.Parse("byself.yaml", []byte(text), nil)
	if diags.HasErrors() {
		t.Fatal(diags.String())
	}
	return f.Problems[0]
}

// eachFamily runs a test for every family of the library.
func eachFamily(t *testing.T, test func(t *testing.T, name string, rng *rand.Rand)) {
	names := spec.Library().Families()
	if len(names) < 7 {
		t.Fatalf("the library has only the families %v", names)
	}
	for _, name := range names {
		t.Run(name, func(t *testing.T) { test(t, name, rand.New(rand.NewPCG(11, 12))) })
	}
}

// inside draws a value of a kind of parameter over about two decades on either side of 1.
func inside(kind expr.Kind, rng *rand.Rand) float64 {
	scale := math.Pow(10, 4*rng.Float64()-2)
	switch kind.Range {
	case expr.Positive:
		return scale
	case expr.Unit:
		return 1 / (1 + math.Exp(3*rng.NormFloat64()))
	}
	return scale * rng.NormFloat64()
}

// data draws rows of the type of a variable, with weights of which some are 0 and most are not whole.
func data(typ string, n int, rng *rand.Rand) runtime.Data {
	d := runtime.Data{
		Values:  modeltest.Observations(&runtime.Info{Variable: runtime.Parameter{Type: typ}}, n, rng),
		Weights: make([]float64, n),
	}
	for i := range d.Weights {
		d.Weights[i] = float64(rng.IntN(4)) * rng.Float64()
	}
	return d
}

// environment gives the interpreter a data set, and the constants that the problem takes from it.
func environment(t *testing.T, d *derive.Result, x runtime.Data) *eval.Env {
	t.Helper()
	env := eval.Scalars(nil)
	if err := d.Problem.BindData(env, x.Values, x.Weights); err != nil {
		t.Fatal(err)
	}
	return env
}

// value evaluates a scalar node.
func value(t *testing.T, env *eval.Env, n *expr.Node) float64 {
	t.Helper()
	v, err := eval.Eval(n, env)
	if err != nil {
		t.Fatalf("%v: %v", n, err)
	}
	return v
}

func values(t *testing.T, env *eval.Env, nodes []*expr.Node) []float64 {
	t.Helper()
	out := make([]float64, len(nodes))
	for i, n := range nodes {
		out[i] = value(t, env, n)
	}
	return out
}

// define evaluates definitions in order and makes their symbols known.
func define(t *testing.T, env *eval.Env, defs []derive.Def) {
	t.Helper()
	for _, d := range defs {
		env.Set(d.Sym.Name, value(t, env, d.Node))
	}
}

// set gives values to symbols.
func set(env *eval.Env, syms []*expr.Node, to []float64) {
	for i, s := range syms {
		env.Set(s.Name, to[i])
	}
}

// near reports whether a and b agree to a tolerance relative to the largest of them and scale.
func near(a, b, scale, tolerance float64) bool {
	return math.Abs(a-b) <= tolerance*max(scale, math.Abs(a), math.Abs(b))
}

// largest is the largest magnitude.
func largest(x []float64) float64 {
	m := 0.0
	for _, v := range x {
		m = max(m, math.Abs(v))
	}
	return m
}
