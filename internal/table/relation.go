package table

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// relation says how a column is made up of others.
type relation struct {
	t       *Table
	columns []unit
	column  int
	of      []int     // columns that may be in it
	shares  []float64 // of each of them, all of length 1
}

const (
	// mostTerms is how many columns a relation may have to be written out, and mostNamed how many to have its columns named.
	mostTerms, mostNamed = 8, 20
	// recognised is how many digits its numbers may need to be written: longer ones tell nobody anything.
	recognised = 8
	// rounding is the share of the terms of a relation that is due to the digits of files: R writes 15.
	rounding = 1e-13
)

// String says in words which columns make up the column, and with which numbers if these are short.
func (r *relation) String() string {
	if short := r.short(); short != "" {
		return title(r.t.Columns[r.column]) + " is " + short
	}
	if len(r.of) == 1 {
		return fmt.Sprintf("%s is %s but for origin and scale", title(r.t.Columns[r.column]), title(r.t.Columns[r.of[0]]))
	}
	return fmt.Sprintf("%s is a linear combination of %s", title(r.t.Columns[r.column]), r.names())
}

// short is the relation as a sum whose numbers have as few digits as make it hold in every row, but for rounding; empty where few do not, or it has many terms.
func (r *relation) short() string {
	r.withoutNoise()
	if len(r.of) > mostTerms {
		return ""
	}
	for digits := 1; digits <= recognised; digits++ {
		if constant, factors := r.rounded(digits); r.holds(constant, factors) {
			return r.sum(constant, factors)
		}
	}
	return ""
}

// withoutNoise leaves out the columns that change nothing beyond the digits of the relation.
func (r *relation) withoutNoise() {
	var of []int
	var shares []float64
	for k, s := range r.shares {
		if s*s > dependent {
			of, shares = append(of, r.of[k]), append(shares, s)
		}
	}
	r.of, r.shares = of, shares
}

// rounded are the numbers of the relation in the units of the columns, to some significant digits. A constant that is nothing beside the spread of the column is left
// out.
func (r *relation) rounded(digits int) (constant float64, factors []float64) {
	own := r.columns[r.column]
	constant = own.mean
	for k, j := range r.of {
		f := toDigits(r.shares[k]*own.length/r.columns[j].length, digits)
		factors = append(factors, f)
		constant -= f * r.columns[j].mean
	}
	if deviation := own.length / math.Sqrt(float64(len(own.values))); constant*constant <= dependent*deviation*deviation {
		constant = 0
	}
	return toDigits(constant, digits), factors
}

func toDigits(x float64, digits int) float64 {
	out, _ := strconv.ParseFloat(strconv.FormatFloat(x, 'g', digits, 64), 64)
	return out
}

// holds reports whether the relation is one of every row, but for rounding.
func (r *relation) holds(constant float64, factors []float64) bool {
	width := len(r.t.Columns)
	for at := 0; at < len(r.t.Values); at += width {
		row := r.t.Values[at : at+width]
		rest, size := row[r.column]-constant, math.Abs(constant)
		for k, j := range r.of {
			term := factors[k] * row[j]
			rest -= term
			size += math.Abs(term)
		}
		if !(math.Abs(rest) <= rounding*size) {
			return false
		}
	}
	return true
}

// sum is a sum as one writes it: X - C - I, what is added before what is taken off.
func (r *relation) sum(constant float64, factors []float64) string {
	var added, taken strings.Builder
	term := func(f float64, name string) {
		to, sign := &added, " + "
		if f < 0 {
			to, sign = &taken, " - "
		}
		to.WriteString(sign)
		switch size := math.Abs(f); {
		case name == "":
			to.WriteString(shortest(size))
		case size == 1:
			to.WriteString(name)
		default:
			to.WriteString(shortest(size) + "*" + name)
		}
	}
	if constant != 0 {
		term(constant, "")
	}
	for k, j := range r.of {
		term(factors[k], r.t.Columns[j])
	}
	if added.Len() == 0 {
		return "-" + strings.TrimPrefix(taken.String(), " - ")
	}
	return strings.TrimPrefix(added.String(), " + ") + taken.String()
}

// shortest writes a number with as few digits as tell it from others.
func shortest(x float64) string {
	if x >= 1e-4 && x < 1e15 {
		return strconv.FormatFloat(x, 'f', -1, 64)
	}
	return strconv.FormatFloat(x, 'g', -1, 64)
}

// names lists the columns of the relation.
func (r *relation) names() string {
	var names []string
	for _, j := range r.of[:min(len(r.of), mostNamed)] {
		names = append(names, r.t.Columns[j])
	}
	if len(r.of) > mostNamed {
		return fmt.Sprintf("%s, ... (%d in all)", strings.Join(names, ", "), len(r.of))
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " and " + names[last]
}
