package support

import (
	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/types"
)

// Unpacked returns rows of symmetric or triangular matrices with all of their entries, where they have those of the lower triangle, row
// by row: 1,1, 2,1, 2,2, 3,1 and so on. So many columns may be either, as 36 are: they are all entries where every row is such a
// matrix. Other rows are returned as they are, and what is no such matrix is an error about the columns that there are.
func Unpacked(d runtime.Data, typ types.Type, name string) (runtime.Data, error) {
	out, err := unpacked(d, typ, name)
	return out, Agreed(d.Others, err)
}

func unpacked(d runtime.Data, typ types.Type, name string) (runtime.Data, error) {
	side := packedSide(d.Columns)
	if side < 2 || len(d.Values)%d.Columns != 0 || whole(d, typ.Form) {
		return d, nil
	}
	out := runtime.Data{Columns: side * side, Weights: d.Weights, Others: d.Others, Values: make([]float64, 0, len(d.Values)/d.Columns*side*side)}
	m, matrix := newMatrices(typ.Form, side, name), make([]float64, side*side)
	for at := 0; at < len(d.Values); at += d.Columns {
		m.unpack(matrix, d.Values[at:at+d.Columns])
		bad := m.entries(matrix, typ.Entry)
		if bad == nil {
			bad = m.check(matrix)
		}
		if bad != nil {
			i, j := bad.Column/side, bad.Column%side
			bad.Row, bad.Column, bad.Columns = at/d.Columns, i*(i+1)/2+j, d.Columns
			return d, bad
		}
		out.Values = append(out.Values, matrix...)
	}
	return out, nil
}

// unpack writes all entries of a matrix of which there is the lower triangle.
func (m *matrices) unpack(to, row []float64) {
	for i := range m.side {
		for j := range i + 1 {
			to[i*m.side+j] = row[i*(i+1)/2+j]
			if m.form.Has(types.Symmetric) {
				to[j*m.side+i] = to[i*m.side+j]
			}
		}
	}
}

// entries finds an entry that is no such number.
func (m *matrices) entries(a []float64, entry *types.Entry) *runtime.DataError {
	for k, x := range a {
		if !entry.Contains(x) {
			return m.wrong(x, k/m.side, k%m.side, entry.Want)
		}
	}
	return nil
}

// packedSide is how many rows a matrix has with so many entries in its lower triangle, 0 where there is none.
func packedSide(columns int) int {
	side := 0
	for side*(side+1)/2 < columns {
		side++
	}
	if side*(side+1)/2 != columns {
		return 0
	}
	return side
}

// whole reports whether all rows are square matrices of a form.
func whole(d runtime.Data, form *types.Form) bool {
	side := Side(d.Columns, 0, 0, 1)
	if side == 0 {
		return false
	}
	for at := 0; at < len(d.Values); at += d.Columns {
		if form.Check(d.Values[at:at+d.Columns], side, "it") != nil {
			return false
		}
	}
	return true
}
