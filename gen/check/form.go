package check

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/expr/eval"
	"github.com/sngdgen/sngdgen/runtime/types"
)

// formTolerance is how far a diagonal or a sum may be from 1 by rounding.
const formTolerance = 1e-9

// isSimplex reports whether a type is that of vectors, or of numbers of the components, whose sum is 1.
func isSimplex(k expr.Kind) bool { return k.Type.Form != nil && k.Type.Form.Has(types.SumsToOne) }

// isStochastic reports whether a type is that of matrices whose rows sum to 1.
func isStochastic(k expr.Kind) bool { return k.Type.Form != nil && k.Type.Form.Has(types.RowsSumToOne) }

// isDirection reports whether a type is that of vectors of length 1.
func isDirection(k expr.Kind) bool { return k.Type.Form != nil && k.Type.Form.Has(types.UnitLength) }

// misshapen says what is wrong with the form of a value of a type, beyond what its range and its definiteness ask: what
// no condition of the domain looks at. It is "" where nothing is.
func misshapen(v eval.Value, k expr.Kind) string {
	if isSimplex(k) {
		sum := 0.0
		for _, x := range numbers(v) {
			sum += x
		}
		if !(math.Abs(sum-1) <= formTolerance) {
			return fmt.Sprintf("its sum is %.6g", sum)
		}
	}
	if form := k.Type.Form; form != nil && form.Structure&(types.Increasing|types.UnitLength|types.RowsSumToOne) != 0 {
		for _, part := range parts(v) {
			m := matrix(part)
			if err := form.Check(m.RawMatrix().Data, m.RawMatrix().Rows, "it"); err != nil {
				return err.Error()
			}
		}
	}
	for _, part := range parts(v) {
		if what := misshapenMatrix(matrix(part), k); what != "" {
			return what
		}
	}
	return ""
}

// misshapenMatrix says what is wrong with the diagonal of a matrix.
func misshapenMatrix(m *mat.Dense, k expr.Kind) string {
	if k.Structure&expr.UnitDiagonal != 0 {
		d, _ := m.Dims()
		for i := range d {
			if !(math.Abs(m.At(i, i)-1) <= formTolerance) {
				return fmt.Sprintf("its diagonal is %s", text(eval.Core(diagonal(m)), 6))
			}
		}
	}
	return ""
}

func diagonal(m *mat.Dense) *mat.Dense {
	d, _ := m.Dims()
	out := mat.NewDense(d, 1, nil)
	for i := range d {
		out.Set(i, 0, m.At(i, i))
	}
	return out
}

// ofKind reports whether a value is of a type.
func ofKind(v eval.Value, k expr.Kind) bool {
	r := k.Range
	if k.Structure&expr.UnitDiagonal != 0 { // what is definite and has a diagonal of ones has its entries between -1 and 1
		r = expr.Real
	}
	if e := k.Type.Entry; e.Of != nil && slices.ContainsFunc(numbers(v), func(x float64) bool { return !e.Contains(x) }) {
		return false
	}
	return within(v, r) && misshapen(v, k) == "" && (k.Structure&expr.PositiveDefinite == 0 || allDefinite(v))
}
