package table

import "bytes"

// Most texts are lines of numbers and little else. Stretches of such lines are read without asking for each row: nothing can be said about
// them, and everything else is left to the reader of rows.

// mostAhead is about how many numbers a stretch has at most.
const mostAhead = 1 << 12

// stretch is lines that follow each other, each with as many cells as there are to be, of which those that are read are finite numbers.
type stretch struct {
	values    []float64 // row by row
	positions []int32   // of the values within their lines, from 1
	first     int       // number of the first line
	rows      int
	extents   []extent // of the line
}

// ahead reads the stretch behind the row, as far as it is buffered. It has no rows where the next line is another one.
func (t *textRows) ahead(l *layout) *stretch {
	s := &t.stretch
	s.values, s.positions, s.rows, s.first = s.values[:0], s.positions[:0], 0, t.at+1
	if t.blank != 0 { // which is said of the next row
		return s
	}
	for len(s.values) < mostAhead {
		text := t.lines.text[:t.quote]
		n := bytes.IndexByte(text, '\n') + 1
		if n == 0 || !s.row(withoutEnd(text[:n]), t, l) {
			break
		}
		t.skip(n)
		s.rows++
	}
	return s
}

// row reads a line, and reports whether it belongs to the stretch.
func (s *stretch) row(line []byte, t *textRows, l *layout) bool {
	if len(line) == 0 || line[0] == '#' {
		return false
	}
	if l.width == 1 && t.separator != '\t' { // a separator in it would be in no number
		s.extents = append(s.extents[:0], extent{0, len(line)})
	} else if s.extents = cut(s.extents[:0], line, byte(t.separator)); len(s.extents) != l.width {
		return false
	}
	before := len(s.values)
	for _, c := range l.columns {
		cell := s.extents[c]
		x := parseCell(line[cell.from:cell.to], t.decimalComma)
		if x-x != 0 { // not finite
			s.values, s.positions = s.values[:before], s.positions[:before]
			return false
		}
		s.values = append(s.values, x)
		s.positions = append(s.positions, int32(cell.from+1))
	}
	return true
}
