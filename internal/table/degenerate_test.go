package table

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	_ "github.com/sngdgen/sngdgen/internal/testseed"
)

func TestDegenerate(t *testing.T) {
	for _, c := range []struct {
		text string
		want []string
	}{
		{"a,b\n1,2\n2,1\n3,5\n", nil},
		{"a,b\n1,2\n2,2\n3,2\n", []string{"column b is constant: leave it out"}},
		{"a,b,c\n1,2,1\n2,1,2\n3,5,3\n4,0,4\n", []string{"column c is a: leave one of them out"}},
		{"1,2,-11\n2,1,-21\n3,5,-31\n4,0,-41\n", []string{"column 3 is -1 - 10*column 1: leave one of them out"}},
		{"a,b,c\n1,2,3\n2,1,3\n3,5,8\n4,0,4\n", []string{"column c is a + b: leave one of them out"}},
		{"a,b\n1,2\n2,1\n", []string{"2 rows for 2 columns: a covariance matrix needs more rows than columns"}},
		{"a,b\n1,2\n", []string{"1 row for 2 columns: a covariance matrix needs more rows than columns"}},
		{"a,b\n1e200,2\n2,1\n3,5\n", []string{"column a has numbers up to 1e+200, whose squares overflow: rescale it"}},
		{"a,b\n1e-200,2\n2e-200,1\n3e-200,5\n", []string{"column a varies by 2e-200 only, whose square underflows: rescale it"}},
	} {
		data, err := Read(strings.NewReader(c.text), Options{Several: true})
		if err != nil {
			t.Fatal(err)
		}
		if got := data.Degenerate(); !slices.Equal(got, c.want) {
			t.Errorf("%q: %q", c.text, got)
		}
	}
}

// TestDegenerateByRank: independent columns are left alone at any origin and scale, and the last of the dependent ones is
// found.
func TestDegenerateByRank(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		width, rows := rapid.IntRange(2, 12).Draw(t, "width"), rapid.IntRange(40, 80).Draw(t, "rows")
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		data := &Table{Values: make([]float64, rows*width), places: places{numbers: runs{count: rows}}}
		origin, scale := make([]float64, width), make([]float64, width)
		for j := range width {
			data.Columns = append(data.Columns, fmt.Sprintf("x%d", j+1))
			scale[j] = math.Pow(10, 16*rng.Float64()-8)
			origin[j] = scale[j] * 1000 * rng.NormFloat64()
		}
		last := rapid.Bool().Draw(t, "dependent") && width > 2
		for i := range rows {
			sum := 0.0
			for j := range width {
				x := rng.NormFloat64()
				if last && j == width-1 {
					x = sum
				}
				data.Values[i*width+j] = origin[j] + scale[j]*x
				sum += x
			}
		}
		got := data.Degenerate()
		if !last && got != nil || last && (len(got) != 1 || !strings.Contains(got[0], data.Columns[width-1]+" is ")) {
			t.Fatalf("%v: %q", last, got)
		}
	})
}
