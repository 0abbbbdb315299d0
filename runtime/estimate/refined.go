package estimate

import (
	"fmt"
	"math"
	"strings"

	"github.com/sngdgen/sngdgen/runtime"
)

// finerDifference is by how much the total log-likelihood, or the evidence lower bound, may differ from that with finer rules for integrals and
// series: the same from which on two ends are two optima. What is maximised is else not the likelihood of the model, and its maximum may be one of the rule.
const finerDifference = 0.01

// finerHints say what makes the sums of each kind more accurate, in the language of specs.
var finerHints = map[string]string{
	"integral": "a third operand asks for more nodes, as in integral(u in (a, b), f, 4) for 4 times as many, and what is narrow is better integrated over v, " +
		"where u = m + s*v with its place and its width",
	"series": "a series is the sum of its first terms: take out what decays slowly, or write it as an integral",
}

// resolved evaluates the loss at the end of a run with finer rules, and rejects the run where they do not agree. It takes one evaluation.
func (a *attempt) resolved(m runtime.Model, n float64) bool {
	kinds := m.Info().Approximated
	refined, ok := m.(runtime.Refined)
	if !ok || len(kinds) == 0 {
		return true
	}
	a.finer = Number(refined.FinerLoss(a.theta))
	if n*math.Abs(float64(a.finer)-a.res.Loss) <= finerDifference {
		return true
	}
	message := fmt.Sprintf("the log-likelihood is %.7g where the run ended, and %.7g by finer rules for its %s", -n*a.res.Loss, -n*float64(a.finer),
		strings.Join(plurals(kinds), " and "))
	if !a.status.Converged() && a.message != "" {
		message += "; " + a.message
	}
	a.reject(runtime.Unresolved, message)
	return false
}

// resolved evaluates the bound by finer rules too, of the same draws, and says where they do not agree: what was maximised is not the bound
// of the model then, whatever the run says of its end.
func (a *Approximation) resolved(m runtime.Variational, r *Settings, z []float64) error {
	kinds := m.Info().Approximated
	refined, ok := m.(runtime.RefinedVariational)
	if !ok || len(kinds) == 0 {
		return nil
	}
	draws := checkDraws
	if given := r.Variational.EvalDraws; given > 0 {
		draws = min(draws, given)
	}
	change, err := runtime.Refinement(refined, z, draws, r.Seed)
	if err != nil {
		return fmt.Errorf("the bound could not be evaluated by finer rules for its %s: %w", strings.Join(plurals(kinds), " and "), err)
	}
	a.ELBO.FinerMean = a.ELBO.Mean + Number(change.Mean)
	if math.Abs(change.Mean) <= finerDifference {
		return nil
	}
	message := fmt.Sprintf("the evidence lower bound is %.7g where the run ended, and %.7g by finer rules for its %s", a.ELBO.Mean, a.ELBO.FinerMean,
		strings.Join(plurals(kinds), " and "))
	if !a.Converged && a.Message != "" {
		message += "; " + a.Message
	}
	a.Status, a.Converged, a.Message = runtime.Unresolved, false, message+hintsOf(kinds)
	a.ELBO.LogEvidence = Number(math.NaN())
	return nil
}

// plurals names what there are several of, or one.
func plurals(kinds []string) (out []string) {
	for _, kind := range kinds {
		out = append(out, map[string]string{"integral": "integrals", "series": "series"}[kind])
	}
	return out
}

// hintFiner adds what makes sums more accurate to the message of a fit that ended for want of it.
func (rep *Report) hintFiner(m runtime.Model) {
	if rep.Status != runtime.Unresolved {
		return
	}
	rep.Message += hintsOf(m.Info().Approximated)
}

// hintsOf are the hints of sums, to stand behind what is said of them.
func hintsOf(kinds []string) (hints string) {
	for _, kind := range kinds {
		hints += "; " + finerHints[kind]
	}
	return hints
}
