package estimate

import (
	"context"
	"errors"
	"math"
	"slices"

	"github.com/sngdgen/sngdgen/runtime"
)

// ConditionalRequest asks for the distribution of the variable, one number, in rows of the data, each given its other columns.
type ConditionalRequest struct {
	// Rows are observations with what they are given, one after the other, as the model takes them.
	Rows []float64 `json:"rows,omitempty"`
	// Weights are theirs in Expected; nil for equal ones.
	Weights []float64 `json:"weights,omitempty"`
	// Values are where the mean over the rows of the probabilities of a whole number is wanted.
	Values []float64 `json:"values,omitempty"`
}

// Conditional is what was asked for, in the order of the rows.
type Conditional struct {
	// Skipped is how many rows of a sequence there are in front of those that are described.
	Skipped  int
	Mean, SD []float64
	// Residuals are the normal quantiles of the probability of less than what was observed, and of whole numbers a random part of that of
	// what was observed: of the right model they are standard normal (Dunn and Smyth, Randomized quantile residuals, Journal of Computational
	// and Graphical Statistics 5, 1996).
	Residuals []float64
	Expected  []float64 // the probabilities of Values
}

// describeRows describes the rows of a request.
func describeRows(ctx context.Context, m runtime.Model, theta []float64, r *ConditionalRequest, seed uint64) (*Conditional, error) {
	if m.Info().Ordered {
		return describeSequence(ctx, m, theta, r, seed)
	}
	width, each := m.Info().Variable.Len(m), m.Info().RowLen(m)
	if width != 1 || len(m.Info().Record())-len(m.Info().Given) > 1 {
		return nil, errors.New("the variable is not one number")
	}
	given := runtime.Data{Columns: each - 1}
	n := len(r.Rows) / each
	for i := range n {
		given.Values = append(given.Values, r.Rows[i*each+1:(i+1)*each]...)
	}
	f, err := newForecaster(m, theta, given, &ForecastSettings{Seed: seed})
	if err != nil {
		return nil, err
	}
	first := f.alike()
	of := map[int][]int{} // the rows with the same distribution, by the first of them
	for i, k := range first {
		of[k] = append(of[k], i)
	}
	out := &Conditional{Mean: make([]float64, n), SD: make([]float64, n), Residuals: make([]float64, n)}
	probabilities := make([][]float64, n)
	err = f.eachRow(ctx, m, func(s *scorer, i int) error {
		if first[i] != i {
			return nil
		}
		l, err := f.distribution(ctx, s, i)
		if err != nil {
			return err
		}
		for _, k := range of[i] {
			out.Mean[k], out.SD[k] = l.mean, l.sd
			if out.Residuals[k], err = l.residual(r.Rows[k*each], runtime.Stream(seed, "residuals", uint64(k)).Float64()); err != nil {
				return err
			}
		}
		probabilities[i] = l.probabilities(r.Values)
		return nil
	})
	if err != nil {
		return nil, err
	}
	out.expect(r, func(i int) []float64 { return probabilities[first[i]] })
	return out, nil
}

// expect takes means of probabilities over the rows.
func (c *Conditional) expect(r *ConditionalRequest, of func(row int) []float64) {
	if len(r.Values) == 0 {
		return
	}
	c.Expected = make([]float64, len(r.Values))
	total := 0.0
	for i := range c.Mean {
		w := 1.0
		if r.Weights != nil {
			w = r.Weights[i]
		}
		total += w
		for k, p := range of(i) {
			c.Expected[k] += w * p
		}
	}
	for k := range c.Expected {
		c.Expected[k] /= total
	}
}

// probabilities are those of whole numbers; nil of what is none.
func (l *univariate) probabilities(values []float64) []float64 {
	if !l.entry.Integer {
		return nil
	}
	out := make([]float64, len(values))
	for k, x := range values {
		if i := x - l.first; i >= 0 && i < float64(len(l.mass)) {
			out[k] = l.mass[int(i)]
		}
	}
	return out
}

// residual is the normal quantile of the probability of less than x; of one that has a probability of its own with a part of it.
func (l *univariate) residual(x, part float64) (float64, error) {
	below, above, err := l.beside(x)
	if err != nil {
		return 0, err
	}
	if l.entry.Integer || slices.Contains(l.entry.Atoms, x) {
		own := math.Max(l.total-below-above, 0)
		below, above = below+part*own, above+(1-part)*own
	}
	all := below + above
	if below < above { // the smaller one has more digits
		return gaussianQuantile(below / all), nil
	}
	return -gaussianQuantile(above / all), nil
}

// beside is the mass below a number, and that above it.
func (l *univariate) beside(x float64) (below, above float64, err error) {
	if l.entry.Integer {
		for i, p := range l.mass {
			switch v := l.first + float64(i); {
			case v < x:
				below += p
			case v > x:
				above += p
			}
		}
		return below, above, nil
	}
	for i, p := range l.atoms {
		switch v := l.entry.Atoms[i]; {
		case v < x:
			below += p
		case v > x:
			above += p
		}
	}
	t := math.Asinh((l.entry.Smooth().Link.Coordinate(x) - l.centre) / l.scale)
	for _, q := range l.panels {
		switch {
		case q.to <= t:
			below += q.moments[0]
		case q.from >= t:
			above += q.moments[0]
		default:
			left, _, err := l.kronrod(q.from, t)
			if err != nil {
				return 0, 0, err
			}
			right, _, err := l.kronrod(t, q.to)
			if err != nil {
				return 0, 0, err
			}
			below, above = below+left.moments[0], above+right.moments[0]
		}
	}
	return below, above, nil
}

// gaussianQuantile is the inverse of the standard distribution function of errors.
func gaussianQuantile(p float64) float64 { return -math.Sqrt2 * math.Erfcinv(2*p) }
