package main

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// A Student's t with free degrees of freedom nu has an unbounded likelihood: where its scale s goes to 0 at a value that m of n rows have, each of
// them adds -log(s), and each other row nu log(s), so that it rises without end for nu < m/(n - m) (Fernandez and Steel 1999,
// Multivariate Student-t regression models). One row is enough, but then it takes scales that no number of the machine has, and nobody means
// them. Of vectors of d entries the m rows must be equal, for nu < m d/(n - m), or equal in an entry, for nu < m/(n - m) - d + 1, where
// the scale of that entry alone goes to 0. Skew-t distributions contain Student's t, and so does the half t at the end of the data. In a
// normal tail each other row subtracts 1/s^2, so that normal and skew-normal distributions are bounded.

func contractible(family string) bool {
	return family == "studentt" || family == "mvstudentt" || family == "skewt"
}

// contracted is a point of Student's t whose scale has shrunk on equal values.
type contracted struct {
	what          string // that is equal
	equal         int
	scale, nu     float64 // the scale in units of the standard deviations
	logLikelihood float64
}

func (c *contracted) String() string {
	return fmt.Sprintf("%d rows have %s: log-likelihood %.6g at nu = %.3g where the scale there has shrunk to %.3g of the standard deviation",
		c.equal, c.what, c.logLikelihood, c.nu, c.scale)
}

// shrinking is a way for the scale to go to 0. Distances are squared, and in the metric of the covariance matrix.
type shrinking struct {
	what         string
	equal        int
	bound        float64   // nu must be below
	entries      int       // whose scale goes to 0
	near, others []float64 // of the rows: distances in these entries from the equal value, and in the others from the mean
	logDet       float64   // of the scale matrix, before it has shrunk
}

// contractedAbove is a point on the ways that are known with a log-likelihood above one that is claimed to be the supremum, the one with the
// largest scale, or nil. It is not looked for where differences of numbers near the value have no digits.
func contractedAbove(rows [][]float64, claimed float64) *contracted {
	all := ways(rows)
	for exponent := 1; exponent <= 14; exponent++ {
		var best *contracted
		for _, w := range all {
			for _, part := range []float64{0.02, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8} {
				c := &contracted{what: w.what, equal: w.equal, scale: math.Pow10(-exponent), nu: part * w.bound}
				c.logLikelihood = w.logLikelihood(c.scale, c.nu, len(rows[0]))
				if c.logLikelihood > claimed && (best == nil || c.logLikelihood > best.logLikelihood) {
					best = c
				}
			}
		}
		if best != nil {
			return best
		}
	}
	return nil
}

// logLikelihood is that of Student's t in d entries, in which those that have shrunk are not correlated with the others.
func (w *shrinking) logLikelihood(scale, nu float64, d int) (sum float64) {
	dim := float64(d)
	upper, _ := math.Lgamma((nu + dim) / 2)
	lower, _ := math.Lgamma(nu / 2)
	constant := upper - lower - dim/2*math.Log(nu*math.Pi) - float64(w.entries)*math.Log(scale) - w.logDet/2
	for i := range w.near {
		sum += constant - (nu+dim)/2*math.Log1p((w.near[i]/(scale*scale)+w.others[i])/nu)
	}
	return sum
}

// ways are those onto the most frequent row, and onto the most frequent value of each column, where the likelihood rises on them.
func ways(rows [][]float64) (all []*shrinking) {
	n, d := len(rows), len(rows[0])
	at, equal := mode(rows)
	if near, logDet, ok := distances(rows, at); ok {
		what := fmt.Sprintf("the value %.6g", at[0])
		if d > 1 {
			what = "the same values"
		}
		all = append(all, &shrinking{what, equal, float64(equal*d) / float64(n-equal), d, near, make([]float64, n), logDet})
	}
	for j := 0; d > 1 && j < d; j++ {
		column, rest := split(rows, j)
		at, equal := mode(column)
		near, logDet, ok := distances(column, at)
		others, logDetOthers, okOthers := distances(rest, means(rest))
		if ok && okOthers {
			what := fmt.Sprintf("the value %.6g in column %d", at[0], j+1)
			bound := float64(equal)/float64(n-equal) - float64(d-1)
			all = append(all, &shrinking{what, equal, bound, 1, near, others, logDet + logDetOthers})
		}
	}
	return slices.DeleteFunc(all, func(w *shrinking) bool { return w.equal < 2 || w.equal == n || w.bound <= 0 })
}

// split takes a column out.
func split(rows [][]float64, j int) (column, rest [][]float64) {
	for _, row := range rows {
		column = append(column, []float64{row[j]})
		rest = append(rest, slices.Concat(row[:j], row[j+1:]))
	}
	return column, rest
}

// mode is the most frequent row, the first one of several.
func mode(rows [][]float64) (at []float64, equal int) {
	count := map[string]int{}
	for _, row := range rows {
		count[fmt.Sprint(row)]++
	}
	for _, row := range rows {
		if m := count[fmt.Sprint(row)]; m > equal {
			at, equal = row, m
		}
	}
	return at, equal
}

func means(rows [][]float64) []float64 {
	mean := make([]float64, len(rows[0]))
	for _, row := range rows {
		for j, x := range row {
			mean[j] += x / float64(len(rows))
		}
	}
	return mean
}

// distances are the squared ones of the rows from a point, in the metric of their covariance matrix, and the logarithm of its
// determinant; ok is false where it is singular.
func distances(rows [][]float64, from []float64) (squares []float64, logDet float64, ok bool) {
	n, d := len(rows), len(rows[0])
	x := mat.NewDense(n, d, nil)
	for i, row := range rows {
		x.SetRow(i, row)
	}
	var s mat.SymDense
	stat.CovarianceMatrix(&s, x, nil)
	var factor mat.Cholesky
	if !factor.Factorize(&s) {
		return nil, 0, false
	}
	center := mat.NewVecDense(d, from)
	squares = make([]float64, n)
	for i := range squares {
		squares[i] = math.Pow(stat.Mahalanobis(x.RowView(i), center, &factor), 2)
	}
	return squares, factor.LogDet(), true
}
