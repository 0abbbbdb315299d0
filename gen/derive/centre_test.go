package derive_test

import (
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
