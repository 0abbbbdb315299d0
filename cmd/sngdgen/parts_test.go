package main

import (
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sngdgen/sngdgen/internal/record"
	"github.com/sngdgen/sngdgen/internal/table"
	"github.com/sngdgen/sngdgen/runtime/estimate"
)

func readTable(t *testing.T, text string) *table.Table {
	t.Helper()
	out, err := table.Read(strings.NewReader(text), table.Options{Several: true})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestAssign finds parts by their names, or by their order.
func TestAssign(t *testing.T) {
	X, y := part{Name: "X", ByRow: true, Vector: true}, part{Name: "y", ByRow: true}
	pinned, Z := part{Name: "Z", ByRow: true, Vector: true, Length: 2}, part{Name: "Z", ByRow: true, Vector: true}
	once := []part{{Name: "y", Vector: true}, {Name: "s", Vector: true}}
	for _, c := range []struct {
		parts  []part
		text   string
		chosen bool
		want   [][]int
		left   []string
		fault  string
	}{
		{[]part{X, y}, "a,b,c\n1,2,3\n", false, [][]int{{0, 1}, {2}}, nil, ""},
		{[]part{X, y}, "1,2,3\n", false, [][]int{{0, 1}, {2}}, nil, ""},
		{[]part{X, y}, "y,a,b\n1,2,3\n", false, [][]int{{1, 2}, {0}}, nil, ""},
		{[]part{X, y}, "y,a,b\n1,2,3\n", true, [][]int{{0, 1}, {2}}, nil, ""},
		{[]part{X, y}, "X[2],y,X[1]\n1,2,3\n", false, [][]int{{2, 0}, {1}}, nil, ""},
		{[]part{X, y}, "X10,X.2,id,y,X_1\n1,2,3,4,5\n", false, [][]int{{4, 1, 0}, {3}}, []string{"id"}, ""},
		{[]part{X, y}, "X0,X2,X1,y\n1,2,3,4\n", false, [][]int{{0, 2, 1}, {3}}, nil, ""},
		{[]part{X, y}, "X1,X2,out\n1,2,3\n", false, [][]int{{0, 1}, {2}}, nil, ""},
		{[]part{X, y}, "X1,id,out\n1,2,3\n", false, nil, nil, "named after y"},
		{[]part{X, y}, "X1,X2\n1,2\n", false, nil, nil, "named after y"},
		{[]part{X, y}, "y\n1\n", false, nil, nil, "named after X"},
		{[]part{X, y}, "a\n1\n", false, nil, nil, "1 column cannot be X (some), then y"},
		{[]part{X, pinned, y}, "1,2,3,4,5\n", false, [][]int{{0, 1}, {2, 3}, {4}}, nil, ""},
		{[]part{X, Z, y}, "1,2,3,4,5\n", false, [][]int{{0, 1}, {2, 3}, {4}}, nil, ""},
		{[]part{X, Z, y}, "1,2,3,4\n", false, nil, nil, "4 columns cannot be"},
		{[]part{X, Z, y}, "a,b,y\n1,2,3\n", false, nil, nil, "named after X"},
		{[]part{pinned, y}, "1,2,3,4\n", false, nil, nil, "4 columns cannot be Z (2), then y"},
		{once, "1,2\n3,4\n", false, [][]int{{0}, {1}}, nil, ""},
		{once, "1,2,3,4\n", false, [][]int{{0, 1}, {2, 3}}, nil, ""},
		{once, "1,2,3,4\n5,6,7,8\n", false, nil, nil, "4 columns cannot be"},
	} {
		got, left, err := assign(c.parts, readTable(t, c.text), c.chosen)
		if c.fault != "" {
			if err == nil || !strings.Contains(err.Error(), c.fault) {
				t.Errorf("%q: %v, want %s", c.text, err, c.fault)
			}
			continue
		}
		if err != nil || !slices.EqualFunc(got, c.want, slices.Equal[[]int]) || !slices.Equal(left, c.left) {
			t.Errorf("%q: %v, %v, %v; want %v, %v", c.text, got, left, err, c.want, c.left)
		}
	}
}

func TestEntryNumber(t *testing.T) {
	for column, want := range map[string]int{"X1": 1, "X_2": 2, "X.3": 3, "X[12]": 12, "X0": 0, "X": -1, "X-1": -1, "X+1": -1,
		"X-0": -1, "Xa": -1, "X_": -1, "X[1": -1, "X1]": -1, "Y1": -1, "x1": -1, "X[]": -1} {
		if got := record.EntryNumber("X", column); got != want {
			t.Errorf("%s: %d, want %d", column, got, want)
		}
	}
}

func TestSplitFiles(t *testing.T) {
	for arg, want := range map[string][]string{
		"X=x.csv":           {"X=x.csv"},
		"X=x.csv,y=y.csv":   {"X=x.csv", "y=y.csv"},
		"X=a,b.csv,y=c.csv": {"X=a,b.csv", "y=c.csv"},
		"X=d/a,d/k=1,y=c":   {"X=d/a,d/k=1", "y=c"},
	} {
		if got := record.Pairs(arg); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", arg, got, want)
		}
	}
}

// TestReadFiles puts data together that are given by row and once; what is given once is repeated.
func TestReadFiles(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{"x": "1,2\n3,4\n", "s": "7\n", "v": "8\n9\n", "two": "1,2\n3,4\n"} {
		if err := os.WriteFile(filepath.Join(".", name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	parts := []part{{Name: "X", ByRow: true, Vector: true}, {Name: "s", Type: "real"}, {Name: "v", Type: "vector(j)", Vector: true}}
	s := &session{Context: t.Context(), err: os.Stderr}
	d, err := new(dataFlags).readFiles(s, parts, []string{"X=x,s=s", "v=v"}, "")
	if err != nil {
		t.Fatal(err)
	}
	if got := d.Data(); got.Columns != 5 || !slices.Equal(got.Values, []float64{1, 2, 7, 8, 9, 3, 4, 7, 8, 9}) {
		t.Errorf("%+v", got)
	}
	d.resize(3)
	if got := d.Data(); !slices.Equal(got.Values, []float64{1, 2, 7, 8, 9, 3, 4, 7, 8, 9, 1, 2, 7, 8, 9}) {
		t.Errorf("%+v", got)
	}
	for arg, want := range map[string]string{
		"X=x,s=v,v=v":   "2 rows of 1 column for s, which is real given once",
		"X=x,s=s,v=two": "2 rows of 2 columns for v, which is vector(j) given once",
		"X=x,s=s,v=no":  "no: cannot read the data",
	} {
		if _, err := new(dataFlags).readFiles(s, parts, []string{arg}, ""); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", arg, err, want)
		}
	}
}

// TestWholeFile: a file that is given for a vector in each row is that vector, whatever the names of its columns; rows in
// which a value is missing in any file are left out of all.
func TestWholeFile(t *testing.T) {
	t.Chdir(t.TempDir())
	X, y := part{Name: "X", ByRow: true, Vector: true}, part{Name: "y", ByRow: true}
	for _, c := range []struct {
		x, y  string
		flags dataFlags
		rows  string
		want  []float64
		fault string
	}{
		{x: "X0,X1,X2\n1,2,3\n4,5,6\n", y: "y\n7\n8\n", want: []float64{1, 2, 3, 7, 4, 5, 6, 8}},
		{x: "X2,X1\n1,2\n", y: "7\n", want: []float64{2, 1, 7}},
		{x: "X1,id\n1,2\n", y: "7\n", want: []float64{1, 2, 7}},
		{x: "X,id\n1,2\n", y: "id,y\n7,8\n", want: []float64{1, 2, 8}},
		{x: ",a,b\n1,2,3\n2,4,5\n", y: ",y\n1,7\n2,8\n", want: []float64{2, 3, 7, 4, 5, 8}},
		{x: "a,word\n1,x\n", y: "7\n", fault: "x.csv: X takes all columns, and there are no numbers in: word"},
		{x: "1,2\n,3\n4,5\n6,7\n", y: "1\n2\nNA\n4\n", flags: dataFlags{NA: "skip"}, want: []float64{1, 2, 1, 6, 7, 4}},
		{x: "1,2\n3,4\n5,6\n", y: "1\n2\n3\n", rows: "2:", want: []float64{3, 4, 2, 5, 6, 3}},
		{x: "1,2\n,4\n", y: "NA\n2\n", flags: dataFlags{NA: "skip"}, fault: "in each row a value is missing in one of the files"},
		{x: "1,2\n,4\n", y: "1\n2\n", fault: "--na=skip leaves such rows out"},
		{x: "1\n", y: "1\n", flags: dataFlags{Where: []string{"a=1"}}, fault: "--where"},
		{x: "1\n", y: "1\n", rows: "0", fault: `--rows: "0" is no range of rows`},
	} {
		for name, text := range map[string]string{"x.csv": c.x, "y.csv": c.y} {
			if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		s := &session{Context: t.Context(), err: io.Discard}
		d, err := c.flags.readFiles(s, []part{X, y}, []string{"X=x.csv,y=y.csv"}, c.rows)
		if c.fault != "" {
			if err == nil || !strings.Contains(err.Error(), c.fault) {
				t.Errorf("%+v: %v", c, err)
			}
			continue
		}
		if err != nil || !slices.Equal(d.Data().Values, c.want) {
			t.Errorf("%+v: %v, %v", c, d, err)
		}
	}
}

// TestJudgement: words about k-hat are about importance ratios, and not about what no ratio tells.
func TestJudgement(t *testing.T) {
	for _, c := range []struct {
		ratios     estimate.Ratios
		want, with string
	}{
		{estimate.RatiosReliable, "below 0.7: ", "where it has draws"},
		{estimate.RatiosUnclear, "too near 0.7 ", "to say whether"},
		{estimate.RatiosUnreliable, "above 0.7: ", "by 10000 draws is not to be trusted, which alone says nothing of means"},
		{estimate.RatiosUnknown, "not known", ""},
	} {
		if got := judgement(&estimate.ELBO{KHatLimit: 0.7, PortionDraws: 10_000, Ratios: c.ratios}); !strings.HasPrefix(got, c.want) || !strings.Contains(got, c.with) {
			t.Errorf("%s: %s", c.ratios, got)
		}
	}
}
