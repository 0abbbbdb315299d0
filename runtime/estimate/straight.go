package estimate

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/baseline"
	"github.com/sngdgen/sngdgen/runtime/types"
)

// straight is an objective in coordinates that are the entries of the parameters themselves, where these are real numbers of which a chart makes something else, as the logarithms of
// what lies between cut points. A likelihood that is a function of linear predictors has its directions of recession there: in the chart they are curves. Where entries are out of
// order there is no likelihood.
type straight struct {
	runtime.Unconstrained // in the chart
	own                   runtime.Objective
	spans                 []span
	theta, g, x           []float64
}

// span is where the entries of a parameter are among the coordinates, and among all parameters.
type span struct{ at, entry, count int }

// straighten returns an objective in straight coordinates, which is the same one where the chart leaves real numbers as they are.
func straighten(m runtime.Model, u runtime.Unconstrained) runtime.Unconstrained {
	own, ok := m.(runtime.Objective)
	if !ok {
		return u // all parameters are numbers
	}
	s := &straight{Unconstrained: u, own: own, x: make([]float64, u.Dim())}
	entries := 0
	for i := range m.Info().Parameters {
		p := &m.Info().Parameters[i]
		for _, b := range s.Blocks() {
			if b.Name == p.Name && p.Type.Form.Chart != nil && p.Type.Entry == types.Real && b.Len == p.Len(m) {
				s.spans = append(s.spans, span{b.Offset, entries, b.Len})
			}
		}
		entries += p.Len(m)
	}
	if s.spans == nil {
		return u
	}
	s.theta, s.g = make([]float64, entries), make([]float64, entries)
	return s
}

// Blocks are those of the chart.
func (s *straight) Blocks() []runtime.Block { return baseline.Euclidean(s.Unconstrained).Blocks() }

// Theta implements runtime.Unconstrained.
func (s *straight) Theta(dst, y []float64) {
	copy(s.x, y)
	for _, p := range s.spans {
		clear(s.x[p.at : p.at+p.count]) // the entries follow, which need not be coordinates of the chart
	}
	s.Unconstrained.Theta(dst, s.x)
	for _, p := range s.spans {
		copy(dst[p.entry:p.entry+p.count], y[p.at:])
	}
}

// FromTheta implements runtime.Unconstrained.
func (s *straight) FromTheta(y, theta []float64) {
	s.Unconstrained.FromTheta(y, theta)
	for _, p := range s.spans {
		copy(y[p.at:p.at+p.count], theta[p.entry:])
	}
}

// Loss implements runtime.Unconstrained.
func (s *straight) Loss(y []float64) float64 {
	s.Theta(s.theta, y)
	return runtime.LossAt(s.own, s.g, s.theta)
}

// Gradient implements runtime.Unconstrained: others have in the chart what they have here, as each parameter has a chart of its own.
func (s *straight) Gradient(g, y []float64) float64 {
	s.Theta(s.theta, y)
	s.Unconstrained.FromTheta(s.x, s.theta)
	s.Unconstrained.Gradient(g, s.x)
	loss := s.own.ThetaGradient(s.g, s.theta)
	for _, p := range s.spans {
		copy(g[p.at:p.at+p.count], s.g[p.entry:])
	}
	return loss
}

// Hessian implements runtime.Unconstrained: there are none.
func (s *straight) Hessian(h, _ []float64) {
	for i := range h {
		h[i] = math.NaN()
	}
}

// tangentStep is that of differences along the curves of a chart.
const tangentStep = 1e-5

// tangents are the changes in the chart of coordinates u, a column for a change of each of some coordinates y by what it is; nil where the chart is singular.
func tangents(u runtime.Unconstrained, y []float64, of []int) *mat.Dense {
	out := mat.NewDense(len(y), len(of), nil)
	for i, k := range of {
		out.Set(k, i, y[k])
	}
	s, curved := u.(*straight)
	if !curved {
		return out
	}
	s.Theta(s.theta, y)
	x := make([]float64, len(y))
	s.Unconstrained.FromTheta(x, s.theta)
	for _, p := range s.spans {
		own := out.Slice(p.at, p.at+p.count, 0, len(of)).(*mat.Dense)
		if own.Solve(s.jacobian(x, p), mat.DenseCopyOf(own)) != nil {
			return nil
		}
	}
	return out
}

// jacobian has the derivatives of the entries of a parameter by the coordinates x of the chart, by differences.
func (s *straight) jacobian(x []float64, p span) *mat.Dense {
	out, at := mat.NewDense(p.count, p.count, nil), slices.Clone(x)
	ahead, back := make([]float64, len(s.theta)), make([]float64, len(s.theta))
	for j := range p.count {
		k := p.at + j
		at[k] = x[k] + tangentStep
		s.Unconstrained.Theta(ahead, at)
		at[k] = x[k] - tangentStep
		s.Unconstrained.Theta(back, at)
		at[k] = x[k]
		for i := range p.count {
			out.Set(i, j, (ahead[p.entry+i]-back[p.entry+i])/(2*tangentStep))
		}
	}
	return out
}
