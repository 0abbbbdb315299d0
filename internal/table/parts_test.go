package table

import (
	"compress/gzip"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sngdgen/sngdgen/runtime"
)

// write makes files in a folder of the test's own, and returns it.
func write(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		f, err := os.Create(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(name, ".gz") {
			z := gzip.NewWriter(f)
			_, err = z.Write([]byte(text))
			err = errors.Join(err, z.Close())
		} else {
			_, err = f.WriteString(text)
		}
		if err := errors.Join(err, f.Close()); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// Files that match a pattern are one table: columns are found by their names, rows are counted on, labels are those of all.
func TestParts(t *testing.T) {
	dir := write(t, map[string]string{
		"part-1.csv":    "x,g,w\n1,a,1\n2,c,1\n",
		"part-2.csv.gz": "w;extra;g;x\n3;0;b;3\n",
		"part-3.csv":    "x,g,w\n4,a,1\n5,a,1\n",
		"other.csv":     "y\n1\n",
	})
	o := Options{Columns: []string{"x", "g"}, Terms: true, Categories: []string{"g"}, Weights: "w"}
	got, err := ReadFile(filepath.Join(dir, "part-*"), nil, o)
	if err != nil {
		t.Fatal(err)
	}
	if want := []float64{1, 0, 2, 2, 3, 1, 4, 0, 5, 0}; !slices.Equal(got.Values, want) || !slices.Equal(got.Weights, []float64{1, 1, 3, 1, 1}) ||
		!slices.Equal(got.Levels[1], []string{"a", "b", "c"}) || got.Seen != 5 {
		t.Errorf("%+v", got)
	}
	err = got.Locate(&runtime.DataError{Row: 4, Column: 0, Columns: 2, Value: 5, Want: "below 5"})
	if want := filepath.Join(dir, "part-3.csv") + ":3:1: 5 is not below 5 (x, row 5)"; err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	o.Rows, _ = ParseRows("3:4")
	if got, err = ReadFile(filepath.Join(dir, "part-?.*"), nil, o); err != nil || !slices.Equal(got.Numbers(), []int32{3, 4}) {
		t.Errorf("%+v, %v", got, err)
	}
	got.Keep([]int32{4})
	if f := got.file(0); filepath.Base(f) != "part-3.csv" {
		t.Errorf("the row of the third file is in %s", f)
	}
}

func TestPartsThatDiffer(t *testing.T) {
	dir := write(t, map[string]string{
		"a1.csv": "x,y\n1,2\n", "a2.csv": "x,z\n1,2\n",
		"b1.csv": "1,2\n", "b2.csv": "1,2,3\n",
		"c1.csv": "x\n1\n", "c2.csv": "x\n2\nthree\n", "c3.csv": "x\nfour\n",
		"d[1].csv": "x\n1\n",
	})
	for pattern, want := range map[string]string{
		"a*.csv":   "a2.csv: no column \"y\", which " + filepath.Join(dir, "a1.csv") + " has\nhint: the file has 1 \"x\", 2 \"z\"",
		"b*.csv":   "b2.csv: 3 columns here, but",
		"c*.csv":   "c2.csv:3:1: \"three\" is not a number (x, row 3)",
		"no*.csv":  "no file has a name like this",
		"e[.csv":   "no pattern of names either",
		"d[1].csv": "",
	} {
		_, err := ReadFile(filepath.Join(dir, pattern), nil, Options{Several: true})
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v, want %q", pattern, err, want)
		}
	}
}
