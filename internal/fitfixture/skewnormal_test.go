package fitfixture

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/diff/fd"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/sngdgen/sngdgen/runtime"
)

// skewNormalData draws rows from a skew-normal distribution that is no special case.
func skewNormalData(d, n int, seed uint64) runtime.Data {
	rng := rand.New(rand.NewPCG(seed, 1))
	m := new(SkewNormal)
	if err := m.Resize([]int{d}); err != nil {
		panic(err)
	}
	theta := make([]float64, 2*d+d*d)
	for i := range d {
		theta[i] = 100 + rng.NormFloat64()
		theta[d+d*d+i] = rng.NormFloat64()
		for j := range d {
			theta[d+i*d+j] = 0.3
		}
		theta[d+i*d+i] = 1 + rng.Float64()
	}
	x := make([]float64, n*d)
	for i := range n {
		m.Sample(x[i*d:(i+1)*d], theta, rng)
	}
	return runtime.Data{Values: x, Columns: d}
}

func near(t *testing.T, what string, got, want []float64, tolerance float64) {
	t.Helper()
	scale := 0.0
	for _, w := range want {
		scale = math.Max(scale, math.Abs(w))
	}
	for i := range want {
		if !(math.Abs(got[i]-want[i]) <= tolerance*math.Max(scale, 1e-3)) {
			t.Errorf("%s: entry %d is %v, want %v", what, i, got[i], want[i])
		}
	}
}

// differences is the gradient of f; f symmetrises what it is given, so both entries of a pair have half the derivative.
func differences(f func([]float64) float64, x []float64) []float64 {
	return fd.Gradient(nil, f, x, &fd.Settings{Formula: fd.Central, Step: 1e-5})
}

func TestSkewNormalGradients(t *testing.T) {
	for _, d := range []int{1, 2, 3} {
		data := skewNormalData(d, 60, uint64(d))
		data.Weights = make([]float64, 60)
		for i := range data.Weights {
			data.Weights[i] = float64(i % 3)
		}
		m := NewSkewNormal(data)
		n := 2*d + d*d
		z, v, c, g, theta := make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
		for start := range 6 {
			if err := m.Start(z, start, rand.New(rand.NewPCG(2, 3))); err != nil {
				t.Fatal(err)
			}
			f := m.Gradients(v, c, z)
			near(t, "loss", []float64{m.Loss(z)}, []float64{f}, 0)
			near(t, "c", c, differences(m.Loss, z), 1e-6)
			m.Theta(theta, z)
			near(t, "loss of theta", []float64{m.ThetaGradient(g, theta)}, []float64{f}, 1e-13)
			near(t, "theta", g, differences(func(x []float64) float64 { return m.ThetaGradient(make([]float64, n), x) }, theta), 1e-6)
			checkDual(t, m, z, v, c)
		}
	}
}

// checkDual pulls v back through the dual map: c_i = sum_j v_j d dual_j/d z_i, and for eta v = Sigma^-1 c.
func checkDual(t *testing.T, m *SkewNormal, z, v, c []float64) {
	t.Helper()
	d := m.d
	n := d + d*d
	dual := make([]float64, len(z))
	back := differences(func(x []float64) float64 {
		m.Dual(dual, append(x[:n:n], z[n:]...))
		sum := 0.0
		for j := range n {
			sum += v[j] * dual[j]
		}
		return sum
	}, z[:n])
	near(t, "v through the dual", back, c[:n], 1e-6)
	_, full, _ := m.cut(z)
	sigma := symmetric(full, z[:d], d)
	for i := range d {
		sum := 0.0
		for j := range d {
			sum += sigma.At(i, j) * v[n+j]
		}
		near(t, "Sigma v", []float64{sum}, c[n+i:n+i+1], 1e-10)
	}
}

func TestLogNormalCDF(t *testing.T) {
	for _, a := range []float64{-40, -10, -5.0001, -4.9999, -1, 0, 3, 20} {
		value, derivative := logNormalCDF(a)
		const h = 1e-5
		up, _ := logNormalCDF(a + h)
		down, _ := logNormalCDF(a - h)
		near(t, "derivative", []float64{derivative}, []float64{(up - down) / (2 * h)}, 1e-7)
		if a > -6 {
			near(t, "value", []float64{value}, []float64{math.Log(distuv.UnitNormal.CDF(a))}, 1e-11)
		}
	}
	value, _ := logNormalCDF(-40)
	near(t, "log Phi(-40)", []float64{value}, []float64{-804.6084420137538}, 1e-15)
}

// The first two moments of draws are xi + sqrt(2/pi) beta and Omega - 2/pi beta beta'.
func TestSkewNormalSample(t *testing.T) {
	m := new(SkewNormal)
	if err := m.Resize([]int{2}); err != nil {
		t.Fatal(err)
	}
	theta := []float64{1, -2, 2, 0.5, 0.5, 1, 3, -1}
	rng, x := rand.New(rand.NewPCG(1, 1)), make([]float64, 2)
	const n = 200_000
	var s1, s2, s11, s12, s22 float64
	for range n {
		m.Sample(x, theta, rng)
		s1, s2 = s1+x[0]/n, s2+x[1]/n
		s11, s12, s22 = s11+x[0]*x[0]/n, s12+x[0]*x[1]/n, s22+x[1]*x[1]/n
	}
	root := math.Sqrt(1 + 3*(2*3-0.5) - 1*(0.5*3-1))
	b1, b2 := (2*3-0.5)/root, (0.5*3-1)/root
	k := math.Sqrt(2 / math.Pi)
	near(t, "mean", []float64{s1, s2}, []float64{1 + k*b1, -2 + k*b2}, 0.01)
	near(t, "covariance", []float64{s11 - s1*s1, s12 - s1*s2, s22 - s2*s2},
		[]float64{2 - k*k*b1*b1, 0.5 - k*k*b1*b2, 1 - k*k*b2*b2}, 0.01)
}
