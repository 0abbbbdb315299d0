package emit

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/gen/plan"
)

// Precedences of Go's operators, as far as they are used.
const (
	additive = iota + 1
	multiplicative
	unary
	primary
)

// module is the import path of what generated code links against.
const (
	module         = "github.com/sngdgen/sngdgen/runtime"
	estimateModule = module + "/estimate"
)

// packages maps the package names in the table of functions to import paths.
var packages = map[string]string{"math": "math", "special": module + "/special"}

// printer writes expressions. jennifer adds no parentheses, and cannot print infinities or NaN: both are handled here
// and nowhere else.
type printer struct {
	named    plan.Named
	defs     map[*expr.Node]*expr.Node   // symbols that have no name of their own are written out
	prepared map[plan.PreparedKey]string // what functions are prepared for
	// solver names the functions that solve equations.
	solver func(*expr.Lambda) string
}

// code is an expression with the precedence of its outermost operator.
type code struct {
	*jen.Statement
	prec int
}

// scaled writes factor*n, or factor/d where n is 1/d. Products associate to the left, so that a product needs no
// parentheses here.
func (w printer) scaled(factor *jen.Statement, n *expr.Node) code {
	if _, ok := w.named[n]; !ok && n.Op == expr.Prod {
		return w.quotient([]*jen.Statement{factor}, n)
	}
	return code{factor.Op("*").Add(w.expr(n).at(unary)), multiplicative}
}

// at returns the expression, in parentheses when it binds less tightly than min.
func (c code) at(min int) *jen.Statement {
	if c.prec < min {
		return jen.Parens(c.Statement)
	}
	return c.Statement
}

// expr writes a node as an expression.
func (w printer) expr(n *expr.Node) code {
	if name, ok := w.named[n]; ok {
		return code{jen.Id(name), primary}
	}
	switch n.Op {
	case expr.Const:
		return number(n.Const)
	case expr.Sym:
		if d, ok := w.defs[n]; ok {
			return w.expr(d)
		}
		panic("emit: symbol without a name: " + n.Name)
	case expr.Lin:
		return w.lin(n)
	case expr.Prod:
		return w.prod(n)
	case expr.Pow:
		return code{jen.Qual("math", "Pow").Call(w.expr(n.Args[0]).Statement, w.expr(n.Args[1]).Statement), primary}
	case expr.Root:
		args := make([]jen.Code, len(n.Args))
		for i, a := range n.Args {
			args[i] = w.expr(a).Statement
		}
		return code{jen.Id(w.solver(n.Fn)).Call(args...), primary}
	}
	if !n.Op.Elementwise() {
		panic(plan.Unsupported(n.Op.Name + " inside a formula of numbers: " + n.String()))
	}
	return code{w.call(n.Op.Name, n.Op.Go, n), primary}
}

// call writes package.Function(operands), or <prepared>.Method(<other operands>) where one operand has been prepared for. The
// function is named as in the table of preparations.
func (w printer) call(name, goName string, n *expr.Node) *jen.Statement {
	args := n.Args
	callee := (*jen.Statement)(nil)
	if p, ok := expr.Preparation(n.Op); ok && p.Methods[name] != "" {
		if made := w.prepared[plan.PreparedKey{Type: p.Type, Operand: args[p.Operand]}]; made != "" {
			callee = jen.Id(made).Dot(p.Methods[name])
			args = slices.Delete(slices.Clone(args), p.Operand, p.Operand+1)
		}
	}
	if callee == nil {
		pkg, fn, _ := strings.Cut(goName, ".")
		callee = jen.Qual(packages[pkg], fn)
	}
	list := make([]jen.Code, len(args))
	for i, a := range args {
		list[i] = w.expr(a).Statement
	}
	return callee.Call(list...)
}

// number writes a constant so that it reads back as the same float64.
func number(v float64) code {
	switch {
	case math.IsNaN(v):
		return code{jen.Qual("math", "NaN").Call(), primary}
	case math.IsInf(v, 0):
		return code{jen.Qual("math", "Inf").Call(jen.Id(strconv.Itoa(int(math.Copysign(1, v))))), primary}
	}
	s := strconv.FormatFloat(v, 'g', -1, 64)
	if v < 0 {
		return code{jen.Id(s), unary}
	}
	return code{jen.Id(s), primary}
}

// typed writes a constant that is a float64 also where nothing around it says so.
func (w printer) typed(n *expr.Node) *jen.Statement {
	if n.Op == expr.Const && n.Const == math.Trunc(n.Const) && math.Abs(n.Const) < 1e15 {
		return jen.Id(strconv.FormatFloat(n.Const, 'f', 1, 64))
	}
	return w.expr(n).Statement
}

// lin writes constant + sum of coefficient*operand, a positive term first where there is one.
func (w printer) lin(n *expr.Node) code {
	type term struct {
		coef float64
		node *expr.Node // nil for the constant
	}
	var terms []term
	for i, a := range n.Args {
		terms = append(terms, term{n.Coefs[i], a})
	}
	if n.Const != 0 {
		terms = append(terms, term{n.Const, nil})
	}
	for i, t := range terms { // bring the first positive term to the front
		if t.coef > 0 {
			copy(terms[1:i+1], terms[:i])
			terms[0] = t
			break
		}
	}
	out := jen.Null()
	for i, t := range terms {
		abs := math.Abs(t.coef)
		switch {
		case i > 0 && t.coef < 0:
			out = out.Op("-")
		case i > 0:
			out = out.Op("+")
		case t.coef < 0:
			out = jen.Op("-")
		}
		switch {
		case t.node == nil:
			out = out.Add(number(abs).Statement)
		case abs == 1:
			out = out.Add(w.expr(t.node).at(multiplicative))
		default:
			out = out.Add(w.scaled(number(abs).Statement, t.node).Statement)
		}
	}
	prec := additive
	switch {
	case len(terms) == 1 && terms[0].coef < 0:
		prec = multiplicative
		if terms[0].coef == -1 && terms[0].node != nil {
			inner := w.expr(terms[0].node)
			prec = min(max(inner.prec, multiplicative), unary) // -a*b is -(a*b), digit for digit
			out = jen.Op("-").Add(inner.at(multiplicative))
		}
	case len(terms) == 1:
		prec = multiplicative
	}
	return code{out, prec}
}

// prod writes a quotient of products: one division, whatever the number of negative powers.
func (w printer) prod(n *expr.Node) code { return w.quotient(nil, n) }

// quotient is prod with factors in front.
func (w printer) quotient(num []*jen.Statement, n *expr.Node) code {
	var den []*jen.Statement
	for i, a := range n.Args {
		factors := w.factors(a, math.Abs(n.Coefs[i]))
		if n.Coefs[i] < 0 {
			den = append(den, factors...)
		} else {
			num = append(num, factors...)
		}
	}
	if len(num) == 0 {
		num = append(num, jen.Id("1"))
	}
	out := product(num)
	switch len(den) {
	case 0:
		if len(num) == 1 {
			return code{out, unary}
		}
	case 1:
		out = out.Op("/").Add(den[0])
	default:
		out = out.Op("/").Parens(product(den))
	}
	return code{out, multiplicative}
}

func product(factors []*jen.Statement) *jen.Statement {
	out := jen.Add(factors[0])
	for _, f := range factors[1:] {
		out = out.Op("*").Add(f)
	}
	return out
}

// factors writes a^e for e > 0: small whole powers as products, halves by a square root.
func (w printer) factors(a *expr.Node, e float64) []*jen.Statement {
	base := w.expr(a)
	whole := math.Trunc(e)
	switch {
	case plan.Repeats(e) == 1 && e != 1 && e != 0.5:
		return []*jen.Statement{jen.Qual("math", "Pow").Call(base.Statement, number(e).Statement)}
	case e == whole:
		return repeat(base.at(unary), int(whole))
	}
	return append(repeat(base.at(unary), int(whole)), jen.Qual("math", "Sqrt").Call(base.Statement))
}

func repeat(s *jen.Statement, n int) []*jen.Statement {
	out := make([]*jen.Statement, n)
	for i := range out {
		out[i] = s.Clone()
	}
	return out
}

// solverName is the name of the function that solves the equations: root and the name of the (first) unknown, with a number
// where several have the same.
func (f *file) solverName(fn *expr.Lambda) string {
	if name := f.solverNames[fn]; name != "" {
		return name
	}
	unknown, _, _ := strings.Cut(fn.Vars[0].Name, "$")
	first := "root" + exported(unknown)
	name := first
	for i := 2; slices.Contains(slices.Collect(maps.Values(f.solverNames)), name); i++ {
		name = fmt.Sprintf("%s_%d", first, i)
	}
	f.solverNames[fn] = name
	return name
}

// exported turns a name of a spec into an exported Go name.
func exported(name string) string {
	return strings.ToUpper(name[:1]) + name[1:]
}

// outside writes the condition that a value is not in a range; NaN is never in, and an unbounded range holds finite
// numbers only. (Where only the lower end is missing, another condition bounds the value: conditions such as beta < 1
// narrow a declared type.)
func outside(x code, r expr.Range) *jen.Statement {
	var tests []jen.Code
	test := func(op string, end *jen.Statement) { tests = append(tests, x.at(unary).Clone().Op(op).Add(end)) }
	maxFloat := jen.Qual("math", "MaxFloat64")
	switch {
	case r == expr.Real:
		return jen.Op("!").Parens(jen.Qual("math", "Abs").Call(x.Statement).Op("<=").Add(maxFloat))
	case math.IsInf(r.Lo, -1):
	case r.LoOpen:
		test(">", number(r.Lo).Statement)
	default:
		test(">=", number(r.Lo).Statement)
	}
	switch {
	case math.IsInf(r.Hi, 1):
		test("<=", maxFloat)
	case r.HiOpen:
		test("<", number(r.Hi).Statement)
	default:
		test("<=", number(r.Hi).Statement)
	}
	out := jen.Add(tests[0])
	for _, t := range tests[1:] {
		out = out.Op("&&").Add(t)
	}
	return jen.Op("!").Parens(out)
}
