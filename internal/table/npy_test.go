package table

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
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

func TestArraysThatAreNone(t *testing.T) {
	whole, err := os.ReadFile("testdata/npy/f8.npy")
	if err != nil {
		t.Fatal(err)
	}
	cut := filepath.Join(t.TempDir(), "cut.npy")
	huge := filepath.Join(t.TempDir(), "huge.npy")
	odd := filepath.Join(t.TempDir(), "odd.npy")
	for name, data := range map[string][]byte{
		cut:  whole[:len(whole)-9],
		huge: bytes.Replace(whole, []byte("(2, 3), }  "), []byte("(99999999999, 3), }  ")[:11], 1),
		odd:  bytes.Replace(whole, []byte("'descr'"), []byte("'DESCR'"), 1),
	} {
		if err := os.WriteFile(name, data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for file, want := range map[string]string{
		"testdata/npy/cube.npy":    "3 dimensions, not a vector or a matrix",
		"testdata/npy/words.npy":   "of type <U1, not of numbers",
		"testdata/npy/missing.npy": "row 2",
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
