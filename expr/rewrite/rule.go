// Package rewrite improves expression graphs by rules. Rules are text, one a line, in the formula language:
//
//	[Name] pattern => replacement if condition(a), condition(b)
//
// Names in a pattern stand for any expression. A pattern that is a sum or a product matches part of a larger one, at
// any scale: [LgammaDiff] also finds 3*lgamma(x + r) - 3*lgamma(r) among other terms.
package rewrite

import (
	_ "embed"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/expr/syntax"
)

//go:embed rules.txt
var rulesText string

// Class says what a rule preserves.
type Class string

// The classes, in the order in which they may be applied: stabilising rules come last, after differentiation.
const (
	Exact       Class = "exact"       // same value, bit for bit up to the order of operations
	Algebraic   Class = "algebraic"   // same value in exact arithmetic
	Stabilising Class = "stabilising" // same value in exact arithmetic, more accurate in floating point
)

// Rule replaces what matches LHS by RHS.
type Rule struct {
	Name       string
	Class      Class
	Normalises bool   // brings expressions into a common form even where that costs more
	Text       string // pattern => replacement, as written
	LHS        *expr.Node
	RHS        syntax.Expr
	Conditions []Condition
}

// Condition is a requirement on what a name of the pattern stands for.
type Condition struct {
	Name string // of the test
	Var  string // of the pattern
}

// conditions are the tests that rules may use.
var conditions = map[string]func(n *expr.Node) bool{
	"positive":    (*expr.Node).Positive,
	"nonnegative": (*expr.Node).Nonnegative,
	"unit":        func(n *expr.Node) bool { return n.Facts.Range.Within(expr.Unit) },
	"nonzero":     (*expr.Node).Nonzero,
	"number":      func(n *expr.Node) bool { _, ok := n.IsConst(); return ok },
}

// Rules returns the rules of the given classes, in the order of the file.
func Rules(classes ...Class) []*Rule {
	out := make([]*Rule, 0, len(all()))
	for _, r := range all() {
		if slices.Contains(classes, r.Class) {
			out = append(out, r)
		}
	}
	return out
}

// all are the rules of the file, read at the first use: commands that derive nothing go without.
var all = sync.OnceValue(func() []*Rule {
	rules, err := Load(rulesText)
	if err != nil {
		panic("rewrite: " + err.Error())
	}
	return rules
})

var ruleLine = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\[(\w+)(\s+normalises)?\]\s+(.*?)\s+=>\s+(.*?)(?:\s+if\s+(.*))?$`)
})

// Load reads rules. A line is a rule, a comment (#), empty, or a heading "class: exact" that holds for the rules below.
func Load(text string) ([]*Rule, error) {
	var rules []*Rule
	class := Class("")
	names := map[string]bool{}
	for i, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		if c, ok := strings.CutPrefix(line, "class: "); ok {
			class = Class(c)
			continue
		}
		r, err := parse(line, class)
		if err == nil && names[r.Name] {
			err = fmt.Errorf("rule %s is there twice", r.Name)
		}
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", i+1, err)
		}
		names[r.Name] = true
		rules = append(rules, r)
	}
	return rules, nil
}

func parse(line string, class Class) (*Rule, error) {
	m := ruleLine().FindStringSubmatch(line)
	if m == nil {
		return nil, fmt.Errorf("not a rule: %s", line)
	}
	switch class {
	case Exact, Algebraic, Stabilising:
	default:
		return nil, fmt.Errorf("rule %s: unknown class %q", m[1], class)
	}
	r := &Rule{Name: m[1], Class: class, Normalises: m[2] != "", Text: m[3] + " => " + m[4]}
	conds, err := parseConditions(m[5])
	if err != nil {
		return nil, fmt.Errorf("rule %s: %w", r.Name, err)
	}
	r.Conditions = conds
	if err := r.bind(m[3], m[4]); err != nil {
		return nil, fmt.Errorf("rule %s: %w", r.Name, err)
	}
	return r, nil
}

func holdsRoot(pattern *expr.Node) bool {
	found := false
	expr.Walk(func(n *expr.Node) { found = found || n.Op == expr.Root }, pattern)
	return found
}

func parseConditions(text string) ([]Condition, error) {
	var out []Condition
	for _, c := range strings.Split(text, ",") {
		c = strings.TrimSpace(c)
		if c == "" {
			continue
		}
		name, rest, ok := strings.Cut(c, "(")
		if _, known := conditions[name]; !ok || !known || !strings.HasSuffix(rest, ")") {
			return nil, fmt.Errorf("unknown condition %q: conditions are %s, each of a variable of the left side", c,
				strings.Join(slices.Sorted(maps.Keys(conditions)), ", "))
		}
		out = append(out, Condition{Name: name, Var: strings.TrimSuffix(rest, ")")})
	}
	return out, nil
}

// bind builds the pattern as a graph of its own, so that it is in the same canonical form as what it is matched with.
func (r *Rule) bind(lhs, rhs string) error {
	left, errs := syntax.Parse(lhs)
	if len(errs) > 0 {
		return fmt.Errorf("%s", errs[0].Msg)
	}
	right, errs := syntax.Parse(rhs)
	if len(errs) > 0 {
		return fmt.Errorf("%s", errs[0].Msg)
	}
	g := expr.NewGraph()
	names := map[string]*expr.Node{}
	for _, name := range variables(left) {
		names[name] = g.Sym(name, expr.Scalar, expr.In(r.knownRange(name)))
	}
	b := expr.Builder{G: g, Scope: expr.Scope{Names: names, What: "a rule"}}
	r.LHS, r.RHS = b.Build(left), right
	if r.LHS == nil {
		return fmt.Errorf("%s", b.Faults[0].Msg)
	}
	if r.LHS.Op == expr.Const || r.LHS.Op == expr.Sym {
		return fmt.Errorf("the pattern is %v: nothing to match", r.LHS)
	}
	if holdsRoot(r.LHS) {
		return fmt.Errorf("a root cannot be matched: its equation has an unknown of its own")
	}
	names[expr.Rows.String()] = g.Size(expr.Rows)
	after := b.Build(right)
	if after == nil {
		return fmt.Errorf("%s", b.Faults[0].Msg)
	}
	if !after.Type.SameCore(r.LHS.Type) || after.Type.Axes != r.LHS.Type.Axes {
		return fmt.Errorf("sides differ in type: %v and %v", r.LHS.Type, after.Type)
	}
	if r.Class != Stabilising && !r.Normalises && expr.TotalCost(after) >= expr.TotalCost(r.LHS) {
		return fmt.Errorf("does not lower the cost (%g to %g) and is not marked as one that normalises",
			expr.TotalCost(r.LHS), expr.TotalCost(after))
	}
	for _, c := range r.Conditions {
		if names[c.Var] == nil {
			return fmt.Errorf("condition on %q, which is not in the pattern", c.Var)
		}
	}
	return nil
}

// knownRange is what the conditions say of a variable, so that patterns such as x^0.5*x^0.5 are built as they will be met.
func (r *Rule) knownRange(name string) expr.Range {
	known := expr.Real
	for _, c := range r.Conditions {
		switch {
		case c.Var != name:
		case c.Name == "positive":
			known = known.Intersect(expr.Positive)
		case c.Name == "unit":
			known = known.Intersect(expr.Unit)
		case c.Name == "nonnegative":
			known = known.Intersect(expr.Nonnegative)
		}
	}
	return known
}

// variables lists the names in a formula, in order.
func variables(e syntax.Expr) []string {
	var names []string
	seen := map[string]bool{"pi": true}
	syntax.Walk(e, func(e syntax.Expr) bool {
		if n, ok := e.(*syntax.Name); ok && !seen[n.Name] {
			seen[n.Name] = true
			names = append(names, n.Name)
		}
		return true
	})
	return names
}

// holds reports whether the conditions are met.
func (r *Rule) holds(b bindings) bool {
	for _, c := range r.Conditions {
		if !conditions[c.Name](b[c.Var]) {
			return false
		}
	}
	return true
}
