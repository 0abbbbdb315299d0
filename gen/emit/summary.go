package emit

import (
	"github.com/sngdgen/sngdgen/gen/derive"
	"github.com/sngdgen/sngdgen/gen/plan"
)

// Summary is what the emitted code costs.
type Summary struct {
	Step plan.Cost // one natural gradient
	Full plan.Cost // both gradients and the loss
	// Data are the values that are computed once for a data set: numbers, and one number a row.
	Data, Columns []plan.Field
}

// Summarise plans the code of one step as Emit does.
func Summarise(d *derive.Result) Summary {
	f := newFile(d, "")
	f.surrogate()
	return Summary{Step: f.step, Full: f.full, Data: f.stage.Scalars, Columns: f.stage.Columns}
}
