package rewrite

import (
	"fmt"
	"slices"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/expr/syntax"
)

// Step is one application of a rule.
type Step struct {
	Rule          string
	Before, After *expr.Node
}

// Rewriter applies rules to nodes of one graph, operands first, until none applies.
type Rewriter struct {
	G     *expr.Graph
	Trace []Step
	// Collect takes common factors out of sums, instead of multiplying out where that lets terms cancel. It hides what
	// could cancel, so it is for the last pass; and the two would undo each other where an operand is shared.
	Collect bool
	rules   []*Rule
	facts   []identity
	joins   []neighbours
	memo    map[*expr.Node]*expr.Node
	probe   probe
	fuel    int
	effort  int // left for the passes that decide by cost
}

// identity is a rule without variables.
type identity struct {
	name          string
	before, after *expr.Node
}

// maxSteps bounds the work on one graph: rules that fed each other without end would be a bug, not a reason to hang.
const maxSteps = 100000

// maxEffort bounds what one rewriter spends on trying out whether multiplying out, dividing and collecting make anything
// cheaper, in the units of Graph.Work. These look at whole sums again and again: of long ones what is tried first is
// improved, and the rest stays as it is. The largest problem of the library takes a quarter.
const maxEffort = 1 << 16

// New returns a rewriter for the rules.
func New(g *expr.Graph, rules []*Rule) *Rewriter {
	return &Rewriter{G: g, rules: rules, memo: map[*expr.Node]*expr.Node{}, probe: probe{}, fuel: maxSteps, effort: maxEffort}
}

// AddIdentity adds a rule without variables: wherever before stands, also as part of a sum, after may stand. It is how
// facts about one problem enter, such as that the mean map of the surrogate gives back the mean parameters.
func (w *Rewriter) AddIdentity(name string, before, after *expr.Node) {
	if expr.TotalCost(before) == 0 {
		return // nothing to gain: a number, a symbol or its negative is as cheap
	}
	w.facts = append(w.facts, identity{name, before, after})
}

// Apply rewrites nodes.
func (w *Rewriter) Apply(nodes ...*expr.Node) []*expr.Node {
	out := make([]*expr.Node, len(nodes))
	for i, n := range nodes {
		out[i] = w.rewrite(n)
	}
	return out
}

func (w *Rewriter) rewrite(n *expr.Node) *expr.Node {
	if m, ok := w.memo[n]; ok {
		return m
	}
	args := make([]*expr.Node, len(n.Args))
	for i, a := range n.Args {
		args[i] = w.rewrite(a)
	}
	m := w.G.Rebuild(n, args)
	if m != n && w.fuel > 0 && slices.ContainsFunc(m.Args, w.unseen) { // by canonical forms
		w.fuel--
		m = w.rewrite(m)
		w.memo[n] = m
		return m
	}
	if next := w.once(m); next != nil && w.fuel > 0 {
		w.fuel--
		m = w.rewrite(next)
	}
	w.memo[n] = m
	w.memo[m] = m
	return m
}

// unseen reports whether no rule has seen a node.
func (w *Rewriter) unseen(n *expr.Node) bool { return w.memo[n] != n }

// once applies the first rule that changes the node.
func (w *Rewriter) once(n *expr.Node) *expr.Node {
	for _, r := range w.rules {
		if r.LHS.Op == n.Op {
			if m := w.applyRule(r, n); m != nil && m != n {
				return w.traced(r.Name, n, m)
			}
		}
	}
	for _, k := range w.facts {
		if k.before.Op == n.Op {
			if m := w.applyIdentity(k.before, k.after, n); m != nil && m != n {
				return w.traced(k.name, n, m)
			}
		}
	}
	if name, m := w.joined(n); m != nil {
		return w.traced(name, n, m)
	}
	return w.byCost(n)
}

// traced notes what has been done to a node.
func (w *Rewriter) traced(name string, before, after *expr.Node) *expr.Node {
	w.Trace = append(w.Trace, Step{name, before, after})
	return after
}

// byCost applies the passes that decide by cost, as long as the effort lasts.
func (w *Rewriter) byCost(n *expr.Node) *expr.Node {
	if w.effort <= 0 {
		return nil
	}
	before := w.G.Work()
	defer func() { w.effort -= w.G.Work() - before }()
	name, m := "Divide", w.divide(n)
	switch {
	case m != nil:
	case w.Collect:
		if name, m = "Sandwich", w.sandwich(n); m == nil {
			name, m = "RankTwo", w.rankTwo(n)
		}
		if m == nil {
			name, m = "Collect", w.collect(n)
		}
	default:
		name, m = "Distribute", w.distribute(n)
	}
	if m == nil {
		return nil
	}
	return w.traced(name, n, m)
}

func (w *Rewriter) applyRule(r *Rule, n *expr.Node) *expr.Node {
	m := matcher{g: w.G}
	var out *expr.Node
	if r.LHS.Op == expr.Lin || r.LHS.Op == expr.Prod {
		m.part(r.LHS, n, func(b bindings, rest *expr.Node, scale float64) bool {
			if !r.holds(b) {
				return false
			}
			out = w.replaced(n, w.build(r, b), rest, scale)
			return out != n
		})
		return out
	}
	m.match(r.LHS, n, bindings{}, func(b bindings) bool {
		if !r.holds(b) {
			return false
		}
		out = w.build(r, b)
		return out != n
	})
	return out
}

func (w *Rewriter) applyIdentity(before, after, n *expr.Node) *expr.Node {
	if n == before {
		return after
	}
	var out *expr.Node
	if before.Op == expr.Lin || before.Op == expr.Prod {
		matcher{g: w.G, literal: true}.part(before, n, func(_ bindings, rest *expr.Node, scale float64) bool {
			out = w.replaced(n, after, rest, scale)
			return true
		})
	}
	return out
}

// replaced puts the replacement together with what the pattern left over.
func (w *Rewriter) replaced(n, with, rest *expr.Node, scale float64) *expr.Node {
	switch {
	case n.Op == expr.Prod && rest == nil:
	case n.Op == expr.Prod:
		with = w.G.Mul(rest, with)
	case rest == nil:
		with = w.G.Scale(scale, with)
	default:
		with = w.G.Add(rest, w.G.Scale(scale, with))
	}
	return w.G.Spread(with, n.Type)
}

// build makes the right side of a rule. Rules are checked when they are loaded, so a fault here is a bug.
func (w *Rewriter) build(r *Rule, b bindings) *expr.Node {
	names := make(map[string]*expr.Node, len(b)+1)
	for k, v := range b {
		names[k] = v
	}
	names[expr.Rows.String()] = w.G.Size(expr.Rows)
	builder := expr.Builder{G: w.G, Scope: expr.Scope{Names: names, What: "a rule", Entrywise: true}}
	n := builder.Build(r.RHS)
	if n == nil {
		panic(fmt.Sprintf("rewrite: rule %s: %s (%s)", r.Name, builder.Faults[0].Msg, syntax.Format(r.RHS)))
	}
	return n
}
