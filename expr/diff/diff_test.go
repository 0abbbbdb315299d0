package diff_test

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	_ "github.com/sngdgen/sngdgen/internal/testseed"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/expr/diff"
	"github.com/sngdgen/sngdgen/expr/eval"
	"github.com/sngdgen/sngdgen/internal/exprtest"
)

// Every derivative is compared with differences of the values that the interpreter gives, in both modes.

// number evaluates a node that does not vary over the rows.
func number(t exprtest.TB, n *expr.Node, env *eval.Env) float64 {
	t.Helper()
	v, err := eval.Eval(n, env)
	if err != nil {
		t.Fatalf("%v: %v", n, err)
	}
	return v
}

// reverse and forward return the derivative of f with respect to x, a value without rows.
func reverse(t exprtest.TB, g *expr.Graph, f, x *expr.Node) *expr.Node {
	t.Helper()
	d, err := diff.Gradient(g, f, []*expr.Node{x})
	if err != nil {
		t.Fatalf("%v: %v", f, err)
	}
	return d[0]
}

func forward(t exprtest.TB, g *expr.Graph, f, x *expr.Node) *expr.Node {
	t.Helper()
	d, err := diff.Pushforward(g, []*expr.Node{f}, []*expr.Node{x}, []*expr.Node{g.Const(1)})
	if err != nil {
		t.Fatalf("%v: %v", f, err)
	}
	return d[0]
}

// differences is the derivative of f at 0 by Ridders' extrapolation of central differences (Press et al., Numerical
// Recipes, section 5.7), with an estimate of its error.
func differences(f func(h float64) float64, h float64) (d, err float64) {
	const shrink = 1.4
	var table [10][10]float64
	err = math.Inf(1)
	for i := range table {
		table[0][i] = (f(h) - f(-h)) / (2 * h)
		factor := shrink * shrink
		for j := 1; j <= i; j++ {
			table[j][i] = (table[j-1][i]*factor - table[j-1][i-1]) / (factor - 1)
			factor *= shrink * shrink
			e := max(math.Abs(table[j][i]-table[j-1][i]), math.Abs(table[j][i]-table[j-1][i-1]))
			if e <= err {
				d, err = table[j][i], e
			}
		}
		h /= shrink
	}
	return d, err
}

// step is a first step of differences that stays well inside a range.
func step(x float64, r expr.Range) float64 {
	return min(0.1, (x-r.Lo)/4, (r.Hi-x)/4)
}

// moved returns the environment with h added to a symbol; row is -1 for a symbol without rows.
func moved(env *eval.Env, name string, row int, h float64) *eval.Env {
	out := &eval.Env{Symbols: maps.Clone(env.Symbols), Weights: env.Weights}
	v := out.Symbols[name]
	if row < 0 {
		v.Scalar += h
	} else {
		v.Rows = slices.Clone(v.Rows)
		v.Rows[row] += h
	}
	out.Symbols[name] = v
	return out
}

// checkScalar compares the derivatives of f with respect to a number with each other and with differences.
func checkScalar(t exprtest.TB, g *expr.Graph, f, x *expr.Node, env *eval.Env) {
	t.Helper()
	at := env.Symbols[x.Name].Scalar
	want, err := differences(func(h float64) float64 { return number(t, f, moved(env, x.Name, -1, h)) }, step(at, x.Facts.Range))
	for mode, d := range map[string]*expr.Node{"reverse": reverse(t, g, f, x), "forward": forward(t, g, f, x)} {
		got := number(t, d, env)
		if !(math.Abs(got-want) <= 1e-6*max(1e-3, math.Abs(want))+2*err) || err > 1e-5*max(1, math.Abs(want)) {
			t.Fatalf("%s: d/d%v of %v is %v = %v, differences give %v ± %.2g at %v", mode, x, f, d, got, want, err, env.Symbols)
		}
	}
}

// checkRows compares the derivative with respect to a value over the rows, which is taken with respect to the measure
// of the rows: the weights do not appear in it.
func checkRows(t exprtest.TB, g *expr.Graph, f, x *expr.Node, env *eval.Env) {
	t.Helper()
	d := reverse(t, g, f, x)
	v, err := eval.All([]*expr.Node{d}, env)
	if err != nil {
		t.Fatalf("%v: %v", d, err)
	}
	for i, at := range env.Symbols[x.Name].Rows {
		got := v[0].Scalar
		if v[0].Rows != nil {
			got = v[0].Rows[i]
		}
		want, e := differences(func(h float64) float64 { return number(t, f, moved(env, x.Name, i, h)) }, step(at, x.Facts.Range))
		if got *= env.Weights[i]; !(math.Abs(got-want) <= 1e-6*max(1e-3, math.Abs(want))+2*e) {
			t.Fatalf("d/d%v[%d] of %v is %v = %v, differences give %v at %v", x, i, f, d, got, want, env.Symbols)
		}
	}
}

// inside is a number inside a range, a quarter away from whole ones or at the given other offset from them: functions
// with a kink have it at 0 or where their operands are equal.
func inside(t *rapid.T, r expr.Range, offset float64) float64 {
	k := float64(rapid.IntRange(0, 5).Draw(t, "operand"))
	switch lo, hi := !math.IsInf(r.Lo, 0), !math.IsInf(r.Hi, 0); {
	case lo && hi:
		return r.Lo + (r.Hi-r.Lo)*(k+offset)/6
	case lo:
		return r.Lo + k + offset
	case hi:
		return r.Hi - k - offset
	}
	return k - 3 + offset
}

func TestEveryFunction(t *testing.T) {
	for _, op := range expr.Functions {
		t.Run(op.Name, rapid.MakeCheck(func(t *rapid.T) {
			g := expr.NewGraph()
			env := eval.Scalars(nil)
			args := make([]*expr.Node, op.Arity)
			for i, r := range op.Domain {
				if op.ConstantOperand == i+1 {
					args[i] = g.Const(float64(rapid.IntRange(1, 4).Draw(t, "constant")))
					continue
				}
				name := string(rune('x' + i))
				args[i] = g.Sym(name, expr.Scalar, expr.In(r))
				env.Set(name, inside(t, r, []float64{0.25, 0.75, 0.4}[i]))
			}
			f := g.Call(op, args...)
			for i, x := range args {
				if !x.IsSym() {
					continue
				}
				if op.Missing(i) {
					if _, err := diff.Gradient(g, f, []*expr.Node{x}); !errors.Is(err, diff.ErrMissing) {
						t.Fatalf("no error for a derivative that is missing: %v", err)
					}
					continue
				}
				checkScalar(t, g, f, x, env)
				first := reverse(t, g, f, x)
				for _, y := range args {
					if _, err := diff.Gradient(g, first, []*expr.Node{y}); y.IsSym() && !errors.Is(err, diff.ErrMissing) {
						checkScalar(t, g, first, y, env) // second derivatives
					}
				}
			}
		}))
	}
}

// formulas are differentiated with respect to every number and every value over the rows that they contain.
var formulas = []string{
	"2*real - 3*unit + 1", "real - real", "3",
	"real*unit*positive^2", "real*(real + unit)/positive", "(real - unit)^3", "1/(1 + real^2)", "sqrt(positive)*real",
	"sqrt(1 + real^2)", "(positive*unit)^-1.5", "(real^2 + unit)^2/(positive + unit)^3", "real*exp(real)*real^2",
	"positive^real", "(1 + positive)^(real*unit)", "unit^positive", "2^real", "(1 + unit)^(1 + unit)", "(2 + real^2)^-real",
	"sum(real*xreal^2)", "sum(exp(real*xunit))", "sum(log(positive + xpositive))*unit", "mean(xreal*unit)", "var(xreal*real)",
	"sqrt(1 + var(xreal + xunit))*real", "sum((xreal - mean(xreal*unit))^2)", "sum(sum(xreal*unit)*xunit^positive)", "exp(mean(log(xpositive))*unit)",
	"sum(xreal*(real + unit)) - real*sum(xreal)", "sum(real*xreal + unit)", "mean(sigmoid(real*xreal - unit))*n", "sum(xreal)^2/n",
	"root(a, log(a) + a = real)", "root(a, log(a) - digamma(a) = positive)", "root(a, log(a) - digamma(a) = positive*unit, 1/positive)",
	"root(a, a^3 + positive*a = exp(real))^2*unit",
	"root(a, log(a) + a*unit = mean(log(xpositive)))", "sum(root(a, a + log(a) = real*xreal))",
	"sum(xunit*root(a, a^3 + positive*a = xpositive + unit))", "root(a, a + positive^a = 3 + positive)",
}

// inner draws a point away from the ends of the ranges.
func inner(t *rapid.T, w *exprtest.World) *eval.Env {
	env := w.Point(t)
	for _, name := range w.Order {
		n := w.Names[name]
		if n.Type.Axes == 0 {
			env.Set(name, inside(t, n.Facts.Range, 0.25))
			continue
		}
		values := exprtest.Flat(env.Symbols[name])
		for i := range values {
			values[i] = inside(t, n.Facts.Range, 0.5)
		}
		env.Symbols[name] = exprtest.Unflat(values)
	}
	return env
}

func TestFormulas(t *testing.T) {
	for _, formula := range formulas {
		t.Run(formula, rapid.MakeCheck(func(t *rapid.T) {
			w := exprtest.NewWorld()
			f := w.Parse(t, formula)
			env := inner(t, w)
			for _, name := range []string{"real", "unit", "positive"} {
				checkScalar(t, w.G, f, w.Names[name], env)
			}
			for _, name := range []string{"xreal", "xunit", "xpositive"} {
				checkRows(t, w.G, f, w.Names[name], env)
			}
		}))
	}
}

// The second derivatives of formulas, by differences of the first.
func TestSecondDerivatives(t *testing.T) {
	for _, formula := range []string{
		"real^3*unit", "exp(real*unit)/positive", "sum(log(positive + xpositive*unit))", "(1 + positive)^real",
		"root(a, log(a) + a = real*unit)", "lgamma_diff(positive, positive + unit)", "sum(xreal*real)^2*unit",
	} {
		t.Run(formula, rapid.MakeCheck(func(t *rapid.T) {
			w := exprtest.NewWorld()
			env := inner(t, w)
			for _, x := range []string{"real", "unit", "positive"} {
				first := reverse(t, w.G, w.Parse(t, formula), w.Names[x])
				for _, y := range []string{"real", "unit", "positive"} {
					checkScalar(t, w.G, first, w.Names[y], env)
				}
			}
		}))
	}
}

// No operand is divided by: derivatives of products exist where factors are 0.
func TestProductsAtZero(t *testing.T) {
	for formula, want := range map[string]float64{
		"real": 1, "real*unit": 0.5, "real^2": 0, "real^2*unit": 0, "real*(real + unit)": 0.5, "real^3/unit": 0,
		"sum(real*xreal)": 6, "real*exp(real)": 1, "real*real*real": 0, "(real + unit)*real^2": 0, "real^1.5*real": 0,
	} {
		w := exprtest.NewWorld()
		env := eval.Scalars(map[string]float64{"real": 0, "unit": 0.5})
		env.Bind("xreal", []float64{1, 2, 3}, nil)
		f, x := w.Parse(t, formula), w.Names["real"]
		for mode, d := range map[string]*expr.Node{"reverse": reverse(t, w.G, f, x), "forward": forward(t, w.G, f, x)} {
			if got := number(t, d, env); got != want {
				t.Errorf("%s: the derivative of %s at 0 is %v = %v, want %v", mode, formula, d, got, want)
			}
		}
	}
}

// A sum of what does not vary is the value times the size of the axis, also in derivatives.
func TestSumsOfConstants(t *testing.T) {
	w := exprtest.NewWorld()
	for _, axis := range []expr.Axes{expr.Rows, expr.Components, expr.Draws} {
		x := w.Names["real"]
		f := w.G.Sum(axis, w.G.Mul(x, x))
		want := w.G.Mul(w.G.Const(2), x, w.G.Size(axis))
		if got := reverse(t, w.G, f, x); got != want {
			t.Errorf("over %v: %v, want %v", axis, got, want)
		}
		if got := forward(t, w.G, f, x); got != want {
			t.Errorf("forward over %v: %v, want %v", axis, got, want)
		}
	}
}

// A broadcast over an axis is undone by a sum over it: what a parameter receives does not vary.
func TestCotangentsHaveTheAxesOfTheirValues(t *testing.T) {
	g := expr.NewGraph()
	p := g.Sym("p", expr.Scalar, expr.Unknown)
	x := g.Sym("x", expr.Scalar.Over(expr.Rows), expr.Unknown)
	z := g.Sym("z", expr.Scalar.Over(expr.Rows|expr.Draws), expr.Unknown)
	f := g.Sum(expr.Rows, g.Sum(expr.Draws, g.Mul(p, x, z, g.Add(x, z, p))))
	d, err := diff.Gradient(g, f, []*expr.Node{p, x, z})
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range []*expr.Node{p, x, z} {
		if !v.Type.Axes.Has(d[i].Type.Axes) {
			t.Errorf("%v varies over %q, its cotangent over %q", v, v.Type.Axes, d[i].Type.Axes)
		}
	}
}

// system is a pair of equations whose solution is unique: a^3 + a*p + b = q, b^3 + b - a*r = p.
func system(g *expr.Graph) (roots, params []*expr.Node) {
	vars := make([]*expr.Node, 2)
	for i, name := range []string{"a", "b"} {
		vars[i] = g.Fresh(name, expr.Scalar, expr.Unknown)
	}
	for _, name := range []string{"p", "q", "r"} {
		params = append(params, g.Sym(name, expr.Scalar, expr.In(expr.Positive)))
	}
	a, b, p, q, r := vars[0], vars[1], params[0], params[1], params[2]
	cube := func(x *expr.Node) *expr.Node { return g.Prod([]float64{3}, []*expr.Node{x}) }
	eqs := []*expr.Node{
		g.Sub(g.Add(cube(a), g.Mul(a, p), b), q),
		g.Sub(g.Add(cube(b), b), g.Add(g.Mul(a, r), p)),
	}
	fn, args := g.Lift(vars, eqs, make([]*expr.Node, 2), nil)
	return g.Roots(fn, args), params
}

func TestSystemOfEquations(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := expr.NewGraph()
		roots, params := system(g)
		env := eval.Scalars(nil)
		for _, p := range params {
			env.Set(p.Name, inside(t, expr.Positive, 0.25))
		}
		f := g.Mul(roots[0], roots[1], roots[1], params[0])
		checkScalar(t, g, f, rapid.SampledFrom(params).Draw(t, "with respect to"), env)
	})
}

func TestSecondDerivativesOfSystems(t *testing.T) {
	g := expr.NewGraph()
	roots, params := system(g)
	env := eval.Scalars(map[string]float64{"p": 0.7, "q": 1.2, "r": 0.4})
	for _, p := range params {
		for _, q := range params {
			checkScalar(t, g, reverse(t, g, roots[0], p), q, env)
		}
	}
}

func TestInverse(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		size := rapid.IntRange(1, 4).Draw(t, "size")
		g := expr.NewGraph()
		env := eval.Scalars(nil)
		m := make([][]*expr.Node, size)
		for i := range m {
			for j := range size {
				name := fmt.Sprintf("m%d%d", i, j)
				m[i] = append(m[i], g.Sym(name, expr.Scalar, expr.Unknown))
				v := float64(rapid.IntRange(-10, 10).Draw(t, name)) / 10
				if i == j {
					v += 5 // dominant diagonal
				}
				env.Set(name, v)
			}
		}
		inv := diff.Inverse(g, m)
		for i := range m {
			for j := range m {
				var sum []*expr.Node
				for k := range m {
					sum = append(sum, g.Mul(m[i][k], inv[k][j]))
				}
				want := 0.0
				if i == j {
					want = 1
				}
				if got := number(t, g.Add(sum...), env); math.Abs(got-want) > 1e-12 {
					t.Fatalf("entry %d, %d of the product is %v", i, j, got)
				}
			}
		}
	})
}

// infinite reports whether a part of a formula has an infinite value. The chain rule then makes 0 times infinity of it:
// the derivative of expm1(x/0) is not a number.
func infinite(t exprtest.TB, f *expr.Node, env *eval.Env) bool {
	t.Helper()
	var parts []*expr.Node
	expr.Walk(func(n *expr.Node) { parts = append(parts, n) }, f)
	values, err := eval.All(parts, env)
	if err != nil {
		t.Fatalf("%v: %v", f, err)
	}
	return slices.ContainsFunc(values, func(v eval.Value) bool {
		return math.IsInf(v.Scalar, 0) || slices.ContainsFunc(v.Rows, func(x float64) bool { return math.IsInf(x, 0) })
	})
}

// Both modes agree on random formulas, with each other and with differences, wherever these converge. (Where a square
// root or a power of 0 is a factor, the derivative may be 0 times infinity: not a number.)
func TestRandomFormulas(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := exprtest.DrawWorld(t)
		f := w.Build(t, w.Scalar(t, 4))
		env := w.Point(t)
		for name, v := range map[string]float64{"real": 0.0123, "unit": 0.9, "positive": 0.0456} {
			env.Set(name, env.Symbols[name].Scalar*0.97+v*0.03) // off the kinks at round numbers
		}
		for name, v := range env.Symbols {
			for i := range v.Rows { // and off the point where all rows are equal: a standard deviation has a kink there
				env.Symbols[name].Rows[i] = v.Rows[i]*0.9 + 0.03*float64(i+1)
			}
		}
		for _, name := range []string{"real", "unit", "positive"} {
			x := w.Names[name]
			_, err := diff.Gradient(w.G, f, []*expr.Node{x})
			if err == nil { // forward mode also differentiates what sign or a comparison makes constant
				_, err = diff.Pushforward(w.G, []*expr.Node{f}, []*expr.Node{x}, []*expr.Node{w.G.Const(1)})
			}
			if errors.Is(err, diff.ErrMissing) || err != nil && strings.Contains(err.Error(), "is defined on") {
				continue // not in the table; or lgamma_diff(-1 - x, x): nowhere defined, as only lgamma'(-1) shows
			}
			back, fore := number(t, reverse(t, w.G, f, x), env), number(t, forward(t, w.G, f, x), env)
			want, doubt := differences(func(h float64) float64 { return number(t, f, moved(env, name, -1, h)) },
				step(env.Symbols[name].Scalar, x.Facts.Range))
			if !(doubt < 1e-7*max(1, math.Abs(want))) || !(math.Abs(number(t, f, env)) < 1e5) || infinite(t, f, env) {
				continue // a kink, a pole, within or without, nothing there, or digits lost in the differences
			}
			for mode, got := range map[string]float64{"reverse": back, "forward": fore} {
				if !(math.Abs(got-want) <= 1e-4*max(1, math.Abs(want))) {
					t.Fatalf("%s: d/d%s of %v is %v, differences give %v ± %.2g at %v", mode, name, f, got, want, doubt, env.Symbols)
				}
			}
		}
	})
}

func TestNestedRoots(t *testing.T) {
	w := exprtest.NewWorld()
	f := w.Parse(t, "root(a, a + root(b, b + log(b) = a + real) = 3 + positive)")
	env := eval.Scalars(map[string]float64{"real": 0.3, "positive": 1.5})
	checkScalar(t, w.G, f, w.Names["real"], env)
	checkScalar(t, w.G, f, w.Names["positive"], env)
}

// Where the implicit function theorem and the chain rule meet: the root of a function of f has the derivative of the
// inverse function.
func TestRootOfAnInverse(t *testing.T) {
	w := exprtest.NewWorld()
	f := w.Parse(t, "root(a, log(a) = real)") // exp(real)
	env := eval.Scalars(map[string]float64{"real": 0.7})
	d := f
	for range 3 {
		d = reverse(t, w.G, d, w.Names["real"])
		if got := number(t, d, env); math.Abs(got-math.Exp(0.7)) > 1e-12 {
			t.Errorf("%v, want %v", got, math.Exp(0.7))
		}
	}
}
