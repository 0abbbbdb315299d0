package program

import "slices"

// Pass is a pass over the rows as a function of a range of them and of what it adds to: whoever runs it may cut the rows into ranges, give
// each memory of its own that is 0 at first, and add up what the ranges have.
type Pass struct {
	Of   Stmt
	Sums []*Sum // numbers, and the largest ones
	// Adds are arrays that it adds to and does not read, in the order in which it does.
	Adds []*Place
}

// PassOf is a pass as such a function; ok is false where it hands something else from one row to another, or may end the program.
func PassOf(s Stmt) (p *Pass, ok bool) {
	p = &Pass{Of: s}
	var writes []*Write
	switch s := s.(type) {
	case *Rows:
		p.Sums, writes = s.Sums, s.Writes
	case *Blocks:
		p.Sums = s.Sums
	default:
		return nil, false
	}
	a := &additions{inner: map[*Place]bool{Weights: true}, bound: map[*Place]bool{}, own: map[*Place]*Place{}, summed: map[*Place]bool{}, exempt: map[Stmt]bool{}, read: map[memory]bool{}}
	a.writes(writes)
	for _, sum := range p.Sums {
		a.inner[sum.To] = true
		if sum.Index != nil {
			a.inner[sum.Index] = true
		}
	}
	for _, c := range Columns(s) {
		a.inner[c.To] = true
	}
	body := *Bodies(s)[0]
	Walk(body, func(inner Stmt) {
		if _, ok := inner.(*Bind); ok {
			return
		}
		for _, to := range Declares(inner) {
			a.inner[to] = true
		}
	})
	Walk(body, a.statement)
	Walk([]Stmt{s}, func(inner Stmt) {
		Formulas(inner, func(e Expr) {
			if !a.exempt[inner] {
				a.reads(e)
			}
		})
	})
	for _, to := range a.adds {
		if a.read[memoryOf(to)] {
			return nil, false
		}
	}
	p.Adds = a.adds
	return p, !a.other
}

// IsCut reports whether a statement is a pass that is cut into ranges.
func IsCut(s Stmt) bool {
	switch s := s.(type) {
	case *Rows:
		return s.Cut
	case *Blocks:
		return s.Cut
	}
	return false
}

// CutPasses has passes cut into ranges that can be, where wanted says so.
func CutPasses(p *Program, wanted func(*Pass) bool) {
	Walk(p.Body, func(s Stmt) {
		pass, ok := PassOf(s)
		if !ok || !wanted(pass) {
			return
		}
		switch s := s.(type) {
		case *Rows:
			s.Cut = true
		case *Blocks:
			s.Cut = true
		}
	})
}

// memory is what tells arrays apart: what is given has a name, and may have several places.
type memory struct {
	place *Place
	given string
}

func memoryOf(p *Place) memory {
	if p.Given != nil {
		return memoryGiven(p.Given)
	}
	return memory{place: p}
}

func memoryGiven(g *Given) memory { return memory{given: g.Owner + "." + g.Name} }

// additions finds what a pass adds to.
type additions struct {
	inner  map[*Place]bool   // what is declared in the pass
	bound  map[*Place]bool   // names that it has for what is given
	own    map[*Place]*Place // a component's own part of an array
	summed map[*Place]bool   // numbers of a component that are summed up
	exempt map[Stmt]bool     // statements that keep such a number
	adds   []*Place
	read   map[memory]bool
	other  bool // does something else than adding
}

// root is the array that a place is, or is a part of.
func (a *additions) root(p *Place) *Place {
	for a.own[p] != nil {
		p = a.own[p]
	}
	return p
}

func (a *additions) add(p *Place) {
	if a.bound[p] || p.Given != nil && (p.Given.Part != nil || len(p.Given.At) > 0) { // a part of what is given
		a.other = true
	}
	if !slices.ContainsFunc(a.adds, func(q *Place) bool { return memoryOf(q) == memoryOf(p) }) {
		a.adds = append(a.adds, p)
	}
}

func (a *additions) reads(e Expr) {
	Operands(e, func(r Ref) { a.read[memoryOf(a.root(r.Place))] = true })
}

func (a *additions) statement(s Stmt) {
	switch s := s.(type) {
	case *Bind:
		switch {
		case s.Own != nil:
			a.own[s.To] = s.Own
		case s.Out:
			a.other = true
		default:
			a.bound[s.To] = true
			a.read[memoryGiven(s.From)] = true
		}
	case *Let:
		a.other = a.other || s.Out
	case *Joint, *Buffer, *Prepare, *Components, *EachRow, *Attained, *Zero:
	case *Solve:
		for i, to := range s.To {
			if to != nil && s.Fn.Vars[i%len(s.Fn.Vars)].Type.Rank > 0 {
				a.writesTo(to)
			}
		}
		a.operands(s.Args)
	case *Store:
		a.store(s)
	case *Call:
		a.call(s)
	case *Each:
		a.each(s)
	case *Add:
		a.other = a.other || !a.inner[s.To]
	default: // what may end the program, and passes in passes
		a.other = true
	}
}

// writesTo notes that an array is written, which has to be one of the pass, or what its rows have of a column.
func (a *additions) writesTo(p *Place) { a.other = a.other || !a.inner[a.root(p)] && !p.OfRows() }

// store: what a component has summed up is kept.
func (a *additions) store(s *Store) {
	value, ok := s.Value.(Ref)
	if ok && a.summed[value.Place] && a.own[value.Place] == s.To.Place {
		a.exempt[s] = true
		return
	}
	a.writesTo(s.To.Place)
}

func (a *additions) operands(list []Operand) {
	for _, o := range list {
		if o.Place != nil {
			a.read[memoryOf(a.root(o.Place))] = true
		}
	}
}

func (a *additions) call(s *Call) {
	a.other = a.other || s.Definite
	for i, p := range Kernels()[s.Kernel].Params {
		to := s.Args[i].Place
		if to == nil {
			continue
		}
		switch root := a.root(to); {
		case p.Adds && !a.inner[root] && !to.OfRows():
			a.add(root)
		case p.Access == Reads:
			a.read[memoryOf(root)] = true
		default:
			a.writesTo(to)
			if p.Access == Updates {
				a.read[memoryOf(root)] = true
			}
		}
	}
}

func (a *additions) each(s *Each) {
	a.other = a.other || len(s.Guards) > 0
	for _, sum := range s.Sums {
		if a.inner[sum.To] {
			continue
		}
		root := a.root(sum.To)
		if a.other = a.other || sum.Max || root == sum.To; !a.other { // one of a component
			a.summed[sum.To] = true
			a.add(root)
		}
	}
	for _, t := range s.Totals {
		if s.Shape.Block && !t.To.Shape.Number() {
			a.writesTo(t.To)
		}
	}
	a.writes(s.Writes)
}

// writes: entries of the row, or of the pass, are written; others are added to.
func (a *additions) writes(list []*Write) {
	for _, w := range list {
		root := a.root(w.To.Place)
		switch ofRow := slices.ContainsFunc(w.To.At, func(i Index) bool { return i.Loop == Row }); {
		case a.inner[root] || ofRow && !w.To.Gathers():
		case w.Add:
			a.add(root)
		default:
			a.other = true
		}
	}
}
