package syntax

import (
	"fmt"
	"slices"
	"strings"
)

// Limits that keep a hostile formula from exhausting the stack of whatever walks over its tree.
const (
	MaxText  = 1 << 16 // bytes of a formula
	MaxNodes = 1 << 13 // numbers, names, operators and calls of a formula
	MaxDepth = 200     // parentheses, calls, signs and powers inside each other
)

// Error is a fault in a formula or a type. Start and End are byte offsets into the text.
type Error struct {
	Start, End int
	Msg, Hint  string
}

// Error implements the error interface.
func (e Error) Error() string { return fmt.Sprintf("%d: %s", e.Start, e.Msg) }

// bad stands where an operand is missing or broken. It never leaves the package: a tree that holds one is not returned.
type bad struct{ span }

// Parse reads a formula. It returns a tree and no errors, or no tree and all errors that could be told apart, sorted
// by position.
func Parse(text string) (Expr, []Error) {
	if len(text) > MaxText {
		return nil, []Error{{Start: 0, End: len(text), Msg: fmt.Sprintf("formula of %d bytes is too long", len(text)),
			Hint: fmt.Sprintf("at most %d are read; name parts of it under let", MaxText)}}
	}
	p := &parser{text: text, what: "formula"}
	p.tokens = lex(text, &p.errs)
	if p.peek().kind == tokEOF && len(p.errs) == 0 {
		return nil, []Error{{Start: 0, End: len(text), Msg: "empty formula"}}
	}
	e := p.formula()
	if len(p.errs) > 0 {
		return nil, p.sorted()
	}
	return e, nil
}

// parser is a Pratt parser: one loop over infix operators, with binding powers as below.
type parser struct {
	text   string
	what   string // what the text is, in messages
	tokens []token
	pos    int
	depth  int
	nodes  int
	errs   []Error
	gaveUp bool // a limit was passed: say so once, and nothing else
}

// Binding powers. An operand parsed at a power takes in all operators that bind at least as tightly.
const (
	powSum     = 1 // + -
	powProduct = 2 // * / @
	powSign    = 3 // prefix -
	powPower   = 4 // ^, right associative
	powPostfix = 5 // ' and [...], the tightest: they are taken at once
)

// binding returns the binding power of an infix operator, or zero.
func binding(k kind) int {
	switch k {
	case '+', '-':
		return powSum
	case '*', '/', '@':
		return powProduct
	case '^':
		return powPower
	}
	return 0
}

func (p *parser) peek() token { return p.tokens[p.pos] }

// next returns the current token and moves on; the end of the text is never passed.
func (p *parser) next() token {
	t := p.tokens[p.pos]
	if t.kind != tokEOF {
		p.pos++
	}
	return t
}

// end returns the offset at which the last token that was taken ends.
func (p *parser) end() int {
	if p.pos == 0 {
		return 0
	}
	return p.tokens[p.pos-1].end
}

// from returns the span from a start to the last token that was taken.
func (p *parser) from(start int) span { return span{start, max(start, p.end())} }

// fail reports a fault at a token, unless the lexer has reported the token already.
func (p *parser) fail(t token, hint, format string, args ...any) {
	if t.kind == tokBad || p.gaveUp {
		return
	}
	p.errs = append(p.errs, Error{Start: t.start, End: t.end, Msg: fmt.Sprintf(format, args...), Hint: hint})
}

// giveUp reports that a limit was passed and skips the rest of the text.
func (p *parser) giveUp(format string, args ...any) Expr {
	t := p.peek()
	if !p.gaveUp {
		p.fail(t, "name parts of it under let", format, args...)
	}
	p.gaveUp = true
	p.pos = len(p.tokens) - 1
	return &bad{span{t.start, t.start}}
}

// sorted returns the errors by position, one at most at each position.
func (p *parser) sorted() []Error {
	slices.SortStableFunc(p.errs, func(a, b Error) int { return a.Start - b.Start })
	return slices.CompactFunc(p.errs, func(a, b Error) bool { return a.Start == b.Start })
}

// describe names a token in a message.
func (p *parser) describe(t token) string {
	switch t.kind {
	case tokEOF:
		return "the end of the " + p.what
	case tokNumber:
		return "number " + clip(p.text[t.start:t.end])
	}
	return fmt.Sprintf("%q", clip(p.text[t.start:t.end]))
}

// formula reads a whole text: an expression or one comparison. What is left over is reported, and read too.
func (p *parser) formula() Expr {
	e := p.comparison()
	for p.peek().kind != tokEOF {
		switch t := p.next(); t.kind {
		case ')':
			p.fail(t, "", `")" has no opening parenthesis`)
		case ']':
			p.fail(t, "", `"]" has no opening bracket`)
		case ':':
			p.fail(t, "x[2:4] are the entries 2, 3 and 4 of x", `unexpected ":" outside an index`)
		case ',':
			p.fail(t, "a formula is one expression", `unexpected "," outside a call`)
		case ';':
			p.fail(t, "a semicolon stands in calls such as normal.logpdf(x; mu, Sigma)", `unexpected ";" outside a call`)
		default:
			p.fail(t, "", "unexpected %s", p.describe(t))
		}
		if p.peek().startsOperand() || p.peek().kind == '-' {
			p.comparison()
		}
	}
	return e
}

// comparison reads an expression, or two with a comparison between them.
func (p *parser) comparison() Expr {
	start := p.peek().start
	x := p.expression(powSum)
	op := p.peek().comparison()
	if op == "" {
		return x
	}
	p.next()
	y := p.expression(powSum)
	for p.peek().comparison() != "" {
		p.fail(p.peek(), "write two comparisons", "a formula has one comparison only")
		p.next()
		y = p.expression(powSum)
	}
	return p.node(&Compare{p.from(start), op, x, y})
}

// expression reads operands joined by operators that bind at least as tightly as power.
func (p *parser) expression(power int) Expr {
	if p.depth >= MaxDepth {
		return p.giveUp("formula is nested more than %d deep", MaxDepth)
	}
	p.depth++
	defer func() { p.depth-- }()

	start := p.peek().start
	x := p.prefix()
	for {
		t := p.peek()
		switch b := binding(t.kind); {
		case t.kind == '\'':
			p.next()
			x = p.node(&Unary{p.from(start), '\'', x})
		case t.kind == '[':
			x = p.index(start, x)
		case b == 0 && t.startsOperand() && power <= powProduct:
			x = p.juxtaposed(start, x)
		case b == 0 || b < power:
			return x
		case b == powPower:
			p.next()
			y := p.expression(powPower) // groups to the right, and may have a sign
			x = p.node(&Binary{p.from(start), '^', x, y})
		default:
			p.next()
			y := p.expression(b + 1)
			x = p.node(&Binary{p.from(start), byte(t.kind), x, y})
		}
	}
}

// prefix reads an operand with the minus signs in front of it.
func (p *parser) prefix() Expr {
	t := p.peek()
	switch t.kind {
	case '-':
		p.next()
		x := p.expression(powSign)
		return p.node(&Unary{p.from(t.start), '-', x})
	case '+':
		p.fail(t, "leave it out", "there is no prefix +")
		p.next()
		return p.expression(powSign)
	}
	return p.primary()
}

// juxtaposed reports two operands without an operator between them, and reads them as a product.
func (p *parser) juxtaposed(start int, x Expr) Expr {
	left := p.tokens[max(p.pos-1, 0)]
	right := p.peek()
	hint := "* multiplies, a comma separates arguments"
	if left.kind == tokNumber && right.kind == tokName {
		hint = "write " + clip(p.text[left.start:left.end]+"*"+p.text[right.start:right.end])
	}
	p.fail(right, hint, "missing operator before %s", p.describe(right))
	y := p.expression(powProduct + 1)
	return p.node(&Binary{p.from(start), '*', x, y})
}

// primary reads a number, a name, a call or an expression in parentheses.
func (p *parser) primary() Expr {
	switch t := p.peek(); t.kind {
	case tokNumber:
		p.next()
		return p.node(&Number{span{t.start, t.end}, t.value, p.text[t.start:t.end]})
	case tokName:
		p.next()
		return p.name(t)
	case '(':
		p.next()
		return p.group(t)
	case '[':
		p.next()
		list := &List{Items: p.list(func() Expr { return p.expression(powSum) })}
		p.close(t)
		list.span = p.from(t.start)
		return p.node(list)
	default:
		return p.missing(t)
	}
}

// missing reports that an operand was expected and skips to where reading can go on.
func (p *parser) missing(t token) Expr {
	hint := ""
	if t.kind == ')' || t.kind == ']' || t.kind == ',' || t.kind == tokEOF {
		hint = p.missingHint()
	}
	p.fail(t, hint, "expected a number, a name or a parenthesis, not %s", p.describe(t))
	for depth := 0; ; p.next() {
		switch k := p.peek().kind; {
		case k == tokEOF, depth == 0 && (k == ')' || k == ']' || k == ',' || k == ';' || k == ':' || p.peek().comparison() != ""):
			return &bad{span{t.start, t.end}}
		case k == '(' || k == '[':
			depth++
		case k == ')' || k == ']':
			depth--
		}
	}
}

// missingHint says after what the operand is missing.
func (p *parser) missingHint() string {
	if p.pos == 0 {
		return ""
	}
	left := p.tokens[p.pos-1]
	if binding(left.kind) > 0 || left.comparison() != "" {
		return fmt.Sprintf("%s needs an operand on its right", p.describe(left))
	}
	return ""
}

// index reads what stands in brackets behind a value: one subscript, or two of a matrix.
func (p *parser) index(start int, x Expr) Expr {
	open := p.next()
	n := &Index{X: x, Subs: p.list(p.subscript)}
	p.close(open)
	n.span = p.from(start)
	return p.node(n)
}

// subscript reads a number, from:to, or : for all.
func (p *parser) subscript() Expr {
	start := p.peek().start
	if p.peek().kind == ':' {
		p.next()
		return p.node(&Slice{span: p.from(start)})
	}
	x := p.expression(powSum)
	if p.peek().kind != ':' {
		return x
	}
	p.next()
	return p.node(&Slice{p.from(start), x, p.expression(powSum)})
}

// group reads the rest of an expression in parentheses.
func (p *parser) group(open token) Expr {
	x := p.comparison()
	for k := p.peek().kind; k == ',' || k == ';'; k = p.peek().kind {
		p.fail(p.peek(), "a call needs the function's name in front", "unexpected %q outside a call", string(rune(k)))
		p.next()
		p.expression(powSum)
	}
	p.close(open)
	return x
}

// closing is the end of what an opening bracket begins.
var closing = map[kind]kind{'(': ')', '[': ']'}

// close takes the closing bracket of an opening one, or reports that there is none. What stands before it is skipped.
func (p *parser) close(open token) {
	want := closing[open.kind]
	if t := p.peek(); t.kind != want && t.kind != tokEOF {
		p.fail(t, "", `expected an operator, "," or %q, not %s`, string(rune(want)), p.describe(t))
		p.skip(want)
	}
	if p.peek().kind == tokEOF {
		p.fail(open, "", `%q is never closed`, string(rune(open.kind)))
		return
	}
	p.next()
}

// skip moves on to the bracket that closes the current one, or to the end.
func (p *parser) skip(want kind) {
	for depth := 0; p.peek().kind != tokEOF; p.next() {
		switch k := p.peek().kind; {
		case k == '(' || k == '[':
			depth++
		case depth == 0 && k == want:
			return
		case k == ')' || k == ']':
			depth--
		}
	}
}

// name reads what follows a name: the arguments of a call, or nothing.
func (p *parser) name(t token) Expr {
	text := p.text[t.start:t.end]
	if p.peek().kind == '(' {
		return p.call(t, text)
	}
	if strings.Contains(text, ".") {
		p.fail(t, "write "+clip(text)+"(...)", "dotted name %q stands only in a call", clip(text))
	}
	return p.node(&Name{span{t.start, t.end}, text})
}

// call reads the arguments of a call, and its parameters after a semicolon.
func (p *parser) call(t token, fun string) Expr {
	if strings.Count(fun, ".") > 1 {
		p.fail(t, "", "name %q has more than one dot", clip(fun))
	}
	open := p.next()
	c := &Call{Fun: fun, FunStart: t.start}
	if p.peek().kind != ')' {
		c.Args = p.list(p.argument)
	}
	if p.peek().kind == ';' {
		p.next()
		c.Params = p.list(p.parameter)
	}
	if p.peek().kind == ';' {
		p.fail(p.peek(), "", "a call has one semicolon only")
		p.next()
		p.list(p.parameter)
	}
	p.close(open)
	c.span = p.from(t.start)
	return p.node(c)
}

// argument reads an argument of a call: an expression, a comparison, or a name with what it goes through.
func (p *parser) argument() Expr {
	name, word := p.peek(), p.tokens[min(p.pos+1, len(p.tokens)-1)]
	if name.kind != tokName || word.kind != tokName {
		return p.comparison()
	}
	over := map[string]func() Expr{"in": p.over, "from": p.onward}[p.text[word.start:word.end]]
	if over == nil {
		return p.comparison()
	}
	p.next()
	p.next()
	e := &In{Name: &Name{span{name.start, name.end}, p.text[name.start:name.end]}}
	e.Over = over()
	if failed, ok := e.Over.(*bad); ok {
		return failed
	}
	e.span = p.from(name.start)
	return p.node(e)
}

// over reads a range or an interval.
func (p *parser) over() Expr {
	start := p.peek().start
	if p.isInterval() {
		open := p.next()
		ends := p.list(func() Expr { return p.expression(powSum) })
		p.close(open)
		if len(ends) != 2 {
			p.fail(open, "write u in (a, b)", "an interval has 2 ends, not %d", len(ends))
			return &bad{p.from(start)}
		}
		return &Interval{p.from(start), ends[0], ends[1]}
	}
	from := p.expression(powSum)
	if p.peek().kind != ':' {
		p.fail(p.peek(), "write j in 1:m, or u in (a, b)", "expected a range, not %s", p.describe(p.peek()))
		return &bad{p.from(start)}
	}
	p.next()
	to := p.expression(powSum)
	return &Slice{p.from(start), from, to}
}

// isInterval looks ahead, up to where the parenthesis that comes next is closed, for a comma in it.
func (p *parser) isInterval() bool {
	depth := 0
	for _, t := range p.tokens[p.pos:] {
		switch t.kind {
		case '(', '[':
			depth++
		case ')', ']':
			depth--
		case ',':
			if depth == 1 {
				return p.peek().kind == '('
			}
		}
		if depth <= 0 {
			return false
		}
	}
	return false
}

// onward reads where whole numbers begin.
func (p *parser) onward() Expr {
	start := p.peek().start
	from := p.expression(powSum)
	return &Onward{p.from(start), from}
}

// parameter reads a parameter after the semicolon of a call.
func (p *parser) parameter() Expr {
	x := p.expression(powSum)
	for p.peek().comparison() != "" {
		p.fail(p.peek(), "give the values alone, in the order of the declaration", "unexpected %s after a parameter",
			p.describe(p.peek()))
		p.next()
		p.expression(powSum)
	}
	return x
}

// list reads items with commas between them.
func (p *parser) list(item func() Expr) []Expr {
	items := []Expr{item()}
	for p.peek().kind == ',' {
		p.next()
		items = append(items, item())
	}
	return items
}

// node counts a node and returns it.
func (p *parser) node(e Expr) Expr {
	if p.nodes++; p.nodes > MaxNodes {
		return p.giveUp("formula has more than %d operations", MaxNodes)
	}
	return e
}
