package diff_test

import (
	"maps"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/expr/diff"
	"github.com/sngdgen/sngdgen/expr/eval"
	"github.com/sngdgen/sngdgen/internal/exprtest"
)

// overComponents are differentiated with respect to numbers and to values over the rows, the components and both.
var overComponents = []string{
	"logsumexp(kreal)", "logsumexp(real*kreal + positive)", "logsumexp(kunit*positive - kreal^2)*real",
	"real*logsumexp(log(kpositive))^2",
	"sum(logsumexp(kxreal))", "mean(logsumexp(kxreal*kpositive + xreal*real))",
	"sum(logsumexp(log(kunit) - (xreal - kreal)^2/kpositive))*unit",
	"logsumexp(softmax(kreal)*real)", "logsumexp(kreal*softmax(real*kreal + kunit))",
	"sum(xunit*logsumexp(softmax(kxreal*unit)*kreal))",
	"logsumexp(sum(kxreal*xpositive))", "logsumexp(mean(softmax(kxreal + kreal))*kpositive)",
	"logsumexp(log(sum(softmax(kxreal*real))))",
	"sum(logsumexp(logsumexp(kxreal)*softmax(kreal)))", "sum(logsumexp(kxreal + real))^2/positive",
	"logsumexp(root(a, log(a) + a*kunit = kreal + real))", "sum(logsumexp(root(a, a + log(a) = kxreal*unit)))",
}

// moveEntry returns the environment with h added to one number of a symbol, in the order of exprtest.Flat.
func moveEntry(env *eval.Env, name string, i int, h float64) *eval.Env {
	out := &eval.Env{Symbols: maps.Clone(env.Symbols), Weights: env.Weights}
	values := slices.Clone(exprtest.Flat(env.Symbols[name]))
	values[i] += h
	out.Symbols[name] = exprtest.Unflat(values)
	return out
}

// checkEach compares the derivatives of f with respect to what may vary over rows and components with differences: in
// reverse mode of each number, with the weight of its row; in forward mode along a direction.
func checkEach(t exprtest.TB, g *expr.Graph, f, x *expr.Node, env *eval.Env) {
	t.Helper()
	v, err := eval.All([]*expr.Node{reverse(t, g, f, x)}, env)
	if err != nil {
		t.Fatalf("%v: %v", f, err)
	}
	gradient, values := exprtest.Flat(v[0]), exprtest.Flat(env.Symbols[x.Name])
	if len(gradient) < len(values) {
		gradient = spread(gradient, x.Type.Axes)
	}
	direction := make([]float64, len(values))
	slope, doubt := 0.0, 0.0
	for i, at := range values {
		got := gradient[i]
		if x.Type.Axes.Has(expr.Rows) {
			got *= env.Weights[i/(len(values)/exprtest.Rows)]
		}
		value := func(h float64) float64 { return number(t, f, moveEntry(env, x.Name, i, h)) }
		want, e := differences(value, step(at, x.Facts.Range))
		if !(math.Abs(got-want) <= 1e-6*max(1e-3, math.Abs(want))+2*e) {
			t.Fatalf("d/d%v[%d] of %v is %v, not %v ± %.2g at %v", x, i, f, got, want, e, env.Symbols)
		}
		direction[i] = math.Cos(float64(2 * i))
		slope, doubt = slope+want*direction[i], doubt+e
	}
	along := g.Fresh("direction", x.Type, expr.Unknown)
	pushed, err := diff.Pushforward(g, []*expr.Node{f}, []*expr.Node{x}, []*expr.Node{along})
	if err != nil {
		t.Fatalf("%v: %v", f, err)
	}
	there := moveEntry(env, x.Name, 0, 0)
	there.Symbols[along.Name] = exprtest.Unflat(direction)
	if got := number(t, pushed[0], there); !(math.Abs(got-slope) <= 1e-5*max(1e-3, math.Abs(slope))+2*doubt) {
		t.Fatalf("along a direction in %v the derivative of %v is %v, not %v at %v", x, f, got, slope, env.Symbols)
	}
}

// spread repeats values over the axes that they do not vary over.
func spread(list []float64, axes expr.Axes) []float64 {
	grid := exprtest.Grid(list)
	switch axes {
	case expr.Rows:
		return []float64{grid[0], grid[exprtest.Components], grid[2*exprtest.Components]}
	case expr.Components:
		return grid[:exprtest.Components]
	}
	return grid
}

func TestOverComponents(t *testing.T) {
	for _, formula := range overComponents {
		t.Run(formula, func(t *testing.T) {
			w := exprtest.NewWorld()
			f := w.Parse(t, formula)
			for _, env := range points(w) {
				for _, name := range w.Order {
					if x := w.Names[name]; !x.Facts.Integer && expr.Depends(f, x) {
						checkEach(t, w.G, f, x, env)
					}
				}
			}
		})
	}
}

// points are a few points away from the ends of the ranges.
func points(w *exprtest.World) []*eval.Env {
	draw := rapid.Custom(func(t *rapid.T) *eval.Env { return inner(t, w) })
	out := make([]*eval.Env, 8)
	for i := range out {
		out[i] = draw.Example(i)
	}
	return out
}

// Second derivatives: those of a logsumexp are those of a softmax.
func TestSecondDerivativesOverComponents(t *testing.T) {
	for _, formula := range []string{
		"logsumexp(real*kreal + positive*kunit)", "sum(logsumexp(kxreal*real - kreal*positive))*unit",
		"logsumexp(kreal*softmax(kunit*real + kreal*positive))",
	} {
		t.Run(formula, func(t *testing.T) {
			w := exprtest.NewWorld()
			for _, env := range points(w) {
				for _, x := range []string{"real", "positive"} {
					first := reverse(t, w.G, w.Parse(t, formula), w.Names[x])
					for _, y := range []string{"real", "positive", "kreal"} {
						checkEach(t, w.G, first, w.Names[y], env)
					}
				}
			}
		})
	}
}

// Where exponentials overflow and underflow derivatives have their limits.
func TestExtremeComponents(t *testing.T) {
	g := expr.NewGraph()
	x := g.Sym("x", expr.Scalar.Over(expr.Components), expr.Unknown)
	d := reverse(t, g, g.LogSumExp(expr.Components, x), x)
	pushed, err := diff.Pushforward(g, []*expr.Node{g.Softmax(expr.Components, x)}, []*expr.Node{x}, []*expr.Node{x})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ x, gradient, pushed []float64 }{
		{[]float64{1e3, -1e3, 0}, []float64{1, 0, 0}, []float64{0, 0, 0}},
		{[]float64{-1e3, -1e3}, []float64{0.5, 0.5}, []float64{0, 0}},
		{[]float64{1e3}, []float64{1}, []float64{0}},
		{[]float64{2, 2, 2, 2}, []float64{0.25, 0.25, 0.25, 0.25}, []float64{0, 0, 0, 0}},
	} {
		each := make([]eval.Value, len(c.x))
		for i, v := range c.x {
			each[i] = eval.Value{Scalar: v}
		}
		env := &eval.Env{Symbols: map[string]eval.Value{"x": eval.PerComponent(each)}}
		got, err := eval.All([]*expr.Node{d, pushed[0]}, env)
		if err != nil {
			t.Fatal(err)
		}
		for i := range c.x {
			a, b := exprtest.Flat(got[0])[i], exprtest.Flat(got[1])[i]
			if !(math.Abs(a-c.gradient[i]) <= 1e-13) || !(math.Abs(b-c.pushed[i]) <= 1e-10) {
				t.Errorf("at %v: %v and %v, want %v and %v", c.x, got[0], got[1], c.gradient, c.pushed)
			}
		}
	}
}
