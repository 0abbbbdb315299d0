package plan_test

import (
	"strings"
	"testing"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/gen/plan"
	"github.com/sngdgen/sngdgen/gen/program"
	"github.com/sngdgen/sngdgen/gen/program/pass"
	"github.com/sngdgen/sngdgen/gen/program/verify"
	"github.com/sngdgen/sngdgen/internal/exprtest"
)

// Formulas of which programs were faulty: random ones found them.
func TestFound(t *testing.T) {
	for _, formula := range []string{
		"sum(t_logcdf(dot(r, t_logcdf(x, s + 2)), s + 2))", // prepared behind its first use
		"sum(w*total(cumulative(x)*r))",                    // a vector of sums that does not vary, in front of rows that do
		"logdet(A)",                                        // of a definition: the length of a side, which no formula mentions
	} {
		t.Run(formula, func(t *testing.T) {
			w := exprtest.NewLinalgWorld()
			for _, defined := range []bool{false, true} {
				prog, err := planOf(w, w.Parse(t, formula), expr.Dim{Name: "d"}, defined)
				if err != nil {
					t.Fatal(err)
				}
				if err := verify.Program(prog); err != nil {
					t.Errorf("%v\n%v", err, prog)
				}
			}
		})
	}
}

// What is the same for all rows is computed in front of the pass over them.
func TestHoisted(t *testing.T) {
	w := exprtest.NewLinalgWorld()
	prog, err := planOf(w, w.Parse(t, "sum(w*ndtr(s)^2 + erf(w*t))"), expr.Dim{Name: "d"}, false)
	if err != nil {
		t.Fatal(err)
	}
	before, inside, ok := strings.Cut(prog.String(), "for each row")
	if !ok || !strings.Contains(before, "ndtr(") || strings.Contains(inside, "ndtr(") {
		t.Errorf("ndtr(s) is not computed in front of the rows:\n%v", prog)
	}
}

// Powers of one base are one, and the logarithm of a product with data is that of the data, which is kept: of Weibull's distribution a row
// takes one power.
func TestPowers(t *testing.T) {
	for _, without := range [][]string{{"blockwise"}, {"blockwise", "powers"}} { // powers one by one are easier to count
		w := exprtest.NewWorld()
		g, x := w.G, w.Names["xpositive"]
		n := w.Parse(t, "sum(log(xpositive/positive) + (xpositive/positive)^real*log(xpositive/positive) + (xpositive/positive)^(real - 1))")
		k := &plan.Kernel{Graph: g, Rows: &plan.RowSource{Sym: x, Fixed: plan.NewDataStage(g)}, Passes: pass.Options{Without: without},
			Inputs: []plan.Input{{Sym: w.Names["positive"], From: program.Argument("p")}, {Sym: w.Names["real"], From: program.Argument("q")},
				{Sym: g.Size(expr.Rows), From: program.Argument("n")}},
			Outputs: []plan.Output{{Return: true, Node: n}}}
		_, inside, _ := strings.Cut(plan.Plan(k).String(), "for each row")
		inside, _, _ = strings.Cut(inside, "\n}")
		powers, logs := strings.Count(inside, "pow("), strings.Count(inside, "log(")
		if one := len(without) == 1; (powers == 1) != one || (logs == 0) != one {
			t.Errorf("%d powers and %d logarithms a row without %v:\n%s", powers, logs, without, inside)
		}
	}
}

// That matrices are definite is checked before anything else is, since what follows is computed with their factors; and what
// needs a condition comes after it.
func TestGuards(t *testing.T) {
	w := exprtest.NewLinalgWorld()
	a, s := w.Names["A"], w.Names["s"]
	k := &plan.Kernel{Graph: w.G, Inputs: []plan.Input{{Sym: a, From: program.Argument("A")}, {Sym: s, From: program.Argument("s")}},
		Guards: []plan.Guard{
			{Node: s, Range: expr.Range{Lo: 0, Hi: 1, LoOpen: true}, Index: 0},
			{Node: a, Range: expr.Real, Definite: true, Index: 1},
		},
		Outputs: []plan.Output{{Return: true, Node: w.G.Add(w.G.LogDet(a), w.Parse(t, "log(s)"))}}}
	text := plan.Plan(k).String()
	var at []int
	for _, part := range []string{"check Cholesky(chol, A, d), condition 1", "check s in (0, 1], condition 0", "return"} {
		i := strings.Index(text, part)
		if at = append(at, i); i < 0 || len(at) > 1 && i < at[len(at)-2] {
			t.Fatalf("%q is not where it belongs in\n%s", part, text)
		}
	}
	if strings.Count(text, "Cholesky") != 1 {
		t.Errorf("two factors of one matrix:\n%s", text)
	}
}
