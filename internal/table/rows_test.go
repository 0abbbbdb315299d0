package table

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestRows compares ranges with the rows that they list one by one.
func TestRows(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const most = 30
		want := map[int]bool{}
		var parts []string
		for range rapid.IntRange(1, 5).Draw(t, "parts") {
			first := rapid.IntRange(1, most).Draw(t, "first")
			last := rapid.IntRange(first, most).Draw(t, "last")
			text := fmt.Sprintf("%d:%d", first, last)
			switch rapid.IntRange(0, 3).Draw(t, "form") {
			case 0:
				text, last = fmt.Sprint(first), first
			case 1:
				text, last = fmt.Sprintf("%d:", first), most
			case 2:
				text, first = fmt.Sprintf(" :%d ", last), 1
			}
			parts = append(parts, text)
			for i := first; i <= last; i++ {
				want[i] = true
			}
		}
		rows, err := ParseRows(strings.Join(parts, ","))
		if err != nil {
			t.Fatal(err)
		}
		last := 0
		for i := 1; i <= most; i++ {
			if rows.has(i) != want[i] {
				t.Fatalf("%v: row %d", parts, i)
			}
			if want[i] {
				last = i
			}
		}
		if !rows.has(most+1) && (rows.endBefore(last) || !rows.endBefore(last+1)) {
			t.Fatalf("%v end at %d", parts, last)
		}
	})
	for _, text := range []string{"", ",", ":", "0", "-1", "3:2", "a", "1:2:3", "1,,2", "1.5", "1:x", "99999999999999999999", strings.Repeat("1,", mostSpans) + "1"} {
		if rows, err := ParseRows(text); err == nil {
			t.Errorf("%.20q: %v", text, rows)
		}
	}
}

func TestCondition(t *testing.T) {
	for _, c := range []struct {
		text, cell string
		want       bool
		fault      bool
	}{
		{"g=a", "a", true, false}, {"g = a", " a ", true, false}, {"g==a", "b", false, false}, {"g=1", "1.0", true, false},
		{"g!=a", "b", true, false}, {"g!=1", "1e0", false, false}, {"g=", "", true, false}, {"g!=", "", false, false},
		{"x<2", "1", true, false}, {"x<2", "2", false, false}, {"x<=2", "2", true, false}, {"x>2", "3", true, false},
		{"x>=2", "2", true, false}, {"x>=2", "NA", false, false}, {"x>=2", "b", false, true}, {"x=a=b", "a=b", true, false},
		{"g=nan", "nan", true, false}, {"g=nan", "1", false, false},
	} {
		cond, err := ParseCondition(c.text)
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		got, err := cond.holds(parseNumber(c.cell, false), strings.TrimSpace(c.cell))
		if got != c.want || (err != nil) != c.fault {
			t.Errorf("%s on %q: %v, %v", c.text, c.cell, got, err)
		}
	}
	for _, text := range []string{"", "g", "=a", " <1", "g<a", "g>=nan", "g>"} {
		if c, err := ParseCondition(text); err == nil {
			t.Errorf("%q: %+v", text, c)
		}
	}
}

// endless is a text without an end.
type endless struct {
	head, again string
	read        int64
}

func (e *endless) Read(p []byte) (int, error) {
	n := 0
	for n < len(p) {
		if e.head == "" {
			e.head = e.again
		}
		k := copy(p[n:], e.head)
		e.head, n = e.head[k:], n+k
	}
	e.read += int64(n)
	return n, nil
}

// TestEndless reads texts without an end: each is given up once it is clear that it would not fit into memory.
func TestEndless(t *testing.T) {
	for name, c := range map[string]struct {
		text endless
		o    Options
		want string
	}{
		"cell":        {endless{again: "1"}, Options{}, ":1: a line of more than"},
		"cell later":  {endless{head: "x\n1\n2\n", again: "1"}, Options{}, ":4: a line of more than"},
		"cells":       {endless{again: ","}, Options{}, ":1: a line of more than"},
		"quoted":      {endless{head: "x,y\n1,2\n3,\"", again: "1234567\n"}, Options{Columns: []string{"x"}}, "is a quotation mark not closed?"},
		"comments":    {endless{again: "# a comment\n"}, Options{}, "no row of data among"},
		"empty lines": {endless{head: "x\n1\n", again: "\n"}, Options{}, "without the end of a row"},
		"blank lines": {endless{head: "x,y\n1,2\n", again: " \n\n#\n"}, Options{Columns: []string{"x"}}, "without the end of a row"},
		"faults":      {endless{head: "x\n1\n", again: "many\n"}, Options{Columns: []string{"x"}}, "stopped after 10 faults"},
		"rows":        {endless{head: "x\n", again: "1\n"}, Options{Rows: Rows{{1, 3}}}, ""},
		"wide header": {endless{head: strings.Repeat("name,", 1<<17) + "\n", again: strings.Repeat("1,", 1<<17) + "\n"},
			Options{Rows: Rows{{1, 2}}, Columns: []string{"5"}}, ""},
	} {
		_, err := Read(&c.text, c.o)
		if (err == nil) != (c.want == "") || err != nil && (!strings.Contains(err.Error(), c.want) || len(err.Error()) > 10_000) {
			t.Errorf("%s: %.300v", name, err)
		}
		if c.text.read > 2*maxRow {
			t.Errorf("%s: %d bytes were read", name, c.text.read)
		}
	}
}

// TestKeep keeps rows with all that belongs to them.
func TestKeep(t *testing.T) {
	got, err := readBytes("f.csv", []byte("x,y,w\n1,2,5\n,4,6\n5,6,7\n7,8,9\n"), Options{Columns: []string{"x", "y"}, Weights: "w", SkipMissing: true})
	if err != nil {
		t.Fatal(err)
	}
	if got.Missing != 1 || got.Seen != 4 || !slices.Equal(got.Numbers(), []int32{1, 3, 4}) {
		t.Errorf("%+v", got)
	}
	got.Keep([]int32{2, 3, 4})
	if !slices.Equal(got.Values, []float64{5, 6, 7, 8}) || !slices.Equal(got.Weights, []float64{7, 9}) || got.Missing != 2 ||
		!slices.Equal(got.lines.all(), []int32{4, 5}) || !slices.Equal(got.cells, []int32{1, 3, 1, 3}) {
		t.Errorf("%+v", got)
	}
}

func TestDistinct(t *testing.T) {
	got, err := Read(strings.NewReader("a,b,w\n1,2,1\n1,2,1\n1,3,1\n0,2,1\n-0,2,1\n9,9,0\n"), Options{Columns: []string{"a,b"}, Weights: "w"})
	if err != nil {
		t.Fatal(err)
	}
	for most, want := range map[int]int{1: 1, 2: 2, 3: 3, 4: 3, 100: 3} {
		if n := len(got.Distinct(most)) / len(got.Columns); n != want {
			t.Errorf("%d of %d", n, most)
		}
	}
}
