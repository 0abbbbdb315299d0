package pass

import (
	"fmt"
	"slices"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/gen/program"
)

// blockwise takes functions that cost less for many numbers than one by one out of the loops over the rows of a block. A loop becomes several: one
// stores what the functions are of, for all rows; then they are called once each; the next reads what came out. What two of these loops need is
// computed twice where it is cheap, else stored. Where functions are of what comes out of others there are more such loops. Those that call no
// function any more may be fused with their neighbours.
func blockwise(p *program.Program, names *Names) error {
	s := &splitter{names: names}
	p.Body = s.statements(p.Body, false)
	return fuse(p, names)
}

// splitter takes loops apart.
type splitter struct{ names *Names }

// What it costs, in flops an entry, to store a number and to read it again, and what has to be saved at least.
const (
	throughMemory = 2
	leastSaved    = 3
	// mostCalls is how many functions a loop is taken apart for at a time: what they are of and what comes out has to stay in a fast cache.
	mostCalls = 16
)

// statements are some with their loops taken apart; inside is true in loops over the components.
func (s *splitter) statements(list []program.Stmt, inside bool) []program.Stmt {
	var out []program.Stmt
	for _, stmt := range list {
		switch stmt := stmt.(type) {
		case *program.Rows:
			out = append(out, s.rows(stmt))
		case *program.Each:
			out = append(out, s.loops(stmt, inside)...)
		default:
			switch stmt := stmt.(type) {
			case *program.Blocks:
				stmt.Body = s.statements(stmt.Body, false)
			case *program.Components:
				stmt.Body = s.statements(stmt.Body, true)
			}
			out = append(out, stmt)
		}
	}
	return out
}

// rows is a pass over rows of numbers, one over blocks where its loop is taken apart.
func (s *splitter) rows(pass *program.Rows) program.Stmt {
	e := &program.Each{Shape: program.Shape{Block: true}}
	blocks := &program.Blocks{}
	entries := map[*program.Place]program.Expr{}
	for _, c := range pass.Columns {
		all := &program.Place{Name: c.To.Name, Shape: program.Shape{Block: true}, About: c.To.About}
		blocks.Columns = append(blocks.Columns, program.Column{To: all, Field: c.Field, Type: c.Type})
		entries[c.To] = program.Ref{Place: all, At: []program.Index{program.Over(program.I)}}
	}
	for _, stmt := range pass.Body {
		own := shallowCopy(stmt)
		if own == nil {
			return pass
		}
		e.Body = append(e.Body, own)
	}
	for _, sum := range pass.Sums {
		if sum.Max {
			return pass
		}
		own := *sum
		e.Sums = append(e.Sums, &own)
		blocks.Sums = append(blocks.Sums, &program.Sum{To: sum.To})
		blocks.Weights = true
	}
	for _, w := range pass.Writes {
		own := *w
		e.Writes = append(e.Writes, &own)
		blocks.Weights = blocks.Weights || w.Weighted
	}
	blocks.Body = s.loops(substituted(e, entries), false)
	if len(blocks.Body) == 1 {
		return pass // as it was
	}
	return blocks
}

// shallowCopy is a statement that computes numbers and may be rewritten without the original; nil for others.
func shallowCopy(stmt program.Stmt) program.Stmt {
	switch stmt := stmt.(type) {
	case *program.Let:
		own := *stmt
		return &own
	case *program.Joint:
		own := *stmt
		return &own
	case *program.Attained:
		own := *stmt
		return &own
	}
	return nil
}

// substituted puts formulas in place of numbers of a loop.
func substituted(e *program.Each, by map[*program.Place]program.Expr) *program.Each {
	program.Walk([]program.Stmt{e}, func(stmt program.Stmt) {
		program.Rewrite(stmt, func(f program.Expr) program.Expr { return withPlaces(f, by) })
	})
	return e
}

func withPlaces(f program.Expr, by map[*program.Place]program.Expr) program.Expr {
	switch f := f.(type) {
	case program.Ref:
		if to, ok := by[f.Place]; ok {
			return to
		}
	case *program.Apply:
		if f != nil {
			return f.With(func(arg program.Expr) program.Expr { return withPlaces(arg, by) })
		}
	}
	return f
}

// loops are the loops and calls that a loop becomes, itself where it stays as it is.
func (s *splitter) loops(e *program.Each, inside bool) []program.Stmt {
	if !divisible(e) {
		return []program.Stmt{e}
	}
	var out []program.Stmt
	whole := e
	e = withInversePowers(e, s.names)
	for {
		l := &loopParts{splitter: s, each: e, inside: inside, made: map[*program.Place]int{}, plain: map[*program.Place]bool{}}
		if !l.find() || !l.pays() {
			if len(out) == 0 {
				return []program.Stmt{whole}
			}
			return append(out, e)
		}
		out = append(out, l.before()...)
		if e = l.rest(); len(e.Writes)+len(e.Totals)+len(e.Sums) == 0 {
			return out
		}
	}
}

// divisible reports whether a loop is one over the rows of a block, or their entries, that does nothing but compute numbers.
func divisible(e *program.Each) bool {
	s := e.Shape
	if !s.Block || s.Lower || s.Stacked || s.Here || len(s.Dims) > 1 || len(e.Guards) > 0 {
		return false
	}
	for _, stmt := range e.Body {
		switch stmt := stmt.(type) {
		case *program.Let:
			if stmt.Out {
				return false
			}
		case *program.Joint, *program.Attained:
		default:
			return false
		}
	}
	return true
}

// loopParts is a loop that is taken apart once: into what comes before some functions, these, and the rest.
type loopParts struct {
	*splitter
	each   *program.Each
	inside bool
	made   map[*program.Place]int  // the statement that makes a number of the loop
	plain  map[*program.Place]bool // numbers of the loop that no function of slices is needed for
	calls  []*sliceCall
}

// sliceCall is a function that is called for all entries.
type sliceCall struct {
	sliced expr.Sliced
	key    string
	saves  float64
	arg    program.Expr
	of     *program.Place   // what has been prepared, nil for functions of one number
	from   *program.Place   // where what it is of lies already, nil where it is stored first
	to     []*program.Place // what comes out
}

// find finds the functions that are of what no other of them is needed for, and reports whether there are any.
func (l *loopParts) find() bool {
	for i, stmt := range l.each.Body {
		for _, p := range program.Declares(stmt) {
			if p != nil {
				l.made[p] = i
			}
		}
	}
	for _, stmt := range l.each.Body {
		plain := true
		if j, ok := stmt.(*program.Joint); ok {
			if c := l.joint(j); c != nil {
				plain = false
			}
			for _, arg := range j.Value.Args {
				if arg != nil {
					plain = l.look(arg) && plain
				}
			}
		} else {
			program.Formulas(stmt, func(f program.Expr) { plain = l.look(f) && plain })
		}
		for _, p := range program.Declares(stmt) {
			if p != nil {
				l.plain[p] = plain
			}
		}
	}
	program.Formulas(l.each, func(f program.Expr) { l.look(f) })
	return len(l.calls) > 0
}

// look finds functions in a formula, and reports whether there are none, nor in what it is made of.
func (l *loopParts) look(f program.Expr) bool {
	switch f := f.(type) {
	case program.Ref:
		_, made := l.made[f.Place]
		return !made || l.plain[f.Place]
	case *program.Apply:
		if f == nil {
			return true
		}
		plain := true
		for _, arg := range f.Args {
			if arg != nil {
				plain = l.look(arg) && plain
			}
		}
		sliced, arg, ok := slicedBy(f, nil)
		if !ok || !l.varies(arg) {
			return plain
		}
		if plain {
			l.add(sliced, f.Flops(), f.Prepared, arg, 1)
		}
		return false
	}
	return true
}

// slicedBy is what computes an application for slices, or all of the functions that it is one of where these are computed together, and the one
// operand that is another number for each entry.
func slicedBy(a *program.Apply, joint *expr.Joint) (s expr.Sliced, arg program.Expr, ok bool) {
	if a.Op == expr.Prod && len(a.Args) == 1 && len(a.Coefs) == 1 && a.Const == 0 {
		s, ok = expr.SlicedPower(a.Coefs[0])
		return s, a.Args[0], ok
	}
	if a.Fn != nil || !a.Op.Elementwise() {
		return s, nil, false
	}
	args := slices.DeleteFunc(slices.Clone(a.Args), func(arg program.Expr) bool { return arg == nil })
	if len(args) != 1 {
		return s, nil, false
	}
	of, name := a.Op.Go, a.Op.Name
	if joint != nil {
		of, name = joint.Go, joint.Go
	}
	if a.Prepared == nil {
		s, ok = expr.SlicedOf(of)
	} else {
		kind, _ := expr.Preparation(a.Op)
		s, ok = expr.SlicedMethod(kind.Type, kind.Methods[name])
	}
	return s, args[0], ok
}

// joint is the call in place of functions that are computed together, nil where there is none.
func (l *loopParts) joint(j *program.Joint) *sliceCall {
	sliced, arg, ok := slicedBy(j.Value, &j.Joint)
	if !ok || !l.varies(arg) {
		return nil
	}
	if l.look(arg) {
		return l.add(sliced, j.Joint.Cost, j.Value.Prepared, arg, len(j.To))
	}
	return &sliceCall{}
}

// add notes a call, unless it is there, and returns it.
func (l *loopParts) add(sliced expr.Sliced, cost float64, of *program.Place, arg program.Expr, results int) *sliceCall {
	key := callKey(sliced, of, arg)
	if i := slices.IndexFunc(l.calls, func(c *sliceCall) bool { return c.key == key }); i >= 0 {
		return l.calls[i]
	}
	if sliced.Type != "" {
		cost = sliced.Was
	}
	c := &sliceCall{sliced: sliced, key: key, arg: arg, of: of, saves: cost - sliced.Cost - throughMemory*float64(results)/2}
	if c.from = l.inMemory(arg); c.from == nil {
		c.saves -= throughMemory / 2
	}
	c.to = make([]*program.Place, results)
	l.calls = append(l.calls, c)
	return c
}

// callKey is the same for calls that compute the same.
func callKey(sliced expr.Sliced, of *program.Place, arg program.Expr) string {
	return fmt.Sprintf("%s %p %s", sliced.Name, of, keyOf(arg))
}

// inMemory is the array of which a formula is the entry, in the order of the loop; nil where it is something else.
func (l *loopParts) inMemory(f program.Expr) *program.Place {
	r, ok := f.(program.Ref)
	if i, made := l.made[r.Place]; ok && made {
		if let, ok := l.each.Body[i].(*program.Let); ok {
			return l.inMemory(let.Value)
		}
		return nil
	}
	if !ok || r.Place.Given != nil || !slices.EqualFunc(r.At, l.subscripts(), program.Index.Equal) {
		return nil
	}
	if s := r.Place.Shape; !s.Block || s.Stacked || s.Here || !slices.Equal(s.Dims, l.each.Shape.Dims) {
		return nil
	}
	return r.Place
}

// subscripts are those of an entry of the loop.
func (l *loopParts) subscripts() []program.Index {
	return []program.Index{program.Over(program.I), program.Over(program.J)}[:1+len(l.each.Shape.Dims)]
}

// varies reports whether a formula is another number for each entry.
func (l *loopParts) varies(f program.Expr) bool {
	found := false
	program.Operands(f, func(r program.Ref) {
		_, made := l.made[r.Place]
		found = found || made || slices.ContainsFunc(r.At, func(i program.Index) bool { return i.Loop != program.Component })
	})
	return found
}

// needs marks the statements of a body that formulas need.
func (l *loopParts) needs(marked []bool, formulas ...program.Expr) {
	for _, f := range formulas {
		program.Operands(f, func(r program.Ref) {
			i, ok := l.made[r.Place]
			if !ok || marked[i] {
				return
			}
			marked[i] = true
			program.Formulas(l.each.Body[i], func(f program.Expr) { l.needs(marked, f) })
		})
	}
}

// ends are the formulas that a loop is there for.
func ends(e *program.Each) []program.Expr {
	var out []program.Expr
	program.Formulas(e, func(f program.Expr) { out = append(out, f) })
	for _, w := range e.Writes {
		for _, i := range w.To.At {
			if i.By != nil {
				out = append(out, *i.By)
			}
		}
	}
	return out
}

// first marks what the functions need.
func (l *loopParts) first() []bool {
	marked := make([]bool, len(l.each.Body))
	for _, c := range l.calls {
		l.needs(marked, c.arg)
	}
	return marked
}

// second marks what the rest needs, with what comes out of the functions given.
func (l *loopParts) second() []bool {
	marked := make([]bool, len(l.each.Body))
	var mark func(program.Expr)
	mark = func(f program.Expr) {
		switch f := f.(type) {
		case program.Ref:
			for _, i := range f.At {
				if i.By != nil {
					mark(*i.By)
				}
			}
			i, ok := l.made[f.Place]
			if !ok || marked[i] {
				return
			}
			marked[i] = true
			if j, ok := l.each.Body[i].(*program.Joint); ok && l.callOf(j.Value, &j.Joint) != nil {
				return
			}
			program.Formulas(l.each.Body[i], mark)
		case *program.Apply:
			if f == nil || l.callOf(f, nil) != nil {
				return
			}
			for _, arg := range f.Args {
				mark(arg)
			}
		}
	}
	for _, f := range ends(l.each) {
		mark(f)
	}
	return marked
}

// callOf is the call that computes an application, or the functions that it is one of; nil where none does.
func (l *loopParts) callOf(a *program.Apply, joint *expr.Joint) *sliceCall {
	sliced, arg, ok := slicedBy(a, joint)
	if !ok {
		return nil
	}
	key := callKey(sliced, a.Prepared, arg)
	if i := slices.IndexFunc(l.calls, func(c *sliceCall) bool { return c.key == key }); i >= 0 {
		return l.calls[i]
	}
	return nil
}

// costOf is what a statement of the loop costs.
func costOf(stmt program.Stmt) float64 {
	switch stmt := stmt.(type) {
	case *program.Let:
		if a, ok := stmt.Value.(*program.Apply); ok && a != nil {
			return a.TotalFlops()
		}
	case *program.Joint:
		return stmt.Joint.Cost
	}
	return 0
}

// pays reports whether the loop is better taken apart: not for so many functions that blocks of what they are of are no longer in a fast cache.
func (l *loopParts) pays() bool {
	if len(l.calls) > mostCalls {
		return false
	}
	saved := 0.0
	for _, c := range l.calls {
		saved += c.saves
	}
	first, second := l.first(), l.second()
	for i, stmt := range l.each.Body {
		if first[i] && second[i] {
			saved -= min(costOf(stmt), throughMemory)
		}
	}
	return saved >= leastSaved
}

// storedOf reports whether what two loops need of a statement is stored.
func storedOf(stmt program.Stmt) bool { return costOf(stmt) > throughMemory }

// buffer is memory for what a number of the loop is, or for a new one.
func (l *loopParts) buffer(like *program.Place, about string) *program.Place {
	name := l.names.Temporary
	if like != nil && !unnamed().MatchString(like.Name) {
		name = func() string { return l.names.New(numbered(like.Name) + "s") }
	}
	if like != nil {
		about = like.About
	}
	return &program.Place{Name: name(), About: about, Shape: program.Shape{Block: true, Dims: l.each.Shape.Dims, Inside: l.inside}}
}

func (l *loopParts) entry(p *program.Place) program.Ref {
	return program.Ref{Place: p, At: l.subscripts()}
}

// before is what comes before the rest: a loop for what functions are of, and the functions. What the rest needs of that loop and is stored, it
// reads then.
func (l *loopParts) before() []program.Stmt {
	first, second := l.first(), l.second()
	var memory, calls []program.Stmt
	loop := &program.Each{Shape: l.each.Shape}
	own := map[*program.Place]program.Expr{} // numbers of that loop
	stored := map[*program.Place]program.Expr{}
	for i, stmt := range l.each.Body {
		if !first[i] {
			continue
		}
		stmt := shallowCopy(stmt)
		program.Rewrite(stmt, func(f program.Expr) program.Expr { return withPlaces(f, own) })
		loop.Body = append(loop.Body, stmt)
		for _, p := range redeclared(stmt) {
			own[p.was] = program.Ref{Place: p.is}
			if second[i] && storedOf(stmt) {
				to := l.buffer(p.was, "")
				memory = append(memory, &program.Buffer{To: to})
				loop.Writes = append(loop.Writes, &program.Write{To: l.entry(to), Value: program.Ref{Place: p.is}})
				stored[p.was] = l.entry(to)
			}
		}
	}
	for _, c := range l.calls {
		call := &program.Call{Kernel: c.sliced.Name}
		for i := range c.to {
			if c.to[i] = l.destination(c); c.to[i] == nil {
				c.to[i] = l.result(c, i)
				memory = append(memory, &program.Buffer{To: c.to[i]})
			}
			call.Args = append(call.Args, program.Operand{Place: c.to[i]})
		}
		from := c.from
		if from == nil {
			from = c.to[0]
			loop.Writes = append(loop.Writes, &program.Write{To: l.entry(from), Value: withPlaces(c.arg, own)})
		}
		call.Args = append(call.Args, program.Operand{Place: from})
		if c.of != nil {
			call.Args = append(call.Args, program.Operand{Place: c.of})
		}
		calls = append(calls, call)
	}
	l.read(stored)
	if len(loop.Writes) > 0 {
		memory = append(memory, loop)
	}
	return append(memory, calls...)
}

// destination is memory of a block into which the loop writes a result as it is, and does nothing else with it; nil where there is none. The
// loop does not write it then.
func (l *loopParts) destination(c *sliceCall) *program.Place {
	if len(c.to) > 1 {
		return nil
	}
	for i, w := range l.each.Writes {
		a, ok := w.Value.(*program.Apply)
		if !ok || l.callOf(a, nil) != c || w.Add || w.Weighted || l.inMemory(w.To) == nil || l.mentions(w.To.Place) != 1 {
			continue
		}
		l.each.Writes = slices.Delete(l.each.Writes, i, i+1)
		return w.To.Place
	}
	return nil
}

// mentions is how often the loop mentions a place.
func (l *loopParts) mentions(p *program.Place) int {
	n := 0
	program.Mentions([]program.Stmt{l.each}, func(q *program.Place) {
		if p == q {
			n++
		}
	})
	return n
}

// result is memory for a result of a function, named as the number of the loop that it is.
func (l *loopParts) result(c *sliceCall, i int) *program.Place {
	for _, stmt := range l.each.Body {
		switch stmt := stmt.(type) {
		case *program.Let:
			if a, ok := stmt.Value.(*program.Apply); ok && a != nil && len(c.to) == 1 && l.callOf(a, nil) == c {
				return l.buffer(stmt.To, "")
			}
		case *program.Joint:
			if l.callOf(stmt.Value, &stmt.Joint) == c && stmt.To[i] != nil {
				return l.buffer(stmt.To[i], "")
			}
		}
	}
	about := ""
	if f, ok := c.arg.(program.Ref); ok && f.Place.About != "" && len(c.to) == 1 {
		about = c.sliced.Ops()[0].Name + "(" + f.Place.About + ")"
	}
	return l.buffer(nil, about)
}

// renamedPlace is a number of a loop, and what it is in another one.
type renamedPlace struct{ was, is *program.Place }

// redeclared gives the numbers that a statement declares other places.
func redeclared(stmt program.Stmt) []renamedPlace {
	var out []renamedPlace
	again := func(p *program.Place) *program.Place {
		if p == nil {
			return nil
		}
		is := *p
		out = append(out, renamedPlace{p, &is})
		return &is
	}
	switch stmt := stmt.(type) {
	case *program.Let:
		stmt.To = again(stmt.To)
	case *program.Attained:
		stmt.To = again(stmt.To)
	case *program.Joint:
		to := make([]*program.Place, len(stmt.To))
		for i, p := range stmt.To {
			to[i] = again(p)
		}
		stmt.To = to
	}
	return out
}

// read makes the loop read what has been stored of its numbers, in place of computing it.
func (l *loopParts) read(stored map[*program.Place]program.Expr) {
	var body []program.Stmt
	for _, stmt := range l.each.Body {
		places := slices.DeleteFunc(slices.Clone(program.Declares(stmt)), func(p *program.Place) bool { return p == nil })
		if !slices.ContainsFunc(places, func(p *program.Place) bool { return stored[p] != nil }) {
			body = append(body, stmt)
			continue
		}
		for _, p := range places {
			body = append(body, &program.Let{To: p, Value: stored[p]})
		}
	}
	l.each.Body = body
}

// rest is the loop with what came out of the functions read, without what it does not need any more.
func (l *loopParts) rest() *program.Each {
	e := l.each
	var read func(program.Expr) program.Expr
	read = func(f program.Expr) program.Expr {
		a, ok := f.(*program.Apply)
		if !ok || a == nil {
			return f
		}
		if c := l.callOf(a, nil); c != nil && len(c.to) == 1 {
			return l.entry(c.to[0])
		}
		return a.With(read)
	}
	var body []program.Stmt
	for _, stmt := range e.Body {
		if j, ok := stmt.(*program.Joint); ok {
			if c := l.callOf(j.Value, &j.Joint); c != nil {
				for i, p := range j.To {
					if p != nil {
						p.About = "" // it stands where the memory is declared
						body = append(body, &program.Let{To: p, Value: l.entry(c.to[i])})
					}
				}
				continue
			}
		}
		program.Rewrite(stmt, read)
		if let, ok := stmt.(*program.Let); ok {
			if r, ok := let.Value.(program.Ref); ok && len(r.At) > 0 && r.Place.About == let.To.About {
				let.To.About = ""
			}
		}
		body = append(body, stmt)
	}
	e.Body = body
	program.Rewrite(e, read)
	l.drop()
	return e
}

// drop leaves out statements that nothing needs.
func (l *loopParts) drop() {
	clear(l.made)
	for i, stmt := range l.each.Body {
		for _, p := range program.Declares(stmt) {
			if p != nil {
				l.made[p] = i
			}
		}
	}
	marked := make([]bool, len(l.each.Body))
	l.needs(marked, ends(l.each)...)
	var body []program.Stmt
	for i, stmt := range l.each.Body {
		if marked[i] {
			body = append(body, stmt)
		}
	}
	l.each.Body = body
}
