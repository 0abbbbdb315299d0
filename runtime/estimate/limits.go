package estimate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/baseline"
	"github.com/sngdgen/sngdgen/runtime/limit"
)

// AtInfinity is the supremum of the likelihood where parameters leave their domain: see runtime.Limit.
type AtInfinity struct {
	Name          string `json:"name"` // of the limit in the spec
	When          string `json:"when"` // in words, which parameters go where
	LogLikelihood Number `json:"log_likelihood"`
	// Above is by how much that is higher than the log-likelihood of the report: negative where the report has a maximum that
	// is higher than everything that was found at infinity.
	Above      Number    `json:"above"`
	Parameters []float64 `json:"parameters"` // of the limit, one after the other
	// Abandoned is true where the search for the supremum was given up because it did not come near the maximum of the report: then it is at least
	// LogLikelihood, and where it is has not been found out.
	Abandoned bool `json:"abandoned,omitempty"`
}

// limitRows is the least number of rows of the sample that is searched for a supremum first.
const limitRows = 1024

// suprema finds the suprema at infinity of a model, of all limits that its target has on these data. Theta are the parameters of the report.
func (rep *Report) suprema(ctx context.Context, m runtime.Model, r *Settings, theta []float64) {
	limits := m.Info().Limits
	found, errs := make([]*limit.Result, len(limits)), make([]error, len(limits))
	r.eachOf(m, len(limits), func(m runtime.Model, i int) {
		settings := &limit.Settings{Seed: r.Seed}
		if loss := -float64(rep.LogLikelihood) / rep.N; rep.Converged {
			settings.Beat = &loss
			settings.Sample = sampleOfLimits(m, theta, r.Seed)
		}
		found[i], errs[i] = limit.Supremum(ctx, m, i, settings)
	})
	for i, f := range found {
		l := &limits[i]
		if errors.Is(errs[i], limit.ErrUndefined) {
			continue
		}
		if err := errs[i]; err != nil {
			rep.Warnings = append(rep.Warnings, fmt.Sprintf("the supremum at infinity (%s) was not found: %v", l.Name, err))
			continue
		}
		value := -rep.N * f.Loss
		rep.Limits = append(rep.Limits, AtInfinity{Name: l.Name, When: goes(m.Info(), l.When), LogLikelihood: Number(value),
			Above: Number(value) - rep.LogLikelihood, Parameters: f.Parameters, Abandoned: f.Abandoned})
	}
}

// sampleOfLimits returns the model with a sample of its rows, and the loss of the parameters of the report there; nil where there are not twice as
// many, or that is no number. Of few rows for each parameter the supremum is too high to tell: in many dimensions a plane comes close to their mean.
func sampleOfLimits(m runtime.Model, theta []float64, seed uint64) *limit.Sample {
	rows := max(limitRows, rowsPerCoordinate*freeParameters(m))
	if _, distinct, _ := m.Counts(); distinct < 2*rows {
		return nil
	}
	part := sampled(m, rows, seed, "limits")
	if part == nil {
		return nil
	}
	u, err := Coordinates(part, baseline.CovarianceCholesky)
	if err != nil {
		return nil
	}
	x := make([]float64, u.Dim())
	u.FromTheta(x, theta)
	out := &limit.Sample{Model: part, Rows: rows, Beat: u.Loss(x)}
	if math.IsNaN(out.Beat) || math.IsInf(out.Beat, 0) {
		return nil
	}
	return out
}

// higher is the difference of log-likelihoods from which on the one at infinity is said to be higher: those of the limit are
// found to about 9 digits.
func higher(a, b Number) bool { return float64(a-b) > 1e-7*(1+math.Abs(float64(b))) }

// reachLimits finds the verdict of a run that has failed on the way to infinity: its likelihood is the supremum there, to the
// digits of that.
func (rep *Report) reachLimits() {
	if rep.Status != runtime.Failed {
		return
	}
	for _, l := range rep.Limits {
		if off := math.Abs(float64(l.Above)); off <= 1e-7*(1+math.Abs(float64(rep.LogLikelihood))) {
			rep.Status, rep.Message = runtime.AtInfinity, noMaximum+l.When
			return
		}
	}
}

// compareLimits says whether the likelihood is higher at infinity than at the best maximum.
func (rep *Report) compareLimits() {
	if len(rep.Limits) == 0 {
		return
	}
	l := slices.MaxFunc(rep.Limits, func(a, b AtInfinity) int { return cmp.Compare(a.LogLikelihood, b.LogLikelihood) })
	switch {
	case rep.Status == runtime.AtInfinity && strings.HasPrefix(rep.Message, noMaximum):
		rep.Message += fmt.Sprintf("; the supremum that was found is %.7g, as %s (%s)", float64(l.LogLikelihood), l.When, l.Name)
	case rep.Converged && higher(l.LogLikelihood, rep.LogLikelihood):
		rep.Warnings = append(rep.Warnings, fmt.Sprintf("the likelihood has no global maximum: as %s (%s) the log-likelihood tends to %.7g, "+
			"which is %.3g above this maximum, the best finite one that was found", l.When, l.Name, float64(l.LogLikelihood), float64(l.Above)))
	}
}

// goes says where parameters go.
func goes(info *runtime.Info, ends []runtime.LimitEnd) string {
	var words []string
	for _, e := range ends {
		name := e.Parameter
		if p := parameter(info, name); p != nil && len(p.Shape) == 1 && math.IsInf(e.To, 0) {
			name = "the length of " + name
		}
		switch {
		case math.IsInf(e.To, 1):
			words = append(words, name+" goes to infinity")
		case math.IsInf(e.To, -1):
			words = append(words, name+" goes to minus infinity")
		default:
			words = append(words, fmt.Sprintf("%s goes to %v", name, e.To))
		}
	}
	return strings.Join(words, " and ")
}
