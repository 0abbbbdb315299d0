package variational_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/integrate/quad"
	"gonum.org/v1/gonum/mat"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/expr/eval"
	"github.com/sngdgen/sngdgen/gen/bind"
	"github.com/sngdgen/sngdgen/gen/derive"
	"github.com/sngdgen/sngdgen/spec"
)

// posterior is a problem without data, so that all of its objective is in the graph. Its rows, the draws, are here the
// nodes of a rule of quadrature: means over them are expectations.
type posterior struct {
	name, text string
	params     map[string]eval.Value
	rows       func(set func(weight float64, noise ...float64)) // numbers, then the entries of one vector
}

const normalText = `package: approximation
target: normal
surrogate: normal
step: STEP
map: {mu: mu, sigma2: sigma2}
start: {mu: 0, sigma2: 1}
objective:
  vi: {latent: z, log_prior: 2*log_sigmoid(3*z) - z^2/2 - z^4/20, estimator: ESTIMATOR}
`

const vectorText = `package: approximation
target: multivariate_normal
surrogate: multivariate_normal
step: STEP
map: {mu: mu, Sigma: Sigma}
start: {mu: 0, Sigma: eye(d)}
objective:
  vi: {latent: z, log_prior: "log_sigmoid(2*dot(z, z) - 1) - dot(z, z)", estimator: ESTIMATOR}
`

const skewText = `package: approximation
target: skew_normal
surrogate: multivariate_normal
step: STEP
auxiliary:
  eta: {type: vector(d), metric: Sigma}
map: {xi: mu, Omega: Sigma, eta: eta}
start: {mu: 0, Sigma: eye(d), eta: 0}
objective:
  vi: {latent: z, log_prior: "log_sigmoid(2*dot(z, z) - 1) - dot(z, z)", estimator: ESTIMATOR}
`

const gammaText = `package: approximation
target: gamma
surrogate: gamma
step: STEP
map: {alpha: alpha, beta: beta}
start: {alpha: 1, beta: 1}
objective:
  vi: {latent: z, log_prior: 2*log(z) - 3*z, estimator: ESTIMATOR}
`

func vector(x ...float64) eval.Value { return eval.Core(mat.NewDense(len(x), 1, x)) }

func posteriors() []posterior {
	normal := func(d int) func(func(float64, ...float64)) {
		return func(set func(float64, ...float64)) { each(d, 0.3, func(w float64, e []float64) { set(w, e...) }) }
	}
	return []posterior{
		{"normal", normalText, map[string]eval.Value{"mu": {Scalar: 0.4}, "sigma2": {Scalar: 0.7}}, normal(1)},
		{"multivariate normal", vectorText, map[string]eval.Value{
			"mu": vector(0.5, -0.2), "Sigma": eval.Core(mat.NewDense(2, 2, []float64{0.4, 0.1, 0.1, 0.3})),
		}, normal(2)},
		{"skew normal", skewText, map[string]eval.Value{
			"mu": vector(0.5), "Sigma": eval.Core(mat.NewDense(1, 1, []float64{0.4})), "eta": vector(-1.5),
		}, func(set func(float64, ...float64)) {
			w, weights := make([]float64, 60), make([]float64, 60)
			quad.Legendre{}.FixedLocations(w, weights, 0, 8.5) // its absolute value is what counts
			each(1, 0.3, func(weight float64, e []float64) {
				for i := range w {
					set(weight*weights[i]*2*math.Exp(-w[i]*w[i]/2)/math.Sqrt(2*math.Pi), w[i], e[0])
				}
			})
		}},
		{"gamma", gammaText, map[string]eval.Value{"alpha": {Scalar: 1.7}, "beta": {Scalar: 1.2}},
			func(set func(float64, ...float64)) {
				const h = 0.1
				for t := -25.0; t <= 25; t += h { // of a logistic distribution
					u := 1 / (1 + math.Exp(-t))
					set(h*u/(1+math.Exp(t)), u)
				}
			}},
	}
}

// derived is the problem with an estimator, in the coordinates asked for.
func (p posterior) derived(t *testing.T, estimator, step string) *derive.Result {
	t.Helper()
	text := strings.NewReplacer("ESTIMATOR", estimator, "STEP", step).Replace(p.text)
	file, diags := spec.Parse("approximation.yaml", []byte(text), nil)
	if diags.Err() != nil {
		t.Fatal(diags.String())
	}
	b, more := bind.Bind(file.Problems[0])
	if b == nil {
		t.Fatal(more.String())
	}
	d, err := derive.Derive(b)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// values are the loss and all entries of both gradients, by the interpreter.
func (p posterior) values(t *testing.T, d *derive.Result, rows func(set func(float64, ...float64))) []float64 {
	t.Helper()
	env := eval.Scalars(nil)
	for name, v := range p.params {
		env.Symbols[name] = v
		if v.Cores != nil {
			size, _ := v.Cores[0].Dims()
			env.Set("d", float64(size))
		}
	}
	noise := d.Variational.Noise
	numbers, vectors := make([][]float64, len(noise)), make([][]*mat.Dense, len(noise))
	n := 0.0
	rows(func(weight float64, x ...float64) {
		env.Weights = append(env.Weights, weight)
		n += weight
		for i, w := range noise {
			if w.Sym.Type.Rank == 0 {
				numbers[i], x = append(numbers[i], x[0]), x[1:]
			} else {
				vectors[i] = append(vectors[i], mat.NewDense(len(x), 1, slices.Clone(x)))
			}
		}
	})
	for i, w := range noise {
		env.Symbols[w.Sym.Name] = eval.Value{Rows: numbers[i]}
		if vectors[i] != nil {
			env.Symbols[w.Sym.Name] = eval.CoreRows(vectors[i])
		}
	}
	env.Set("n", n)
	s := d.Surrogate
	for i, sym := range s.Dual {
		v, err := eval.All([]*expr.Node{s.DualOf[i], s.SteppedOf[i]}, env)
		if err != nil {
			t.Fatal(err)
		}
		env.Symbols[sym.Name], env.Symbols[s.Coords[i].Sym.Name] = v[0], v[1]
	}
	out, err := eval.All(slices.Concat([]*expr.Node{s.Loss}, s.Natural, s.Covector), env)
	if err != nil {
		t.Fatal(err)
	}
	var all []float64
	for _, v := range out {
		if v.Cores == nil {
			all = append(all, v.Scalar)
		} else {
			all = append(all, v.Cores[0].RawMatrix().Data...)
		}
	}
	return all
}

// TestPathEstimator: the gradients along the path alone have the expectation of the others, and are others.
func TestPathEstimator(t *testing.T) {
	for _, p := range posteriors() {
		for _, step := range []string{"natural", "mean"} {
			t.Run(p.name+" "+step, func(t *testing.T) {
				path, plain := p.derived(t, "path", step), p.derived(t, "reparameterised", step)
				got, want := p.values(t, path, p.rows), p.values(t, plain, p.rows)
				for i := range want {
					if !(math.Abs(got[i]-want[i]) < 1e-6*(1+math.Abs(want[i]))) {
						t.Errorf("value %d: %v, without the score %v", i, want[i], got[i])
					}
				}
				one := func(set func(float64, ...float64)) { set(1, 0.3, 0.6) }
				if got, want := p.values(t, path, one), p.values(t, plain, one); slices.Equal(got[1:], want[1:]) {
					t.Errorf("both estimators give %v", got)
				}
			})
		}
	}
}

// TestPathAtPosterior: where the approximation is the posterior the gradients along the path are 0 for every draw
// (Roeder, Wu and Duvenaud 2017, Sticking the landing); those of the other estimator are not.
func TestPathAtPosterior(t *testing.T) {
	p := posteriors()[3]
	p.params = map[string]eval.Value{"alpha": {Scalar: 3}, "beta": {Scalar: 3}}
	for _, estimator := range []string{"path", "reparameterised"} {
		d, largest := p.derived(t, estimator, "natural"), 0.0
		for i := range 20 {
			u := (float64(i) + 0.5) / 20
			for _, x := range p.values(t, d, func(set func(float64, ...float64)) { set(1, u) })[1:] {
				largest = max(largest, math.Abs(x))
			}
		}
		if zero := largest < 1e-12; zero != (estimator == "path") {
			t.Errorf("%s: gradients up to %v", estimator, largest)
		}
	}
}
