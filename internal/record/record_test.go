package record

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/sngdgen/sngdgen/internal/table"
)

func reader(text string, notes io.Writer) *Reader {
	return &Reader{Notes: notes, Open: func(o table.Options) (*table.Table, error) { return table.Read(strings.NewReader(text), o) }}
}

// TestRead: terms become columns, row by row, and it is said what they are.
func TestRead(t *testing.T) {
	const text = "y,age,sex,dose\n1,30,m,1\n2,40,f,10\n3,50,f,100\n"
	parts := []Part{{Name: "y", ByRow: true, Observed: true}, {Name: "x", ByRow: true, Vector: true, Independent: true}}
	for _, test := range []struct{ terms, columns, values, note string }{
		{"1+age", "y intercept age", "1 1 30 2 1 40 3 1 50", "note: x is intercept, age"},
		{"sex", "y sex=m", "1 1 2 0 3 0", "sex has 2 levels; f is the reference"},
		{"1+sex:age", "y intercept sex=m:age", "1 1 30 2 1 0 3 1 0", ""},
		{"a*", "y age", "1 30 2 40 3 50", ""},
		{"*ose*a*", "y dose age dose:age", "1 1 30 30 2 10 40 400 3 100 50 5000", ""},
		{"factor(age)", "y age=40 age=50", "1 0 0 2 1 0 3 0 1", "age has 3 levels; 30 is the reference"},
		{"I(age/10)+I(dose-1)", "y I(age/10) I(dose-1)", "1 3 0 2 4 9 3 5 99", ""},
		{"1+age+I(2*age)", "y intercept age", "1 1 30 2 1 40 3 1 50", " I(2*age) is a combination of the columns of x before it: it is left out"},
		{"1+age+I(age+age-1)", "y intercept age", "1 1 30 2 1 40 3 1 50", "I(age+age-1) (2*age - 1) is a combination of the columns of x before it: it is left out"},
		{"age+I(age+age-1)", "y age I(age+age-1)", "1 30 59 2 40 79 3 50 99", ""}, // without an intercept
		{".", "y age sex=m dose", "1 30 1 1 2 40 0 10 3 50 0 100", ""},
	} {
		var notes strings.Builder
		got, widths, err := reader(text, &notes).Read(parts, []string{"x=" + test.terms})
		if err != nil {
			t.Errorf("%s: %v", test.terms, err)
			continue
		}
		values := strings.Trim(fmt.Sprint(got.Values), "[]")
		if columns := strings.Join(got.Columns, " "); columns != test.columns || values != test.values || !strings.Contains(notes.String(), test.note) {
			t.Errorf("%s: %s: %s; %s", test.terms, columns, values, notes.String())
		}
		if widths[0] != 1 || widths[1] != len(got.Columns)-1 {
			t.Errorf("%s: widths %v", test.terms, widths)
		}
	}
}

// TestCrossed: a*b is a + b + a:b in what --data says, as in a formula, and no term is there twice.
func TestCrossed(t *testing.T) {
	const text = "y,dose,sex,group\n1,1,m,1\n2,2,f,1\n3,3,m,2\n4,5,f,2\n5,8,m,2\n6,13,f,1\n7,21,m,1\n8,34,f,2\n"
	parts := []Part{{Name: "y", ByRow: true, Observed: true}, {Name: "x", ByRow: true, Vector: true, Independent: true}}
	for terms, want := range map[string]struct{ columns, fourth string }{
		"1+sex*dose":                 {"intercept sex=m dose sex=m:dose", "1 0 5 0"},
		"dose+factor(group)*dose":    {"dose group=2 group=2:dose", "5 1 5"},
		"dose*factor(group)+dose":    {"dose group=2 dose:group=2", "5 1 5"},
		"dose*sex*factor(group)":     {"dose sex=m dose:sex=m group=2 dose:group=2 sex=m:group=2 dose:sex=m:group=2", "5 0 0 1 5 0 0"},
		"1+I(dose*dose)*sex":         {"intercept I(dose*dose) sex=m I(dose*dose):sex=m", "1 25 0 0"},
		"log(dose) * factor( group)": {"log(dose) group=2 log(dose):group=2", fmt.Sprint(math.Log(5), 1, math.Log(5))},
	} {
		got, _, err := reader(text, io.Discard).Read(parts, []string{"x=" + terms})
		if err != nil {
			t.Errorf("%s: %v", terms, err)
			continue
		}
		n := len(got.Columns)
		if columns, row := strings.Join(got.Columns[1:], " "), strings.Trim(fmt.Sprint(got.Values[3*n+1:4*n]), "[]"); columns != want.columns || row != want.fourth {
			t.Errorf("%s: %s: %s, want %s: %s", terms, columns, row, want.columns, want.fourth)
		}
	}
}

// TestReadFaults: what cannot be meant is an error, of what was asked for or of the file.
func TestReadFaults(t *testing.T) {
	const text = "y,age,sex\n1,30,m\n2,40,f\n"
	parts := []Part{{Name: "y", ByRow: true, Observed: true}, {Name: "x", ByRow: true, Vector: true, Length: 2}}
	for _, test := range []struct {
		mapping, want string
		asked         bool
	}{
		{"x=", "write NAME=COLUMN", true},
		{"z=age", "no part of the data is named", true},
		{"x=age+", "a term is missing", true},
		{"x=factor(age", "never closed", true},
		{"x=height*", `no column "height*"`, false},
		{"x=age**sex", "a name is missing beside *", true},
		{"x=a*b*c*d*e*f*g*h*i", "more than 8 factors", true},
		{"y=age*sex,x=age+sex", "is one number", false},
		{"x=age,x=sex", "said twice", true},
		{"y=age", "does not say what x is made of", true},
		{"x=age", "has 2 entries", false},
		{"x=age+height", `no column "height"`, false},
		{"x=age+y", "is what is explained", false},
		{"y=sex+age,x=age+sex", "is one number", false},
	} {
		_, _, err := reader(text, io.Discard).Read(parts, []string{test.mapping})
		var asked Fault
		if err == nil || !strings.Contains(err.Error(), test.want) || errors.As(err, &asked) != test.asked {
			t.Errorf("%s: %v", test.mapping, err)
		}
	}
}

// TestNameColumns: entries are called by columns, where these say more than numbers and are the same in all parts.
func TestNameColumns(t *testing.T) {
	x, z := Part{Name: "X", Dim: "p"}, Part{Name: "Z", Dim: "p"}
	for _, test := range []struct {
		parts   []Part
		columns [][]string
		want    []string
	}{
		{[]Part{x}, [][]string{{"age", "sex"}}, []string{"age", "sex"}},
		{[]Part{x}, [][]string{{"X1", "X2"}}, nil},
		{[]Part{x}, [][]string{nil}, nil},
		{[]Part{x, z}, [][]string{{"a", "b"}, {"a", "b"}}, []string{"a", "b"}},
		{[]Part{x, z}, [][]string{{"a", "b"}, {"c", "d"}}, nil},
	} {
		if got := NameColumns(nil, test.parts, test.columns)["p"]; !slices.Equal(got, test.want) {
			t.Errorf("%v: %v", test.columns, got)
		}
	}
}
