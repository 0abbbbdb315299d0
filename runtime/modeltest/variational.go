package modeltest

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/sngdgen/sngdgen/runtime"
)

// RunVariational runs the tests of a model with a variational objective: those of Run that make sense for it, with the random
// numbers held fixed, and what it promises besides.
func RunVariational(t *testing.T, make func() runtime.Model) {
	for _, n := range []int{1, 2, 5, 53} {
		if latentEntries(make().Info(), n) > mostLatent {
			break
		}
		rng := rand.New(rand.NewPCG(uint64(n), 21))
		m := make().(runtime.Variational)
		if x, ok := m.(runtime.Mixture); ok && m.Info().Components != "" {
			if err := x.SetComponents(2); err != nil {
				t.Fatal(err)
			}
		}
		if err := Provide(m, n, rng); err != nil {
			t.Fatal(err)
		}
		if len(m.Info().Data) == 0 && m.SetData(runtime.Data{}) == nil {
			t.Error("a model without data accepts some")
		}
		z := newVector(m)
		if err := m.Start(z, 0, rng); err != nil {
			t.Fatal(err)
		}
		if math.IsNaN(m.Loss(z)) {
			t.Fatalf("the start %v has no loss", z)
		}
		p := point{m, z, rng}
		for range 5 { // not at the start, where much is 0
			d, err := p.direction()
			if err != nil {
				t.Fatal(err)
			}
			for i := range z {
				z[i] += 5 * d[i]
			}
			if m.Violation(z) >= 0 {
				for i := range z {
					z[i] -= 5 * d[i]
				}
			}
		}
		checkGradients(t, p)
		checkTheta(t, p)
		checkDomain(t, p)
		checkAllocations(t, p, 3)
		checkDraws(t, p)
		checkExact(t, p)
		checkSites(t, p)
	}
}

// checkExact checks the bound without draws: its gradients, that many draws have it for their mean, and that it allocates nothing.
func checkExact(t *testing.T, p point) {
	m, ok := p.Model.(runtime.Exact)
	if !ok {
		return
	}
	for _, nodes := range []int{runtime.LeastNodes, 5, 64} {
		m.SetNodes(nodes)
		checkGradients(t, point{&exact{m, m.(runtime.Dual), runtime.WithoutDraws(m)}, p.z, p.rng})
	}
	loss := m.ExactLoss(p.z)
	m.SetNodes(32)
	rough := math.Abs(m.ExactLoss(p.z) - loss) // of logarithms with a sharp bend, as log1p(x^2) of wide x, quadrature gives a few digits
	m.SetNodes(nodesOfDraws)
	beyond := math.Abs(m.ExactLoss(p.z) - loss) // what nodes as far out as draws come do not see
	few, err := runtime.ELBO(m, p.z, exactDraws, 1)
	if err != nil {
		t.Error(err)
	}
	e, err := runtime.ELBO(m, p.z, 4*exactDraws, 2)
	// Where a few draws are nearly all of the variance, as of exponentials of numbers far apart, their mean says nothing.
	heavy := !(e.StandardError < 0.75*few.StandardError || e.StandardError < 1e-9*math.Abs(loss)) || beyond > 10*e.StandardError+0.01*math.Abs(loss)
	if err != nil || !heavy && !(math.Abs(e.Mean+loss) <= 6*e.StandardError+rough+1e-9*math.Abs(loss)) {
		t.Errorf("at %v the bound without draws is %v, by draws %v with standard error %v: %v", p.z, -loss, e.Mean, e.StandardError, err)
	}
	v, c := newVector(p), newVector(p)
	if n := testing.AllocsPerRun(3, func() { m.ExactGradients(v, c, p.z); m.ExactLoss(p.z) }); n > 0 {
		t.Errorf("the bound without draws makes %v allocations", n)
	}
	m.SetNodes(runtime.LeastNodes)
}

const (
	// exactDraws are those that the bound without draws is compared with, four times as many the second time.
	exactDraws = 4000
	// nodesOfDraws is how many nodes of the Gauss-Hermite rule reach as far as the draws: 4.5 standard deviations.
	nodesOfDraws = 9
)

// exact is a model with the objective without draws.
type exact struct {
	runtime.Variational
	runtime.Dual
	problem runtime.Problem
}

func (m *exact) Loss(z []float64) float64            { return m.problem.Loss(z) }
func (m *exact) Gradients(v, c, z []float64) float64 { return m.problem.Gradients(v, c, z) }
func (m *exact) NaturalGradient(v, z []float64)      { m.problem.NaturalGradient(v, z) }

// Provide gives a model with a variational objective what it needs before it can be evaluated: data, or a log-density in Go,
// with vectors of length n, and two components where that number is free.
func Provide(m runtime.Variational, n int, rng *rand.Rand) error {
	if err := resize(m, n); err != nil {
		return err
	}
	if len(m.Info().Data) > 0 {
		return m.SetData(DataOf(m, n, 40, rng))
	}
	if e, ok := m.(runtime.External); ok {
		e.SetLogDensity(logDensity)
		return nil
	}
	return m.SetDraws(20) // makes the workspace
}

// resize gives all vectors the length n, but the variable that of its parts together.
func resize(m runtime.Variational, n int) error {
	info := m.Info()
	if len(info.Dims) == 0 {
		return nil
	}
	sizes := make([]int, len(info.Dims))
	for i, name := range info.Dims {
		if sizes[i] = n; name == info.Components {
			sizes[i] = 2
		}
	}
	if err := m.Resize(sizes); err != nil {
		return err
	}
	if shape := info.Variable.Shape; len(shape) == 1 && shape[0].Name != "" {
		sizes[slices.Index(info.Dims, shape[0].Name)] = latentLen(m)
		return m.Resize(sizes)
	}
	return nil
}

// latentLen is the length of the latent variables together.
func latentLen(m runtime.Variational) int {
	n := 0
	for i := range m.Info().Latent {
		n += m.Info().Latent[i].Coordinates(m)
	}
	return n
}

// logDensity has heavier tails than a normal one, and no symmetry between the variables.
func logDensity(gradient, z []float64) float64 {
	f := 0.0
	for i, x := range z {
		scale, root := 1+0.3*float64(i), math.Sqrt(1+x*x)
		f -= scale * root
		if gradient != nil {
			gradient[i] = -scale * x / root
		}
	}
	return f
}

// DataOf draws data of the types that a model with a variational objective asks for, with vectors of length n; one row where
// they are given once. Where such data have no loss, as more successes than trials, what the model says how to draw is drawn so.
func DataOf(m runtime.Model, n, rows int, rng *rand.Rand) runtime.Data {
	byRow := false
	for _, q := range m.Info().Data {
		byRow = byRow || q.Shape == nil
	}
	if !byRow {
		rows = 1
	}
	var d runtime.Data
	for row := range rows {
		one := rowOf(m, n, row, rng)
		d.Columns, d.Values = len(one), append(d.Values, one...)
	}
	inside(m, d, n, rng)
	predict(m, d, rng)
	return d
}

// rowOf draws a row.
func rowOf(m runtime.Model, n, row int, rng *rand.Rand) (out []float64) {
	for _, q := range m.Info().Data {
		length := 1
		for _, dim := range q.Shape {
			if length = n; dim.Name == "" {
				length = dim.Size
			}
		}
		for range length {
			out = append(out, entryOf(&q, n, row, rng))
		}
	}
	return out
}

// inside draws rows again that lie outside the support of a model.
func inside(m runtime.Model, d runtime.Data, n int, rng *rand.Rand) {
	if len(m.Info().Support) == 0 {
		return
	}
	s := m.Clone().(runtime.Supported)
	if len(s.Sizes()) > 0 && s.Resize(slices.Repeat([]int{n}, len(s.Sizes()))) != nil {
		return
	}
	for row := range len(d.Values) / d.Columns {
		own := d.Values[row*d.Columns : (row+1)*d.Columns]
		for try := 0; s.Outside(own) >= 0 && try < 1000; try++ {
			copy(own, rowOf(m, n, row, rng))
		}
	}
}

// predict draws what a model predicts of data, where they have no loss, with latent variables that are 0.
func predict(m runtime.Model, d runtime.Data, rng *rand.Rand) {
	p, ok := m.Clone().(runtime.Predictor)
	if !ok || p.SetData(d) != nil {
		return
	}
	z := newVector(p)
	if err := p.Start(z, 0, rng); err != nil || !math.IsNaN(p.Loss(z)) {
		return
	}
	info, rows := p.Info(), len(d.Values)/d.Columns
	drawn := make([]float64, rows*d.Columns)
	p.Predict(drawn, make([]float64, info.Variable.Len(p)), rng)
	from, column := 0, 0
	for _, q := range info.Data {
		width := q.Len(p)
		if slices.ContainsFunc(info.Predicted, func(r runtime.Parameter) bool { return r.Name == q.Name }) {
			for row := range rows {
				copy(d.Values[row*d.Columns+column:], drawn[from+row*width:from+(row+1)*width])
			}
			from += rows * width
		}
		column += width
	}
}

// entryOf draws an entry of a part of the data; of numbers of entries the first row has the greatest.
func entryOf(q *runtime.Parameter, n, row int, rng *rand.Rand) float64 {
	if q.Of.Size > 0 {
		n = q.Of.Size
	}
	n += q.Beyond
	switch {
	case q.Of == (runtime.Dim{}):
		return q.Type.Entry.Random(rng)
	case row == 0:
		return float64(n)
	}
	return float64(1 + rng.IntN(n))
}

// checkDraws checks the draws: latent variables, weights, and the bound as their mean.
func checkDraws(t *testing.T, p point) {
	m := p.Model.(runtime.Variational)
	if err := m.SetDraws(0); err == nil {
		t.Error("no draws are accepted")
	}
	if whole := m.Info().Variable; latentLen(m) != whole.Len(m) {
		t.Errorf("the latent variables have %d numbers, their parts %d", whole.Len(m), latentLen(m))
	}
	loss, draws := m.Loss(p.z), m.Draws()
	if err := m.SetDraws(7); err != nil || m.Draws() < 7 || m.Draws() > 7 && !m.Info().Mixture {
		t.Error(m.Draws(), err)
	}
	weights, latents := make([]float64, m.Draws()), make([]float64, m.Draws()*m.Info().Variable.Len(m))
	m.Weights(weights, p.z)
	m.Latents(latents, p.z)
	for _, x := range append(weights, latents...) {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			t.Fatalf("weights %v, latent variables %v", weights, latents)
		}
	}
	m.Draw(p.rng)
	before := slices.Clone(latents)
	if m.Latents(latents, p.z); slices.Equal(latents, before) {
		t.Error("the latent variables do not depend on the draws")
	}
	if same := p.sameLoss(t, m); same != m.Info().Deterministic {
		t.Errorf("with other draws the loss is the same: %v", same)
	}
	if err := m.SetDraws(draws); err != nil || m.Loss(p.z) != loss {
		t.Errorf("loss %v, with the same draws again %v", loss, m.Loss(p.z))
	}
}

// placesOfDraws is at how many points the loss is asked for with other draws, and manyDraws with how many, where a few draws make no difference.
const (
	placesOfDraws = 20
	manyDraws     = 1000
)

// sameLoss reports whether the loss is the same with other draws, at the point of the test and then, with many draws, at others further and further
// away: what is estimated may be constant in floating point over all draws but the rarest, as erf is far from 0.
func (p point) sameLoss(t *testing.T, m runtime.Variational) bool {
	t.Helper()
	same := func(z []float64) bool {
		before := m.Loss(z)
		m.Draw(p.rng)
		return m.Loss(z) == before
	}
	if !same(p.z) {
		return false
	}
	if err := m.SetDraws(manyDraws); err != nil {
		t.Fatal(err)
	}
	m.Draw(p.rng)
	z := p.z
	for range placesOfDraws {
		if !same(z) {
			return false
		}
		z = p.moved(m, z)
	}
	return true
}

// moved is a point away from another one, as far as stays inside the domain.
func (p point) moved(m runtime.Model, z []float64) []float64 {
	d, err := p.direction()
	if err != nil {
		return z
	}
	for reach := 64.0; reach > 1e-3; reach /= 2 {
		if next := along(z, d, reach); m.Violation(next) < 0 && !math.IsNaN(m.Loss(next)) {
			return next
		}
	}
	return z
}

// pathDraws is how often the mean of path derivatives is taken over new random numbers, and pathErrors how many standard
// errors it may be off.
const (
	pathDraws  = 200
	pathErrors = 6
)

// checkPath checks that path derivatives are, on average over random numbers, the derivatives of the loss.
func checkPath(t *testing.T, p point) {
	t.Helper()
	m := p.Model.(runtime.Variational)
	v, c := newVector(p), newVector(p)
	d, err := p.direction()
	if err != nil {
		t.Error(err)
		return
	}
	mean, squares := 0.0, 0.0
	for n := range pathDraws {
		m.Draw(p.rng)
		p.Gradients(v, c, p.z)
		off := dot(c, d) - derivative(func(h float64) float64 { return p.Loss(along(p.z, d, h)) }, 1e-2)
		change := off - mean
		mean += change / float64(n+1)
		squares += change * (off - mean)
	}
	// Where the estimators are the same for all draws, as of symmetric noise, what is left is the error of the differences.
	if err := math.Sqrt(squares / pathDraws / (pathDraws - 1)); !(math.Abs(mean) <= pathErrors*err+floor(p.Loss(p.z))) {
		t.Errorf("at %v path derivatives are off by %v, with a standard error of %v", p.z, mean, err)
	}
	if err := m.SetDraws(m.Draws()); err != nil { // the noise of the beginning
		t.Fatal(err)
	}
}
