package types

import (
	"fmt"
	"math"
	"slices"
)

// Structure is what is known of an arrangement of numbers.
type Structure uint16

// The structures.
const (
	Symmetric Structure = 1 << iota
	PositiveDefinite
	LowerTriangular
	UnitDiagonal
	PositiveDiagonal
	SumsToOne
	Increasing
	UnitLength
	RowsSumToOne
)

// Form is how the numbers of a value are arranged: a row of the table of forms. Matrices are stored in full, row by row.
type Form struct {
	Name    string   // in specs; that of Number is the name of its entry
	Go      string   // the name of the variable below
	Doc     string   // what a value is, with its lengths in angle brackets; of numbers and vectors that of the entry says it
	Rank    int      // 0 for a number, 1 for a vector, 2 for a matrix
	Lengths []string // those that are written, by the names that people are shown: of a square matrix one
	// Entries is what the numbers of such a value are where that follows from the form; nil where a word in front may say it.
	Entries   *Entry
	Structure Structure
	// Chart makes a value of unconstrained numbers; nil where every entry has a coordinate of its own, its link.
	Chart *Chart
	// Lo and Hi bound every entry more closely than Entries does, where they are not both 0.
	Lo, Hi float64
}

// The forms.
var (
	Number  = &Form{Name: "number", Go: "Number"}
	Simplex = &Form{Name: "simplex", Go: "Simplex", Doc: "a vector of <k> positive numbers of sum 1", Rank: 1, Lengths: []string{"k"}, Entries: Unit,
		Structure: SumsToOne, Chart: softmaxChart}
	Ordered = &Form{Name: "ordered", Go: "Ordered", Doc: "a vector of <k> real numbers, each greater than the one before", Rank: 1,
		Lengths: []string{"k"}, Entries: Real, Structure: Increasing, Chart: orderedChart}
	Direction = &Form{Name: "direction", Go: "Direction", Doc: "a vector of <d> real numbers, the sum of whose squares is 1", Rank: 1,
		Lengths: []string{"d"}, Entries: Real, Structure: UnitLength, Lo: -1, Hi: 1, Chart: directionChart}
	Vector = &Form{Name: "vector", Go: "Vector", Rank: 1, Lengths: []string{"d"}}
	Matrix = &Form{Name: "matrix", Go: "Matrix", Doc: "a matrix of <n> x <d> real numbers", Rank: 2, Lengths: []string{"n", "d"}, Entries: Real}
	SPD    = &Form{Name: "spd", Go: "SPD", Doc: "a symmetric positive definite matrix", Rank: 2, Lengths: []string{"d"}, Entries: Real,
		Structure: Symmetric | PositiveDefinite | PositiveDiagonal, Chart: spdChart}
	Corr = &Form{Name: "corr", Go: "Corr", Doc: "a correlation matrix: symmetric, positive definite, with a diagonal of ones", Rank: 2, Lengths: []string{"d"},
		Entries: Real, Structure: Symmetric | PositiveDefinite | UnitDiagonal | PositiveDiagonal, Lo: -1, Hi: 1, Chart: corrChart}
	Lower = &Form{Name: "lower", Go: "Lower", Doc: "a lower triangular matrix with a positive diagonal", Rank: 2, Lengths: []string{"d"}, Entries: Real,
		Structure: LowerTriangular | PositiveDiagonal, Chart: lowerChart}
	Stochastic = &Form{Name: "stochastic", Go: "Stochastic", Doc: "a square matrix of positive numbers whose rows have sum 1, as the transition probabilities of a Markov chain",
		Rank: 2, Lengths: []string{"k"}, Entries: Unit, Structure: RowsSumToOne, Chart: stochasticChart}
)

// Forms lists the table, in the order in which it is shown to users, after the entries, which are numbers.
var Forms = []*Form{Number, Simplex, Ordered, Direction, Vector, Matrix, SPD, Corr, Lower, Stochastic}

// FormNamed returns the form of that name, nil if there is none.
func FormNamed(name string) *Form {
	for _, f := range Forms {
		if f != Number && f.Name == name {
			return f
		}
	}
	return nil
}

// Of returns the type of values of the form with such entries.
func (f *Form) Of(e *Entry) Type { return Type{Form: f, Entry: e} }

// Has reports whether a structure is known of the form.
func (f *Form) Has(s Structure) bool { return f.Structure&s == s }

// Square reports whether the form is that of a square matrix.
func (f *Form) Square() bool { return f.Rank == 2 && len(f.Lengths) == 1 }

// OnDiagonal reports whether an entry of d x d matrices, one after the other, is on the diagonal of one.
func OnDiagonal(i, d int) bool { return i%(d*d)%(d+1) == 0 }

// Free returns how many of n entries the others do not determine, the sides of a square matrix being d.
func (f *Form) Free(n, d int) int {
	switch {
	case f.Structure&(SumsToOne|UnitLength) != 0:
		return n - 1
	case f.Has(RowsSumToOne):
		return n - d
	case f.Structure&(Symmetric|LowerTriangular) == 0:
		return n
	}
	free := (n + d) / 2
	if f.Has(UnitDiagonal) {
		free -= d
	}
	return free
}

// Default writes the value that a parameter has where nothing else is said, as for draws, to dst: 0 for real numbers and
// bits, 1 for positive ones and counts, 1/2 between 0 and 1, entry by entry in vectors, except that n numbers between 0 and 1,
// which may be the probabilities of all cases but one, are 1/(n+1); the identity where the diagonal is positive; equal parts
// of what sums to one, also row by row; 1, 2 and so on of what increases; 1 and zeros of what has length 1; 0 for other matrices. A square
// matrix is d x d.
func (t Type) Default(dst []float64, d int) {
	entry := t.Entry.Default
	switch {
	case t.Form.Has(SumsToOne):
		entry = 1 / float64(len(dst))
	case t.Form.Has(RowsSumToOne):
		entry = 1 / float64(d)
	case t.Form == Vector && t.Entry == Unit:
		entry = 1 / float64(len(dst)+1)
	}
	for i := range dst {
		dst[i] = entry
		switch {
		case t.Form.Has(PositiveDiagonal) && OnDiagonal(i, d), t.Form.Has(UnitLength) && i == 0:
			dst[i] = 1
		case t.Form.Has(Increasing):
			dst[i] = float64(i + 1)
		}
	}
}

// shares are the parts of a value whose sums are 1: all of it, or its rows, the sides of a square matrix being d.
func (f *Form) shares(x []float64, d int) [][]float64 {
	switch {
	case f.Has(SumsToOne):
		return [][]float64{x}
	case f.Has(RowsSumToOne):
		return slices.Collect(slices.Chunk(x, d))
	}
	return nil
}

// Tangent makes x a change that leads from the default of the form to others of it, the sides of a square matrix being d, but for
// terms of second order.
func (f *Form) Tangent(x []float64, d int) {
	for _, part := range f.shares(x, d) {
		mean := total(part) / float64(len(part))
		for i := range part {
			part[i] -= mean
		}
	}
	if f.Has(UnitLength) {
		x[0] = 0
	}
	for i := range d {
		for j := i + 1; j < d && f.Rank == 2; j++ {
			switch {
			case f.Has(Symmetric):
				mean := (x[i*d+j] + x[j*d+i]) / 2
				x[i*d+j], x[j*d+i] = mean, mean
			case f.Has(LowerTriangular):
				x[i*d+j] = 0
			}
		}
		if f.Has(UnitDiagonal) {
			x[i*d+i] = 0
		}
	}
}

// Arrange makes a value of the form of numbers that were drawn for its entries one by one, as for tests, the sides of a square matrix
// being d.
func (f *Form) Arrange(x []float64, d int) {
	for _, part := range f.shares(x, d) {
		sum := total(part)
		for i := range part {
			part[i] /= sum
		}
	}
	switch {
	case f.Has(UnitLength):
		squares := 0.0
		for _, v := range x {
			squares += v * v
		}
		for i := range x {
			x[i] /= math.Sqrt(squares)
		}
	case f.Has(Increasing):
		slices.Sort(x)
		for i := range x {
			x[i] += float64(i) / 100 // no two are equal
		}
	case f.Has(PositiveDefinite):
		arrangeDefinite(x, d, f.Has(UnitDiagonal))
	case f.Has(LowerTriangular):
		for i := range x {
			switch row, column := i/d, i%d; {
			case row < column:
				x[i] = 0
			case row == column:
				x[i] = 0.1 + math.Abs(x[i])
			}
		}
	}
}

// arrangeDefinite makes the matrix B B'/d, with a little more on its diagonal, of a matrix B, or its correlation matrix.
func arrangeDefinite(b []float64, d int, unit bool) {
	a := make([]float64, d*d)
	for i := range d {
		for j := range i + 1 {
			for k := range d {
				a[i*d+j] += b[i*d+k] * b[j*d+k] / float64(d)
			}
		}
		a[i*d+i] += 0.1
	}
	for i := range d {
		for j := range i + 1 {
			v := a[i*d+j]
			if unit {
				v /= math.Sqrt(a[i*d+i] * a[j*d+j])
			}
			if unit && i == j {
				v = 1
			}
			b[i*d+j], b[j*d+i] = v, v
		}
	}
}

// Rounding is how far what is to be equal may be apart in values that people write: a sum or a diagonal from 1, and, as a part of
// them, an entry from its mirror image.
const rounding = 1e-9

// Check reports what is wrong with the arrangement of a value under a name, the sides of a square matrix being d, apart from what
// its entries are and whether it is positive definite.
func (f *Form) Check(x []float64, d int, name string) error {
	if err := f.checkVector(x, name); err != nil {
		return err
	}
	for i, row := range f.shares(x, d) {
		if sum := total(row); f.Rank == 2 && !(math.Abs(sum-1) <= rounding) {
			return fmt.Errorf("row %d of %s sums to %v, not to 1", i+1, name, sum)
		}
	}
	for i := range d {
		if f.Has(UnitDiagonal) && !(math.Abs(x[i*d+i]-1) <= rounding) {
			return fmt.Errorf("%s is a correlation matrix, but has %v on its diagonal", name, x[i*d+i])
		}
		for j := 0; j < i && f.Rank == 2; j++ {
			below, above := x[i*d+j], x[j*d+i]
			switch {
			case f.Has(Symmetric) && math.Abs(below-above) > rounding*math.Max(math.Abs(below), math.Abs(above)):
				return fmt.Errorf("%s is not symmetric: entries %d,%d and %d,%d are %v and %v", name, i+1, j+1, j+1, i+1, below, above)
			case f.Has(LowerTriangular) && above != 0:
				return fmt.Errorf("%s is lower triangular, but entry %d,%d is %v", name, j+1, i+1, above)
			}
		}
	}
	return nil
}

func total(x []float64) (sum float64) {
	for _, v := range x {
		sum += v
	}
	return sum
}

// checkVector is Check of what relates the entries of a vector.
func (f *Form) checkVector(x []float64, name string) error {
	sum, squares := total(x), 0.0
	for i, v := range x {
		squares += v * v
		if f.Has(Increasing) && i > 0 && !(v > x[i-1]) {
			return fmt.Errorf("%s increases, but entry %d is %v and entry %d is %v", name, i, x[i-1], i+1, v)
		}
	}
	switch {
	case f.Has(SumsToOne) && !(math.Abs(sum-1) <= rounding):
		return fmt.Errorf("%s sums to %v, not to 1", name, sum)
	case f.Has(UnitLength) && !(math.Abs(squares-1) <= rounding):
		return fmt.Errorf("%s has length 1, but its squares sum to %v", name, squares)
	}
	return nil
}

// Range returns the ends of what an entry may be by the form and its entry, and whether they are open.
func (t Type) Range() (lo, hi float64, loOpen, hiOpen bool) {
	if t.Form.Lo != 0 || t.Form.Hi != 0 {
		return t.Form.Lo, t.Form.Hi, false, false
	}
	return t.Entry.Lo, t.Entry.Hi, t.Entry.LoOpen, t.Entry.HiOpen
}
