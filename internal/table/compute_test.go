package table_test

import (
	"math"
	"strings"
	"testing"

	"github.com/sngdgen/sngdgen/internal/table"
)

// TestComputed evaluates terms on one row, in which a is 2, b is 3 and Sepal.Length 5.
func TestComputed(t *testing.T) {
	at := map[string]string{"a": "2", "b": "3", "Sepal.Length": "5"}
	for text, want := range map[string]float64{
		"log(a)": math.Log(2), "I(a^2)": 4, "I(-a^2)": -4, "I(a^b^2)": 512, "I((a + b)*2)": 10, "I(a - b - 1)": -2, "I(b/a/2)": 0.75,
		"log1p(a*b)": math.Log(7), "sqrt(I(a*8))": 4, "exp(-a)": math.Exp(-2), "log10(1e-3*a)": math.Log10(0.002), "log2(8)": 3,
		"I(Sepal.Length - .5)": 4.5, "abs(a-b)": 1, "expm1(a - 2)": 0, " I( a ) ": 2, "I(a^-1)": 0.5,
		"I(a == 2)": 1, "I(a==b)": 0, "I(a != 2)": 0, "I(a <= 2)": 1, "I(a>=b)": 0, "I(a + 1 < b*2)": 1, "I(a > b)": 0, "I(b*(a == 2) + 1)": 4,
	} {
		c, err := table.ParseComputed(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		header, row, of := []string{"z"}, []string{"0"}, []int{}
		for i, name := range c.Columns {
			header, row, of = append(header, name), append(row, at[name]), append(of, i+1)
		}
		from, err := table.Read(strings.NewReader(strings.Join(header, ",")+"\n"+strings.Join(row, ",")+"\n"), table.Options{Several: true})
		if err != nil {
			t.Fatal(err)
		}
		k, err := from.Add([]*table.Computed{c}, [][]int{of})
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if got := from.Values[k[0]]; !(math.Abs(got-want) <= 1e-15*math.Abs(want)) || from.Columns[k[0]] != text {
			t.Errorf("%s = %v, want %v", text, got, want)
		}
	}
	for text, want := range map[string]string{
		"log(a": "a parenthesis is never closed", "log()": "a column or a number is missing", "I(a b)": "a parenthesis is never closed",
		"poly(a, 2)": "poly is no function of terms", "I(a^)": "a column or a number is missing", "log(a))": `")" is not expected`,
		"I(" + strings.Repeat("(", 200) + "a": "nested too deeply", "I(1e-)": `"1e-" in I(1e-) is no number`,
		"I(a == )": "a column or a number is missing", "I(a < b < 3)": "a parenthesis is never closed", "I(a = 2)": "a parenthesis is never closed",
	} {
		if _, err := table.ParseComputed(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

// FuzzComputed: no text is a fault.
func FuzzComputed(f *testing.F) {
	f.Add("log(a + 2*b^-1)")
	f.Fuzz(func(t *testing.T, text string) { table.ParseComputed(text) })
}
