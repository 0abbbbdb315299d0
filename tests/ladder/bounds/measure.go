package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/sngdgen/sngdgen/gen"
	"github.com/sngdgen/sngdgen/gen/engine"
	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/estimate"
	"github.com/sngdgen/sngdgen/spec"
)

// room is for so many components of a mixture.
const room = 4

// candidates are all approximations of the library that go with a posterior, with the data.
func candidates(ctx context.Context, p *posterior, data runtime.Data) (out []estimate.Candidate, err error) {
	own := spec.Library().Problem(p.problem)
	if own == nil {
		return nil, fmt.Errorf("the library has no %s", p.problem)
	}
	for _, name := range own.Approximations() {
		q, diags := own.ApproximationNamed(name).For(own)
		if diags.HasErrors() {
			continue // it does not go with the model
		}
		create, diags, err := engine.Interpreted(ctx, q, gen.Options{})
		if err != nil || diags.HasErrors() {
			return nil, fmt.Errorf("%s: %w", name, errors.Join(err, diags.Err()))
		}
		m := create().(runtime.Variational)
		components := 0
		if _, mixture := m.(runtime.Mixture); mixture {
			components = room
		}
		if err := estimate.Load(m, data, components); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		out = append(out, estimate.Candidate{Name: name, Model: m, Optional: true})
	}
	return out, nil
}

// measure returns the rows of a posterior.
func (e *experiment) measure(ctx context.Context, p *posterior) (string, error) {
	data, err := p.data(e.folder)
	if err != nil {
		return "", err
	}
	forms, err := candidates(ctx, p, data)
	if err != nil {
		return "", err
	}
	ladder, err := estimate.Climb(ctx, forms, &estimate.Settings{Seed: e.seed})
	if err != nil {
		return "", err
	}
	var b strings.Builder
	bounds := make([]runtime.Estimate, len(ladder.Rungs))
	for i := range ladder.Rungs {
		r := &ladder.Rungs[i]
		if r.Method != "" {
			continue // it has no bound to compare
		}
		if r.Fit == nil {
			return "", fmt.Errorf("%s: %s", r.Label(), r.Error)
		}
		m, err := model(forms, r)
		if err != nil {
			return "", fmt.Errorf("%s: %w", r.Label(), err)
		}
		if bounds[i], err = e.bound(m, r.Fit, uint64(i)); err != nil {
			return "", fmt.Errorf("%s: %w", r.Label(), err)
		}
		fmt.Fprintf(&b, "| %s | %d | %s | %s | %.4f | ", p.name, len(data.Values)/data.Columns, r.Label(), latents(m), bounds[i].Mean)
		if r.From < 0 {
			fmt.Fprintf(&b, "| | | %s | |\n", r.Fit.Status)
			continue
		}
		alone, err := e.alone(ctx, m, r, uint64(i))
		if err != nil {
			return "", fmt.Errorf("%s alone: %w", r.Label(), err)
		}
		e.row(&b, ladder, r, bounds[i], alone, bounds[r.From])
	}
	return b.String(), nil
}

// lone is an approximation that was fitted by itself.
type lone struct {
	bound  runtime.Estimate
	status runtime.Status
}

// alone fits the approximation of a rung without others.
func (e *experiment) alone(ctx context.Context, m runtime.Variational, r *estimate.Rung, stream uint64) (out lone, err error) {
	fit, err := estimate.Approximate(ctx, m, &estimate.Settings{Seed: e.seed, Components: r.Components})
	if fit == nil {
		return out, err
	}
	out.status = fit.Status
	out.bound, err = e.bound(m, fit, 1000+stream)
	return out, err
}

// row writes what is known of a rung that contains another one, and counts.
func (e *experiment) row(b *strings.Builder, l *estimate.Ladder, r *estimate.Rung, in runtime.Estimate, alone lone, base runtime.Estimate) {
	e.rungs++
	how := ""
	if r.Kept {
		e.kept++
		how = ", kept"
	}
	rise, below := difference(in, base)
	if below {
		e.below++
	}
	byItself, aloneBelow := difference(alone.bound, base)
	if aloneBelow {
		e.aloneBelow++
	}
	fmt.Fprintf(b, "%s | %s%s | %s | %s | %s |\n", l.Rungs[r.From].Label(), rise, how, byItself, r.Fit.Status, alone.status)
}

// difference is by how much a bound is above another one, with twice its standard error, and whether it is below by three.
func difference(of, base runtime.Estimate) (text string, below bool) {
	mean, off := of.Mean-base.Mean, math.Hypot(of.StandardError, base.StandardError)
	below = mean < -3*off
	text = fmt.Sprintf("%+.4f ± %.2g", mean, 2*off)
	if below {
		text += " (below)"
	}
	return text, below
}

// model is that of a rung.
func model(forms []estimate.Candidate, r *estimate.Rung) (runtime.Variational, error) {
	i := slices.IndexFunc(forms, func(c estimate.Candidate) bool { return c.Name == r.Name })
	m := forms[i].Model.Clone().(runtime.Variational)
	return m, estimate.SetComponents(m, r.Components)
}

// bound measures the bound of a fit by draws of its own.
func (e *experiment) bound(m runtime.Variational, fit *estimate.Approximation, stream uint64) (runtime.Estimate, error) {
	var z []float64
	for _, x := range fit.Coordinates {
		z = append(z, float64(x))
	}
	return runtime.ELBO(m, z, e.draws, 7_000_000+stream)
}

// latents is how many latent variables there are.
func latents(m runtime.Variational) string { return fmt.Sprint(m.Info().Variable.Len(m)) }
