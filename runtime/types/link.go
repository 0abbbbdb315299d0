package types

import (
	"math"
	"strconv"
)

// Link is the unconstrained coordinate u of a number x, as formulas of the spec language and as functions.
type Link struct {
	Formula string // x in terms of u
	Inverse string // u in terms of x
	// LogJacobian is log |dx/du| in terms of u (Stan Development Team 2025, Stan Reference Manual, chapter Constraint Transforms).
	LogJacobian string

	Value      func(u float64) float64    // x
	Coordinate func(x float64) float64    // u, NaN where there is none
	Slope      func(u, x float64) float64 // dx/du, given both
}

// The links.
var (
	Identity = &Link{Formula: "u", Inverse: "x", LogJacobian: "0",
		Value:      func(u float64) float64 { return u },
		Coordinate: func(x float64) float64 { return x },
		Slope:      func(_, _ float64) float64 { return 1 }}
	Log = &Link{Formula: "exp(u)", Inverse: "log(x)", LogJacobian: "u",
		Value: math.Exp, Coordinate: math.Log,
		// exp(u), which x less a bound would give with fewer digits
		Slope: func(u, _ float64) float64 { return math.Exp(u) }}
	Logit = &Link{Formula: "sigmoid(u)", Inverse: "logit(x)", LogJacobian: "log_sigmoid(u) + log_sigmoid(-u)",
		Value:      func(u float64) float64 { return 1 / (1 + math.Exp(-u)) },
		Coordinate: func(x float64) float64 { return math.Log(x) - math.Log1p(-x) },
		// x (1 - x), with 1 - x = 1/(1 + exp(u))
		Slope: func(u, x float64) float64 { return x / (1 + math.Exp(u)) }}
	// Atanh is that of correlations, by themselves: not all of a matrix are free.
	Atanh = &Link{Formula: "2*sigmoid(2*u) - 1", Inverse: "log((1 + x)/(1 - x))/2", LogJacobian: "log(4) + log_sigmoid(2*u) + log_sigmoid(-2*u)",
		Value: math.Tanh, Coordinate: math.Atanh,
		Slope: func(_, x float64) float64 { return 1 - x*x }}
)

// between is the link of numbers between two ends, one of which may be infinite.
func between(lo, hi float64) *Link {
	a, b := strconv.FormatFloat(lo, 'g', -1, 64), strconv.FormatFloat(hi, 'g', -1, 64)
	a, b = "("+a+")", "("+b+")"
	switch {
	case math.IsInf(hi, 1):
		return &Link{Formula: a + " + exp(u)", Inverse: "log(x - " + a + ")", LogJacobian: "u",
			Value:      func(u float64) float64 { return lo + math.Exp(u) },
			Coordinate: func(x float64) float64 { return math.Log(x - lo) },
			Slope:      func(u, _ float64) float64 { return math.Exp(u) }}
	case math.IsInf(lo, -1):
		return &Link{Formula: b + " - exp(-u)", Inverse: "-log(" + b + " - x)", LogJacobian: "-u",
			Value:      func(u float64) float64 { return hi - math.Exp(-u) },
			Coordinate: func(x float64) float64 { return -math.Log(hi - x) },
			Slope:      func(u, _ float64) float64 { return math.Exp(-u) }}
	}
	width := hi - lo
	w := "(" + strconv.FormatFloat(width, 'g', -1, 64) + ")"
	return &Link{Formula: a + " + " + w + "*sigmoid(u)", Inverse: "log(x - " + a + ") - log(" + b + " - x)",
		LogJacobian: "log" + w + " + log_sigmoid(u) + log_sigmoid(-u)",
		Value:       func(u float64) float64 { return lo + width/(1+math.Exp(-u)) },
		Coordinate:  func(x float64) float64 { return math.Log(x-lo) - math.Log(hi-x) },
		Slope:       func(u, _ float64) float64 { return width / (1 + math.Exp(-u)) / (1 + math.Exp(u)) }}
}
