package dense_test

import (
	"testing"

	"github.com/sngdgen/sngdgen/runtime/dense"
)

// Rows less a vector are the differences, whatever their length, also where they are written over what they are of.
func TestRowsLess(t *testing.T) {
	for d := range 40 {
		for _, b := range []int{0, 1, 7} {
			d := d + 1
			x, v, dst := make([]float64, b*d), make([]float64, d), make([]float64, b*d)
			for i := range x {
				x[i] = 1 / float64(i+3)
			}
			for j := range v {
				v[j] = float64(j) / 7
			}
			dense.RowsLess(dst, x, v, b, d)
			for i := range dst {
				if want := x[i] - v[i%d]; dst[i] != want {
					t.Fatalf("%d rows of %d: entry %d is %v, not %v", b, d, i, dst[i], want)
				}
			}
			for i, y := range dense.RowsLess(x, x, v, b, d) {
				if y != dst[i] {
					t.Fatalf("%d rows of %d in place: entry %d is %v, not %v", b, d, i, y, dst[i])
				}
			}
		}
	}
}
