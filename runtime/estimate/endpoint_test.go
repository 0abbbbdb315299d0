package estimate_test

import (
	"math"
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

// lossy counts how often there is a loss to be found.
type lossy struct {
	bowl
	losses *int
}

func (c lossy) Loss(x []float64) float64 {
	*c.losses++
	return c.bowl.Loss(x)
}

// TestAside: a step beside the end of a run the loss is what it is there, and evaluated once.
func TestAside(t *testing.T) {
	losses := 0
	u := estimate.EndPointOf(lossy{losses: &losses}, []float64{3, -1}, true)
	want := map[[2]float64]float64{{0, 1}: 14, {0, -1}: 4, {1, 1}: 9, {1, -1}: 11}
	for range 2 {
		for step, want := range want {
			if got := u.Aside(int(step[0]), step[1]); got != want {
				t.Errorf("%v at a step of %v, want %v", got, step, want)
			}
		}
	}
	if losses != len(want) {
		t.Errorf("%d losses for %d points", losses, len(want))
	}
}

// TestHessianOfParts: second derivatives of some coordinates are those of all of them where these are known, and take no gradients of others where they are not.
func TestHessianOfParts(t *testing.T) {
	theta := []float64{3, -1}
	gradients := 0
	u := estimate.EndPointOf(steep{gradients: &gradients}, theta, true)
	expect := func(taken int) {
		t.Helper()
		if h := estimate.InformationOf(u, theta, 1); math.Abs(h-4) > 1e-6 || gradients != taken {
			t.Errorf("%v of %d gradients, want 4 of %d", h, gradients, taken)
		}
	}
	expect(2)
	if all := estimate.InformationAbout(u, theta); math.Abs(all.At(0, 0)-2) > 1e-6 || math.Abs(all.At(1, 0)-1) > 1e-6 {
		t.Errorf("%v", all)
	}
	expect(6)
}

// steep is a bowl without a Hessian, as charts are.
type steep struct {
	bowl
	gradients *int
}

func (steep) Hessian(h, _ []float64) { h[0] = math.NaN() }

func (s steep) Gradient(g, x []float64) float64 {
	*s.gradients++
	return s.bowl.Gradient(g, x)
}
