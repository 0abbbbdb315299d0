package oracle_test

import (
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/sngdgen/sngdgen/expr/eval"
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
			p.z = off(m, start(t, m, 0, rng), rng)
			p.place()
			p.metrics()
		})
	}
	if found == 0 {
		t.Error("the library has no such problem")
	}
}

// metrics checks the blocks of the auxiliary parameters.
func (p trial) metrics() {
	p.Helper()
	v, c := newPoint(p.m), newPoint(p.m)
	p.m.Gradients(v, c, p.z)
	blocks := p.m.Blocks()[len(p.d.Surrogate.Dual):]
	for i, a := range p.d.Problem.Auxiliary {
		if a.Information != nil {
			continue // a mean over the draws of the step: TestInformation of tests/variational compares it with closed forms
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
