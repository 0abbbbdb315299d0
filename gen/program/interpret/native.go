package interpret

import (
	"github.com/sngdgen/sngdgen/runtime/dense"
	"github.com/sngdgen/sngdgen/runtime/special"
)

// Operands are those of a call in the order of the table: arrays, lengths, and the numbers that some kernels take.
type Operands struct {
	Arrays  [][]float64
	Lengths []int
	Numbers []float64
	// What has been prepared, of the type that a kernel takes.
	Gammas  *special.GammaDiffs
	Student *special.TDistribution
	// Indefinite is set by a factorisation of a matrix that is not positive definite.
	Indefinite bool
}

// Natives are the kernels as generated code calls them, by name.
var Natives = map[string]func(*Operands) float64{
	"clear": func(a *Operands) float64 { clear(a.Arrays[0]); return 0 },
	"copy":  func(a *Operands) float64 { copy(a.Arrays[0], a.Arrays[1]); return 0 },
	"Scale": func(a *Operands) float64 {
		dense.Scale(a.Arrays[0], a.Numbers[0], a.Arrays[1])
		return 0
	},
	"Divide": func(a *Operands) float64 {
		dense.Divide(a.Arrays[0], a.Arrays[1], a.Numbers[0])
		return 0
	},
	"ScaledSum": func(a *Operands) float64 {
		dense.ScaledSum(a.Arrays[0], a.Numbers[0], a.Arrays[1], a.Numbers[1], a.Arrays[2])
		return 0
	},
	"AffineTimes": func(a *Operands) float64 {
		dense.AffineTimes(a.Arrays[0], a.Numbers[0], a.Numbers[1], a.Arrays[1], a.Numbers[2], a.Arrays[2])
		return 0
	},
	"Plus":  func(a *Operands) float64 { dense.Plus(a.Arrays[0], a.Arrays[1], a.Arrays[2]); return 0 },
	"Minus": func(a *Operands) float64 { dense.Minus(a.Arrays[0], a.Arrays[1], a.Arrays[2]); return 0 },
	"Sum":   func(a *Operands) float64 { return dense.Sum(a.Arrays[0]) },
	"Range": func(a *Operands) float64 { dense.Range(a.Arrays[0]); return 0 },
	"Dot":   func(a *Operands) float64 { return dense.Dot(a.Arrays[0], a.Arrays[1]) },

	"ClearLower": func(a *Operands) float64 { dense.ClearLower(a.Arrays[0], a.Lengths[0]); return 0 },
	"Mirror":     func(a *Operands) float64 { dense.Mirror(a.Arrays[0], a.Lengths[0]); return 0 },
	"Cumulative": func(a *Operands) float64 { dense.Cumulative(a.Arrays[0]); return 0 },
	"Remaining":  func(a *Operands) float64 { dense.Remaining(a.Arrays[0]); return 0 },
	"CumulativeRows": func(a *Operands) float64 {
		dense.CumulativeRows(a.Arrays[0], a.Lengths[0], a.Lengths[1])
		return 0
	},
	"RemainingRows": func(a *Operands) float64 {
		dense.RemainingRows(a.Arrays[0], a.Lengths[0], a.Lengths[1])
		return 0
	},
	"LowerHalf": func(a *Operands) float64 { dense.LowerHalf(a.Arrays[0], a.Lengths[0]); return 0 },
	"DiagOf": func(a *Operands) float64 {
		dense.DiagOf(a.Arrays[0], a.Arrays[1], a.Lengths[0])
		return 0
	},
	"Transpose": func(a *Operands) float64 {
		dense.Transpose(a.Arrays[0], a.Arrays[1], a.Lengths[0], a.Lengths[1])
		return 0
	},

	"Trace":         func(a *Operands) float64 { return dense.Trace(a.Arrays[0], a.Lengths[0]) },
	"AddToDiagonal": func(a *Operands) float64 { dense.AddToDiagonal(a.Arrays[0], a.Numbers[0], a.Lengths[0]); return 0 },
	"Mirrored":      func(a *Operands) float64 { dense.Mirrored(a.Arrays[0], a.Arrays[1], a.Lengths[0]); return 0 },
	"MirroredScale": func(a *Operands) float64 {
		dense.MirroredScale(a.Arrays[0], a.Numbers[0], a.Arrays[1], a.Lengths[0])
		return 0
	},
	"MirroredPlusOuter": func(a *Operands) float64 {
		dense.MirroredPlusOuter(a.Arrays[0], a.Arrays[1], a.Numbers[0], a.Arrays[2], a.Arrays[3], a.Lengths[0])
		return 0
	},
	"SymmetricDot": func(a *Operands) float64 { return dense.SymmetricDot(a.Arrays[0], a.Arrays[1], a.Lengths[0]) },
	"MulToLower": func(a *Operands) float64 {
		dense.MulToLower(a.Arrays[0], a.Arrays[1], a.Arrays[2], a.Lengths[0], a.Lengths[1])
		return 0
	},
	"SolveLowerBoth": func(a *Operands) float64 {
		dense.SolveLowerBoth(a.Arrays[0], a.Arrays[1], a.Arrays[2], a.Lengths[0])
		return 0
	},
	"SolveLowerTBoth": func(a *Operands) float64 {
		dense.SolveLowerTBoth(a.Arrays[0], a.Arrays[1], a.Arrays[2], a.Lengths[0])
		return 0
	},

	"LowerSum": func(a *Operands) float64 {
		dense.LowerSum(a.Arrays[0], a.Numbers[0], a.Arrays[1], a.Numbers[1], a.Arrays[2], a.Lengths[0])
		return 0
	},
	"LowerSymmetric": func(a *Operands) float64 {
		dense.LowerSymmetric(a.Arrays[0], a.Numbers[0], a.Arrays[1], a.Numbers[1], a.Arrays[2], a.Lengths[0])
		return 0
	},
	"LowerRankTwo": func(a *Operands) float64 {
		dense.LowerRankTwo(a.Arrays[0], a.Numbers[0], a.Arrays[1], a.Numbers[1], a.Arrays[2], a.Arrays[3], a.Lengths[0])
		return 0
	},

	"LowerSumRankTwo": func(a *Operands) float64 {
		dense.LowerSumRankTwo(a.Arrays[0], a.Numbers[0], a.Arrays[1], a.Numbers[1], a.Arrays[2], a.Numbers[2], a.Arrays[3], a.Arrays[4], a.Lengths[0])
		return 0
	},

	"MirroredSum": func(a *Operands) float64 {
		dense.MirroredSum(a.Arrays[0], a.Numbers[0], a.Arrays[1], a.Numbers[1], a.Arrays[2], a.Lengths[0])
		return 0
	},
	"MirroredSymmetric": func(a *Operands) float64 {
		dense.MirroredSymmetric(a.Arrays[0], a.Numbers[0], a.Arrays[1], a.Numbers[1], a.Arrays[2], a.Lengths[0])
		return 0
	},
	"MirroredRankTwo": func(a *Operands) float64 {
		dense.MirroredRankTwo(a.Arrays[0], a.Numbers[0], a.Arrays[1], a.Numbers[1], a.Arrays[2], a.Arrays[3], a.Lengths[0])
		return 0
	},

	"MirroredSumRankTwo": func(a *Operands) float64 {
		dense.MirroredSumRankTwo(a.Arrays[0], a.Numbers[0], a.Arrays[1], a.Numbers[1], a.Arrays[2], a.Numbers[2], a.Arrays[3], a.Arrays[4], a.Lengths[0])
		return 0
	},

	"PlusOuter": func(a *Operands) float64 {
		dense.PlusOuter(a.Arrays[0], a.Arrays[1], a.Numbers[0], a.Arrays[2], a.Arrays[3], a.Lengths[0], a.Lengths[1])
		return 0
	},
	"RowsPlus": func(a *Operands) float64 {
		dense.RowsPlus(a.Arrays[0], a.Arrays[1], a.Arrays[2], a.Lengths[0], a.Lengths[1])
		return 0
	},
	"RowsLess": func(a *Operands) float64 {
		dense.RowsLess(a.Arrays[0], a.Arrays[1], a.Arrays[2], a.Lengths[0], a.Lengths[1])
		return 0
	},
	"LessRows": func(a *Operands) float64 {
		dense.LessRows(a.Arrays[0], a.Arrays[1], a.Arrays[2], a.Lengths[0], a.Lengths[1])
		return 0
	},
	"AddScaledRows": func(a *Operands) float64 {
		dense.AddScaledRows(a.Arrays[0], a.Arrays[1], a.Arrays[2], a.Lengths[0], a.Lengths[1])
		return 0
	},
	"AddRowsOuter": func(a *Operands) float64 {
		dense.AddRowsOuter(a.Arrays[0], a.Arrays[1], a.Arrays[2], a.Lengths[0], a.Lengths[1])
		return 0
	},
	"MulVec": func(a *Operands) float64 {
		dense.MulVec(a.Arrays[0], a.Arrays[1], a.Arrays[2], a.Lengths[0], a.Lengths[1])
		return 0
	},
	"SymmetricMulVec": func(a *Operands) float64 {
		dense.SymmetricMulVec(a.Arrays[0], a.Arrays[1], a.Arrays[2], a.Lengths[0])
		return 0
	},
	"MulTVec": func(a *Operands) float64 {
		dense.MulTVec(a.Arrays[0], a.Arrays[1], a.Arrays[2], a.Lengths[0], a.Lengths[1])
		return 0
	},
	"AddMulTVec": func(a *Operands) float64 {
		dense.AddMulTVec(a.Arrays[0], a.Numbers[0], a.Arrays[1], a.Arrays[2], a.Lengths[0], a.Lengths[1])
		return 0
	},
	"RowsDot": func(a *Operands) float64 {
		dense.RowsDot(a.Arrays[0], a.Arrays[1], a.Arrays[2], a.Lengths[0], a.Lengths[1])
		return 0
	},
	"RowsSquare": func(a *Operands) float64 {
		dense.RowsSquare(a.Arrays[0], a.Arrays[1], a.Lengths[0], a.Lengths[1])
		return 0
	},

	"Mul": func(a *Operands) float64 {
		dense.Mul(a.Arrays[0], a.Arrays[1], a.Arrays[2], a.Lengths[0], a.Lengths[1], a.Lengths[2])
		return 0
	},
	"MulNT": func(a *Operands) float64 {
		dense.MulNT(a.Arrays[0], a.Arrays[1], a.Arrays[2], a.Lengths[0], a.Lengths[1], a.Lengths[2])
		return 0
	},
	"AddLowerCross": func(a *Operands) float64 {
		dense.AddLowerCross(a.Arrays[0], a.Arrays[1], a.Arrays[2], a.Arrays[3], a.Arrays[4], a.Lengths[0], a.Lengths[1])
		return 0
	},
	"SolveLowerHalf": func(a *Operands) float64 {
		dense.SolveLowerHalf(a.Arrays[0], a.Arrays[1], a.Arrays[2], a.Lengths[0])
		return 0
	},
	"MulLower": func(a *Operands) float64 {
		dense.MulLower(a.Arrays[0], a.Arrays[1], a.Arrays[2], a.Lengths[0], a.Lengths[1])
		return 0
	},
	"MulNTLower": func(a *Operands) float64 {
		dense.MulNTLower(a.Arrays[0], a.Arrays[1], a.Arrays[2], a.Lengths[0], a.Lengths[1])
		return 0
	},
	"MulLowers": func(a *Operands) float64 {
		dense.MulLowers(a.Arrays[0], a.Arrays[1], a.Arrays[2], a.Lengths[0])
		return 0
	},
	"AddWeightedGram": func(a *Operands) float64 {
		dense.AddWeightedGram(a.Arrays[0], a.Arrays[1], a.Arrays[2], a.Arrays[3], a.Lengths[0], a.Lengths[1])
		return 0
	},
	"AddWeightedCross": func(a *Operands) float64 {
		dense.AddWeightedCross(a.Arrays[0], a.Arrays[1], a.Arrays[2], a.Arrays[3], a.Arrays[4],
			a.Lengths[0], a.Lengths[1], a.Lengths[2])
		return 0
	},

	"Cholesky": func(a *Operands) float64 {
		a.Indefinite = !dense.Cholesky(a.Arrays[0], a.Arrays[1], a.Lengths[0])
		return 0
	},
	"LogDet": func(a *Operands) float64 { return dense.LogDet(a.Arrays[0], a.Lengths[0]) },
	"InverseFromCholesky": func(a *Operands) float64 {
		dense.InverseFromCholesky(a.Arrays[0], a.Arrays[1], a.Lengths[0])
		return 0
	},
	"TraceOfInverse": func(a *Operands) float64 {
		return dense.TraceOfInverse(a.Arrays[0], a.Arrays[1], a.Lengths[0])
	},
	"TraceOfSolve": func(a *Operands) float64 {
		return dense.TraceOfSolve(a.Arrays[0], a.Arrays[1], a.Arrays[2], a.Lengths[0])
	},
	"DiagOfSolve": func(a *Operands) float64 {
		dense.DiagOfSolve(a.Arrays[0], a.Arrays[1], a.Arrays[2], a.Arrays[3], a.Lengths[0])
		return 0
	},

	"SolveLower": func(a *Operands) float64 {
		dense.SolveLower(a.Arrays[0], a.Arrays[1], a.Lengths[0])
		return 0
	},
	"SolveLowerT": func(a *Operands) float64 {
		dense.SolveLowerT(a.Arrays[0], a.Arrays[1], a.Lengths[0])
		return 0
	},
	"Solve": func(a *Operands) float64 {
		dense.Solve(a.Arrays[0], a.Arrays[1], a.Lengths[0])
		return 0
	},
	"SolveLowerRows": func(a *Operands) float64 {
		dense.SolveLowerRows(a.Arrays[0], a.Arrays[1], a.Lengths[0], a.Lengths[1])
		return 0
	},
	"SolveLowerTRows": func(a *Operands) float64 {
		dense.SolveLowerTRows(a.Arrays[0], a.Arrays[1], a.Lengths[0], a.Lengths[1])
		return 0
	},
	"SolveRows": func(a *Operands) float64 {
		dense.SolveRows(a.Arrays[0], a.Arrays[1], a.Lengths[0], a.Lengths[1])
		return 0
	},

	"RowsSquareOfSolve": func(a *Operands) float64 {
		dense.RowsSquareOfSolve(a.Arrays[0], a.Arrays[1], a.Arrays[2], a.Arrays[3], a.Lengths[0], a.Lengths[1])
		return 0
	},

	"LogSumExp": func(a *Operands) float64 {
		dense.LogSumExp(a.Arrays[0], a.Arrays[1], a.Lengths[0], a.Lengths[1])
		return 0
	},
	"Softmax": func(a *Operands) float64 {
		dense.Softmax(a.Arrays[0], a.Arrays[1], a.Arrays[2], a.Lengths[0], a.Lengths[1])
		return 0
	},
	"LogSumExpOf": func(a *Operands) float64 { return dense.LogSumExpOf(a.Arrays[0]) },
	"SoftmaxOf":   func(a *Operands) float64 { dense.SoftmaxOf(a.Arrays[0], a.Arrays[1]); return 0 },

	"Inverses":     of(special.Inverses),
	"InverseRoots": of(special.InverseRoots),

	"Exps":       of(special.Exps),
	"Logs":       of(special.Logs),
	"Expm1s":     of(special.Expm1s),
	"Log1ps":     of(special.Log1ps),
	"Sigmoids":   of(special.Sigmoids),
	"Softpluses": of(special.Softpluses),

	"LogNdtrs":   of(special.LogNdtrs),
	"NdtrRatios": of(special.NdtrRatios),

	"SoftplusSigmoids": ofTwo(special.SoftplusSigmoids),
	"LogNdtrRatios":    ofTwo(special.LogNdtrRatios),

	"LgammaDiffs":  ofGammas(special.LgammaDiffs),
	"DigammaDiffs": ofGammas(special.DigammaDiffs),
	"LgammaDigammaDiffs": func(a *Operands) float64 {
		special.LgammaDigammaDiffs(a.Arrays[0], a.Arrays[1], a.Arrays[2], a.Gammas)
		return 0
	},
	"TLogPDFs":    ofStudent(special.TLogPDFs),
	"TLogCDFs":    ofStudent(special.TLogCDFs),
	"TRatios":     ofStudent(special.TRatios),
	"TLogCDFDNus": ofStudent(special.TLogCDFDNus),
	"TLogCDFRatios": func(a *Operands) float64 {
		special.TLogCDFRatios(a.Arrays[0], a.Arrays[1], a.Arrays[2], a.Student)
		return 0
	},
	"TRatioDNus": func(a *Operands) float64 {
		special.TRatioDNus(a.Arrays[0], a.Arrays[1], a.Arrays[2], a.Student)
		return 0
	},
	"TLogCDFRatioDNus": func(a *Operands) float64 {
		special.TLogCDFRatioDNus(a.Arrays[0], a.Arrays[1], a.Arrays[2], a.Arrays[3], a.Student)
		return 0
	},
}

// ofGammas calls one with one result of what has been prepared.
func ofGammas(f func(dst, x []float64, g *special.GammaDiffs)) func(*Operands) float64 {
	return func(a *Operands) float64 {
		f(a.Arrays[0], a.Arrays[1], a.Gammas)
		return 0
	}
}

func ofStudent(f func(dst, x []float64, t *special.TDistribution)) func(*Operands) float64 {
	return func(a *Operands) float64 {
		f(a.Arrays[0], a.Arrays[1], a.Student)
		return 0
	}
}

// of calls a function over slices with one result.
func of(f func(dst, x []float64)) func(*Operands) float64 {
	return func(a *Operands) float64 {
		f(a.Arrays[0], a.Arrays[1])
		return 0
	}
}

// ofTwo calls one with two results.
func ofTwo(f func(first, second, x []float64)) func(*Operands) float64 {
	return func(a *Operands) float64 {
		f(a.Arrays[0], a.Arrays[1], a.Arrays[2])
		return 0
	}
}
