//go:build overlay

package ladder

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/estimate"
	"github.com/sngdgen/sngdgen/spec"
	"github.com/sngdgen/sngdgen/tests/ladder/gauss"
	"github.com/sngdgen/sngdgen/tests/ladder/heavy"
	"github.com/sngdgen/sngdgen/tests/ladder/lowrank"
	"github.com/sngdgen/sngdgen/tests/ladder/meanfield"
	"github.com/sngdgen/sngdgen/tests/ladder/several"
	"github.com/sngdgen/sngdgen/tests/ladder/severalskewed"
	"github.com/sngdgen/sngdgen/tests/ladder/skewed"
)

// forms are the packages of all approximations, for a log-density of d numbers.
func forms(t *testing.T, f runtime.LogDensity, d int) []estimate.Candidate {
	t.Helper()
	var out []estimate.Candidate
	add := func(name string, m runtime.Variational, err error) {
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, estimate.Candidate{Name: name, Model: m})
	}
	m0, err := meanfield.New(f, d)
	add("mean_field", m0, err)
	m1, err := lowrank.New(f, d)
	add("low_rank_normal", m1, err)
	m2, err := gauss.New(f, d)
	add("normal", m2, err)
	m3, err := skewed.New(f, d)
	add("skew_normal", m3, err)
	m4, err := heavy.New(f, d)
	add("skew_t", m4, err)
	m5, err := several.New(f, d, 2)
	add("normal_mixture", m5, err)
	m6, err := severalskewed.New(f, d, 2)
	add("skew_normal_mixture", m6, err)
	return out
}

// normalLog is the logarithm of a normal density.
func normalLog(x, mu []float64, sigma *mat.SymDense) float64 {
	var c mat.Cholesky
	if !c.Factorize(sigma) {
		return math.NaN()
	}
	y, s := mat.NewVecDense(len(x), nil), mat.NewVecDense(len(x), nil)
	for i := range x {
		y.SetVec(i, x[i]-mu[i])
	}
	if err := c.SolveVecTo(s, y); err != nil {
		return math.NaN()
	}
	return -(float64(len(x))*math.Log(2*math.Pi) + c.LogDet() + mat.Dot(y, s)) / 2
}

// densities are those of approximations by the parameters of one component.
var densities = map[string]func(theta []float64, d int) func(x []float64) float64{
	"mean_field": func(theta []float64, d int) func([]float64) float64 {
		sigma := mat.NewSymDense(d, nil)
		for i := range d {
			sigma.SetSym(i, i, theta[d+i])
		}
		return func(x []float64) float64 { return normalLog(x, theta[:d], sigma) }
	},
	"low_rank_normal": func(theta []float64, d int) func([]float64) float64 {
		r := len(theta)/d - 2
		w := mat.NewDense(d, r, slices.Clone(theta[d:d+d*r]))
		var ww mat.Dense
		ww.Mul(w, w.T())
		sigma := mat.NewSymDense(d, nil)
		for i := range d {
			for j := range i + 1 {
				sigma.SetSym(i, j, ww.At(i, j))
			}
			sigma.SetSym(i, i, ww.At(i, i)+theta[d+d*r+i])
		}
		return func(x []float64) float64 { return normalLog(x, theta[:d], sigma) }
	},
	"normal": func(theta []float64, d int) func([]float64) float64 {
		sigma := mat.NewSymDense(d, slices.Clone(theta[d:d+d*d]))
		return func(x []float64) float64 { return normalLog(x, theta[:d], sigma) }
	},
	// By mean, covariance matrix and slant: that of Azzalini's form, whose parameters follow from these.
	"skew_normal": func(theta []float64, d int) func([]float64) float64 {
		sigma, eta := mat.NewSymDense(d, slices.Clone(theta[d:d+d*d])), mat.NewVecDense(d, theta[d+d*d:])
		var along mat.VecDense
		along.MulVec(sigma, eta)
		t := mat.Dot(eta, &along)
		root := math.Sqrt(1 + (1-2/math.Pi)*t)
		var xi, alpha mat.VecDense
		xi.AddScaledVec(mat.NewVecDense(d, slices.Clone(theta[:d])), -math.Sqrt(2/math.Pi)/root, &along)
		alpha.ScaleVec(root/math.Sqrt(1+t), eta)
		omega := mat.NewSymDense(d, nil)
		omega.SymRankOne(sigma, 2/math.Pi/(root*root), &along)
		form := append(slices.Clone(xi.RawVector().Data), omega.RawSymmetric().Data...)
		return azzalini(append(form, alpha.RawVector().Data...), d)
	},
}

// azzalini is the skew-normal log-density by location, scale matrix, of which the upper triangle counts, and slant.
func azzalini(theta []float64, d int) func([]float64) float64 {
	sigma, eta := mat.NewSymDense(d, slices.Clone(theta[d:d+d*d])), theta[d+d*d:]
	return func(x []float64) float64 {
		s := 0.0
		for i := range x {
			s += eta[i] * (x[i] - theta[i])
		}
		return normalLog(x, theta[:d], sigma) + math.Log(math.Erfc(-s/math.Sqrt2))
	}
}

// TestContained: where an approximation is said to be equal to another one its density is that of the other one.
func TestContained(t *testing.T) {
	const d, k = 3, 2
	all := forms(t, func(g, z []float64) float64 { clear(g); return 0 }, d)
	var names []string
	for _, c := range all {
		names = append(names, c.Name)
	}
	if lib := spec.Library().Approximations(); !slices.Equal(lib, slices.Sorted(slices.Values(names))) {
		t.Fatalf("the library has the approximations %v, this test %v", lib, names)
	}
	rng := runtime.Stream(4, "contained")
	sd := []float64{0.5, 1, 2}
	component := map[string]func() []float64{}
	vector := func(scale float64) []float64 {
		out := make([]float64, d)
		for i := range out {
			out[i] = scale * sd[i] * rng.NormFloat64()
		}
		return out
	}
	matrix := func() []float64 { // well inside the domain
		sigma := mat.NewSymDense(d, nil)
		for i := range d {
			sigma.SetSym(i, i, sd[i]*sd[i])
		}
		for range 2 {
			sigma.SymRankOne(sigma, 0.5, mat.NewVecDense(d, vector(1)))
		}
		return sigma.RawSymmetric().Data
	}
	full := func() []float64 {
		s := matrix()
		for i := range d {
			for j := range i {
				s[i*d+j] = s[j*d+i]
			}
		}
		return s
	}
	component["mean_field"] = func() []float64 { return append(vector(1), 0.2, 1, 3) }
	component["low_rank_normal"] = func() []float64 {
		theta := vector(1)
		for range 5 {
			theta = append(theta, vector(0.5)...)
		}
		return append(theta, 0.2, 1, 3)
	}
	component["normal"] = func() []float64 { return append(vector(1), full()...) }
	component["skew_normal"] = func() []float64 { return append(component["normal"](), vector(1)...) }
	for _, c := range all {
		for i, inner := range c.Model.Info().Contained {
			t.Run(c.Name+"/"+inner.Name, func(t *testing.T) {
				name := inner.Name
				if name == "normal_mixture" { // its components
					name = "normal"
				}
				count := 1
				_, mixture := c.Model.(runtime.Mixture)
				if mixture {
					count = k
				}
				var parts [][]float64
				var logs []func([]float64) float64
				for range count {
					parts = append(parts, component[name]())
					logs = append(logs, densities[name](parts[len(parts)-1], d))
				}
				theta, weights := parts[0], []float64{1}
				if mixture {
					weights = []float64{0.3, 0.7}
					theta = slices.Clone(weights)
					at := 0
					for _, p := range inner.Parameters {
						one := p.Component()
						n := one.Len(c.Model)
						for _, part := range parts {
							theta = append(theta, part[at:at+n]...)
						}
						at += n
					}
					theta = append(theta, make([]float64, k*d)...)
				}
				z := make([]float64, coordinates(c.Model))
				container := c.Model.(runtime.Container)
				if err := container.ContainStart(z, theta, i, rng); err != nil {
					t.Error(err)
				}
				if err := container.Contain(z, theta, i); err != nil {
					t.Fatal(err)
				}
				c.Model.Draw(rng)
				s := c.Model.Draws()
				x, got := make([]float64, s*d), make([]float64, s)
				c.Model.Latents(x, z)
				c.Model.Weights(got, z) // minus log q, as the log-density is 0
				for j := range got {
					want := 0.0
					for m, w := range weights {
						want += w * math.Exp(logs[m](x[j*d:(j+1)*d]))
					}
					if want = math.Log(want); !(math.Abs(-got[j]-want) < 1e-5*(1+math.Abs(want))) {
						t.Fatalf("draw %d: log q is %v, that of %s %v", j, -got[j], inner.Name, want)
					}
				}
			})
		}
		if err := container(c.Model, -1); c.Model.Info().Contained != nil && err == nil {
			t.Errorf("%s contains number -1", c.Name)
		}
	}
}

func container(m runtime.Variational, i int) error {
	if c, ok := m.(runtime.Container); ok {
		z := make([]float64, coordinates(m))
		return c.Contain(z, nil, i)
	}
	return nil
}

func coordinates(m runtime.Problem) int {
	n := 0
	for _, b := range m.Blocks() {
		n = max(n, b.Offset+b.Len)
	}
	return n
}
