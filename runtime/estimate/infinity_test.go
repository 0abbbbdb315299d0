package estimate

import (
	"math"
	"strings"
	"testing"

	"github.com/sngdgen/sngdgen/runtime/types"
)

// intervals is the likelihood of a Weibull distribution with scale exp(x[0]) and shape exp(x[1]) of which intervals are known,
// with derivatives by differences.
type intervals [][2]float64

func (s intervals) Dim() int { return 2 }

func (s intervals) Loss(x []float64) float64 {
	sum := 0.0
	for _, i := range s {
		a, d := math.Exp(math.Exp(x[1])*(math.Log(i[0])-x[0])), math.Exp(math.Exp(x[1])*(math.Log(i[1])-x[0]))
		sum += a - math.Log(-math.Expm1(a-d))
	}
	return sum / float64(len(s))
}

func (s intervals) Gradient(g, x []float64) float64 {
	const h = 1e-6
	for k := range g {
		at := []float64{x[0], x[1]}
		at[k] = x[k] + h
		up := s.Loss(at)
		at[k] = x[k] - h
		g[k] = (up - s.Loss(at)) / (2 * h)
	}
	return s.Loss(x)
}

func (s intervals) Hessian(h, _ []float64) { h[0] = math.NaN() }

func (s intervals) Theta(dst, u []float64) { dst[0], dst[1] = math.Exp(u[0]), math.Exp(u[1]) }

func (s intervals) FromTheta(u, theta []float64) { u[0], u[1] = math.Log(theta[0]), math.Log(theta[1]) }

// Intervals with a point in common have their supremum, 0, where the distribution is that point: c goes to infinity. Where a
// run ends the likelihood is flat in both parameters. Others have a maximum (tests/rivals/counts has them with 40 digits).
func TestFlatInSeveralDirections(t *testing.T) {
	cs := []coordinate{{"b", types.Positive}, {"c", types.Positive}}
	for _, c := range []struct {
		data intervals
		b, c float64
		far  bool
	}{
		{intervals{{1, 10}}, 3.779714, 25.05519, true},
		{intervals{{1, 10}, {5, 20}, {2, 8}}, 6.668944, 112.0743, true},
		{intervals{{1, 10}, {10, 100}, {100, 1000}}, 73.3931358658458, 0.653055902886019, false},
		{intervals{{0.001, 0.01}, {0.01, 0.1}, {0.1, 1}, {1, 10}, {10, 100}, {100, 1000}}, 6.82558583711679, 0.287848635463966, false},
		{intervals{{99, 100}, {100, 101}, {101, 103}, {98, 99.5}, {104, 105}}, 102.099018866365, 49.2707570840579, false},
	} {
		end := ray(cs, c.data, []float64{c.b, c.c}, float64(len(c.data)))
		if c.far != strings.Contains(end.far, "c goes to infinity") || !c.far && end.far != "" {
			t.Errorf("%v at %v, %v: %+v", c.data, c.b, c.c, end)
		}
	}
}
