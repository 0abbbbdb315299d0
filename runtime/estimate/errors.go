package estimate

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/baseline"
	"github.com/sngdgen/sngdgen/runtime/types"
)

// mostFree is the number of free parameters up to which vectors and matrices have standard errors: these take two
// gradients for each, and a fit takes some tens to hundreds altogether.
const mostFree = 300

// infer adds the covariance matrix, standard errors and intervals.
func (rep *Report) infer(m runtime.Model, best *attempt, theta []float64) {
	cov, why := rep.covariance(m, best.here, best.near, theta)
	if why != "" {
		rep.Warnings = append(rep.Warnings, "no standard errors: "+why)
		return
	}
	if q, ok := m.(runtime.Quantities); ok && rep.Reported != nil {
		rep.Reported.infer(q, theta, cov, rep.Level)
	}
	sd := make([]float64, len(theta))
	for i := range sd {
		if sd[i] = math.Sqrt(cov.At(i, i)); sd[i] == 0 { // an entry that cannot vary
			sd[i] = math.NaN()
		}
	}
	var is Intervals
	var estimated []int // entries of theta
	at := 0
	for i, v := range values(m, sd) {
		p, n := &m.Info().Parameters[i], max(1, len(v.Entries))
		if !p.Known {
			rep.StdErr = append(rep.StdErr, v)
			is = append(is, shapedInterval(p, v.Shape, theta[at:at+n], sd[at:at+n], quantile(rep.Level)))
			for entry := range n {
				estimated = append(estimated, at+entry)
			}
		}
		at += n
	}
	rep.Interval = is
	rep.Covariance = newCovariance(rep.StdErr.EntryNames(), cov, estimated)
}

// newCovariance takes the rows and columns of the given entries.
func newCovariance(names []string, cov mat.Symmetric, entries []int) *Covariance {
	out := &Covariance{Names: names}
	for _, i := range entries {
		row := make([]Number, len(entries))
		for c, j := range entries {
			row[c] = Number(cov.At(i, j))
		}
		out.Values = append(out.Values, row)
	}
	return out
}

// covariance returns the covariance matrix of all entries of the parameters by the inverse of the observed information and
// the delta method, 0 where an entry cannot vary; or why there is none.
func (rep *Report) covariance(m runtime.Model, here *endPoint, near *neighbourhood, theta []float64) (cov *mat.SymDense, why string) {
	if u := m.Unconstrained(); u != nil {
		if here != nil {
			u = here
		}
		return numbersCovariance(m.Info(), u, theta, rep.N)
	}
	switch {
	case !rep.Converged: // second derivatives depend on the coordinates where the first are not 0
		return nil, "the run has not converged"
	case floored(rep.Components) != "":
		return nil, "the likelihood is not stationary where the floor holds the weight of " + floored(rep.Components)
	case rep.Free > mostFree:
		return nil, fmt.Sprintf("%d free parameters are too many for second derivatives by differences, which are for at most %d",
			rep.Free, mostFree)
	case near == nil:
		if _, err := Coordinates(m, baseline.CovarianceCholesky); err != nil {
			return nil, err.Error()
		}
		return nil, "second derivatives were not looked at"
	case near.why != "":
		return nil, near.why
	}
	if cov, why = near.covariance(); why == "" {
		cov.ScaleSym(1/rep.N, cov)
	}
	return cov, why
}

// numbersCovariance is covariance where parameters are numbers: with the Hessian in unconstrained coordinates, and the
// derivative of a parameter with respect to its own, which is 1 for real ones, theta for positive ones (log) and
// theta(1-theta) for those in (0, 1) (logit).
func numbersCovariance(info *runtime.Info, u runtime.Unconstrained, theta []float64, n float64) (cov *mat.SymDense, why string) {
	x := make([]float64, u.Dim())
	u.FromTheta(x, theta)
	var chol mat.Cholesky
	if !chol.Factorize(information(u, x, n)) {
		return nil, notPositive
	}
	var inverse mat.SymDense
	if err := chol.InverseTo(&inverse); err != nil {
		return nil, "the observed information is singular"
	}
	estimated := free(info)
	slope := func(k int) float64 {
		link, p := info.Parameters[estimated[k]].Type.Entry.Link, theta[estimated[k]]
		return link.Slope(link.Coordinate(p), p)
	}
	cov = mat.NewSymDense(len(theta), nil)
	for a, i := range estimated {
		for b, j := range estimated {
			if i <= j {
				cov.SetSym(i, j, slope(a)*slope(b)*inverse.At(a, b))
			}
		}
	}
	return cov, ""
}

// shapedInterval is symmetric in a coordinate of each entry: log where entries are positive, as those on the diagonal of an
// spd, logit between 0 and 1, atanh for correlations. Where an entry has a coordinate of its own, as in vectors of positive
// numbers, this is it.
func shapedInterval(p *runtime.Parameter, shape []int, theta, sd []float64, q float64) Interval {
	is := Interval{Name: p.Name, Shape: shape, Lows: make([]float64, len(theta)), Highs: make([]float64, len(theta))}
	for i, x := range theta {
		is.Lows[i], is.Highs[i] = entryInterval(entryLink(p, shape, i), x, q*sd[i])
	}
	if shape == nil {
		is.Low, is.High, is.Lows, is.Highs = is.Lows[0], is.Highs[0], nil, nil
	}
	return is
}

// entryLink returns the coordinate in which the interval of an entry of a parameter is symmetric.
func entryLink(p *runtime.Parameter, shape []int, i int) *types.Link {
	switch form := p.Type.Form; {
	case form.Has(types.UnitDiagonal):
		return types.Atanh
	case form.Has(types.PositiveDiagonal) && types.OnDiagonal(i, shape[len(shape)-1]):
		return types.Log
	}
	return p.Type.Entry.Link
}

func entryInterval(link *types.Link, x, half float64) (low, high float64) {
	center := link.Coordinate(x)
	width := half / link.Slope(center, x)
	return link.Value(center - width), link.Value(center + width)
}
