// Package diag holds what is said about a faulty spec: where it stands, what is wrong, and what may help. A diagnostic
// points into a source with a span of bytes; lines, columns and carets are worked out only when it is printed.
package diag

import (
	"sort"
	"strconv"
	"sync"
	"unicode/utf8"
)

// Source is a text that diagnostics point into. Text must not change once a diagnostic has been made about it.
type Source struct {
	Name string
	Text []byte

	once  sync.Once
	lines []int  // offset at which each line starts
	wide  []bool // whether each line holds runes of several bytes: else columns are bytes
}

// NewSource returns a source with the given name and text.
func NewSource(name string, text []byte) *Source {
	return &Source{Name: name, Text: text}
}

// starts returns the offsets at which the lines start. They are found once, at the first question.
func (s *Source) starts() []int {
	s.once.Do(func() {
		s.lines, s.wide = []int{0}, []bool{false}
		for i, b := range s.Text {
			if b == '\n' {
				s.lines, s.wide = append(s.lines, i+1), append(s.wide, false)
			}
			if b >= utf8.RuneSelf {
				s.wide[len(s.wide)-1] = true
			}
		}
	})
	return s.lines
}

// clamp brings an offset inside the text, so that no span, however wrong, makes printing panic.
func (s *Source) clamp(offset int) int {
	return min(max(offset, 0), len(s.Text))
}

// Position returns the line and the column of a byte offset, both counted from 1; columns count runes.
func (s *Source) Position(offset int) (line, column int) {
	offset = s.clamp(offset)
	starts := s.starts()
	line = sort.Search(len(starts), func(i int) bool { return starts[i] > offset })
	return line, utf8.RuneCount(s.Text[starts[line-1]:offset]) + 1
}

// Offset returns the byte offset of a line and a column counted in runes, both from 1. Places outside the text are
// moved to the nearest place inside the line, or inside the text.
func (s *Source) Offset(line, column int) int {
	starts := s.starts()
	if line < 1 {
		return 0
	}
	if line > len(starts) {
		return len(s.Text)
	}
	offset := starts[line-1]
	end := s.lineEnd(line)
	if !s.wide[line-1] {
		return min(offset+max(column-1, 0), end)
	}
	for ; column > 1 && offset < end; column-- {
		_, size := utf8.DecodeRune(s.Text[offset:end])
		offset += size
	}
	return offset
}

// Lines returns the number of lines, at least one.
func (s *Source) Lines() int { return len(s.starts()) }

// Line returns the text of a line, counted from 1, without its line break; it is empty for a line that is not there.
func (s *Source) Line(line int) string {
	starts := s.starts()
	if line < 1 || line > len(starts) {
		return ""
	}
	return string(s.Text[starts[line-1]:s.lineEnd(line)])
}

// lineEnd returns the offset at which a line that is there ends, its break left out.
func (s *Source) lineEnd(line int) int {
	end := len(s.Text)
	if starts := s.starts(); line < len(starts) {
		end = starts[line] - 1
	}
	if end > s.lines[line-1] && s.Text[end-1] == '\r' {
		end--
	}
	return end
}

// Span is a half-open range of bytes of a source. The zero Span points nowhere.
type Span struct {
	Source     *Source
	Start, End int
}

// IsZero reports whether the span points nowhere.
func (s Span) IsZero() bool { return s.Source == nil }

// Text returns the bytes the span covers.
func (s Span) Text() string {
	if s.Source == nil {
		return ""
	}
	start, end := s.bounds()
	return string(s.Source.Text[start:end])
}

// bounds returns the range, forced inside the text and into order.
func (s Span) bounds() (start, end int) {
	start = s.Source.clamp(s.Start)
	return start, max(start, s.Source.clamp(s.End))
}

// String returns the position as name:line:column, or nothing for a span that points nowhere.
func (s Span) String() string {
	if s.Source == nil {
		return ""
	}
	line, column := s.Source.Position(s.Start)
	return s.Source.Name + ":" + strconv.Itoa(line) + ":" + strconv.Itoa(column)
}
