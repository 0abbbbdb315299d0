package estimate

import (
	"fmt"
	"math"
	"slices"

	"github.com/sngdgen/sngdgen/runtime"
)

const (
	// leastRelative is the standard deviation of a column relative to its mean from which on sums of squares, and densities that take them, keep enough digits: of 16 that
	// there are two fifths go into each square.
	leastRelative = 1e-5
	// mostSize is the largest number whose square has digits to spare in floating point, and its inverse the least.
	mostSize = 1e150
	// fewDigits is how much of the total log-likelihood may be rounding before a reader is told.
	fewDigits = 0.1
)

// blameDigits looks whether a run ended where it did for want of digits in the data: then it says nothing of the likelihood, such as that it has no maximum. A maximum
// that is known to few digits has a warning.
func (a *attempt) blameDigits(m runtime.Model, n float64) {
	if a.timed || componentsOf(m) > 0 || a.here == nil {
		return
	}
	extreme, close := lostDigits(looked(m, 1))
	switch {
	case a.status.Converged() && close != "" && a.note == "":
		if noise := n * a.here.roundingThere(); noise > fewDigits {
			a.note = fmt.Sprintf("the log-likelihood is known to %.1g only: %s", noise, close)
		}
	case a.status.Converged():
	case extreme != "":
		a.far = ""
		a.reject(runtime.Failed, extreme)
	case close != "" && !(n*a.here.roundingThere() < unresolved):
		a.far = ""
		a.reject(runtime.Failed, "the digits of the data do not suffice: "+close)
	}
}

// roundingThere is by how much the last digits of a coordinate change the loss at the end, where the gradient is 0: as much of it is rounding.
func (e *endPoint) roundingThere() (most float64) {
	at, loss := slices.Clone(e.at), e.Loss(e.at)
	for i, x := range e.at {
		digit := math.Nextafter(math.Abs(x), math.Inf(1)) - math.Abs(x)
		for _, digits := range []float64{-16, -4, -1, 1, 4, 16} { // terms that cancel may be steps with several of them on each
			at[i] = x + digits*digit
			most = math.Max(most, math.Abs(e.Loss(at)-loss)) // NaN where the domain ends
		}
		at[i] = x
	}
	return most
}

// lostDigits says what is wrong with the numbers that a density is about: those whose squares are too large or too small for floating point, or which differ in
// their last digits only. Either is "" where nothing is.
func lostDigits(m runtime.Model) (extreme, close string) {
	o, ok := m.(runtime.Observed)
	if !ok || discrete(m) {
		return "", ""
	}
	d := o.Observations()
	column := 0
	for _, v := range m.Info().Observed() {
		for i := range v.Len(m) {
			name := v.Name
			if v.Shape != nil {
				name = entryName(m, &v, i)
			}
			if !v.Type.Entry.Integer {
				e, c := digitsOf(name, d, column)
				if extreme == "" {
					extreme = e
				}
				if close == "" {
					close = c
				}
			}
			column++
		}
	}
	return extreme, close
}

// digitsOf is lostDigits of one column.
func digitsOf(name string, d runtime.Data, column int) (extreme, close string) {
	columns := max(d.Columns, 1)
	largest := 0.0
	for i := column; i < len(d.Values); i += columns {
		largest = math.Max(largest, math.Abs(d.Values[i]))
	}
	if largest > mostSize || largest < 1/mostSize && largest > 0 {
		power := -math.Round(math.Log10(largest))
		return fmt.Sprintf("the largest value of %s is %.3g, whose square floating point cannot hold with all its digits: rescale the data, multiply them by 1e%+.0f",
			name, largest, power), ""
	}
	var sum, square, weight float64 // of values in units of the largest, less the first
	for i := column; i < len(d.Values); i += columns {
		w := 1.0
		if d.Weights != nil {
			w = d.Weights[i/columns]
		}
		x := (d.Values[i] - d.Values[column]) / largest
		sum, square, weight = sum+w*x, square+w*x*x, weight+w
	}
	mean := sum / weight
	sd := largest * math.Sqrt(math.Max(0, square/weight-mean*mean))
	middle := d.Values[column] + largest*mean
	if !(sd > 0 && sd < leastRelative*math.Abs(middle)) {
		return "", ""
	}
	return "", fmt.Sprintf("the values of %s are %.10g give or take %.3g, and what they differ by is lost in their logarithms and squares: subtract a constant from the data, "+
		"or fit a distribution with a place", name, middle, sd)
}
