// Package matched fills the random numbers of draws so that their sample moments are those of their distributions: antithetic
// variates, moment matching, stratification and Latin hypercubes together.
package matched

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/dense"
)

// Fill fills arrays, which belong to the same draws, with numbers whose sample moments are those of their distributions, as
// far as the number of draws allows. The draws are cut into parts of equal length, one after the other, each matched by itself.
// Averages over such draws are exact for what is quadratic in the random numbers, and have a much smaller error for what is
// smooth; every draw by itself is distributed as usual, nearly. In each part
//
//   - spherical vectors come in pairs e, -e, and their second moments are the identity matrix, if a part has twice as many
//     draws as they have numbers; otherwise those of every entry by itself are 1;
//   - single numbers take the means of strata of equal probability, spread so that their variance is right: those of |x| where
//     they are symmetric, with either sign. Several are combined by a lattice. Each combination has a part of the spherical
//     vectors that is matched by itself, if there are draws enough for four combinations;
//   - the numbers of other vectors are a Latin hypercube: each takes the means of as many strata as there are draws.
//
// Discrete arrays are left alone. It allocates. The parts are known as antithetic variates, moment matching, stratification
// and Latin hypercubes: Owen, Monte Carlo theory, methods and examples, 2013, sections 8.2 to 8.4, 8.9 and 10.3.
func Fill(arrays []runtime.Noise, parts int, rng *rand.Rand) {
	for i := range parts {
		m := newMatcher(arrays, parts, i)
		m.rng = rng
		m.fill()
	}
}

// Draws returns how many draws, at least the given number and for each part, Fill can match in full: so many that the
// spherical vectors of each of the combinations of single numbers have the identity matrix as second moments.
func Draws(arrays []runtime.Noise, least int) int {
	_, single := widths(arrays)
	return forCells(arrays, least, nodes(single))
}

// Fewest is Draws with the fewest combinations that Fill makes.
func Fewest(arrays []runtime.Noise, least int) int {
	_, single := widths(arrays)
	return forCells(arrays, least, min(fewestNodes, nodes(single)))
}

func forCells(arrays []runtime.Noise, least, cells int) int {
	dim, _ := widths(arrays)
	if dim == 0 {
		return (least + 3) / 4 * 4
	}
	// A few more than are needed for the factor to exist, since it is badly conditioned with so few.
	each := max((least+cells-1)/cells, 2*dim+2)
	return cells * ((each + 3) / 4 * 4)
}

// fewestNodes is the number of combinations of single numbers below which these are not combined.
const fewestNodes = 4

// nodes is the number of combinations of single numbers: enough that the error in the direction of these numbers is not the
// largest.
func nodes(single int) int {
	switch single {
	case 0:
		return 1
	case 1:
		return 8
	}
	return 13 // has a lattice without correlation: 5*5 + 1 is a multiple of it
}

// widths returns how many numbers of spherical vectors and how many single numbers a draw has.
func widths(arrays []runtime.Noise) (dim, single int) {
	for i := range arrays {
		switch a := &arrays[i]; {
		case a.Length > 1 && a.Spherical:
			dim += a.Length
		case a.Length == 1 && a.Quantile != nil:
			single++
		}
	}
	return dim, single
}

// matcher fills one part.
type matcher struct {
	rng                        *rand.Rand
	spherical, singles, others []runtime.Noise
	draws, dim                 int
}

// newMatcher takes part i of the arrays.
func newMatcher(arrays []runtime.Noise, parts, i int) *matcher {
	m := &matcher{}
	m.dim, _ = widths(arrays)
	for _, a := range arrays {
		n := len(a.Values) / parts
		a.Values = a.Values[i*n : (i+1)*n]
		if a.Length > 0 {
			m.draws = n / a.Length
		}
		switch {
		case a.Length > 1 && a.Spherical:
			m.spherical = append(m.spherical, a)
		case a.Quantile == nil:
		case a.Length == 1:
			m.singles = append(m.singles, a)
		default:
			m.others = append(m.others, a)
		}
	}
	return m
}

func (m *matcher) fill() {
	for i := range m.others {
		a := &m.others[i]
		for j := range a.Length {
			m.permuted(a, j)
		}
	}
	cells := m.cells()
	if cells == 1 {
		for i := range m.singles {
			m.permuted(&m.singles[i], 0)
		}
		m.whiten(0, m.draws)
		return
	}
	m.lattice(cells)
	if m.dim > 0 {
		for c := range cells {
			m.whiten(c*m.draws/cells, (c+1)*m.draws/cells)
		}
	}
}

// cells is the number of combinations of single numbers, each with an even number of pairs, of which half have either sign. Without
// vectors a cell has one draw, and so one sign: symmetric numbers are no combinations then.
func (m *matcher) cells() int {
	symmetric := slices.ContainsFunc(m.singles, func(a runtime.Noise) bool { return a.Symmetric })
	switch {
	case len(m.singles) == 0 || m.dim == 0 && symmetric:
		return 1
	case m.dim == 0:
		return m.draws
	}
	for k := nodes(len(m.singles)); k >= fewestNodes; k-- {
		if m.draws%(4*k) == 0 && m.draws/k >= 2*m.dim {
			return k
		}
	}
	return 1
}

// permuted gives number j of each draw a stratum of its own, in random order.
func (m *matcher) permuted(a *runtime.Noise, j int) {
	half := a.Symmetric && m.draws%2 == 0
	n := m.draws
	if half {
		n /= 2
	}
	values := strata(a.Quantile, n, half)
	order := m.rng.Perm(m.draws)
	for i, at := range order {
		x := values[at%n]
		if at >= n {
			x = -x
		}
		a.Values[i*a.Length+j] = x
	}
}

// lattice gives every cell a combination of wide strata of the single numbers: stratum c*g of cell c, with another multiplier g
// for each number. Within a wide stratum every pair of draws has a narrow one of its own. Signs alternate.
func (m *matcher) lattice(cells int) {
	size := m.draws / cells
	pairs := size
	if m.dim > 0 {
		pairs = size / 2 // e and -e have the same single numbers
	}
	for i := range m.singles {
		a := &m.singles[i]
		half := a.Symmetric
		values := strata(a.Quantile, cells*pairs, half)
		order := m.stratified(i, cells)
		for c := range cells {
			within := m.rng.Perm(pairs)
			for j := range size {
				x := values[order[c]*pairs+within[j%pairs]]
				if half && (j%pairs>>i+i*c)&1 == 1 {
					x = -x
				}
				a.Values[c*size+j] = x
			}
		}
	}
}

// stratified is the order of the strata of single number i: that of the first as they come, of the second by a lattice, of others
// at random.
func (m *matcher) stratified(i, cells int) []int {
	out := make([]int, cells)
	switch {
	case i >= 2:
		return m.rng.Perm(cells)
	case i == 0:
		for c := range out {
			out[c] = c
		}
		return out
	}
	g, shift := multiplier(cells)
	for c := range out {
		out[c] = (c*g + shift) % cells
	}
	return out
}

// multiplier is that of the lattice (c, c*g + shift mod n) for c < n. Of few points it is the one with the largest least distance on
// the torus, and the shift the one that leaves the least correlation between c and the other coordinate: what is correlated by the
// lattice would be taken for correlated whatever the number of draws. Of many it is the one of the golden ratio, the correlation
// of which is of the order of log(n)/n.
func multiplier(n int) (g, shift int) {
	if n > 64 {
		for g = int(math.Round(float64(n) / math.Phi)); gcd(g, n) > 1; g++ {
		}
		return g, 0
	}
	widest, least := -1, math.Inf(1)
	for candidate := 1; candidate <= n; candidate++ {
		if gcd(candidate, n) > 1 {
			continue
		}
		d := distance(candidate, n)
		if d < widest {
			continue
		}
		if d > widest {
			widest, least = d, math.Inf(1)
		}
		for h := range n {
			if r := math.Abs(covariance(candidate, h, n)); r < least-1e-9 {
				g, shift, least = candidate, h, r
			}
		}
	}
	return g, shift
}

// distance is the square of the least distance of two points of a lattice on the torus.
func distance(g, n int) int {
	least := n * n
	for c := 1; c < n; c++ {
		x, y := min(c, n-c), min(c*g%n, n-c*g%n)
		least = min(least, x*x+y*y)
	}
	return least
}

// covariance is that of the coordinates of a lattice, times the number of points.
func covariance(g, shift, n int) float64 {
	middle, sum := float64(n-1)/2, 0.0
	for c := range n {
		sum += (float64(c) - middle) * (float64((c*g+shift)%n) - middle)
	}
	return sum
}

func gcd(a, b int) int {
	for b > 0 {
		a, b = b, a%b
	}
	return a
}

// whiten fills the spherical vectors of some draws with pairs of normal numbers, and then multiplies every pair by the inverse
// of the Cholesky factor of their second moments.
func (m *matcher) whiten(from, to int) {
	pairs, d := (to-from)/2, m.dim
	if d == 0 {
		return
	}
	e := make([]float64, pairs*d)
	for i := range e {
		e[i] = m.rng.NormFloat64()
	}
	// Twice, since the first time leaves as much as rounding times the condition number of the second moments: Yamamoto, Nakatsukasa,
	// Yanagisawa and Fukaya, Roundoff error analysis of the CholeskyQR2 algorithm, 2015.
	if pairs < d || !standardise(e, pairs, d) || !standardise(e, pairs, d) {
		standardiseEntries(e, pairs, d)
	}
	at := 0
	for i := range m.spherical {
		a := &m.spherical[i]
		for p := range pairs {
			for j := range a.Length {
				x := e[p*d+at+j]
				a.Values[(from+p)*a.Length+j] = x
				a.Values[(from+pairs+p)*a.Length+j] = -x
			}
		}
		for j := range (to - from - 2*pairs) * a.Length { // an odd one
			a.Values[(to-1)*a.Length+j] = m.rng.NormFloat64()
		}
		at += a.Length
	}
}

// standardise makes the second moments of rows the identity matrix; it reports whether it can.
func standardise(e []float64, rows, d int) bool {
	second, factor := make([]float64, d*d), make([]float64, d*d)
	w := make([]float64, rows)
	for i := range w {
		w[i] = 1 / float64(rows)
	}
	dense.AddWeightedGram(second, w, e, make([]float64, rows*d), rows, d)
	dense.Mirror(second, d)
	if !dense.Cholesky(factor, second, d) {
		return false
	}
	dense.SolveLowerRows(e, factor, rows, d)
	return true
}

// standardiseEntries makes the second moment of every entry 1.
func standardiseEntries(e []float64, rows, d int) {
	for j := range d {
		sum := 0.0
		for i := range rows {
			sum += e[i*d+j] * e[i*d+j]
		}
		scale := math.Sqrt(float64(rows) / sum)
		for i := range rows {
			e[i*d+j] *= scale
		}
	}
}

// strata are the means of n strata of equal probability, spread about their mean so that their variance is that of the
// distribution, where that leaves them within it. With half they are those of the absolute value of a symmetric number.
func strata(quantile func(u float64) float64, n int, half bool) []float64 {
	q := quantile
	if half {
		q = func(u float64) float64 { return quantile((1 + u) / 2) }
	}
	means := make([]float64, n)
	var mean, square, between float64
	for i := range means {
		first, second := moments(q, float64(i)/float64(n), float64(i+1)/float64(n))
		means[i] = first * float64(n)
		mean += first
		square += second
		between += means[i] * means[i] / float64(n)
	}
	spread := math.Sqrt((square - mean*mean) / (between - mean*mean))
	lowest, highest := q(tiny), q(1-tiny)
	if !(mean+spread*(means[0]-mean) > lowest && mean+spread*(means[n-1]-mean) < highest) {
		return means
	}
	for i, x := range means {
		means[i] = mean + spread*(x-mean)
	}
	return means
}

const (
	// tiny is a probability next to 0: no number of strata comes near it.
	tiny = 1e-12
	// Panels of a stratum, each half as wide as the one before towards an end of the unit interval.
	panels = 40
	// nearOne is how near to 1 panels come: nodes of narrower ones would round to 1, where q may be infinite.
	nearOne = 1e-14
)

// gaussNodes and gaussWeights are the rule of Gauss and Legendre with five nodes, on (-1, 1).
var (
	gaussNodes   = [5]float64{-0.9061798459386640, -0.5384693101056831, 0, 0.5384693101056831, 0.9061798459386640}
	gaussWeights = [5]float64{0.2369268850561891, 0.4786286704993665, 0.5688888888888889, 0.4786286704993665, 0.2369268850561891}
)

// moments are the integrals of q and q^2 over (a, b), in panels that become smaller towards 0 and 1, where q may be infinite.
func moments(q func(float64) float64, a, b float64) (first, second float64) {
	add := func(a, b float64) {
		for i, x := range gaussNodes {
			y := q((a+b)/2 + (b-a)/2*x)
			w := (b - a) / 2 * gaussWeights[i]
			first += w * y
			second += w * y * y
		}
	}
	middle := (a + b) / 2
	low, high := middle, middle
	for range panels {
		if a > 0 {
			break
		}
		add(low/2, low)
		low /= 2
	}
	for range panels {
		if b < 1 || 1-high < nearOne {
			break
		}
		add(high, (1+high)/2)
		high = (1 + high) / 2
	}
	if a > 0 {
		add(a, low)
	}
	if b < 1 {
		add(high, b)
	}
	return first, second
}
