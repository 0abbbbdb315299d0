package emit

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/dave/jennifer/jen"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/gen/plan"
	"github.com/sngdgen/sngdgen/gen/program"
)

// Functions of a package begin with the same work: a factor of the same matrix, the same moments of the data. Programs stay as they are, and
// are run as they are; where they are printed, statements that several of them have in common are a method of their own. So are stages of
// functions that would be too long to be read.

// deferred is a program that is printed when all are known.
type deferred struct {
	body
	prog *program.Program
	head *jen.Statement // the lengths that it uses
	code *jen.Statement
	text []sentence // of each statement
	// calls are the stages that are methods of their own, by the statement with which they begin.
	calls map[int]*stage
	taken []bool // statements that are in one
	lives []life
	known []*facts // of each statement
	// prepared are the types of prepared functions.
	prepared map[*program.Place]string
}

// sentence is the text of a statement, in words: what has a name in the program is marked.
type sentence struct {
	words []string
	place []bool
	lines int
	shape string // the text without names
}

// stage is a run of statements that is a method.
type stage struct {
	name      string
	from, to  int // statements of the deferred program that has it first
	of        *deferred
	users     []string
	in, out   []*program.Place // numbers and arrays
	arguments []string         // of the function, as they are given
	numbers   []bool           // which of them are numbers
	passed    []string         // what goes in, in this order
	fails     bool
}

// hot reports whether a function is called at every step. Such functions are stages of their own only where they are long: numbers that come out
// of a call are in memory, which costs loops over the rows up to a tenth of their time.
func (d *deferred) hot() bool {
	switch d.prog.Name {
	case "Gradients", "NaturalGradient", "Loss", "ExactGradients", "ExactLoss":
		return true
	}
	return false
}

// postpone returns the place where statements will stand.
func (f *file) postpone(b body) []jen.Code {
	d := &deferred{body: b, prog: b.prog, head: jen.Null(), code: jen.Null(), calls: map[int]*stage{}, prepared: map[*program.Place]string{}}
	f.deferred = append(f.deferred, d)
	return []jen.Code{d.head, d.code}
}

// flush prints what has been postponed.
func (f *file) flush() {
	f.deferring = false
	f.share()
	for _, d := range f.deferred {
		put(d.code, d.print())
		unknown := func(dim expr.Dim) bool { return !d.used[plan.DimName(dim)] }
		put(d.head, declareLengths(slices.DeleteFunc(slices.Clone(f.Dims), unknown)))
	}
	f.deferred = nil
}

// put has statements printed where there was nothing.
func put(where *jen.Statement, list []jen.Code) {
	for i, c := range list {
		if i > 0 {
			where.Line()
		}
		where.Add(c)
	}
}

// print writes the statements, and calls of stages.
func (d *deferred) print() []jen.Code {
	var out []jen.Code
	from := 0
	for i := 0; i <= len(d.prog.Body); i++ {
		s := d.calls[i]
		if s == nil && i < len(d.prog.Body) {
			continue
		}
		out = append(out, d.stmts(d.prog.Body[from:i])...)
		if s != nil {
			out = append(out, d.call(s, i)...)
			i += s.to - s.from
			from, i = i, i-1
		}
	}
	return out
}

// call writes the call of a stage that begins with statement i, under the names that the program has.
func (d *deferred) call(s *stage, i int) []jen.Code {
	names := d.renamed(s, i)
	var args, results []jen.Code
	for _, name := range s.passed {
		args = append(args, jen.Id(cmp.Or(names[name], name)))
	}
	later, new := d.later(s, i), s.fails
	for _, p := range s.out {
		name := names[p.Name]
		if !later[name] {
			name = "_"
		}
		results, new = append(results, jen.Id(name)), new || name != "_"
	}
	if s.fails {
		results = append(results, jen.Id("ok"))
	}
	call := jen.Id("p").Dot(s.name).Call(args...)
	switch {
	case len(results) > 0 && new:
		call = jen.List(results...).Op(":=").Add(call)
	case len(results) > 0:
		call = jen.List(results...).Op("=").Add(call)
	}
	var bound []program.Stmt // names for what is given, of which a stage has its own
	for k := range s.to - s.from {
		if b, ok := d.prog.Body[i+k].(*program.Bind); ok && later[b.To.Name] {
			bound = append(bound, b)
		}
	}
	return append(d.calling(s, call, len(results) == 1), d.stmts(bound)...)
}

// later are the names that statements behind a stage mention.
func (d *deferred) later(s *stage, i int) map[string]bool {
	out := map[string]bool{}
	program.Mentions(d.prog.Body[i+s.to-s.from:], func(p *program.Place) {
		if p.Given == nil {
			out[p.Name] = true
		}
	})
	return out
}

// calling is the call with what happens where the stage fails.
func (d *deferred) calling(s *stage, call *jen.Statement, alone bool) []jen.Code {
	if !s.fails {
		return one(call)
	}
	fail := d.indefinite
	if d.fail != nil {
		fail = one(d.fail(0))
	}
	if alone {
		return one(jen.If(call, jen.Op("!").Id("ok")).Block(fail...))
	}
	return []jen.Code{call, jen.If(jen.Op("!").Id("ok")).Block(fail...)}
}

// renamed are the names of a stage, which are those of the program that has it first, with those of a program that has it from
// statement i on.
func (d *deferred) renamed(s *stage, i int) map[string]string {
	out := map[string]string{}
	for k := range s.to - s.from {
		a, b := s.of.text[s.from+k], d.text[i+k]
		for w, word := range a.words {
			if a.place[w] {
				out[word] = b.words[w]
			}
		}
	}
	return out
}

// write declares the method of a stage.
func (f *file) write(s *stage) {
	b := s.of.body
	b.used = map[string]bool{}
	var results, zeros, values []jen.Code
	for _, p := range s.out {
		values = append(values, jen.Id(p.Name))
		switch t := s.of.prepared[p]; {
		case t != "":
			results, zeros = append(results, preparedPointer(t)), append(zeros, jen.Nil())
		case p.Shape.Number():
			results, zeros = append(results, jen.Float64()), append(zeros, jen.Lit(0))
		default:
			results, zeros = append(results, jen.Index().Float64()), append(zeros, jen.Nil())
		}
	}
	if s.fails {
		results, zeros, values = append(results, jen.Bool()), append(zeros, jen.False()), append(values, jen.True())
		b.fail = nil
		if s.of.fail != nil {
			b.fail = func(int) jen.Code { return jen.Return(zeros...) }
		}
		if len(s.of.indefinite) > 0 {
			b.indefinite = one(jen.Return(zeros...))
		}
	}
	var numbers, arrays []string
	sort := func(name string, number bool) {
		if number {
			numbers = append(numbers, name)
		} else {
			arrays = append(arrays, name)
		}
	}
	for i, a := range s.arguments {
		sort(a, s.numbers[i])
	}
	var params []jen.Code
	for _, p := range s.in {
		if t := s.of.prepared[p]; t != "" {
			s.passed, params = append(s.passed, p.Name), append(params, jen.Id(p.Name).Add(preparedPointer(t)))
			continue
		}
		sort(p.Name, p.Shape.Number())
	}
	s.passed = slices.Concat(s.passed, arrays, numbers)
	if len(arrays) > 0 {
		params = append(params, floats(arrays...))
	}
	if len(numbers) > 0 {
		params = append(params, scalars(numbers))
	}
	body := b.stmts(s.body())
	unknown := func(d expr.Dim) bool { return !b.used[plan.DimName(d)] }
	body = append(declareLengths(slices.DeleteFunc(slices.Clone(f.Dims), unknown)), body...)
	if len(values) > 0 {
		body = append(body, jen.Return(values...))
	}
	last := len(s.users) - 1
	about := s.name + " is a part of " + s.users[last]
	if last > 0 {
		about = s.name + " is a part of " + strings.Join(s.users[:last], ", ") + " and " + s.users[last]
	}
	if made := s.makes(); made != "" {
		about += ". It returns " + made
	}
	if s.fails {
		about += ", and false outside the domain"
	}
	f.decls = append(f.decls, jen.Add(comments(wrapped(about+".")), method(s.name).Params(params...).Params(results...).Block(body...)))
}

// preparedPointer is the type of functions that are prepared for an operand, as they are handed on.
func preparedPointer(typ string) *jen.Statement {
	return jen.Op("*").Qual(module+"/special", typ[strings.LastIndexByte(typ, '.')+1:])
}

// body are the statements of a stage, without names for what is given that only its callers use.
func (s *stage) body() []program.Stmt {
	var out []program.Stmt
	for _, f := range s.facts() {
		out = append(out, f.stmt)
	}
	return out
}

// makes lists what a stage computes for those who call it, with formulas.
func (s *stage) makes() string {
	var list []string
	for _, p := range s.out {
		switch {
		case p.About == "" || len(p.About) > 60:
			list = append(list, p.Name)
		default:
			list = append(list, p.Name+" = "+p.About)
		}
	}
	return strings.Join(list, ", ")
}

// wrapped breaks a comment into lines.
func wrapped(text string) string {
	var out strings.Builder
	width := 0
	for i, word := range strings.Fields(text) {
		if width += len(word) + 1; i > 0 && width > 115 {
			out.WriteByte('\n')
			width = len(word)
		} else if i > 0 {
			out.WriteByte(' ')
		}
		out.WriteString(word)
	}
	return out.String()
}

// read makes the sentences of a program.
func (d *deferred) read() {
	d.taken = make([]bool, len(d.prog.Body))
	names := map[string]bool{}
	note := func(p *program.Place) {
		if p != nil && p.Given == nil {
			names[p.Name] = true
		}
	}
	program.Walk(d.prog.Body, func(s program.Stmt) {
		for _, p := range program.Declares(s) {
			note(p)
		}
		if l, ok := s.(*program.Prepare); ok {
			d.prepared[l.To] = l.Type
		}
	})
	program.Mentions(d.prog.Body, note)
	for _, s := range d.prog.Body {
		text := program.Text(s)
		program.Functions(s, func(_ *expr.Op, fn *expr.Lambda) { text += fmt.Sprintf(" %p", fn) })
		d.text = append(d.text, sentenceOf(text+fieldsOf(s), names))
	}
}

// fieldsOf names the fields that passes in a statement read, which have other names in a program.
func fieldsOf(s program.Stmt) string {
	out := ""
	columns := func(list []program.Column) {
		for _, c := range list {
			out += fmt.Sprintf(" field_%s_", c.Field)
		}
	}
	program.Walk([]program.Stmt{s}, func(s program.Stmt) {
		switch s := s.(type) {
		case *program.Rows:
			columns(s.Columns)
		case *program.Blocks:
			columns(s.Columns)
		}
	})
	return out
}

func sentenceOf(text string, names map[string]bool) sentence {
	s := sentence{lines: max(1, strings.Count(text, "\n"))}
	var shape strings.Builder
	for len(text) > 0 {
		end := strings.IndexFunc(text, func(r rune) bool { return !isWord(r) })
		switch {
		case end < 0:
			end = len(text)
		case end == 0:
			if end = strings.IndexFunc(text, isWord); end < 0 {
				end = len(text)
			}
		}
		word := text[:end]
		isPlace := names[word]
		s.words, s.place, text = append(s.words, word), append(s.place, isPlace), text[end:]
		if isPlace {
			word = "$"
		}
		shape.WriteString(word)
	}
	s.shape = shape.String()
	return s
}

func isWord(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }

// same reports whether two runs of statements are the same but for names.
func same(a, b []sentence) bool {
	to, back := map[string]string{}, map[string]string{}
	for k := range a {
		if a[k].shape != b[k].shape {
			return false
		}
		for w, word := range a[k].words {
			other := b[k].words[w]
			if !a[k].place[w] {
				continue
			}
			if known, ok := to[word]; ok && known != other {
				return false
			}
			if known, ok := back[other]; ok && known != word {
				return false
			}
			to[word], back[other] = other, word
		}
	}
	return true
}
