package estimate

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/sngdgen/sngdgen/runtime"
)

// DetailRequest asks for what a report has no room for: what pictures and tables of a fit are made of.
type DetailRequest struct {
	// Trace asks for the course of all runs.
	Trace bool `json:"trace,omitempty"`
	// Rows are observations, one after the other, at which the log-density of what was fitted is wanted.
	Rows []float64 `json:"rows,omitempty"`
	// Draws is how many observations are drawn from what was fitted.
	Draws int `json:"draws,omitempty"`
	// Scored is of how many of these draws the log-density is wanted too.
	Scored int `json:"scored,omitempty"`
	// Profile has the names of parameters whose profile likelihood is wanted: see Profile.
	Profile []string `json:"profile,omitempty"`
}

// wanted reports whether anything is asked for.
func (d *DetailRequest) wanted() bool {
	return d.Trace || len(d.Rows) > 0 || d.Draws > 0 || len(d.Profile) > 0
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
	Profiles   []Profile
	Notes      []string
}

// Density is that of a target at some rows.
type Density struct {
	Log []float64 // the logarithm of the density, or of the probability where the observation is discrete
	// Shares are the parts that the components of a mixture have in it, row by row, in the order of the report: their posterior
	// probabilities. Nil for what is no mixture.
	Shares []float64
}

// mostScored bounds the rows at which densities are evaluated.
const mostScored = 200_000

// errScored is the answer to a request for more.
var errScored = fmt.Errorf("log-densities are for at most %d rows", mostScored)

// detail adds what was asked for to a report of a fit of a model.
func (rep *Report) detail(ctx context.Context, m runtime.Model, r *Settings) {
	d := new(Details)
	rep.Details = d
	if r.tracer != nil {
		d.Runs, d.Cut = r.tracer.all(), r.tracer.cut
	}
	if rep.Status == runtime.Failed && !allNumbers(rep.Theta()) {
		d.Notes = append(d.Notes, "there is no estimate whose density could be shown")
		return
	}
	theta := rep.Theta()
	var err error
	if len(r.Details.Rows) > 0 {
		if d.Density, err = ScoreRows(ctx, m, theta, r.Details.Rows); err != nil {
			d.note("no density", err)
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
		d.Notes = append(d.Notes, fmt.Sprintf("no draws: the spec of %s does not say how to draw from it", m.Info().Target))
		return
	}
	if err := drawable(r.Details.Draws, width); err != nil {
		d.note("no draws", err)
		return
	}
	x := make([]float64, r.Details.Draws*width)
	s.Sample(x, theta, runtime.Stream(r.Seed, "details"))
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

// ScoreRows evaluates the log-density of the target of m with parameters theta, in the order and layout of Theta, at rows of
// observations, one after the other. It is the loss of each row by itself. The rows need not be among the data of the model, which
// it keeps. The error says which row is no observation, that there are too many, or that the model cannot tell.
func ScoreRows(ctx context.Context, m runtime.Model, theta, rows []float64) (Density, error) {
	width := m.Info().RowLen(m)
	n := len(rows) / max(width, 1)
	if n > mostScored {
		return Density{}, errScored
	}
	one := m.Clone()
	b, ok := one.(runtime.Batcher)
	if !ok {
		return Density{}, fmt.Errorf("%s cannot be evaluated row by row", m.Info().Name)
	}
	if err := one.SetData(runtime.Data{Values: rows, Columns: width}); err != nil {
		return Density{}, err
	}
	loss, g := lossAt(one, theta)
	k := componentsOf(m)
	out := Density{Log: make([]float64, n)}
	if k > 0 {
		out.Shares = make([]float64, n*k)
	}
	for i := range n {
		if err := ctx.Err(); err != nil {
			return Density{}, err
		}
		if err := b.Batch([]int{i}); err != nil {
			return Density{}, err
		}
		out.Log[i] = -loss()
		for c := range k {
			// The derivative of -log sum(weight * density) with respect to a weight is minus the share over the weight.
			if theta[c] > 0 {
				out.Shares[i*k+c] = -theta[c] * g[c]
			}
		}
	}
	if slices.ContainsFunc(out.Log, math.IsNaN) {
		return Density{}, errors.New("it is not a number at some rows")
	}
	return out, nil
}

// lossAt returns a function that evaluates the loss of a model on its data, or the batch that it has then, at parameters theta, and
// the memory into which that writes its gradient; nil where parameters are numbers.
func lossAt(m runtime.Model, theta []float64) (loss func() float64, g []float64) {
	if f, ok := m.(runtime.Objective); ok {
		g = make([]float64, len(theta))
		return func() float64 { return f.ThetaGradient(g, theta) }, g
	}
	u := m.Unconstrained()
	at := make([]float64, u.Dim())
	u.FromTheta(at, theta)
	return func() float64 { return u.Loss(at) }, nil
}
