package estimate_test

import (
	"math"
	"testing"

	"github.com/sngdgen/sngdgen/generated"
	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/estimate"
)

// markers are the number of a study and its logarithm of a hazard ratio (Riley et al. 2003, a systematic review of molecular and biological tumor markers in neuroblastoma;
// dat.riley2003 of the R package metadat).
var markers = []float64{
	1, -0.11, 1, -0.14, 2, 0.3, 2, 0.67, 3, 0.41, 3, 0.43, 4, 0.47, 4, 2.08, 5, 0.76, 5, 0.7, 6, 1.06, 6, 1.32, 7, 1.46, 7, 1.51, 8, 1.64, 8, 0.71, 9,
	1.64, 9, 2.59, 10, 1.64, 10, 1.54, 11, 1.7, 11, 1.38, 12, 1.85, 12, 2.9, 13, 1.9, 13, 1.83, 14, 1.9, 14, 1.82, 15, 2.19, 15, 2.99, 16, 2.95, 16, 2.75,
	17, 5.7, 17, 5.7, 18, 0.25, 19, 0.29, 20, 0.52, 21, 0.55, 22, 0.84, 23, 0.93, 24, 1.18, 25, 1.34, 26, 1.43, 27, 1.44, 28, 1.45, 29, 1.52, 30, 1.6, 31,
	1.62, 32, 1.77, 33, 1.9, 34, 1.92, 35, 2.04, 36, 2.19, 37, 2.37, 38, 2.39, 39, 2.5, 40, 2.56, 41, 2.98, 42, 3.29, 43, -0.84, 44, 0.05, 45, 0.73, 46,
	0.76, 47, 0.91, 48, 0.93, 49, 0.96, 50, 1.05, 51, 1.16, 52, 1.22, 53, 1.26, 54, 1.26, 55, 1.27, 56, 1.31, 57, 1.52, 58, 1.54, 59, 1.55, 60, 1.63, 61,
	1.67, 62, 1.72, 63, 1.74, 64, 1.75, 65, 1.75, 66, 1.87, 67, 2.07, 68, 2.13, 69, 2.19, 70, 2.25, 71, 2.31, 72, 2.33, 73, 2.36, 74, 2.37, 75, 2.63, 76,
	2.66, 77, 2.77, 78, 2.8, 79, 3.33, 80, 3.54, 81, 5.04,
}

// TestMixtureHigherAtInfinity: a mixture whose likelihood is far higher where slants go to infinity, and no component has contracted, than at all maxima is said to be there. The normal distribution is
// contained: its mixture has a maximum at -519.0591 (GaussianMixture of scikit-learn with 40 starts), from which SciPy's BFGS climbs to -492.9 with slants above 1000, and the best maximum that is found
// for slants is at -542.4.
func TestMixtureHigherAtInfinity(t *testing.T) {
	newModel, _ := generated.Lookup("skewnormalmix")
	rep, err := estimate.FindOn(t.Context(), newModel(), runtime.Data{Values: markers, Columns: 2}, estimate.Settings{Components: 2})
	if err != nil || rep.Status != runtime.AtInfinity || !(rep.LogLikelihood > -492.91) || !math.IsNaN(float64(rep.AIC)) {
		t.Errorf("%v, %v at %v: %s", err, rep.Status, rep.LogLikelihood, rep.Message)
	}
}
