package support

import (
	"math"

	"github.com/sngdgen/sngdgen/runtime/ranges"
	"github.com/sngdgen/sngdgen/runtime/workers"
)

// Pass is what a function hands to a pass over rows that is cut into ranges, and what it gets back. The pass is a method of the model for the
// rows of a block, from one to another. Each worker has a copy of the model with memory of its own.
type Pass[M any] struct {
	Arrays  [ranges.MostArrays][]float64 // those that the pass adds to come first
	Numbers [ranges.MostNumbers]float64
	Sums    [ranges.MostSums]float64 // what it has summed up so far; then of what it has looked for the largest of, that and its row
	*Crew[M]
}

// Added is how much a pass sums up: numbers, largest numbers with their rows, and arrays.
type Added struct{ Sums, Largest, Arrays int }

// Crew is the workers of a model, with what they need.
type Crew[M any] struct {
	pool     *workers.Pool
	overRows workers.Job
	ofEach   workers.Job // apart, as they may take much longer
	helpers  []helper[M] // of each worker
	parts    ranges.Parts
	all      ranges.Parts // of all processes
	kept     [ranges.MostArrays][]float64
	count    int64 // of tasks

	// The task.
	of    *M
	rows  ranges.Ranges
	begin int // the first of these ranges
	first int // of all rows, that of the model
	held  int // rows of the model
	pass  func(p *M, from, to int)
	help  func(p, q *M) *Pass[M]
	added Added
	each  bool // parts are numbers of what is done, not ranges
}

// helper is the copy of the model that a worker has, for the task of that number.
type helper[M any] struct {
	model *M
	pass  *Pass[M]
	task  int64
}

// SetWorkers gives the model workers, nil for none, and returns those that it had.
func (s *Pass[M]) SetWorkers(p *workers.Pool) (before *workers.Pool) {
	c := s.crew()
	before, c.pool = c.pool, p
	return before
}

// Fresh is that of a clone, which has the same workers.
func (s *Pass[M]) Fresh() (clone Pass[M]) {
	if w := s.Workers(); w != nil {
		clone.SetWorkers(w)
	}
	return clone
}

// Workers are those that the model has, nil for none.
func (s *Pass[M]) Workers() *workers.Pool {
	if s.Crew == nil {
		return nil
	}
	return s.pool
}

// Forget drops the memory of the workers, as when lengths change.
func (s *Pass[M]) Forget() {
	if s.Crew != nil {
		s.helpers = nil
	}
}

func (s *Pass[M]) crew() *Crew[M] {
	if s.Crew == nil {
		s.Crew = new(Crew[M])
	}
	return s.Crew
}

// TakeArrays is what arrays are handed over by, those that the pass adds to first.
func (s *Pass[M]) TakeArrays(arrays ...[]float64) {
	//lint:ignore S1001 a call of copy takes longer than these few assignments, and models of a few numbers do this at every draw
	for i, a := range arrays {
		s.Arrays[i] = a
	}
}

// TakeNumbers is what numbers are handed over by.
func (s *Pass[M]) TakeNumbers(numbers ...float64) {
	//lint:ignore S1001 as above
	for i, x := range numbers {
		s.Numbers[i] = x
	}
}

// OneBlock reports whether a model of which no process has other rows has those of one block at the most, which it can hand to the pass
// itself: models of a few numbers do so at every draw. Then nothing has been summed up yet.
func (s *Pass[M]) OneBlock(rows, sums int) bool {
	for k := range sums {
		s.Sums[k] = 0
	}
	return 0 < rows && rows <= ranges.Block
}

// Over makes a pass over rows, of which the model has so many: one after the other where they are few, else in ranges. What is summed up is
// that of all rows, also of those that other processes have.
func (s *Pass[M]) Over(p *M, of Rows, rows int, a Added, pass func(p *M, from, to int), help func(p, q *M) *Pass[M]) {
	others := of.divided()
	if others == nil && rows <= ranges.Whole {
		s.blocks(p, 0, rows, a, pass)
		return
	}
	s.cut(p, others, rows, a, pass, help)
}

// blocks makes a pass over the rows from one to another.
func (s *Pass[M]) blocks(p *M, from, to int, a Added, pass func(p *M, start, end int)) {
	for k := range a.Sums { // few, so that a call of clear takes longer
		s.Sums[k] = 0
	}
	for k := range a.Largest {
		s.Sums[a.Sums+2*k], s.Sums[a.Sums+2*k+1] = math.Inf(-1), 0
	}
	for start := from; start < to; start += ranges.Block {
		pass(p, start, min(start+ranges.Block, to))
	}
}

func (s *Pass[M]) cut(p *M, others *share, rows int, a Added, pass func(p *M, from, to int), help func(p, q *M) *Pass[M]) {
	c := s.crew()
	entries := 0
	for _, x := range s.Arrays[:a.Arrays] {
		entries += len(x)
	}
	c.parts.Sums, c.parts.Largest, c.parts.Entries = a.Sums, a.Largest, entries
	c.begin, c.first, c.held = 0, 0, rows
	var plan *ranges.Plan
	n := 0
	if others == nil {
		c.rows = ranges.Cut(rows, c.parts.Size())
		if n = c.rows.Count(); n == 1 {
			s.blocks(p, 0, rows, a, pass)
			return
		}
	} else {
		c.rows = ranges.Cut(others.all(), c.parts.Size())
		plan = others.plan(c.rows)
		n, c.begin, c.first = plan.Count, plan.From, others.first()
	}
	c.parts.Begin(n)
	c.of, c.pass, c.help, c.added, c.each = p, pass, help, a, false
	copy(c.kept[:], s.Arrays[:a.Arrays])
	if c.pool.Size() == 1 || n < 2 {
		for i := range n {
			c.do(p, s, i)
		}
	} else {
		c.share(n)
	}
	sums := &c.parts
	if others == nil {
		c.parts.Combine(n)
	} else {
		sums = &c.all
		others.combine(plan, &c.parts, sums)
		for k := range a.Largest {
			sums.Of(0)[a.Sums+2*k+1] -= float64(c.first)
		}
	}
	all := sums.Of(0)
	all = all[copy(s.Sums[:], all[:a.Sums+2*a.Largest]):]
	for k, x := range c.kept[:a.Arrays] {
		for i := range x {
			x[i] += all[i]
		}
		s.Arrays[k], all = x, all[len(x):]
	}
	c.end()
}

// Each does what has numbers, one after the other or, where there is enough work, by workers. Nothing is added up.
func (s *Pass[M]) Each(p *M, count, work int, do func(p *M, from, to int), help func(p, q *M) *Pass[M]) {
	if work < leastWork || count == 1 || s.Workers().Size() == 1 {
		do(p, 0, count)
		return
	}
	c := s.Crew
	c.of, c.pass, c.help, c.each = p, do, help, true
	c.share(count)
	c.end()
}

// leastWork is how many entries are worth waking somebody.
const leastWork = 20_000

// share does the parts of a task with the workers.
func (c *Crew[M]) share(parts int) {
	c.count++
	for len(c.helpers) < min(c.pool.Size(), parts) {
		c.helpers = append(c.helpers, helper[M]{model: new(M)})
	}
	job := &c.overRows
	if c.each {
		job = &c.ofEach
	}
	c.pool.Do(job, c, parts, len(c.helpers))
}

// end forgets what a task was about.
func (c *Crew[M]) end() {
	c.of, c.pass, c.help = nil, nil, nil
	clear(c.kept[:])
}

// Part does a part, in the memory of a worker.
func (c *Crew[M]) Part(worker, part int) {
	h := &c.helpers[worker]
	if h.task != c.count {
		h.pass, h.task = c.help(c.of, h.model), c.count
	}
	c.do(h.model, h.pass, part)
}

// do does a part with a model.
func (c *Crew[M]) do(p *M, s *Pass[M], part int) {
	if c.each {
		c.pass(p, part, part+1)
		return
	}
	all := c.parts.Of(part)
	at := c.added.Sums + 2*c.added.Largest
	for k, x := range c.kept[:c.added.Arrays] {
		s.Arrays[k] = all[at : at+len(x) : at+len(x)]
		at += len(x)
	}
	from, to := c.rows.Range(c.begin + part)
	s.blocks(p, max(from-c.first, 0), min(to-c.first, c.held), c.added, c.pass)
	copy(all, s.Sums[:c.added.Sums+2*c.added.Largest])
	for k := range c.added.Largest {
		all[c.added.Sums+2*k+1] += float64(c.first)
	}
}
