package plan

import (
	"fmt"
	"strings"

	"github.com/sngdgen/sngdgen/expr"
)

// reserve keeps the names of inputs from being taken by others.
func (p *planner) reserve() {
	for _, in := range p.k.Inputs {
		p.taken[in.Name] = true
	}
}

// localName makes a name that is not in use: the hint, or t0, t1, ...
func (p *planner) localName(hint string) string {
	if hint == "" {
		hint = fmt.Sprintf("t%d", p.temps)
		p.temps++
	}
	name := hint
	for i := 2; p.taken[name] || Reserved[name]; i++ {
		name = fmt.Sprintf("%s_%d", strings.TrimRight(hint, "_"), i)
	}
	p.taken[name] = true
	return name
}

// sumName names a sum after the function that it sums.
func sumName(n *expr.Node) string {
	switch {
	case n.Op.Elementwise():
		return "sum" + camel(n.Op.Name)
	case n.Op == expr.Sym:
		return "sum" + camel(n.Name[strings.LastIndexByte(n.Name, '.')+1:])
	}
	return "sum"
}

// camel turns lgamma_diff into LgammaDiff.
func camel(s string) string {
	var b strings.Builder
	for _, word := range strings.Split(s, "_") {
		if word != "" {
			b.WriteString(strings.ToUpper(word[:1]) + word[1:])
		}
	}
	return b.String()
}

// Reserved are names that no local variable may have: Go's own, and those the emitted functions use.
var Reserved = func() map[string]bool {
	m := map[string]bool{}
	for _, name := range []string{
		"break", "case", "chan", "const", "continue", "default", "defer", "else", "fallthrough", "for", "func", "go",
		"goto", "if", "import", "interface", "map", "package", "range", "return", "select", "struct", "switch", "type",
		"var", "append", "any", "bool", "cap", "clear", "close", "complex", "copy", "delete", "error", "false", "float64",
		"imag", "int", "len", "make", "max", "min", "new", "nil", "panic", "print", "println", "real", "recover",
		"string", "true", "uint64", "iota", "math", "special", "runtime", "rand", "random", "solve", "context", "errors",
		"fmt", "testing", "p", "z", "v", "c", "u", "g", "h", "w", "xs", "ws", "i", "dst", "theta", "rng", "start", "end",
		"block", "weights", "weight", "mass", "mean", "square", "solver", "value", "slope",
	} {
		m[name] = true
	}
	return m
}()
