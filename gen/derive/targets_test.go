package derive_test

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distmv"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/expr/diff"
	"github.com/sngdgen/sngdgen/expr/eval"
	"github.com/sngdgen/sngdgen/gen/bind"
	"github.com/sngdgen/sngdgen/gen/derive"
	"github.com/sngdgen/sngdgen/runtime/random"
	"github.com/sngdgen/sngdgen/runtime/types"
)

// TestStarts: every start, and some random ones, lie inside the domain on random data.
func TestStarts(t *testing.T) {
	all := multivariate(t)
	for _, pkg := range slices.Sorted(maps.Keys(all)) {
		d := derived(t, all[pkg])
		if d.RandomStart == nil || len(d.Starts) == 0 {
			t.Errorf("%s: no starts", pkg)
			continue
		}
		for _, dim := range lengths(d.Problem, 1, 2, 5) {
			starts := append(slices.Clone(d.Starts), *d.RandomStart, *d.RandomStart, *d.RandomStart)
			for i, s := range starts {
				p := newPoint(t, d, dim)
				p.data(t, 40, nil)
				p.start(t, d, s)
				if text := p.violated(t, d); text != "" {
					t.Errorf("%s, d = %d, start %d: not %s", pkg, dim, i, text)
				}
			}
		}
	}
}

// simplex reports whether observations are.
func simplex(p *bind.Problem) bool { return strings.HasPrefix(p.Target.Variable.Kind.Name, "simplex") }

// lengths are those of the dimensions. A simplex of one entry is the number 1, a direction 1 or -1.
func lengths(p *bind.Problem, all ...int) []int {
	if simplex(p) || p.Target.Variable.Kind.Type.Form.Has(types.UnitLength) {
		return slices.DeleteFunc(all, func(n int) bool { return n == 1 })
	}
	return all
}

// start goes to a start.
func (p *point) start(t *testing.T, d *derive.Result, s derive.Start) {
	t.Helper()
	p.noise(t, s.Noise, 0)
	for _, v := range s.Values {
		p.set(t, v.Sym, v.Node)
	}
	var stepped []*expr.Node
	for _, c := range d.Surrogate.Coords {
		stepped = append(stepped, c.Sym)
	}
	for i, v := range p.values(t, s.Coords...) {
		p.env.Symbols[stepped[i].Name] = v
	}
	for _, def := range d.Surrogate.Defs { // what a model computes from its coordinates
		p.set(t, def.Sym, def.Node)
	}
}

// violated is a condition that does not hold, "" when all do.
func (p *point) violated(t *testing.T, d *derive.Result) string {
	t.Helper()
	for _, c := range d.Surrogate.Conditions {
		m := matrix(p.values(t, c.Node)[0])
		ok := !c.Definite || definite(m)
		for _, x := range m.RawMatrix().Data {
			ok = ok && !math.IsInf(x, 0) && c.Range.Contains(x)
		}
		if !ok {
			return c.Text
		}
	}
	return ""
}

func definite(m *mat.Dense) bool {
	n, _ := m.Dims()
	var chol mat.Cholesky
	return chol.Factorize(mat.NewSymDense(n, slices.Clone(m.RawMatrix().Data)))
}

// samplers draw the random numbers that the library uses.
var samplers = map[string]func(*rand.Rand, []float64) float64{
	"normal":  func(rng *rand.Rand, _ []float64) float64 { return rng.NormFloat64() },
	"uniform": func(rng *rand.Rand, a []float64) float64 { return a[0] + (a[1]-a[0])*rng.Float64() },
	"gamma":   func(rng *rand.Rand, a []float64) float64 { return random.Gamma(rng, a[0], 1) },
}

// noise draws random numbers, for each of several rows, or once when rows is 0.
func (p *point) noise(t *testing.T, draws []bind.Draw, rows int) {
	t.Helper()
	for _, d := range draws {
		parameters := p.values(t, d.Args...)
		values := make([]*mat.Dense, max(rows, 1))
		for i := range values {
			values[i] = mat.NewDense(1, 1, nil)
			if d.Sym.Type.Rank == 1 {
				values[i] = mat.NewDense(p.dim, 1, nil)
			}
			values[i].Apply(func(row, _ int, _ float64) float64 {
				var args []float64
				for _, v := range parameters {
					if v.Cores != nil {
						v.Scalar = v.Cores[0].At(row, 0)
					}
					args = append(args, v.Scalar)
				}
				return samplers[d.Kind.Name](p.rng, args)
			}, values[i])
		}
		p.env.Symbols[d.Sym.Name] = spread(d.Sym, values, rows)
	}
}

// spread makes a value of a symbol from its values in the rows.
func spread(s *expr.Node, values []*mat.Dense, rows int) eval.Value {
	switch {
	case rows == 0:
		return packed(s, values[0])
	case s.Type.Rank > 0:
		return eval.CoreRows(values)
	}
	v := eval.Value{Rows: make([]float64, rows)}
	for i, m := range values {
		v.Rows[i] = m.At(0, 0)
	}
	return v
}

// draws binds draws from the target, at the parameters of the point, as the data.
func (p *point) draws(t *testing.T, rows int) {
	t.Helper()
	for _, def := range p.p.Map {
		p.set(t, def.Sym, def.Node)
	}
	sample := p.p.Target.Sample
	p.noise(t, sample.Noise, rows)
	for _, v := range sample.Values {
		p.set(t, v.Sym, v.Node)
	}
	drawn := p.env.Symbols[sample.Values[len(sample.Values)-1].Sym.Name]
	var x []float64
	for _, row := range drawn.Cores {
		x = append(x, row.RawMatrix().Data...)
	}
	if err := p.p.BindData(p.env, x, nil); err != nil {
		t.Fatal(err)
	}
}

// sampled are problems of all targets that can be drawn from.
var sampled = []string{"mvstudentt", "skewnormal", "skewt", "gaussiancopula", "tcopula"}

// TestSamplesHaveTheirMoments: the mean and the covariance of draws are those that the spec states.
func TestSamplesHaveTheirMoments(t *testing.T) {
	const n, dim = 20000, 3
	all := multivariate(t)
	for _, pkg := range sampled {
		d := derived(t, all[pkg])
		target := d.Problem.Target
		p := newPoint(t, d, dim)
		p.heavyEnough()
		p.complete(t, d)
		p.draws(t, n)
		want := mat.NewDense(dim, 1, []float64{0.5, 0.5, 0.5}) // uniform: a copula
		if target.Mean != nil {
			want = matrix(p.values(t, target.Mean)[0])
		}
		g, x := d.Problem.Graph, target.Variable.Sym
		mean := g.Div(g.Sum(expr.Rows, x), g.Size(expr.Rows))
		r := g.Sub(x, mean)
		values := p.values(t, mean, g.Div(g.Sum(expr.Rows, g.Outer(r, r)), g.Size(expr.Rows)))
		gotMean, gotCov := matrix(values[0]), matrix(values[1])
		for i := range dim {
			sd := math.Sqrt(gotCov.At(i, i) / n)
			if !(math.Abs(gotMean.At(i, 0)-want.At(i, 0)) <= 5*sd) {
				t.Errorf("%s: mean %v, want %v", pkg, mat.Formatted(gotMean.T()), mat.Formatted(want.T()))
			}
		}
		if target.Variance == nil {
			for i := range dim {
				if v := gotCov.At(i, i); math.Abs(v-1.0/12) > 0.003 {
					t.Errorf("%s: variance %v of a uniform number", pkg, v)
				}
			}
			continue
		}
		cov := matrix(p.values(t, target.Variance)[0])
		for i := range dim {
			for j := range dim {
				// The standard error of a covariance, with room for an excess kurtosis of 2.
				se := math.Sqrt((cov.At(i, i)*cov.At(j, j)*3 + math.Pow(cov.At(i, j), 2)) / n)
				if !(math.Abs(gotCov.At(i, j)-cov.At(i, j)) <= 5*se) {
					t.Errorf("%s: covariance %d, %d is %v, want %v", pkg, i, j, gotCov.At(i, j), cov.At(i, j))
				}
			}
		}
	}
}

// heavyEnough sets degrees of freedom, where there are any, with which fourth moments exist.
func (p *point) heavyEnough() {
	for _, a := range p.p.Auxiliary {
		if a.Sym.Type.Rank == 0 {
			p.env.Set(a.Sym.Name, math.Log(8))
		}
	}
}

// TestSamplesFitTheirDensity: the score of draws has mean 0, at the parameters that they are drawn with.
func TestSamplesFitTheirDensity(t *testing.T) {
	const n = 20000
	all := multivariate(t)
	for _, pkg := range sampled {
		d := derived(t, all[pkg])
		p := newPoint(t, d, 2)
		p.heavyEnough()
		p.complete(t, d)
		p.draws(t, n)
		g, target := d.Problem.Graph, d.Problem.Target
		var params []*expr.Node
		for _, q := range target.Params {
			params = append(params, q.Sym)
		}
		score, err := diff.Gradient(g, g.Div(g.Sum(expr.Rows, target.LogPDF), g.Size(expr.Rows)), params)
		if err != nil {
			t.Fatal(err)
		}
		for i, v := range p.values(t, score...) {
			for _, x := range matrix(v).RawMatrix().Data {
				if !(math.Abs(x) < 0.05) {
					t.Errorf("%s: the mean score of %v is %v", pkg, params[i], mat.Formatted(matrix(v)))
				}
			}
		}
	}
}

// oracles are log-densities by other means, of a row x at the values of the target's parameters by name.
var oracles = map[string]func(x []float64, at func(string) *mat.Dense) float64{
	"mvnormal": func(x []float64, at func(string) *mat.Dense) float64 {
		return normal(at("mu"), at("Sigma")).LogProb(x)
	},
	"mvstudentt": func(x []float64, at func(string) *mat.Dense) float64 {
		return student(at("mu"), at("Sigma"), at("nu").At(0, 0)).LogProb(x)
	},
	"skewnormal": func(x []float64, at func(string) *mat.Dense) float64 {
		return math.Log(2) + normal(at("xi"), at("Omega")).LogProb(x) +
			math.Log(distuv.UnitNormal.CDF(slant(x, at)))
	},
	"skewt": func(x []float64, at func(string) *mat.Dense) float64 {
		nu, d := at("nu").At(0, 0), float64(len(x))
		q := math.Pow(mahalanobis(x, at("xi"), at("Omega")), 2)
		cdf := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: nu + d}.CDF(slant(x, at) * math.Sqrt((nu+d)/(nu+q)))
		return math.Log(2) + student(at("xi"), at("Omega"), nu).LogProb(x) + math.Log(cdf)
	},
	"gaussiancopula": func(u []float64, at func(string) *mat.Dense) float64 {
		z, single := make([]float64, len(u)), 0.0
		for i := range u {
			z[i] = distuv.UnitNormal.Quantile(u[i])
			single += distuv.UnitNormal.LogProb(z[i])
		}
		return normal(mat.NewDense(len(u), 1, nil), at("R")).LogProb(z) - single
	},
	"tcopula": func(u []float64, at func(string) *mat.Dense) float64 {
		one := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: at("nu").At(0, 0)}
		z, single := make([]float64, len(u)), 0.0
		for i := range u {
			z[i] = bisect(one.CDF, u[i])
			single += one.LogProb(z[i])
		}
		return student(mat.NewDense(len(u), 1, nil), at("R"), one.Nu).LogProb(z) - single
	},
}

func symmetric(m *mat.Dense) *mat.SymDense {
	n, _ := m.Dims()
	return mat.NewSymDense(n, slices.Clone(m.RawMatrix().Data))
}

func normal(mu, sigma *mat.Dense) *distmv.Normal {
	n, _ := distmv.NewNormal(mu.RawMatrix().Data, symmetric(sigma), nil)
	return n
}

func student(mu, sigma *mat.Dense, nu float64) *distmv.StudentsT {
	s, _ := distmv.NewStudentsT(mu.RawMatrix().Data, symmetric(sigma), nu, nil)
	return s
}

// slant is eta'(x - xi).
func slant(x []float64, at func(string) *mat.Dense) float64 {
	sum := 0.0
	for i := range x {
		sum += at("eta").At(i, 0) * (x[i] - at("xi").At(i, 0))
	}
	return sum
}

func mahalanobis(x []float64, mu, sigma *mat.Dense) float64 {
	var chol mat.Cholesky
	chol.Factorize(symmetric(sigma))
	r := mat.NewVecDense(len(x), nil)
	for i := range x {
		r.SetVec(i, x[i]-mu.At(i, 0))
	}
	var y mat.VecDense
	if err := chol.SolveVecTo(&y, r); err != nil {
		return math.NaN()
	}
	return math.Sqrt(mat.Dot(r, &y))
}

// bisect solves cdf(z) = u.
func bisect(cdf func(float64) float64, u float64) float64 {
	lo, hi := -1.0, 1.0
	for cdf(lo) > u { // tails may be heavy
		lo *= 2
	}
	for cdf(hi) < u {
		hi *= 2
	}
	for range 200 {
		if m := (lo + hi) / 2; cdf(m) < u {
			lo = m
		} else {
			hi = m
		}
	}
	return (lo + hi) / 2
}

// TestLogDensities compares the log-densities, as written and as rewritten, with gonum's.
func TestLogDensities(t *testing.T) {
	all := multivariate(t)
	for _, pkg := range slices.Sorted(maps.Keys(oracles)) {
		d := derived(t, all[pkg])
		for _, dim := range lengths(d.Problem, 1, 2, 3, 8) {
			t.Run(fmt.Sprintf("%s/d=%d", pkg, dim), func(t *testing.T) {
				p := newPoint(t, d, dim)
				at := func(name string) *mat.Dense {
					for i, q := range d.Problem.Target.Params {
						if q.Name == name {
							return matrix(p.values(t, d.Problem.Map[i].Node)[0])
						}
					}
					panic(name)
				}
				for _, def := range d.Problem.Map {
					p.set(t, def.Sym, def.Node)
				}
				x := p.env.Symbols[d.Problem.Target.Variable.Sym.Name].Cores
				for _, v := range p.values(t, d.Problem.Target.LogPDF, d.LogDensity) {
					for i := range x {
						want := oracles[pkg](x[i].RawMatrix().Data, at)
						if !(math.Abs(v.Rows[i]-want) <= 1e-7*(1+math.Abs(want))) {
							t.Errorf("row %d: %v, want %v", i, v.Rows[i], want)
						}
					}
				}
			})
		}
	}
}

// TestOneEntry: a copula of one variable is the uniform distribution.
func TestOneEntry(t *testing.T) {
	all := multivariate(t)
	for _, pkg := range []string{"gaussiancopula", "tcopula"} {
		d := derived(t, all[pkg])
		p := newPoint(t, d, 1)
		for _, def := range d.Problem.Map {
			p.set(t, def.Sym, def.Node)
		}
		for _, v := range p.values(t, d.LogDensity)[0].Rows {
			if !(math.Abs(v) <= 1e-12) {
				t.Errorf("%s: log-density %v", pkg, v)
			}
		}
	}
}
