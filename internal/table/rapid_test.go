package table

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	_ "github.com/sngdgen/sngdgen/internal/testseed"
)

// file is a data file drawn at random, with what a reader must find in it.
type file struct {
	text   strings.Builder
	line   int
	o      Options
	values []float64
	lines  []int32 // of each row
	cells  []int32 // position of the chosen cell of each row
}

// drawFile draws a well-formed file with one chosen column.
func drawFile(t *rapid.T) *file {
	f := &file{line: 1}
	width := rapid.IntRange(1, 4).Draw(t, "width")
	chosen := rapid.IntRange(0, width-1).Draw(t, "chosen")
	separator := rapid.SampledFrom([]string{",", ";", "\t"}).Draw(t, "separator")
	end := rapid.SampledFrom([]string{"\n", "\r\n"}).Draw(t, "end")
	if width > 1 {
		f.o.Columns = []string{strconv.Itoa(chosen + 1)}
	}
	if rapid.Bool().Draw(t, "mark") {
		f.text.WriteString("\ufeff")
	}
	if rapid.Bool().Draw(t, "header") {
		for c := range width {
			f.cell(c, fmt.Sprintf("name%d", c), separator)
		}
		f.end(end)
	}
	for range rapid.IntRange(1, 30).Draw(t, "rows") {
		f.interrupt(t, width, end)
		f.row(t, width, chosen, separator)
		f.end(end)
	}
	return f
}

// interrupt may write a comment or, where it means nothing, an empty line.
func (f *file) interrupt(t *rapid.T, width int, end string) {
	switch rapid.IntRange(0, 9).Draw(t, "interrupt") {
	case 0:
		f.text.WriteString("# 1,2;3\t4")
		f.end(end)
	case 1:
		if width > 1 {
			f.end(end)
		}
	}
}

func (f *file) row(t *rapid.T, width, chosen int, separator string) {
	start := f.text.Len()
	for c := range width {
		x := rapid.Float64Range(-1e300, 1e300).Draw(t, "x")
		s := rapid.SampledFrom([]string{"%v", "\"%v\"", " %v", "%v "}).Draw(t, "form")
		if c == chosen {
			f.values = append(f.values, x)
			f.lines = append(f.lines, int32(f.line))
			at := f.text.Len() - start + 1 // of the cell, that is behind the separator
			if c > 0 {
				at++
			}
			f.cells = append(f.cells, int32(at))
		}
		f.cell(c, fmt.Sprintf(s, x), separator)
	}
}

func (f *file) cell(c int, text, separator string) {
	if c > 0 {
		f.text.WriteString(separator)
	}
	f.text.WriteString(text)
}

func (f *file) end(end string) {
	f.text.WriteString(end)
	f.line++
}

// TestReadAnything reads well-formed files and finds every number, and the place of every number.
func TestReadAnything(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := drawFile(t)
		got, err := Read(strings.NewReader(f.text.String()), f.o)
		if err != nil {
			t.Fatalf("%v\nin %q", err, f.text.String())
		}
		if !slices.Equal(got.Values, f.values) {
			t.Fatalf("got %v, want %v", got.Values, f.values)
		}
		if !slices.Equal(got.lines.all(), f.lines) {
			t.Fatalf("lines %v, want %v in %q", got.lines.all(), f.lines, f.text.String())
		}
		for i, at := range got.cells { // encoding/csv counts a quoted cell from its quote or from behind it
			if at != f.cells[i] && at != f.cells[i]+1 {
				t.Fatalf("row %d: cell at %d, want %d in %q", i, at, f.cells[i], f.text.String())
			}
		}
	})
}

// TestReadFaults replaces one number by something else and gets exactly that place back.
func TestReadFaults(t *testing.T) {
	bad := []string{"", " ", "many", "NaN", "Inf", "-inf", "NA", "1,5", "0x", "1e999", "1 2"}
	rapid.Check(t, func(t *rapid.T) {
		rows := rapid.IntRange(3, 40).Draw(t, "rows")
		row := rapid.IntRange(1, rows-1).Draw(t, "row")
		cell := rapid.SampledFrom(bad).Draw(t, "bad")
		var b strings.Builder
		b.WriteString("id;x\n")
		for i := range rows {
			if i == row {
				fmt.Fprintf(&b, "%d;%s\n", 10+i, cell)
			} else {
				fmt.Fprintf(&b, "%d;%d\n", 10+i, i)
			}
		}
		_, err := readBytes("f.csv", []byte(b.String()), Options{Columns: []string{"x"}})
		if want := fmt.Sprintf("f.csv:%d:4: ", row+2); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Fatalf("got %v, want %s...", err, want)
		}
		if want := fmt.Sprintf("(x, row %d)", row+1); !strings.Contains(err.Error(), want) {
			t.Fatalf("got %v, want ...%s", err, want)
		}
	})
}

// FuzzRead reads anything without a panic; what it accepts is finite and has a place, and is among the rows asked for.
func FuzzRead(f *testing.F) {
	for _, text := range []string{"ticks\n0\n3\n", "1,2\n3,4\n", "a;b\nx;1,5\n", "\"a\nb\"\t1\n", "\ufeff\n\n#\n1", "x\n1\n\n2",
		",x\r\n1,NA\r\n2,3", "\"a\",\"b\"\n\"1\",2,3\n", "\x1f\x8b\x08", "{\"x\": 1}", "a\rb", "PK\x03\x04", "\xff\xfe1\x00"} {
		f.Add([]byte(text), "", "", "", "", false, false)
		f.Add([]byte(text), "1", "2", "2:3,1", "1>0", true, true)
		f.Add([]byte(text), "", "", ":2", "x=1", true, false)
	}
	f.Fuzz(func(t *testing.T, text []byte, column, weights, rows, where string, skip, comma bool) {
		o := Options{Weights: weights, Several: skip, SkipMissing: skip, DecimalComma: comma}
		if column != "" {
			o.Columns = []string{column}
		}
		var err error
		if o.Rows, err = ParseRows(rows); err != nil && rows != "" {
			return
		} else if rows == "" {
			o.Rows = nil
		}
		if c, err := ParseCondition(where); err == nil {
			o.Where = []Condition{c}
		} else if where != "" {
			return
		}
		got, err := Read(bytes.NewReader(text), o)
		if err != nil {
			if err.Error() == "" || len(err.Error()) > 100_000 {
				t.Errorf("an error with a message of %d bytes", len(err.Error()))
			}
			return
		}
		checkTable(t, got)
		for _, n := range got.Numbers() {
			if !o.Rows.has(int(n)) {
				t.Errorf("row %d is not among those asked for", n)
			}
		}
		got.Distinct(3)
		got.Degenerate()
		got.Keep(got.Numbers()[:1])
		checkTable(t, got)
	})
}

func checkTable(t *testing.T, got *Table) {
	rows, width := got.Rows(), len(got.Columns)
	if rows == 0 || len(got.Values) != rows*width || len(got.cells) != rows*width || got.lines.count != rows ||
		got.Weights != nil && len(got.Weights) != rows {
		t.Errorf("%d rows of %d, %d values, %d weights", rows, width, len(got.Values), len(got.Weights))
	}
	for _, x := range append(got.Values[:len(got.Values):len(got.Values)], got.Weights...) {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			t.Errorf("accepted %v", x)
		}
	}
	if lines, numbers := got.lines.all(), got.Numbers(); !slices.IsSorted(lines) || rows > 0 && lines[0] < 1 || !slices.IsSorted(numbers) ||
		rows > 0 && numbers[0] < 1 {
		t.Errorf("lines %v, rows %v", lines, numbers)
	}
}

// BenchmarkRead reads a million numbers and more: counts, and numbers of all digits.
func BenchmarkRead(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	count, number := func() any { return r.IntN(97) }, func() any { return r.NormFloat64() }
	for _, bc := range []struct {
		name, before string
		cell         func() any
		rows, cells  int
	}{{"counts", "", count, 1_000_000, 1}, {"counts among texts", "sheep,2020-01-01,", count, 1_000_000, 1},
		{"counts among quotes", "\"sheep\",", count, 1_000_000, 1}, {"all digits", "", number, 1_000_000, 1}, {"ten columns", "", number, 100_000, 10}} {
		b.Run(bc.name, func(b *testing.B) {
			var text bytes.Buffer
			for range bc.rows {
				text.WriteString(bc.before)
				for c := range bc.cells {
					fmt.Fprint(&text, bc.cell(), map[bool]string{false: ",", true: "\n"}[c == bc.cells-1])
				}
			}
			b.SetBytes(int64(text.Len()))
			for b.Loop() {
				if _, err := Read(bytes.NewReader(text.Bytes()), Options{Several: true}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
