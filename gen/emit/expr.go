package emit

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/gen/plan"
	"github.com/sngdgen/sngdgen/gen/program"
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

// printer writes formulas. jennifer adds no parentheses, and cannot print infinities or NaN: both are handled here and nowhere
// else.
type printer struct {
	// solver names the functions that solve equations.
	solver     func(*expr.Lambda) string
	components expr.Dim
	// used are the names of lengths and of indices that have been written, so that only these are declared.
	used map[string]bool
	// flat is whether one index, ij, goes through the entries of matrices in the order of memory.
	flat bool
	// columnsOfBlock are the columns of the model of which the pass that is being written mentions the rows of a block; nil outside of passes.
	columnsOfBlock map[string]*program.Place
}

// dim writes a length.
func (w printer) dim(d expr.Dim) string { return w.use(plan.DimName(d)) }

// use notes that a name has been written.
func (w printer) use(name string) string {
	if w.used != nil {
		w.used[name] = true
	}
	return name
}

// take reports whether a name has been written, and forgets it: what is around does not know it.
func (w printer) take(name string) bool {
	used := w.used[name]
	delete(w.used, name)
	return used
}

// ref writes a number, or an entry of an array.
func (w printer) ref(r program.Ref) *jen.Statement {
	name := jen.Id(r.Place.Name)
	if r.Place.Given != nil {
		name = jen.Id(w.given(r.Place.Given))
	}
	if len(r.At) == 0 {
		return name
	}
	if w.ofBlock(r) {
		name = jen.Id(w.columnOfBlock(r.Place))
	}
	if r.Gathers() {
		return jen.Qual(densePkg, entryFunc(r)).Call(append([]jen.Code{name}, w.place(r)...)...)
	}
	return name.Index(jen.Id(w.subscript(r)))
}

// ofBlock reports whether an entry is one of a column of the model for a row of the block that a pass is at.
func (w printer) ofBlock(r program.Ref) bool {
	g := r.Place.Given
	return w.columnsOfBlock != nil && g != nil && g.Owner != "" && g.Part == nil && r.At[0] == program.Over(program.Row) &&
		(len(r.At) == 1 || len(r.At) == 2 && r.At[1].Loop != program.Component)
}

// columnOfBlock is the name of what the rows of the block have of a column.
func (w printer) columnOfBlock(p *program.Place) string {
	w.columnsOfBlock[p.Given.Name] = p
	return "to" + exported(p.Given.Name)
}

// entryFunc is the function that reads an entry which is named by numbers in memory.
func entryFunc(r program.Ref) string {
	if len(r.At) == 1 {
		return "Entry"
	}
	return "Entry2"
}

// place writes the subscripts of such an entry, and how long a row is where there are rows.
func (w printer) place(r program.Ref) []jen.Code {
	var out []jen.Code
	if dims := r.Place.Shape.Dims; len(r.At) > 1 {
		out = append(out, jen.Id(w.dim(dims[len(dims)-1])))
	}
	for _, i := range r.At {
		out = append(out, jen.Id(w.index(i)))
	}
	return out
}

// subscript is the place of an entry in the memory of an array, where entries lie row by row. In a loop over the entries of the
// rows of a block, ij is the place in the block.
func (w printer) subscript(r program.Ref) string {
	if w.flat && len(r.At) == 2 {
		return w.use("ij")
	}
	first := w.index(r.At[0])
	if w.ofBlock(r) {
		first = w.use("i")
	}
	if len(r.At) == 1 {
		return first
	}
	dims, second := r.Place.Shape.Dims, r.At[1]
	if second.Loop == program.Component {
		return "(" + first + ")*" + w.dim(w.components) + "+" + w.use("comp")
	}
	d := dims[len(dims)-1]
	flat := ""
	switch {
	case r.Place.Shape.Block && second.Loop == program.J:
		flat = w.use("ij")
	case r.At[0].Loop == program.NoLoop && second.Loop == program.NoLoop && d.Name == "":
		flat = fmt.Sprint(r.At[0].At*d.Size + second.At)
	case r.At[0].Loop == program.Row:
		flat = w.use("i") + "*" + w.dim(d) + "+" + w.index(second)
	default:
		flat = first + "*" + w.dim(d) + "+" + w.index(second)
	}
	if r.At[0].Loop == program.Row && !w.ofBlock(r) {
		return "start*" + w.dim(d) + "+" + flat
	}
	return flat
}

// index writes a subscript.
func (w printer) index(i program.Index) string {
	if i.By != nil {
		if len(i.By.At) == 0 {
			return "int(" + i.By.Place.Name + ")-1"
		}
		return "int(" + i.By.Place.Name + "[" + w.subscript(*i.By) + "])-1"
	}
	switch i.Loop {
	case program.I:
		return w.use("i")
	case program.J:
		return w.use("j")
	case program.Row:
		return "start+" + w.use("i")
	case program.Component:
		return w.use("comp")
	case program.Here:
		return "row"
	}
	return fmt.Sprint(i.At)
}

// code is an expression with the precedence of its outermost operator.
type code struct {
	*jen.Statement
	prec int
}

// scaled writes factor*n, or factor/d where n is 1/d. Products associate to the left, so that a product needs no
// parentheses here.
func (w printer) scaled(factor *jen.Statement, e program.Expr) code {
	if n, ok := e.(*program.Apply); ok && n.Op == expr.Prod {
		return w.quotient([]*jen.Statement{factor}, n)
	}
	return code{factor.Op("*").Add(w.expr(e).at(unary)), multiplicative}
}

// at returns the expression, in parentheses when it binds less tightly than min.
func (c code) at(min int) *jen.Statement {
	if c.prec < min {
		return jen.Parens(c.Statement)
	}
	return c.Statement
}

// expr writes a formula.
func (w printer) expr(e program.Expr) code {
	switch e := e.(type) {
	case program.Number:
		return number(float64(e))
	case program.Ref:
		return code{w.ref(e), primary}
	case *program.Apply:
		return w.apply(e)
	}
	panic(fmt.Sprintf("emit: a formula of type %T", e))
}

func (w printer) apply(n *program.Apply) code {
	switch n.Op {
	case expr.Lin:
		return w.lin(n)
	case expr.Prod:
		return w.prod(n)
	case expr.Pow:
		return code{jen.Qual("math", "Pow").Call(w.list(n.Args)...), primary}
	case expr.Root:
		return code{jen.Id(w.solver(n.Fn)).Call(w.list(n.Args)...), primary}
	}
	return code{w.call(n.Op.Name, n.Op.Go, n), primary}
}

// list writes operands.
func (w printer) list(args []program.Expr) []jen.Code {
	out := make([]jen.Code, len(args))
	for i, a := range args {
		out[i] = w.expr(a).Statement
	}
	return out
}

// typedList is list for a function that need not take a constant for a float64.
func (w printer) typedList(args []program.Expr) []jen.Code {
	out := make([]jen.Code, len(args))
	for i, a := range args {
		out[i] = w.typed(a)
	}
	return out
}

// call writes package.Function(operands), or <prepared>.Method(<other operands>) where one operand has been prepared for. The
// function is named as in the table of preparations.
func (w printer) call(name, goName string, n *program.Apply) *jen.Statement {
	if n.Prepared != nil {
		p, _ := expr.Preparation(n.Op)
		others := slices.Delete(slices.Clone(n.Args), p.Operand, p.Operand+1)
		return jen.Id(n.Prepared.Name).Dot(p.Methods[name]).Call(w.list(others)...)
	}
	pkg, fn, _ := strings.Cut(goName, ".")
	if n.Op.InGo() {
		return jen.Qual(n.Op.Own.Import, fn).Call(w.typedList(n.Args)...)
	}
	return jen.Qual(packages[pkg], fn).Call(w.list(n.Args)...)
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
func (w printer) typed(e program.Expr) *jen.Statement {
	if v, ok := e.(program.Number); ok && float64(v) == math.Trunc(float64(v)) && math.Abs(float64(v)) < 1e15 {
		return jen.Id(strconv.FormatFloat(float64(v), 'f', 1, 64))
	}
	return w.expr(e).Statement
}

// lin writes constant + sum of coefficient*operand, a positive term first where there is one.
func (w printer) lin(n *program.Apply) code {
	type term struct {
		coef float64
		node program.Expr // nil for the constant
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
func (w printer) prod(n *program.Apply) code { return w.quotient(nil, n) }

// quotient is prod with factors in front.
func (w printer) quotient(num []*jen.Statement, n *program.Apply) code {
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
func (w printer) factors(a program.Expr, e float64) []*jen.Statement {
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
