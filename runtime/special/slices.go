package special

import (
	"math"

	"github.com/sngdgen/sngdgen/runtime/vector"
)

// Functions over slices have the names of those of one number in the plural. Where the processor has AVX2 or AVX-512 they are kernels
// of runtime/vector, whose last bits differ from those of the functions of one number, but not between the two levels, and do not depend on
// what stands beside a number. Elsewhere they are loops over the functions of one number.
//
// All slices are as long as the first, which is written, and may be the one that is read. Nothing allocates.

// Inverses writes 1/x, rounded as in a loop.
func Inverses(dst, x []float64) {
	x = x[:len(dst)]
	if vector.On() {
		vector.Inverse(dst, x)
		return
	}
	for i, v := range x {
		dst[i] = 1 / v
	}
}

// InverseRoots writes 1/sqrt(x), rounded twice, as in a loop.
func InverseRoots(dst, x []float64) {
	x = x[:len(dst)]
	if vector.On() {
		vector.InverseRoot(dst, x)
		return
	}
	for i, v := range x {
		dst[i] = 1 / math.Sqrt(v)
	}
}

// Exps writes exp(x), to 1 ulp.
func Exps(dst, x []float64) {
	x = x[:len(dst)]
	if vector.On() {
		vector.Exp(dst, x)
		return
	}
	for i, v := range x {
		dst[i] = Exp(v)
	}
}

// Logs writes log(x), to 1 ulp.
func Logs(dst, x []float64) {
	x = x[:len(dst)]
	if vector.On() {
		vector.Log(dst, x)
		return
	}
	for i, v := range x {
		dst[i] = Log(v)
	}
}

// Expm1s writes exp(x) - 1, to 2 ulp.
func Expm1s(dst, x []float64) {
	x = x[:len(dst)]
	if vector.On() {
		vector.Expm1(dst, x)
		return
	}
	for i, v := range x {
		dst[i] = math.Expm1(v)
	}
}

// Log1ps writes log(1+x), to 2 ulp.
func Log1ps(dst, x []float64) {
	x = x[:len(dst)]
	if vector.On() {
		vector.Log1p(dst, x)
		return
	}
	for i, v := range x {
		dst[i] = math.Log1p(v)
	}
}

// Sigmoids writes Sigmoid(x), to 3 ulp.
func Sigmoids(dst, x []float64) {
	x = x[:len(dst)]
	if vector.On() {
		vector.Sigmoid(dst, x)
		return
	}
	for i, v := range x {
		dst[i] = Sigmoid(v)
	}
}

// Softpluses writes Softplus(x), to 3 ulp.
func Softpluses(dst, x []float64) {
	x = x[:len(dst)]
	if vector.On() {
		vector.Softplus(dst, x)
		return
	}
	for i, v := range x {
		dst[i] = Softplus(v)
	}
}

// SoftplusSigmoids writes Softplus(x) and Sigmoid(x), to the bit as Softpluses and Sigmoids do.
func SoftplusSigmoids(softplus, sigmoid, x []float64) {
	sigmoid, x = sigmoid[:len(softplus)], x[:len(softplus)]
	if vector.On() {
		vector.SoftplusSigmoid(softplus, sigmoid, x)
		return
	}
	for i, v := range x {
		softplus[i], sigmoid[i] = SoftplusSigmoid(v)
	}
}

// LogNdtrs writes LogNdtr(x), to the bit as LogNdtrRatios does.
func LogNdtrs(dst, x []float64) {
	x = x[:len(dst)]
	if vector.On() {
		vector.LogNdtr(dst, x)
		return
	}
	for i, v := range x {
		dst[i] = LogNdtr(v)
	}
}

// NdtrRatios writes NdtrRatio(x), to the bit as LogNdtrRatios does.
func NdtrRatios(dst, x []float64) {
	x = x[:len(dst)]
	if vector.On() {
		vector.NdtrRatio(dst, x)
		return
	}
	for i, v := range x {
		dst[i] = NdtrRatio(v)
	}
}

// LogNdtrRatios writes LogNdtr(x) and NdtrRatio(x), to 4 ulp.
func LogNdtrRatios(log, ratio, x []float64) {
	ratio, x = ratio[:len(log)], x[:len(log)]
	if vector.On() {
		vector.LogNdtrRatio(log, ratio, x)
		return
	}
	for i, v := range x {
		log[i], ratio[i] = LogNdtrRatio(v)
	}
}
