package derive_test

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/gen/bind"
	"github.com/sngdgen/sngdgen/gen/derive"
	"github.com/sngdgen/sngdgen/spec"
)

// TestOriginCancels: in problems of the library, what is computed from coordinates and data depends on an origin through
// differences of the observation to it alone; locations themselves, and the parameters of the target, are all that adds it.
func TestOriginCancels(t *testing.T) {
	found := 0
	for _, name := range spec.Library().ProblemsOf(spec.ObjectiveMLE) {
		d := derived(t, spec.Library().Problem(name))
		s := &d.Surrogate
		roots := slices.Concat([]*expr.Node{s.Loss}, s.Natural, s.Covector, s.ToDual)
		if d.Responsibilities != nil {
			roots = append(roots, d.Responsibilities)
		}
		locations := centred(d)
		for _, start := range append(slices.Clone(d.Starts), *d.RandomStart) {
			roots = append(roots, start.Coords...)
			for i, v := range start.Values {
				if i > 0 && isLocation(d, v.Node, start.Values[i-1].Sym) {
					locations[v.Sym] = true
				} else {
					roots = append(roots, v.Node)
				}
			}
		}
		for _, def := range s.Defs {
			if !locations[def.Sym] {
				roots = append(roots, def.Node)
			}
		}
		for _, c := range d.Problem.Constants {
			found++
			x := d.Problem.Target.Variable.Sym
			difference := d.Problem.Graph.Call(expr.Difference, x, c.Sym)
			free := map[*expr.Node]*expr.Node{difference: d.Problem.Graph.Fresh("difference", x.Type, expr.Unknown)}
			outside := append(slices.Collect(maps.Keys(locations)), c.Sym, x)
			for _, n := range d.Problem.Graph.SubstituteAll(roots, free) {
				if expr.Depends(n, outside...) {
					t.Errorf("%s: %v", name, n)
				}
			}
		}
	}
	if found == 0 {
		t.Error("no problem of the library has an origin")
	}
}

// isLocation reports whether a value is an origin plus a difference.
func isLocation(d *derive.Result, n, difference *expr.Node) bool {
	return n.Op == expr.Lin && len(n.Args) == 2 && slices.Contains(n.Args, difference) &&
		slices.ContainsFunc(d.Problem.Constants, func(c bind.Constant) bool { return slices.Contains(n.Args, c.Sym) })
}

// centred are the locations of a family.
func centred(d *derive.Result) map[*expr.Node]bool {
	out := map[*expr.Node]bool{}
	for _, c := range d.Family.Centred() {
		expr.Walk(func(n *expr.Node) {
			if slices.Contains(d.Family.Std, n) {
				out[n] = true
			}
		}, c.Node)
	}
	return out
}

// TestOriginOfObjectives: in problems of the library, what is computed from parameters of the target or of a limit depends on an origin through differences to it
// alone, of the observation and of parameters. Sums of a parameter and an origin would lose the digits that these differ in.
func TestOriginOfObjectives(t *testing.T) {
	found := 0
	for _, name := range spec.Library().ProblemsOf(spec.ObjectiveMLE) {
		d := derived(t, spec.Library().Problem(name))
		objectives := map[string]*derive.Objective{"the target": d.Objective}
		for i, l := range d.Limits {
			objectives[fmt.Sprint("limit ", i+1)] = &l.Objective
		}
		g, free := d.Problem.Graph, map[*expr.Node]*expr.Node{}
		var origins []*expr.Node
		for _, c := range d.Problem.Constants {
			origins = append(origins, c.Sym)
		}
		for of, o := range objectives {
			if o == nil {
				continue
			}
			roots := append(slices.Clone(o.Gradient), o.Loss)
			expr.Walk(func(n *expr.Node) {
				if n.Op == expr.Difference && slices.Contains(origins, n.Args[1]) {
					free[n] = g.Fresh("difference", n.Type, expr.Unknown)
					found++
				}
			}, roots...)
			for _, n := range g.SubstituteAll(roots, free) {
				if expr.Depends(n, origins...) {
					t.Errorf("%s, %s: %v", name, of, n)
				}
			}
		}
	}
	if found == 0 {
		t.Error("no objective of the library has a difference to an origin")
	}
}

// TestMomentsOfObjectives: where a density has the rows in one quadratic form that nothing else is made of, the objective has their second moments, so that
// it goes through the rows for what is left of them.
func TestMomentsOfObjectives(t *testing.T) {
	for _, name := range []string{"mvnormal", "mvnormalnat", "skewnormal", "skewnormalnat"} {
		d := derived(t, spec.Library().Problem(name))
		var params []*expr.Node
		for _, q := range d.Problem.Target.Params {
			params = append(params, q.Sym)
		}
		expr.Walk(func(n *expr.Node) {
			if n.Type.Axes.Has(expr.Rows) && (n.Op == expr.Outer || n.Op == expr.MatMul) && expr.Depends(n, params...) {
				t.Errorf("%s: for every row %v", name, n)
			}
		}, append(slices.Clone(d.Objective.Gradient), d.Objective.Loss)...)
	}
}
