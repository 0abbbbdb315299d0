package methods

import (
	"fmt"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/gen/bind"
	"github.com/sngdgen/sngdgen/gen/plan"
	"github.com/sngdgen/sngdgen/runtime/types"
)

// Widths says how many columns rows of data have that consist of parts, with L the length of the one dimension that is no number:
// Fixed + Times L + Squares L^2.
type Widths struct {
	Fixed, Times, Squares int
	Unknown               expr.Dim
}

// WidthsOf counts the columns of parts.
func WidthsOf(parts []bind.Param) Widths {
	var w Widths
	for _, q := range parts {
		switch times, names := WidthOf(q.Sym.Type); {
		case len(names) == 0:
			w.Fixed += times
		default:
			w.know(names[0])
			if w.know(names[len(names)-1]); len(names) == 2 {
				w.Squares += times
			} else {
				w.Times += times
			}
		}
	}
	return w
}

// WidthOf is how many numbers a value has: so many times the product of the dimensions that are no numbers.
func WidthOf(t expr.Type) (times int, names []expr.Dim) {
	times = 1
	for _, d := range t.Dims[:t.Rank] {
		if d.Name == "" {
			times *= d.Size
		} else {
			names = append(names, d)
		}
	}
	return times, names
}

// Width is how many numbers a value has where the dimension that is no number is so long.
func Width(t expr.Type, length int) int {
	times, names := WidthOf(t)
	for range names {
		times *= length
	}
	return times
}

// InParts reports whether the rows of the data of a target are taken in parts: several, or one of numbers of entries or matrices, whose
// lengths the data say.
func InParts(t *bind.Density) bool {
	x := t.Variable
	return len(t.Record()) > 1 || x.Kind.Type.Entry.Numbers || x.Sym.Type.Rank == 2
}

// Packed reports whether the rows of the data may be given by the lower triangle of a matrix alone.
func Packed(t *bind.Density) bool {
	form := t.Variable.Kind.Type.Form
	return len(t.Record()) == 1 && form.Square() && form.Structure&(types.Symmetric|types.LowerTriangular) != 0
}

// know notes a dimension that is no number: there is one, as the number of columns says one length.
func (w *Widths) know(d expr.Dim) {
	if w.Unknown.Name != "" && w.Unknown != d {
		panic(plan.Unsupported(fmt.Sprintf("data of two dimensions that are not numbers, %[1]s and %[2]s: "+
			"pin one of them, as in dimensions: {%[1]s: 2}", w.Unknown, d)))
	}
	w.Unknown = d
}
