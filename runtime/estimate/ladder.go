package estimate

import (
	"context"
	"fmt"
	"slices"

	"github.com/sngdgen/sngdgen/runtime"
)

// Candidate is an approximation that Climb may take: a model of the posterior that has the data.
type Candidate struct {
	Name  string // by which other approximations contain it: see runtime.Contained
	Model runtime.Variational
	// Components are the numbers of components of a mixture, in ascending order. With none it is two, and more, one at a time, as
	// long as the bound rises by more than NegligibleRise.
	Components []int
	// Optional leaves it out where an approximation that contains it has no more numbers, as a normal distribution has of few
	// variables for one whose covariance matrix is of low rank.
	Optional bool
}

// Ladder has the fits of several approximations of one posterior, each after those that it contains.
type Ladder struct {
	Rungs []Rung `json:"rungs"`
	// Knee is the index of the first rung that came to its end and whose bound no other one exceeds by more than NegligibleRise and
	// two standard errors of the difference; of all rungs where none of these came to its end, and -1 where nothing was fitted.
	Knee int `json:"knee"`
	// Moments compares the moments of the rungs with those by importance sampling; nil where there are none, or one rung.
	Moments  *MomentCheck `json:"moments,omitempty"`
	Warnings []string     `json:"warnings,omitempty"`
}

// Rung is the fit of one approximation.
type Rung struct {
	Name       string `json:"name"`
	Components int    `json:"components,omitempty"` // of a mixture
	// Method is "ep" where the approximation was found by expectation propagation. As that does not maximise the bound, such a rung is
	// compared by its moments alone: it contains no other and is in none, and is no knee.
	Method      string `json:"method,omitempty"`
	Coordinates int    `json:"coordinates,omitempty"` // how many numbers are fitted
	// From is the index of the contained rung of the highest bound; -1 where there is none. Rise is by how much the bound is higher
	// than there, with the standard error of the difference, by the same draws.
	From      int    `json:"from"`
	Rise      Number `json:"rise"`
	RiseError Number `json:"rise_error"`
	// Kept is set where no run came to a higher bound than that of the contained rung: the approximation is that one then.
	Kept    bool    `json:"kept"`
	Seconds float64 `json:"seconds"`
	// Moments say how far the moments are from those by importance sampling; nil where that is not known.
	Moments *MomentDistance `json:"moments,omitempty"`
	Fit     *Approximation  `json:"fit"` // nil where there is nothing to report
	Error   string          `json:"error,omitempty"`

	z, theta []float64
}

// NegligibleRise is a rise of the bound, in nats, that does not make an approximation worth its parameters. The Kullback-Leibler
// divergence from the posterior decreases by as much: that of two normal distributions of one variance is 0.1 where their means
// are 0.45 standard deviations apart.
const NegligibleRise = 0.1

// Label is what the rung is called in a table: with the number of components of a mixture, and the method where that is another.
func (r *Rung) Label() string {
	switch {
	case r.Components > 0:
		return fmt.Sprintf("%s(%d)", r.Name, r.Components)
	case r.Method != "":
		return r.Name + " by " + r.Method
	}
	return r.Name
}

// Complete reports whether all rungs came to the ends they were meant to have.
func (l *Ladder) Complete() bool {
	return !slices.ContainsFunc(l.Rungs, func(r Rung) bool { return r.Fit == nil || !r.Fit.Complete() })
}

// Climb fits approximations of one posterior, from those that are contained in others upwards. A fit starts from the ends of
// the fits of what it contains (runtime.Container), a mixture also from that of one component less, of which one is split.
// Where none of its runs ends at a higher bound by the same draws, the contained approximation is kept, so that bounds do not fall
// on the way up. What has sites for expectation propagation is also fitted by that, unless the settings name another method; moments
// are compared at the end (MomentCheck). The models have the same data, and are not used beyond Clone. Settings may be nil; numbers of components and
// starts in them are not used, but for approximations that contain no other. The error says what cannot be fitted with these
// settings at all, or that the context ended, when there is a ladder of what was fitted before.
func Climb(ctx context.Context, candidates []Candidate, s *Settings) (*Ladder, error) {
	c := &climber{ladder: &Ladder{Knee: -1}, candidates: upwards(slices.DeleteFunc(slices.Clone(candidates), func(x Candidate) bool {
		return x.Optional && superfluous(x, candidates)
	}))}
	if s != nil {
		c.settings = *s
	}
	if err := c.check(); err != nil {
		return nil, err
	}
	defer c.settings.staff()()
	for i := range c.candidates {
		c.fitAll(ctx, &c.candidates[i])
	}
	c.ladder.Knee = c.ladder.knee()
	c.compareMoments()
	return c.ladder, ctx.Err()
}

// upwards puts approximations behind those that they contain, and otherwise leaves their order.
func upwards(candidates []Candidate) []Candidate {
	var out []Candidate
	placed := map[string]bool{}
	var place func(c Candidate)
	place = func(c Candidate) {
		if placed[c.Name] {
			return
		}
		placed[c.Name] = true
		for _, inner := range c.Model.Info().Contained {
			if i := slices.IndexFunc(candidates, func(x Candidate) bool { return x.Name == inner.Name }); i >= 0 {
				place(candidates[i])
			}
		}
		out = append(out, c)
	}
	for _, c := range candidates {
		place(c)
	}
	return out
}

// superfluous reports whether one of the approximations contains another one and has no more numbers.
func superfluous(x Candidate, all []Candidate) bool {
	return slices.ContainsFunc(all, func(by Candidate) bool {
		_, mixture := by.Model.(runtime.Mixture)
		contains := slices.ContainsFunc(by.Model.Info().Contained, func(c runtime.Contained) bool { return c.Name == x.Name })
		return !mixture && contains && dimension(by.Model) <= dimension(x.Model)
	})
}
