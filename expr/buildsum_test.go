package expr_test

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/expr/eval"
	"github.com/sngdgen/sngdgen/expr/syntax"
	"github.com/sngdgen/sngdgen/internal/exprtest"
)

// terms are terms of sums over j from 1 to d, of everything that may depend on it: entries, rows and columns of matrices, and j itself.
var terms = []string{
	"j", "s", "x[j]", "x[j]*y[j] + s*j", "exp(x[j])/(1 + j^2)", "log1p((s - x[j])^2)", "s^(j - 2)", "A[j, j]", "dot(A[j, :], x)*y[j]",
	"dot(B[:, j], x) - dot(B[j, :], y)", "dot(A[j, :], B[:, j])", "dot(A[j, :] + s*y, x)", "dot(A[j, :] + x[j]*y, y + 1)",
	"dot(B[j, :]*x, y)", "dot(sigmoid(B[j, :] - y), x)", "dot(exp(x[j]*y/4), y)*j", "dot(j*x*y, y)", "quad(A, x)*y[j]", "dot(A @ B[:, j], x)",
	"dot(r, x)*y[j]", "sigmoid(dot(r, x) - y[j]*j)", "sigmoid(r[j] - y[j])", "log(1 + exp(s - r[j])*j)", "dot(B[j, :], r)^2",
	"dot(r - x, A[j, :])*r[j]", "sum(i in 1:d, x[i]*A[i, j]*y[j])", "sum(i in 1:d, sigmoid(x[i] - A[i, j]))*j",
	"sum(i in 1:d, i*x[i])*x[j]",
}

// TestSumOver: a sum over an index has the value of its terms written out, and, whatever its length, is no longer than for length 2.
func TestSumOver(t *testing.T) {
	for _, f := range terms {
		t.Run(f, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				w := exprtest.NewLinalgWorld()
				sum := w.Parse(t, "sum(j in 1:d, "+f+")")
				env := exprtest.LinalgPoint(t)
				d := int(env.Symbols["d"].Scalar)
				var out []string
				for k := 1; k <= d; k++ {
					out = append(out, atIndex(f, d, k))
				}
				want := w.Parse(t, strings.Join(out, " + "))
				values, err := eval.All([]*expr.Node{sum, want}, env)
				if err != nil {
					t.Fatal(err)
				}
				a, b := rowsOf(values[0]), rowsOf(values[1])
				for i := range max(len(a), len(b)) {
					if x, y := a[i%len(a)], b[i%len(b)]; math.Abs(x-y) > 1e-9*(1+math.Abs(x)) {
						t.Fatalf("%v is %v, written out it is %v (%v)", sum, x, y, want)
					}
				}
			})
		})
	}
}

func rowsOf(v eval.Value) []float64 {
	if v.Rows != nil {
		return v.Rows
	}
	return []float64{v.Scalar}
}

var (
	ofVector = regexp.MustCompile(`\b([xyr])\[([ij]|\d+)\]`)
	ofMatrix = regexp.MustCompile(`\b([AB])\[([ij]|\d+), ([ij])\]`)
	row      = regexp.MustCompile(`\b([AB])\[([ij]), :\]`)
	column   = regexp.MustCompile(`\b([AB])\[:, ([ij])\]`)
)

// atIndex writes a term out at one value of j: an entry is the inner product with a vector of one 1.
func atIndex(f string, d, k int) string {
	f = regexp.MustCompile(`\bj\b`).ReplaceAllString(f, "%J%")
	f = strings.ReplaceAll(f, "%J%", "j")
	for _, p := range []struct {
		of *regexp.Regexp
		by string
	}{
		{ofMatrix, "dot(equal(range(d), $2), $1 @ equal(range(d), $3))"}, {row, "($1' @ equal(range(d), $2))"},
		{column, "($1 @ equal(range(d), $2))"}, {ofVector, "dot($1, equal(range(d), $2))"},
	} {
		f = p.of.ReplaceAllString(f, p.by)
	}
	f = regexp.MustCompile(`\bj\b`).ReplaceAllString(f, fmt.Sprint(k))
	const inner = "sum(i in 1:d, "
	for at := strings.Index(f, inner); at >= 0; at = strings.Index(f, inner) {
		depth, end := 1, at+len(inner)
		for ; depth > 0; end++ {
			depth += strings.Count(f[end:end+1], "(") - strings.Count(f[end:end+1], ")")
		}
		var parts []string
		for i := 1; i <= d; i++ {
			parts = append(parts, regexp.MustCompile(`\bi\b`).ReplaceAllString(f[at+len(inner):end-1], fmt.Sprint(i)))
		}
		f = f[:at] + "(" + strings.Join(parts, " + ") + ")" + f[end:]
	}
	return f
}

// TestArrayOver: the entries of an array are those of its formula written out, and what may be exchanged is symmetric.
func TestArrayOver(t *testing.T) {
	for f, symmetric := range map[string]bool{
		"exp(-(x[i] - x[j])^2/2)": true, "exp(-abs(x[i] - x[j])*s^2/(1 + s^2))": true, "min(x[i], x[j])": true, "x[i]*x[j]": true, "(1 + (x[i] - x[j])^2)^(s/9)": true,
		"A[i, j]*x[i]": false, "x[i] - x[j]": false, "(x[i] - x[j])^3": false, "x[j]": false, "s": true, "i*j": true, "i*x[j]": false,
		"exp(x[i]/9)*y[j] + B[i, j]": false, "sigmoid(x[i] - y[j])": false,
	} {
		t.Run(f, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				w := exprtest.NewLinalgWorld()
				array := w.Parse(t, "array(i in 1:d, j in 1:d, "+f+")")
				if got := array.Facts.Structure&expr.Symmetric != 0; got != symmetric {
					t.Fatalf("%v: symmetric %t", array, got)
				}
				env := exprtest.LinalgPoint(t)
				d := int(env.Symbols["d"].Scalar)
				for k := 1; k <= d; k++ {
					for i := 1; i <= d; i++ {
						entry := w.G.Dot(w.Parse(t, fmt.Sprintf("equal(range(d), %d)", i)), w.G.MatMul(array, w.Parse(t, fmt.Sprintf("equal(range(d), %d)", k))))
						one := regexp.MustCompile(`\bi\b`).ReplaceAllString(atIndex(strings.ReplaceAll(f, "[i", "["+fmt.Sprint(i)), d, k), fmt.Sprint(i))
						values, err := eval.All([]*expr.Node{entry, w.Parse(t, one)}, env)
						if err != nil {
							t.Fatal(err)
						}
						if a, b := rowsOf(values[0])[0], rowsOf(values[1])[0]; math.Abs(a-b) > 1e-9*(1+math.Abs(b)) {
							t.Fatalf("entry %d, %d of %v is %v, written out %v", i, k, array, a, b)
						}
					}
				}
			})
		})
	}
}

// TestSumOverStaysALoop: the graph of a sum over tables does not grow with their length.
func TestSumOverStaysALoop(t *testing.T) {
	size := func(m int) int {
		w := exprtest.NewLinalgWorld()
		list := make([]string, m)
		for i := range list {
			list[i] = fmt.Sprint(float64(i) + 0.25)
		}
		table := "[" + strings.Join(list, ", ") + "]"
		count := 0
		expr.Walk(func(*expr.Node) { count++ }, w.Parse(t, fmt.Sprintf("log(sum(j in 1:%d, %s[j]*exp(-(dot(r, x) - s*%s[j]*j)^2)))", m, table, table)))
		return count
	}
	if two, sixty := size(2), size(60); sixty > two+2 {
		t.Errorf("%d nodes for 60 terms, %d for 2", sixty, two)
	}
}

// TestTables: functions and products of tables are tables, their entries and their sums numbers.
func TestTables(t *testing.T) {
	for formula, want := range map[string]string{
		"exp([0, 1, 2])*[1, 2, 3]/2": "table", "[1, 2, 3][2]": "2", "total([1, 2, 3])": "6", "dot([1, 2], [3, 4])": "11",
		"sum(j in 1:3, [4, 5, 6][j]*j)": "32", "[2, 2]": "ones", "log([1, -1])": "log", "sum(j in 3:2, j)": "0",
		"sum(j in 1:0, x[1])": "0", "sum(j in 1:4, 1)": "4",
	} {
		w := exprtest.NewLinalgWorld()
		b := w.Builder()
		e, errs := syntax.Parse(formula)
		if len(errs) > 0 {
			t.Fatal(errs)
		}
		n := b.Build(e)
		if n == nil {
			if formula != "sum(j in 1:0, x[1])" {
				t.Errorf("%s: %v", formula, b.Faults)
			}
			continue
		}
		_, core := w.G.Bare(n)
		if got := n.String(); got != want && core.Op.Name != want {
			t.Errorf("%s is %s, not %s", formula, got, want)
		}
	}
}

// TestSumOverFaults: what cannot be a sum over an index is said at its place.
func TestSumOverFaults(t *testing.T) {
	for formula, want := range map[string]string{
		"sum(j in 1:d)":                         "a sum over j takes 2 operands, not 1",
		"sum(j in 1:d, x)":                      "the terms of a sum over j are numbers, this is a vector(d)",
		"sum(x in 1:d, 1)":                      "x is a name already",
		"sum(j in 2:d, x[j])":                   "a range up to d begins at 1",
		"sum(j in 1:s, x[j])":                   "a range ends at a whole number, or at a dimension",
		"sum(j in s:d, x[j])":                   "a range begins at a whole number",
		"sum(j in 1.5:3, j)":                    "a range begins at a whole number",
		"sum(j in 5:3, j)":                      "a range from 5 to 3 has no numbers",
		"sum(j in 1:3, x[j])":                   "this is a number from 1 to 3, but there are d entries",
		"sum(j in 1:d, [1, 2][j])":              "this is a number from 1 to d, but there are 2 entries",
		"sum(j in 1:d, q)":                      "unknown name \"q\" in test",
		"array(j in 1:d, A)":                    "an array is a vector of numbers, or a matrix: this is a matrix(d, d) for each j",
		"array(j, x[j])":                        "the first operand of array is an index with its range",
		"array(j in 1:d)":                       "an array over j takes 2 operands, not 1",
		"array(j in (0, 1), j)":                 "an array goes over a range",
		"array(j in 1:0, j)":                    "an array has an entry at least",
		"array(j in 1:d, logdet(A + j*eye(d)))": "there is no loop for these terms: only sums of up to 100 can be written out",
		"array(i in 1:d, j in 1:2, [1, 2][j]*i*logdet(A + i*eye(d)))": "there is no loop for the entries of this matrix",
		"exp(j in 1:d)":                           "a name in a range is the first operand of sum, array, integral or series",
		"sum(j in 1:d, sum(j in 1:d, 1))":         "j is a name already",
		"sum(j in 1:d, logdet(A + j*eye(d)))":     "there is no loop for these terms: only sums of up to 100 can be written out",
		"sum(j in 1:101, logdet(A + j*eye(d)))":   "there is no loop for these terms: only sums of up to 100 can be written out",
		"sum(j in 1:1000000000000, logdet(A)*j)":  "a range ends at a whole number, or at a dimension",
		"sum(j in 1:d, dot(sigmoid(j*r), x)) + j": "unknown name \"j\" in test",
	} {
		w := exprtest.NewLinalgWorld()
		b := w.Builder()
		b.Scope.What = "test"
		e, errs := syntax.Parse(formula)
		if len(errs) > 0 {
			t.Fatal(formula, errs)
		}
		b.Build(e)
		if !slices.ContainsFunc(b.Faults, func(f expr.Fault) bool { return f.Msg == want }) {
			t.Errorf("%s: %v, not %q", formula, b.Faults, want)
		}
	}
}
