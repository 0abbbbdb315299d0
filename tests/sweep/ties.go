package main

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// A Student's t with free degrees of freedom nu has an unbounded likelihood: where the scale s goes to 0 at a value that m of n rows have, each of
// them adds -log(s), and each other row nu log(s), so that it rises without end for nu < m/(n - m) (Fernandez and Steel 1999,
// Multivariate Student-t regression models). One row is enough, but then it takes scales that no number of the machine has. Skew-t
// distributions contain it, and so does the half t at the end of the data. Of vectors it is enough that an entry has a value m times.
// In a normal tail each other row subtracts 1/s^2, so that normal and skew-normal distributions are bounded.

func contractible(family string) bool {
	return family == "studentt" || family == "mvstudentt" || family == "skewt"
}

// contracted is a point of Student's t whose scale has shrunk on equal values.
type contracted struct {
	column        int
	at            float64 // the value, of equal rows
	equal         int
	scale, nu     float64
	logLikelihood float64
}

func (c contracted) String() string {
	return fmt.Sprintf("%d rows have %.6g in column %d: log-likelihood %.6g at nu = %.3g with the scale %.3g there",
		c.equal, c.at, c.column+1, c.logLikelihood, c.nu, c.scale)
}

// highestContracted looks for the most frequent value of each column. The other columns keep their means and covariances: that is a
// point of the family, hence a lower bound, if not the best one.
func highestContracted(rows [][]float64) contracted {
	best := contracted{logLikelihood: math.Inf(-1)}
	for column := range rows[0] {
		at, equal := mode(rows, column)
		distances, others, ok := quadratics(rows, column)
		if equal < 2 || equal == len(rows) || !ok {
			continue
		}
		spread := stat.StdDev(columnOf(rows, column), nil)
		for exponent := 1; exponent <= 14; exponent++ { // as far as differences of numbers near the value have digits
			for _, part := range []float64{0.02, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8} {
				c := contracted{column: column, at: at, equal: equal, scale: spread * math.Pow10(-exponent)}
				c.nu = part * float64(equal) / float64(len(rows)-equal)
				c.logLikelihood = contractedLogLikelihood(rows, c, distances, others)
				if c.logLikelihood > best.logLikelihood {
					best = c
				}
			}
		}
	}
	return best
}

func columnOf(rows [][]float64, column int) []float64 {
	x := make([]float64, len(rows))
	for i, row := range rows {
		x[i] = row[column]
	}
	return x
}

// mode is the most frequent value of a column; of several the least.
func mode(rows [][]float64, column int) (at float64, equal int) {
	count := map[float64]int{}
	for _, row := range rows {
		count[row[column]]++
	}
	for x, m := range count {
		if m > equal || m == equal && x < at {
			at, equal = x, m
		}
	}
	return at, equal
}

// quadratics are the squared distances of the rows from their mean, without a column, in the metric of their covariance, and the logarithm of
// its determinant.
func quadratics(rows [][]float64, without int) (distances []float64, logDet float64, ok bool) {
	d, n := len(rows[0])-1, len(rows)
	distances = make([]float64, n)
	if d == 0 {
		return distances, 0, true
	}
	x := mat.NewDense(n, d, nil)
	for i, row := range rows {
		x.SetRow(i, append(append([]float64{}, row[:without]...), row[without+1:]...))
	}
	var s mat.SymDense
	stat.CovarianceMatrix(&s, x, nil)
	var factor mat.Cholesky
	if !factor.Factorize(&s) {
		return nil, 0, false
	}
	mean := make([]float64, d)
	for j := range mean {
		mean[j] = stat.Mean(mat.Col(nil, j, x), nil)
	}
	center := mat.NewVecDense(d, mean)
	for i := range distances {
		distances[i] = math.Pow(stat.Mahalanobis(x.RowView(i), center, &factor), 2)
	}
	return distances, factor.LogDet(), true
}

// contractedLogLikelihood is that of Student's t in all columns, in which the one that has shrunk is not correlated with the others.
func contractedLogLikelihood(rows [][]float64, c contracted, distances []float64, logDet float64) (sum float64) {
	d := float64(len(rows[0]))
	upper, _ := math.Lgamma((c.nu + d) / 2)
	lower, _ := math.Lgamma(c.nu / 2)
	constant := upper - lower - d/2*math.Log(c.nu*math.Pi) - math.Log(c.scale) - logDet/2
	for i, row := range rows {
		z := (row[c.column] - c.at) / c.scale
		sum += constant - (c.nu+d)/2*math.Log1p((z*z+distances[i])/c.nu)
	}
	return sum
}
