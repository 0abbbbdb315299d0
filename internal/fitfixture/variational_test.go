package fitfixture

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/sngdgen/sngdgen/runtime"
)

var _ interface {
	runtime.Variational
	runtime.Dual
	runtime.Batcher
} = (*Regression)(nil)

func regression(n, d int) *Regression {
	rng := rand.New(rand.NewPCG(5, 6))
	data := runtime.Data{Columns: d + 1}
	for range n {
		y := 0.7 * rng.NormFloat64()
		for j := range d {
			x := rng.NormFloat64()
			data.Values = append(data.Values, x)
			y += float64(j+1) * x
		}
		data.Values = append(data.Values, y)
	}
	m := NewRegression(data)
	m.Deviation, m.Prior = 0.7, 2
	return m
}

// inside returns a point inside the domain.
func (m *Regression) inside(t *testing.T) []float64 {
	t.Helper()
	z := make([]float64, m.d+m.d*m.d)
	m.Exact(z)
	for i := range z {
		z[i] *= 0.7 + 0.1*float64(i%2)
	}
	for i := range m.d {
		for j := range i {
			z[m.d+i*m.d+j] = z[m.d+j*m.d+i]
		}
	}
	if m.Violation(z) >= 0 {
		t.Fatal("outside")
	}
	return z
}

// The ordinary gradient is the difference of losses with the same noise, and the natural one that with respect to the
// dual coordinates.
func TestRegressionGradients(t *testing.T) {
	m := regression(30, 3)
	m.Batch([]int{3, 4, 9, 9})
	z := m.inside(t)
	v, c := make([]float64, len(z)), make([]float64, len(z))
	f := m.Gradients(v, c, z)
	if loss := m.Loss(z); loss != f {
		t.Errorf("loss %v and %v", f, loss)
	}
	rng := rand.New(rand.NewPCG(7, 8))
	up, down := make([]float64, len(z)), make([]float64, len(z))
	for range 5 {
		step := make([]float64, len(z))
		for i := range step {
			step[i] = 1e-5 * z[i] * rng.NormFloat64()
		}
		for i := range m.d {
			for j := range i {
				step[m.d+i*m.d+j] = step[m.d+j*m.d+i]
			}
		}
		for i := range z {
			up[i], down[i] = z[i]+step[i], z[i]-step[i]
		}
		want := (m.Loss(up) - m.Loss(down)) / 2
		got, natural, size := 0.0, 0.0, 0.0
		for i := range step {
			got += c[i] * step[i]
			size += math.Abs(c[i] * step[i])
		}
		m.Dual(up, up)
		m.Dual(down, down)
		for i := range v {
			natural += v[i] * (up[i] - down[i]) / 2
		}
		if math.Abs(got-want) > 1e-6*size || math.Abs(natural-want) > 1e-6*size {
			t.Errorf("by differences %g, c.dz %g, v.d(dual) %g", want, got, natural)
		}
	}
}

// At the posterior every ratio is the evidence, and the gradient of the path vanishes; the whole gradient has the same
// expectation.
func TestRegressionPosterior(t *testing.T) {
	m := regression(30, 3)
	z := make([]float64, 12)
	m.Exact(z)
	logs := make([]float64, m.Draws())
	m.Weights(logs, z)
	want := m.Evidence()
	for _, l := range logs {
		if math.Abs(l-want) > 1e-11*math.Abs(want) {
			t.Fatalf("ratio %v, evidence %v", l, want)
		}
	}
	v := make([]float64, 12)
	m.Path = true
	m.NaturalGradient(v, z)
	for i := range v {
		if math.Abs(v[i]) > 1e-9*(1+math.Abs(z[i])) {
			t.Errorf("path gradient %v", v)
		}
	}
	if err := m.SetDraws(20_000); err != nil {
		t.Fatal(err)
	}
	z = m.inside(t)
	m.NaturalGradient(v, z)
	m.Path = false
	whole := make([]float64, 12)
	m.NaturalGradient(whole, z)
	for i := range v {
		if math.Abs(v[i]-whole[i]) > 0.05*(1+math.Abs(z[i])) {
			t.Errorf("coordinate %d: %v by the path, %v in all", i, v[i], whole[i])
		}
	}
}
