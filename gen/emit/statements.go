package emit

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/gen/plan"
	"github.com/sngdgen/sngdgen/gen/program"
)

// Statements that follow each other are printed together where this reads better: names for what is given stand in one line, and memory
// is taken where it is filled.

// declaration is a name for memory, or for a number that is given. Parts of one argument of a function are declared together, and not with others.
type declaration struct{ name, value, argument string }

// widestTogether is how long a line of declarations may be.
const widestTogether = 96

// together declares names, several in a line, those of one argument next to each other.
//
//	<a>, <b> := <value of a>, <value of b>
func together(list []declaration) []jen.Code {
	var out []jen.Code
	list = byArgument(list)
	for len(list) > 0 {
		count, width := 0, 0
		for ; count < len(list); count++ {
			width += len(list[count].name) + len(list[count].value) + 4
			if count > 0 && (width > widestTogether || list[count].argument != list[count-1].argument) {
				break
			}
		}
		var names, values []jen.Code
		for _, d := range list[:count] {
			names, values = append(names, jen.Id(d.name)), append(values, jen.Id(d.value))
		}
		out, list = append(out, jen.List(names...).Op(":=").List(values...)), list[count:]
	}
	return out
}

// byArgument sorts declarations, which do not depend on each other, by what they are parts of, in the order in which that comes first.
func byArgument(list []declaration) []declaration {
	first := map[string]int{}
	for i, d := range list {
		if _, ok := first[d.argument]; !ok {
			first[d.argument] = i
		}
	}
	sorted := slices.Clone(list)
	slices.SortStableFunc(sorted, func(a, b declaration) int { return cmp.Compare(first[a.argument], first[b.argument]) })
	return sorted
}

// declareNumbers declares numbers that are 0 at first.
//
//	var <a>, <b> float64
func declareNumbers(names []string) []jen.Code {
	var out []jen.Code
	for len(names) > 0 {
		count, width := 0, 0
		for ; count < len(names) && (count == 0 || width+len(names[count]) <= widestTogether); count++ {
			width += len(names[count]) + 2
		}
		out, names = append(out, jen.Var().List(ids(names[:count])...).Float64()), names[count:]
	}
	return out
}

// declareLengths declares lengths as local variables.
func declareLengths(dims []expr.Dim) []jen.Code {
	var list []declaration
	for _, d := range dims {
		list = append(list, declaration{name: plan.DimName(d), value: "p." + plan.DimName(d)})
	}
	return together(list)
}

// stmts writes statements one after the other.
func (b body) stmts(list []program.Stmt) []jen.Code {
	var out []jen.Code
	var waiting []declaration
	flush := func() { out, waiting = append(out, together(waiting)...), nil }
	for len(list) > 0 {
		if b.unnamed(list[0]) {
			list = list[1:]
			continue
		}
		if n := filled(list); n > 0 {
			if b.onlyFilled(list[:n]) {
				flush()
				out, list = append(out, b.filling(list[:n])), list[n:]
				continue
			}
			if m := list[0].(*program.Buffer); n == 2 && m.To.About == "" && list[1].(*program.Call).Kernel == "clear" {
				waiting, list = append(waiting, declaration{name: m.To.Name, value: "dense.Zeroed(" + b.slotText(m) + ")"}), list[2:]
				continue
			}
			flush()
			out, list = append(out, b.fill(list[:n])), list[n:]
			continue
		}
		if d, ok := b.declared(list[0]); ok {
			waiting, list = append(waiting, d), list[1:]
			continue
		}
		flush()
		if n := b.guards(list); n > 0 {
			out, list = append(out, b.guarded(list[:n])), list[n:]
			continue
		}
		if n := kept(list); n > 1 {
			out, list = append(out, b.keep(list[:n])...), list[n:]
			continue
		}
		out, list = append(out, b.stmt(list[0])...), list[1:]
	}
	flush()
	return out
}

// unnamed reports whether memory is taken for stages alone, which find it by themselves, or as scratch.
func (b body) unnamed(s program.Stmt) bool {
	m, ok := s.(*program.Buffer)
	if ok && b.named != nil && (b.named[m.To] == 0 || b.isScratch(m.To)) {
		b.slotText(m) // is there all the same
		return true
	}
	return false
}

// guards is how many statements do nothing but end the function, all in the same way.
func (b body) guards(list []program.Stmt) int {
	way, n := "", 0
	for ; n < len(list); n++ {
		when, index := b.condition(list[n])
		if when == nil {
			break
		}
		fails := fmt.Sprintf("%#v", b.fail(index))
		if n > 0 && fails != way {
			break
		}
		way = fails
	}
	return n
}

// guarded writes them.
//
//	if <condition> || <condition> { <fail> }
func (b body) guarded(list []program.Stmt) jen.Code {
	any, index := b.condition(list[0])
	for _, s := range list[1:] {
		when, _ := b.condition(s)
		any = jen.Add(any).Op("||").Add(when)
	}
	return jen.If(any).Block(b.fail(index))
}

// condition is when a statement ends the function, and the index of the condition that does not hold then; nil where it does something
// else.
func (b body) condition(s program.Stmt) (when jen.Code, index int) {
	switch s := s.(type) {
	case *program.Call:
		if s.Definite && s.To == nil && s.Guard >= 0 && b.fail != nil {
			return jen.Op("!").Qual(densePkg, s.Kernel).Call(b.typedOperands(s.Args)...), s.Guard
		}
	case *program.Guard:
		return outside(b.expr(s.Value), s.Range), s.Index
	case *program.Each:
		if p := finite(s); p != nil {
			return jen.Op("!").Qual(densePkg, "Finite").Call(b.ref(program.Ref{Place: p})), s.Guards[0].Index
		}
		if s.WrittenOut() && oneCondition(s.Guards) && len(s.Body)+len(s.Sums)+len(s.Writes)+len(s.Totals) == 0 {
			return b.anyOutside(s.Guards), s.Guards[0].Index
		}
	}
	return nil, 0
}

// oneCondition reports whether all are of one condition.
func oneCondition(list []*program.Guard) bool {
	return len(list) > 0 && !slices.ContainsFunc(list, func(g *program.Guard) bool { return g.Index != list[0].Index })
}

// anyOutside is when a number is outside its range.
func (b body) anyOutside(list []*program.Guard) jen.Code {
	any := outside(b.expr(list[0].Value), list[0].Range)
	for _, g := range list[1:] {
		any = any.Op("||").Add(outside(b.expr(g.Value), g.Range))
	}
	return any
}

// declared is what a statement declares, where it does nothing else and there is nothing to say about it.
func (b body) declared(s program.Stmt) (declaration, bool) {
	switch s := s.(type) {
	case *program.Bind:
		// What a component's own value of memory is has been said where the memory was filled.
		if s.To.About == "" || s.From != nil || !s.OfRow() {
			argument := ""
			if s.From != nil && s.From.Owner == "" && s.From.Part != nil {
				argument = s.From.Name
			}
			return declaration{s.To.Name, b.boundText(s), argument}, true
		}
	case *program.Buffer:
		if s.To.About == "" && b.file.Shaped() {
			return declaration{name: s.To.Name, value: b.slotText(s)}, true
		}
	}
	return declaration{}, false
}

// filled is how many statements take memory and fill it: a kernel writes all of it, and others change it in place. It is 0 where there is no
// such kernel, and where memory holds a number for each row of a block: there the compiler is to see how long it is.
func filled(list []program.Stmt) int {
	m, ok := list[0].(*program.Buffer)
	if !ok || m.To.Shape.Block && len(m.To.Shape.Dims) == 0 {
		return 0
	}
	n := 1
	for ; n < len(list); n++ {
		c, ok := list[n].(*program.Call)
		if !ok || !intoFirst(c, m.To, n == 1) {
			break
		}
	}
	if n == 1 {
		return 0
	}
	return n
}

// intoFirst reports whether a kernel writes, or changes, a place that is its first operand, and mentions it nowhere else.
func intoFirst(c *program.Call, to *program.Place, writes bool) bool {
	k := program.Kernels()[c.Kernel]
	access := k.Params[0].Access
	if k.Special || c.To != nil || c.Definite || c.Args[0].Place != to || writes != (access == program.Writes) || access != program.Writes && access != program.Updates {
		return false
	}
	for _, a := range c.Args[1:] {
		again := a.Place == to
		program.Operands(a.Value, func(r program.Ref) { again = again || r.Place == to })
		if again {
			return false
		}
	}
	return true
}

// fill writes memory that is taken and filled at once.
//
//	<name> := dense.<Func>(p.<slot>, <operands>)
//	<name> := dense.Solve(dense.Copied(p.<slot>, <operand>), <operands>)
func (b body) fill(list []program.Stmt) jen.Code {
	m := list[0].(*program.Buffer)
	return about(jen.Id(m.To.Name).Op(":=").Add(b.filling(list)), m.To)
}

// onlyFilled reports whether memory is filled for stages alone, which find it by themselves, so that it needs no name.
func (b body) onlyFilled(list []program.Stmt) bool {
	to, n := list[0].(*program.Buffer).To, 0
	program.Mentions(list, func(p *program.Place) {
		if p == to {
			n++
		}
	})
	return b.named != nil && b.named[to] == n
}

// filling is what fills memory, and returns it.
func (b body) filling(list []program.Stmt) *jen.Statement {
	m := list[0].(*program.Buffer)
	value := jen.Id(b.slotText(m))
	for _, s := range list[1:] {
		c := s.(*program.Call)
		name := c.Kernel
		switch name {
		case "clear":
			name = "Zeroed"
		case "copy":
			name = "Copied"
		}
		value = jen.Qual(densePkg, name).Call(slices.Concat([]jen.Code{value}, b.operands(c.Args[1:]))...)
	}
	return value
}

// contiguous reports whether a loop over a matrix does to each entry the same with entries in the same place, so that it may go through
// memory.
func contiguous(e *program.Each) bool {
	if e.Shape.Block || e.Shape.Lower || len(e.Shape.Dims) != 2 || len(e.Guards)+len(e.Sums) > 0 {
		return false
	}
	same := true
	visit := func(r program.Ref) {
		switch {
		case len(r.At) == 0:
		case len(r.At) != 2 || r.Gathers() || r.At[0] != program.Over(program.I) || r.At[1] != program.Over(program.J),
			!slices.Equal(r.Place.Shape.Dims, e.Shape.Dims), r.Place.Shape.Block, r.Place.Shape.Stacked:
			same = false
		}
	}
	for _, s := range e.Body {
		if _, ok := s.(*program.Let); !ok {
			return false
		}
		program.Formulas(s, func(f program.Expr) { program.Operands(f, visit) })
	}
	for _, w := range e.Writes {
		visit(w.To)
		program.Operands(w.Value, visit)
	}
	for _, t := range e.Totals {
		program.Operands(t.Value, visit)
	}
	return same
}

// finite is the array of which a loop asks for nothing but that all of its entries are finite, nil where it does something else.
func finite(e *program.Each) *program.Place {
	if e.Shape.Block || e.Shape.Lower || len(e.Guards) != 1 || len(e.Body)+len(e.Sums)+len(e.Writes)+len(e.Totals) > 0 {
		return nil
	}
	if r, ok := e.Guards[0].Value.(program.Ref); ok && e.Guards[0].Range == expr.Real && whole(e, r) {
		return r.Place
	}
	return nil
}

// kept is how many statements keep numbers of a component as they are, each in memory of its own.
func kept(list []program.Stmt) int {
	n := 0
	for n < len(list) {
		s, ok := list[n].(*program.Store)
		if !ok || s.Free || s.To.Place.Given != nil || len(s.To.At) != 1 || s.To.At[0] != program.Over(program.Component) {
			break
		}
		if r, ok := s.Value.(program.Ref); !ok || len(r.At) > 0 || r.Place.Given != nil {
			break
		}
		n++
	}
	return n
}

// keep writes them.
//
//	<as>[comp], <bs>[comp] = <a>, <b>
func (b body) keep(list []program.Stmt) []jen.Code {
	var out []jen.Code
	for len(list) > 0 {
		var to, from []jen.Code
		width := 0
		for _, s := range list {
			s := s.(*program.Store)
			value := s.Value.(program.Ref)
			width += len(s.To.Place.Name) + len(value.Place.Name) + len("[comp], , ")
			if len(to) > 0 && width > widestTogether {
				break
			}
			to, from = append(to, b.ref(s.To)), append(from, b.ref(value))
		}
		out, list = append(out, jen.List(to...).Op("=").List(from...)), list[len(to):]
	}
	return out
}

// whole reports whether a reference is to the entry that a loop is at, in an array of the shape of the loop.
func whole(e *program.Each, r program.Ref) bool {
	if !slices.Equal(r.Place.Shape.Dims, e.Shape.Dims) || r.Place.Shape.Block || r.Place.Shape.Stacked || len(r.At) != len(e.Shape.Dims) ||
		r.Place.Given != nil && r.Place.Given.Part != nil && r.Place.Given.Part.Free {
		return false
	}
	loops := []program.Loop{program.I, program.J}
	for i, at := range r.At {
		if !at.Equal(program.Over(loops[i])) {
			return false
		}
	}
	return true
}
