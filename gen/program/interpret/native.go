package interpret

import (
	"github.com/sngdgen/sngdgen/gen/program"
	"github.com/sngdgen/sngdgen/runtime/dense"
)

// Natives are the kernels as generated code calls them, by name.
var Natives = map[string]func(*program.Activation) float64{
	"clear": func(a *program.Activation) float64 { clear(a.Arrays["dst"]); return 0 },
	"copy":  func(a *program.Activation) float64 { copy(a.Arrays["dst"], a.Arrays["x"]); return 0 },
	"Scale": func(a *program.Activation) float64 {
		dense.Scale(a.Arrays["dst"], a.Numbers["a"], a.Arrays["x"])
		return 0
	},
	"Range": func(a *program.Activation) float64 { dense.Range(a.Arrays["dst"]); return 0 },
	"Dot":   func(a *program.Activation) float64 { return dense.Dot(a.Arrays["x"], a.Arrays["y"]) },

	"Mirror":     func(a *program.Activation) float64 { dense.Mirror(a.Arrays["dst"], a.Lengths["d"]); return 0 },
	"Cumulative": func(a *program.Activation) float64 { dense.Cumulative(a.Arrays["dst"]); return 0 },
	"Remaining":  func(a *program.Activation) float64 { dense.Remaining(a.Arrays["dst"]); return 0 },
	"CumulativeRows": func(a *program.Activation) float64 {
		dense.CumulativeRows(a.Arrays["dst"], a.Lengths["r"], a.Lengths["d"])
		return 0
	},
	"RemainingRows": func(a *program.Activation) float64 {
		dense.RemainingRows(a.Arrays["dst"], a.Lengths["r"], a.Lengths["d"])
		return 0
	},
	"LowerHalf": func(a *program.Activation) float64 { dense.LowerHalf(a.Arrays["dst"], a.Lengths["d"]); return 0 },
	"DiagOf": func(a *program.Activation) float64 {
		dense.DiagOf(a.Arrays["dst"], a.Arrays["a"], a.Lengths["d"])
		return 0
	},
	"Transpose": func(a *program.Activation) float64 {
		dense.Transpose(a.Arrays["dst"], a.Arrays["a"], a.Lengths["r"], a.Lengths["c"])
		return 0
	},

	"MulVec": func(a *program.Activation) float64 {
		dense.MulVec(a.Arrays["dst"], a.Arrays["a"], a.Arrays["x"], a.Lengths["r"], a.Lengths["c"])
		return 0
	},
	"MulTVec": func(a *program.Activation) float64 {
		dense.MulTVec(a.Arrays["dst"], a.Arrays["a"], a.Arrays["x"], a.Lengths["r"], a.Lengths["c"])
		return 0
	},
	"AddMulTVec": func(a *program.Activation) float64 {
		dense.AddMulTVec(a.Arrays["dst"], a.Numbers["alpha"], a.Arrays["a"], a.Arrays["x"], a.Lengths["r"], a.Lengths["c"])
		return 0
	},
	"RowsDot": func(a *program.Activation) float64 {
		dense.RowsDot(a.Arrays["dst"], a.Arrays["x"], a.Arrays["y"], a.Lengths["b"], a.Lengths["d"])
		return 0
	},
	"RowsSquare": func(a *program.Activation) float64 {
		dense.RowsSquare(a.Arrays["dst"], a.Arrays["x"], a.Lengths["b"], a.Lengths["d"])
		return 0
	},

	"Mul": func(a *program.Activation) float64 {
		dense.Mul(a.Arrays["dst"], a.Arrays["a"], a.Arrays["b"], a.Lengths["m"], a.Lengths["k"], a.Lengths["n"])
		return 0
	},
	"MulNT": func(a *program.Activation) float64 {
		dense.MulNT(a.Arrays["dst"], a.Arrays["a"], a.Arrays["b"], a.Lengths["m"], a.Lengths["k"], a.Lengths["n"])
		return 0
	},
	"AddWeightedGram": func(a *program.Activation) float64 {
		dense.AddWeightedGram(a.Arrays["dst"], a.Arrays["w"], a.Arrays["x"], a.Arrays["scratch"], a.Lengths["b"], a.Lengths["d"])
		return 0
	},
	"AddWeightedCross": func(a *program.Activation) float64 {
		dense.AddWeightedCross(a.Arrays["dst"], a.Arrays["w"], a.Arrays["x"], a.Arrays["y"], a.Arrays["scratch"],
			a.Lengths["b"], a.Lengths["r"], a.Lengths["c"])
		return 0
	},

	"Cholesky": func(a *program.Activation) float64 {
		a.Indefinite = !dense.Cholesky(a.Arrays["dst"], a.Arrays["a"], a.Lengths["d"])
		return 0
	},
	"LogDet": func(a *program.Activation) float64 { return dense.LogDet(a.Arrays["l"], a.Lengths["d"]) },
	"InverseFromCholesky": func(a *program.Activation) float64 {
		dense.InverseFromCholesky(a.Arrays["dst"], a.Arrays["l"], a.Lengths["d"])
		return 0
	},
	"TraceOfInverse": func(a *program.Activation) float64 {
		return dense.TraceOfInverse(a.Arrays["l"], a.Arrays["scratch"], a.Lengths["d"])
	},
	"DiagOfSolve": func(a *program.Activation) float64 {
		dense.DiagOfSolve(a.Arrays["dst"], a.Arrays["l"], a.Arrays["s"], a.Arrays["scratch"], a.Lengths["d"])
		return 0
	},

	"SolveLower": func(a *program.Activation) float64 {
		dense.SolveLower(a.Arrays["x"], a.Arrays["l"], a.Lengths["d"])
		return 0
	},
	"SolveLowerT": func(a *program.Activation) float64 {
		dense.SolveLowerT(a.Arrays["x"], a.Arrays["l"], a.Lengths["d"])
		return 0
	},
	"Solve": func(a *program.Activation) float64 {
		dense.Solve(a.Arrays["x"], a.Arrays["l"], a.Lengths["d"])
		return 0
	},
	"SolveLowerRows": func(a *program.Activation) float64 {
		dense.SolveLowerRows(a.Arrays["x"], a.Arrays["l"], a.Lengths["b"], a.Lengths["d"])
		return 0
	},
	"SolveLowerTRows": func(a *program.Activation) float64 {
		dense.SolveLowerTRows(a.Arrays["x"], a.Arrays["l"], a.Lengths["b"], a.Lengths["d"])
		return 0
	},
	"SolveRows": func(a *program.Activation) float64 {
		dense.SolveRows(a.Arrays["x"], a.Arrays["l"], a.Lengths["b"], a.Lengths["d"])
		return 0
	},

	"LogSumExp": func(a *program.Activation) float64 {
		dense.LogSumExp(a.Arrays["dst"], a.Arrays["terms"], a.Lengths["b"], a.Lengths["k"])
		return 0
	},
	"Softmax": func(a *program.Activation) float64 {
		dense.Softmax(a.Arrays["resp"], a.Arrays["dst"], a.Arrays["terms"], a.Lengths["b"], a.Lengths["k"])
		return 0
	},
	"LogSumExpOf": func(a *program.Activation) float64 { return dense.LogSumExpOf(a.Arrays["terms"]) },
	"SoftmaxOf":   func(a *program.Activation) float64 { dense.SoftmaxOf(a.Arrays["dst"], a.Arrays["terms"]); return 0 },
}
