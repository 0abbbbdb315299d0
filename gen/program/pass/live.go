package pass

import (
	"slices"

	"github.com/sngdgen/sngdgen/gen/program"
)

// effect is something that a program does, as far as it can be left out by itself: what it reads, and what it writes to. What a name is a part of
// stands for the part.
type effect struct {
	reads, writes []*program.Place
	root          bool         // is needed whatever reads it: a result, a condition, what is written to memory that the program is given
	number        bool         // computes numbers, at no cost to speak of
	pass          program.Stmt // over the rows, in which it is done, or nil
	live          bool
}

// liveness says what of a program is needed for what comes out of it.
type liveness struct {
	wholes
	given    map[*program.Place]bool // names of what the program is given
	unwanted map[*program.Place]bool // of these, what need not be written to
	effects  []*effect
	pass     program.Stmt    // that is being noted
	of       map[any]*effect // by what has it: statements, and the ends of loops
	needed   map[*program.Place]bool
}

// livenessOf finds what is needed: roots, and what they read, and what computes that. What is given are names of memory that others read too.
func livenessOf(body []program.Stmt, unwanted map[*program.Place]bool, given ...*program.Place) *liveness {
	l := &liveness{wholes: wholesIn(body), given: map[*program.Place]bool{}, unwanted: unwanted, of: map[any]*effect{},
		needed: map[*program.Place]bool{}}
	for _, p := range given {
		l.given[p] = true
	}
	program.Walk(body, func(s program.Stmt) {
		if b, ok := s.(*program.Bind); ok && b.From != nil {
			l.given[b.To] = true
		}
	})
	l.noteAll(body)
	l.spread()
	return l
}

// spread makes live what roots need.
func (l *liveness) spread() {
	for changed := true; changed; {
		changed = false
		for _, e := range slices.Backward(l.effects) {
			if !e.live && (e.root || slices.ContainsFunc(e.writes, func(p *program.Place) bool { return l.needed[p] })) {
				e.live, changed = true, true
				for _, p := range e.reads {
					l.needed[p] = true
				}
			}
		}
	}
}

// whole is what a place is a part of, the place itself where it is no part.
func (l *liveness) whole(p *program.Place) *program.Place {
	for l.wholes[p] != nil {
		p = l.wholes[p]
	}
	return p
}

// own reports whether nobody but the program reads a place.
func (l *liveness) own(p *program.Place) bool {
	return l.unwanted[p] || p.Given == nil && !l.given[p]
}

// add notes what a statement, or an end of a loop, does.
func (l *liveness) add(of any, e *effect) {
	e.pass = l.pass
	for i, p := range e.writes {
		e.writes[i] = l.whole(p)
		e.root = e.root || !l.own(e.writes[i])
	}
	l.effects, l.of[of] = append(l.effects, e), e
}

// reads are the places that formulas, and the subscripts of an entry, read.
func (l *liveness) reads(formulas ...program.Expr) (out []*program.Place) {
	for _, f := range formulas {
		program.Operands(f, func(r program.Ref) { out = append(out, l.whole(r.Place)) })
	}
	return out
}

func (l *liveness) subscripts(r program.Ref) (out []*program.Place) {
	for _, i := range r.At {
		if i.By != nil {
			out = append(out, l.reads(*i.By)...)
		}
	}
	return out
}

// noteAll notes what statements do, with those inside them.
func (l *liveness) noteAll(body []program.Stmt) {
	for _, s := range body {
		outside := l.pass
		switch s.(type) {
		case *program.Rows, *program.Blocks:
			l.pass = s
		}
		l.note(s)
		for _, inner := range program.Bodies(s) {
			l.noteAll(*inner)
		}
		l.pass = outside
	}
}

// note notes what a statement does, without those inside it.
func (l *liveness) note(s program.Stmt) {
	switch s := s.(type) {
	case *program.Let:
		l.add(s, &effect{reads: l.reads(s.Value), writes: []*program.Place{s.To}, root: s.Out, number: true})
	case *program.Joint:
		l.add(s, &effect{reads: l.reads(s.Value), writes: slices.Clone(s.To), number: true})
	case *program.Attained:
		l.add(s, &effect{reads: []*program.Place{l.whole(s.Index)}, writes: []*program.Place{s.To}, number: true})
	case *program.Zero:
		l.add(s, &effect{writes: []*program.Place{s.To}, number: true})
	case *program.Add:
		l.add(s, &effect{reads: l.reads(s.Value), writes: []*program.Place{s.To}, number: true})
	case *program.Guard:
		l.add(s, &effect{reads: l.reads(s.Value), root: true})
	case *program.Return:
		l.add(s, &effect{reads: l.reads(s.Value), root: true})
	case *program.Prepare:
		// What has been prepared for every component is found by its slot.
		l.add(s, &effect{reads: l.reads(s.Operand), writes: []*program.Place{s.To}, root: s.Stacked && !s.View})
	case *program.Store:
		l.add(s, &effect{reads: append(l.reads(s.Value), l.subscripts(s.To)...), writes: []*program.Place{s.To.Place},
			number: s.To.Place.Shape.Stacked && len(s.To.Place.Shape.Dims) == 0})
	case *program.Solve:
		e := &effect{writes: slices.DeleteFunc(slices.Clone(s.To), func(p *program.Place) bool { return p == nil })}
		for _, a := range s.Args {
			e.reads = append(e.reads, l.operand(a)...)
		}
		l.add(s, e)
	case *program.Call:
		l.call(s)
	case *program.Each:
		for _, g := range s.Guards {
			l.add(g, &effect{reads: l.reads(g.Value), root: true})
		}
		for _, t := range s.Totals {
			l.add(t, &effect{reads: l.reads(t.Value), writes: []*program.Place{t.To}, number: !s.Shape.Block})
		}
		l.ends(s.Sums, s.Writes)
	case *program.Rows:
		l.ends(s.Sums, s.Writes)
	case *program.Perform:
		e := &effect{root: true}
		for _, p := range slices.Concat(s.In, s.Held) {
			e.reads = append(e.reads, l.whole(p))
		}
		l.add(s, e)
	case *program.Bind, *program.Buffer, *program.Blocks, *program.Components, *program.EachRow, *program.Evaluate:
	default:
		panic("pass: what is live in " + program.Key(s) + "?")
	}
}

func (l *liveness) operand(a program.Operand) []*program.Place {
	if a.Place != nil {
		return []*program.Place{l.whole(a.Place)}
	}
	return l.reads(a.Value)
}

// call notes what a kernel does.
func (l *liveness) call(s *program.Call) {
	e := &effect{root: s.Definite}
	if s.To != nil {
		e.writes, e.number = append(e.writes, s.To), true
	}
	for i, p := range program.Kernels()[s.Kernel].Params {
		if a := s.Args[i]; a.Place != nil && (p.Access == program.Writes || p.Access == program.Updates) {
			e.writes, e.number = append(e.writes, l.whole(a.Place)), false
		}
	}
	for i, p := range program.Kernels()[s.Kernel].Params {
		if a := s.Args[i]; p.Access == program.Reads || p.Access == program.Updates {
			e.reads = append(e.reads, l.operand(a)...)
		}
	}
	l.add(s, e)
}

// ends notes what a loop over rows or entries does at its end.
func (l *liveness) ends(sums []*program.Sum, writes []*program.Write) {
	for _, t := range sums {
		e := &effect{reads: l.reads(t.Value), writes: []*program.Place{t.To}, number: true}
		if t.Index != nil {
			e.writes = append(e.writes, t.Index)
		}
		l.add(t, e)
	}
	for _, w := range writes {
		l.add(w, &effect{reads: append(l.reads(w.Value), l.subscripts(w.To)...), writes: []*program.Place{w.To.Place}})
	}
}

// keepNumbers makes numbers live that nothing needs, where all that they are made of is there anyway.
func (l *liveness) keepNumbers(which Kept) {
	kept := map[*effect]bool{}
	writers := map[*program.Place][]*effect{}
	for _, e := range l.effects {
		asked := Numbers
		if e.pass != nil {
			asked = RowNumbers
		}
		kept[e] = e.live || e.number && which&asked != 0
		for _, p := range e.writes {
			writers[p] = append(writers[p], e)
		}
	}
	dropped := func(p *program.Place) bool {
		return slices.ContainsFunc(writers[p], func(e *effect) bool { return !kept[e] })
	}
	for changed := true; changed; {
		changed = false
		for _, e := range l.effects {
			if kept[e] && !e.live && (slices.ContainsFunc(e.reads, dropped) || slices.ContainsFunc(e.writes, dropped)) {
				kept[e], changed = false, true
			}
		}
	}
	for e := range kept {
		if kept[e] {
			e.live = true
			for _, p := range e.writes {
				l.needed[p] = true
			}
		}
	}
}

// keepPasses makes everything live that is done in some passes over the rows.
func (l *liveness) keepPasses(kept map[program.Stmt]bool) {
	for _, e := range l.effects {
		e.root = e.root || kept[e.pass]
	}
	l.spread()
}

// dead reports whether what a statement, or an end of a loop, does is not needed.
func (l *liveness) dead(of any) bool {
	e := l.of[of]
	return e != nil && !e.live
}
