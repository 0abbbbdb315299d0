package oracle_test

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/expr/eval"
	"github.com/sngdgen/sngdgen/gen/bind"
	"github.com/sngdgen/sngdgen/gen/derive"
	"github.com/sngdgen/sngdgen/generated"
	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/estimate"
	"github.com/sngdgen/sngdgen/runtime/modeltest"
	"github.com/sngdgen/sngdgen/spec"
)

func withAuxiliary(d *derive.Result) bool { return len(d.Problem.Auxiliary) > 0 }

// TestGeneratedMetric: the vector that generated code gives for an auxiliary parameter, multiplied by the metric that the spec
// declares, is the covector. The interpreter evaluates the metric; nothing of the derivation is asked.
func TestGeneratedMetric(t *testing.T) {
	eachPoint(t, withAuxiliary, func(p trial) { p.metrics() })
}

// TestGeneratedMetricOfPosteriors does the same where the objective is variational: there the two are estimates with the same
// draws.
func TestGeneratedMetricOfPosteriors(t *testing.T) {
	lib, found := spec.Library(), 0
	for _, name := range lib.ProblemsOf(spec.ObjectiveVI) {
		d := derived(t, lib.Problem(name))
		if !withAuxiliary(d) {
			continue
		}
		found++
		newModel, _ := generated.Lookup(name)
		t.Run(name, func(t *testing.T) {
			m := newModel()
			rng := runtime.Stream(5, name)
			p := trial{T: t, problem: problem{d: d, new: newModel}, m: m, env: eval.Scalars(nil)}
			if m.Info().Mixture {
				p.components = 3
			}
			if err := estimate.Load(m, modeltest.DataOf(m, 3, 20, rng), p.components); err != nil {
				t.Fatal(err)
			}
			for i, name := range m.Info().Dims {
				p.env.Set(name, float64(m.Sizes()[i]))
			}
			if p.components > 0 {
				number(p.env, d.Problem, p.components)
			}
			p.z = p.far(off(m, start(t, m, 0, rng), rng))
			p.place()
			m.(runtime.Variational).Draw(rng)
			p.metrics()
		})
	}
	if found == 0 {
		t.Error("the library has no such problem")
	}
}

// far moves slants and other vectors of auxiliary parameters away from their starts. Slants begin near 0, where the bound hardly depends
// on them, so that neither side of the test would be anything but 0, whatever the metric; and they are per unit of the latent
// variables, whose standard deviations are a tenth at the start.
func (p trial) far(z []float64) []float64 {
	out := slices.Clone(z)
	for i, a := range p.d.Problem.Auxiliary {
		if a.Sym.Type.Rank == 0 {
			continue
		}
		block := p.m.Blocks()[len(p.d.Surrogate.Dual)+i]
		for size := 8.0; size > 1e-3; size /= 2 {
			for j := range block.Len {
				out[block.Offset+j] = z[block.Offset+j] + size*(1-2*float64(j%2))/(1+float64(j)/4)
			}
			if p.m.Violation(out) < 0 {
				break
			}
		}
	}
	return out
}

// metrics checks the blocks of the auxiliary parameters.
func (p trial) metrics() {
	p.Helper()
	v, c := newPoint(p.m), newPoint(p.m)
	p.m.Gradients(v, c, p.z)
	blocks := p.m.Blocks()[len(p.d.Surrogate.Dual):]
	for i, a := range p.d.Problem.Auxiliary {
		if a.Information != nil {
			give(p.env, a.Information, p.informationOf(a))
		}
		vectors, covectors := parts(v, blocks[i]), parts(c, blocks[i])
		for k, metric := range p.metricsOf(i) {
			back := make([]float64, len(vectors[k]))
			product := mat.NewVecDense(len(back), back)
			if rows, _ := metric.Dims(); rows > 1 {
				product.MulVec(metric, mat.NewVecDense(len(back), vectors[k]))
			} else {
				product.ScaleVec(metric.At(0, 0), mat.NewVecDense(len(back), vectors[k]))
			}
			// Terms of the size of 1 may cancel: the copula of one variable does not depend on its degrees of freedom.
			agree(p.T, a.Name+", metric times vector", back, covectors[k], 1e-3, sameTensors)
		}
	}
}

// informationOf is the Fisher information of the approximation about an auxiliary parameter as the draws of the model estimate it: the mean of
// the products of scores, which are differences of the interpreted logarithm of the density where a draw stays as it is.
func (p trial) informationOf(a bind.Auxiliary) []float64 {
	p.Helper()
	m, target := p.m.(runtime.Variational), p.d.Problem.Target
	by := map[*expr.Node]*expr.Node{}
	for _, q := range p.d.Problem.Map {
		by[q.Sym] = q.Node
	}
	logQ := p.d.Problem.Graph.Substitute(target.LogPDF, by)
	width := m.Info().Variable.Len(m)
	draws := make([]float64, m.Draws()*width)
	m.Latents(draws, p.z)
	at := numbers(p.T, p.env, a.Sym)
	out := make([]float64, len(at)*len(at))
	score := make([]float64, len(at))
	for from := 0; from < len(draws); from += width {
		give(p.env, target.Variable.Sym, draws[from:from+width])
		for i, x := range at {
			moved := func(by float64) float64 {
				there := slices.Clone(at)
				there[i] = x + by
				give(p.env, a.Sym, there)
				return p.interpret(logQ)[0]
			}
			h := 1e-3 * math.Max(1, math.Abs(x))
			score[i] = (8*(moved(h)-moved(-h)) - moved(2*h) + moved(-2*h)) / (12 * h)
		}
		for i, s := range score {
			for j, t := range score {
				out[i*len(at)+j] += s * t / float64(m.Draws())
			}
		}
	}
	give(p.env, a.Sym, at)
	return out
}

// metricsOf are the metrics of an auxiliary parameter, one for each part of its block: a number or a matrix, 1 where the spec
// has none.
func (p trial) metricsOf(i int) []*mat.Dense {
	p.Helper()
	a := p.d.Problem.Auxiliary[i]
	block := p.m.Blocks()[len(p.d.Surrogate.Dual)+i]
	copies, length := block.Parts()
	values := []float64{1}
	if a.Metric != nil {
		values = laid(p.T, p.env, p.d.Surrogate.Coords[len(p.d.Surrogate.Dual)+i].Sym, a.Metric)
	}
	out := make([]*mat.Dense, copies)
	side := 1
	if len(values) > copies {
		side = length
	}
	for k := range out {
		out[k] = mat.NewDense(side, side, values[k*side*side:(k+1)*side*side])
	}
	return out
}
