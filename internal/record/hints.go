package record

import (
	"errors"
	"fmt"

	"github.com/sngdgen/sngdgen/internal/table"
	"github.com/sngdgen/sngdgen/runtime/types"
	"github.com/sngdgen/sngdgen/spec"
)

// Hints say what is wrong with data as a whole, on which a fit has failed: numbers that are all equal, columns of vectors that have no covariance matrix.
func Hints(p *spec.Problem, t *table.Table) []string {
	if p.VI != nil || t == nil {
		return nil
	}
	switch of := Variable(p).Type; {
	case of.IsScalar():
		if equal := t.Constant(); equal != "" {
			return []string{equal}
		}
	case of.Type().Form.Rank == 1 && !of.Type().Form.Has(types.SumsToOne): // no column of shares or of a matrix can be left out
		return t.Degenerate()
	}
	return nil
}

// Variable is that of the target of a likelihood, the first of several.
func Variable(p *spec.Problem) *spec.Param {
	if p.TargetDist != nil {
		return &p.TargetDist.Variable
	}
	return &p.TargetFamily.Variable
}

// WithHints adds them to an error, unless it names a row, which is what is wrong then.
func WithHints(err error, p *spec.Problem, t *table.Table) error {
	if errors.As(err, new(table.Errors)) {
		return err
	}
	for _, hint := range Hints(p, t) {
		if t.Name != "" {
			hint = t.Name + ": " + hint
		}
		err = fmt.Errorf("%w\nhint: %s", err, hint)
	}
	return err
}
