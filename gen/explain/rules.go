package explain

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/expr/rewrite"
)

// rules writes what the rules did, in the order in which each first fired, every step once.
func (e *explainer) rules() {
	e.f.heading("Rules")
	order, groups := grouped(e.steps)
	if len(order) == 0 {
		e.f.text("No rule applied.")
		return
	}
	e.f.text("What the rules did to the objective and to its gradients, from differentiation to the form that is computed, by " +
		"rule; capital letters stand for parts that a rule leaves alone:")
	for _, name := range order {
		e.f.rule(name, e.ruleDoc(name))
		for i, s := range groups[name] {
			if i == maxSteps {
				e.f.text(fmt.Sprintf("and %d more.", len(groups[name])-maxSteps))
				break
			}
			e.step(s)
		}
	}
}

// maxSteps is how many steps of one rule are written out.
const maxSteps = 12

// grouped lists steps by rule, without repetitions.
func grouped(steps []rewrite.Step) (order []string, groups map[string][]rewrite.Step) {
	groups = map[string][]rewrite.Step{}
	seen := map[rewrite.Step]bool{}
	for _, s := range steps {
		if seen[s] {
			continue
		}
		seen[s] = true
		if groups[s.Rule] == nil {
			order = append(order, s.Rule)
		}
		groups[s.Rule] = append(groups[s.Rule], s)
	}
	return order, groups
}

// ruleDoc says what a rule is: its line in the rules, or what it does where it is built in.
func (e *explainer) ruleDoc(name string) string {
	for _, r := range rewrite.Rules(rewrite.Exact, rewrite.Algebraic, rewrite.Stabilising) {
		if r.Name == name {
			return r.Text + " (" + string(r.Class) + ")"
		}
	}
	kind, coord, _ := strings.Cut(name, ":")
	switch kind {
	case "RoundTrip":
		return "the standard parameters come from " + coord + ", so this is " + coord + " again"
	case "Distribute":
		return "multiply out where terms then cancel"
	case "Collect":
		return "take out a common factor where that is cheaper"
	}
	return ""
}

// longStep is the length of a step from which its unchanged parts are abbreviated.
const longStep = 70

func (e *explainer) step(s rewrite.Step) {
	before, after := s.Before, s.After
	e.shown = append(e.shown, before, after)
	if len(before.String()) <= longStep {
		e.f.step(before, after, nil)
		return
	}
	parts, by := e.abbreviate(before, after)
	short := e.g.SubstituteAll([]*expr.Node{before, after}, by)
	e.f.step(short[0], short[1], parts)
}

// shortPart is the length up to which a part is not worth a letter.
const shortPart = 8

// abbreviate finds the largest expressions that occur on both sides of a step, and gives them letters.
func (e *explainer) abbreviate(before, after *expr.Node) ([]equation, map[*expr.Node]*expr.Node) {
	left := map[*expr.Node]bool{}
	expr.Walk(func(n *expr.Node) { left[n] = true }, before)
	var common []*expr.Node
	var visit func(n *expr.Node)
	seen := map[*expr.Node]bool{}
	visit = func(n *expr.Node) {
		if seen[n] {
			return
		}
		seen[n] = true
		if left[n] && n != before && n != after && len(n.Args) > 0 && len(n.String()) > shortPart {
			common = append(common, n)
			return
		}
		for _, a := range n.Args {
			visit(a)
		}
	}
	visit(after)
	slices.SortFunc(common, func(a, b *expr.Node) int { return cmp.Compare(a.ID, b.ID) })
	return e.letters(common)
}

// letters gives capital letters to nodes, leaving out those that the spec uses.
func (e *explainer) letters(nodes []*expr.Node) ([]equation, map[*expr.Node]*expr.Node) {
	used := map[string]bool{}
	expr.Walk(func(n *expr.Node) {
		if n.IsSym() {
			used[n.String()] = true
		}
	}, nodes...)
	by := map[*expr.Node]*expr.Node{}
	var out []equation
	letters := strings.Split("PQRSTUVWXYZBCDFGHJKLMN", "") // A and E have meanings here
	letters = slices.DeleteFunc(letters, func(l string) bool { return used[l] })
	for i, n := range nodes[:min(len(nodes), len(letters))] {
		sym := e.g.Sym(fmt.Sprintf("letter%d.%s", n.ID, letters[i]), n.Type, n.Facts)
		by[n] = sym
		out = append(out, equation{side: symbol(sym), node: n})
	}
	return out, by
}
