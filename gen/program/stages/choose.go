package stages

import (
	"slices"

	"github.com/sngdgen/sngdgen/gen/program"
)

// share finds what functions have in common: what saves most first.
func (c *cutter) share() {
	for {
		all := c.candidates()
		slices.SortStableFunc(all, func(a, b *run) int { return b.saves() - a.saves() })
		best := slices.IndexFunc(all, func(r *run) bool { return r.saves() >= c.LeastSaved && c.passes(r) })
		if best < 0 {
			return
		}
		c.extract(all[best])
	}
}

// candidates are the longest runs that two functions have in common, with all functions that have them.
func (c *cutter) candidates() []*run {
	type start struct{ f, at int }
	by := map[string][]start{}
	var order []string
	for i, f := range c.list {
		for k, s := range f.body {
			if f.taken[k] || f.Often {
				continue
			}
			if by[s.key] == nil {
				order = append(order, s.key)
			}
			by[s.key] = append(by[s.key], start{i, k})
		}
	}
	var out []*run
	seen := map[[3]int]bool{}
	for _, key := range order {
		starts := by[key]
		for i, a := range starts {
			for _, b := range starts[i+1:] {
				f, g := c.list[a.f], c.list[b.f]
				if f == g || !f.like(g) || startsEarlier(f, g, a.at, b.at) {
					continue
				}
				n := common(f, g, a.at, b.at)
				for ; n > 0 && !seen[[3]int{a.f, a.at, n}]; n-- {
					seen[[3]int{a.f, a.at, n}] = true
					r := runOf(f, a.at, n)
					if r == nil {
						continue
					}
					if r.lines < c.LeastCommon {
						break
					}
					for _, o := range starts[i:] {
						r.find(c.list[o.f], o.at)
					}
					if over, _ := f.crossing(a.at, a.at+n); len(r.where) > 1 && over <= c.MostPassed {
						out = append(out, r)
						break
					}
				}
			}
		}
	}
	return out
}

// like reports whether functions may have stages in common.
func (f *function) like(g *function) bool {
	return f.Rows == g.Rows && f.Checked == g.Checked && f.Definite == g.Definite
}

// startsEarlier reports whether the statements in front are the same too.
func startsEarlier(f, g *function, i, j int) bool {
	return i > 0 && j > 0 && !f.taken[i-1] && !g.taken[j-1] && f.body[i-1].key == g.body[j-1].key
}

// common is how many statements from there on are the same but for names.
func common(f, g *function, i, j int) int {
	names := program.NewRenaming()
	n := 0
	for i+n < len(f.body) && j+n < len(g.body) && !f.taken[i+n] && !g.taken[j+n] && f.body[i+n].key == g.body[j+n].key &&
		names.Alike(f.body[i+n].stmt, g.body[j+n].stmt) {
		n++
	}
	return n
}

// runOf is a run of one function, nil where its statements cannot be moved.
func runOf(f *function, from, count int) *run {
	r := &run{of: f, from: from, count: count}
	declared := map[*program.Place]bool{}
	for _, s := range r.facts() {
		for _, p := range s.declares {
			declared[p] = true
		}
	}
	for _, s := range r.facts() {
		for _, p := range s.inner {
			declared[p] = true
		}
		for _, p := range s.sums {
			if !declared[p] && !slices.Contains(r.adds, p) {
				r.adds = append(r.adds, p)
			}
		}
	}
	for _, s := range r.facts() {
		// Numbers that are added to elsewhere stay where they are.
		if s.stays || slices.ContainsFunc(s.adds, func(p *program.Place) bool { return !declared[p] }) {
			return nil
		}
		r.fails = r.fails || s.fails
		r.lines += s.lines
	}
	return r
}

// find notes where a function has the run, if it does.
func (r *run) find(g *function, at int) {
	if at+r.count > len(g.body) || g.Often && g != r.of || !r.of.like(g) || slices.Contains(g.taken[at:at+r.count], true) {
		return
	}
	for _, o := range r.where {
		if o.f == g && at < o.at+r.count && o.at < at+r.count {
			return
		}
	}
	names := program.NewRenaming()
	for k, s := range r.facts() {
		if s.key != g.body[at+k].key || !names.Alike(s.stmt, g.body[at+k].stmt) {
			return
		}
	}
	if runOf(g, at, r.count) != nil {
		r.where = append(r.where, occurrence{g, at, names})
	}
}

// cut is the part of a function that is to be a stage: of those that are neither short nor long, the one that is worth most.
func (c *cutter) cut(f *function) *run {
	if r := c.cutWithin(f); r != nil || f.length() <= c.Bearable {
		return r
	}
	wide := *c // better a stage with many arguments than a function that nobody can read
	for _, times := range []int{2, 5} {
		wide.MostPassed, wide.MostReturned = times*c.MostPassed, times*c.MostReturned
		if r := wide.cutWithin(f); r != nil {
			return r
		}
	}
	return nil
}

func (c *cutter) cutWithin(f *function) *run {
	type candidate struct{ from, to, bound int }
	var all []candidate
	whole := f.length()
	for from := range f.body {
		lines := 0
		for to := from; to < len(f.body) && !f.taken[to] && !f.body[to].stays; to++ {
			if lines += f.body[to].lines; lines > c.Most {
				break
			}
			if lines < c.Shortest || whole-lines < c.Shortest && to > from {
				continue
			}
			if over, inMemory := f.crossing(from, to+1); over <= c.MostPassed+c.MostReturned {
				all = append(all, candidate{from, to + 1, lines - handed*over - found*inMemory})
			}
		}
	}
	slices.SortStableFunc(all, func(a, b candidate) int { return b.bound - a.bound })
	var best *run
	for _, a := range all {
		if best != nil && a.bound <= best.worth() {
			break
		}
		r := runOf(f, a.from, a.to-a.from)
		if r == nil {
			continue
		}
		r.where = []occurrence{{f, a.from, program.NewRenaming()}} // under its own names
		if c.passes(r) && (best == nil || r.worth() > best.worth()) {
			best = r
		}
	}
	return best
}

// What it costs the reader of a function, in lines, that a value is handed to a stage, and that it is found in memory.
const handed, found = 2, 1

// worth is how many lines a stage takes out of a function, less what it costs its reader that they are elsewhere.
func (r *run) worth() int {
	return r.lines - handed*(len(r.in)+len(r.arguments)+len(r.out)+len(r.adds)) - found*(len(r.held)+len(r.kept))
}

// passes finds what goes into a run and what comes out, and reports whether it is little enough. Where it is more than a few, arrays are found in
// memory, and the run has names of its own for parts of arguments.
func (c *cutter) passes(r *run) bool {
	r.need()
	if len(r.in)+len(r.arguments) > c.Few {
		r.in, r.held = r.inMemory(r.in)
	}
	if len(r.out) > c.Few {
		r.out, r.kept = r.inMemory(r.out)
	}
	return len(r.in)+len(r.arguments) <= c.MostPassed && len(r.out) <= c.MostReturned
}

// need finds what goes in and what comes out, for all who have the run.
func (r *run) need() {
	r.in, r.out, r.held, r.kept, r.arguments = nil, nil, nil, nil, nil
	later := func(p *program.Place) bool {
		return slices.ContainsFunc(r.where, func(o occurrence) bool { return o.f.later(o.name.Of(p), o.at+r.count) })
	}
	declared := map[*program.Place]bool{program.Weights: true}
	for _, s := range r.facts() {
		for _, p := range s.declares {
			if !declared[p] && s.bind == nil && later(p) {
				r.out = append(r.out, p)
			}
			declared[p] = true
		}
	}
	for _, s := range r.facts() {
		for _, p := range s.inner {
			declared[p] = true
		}
	}
	for _, s := range r.used() {
		for _, t := range s.takes {
			r.take(t)
		}
		for _, p := range s.mentions {
			if !declared[p] && p.Given == nil && !slices.Contains(r.in, p) && !slices.Contains(r.adds, p) {
				r.in = append(r.in, p)
			}
		}
	}
}

func (r *run) take(t program.Taken) {
	if !slices.ContainsFunc(r.arguments, func(a program.Taken) bool { return a.Name == t.Name }) {
		r.arguments = append(r.arguments, t)
	}
}

// used are the statements of a run, without names for what is given that only those behind it use.
func (r *run) used() []*facts {
	mentioned := map[*program.Place]bool{}
	for _, s := range r.facts() {
		for _, p := range s.mentions {
			mentioned[p] = true
		}
	}
	return slices.DeleteFunc(slices.Clone(r.facts()), func(s *facts) bool { return s.bind != nil && !mentioned[s.bind.To] })
}

// inMemory divides places into those that are handed on and arrays that all who have the run have in the same memory.
func (r *run) inMemory(list []*program.Place) (handed, found []*program.Place) {
	for _, p := range list {
		m := r.of.memory[p]
		same := m != nil
		for _, o := range r.where {
			other := o.f.memory[o.name.Of(p)]
			same = same && other != nil && other.Slot == m.Slot && other.To.Shape.Equal(m.To.Shape)
		}
		if same {
			found = append(found, p)
		} else {
			handed = append(handed, p)
		}
	}
	return handed, found
}
