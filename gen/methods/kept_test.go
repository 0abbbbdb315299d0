package methods_test

import (
	"testing"

	"github.com/sngdgen/sngdgen/gen/program"
)

// TestKept: what takes long, and a pass over the draws in front of a call of the model has computed, no pass behind it computes again.
func TestKept(t *testing.T) {
	const long = 100 // the cost of a function
	kept := 0
	for name, p := range packages(t) {
		if p.Posterior == nil {
			continue
		}
		kept += len(p.Kept)
		for _, called := range []string{"NaturalGradient", "Gradients"} {
			for _, s := range p.Functions[called].Steps {
				before := map[string]bool{}
				for _, pass := range s.Program.Body {
					functions := longFunctions(pass, long)
					for f := range functions {
						if before[f] {
							t.Errorf("%s: %s computes %s of every draw twice", name, called, f)
						}
						before[f] = true
					}
				}
			}
		}
	}
	if kept == 0 {
		t.Error("no package keeps anything")
	}
}

// longFunctions are the names of dear functions that a pass computes.
func longFunctions(pass program.Stmt, cost float64) map[string]bool {
	out := map[string]bool{}
	switch pass.(type) {
	case *program.Blocks, *program.Rows:
	default:
		return out
	}
	program.Walk([]program.Stmt{pass}, func(s program.Stmt) {
		if j, ok := s.(*program.Joint); ok {
			for _, name := range j.Joint.Ops {
				out[name] = true
			}
		}
		program.Formulas(s, func(e program.Expr) {
			applications(e, func(a *program.Apply) {
				if a.Op.Elementwise() && a.Op.Cost >= cost {
					out[a.Op.Name] = true
				}
			})
		})
	})
	return out
}
