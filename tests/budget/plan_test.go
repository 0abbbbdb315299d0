package budget

import (
	"go/ast"
	"slices"
	"strings"
	"testing"

	"github.com/sngdgen/sngdgen/gen/bind"
	"github.com/sngdgen/sngdgen/gen/derive"
	"github.com/sngdgen/sngdgen/gen/methods"
	"github.com/sngdgen/sngdgen/gen/plan"
	"github.com/sngdgen/sngdgen/generated"
	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/spec"
)

// TestPlanner: what the planner counts while it plans, and explain prints, is what is in the code.
func TestPlanner(t *testing.T) {
	for _, name := range slices.Concat(shaped(t, "mle"), shaped(t, "vi"), shaped(t, "ep")) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b, diags := bind.Bind(spec.Library().Problem(name))
			if diags.HasErrors() {
				t.Fatal(diags.String())
			}
			d, err := derive.Derive(b)
			if err != nil {
				t.Fatal(err)
			}
			s := methods.Objective(d)
			says := map[string]plan.Budget{
				"NaturalGradient": s.Usage("NaturalGradient").Budget, "Gradients": s.Usage("Gradients").Budget,
				"Loss": s.Usage("Loss").Budget, "Violation": s.Usage("Violation").Budget,
			}
			file := source(t, name)
			for method, want := range says {
				if got := count(t, file, method).planned(); got != want {
					t.Errorf("%s does %+v; by the planner %+v", method, got, want)
				}
			}
		})
	}
}

// TestComments: the comments of a package state the work that is in its code.
func TestComments(t *testing.T) {
	for _, name := range slices.Concat(shaped(t, "mle"), shaped(t, "vi"), shaped(t, "ep")) {
		file := source(t, name)
		says := func(where string, doc *ast.CommentGroup, text, method string) {
			line := text + count(t, file, method).planned().String() + "."
			switch about := info(t, name); {
			case about.Mixture && about.Variable.Shape == nil:
				line = "for each component." // flops
			case about.Mixture:
				line = strings.Replace(line, text, text+"for each component ", 1)
			}
			if !strings.Contains(unwrapped(doc), line+"\n") {
				t.Errorf("%s: the comment on %s does not say %q", name, where, line)
			}
		}
		says("the package", file.Doc, "Cost of one natural gradient: ", "NaturalGradient")
		says("the package", file.Doc, "Cost of both gradients and the loss: ", "Gradients")
		for _, method := range []string{"NaturalGradient", "Loss", "Gradients"} {
			says(method, declared(file, "Model")[method].Doc, "Cost: ", method)
		}
	}
}

// unwrapped is the text of a comment, one line a paragraph.
func unwrapped(doc *ast.CommentGroup) string {
	paragraphs := strings.Split(doc.Text(), "\n\n")
	for i, text := range paragraphs {
		paragraphs[i] = strings.Join(strings.Fields(text), " ")
	}
	return strings.Join(paragraphs, "\n") + "\n"
}

// info describes a problem.
func info(t *testing.T, name string) *runtime.Info {
	t.Helper()
	model, ok := generated.Lookup(name)
	if !ok {
		t.Fatalf("no package %s", name)
	}
	return model().Info()
}
