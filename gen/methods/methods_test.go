package methods_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/sngdgen/sngdgen/gen/bind"
	"github.com/sngdgen/sngdgen/gen/derive"
	"github.com/sngdgen/sngdgen/gen/methods"
	"github.com/sngdgen/sngdgen/gen/program"
	"github.com/sngdgen/sngdgen/spec"
)

// packages are those of the library, which are planned once.
func packages(t *testing.T) map[string]*methods.Package {
	t.Helper()
	if planned == nil {
		planned = plannedLibrary(t)
	}
	return planned
}

var planned map[string]*methods.Package

func plannedLibrary(t *testing.T) map[string]*methods.Package {
	t.Helper()
	out := map[string]*methods.Package{}
	for _, name := range spec.Library().Problems() {
		out[name] = plannedProblem(t, spec.Library().Problem(name))
	}
	return out
}

func plannedProblem(t *testing.T, p *spec.Problem) *methods.Package {
	t.Helper()
	b, diags := bind.Bind(p)
	if diags.HasErrors() {
		t.Fatal(diags.String())
	}
	d, err := derive.Derive(b)
	if err != nil {
		t.Fatal(err)
	}
	out, err := methods.Of(d, methods.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// bounded has what no problem of the library has, conditions on its rows and an integral, and lacks what all have, draws of its target.
const bounded = `
package: bounded
target:
  distribution: cut
  variable: {x: real}
  parameters: {mu: real}
  support: [x > -5]
  logpdf: -(x - mu)^2/2 - log(integral(u in (-5, inf), exp(-(u - mu)^2/2)))
surrogate: normal
map: {mu: mu}
start: {mu: mean(x), sigma2: 1}
`

func plannedText(t *testing.T, text string) *methods.Package {
	t.Helper()
	f, diags := spec.Parse("bounded.yaml", []byte(text), nil)
	if diags.HasErrors() {
		t.Fatal(diags.String())
	}
	return plannedProblem(t, f.Problems[0])
}

// Every row of the table is in use, and its condition decides: some package of the library has the method, and where there is a condition some
// has not. A package has what its conditions say, and nothing without a row.
func TestTable(t *testing.T) {
	all := maps.Clone(packages(t))
	all["bounded"] = plannedText(t, bounded)
	for _, r := range methods.Table {
		with, without := 0, 0
		for _, p := range all {
			if r.When(p) {
				with++
			} else {
				without++
			}
			// Of what is named after other things, such as the part of a density that it is, there may be none.
			if p.Functions[r.Name] != nil && !r.When(p) {
				t.Errorf("%s has %s against its condition", p.Info.Name, r.Name)
			}
			if r.When(p) && first(r.Name) && p.Functions[r.Name] == nil {
				t.Errorf("%s lacks %s", p.Info.Name, r.Name)
			}
		}
		if with == 0 || without == 0 && conditional(r.Name) {
			t.Errorf("%s: %d packages have it, %d have not", r.Name, with, without)
		}
	}
}

// first reports whether a row has a function of its own name for all that meet the condition.
func first(name string) bool {
	return name[0] >= 'A' && name[0] <= 'Z' && !slices.Contains([]string{"Fisher", "Penalty", "RaiseWeights", "SetData"}, name)
}

func conditional(name string) bool {
	return !slices.Contains([]string{"Gradients", "NaturalGradient", "Loss", "Violation", "Dual", "Theta", "start", "root", "expectations"}, name)
}

// What says where rows are, and what happens outside of the domain, is told for each program as its name asks for.
func TestCalls(t *testing.T) {
	for name, p := range packages(t) {
		for function, f := range p.Functions {
			for i, s := range f.Steps {
				if s.Program.Name != function {
					t.Errorf("%s: step %d of %s is called %s", name, i, function, s.Program.Name)
				}
				guarded := slices.Contains([]string{"Gradients", "Loss", "Violation", "ThetaGradient", "ThetaLoss", "ExactGradients", "ExactLoss"}, function)
				if guarded != s.Checked && function != "Outside" && function != "PenaltyThetaGradient" && !strings.HasSuffix(function, "Gradient") {
					t.Errorf("%s: %s checks conditions: %v", name, function, s.Checked)
				}
				if given := strings.HasPrefix(function, "Fisher"); given != (s.Rows == methods.GivenRows) {
					t.Errorf("%s: the rows of %s are %v", name, function, s.Rows)
				}
			}
		}
	}
}

// The objective by itself is planned as it is in the whole.
func TestObjective(t *testing.T) {
	for name, whole := range packages(t) {
		b, _ := bind.Bind(spec.Library().Problem(name))
		d, err := derive.Derive(b)
		if err != nil {
			t.Fatal(err)
		}
		alone := methods.Objective(d)
		for _, function := range []string{"Gradients", "NaturalGradient", "Loss", "Violation"} {
			if alone.Usage(function).Budget != whole.Usage(function).Budget || alone.Usage(function).Cost != whole.Usage(function).Cost {
				t.Errorf("%s: %s costs something else by itself", name, function)
			}
		}
	}
}

// Passes over the rows of the data are cut into ranges, all of a likelihood, so that several processes may have the rows, and never where the
// rows are draws or given.
func TestRanges(t *testing.T) {
	cut := map[string]int{}
	for name, p := range packages(t) {
		for function, f := range p.Functions {
			for _, s := range f.Steps {
				program.Walk(s.Program.Body, func(stmt program.Stmt) {
					if !program.IsCut(stmt) {
						return
					}
					if cut[function]++; s.Rows != methods.OwnRows {
						t.Errorf("%s: a pass of %s over other rows than the data is cut", name, function)
					}
				})
			}
		}
	}
	for _, function := range []string{"Gradients", "NaturalGradient", "Loss", "ThetaGradient", "columns", "prepare", "constants", "logJoint", "start0"} {
		if cut[function] == 0 {
			t.Errorf("no pass of %s is cut", function)
		}
	}
}

// Random numbers of a size have memory of their size: where names meet they are told apart.
func TestNoises(t *testing.T) {
	for name, p := range packages(t) {
		for function, f := range p.Functions {
			for _, d := range f.Draws {
				if d.Field != "" && !p.Noises[d.Field].Equal(d.Shape) {
					t.Errorf("%s: %s draws numbers of shape %v in memory of shape %v", name, function, d.Shape, p.Noises[d.Field])
				}
				if d.Field == "" && !d.Shape.Number() {
					t.Errorf("%s: %s draws an array without memory", name, function)
				}
			}
		}
	}
}
