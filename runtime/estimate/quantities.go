package estimate

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/sngdgen/sngdgen/runtime"
)

// Quantities are what a spec reports of an estimate besides the parameters.
type Quantities struct {
	Values Values `json:"values"`
	// StdErr are by the delta method from the covariance matrix of the parameters, and Interval is symmetric; null where there is none.
	StdErr   Values    `json:"standard_errors"`
	Interval Intervals `json:"intervals"`
}

// quantities evaluates what is reported of an estimate; nil where nothing is.
func quantities(m runtime.Model, theta []float64) *Quantities {
	q, ok := m.(runtime.Quantities)
	if !ok {
		return nil
	}
	parts := partsOf(m, q.Info().Reported)
	x := make([]float64, lenOf(parts))
	q.Quantities(x, theta)
	return &Quantities{Values: parted(parts, x)}
}

func lenOf(parts []Part) (n int) {
	for _, p := range parts {
		n += p.len()
	}
	return n
}

// fixed is the part of a number below which its standard error is rounding: the number does not depend on the estimates.
const fixed = 1e-13

// infer adds standard errors and intervals, given the covariance matrix of the entries of the parameters: the variance of a number with
// the gradient g is g'C g.
func (q *Quantities) infer(m runtime.Quantities, theta []float64, cov mat.Symmetric, level float64) {
	parts, x := partsOf(m, m.Info().Reported), q.Values.flat()
	n := len(x)
	sd, weights, g := make([]float64, n), make([]float64, n), make([]float64, len(theta))
	for i := range sd {
		clear(weights)
		weights[i] = 1
		m.QuantitiesGradient(g, theta, weights)
		v := mat.NewVecDense(len(g), g)
		if sd[i] = math.Sqrt(mat.Inner(v, cov, v)); !(sd[i] > fixed*math.Abs(x[i])) { // such as the diagonal of a correlation matrix
			sd[i] = math.NaN()
		}
	}
	q.StdErr = parted(parts, sd)
	half := quantile(level)
	for i, v := range q.Values {
		is := Interval{Name: v.Name, Shape: v.Shape}
		se := q.StdErr[i]
		if v.Shape == nil {
			is.Low, is.High = v.Value-half*se.Value, v.Value+half*se.Value
		} else {
			is.Lows, is.Highs = slices.Clone(v.Entries), slices.Clone(v.Entries)
			for k, s := range se.Entries {
				is.Lows[k] -= half * s
				is.Highs[k] += half * s
			}
		}
		q.Interval = append(q.Interval, is)
	}
}

// Whole returns the report with what the spec reports among the parameters, after them, for tables.
func (r *Report) Whole() *Report {
	if r.Reported == nil {
		return r
	}
	out := *r
	out.Estimate = slices.Concat(r.Estimate, r.Reported.Values)
	if r.StdErr != nil {
		out.StdErr = slices.Concat(r.StdErr, r.Reported.StdErr)
	}
	if r.Interval != nil {
		out.Interval = slices.Concat(r.Interval, r.Reported.Interval)
	}
	return &out
}
