package ep

import (
	"math"
	"math/rand/v2"

	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/dense"
	"github.com/sngdgen/sngdgen/runtime/matched"
)

// cubature integrates functions of several numbers under normal distributions. Its nodes u are those of a standard normal
// distribution, moved and stretched to where the integrand is, which is found by integration too. Two and three numbers have the
// trapezoidal rule in every direction, on a lattice and on the same one moved along the diagonal of its cells; more have draws with
// matched moments, always the same ones. Either comes in two halves, whose difference says what the error is.
type cubature struct {
	p       Problem
	k, half int       // how many numbers, and how many nodes are those of the first half
	u       []float64 // the nodes, row by row
	logs    []float64 // logarithms of their weights, for integrals over the whole space
	// Of one integral: a portion of nodes as predictors, each predictor at all nodes, and at all nodes the logarithms of the factor, or of
	// the terms of the integral.
	at, values  []float64
	evaluations int
	// Nodes lie at centre + root u; root is lower triangular.
	centre, root, scratch []float64
	parts                 [2]moment // sums over the halves
	all, fit              moment
}

// moment are the integral of a function, and those of its products with u and with u u'.
type moment struct {
	mass, first, second []float64 // 1, k, k x k
}

const (
	// Lattices are inside a ball of this radius, and so narrow that the error is negligible for normal integrands: exp(-2 (pi/h)^2)
	// for the distance h (Trefethen and Weideman 2014, section 4). Where the halves differ by more than latticeTolerance the factor has
	// a lattice of half the distance from then on: these are the levels.
	ballRadius       = 6.5
	planeStep        = 0.8
	planeLevels      = 4
	spaceStep        = 1.0
	spaceLevels      = 2
	mostLattice      = 3
	latticeTolerance = 1e-3
	halfDraws        = 2048
	placeTries       = 100
	placeMean        = 0.3 // nodes are where the integrand is if its mean is within so many of their deviations of the centre,
	leastSpread      = 0.8 // and its own deviations are parts of theirs between these
	mostSpread       = 1.25
	leastShrunk      = 0.01 // part of their variance that is left at least by one change
	farFromNodes     = ballRadius / 2
)

// newCubatures makes the levels for k numbers.
func newCubatures(p Problem, k int) (levels []*cubature) {
	count := 1
	switch k {
	case 2:
		count = planeLevels
	case 3:
		count = spaceLevels
	}
	for level := range count {
		levels = append(levels, newCubature(p, k, level))
	}
	return levels
}

func newCubature(p Problem, k, level int) *cubature {
	q := &cubature{p: p, k: k, at: make([]float64, k*Portion), centre: make([]float64, k), root: make([]float64, k*k), scratch: make([]float64, k*k)}
	if k <= mostLattice {
		q.lattice(level)
	} else {
		q.draws()
	}
	q.values = make([]float64, len(q.logs))
	for _, m := range []*moment{&q.parts[0], &q.parts[1], &q.all, &q.fit} {
		*m = moment{make([]float64, 1), make([]float64, k), make([]float64, k*k)}
	}
	return q
}

// lattice makes the nodes of both halves.
func (q *cubature) lattice(level int) {
	step := spaceStep
	if q.k == 2 {
		step = planeStep
	}
	step /= float64(int(1) << level)
	most := int(ballRadius/step) + 1
	side, cells := 2*most+1, 1
	for range q.k {
		cells *= side
	}
	log := float64(q.k)*math.Log(step) - math.Ln2
	for half := range 2 {
		q.half = len(q.logs)
		for cell := range cells {
			square, before := 0.0, len(q.u)
			for range q.k {
				x := step * (float64(cell%side-most) + float64(half)/2)
				cell /= side
				square += x * x
				q.u = append(q.u, x)
			}
			if square > ballRadius*ballRadius {
				q.u = q.u[:before]
				continue
			}
			q.logs = append(q.logs, log)
		}
	}
}

// draws makes matched draws as nodes, each half for itself.
func (q *cubature) draws() {
	rng := rand.New(rand.NewPCG(uint64(q.k), 0))
	for range 2 {
		u := make([]float64, halfDraws*q.k)
		matched.Fill([]runtime.Noise{{Values: u, Length: q.k, Symmetric: true, Spherical: true}}, 1, rng)
		q.u = append(q.u, u...)
	}
	q.half = halfDraws
	for i := range 2 * halfDraws {
		u := q.u[i*q.k : (i+1)*q.k]
		q.logs = append(q.logs, dense.Dot(u, u)/2+float64(q.k)*math.Log(2*math.Pi)/2-math.Log(2*halfDraws))
	}
}

// place puts the nodes where a distribution is.
func (q *cubature) place(m marginal) bool {
	copy(q.centre, m.mean)
	return dense.Cholesky(q.root, m.cov, q.k)
}

// portion evaluates the logarithm of a factor at the nodes from start on, as many as go into a portion.
func (q *cubature) portion(i, start int) []float64 {
	b := min(Portion, len(q.logs)-start)
	for m := range b {
		u := q.u[(start+m)*q.k:][:q.k]
		for j := range q.k {
			q.at[j*b+m] = q.centre[j] + dense.Dot(q.root[j*q.k:][:j+1], u[:j+1])
		}
	}
	values := q.values[start : start+b]
	q.p.FactorLogs(values, q.at[:q.k*b], i)
	q.evaluations += b
	return values
}

// evaluate writes the logarithms of the terms at all nodes to q.values; false where one is no number, or infinite.
func (q *cubature) evaluate(i int, term *term) (largest float64, ok bool) {
	largest = math.Inf(-1)
	for start := 0; start < len(q.logs); start += Portion {
		values := q.portion(i, start)
		for m, h := range values {
			values[m] = term.log(h, q.at[m:], len(values)) + q.logs[start+m]
			if math.IsNaN(values[m]) || math.IsInf(values[m], 1) {
				return 0, false
			}
			largest = math.Max(largest, values[m])
		}
	}
	return largest, largest-negligible < largest // not where it is -Inf
}

// term makes a term of an integral of the logarithm of a factor: the logarithm of the density of the tilted distribution, but for a
// constant. The predictors are every b-th number of s.
type term struct {
	power  float64
	cavity marginal
	rest   natural
}

func (t *term) log(h float64, s []float64, b int) float64 {
	k, square := len(t.cavity.mean), 0.0
	for j := range k {
		own := s[j*b] - t.cavity.mean[j]
		square += t.rest.precision[j*k+j] * own * own
		for m := range j {
			square += 2 * t.rest.precision[j*k+m] * own * (s[m*b] - t.cavity.mean[m])
		}
	}
	return t.power*h - square/2
}

// clear sets sums to 0.
func (m *moment) clear() {
	clear(m.mass)
	clear(m.first)
	clear(m.second)
}

// add adds a term at u.
func (m *moment) add(p float64, u []float64) {
	k := len(u)
	m.mass[0] += p
	for j, x := range u {
		m.first[j] += p * x
		dense.Axpy(m.second[j*k:][:j+1], p*x, u[:j+1])
	}
}

// normalise makes a mean and a covariance of sums.
func (m *moment) normalise() {
	k := len(m.first)
	dense.Scale(m.first, 1/m.mass[0], m.first)
	for j := range k {
		for l := range j + 1 {
			c := m.second[j*k+l]/m.mass[0] - m.first[j]*m.first[l]
			m.second[j*k+l], m.second[l*k+j] = c, c
		}
	}
}

// tilted integrates a power of a factor under its cavity, and writes the moments of the tilted distribution to out; log is that of the
// integral, change by how much the halves differ. False where it has no integral. Nodes lie first where the approximation is now.
func (q *cubature) tilted(i int, t *term, now, out marginal) (log, change float64, ok bool) {
	if !q.place(now) {
		return 0, 0, false
	}
	for range placeTries {
		largest, ok := q.evaluate(i, t)
		if !ok {
			return 0, 0, false
		}
		q.parts[0].clear()
		q.parts[1].clear()
		for m, v := range q.values {
			if p := math.Exp(v - largest); p > 0 {
				q.part(m).add(p, q.u[m*q.k:][:q.k])
			}
		}
		q.join()
		q.all.normalise()
		if q.placed() {
			change := q.difference()
			q.moments(out)
			log := largest + math.Log(q.all.mass[0]) + dense.LogDet(q.root, q.k)/2 - float64(q.k)*math.Log(2*math.Pi)/2
			if !dense.Cholesky(q.scratch, t.rest.precision, q.k) {
				return 0, 0, false
			}
			return log + dense.LogDet(q.scratch, q.k)/2, change, !math.IsNaN(change)
		}
		if !q.move() {
			return 0, 0, false
		}
	}
	return 0, 0, false
}

// part are the sums that a node belongs to.
func (q *cubature) part(node int) *moment {
	if node < q.half {
		return &q.parts[0]
	}
	return &q.parts[1]
}

// join adds the halves up.
func (q *cubature) join() {
	q.all.clear()
	for h := range q.parts {
		q.all.mass[0] += q.parts[h].mass[0]
		dense.Axpy(q.all.first, 1, q.parts[h].first)
		dense.Axpy(q.all.second, 1, q.parts[h].second)
	}
}

// placed reports whether the nodes are where the integrand is.
func (q *cubature) placed() bool {
	for j, mean := range q.all.first {
		spread := math.Sqrt(q.all.second[j*q.k+j])
		if !(math.Abs(mean) <= placeMean && spread >= leastSpread && spread <= mostSpread) {
			return false
		}
	}
	return true
}

// move puts the nodes where the integrand seems to be; false where it is nowhere, or has no end.
func (q *cubature) move() bool {
	k, far := q.k, false
	for _, mean := range q.all.first {
		far = far || math.Abs(mean) > farFromNodes
	}
	for j := range k {
		q.centre[j] += dense.Dot(q.root[j*k:][:j+1], q.all.first[:j+1])
		q.all.second[j*k+j] += leastShrunk
		if far { // what is behind the nodes may be wide
			q.all.second[j*k+j]++
		}
	}
	if !dense.Cholesky(q.scratch, q.all.second, k) {
		return false
	}
	for j := k - 1; j >= 0; j-- { // the product of two lower triangular matrices, from the last row
		for l := range j + 1 {
			sum := 0.0
			for m := l; m <= j; m++ {
				sum += q.root[j*k+m] * q.scratch[m*k+l]
			}
			q.all.second[j*k+l] = sum
		}
	}
	for j := range k {
		copy(q.root[j*k:][:j+1], q.all.second[j*k:][:j+1])
		if x := q.root[j*k+j]; !(x > 0) || math.IsInf(x, 1) {
			return false
		}
	}
	return true
}

// difference is half of that of the halves, as their errors have opposite signs: of the logarithms of the integrals, of means in standard
// deviations of the nodes and of covariances in products of these. It leaves moments in the halves.
func (q *cubature) difference() float64 {
	a, b := &q.parts[0], &q.parts[1]
	change := math.Abs(math.Log(a.mass[0] / b.mass[0]))
	a.normalise()
	b.normalise()
	for j, x := range a.first {
		change = math.Max(change, math.Abs(x-b.first[j]))
	}
	for j, x := range a.second {
		change = math.Max(change, math.Abs(x-b.second[j]))
	}
	return change / 2
}

// moments writes the moments of what was integrated.
func (q *cubature) moments(out marginal) {
	k := q.k
	for j := range k {
		out.mean[j] = q.centre[j] + dense.Dot(q.root[j*k:][:j+1], q.all.first[:j+1])
	}
	dense.Mul(q.scratch, q.root, q.all.second, k, k, k)
	dense.MulNT(out.cov, q.scratch, q.root, k, k, k)
	dense.Symmetrize(out.cov, k)
}

// expected are the expectations of the logarithm of a factor, of its slopes and of its curvatures under a normal distribution, by
// integration by parts: E[h u] and E[h (u u' - I)] for standard normal u.
func (q *cubature) expected(i int, now marginal) (mean float64, slope, curvature []float64, change float64, ok bool) {
	k := q.k
	if !q.place(now) {
		return 0, nil, nil, 0, false
	}
	for start := 0; start < len(q.logs); start += Portion {
		q.portion(i, start)
	}
	q.fit.clear()
	for pass := range fitPasses {
		q.expectations()
		if pass == 0 {
			change = q.disagreement()
		}
		q.fit.mass[0] += q.all.mass[0]
		dense.Axpy(q.fit.first, 1, q.all.first)
		dense.Axpy(q.fit.second, 1, q.all.second)
		if k <= mostLattice {
			break
		}
		q.subtract()
	}
	dense.SolveLowerT(q.fit.first, q.root, k)
	for range 2 { // root^-T M root^-1
		for j := range k {
			dense.SolveLowerT(q.fit.second[j*k:][:k], q.root, k)
		}
		turn(q.fit.second, k)
	}
	dense.Symmetrize(q.fit.second, k)
	mean = q.fit.mass[0]
	return mean, q.fit.first, q.fit.second, change, !math.IsNaN(mean+dense.Dot(q.fit.first, q.fit.first)) && !math.IsInf(mean, 0)
}

// fitPasses are how often what the expectations explain of values at draws, a polynomial of second degree, is subtracted from these and
// the rest integrated again: of such polynomials draws know the expectations then, though their fourth moments are not matched.
const fitPasses = 12

// expectations are those of the values, and of their products with u and u u' - I.
func (q *cubature) expectations() {
	q.parts[0].clear()
	q.parts[1].clear()
	for m, h := range q.values {
		u := q.u[m*q.k:][:q.k]
		if p := math.Exp(q.logs[m] - dense.Dot(u, u)/2 - float64(q.k)*math.Log(2*math.Pi)/2); p > 0 {
			q.part(m).add(p*h, u)
		}
	}
	q.join()
	for j := range q.k {
		q.all.second[j*q.k+j] -= q.all.mass[0]
	}
	dense.Mirror(q.all.second, q.k)
}

// disagreement is half of the difference of the expectations by the halves.
func (q *cubature) disagreement() float64 {
	a, b := &q.parts[0], &q.parts[1]
	change := math.Abs(a.mass[0] - b.mass[0])
	for j, x := range a.first {
		change = math.Max(change, math.Abs(x-b.first[j]))
	}
	return change // of halves whose sum is the whole
}

// subtract takes the polynomial with the expectations off the values: c + b'u + (u'A u - trace A)/2 for the means c, b and A.
func (q *cubature) subtract() {
	k := q.k
	for m := range q.values {
		u := q.u[m*k:][:k]
		fitted := q.all.mass[0] + dense.Dot(q.all.first, u)
		for j, x := range u {
			fitted += (x*dense.Dot(q.all.second[j*k:][:k], u) - q.all.second[j*k+j]) / 2
		}
		q.values[m] -= fitted
	}
}

// turn transposes a square matrix.
func turn(a []float64, k int) {
	for j := range k {
		for l := range j {
			a[j*k+l], a[l*k+j] = a[l*k+j], a[j*k+l]
		}
	}
}
