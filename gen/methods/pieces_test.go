package methods_test

import (
	"slices"
	"testing"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/gen/methods"
	"github.com/sngdgen/sngdgen/gen/program"
)

// dear is the cost of a function from which on it is not to be computed of the data again and again.
const dear = 10

// TestPieces: no function of a posterior that is called at every step computes a dear function of the data alone.
func TestPieces(t *testing.T) {
	pieces := 0
	for name, p := range packages(t) {
		if p.Posterior == nil {
			continue
		}
		pieces += len(p.Posterior.Pieces)
		for _, called := range append(evaluations(p), "ExactLoss", "ExactGradients") {
			f := p.Functions[called]
			if f == nil {
				continue
			}
			for _, s := range f.Steps {
				if e := ofDataAlone(s.Program, p.Data); e != nil {
					t.Errorf("%s: %s computes %v of the data at every step", name, called, e)
				}
			}
		}
	}
	if pieces == 0 {
		t.Error("no package keeps anything")
	}
}

func evaluations(p *methods.Package) (out []string) {
	for _, name := range p.Posterior.Evaluations {
		out = append(out, name)
	}
	return out
}

// ofDataAlone is a dear function of which all operands are columns of the data, nil where there is none.
func ofDataAlone(p *program.Program, data []methods.Column) (found program.Expr) {
	columns := map[*program.Place]bool{}
	program.Walk(p.Body, func(s program.Stmt) {
		for _, c := range program.Columns(s) {
			columns[c.To] = slices.ContainsFunc(data, func(d methods.Column) bool { return d.Name == c.Field })
		}
	})
	program.Walk(p.Body, func(s program.Stmt) {
		program.Formulas(s, func(e program.Expr) {
			applications(e, func(a *program.Apply) {
				operands, alone := 0, true
				program.Operands(a, func(r program.Ref) { operands, alone = operands+1, alone && columns[r.Place] })
				if a.Op.Elementwise() && a.Op.Cost >= dear && operands > 0 && alone {
					found = a
				}
			})
		})
	})
	return found
}

// applications calls visit for an operation, and for those in its operands.
func applications(e program.Expr, visit func(*program.Apply)) {
	if a, ok := e.(*program.Apply); ok && a != nil {
		visit(a)
		for _, x := range a.Args {
			applications(x, visit)
		}
	}
}

// TestPiecesOfRows: what is kept is a number of every row, and no part of another one.
func TestPiecesOfRows(t *testing.T) {
	for name, p := range packages(t) {
		if p.Posterior == nil {
			continue
		}
		for i, n := range p.Pieces() {
			if !n.Type.Axes.Has(expr.Rows) {
				t.Errorf("%s: piece %d is %v, which has no rows", name, i+1, n)
			}
		}
	}
}
