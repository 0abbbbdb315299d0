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
	e.lateParts(n)
	words, math := e.free(dual)
	e.f.text("Natural gradient, along which the step is taken"+words+":", math...)
	e.equations(gradient(n.natural, dual, s.Coords, e.metrics()))
	words, math = e.free(stepped)
	e.f.text(fmt.Sprintf("Ordinary gradient, with respect to the %s parameters%s:", stepped.Name, words), math...)
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
	std, theta, parts []equation // in order of evaluation
	resp, late, lasts []equation // of mixtures: the responsibilities, and the parts that depend on them
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
	all = e.parts(&n, all, used)
	n.natural, n.covector = all[:len(s.Natural)], all[len(s.Natural):]
	return n
}

// parts names what occurs in several places of formulas, and what mixtures have besides. It returns the formulas with the
// names.
func (e *explainer) parts(n *named, all []*expr.Node, used map[string]bool) []*expr.Node {
	n.resp, all = e.responsibilities(all, used)
	n.lasts, all = e.lasts(all, used)
	before := slices.Concat(n.resp, n.lasts)
	parts, short := e.nameParts(append(nodesOf(before), all...), used)
	for i := range n.resp {
		n.resp[i].node = short[i]
	}
	for i := range n.lasts {
		n.lasts[i].node = short[len(n.resp)+i]
	}
	k := len(parts)
	if len(n.resp) > 0 {
		k = needed(parts, n.resp)
	}
	n.parts, n.late = parts[:k], parts[k:]
	return short[len(before):]
}

func nodesOf(list []equation) []*expr.Node {
	var out []*expr.Node
	for _, q := range list {
		out = append(out, q.node)
	}
	return out
}

// names are those that the formulas of a step may use already.
func (e *explainer) names() map[string]bool {
	used := map[string]bool{}
	for _, q := range e.p.Target.Record() {
		used[q.Name] = true
	}
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
		sym := e.fresh(fmt.Sprint("u", len(out)+1), node, used)
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

// fresh is a symbol for a part, with letters before its name as far as the spec or other parts use it.
func (e *explainer) fresh(name string, n *expr.Node, used map[string]bool) *expr.Node {
	for used[name] {
		name = name[:1] + name
	}
	used[name] = true
	return e.g.Sym("part."+name, n.Type, n.Facts)
}
