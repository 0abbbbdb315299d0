package emit

import (
	"github.com/sngdgen/sngdgen/gen/derive"
	"github.com/sngdgen/sngdgen/gen/plan"
)

// Summary is what the emitted code costs.
type Summary struct {
	Step   Usage // one natural gradient
	Full   Usage // both gradients and the loss
	Loss   Usage
	Domain Usage // the check that a point is inside
	// Data are the values that are computed once for a data set: numbers, and one number a row.
	Data, Columns []plan.Field
}

// Summarise plans the code of one step as Emit does.
func Summarise(d *derive.Result) Summary {
	f := newFile(d, Options{})
	f.surrogate()
	return Summary{Step: f.step, Full: f.full, Loss: f.loss, Domain: f.domain, Data: f.stage.Scalars, Columns: f.stage.Columns}
}
