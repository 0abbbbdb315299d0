package emit

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sngdgen/sngdgen/gen/methods"
	"github.com/sngdgen/sngdgen/gen/program"
)

// The choice of stages.
const (
	// leastCommon is how many lines are worth a method, leastSaved how many it has to save.
	leastCommon, leastSaved = 6, 6
	// mostPassed is how many values may go into a stage, mostReturned how many may come out of it.
	mostPassed, mostReturned = 14, 8
	// shortest is how many lines of a function that is too long are worth a stage.
	shortest = 25
	// longest is how many lines a function may have, as far as its text tells.
	longest = 115
)

// share finds what programs have in common, and what is too long.
func (f *file) share() {
	var list []*deferred
	for _, d := range f.deferred {
		switch name := d.prog.Name; {
		case strings.HasPrefix(name, methods.UnconstrainedPrefix), name == "LogDensity", name == "Sample", name == "Violation", name == "Outside":
			continue // no methods of the model, or who ask which condition fails
		}
		if d.columns == givenRows || d.columns == predictorRows {
			continue // their rows are arguments
		}
		d.read()
		d.lives = livesOf(d)
		list = append(list, d)
	}
	for {
		all := candidates(list)
		slices.SortStableFunc(all, func(a, b *found) int { return b.saves() - a.saves() })
		best := slices.IndexFunc(all, func(c *found) bool { return c.saves() >= leastSaved && c.passes() })
		if best < 0 {
			break
		}
		f.extract(all[best])
	}
	for _, d := range list {
		if d.length() <= longest {
			continue
		}
		for d.length() > longest {
			cut := d.cut()
			if cut == nil {
				break
			}
			f.extract(cut)
		}
	}
}

// length is about how many lines a function has, those of its stages not counted.
func (d *deferred) length() int {
	n := 0
	for i, s := range d.text {
		if !d.taken[i] {
			n += s.lines
		} else if d.calls[i] != nil {
			n += 4
		}
	}
	return n
}

// cut is the part of a function that is to be a stage: of those that are neither short nor long, the one that least goes into and comes out of.
func (d *deferred) cut() *found {
	var best *found
	least, whole := mostPassed+mostReturned+1, d.length()
	for from := range d.text {
		lines := 0
		for to := from; to < len(d.text) && !d.taken[to]; to++ {
			if lines += d.text[to].lines; lines > longest && to > from {
				break
			}
			if lines < shortest || whole-lines < shortest || d.crossing(from, to+1) >= least {
				continue
			}
			s := stageOf(d, from, to+1)
			if s == nil {
				continue
			}
			c := &found{stage: s, lines: lines, where: []occurrence{{d, from}}}
			if !c.passes() {
				continue
			}
			if n := len(s.in) + len(s.arguments) + len(s.out); n < least {
				best, least = c, n
			}
		}
	}
	return best
}

// crossing is how many numbers and arrays go into statements, or come out of them.
func (d *deferred) crossing(from, to int) int {
	n := 0
	for _, l := range d.lives {
		at := func(k int) bool { return k >= from && k < to }
		if l.first < from && slices.ContainsFunc(l.used, at) || at(l.first) && l.used[len(l.used)-1] >= to {
			n++
		}
	}
	return n
}

// life is where a number or an array is declared, and where it is used.
type life struct {
	first int
	used  []int
}

// livesOf are those of what a program declares; of names for what is given there are none, as everybody may have them.
func livesOf(d *deferred) []life {
	by := map[*program.Place]*life{}
	var order []*life
	for i, f := range d.facts(0, len(d.prog.Body)) {
		if f.bind == nil {
			for _, to := range f.declares {
				if to != nil && by[to] == nil {
					by[to] = &life{first: i}
					order = append(order, by[to])
				}
			}
		}
		for _, to := range f.mentions {
			if l := by[to]; l != nil {
				l.used = append(l.used, i)
			}
		}
	}
	var out []life
	for _, l := range order {
		if len(l.used) > 0 {
			out = append(out, *l)
		}
	}
	return out
}

// found is a run of statements that several programs have.
type found struct {
	stage *stage
	lines int
	where []occurrence
}

type occurrence struct {
	d  *deferred
	at int
}

// passes reports whether what goes in and what comes out is little enough.
func (c *found) passes() bool {
	c.need()
	return len(c.stage.in)+len(c.stage.arguments) <= mostPassed && len(c.stage.out) <= mostReturned
}

// saves is how many lines are saved.
func (c *found) saves() int {
	calls := 1
	if c.stage.fails {
		calls = 4
	}
	return c.lines*(len(c.where)-1) - calls*len(c.where) - 5
}

// extract makes a stage of what was found.
func (f *file) extract(c *found) {
	f.stages++
	s := c.stage
	s.name = fmt.Sprintf("stage%d", f.stages)
	for _, o := range c.where {
		s.users = append(s.users, o.d.prog.Name)
		o.d.calls[o.at] = s
		for k := range s.to - s.from {
			o.d.taken[o.at+k] = true
		}
	}
	f.write(s)
}

// candidates are the longest runs that two programs have in common, with all programs that have them.
func candidates(list []*deferred) []*found {
	type start struct {
		d  int
		at int
	}
	by := map[string][]start{}
	var order []string
	for i, d := range list {
		for k := range d.text {
			if d.taken[k] {
				continue
			}
			if by[d.text[k].shape] == nil {
				order = append(order, d.text[k].shape)
			}
			by[d.text[k].shape] = append(by[d.text[k].shape], start{i, k})
		}
	}
	var out []*found
	seen := map[[3]int]bool{}
	for _, shape := range order {
		starts := by[shape]
		for i, a := range starts {
			for _, b := range starts[i+1:] {
				if a.d == b.d || startsEarlier(list[a.d], list[b.d], a.at, b.at) {
					continue
				}
				n := common(list[a.d], list[b.d], a.at, b.at)
				for ; n > 0 && !seen[[3]int{a.d, a.at, n}]; n-- {
					s := stageOf(list[a.d], a.at, a.at+n)
					if s == nil || list[a.d].hot() {
						continue
					}
					seen[[3]int{a.d, a.at, n}] = true
					c := &found{stage: s}
					for k := range n {
						c.lines += list[a.d].text[a.at+k].lines
					}
					if c.lines < leastCommon {
						break
					}
					for _, o := range starts[i:] {
						d := list[o.d]
						if o.at+n <= len(d.text) && (o == a || d.fits(s, o.at)) && !c.has(d, o.at) {
							c.where = append(c.where, occurrence{d, o.at})
						}
					}
					if len(c.where) > 1 && list[a.d].crossing(s.from, s.to) <= mostPassed {
						out = append(out, c)
						break
					}
				}
			}
		}
	}
	return out
}

// startsEarlier reports whether the statements in front are the same too.
func startsEarlier(a, b *deferred, i, j int) bool {
	return i > 0 && j > 0 && !a.taken[i-1] && !b.taken[j-1] && a.text[i-1].shape == b.text[j-1].shape
}

// common is how many statements from there on have the same text but for names.
func common(a, b *deferred, i, j int) int {
	n := 0
	for i+n < len(a.text) && j+n < len(b.text) && !a.taken[i+n] && !b.taken[j+n] && a.text[i+n].shape == b.text[j+n].shape {
		n++
	}
	for n > 0 && !same(a.text[i:i+n], b.text[j:j+n]) {
		n--
	}
	return n
}

func (c *found) has(d *deferred, at int) bool {
	n := c.stage.to - c.stage.from
	return slices.ContainsFunc(c.where, func(o occurrence) bool { return o.d == d && at < o.at+n && o.at < at+n })
}

// fits reports whether statements from there on are a stage, and may call it.
func (d *deferred) fits(s *stage, at int) bool {
	n := s.to - s.from
	return !slices.Contains(d.taken[at:at+n], true) && !d.hot() && same(s.of.text[s.from:s.to], d.text[at:at+n]) && stageOf(d, at, at+n) != nil &&
		d.columns == s.of.columns && (d.fail == nil) == (s.of.fail == nil) && (len(d.indefinite) == 0) == (len(s.of.indefinite) == 0)
}

// stageOf makes a stage of statements, nil where they cannot be one.
func stageOf(d *deferred, from, to int) *stage {
	s := &stage{of: d, from: from, to: to}
	declared := map[*program.Place]bool{}
	for _, f := range d.facts(from, to) {
		for _, p := range f.declares {
			declared[p] = true
		}
	}
	for _, f := range d.facts(from, to) {
		// Numbers that are added to elsewhere stay where they are.
		if f.stays || slices.ContainsFunc(f.adds, func(p *program.Place) bool { return !declared[p] }) {
			return nil
		}
		s.fails = s.fails || f.fails
	}
	return s
}

// need finds what goes in and what comes out, for all who have it.
func (c *found) need() {
	s := c.stage
	var names []string // of what somebody needs later, in the names of the stage
	for _, o := range c.where {
		back := map[string]string{}
		for a, b := range o.d.renamed(s, o.at) {
			back[b] = a
		}
		for _, f := range o.d.facts(o.at+s.to-s.from, len(o.d.prog.Body)) {
			for _, p := range f.mentions {
				if p.Given == nil && back[p.Name] != "" && !slices.Contains(names, back[p.Name]) {
					names = append(names, back[p.Name])
				}
			}
		}
	}
	s.in, s.out, s.arguments, s.numbers = nil, nil, nil, nil
	s.makesOut(names)
	inner := map[*program.Place]bool{}
	body := s.facts()
	for _, f := range body {
		for _, p := range f.inner {
			inner[p] = true
		}
		for _, g := range f.takes {
			s.take(g.given, g.shape)
		}
	}
	for _, f := range body {
		for _, p := range f.mentions {
			switch {
			case p == program.Weights || inner[p]:
			case p.Given != nil:
				s.take(p.Given, p.Shape)
			case !slices.Contains(s.in, p):
				s.in = append(s.in, p)
			}
		}
	}
}

// makesOut notes what of a stage somebody needs later, by its name.
func (s *stage) makesOut(names []string) {
	declared := map[*program.Place]bool{}
	for _, f := range s.of.facts(s.from, s.to) {
		for _, p := range f.declares {
			if p == nil || declared[p] {
				continue
			}
			declared[p] = true
			if f.bind == nil && slices.Contains(names, p.Name) {
				s.out = append(s.out, p)
			}
		}
	}
}

// facts are those of the statements of a stage, without names for what is given that only its callers use.
func (s *stage) facts() []*facts {
	all := s.of.facts(s.from, s.to)
	mentioned := map[*program.Place]bool{}
	for _, f := range all {
		for _, p := range f.mentions {
			mentioned[p] = true
		}
	}
	return slices.DeleteFunc(slices.Clone(all), func(f *facts) bool { return f.bind != nil && !mentioned[f.bind.To] })
}

// facts is what the choice of stages asks of a statement, with those inside it, again and again.
type facts struct {
	stmt     program.Stmt
	bind     *program.Bind    // the statement, where it gives a name
	declares []*program.Place // for those that follow
	inner    []*program.Place // for those inside it too
	mentions []*program.Place
	takes    []taken          // arguments of the function that it names or writes to
	adds     []*program.Place // by a loop over components
	fails    bool             // may end the function
	stays    bool             // cannot be moved
}

// taken is an argument of a function.
type taken struct {
	given *program.Given
	shape program.Shape
}

// facts are those of statements of a program.
func (d *deferred) facts(from, to int) []*facts {
	if d.known == nil {
		for _, stmt := range d.prog.Body {
			d.known = append(d.known, d.factsOf(stmt))
		}
	}
	return d.known[from:to]
}

func (d *deferred) factsOf(stmt program.Stmt) *facts {
	f := &facts{stmt: stmt, declares: program.Declares(stmt)}
	f.bind, _ = stmt.(*program.Bind)
	_, f.stays = stmt.(*program.Return)
	_, components := stmt.(*program.Components)
	program.Walk([]program.Stmt{stmt}, func(in program.Stmt) {
		f.inner = append(append(f.inner, program.Declares(in)...), bodyPlaces(in)...)
		switch t := in.(type) {
		case *program.Guard:
			f.fails = true
		case *program.Each:
			f.fails = f.fails || len(t.Guards) > 0
		case *program.Call:
			f.fails = f.fails || t.Definite && (t.Guard >= 0 && d.fail != nil || len(d.indefinite) > 0)
		case *program.Prepare:
			f.stays = f.stays || t.View
		case *program.Attained:
			f.stays = true
		case *program.Add:
			if components {
				f.adds = append(f.adds, t.To)
			}
		case *program.Bind:
			if t.From != nil {
				f.takes = append(f.takes, taken{t.From, t.To.Shape})
			}
		case *program.Store:
			if t.To.Place.Given != nil {
				f.takes = append(f.takes, taken{t.To.Place.Given, t.To.Place.Shape})
			}
		}
	})
	seen := map[*program.Place]bool{}
	program.Mentions([]program.Stmt{stmt}, func(p *program.Place) {
		if !seen[p] {
			seen[p] = true
			f.mentions = append(f.mentions, p)
		}
	})
	return f
}

// bodyPlaces are places that loops declare for what is inside them.
func bodyPlaces(s program.Stmt) []*program.Place {
	var out []*program.Place
	columns := func(list []program.Column) {
		for _, c := range list {
			out = append(out, c.To)
		}
	}
	switch s := s.(type) {
	case *program.Rows:
		columns(s.Columns)
	case *program.Blocks:
		columns(s.Columns)
	}
	return out
}

// take notes an argument.
func (s *stage) take(g *program.Given, shape program.Shape) {
	if g.Owner != "" || g.Kind != program.Variable || g.Table != nil || slices.Contains(s.arguments, g.Name) {
		return
	}
	s.arguments, s.numbers = append(s.arguments, g.Name), append(s.numbers, g.Part == nil && len(g.At) == 0 && shape.Number())
}
