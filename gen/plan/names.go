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
	for _, o := range p.k.Outputs {
		p.taken[o.To] = true
	}
	if p.k.Dims != nil {
		for name := range inLoops {
			p.taken[name] = true
		}
	}
	for _, d := range p.k.Dims {
		p.taken[DimName(d)] = true
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
		name = numbered(hint, i)
	}
	p.taken[name] = true
	return name
}

// numbered makes the i-th variant of a name: sum2, but m1_2.
func numbered(name string, i int) string {
	name = strings.TrimRight(name, "_")
	if last := name[len(name)-1]; '0' <= last && last <= '9' {
		name += "_"
	}
	return fmt.Sprintf("%s%d", name, i)
}

// sumName names a sum or a largest value after the function that it reduces.
func sumName(n *expr.Node) string {
	what, x := "sum", n.Args[0]
	if n.Op == expr.Max {
		what = "largest"
	}
	switch {
	case x.Op.Elementwise():
		return what + camel(x.Op.Name)
	case x.Op == expr.Sym:
		name, _, _ := strings.Cut(x.Name[strings.LastIndexByte(x.Name, '.')+1:], "$") // of a symbol that no formula can name
		return what + camel(name)
	}
	return what
}

// dataName names a number of the data stage after what it is, "" when it has no name that says enough.
func dataName(n *expr.Node) string {
	if n.Op == expr.Sum {
		if name := sumName(n); name != "sum" {
			return name
		}
	}
	if sum, ok := isMean(n); ok {
		if name := strings.TrimPrefix(sumName(sum), "sum"); name != "" {
			return "mean" + name
		}
	}
	if n.Op == expr.Prod && len(n.Args) == 1 && isCount(n.Args[0]) && n.Coefs[0] == -1 {
		return "perRow"
	}
	return ""
}

// isMean reports whether a node is a sum divided by the sum of the weights, and which.
func isMean(n *expr.Node) (sum *expr.Node, ok bool) {
	if n.Op != expr.Prod || len(n.Args) != 2 {
		return nil, false
	}
	for i, a := range n.Args {
		if a.Op == expr.Sum && n.Coefs[i] == 1 && isCount(n.Args[1-i]) && n.Coefs[1-i] == -1 {
			return a, true
		}
	}
	return nil, false
}

func isCount(n *expr.Node) bool { return n.Op == expr.Sym && n.Name == expr.Rows.String() }

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
		"block", "weights", "weight", "row", "mass", "mean", "square", "solver", "value", "slope",
	} {
		m[name] = true
	}
	return m
}()

// DimName is the local variable that holds the length of a dimension, or the number of one that is pinned.
func DimName(d expr.Dim) string {
	if d.Name == "" || !Reserved[d.Name] && !inLoops[d.Name] {
		return d.String()
	}
	return d.Name + "_"
}

// inLoops are names that loops over vectors and matrices use besides those that are reserved everywhere.
var inLoops = map[string]bool{"b": true, "j": true, "ij": true, "comp": true, "dense": true}

// Safe is a local name for a value that is neither a word of Go nor a name that emitted functions use. Where there are
// vectors and matrices some more are in use, and those of the dimensions.
func Safe(name string, dims []expr.Dim) string {
	taken := Reserved[name]
	for _, d := range dims {
		taken = taken || inLoops[name] || name == DimName(d)
	}
	if taken {
		return name + "_"
	}
	return name
}
