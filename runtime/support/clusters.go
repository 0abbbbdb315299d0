package support

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/sngdgen/sngdgen/runtime"
)

const (
	clusterRestarts = 5
	clusterRounds   = 100
	// Multiplications that go into clusters before rounds and restarts become fewer than these: a second or so. What a
	// distance costs besides those of its columns counts as overhead.
	clusterEffort = 1e9
	overhead      = 10
)

// Clusters divides the rows of a matrix, given row by row, into k groups by k-means, as starts of mixtures need:
// labels[i] becomes the group of row i, 0 to k-1. The columns are scaled to variance 1 first; those that are constant
// do not matter. The seeding is k-means++ (Arthur and Vassilvitskii, SODA 2007), then come the iterations of Lloyd
// (IEEE Trans. Inform. Theory 28, 1982) until nothing changes, 100 at most, fewer on large data. Each group has a
// positive weight. Nil weights are all one; rows of weight 0 go to the nearest group and count for nothing.
//
// With a generator it is one run. When rng is nil it is the best of five with a fixed seed: always the same.
//
// The labels are numbers since generated code reads them as a column. The error says so when fewer than k different
// rows have a positive weight; rows are not different when no column is by 1e-12 of its standard deviation.
func Clusters(labels, x, w []float64, columns, k int, rng *rand.Rand) error {
	m := newKMeans(x, w, columns, max(k, 0))
	if err := enough(m.distinct(), k, "rows"); err != nil {
		return err
	}
	restarts := 1
	if rng == nil {
		rng, restarts = runtime.Stream(1, "clusters"), clusterRestarts
	}
	round := float64(m.n) * float64(k) * float64(columns+overhead)
	rounds := int(math.Max(5, math.Min(clusterRounds, clusterEffort/round)))
	restarts = int(math.Max(1, math.Min(float64(restarts), clusterEffort/(20*round))))
	best := math.Inf(1)
	for range restarts {
		m.seed(rng)
		if inertia := m.lloyd(rounds); inertia < best {
			best = inertia
			for i, g := range m.group {
				labels[i] = float64(g)
			}
		}
	}
	return nil
}

// distinct counts the different rows of positive weight, up to k.
func (m *kmeans) distinct() int {
	var seen []int
	for i := 0; i < m.n && len(seen) < m.k; i++ {
		same := func(j int) bool { return slices.Equal(m.row(i), m.row(j)) }
		if m.w[i] > 0 && !slices.ContainsFunc(seen, same) {
			seen = append(seen, i)
		}
	}
	return len(seen)
}

// allWeights returns a copy of the weights of n rows, all one when they are nil.
func allWeights(w []float64, n int) []float64 {
	weights := make([]float64, n)
	given := WeightsOf(w, n)
	given.Copy(weights)
	return weights
}

// kmeans is the state of one run.
type kmeans struct {
	n, d, k int
	x       []float64 // scaled rows
	w       []float64
	group   []int
	near    []float64 // squared distance of each row from its centre
	centre  []float64
	sum     []float64
	weight  []float64 // of the groups
}

func newKMeans(x, w []float64, columns, k int) *kmeans {
	m := &kmeans{n: len(x) / columns, d: columns, k: k}
	m.x, m.w = slices.Clone(x), allWeights(w, m.n)
	m.group, m.near = make([]int, m.n), make([]float64, m.n)
	m.centre, m.sum, m.weight = make([]float64, k*columns), make([]float64, k*columns), make([]float64, k)
	for j := range columns {
		m.standardise(j)
	}
	return m
}

// standardise takes the mean from a column and scales it to variance 1, in two passes, so that no digits are lost. The
// values are rounded, so that distances between different ones do not underflow.
func (m *kmeans) standardise(j int) {
	var top, total, mean, square float64
	for i := range m.n {
		top = math.Max(top, math.Abs(m.x[i*m.d+j]))
	}
	for i, w := range m.w {
		if w > 0 {
			total += w
			mean += (m.x[i*m.d+j]/top - mean) * (w / total)
		}
	}
	for i, w := range m.w {
		r := m.x[i*m.d+j]/top - mean
		square += r * r * (w / total)
	}
	scale := 1 / math.Sqrt(square)
	for i := range m.n {
		at := &m.x[i*m.d+j]
		if *at = math.Round((*at/top-mean)*scale*0x1p40) / 0x1p40; !finite(*at) {
			*at = 0
		}
	}
}

func (m *kmeans) row(i int) []float64 { return m.x[i*m.d : (i+1)*m.d] }

func (m *kmeans) centreOf(g int) []float64 { return m.centre[g*m.d : (g+1)*m.d] }

func squaredDistance(a, b []float64) float64 {
	var s float64
	b = b[:len(a)]
	for i, v := range a {
		r := v - b[i]
		s += r * r
	}
	return s
}

// seed draws rows as centres: the first by weight, the others by weight times squared distance from the nearest so far.
func (m *kmeans) seed(rng *rand.Rand) {
	for i := range m.near {
		m.near[i] = 1
	}
	for g := range m.k {
		copy(m.centreOf(g), m.row(m.draw(rng)))
		for i := range m.n {
			if d := squaredDistance(m.row(i), m.centreOf(g)); g == 0 || d < m.near[i] {
				m.near[i] = d
			}
		}
	}
}

// draw returns a row with probability in proportion to weight times near.
func (m *kmeans) draw(rng *rand.Rand) int {
	var total, sum float64
	for i, w := range m.w {
		total += w * m.near[i]
	}
	u, last := total*rng.Float64(), 0
	for i, w := range m.w {
		if p := w * m.near[i]; p > 0 {
			sum, last = sum+p, i
			if sum > u {
				break
			}
		}
	}
	return last
}

// lloyd moves rows and centres in turn, and returns the inertia, the weighted sum of squared distances.
func (m *kmeans) lloyd(rounds int) float64 {
	for i := range m.group {
		m.group[i] = -1
	}
	for range rounds {
		changed := m.assign()
		for m.refill() {
			changed = true
		}
		if !changed {
			break
		}
		m.average()
	}
	m.average()
	return m.inertia()
}

// assign moves every row to the nearest centre, and reports whether that changed anything.
func (m *kmeans) assign() bool {
	changed := false
	for i := range m.n {
		best, low := 0, math.Inf(1)
		for g := range m.k {
			if d := squaredDistance(m.row(i), m.centreOf(g)); d < low {
				best, low = g, d
			}
		}
		m.near[i] = low
		if m.group[i] != best {
			m.group[i], changed = best, true
		}
	}
	return changed
}

// refill gives the row that is worst off to a group without rows, and reports whether there was one. The row's own
// group has others, as the row is not its centre.
func (m *kmeans) refill() bool {
	clear(m.weight)
	for i, g := range m.group {
		m.weight[g] += m.w[i]
	}
	for g, weight := range m.weight {
		if weight > 0 {
			continue
		}
		worst := 0
		for i := range m.n {
			if m.w[i]*m.near[i] > m.w[worst]*m.near[worst] {
				worst = i
			}
		}
		copy(m.centreOf(g), m.row(worst))
		m.group[worst], m.near[worst] = g, 0
		return true
	}
	return false
}

// average makes the centres the means of their groups.
func (m *kmeans) average() {
	clear(m.sum)
	clear(m.weight)
	for i, g := range m.group {
		m.weight[g] += m.w[i]
		sum := m.sum[g*m.d : (g+1)*m.d]
		for j, x := range m.row(i) {
			sum[j] += m.w[i] * x
		}
	}
	for g, weight := range m.weight {
		for j := range m.d {
			m.centre[g*m.d+j] = m.sum[g*m.d+j] / weight
		}
	}
}

func (m *kmeans) inertia() float64 {
	sum := 0.0
	for i, g := range m.group {
		sum += m.w[i] * squaredDistance(m.row(i), m.centreOf(g))
	}
	return sum
}
