package estimate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/ep"
)

// Propagation is what expectation propagation says of a posterior: see package ep.
type Propagation struct {
	Power float64 `json:"power"`
	// LogEvidence is its estimate of the evidence; with power 0 the evidence lower bound. Null where the moments do not
	// agree: of an improper posterior it would be any number.
	LogEvidence Number `json:"log_evidence"`
	Sweeps      int    `json:"sweeps"`
	Sites       int    `json:"sites"`
	Negative    int    `json:"negative"` // sites with negative precision
	// Skipped are sites without moments, counted from 1 in the order of the rows and then of other factors.
	Skipped []int `json:"skipped,omitempty"`
	// Disagreement is the largest difference of the moments of a tilted distribution from those of the approximation, means in
	// standard deviations and variances in variances, divided by the power, and Site where that is.
	Disagreement Number  `json:"disagreement"`
	Site         int     `json:"site,omitempty"`
	Quadrature   Number  `json:"quadrature"` // by how much the last doubling of the nodes changed a moment, at most
	Step         float64 `json:"step"`       // length of the steps at the end
}

// ObjectiveEP is that of models which are fitted by expectation propagation where no method is named; others of the same posteriors
// can be where they have sites.
const ObjectiveEP = "ep"

// hasSites reports whether a model can be fitted by expectation propagation.
func hasSites(m runtime.Model) bool {
	_, ok := m.(ep.Model)
	return ok
}

// checkPropagation reports what has no meaning for expectation propagation.
func (r *Settings) checkPropagation(m runtime.Variational) error {
	switch {
	case !hasSites(m):
		return fmt.Errorf("%s has no sites for expectation propagation: with objective ep, check says why", m.Info().Name)
	case r.Stochastic != (Stochastic{}):
		return errors.New("batches, steps, epochs, rates and schedules are for the method sngd, not for ep")
	case r.Variational.Draws > 0:
		return errors.New("expectation propagation takes no draws for its steps: the number of them is for the methods saa and sngd")
	case r.Init != nil:
		return errors.New("a former result is no start of expectation propagation, which begins with the prior")
	case r.Starts > 1:
		return errors.New("expectation propagation has one start, the prior")
	}
	return nil
}

// propagate is approximate by expectation propagation, with the point where it ended.
func (r *Settings) propagate(ctx context.Context, m runtime.Variational) (*Approximation, *attempt, error) {
	began := time.Now()
	p := m.(ep.Model)
	s := ep.Settings{Power: cmp.Or(r.Variational.Power, p.Power()), Sweeps: r.MaxIterations, Tolerance: r.GradientTolerance}
	if r.Variational.PowerZero {
		s.Power = 0
	}
	found, err := ep.Run(ctx, p, s)
	if err != nil {
		return nil, nil, fmt.Errorf("expectation propagation of %s: %w", m.Info().Name, err)
	}
	z := make([]float64, dimension(m))
	if err := p.FromMoments(z, slices.Concat(found.Mean, found.Covariance)); err != nil {
		return nil, nil, fmt.Errorf("expectation propagation of %s: %w", m.Info().Name, err)
	}
	a := &attempt{theta: make([]float64, thetaLen(m)), res: &runtime.Result{Z: z, Iterations: found.Sweeps,
		LossEvaluations: found.Evaluations, Status: propagated(found), Message: found.Message}}
	m.Theta(a.theta, z)
	if !found.Converged && ctx.Err() == nil {
		if message, without := improper(m, [][]float64{z}, r.Seed, farWork); without {
			a.res.Status, a.res.Message = runtime.AtInfinity, message
		}
	}
	a.checkTails(m, r)
	seconds := time.Since(began).Seconds()
	out := approximation(m, r, a, nil)
	out.Seconds = seconds
	out.Propagation = propagation(found, s.Power)
	if out.Status == runtime.Unresolved {
		out.Propagation.LogEvidence = Number(math.NaN())
	}
	return out, a, nil
}

// propagated is the status of a run.
func propagated(found *ep.Result) runtime.Status {
	switch {
	case found.Converged:
		return runtime.MomentsAgree
	case found.Sweeps == found.Limit:
		return runtime.IterationLimit
	}
	return runtime.Failed
}

// Agrees reports whether the moments agree, so that there is an estimate of the evidence; nil does not.
func (p *Propagation) Agrees() bool { return p != nil && !math.IsNaN(float64(p.LogEvidence)) }

func propagation(found *ep.Result, power float64) *Propagation {
	p := &Propagation{Power: power, LogEvidence: Number(found.LogEvidence), Sweeps: found.Sweeps, Sites: found.Factors, Negative: found.Negative,
		Disagreement: Number(found.Disagreement), Quadrature: Number(found.Quadrature), Step: found.Step}
	if !found.Converged {
		p.LogEvidence = Number(math.NaN())
	}
	if found.Factors > 0 {
		p.Site = found.Factor + 1
	}
	for _, i := range found.Skipped {
		p.Skipped = append(p.Skipped, i+1)
	}
	return p
}
