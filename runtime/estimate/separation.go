package estimate

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/sngdgen/sngdgen/runtime"
)

// Separation is a direction of recession of a regression of whole numbers, or of numbers of which some have a probability of their own (Geyer 2009): along it the likelihood never falls, however far, and back it does. So it is where a
// hyperplane separates the rows (Albert and Anderson 1984), in counts where rows of 0 can be told from the others (Correia, Guimaraes and Zylkin 2019), and in times where those that are
// censored can (Silvapulle and Burridge 1986).
type Separation struct {
	// Complete is whether the likelihood determines no coefficient: the direction is that of all of them. Else it is quasi-complete, and others have estimates.
	Complete bool `json:"complete"`
	// Direction is the ratio in which coefficients grow, of which the largest is 1 or -1. Those are 0 which the likelihood determines, or does not need to come where it is.
	Direction Values `json:"direction"`
}

// Kind is what the literature calls it.
func (s *Separation) Kind() string {
	if s.Complete {
		return "complete separation"
	}
	return "quasi-complete separation"
}

// Grows lists the entries that grow, and their ratios.
func (s *Separation) Grows() (names []string, ratios []float64) {
	all := s.Direction.EntryNames()
	for i, x := range s.Direction.flat() {
		if x != 0 {
			names, ratios = append(names, all[i]), append(ratios, x)
		}
	}
	return names, ratios
}

// levels notes that coefficients of a regression go to infinity where a run has converged on a level stretch on the way.
func (a *attempt) levels(m runtime.Model, n float64) {
	if !a.status.Converged() || !separable(m, a.here) {
		return
	}
	if r := a.recession(m, n); r != nil {
		a.goesFar(r.where())
	}
}

// separated is where coefficients of a regression go of which a run has gone to infinity, by whatever sign; nil where that is not known. It is looked for when somebody asks: all runs may have come to one end.
func (a *attempt) separated(m runtime.Model) *Separation {
	if a.status != runtime.AtInfinity || !separable(m, a.here) {
		return nil
	}
	_, _, n := m.Counts()
	r := a.recession(m, n)
	if r == nil {
		return nil
	}
	to, largest := slices.Clone(r.way), floats.Norm(r.way, math.Inf(1))
	for i := range to {
		to[i] /= largest // so that the largest is 1 in all digits
	}
	return &Separation{Complete: r.complete, Direction: values(m, to)}
}

// separable reports whether a model is a regression of whole numbers, of others of which some have a probability, or of which a whole number that is given says what kind of observation they are, as
// that of a time which is censored.
func separable(m runtime.Model, u *endPoint) bool {
	if u == nil || u.Dim() > mostFree || componentsOf(m) > 0 {
		return false
	}
	whole := func(v runtime.Parameter) bool { return v.Type.Entry.Integer }
	dense := func(v runtime.Parameter) bool { return !whole(v) && len(v.Type.Entry.Atoms) == 0 }
	given := m.Info().Given
	return len(given) > 0 && (slices.ContainsFunc(given, whole) || !slices.ContainsFunc(m.Info().Observed(), dense))
}
