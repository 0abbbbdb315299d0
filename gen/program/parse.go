package program

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/sngdgen/sngdgen/expr"
)

// Parse reads the text of a program, as String writes it. What the text does not have is made up: functions that solve equations
// are known by their unknowns alone. A name that nothing declares is read as a place that nothing declares, which the verifier
// finds; so is what else is wrong with a program that can be read. The error is a *SyntaxError.
func Parse(text string) (p *Program, err error) {
	r := &reader{tokens: lex(text), program: &Program{}, given: map[string]*Place{}, unknown: map[string]*Place{}, own: map[string]*Place{},
		graph: expr.NewGraph(), prepared: map[string]*Place{}}
	r.scopes = []map[string]*Place{{}}
	defer func() {
		switch e := recover().(type) {
		case nil:
		case *SyntaxError:
			p, err = nil, e
		default:
			panic(e)
		}
	}()
	r.head()
	r.program.Body = r.statements()
	if t := r.peek(); t.kind != endOfText {
		r.fail(t, "%v outside of everything", t)
	}
	return r.program, nil
}

// deepest is how deep formulas and loops may be nested.
const deepest = 1000

// reader reads a program.
type reader struct {
	tokens  []token
	at      int
	depth   int
	program *Program
	graph   *expr.Graph
	scopes  []map[string]*Place // what has been declared, inner loops last
	given   map[string]*Place   // what the program is given, by its text
	unknown map[string]*Place   // what nothing has declared yet
	own     map[string]*Place   // what loops over the components have declared
	passes  []*pass             // those that one is in
	// prepared are the places of what has been prepared, by name, type and slot.
	prepared map[string]*Place
}

// pass is a pass over the rows, with the sums of its loops.
type pass struct {
	sums  []*Sum
	names map[string]*Place
}

func (r *reader) fail(t token, format string, args ...any) {
	panic(&SyntaxError{t.line, t.column, fmt.Sprintf(format, args...)})
}

func (r *reader) peek() token { return r.tokens[r.at] }

// after is the token so many places on.
func (r *reader) after(n int) token { return r.tokens[min(r.at+n, len(r.tokens)-1)] }

func (r *reader) next() token {
	t := r.peek()
	if t.kind != endOfText {
		r.at++
	}
	return t
}

// take reads a word or a symbol if it is there.
func (r *reader) take(text string) bool {
	if r.peek().is(text) {
		r.at++
		return true
	}
	return false
}

// takeAll reads words and symbols if they are there.
func (r *reader) takeAll(texts ...string) bool {
	for i, text := range texts {
		if !r.after(i).is(text) {
			return false
		}
	}
	r.at += len(texts)
	return true
}

func (r *reader) want(texts ...string) {
	for _, text := range texts {
		if t := r.next(); !t.is(text) {
			r.fail(t, "%q belongs here, not %v", text, t)
		}
	}
}

// name reads a name without dots.
func (r *reader) name() string {
	t := r.next()
	if t.kind != word || strings.Contains(t.text, ".") {
		r.fail(t, "a name belongs here, not %v", t)
	}
	return t.text
}

// whole reads a whole number that is not negative.
func (r *reader) whole() int {
	t := r.next()
	n, err := strconv.Atoi(t.text)
	if t.kind != digits || err != nil {
		r.fail(t, "a whole number belongs here, not %v", t)
	}
	return n
}

// line reads the end of a line.
func (r *reader) line() {
	if t := r.next(); t.kind != endOfLine && t.kind != endOfText {
		r.fail(t, "nothing belongs here any more, but there is %v", t)
	}
}

// deeper reads something nested.
func (r *reader) deeper(read func()) {
	if r.depth++; r.depth > deepest {
		r.fail(r.peek(), "nested more than %d deep", deepest)
	}
	read()
	r.depth--
}

// list reads things with commas between them.
func list[T any](r *reader, read func() T) []T {
	out := []T{read()}
	for r.take(",") {
		out = append(out, read())
	}
	return out
}

// head reads what stands before the statements.
func (r *reader) head() {
	if r.takeAll("for", "one", "of") {
		r.program.OfComponent = true
		r.components()
	} else if r.peek().is("for") && r.after(2).is("components") {
		r.next()
		r.components()
	}
	if r.peek().is("given") && r.after(1).kind == word {
		r.next()
		for _, p := range list(r, r.declaration) {
			r.given[p.Name] = p
		}
		r.line()
	}
	if r.peek().is("slots") && r.after(1).kind == digits {
		r.next()
		r.program.Slots = list(r, func() Slots {
			n := r.whole()
			r.want("of")
			return Slots{r.shape(), n}
		})
		r.line()
	}
}

func (r *reader) components() {
	r.program.Components = r.dim()
	r.want("components")
	r.line()
}

// declaration reads a place with its shape: what is given has dots in its name or not.
func (r *reader) declaration() *Place {
	t := r.next()
	if t.kind != word {
		r.fail(t, "a name belongs here, not %v", t)
	}
	p := &Place{Name: t.text}
	if r.take("=") {
		r.want("[")
		p.Given = Table(t.text, list(r, func() float64 {
			if r.take("-") {
				return -r.constant()
			}
			return r.constant()
		}))
		p.Shape.Dims = []expr.Dim{{Size: len(p.Given.Table)}}
		r.want("]")
		return p
	}
	if r.peek().is("[") {
		p.Shape = r.shape()
	}
	owner, name, dotted := strings.Cut(t.text, ".")
	if p.Given = Argument(t.text); dotted {
		p.Given = Field(owner, name)
	}
	p.Given.Lower = r.take("lower")
	return p
}

// dim reads a length.
func (r *reader) dim() expr.Dim {
	if r.peek().kind == digits {
		return expr.Dim{Size: r.whole()}
	}
	return expr.Dim{Name: r.name()}
}

// shape reads the lengths of an array.
func (r *reader) shape() Shape {
	var s Shape
	t := r.peek()
	r.want("[")
	if s.Stacked = r.take("components"); s.Stacked && !r.peek().is("]") {
		r.want(",")
	}
	if s.Block = r.take("rows"); s.Block && !r.peek().is("]") {
		r.want(",")
	}
	if !r.peek().is("]") {
		if s.Dims = list(r, r.dim); len(s.Dims) > 2 {
			r.fail(t, "%d dimensions, where there are two at most", len(s.Dims))
		}
	}
	r.want("]")
	s.Inside = r.takeAll("of", "a", "component")
	s.Here = r.takeAll("of", "a", "row")
	return s
}

// declare makes a place known, from here to the end of the loop. What is declared twice is one place.
func (r *reader) declare(name string, s Shape) *Place {
	p := r.scopes[len(r.scopes)-1][name]
	if p == nil {
		p = r.unknown[name]
	}
	if p == nil {
		p = &Place{Name: name}
	}
	delete(r.unknown, name)
	p.Shape = s
	r.scopes[len(r.scopes)-1][name] = p
	return p
}

// number declares that of a number, nil for "_".
func (r *reader) number() *Place {
	if name := r.name(); name != "_" {
		return r.declare(name, Shape{})
	}
	return nil
}

// place is the one that a name means here: of the program, of the sums of a pass, given, or one that nothing declares.
func (r *reader) place(name string) *Place {
	for _, scope := range slices.Backward(r.scopes) {
		if p := scope[name]; p != nil {
			return p
		}
	}
	for _, in := range r.passes {
		if p := in.names[name]; p != nil {
			return p
		}
	}
	if p := r.given[name]; p != nil {
		return p
	}
	if name == Weights.Name {
		return Weights
	}
	if p := r.own[name]; p != nil {
		return p
	}
	if r.unknown[name] == nil {
		r.unknown[name] = &Place{Name: name}
	}
	return r.unknown[name]
}

// known reports whether a name has been declared, or is that of something given as a whole.
func (r *reader) known(name string) bool {
	p := r.place(name)
	return r.unknown[name] != p
}

// inside reads what is in a loop: what it declares is not known after it.
func (r *reader) inside(read func()) {
	r.want("{")
	r.line()
	r.scopes = append(r.scopes, map[string]*Place{})
	r.deeper(read)
	r.scopes = r.scopes[:len(r.scopes)-1]
	r.want("}")
	r.line()
}
