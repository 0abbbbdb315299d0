package estimate

import (
	"math"
	"testing"
)

// concentrated is minus the log-likelihood of a row of a gamma distribution as the logarithm of its shape, with the mean of the
// data: up to a constant alpha (spread - 1) + lgamma(alpha) - alpha (log alpha - 1), by Stirling's series; rounding is that of
// values some times the size of the shape.
type concentrated struct{ spread, size float64 }

func (s concentrated) Dim() int { return 1 }

func (s concentrated) Loss(x []float64) float64 {
	alpha := math.Exp(x[0])
	loss := alpha*s.spread - x[0]/2 + 1/(12*alpha)
	noise := float64(math.Float64bits(x[0])*0x9e3779b97f4a7c15>>32)*0x1p-31 - 1
	return loss + 0x1p-52*s.size*alpha*noise
}

func (s concentrated) Gradient(_, _ []float64) float64 { panic("not asked for") }
func (s concentrated) Hessian(_, _ []float64)          { panic("not asked for") }
func (s concentrated) Theta(dst, u []float64)          { dst[0] = math.Exp(u[0]) }
func (s concentrated) FromTheta(u, theta []float64)    { u[0] = math.Log(theta[0]) }

// A likelihood that grows evenly up to where its digits end has no maximum as far as can be seen; one that has a maximum before
// them does not, wherever on the way there or at it a run has ended.
func TestGrowsEvenly(t *testing.T) {
	for _, c := range []struct {
		spread, size, alpha float64
		want                bool
	}{
		{0, 1, 1e17, true},
		{0, 1, 1e10, true}, // ends before its digits do
		{0, 30, 1e12, true},
		{0, 1, 1e3, true},
		{1e-9, 1, 5e8, false}, // at the maximum
		{1e-9, 1, 2e8, false},
		{1e-9, 1, 1e7, false}, // on the way
		{1e-9, 1, 1e3, false},
		{1e-9, 1, 1e14, false},
		{1e-3, 0, 500, false},
		{1e-3, 1, 20, false},
		{0.5, 1, 1, false},
	} {
		got := growsEvenly(concentrated{c.spread, c.size}, []float64{math.Log(c.alpha)}, []float64{1}, 20)
		if got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
}
