package runtime

import (
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
	order []int // a permutation of the rows, of which those before next are drawn: the rest is yet to be shuffled
	next  int
	batch []int // empty when every batch is all rows
	drawn int   // rows drawn so far
}

// reset starts from the beginning: the same seed gives the same batches. A batch of 0 is all rows, every time.
func (s *sampler) reset(how Sampling, rows, batch int, seed uint64) {
	s.how, s.next, s.drawn = how, 0, 0
	s.rng = Stream(seed, "minibatch")
	s.batch = resized(s.batch, batch)
	s.order = resized(s.order, rows)
	for i := range s.order {
		s.order[i] = i
	}
}

// draw returns the next batch, which the one after overwrites.
func (s *sampler) draw() []int {
	n := len(s.order)
	if len(s.batch) == 0 {
		s.drawn += n
		return s.order
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
	j := i + s.rng.IntN(len(s.order)-i)
	s.order[i], s.order[j] = s.order[j], s.order[i]
	s.next++
	return s.order[i]
}

// resized returns a slice of length n, in the memory of x if that is long enough.
func resized[T any](x []T, n int) []T {
	if cap(x) < n {
		return make([]T, n)
	}
	return x[:n]
}
