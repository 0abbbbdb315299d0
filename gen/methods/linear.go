package methods

import (
	"fmt"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/gen/derive"
	"github.com/sngdgen/sngdgen/gen/plan"
	"github.com/sngdgen/sngdgen/gen/program"
)

// LinearPredictor is a linear predictor of the rows, which is computed for a group of draws before the function that evaluates the log joint
// density at one draw reads it.
type LinearPredictor struct {
	// Predictor and Slope are the fields with the predictor of every row at a draw, and with the slopes that the function writes; Data is that
	// with the vectors.
	Predictor, Slope, Data string
	From                   program.Length // where the vector begins in the latent variables
	Entries                expr.Dim
}

// LinearPredictors are those of terms of the log joint density, in the order of derive.Parted.
func (f *Package) LinearPredictors(terms expr.Terms) (out []LinearPredictor) {
	m := f.Variational().Model
	if m == nil || m.Parted[terms] == nil {
		return nil
	}
	for i, l := range m.Parted[terms].Predictors {
		out = append(out, LinearPredictor{Predictor: PredictorField(i), Slope: SlopeField(i), Data: f.DataField(f.DataParams()[f.DataColumn(l.Data)-1]),
			From: f.LatentLayout().Offset(l.Latent), Entries: l.Data.Type.Dims[0]})
	}
	return out
}

// PredictorField is the field with a linear predictor of every row at a draw, SlopeField that with its slopes.
func PredictorField(i int) string { return fmt.Sprintf("linear%d", i+1) }

func SlopeField(i int) string { return fmt.Sprintf("slope%d", i+1) }

// readPredictors lets a kernel read the predictors and, where it computes a gradient, write their slopes.
func (f *Package) readPredictors(k *plan.Kernel, q *derive.Parted, slopes bool) {
	for i, l := range q.Predictors {
		k.Rows.Columns[l.S] = PredictorField(i)
		if slopes {
			k.Stores = append(k.Stores, plan.Output{To: program.Field("p", SlopeField(i)), Node: q.Slopes[i], Type: expr.Scalar})
		}
	}
}
