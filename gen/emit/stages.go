package emit

import (
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/sngdgen/sngdgen/gen/program"
	"github.com/sngdgen/sngdgen/gen/program/wording"
)

// writeStages declares the methods of stages.
func (f *file) writeStages() {
	for _, s := range f.stages {
		f.writeStage(s)
	}
}

// bodyOf is what writes a stage: like the function that has it first.
func (f *file) bodyOf(s *program.Stage) body {
	for _, name := range s.Users {
		for _, step := range f.Functions[name].Steps {
			if step.Program == s.Of {
				return f.bodyFor(&step)
			}
		}
	}
	panic("emit: a stage of no function: " + s.Name)
}

// perform writes the call of a stage, under the names that the program has. What it leaves in memory gets its name here.
func (b body) perform(s *program.Perform) []jen.Code {
	args := append(b.ofBlock(s.Stage), b.passedTo(s.Stage, s.In)...)
	var results []jen.Code
	new := false
	for _, p := range s.Out {
		if p == nil || b.named[p] == 0 {
			results = append(results, jen.Id("_"))
			continue
		}
		results, new = append(results, jen.Id(p.Name)), true
	}
	var added []jen.Code
	for _, p := range s.Stage.Adds {
		part := jen.Id(wording.Behind("block", p.Name))
		results, new = append(results, part), true
		added = append(added, jen.Id(p.Name).Op("+=").Add(part))
	}
	if s.Stage.Fails {
		results = append(results, jen.Id("ok"))
	}
	call := jen.Id("p").Dot(s.Stage.Name).Call(args...)
	switch {
	case len(results) > 0 && (new || s.Stage.Fails):
		call = jen.List(results...).Op(":=").Add(call)
	case len(results) > 0:
		call = jen.List(results...).Op("=").Add(call)
	}
	out := one(call)
	if s.Stage.Fails {
		fail := b.indefinite
		if b.fail != nil {
			fail = one(b.fail(0))
		}
		if out = one(jen.If(call, jen.Op("!").Id("ok")).Block(fail...)); new {
			out = []jen.Code{call, jen.If(jen.Op("!").Id("ok")).Block(fail...)}
		}
	}
	return slices.Concat(out, added, b.memoryOf(s.Stage.Kept, s.Kept))
}

// passedTo is what is passed to a stage: prepared functions, arrays, numbers.
func (b body) passedTo(s *program.Stage, in []*program.Place) []jen.Code {
	var prepared, arrays, numbers []jen.Code
	for _, a := range s.Arguments {
		if a.Number {
			numbers = append(numbers, jen.Id(a.Name))
		} else {
			arrays = append(arrays, jen.Id(a.Name))
		}
	}
	for i, p := range s.In {
		switch {
		case b.preparedType(s.Of, p) != "":
			prepared = append(prepared, jen.Id(in[i].Name))
		case p.Shape.Number():
			numbers = append(numbers, jen.Id(in[i].Name))
		default:
			arrays = append(arrays, jen.Id(in[i].Name))
		}
	}
	return slices.Concat(prepared, arrays, numbers)
}

// ofBlock is what a stage inside a pass knows of the block: where it begins, how many rows it has, of which component they are, their weights.
func (b body) ofBlock(s *program.Stage) []jen.Code {
	if s.Within == nil {
		return nil
	}
	out := []jen.Code{jen.Id("start"), jen.Id(b.use("b"))}
	if ofOwn(s) {
		out = append(out, jen.Id("own"))
	}
	if s.Within.Weights {
		out = append(out, jen.Id("weights"))
	}
	return out
}

// ofOwn reports whether a stage has loops for the component of the rows.
func ofOwn(s *program.Stage) (own bool) {
	program.Walk(s.Body, func(s program.Stmt) {
		c, ok := s.(*program.Components)
		own = own || ok && c.Own
	})
	return own
}

// parameters are those of a stage, in the same order.
func (b body) parameters(s *program.Stage) []jen.Code {
	var params []jen.Code
	if s.Within != nil {
		ints := []jen.Code{jen.Id("start"), jen.Id("b")}
		if ofOwn(s) {
			ints = append(ints, jen.Id("own"))
		}
		if params = append(params, jen.List(ints...).Int()); s.Within.Weights {
			params = append(params, floats("weights"))
		}
	}
	var numbers, arrays []string
	for _, a := range s.Arguments {
		if a.Number {
			numbers = append(numbers, a.Name)
		} else {
			arrays = append(arrays, a.Name)
		}
	}
	for _, p := range s.In {
		switch t := b.preparedType(s.Of, p); {
		case t != "":
			params = append(params, jen.Id(p.Name).Add(preparedPointer(t)))
		case p.Shape.Number():
			numbers = append(numbers, p.Name)
		default:
			arrays = append(arrays, p.Name)
		}
	}
	if len(arrays) > 0 {
		params = append(params, floats(arrays...))
	}
	if len(numbers) > 0 {
		params = append(params, scalars(numbers))
	}
	return params
}

// named is how often statements write the names of places, those of memory that stages find by themselves left out.
func named(stmts []program.Stmt) map[*program.Place]int {
	out := map[*program.Place]int{}
	program.Mentions(stmts, func(p *program.Place) { out[p]++ })
	program.Walk(stmts, func(s program.Stmt) {
		if s, ok := s.(*program.Perform); ok {
			for _, p := range s.Held {
				out[p]--
			}
		}
	})
	return out
}

// scratch is memory that statements take for one call to write what nobody reads. It needs no name.
func scratch(stmts []program.Stmt) map[*program.Place]*program.Buffer {
	out, taken, times := map[*program.Place]*program.Buffer{}, map[*program.Place]*program.Buffer{}, named(stmts)
	program.Walk(stmts, func(s program.Stmt) {
		switch s := s.(type) {
		case *program.Buffer:
			taken[s.To] = s
		case *program.Call:
			for i, param := range program.Kernels()[s.Kernel].Params {
				if to := s.Args[i].Place; param.Access == program.Scratch && taken[to] != nil && times[to] == 1 {
					out[to] = taken[to]
				}
			}
		}
	})
	return out
}

// isScratch reports whether a place is such memory; of functions of rows that are given it is on the stack, with a name.
func (b body) isScratch(p *program.Place) bool { return b.scratch[p] != nil && b.file.Shaped() }

// memoryOf gives names to memory that somebody else has filled, where they are needed.
func (b body) memoryOf(list []*program.Buffer, places []*program.Place) []jen.Code {
	var names []declaration
	for i, m := range list {
		if places[i] != nil && b.named[places[i]] > 0 {
			names = append(names, declaration{name: places[i].Name, value: b.slotText(m)})
		}
	}
	return together(names)
}

// writeStage declares the method of a stage.
func (f *file) writeStage(s *program.Stage) {
	b := f.bodyOf(s)
	var results, zeros, values []jen.Code
	for _, p := range s.Out {
		values = append(values, jen.Id(p.Name))
		switch t := b.preparedType(s.Of, p); {
		case t != "":
			results, zeros = append(results, preparedPointer(t)), append(zeros, jen.Nil())
		case p.Shape.Number():
			results, zeros = append(results, jen.Float64()), append(zeros, jen.Lit(0))
		default:
			results, zeros = append(results, jen.Index().Float64()), append(zeros, jen.Nil())
		}
	}
	for _, p := range s.Adds { // what this block adds
		results, zeros, values = append(results, jen.Float64()), append(zeros, jen.Lit(0)), append(values, jen.Id(wording.Behind("block", p.Name)))
	}
	if s.Fails {
		results, zeros, values = append(results, jen.Bool()), append(zeros, jen.False()), append(values, jen.True())
	}
	if b.checked {
		b.fail = func(int) jen.Code { return jen.Return(zeros...) }
	}
	if b.definite {
		b.indefinite = one(jen.Return(zeros...))
	}
	var held []*program.Place
	for _, m := range s.Held {
		held = append(held, m.To)
	}
	b.named, b.scratch, b.elsewhere = named(s.Body), scratch(s.Body), s.Adds
	for _, p := range s.Out {
		b.named[p]++
	}
	body := append(b.memoryOf(s.Held, held), b.stmts(s.Body)...)
	if len(values) > 0 {
		body = append(body, jen.Return(values...))
	}
	f.decls = append(f.decls, jen.Add(comments(wrapped(aboutStage(s))),
		method(s.Name).Params(b.parameters(s)...).Params(results...).Block(b.withLengths(body)...)))
}

// aboutStage says who has a stage, and what it makes.
func aboutStage(s *program.Stage) string {
	last := len(s.Users) - 1
	about := s.Name + " is a part of " + s.Users[last]
	if last > 0 {
		about = s.Name + " is a part of " + strings.Join(s.Users[:last], ", ") + " and " + s.Users[last]
	}
	if made := made(s.Out); made != "" {
		about += ". It returns " + made
	}
	if s.Fails {
		about += ", and false outside the domain"
	}
	var kept []*program.Place
	for _, m := range s.Kept {
		kept = append(kept, m.To)
	}
	if made := made(kept); made != "" {
		about += ". In memory it leaves " + made
	}
	return about + "."
}

// made lists what a stage computes for those who call it, with formulas.
func made(places []*program.Place) string {
	var list []string
	for _, p := range places {
		switch {
		case p.About == "" || len(p.About) > 60:
			list = append(list, p.Name)
		default:
			list = append(list, p.Name+" = "+p.About)
		}
	}
	return strings.Join(list, ", ")
}

// preparedType is the type of functions that a program has prepared under a name, "" where it is none of these.
func (b body) preparedType(of *program.Program, place *program.Place) string {
	typ := ""
	program.Walk(of.Body, func(s program.Stmt) {
		if l, ok := s.(*program.Prepare); ok && l.To == place {
			typ = l.Type
		}
	})
	return typ
}

// preparedPointer is the type of functions that are prepared for an operand, as they are handed on.
func preparedPointer(typ string) *jen.Statement {
	return jen.Op("*").Qual(module+"/special", typ[strings.LastIndexByte(typ, '.')+1:])
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
