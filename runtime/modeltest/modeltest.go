// Package modeltest tests generated models: the tests that sngdgen emits next to a package call it. Everything is
// checked against something independent: gradients against differences, one coordinate system against another, weights
// against repeated rows.
package modeltest

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/sngdgen/sngdgen/runtime"
)

// Run runs all tests on a model made by make, which has no data yet.
func Run(t *testing.T, make func() runtime.Model) {
	t.Run("gradients", func(t *testing.T) { eachPoint(t, make, checkGradients) })
	t.Run("unconstrained", func(t *testing.T) { eachPoint(t, make, checkUnconstrained) })
	t.Run("allocations", func(t *testing.T) { eachPoint(t, make, checkAllocations) })
	t.Run("repeatable", func(t *testing.T) { checkRepeatable(t, make) })
	t.Run("weights", func(t *testing.T) { checkWeights(t, make) })
	t.Run("domain", func(t *testing.T) { eachPoint(t, make, checkDomain) })
}

// point is a model with data and a point inside its domain.
type point struct {
	runtime.Model
	z   []float64
	rng *rand.Rand
}

// Observations draws n observations of the type of the model's variable: overdispersed counts, skewed positive numbers,
// heavy-tailed real ones.
func Observations(info *runtime.Info, n int, rng *rand.Rand) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = observation(info.Variable.Type, rng)
	}
	return x
}

func observation(typ string, rng *rand.Rand) float64 {
	switch typ {
	case "count":
		return math.Floor(6 * rng.ExpFloat64())
	case "positive":
		return rng.ExpFloat64() + 0.3*rng.ExpFloat64()
	case "unit":
		a, b := rng.ExpFloat64()+rng.ExpFloat64(), rng.ExpFloat64()+rng.ExpFloat64()
		return a / (a + b)
	case "binary":
		return float64(rng.IntN(2))
	}
	return 1 + 2*rng.NormFloat64()/math.Sqrt(0.3+rng.ExpFloat64())
}

// eachPoint runs a check at the starting points of the model and near them.
func eachPoint(t *testing.T, make func() runtime.Model, check func(*testing.T, point)) {
	rng := rand.New(rand.NewPCG(1, 2))
	m := make()
	if err := m.SetData(runtime.Data{Values: Observations(m.Info(), 200, rng)}); err != nil {
		t.Fatal(err)
	}
	starts := m.Info().Starts
	if m.Info().RandomStart {
		starts += 5
	}
	found := 0
	for i := range starts {
		z := newVector(m)
		if err := m.Start(z, i, rng); err != nil {
			t.Logf("start %d: %v", i+1, err)
			continue
		}
		p := point{m, z, rng}
		p.z = along(z, p.direction(), 1) // a start may be a stationary point, where there is nothing to compare
		check(t, p)
		found++
	}
	if found == 0 {
		t.Error("no start lies inside the domain")
	}
}

func newVector(m runtime.Model) []float64 {
	n := 0
	for _, b := range m.Blocks() {
		n += b.Len
	}
	return make([]float64, n)
}

// derivative is the central difference of f at 0 with one step of Richardson extrapolation: error of order h^4.
func derivative(f func(float64) float64, h float64) float64 {
	d := func(h float64) float64 { return (f(h) - f(-h)) / (2 * h) }
	return (4*d(h/2) - d(h)) / 3
}

// along returns z + h*d.
func along(z, d []float64, h float64) []float64 {
	out := slices.Clone(z)
	for i := range out {
		out[i] += h * d[i]
	}
	return out
}

func dot(a, b []float64) float64 {
	sum := 0.0
	for i := range a {
		sum += a[i] * b[i]
	}
	return sum
}

// close reports whether a and b agree to a tolerance relative to scale.
func close(a, b, scale, tolerance float64) bool {
	return math.Abs(a-b) <= tolerance*math.Max(scale, math.Max(math.Abs(a), math.Abs(b)))
}

// direction is a random direction that keeps z inside the domain for steps up to its length.
func (p point) direction() []float64 {
	d := make([]float64, len(p.z))
	for i := range d {
		d[i] = p.rng.NormFloat64() * (1e-3 + 1e-2*math.Abs(p.z[i]))
	}
	for p.Violation(along(p.z, d, 1)) >= 0 || p.Violation(along(p.z, d, -1)) >= 0 {
		for i := range d {
			d[i] /= 4
		}
	}
	return d
}

func checkGradients(t *testing.T, p point) {
	v, c, only := newVector(p), newVector(p), newVector(p)
	f := p.Gradients(v, c, p.z)
	p.NaturalGradient(only, p.z)
	if loss := p.Loss(p.z); !close(f, loss, 1, 1e-14) {
		t.Errorf("Gradients returns the loss %v, Loss %v", f, loss)
	}
	for i := range v {
		if !close(v[i], only[i], 1e-9, 1e-12) {
			t.Errorf("v[%d] is %v by Gradients, %v by NaturalGradient", i, v[i], only[i])
		}
	}
	for range 4 {
		d := p.direction()
		want := derivative(func(h float64) float64 { return p.Loss(along(p.z, d, h)) }, 1e-2)
		scale := 1e-3 * math.Sqrt(dot(c, c)*dot(d, d))
		if got := dot(c, d); !close(got, want, scale, 1e-5) {
			t.Errorf("at %v: c.d = %v, by differences %v", p.z, got, want)
		}
		p.checkNatural(t, v, c, d)
	}
}

// checkNatural uses df = c.dz = v.d(dual) along a change of the surrogate's coordinates: no inverse map is needed.
func (p point) checkNatural(t *testing.T, v, c, d []float64) {
	dual, ok := p.Model.(runtime.Dual)
	if !ok {
		return
	}
	for _, b := range p.Blocks() {
		if b.Auxiliary {
			clear(d[b.Offset : b.Offset+b.Len])
		}
	}
	change := make([]float64, len(v))
	for i := range change {
		change[i] = derivative(func(h float64) float64 {
			out := make([]float64, len(v))
			dual.Dual(out, along(p.z, d, h))
			return out[i]
		}, 1e-2)
	}
	for _, b := range p.Blocks() {
		if b.Auxiliary {
			clear(change[b.Offset : b.Offset+b.Len])
		}
	}
	scale := 1e-3 * math.Sqrt(dot(v, v)*dot(change, change))
	if a, b := dot(c, d), dot(v, change); !close(a, b, scale, 1e-5) {
		t.Errorf("at %v: c.dz = %v, but v.d(dual) = %v", p.z, a, b)
	}
}

func checkUnconstrained(t *testing.T, p point) {
	m := p.Unconstrained()
	k := m.Dim()
	theta := make([]float64, len(p.Info().Parameters))
	u, g, h := make([]float64, k), make([]float64, k), make([]float64, k*k)
	p.Theta(theta, p.z)
	m.FromTheta(u, theta)
	back := slices.Clone(theta)
	m.Theta(back, u)
	for i := range theta {
		if !close(back[i], theta[i], 0, 1e-12) {
			t.Errorf("parameter %d is %v, and %v after a round trip", i, theta[i], back[i])
		}
	}
	if a, b := p.Loss(p.z), m.Gradient(g, u); !close(a, b, 1, 1e-10) || !close(b, m.Loss(u), 1, 1e-14) {
		t.Errorf("loss %v in the coordinates of the surrogate, %v in unconstrained ones", a, b)
	}
	m.Hessian(h, u)
	trial := make([]float64, k)
	for i := range u {
		unit := make([]float64, k)
		unit[i] = 1
		want := derivative(func(e float64) float64 { return m.Loss(along(u, unit, e)) }, 1e-3)
		if !close(g[i], want, 1e-3*math.Sqrt(dot(g, g))+1e-6, 1e-5) {
			t.Errorf("at %v: gradient %d is %v, by differences %v", u, i, g[i], want)
		}
		for j := range u {
			want := derivative(func(e float64) float64 { m.Gradient(trial, along(u, unit, e)); return trial[j] }, 1e-3)
			if p.Info().Hessian && !close(h[i*k+j], want, 1e-3*math.Sqrt(dot(h, h))+1e-6, 1e-5) {
				t.Errorf("at %v: Hessian %d,%d is %v, by differences %v", u, i, j, h[i*k+j], want)
			}
		}
	}
}

func checkAllocations(t *testing.T, p point) {
	v, c := newVector(p), newVector(p)
	m := p.Unconstrained()
	theta := make([]float64, len(p.Info().Parameters))
	p.Theta(theta, p.z)
	u := make([]float64, m.Dim())
	h := make([]float64, m.Dim()*m.Dim())
	m.FromTheta(u, theta)
	for name, f := range map[string]func(){
		"NaturalGradient": func() { p.NaturalGradient(v, p.z) },
		"Gradients":       func() { p.Gradients(v, c, p.z) },
		"Loss":            func() { p.Loss(p.z) },
		"Violation":       func() { p.Violation(p.z) },
		"Theta":           func() { p.Theta(theta, p.z) },
		"Unconstrained":   func() { m.Gradient(c[:m.Dim()], u); m.Loss(u); m.Hessian(h, u) },
	} {
		if n := testing.AllocsPerRun(10, f); n != 0 {
			t.Errorf("%s allocates %v times", name, n)
		}
	}
}

// checkRepeatable: the same answer twice, from a clone, and after other data came and went.
func checkRepeatable(t *testing.T, make func() runtime.Model) {
	rng := rand.New(rand.NewPCG(3, 4))
	m := make()
	first := runtime.Data{Values: Observations(m.Info(), 300, rng)}
	other := runtime.Data{Values: Observations(m.Info(), 77, rng)}
	if err := m.SetData(first); err != nil {
		t.Fatal(err)
	}
	z := newVector(m)
	if err := m.Start(z, 0, rng); err != nil {
		t.Fatal(err)
	}
	answer := func(m runtime.Model) []float64 {
		v, c := newVector(m), newVector(m)
		return append(append([]float64{m.Gradients(v, c, z)}, v...), c...)
	}
	want := answer(m)
	if got := answer(m); !slices.Equal(got, want) {
		t.Errorf("second call: %v, first %v", got, want)
	}
	clone := m.Clone()
	if err := m.SetData(other); err != nil {
		t.Fatal(err)
	}
	if got := answer(clone); !slices.Equal(got, want) {
		t.Errorf("clone after new data in the original: %v, before %v", got, want)
	}
	if err := m.SetData(runtime.Data{Values: []float64{math.NaN()}}); err == nil {
		t.Error("NaN is taken as data")
	}
	if err := m.SetData(first); err != nil {
		t.Fatal(err)
	}
	if got := answer(m); !slices.Equal(got, want) {
		t.Errorf("after other data: %v, before %v", got, want)
	}
}

// checkWeights: a weight of 2 is a row given twice, and a weight of 0 one left out.
func checkWeights(t *testing.T, make func() runtime.Model) {
	rng := rand.New(rand.NewPCG(5, 6))
	m, weighted := make(), make()
	var rows, x, w []float64
	for _, v := range Observations(m.Info(), 100, rng) {
		k := rng.IntN(4)
		x, w = append(x, v), append(w, float64(k))
		for range k {
			rows = append(rows, v)
		}
	}
	if err := m.SetData(runtime.Data{Values: rows}); err != nil {
		t.Fatal(err)
	}
	if err := weighted.SetData(runtime.Data{Values: x, Weights: w}); err != nil {
		t.Fatal(err)
	}
	z, v1, v2, c1, c2 := newVector(m), newVector(m), newVector(m), newVector(m), newVector(m)
	if err := m.Start(z, 0, rng); err != nil {
		t.Fatal(err)
	}
	f1, f2 := m.Gradients(v1, c1, z), weighted.Gradients(v2, c2, z)
	if !close(f1, f2, 1, 1e-12) {
		t.Errorf("loss %v with repeated rows, %v with weights", f1, f2)
	}
	for i := range v1 {
		if !close(v1[i], v2[i], 1e-3+math.Abs(z[i]), 1e-11) || !close(c1[i], c2[i], 1, 1e-10) {
			t.Errorf("gradients %v, %v with repeated rows, %v, %v with weights", v1, c1, v2, c2)
		}
	}
}

// checkDomain: the loss is a number exactly inside the domain.
func checkDomain(t *testing.T, p point) {
	for range 200 {
		z := slices.Clone(p.z)
		for i := range z {
			z[i] += p.rng.NormFloat64() * (1 + math.Abs(z[i])) * math.Exp(p.rng.NormFloat64()*3)
		}
		inside := p.Violation(z) < 0
		if loss := p.Loss(z); inside && math.IsNaN(loss) || !inside && !math.IsNaN(loss) {
			t.Fatalf("at %v: inside is %v, the loss %v", z, inside, loss)
		}
	}
	for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		for i := range p.z {
			z := slices.Clone(p.z)
			z[i] = bad
			if loss := p.Loss(z); !math.IsNaN(loss) || p.Violation(z) < 0 {
				t.Errorf("at %v: the loss is %v, violation %d", z, loss, p.Violation(z))
			}
		}
	}
}
