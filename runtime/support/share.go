package support

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/dense"
	"github.com/sngdgen/sngdgen/runtime/ranges"
)

// share is the rows that a process has, where several have a part of them each.
type share struct {
	others runtime.Reducer
	of     ranges.Shares
	rank   int
	merged bool // all processes have the same rows, as equal ones are one
	plans  map[ranges.Ranges]*ranges.Plan
	busy   sync.Mutex // while all sum up
	err    error      // why nothing can be summed up any more
	two    atomic.Bool
}

// errTwoPasses is about goroutines of one process that do not know which of them the others wait for.
var errTwoPasses = errors.New("two goroutines use rows at a time of which other processes have a part")

// sum is Sum where nobody can be told of an error: numbers are NaN then, and whoever has begun asks in the end.
func (s *share) sum(x []float64) { _ = s.Sum(x) }

// first is the number of the first row of the process.
func (s *share) first() int { return s.of[s.rank] }

// all is the number of all rows.
func (s *share) all() int { return s.of[len(s.of)-1] }

// plan is what the process does of a pass in ranges.
func (s *share) plan(r ranges.Ranges) *ranges.Plan {
	p := s.plans[r]
	if p == nil {
		p = s.of.Plan(r, s.others.Rank())
		s.plans[r] = p
	}
	return p
}

// gathered is one number of each process.
func gathered(others runtime.Reducer, own float64) ([]float64, error) {
	x := make([]float64, others.Size())
	x[others.Rank()] = own
	return x, others.Sum(x)
}

// Joined is the numbers of all processes, those of one after those of another.
func Joined(others runtime.Reducer, own []float64) ([]float64, error) {
	counts, err := gathered(others, float64(len(own)))
	if err != nil {
		return nil, err
	}
	at, n := 0, 0
	for i, c := range counts {
		if i == others.Rank() {
			at = n
		}
		n += int(c)
	}
	all := make([]float64, n)
	copy(all[at:], own)
	return all, others.Sum(all)
}

// Agreed is an error if a process has one: its own, or what the first of them says.
func Agreed(others runtime.Reducer, err error) error {
	if others == nil {
		return err
	}
	text := ""
	if err != nil {
		text = err.Error()
	}
	lengths, failed := gathered(others, float64(len(text)))
	if failed != nil {
		return errors.Join(err, failed)
	}
	var all []float64
	for _, b := range []byte(text) {
		all = append(all, float64(b))
	}
	if all, failed = Joined(others, all); failed != nil || err != nil {
		return errors.Join(err, failed)
	}
	for i, n := range lengths {
		if n > 0 {
			bytes := make([]byte, int(n))
			for k := range bytes {
				bytes[k] = byte(all[k])
			}
			return fmt.Errorf("process %d of %d: %s", i+1, len(lengths), bytes)
		}
	}
	return nil
}

// errUndivided is about models that need all rows in one process.
var errUndivided = errors.New("other processes have some of the rows, and this model needs all of them in one")

// CheckUndivided refuses data of which other processes have some rows.
func CheckUndivided(d runtime.Data) error {
	if d.Others != nil {
		return errUndivided
	}
	return nil
}

// shared tells rows, of which there is that of the weights, who has the others.
func (r Rows) shared(others runtime.Reducer) (Rows, error) {
	if others == nil {
		return r, nil
	}
	width := 0
	for _, c := range r {
		width += c.width
	}
	var own error
	if first, err := Joined(others, []float64{float64(width)}); err != nil {
		return nil, err
	} else if int(first[0]) != width {
		own = fmt.Errorf("it has rows of %d numbers, and the first process of %d", width-1, int(first[0])-1)
	}
	if err := Agreed(others, own); err != nil {
		return nil, err
	}
	if err := r[0].weigh(others); err != nil {
		return nil, err
	}
	counts, err := gathered(others, float64(r.Given()))
	if err != nil {
		return nil, err
	}
	s := &share{others: others, rank: others.Rank(), of: make(ranges.Shares, others.Size()+1), plans: map[ranges.Ranges]*ranges.Plan{}}
	for i, n := range counts {
		s.of[i+1] = s.of[i] + int(n)
	}
	for _, c := range r {
		c.share = s
	}
	return r, nil
}

// weigh gives rows weights that count once each where those of other processes have some, as batches are of the rows of all.
func (c *Column) weigh(others runtime.Reducer) error {
	some := 0.0
	if c.given != nil {
		some = 1
	}
	all, err := gathered(others, some)
	if err == nil && c.given == nil && slices.Max(all) > 0 {
		w := WeightsOf(nil, c.count)
		if c.given, err = c.room.make(c.count); err == nil {
			w.Copy(c.given)
			c.all = c.given
		}
	}
	return err
}

// Others are the processes that have the other rows, nil where there are none.
func (r Rows) Others() runtime.Reducer {
	if s := r.share(); s != nil {
		return s
	}
	return nil
}

// Rank and Size are those of the processes.
func (s *share) Rank() int { return s.others.Rank() }
func (s *share) Size() int { return s.others.Size() }

// Sum is that of the processes. When it has failed once it always does, and the numbers are NaN.
func (s *share) Sum(x []float64) error {
	err := errTwoPasses
	if s.busy.TryLock() {
		if s.err == nil {
			s.err = s.others.Sum(x)
		}
		if s.err == nil && s.two.Load() {
			s.err = errTwoPasses
		}
		err = s.err
		s.busy.Unlock()
	} else {
		s.two.Store(true)
	}
	if err != nil {
		for i := range x {
			x[i] = math.NaN()
		}
	}
	return err
}

// divided is where passes over rows go over those of other processes too.
func (r Rows) divided() *share {
	if s := r.share(); s != nil && !s.merged && !r[0].some {
		return s
	}
	return nil
}

func (r Rows) share() *share {
	if len(r) == 0 || r[0] == nil {
		return nil
	}
	return r[0].share
}

// Counts returns how many rows there are in all processes, and distinct ones, of which the model, or its batch, has so many.
func (r Rows) Counts(distinct int) (rows, all int) {
	if s := r.divided(); s != nil {
		return s.all(), s.all()
	}
	if s := r.share(); s != nil {
		return s.all(), distinct
	}
	return r.Given(), distinct
}

// Total is the sum of weights of the rows of all processes, or of a batch.
func (r Rows) Total(w Weights) float64 {
	s := r.divided()
	switch {
	case s == nil && w.given == nil:
		return float64(w.rows)
	case s == nil && w.rows <= ranges.Whole:
		return dense.Sum(w.given)
	}
	return total(s, w)
}

// total is Total of many rows, or of those of several processes, by one tree. For one process it allocates nothing.
func total(s *share, weights Weights) float64 {
	if s != nil {
		return OverRows(s, weights.rows, 1, func(row int, to []float64) { to[0] += weights.At(row) })[0]
	}
	w := weights.given
	var left [32]float64 // sums of ranges that wait for those on their right
	depth, cut := 0, ranges.Cut(len(w), 1)
	for i := range cut.Count() {
		from, to := cut.Range(i)
		sum := dense.Sum(w[from:to])
		for n := i; n&1 == 1; n >>= 1 {
			depth--
			sum = left[depth] + sum
		}
		left[depth] = sum
		depth++
	}
	return left[0] // as the number of ranges is a power of 2
}

// OverRows is the sums of numbers that every row adds to, over so many rows, and over those of other processes if Distributed.Others of the
// model says that there are some. They have the bits of one process where the parts are whole ranges.
func OverRows(others runtime.Reducer, rows, sums int, add func(row int, to []float64)) []float64 {
	s, _ := others.(*share)
	own := ranges.Parts{Sums: sums}
	cut, first := ranges.Cut(rows, sums), 0
	var plan *ranges.Plan
	from, count := 0, cut.Count()
	if s != nil {
		cut, first = ranges.Cut(s.all(), sums), s.first()
		plan = s.plan(cut)
		from, count = plan.From, plan.Count
	}
	own.Begin(count)
	for i := range count {
		start, end := cut.Range(from + i)
		for row := max(start-first, 0); row < min(end-first, rows); row++ {
			add(row, own.Of(i))
		}
	}
	if s == nil {
		own.Combine(count)
		return own.Of(0)
	}
	var all ranges.Parts
	s.combine(plan, &own, &all)
	return all.Of(0)
}

// combine adds up what the ranges of all processes have. The sum is in the first of all.
func (s *share) combine(plan *ranges.Plan, own, all *ranges.Parts) {
	all.Sums, all.Largest, all.Entries = own.Sums, own.Largest, own.Entries
	all.Begin(plan.All)
	if all.Size() == 0 { // a pass that computes something for every row
		return
	}
	own.Add(plan.Within)
	clear(all.Values)
	for k, i := range plan.Handed {
		copy(all.Of(plan.At+k), own.Of(i))
	}
	s.sum(all.Values)
	all.Add(plan.Among)
}
