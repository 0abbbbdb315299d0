package table

import (
	"bytes"
	"sync"
)

// Most texts are lines of numbers and little else. Stretches of such lines are read without asking for each row: nothing can be said about
// them, and everything else is left to the reader of rows. So they are read by several workers at once, each some of the lines.

// share is how many bytes of text are worth a worker.
const share = 1 << 16

// stretches are those behind a row.
type stretches struct {
	workers int
	share   int // bytes for each of them
	// reach is how many bytes are looked at. It begins with a share, and doubles until something else ends a stretch: what has been read
	// behind that is read again.
	reach int
	parts []stretch
}

// stretch is lines that follow each other, each with as many cells as there are to be, of which those that are read are finite numbers.
type stretch struct {
	values    []float64 // row by row
	positions []int32   // of the values within their lines, from 1
	first     int       // number of the first line
	rows      int
	bytes     int      // of its lines
	extents   []extent // of the line
}

// ahead reads stretches behind the row, as far as that is buffered. They have no rows where the next line is another one.
func (t *textRows) ahead(l *layout) []stretch {
	if t.blank != 0 { // which is said of the next row
		return nil
	}
	a := &t.stretches
	a.reach = max(a.reach, a.share)
	text := t.lines.text[:min(t.quote, a.reach)]
	text = text[:bytes.LastIndexByte(text, '\n')+1]
	pieces := a.pieces(text)
	var others sync.WaitGroup
	for k := range pieces[1:] {
		others.Go(func() { a.parts[k+1] = a.parts[k+1].read(pieces[k+1], t, l) })
	}
	a.parts[0] = a.parts[0].read(pieces[0], t, l)
	others.Wait()
	for k, piece := range pieces {
		s := &a.parts[k]
		s.first = t.at + 1
		t.skip(s.bytes, s.rows)
		if s.bytes < len(piece) {
			a.reach = a.share
			return a.parts[:k+1]
		}
	}
	a.reach = min(2*a.reach, buffered)
	return a.parts[:len(pieces)]
}

// pieces are the lines of a text for each worker, one or more, and there is a part for each.
func (a *stretches) pieces(text []byte) [][]byte {
	n := max(1, min(a.workers, len(text)/a.share))
	for len(a.parts) < n {
		a.parts = append(a.parts, stretch{})
	}
	out := make([][]byte, n)
	for k := range out {
		end := len(text) / (n - k)
		end += find(text[end:], '\n') + 1
		end = min(end, len(text))
		out[k], text = text[:end], text[end:]
	}
	return out
}

// read reads lines, up to the first that is another one, into the memory of a stretch. It works on a copy: what two processors write to must not lie
// side by side.
func (s stretch) read(lines []byte, t *textRows, l *layout) stretch {
	s.values, s.positions, s.rows, s.bytes = s.values[:0], s.positions[:0], 0, 0
	for s.bytes < len(lines) {
		line := lines[s.bytes:]
		line = line[:bytes.IndexByte(line, '\n')+1]
		if !s.row(withoutEnd(line), t, l) {
			break
		}
		s.bytes += len(line)
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
