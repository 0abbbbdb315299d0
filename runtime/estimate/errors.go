package estimate

import (
	"context"
	"fmt"
	"math"

	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/baseline"
)

// mostFree is the number of free parameters up to which vectors and matrices have standard errors: these take two
// gradients for each, and a fit takes some tens to hundreds altogether.
const mostFree = 300

// infer adds standard errors and intervals to the report of a fit whose parameters are vectors or matrices.
func (rep *Report) infer(ctx context.Context, m runtime.Model, theta []float64) {
	sd, why := shapedDeviations(ctx, m, theta, rep)
	if why != "" {
		rep.Warnings = append(rep.Warnings, "no standard errors: "+why)
		return
	}
	var is Intervals
	at := 0
	for i, v := range values(m, sd) {
		p, n := &m.Info().Parameters[i], max(1, len(v.Entries))
		if !p.Known {
			rep.StandardErrors = append(rep.StandardErrors, v)
			is = append(is, shapedInterval(p, v.Shape, theta[at:at+n], sd[at:at+n], quantile(rep.Level)))
		}
		at += n
	}
	if rep.Level > 0 {
		rep.Intervals = is
	}
}

// shapedDeviations returns standard deviations of all entries of the parameters by the inverse of the observed information
// and the delta method, NaN where an entry cannot vary; or why there are none.
func shapedDeviations(ctx context.Context, m runtime.Model, theta []float64, rep *Report) (sd []float64, why string) {
	switch {
	case !rep.Converged: // second derivatives depend on the coordinates where the first are not 0
		return nil, "the run has not converged"
	case floored(rep.Components) != "":
		return nil, "the likelihood is not stationary where the floor holds the weight of " + floored(rep.Components)
	case rep.Free > mostFree:
		return nil, fmt.Sprintf("%d free parameters are too many for second derivatives by differences, which are for at most %d",
			rep.Free, mostFree)
	}
	u, err := Coordinates(m, baseline.CovarianceCholesky)
	if err != nil {
		return nil, err.Error()
	}
	h := newNeighbourhood(m, u, theta)
	if why := h.differentiate(ctx); why != "" {
		return nil, why
	}
	if sd, why = h.deviations(); why != "" {
		return nil, why
	}
	for i := range sd {
		sd[i] /= math.Sqrt(rep.N)
	}
	return sd, ""
}

// shapedInterval is symmetric in a coordinate of each entry: log where entries are positive, as those on the diagonal of an
// spd, logit between 0 and 1, atanh for correlations. Where an entry has a coordinate of its own, as in vectors of positive
// numbers, this is it.
func shapedInterval(p *runtime.Parameter, shape []int, theta, sd []float64, q float64) Interval {
	is := Interval{Name: p.Name, Shape: shape, Lows: make([]float64, len(theta)), Highs: make([]float64, len(theta))}
	for i, x := range theta {
		is.Lows[i], is.Highs[i] = entryInterval(entryDomain(p, shape, i), x, q*sd[i])
	}
	if shape == nil {
		is.Low, is.High, is.Lows, is.Highs = is.Lows[0], is.Highs[0], nil, nil
	}
	return is
}

// entryDomain returns what an entry of a parameter may be: real, positive, unit or corr, which is from -1 to 1.
func entryDomain(p *runtime.Parameter, shape []int, i int) string {
	switch kind := p.Kind(); {
	case kind == "simplex":
		return "unit"
	case kind == "spd" && onDiagonal(i, shape[len(shape)-1]):
		return "positive"
	case kind == "corr":
		return kind
	}
	return p.Entries()
}

// onDiagonal reports whether an entry of d x d matrices, one after the other, is on the diagonal of one.
func onDiagonal(i, d int) bool { return i%(d*d)%(d+1) == 0 }

func entryInterval(domain string, x, half float64) (low, high float64) {
	switch domain {
	case "positive":
		factor := math.Exp(half / x)
		return x / factor, x * factor
	case "unit":
		odds, factor := x/(1-x), math.Exp(half/(x*(1-x)))
		return 1 / (1 + factor/odds), 1 / (1 + 1/(odds*factor))
	case "corr":
		center, width := math.Atanh(x), half/(1-x*x)
		return math.Tanh(center - width), math.Tanh(center + width)
	}
	return x - half, x + half
}
