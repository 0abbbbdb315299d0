package estimate_test

import (
	"testing"

	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/estimate"
)

// asked counts how often a point is evaluated.
type asked struct {
	runtime.Unconstrained
	point   []float64
	looks   *int
	slopes  *int
	hessian *int
}

func (a asked) count(x []float64, n *int) {
	for i := range x {
		if x[i] != a.point[i] {
			return
		}
	}
	*n++
}

func (a asked) Loss(x []float64) float64 {
	a.count(x, a.looks)
	return a.Unconstrained.Loss(x)
}

func (a asked) Gradient(g, x []float64) float64 {
	a.count(x, a.slopes)
	return a.Unconstrained.Gradient(g, x)
}

func (a asked) Hessian(h, x []float64) {
	a.count(x, a.hessian)
	a.Unconstrained.Hessian(h, x)
}

// bowl is a loss of two numbers that has a Hessian.
type bowl struct{}

func (bowl) Dim() int                     { return 2 }
func (bowl) Loss(x []float64) float64     { return x[0]*x[0] + x[0]*x[1] + 2*x[1]*x[1] }
func (bowl) Theta(dst, x []float64)       { copy(dst, x) }
func (bowl) FromTheta(x, theta []float64) { copy(x, theta) }
func (bowl) Hessian(h, _ []float64)       { copy(h, []float64{2, 1, 1, 4}) }
func (b bowl) Gradient(g, x []float64) float64 {
	g[0], g[1] = 2*x[0]+x[1], x[0]+4*x[1]
	return b.Loss(x)
}

// TestEndPoint: whatever is asked at the end of a run is evaluated there once, and is what it would be otherwise, also after others were asked about.
func TestEndPoint(t *testing.T) {
	theta := []float64{3, -1}
	for _, together := range []bool{false, true} {
		var looks, slopes, hessians int
		u := estimate.EndPointOf(asked{bowl{}, theta, &looks, &slopes, &hessians}, theta, together)
		g, h := make([]float64, 2), make([]float64, 4)
		for _, x := range [][]float64{theta, {1, 1}, theta, {3, -2}, {4, -1}, theta} {
			wantG, wantH := make([]float64, 2), make([]float64, 4)
			want := bowl{}.Gradient(wantG, x)
			bowl{}.Hessian(wantH, x)
			loss, also := u.Loss(x), u.Gradient(g, x)
			if u.Hessian(h, x); loss != want || also != want || [2]float64(g) != [2]float64(wantG) || [4]float64(h) != [4]float64(wantH) {
				t.Errorf("at %v: %v, %v, %v, %v", x, loss, also, g, h)
			}
			clear(g)
			clear(h)
		}
		switch {
		case slopes != 1, together && looks != 0, !together && (looks != 1 || hessians != 1):
			t.Errorf("together %v: %d losses, %d gradients and %d Hessians at the end", together, looks, slopes, hessians)
		}
	}
}
