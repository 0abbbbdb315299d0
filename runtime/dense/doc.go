// Package dense is serial dense linear algebra for generated code: no function allocates, at any size, or starts a
// goroutine, and every result depends on the operands alone.
//
// Operands are plain slices. A matrix is stored in full, row by row, without gaps, and its lengths are passed as
// numbers; a symmetric matrix has both of its triangles. A block of rows is a b x d matrix with an observation a row,
// so that functions on Rows apply to every observation. What is written comes first. Operands must not overlap with
// what is written unless the function says so, and a slice may be longer than its matrix. Any length may be 0. A slice
// that is too short makes a panic.
//
// Where the processor has AVX2 or AVX-512, the kernels of runtime/vector do most of the work. Elsewhere, or with SNGDGEN_KERNELS=go
// in the environment, everything rests on one kernel, the product of a matrix and a vector (gonum's Dgemv). It takes four rows of the
// matrix at once, so that a product of two matrices made of it, in blocks that stay in the cache, runs at about twice
// the speed of gonum's Dgemm; and Dgemm would start goroutines. Triangular solves, factors and inverses are products of
// blocks in turn (Golub and Van Loan 2013, Matrix Computations, sections 1.6 and 4.2.6). The smallest operands are left
// to plain loops, where a call would cost more than the work.
//
// LogSumExp and Softmax are for mixtures, with blocks stored component after component, and an exponential of their own.
package dense

import (
	"gonum.org/v1/gonum/blas/gonum"

	_ "github.com/sngdgen/sngdgen/runtime/vector/environment" // SNGDGEN_KERNELS
)

// kernel gives the assembly kernels. It is named here, not taken from blas64, whose implementation a program may
// replace by one that allocates.
var kernel gonum.Implementation
