package allocfree_test

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/packages"

	"github.com/sngdgen/sngdgen/internal/allocfree"
)

const generated = "github.com/sngdgen/sngdgen/generated"

// everywhere are the steps of all generated packages.
var everywhere = []string{
	"Gradients", "NaturalGradient", "Loss", "Violation", "Theta", "Dual", "Batch", "Blocks", "Conditions",
}

// TestGenerated covers a new package because it lies below generated/.
func TestGenerated(t *testing.T) {
	var found []string
	for _, act := range analyse(t, allocfree.Analyzer, generated+"/...") {
		if act.Package.PkgPath == generated {
			continue // the list of the packages, which has no steps
		}
		found = append(found, path.Base(act.Package.PkgPath))
		complain(t, act)
		for _, want := range everywhere {
			if !slices.Contains(act.Result.(allocfree.Result), "(*Model)."+want) {
				t.Errorf("%s: %s was not checked", act.Package.PkgPath, want)
			}
		}
	}
	if want := directories(t); len(found) == 0 || !slices.Equal(found, want) {
		t.Errorf("checked %v, but there are %v", found, want)
	}
}

// directories lists what lies in generated/. That they are read here also tells `go test` when its cache is stale.
func directories(t *testing.T) []string {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join("..", "..", "generated"))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		if e.IsDir() {
			names = append(names, e.Name())
		}
	}
	return names
}

// TestRuntime justifies the list of the packages that a step may call.
func TestRuntime(t *testing.T) {
	for _, act := range analyse(t, allocfree.Whole, allocfree.Checked...) {
		complain(t, act)
	}
}

// TestTrusted finds nothing in package math either, but for what is known: assembly, the bits of a number, and panics.
func TestTrusted(t *testing.T) {
	known := regexp.MustCompile(`^a function without a body .* in arch|^address of \w .* in Float|^panic with .* in Div`)
	for _, act := range analyse(t, allocfree.Whole, allocfree.Trusted...) {
		act.Diagnostics = slices.DeleteFunc(act.Diagnostics, func(d analysis.Diagnostic) bool { return known.MatchString(d.Message) })
		complain(t, act)
	}
}

// TestKernels finds nothing in gonum but calls of assembly, which cannot allocate.
func TestKernels(t *testing.T) {
	assembly := regexp.MustCompile(`^call of gonum.org/v1/gonum/internal/asm/f64\.`)
	for _, act := range analyse(t, allocfree.Inner, "gonum.org/v1/gonum/blas/gonum") {
		act.Diagnostics = slices.DeleteFunc(act.Diagnostics, func(d analysis.Diagnostic) bool { return assembly.MatchString(d.Message) })
		complain(t, act)
		for _, name := range allocfree.Kernels {
			if !slices.Contains(act.Result.(allocfree.Result), "(Implementation)."+name) {
				t.Errorf("%s was not checked", name)
			}
		}
	}
}

// TestListed finds nothing in the functions of this module that steps may call one by one, and all of them.
func TestListed(t *testing.T) {
	for _, act := range analyse(t, allocfree.Inner, "github.com/sngdgen/sngdgen/runtime/support") {
		complain(t, act)
		if got := act.Result.(allocfree.Result); len(got) != len(allocfree.Listed) {
			t.Errorf("checked %v of %v", got, allocfree.Listed)
		}
	}
}

func complain(t *testing.T, act *checker.Action) {
	t.Helper()
	if act.Err != nil {
		t.Errorf("%s: %v", act.Package.PkgPath, act.Err)
		return
	}
	for _, d := range act.Diagnostics {
		t.Errorf("%v: %s", act.Package.Fset.Position(d.Pos), d.Message)
	}
}

// analyse runs an analyser over the packages that exist.
func analyse(t *testing.T, a *analysis.Analyzer, patterns ...string) []*checker.Action {
	t.Helper()
	config := &packages.Config{Mode: packages.LoadSyntax | packages.NeedModule}
	all, err := packages.Load(config, patterns...)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range all {
		if len(p.Errors) > 0 {
			t.Fatalf("%s: %v", p.PkgPath, p.Errors)
		}
	}
	graph, err := checker.Analyze([]*analysis.Analyzer{a}, all, nil)
	if err != nil {
		t.Fatal(err)
	}
	return graph.Roots
}
