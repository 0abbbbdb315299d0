package fitfixture

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/support"
	"github.com/sngdgen/sngdgen/runtime/types"
)

// Regression is the posterior of the coefficients of a linear regression with known noise, y ~ N(X b, noise^2) and b ~
// N(0, prior^2 I), approximated by a normal distribution q = N(mu, Sigma) with a full covariance: the posterior is
// among them, and posterior and evidence have closed forms (Exact, Evidence).
//
// The coordinates are natural ones, z = [eta1 = inv(Sigma) mu (d); eta2 = -inv(Sigma)/2 (d*d)]; the latent variables are
// draws mu + L e with the Cholesky factor L of Sigma. A row of data is that of X and then y. Formulas are written out
// with gonum, row by row; gradients are derivatives of the estimated bound, through the factor, or of the path alone.
// The terms of a batch are multiplied by rows/len(batch). Only Draw is free of allocations.
type Regression struct {
	Deviation, Prior float64
	Path             bool                // leave out the score of q
	Antithetic       bool                // draws in pairs e, -e
	Latent           []runtime.Parameter // parts of the coefficients, none for all of them

	d       int
	rows    [][]float64
	w       []float64
	batch   []int     // nil for all rows
	e       []float64 // noise, draws x d
	draws   int
	drawn   bool
	blocks  []runtime.Block
	factors mat.Cholesky
}

// NewRegression returns the model of 20 draws with noise and prior of standard deviation 1, on data.
func NewRegression(d runtime.Data) *Regression {
	m := &Regression{Deviation: 1, Prior: 1}
	if err := errors.Join(m.Resize([]int{d.Columns - 1}), m.SetDraws(20), m.SetData(d)); err != nil {
		panic(err)
	}
	return m
}

var (
	regressionDim  = runtime.Dim{Name: "d"}
	regressionInfo = runtime.Info{
		Name: "regression", Target: "normal", Surrogate: "normal", Coordinates: "natural", Objective: "vi",
		Source: "by hand", Dims: []string{"d"},
		Variable: runtime.Parameter{Name: "b", Type: types.Vector.Of(types.Real), Shape: []runtime.Dim{regressionDim}},
		Parameters: []runtime.Parameter{
			{Name: "mu", Type: types.Vector.Of(types.Real), Shape: []runtime.Dim{regressionDim}},
			{Name: "Sigma", Type: types.SPD.Of(types.Real), Shape: []runtime.Dim{regressionDim, regressionDim}},
		},
		Starts: 1,
	}
	regressionConditions = []runtime.Condition{{Block: "eta2", Text: "-eta2 positive definite"}}
)

// Info describes the problem.
func (m *Regression) Info() *runtime.Info {
	if m.Latent == nil {
		return &regressionInfo
	}
	info := regressionInfo
	info.Latent = m.Latent
	return &info
}

// Sizes returns d.
func (m *Regression) Sizes() []int { return []int{m.d} }

// Resize sets d and drops data and noise.
func (m *Regression) Resize(sizes []int) error {
	if len(sizes) != 1 || sizes[0] < 1 {
		return fmt.Errorf("sizes %v are not one positive length d", sizes)
	}
	m.d = sizes[0]
	m.rows, m.w, m.batch = nil, nil, nil
	m.e, m.drawn = make([]float64, m.draws*m.d), false
	m.blocks = []runtime.Block{{Name: "eta1", Len: m.d}, {Name: "eta2", Offset: m.d, Len: m.d * m.d, Symmetric: true}}
	return nil
}

// SetData takes rows of d+1 numbers.
func (m *Regression) SetData(d runtime.Data) error {
	if err := support.CheckData(d, m.d+1, types.Number.Of(types.Real), "data"); err != nil {
		return err
	}
	m.rows, m.w, m.batch = nil, nil, nil
	for i := 0; i < len(d.Values); i += m.d + 1 {
		m.rows = append(m.rows, append([]float64(nil), d.Values[i:i+m.d+1]...))
		w := 1.0
		if d.Weights != nil {
			w = d.Weights[len(m.w)]
		}
		m.w = append(m.w, w)
	}
	return nil
}

// Counts returns the numbers of rows, of which none are merged.
func (m *Regression) Counts() (rows, distinct int, weight float64) {
	for _, w := range m.w {
		weight += w
	}
	return len(m.rows), len(m.rows), weight
}

// Clone copies the model with its noise.
func (m *Regression) Clone() runtime.Model {
	c := *m
	c.factors = mat.Cholesky{}
	c.batch = append([]int(nil), m.batch...)
	c.e = append([]float64(nil), m.e...)
	return &c
}

// Batch restricts the objective to some rows, which it copies.
func (m *Regression) Batch(rows []int) error {
	if err := support.CheckBatch(rows, len(m.rows)); err != nil {
		return err
	}
	m.batch = append(m.batch[:0], rows...)
	return nil
}

// eachRow calls f with the rows of the objective and what they are multiplied by.
func (m *Regression) eachRow(f func(x []float64, y, w float64)) {
	d := m.d
	if len(m.batch) == 0 {
		for i, r := range m.rows {
			f(r[:d], r[d], m.w[i])
		}
		return
	}
	scale := float64(len(m.rows)) / float64(len(m.batch))
	for _, i := range m.batch {
		f(m.rows[i][:d], m.rows[i][d], scale*m.w[i])
	}
}

// Blocks returns eta1 and eta2.
func (m *Regression) Blocks() []runtime.Block { return m.blocks }

// Conditions returns that of the natural parameters.
func (m *Regression) Conditions() []runtime.Condition { return regressionConditions }

// Unconstrained returns nil: the parameters are vectors.
func (m *Regression) Unconstrained() runtime.Unconstrained { return nil }

// Start is the standard normal distribution.
func (m *Regression) Start(z []float64, i int, _ *rand.Rand) error {
	if i != 0 {
		return fmt.Errorf("there is no start %d", i)
	}
	clear(z)
	for j := range m.d {
		z[m.d+j*m.d+j] = -0.5
	}
	return nil
}

// Draws returns the number of draws.
func (m *Regression) Draws() int { return m.draws }

// SetDraws sets the number of draws.
func (m *Regression) SetDraws(s int) error {
	if s < 1 || m.Antithetic && s%2 != 0 {
		return fmt.Errorf("%d draws: there must be at least 1, and an even number of antithetic ones", s)
	}
	m.draws, m.e, m.drawn = s, make([]float64, s*m.d), false
	return nil
}

// Draw makes new noise.
func (m *Regression) Draw(rng *rand.Rand) {
	m.drawn = true
	fresh := m.e
	if m.Antithetic {
		fresh = m.e[:len(m.e)/2]
	}
	for i := range fresh {
		fresh[i] = rng.NormFloat64()
	}
	for i := len(fresh); i < len(m.e); i++ {
		m.e[i] = -m.e[i-len(fresh)]
	}
}

// Noise returns the noise itself.
func (m *Regression) Noise() []runtime.Noise {
	m.drawn = true
	return []runtime.Noise{{Values: m.e, Length: m.d, Symmetric: true, Spherical: true}}
}

// noise returns the noise of a draw.
func (m *Regression) noise(s int) []float64 {
	if !m.drawn {
		m.Draw(rand.New(rand.NewPCG(1, 1)))
	}
	return m.e[s*m.d : (s+1)*m.d]
}

// normal is q at a point.
type normal struct {
	mu     *mat.VecDense
	sigma  *mat.SymDense
	factor *mat.TriDense // of Sigma, lower
}

// at returns q at z, and whether there is one.
func (m *Regression) at(z []float64) (q normal, ok bool) {
	d := m.d
	precision := mat.NewSymDense(d, nil)
	for i := range d {
		for j := range i + 1 {
			precision.SetSym(i, j, -z[d+i*d+j]-z[d+j*d+i])
		}
	}
	q = normal{mat.NewVecDense(d, nil), mat.NewSymDense(d, nil), mat.NewTriDense(d, mat.Lower, nil)}
	if !m.factors.Factorize(precision) || m.factors.InverseTo(q.sigma) != nil || !m.factors.Factorize(q.sigma) {
		return q, false
	}
	m.factors.LTo(q.factor)
	q.mu.MulVec(q.sigma, mat.NewVecDense(d, z[:d]))
	return q, true
}

// latent writes draw s of q to b.
func (m *Regression) latent(b *mat.VecDense, q normal, s int) {
	b.MulVec(q.factor, mat.NewVecDense(m.d, m.noise(s)))
	b.AddVec(b, q.mu)
}

// joint returns the logarithm of the joint density at b, and writes its derivative to g.
func (m *Regression) joint(g, b *mat.VecDense) float64 {
	n2, p2 := m.Deviation*m.Deviation, m.Prior*m.Prior
	f := -0.5*mat.Dot(b, b)/p2 - 0.5*float64(m.d)*math.Log(2*math.Pi*p2)
	g.ScaleVec(-1/p2, b)
	m.eachRow(func(x []float64, y, w float64) {
		v := mat.NewVecDense(m.d, x)
		r := y - mat.Dot(v, b)
		f -= w * (0.5*r*r/n2 + 0.5*math.Log(2*math.Pi*n2))
		g.AddScaledVec(g, w*r/n2, v)
	})
	return f
}

// density returns the logarithm of q at draw s.
func (m *Regression) density(q normal, s int) float64 {
	f := -0.5 * float64(m.d) * math.Log(2*math.Pi)
	for i, e := range m.noise(s) {
		f -= 0.5*e*e + math.Log(q.factor.At(i, i))
	}
	return f
}

// Latents writes the draws.
func (m *Regression) Latents(dst, z []float64) {
	q, ok := m.at(z)
	if !ok {
		return
	}
	for s := range m.draws {
		m.latent(mat.NewVecDense(m.d, dst[s*m.d:(s+1)*m.d]), q, s)
	}
}

// Weights writes log joint less log q.
func (m *Regression) Weights(dst, z []float64) {
	q, ok := m.at(z)
	b, g := mat.NewVecDense(m.d, nil), mat.NewVecDense(m.d, nil)
	for s := range m.draws {
		dst[s] = math.NaN()
		if ok {
			m.latent(b, q, s)
			dst[s] = m.joint(g, b) - m.density(q, s)
		}
	}
}

// LogDensities writes log q.
func (m *Regression) LogDensities(dst, z []float64) {
	q, ok := m.at(z)
	for s := range m.draws {
		if dst[s] = math.NaN(); ok {
			dst[s] = m.density(q, s)
		}
	}
}

// Violation checks the domain.
func (m *Regression) Violation(z []float64) int {
	if _, ok := m.at(z); !ok {
		return 0
	}
	return -1
}

// Loss returns the negative estimate of the bound, NaN outside.
func (m *Regression) Loss(z []float64) float64 {
	logs := make([]float64, m.draws)
	m.Weights(logs, z)
	sum := 0.0
	for _, l := range logs {
		sum += l
	}
	return -sum / float64(m.draws)
}

// NaturalGradient writes the derivative with respect to the mean parameters mu and Sigma + mu mu'.
func (m *Regression) NaturalGradient(v, z []float64) { m.Gradients(v, make([]float64, len(z)), z) }

// Gradients writes the derivatives with respect to the mean parameters and to z.
func (m *Regression) Gradients(v, c, z []float64) float64 {
	q, ok := m.at(z)
	if !ok {
		for i := range v {
			v[i], c[i] = math.NaN(), math.NaN()
		}
		return math.NaN()
	}
	mu, sigma := m.pathwise(q)
	toMean(v, q, mu, sigma)
	toNatural(c, q, mu, sigma)
	return m.Loss(z)
}

// pathwise returns the derivatives of the loss with respect to mu and Sigma, the latter symmetric: with g the
// derivatives at draws mu + L e, that with respect to mu is the mean of g, that with respect to L the lower triangle of
// the mean of g e', from which that with respect to Sigma follows through the factorisation (Murray, Differentiation of
// the Cholesky decomposition, arXiv 1602.07527, equation 10).
func (m *Regression) pathwise(q normal) (mu *mat.VecDense, sigma *mat.Dense) {
	d := m.d
	mu = mat.NewVecDense(d, nil)
	byFactor, b, g := mat.NewDense(d, d, nil), mat.NewVecDense(d, nil), mat.NewVecDense(d, nil)
	score := mat.NewVecDense(d, nil)
	for s := range m.draws {
		e := mat.NewVecDense(d, m.noise(s))
		m.latent(b, q, s)
		m.joint(g, b)
		if m.Path { // q itself is kept: -d log q/db = inv(L)' e
			if err := score.SolveVec(q.factor.T(), e); err != nil {
				panic(err)
			}
			g.AddVec(g, score)
		}
		mu.AddScaledVec(mu, -1/float64(m.draws), g)
		byFactor.RankOne(byFactor, -1/float64(m.draws), g, e)
	}
	for i := range d {
		if !m.Path { // -log q at fixed noise is the sum of the logarithms of the diagonal
			byFactor.Set(i, i, byFactor.At(i, i)-1/q.factor.At(i, i))
		}
		for j := i + 1; j < d; j++ {
			byFactor.Set(i, j, 0)
		}
	}
	return mu, throughFactor(q.factor, byFactor)
}

// throughFactor returns the derivative with respect to A = L L' for that with respect to L.
func throughFactor(l *mat.TriDense, byFactor *mat.Dense) *mat.Dense {
	d, _ := l.Dims()
	var p, inverse, out mat.Dense
	p.Mul(l.T(), byFactor)
	for i := range d {
		p.Set(i, i, p.At(i, i)/2)
		for j := i + 1; j < d; j++ {
			p.Set(i, j, 0)
		}
	}
	if err := inverse.Inverse(l); err != nil {
		panic(err)
	}
	out.Product(inverse.T(), &p, &inverse)
	sym := mat.NewDense(d, d, nil)
	sym.Add(&out, out.T())
	sym.Scale(0.5, sym)
	return sym
}

// toMean turns derivatives with respect to mu and Sigma into those with respect to m1 = mu and m2 = Sigma + mu mu'.
func toMean(v []float64, q normal, mu *mat.VecDense, sigma *mat.Dense) {
	d := mu.Len()
	first := mat.NewVecDense(d, v[:d])
	first.MulVec(sigma, q.mu)
	first.AddScaledVec(mu, -2, first)
	mat.NewDense(d, d, v[d:]).Copy(sigma)
}

// toNatural turns them into those with respect to eta1 and eta2: Sigma = -inv(eta2)/2, mu = Sigma eta1, so that
// dSigma = 2 Sigma deta2 Sigma and dmu = Sigma deta1 + 2 Sigma deta2 mu.
func toNatural(c []float64, q normal, mu *mat.VecDense, sigma *mat.Dense) {
	d := mu.Len()
	first := mat.NewVecDense(d, c[:d])
	first.MulVec(q.sigma, mu)
	second := mat.NewDense(d, d, c[d:])
	var product, outer mat.Dense
	product.Product(q.sigma, sigma, q.sigma)
	outer.Outer(1, first, q.mu)
	second.Add(&outer, outer.T())
	product.Scale(2, &product)
	second.Add(second, &product)
}

// Theta writes mu and Sigma.
func (m *Regression) Theta(dst, z []float64) {
	if q, ok := m.at(z); ok {
		copy(dst, q.mu.RawVector().Data)
		mat.NewDense(m.d, m.d, dst[m.d:]).Copy(q.sigma)
	}
}

// Dual writes mu and Sigma + mu mu'.
func (m *Regression) Dual(dst, z []float64) {
	if q, ok := m.at(z); ok {
		copy(dst, q.mu.RawVector().Data)
		second := mat.NewDense(m.d, m.d, dst[m.d:])
		second.Outer(1, q.mu, q.mu)
		second.Add(second, q.sigma)
	}
}

// Exact writes the coordinates of the posterior: eta1 = X'y/noise^2, eta2 = -(X'X/noise^2 + I/prior^2)/2.
func (m *Regression) Exact(z []float64) {
	d := m.d
	clear(z)
	eta1, eta2 := mat.NewVecDense(d, z[:d]), mat.NewDense(d, d, z[d:])
	n2 := m.Deviation * m.Deviation
	m.eachRow(func(x []float64, y, w float64) {
		v := mat.NewVecDense(d, x)
		eta1.AddScaledVec(eta1, w*y/n2, v)
		eta2.RankOne(eta2, -0.5*w/n2, v, v)
	})
	for j := range d {
		eta2.Set(j, j, eta2.At(j, j)-0.5/(m.Prior*m.Prior))
	}
}

// Evidence is the logarithm of the density of y: normal with the covariance noise^2 I + prior^2 X X'. Weights must be 1.
func (m *Regression) Evidence() float64 {
	n := len(m.rows)
	cov, y := mat.NewSymDense(n, nil), mat.NewVecDense(n, nil)
	for i, a := range m.rows {
		y.SetVec(i, a[m.d])
		for j, b := range m.rows[:i+1] {
			c := m.Prior * m.Prior * mat.Dot(mat.NewVecDense(m.d, a[:m.d]), mat.NewVecDense(m.d, b[:m.d]))
			if i == j {
				c += m.Deviation * m.Deviation
			}
			cov.SetSym(i, j, c)
		}
	}
	var chol mat.Cholesky
	if !chol.Factorize(cov) {
		panic("the covariance of the data is not positive definite")
	}
	var solved mat.VecDense
	if err := chol.SolveVecTo(&solved, y); err != nil {
		panic(err)
	}
	return -0.5 * (float64(n)*math.Log(2*math.Pi) + chol.LogDet() + mat.Dot(y, &solved))
}
