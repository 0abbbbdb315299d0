package program

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sngdgen/sngdgen/expr"
)

// statements reads statements up to the end of a loop or of the text.
func (r *reader) statements() []Stmt {
	var out []Stmt
	for !r.closes() {
		out = append(out, r.statement())
	}
	return out
}

// closes reports whether a list of statements ends here.
func (r *reader) closes() bool { return r.peek().kind == endOfText || r.peek().is("}") }

// statement reads one. A word that begins statements is the name of a place where what follows says so.
func (r *reader) statement() Stmt {
	t, follows := r.peek(), r.after(1)
	if follows.is("=") || follows.is("+=") || follows.is("[") || follows.is(",") || t.is("_") {
		return r.assignment()
	}
	switch t.text {
	case "for", "do":
		r.next()
		return r.loop(t)
	case "stage":
		r.next()
		return r.stage()
	case "sum", "largest", "total":
		r.fail(t, "what is added up over rows or entries stands at the end of a loop")
	}
	read, ok := map[string]func() Stmt{"name": r.bind, "fill": r.bind, "solve": r.solve, "check": r.check, "return": r.returned, "result": r.result,
		"memory": r.memory, "prepare": r.prepare, "prepared": r.prepare, "evaluate": r.evaluate, "zero": r.zero}[t.text]
	if !ok || t.kind != word {
		if t.kind == word && follows.is("(") {
			read = func() Stmt { return r.call(false) }
		} else {
			r.fail(t, "no statement begins with %v", t)
		}
	} else {
		r.next()
	}
	s := read()
	r.line()
	return s
}

func (r *reader) bind() Stmt {
	s := &Bind{Out: r.tokens[r.at-1].text == "fill"}
	name, shape := r.name(), Shape{}
	if r.peek().is("[") {
		shape = r.shape()
	}
	r.want("=")
	if t := r.peek(); r.after(1).is("[") && (r.after(2).is("component") || r.after(2).is("here")) && r.after(3).is("]") {
		s.Own = r.place(t.text)
		r.at += 4
	} else {
		s.From = r.givenText().Given
	}
	s.To = r.declare(name, shape)
	return s
}

func (r *reader) result() Stmt {
	name := r.name()
	r.want("=")
	value := r.formula()
	return &Let{To: r.declare(name, Shape{}), Value: value, Out: true}
}

func (r *reader) returned() Stmt { return &Return{Value: r.formula()} }

func (r *reader) zero() Stmt { return &Zero{To: r.number()} }

func (r *reader) memory() Stmt {
	name := r.name()
	shape := r.shape()
	r.want(",", "slot")
	return &Buffer{To: r.declare(name, shape), Slot: r.whole()}
}

func (r *reader) evaluate() Stmt {
	r.want("the", "model", ":")
	s := &Evaluate{Values: r.take("values")}
	if s.Gradients = s.Values && r.take(",") || !s.Values; s.Gradients {
		r.want("gradients")
	}
	switch {
	case r.takeAll("of", "the", "estimated", "terms"):
		s.Terms = expr.EstimatedTerms
	case r.takeAll("by", "finer", "rules"):
		s.Terms = expr.FinerTerms
	}
	return s
}

func (r *reader) prepare() Stmt {
	s := &Prepare{View: r.tokens[r.at-1].text == "prepared"}
	name := r.name()
	r.want("=")
	s.Type = r.next().text
	if r.want("("); !s.View {
		s.Operand = r.formula()
	}
	r.want(")", ",", "slot")
	s.Slot = r.whole()
	s.Stacked = r.takeAll("of", "each", "component")
	if r.take(",") {
		r.want("for", "each", "of")
		s.Calls = []expr.Dim{r.dim()}
		for r.take("*") {
			s.Calls = append(s.Calls, r.dim())
		}
	}
	key := fmt.Sprint(name, s.Type, s.Slot)
	if s.View && r.prepared[key] != nil { // the same memory, seen from another loop
		s.To = r.prepared[key]
		r.scopes[len(r.scopes)-1][name] = s.To
		return s
	}
	s.To = r.declare(name, Shape{})
	r.prepared[key] = s.To
	return s
}

func (r *reader) solve() Stmt {
	s := &Solve{}
	names := list(r, r.name)
	r.want("=")
	t := r.next()
	s.Op = map[string]*expr.Op{expr.Root.Name: expr.Root, expr.Expectation.Name: expr.Expectation, expr.Series.Name: expr.Series}[t.text]
	if s.Op == nil {
		r.fail(t, "%v is nothing that solves equations", t)
	}
	unknown := r.unknownName()
	r.want("(")
	if !r.peek().is(")") {
		s.Args = list(r, r.operand)
	}
	r.want(")")
	s.Fn = &expr.Lambda{}
	for i, name := range names {
		var to *Place
		if name != "_" {
			if to = r.place(name); to.Shape.Number() {
				to = r.declare(name, Shape{})
			}
		}
		s.To = append(s.To, to)
		if i > 0 {
			unknown = name
		}
		s.Fn.Vars = append(s.Fn.Vars, r.symbol(unknown, to))
	}
	for _, a := range s.Args {
		s.Fn.Params = append(s.Fn.Params, r.symbol("p", a.Place))
	}
	return s
}

// unknownName reads the name of the first unknown of a function.
func (r *reader) unknownName() string {
	r.want("<")
	t := r.next()
	if t.kind != word {
		r.fail(t, "the name of an unknown belongs here, not %v", t)
	}
	r.want(">")
	return t.text
}

// symbol stands for an unknown or a parameter of a function, of the type of a place.
func (r *reader) symbol(name string, p *Place) *expr.Node {
	t := expr.Scalar
	if p != nil {
		t.Rank = copy(t.Dims[:], p.Shape.Dims)
	}
	return r.graph.Sym(name+"$"+t.String(), t, expr.Computed)
}

// operand reads what a solver takes: an array or a number.
func (r *reader) operand() Operand {
	e := r.formula()
	if ref, ok := e.(Ref); ok && len(ref.At) == 0 && !ref.Place.Shape.Number() {
		return Operand{Place: ref.Place}
	}
	return Operand{Value: e}
}

// check reads the condition that a matrix is positive definite, or that a number is in a range.
func (r *reader) check() Stmt {
	if k := Kernels()[r.peek().text]; k != nil && r.after(1).is("(") {
		return r.call(true)
	}
	return r.guard()
}

func (r *reader) guard() *Guard {
	g := &Guard{Value: r.formula()}
	r.want("in")
	g.Range = r.rangeText()
	r.want(",", "condition")
	g.Index = r.whole()
	return g
}

// call reads the call of a kernel.
func (r *reader) call(test bool) Stmt {
	t := r.next()
	s := &Call{Kernel: t.text, Definite: test, Guard: -1}
	k := Kernels()[t.text]
	if k == nil {
		r.fail(t, "%v is no kernel", t)
	}
	r.want("(")
	for !r.peek().is(")") {
		if len(s.Args) > 0 {
			r.want(",")
		}
		var p Param
		if len(s.Args) < len(k.Params) {
			p = k.Params[len(s.Args)]
		}
		s.Args = append(s.Args, r.kernelOperand(p))
	}
	r.want(")")
	if test && r.take(",") {
		r.want("condition")
		s.Guard = r.whole()
	}
	return s
}

func (r *reader) kernelOperand(p Param) Operand {
	switch {
	case p.Length && r.take("rows"):
		return Operand{Block: true}
	case p.Length:
		return Operand{Dim: r.dim()}
	case !p.Number && r.partFollows():
		return Operand{Place: r.givenText()}
	}
	e := r.formula()
	if ref, ok := e.(Ref); ok && !p.Number && len(ref.At) == 0 {
		return Operand{Place: ref.Place}
	}
	return Operand{Value: e}
}

// partFollows reports whether a part of what is given comes next: a name, and behind it where the part begins and what lies there.
func (r *reader) partFollows() bool {
	if r.peek().kind != word || !r.after(1).is("[") {
		return false
	}
	for n := 2; !r.after(n).is("]") && r.after(n).kind != endOfText; n++ {
		if r.after(n).is(":") {
			return true
		}
	}
	return false
}

// assignment reads what computes numbers, or writes them.
func (r *reader) assignment() Stmt {
	t, follows := r.peek(), r.after(1)
	var s Stmt
	switch {
	case follows.is(",") || t.is("_"):
		s = r.joint()
	case follows.is("+=") && !strings.Contains(t.text, "."):
		s = &Add{To: r.place(r.name())}
		r.next()
		s.(*Add).Value = r.formula()
	case follows.is("=") && t.kind == word && !strings.Contains(t.text, ".") && (!r.known(t.text) || r.given[t.text] == nil):
		s = r.let()
	default:
		to := r.ref()
		r.want("=")
		value := r.formula()
		s = &Store{To: to, Value: value, Free: r.takeAll("but", "for", "the", "last", "component")}
	}
	r.line()
	return s
}

// let reads what computes a number.
func (r *reader) let() Stmt {
	name := r.name()
	r.want("=")
	if k := Kernels()[r.peek().text]; k != nil && r.after(1).is("(") {
		s := r.call(false).(*Call)
		s.To = r.declare(name, Shape{})
		return s
	}
	value := r.formula()
	if r.takeAll("in", "row") {
		at := r.place(r.name())
		r.want(",", "else")
		if r.whole() != 0 || value != Expr(Number(1)) {
			r.fail(r.peek(), "a number is 1 in one row, else 0")
		}
		return &Attained{To: r.declare(name, Shape{}), Index: at}
	}
	return &Let{To: r.declare(name, Shape{}), Value: value}
}

// joint reads several functions of the same operands.
func (r *reader) joint() Stmt {
	names := list(r, r.name)
	r.want("=")
	t := r.peek()
	ops := list(r, func() string { return r.next().text })
	s := &Joint{}
	prepared := ""
	if i := strings.LastIndexByte(ops[0], '.'); i >= 0 {
		prepared, ops[0] = ops[0][:i], ops[0][i+1:]
	}
	i := slices.IndexFunc(expr.Joints, func(j expr.Joint) bool { return slices.Equal(j.Ops, ops) })
	if i < 0 {
		r.fail(t, "%s are not computed together", strings.Join(ops, ", "))
	}
	s.Joint = expr.Joints[i]
	r.want("(")
	s.Value = r.application(s.Joint.Ops[0], prepared)
	for _, name := range names {
		s.To = append(s.To, r.declare(name, Shape{}))
	}
	return s
}

// loop reads a loop, of which the first word has been read.
func (r *reader) loop(t token) Stmt {
	switch {
	case t.text == "do":
		return r.entries(Shape{})
	case r.takeAll("each", "row", "of", "the", "block"):
		s := &EachRow{}
		r.inside(func() { s.Body = r.statements() })
		return s
	case r.takeAll("each", "row"):
		return r.rows()
	case r.takeAll("each", "block", "of", "rows"):
		return r.blocks()
	case r.takeAll("each", "component"):
		s := &Components{}
		r.ofComponents(s)
		return s
	case r.takeAll("the", "component", "of", "the", "rows"):
		s := &Components{Own: true}
		r.ofComponents(s)
		return s
	}
	return r.entries(r.loopShape())
}

// loopShape reads what a loop over entries goes over.
func (r *reader) loopShape() Shape {
	var s Shape
	indices := []string{"i", "j"}
	for {
		if len(indices) == 0 {
			r.fail(r.peek(), "more than two loops")
		}
		index := indices[0]
		r.want(index)
		if index == "j" && !s.Block && r.takeAll("<=", "i") {
			s.Dims, s.Lower = append(s.Dims, s.Dims[0]), true
		} else if r.want("<"); index == "i" && r.take("rows") {
			s.Block = true
		} else {
			s.Dims = append(s.Dims, r.dim())
		}
		if indices = indices[1:]; !r.take(",") {
			return s
		}
	}
}

// entries reads a loop over entries. Conditions behind the last statement, and what is written there, are those of the loop.
func (r *reader) entries(shape Shape) Stmt {
	s := &Each{Shape: shape, Dots: r.takeAll("by", "Dot")}
	var totals []string
	r.inside(func() {
		s.Body = r.statementsOfLoop()
		s.Body, s.Guards, s.Writes = loopEnd(s.Body)
		for {
			switch {
			case r.sumFollows():
				s.Sums = append(s.Sums, r.sum(true))
				r.line()
			case r.peek().is("total") && r.after(1).kind == word:
				r.next()
				total := &Total{}
				name := r.name()
				if total.To = r.place(name); !shape.Block {
					total.To = &Place{Name: name}
				}
				totals = append(totals, name)
				r.want("+=")
				total.Value = r.formula()
				s.Totals = append(s.Totals, total)
				r.line()
			case !r.closes():
				s.Writes = append(s.Writes, r.write())
				r.line()
			default:
				return
			}
		}
	})
	if !shape.Block {
		for i, name := range totals {
			s.Totals[i].To = r.declare(name, Shape{})
		}
	}
	return s
}

// statementsOfLoop reads statements up to what a loop adds up or writes in its own way.
func (r *reader) statementsOfLoop() []Stmt {
	var out []Stmt
	for !r.closes() && !r.sumFollows() && !r.updates() && !(r.peek().is("total") && r.after(1).kind == word) {
		out = append(out, r.statement())
	}
	return out
}

// updates reports whether an entry is written times a weight, or added to: a line with += and a subscript, or with weight*(.
func (r *reader) updates() bool {
	if !r.after(1).is("[") {
		return false
	}
	for i := 2; r.after(i).kind != endOfLine && r.after(i).kind != endOfText; i++ {
		if t := r.after(i); t.is("+=") || t.is("=") {
			return t.is("+=") || r.after(i+1).is("weight") && r.after(i+2).is("*") && r.after(i+3).is("(")
		}
	}
	return false
}

// loopEnd takes the conditions and the writes that stand last in a loop out of its statements.
func loopEnd(body []Stmt) ([]Stmt, []*Guard, []*Write) {
	var guards []*Guard
	var writes []*Write
	for len(body) > 0 {
		s, ok := body[len(body)-1].(*Store)
		if !ok || s.Free || len(s.To.At) == 0 {
			break
		}
		writes = append([]*Write{{To: s.To, Value: s.Value}}, writes...)
		body = body[:len(body)-1]
	}
	for len(body) > 0 {
		g, ok := body[len(body)-1].(*Guard)
		if !ok {
			break
		}
		guards = append([]*Guard{g}, guards...)
		body = body[:len(body)-1]
	}
	return body, guards, writes
}

func (r *reader) sumFollows() bool {
	t := r.peek()
	return (t.is("sum") || t.is("largest")) && r.after(1).kind == word
}

// sum reads a sum over the rows, or a largest value. Where it is one of a component it has been declared.
func (r *reader) sum(inLoop bool) *Sum {
	s := &Sum{Max: r.next().is("largest")}
	name := r.name()
	if s.To = r.sumPlace(name, inLoop); s.Max && r.take(",") {
		s.Index = r.sumPlace(r.name(), inLoop)
	}
	if s.Max {
		r.want("of")
		s.Value = r.formula()
	} else {
		r.want("+=", "weight", "*", "(")
		s.Value = r.formula()
		r.want(")")
	}
	if len(r.passes) > 0 {
		in := r.passes[len(r.passes)-1]
		if in.names[name] == s.To && !slices.ContainsFunc(in.sums, func(o *Sum) bool { return o.To == s.To }) {
			in.sums = append(in.sums, s)
		}
	}
	return s
}

func (r *reader) sumPlace(name string, inLoop bool) *Place {
	if p := r.place(name); r.unknown[name] != p && inLoop || len(r.passes) == 0 {
		return p
	}
	p := r.unknown[name]
	if p == nil {
		p = &Place{Name: name}
	}
	delete(r.unknown, name)
	r.passes[len(r.passes)-1].names[name] = p
	return p
}

// write reads what is written to an entry.
func (r *reader) write() *Write {
	w := &Write{To: r.ref()}
	if w.Add = r.take("+="); !w.Add {
		r.want("=")
	}
	if w.Weighted = r.takeAll("weight", "*", "("); w.Weighted {
		w.Value = r.formula()
		r.want(")")
		return w
	}
	w.Value = r.formula()
	return w
}

// rows reads a pass over rows of numbers.
func (r *reader) rows() Stmt {
	s := &Rows{Cut: r.takeAll("in", "ranges")}
	r.pass(&s.Columns, func() {
		body := r.statementsOfLoop()
		for r.sumFollows() {
			s.Sums = append(s.Sums, r.sum(false))
			r.line()
		}
		var guards []*Guard
		body, guards, s.Writes = loopEnd(body)
		for _, g := range guards {
			body = append(body, g)
		}
		s.Body = body
		for !r.closes() {
			s.Writes = append(s.Writes, r.write())
			r.line()
		}
	})
	return s
}

// blocks reads a pass over blocks of rows.
func (r *reader) blocks() Stmt {
	s := &Blocks{Strata: r.takeAll("of", "one", "component")}
	s.Cut = r.takeAll("in", "ranges")
	in := r.pass(&s.Columns, func() { s.Body = r.statements() })
	s.Sums = in.sums
	Walk(s.Body, func(inner Stmt) {
		if e, ok := inner.(*Each); ok {
			s.Weights = s.Weights || len(e.Sums) > 0 || slices.ContainsFunc(e.Writes, func(w *Write) bool { return w.Weighted })
		}
	})
	Mentions(s.Body, func(p *Place) { s.Weights = s.Weights || p == Weights })
	return s
}

// pass reads the columns and the statements of a pass, and makes its sums known.
func (r *reader) pass(columns *[]Column, read func()) *pass {
	in := &pass{names: map[string]*Place{}}
	r.scopes = append(r.scopes, map[string]*Place{})
	if r.take("with") {
		*columns = list(r, r.column)
	}
	r.passes = append(r.passes, in)
	r.inside(read)
	r.passes = r.passes[:len(r.passes)-1]
	r.scopes = r.scopes[:len(r.scopes)-1]
	for name, p := range in.names {
		r.scopes[len(r.scopes)-1][name] = p
	}
	return in
}

func (r *reader) column() Column {
	name, shape := r.name(), Shape{}
	if r.peek().is("[") {
		shape = r.shape()
	}
	r.want("of")
	c := Column{Field: r.name(), Type: expr.Scalar.Over(expr.Rows)}
	if c.Field == "data" {
		c.Field = ""
	}
	c.Type.Rank = copy(c.Type.Dims[:], shape.Dims)
	c.To = r.declare(name, shape)
	return c
}

// ofComponents reads what is in a loop over the components. What it declares others may mention, before that is given memory.
func (r *reader) ofComponents(s *Components) {
	r.inside(func() {
		s.Body = r.statements()
		for name, p := range r.scopes[len(r.scopes)-1] {
			if r.own[name] == nil {
				r.own[name] = p
			}
		}
	})
}

// stage reads a stage with its statements, which know what is handed to it and what the program is given.
func (r *reader) stage() Stmt {
	st := &Stage{Name: r.name(), Of: r.program}
	s := &Perform{Stage: st}
	inside := map[string]*Place{}
	var out, kept []string
	each := func(word string, read func(outer string, inner *Place)) {
		if !r.take(word) {
			return
		}
		list(r, func() string {
			outer := r.name()
			r.want("as")
			inner := &Place{Name: r.name()}
			if r.peek().is("[") {
				inner.Shape = r.shape()
			}
			read(outer, inner)
			return outer
		})
	}
	memory := func(p *Place) *Buffer {
		r.want("slot")
		return &Buffer{To: p, Slot: r.whole()}
	}
	each("with", func(outer string, p *Place) {
		s.In, st.In, inside[p.Name] = append(s.In, r.place(outer)), append(st.In, p), p
	})
	each("held", func(outer string, p *Place) {
		s.Held, st.Held, inside[p.Name] = append(s.Held, r.place(outer)), append(st.Held, memory(p)), p
	})
	each("giving", func(outer string, p *Place) { out, st.Out = append(out, outer), append(st.Out, p) })
	if r.take("adding") {
		list(r, func() string {
			name := r.name()
			st.Adds = append(st.Adds, r.place(name))
			return name
		})
	}
	each("kept", func(outer string, p *Place) { kept, st.Kept = append(kept, outer), append(st.Kept, memory(p)) })
	scopes := r.scopes
	r.scopes = []map[string]*Place{inside}
	r.inside(func() {
		st.Body = r.statements()
		for i, p := range st.Out {
			st.Out[i] = r.place(p.Name)
		}
		for _, b := range st.Kept {
			b.To = r.place(b.To.Name)
		}
	})
	r.scopes = scopes
	declared := func(outer string, inner *Place) *Place {
		if outer == "_" {
			return nil
		}
		return r.declare(outer, inner.Shape)
	}
	for i, name := range out {
		s.Out = append(s.Out, declared(name, st.Out[i]))
	}
	for i, name := range kept {
		s.Kept = append(s.Kept, declared(name, st.Kept[i].To))
	}
	return s
}
