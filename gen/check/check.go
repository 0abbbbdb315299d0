// Package check looks for what is wrong with a problem although all its formulas make sense: maps that do not undo each
// other, densities that do not integrate to 1, a map onto the target that loses directions or leads outside its
// parameters, starts outside the domain, names that nothing uses. It also compares the derived gradients with
// differences of the interpreter on the composition as written.
//
// Most checks are numerical, at points drawn from the domain. The draws are the same in every run.
package check

import (
	"hash/fnv"
	"math"
	"math/rand/v2"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/expr/eval"
	"github.com/sngdgen/sngdgen/gen/bind"
	"github.com/sngdgen/sngdgen/gen/derive"
	"github.com/sngdgen/sngdgen/internal/diag"
)

// checker carries what is derived for one problem, and the findings.
type checker struct {
	d     *derive.Result
	p     *bind.Problem
	g     *expr.Graph
	diags diag.List
	free  []variable // standard and auxiliary parameters
	// constants are values for the constants of the families.
	constants map[string]float64
	// sound says that the maps of the surrogate undo each other: everything that is derived relies on it.
	sound bool
}

// Check returns what is found wrong with a derived problem.
func Check(d *derive.Result) diag.List {
	c := newChecker(d)
	c.unused()
	if !c.domain() {
		return c.diags // nowhere to look at the rest
	}
	c.families()
	c.rank()
	if c.sound { // else the gradients are wrong for a reason that has been given
		c.gradients()
		c.unconstrained()
	}
	c.starts()
	return c.diags
}

func newChecker(d *derive.Result) *checker {
	c := &checker{d: d, p: d.Problem, g: d.Problem.Graph, sound: true}
	c.free = variables(c.p.Surrogate.Params)
	for _, a := range c.p.Auxiliary {
		c.free = append(c.free, variables([]bind.Param{a.Param})...)
	}
	c.constants = c.someConstants()
	return c
}

// stream is the source of random numbers of one check. Each has its own, so that no check changes what others draw.
func (c *checker) stream(name string) *rand.Rand {
	h := fnv.New64a()
	h.Write([]byte(name))
	return rand.New(rand.NewPCG(h.Sum64(), 1))
}

// value evaluates a node; NaN where that is impossible.
func value(n *expr.Node, env *eval.Env) float64 {
	v, err := eval.Eval(n, env)
	if err != nil {
		return math.NaN()
	}
	return v
}

// values evaluates nodes together, so that what they share is computed once.
func values(nodes []*expr.Node, env *eval.Env) []float64 {
	out := make([]float64, len(nodes))
	all, err := eval.All(nodes, env)
	for i := range out {
		out[i] = math.NaN()
		if err == nil && all[i].Rows == nil {
			out[i] = all[i].Scalar
		}
	}
	return out
}

func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }

func allFinite(x []float64) bool {
	for _, v := range x {
		if !finite(v) {
			return false
		}
	}
	return true
}
