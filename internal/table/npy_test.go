package table

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/sngdgen/sngdgen/internal/disk"
)

// Arrays that NumPy has written, by testdata/npy/make.py.
func TestArrays(t *testing.T) {
	x := []float64{1.5, -2, 1e-300, 0.1, 3, 1.0 / 3}
	for _, c := range []struct {
		file    string
		columns int
		want    []float64
	}{
		{"f8", 3, x}, {"f8_fortran", 3, x}, {"f8_big", 3, x}, {"version2", 3, x},
		{"f4", 2, []float64{1.5, -2, float64(float32(0.1)), 3}},
		{"i2", 1, []float64{-300, 7, 12}},
		{"u8", 1, []float64{1<<53 + 2, 0}},
		{"bool", 1, []float64{1, 0, 1}},
	} {
		got, err := ReadFile("testdata/npy/"+c.file+".npy", nil, Options{Several: true})
		if err != nil {
			t.Errorf("%s: %v", c.file, err)
			continue
		}
		if len(got.Columns) != c.columns || !slices.Equal(got.Values, c.want) || got.Header {
			t.Errorf("%s: %d columns, %v", c.file, len(got.Columns), got.Values)
		}
	}
}

// What is not finite is found behind rows that are, and rows behind it are read; a missing one may be left out.
func TestInfiniteInArray(t *testing.T) {
	for _, odd := range []float64{math.Inf(1), math.NaN()} {
		file, want := longArray(100, 1, false)
		binary.LittleEndian.PutUint64(file[len(file)-8*70:], math.Float64bits(odd))
		if _, err := Read(bytes.NewReader(file), Options{}); err == nil || !strings.Contains(err.Error(), "(column 1, row 31)") {
			t.Errorf("%v: %v", odd, err)
		}
		got, err := Read(bytes.NewReader(file), Options{SkipMissing: true})
		if math.IsNaN(odd) && (err != nil || !slices.Equal(got.Values, slices.Delete(want, 30, 31))) {
			t.Errorf("%v, %v", got.Values, err)
		}
	}
}

// Structured arrays that NumPy has written.
func TestStructuredArrays(t *testing.T) {
	for _, file := range []string{"fields", "padded"} {
		o := Options{Columns: []string{"it's", `a "b"`, "n", `é\`}, Terms: true, Categories: []string{`é\`}}
		got, err := ReadFile("testdata/npy/"+file+".npy", nil, o)
		if err != nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		if want := []float64{1.5, -300, 7, 1, -0.25, 12, 255, 0}; !slices.Equal(got.Values, want) || !got.Header || !slices.Equal(got.Columns, o.Columns) ||
			!slices.Equal(got.Levels[3], []string{"3.5", "ab"}) {
			t.Errorf("%s: %v, %v, %v, header %v", file, got.Columns, got.Values, got.Levels, got.Header)
		}
	}
}

// What sngdgen-arrow writes of a Parquet file is the table that Python's csv module wrote of the same rows.
func TestArraysOfParquet(t *testing.T) {
	f, err := os.Open("testdata/npy/arrow.npys")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	o := Options{Columns: []string{"single", "label", "kind", "day", "price", "v[1]", "s.b"}, Terms: true, Categories: []string{"label", "kind", "day", "s.b"}, SkipMissing: true}
	got, err := Read(f, o)
	if err != nil {
		t.Fatal(err)
	}
	want, err := ReadFile("../../cmd/sngdgen-arrow/testdata/all.csv", nil, o)
	if err != nil {
		t.Fatal(err)
	}
	if got.Rows() == 0 || !slices.Equal(got.Values, want.Values) || !reflect.DeepEqual(got.Levels, want.Levels) || got.Missing != want.Missing {
		t.Errorf("%v %v, want %v %v", got.Values, got.Levels, want.Values, want.Levels)
	}
}

// Arrays that follow each other are one table where a converter gives them; otherwise the first is all that there is, as for NumPy.
func TestChainOfArrays(t *testing.T) {
	chain, err := os.ReadFile("testdata/npy/chain.npys")
	if err != nil {
		t.Fatal(err)
	}
	converted := func(b []byte) (*Table, error) {
		name := filepath.Join(t.TempDir(), "x.parquet")
		if err := os.WriteFile(name, []byte("PAR1\x00PAR1"), 0o666); err != nil {
			t.Fatal(err)
		}
		return ReadFile(name, nil, Options{Columns: []string{"x"}, Convert: func(string, []string) (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(b)), nil }})
	}
	got, err := converted(chain)
	if err != nil || !slices.Equal(got.Values, []float64{1, 2, 3}) || got.lines.at(2) != 3 {
		t.Errorf("%v, %v", got, err)
	}
	if got, err := Read(bytes.NewReader(chain), Options{Columns: []string{"x"}}); err != nil || !slices.Equal(got.Values, []float64{1}) {
		t.Errorf("%v, %v", got, err)
	}
	whole, err := os.ReadFile("testdata/npy/fields.npy")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		stream []byte
		want   string
	}{
		{chain[:len(chain)-1], "the array ends in row 3 of 3"},
		{append(slices.Clone(chain), whole...), "an array with other columns follows"},
		{append(slices.Clone(chain), npyMagic...), "it ends within its header"},
	} {
		if _, err := converted(c.stream); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
}

func TestArraysThatAreNone(t *testing.T) {
	whole, err := os.ReadFile("testdata/npy/f8.npy")
	if err != nil {
		t.Fatal(err)
	}
	cut := filepath.Join(t.TempDir(), "cut.npy")
	huge := filepath.Join(t.TempDir(), "huge.npy")
	odd := filepath.Join(t.TempDir(), "odd.npy")
	hollow := filepath.Join(t.TempDir(), "hollow.npy") // 200,000,000 rows in as good as no bytes
	hollowHeader := "{'descr': [('a', '|S0')], 'fortran_order': False, 'shape': (200000000,), }"
	for name, data := range map[string][]byte{
		cut:    whole[:len(whole)-9],
		huge:   bytes.Replace(whole, []byte("(2, 3), }  "), []byte("(99999999999, 3), }  ")[:11], 1),
		hollow: append(append([]byte(npyMagic), 1, 0, byte(len(hollowHeader)), 0), hollowHeader...),
		odd:    bytes.Replace(whole, []byte("'descr'"), []byte("'DESCR'"), 1),
	} {
		if err := os.WriteFile(name, data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for file, want := range map[string]string{
		"testdata/npy/cube.npy":    "3 dimensions, not a vector or a matrix",
		"testdata/npy/words.npy":   "of type <U1, not of numbers",
		"testdata/npy/missing.npy": "row 2",
		"testdata/npy/nested.npy":  "whose fields are no single numbers or texts",
		"testdata/npy/objects.npy": "whose field s is of type <U3, neither a number nor bytes",
		hollow:                     "no data: the file is empty",
		cut:                        "the array ends in row 2 of 2",
		huge:                       "a damaged array of NumPy",
		odd:                        "a damaged array of NumPy: its header is",
	} {
		_, err := ReadFile(file, nil, Options{Several: true})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", file, err, want)
		}
	}
}

// Columns of arrays have numbers and no names: no number of the first row is one, and a comma between cells is none of a number.
func TestColumnsOfArrays(t *testing.T) {
	for column, want := range map[string]string{
		"0.1": `no column "0.1"` + "\nhint: the file has 3 columns without names",
		"*":   `no column "*"`,
		"4":   "no column 4",
	} {
		if _, err := ReadFile("testdata/npy/f8.npy", nil, Options{Columns: []string{column}}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", column, err, want)
		}
	}
	got, err := ReadFile("testdata/npy/f8.npy", nil, Options{Columns: []string{"3,1"}, DecimalComma: true})
	if err != nil || !slices.Equal(got.Values, []float64{1e-300, 1.5, 1.0 / 3, 0.1}) || !slices.Equal(got.Columns, []string{"column 3", "column 1"}) {
		t.Errorf("%v, %v", got, err)
	}
}

// Some rows of an array keep their numbers; of several files all are read.
func TestPartOfArray(t *testing.T) {
	const rows = 3*keptNumbers/2 + 5
	for _, fortran := range []bool{false, true} {
		file, want := longArray(rows, 2, fortran)
		name := filepath.Join(t.TempDir(), "x.npy")
		if err := os.WriteFile(name, file, 0o666); err != nil {
			t.Fatal(err)
		}
		const from, to = 17, rows - 3
		o := Options{Several: true, Processes: &Processes{process{rank: 1, size: 3}, func(n int) []int { return []int{0, from, to * n / rows, n} }}}
		got, err := ReadFile(name, nil, o)
		if err != nil {
			t.Fatal(err)
		}
		if numbers := got.Numbers(); !got.Shared || !slices.Equal(got.Values, want[2*from:2*to]) || numbers[0] != from+1 || numbers[len(numbers)-1] != to || got.lines.at(0) != from+1 || got.file(0) != name {
			t.Errorf("fortran %v: rows %d to %d, %v", fortran, numbers[0], numbers[len(numbers)-1], got.Values[:2])
		}
		if err := os.WriteFile(strings.Replace(name, "x.npy", "y.npy", 1), file, 0o666); err != nil {
			t.Fatal(err)
		}
		if got, err := ReadFile(strings.Replace(name, "x.npy", "?.npy", 1), nil, o); err != nil || got.Rows() != 2*rows || got.Shared {
			t.Errorf("%d rows, %v", got.Rows(), err)
		}
	}
}

// array is an array of NumPy drawn at random, with the same numbers as a text.
type array struct {
	descr         []string // of each column
	named         bool     // they are column 1, column 2 and so on
	rows, columns int
	fortran       bool
	bytes         [][]byte // of the cells, row by row
	cells         []string
}

// drawArray draws an array, seldom with numbers that no model takes.
func drawArray(t *rapid.T) *array {
	a := &array{rows: rapid.IntRange(2, 40).Draw(t, "rows"), columns: rapid.IntRange(1, 5).Draw(t, "columns"), fortran: rapid.Bool().Draw(t, "fortran")}
	a.named = rapid.Bool().Draw(t, "named")
	few := rapid.Bool().Draw(t, "few")
	odd := rapid.IntRange(0, 2).Draw(t, "odd") == 0
	var kinds []string
	var orders []binary.AppendByteOrder
	for c := range a.columns {
		if c > 0 && !a.named {
			kinds, orders, a.descr = append(kinds, kinds[0]), append(orders, orders[0]), append(a.descr, a.descr[0])
			continue
		}
		kind, order, sign := rapid.SampledFrom([]string{"b1", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f4", "f8"}).Draw(t, "type"), binary.AppendByteOrder(binary.LittleEndian), "<"
		if a.named && rapid.IntRange(0, 3).Draw(t, "text") == 0 {
			kind = "S7"
		}
		switch {
		case kind == "S7" || strings.HasSuffix(kind, "1"):
			sign = "|"
		case rapid.Bool().Draw(t, "big"):
			sign, order = ">", binary.BigEndian
		}
		kinds, orders, a.descr = append(kinds, kind), append(orders, order), append(a.descr, sign+kind)
	}
	for i := range a.rows * a.columns {
		b, text := drawNumber(t, kinds[i%a.columns], orders[i%a.columns], few, odd)
		a.bytes, a.cells = append(a.bytes, b), append(a.cells, text)
	}
	return a
}

// drawNumber returns a number in bytes and as text.
func drawNumber(t *rapid.T, kind string, order binary.AppendByteOrder, few, odd bool) (b []byte, text string) {
	bits := rapid.Uint64().Draw(t, "bits")
	if few {
		bits %= 3
	}
	switch kind {
	case "S7":
		word := rapid.SampledFrom([]string{"1", "-2.5", "1e3", "b", "b c", "NA", "é"}).Draw(t, "word")
		return append([]byte(word), make([]byte, 7-len(word))...), word
	case "b1":
		bits %= 2
		return []byte{byte(bits)}, fmt.Sprint(bits)
	case "i1":
		return []byte{byte(bits)}, fmt.Sprint(int8(bits))
	case "u1":
		return []byte{byte(bits)}, fmt.Sprint(uint8(bits))
	case "i2":
		return order.AppendUint16(nil, uint16(bits)), fmt.Sprint(int16(bits))
	case "u2":
		return order.AppendUint16(nil, uint16(bits)), fmt.Sprint(uint16(bits))
	case "i4":
		return order.AppendUint32(nil, uint32(bits)), fmt.Sprint(int32(bits))
	case "u4":
		return order.AppendUint32(nil, uint32(bits)), fmt.Sprint(uint32(bits))
	case "i8":
		return order.AppendUint64(nil, bits), fmt.Sprint(int64(bits))
	case "u8":
		return order.AppendUint64(nil, bits), fmt.Sprint(bits)
	}
	x := float64(bits)
	switch {
	case few:
	case odd && bits%8 == 0:
		x = []float64{math.NaN(), math.Inf(1), math.Inf(-1)}[bits>>8%3]
	case kind == "f4":
		x = float64(rapid.Float32().Draw(t, "x"))
	default:
		x = rapid.Float64().Draw(t, "x")
	}
	if kind == "f4" {
		f := float32(x)
		return order.AppendUint32(nil, math.Float32bits(f)), strconv.FormatFloat(float64(f), 'g', -1, 64)
	}
	return order.AppendUint64(nil, math.Float64bits(x)), strconv.FormatFloat(x, 'g', -1, 64)
}

// file returns the array as a file.
func (a *array) file() []byte {
	shape, word := fmt.Sprintf("%d, %d", a.rows, a.columns), map[bool]string{true: "True", false: "False"}[a.fortran]
	if a.columns == 1 && a.rows%2 == 0 {
		shape = fmt.Sprintf("%d,", a.rows)
	}
	descr := "'" + a.descr[0] + "'"
	if a.named {
		shape, descr = fmt.Sprintf("%d,", a.rows), ""
		for c, d := range a.descr {
			descr += fmt.Sprintf("('column %d', '%s'), ", c+1, d)
		}
		descr = "[" + strings.TrimSuffix(descr, ", ") + "]"
	}
	header := fmt.Sprintf("{'descr': %s, 'fortran_order': %s, 'shape': (%s), }\n", descr, word, shape)
	out := append([]byte(npyMagic), 1, 0)
	out = append(binary.LittleEndian.AppendUint16(out, uint16(len(header))), header...)
	for i := range a.bytes {
		if a.fortran && !a.named {
			i = i%a.rows*a.columns + i/a.rows
		}
		out = append(out, a.bytes[i]...)
	}
	return out
}

// text returns the array as a text.
func (a *array) text() string {
	var out strings.Builder
	for c := range a.columns {
		if a.named {
			fmt.Fprintf(&out, "column %d%c", c+1, ",\n"[map[bool]int{true: 1}[c == a.columns-1]])
		}
	}
	for i, cell := range a.cells {
		out.WriteString(cell)
		out.WriteByte(",\n"[map[bool]int{true: 1}[i%a.columns == a.columns-1]])
	}
	return out.String()
}

// drawOptions draws what is asked for of an array.
func drawOptions(t *rapid.T, columns int) (o Options) {
	column := rapid.Map(rapid.IntRange(1, columns), strconv.Itoa)
	o.Several = rapid.Bool().Draw(t, "several")
	o.SkipMissing = rapid.Bool().Draw(t, "skip")
	if rapid.Bool().Draw(t, "columns?") {
		o.Columns = rapid.SliceOfNDistinct(column, 1, columns, rapid.ID).Draw(t, "chosen")
		if o.Terms = rapid.Bool().Draw(t, "terms"); o.Terms {
			o.Categories = rapid.SliceOfN(rapid.SampledFrom(o.Columns), 0, 2).Draw(t, "categories")
		}
	}
	if rapid.IntRange(0, 3).Draw(t, "weights?") == 0 {
		o.Weights = column.Draw(t, "weights")
	}
	if rapid.IntRange(0, 3).Draw(t, "where?") == 0 {
		text := column.Draw(t, "where") + rapid.SampledFrom([]string{"=1", "!=2", "<100", ">=1", "=NaN", "!=word"}).Draw(t, "condition")
		o.Where = append(o.Where, must(ParseCondition(text)))
	}
	if rows := rapid.SampledFrom([]string{"", "", "3:", ":2", "2,4:7"}).Draw(t, "rows?"); rows != "" {
		o.Rows = must(ParseRows(rows))
	}
	return o
}

func must[T any](x T, err error) T {
	if err != nil {
		panic(err)
	}
	return x
}

// TestArraysAreTheirText: an array is the table that its numbers are as a text, whatever is asked of it, and so are its faults, but for the position in
// a line, which is that of the column. So it is as a file, as a stream and compressed.
func TestArraysAreTheirText(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		a := drawArray(t)
		o := drawOptions(t, a.columns)
		o.Name = filepath.Join(dir, "x.npy")
		want, wantErr := Read(strings.NewReader(a.text()), o)
		file, header := a.file(), 0
		if a.named {
			header = 1
		}
		if err := os.WriteFile(o.Name, file, 0o666); err != nil {
			t.Fatal(err)
		}
		var packed bytes.Buffer
		z := gzip.NewWriter(&packed)
		z.Write(file)
		z.Close()
		for way, read := range map[string]func() (*Table, error){
			"file":   func() (*Table, error) { return ReadFile(o.Name, nil, o) },
			"stream": func() (*Table, error) { return Read(bytes.NewReader(file), o) },
			"gzip":   func() (*Table, error) { return Read(&packed, o) },
		} {
			got, err := read()
			if text, textErr := placeless(err, 0), placeless(wantErr, header); text != textErr {
				t.Fatalf("%s: %s\nwant %s\nof %s", way, text, textErr, a.text())
			}
			if err == nil {
				compareTables(t, way, got, want, header)
			}
			checkColumns(t, err)
		}
	})
}

// compareTables compares tables, of which the one that is wanted has a line before its rows, or none.
func compareTables(t *rapid.T, way string, got, want *Table, header int) {
	for i, x := range want.Values {
		if math.Float64bits(got.Values[i]) != math.Float64bits(x) {
			t.Fatalf("%s: value %d is %v, want %v", way, i, got.Values[i], x)
		}
	}
	g, w := *got, *want
	for i := range w.cells {
		if n := g.cells[i]; n < 1 {
			t.Fatalf("%s: value %d stands at %d", way, i, n)
		}
	}
	for i := range w.Rows() {
		if g.lines.at(i)+int32(header) != w.lines.at(i) {
			t.Fatalf("%s: row %d is at %d, want %d less than %d", way, i, g.lines.at(i), header, w.lines.at(i))
		}
	}
	g.lines = w.lines
	g.Values, g.cells, w.Values, w.cells = nil, nil, nil, nil
	if len(got.Values) != len(want.Values) || !reflect.DeepEqual(g, w) {
		t.Fatalf("%s: %+v\nwant %+v", way, g, w)
	}
}

// placeless is the text of an error without positions in lines, whose lines are counted from behind some.
func placeless(err error, before int) string {
	var out []string
	var several Errors
	if !errors.As(err, &several) {
		return fmt.Sprint(err)
	}
	for _, e := range several {
		plain := *e
		plain.Col = 0
		if plain.Line > 0 {
			plain.Line -= before
		}
		out = append(out, plain.Error())
	}
	return strings.Join(out, "\n")
}

// checkColumns: of a fault of a cell the position is the number of the column that it names.
func checkColumns(t *rapid.T, err error) {
	var several Errors
	errors.As(err, &several)
	for _, e := range several {
		if e.Line > 0 && !strings.Contains(e.Text, fmt.Sprintf("(column %d, row %d)", e.Col, e.Line)) {
			t.Fatalf("%v", e)
		}
	}
}

// TestLongArrays: arrays that are not in memory at once, of every order, also where pieces of a column would be too short to be read by themselves.
func TestLongArrays(t *testing.T) {
	for _, c := range []struct{ rows, columns int }{{3*keptNumbers + 17, 1}, {keptNumbers, 3}, {10, 20_000}, {100, mostApart + 1}} {
		for _, fortran := range []bool{false, true} {
			file, want := longArray(c.rows, c.columns, fortran)
			name := filepath.Join(t.TempDir(), "x.npy")
			if err := os.WriteFile(name, file, 0o666); err != nil {
				t.Fatal(err)
			}
			onDisk := disk.New(t.TempDir(), 0)
			defer onDisk.Close()
			fromFile, err := ReadFile(name, nil, Options{Several: true})
			fromStream, err2 := Read(bytes.NewReader(file), Options{Several: true, Space: onDisk})
			if err := errors.Join(err, err2); err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(fromFile.Values, want) || !slices.Equal(fromStream.Values, want) {
				t.Errorf("%d x %d, fortran %v: other numbers", c.rows, c.columns, fortran)
			}
			whole := len(file)
			_, err = Read(bytes.NewReader(file[:whole-9]), Options{Several: true})
			if want := fmt.Sprintf("the array ends in row %d of %d", c.rows-map[bool]int{true: 1}[c.columns == 1 || fortran], c.rows); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%d x %d, fortran %v: %v, want %s", c.rows, c.columns, fortran, err, want)
			}
		}
	}
}

// longArray is a file of the numbers from 0 on, and these.
func longArray(rows, columns int, fortran bool) (file []byte, want []float64) {
	a := &array{descr: []string{"<f8"}, rows: rows, columns: columns, fortran: fortran}
	all := make([]byte, 0, 8*rows*columns)
	for i := range rows * columns {
		want = append(want, float64(i))
		all = binary.LittleEndian.AppendUint64(all, math.Float64bits(float64(i)))
		a.bytes = append(a.bytes, all[8*i:])
	}
	for i := range a.bytes {
		a.bytes[i] = a.bytes[i][:8]
	}
	return a.file(), want
}

// TestArraysAreReadInParts: what is read of an array of a file takes no more memory than its numbers and a few blocks.
func TestArraysAreReadInParts(t *testing.T) {
	const rows, columns = 400_000, 5
	file, _ := longArray(rows, columns, true)
	name := filepath.Join(t.TempDir(), "x.npy")
	if err := os.WriteFile(name, file, 0o666); err != nil {
		t.Fatal(err)
	}
	size := uint64(len(file))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, err := ReadFile(name, nil, Options{Columns: []string{"2"}}); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if took := after.TotalAlloc - before.TotalAlloc; took > size+size/2 { // a list that has room for a million numbers, their positions, blocks; not all columns
		t.Errorf("%d bytes of an array of %d", took, size)
	}
}

// FuzzArrays reads any header and body without a panic; what it accepts is finite and has a place.
func FuzzArrays(f *testing.F) {
	files, _ := filepath.Glob("testdata/npy/*.npy")
	for _, name := range files {
		file, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(file[len(npyMagic):], "", false)
		f.Add(file[len(npyMagic):], "1", true)
	}
	f.Add([]byte("\x01\x00\x46\x00{'descr': '<f8', 'fortran_order': True, 'shape': (99999999, 2), }       \n12345678"), "2", false)
	f.Fuzz(func(t *testing.T, body []byte, column string, skip bool) {
		o := Options{Several: true, SkipMissing: skip}
		if column != "" {
			o.Columns = []string{column}
		}
		file := append([]byte(npyMagic), body...)
		got, err := Read(bytes.NewReader(file), o)
		if err == nil {
			checkTable(t, got)
		}
		name := filepath.Join(t.TempDir(), "x.npy")
		if err := os.WriteFile(name, file, 0o666); err != nil {
			t.Fatal(err)
		}
		again, err2 := ReadFile(name, nil, o)
		if (err == nil) != (err2 == nil) || err == nil && !slices.Equal(got.Values, again.Values) {
			t.Errorf("as a stream %v, as a file %v", err, err2)
		}
	})
}

// BenchmarkArray reads a million rows.
func BenchmarkArray(b *testing.B) {
	file, _ := longArray(1_000_000, 1, false)
	b.SetBytes(int64(len(file)))
	for b.Loop() {
		if _, err := Read(bytes.NewReader(file), Options{}); err != nil {
			b.Fatal(err)
		}
	}
}
