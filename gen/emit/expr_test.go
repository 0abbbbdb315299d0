package emit

import (
	"go/constant"
	"go/token"
	"go/types"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/gen/program"
	_ "github.com/sngdgen/sngdgen/internal/testseed"
)

// formula draws a formula of sums, products and powers of numbers, with what it is worth.
func formula(t *rapid.T, depth int) (program.Expr, float64) {
	if depth == 0 || rapid.IntRange(0, 3).Draw(t, "leaf") == 0 {
		v := 0.125 + float64(rapid.IntRange(0, 3).Draw(t, "number")) // no whole number: quotients of these are whole in Go
		return program.Number(v), v
	}
	n := &program.Apply{Op: expr.Lin}
	sum := rapid.Bool().Draw(t, "sum")
	value := 1.0
	if !sum {
		n.Op = expr.Prod
	} else {
		n.Const = float64(rapid.IntRange(-2, 2).Draw(t, "constant"))
		value = n.Const
	}
	for range rapid.IntRange(1, 3).Draw(t, "operands") {
		arg, v := formula(t, depth-1)
		n.Args = append(n.Args, arg)
		if sum {
			c := rapid.SampledFrom([]float64{-2, -1, -0.5, 1, 1, 3}).Draw(t, "coefficient")
			n.Coefs, value = append(n.Coefs, c), value+c*v
		} else {
			e := rapid.SampledFrom([]float64{-2, -1, 1, 1, 2, 3}).Draw(t, "exponent")
			n.Coefs, value = append(n.Coefs, e), value*math.Pow(v, e)
		}
	}
	return n, value
}

// worth is the value of Go code that is a constant.
func worth(t *rapid.T, code string) float64 {
	v, err := types.Eval(token.NewFileSet(), nil, token.NoPos, code)
	if err != nil && strings.Contains(err.Error(), "division by zero") {
		t.Skip("0 in a denominator, exactly: constants are not rounded as numbers are")
	}
	if err != nil {
		t.Fatalf("%s: %v", code, err)
	}
	f, _ := constant.Float64Val(constant.ToFloat(v.Value))
	return f
}

// Formulas are worth as Go what they are worth: signs, quotients and parentheses, also where a weight stands in front.
func TestFormulasAsGo(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e, want := formula(t, 4)
		if math.IsNaN(want) || math.IsInf(want, 0) || math.Abs(want) > 1e12 {
			t.Skip("too large")
		}
		w := printer{used: map[string]bool{}}
		for factor, code := range map[float64]string{
			1:    w.expr(e).GoString(),
			2.5:  w.scaled(w.expr(program.Number(2.5)).Statement, e).GoString(),
			-3.5: "-3.5*" + w.expr(e).at(unary).GoString(),
		} {
			expected := factor * want
			if got := worth(t, code); math.Abs(got-expected) > 1e-9*(1+math.Abs(expected)) {
				t.Fatalf("%s is %v, not %v", code, got, expected)
			}
		}
	})
}

// Places of entries in memory: row by row, behind the start of a block, in the part of a component.
func TestSubscripts(t *testing.T) {
	d, two := expr.Dim{Name: "d"}, expr.Dim{Size: 2}
	w := printer{used: map[string]bool{}, components: expr.Dim{Name: "k"}}
	i, j, row, comp := program.Over(program.I), program.Over(program.J), program.Over(program.Row), program.Over(program.Component)
	vector := &program.Place{Name: "v", Shape: program.Shape{Dims: []expr.Dim{d}}}
	matrix := &program.Place{Name: "a", Shape: program.Shape{Dims: []expr.Dim{d, d}}}
	small := &program.Place{Name: "s", Shape: program.Shape{Dims: []expr.Dim{two, two}}}
	block := &program.Place{Name: "x", Shape: program.Shape{Dims: []expr.Dim{d}, Block: true}}
	column := &program.Place{Name: "c", Shape: program.Shape{Block: true}}
	label := program.Index{By: &program.Ref{Place: &program.Place{Name: "g"}}}
	for _, c := range []struct {
		ref  program.Ref
		want string
	}{
		{program.Ref{Place: vector}, "v"},
		{program.Ref{Place: vector, At: []program.Index{i}}, "v[i]"},
		{program.Ref{Place: vector, At: []program.Index{program.At(3)}}, "v[3]"},
		{program.Ref{Place: matrix, At: []program.Index{i, j}}, "a[i*d+j]"},
		{program.Ref{Place: matrix, At: []program.Index{j, i}}, "a[j*d+i]"},
		{program.Ref{Place: matrix, At: []program.Index{program.At(1), j}}, "a[1*d+j]"},
		{program.Ref{Place: small, At: []program.Index{program.At(1), program.At(0)}}, "s[2]"},
		{program.Ref{Place: block, At: []program.Index{i, j}}, "x[ij]"},
		{program.Ref{Place: block, At: []program.Index{row, j}}, "x[start*d+ij]"},
		{program.Ref{Place: column, At: []program.Index{row}}, "c[start+i]"},
		{program.Ref{Place: matrix, At: []program.Index{i, comp}}, "a[(i)*k+comp]"},
		{program.Ref{Place: vector, At: []program.Index{label}}, "dense.Entry(v, int(g)-1)"},
	} {
		if got := w.ref(c.ref).GoString(); got != c.want {
			t.Errorf("%s, not %s", got, c.want)
		}
	}
}
