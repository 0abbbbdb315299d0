package table

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"

	"pgregory.net/rapid"
)

// seen is what a reader shows of a text: each row, with the number, the text and the place of each cell, and how the text ended.
func seen(rows rowReader) (out []string) {
	for {
		blank, err := rows.next()
		if err != nil {
			return append(out, fmt.Sprintf("%#v %v", errors.Unwrap(err), err))
		}
		row := fmt.Sprint("after ", blank, ":")
		for c := range rows.width() {
			line, position := rows.place(c)
			row += fmt.Sprintf(" %d:%d: %q is %#x,", line, position, rows.text(c), math.Float64bits(rows.number(c)))
		}
		out = append(out, row)
	}
}

// slowRows read all of a text by encoding/csv.
type slowRows struct {
	*textRows
	blanks []int // the empty lines
	reader interface {
		Read() ([]string, error)
		FieldPos(c int) (line, position int)
	}
}

func newSlowRows(text []byte, in io.Reader, separator rune, decimalComma bool) *slowRows {
	var blanks []int
	for i, line := range bytes.SplitAfter(text, []byte("\n")) {
		if bytes.HasSuffix(line, []byte("\n")) && strings.Trim(string(line), " \t\r\n") == "" {
			blanks = append(blanks, i+1)
		}
	}
	c := newCSV(in, separator)
	return &slowRows{&textRows{decimalComma: decimalComma}, blanks, c}
}

// ahead has each row be read by itself.
func (*slowRows) ahead(*layout) []stretch { return nil }

func (s *slowRows) next() (blank int, err error) {
	for {
		if s.cells, err = s.reader.Read(); err != nil {
			return 0, err
		}
		if len(s.cells) == 1 && strings.Trim(s.cells[0], " \t\r") == "" {
			continue
		}
		line, _ := s.place(0)
		behind, _ := slices.BinarySearch(s.blanks, line)
		if behind > 0 {
			blank = s.blanks[0]
		}
		s.blanks = s.blanks[behind:]
		return blank, nil
	}
}

func (s *slowRows) place(c int) (line, position int) { return s.reader.FieldPos(c) }

// FuzzRows compares the rows of a text, and how it ends, with what encoding/csv reads of all of it.
func FuzzRows(f *testing.F) {
	for _, text := range []string{"x\n1\n-2.5\n", "1,2\r\n3,4\r\n5", "\n \n\t\n1\n\t\n2\t\n", "a\n\"b\nc\"\n\n1,2\n\"\n\nx\",1\n", "\"\"\n\" \"\n1\r",
		"#\"\n1\n #\"\n", "a\"b\n", "1\n\"a\"b\n", "1\n\"a\n\n", "1,\"2\",3\n4,5\n\"\"\"\",\"6,\n7\"", "1\r\n\r\r\n2\r\r", "1;2\n1,5;-1,5e3\n", "x,y\n1,2\n3, 4 \n\n5,NA\n6,7,8\n9,inf\n", "x\n1\n\n2\n#3\n4\nx\n",
		"x\n" + strings.Repeat("\"y\",", 2000)} {
		for separator := range byte(4) {
			f.Add([]byte(text), separator, uint8(1), separator > 1, text[0] == '#')
			f.Add([]byte(text), separator, uint8(255), separator == 1, false)
		}
	}
	f.Fuzz(func(t *testing.T, text []byte, which byte, piece uint8, comma, broken bool) {
		separator := []rune{',', ';', '\t', ' '}[which%4]
		reader := func() io.Reader {
			var in io.Reader = bytes.NewReader(text)
			if broken {
				in = io.MultiReader(in, iotest.ErrReader(errors.New("broken")))
			}
			return pieces{in, int(piece) + 1}
		}
		in := bufio.NewReaderSize(reader(), len(text)+1)
		got := seen(&textRows{lines: lines{in: in}, separator: separator, decimalComma: comma})
		want := seen(newSlowRows(text, reader(), separator, comma))
		if !slices.Equal(got, want) {
			t.Errorf("%q became\n%s\nnot\n%s", text, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
		o := Options{Several: true, DecimalComma: comma, SkipMissing: piece%2 == 0}
		rows := &textRows{lines: lines{in: bufio.NewReaderSize(reader(), sampleSize+1)}, stretches: stretches{share: 1 + int(piece)%16}}
		o.Workers = 1 + int(which>>2)%4
		if len(text)%8 == 0 {
			o.Weights = "1"
		}
		sample, err := rows.look(o)
		if err != nil {
			return
		}
		l, err := detect(sample, o)
		if err != nil {
			return
		}
		slow := newSlowRows(text, reader(), rows.separator, comma)
		if got, want := read(rows, l, o), read(slow, l, o); got != want {
			t.Errorf("%q became\n%s\nnot\n%s", text, got, want)
		}
	})
}

// read is what is read of a file.
func read(rows rowReader, l *layout, o Options) string {
	r := newReader(l, o)
	err := r.file("f", rows, l, false)
	if err != nil {
		return err.Error()
	}
	got, err := r.finish()
	if err != nil {
		return err.Error()
	}
	return fmt.Sprint(got.Values, got.Weights, got.Missing, got.Seen, got.lines.all(), got.Numbers(), got.cells)
}

// pieces is a text of which so many bytes are read at a time.
type pieces struct {
	io.Reader
	bytes int
}

func (p pieces) Read(b []byte) (int, error) { return p.Reader.Read(b[:min(len(b), p.bytes)]) }

// TestLongLines reads lines that are as long as they may be, and longer ones.
func TestLongLines(t *testing.T) {
	for _, end := range []string{"", "\n", "\n1\n"} {
		for more := range 2 {
			text := "1\n" + strings.Repeat("1", maxLine+more) + end
			rows := &textRows{lines: lines{in: bufio.NewReaderSize(strings.NewReader(text), buffered)}, separator: ','}
			read := seen(rows)
			long := strings.Contains(read[len(read)-1], "a line of more than")
			if long != (more > 0) || long && rows.failed.(*tooLong).line != 2 || !long && len(read) != 3+len(end)/2 {
				t.Errorf("%d bytes more and %q: %d rows, %.40s", more, end, len(read), read[len(read)-1])
			}
		}
	}
}

// TestParseDecimal compares numbers with those of strconv, bit by bit.
func TestParseDecimal(t *testing.T) {
	digits := rapid.StringMatching(`[0-9]{0,21}`)
	quick := 0
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.Float64().Draw(t, "x")
		text := rapid.OneOf(
			rapid.Just(strconv.FormatFloat(x, byte(rapid.SampledFrom([]rune("efg")).Draw(t, "format")), rapid.IntRange(-1, 20).Draw(t, "precision"), 64)),
			rapid.Custom(func(t *rapid.T) string {
				sign := rapid.SampledFrom([]string{"", "-", "+"}).Draw(t, "sign")
				point := rapid.SampledFrom([]string{"", ".", ","}).Draw(t, "point")
				exponent := rapid.StringMatching(`|[eE][+-]?[0-9]{0,3}`).Draw(t, "exponent")
				return sign + digits.Draw(t, "whole") + point + digits.Draw(t, "decimals") + exponent
			}),
			rapid.Custom(func(t *rapid.T) string { // between two numbers that are next to each other
				n := rapid.Uint64Range(1<<50, 1<<63).Draw(t, "n") >> rapid.IntRange(0, 12).Draw(t, "shift")
				return fmt.Sprint(n) + rapid.SampledFrom([]string{"", ".5", ".25", ".75", ".125", ".5000", "e1"}).Draw(t, "decimals")
			}),
			rapid.StringMatching(`[-+.,0-9eEx_ infa]{0,12}`),
		).Draw(t, "text")
		if checkDecimal(t, text) {
			quick++
		}
	})
	if quick == 0 {
		t.Error("none was read here")
	}
}

// fatal is a test.
type fatal interface{ Fatalf(string, ...any) }

// checkDecimal reports whether a text is a number that is read without strconv.
func checkDecimal(t fatal, text string) (quick bool) {
	for _, comma := range []bool{false, true} {
		got, ok := parseDecimal([]byte(text), comma)
		want, err := strconv.ParseFloat(decimal(text, comma), 64)
		if ok && (err != nil || math.Float64bits(got) != math.Float64bits(want)) {
			t.Fatalf("%q is %v, not %v (%v)", text, got, want, err)
		}
		quick = quick || ok
	}
	return quick
}

// BenchmarkParseDecimal reads numbers of all digits, beside strconv.
func BenchmarkParseDecimal(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	texts := make([][]byte, 1<<16)
	for i := range texts {
		texts[i] = fmt.Append(nil, r.NormFloat64())
	}
	for _, parse := range []struct {
		name string
		of   func([]byte) float64
	}{
		{"here", func(text []byte) float64 { x, _ := parseDecimal(text, false); return x }},
		{"strconv", func(text []byte) float64 { x, _ := strconv.ParseFloat(string(text), 64); return x }},
	} {
		b.Run(parse.name, func(b *testing.B) {
			for i := range b.N {
				parse.of(texts[i%len(texts)])
			}
		})
	}
}

// What is read does not depend on how many workers read it, wherever rows are that they leave to the reader of rows.
func TestWorkersReadTheSame(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 200 {
		var text strings.Builder
		text.WriteString("a,b\n")
		for range rng.IntN(200) {
			switch rng.IntN(60) {
			case 0:
				text.WriteString("# a remark\n")
			case 1:
				text.WriteString("\n")
			case 2:
				text.WriteString("\"1\",2\n")
			case 3:
				text.WriteString("NA,7\n")
			default:
				fmt.Fprintf(&text, "%v,%d\n", rng.NormFloat64(), rng.IntN(1e6))
			}
		}
		o := Options{Several: true, SkipMissing: true}
		var all []string
		for workers := range 8 {
			rows := &textRows{lines: lines{in: bufio.NewReaderSize(strings.NewReader(text.String()), buffered)}, stretches: stretches{share: 1 + rng.IntN(200)}}
			o.Workers = 1 + workers
			s, err := rows.look(o)
			if err != nil {
				t.Fatal(err)
			}
			l, err := detect(s, o)
			if err != nil {
				break // no rows, or none of numbers
			}
			if workers == 0 {
				all = append(all, read(newSlowRows([]byte(text.String()), strings.NewReader(text.String()), rows.separator, false), l, o))
			}
			all = append(all, read(rows, l, o))
		}
		if len(slices.Compact(all)) > 1 {
			t.Fatalf("%q became\n%s", text.String(), strings.Join(all, "\n"))
		}
	}
}
