// Package support is what generated packages share and people do not call: the rows that a model holds, checks of data, batches and
// sizes, groups of rows for the starts of mixtures. What it does is seen through runtime.Model.
package support

import (
	"fmt"

	"github.com/sngdgen/sngdgen/runtime"
	_ "github.com/sngdgen/sngdgen/runtime/vector/environment" // SNGDGEN_KERNELS, for packages of numbers alone
)

// Make gives fields of a model n numbers each, which are 0.
func Make(n int, fields ...*[]float64) {
	for _, f := range fields {
		*f = make([]float64, n)
	}
}

// Grow returns a slice of length n, with the memory of x when it is long enough. The contents are unspecified.
func Grow(x []float64, n int) []float64 {
	if cap(x) < n {
		return make([]float64, n)
	}
	return x[:n]
}

// CheckSizes reports what is wrong with sizes for the dimensions of a model.
func CheckSizes(info *runtime.Info, sizes []int) error {
	switch n := len(info.Dims); {
	case n == 0:
		return fmt.Errorf("%s has no dimensions", info.Name)
	case len(sizes) != n:
		return fmt.Errorf("%s has %s, not %d", info.Name, plural(n, "dimension"), len(sizes))
	}
	for i, size := range sizes {
		if size < 1 {
			return fmt.Errorf("dimension %s cannot be %d", info.Dims[i], size)
		}
	}
	return nil
}
