package explain

import (
	"slices"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/expr/rewrite"
)

// shownStep is a step that is written out.
type shownStep struct {
	rewrite.Step
	twin bool // the same was done to the transposes
}

// leading are the steps that lead to what is computed, each once.
func (e *explainer) leading() []shownStep {
	return e.withoutTwins(e.surviving(e.steps))
}

// surviving drops steps of which nothing is left in what is computed. What follows a step may change its result beyond
// recognition, so a step is dropped on evidence only: it speaks of something that nothing after it speaks of, as steps
// do that were taken towards moments about a constant that are not used in the end; or it takes a factor, which is done
// last, out of a sum that is not there.
func (e *explainer) surviving(steps []rewrite.Step) []rewrite.Step {
	s := &e.d.Surrogate
	later := seen{}
	later.add(slices.Concat(s.Natural, s.Covector, []*expr.Node{s.Loss})...)
	of := map[*expr.Node]*expr.Node{} // the log-density is in the parameters of the target
	for _, t := range e.p.Map {
		of[t.Sym] = t.Node
	}
	var out []rewrite.Step
	for _, step := range slices.Backward(steps) {
		both := e.g.SubstituteAll([]*expr.Node{step.Before, step.After}, of)
		if !later.symbols(both[1]) || step.Rule == "Collect" && !later.some(both[0], both[1]) {
			continue
		}
		later.add(both[0])
		out = append(out, step)
	}
	slices.Reverse(out)
	return out
}

// seen is a set of nodes, with all that they depend on.
type seen map[*expr.Node]bool

func (s seen) add(roots ...*expr.Node) { expr.Walk(func(n *expr.Node) { s[n] = true }, roots...) }

// symbols reports whether all symbols of an expression are in the set.
func (s seen) symbols(root *expr.Node) bool {
	all := true
	expr.Walk(func(n *expr.Node) { all = all && (!n.IsSym() || s[n]) }, root)
	return all
}

// some reports whether something that a step made is in the set.
func (s seen) some(before, after *expr.Node) bool {
	old, found := seen{}, false
	old.add(before)
	expr.Walk(func(n *expr.Node) { found = found || len(n.Args) > 0 && !old[n] && s[n] }, after)
	return found
}

// withoutTwins shows a step on a matrix and the same one on its transpose as one. A gradient with respect to a
// symmetric matrix is the mean of the two.
func (e *explainer) withoutTwins(steps []rewrite.Step) []shownStep {
	var out []shownStep
	at := map[rewrite.Step]int{}
	for _, s := range steps {
		if _, again := at[s]; again {
			continue
		}
		if i, ok := at[e.transposed(s)]; ok {
			out[i].twin = true
			continue
		}
		at[s] = len(out)
		out = append(out, shownStep{Step: s})
	}
	return out
}

// transposed is the step on the transposes, the step itself where it is not about matrices.
func (e *explainer) transposed(s rewrite.Step) rewrite.Step {
	if s.Before.Type.Rank == 2 {
		s.Before, s.After = e.g.Transpose(s.Before), e.g.Transpose(s.After)
	}
	return s
}
