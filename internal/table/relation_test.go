package table

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
)

// TestRelationsOfR: the columns that R leaves out of real data are named, with what lm says that they are; testdata/relations/relations.R wrote the data and printed that.
func TestRelationsOfR(t *testing.T) {
	for name, want := range map[string][]string{
		"klein":  {"column G is X - C - I: leave one of them out", "column T is X - P - Wp: leave one of them out"}, // an accounting identity: X = C + I + G = P + T + Wp
		"msleep": {"column awake is 24 - sleep_total: leave one of them out"},
		"olym12": {"column totalmedal is gold + silver + bronze: leave one of them out"},
	} {
		file, err := os.Open("testdata/relations/" + name + ".csv")
		if err != nil {
			t.Fatal(err)
		}
		data, err := Read(file, Options{Several: true})
		if file.Close(); err != nil {
			t.Fatal(err)
		}
		if got := data.Degenerate(); !slices.Equal(got, want) {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// TestRelation: a relation is written out with as few digits as it holds with, and only its columns are named where no short numbers make it hold, or there are many of them.
func TestRelation(t *testing.T) {
	const few, many = 4, 30
	for _, c := range []struct {
		name    string
		columns int
		factors []float64 // of the columns
		add     float64
		want    string
	}{
		{"signs", few, []float64{-1, 0, 2, 1}, 0, "column y is 2*x3 + x4 - x1"},
		{"negative", few, []float64{0, -0.25, 0, 0}, -3, "column y is -3 - 0.25*x2"},
		{"digits", few, []float64{1, 1.0001, 0, 0}, 0, "column y is x1 + 1.0001*x2"},
		{"small", few, []float64{1e-9, 0, 0, 0}, 0, "column y is 1e-09*x1"},
		{"irrational", few, []float64{3.14159265358979, 0, 1.4142135623731, 0}, 0, "column y is a linear combination of x1 and x3"},
		{"scale", few, []float64{0, 0, 1.4142135623731, 0}, 0, "column y is column x3 but for origin and scale"},
		{"far", few, []float64{1, 1, 0, 0}, 12345678, "column y is 12345678 + x1 + x2"},
		{"several", many, slices.Concat(slices.Repeat([]float64{1}, 9), make([]float64, many-9)), 0, "column y is a linear combination of x1, x2, x3, x4, x5, x6, x7, x8 and x9"},
		{"all", many, slices.Repeat([]float64{1}, many), 0, "x19, x20, ... (30 in all)"},
	} {
		rng := rand.New(rand.NewPCG(1, 2))
		data := &Table{places: places{numbers: runs{count: 60}}}
		for j := range c.columns {
			data.Columns = append(data.Columns, fmt.Sprintf("x%d", j+1))
		}
		data.Columns = append(data.Columns, "y")
		for range 60 {
			y := c.add
			for j := range c.columns {
				x := 5 + rng.NormFloat64()
				data.Values = append(data.Values, x)
				y += c.factors[j] * x
			}
			data.Values = append(data.Values, y)
		}
		if got := data.Degenerate(); len(got) != 1 || !strings.Contains(got[0], c.want) || strings.Contains(c.want, "column") && got[0] != c.want+": leave one of them out" {
			t.Errorf("%s: %q", c.name, got)
		}
	}
}

// TestCombination: a column that others make up is said to be what it is of them, whichever of them are made up of each other, and one that they do not make up is not.
func TestCombination(t *testing.T) {
	data, err := Read(strings.NewReader("one,a,b,both,c,d\n1,1,5,6,10,1\n1,2,3,5,10,7\n1,3,4,7,13,2\n1,4,9,13,20,2\n1,7,1,8,18,9\n"), Options{Several: true})
	if err != nil {
		t.Fatal(err)
	}
	for column, want := range map[int]string{0: "", 1: "both - b", 4: "3 + 2*a + b", 5: ""} {
		var of []int
		for j := range 5 {
			if j != column {
				of = append(of, j)
			}
		}
		if got := data.Combination(column, of); got != want {
			t.Errorf("%s: %q, not %q", data.Columns[column], got, want)
		}
	}
}
