package table

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
)

const people = "age,sex,dose1,dose2,group\n30,m,1,2,10\n41,f,3,4,9\n52,m,5,6,10\n"

// TestTerms: terms are names, numbers, ranges and patterns; words are read as labels, in the order of the alphabet, numbers where that
// is asked for.
func TestTerms(t *testing.T) {
	got, err := Read(strings.NewReader(people), Options{Terms: true, Columns: []string{"age", "dose*", "2", "3-4", "group"}, Categories: []string{"group"}})
	if err != nil {
		t.Fatal(err)
	}
	if want := [][]int{{0}, {1, 2}, {3}, {1, 2}, {4}}; !reflect.DeepEqual(got.Terms, want) {
		t.Errorf("terms %v, want %v", got.Terms, want)
	}
	if want := [][]string{nil, nil, nil, {"f", "m"}, {"9", "10"}}; !reflect.DeepEqual(got.Levels, want) {
		t.Errorf("levels %v, want %v", got.Levels, want)
	}
	if want := []float64{30, 1, 2, 1, 1, 41, 3, 4, 0, 0, 52, 5, 6, 1, 1}; !reflect.DeepEqual(got.Values, want) {
		t.Errorf("values %v, want %v", got.Values, want)
	}
}

// TestArrange: columns are products of others, indicators of labels, and ones.
func TestArrange(t *testing.T) {
	in, err := Read(strings.NewReader(people), Options{Terms: true, Columns: []string{"age", "sex"}})
	if err != nil {
		t.Fatal(err)
	}
	out := in.Arrange([]Column{{Name: "intercept"}, {Name: "sex=m", Of: []int{1}, Level: []int{1}},
		{Name: "age:sex=m", Of: []int{0, 1}, Level: []int{-1, 1}}, {Name: "age", Of: []int{0}, Level: []int{-1}}})
	if want := []float64{1, 1, 30, 30, 1, 0, 0, 41, 1, 1, 52, 52}; !reflect.DeepEqual(out.Values, want) {
		t.Errorf("values %v, want %v", out.Values, want)
	}
	if want := []string{"intercept", "sex=m", "age:sex=m", "age"}; !reflect.DeepEqual(out.Columns, want) {
		t.Errorf("columns %v", out.Columns)
	}
	if out.Rows() != 3 || in.Columns[0] != "age" || len(in.Values) != 6 {
		t.Error("the table that it is made of has changed")
	}
}

// TestTermFaults: what is wrong with terms, and with labels, is said with its place.
func TestTermFaults(t *testing.T) {
	many := "x\n"
	for i := range mostLevels + 1 {
		many += fmt.Sprintf("a%d\n", i)
	}
	for _, c := range []struct {
		text    string
		columns []string
		want    string
	}{
		{people, []string{"agge"}, `did you mean "age"?`},
		{people, []string{"x*"}, `no column "x*"`},
		{people, []string{"7-8"}, `no column "7-8"`},
		{"age,sex\n30,m\n41,\n52,f\n", []string{"age", "sex"}, "<stdin>:3:4: empty cell (sex, row 2)"},
		{many, []string{"x"}, "more than 10000 different labels (x, row 10001)"},
	} {
		_, err := Read(strings.NewReader(c.text), Options{Terms: true, Columns: c.columns})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %v, want %s", c.columns, err, c.want)
		}
	}
}
