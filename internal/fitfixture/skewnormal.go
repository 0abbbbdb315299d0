package fitfixture

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/support"
	"github.com/sngdgen/sngdgen/runtime/types"
)

// SkewNormal is the skew-normal distribution 2 N(x; xi, Omega) Phi(eta'(x - xi)) with a multivariate normal surrogate in
// its mean parameters about the mean of the data: xi = mu, Omega = Sigma, and eta is auxiliary with the metric Sigma.
//
// The coordinates are z = [m1 (d); M2 (d*d); eta (d)], the parameters theta = [xi (d); Omega (d*d); eta (d)]. Everything
// is written as in a textbook and computed anew in each call: slow, obvious, and nothing to share with generated code.
// It allocates.
type SkewNormal struct {
	d      int
	x      *mat.Dense // rows of data
	w      []float64  // a weight each
	total  float64
	origin []float64
	batch  []int // nil for all rows
}

// NewSkewNormal returns the model on data.
func NewSkewNormal(d runtime.Data) *SkewNormal {
	m := new(SkewNormal)
	if err := m.SetData(d); err != nil {
		panic(err)
	}
	return m
}

var (
	skewNormalDim  = runtime.Dim{Name: "d"}
	skewNormalInfo = runtime.Info{
		Name: "skewnormal", Target: "skew normal", Surrogate: "multivariate normal", Coordinates: "mean", Objective: "mle",
		Source: "by hand", Deterministic: true,
		Dims:     []string{"d"},
		Variable: runtime.Parameter{Name: "x", Type: types.Vector.Of(types.Real), Shape: []runtime.Dim{skewNormalDim}},
		Parameters: []runtime.Parameter{
			{Name: "xi", Type: types.Vector.Of(types.Real), Shape: []runtime.Dim{skewNormalDim}},
			{Name: "Omega", Type: types.SPD.Of(types.Real), Shape: []runtime.Dim{skewNormalDim, skewNormalDim}},
			{Name: "eta", Type: types.Vector.Of(types.Real), Shape: []runtime.Dim{skewNormalDim}},
		},
		Starts: 5, RandomStart: true,
	}
	skewNormalConditions = []runtime.Condition{
		{Block: "m1", Text: "m1 is finite"},
		{Block: "M2", Text: "M2 - m1 m1' is positive definite"},
		{Block: "eta", Text: "eta is finite"},
	}
)

// Info describes the problem.
func (m *SkewNormal) Info() *runtime.Info { return &skewNormalInfo }

// Sizes returns d.
func (m *SkewNormal) Sizes() []int { return []int{m.d} }

// Resize sets d and drops the data.
func (m *SkewNormal) Resize(sizes []int) error {
	if len(sizes) != 1 || sizes[0] < 1 {
		return fmt.Errorf("sizes %v are not one positive length d", sizes)
	}
	*m = SkewNormal{d: sizes[0], origin: make([]float64, sizes[0])}
	return nil
}

// Blocks returns m1, M2 and eta.
func (m *SkewNormal) Blocks() []runtime.Block {
	d := m.d
	return []runtime.Block{
		{Name: "m1", Len: d},
		{Name: "M2", Offset: d, Len: d * d, Symmetric: true},
		{Name: "eta", Offset: d + d*d, Len: d, Auxiliary: true},
	}
}

// Conditions returns those of the mean parameters.
func (m *SkewNormal) Conditions() []runtime.Condition { return skewNormalConditions }

// SetData takes rows of real numbers; their length is d.
func (m *SkewNormal) SetData(data runtime.Data) error {
	d := max(data.Columns, 1)
	if err := support.CheckData(data, d, types.Vector.Of(types.Real), "x"); err != nil {
		return err
	}
	values, weights := slices.Clone(data.Values), weighted(data)
	*m = SkewNormal{d: d, x: mat.NewDense(len(weights), d, values), w: weights, origin: make([]float64, d)}
	for _, w := range weights {
		m.total += w
	}
	for i, w := range weights {
		for j, x := range m.x.RawRowView(i) {
			m.origin[j] += w / m.total * x
		}
	}
	return nil
}

// Counts returns the numbers of rows, of which none are merged.
func (m *SkewNormal) Counts() (rows, distinct int, weight float64) {
	return len(m.w), len(m.w), m.total
}

// Clone copies the model; the data never change and are shared.
func (m *SkewNormal) Clone() runtime.Model {
	c := *m
	c.batch = slices.Clone(m.batch)
	return &c
}

// Batch restricts the objective to some rows.
func (m *SkewNormal) Batch(rows []int) error {
	if err := support.CheckBatch(rows, len(m.w)); err != nil {
		return err
	}
	m.batch = slices.Clone(rows)
	return nil
}

// Unconstrained returns nil: the parameters are vectors and matrices.
func (m *SkewNormal) Unconstrained() runtime.Unconstrained { return nil }

// residuals returns the rows of the batch less a location, and their weights, which sum to one.
func (m *SkewNormal) residuals(location []float64) (r *mat.Dense, w []float64) {
	rows := m.batch
	if rows == nil {
		for i := range m.w {
			rows = append(rows, i)
		}
	}
	r, w = mat.NewDense(len(rows), m.d, nil), make([]float64, len(rows))
	total := 0.0
	for k, i := range rows {
		w[k] = m.w[i]
		total += w[k]
		for j, x := range m.x.RawRowView(i) {
			r.Set(k, j, x-location[j])
		}
	}
	for k := range w {
		w[k] /= total
	}
	return r, w
}

// moments returns the weighted mean of rows and the mean of their outer products.
func moments(r *mat.Dense, w []float64) (mean *mat.VecDense, second *mat.SymDense) {
	n, d := r.Dims()
	mean, second = mat.NewVecDense(d, nil), mat.NewSymDense(d, nil)
	mean.MulVec(r.T(), mat.NewVecDense(n, w))
	weighted := mat.DenseCopyOf(r)
	for i := range n {
		row := weighted.RawRowView(i)
		for j := range row {
			row[j] *= w[i]
		}
	}
	var full mat.Dense
	full.Mul(r.T(), weighted)
	for i := range d {
		for j := i; j < d; j++ {
			second.SetSym(i, j, (full.At(i, j)+full.At(j, i))/2)
		}
	}
	return mean, second
}

// skewPoint is a point in standard parameters.
type skewPoint struct {
	mu    *mat.VecDense
	sigma *mat.SymDense
	eta   *mat.VecDense
	inv   *mat.SymDense // of sigma
	log   float64       // log det sigma
}

// newSkewPoint reads standard parameters; violated is the index of the condition that does not hold, or -1.
func newSkewPoint(mu []float64, sigma *mat.SymDense, eta []float64) (p *skewPoint, violated int) {
	d := len(mu)
	p = &skewPoint{mu: mat.NewVecDense(d, slices.Clone(mu)), sigma: sigma, eta: mat.NewVecDense(d, slices.Clone(eta))}
	var chol mat.Cholesky
	switch {
	case !allFinite(mu):
		return nil, 0
	case !allFinite(sigma.RawSymmetric().Data) || !chol.Factorize(sigma) || math.IsInf(chol.LogDet(), 0):
		return nil, 1
	case !allFinite(eta):
		return nil, 2
	}
	p.log = chol.LogDet()
	p.inv = mat.NewSymDense(d, nil)
	if err := chol.InverseTo(p.inv); err != nil && !errors.As(err, new(mat.Condition)) {
		return nil, 1
	}
	return p, -1
}

func allFinite(x []float64) bool {
	for _, v := range x {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return false
		}
	}
	return true
}

// symmetric reads a full matrix and subtracts an outer product.
func symmetric(full, minus []float64, d int) *mat.SymDense {
	s := mat.NewSymDense(d, nil)
	for i := range d {
		for j := i; j < d; j++ {
			v := (full[i*d+j] + full[j*d+i]) / 2
			if minus != nil {
				v -= minus[i] * minus[j]
			}
			s.SetSym(i, j, v)
		}
	}
	return s
}

// cut returns the three parts of coordinates or parameters.
func (m *SkewNormal) cut(z []float64) (a, b, c []float64) {
	d := m.d
	return z[:d], z[d : d+d*d], z[d+d*d:]
}

// at reads coordinates.
func (m *SkewNormal) at(z []float64) (*skewPoint, int) {
	m1, m2, eta := m.cut(z)
	p, violated := newSkewPoint(m1, symmetric(m2, m1, m.d), eta)
	if violated >= 0 {
		return nil, violated
	}
	for j, o := range m.origin {
		p.mu.SetVec(j, m1[j]+o)
	}
	return p, -1
}

// Violation checks the domain.
func (m *SkewNormal) Violation(z []float64) int {
	_, violated := m.at(z)
	return violated
}

// Theta writes xi, Omega and eta; all NaN outside the domain.
func (m *SkewNormal) Theta(dst, z []float64) {
	p, violated := m.at(z)
	if violated >= 0 {
		for i := range dst {
			dst[i] = math.NaN()
		}
		return
	}
	m.write(dst, p.mu, p.sigma, p.eta)
}

// write writes a vector, a symmetric matrix in full, and a vector.
func (m *SkewNormal) write(dst []float64, a mat.Vector, b mat.Matrix, c mat.Vector) {
	d := m.d
	x, y, z := m.cut(dst)
	for i := range d {
		x[i], z[i] = a.AtVec(i), c.AtVec(i)
		for j := range d {
			y[i*d+j] = b.At(i, j)
		}
	}
}

// Dual writes the natural parameters Sigma^-1 mu and -Sigma^-1/2 about the origin, and eta.
func (m *SkewNormal) Dual(dst, z []float64) {
	p, violated := m.at(z)
	if violated >= 0 {
		panic("fitfixture: Dual outside the domain")
	}
	m1, _, _ := m.cut(z)
	var h mat.VecDense
	h.MulVec(p.inv, mat.NewVecDense(m.d, slices.Clone(m1)))
	var j mat.Dense
	j.Scale(-0.5, p.inv)
	m.write(dst, &h, &j, p.eta)
}

// skewGradient is the loss with its gradients with respect to the standard parameters.
type skewGradient struct {
	f     float64
	mu    mat.VecDense
	sigma mat.Dense // symmetric
	eta   mat.VecDense
}

// gradient differentiates the mean negative log-likelihood.
func (m *SkewNormal) gradient(p *skewPoint) *skewGradient {
	g := new(skewGradient)
	r, w := m.residuals(p.mu.RawVector().Data)
	mean, s := moments(r, w)
	var a, h mat.VecDense
	a.MulVec(r, p.eta)
	h.CloneFromVec(&a)
	hbar := 0.0
	g.f = -math.Ln2 + float64(m.d)/2*math.Log(2*math.Pi) + p.log/2
	for i, wi := range w {
		logPhi, mills := logNormalCDF(a.AtVec(i))
		g.f -= wi * logPhi
		hbar += wi * mills
		h.SetVec(i, wi*mills)
	}
	var ps, psp mat.Dense
	ps.Mul(p.inv, s)
	g.f += mat.Trace(&ps) / 2
	psp.Mul(&ps, p.inv)
	g.sigma.Sub(p.inv, &psp)
	g.sigma.Scale(0.5, &g.sigma)
	symmetrise(&g.sigma)
	g.mu.MulVec(p.inv, mean)
	g.mu.ScaleVec(-1, &g.mu)
	g.mu.AddScaledVec(&g.mu, hbar, p.eta)
	g.eta.MulVec(r.T(), &h)
	g.eta.ScaleVec(-1, &g.eta)
	return g
}

func symmetrise(a *mat.Dense) {
	n, _ := a.Dims()
	for i := range n {
		for j := range i {
			v := (a.At(i, j) + a.At(j, i)) / 2
			a.Set(i, j, v)
			a.Set(j, i, v)
		}
	}
}

// logNormalCDF returns log Phi(a) and its derivative phi(a)/Phi(a). Far in the lower tail Phi(-t) is phi(t) times the
// continued fraction 1/(t + 1/(t + 2/(t + ...))) (Abramowitz and Stegun 26.2.14).
func logNormalCDF(a float64) (value, derivative float64) {
	if a > -5 {
		cdf := math.Erfc(-a/math.Sqrt2) / 2
		return math.Log(cdf), math.Exp(-a*a/2) / math.Sqrt(2*math.Pi) / cdf
	}
	t := -a
	below := t
	for k := 100; k > 0; k-- {
		below = t + float64(k)/below
	}
	return -a*a/2 - math.Log(2*math.Pi)/2 - math.Log(below), below
}

// Loss returns f(z), NaN outside.
func (m *SkewNormal) Loss(z []float64) float64 {
	p, violated := m.at(z)
	if violated >= 0 {
		return math.NaN()
	}
	return m.gradient(p).f
}

// ThetaGradient writes df/dtheta.
func (m *SkewNormal) ThetaGradient(g, theta []float64) float64 {
	xi, omega, eta := m.cut(theta)
	p, violated := newSkewPoint(xi, symmetric(omega, nil, m.d), eta)
	if violated >= 0 {
		return math.NaN()
	}
	s := m.gradient(p)
	m.write(g, &s.mu, &s.sigma, &s.eta)
	return s.f
}

// NaturalGradient writes df/d(natural parameters), and df/deta.
func (m *SkewNormal) NaturalGradient(v, z []float64) {
	c := make([]float64, len(z))
	m.Gradients(v, c, z)
	_, _, veta := m.cut(v)
	_, _, ceta := m.cut(c)
	copy(veta, ceta)
}

// Gradients writes df/d(natural parameters), Sigma^-1 df/deta and df/dz: with the cotangents fmu and fSigma,
//
//	d/dh  = Sigma fmu                      d/dm1 = fmu - 2 fSigma m1
//	d/dJ  = 2 Sigma fSigma Sigma + (Sigma fmu) m1' + m1 (Sigma fmu)'
//	d/dM2 = fSigma
func (m *SkewNormal) Gradients(v, c, z []float64) float64 {
	p, violated := m.at(z)
	if violated >= 0 {
		return math.NaN()
	}
	g := m.gradient(p)
	first, _, _ := m.cut(z)
	m1 := mat.NewVecDense(m.d, slices.Clone(first))

	var cm1 mat.VecDense
	cm1.MulVec(&g.sigma, m1)
	cm1.AddScaledVec(&g.mu, -2, &cm1)
	m.write(c, &cm1, &g.sigma, &g.eta)

	var h, eta mat.VecDense
	var j, outer mat.Dense
	h.MulVec(p.sigma, &g.mu)
	j.Mul(p.sigma, &g.sigma)
	j.Mul(&j, p.sigma)
	outer.Outer(1, &h, m1)
	j.Add(&j, &outer)
	symmetrise(&j)
	j.Scale(2, &j)
	eta.MulVec(p.inv, &g.eta)
	m.write(v, &h, &j, &eta)
	return g.f
}

// Start has the location and covariance of the data. Eta is 0.5/sd with the signs of the skewnesses (start 0), the
// opposite (start 1), or a draw of N(0, 0.25 cov^-1), with random numbers of its own up to start 4.
func (m *SkewNormal) Start(z []float64, i int, rng *rand.Rand) error {
	m1, m2, eta := m.cut(z)
	r, w := m.residuals(m.origin)
	mean, second := moments(r, w)
	cov := mat.NewSymDense(m.d, nil)
	cov.SymRankOne(second, -1, mean)
	var chol mat.Cholesky
	if !chol.Factorize(cov) {
		return errors.New("the covariance matrix of the data is singular")
	}
	copy(m1, mean.RawVector().Data)
	for a := range m.d {
		for b := range m.d {
			m2[a*m.d+b] = second.At(a, b)
		}
	}
	switch {
	case i < 2:
		for j := range eta {
			skewness := 0.0
			for k, wk := range w {
				skewness += wk * math.Pow(r.At(k, j)-mean.AtVec(j), 3)
			}
			eta[j] = math.Copysign(0.5/math.Sqrt(cov.At(j, j)), skewness) * float64(1-2*i)
		}
		return nil
	case i < skewNormalInfo.Starts:
		rng = rand.New(rand.NewPCG(1, uint64(i)))
	}
	var upper mat.TriDense
	chol.UTo(&upper)
	eps := mat.NewVecDense(m.d, nil)
	for j := range m.d {
		eps.SetVec(j, 0.5*rng.NormFloat64())
	}
	var draw mat.VecDense
	if err := draw.SolveVec(&upper, eps); err != nil { // U'U = cov, so U^-1 eps has the covariance cov^-1
		return err
	}
	copy(eta, draw.RawVector().Data)
	return nil
}

// Sample fills dst with draws: xi + |w| beta + chol(Omega - beta beta') eps, beta = Omega eta / sqrt(1 + eta' Omega eta).
func (m *SkewNormal) Sample(dst, theta []float64, rng *rand.Rand) {
	xi, full, e := m.cut(theta)
	omega, eta := symmetric(full, nil, m.d), mat.NewVecDense(m.d, slices.Clone(e))
	var beta mat.VecDense
	beta.MulVec(omega, eta)
	beta.ScaleVec(1/math.Sqrt(1+mat.Dot(eta, &beta)), &beta)
	rest := mat.NewSymDense(m.d, nil)
	rest.SymRankOne(omega, -1, &beta)
	var chol mat.Cholesky
	if !chol.Factorize(rest) {
		panic("fitfixture: Sample outside the domain")
	}
	var lower mat.TriDense
	chol.LTo(&lower)
	for ; len(dst) > 0; dst = dst[m.d:] {
		scale, eps := math.Abs(rng.NormFloat64()), mat.NewVecDense(m.d, nil)
		for j := range m.d {
			eps.SetVec(j, rng.NormFloat64())
		}
		eps.MulVec(&lower, eps)
		for j := range m.d {
			dst[j] = xi[j] + scale*beta.AtVec(j) + eps.AtVec(j)
		}
	}
}

// String names the model in messages of tests.
func (m *SkewNormal) String() string {
	return fmt.Sprintf("skewnormal on %d rows of %d", len(m.w), m.d)
}

// weighted are the weights of the rows of data, one each.
func weighted(d runtime.Data) []float64 {
	w := make([]float64, d.Rows())
	for i := range w {
		if w[i] = 1; d.Weights != nil {
			w[i] = d.Weights[i]
		}
	}
	return w
}
