package main

import (
	"bytes"
	"encoding/binary"
	"encoding/csv"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// cells reads CSV.
func cells(t *testing.T, text []byte) [][]string {
	t.Helper()
	rows, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// same reports equal texts, and texts of equal numbers.
func same(a, b string) bool {
	x, failed := strconv.ParseFloat(a, 64)
	y, too := strconv.ParseFloat(b, 64)
	return a == b || failed == nil && too == nil && x == y
}

// Files that pyarrow wrote hold what Python's csv module wrote of the same rows.
func TestFiles(t *testing.T) {
	for _, name := range []string{"zstd.parquet", "snappy.parquet", "plain.parquet", "lz4.feather", "zstd.arrow", "stream.arrows", "sliced.arrow"} {
		t.Run(name, func(t *testing.T) {
			expected := "all.csv"
			if strings.HasPrefix(name, "sliced") {
				expected = "sliced.csv"
			}
			text, err := os.ReadFile(filepath.Join("testdata", expected))
			if err != nil {
				t.Fatal(err)
			}
			want := cells(t, text)
			for way, args := range map[string][]string{"text": nil, "arrays": {"--arrays"}} {
				var out, said bytes.Buffer
				if code := run(t.Context(), append(args, filepath.Join("testdata", name)), &out, &said); code != 0 {
					t.Fatalf("%s: code %d: %s", way, code, &said)
				}
				var got [][]string
				if way == "text" {
					got = cells(t, out.Bytes())
				} else {
					got = arrayCells(t, out.Bytes())
				}
				if len(got) != len(want) {
					t.Fatalf("%s: %d rows, not %d:\n%s", way, len(got), len(want), &out)
				}
				for i := range want {
					for j := range want[i] {
						if !same(got[i][j], want[i][j]) {
							t.Errorf("%s, row %d, %s: %q, not %q", way, i, want[0][j], got[i][j], want[i][j])
						}
					}
				}
			}
		})
	}
}

// arrayCells are those of structured arrays of NumPy, one after the other, as CSV would have them: numbers are as they are in memory.
func arrayCells(t *testing.T, b []byte) (rows [][]string) {
	t.Helper()
	dictionary := regexp.MustCompile(`^\{'descr': \[(.*)\], 'fortran_order': False, 'shape': \(([0-9]+),\), \}\n`)
	field := regexp.MustCompile(`\('((?:[^'\\]|\\.)*)', '[<|]([fiuS])([0-9]+)'\)`)
	for len(b) > 0 {
		if string(b[:8]) != "\x93NUMPY\x03\x00" {
			t.Fatalf("%q", b[:8])
		}
		text, rest := b[12:][:binary.LittleEndian.Uint32(b[8:])], b[12+binary.LittleEndian.Uint32(b[8:]):]
		found := dictionary.FindStringSubmatch(string(text))
		if found == nil {
			t.Fatalf("header %q", text)
		}
		b = rest
		var names []string
		fields := field.FindAllStringSubmatch(found[1], -1)
		for _, f := range fields {
			names = append(names, f[1])
		}
		if rows == nil {
			rows = append(rows, names)
		} else if !slices.Equal(rows[0], names) {
			t.Fatalf("%q follow %q", names, rows[0])
		}
		n, _ := strconv.Atoi(found[2])
		for range n {
			var row []string
			for _, f := range fields {
				size, _ := strconv.Atoi(f[3])
				row = append(row, arrayCell(f[2], b[:size]))
				b = b[size:]
			}
			rows = append(rows, row)
		}
	}
	return rows
}

func arrayCell(kind string, b []byte) string {
	switch kind {
	case "S":
		return string(bytes.TrimRight(b, "\x00"))
	case "i":
		return strconv.FormatInt(int64(binary.LittleEndian.Uint64(b)), 10)
	case "u":
		return strconv.FormatUint(binary.LittleEndian.Uint64(b), 10)
	}
	x := 0.0
	if len(b) == 4 {
		x = float64(math.Float32frombits(binary.LittleEndian.Uint32(b)))
	} else {
		x = math.Float64frombits(binary.LittleEndian.Uint64(b))
	}
	if math.IsNaN(x) {
		return missing
	}
	return strconv.FormatFloat(x, 'g', -1, 64)
}

// What is written is what package internal/table of sngdgen has a test to read.
func TestReadElsewhere(t *testing.T) {
	want, err := os.ReadFile("../../internal/table/testdata/npy/arrow.npys")
	if err != nil {
		t.Fatal(err)
	}
	var out, said bytes.Buffer
	if code := run(t.Context(), []string{"--arrays", "testdata/zstd.parquet"}, &out, &said); code != 0 || !bytes.Equal(out.Bytes(), want) {
		t.Errorf("code %d, %q, %s", code, &out, &said)
	}
}

// Of some columns the others have no cells, wherever they stand, be they of a kind that has none. One that is not there is for sngdgen to complain of.
func TestOnly(t *testing.T) {
	text, err := os.ReadFile("testdata/all.csv")
	if err != nil {
		t.Fatal(err)
	}
	want := cells(t, text)
	for _, names := range [][]string{{"x"}, {"v[2]", "label"}, {"s.b", "n", "price"}, {"x", "none"}} {
		for _, file := range []string{"zstd.parquet", "zstd.arrow", "stream.arrows"} {
			args := []string{"--arrays", "testdata/" + file}
			for _, name := range names {
				args = append([]string{"--only=" + name}, args...)
			}
			var out, said bytes.Buffer
			if code := run(t.Context(), args, &out, &said); code != 0 {
				t.Fatalf("%s, %v: code %d, %s", file, names, code, &said)
			}
			for i, row := range arrayCells(t, out.Bytes()) {
				for j, cell := range row {
					expected := want[i][j]
					if i > 0 && !slices.Contains(names, want[0][j]) && !slices.Contains(names, "none") {
						expected = ""
					}
					if !same(cell, expected) {
						t.Errorf("%s, %v, row %d, %s: %q, not %q", file, names, i, want[0][j], cell, expected)
					}
				}
			}
		}
	}
	var out, said bytes.Buffer
	if code := run(t.Context(), []string{"--only=n", "testdata/mixed.parquet"}, &out, &said); code != 0 || !strings.HasPrefix(out.String(), "x,n\n,1\n") {
		t.Errorf("code %d, %q, %s", code, &out, &said)
	}
}

// A portion with one long text is written in several arrays.
func TestLongText(t *testing.T) {
	const rows = 3000
	b := array.NewRecordBuilder(memory.DefaultAllocator, arrow.NewSchema([]arrow.Field{{Name: "it's \\", Type: arrow.BinaryTypes.String}, {Name: "n", Type: arrow.PrimitiveTypes.Int64}}, nil))
	for i := range rows {
		text := strconv.Itoa(i)
		if i == 1234 {
			text = strings.Repeat("x", mostBytes/100)
		}
		b.Field(0).(*array.StringBuilder).Append(text)
		b.Field(1).(*array.Int64Builder).Append(int64(i))
	}
	var out bytes.Buffer
	if err := writeArray(&out, columnsOfFile(b.Schema()), array.RecordToStructArray(b.NewRecordBatch())); err != nil {
		t.Fatal(err)
	}
	if out.Len() > 2*mostBytes {
		t.Errorf("%d bytes", out.Len())
	}
	got := arrayCells(t, out.Bytes())
	if len(got) != rows+1 || got[0][0] != `it\'s \\` || len(got[1235][0]) != mostBytes/100 || got[rows][0] != "2999" || got[1235][1] != "1234" {
		t.Errorf("%d rows, %q", len(got), got[0])
	}
}

// A file without rows has its header.
func TestNoRows(t *testing.T) {
	var arrays, complaint bytes.Buffer
	if code := run(t.Context(), []string{"--arrays", "testdata/empty.parquet"}, &arrays, &complaint); code != 0 || len(arrayCells(t, arrays.Bytes())) != 1 {
		t.Errorf("code %d, %q, %s", code, &arrays, &complaint)
	}
	var out, said bytes.Buffer
	if code := run(t.Context(), []string{"testdata/empty.parquet"}, &out, &said); code != 0 || out.String() != "x\n" {
		t.Errorf("code %d, %q, %s", code, &out, &said)
	}
}

// What cannot be read is an error that says why.
func TestErrors(t *testing.T) {
	folder := t.TempDir()
	write := func(name string, data []byte) string {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, data, 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	whole, err := os.ReadFile("testdata/zstd.parquet")
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		path, want string
		code       int
	}{
		{"testdata/lists.parquet", "column x is of type list", 1},
		{"testdata/all.csv", "neither Parquet nor Arrow nor Feather", 1},
		{"testdata/none.parquet", "no such file", 1},
		{write("cut.parquet", whole[:len(whole)/2]), "parquet", 1},
		{write("old.feather", []byte("FEA1....")), "first version of Feather", 1},
		{write("nothing", nil), "neither", 1},
		{"--help", "usage", 2},
	} {
		var out, said bytes.Buffer
		if code := run(t.Context(), []string{test.path}, &out, &said); code != test.code || !strings.Contains(said.String(), test.want) {
			t.Errorf("%s: code %d, %s", test.path, code, &said)
		}
	}
}

// A file of which the end is missing is refused; of a stream there may be rows before.
func TestCut(t *testing.T) {
	files, err := filepath.Glob("testdata/*.*r*") // parquet, arrow, feather
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "file")
	for _, name := range files {
		whole, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for part := range 40 {
			if err := os.WriteFile(path, whole[:len(whole)*part/40], 0o666); err != nil {
				t.Fatal(err)
			}
			for _, args := range [][]string{{path}, {"--arrays", path}} {
				var out, said bytes.Buffer
				if code := run(t.Context(), args, &out, &said); code > 1 || code == 1 && said.Len() == 0 || code == 0 && !strings.HasSuffix(name, ".arrows") {
					t.Errorf("%s, %d of 40: code %d: %s", name, part, code, &said)
				}
			}
		}
	}
}
