package types

// Chart makes a value of a form of as many unconstrained numbers as are free in it (Stan Development Team 2025, Stan Reference
// Manual, chapter Constraint Transforms). In formulas these numbers, u, are arranged as the value is, with zeros in the entries
// that are not looked at; they do not depend on what stands there.
type Chart struct {
	Formula string // the value in terms of u, of which d is the length, or a side
	Inverse string // u in terms of the value x
	// LogJacobian is the logarithm of the density of u where that of the value is 1: of the entries that are free in it (below and on
	// the diagonal of a symmetric matrix, all but one of a simplex), and on the sphere for what has length 1.
	LogJacobian string
	// Places are the entries that are looked at.
	Places Places
}

// Places are some of the entries of a vector or a matrix.
type Places uint8

// The entries that are looked at.
const (
	All Places = iota
	ButFirst
	ButLast
	OnOrBelow // the diagonal
	Below
)

// Have reports whether entry i is among them, of n altogether, the sides of a square matrix being d.
func (e Places) Have(i, n, d int) bool {
	switch e {
	case ButFirst:
		return i > 0
	case ButLast:
		return i < n-1
	case OnOrBelow:
		return i%d <= i/d
	case Below:
		return i%d < i/d
	}
	return true
}

const (
	first = "equal(range(d), 1)" // the vector 1, 0, 0, ...
	last  = "equal(range(d), d)"
	// below are the entries below the diagonal, the others being exact zeros.
	below = "lower_half(u - diag(diag(u)))"
	// unitRows has rows of which those of the correlations' Cholesky factor are multiples: hyperbolic sines, so that of two variables
	// the coordinate is the inverse hyperbolic tangent of the correlation.
	unitRows = "(eye(d) + " + sinhBelow + ")"
	// sinhBelow is sinh(u) below the diagonal.
	sinhBelow = "lower_half((exp(u) - exp(-u))/2 - diag(diag((exp(u) - exp(-u))/2)))"
	// ratios are the entries below the diagonal of the Cholesky factor of x, divided by that on the diagonal of their row: sinh(u).
	ratios = "(diag(1/diag(chol(x))) @ (chol(x) - diag(diag(chol(x)))))"
	// sums makes x[1], x[1] + x[2] and so on of a vector x, differences is its inverse.
	sums = "(lower_half(outer(ones(d), ones(d))) + eye(d)/2)"
)

// The charts. That of directions is the stereographic projection from the point opposite to 1, 0, 0, ...
var (
	softmaxChart = &Chart{
		Formula:     "exp((1 - " + last + ")*u)/total(exp((1 - " + last + ")*u))",
		Inverse:     "log(x) - log(dot(x, " + last + "))",
		LogJacobian: "total((1 - " + last + ")*u) - d*log(total(exp((1 - " + last + ")*u)))",
		Places:      ButLast,
	}
	orderedChart = &Chart{
		Formula:     sums + " @ (" + first + "*u + (1 - " + first + ")*exp((1 - " + first + ")*u))",
		Inverse:     first + "*x + (1 - " + first + ")*log(" + first + " + (1 - " + first + ")*solve(" + sums + ", x))",
		LogJacobian: "dot(1 - " + first + ", u)",
	}
	directionChart = &Chart{
		Formula: "(2*(1 - " + first + ")*u + (1 - dot((1 - " + first + ")*u, u))*" + first + ")/(1 + dot((1 - " + first + ")*u, u))",
		Inverse: "(1 - " + first + ")*x/(1 + dot(x, " + first + "))",
		// the radius of the ball around a point shrinks by half of this factor
		LogJacobian: "(d - 1)*(log(2) - log1p(dot((1 - " + first + ")*u, u)))",
		Places:      ButFirst,
	}
	lowerChart = &Chart{
		Formula:     below + " + diag(exp(diag(u)))",
		Inverse:     "x - diag(diag(x)) + diag(log(diag(x)))",
		LogJacobian: "total(diag(u))",
		Places:      OnOrBelow,
	}
	spdChart = &Chart{
		Formula:     "(" + lowerChart.Formula + ") @ (" + lowerChart.Formula + ")'",
		Inverse:     "chol(x) - diag(diag(chol(x))) + diag(log(diag(chol(x))))",
		LogJacobian: "d*log(2) + dot((d + 2)*ones(d) - range(d), diag(u))",
		Places:      OnOrBelow,
	}
	// A row (sinh(u), 1) of d' + 1 numbers is divided by its length: the Jacobian of that is its power -(d' + 2), that of L L' the
	// product of diagonal entries of L, which are one over the lengths, to powers that make all of these -(d + 1).
	corrChart = &Chart{
		Formula: "corr(" + unitRows + " @ " + unitRows + "')",
		Inverse: "log(" + ratios + " + sqrt(1 + " + ratios + "^2))",
		// log(cosh(u)) = softplus(2 u) - u - log(2), which is 0 where u is
		LogJacobian: "total(softplus(2*" + below + ") - " + below + ") - log(2)*d^2 - (d + 1)/2*total(log(diag(" + unitRows + " @ " + unitRows + "')))",
		Places:      Below,
	}
)
