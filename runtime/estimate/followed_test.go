package estimate

import (
	"math"
	"testing"

	"github.com/sngdgen/sngdgen/runtime/special"
	"github.com/sngdgen/sngdgen/runtime/types"
)

// frontier is the likelihood of a stochastic frontier without covariates: normal noise of deviation exp(x[1]) about x[0], less the size of
// normal noise of deviation exp(x[2]), with derivatives by differences.
type frontier []float64

func (s frontier) Dim() int { return 3 }

func (s frontier) Loss(x []float64) float64 {
	v, u := math.Exp(x[1]), math.Exp(x[2])
	all, sum := math.Hypot(v, u), 0.0
	for _, y := range s {
		e := (y - x[0]) / all
		sum += math.Log(all) + e*e/2 - special.LogNdtr(-e*u/v)
	}
	return sum / float64(len(s))
}

func (s frontier) Gradient(g, x []float64) float64 {
	const h = 1e-5
	for k := range g {
		at := append([]float64(nil), x...)
		at[k] = x[k] + h
		up := s.Loss(at)
		at[k] = x[k] - h
		g[k] = (up - s.Loss(at)) / (2 * h)
	}
	return s.Loss(x)
}

func (s frontier) Hessian(h, _ []float64) { h[0] = math.NaN() }

func (s frontier) Theta(dst, u []float64) {
	dst[0], dst[1], dst[2] = u[0], math.Exp(u[1]), math.Exp(u[2])
}

func (s frontier) FromTheta(u, theta []float64) {
	u[0], u[1], u[2] = theta[0], math.Log(theta[1]), math.Log(theta[2])
}

// Waldman (1982, Journal of Econometrics 18, 275-279): where residuals are skewed to the right the likelihood has no maximum inside, but
// rises as the deviation of the inefficiency goes to 0; where they are skewed to the left it has one. On the way to 0 the intercept moves
// with the deviation, so that a straight line leaves the valley.
func TestFollowed(t *testing.T) {
	right := frontier{-2.1, -1.2, -0.6, -0.1, 0.1, 0.4, 1, 4.3, -1.7, 0.2, 2.4, -0.9}
	left := make(frontier, len(right))
	mean, square := 0.0, 0.0
	for i, y := range right {
		left[i] = -y
		mean += y / float64(len(right))
		square += y * y / float64(len(right))
	}
	sd := math.Sqrt(square - mean*mean)
	cs := []coordinate{{"intercept", types.Real}, {"v", types.Positive}, {"u", types.Positive}}
	const n, small = 1000, 1e-3 // as if each row came a hundred times
	for _, c := range []struct {
		rows frontier
		mean float64
		want string
	}{
		{right, mean, "u goes to 0"},
		{left, -mean, ""},
	} {
		x := []float64{c.mean + small*math.Sqrt(2/math.Pi), math.Log(sd), math.Log(small)}
		if got := followed(cs, c.rows, x, n); got != c.want {
			t.Errorf("skewed to the %s: %q, want %q", map[string]string{"": "left", "u goes to 0": "right"}[c.want], got, c.want)
		}
	}
}

// truncated is the likelihood of a normal distribution of mean x[0] and deviation exp(x[1]) of which what is below 0 is not seen.
type truncated []float64

func (s truncated) Dim() int { return 2 }

func (s truncated) Loss(x []float64) float64 {
	g := make([]float64, 2)
	return s.Gradient(g, x)
}

func (s truncated) Gradient(g, x []float64) float64 {
	sd := math.Exp(x[1])
	z, sum := x[0]/sd, 0.0
	residual := special.NdtrResidual(z)
	clear(g)
	for _, y := range s {
		e := (y - x[0]) / sd
		sum += x[1] + e*e/2 + special.LogNdtr(z)
		g[0] += (residual - y/sd) / sd
		g[1] += 1 - y/sd*(y-2*x[0])/sd - z*residual
	}
	n := float64(len(s))
	g[0], g[1] = g[0]/n, g[1]/n
	return sum / n
}

func (s truncated) Hessian(h, _ []float64) { h[0] = math.NaN() }

func (s truncated) Theta(dst, u []float64) { dst[0], dst[1] = u[0], math.Exp(u[1]) }

func (s truncated) FromTheta(u, theta []float64) { u[0], u[1] = theta[0], math.Log(theta[1]) }

// Of numbers that are more dispersed than exponential ones a truncated normal distribution has no maximum: it goes to an exponential one, as its
// variance divided by its mean, which is below 0, stays what it is. On the way the mean grows with the square of the deviation, which is far
// from the tangent. The times between failures of the air conditioning of an aeroplane (aircondit of the R package boot) are such numbers, and the same without
// the longest and with all a month later are not.
func TestFollowedInProportion(t *testing.T) {
	times := truncated{3, 5, 7, 18, 43, 85, 91, 98, 100, 130, 230, 487}
	inner := make(truncated, len(times)-1)
	for i := range inner {
		inner[i] = times[i] + 30
	}
	cs := []coordinate{{"mu", types.Real}, {"sigma", types.Positive}}
	for _, c := range []struct {
		rows  truncated
		sigma float64
		want  string
	}{
		{times, 155634, "sigma goes to infinity"},
		{inner, 90, ""},
	} {
		mean := 0.0
		for _, y := range c.rows {
			mean += y / float64(len(c.rows))
		}
		x := []float64{-c.sigma * c.sigma / mean, math.Log(c.sigma)}
		if c.want == "" {
			x[0] = mean
		}
		n := float64(len(c.rows))
		if got := ray(cs, c.rows, []float64{x[0], c.sigma}, n).far; got != c.want {
			t.Errorf("of %v rows: %q, want %q", n, got, c.want)
		}
	}
}
