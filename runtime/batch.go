package runtime

import (
	"math"
	"math/rand/v2"
)

// Sampling says how the rows of minibatches are drawn.
type Sampling int

const (
	// ByEpoch goes through all rows in random order, and then through them again in another. Batches are of equal size:
	// one at the end of an epoch takes the rows that are left, and the first ones of the next. So every row comes once in
	// every epoch and has the same influence as any other, which it would not have in a shorter batch. A batch across
	// the border may have a row twice, which then counts twice.
	ByEpoch Sampling = iota
	// WithReplacement draws every row of a batch independently and uniformly from all, as in the experiments of So and
	// Turner. An epoch is then as many draws as there are rows.
	WithReplacement
)

// String returns the name of the way.
func (s Sampling) String() string {
	if s == WithReplacement {
		return "with replacement"
	}
	return "by epoch"
}

func (s Sampling) validate() error {
	if s == ByEpoch || s == WithReplacement {
		return nil
	}
	return &SettingError{"Stochastic.Sampling", int(s), "ByEpoch or WithReplacement"}
}

// sampler draws minibatches.
type sampler struct {
	how   Sampling
	rng   *rand.Rand
	rows  int
	all   []int       // all rows, where these are every batch
	order permutation // of the rows of an epoch, of which those before next are drawn: the rest is yet to be shuffled
	next  int
	batch []int // empty when every batch is all rows
	drawn int   // rows drawn so far
}

// reset starts from the beginning: the same seed gives the same batches. A batch of 0 is all rows, every time.
func (s *sampler) reset(how Sampling, rows, batch int, seed uint64) {
	s.how, s.next, s.drawn = how, 0, 0
	s.rng = Stream(seed, "minibatch")
	s.batch = resized(s.batch, batch)
	s.rows = rows
	switch {
	case batch == 0:
		s.order = permutation{}
		s.all = s.order.list(rows, s.all)
	case how == ByEpoch:
		s.order.reset(rows)
	default:
		s.order = permutation{}
	}
}

// drawnFrom are the rows that batches are of, in whatever order they are now.
func (s *sampler) drawnFrom() []int { return s.order.list(s.rows, nil) }

// permutation is one of so many numbers, in as little memory as that takes; the zero value is that of numbers in their order.
type permutation struct {
	few  []uint32
	many []int // where they have no room in that
}

// reset puts the numbers below n in their order, in the memory that there is if that is long enough.
func (p *permutation) reset(n int) {
	if n > math.MaxUint32 {
		p.few, p.many = nil, resized(p.many, n)
		for i := range p.many {
			p.many[i] = i
		}
		return
	}
	p.few, p.many = resized(p.few, n), nil
	for i := range p.few {
		p.few[i] = uint32(i)
	}
}

// swap exchanges two numbers, and returns which one is at i then.
func (p *permutation) swap(i, j int) int {
	if p.many != nil {
		p.many[i], p.many[j] = p.many[j], p.many[i]
		return p.many[i]
	}
	p.few[i], p.few[j] = p.few[j], p.few[i]
	return int(p.few[i])
}

// list is all n of them, in the memory of to if that is long enough.
func (p *permutation) list(n int, to []int) []int {
	to = resized(to, n)
	for i := range to {
		switch {
		case p.many != nil:
			to[i] = p.many[i]
		case p.few != nil:
			to[i] = int(p.few[i])
		default:
			to[i] = i
		}
	}
	return to
}

// draw returns the next batch, which the one after overwrites.
func (s *sampler) draw() []int {
	n := s.rows
	if len(s.batch) == 0 {
		s.drawn += n
		return s.all
	}
	s.drawn += len(s.batch)
	for i := range s.batch {
		if s.how == WithReplacement {
			s.batch[i] = s.rng.IntN(n)
			continue
		}
		if s.next == n {
			s.next = 0
		}
		s.batch[i] = s.take()
	}
	return s.batch
}

// take does one exchange of the shuffle of Fisher and Yates, so that no step pays for a whole permutation.
func (s *sampler) take() int {
	i := s.next
	j := i + s.rng.IntN(s.rows-i)
	s.next++
	return s.order.swap(i, j)
}

// resized returns a slice of length n, in the memory of x if that is long enough.
func resized[T any](x []T, n int) []T {
	if cap(x) < n {
		return make([]T, n)
	}
	return x[:n]
}
