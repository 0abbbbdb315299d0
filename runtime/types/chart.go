package types

// Chart makes a value of a form of as many unconstrained numbers as are free in it (Stan Development Team 2025, Stan Reference
// Manual, chapter Constraint Transforms). In formulas these numbers are arranged in vectors and matrices.
type Chart struct {
	Formula string   // the value in terms of the coordinates; d is its length, or a side
	Inverse []string // the coordinates in terms of the value x
	// LogJacobian is the logarithm of the density of the coordinates where that of the value is 1: of the entries that are free in it (below and on
	// the diagonal of a symmetric matrix, all but one of a simplex), and on the sphere for what has length 1.
	LogJacobian string
	// Coordinates are the arrays of unconstrained numbers, which lie one after the other.
	Coordinates []Coordinate
}

// Coordinate is an array of numbers of the length, or sides, of a value, in the order of its rows.
type Coordinate struct {
	Name   string // in formulas
	Rank   int
	Places Places // of the numbers; others are 0
}

// Coordinates are those of values of a type: of numbers that are not whole, whose link or whose chart they belong to.
func (t Type) Coordinates() []Coordinate {
	if t.Form.Chart != nil {
		return t.Form.Chart.Coordinates
	}
	return []Coordinate{{"u", t.Form.Rank, All}}
}

// Places are some of the entries of a vector or a matrix.
type Places uint8

// The entries that are looked at.
const (
	All Places = iota
	ButFirst
	ButLast
	Below // the diagonal
	OffDiagonal
)

// Have reports whether entry i is among them, of n altogether, the sides of a square matrix being d.
func (e Places) Have(i, n, d int) bool {
	switch e {
	case ButFirst:
		return i > 0
	case ButLast:
		return i < n-1
	case Below:
		return i%d < i/d
	case OffDiagonal:
		return i%d != i/d
	}
	return true
}

// Count is how many there are, of n altogether.
func (e Places) Count(n, d int) int {
	count := 0
	for i := range n {
		if e.Have(i, n, d) {
			count++
		}
	}
	return count
}

// Fold writes the numbers at the places of an array to dst, one after the other, the sides of a square matrix being d, and returns how
// many there are.
func (e Places) Fold(dst, u []float64, d int) int {
	if e == All {
		return copy(dst, u)
	}
	k := 0
	for i, x := range u {
		if e.Have(i, len(u), d) {
			dst[k] = x
			k++
		}
	}
	return k
}

// Unfold is the inverse of Fold, with zeros in other places of dst. It returns how many numbers of u it takes.
func (e Places) Unfold(dst, u []float64, d int) int {
	if e == All {
		return copy(dst, u)
	}
	k := 0
	for i := range dst {
		if dst[i] = 0; e.Have(i, len(dst), d) {
			dst[i] = u[k]
			k++
		}
	}
	return k
}

const (
	first = "equal(range(d), 1)" // the vector 1, 0, 0, ...
	last  = "equal(range(d), d)"
	// below are the entries of a matrix below its diagonal.
	below = "(x - diag(diag(x)))"
	// sums makes x[1], x[1] + x[2] and so on of a vector x.
	sums = "(lower_half(outer(ones(d), ones(d))) + eye(d)/2)"
	// factor is triangular, with a logarithm for each entry on the diagonal.
	factor = "(u + diag(exp(v)))"
	// unitRows has rows of which those of the correlations' Cholesky factor are multiples: hyperbolic sines, so that of two variables
	// the coordinate is the inverse hyperbolic tangent of the correlation.
	unitRows = "(eye(d) + sinh(u))"
)

// triangle are numbers for the diagonal, then those below it.
var triangle = []Coordinate{{"v", 1, All}, {"u", 2, Below}}

// The charts. That of directions is the stereographic projection from the point opposite to 1, 0, 0, ...
var (
	softmaxChart = &Chart{
		Coordinates: []Coordinate{{"u", 1, ButLast}},
		Formula:     "exp((1 - " + last + ")*u)/total(exp((1 - " + last + ")*u))",
		Inverse:     []string{"log(x) - log(dot(x, " + last + "))"},
		LogJacobian: "total((1 - " + last + ")*u) - d*log(total(exp((1 - " + last + ")*u)))",
	}
	orderedChart = &Chart{
		Coordinates: []Coordinate{{"u", 1, All}},
		Formula:     sums + " @ (" + first + "*u + (1 - " + first + ")*exp((1 - " + first + ")*u))",
		Inverse:     []string{first + "*x + (1 - " + first + ")*log(" + first + " + (1 - " + first + ")*solve(" + sums + ", x))"},
		LogJacobian: "dot(1 - " + first + ", u)",
	}
	directionChart = &Chart{
		Coordinates: []Coordinate{{"u", 1, ButFirst}},
		Formula:     "(2*(1 - " + first + ")*u + (1 - dot((1 - " + first + ")*u, u))*" + first + ")/(1 + dot((1 - " + first + ")*u, u))",
		Inverse:     []string{"(1 - " + first + ")*x/(1 + dot(x, " + first + "))"},
		// the radius of the ball around a point shrinks by half of this factor
		LogJacobian: "(d - 1)*(log(2) - log1p(dot((1 - " + first + ")*u, u)))",
	}
	lowerChart = &Chart{
		Coordinates: triangle,
		Formula:     factor,
		Inverse:     []string{"log(diag(x))", below},
		LogJacobian: "total(v)",
	}
	spdChart = &Chart{
		Coordinates: triangle,
		Formula:     factor + " @ " + factor + "'",
		Inverse:     []string{"log(diag(chol(x)))", "chol(x) - diag(diag(chol(x)))"},
		LogJacobian: "d*log(2) + dot((d + 2)*ones(d) - range(d), v)",
	}
	// The coordinates of a row are the logarithms of its entries over that on the diagonal (MacDonald and Zucchini 1997), a softmax.
	stochasticChart = &Chart{
		Coordinates: []Coordinate{{"u", 2, OffDiagonal}},
		Formula:     "diag(1/(exp(u) @ ones(d))) @ exp(u)",
		Inverse:     []string{"log(x) - outer(log(diag(x)), ones(d))"},
		LogJacobian: "total(u) - d*total(log(exp(u) @ ones(d)))",
	}
	// A row (sinh(u), 1) of d' + 1 numbers is divided by its length: the Jacobian of that is its power -(d' + 2), that of L L' the
	// product of diagonal entries of L, which are one over the lengths, to powers that make all of these -(d + 1).
	corrChart = &Chart{
		Coordinates: []Coordinate{{"u", 2, Below}},
		Formula:     "corr(" + unitRows + " @ " + unitRows + "')",
		// asinh of the entries below the diagonal of the Cholesky factor, divided by that on the diagonal of their row
		Inverse:     []string{"log(" + ratios + " + sqrt(1 + " + ratios + "^2))"},
		LogJacobian: "total(log(cosh(u))) - (d + 1)/2*total(log(diag(" + unitRows + " @ " + unitRows + "')))",
	}
)

const ratios = "(diag(1/diag(chol(x))) @ (chol(x) - diag(diag(chol(x)))))"
