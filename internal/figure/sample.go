package figure

import (
	"math"
	"slices"
	"sort"
)

// sample is a weighted sample of numbers, in ascending order.
type sample struct {
	x, w  []float64
	below []float64 // sum of the weights up to each, with it
}

func newSample(x, w []float64) *sample {
	order := make([]int, len(x))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case x[a] < x[b]:
			return -1
		case x[a] > x[b]:
			return 1
		}
		return 0
	})
	s := &sample{}
	sum := 0.0
	for _, i := range order {
		sum += w[i]
		s.x, s.w, s.below = append(s.x, x[i]), append(s.w, w[i]), append(s.below, sum)
	}
	return s
}

// equal is a sample whose numbers all count the same.
func equal(x []float64) *sample {
	w := make([]float64, len(x))
	for i := range w {
		w[i] = 1
	}
	return newSample(x, w)
}

func (s *sample) total() float64 { return s.below[len(s.below)-1] }

// quantile is the smallest number that at least the part p of the weight is at or below.
func (s *sample) quantile(p float64) float64 {
	i := sort.SearchFloat64s(s.below, p*s.total()*(1-1e-12))
	return s.x[min(i, len(s.x)-1)]
}

// far is how far beyond the middle 95 %, in widths of that, the range is shown.
const far = 1.5

// core is the range of the numbers, without those that are far outside the middle 95 %.
func (s *sample) core() (low, high float64) {
	low, high = s.x[0], s.x[len(s.x)-1]
	a, b := s.quantile(0.025), s.quantile(0.975)
	if width := b - a; width > 0 {
		if low < a-far*width {
			low = a - width
		}
		if high > b+far*width {
			high = b + width
		}
	}
	return low, high
}

// outside is the weight of the numbers that are outside a range.
func (s *sample) outside(low, high float64) (sum float64) {
	for i, x := range s.x {
		if x < low || x > high {
			sum += s.w[i]
		}
	}
	return sum
}

// mostIntegers is at how many whole numbers a probability is wanted: of more, at some in equal distances.
const mostIntegers = 3000

// integers are the whole numbers from the least to the largest, with some room, or some of them.
func (s *sample) integers() (out []float64) {
	low, high := s.x[0], s.x[len(s.x)-1]
	if low < 0 || high > 1 {
		room, least := math.Max(1, math.Ceil(0.1*(high-low))), 0.0
		if low < 0 { // numbers of either sign
			least = math.Inf(-1)
		}
		low, high = math.Max(least, low-room), high+room
	} else {
		low, high = 0, 1
	}
	step := math.Max(1, math.Ceil((high-low)/mostIntegers))
	for x := low; x <= high; x += step {
		out = append(out, x)
	}
	return out
}

// bins are those of a histogram.
type bins struct {
	edges   []float64
	heights []float64 // densities
}

const (
	leastBins = 8
	mostBins  = 80
)

// histogram counts what is in a range, as a density of the whole sample: bins as wide as Freedman and Diaconis say (On the histogram
// as a density estimator, 1981), 2 interquartile ranges over the cube root of the number, within limits.
func (s *sample) histogram(low, high float64) *bins {
	n := s.total()
	width := 2 * (s.quantile(0.75) - s.quantile(0.25)) / math.Cbrt(n)
	count := mostBins
	if width > 0 {
		count = int(math.Ceil((high - low) / width))
	}
	count = max(leastBins, min(mostBins, count))
	return s.binned(low, high, count)
}

// binned is a histogram of so many bins.
func (s *sample) binned(low, high float64, count int) *bins {
	b := &bins{heights: make([]float64, count)}
	width := (high - low) / float64(count)
	for i := range count + 1 {
		b.edges = append(b.edges, low+float64(i)*width)
	}
	for i, x := range s.x {
		if x >= low && x <= high {
			b.heights[min(count-1, int((x-low)/width))] += s.w[i] / (s.total() * width)
		}
	}
	return b
}
