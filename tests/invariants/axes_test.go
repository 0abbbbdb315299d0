package invariants

import (
	"fmt"
	"slices"
	"testing"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/gen"
	"github.com/sngdgen/sngdgen/gen/bind"
	"github.com/sngdgen/sngdgen/gen/derive"
	"github.com/sngdgen/sngdgen/spec"
)

// overComponents is a mixture with formulas of the map and of a random start.
const overComponents = `
distribution: shifted
variable: {x: real}
parameters: {mu: real, sigma: positive}
logpdf: |
  -(x - mu)^2/(2*sigma^2) - log(sigma)
---
package: every
target: {mixture: shifted, components: %[1]s}
surrogate: {mixture: normal, components: %[1]s}
step: %[2]s
auxiliary: {l: real}
map: {mu: mu, sigma: sqrt(sigma2)*exp(%[3]s)}
start: {mu: mean(x), sigma2: var(x), l: 0}
random_start: {noise: {e: normal}, mu: %[4]s + e*sd(x), sigma2: var(x), l: e/10}
objective: mle
`

// axes has formulas for each operation over an axis.
var axes = map[*expr.Op]struct{ ofMap, ofStart string }{
	expr.Max:       {"l/10", "max(x)/2 + min(x)/2"},
	expr.LogSumExp: {"l/10", "mean(x)"}, // it is in every mixture
	expr.Softmax:   {"l/10", "mean(x)"},
	expr.Sum:       {"l/10", "mean(x)"},
}

// formulasOverAxes combine the components by functions of the language.
var formulasOverAxes = []string{"l*softmax(l)", "logsumexp(l/10)", "l - logsumexp(l)", "softmax(mu - sigma2)*l"}

// TestOverAxesInGo: every operation over an axis is emitted, as Go that type-checks, whether the number of components is
// a name or a number, in both coordinates.
func TestOverAxesInGo(t *testing.T) {
	known := imported(t)
	for _, op := range append(expr.OverAxes(), expr.Sum) {
		if op == expr.Attained { // it is in the derivative of a largest value, which only a limit has: see TestLimitsInGo
			continue
		}
		row, ok := axes[op]
		if !ok {
			t.Errorf("%s has no row in the table of this test", op.Name)
			continue
		}
		for _, components := range []string{"k", "3"} {
			for _, step := range []string{bind.Mean, bind.Natural} {
				t.Run(fmt.Sprintf("%s/%s/%s", op.Name, components, step), func(t *testing.T) {
					p := problemOf(t, fmt.Sprintf(overComponents, components, step, row.ofMap, row.ofStart))
					if !slices.Contains(emittedOperations(t, p), op) {
						t.Errorf("%s is not in what is derived", op.Name)
					}
					typeCheck(t, known, generate(t, p))
				})
			}
		}
	}
}

// TestFormulasOverComponents: formulas may combine the components. The package with them compiles, and passes the tests
// that are emitted with it.
func TestFormulasOverComponents(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs the compiler")
	}
	for _, formula := range formulasOverAxes {
		p := problemOf(t, fmt.Sprintf(overComponents, "k", bind.Mean, formula, "mean(x)"))
		files, diags := gen.Generate(t.Context(), p, gen.Options{})
		if diags.HasErrors() {
			t.Errorf("%s: %s", formula, diags.String())
			continue
		}
		t.Run(formula, func(t *testing.T) { runEmitted(t, files) })
	}
}

func problemOf(t *testing.T, text string) *spec.Problem {
	t.Helper()
	f, diags := spec.Parse("every.yaml", []byte(text), nil)
	if f == nil {
		t.Fatal(diags.String())
	}
	return f.Problems[0]
}

// emittedOperations are the operations over axes in what is derived for a problem; of those over rows the largest value.
func emittedOperations(t *testing.T, p *spec.Problem) []*expr.Op {
	t.Helper()
	b, diags := bind.Bind(p)
	if diags.HasErrors() {
		t.Fatal(diags.String())
	}
	d, err := derive.Derive(b)
	if err != nil {
		t.Fatal(err)
	}
	s := &d.Surrogate
	emitted := slices.Concat(s.Natural, s.Covector, d.RandomStart.Coords, []*expr.Node{s.Loss, d.Responsibilities})
	for _, v := range slices.Concat(s.Defs, d.RandomStart.Values) {
		emitted = append(emitted, v.Node)
	}
	var out []*expr.Op
	expr.Walk(func(n *expr.Node) {
		if n.Axis == expr.Components || n.Op == expr.Max {
			out = append(out, n.Op)
		}
	}, emitted...)
	return out
}
