package explain

import (
	"fmt"
	"slices"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/gen/derive"
)

// gradients writes the two gradients in terms of the standard parameters, of the parameters of the target and of names
// for what occurs several times.
func (e *explainer) gradients() {
	stepped, dual := e.stepped()
	s := &e.d.Surrogate
	e.f.heading("Gradients")
	e.f.text(fmt.Sprintf("Computed from the %s parameters, in this order:", stepped.Name))
	n := e.named()
	e.equations(slices.Concat(n.std, n.theta, n.parts))
	e.f.text("Natural gradient, along which the step is taken:")
	e.equations(gradient(n.natural, dual, s.Coords, e.metrics()))
	e.f.text(fmt.Sprintf("Ordinary gradient, with respect to the %s parameters:", stepped.Name))
	e.equations(gradient(n.covector, stepped, s.Coords, nil))
}

// metrics are notes on the natural gradient of auxiliary parameters.
func (e *explainer) metrics() []string {
	var out []string
	for _, a := range e.p.Auxiliary {
		switch {
		case a.Metric == nil:
			out = append(out, "")
		case a.Metric.Type.Rank > 0:
			out = append(out, "with the inverse of the metric")
		default:
			out = append(out, "divided by the metric")
		}
	}
	return out
}

// gradient names the entries of a gradient: the coordinates of a system, then the auxiliary parameters.
func gradient(nodes []*expr.Node, c derive.Coords, coords []derive.Coord, notes []string) []equation {
	var out []equation
	for i, n := range nodes {
		q := equation{node: n}
		if i < len(c.Syms) {
			q.side = derivative("f", c.Syms[i])
		} else {
			q.side = derivative("f", coords[i].Sym)
			if k := i - len(c.Syms); k < len(notes) {
				q.note = notes[k]
			}
		}
		out = append(out, q)
	}
	return out
}

// named is the gradients with names for their parts.
type named struct {
	std, theta, parts []equation
	natural, covector []*expr.Node
}

func (e *explainer) named() named {
	s := &e.d.Surrogate
	var n named
	for _, d := range s.Defs {
		n.std = append(n.std, equation{side: symbol(d.Sym), node: d.Node})
	}
	by, theta := e.thetaNames()
	used := e.names()
	for _, q := range theta {
		used[q.side.text] = true
	}
	all := e.g.SubstituteAll(slices.Concat(s.Natural, s.Covector), by)
	n.theta = usedOnly(theta, all)
	parts, all := e.nameParts(all, used)
	n.parts = parts
	n.natural, n.covector = all[:len(s.Natural)], all[len(s.Natural):]
	return n
}

// names are those that the formulas of a step may use already.
func (e *explainer) names() map[string]bool {
	used := map[string]bool{e.p.Target.Variable.Name: true}
	for _, sym := range slices.Concat(e.d.Family.Std, e.d.Family.Natural.Syms, e.d.Family.Mean.Syms, e.p.ConstantSyms()) {
		used[sym.String()] = true
	}
	for _, a := range e.p.Auxiliary {
		used[a.Name] = true
	}
	return used
}

// thetaNames are the parameters of the target that have a formula, unless their names mean something else.
func (e *explainer) thetaNames() (by map[*expr.Node]*expr.Node, defs []equation) {
	by, used := map[*expr.Node]*expr.Node{}, e.names()
	for _, t := range e.d.Surrogate.Theta {
		name := t.Sym.String()
		if t.Node.Op == expr.Const || t.Node.Op == expr.Sym || used[name] {
			continue
		}
		used[name] = true
		by[t.Node] = t.Sym
		defs = append(defs, equation{side: symbol(t.Sym), node: t.Node})
	}
	return by, defs
}

// usedOnly keeps the definitions whose names occur.
func usedOnly(list []equation, in []*expr.Node) []equation {
	names := map[string]bool{}
	expr.Walk(func(n *expr.Node) { names[n.String()] = n.IsSym() || names[n.String()] }, in...)
	return slices.DeleteFunc(list, func(q equation) bool { return !names[q.side.text] })
}

// longPart is the length from which something that occurs several times gets a name.
const longPart = 16

// nameParts gives names to what occurs in several places and is long.
func (e *explainer) nameParts(roots []*expr.Node, used map[string]bool) ([]equation, []*expr.Node) {
	order, uses := usage(roots)
	by := map[*expr.Node]*expr.Node{}
	var out []equation
	for _, n := range order { // operands before users
		if uses[n] < 2 || len(n.Args) == 0 {
			continue
		}
		node := e.g.Substitute(n, by)
		if len(node.String()) < longPart {
			continue
		}
		sym := e.part(len(out), node, used)
		by[n] = sym
		out = append(out, equation{side: symbol(sym), node: node})
	}
	return out, e.g.SubstituteAll(roots, by)
}

// usage lists what roots depend on, operands before their users, and counts the places where each is used.
func usage(roots []*expr.Node) (order []*expr.Node, uses map[*expr.Node]int) {
	uses = map[*expr.Node]int{}
	expr.Walk(func(n *expr.Node) {
		order = append(order, n)
		for _, a := range n.Args {
			uses[a]++
		}
	}, roots...)
	for _, r := range roots {
		uses[r]++
	}
	return order, uses
}

// part is a symbol for a part: u1, u2, ..., as far as the spec does not use these names.
func (e *explainer) part(i int, n *expr.Node, used map[string]bool) *expr.Node {
	name := fmt.Sprint("u", i+1)
	for used[name] {
		name = "u" + name
	}
	used[name] = true
	return e.g.Sym("part."+name, n.Type, n.Facts)
}
