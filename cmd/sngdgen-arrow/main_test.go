package main

import (
	"bytes"
	"encoding/csv"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
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
			var out, said bytes.Buffer
			if code := run(t.Context(), []string{filepath.Join("testdata", name)}, &out, &said); code != 0 {
				t.Fatalf("code %d: %s", code, &said)
			}
			got, want := cells(t, out.Bytes()), cells(t, text)
			if len(got) != len(want) {
				t.Fatalf("%d rows, not %d:\n%s", len(got), len(want), &out)
			}
			for i := range want {
				for j := range want[i] {
					if !same(got[i][j], want[i][j]) {
						t.Errorf("row %d, %s: %q, not %q", i, want[0][j], got[i][j], want[i][j])
					}
				}
			}
		})
	}
}

// A file without rows has its header.
func TestNoRows(t *testing.T) {
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
			var out, said bytes.Buffer
			if code := run(t.Context(), []string{path}, &out, &said); code > 1 || code == 1 && said.Len() == 0 || code == 0 && !strings.HasSuffix(name, ".arrows") {
				t.Errorf("%s, %d of 40: code %d: %s", name, part, code, &said)
			}
		}
	}
}
