// Package budget holds the generated packages to what a step may cost: it counts the calls of linear algebra in their
// code, and compares them with a table that is written by hand, with what the planner says, and with what the packages
// say of themselves.
package budget

import (
	"go/ast"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"github.com/sngdgen/sngdgen/generated"
)

// budget is the work of the methods of a package: of one natural gradient, of the value of the loss, of the check of
// the domain, of both gradients with the loss, and of what is computed once for a data set, or for a batch.
type budget struct{ step, loss, domain, full, data work }

// each calls a function for every part, with the name of the method.
func (b budget) each(f func(method string, w work)) {
	f("NaturalGradient", b.step)
	f("Loss", b.loss)
	f("Violation", b.domain)
	f("Gradients", b.full)
	f("prepare", b.data)
}

// budgets has a row for every package with vectors or matrices: exactly the work that is in its code. A change of the
// generator that saves something shows up here too, and is to be written down.
var budgets = map[string]budget{
	// Rows of numbers: of the order of the data, whatever is asked for.
	"categorical":    {},
	"diagonalnormal": {},
	"dirichlet":      {},

	// In mean parameters. The sandwich Sigma (inv(Sigma) S inv(Sigma)) Sigma of the pullback collapses to S, so that
	// the natural gradient needs a factor only where weights of rows do. The ordinary gradient, in Gradients, is made
	// of inv(Sigma) and of the sandwich inv(Sigma) S inv(Sigma), together inv(Sigma) (Sigma - S) inv(Sigma): four solves. After the
	// first two there is the trace of inv(Sigma) S.
	"mvnormal": {
		loss: work{chol: 1, diag: 1}, domain: work{chol: 1},
		full: work{chol: 1, solves: 4}, data: work{grams: 1},
	},
	"skewnormal": {
		loss: work{chol: 1, diag: 1}, domain: work{chol: 1},
		full: work{chol: 1, solves: 4}, data: work{grams: 1},
	},
	"mvstudentt":  weighted,
	"mvstudentt5": weighted,
	"skewt":       weighted,
	"gaussiancopula": {
		step: work{chol: 1, diag: 1, products: 1},
		loss: work{chol: 1, diag: 1}, domain: work{chol: 1},
		full: work{chol: 1, diag: 1, solves: 4, products: 1}, data: work{grams: 1},
	},
	"tcopula": {
		step: work{chol: 1, diag: 1, products: 1, rowSolves: 2, grams: 1},
		loss: work{chol: 1, rowSolves: 1}, domain: work{chol: 1},
		full: work{chol: 1, diag: 1, solves: 4, products: 1, rowSolves: 2, grams: 1},
	},

	// Mixtures: the work of one component. Of numbers there is none.
	"gammamix":      {},
	"negbinmix":     {},
	"normalmix":     {},
	"gammamixnat":   {},
	"negbinmixnat":  {},
	"normalmixnat":  {},
	"mvnormalmix":   weighted,
	"skewnormalmix": weighted,
	"mvstudenttmix": weighted,

	// In natural parameters the sandwich stays in the natural gradient: the gradient with respect to the mean
	// parameters is that with respect to Sigma, with eta2 S eta2, of two products. A factor of -2 eta2 gives mu =
	// inv(-2 eta2) eta1, also where the step needs no other. Quadratic forms of rows are products with eta2 itself;
	// no solve is needed for them. In the ordinary gradient Sigma (eta2 S eta2) Sigma is S/4, which leaves m - E[t(x)]: of that
	// the entries of Sigma are wanted, one inverse.
	"mvnormalnat": {
		step: work{chol: 1, products: 2},
		loss: work{chol: 1}, domain: work{chol: 1},
		full: work{chol: 1, inv: 1, products: 2}, data: work{grams: 1},
	},
	"skewnormalnat": {
		step: work{chol: 1, products: 2},
		loss: work{chol: 1}, domain: work{chol: 1},
		full: work{chol: 1, inv: 1, products: 2}, data: work{grams: 1},
	},
	"mvstudenttnat":  weightedNatural,
	"mvstudentt5nat": weightedNatural,
	"skewtnat":       weightedNatural,

	// What belongs to the weights of a mixture contracts the gradient of a component with its mean parameters: of Sigma the
	// diagonal of a product is wanted, of which both gradients have the matrix: the natural one takes it from there.
	"mvnormalmixnat": {
		step: work{chol: 1, inv: 1, products: 2, rowProducts: 1, grams: 1},
		loss: work{chol: 1, rowProducts: 1}, domain: work{chol: 1},
		full: work{chol: 1, inv: 1, products: 2, rowProducts: 1, grams: 1},
	},
	"skewnormalmixnat": mixedNatural,
	"mvstudenttmixnat": mixedNatural,

	// The standard deviations of the copulas are on the diagonal of Sigma = inv(-2 eta1), for which the code makes
	// the inverse, in the check of the domain too. Of a third product of a step only the diagonal is used, which takes
	// no product.
	"gaussiancopulanat": {
		step: work{chol: 1, inv: 1, products: 2},
		loss: work{chol: 1, inv: 1}, domain: work{chol: 1, inv: 1},
		full: work{chol: 1, inv: 1, products: 3}, data: work{grams: 1},
	},
	"tcopulanat": {
		step: work{chol: 1, inv: 1, products: 2, rowProducts: 1, grams: 1},
		loss: work{chol: 1, inv: 1, rowProducts: 1}, domain: work{chol: 1, inv: 1},
		full: work{chol: 1, inv: 1, products: 3, rowProducts: 1, grams: 1},
	},
}

// weighted is the budget where the weight of a row depends on its quadratic form.
var weighted = budget{
	step: work{chol: 1, rowSolves: 1, grams: 1},
	loss: work{chol: 1, rowSolves: 1}, domain: work{chol: 1},
	full: work{chol: 1, solves: 4, rowSolves: 1, grams: 1},
}

// weightedNatural is the same in natural parameters.
var weightedNatural = budget{
	step: work{chol: 1, products: 2, rowProducts: 1, grams: 1},
	loss: work{chol: 1, rowProducts: 1}, domain: work{chol: 1},
	full: work{chol: 1, inv: 1, products: 2, rowProducts: 1, grams: 1},
}

// mixedNatural is that of mixtures of other targets in natural parameters.
var mixedNatural = budget{
	step: work{chol: 1, inv: 1, products: 2, rowProducts: 1, grams: 1},
	loss: work{chol: 1, rowProducts: 1}, domain: work{chol: 1},
	full: work{chol: 1, inv: 1, products: 2, rowProducts: 1, grams: 1},
}

// allowed is what a step in mean parameters may cost without the value of the loss: what the mathematics asks for.
//
// The normal surrogate by itself and as that of the skew-normal distribution needs no factor. Where rows are weighted
// by their quadratic forms there are one factor, one triangular solve with the rows and one weighted sum of outer
// products. Copulas need the diagonal of inv(R) S and one symmetric product besides; and the degrees of freedom of
// the t copula act through the quantiles, so that all of inv(R) x is wanted for the rows: a second triangular solve.
var allowed = map[string]work{
	"categorical":    {},
	"diagonalnormal": {},
	"dirichlet":      {},
	"mvnormal":       {},

	"skewnormal":     {},
	"mvstudentt":     {chol: 1, rowSolves: 1, grams: 1},
	"mvstudentt5":    {chol: 1, rowSolves: 1, grams: 1},
	"skewt":          {chol: 1, rowSolves: 1, grams: 1},
	"gaussiancopula": {chol: 1, rowSolves: 1, grams: 1, diag: 1, products: 1},
	"tcopula":        {chol: 1, rowSolves: 2, grams: 1, diag: 1, products: 1},

	// Every row has a weight for every component, its responsibility.
	"gammamix":      {},
	"negbinmix":     {},
	"normalmix":     {},
	"mvnormalmix":   {chol: 1, rowSolves: 1, grams: 1},
	"skewnormalmix": {chol: 1, rowSolves: 1, grams: 1},
	"mvstudenttmix": {chol: 1, rowSolves: 1, grams: 1},
}

// above lists what is in the code of packages in mean parameters beyond what is allowed: for a step nothing, for the
// value of the loss and the check of the domain one factor more than for a step, and never an inverse. The ordinary
// gradient is not part of a step of surrogate natural gradient descent, but is measured by the same yardstick.
var above = map[string]work{
	// The trace of inv(Sigma) S: dense.TraceOfSolve makes the lower triangle of the inverse.
	"mvnormal Loss":   {diag: 1},
	"skewnormal Loss": {diag: 1},

	// The ordinary gradient, which natural L-BFGS asks for.
	"mvnormal Gradients":       {solves: 4},
	"skewnormal Gradients":     {solves: 4},
	"mvstudentt Gradients":     {solves: 4},
	"mvstudentt5 Gradients":    {solves: 4},
	"skewt Gradients":          {solves: 4},
	"gaussiancopula Gradients": {solves: 4},
	"tcopula Gradients":        {solves: 4},
	"mvnormalmix Gradients":    {solves: 4},
	"skewnormalmix Gradients":  {solves: 4},
	"mvstudenttmix Gradients":  {solves: 4},
}

// TestBudgets: the work in the code is that of the table.
func TestBudgets(t *testing.T) { inCode(t, shaped(t, "mle"), budgets) }

// inCode compares a table with the code of packages: neither has more than the other.
func inCode[B interface{ each(func(string, work)) }](t *testing.T, packages []string, table map[string]B) {
	t.Helper()
	for _, name := range packages {
		b, ok := table[name]
		if !ok {
			t.Errorf("%s has no row in the table of budgets", name)
			continue
		}
		file := source(t, name)
		b.each(func(method string, want work) {
			if got := count(t, file, method); got != want {
				t.Errorf("%s: %s does %+v; the budget is %+v", name, method, got, want)
			}
		})
	}
	for name := range table {
		if !slices.Contains(packages, name) {
			t.Errorf("there is a budget for %s, but no such package with vectors or matrices", name)
		}
	}
}

// TestNumbers: packages of problems in numbers use no linear algebra, but those of sequences, whose states may have entries.
func TestNumbers(t *testing.T) {
	packages := shaped(t, "mle")
	for _, name := range generated.Names() {
		if slices.Contains(packages, name) || info(t, name).Objective != "mle" || info(t, name).Ordered {
			continue
		}
		for _, s := range source(t, name).Imports {
			if s.Path.Value == `"github.com/sngdgen/sngdgen/runtime/dense"` {
				t.Errorf("%s, a problem in numbers, imports %s", name, s.Path.Value)
			}
		}
	}
}

// TestAllowed: a step in mean parameters does no more than it may, and everything else what is known.
func TestAllowed(t *testing.T) {
	known := maps.Clone(above)
	for _, name := range shaped(t, "mle") {
		may, ok := allowed[name]
		if mean := info(t, name).Coordinates == "mean"; mean != ok {
			t.Errorf("%s in mean parameters: %v; in the table of what is allowed: %v", name, mean, ok)
		}
		if !ok {
			continue
		}
		budgets[name].each(func(method string, w work) {
			limit := may
			switch method {
			case "prepare":
				limit = work{grams: 1} // the moments
			case "NaturalGradient":
			default:
				limit.chol++
			}
			if got := w.beyond(limit); got != above[name+" "+method] {
				t.Errorf("%s: %s does %+v more than it may; known is %+v", name, method, got, above[name+" "+method])
			}
			delete(known, name+" "+method)
		})
	}
	for key := range known {
		t.Errorf("%s is listed as above what is allowed, but does not exist", key)
	}
}

// shaped lists the packages of an objective with dimensions that are no numbers.
func shaped(t *testing.T, objective string) []string {
	t.Helper()
	var out []string
	for _, name := range generated.Names() {
		if len(info(t, name).Dims) > 0 && info(t, name).Objective == objective {
			out = append(out, name)
		}
	}
	if len(out) == 0 {
		t.Fatal("no package with vectors or matrices")
	}
	return out
}

// source is the code of a package.
func source(t *testing.T, name string) *ast.File {
	t.Helper()
	return parse(t, filepath.Join("../../generated", name, name+".go"))
}

// A model is copied to every worker for every pass: what is large is beside it.
func TestSizesOfModels(t *testing.T) {
	const most = 16 << 10
	for _, name := range generated.Names() {
		create, _ := generated.Lookup(name)
		if size := reflect.TypeOf(create()).Elem().Size(); size > most {
			t.Errorf("%s: a model has %d bytes, at most %d", name, size, most)
		}
	}
}
