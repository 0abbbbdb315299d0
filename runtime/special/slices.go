package special

import (
	"math"

	"github.com/sngdgen/sngdgen/runtime/vector"
	_ "github.com/sngdgen/sngdgen/runtime/vector/environment" // SNGDGEN_KERNELS
)

// Functions over slices have the names of those of one number in the plural. Where the processor has AVX2 or AVX-512 they are kernels
// of runtime/vector, whose last bits differ from those of the functions of one number, but not between the two levels, and do not depend on
// what stands beside a number. Elsewhere they are loops over the functions of one number.
//
// All slices are as long as the first, which is written, and may be the one that is read. Nothing allocates.

// Exps writes exp(x), to 1 ulp.
func Exps(dst, x []float64) {
	if vector.On() {
		vector.Exp(dst, x)
		return
	}
	each(dst, x, Exp)
}

// Logs writes log(x), to 1 ulp.
func Logs(dst, x []float64) {
	if vector.On() {
		vector.Log(dst, x)
		return
	}
	each(dst, x, Log)
}

// Expm1s writes exp(x) - 1, to 2 ulp.
func Expm1s(dst, x []float64) {
	if vector.On() {
		vector.Expm1(dst, x)
		return
	}
	each(dst, x, math.Expm1)
}

// Log1ps writes log(1+x), to 2 ulp.
func Log1ps(dst, x []float64) {
	if vector.On() {
		vector.Log1p(dst, x)
		return
	}
	each(dst, x, math.Log1p)
}

// Sigmoids writes Sigmoid(x), to 3 ulp.
func Sigmoids(dst, x []float64) {
	if vector.On() {
		vector.Sigmoid(dst, x)
		return
	}
	each(dst, x, Sigmoid)
}

// Softpluses writes Softplus(x), to 3 ulp.
func Softpluses(dst, x []float64) {
	if vector.On() {
		vector.Softplus(dst, x)
		return
	}
	each(dst, x, Softplus)
}

// SoftplusSigmoids writes Softplus(x) and Sigmoid(x), to the bit.
func SoftplusSigmoids(softplus, sigmoid, x []float64) {
	if vector.On() {
		vector.SoftplusSigmoid(softplus, sigmoid, x)
		return
	}
	eachPair(softplus, sigmoid, x, SoftplusSigmoid)
}

func each(dst, x []float64, f func(float64) float64) {
	x = x[:len(dst)]
	for i, v := range x {
		dst[i] = f(v)
	}
}

func eachPair(first, second, x []float64, f func(float64) (float64, float64)) {
	x, second = x[:len(first)], second[:len(first)]
	for i, v := range x {
		first[i], second[i] = f(v)
	}
}
