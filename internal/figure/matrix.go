package figure

import (
	"math"

	"github.com/sngdgen/sngdgen/runtime/types"
)

// determined reports whether observations are matrices of which the lower triangle says everything.
func (s *Subject) determined() bool {
	return s.Form != nil && s.Form.Square() && s.Form.Structure&(types.Symmetric|types.LowerTriangular) != 0
}

// packed reports whether rows of the data have the lower triangle of matrices with so many entries. Both are known of draws alone: 36
// numbers are a triangle or a whole matrix.
func (s *Subject) packed(entries int) bool {
	return s.determined() && entries > s.width() && len(lowerTriangle(entries)) == s.width()
}

// free are the columns of the data that are shown: those that others do not determine. The draws have so many columns, 0 where there are none.
func (s *Subject) free(drawn int) (columns []int) {
	all := make([]int, s.width())
	for c := range all {
		all[c] = c
	}
	entries := max(drawn, s.width())
	if !s.determined() || len(lowerTriangle(entries)) == 0 {
		return all
	}
	lower := lowerTriangle(entries)
	side := sideOf(entries)
	for at, entry := range lower {
		c := entry
		if s.packed(entries) {
			c = at
		}
		if s.Form.Has(types.UnitDiagonal) && types.OnDiagonal(entry, side) {
			continue
		}
		columns = append(columns, c)
	}
	return columns
}

// lowerTriangle are the places of the entries on and below the diagonal of a square matrix, row by row; none where there is no such matrix.
func lowerTriangle(entries int) (places []int) {
	side := sideOf(entries)
	for i := range side {
		for j := range i + 1 {
			places = append(places, i*side+j)
		}
	}
	return places
}

// sideOf is how many rows a square matrix of so many entries has, 0 where there is none.
func sideOf(entries int) int {
	side := int(math.Round(math.Sqrt(float64(entries))))
	if side*side != entries {
		return 0
	}
	return side
}
