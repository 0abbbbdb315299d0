package estimate

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/support"
)

// DetailRequest asks for what a report has no room for: what pictures and tables of a fit are made of.
type DetailRequest struct {
	// Trace asks for the course of all runs.
	Trace bool `json:"trace,omitempty"`
	// Path asks, with Trace, for the coordinates at some of their points.
	Path bool `json:"path,omitempty"`
	// Rows are observations, one after the other, at which the log-density of what was fitted is wanted.
	Rows []float64 `json:"rows,omitempty"`
	// Columns is how many numbers a row has, where it may be the lower triangle of a matrix, as in a file; 0: as many as one of the model.
	Columns int `json:"columns,omitempty"`
	// Draws is how many observations are drawn from what was fitted.
	Draws int `json:"draws,omitempty"`
	// Scored is of how many of these draws the log-density is wanted too.
	Scored int `json:"scored,omitempty"`
	// Conditional asks for the distribution of the variable in rows of the data.
	Conditional ConditionalRequest `json:"conditional,omitzero"`
	// Profile has the names of parameters whose profile likelihood is wanted: see Profile.
	Profile []string `json:"profile,omitempty"`
}

// wanted reports whether anything is asked for.
func (d *DetailRequest) wanted() bool {
	return d.Trace || len(d.Rows) > 0 || d.Draws > 0 || len(d.Conditional.Rows) > 0 || len(d.Profile) > 0
}

// Details are what was asked for of a fit. What could not be had is empty, with the reason in Notes.
type Details struct {
	Runs []RunTrace
	// Cut says that the runs had more points than are kept.
	Cut bool
	// Density is at the rows of the request.
	Density Density
	// Draws from the target at the estimate, and the log-density of the first of them.
	Draws      Draws
	DrawScores []float64
	// Conditional is that of the request; nil where it could not be had.
	Conditional *Conditional
	Profiles    []Profile
	Notes       []string
}

// Density is that of a target at some rows.
type Density struct {
	Log []float64 // the logarithm of the density, or of the probability where the observation is discrete
	// Shares are the parts that the components of a mixture have in it, row by row, in the order of the report: their posterior
	// probabilities. Nil for what is no mixture.
	Shares []float64
}

// detail adds what was asked for to a report of a fit of a model.
func (rep *Report) detail(ctx context.Context, m runtime.Model, r *Settings) {
	d := new(Details)
	rep.Details = d
	if r.tracer.keeps() {
		d.Runs, d.Cut = r.tracer.all(), r.tracer.cut
	}
	if rep.Status == runtime.Failed && !allNumbers(rep.Theta()) {
		d.Notes = append(d.Notes, "there is no estimate whose density could be shown")
		return
	}
	theta := rep.Theta()
	var err error
	switch {
	case len(r.Details.Rows) == 0:
	case m.Info().Ordered:
		d.Notes = append(d.Notes, "no density: that of a row of a sequence depends on the rows in front of it")
	default:
		rows, err := wholeRows(m, runtime.Data{Values: r.Details.Rows, Columns: r.Details.Columns})
		if err == nil {
			d.Density, err = ScoreRows(ctx, m, theta, rows.Values)
		}
		if err != nil {
			d.note("no density", err)
		}
	}
	if len(r.Details.Conditional.Rows) > 0 {
		if d.Conditional, err = describeRows(ctx, m, theta, &r.Details.Conditional, r.Seed); err != nil {
			d.note("no residuals", err)
		}
	}
	if r.Details.Draws > 0 {
		d.draw(ctx, m, r, theta)
	}
	for _, name := range r.Details.Profile {
		p, err := profile(ctx, m, r, rep, theta, name)
		if err != nil {
			d.note("no profile likelihood of "+name, err)
			continue
		}
		d.Profiles = append(d.Profiles, *p)
	}
}

func (d *Details) note(what string, err error) {
	d.Notes = append(d.Notes, what+": "+err.Error())
}

// draw draws from the target.
func (d *Details) draw(ctx context.Context, m runtime.Model, r *Settings, theta []float64) {
	s, ok := m.(runtime.Sampler)
	width := m.Info().RowLen(m)
	if len(m.Info().Given) > 0 { // which are not drawn
		return
	}
	if !ok {
		d.Notes = append(d.Notes, fmt.Sprintf("no draws: the spec of %s does not say how to draw from it; %s", m.Info().Target, addSample(m.Info())))
		return
	}
	if err := drawable(r.Details.Draws, width); err != nil {
		d.note("no draws", err)
		return
	}
	x := make([]float64, r.Details.Draws*width)
	rng := runtime.Stream(r.Seed, "details")
	if err := support.DrawInside(x, m, func(rows []float64) { s.Sample(rows, theta, rng) }); err != nil {
		d.note("no draws", err)
		return
	}
	if !allNumbers(x) {
		d.Notes = append(d.Notes, "no draws: they are not finite numbers")
		return
	}
	d.Draws = Draws{Columns: columns(m), Values: x}
	if n := min(r.Details.Scored, r.Details.Draws) * width; n > 0 {
		scored, err := ScoreRows(ctx, m, theta, x[:n])
		if err != nil { // a draw may be rounded to the end of its range
			d.note("no densities of draws", err)
			return
		}
		d.DrawScores = scored.Log
	}
}

func allNumbers(x []float64) bool {
	return !slices.ContainsFunc(x, func(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) })
}
