package explain

import (
	"fmt"
	"strings"

	"github.com/sngdgen/sngdgen/expr/rewrite"
	"github.com/sngdgen/sngdgen/gen/bind"
	"github.com/sngdgen/sngdgen/gen/derive"
)

// rules writes what the rules did, in the order in which each first fired, every step once.
func (e *explainer) rules() {
	e.f.heading("Rules")
	steps := e.leading()
	if len(steps) == 0 {
		e.f.text("No rule applied.")
		return
	}
	e.f.text("What the rules did to the objective and to its gradients on the way to the form that is computed, from " +
		"differentiation on, by rule. What a rule leaves alone has names, which keep their meaning from step to step:")
	short := e.forSteps(steps)
	order, groups := grouped(steps)
	for _, name := range order {
		e.f.rule(ruleName(name), e.ruleDoc(name))
		for i, s := range groups[name] {
			if i == maxSteps {
				e.f.text(fmt.Sprintf("and %d more.", len(groups[name])-maxSteps))
				break
			}
			e.step(short, s)
		}
	}
}

// maxSteps is how many steps of one rule are written out.
const maxSteps = 12

// grouped lists steps by rule.
func grouped(steps []shownStep) (order []string, groups map[string][]shownStep) {
	groups = map[string][]shownStep{}
	for _, s := range steps {
		if groups[s.Rule] == nil {
			order = append(order, s.Rule)
		}
		groups[s.Rule] = append(groups[s.Rule], s)
	}
	return order, groups
}

// ruleName is the name of a rule, that of a coordinate in it as it is written in formulas.
func ruleName(name string) string {
	kind, coord, ok := strings.Cut(name, ":")
	if !ok {
		return name
	}
	return kind + ":" + derive.Plain(coord)
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
		doc := "the standard parameters come from " + derive.Plain(coord) + ", so this is " + derive.Plain(coord) + " again"
		if stepped, _ := e.stepped(); e.p.Mixture != nil && stepped.Name == bind.Mean {
			doc += ", up to the weights"
		}
		return doc
	case "RankTwo":
		return "outer products with one vector are one symmetric update of rank two"
	case "Definition":
		return "what follows from the definition of " + derive.Plain(coord) + ", multiplied with what is inverted in it"
	case "Distribute":
		return "multiply out where terms then cancel"
	case "Moments":
		return "take moments about a constant, so that sums over the rows can be taken once for a data set"
	case "Sandwich":
		return "take an inverse out on both sides: inv(S) - inv(S) @ A @ inv(S) = inv(S) @ (S - A) @ inv(S)"
	case "Collect":
		return "take out a common factor where that is cheaper"
	}
	return ""
}

func (e *explainer) step(short *shorthand, s shownStep) {
	e.shown = append(e.shown, s.Before, s.After)
	before, after, parts := short.step(s.Step)
	e.f.step(before, after)
	e.remarks(s, before, after)
	e.f.where(parts)
}
