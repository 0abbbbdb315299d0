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

// TestRangesByName: a..b are the columns between two, by name or number, also where names have dots; a dot alone is all that are not apart.
func TestRangesByName(t *testing.T) {
	const text = "id,a.b,a..c,d.,y,w,k\n1,2,3,4,5,6,u\n2,3,4,5,6,7,v\n"
	for _, c := range []struct {
		term string
		want []string
	}{
		{"a.b..y", []string{"a.b", "a..c", "d.", "y"}},
		{"a..c..y", []string{"a..c", "d.", "y"}},
		{"a.b..a..c", []string{"a.b", "a..c"}},
		{"a..c", []string{"a..c"}},
		{"d...w", []string{"d.", "y", "w"}},
		{"2..4", []string{"a.b", "a..c", "d."}},
		{"y .. k", []string{"y", "w", "k"}},
		{".", []string{"a.b", "a..c", "d.", "k"}},
	} {
		got, err := Read(strings.NewReader(text), Options{Terms: true, Columns: []string{"id", c.term}, Apart: []string{"id", "y"}, Weights: "w"})
		if err != nil {
			t.Errorf("%s: %v", c.term, err)
			continue
		}
		var names []string
		for _, k := range got.Terms[1] {
			names = append(names, got.Columns[k])
		}
		if !reflect.DeepEqual(c.want, names) {
			t.Errorf("%s: %q, want %q", c.term, names, c.want)
		}
	}
	if got, err := Read(strings.NewReader("1,2,3\n4,5,6\n"), Options{Columns: []string{"1..2"}, Several: true}); err != nil || got.Rows() != 2 ||
		len(got.Columns) != 2 {
		t.Errorf("without a header: %+v, %v", got, err)
	}
}

// TestArrange: columns are products of others, indicators of labels, and ones.
func TestArrange(t *testing.T) {
	in, err := Read(strings.NewReader(people), Options{Terms: true, Columns: []string{"age", "sex"}})
	if err != nil {
		t.Fatal(err)
	}
	out, err := in.Arrange([]Column{{Name: "intercept"}, {Name: "sex=m", Of: []int{1}, Level: []int{1}},
		{Name: "age:sex=m", Of: []int{0, 1}, Level: []int{-1, 1}}, {Name: "age", Of: []int{0}, Level: []int{-1}}})
	if err != nil {
		t.Fatal(err)
	}
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
		apart   []string
		want    string
	}{
		{people, []string{"agge"}, nil, `did you mean "age"?`},
		{people, []string{"x*"}, nil, `no column "x*"`},
		{people, []string{"7-8"}, nil, `no column "7-8"`},
		{people, []string{"age..group5"}, nil, `did you mean "group"?`},
		{people, []string{"group..age"}, nil, "group..age: the first column stands behind the last one"},
		{"y\n1\n2\n", []string{"."}, []string{"y"}, "no other columns"},
		{"age,sex\n30,m\n41,\n52,f\n", []string{"age", "sex"}, nil, "<stdin>:3:4: empty cell (sex, row 2)"},
		{many, []string{"x"}, nil, "more than 10000 different labels (x, row 10001)"},
	} {
		_, err := Read(strings.NewReader(c.text), Options{Terms: true, Columns: c.columns, Apart: c.apart})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %v, want %s", c.columns, err, c.want)
		}
	}
}
