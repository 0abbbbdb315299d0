package oracle_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distmv"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/expr/eval"
	"github.com/sngdgen/sngdgen/gen/bind"
	"github.com/sngdgen/sngdgen/gen/derive"
	"github.com/sngdgen/sngdgen/generated"
	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/special"
	"github.com/sngdgen/sngdgen/runtime/support"
)

// logDensities make that of one component of its parameters, written down once more: by gonum where it has them.
var logDensities = map[string]func(theta [][]float64) func(x []float64) float64{
	"mixture of negative_binomial": func(theta [][]float64) func(x []float64) float64 {
		r, s := theta[0][0], theta[1][0]
		lgamma := func(x float64) float64 { y, _ := math.Lgamma(x); return y }
		return func(x []float64) float64 {
			return lgamma(x[0]+r) - lgamma(r) - lgamma(x[0]+1) + x[0]*math.Log1p(-s) + r*math.Log(s)
		}
	},
	"mixture of gamma": func(theta [][]float64) func(x []float64) float64 {
		return ofNumber(distuv.Gamma{Alpha: theta[0][0], Beta: theta[1][0]}.LogProb)
	},
	"mixture of normal": func(theta [][]float64) func(x []float64) float64 {
		return ofNumber(distuv.Normal{Mu: theta[0][0], Sigma: math.Sqrt(theta[1][0])}.LogProb)
	},
	"mixture of multivariate_normal": logNormal,
	"mixture of multivariate_student_t": func(theta [][]float64) func(x []float64) float64 {
		q, _ := distmv.NewStudentsT(theta[0], symmetric(theta[1]), theta[2][0], nil)
		return q.LogProb
	},
	"mixture of skew_normal": func(theta [][]float64) func(x []float64) float64 {
		q := logNormal(theta)
		return func(x []float64) float64 {
			slant, _ := inner(theta[2], moved(x, theta[0], -1))
			return math.Ln2 + q(x) + special.LogNdtr(slant)
		}
	},
}

func ofNumber(f func(float64) float64) func([]float64) float64 {
	return func(x []float64) float64 { return f(x[0]) }
}

func logNormal(theta [][]float64) func(x []float64) float64 {
	q, _ := distmv.NewNormal(theta[0], symmetric(theta[1]), nil)
	return q.LogProb
}

func symmetric(a []float64) *mat.SymDense { return mat.NewSymDense(side(len(a)), slices.Clone(a)) }

// byHand is a mixture of densities that are written down here.
type byHand struct {
	weights   []float64
	densities []func(x []float64) float64
}

// written is the mixture of a model at theta.
func written(t *testing.T, m runtime.Model, theta []float64) byHand {
	t.Helper()
	density := logDensities[m.Info().Target]
	if density == nil {
		t.Fatalf("this test does not know the density of a %s", m.Info().Target)
	}
	k := m.(runtime.Mixture).Components()
	h := byHand{weights: theta[:k]}
	for c := range k {
		var own [][]float64
		at := k
		for _, q := range m.Info().Parameters[1:] {
			n := q.Len(m) / k
			own = append(own, theta[at+c*n:at+(c+1)*n])
			at += n * k
		}
		h.densities = append(h.densities, density(own))
	}
	return h
}

// posterior is the log-density of a row, and the posterior probabilities of the components: a softmax.
func (h byHand) posterior(x []float64) (log float64, r []float64) {
	r = make([]float64, len(h.weights))
	for c, density := range h.densities {
		r[c] = math.Log(h.weights[c]) + density(x)
	}
	top, total := slices.Max(r), 0.0
	for c := range r {
		r[c] = math.Exp(r[c] - top)
		total += r[c]
	}
	for c := range r {
		r[c] /= total
	}
	return top + math.Log(total), r
}

// distinct are the rows that differ, in ascending order, and the sum of the weights of each, as a model has them; all rows where none are equal.
func (p trial) distinct() runtime.Data {
	rows, err := support.MergedRowsOf(p.x)
	if err != nil {
		p.Fatal(err)
	}
	w := rows.Weights(nil)
	d := runtime.Data{Values: rows[1].Batch(nil), Columns: p.x.Columns, Weights: make([]float64, w.Len())}
	w.Copy(d.Weights)
	return d
}

// merge gives the interpreter the rows that the model has: which a random start takes depends on their order.
func (p *trial) merge() {
	if p.d.Problem.Variational != nil || p.d.Problem.Target.Ordered() {
		return
	}
	p.x = p.distinct()
	p.env = p.environment(p.T, p.m, p.x)
	p.place()
}

// TestResponsibilities compares them, and the loss, with the densities written down here, and with the interpreter.
func TestResponsibilities(t *testing.T) {
	eachPoint(t, mixture, func(p trial) {
		distinct := p.distinct()
		weights := distinct.Weights
		rows := slices.Collect(slices.Chunk(distinct.Values, len(distinct.Values)/len(weights)))
		k := p.m.(runtime.Mixture).Components()
		got := make([]float64, len(rows)*k)
		p.m.(runtime.Mixture).Responsibilities(got, p.z)
		mix := written(p.T, p.m, p.theta())
		loss, total, scale := 0.0, 0.0, 0.0
		var want []float64
		for i, x := range rows {
			log, r := mix.posterior(x)
			want = append(want, r...)
			loss, total, scale = loss-weights[i]*log, total+weights[i], max(scale, math.Abs(log))
		}
		// Where a component fits a row badly, the logarithm has an error of so many of its own last places.
		agree(p.T, "responsibilities", got, want, 1, 1e-14*max(1e4, scale))
		agree(p.T, "loss", []float64{p.m.Loss(p.z)}, []float64{loss / total}, 1, 1e-10)

		p.merge()
		all, err := eval.All([]*expr.Node{p.d.Responsibilities}, p.env)
		if err != nil {
			p.Fatal(err)
		}
		agree(p.T, "responsibilities", got, byRows(all[0], len(rows), k), 1, 1e-10)
	})
}

// byRows are the numbers of the components for every row, row by row. Of one component they are all the number 1.
func byRows(v eval.Value, n, k int) []float64 {
	out := make([]float64, n*k)
	for i := range n {
		for c := range k {
			own := v
			if v.Components != nil {
				own = v.Components[c]
			}
			if out[i*k+c] = own.Scalar; own.Rows != nil {
				out[i*k+c] = own.Rows[i]
			}
		}
	}
	return out
}

// TestMixturesAgainstDifferences compares both generated gradients with differences of the loss as the spec has it,
// along random directions, as TestGeneratedAgainstDifferences does for numbers. No derived node is involved but the
// maps between coordinates and standard parameters of the mixture model.
func TestMixturesAgainstDifferences(t *testing.T) {
	eachSize(t, mixture, func(t *testing.T, p problem) {
		rng := p.random(33)
		x := weighted(p.sized(t), 50, rng)
		m := p.on(t, x)
		for i := range m.Info().Starts + 1 {
			at := trial{t, p, m, p.environment(t, m, x), x, off(m, start(t, m, i, rng), rng)}
			at.place()
			at.checkSlopes(rng)
		}
	})
}

func (p trial) checkSlopes(rng *rand.Rand) {
	p.Helper()
	s, a := &p.d.Surrogate, answersAt(p.m, p.z)
	u := direction(p.m, p.z, rng)
	u = moved(newPoint(p.m), u, inside(p.m, p.z, u))
	want := p.along(s.Literal, p.coordSyms(), p.z, u)
	if got, size := inner(a.c, u); !near(got, want, size, 1e-6) {
		p.Errorf("c along %v is %v, by differences %v (terms of size %v)", u, got, want, size)
	}
	for i, sym := range s.Dual {
		b := p.m.Blocks()[i]
		p.coordinate(s.Coords[i], sym, a.dual[b.Offset:b.Offset+b.Len])
	}
	end := own(p.m)
	up, down := answersAt(p.m, moved(p.z, u, 0.01)).dual, answersAt(p.m, moved(p.z, u, -0.01)).dual
	u = moved(newPoint(p.m), moved(up, down, -1), 50)[:end] // about the same way in the dual coordinates
	want = p.along(s.LiteralDual, s.Dual, a.dual[:end], u)
	if got, size := inner(a.v[:end], u); !near(got, want, size, 1e-6) {
		p.Errorf("v along %v is %v, by differences %v (terms of size %v)", u, got, want, size)
	}
	p.checkMetrics(a)
}

func (p trial) coordSyms() []*expr.Node {
	var out []*expr.Node
	for _, c := range p.d.Surrogate.Coords {
		out = append(out, c.Sym)
	}
	return out
}

// along is the derivative of a node in a direction of symbols, in the layout of the coordinates.
func (p trial) along(n *expr.Node, syms []*expr.Node, z, u []float64) float64 {
	p.Helper()
	move := func(h float64) {
		at := moved(z, u, h)
		for i, sym := range syms {
			b := p.m.Blocks()[i]
			p.coordinate(p.d.Surrogate.Coords[i], sym, at[b.Offset:b.Offset+b.Len])
		}
	}
	defer move(0)
	return ridders(0.1, func(h float64) float64 {
		move(h)
		return p.interpret(n)[0]
	})
}

// checkMetrics: the metric of an auxiliary parameter is that of the spec times the weight of the component, as the
// Fisher information of the joint distribution has it: v is the inverse of it times c.
func (p trial) checkMetrics(a answers) {
	p.Helper()
	g, weights := p.d.Problem.Graph, p.theta()
	for i, q := range p.d.Problem.Auxiliary {
		b := p.m.Blocks()[len(p.d.Surrogate.Dual)+i]
		own := laid(p.T, p.env, q.Sym, g.Div(q.Metric, p.d.Problem.Mixture.Weights)) // as the spec has it
		for c, v := range parts(a.v, b) {
			metric := own[c*len(own)/b.Copies : (c+1)*len(own)/b.Copies]
			back := make([]float64, len(v))
			for i := range back {
				if len(metric) == 1 {
					back[i] = weights[c] * metric[0] * v[i]
					continue
				}
				sum, _ := inner(metric[i*len(v):(i+1)*len(v)], v)
				back[i] = weights[c] * sum
			}
			agree(p.T, fmt.Sprintf("metric times v of %s, component %d", b.Name, c), back, parts(a.c, b)[c], 1e-3, 1e-9)
		}
	}
}

// TestOneComponent: a mixture of one component is the problem without the mixture, number for number but for rounding.
func TestOneComponent(t *testing.T) {
	found := 0
	eachProblem(t, mixture, func(t *testing.T, p problem) {
		plain, ok := generated.Lookup(strings.Replace(p.d.Problem.Spec.Package, "mix", "", 1))
		if !ok {
			return
		}
		found++
		for _, n := range lengthsOf(p.d.Problem.Target.Variable) {
			p.size = size{n, 1}
			rng := p.random(34)
			x := weighted(p.sized(t), 150, rng)
			m, one := p.on(t, x), plain()
			if err := one.SetData(x); err != nil {
				t.Fatal(err)
			}
			for i := range m.Info().Starts + 3 {
				z := off(m, start(t, m, i, rng), rng)
				got, want := answersAt(m, z), answersAt(one, z)
				what := fmt.Sprintf("d = %d, start %d: ", n, i)
				agree(t, what+"loss", got.loss, want.loss, 1e-3, sameTensors)
				for _, b := range one.Blocks() {
					from, to := b.Offset, b.Offset+b.Len
					agree(t, what+"v of "+b.Name, got.v[from:to], want.v[from:to], 1e-3, sameTensors)
					agree(t, what+"c of "+b.Name, got.c[from:to], want.c[from:to], 1e-3, sameTensors)
					agree(t, what+"dual of "+b.Name, got.dual[from:to], want.dual[from:to], 1e-3, sameTensors)
				}
			}
		}
	})
	if found < 6 {
		t.Errorf("only %d mixtures have a problem without the mixture", found)
	}
}

// bySelfMixture reports whether a problem mixes a family by itself, in mean parameters.
func bySelfMixture(d *derive.Result) bool {
	if !mixture(d) || d.Problem.Spec.Step != bind.Mean || len(d.Problem.Auxiliary) > 0 {
		return false
	}
	return !slices.ContainsFunc(d.Problem.Map, func(def bind.Def) bool { return !def.Node.IsSym() })
}

// TestMixtureStepIsEM: where a mixture model is fitted by itself, one undamped step in mean parameters leads to the
// means of the responsibilities and of the statistics weighted with them: it is a step of the EM algorithm (Dempster,
// Laird and Rubin, J. R. Statist. Soc. B 39, 1977).
func TestMixtureStepIsEM(t *testing.T) {
	eachPoint(t, bySelfMixture, func(p trial) {
		k := p.m.(runtime.Mixture).Components()
		v := newPoint(p.m)
		p.m.NaturalGradient(v, p.z)
		got, want := moved(p.z, v, -1), newPoint(p.m)
		statistics := p.statistics()
		mix, total := written(p.T, p.m, p.theta()), 0.0
		for i, x := range p.rows() {
			_, r := mix.posterior(x)
			weight := p.x.Weights[i]
			total += weight
			for c := range k {
				if c < k-1 {
					want[c] += weight * r[c]
				}
				for j, b := range p.m.Blocks()[1:] {
					to := parts(want, b)[c]
					copy(to, moved(to, statistics[j][i], weight*r[c]))
				}
			}
		}
		for _, b := range p.m.Blocks() {
			part := want[b.Offset : b.Offset+b.Len]
			for i := range part {
				part[i] /= total
			}
			agree(p.T, "one step in "+b.Name, got[b.Offset:b.Offset+b.Len], part, largest(p.z[b.Offset:b.Offset+b.Len]), 1e-10)
		}
	})
}

func (p trial) rows() [][]float64 {
	return slices.Collect(slices.Chunk(p.x.Values, len(p.x.Values)/len(p.x.Weights)))
}

// statistics are the sufficient statistics of the rows, each a list of numbers, vectors or matrices.
func (p trial) statistics() [][][]float64 {
	p.Helper()
	f := p.d.Problem.Surrogate.Component
	by := map[*expr.Node]*expr.Node{f.Variable.Sym: p.d.Problem.Target.Variable.Sym}
	all, err := eval.All(p.d.Problem.Graph.SubstituteAll(f.Statistics, by), p.env)
	if err != nil {
		p.Fatal(err)
	}
	out := make([][][]float64, len(all))
	for i, v := range all {
		for _, x := range v.Rows {
			out[i] = append(out[i], []float64{x})
		}
		for _, x := range v.Cores {
			out[i] = append(out[i], entries(eval.Core(x)))
		}
	}
	return out
}

// TestMixtureSamples: of draws from a mixture, the means of the responsibilities are the weights, and the mean of the
// score, the gradient of the log-density, is 0, both up to six standard errors, since some scores are skewed. This ties
// the sampler to the density, whatever that is: moments of every component are among what the score looks at.
func TestMixtureSamples(t *testing.T) {
	const batch, batches = 500, 64
	eachSize(t, mixture, func(t *testing.T, p problem) {
		rng := p.random(35)
		from := p.on(t, weighted(p.sized(t), 150, rng))
		at := trial{t, p, from, nil, runtime.Data{}, start(t, from, 0, rng)}
		theta, width := at.theta(), from.Info().Variable.Len(from)
		k, mix := from.(runtime.Mixture).Components(), written(t, from, theta)
		var all [][]float64 // means of the batches: of the scores, and of responsibilities
		for range batches {
			x := runtime.Data{Values: make([]float64, batch*width), Columns: width, Weights: slices.Repeat([]float64{1}, batch)}
			from.(runtime.Sampler).Sample(x.Values, theta, rng)
			score := make([]float64, len(theta))
			p.on(t, x).(runtime.Objective).ThetaGradient(score, theta)
			r := make([]float64, k)
			for row := range slices.Chunk(x.Values, width) {
				_, own := mix.posterior(row)
				r = moved(r, own, 1.0/batch)
			}
			for c := range k {
				score[c]++ // of weights whose sum is not kept at 1, it is -1 for each
			}
			all = append(all, append(score, moved(r, theta[:k], -1)...))
		}
		for i := range all[0] {
			sum, square := 0.0, 0.0
			for _, x := range all {
				sum, square = sum+x[i], square+x[i]*x[i]
			}
			mean := sum / batches
			error := math.Sqrt(max(0, square/batches-mean*mean) / (batches - 1))
			if !(math.Abs(mean) <= 6*error+1e-9) {
				t.Errorf("mean of score or responsibility %d is %v, with a standard error of %v", i, mean, error)
			}
		}
	})
}
