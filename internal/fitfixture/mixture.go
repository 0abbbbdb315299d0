package fitfixture

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/support"
	"github.com/sngdgen/sngdgen/runtime/types"
)

// Mixture is a mixture of k univariate normal distributions whose surrogate is the same mixture in its mean parameters.
// A step of one along the natural gradient is one of EM.
//
// The coordinates are z = [w_1 ... w_(k-1); w_c mu_c (k); w_c (mu_c^2 + sigma2_c) (k)], the parameters theta = [w (k);
// mu (k); sigma2 (k)]. Rows are not merged. Formulas are those of textbooks, with nothing to share with generated code.
type Mixture struct {
	k       int
	x, w    []float64
	total   float64
	batch   []int // nil for all rows
	theta   []float64
	logs    []float64 // of one row: responsibilities
	g       []float64 // by theta
	sums    []float64 // means of r, r x, r x^2
	weights []float64
	blocks  []runtime.Block
}

// NewMixture returns the model with k components on data.
func NewMixture(d runtime.Data, k int) *Mixture {
	m := new(Mixture)
	if err := errors.Join(m.SetComponents(k), m.SetData(d)); err != nil {
		panic(err)
	}
	return m
}

var (
	mixtureDim  = runtime.Dim{Name: "k"}
	mixtureInfo = runtime.Info{
		Name: "normalmixture", Target: "normal mixture", Surrogate: "normal mixture", Coordinates: "mean", Objective: "mle",
		Source: "by hand", Deterministic: true,
		Dims: []string{"k"}, Mixture: true, Components: "k",
		Variable: runtime.Parameter{Name: "x", Type: types.Number.Of(types.Real)},
		Parameters: []runtime.Parameter{
			{Name: "weights", Type: types.Simplex.Of(types.Unit), Shape: []runtime.Dim{mixtureDim}},
			{Name: "mu", Type: types.Number.Of(types.Real), Shape: []runtime.Dim{mixtureDim}, Components: true},
			{Name: "sigma2", Type: types.Number.Of(types.Positive), Shape: []runtime.Dim{mixtureDim}, Components: true},
		},
		Starts: 2, RandomStart: true,
	}
	mixtureConditions = []runtime.Condition{
		{Block: "weights", Text: "weights > 0"},
		{Block: "weights", Text: "sum(weights) < 1"},
		{Block: "m1", Text: "m1 is finite"},
		{Block: "m2", Text: "m2/weights - (m1/weights)^2 > 0"},
	}
)

// Info describes the problem.
func (m *Mixture) Info() *runtime.Info { return &mixtureInfo }

// Sizes returns k.
func (m *Mixture) Sizes() []int { return []int{m.k} }

// Resize sets k and drops the data.
func (m *Mixture) Resize(sizes []int) error {
	if len(sizes) != 1 || sizes[0] < 1 {
		return fmt.Errorf("sizes %v are not one positive length k", sizes)
	}
	*m = Mixture{}
	return m.SetComponents(sizes[0])
}

// Components returns k.
func (m *Mixture) Components() int { return m.k }

// SetComponents sets k and keeps the data.
func (m *Mixture) SetComponents(k int) error {
	if k < 1 {
		return fmt.Errorf("%d components: there must be at least 1", k)
	}
	m.k = k
	m.theta, m.g = make([]float64, 3*k), make([]float64, 3*k)
	m.logs, m.sums, m.weights = make([]float64, k), make([]float64, 3*k), make([]float64, k)
	m.blocks = []runtime.Block{
		{Name: "weights", Len: k - 1},
		{Name: "m1", Offset: k - 1, Len: k, Copies: k},
		{Name: "m2", Offset: 2*k - 1, Len: k, Copies: k},
	}
	return nil
}

// Blocks returns the weights, m1 and m2.
func (m *Mixture) Blocks() []runtime.Block { return m.blocks }

// Conditions returns those of the mean parameters.
func (m *Mixture) Conditions() []runtime.Condition { return mixtureConditions }

// SetData takes real numbers.
func (m *Mixture) SetData(d runtime.Data) error {
	if err := support.CheckData(d, 1, types.Number.Of(types.Real), "x"); err != nil {
		return err
	}
	m.x, m.w = slices.Clone(d.Values), weighted(d)
	m.batch, m.total = nil, 0
	for _, w := range m.w {
		m.total += w
	}
	return nil
}

// Counts returns the numbers of rows, of which none are merged.
func (m *Mixture) Counts() (rows, distinct int, weight float64) { return len(m.x), len(m.x), m.total }

// Observations returns the rows.
func (m *Mixture) Observations() runtime.Data {
	return support.Held(support.WeightsOf(m.w, len(m.x)), m.x)
}

// Clone copies the model.
func (m *Mixture) Clone() runtime.Model {
	c := &Mixture{x: m.x, w: m.w, total: m.total, batch: slices.Clone(m.batch)}
	if m.k > 0 {
		_ = c.SetComponents(m.k) // no error for the number of another model
	}
	return c
}

// Batch restricts the objective to some rows, which it does not copy.
func (m *Mixture) Batch(rows []int) error {
	if err := support.CheckBatch(rows, len(m.x)); err != nil {
		return err
	}
	m.batch = rows
	return nil
}

// Unconstrained returns nil: the parameters are vectors.
func (m *Mixture) Unconstrained() runtime.Unconstrained { return nil }

// Start 0 takes the moments of k slices of the sorted data, start 1 those of clusters, and later ones those of clusters
// from random seeds.
func (m *Mixture) Start(z []float64, i int, rng *rand.Rand) error {
	var err error
	switch labels := make([]float64, len(m.x)); i {
	case 0:
		err = m.moments(z, labels, support.Slices(labels, m.x, m.w, m.k))
	case 1:
		err = m.moments(z, labels, support.Clusters(labels, m.x, m.w, 1, m.k, nil))
	default:
		err = m.moments(z, labels, support.Clusters(labels, m.x, m.w, 1, m.k, rng))
	}
	return err
}

// moments writes the weights and moments of groups to z. Groups without a variance of their own get a share of that of
// all.
func (m *Mixture) moments(z, labels []float64, err error) error {
	if err != nil {
		return err
	}
	clear(m.sums)
	var mean, square float64
	for i, x := range m.x {
		p, c := m.w[i]/m.total, int(labels[i])
		mean, square = mean+p*x, square+p*x*x
		m.sums[c] += p
		m.sums[m.k+c] += p * x
		m.sums[2*m.k+c] += p * x * x
	}
	all := square - mean*mean
	if !(all > 0) {
		return errors.New("the data have no variance")
	}
	for c := range m.k {
		w, mu := m.sums[c], m.sums[m.k+c]/m.sums[c]
		if least := w * (mu*mu + 1e-3*all); m.sums[2*m.k+c] < least {
			m.sums[2*m.k+c] = least
		}
	}
	copy(z, m.sums[:m.k-1])
	copy(z[m.k-1:], m.sums[m.k:])
	return nil
}

// Theta writes weights, means and variances.
func (m *Mixture) Theta(dst, z []float64) {
	k := m.k
	last := 1.0
	for c := range k - 1 {
		dst[c] = z[c]
		last -= z[c]
	}
	dst[k-1] = last
	for c := range k {
		mu := z[k-1+c] / dst[c]
		dst[k+c], dst[2*k+c] = mu, z[2*k-1+c]/dst[c]-mu*mu
	}
}

// Violation checks the domain.
func (m *Mixture) Violation(z []float64) int {
	k := m.k
	m.Theta(m.theta, z)
	for c := range k - 1 {
		if !(z[c] > 0) {
			return 0
		}
	}
	if !(m.theta[k-1] > 0) {
		return 1
	}
	for c := range k {
		if mu := m.theta[k+c]; mu-mu != 0 {
			return 2
		}
		if v := m.theta[2*k+c]; !(v > 0) || math.IsInf(v, 1) {
			return 3
		}
	}
	return -1
}

// row leaves the responsibilities for x in m.logs and returns the logarithm of the density at theta.
func (m *Mixture) row(theta []float64, x float64) float64 {
	k, top := m.k, math.Inf(-1)
	for c := range k {
		r, v := x-theta[k+c], theta[2*k+c]
		m.logs[c] = math.Log(theta[c]) - 0.5*(r*r/v+math.Log(2*math.Pi*v))
		top = math.Max(top, m.logs[c])
	}
	if math.IsInf(top, -1) {
		return top
	}
	sum := 0.0
	for c, l := range m.logs {
		m.logs[c] = math.Exp(l - top)
		sum += m.logs[c]
	}
	for c := range m.logs {
		m.logs[c] /= sum
	}
	return top + math.Log(sum)
}

// value writes the means of r, r x and r x^2 to m.sums, where that is asked for, and returns the loss.
func (m *Mixture) value(theta []float64, sums bool) float64 {
	k, n, f, total := m.k, len(m.x), 0.0, 0.0
	if m.batch != nil {
		n = len(m.batch)
	}
	clear(m.sums)
	for j := range n {
		i := j
		if m.batch != nil {
			i = m.batch[j]
		}
		x, w := m.x[i], m.w[i]
		if w == 0 {
			continue
		}
		total += w
		f -= w * m.row(theta, x)
		for c := 0; sums && c < k; c++ {
			m.sums[c] += w * m.logs[c]
			m.sums[k+c] += w * m.logs[c] * x
			m.sums[2*k+c] += w * m.logs[c] * x * x
		}
	}
	for i := range m.sums {
		m.sums[i] /= total
	}
	return f / total
}

// Loss returns f(z), NaN outside.
func (m *Mixture) Loss(z []float64) float64 {
	if m.Violation(z) >= 0 {
		return math.NaN()
	}
	m.Theta(m.theta, z)
	return m.value(m.theta, false)
}

// NaturalGradient writes the coordinates less those after a step of EM.
func (m *Mixture) NaturalGradient(v, z []float64) {
	m.Theta(m.theta, z)
	m.value(m.theta, true)
	m.natural(v, z)
}

func (m *Mixture) natural(v, z []float64) {
	k := m.k
	for c := range k - 1 {
		v[c] = z[c] - m.sums[c]
	}
	for c := range 2 * k {
		v[k-1+c] = z[k-1+c] - m.sums[k+c]
	}
}

// Gradients writes both gradients: c by the chain rule through the weights, means and variances.
func (m *Mixture) Gradients(v, c, z []float64) float64 {
	if m.Violation(z) >= 0 {
		return math.NaN()
	}
	k := m.k
	m.Theta(m.theta, z)
	f := m.value(m.theta, true)
	m.natural(v, z)
	m.byTheta(m.g, m.theta)
	for i := range k {
		w, mu, v := m.theta[i], m.theta[k+i], m.theta[2*k+i]
		gw, gm, gv := m.g[i], m.g[k+i], m.g[2*k+i]
		c[k-1+i] = (gm - 2*mu*gv) / w
		c[2*k-1+i] = gv / w
		m.weights[i] = gw - gm*mu/w + gv*(mu*mu-v)/w
	}
	for i := range k - 1 {
		c[i] = m.weights[i] - m.weights[k-1]
	}
	return f
}

// byTheta writes the derivatives by weights, means and variances, given m.sums.
func (m *Mixture) byTheta(g, theta []float64) {
	k := m.k
	for c := range k {
		w, mu, v := theta[c], theta[k+c], theta[2*k+c]
		r, rx, rxx := m.sums[c], m.sums[k+c], m.sums[2*k+c]
		g[c] = -r / w
		g[k+c] = -(rx - mu*r) / v
		g[2*k+c] = -0.5 * ((rxx-2*mu*rx+mu*mu*r)/v - r) / v
	}
}

// ThetaGradient writes the derivatives by theta.
func (m *Mixture) ThetaGradient(g, theta []float64) float64 {
	for c := range m.k {
		if !(theta[c] > 0) || !(theta[2*m.k+c] > 0) {
			return math.NaN()
		}
	}
	f := m.value(theta, true)
	m.byTheta(g, theta)
	return f
}

// Dual writes the natural parameters: log(w_c/w_k) + log N(0; mu_c, sigma2_c) - log N(0; mu_k, sigma2_k), then
// mu/sigma2 and -1/(2 sigma2).
func (m *Mixture) Dual(dst, z []float64) {
	k := m.k
	m.Theta(m.theta, z)
	at := func(c int) float64 {
		w, mu, v := m.theta[c], m.theta[k+c], m.theta[2*k+c]
		return math.Log(w) - 0.5*(mu*mu/v+math.Log(v))
	}
	for c := range k {
		if c < k-1 {
			dst[c] = at(c) - at(k-1)
		}
		dst[k-1+c], dst[2*k-1+c] = m.theta[k+c]/m.theta[2*k+c], -0.5/m.theta[2*k+c]
	}
}

// Responsibilities writes those of all rows.
func (m *Mixture) Responsibilities(dst, z []float64) {
	m.Theta(m.theta, z)
	for i, x := range m.x {
		m.row(m.theta, x)
		copy(dst[i*m.k:], m.logs)
	}
}

// RaiseWeights raises the weights.
func (m *Mixture) RaiseWeights(z []float64, floor float64) bool {
	return support.RaiseMeanWeights(z, m.blocks, m.weights, floor)
}

// Sample draws from the mixture.
func (m *Mixture) Sample(dst, theta []float64, rng *rand.Rand) {
	for i := range dst {
		u, c := rng.Float64(), 0
		for ; c < m.k-1 && u >= theta[c]; c++ {
			u -= theta[c]
		}
		dst[i] = theta[m.k+c] + math.Sqrt(theta[2*m.k+c])*rng.NormFloat64()
	}
}
