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

// start is where in a function a run may begin.
type start struct{ f, at int }

// candidates are the longest runs that two functions have in common, with all functions that have them.
func (c *cutter) candidates() []*run {
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
	type stretch struct {
		start
		count int
	}
	seen := map[stretch]bool{}
	for _, key := range order {
		starts := by[key]
		for i, a := range starts {
			for _, b := range starts[i+1:] {
				f, g := c.list[a.f], c.list[b.f]
				if f == g || !f.like(g) || startsEarlier(f, g, a.at, b.at) {
					continue
				}
				for n := c.common(a, b); n > 0 && !seen[stretch{a, n}]; n-- {
					seen[stretch{a, n}] = true
					r := runOf(f, a.at, n)
					if r == nil {
						continue
					}
					if r.lines < c.LeastCommon {
						break
					}
					if over, _ := f.crossing(a.at, a.at+n); over > c.MostPassed {
						continue
					}
					if c.find(r, starts[i:]); len(r.where) > 1 {
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

// common is how many statements from there on are the same but for names, and in no stage yet.
func (c *cutter) common(a, b start) int {
	n := c.compared(a, b).count
	return min(n, c.list[a.f].untaken(a.at, n), c.list[b.f].untaken(b.at, n))
}

// untaken is how many of the next statements are in no stage, up to the first that is.
func (f *function) untaken(at, most int) int {
	if n := slices.Index(f.taken[at:at+most], true); n >= 0 {
		return n
	}
	return most
}

// comparison is how many statements are the same but for names, and which names these are.
type comparison struct {
	count int
	names *program.Renaming
}

// compared compares statements from there on, whether they are in stages or not: candidates are looked for again after each stage, and a
// run after a longer one, with what has been found out before.
func (c *cutter) compared(a, b start) comparison {
	out, known := c.known[[2]start{a, b}]
	if !known {
		out = compare(c.list[a.f].body[a.at:], c.list[b.f].body[b.at:])
		c.known[[2]start{a, b}] = out
	}
	return out
}

func compare(a, b []*facts) comparison {
	c := comparison{names: program.NewRenaming()}
	for c.count < min(len(a), len(b)) && a[c.count].key == b[c.count].key && c.names.Alike(a[c.count].stmt, b[c.count].stmt) {
		c.count++
	}
	return c
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

// find notes where functions have a run, of the starts where they may: the first is where it has been found.
func (c *cutter) find(r *run, starts []start) {
	for _, at := range starts {
		g := c.list[at.f]
		if !r.of.like(g) || r.overlaps(g, at.at) {
			continue
		}
		same := c.compared(starts[0], at)
		if same.count >= r.count && g.untaken(at.at, r.count) == r.count && runOf(g, at.at, r.count) != nil {
			r.where = append(r.where, occurrence{g, at.at, same.names})
		}
	}
}

// overlaps reports whether a function has the run already where some of the statements from there on are.
func (r *run) overlaps(g *function, at int) bool {
	return slices.ContainsFunc(r.where, func(o occurrence) bool { return o.f == g && at < o.at+r.count && o.at < at+r.count })
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
