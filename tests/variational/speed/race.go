package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/estimate"
)

const (
	// Runs are compared by so many draws, the same for all.
	judgeDraws = 20_000
	// The report, which is not timed, has few draws.
	reportDraws = 100
	// A run is repeated so many times, and the least time counts.
	repeats    = 3
	firstSteps = 30
)

// nearness are the distances from the best bound to which times are taken.
var nearness = []float64{0.1, 0.01}

// run is one run with the seed and settings of a method.
type run struct {
	size int // steps or draws; 0 is the default
	time time.Duration
	z    []float64
	rise runtime.Estimate // above the point that all are compared with
}

// method is a way to fit, with ever larger settings of its size.
type method struct {
	name, unit string
	sizes      []int
	settings   func(size int) estimate.Settings
	runs       [][]run // by seed and size
}

// methods are those that a posterior has.
func methods(m runtime.Variational, most int) []*method {
	stochastic := &method{name: "stochastic", unit: "steps", settings: func(size int) estimate.Settings {
		return estimate.Settings{Method: "sngd", Stochastic: estimate.Stochastic{Steps: size}}
	}}
	for n := firstSteps; n <= most; n = 10 * (n / 3) {
		stochastic.sizes = append(stochastic.sizes, n)
	}
	ending := &method{name: "stochastic, by itself", sizes: []int{0}, settings: func(int) estimate.Settings {
		return estimate.Settings{Method: "sngd"}
	}}
	average := &method{name: "sample average", unit: "draws", sizes: []int{0}, settings: func(int) estimate.Settings {
		return estimate.Settings{Method: "saa"}
	}}
	all := []*method{stochastic, ending, average}
	if _, ok := m.(runtime.Exact); ok {
		all = append(all, &method{name: "without draws", sizes: []int{0}, settings: func(int) estimate.Settings {
			return estimate.Settings{Method: "exact"}
		}})
	}
	return all
}

// race runs all methods and returns their rows of the table.
func (p *posterior) race(ctx context.Context, folder string, seeds, most int) (string, error) {
	m, data, err := p.load(folder)
	if err != nil {
		return "", err
	}
	if err := estimate.Load(m, data, p.components); err != nil {
		return "", err
	}
	rows, _, _ := m.Counts()
	all := methods(m, most)
	var from []float64
	// The sample average and the exact bound end near the best, and tell when steps may end.
	slices.Reverse(all)
	best := math.Inf(-1)
	for _, way := range all {
		for seed := range uint64(seeds) {
			var runs []run
			for _, size := range way.sizes {
				r, err := p.timed(ctx, m, way.settings(size), seed)
				if err != nil {
					return "", err
				}
				if r.size = size; from == nil {
					from = r.z
				}
				if r.rise, err = runtime.Rise(m, from, r.z, judgeDraws, 5); err != nil {
					return "", err
				}
				runs, best = append(runs, r), max(best, r.rise.Mean)
				if best-r.rise.Mean < nearness[len(nearness)-1]/4 {
					break
				}
			}
			way.runs = append(way.runs, runs)
		}
	}
	slices.Reverse(all)
	var b strings.Builder
	for _, way := range all {
		fmt.Fprintf(&b, "| %s | %d | %d | %s |%s\n", p.problem, m.Info().Variable.Len(m), rows, way.name, way.row(best))
	}
	return b.String(), nil
}

// timed runs with one seed, several times, which all come to the same end.
func (p *posterior) timed(ctx context.Context, m runtime.Variational, s estimate.Settings, seed uint64) (run, error) {
	r, err := p.once(ctx, m, s, seed)
	for i := 1; i < repeats && err == nil; i++ {
		var again run
		again, err = p.once(ctx, m, s, seed)
		r.time = min(r.time, again.time)
	}
	return r, err
}

// once runs with one seed.
func (p *posterior) once(ctx context.Context, m runtime.Variational, s estimate.Settings, seed uint64) (run, error) {
	s.Seed, s.Variational.EvalDraws, s.Components = seed, reportDraws, p.components
	a, err := estimate.Approximate(ctx, m, &s)
	switch {
	case ctx.Err() != nil:
		return run{}, ctx.Err()
	case a == nil:
		return run{}, cmp.Or(err, errors.New("there is no approximation"))
	}
	r := run{time: time.Duration(a.Seconds * float64(time.Second))}
	for _, x := range a.Coordinates {
		r.z = append(r.z, float64(x))
	}
	return r, nil
}

// row has the times to come near, and how far the last run of every seed is below the best.
func (way *method) row(best float64) string {
	var b strings.Builder
	for _, near := range nearness {
		b.WriteString(" " + way.to(best-near) + " |")
	}
	var below, noise []float64
	for _, runs := range way.runs {
		last := runs[len(runs)-1]
		below, noise = append(below, best-last.rise.Mean), append(noise, last.rise.StandardError)
	}
	fmt.Fprintf(&b, " %.4f ± %.1g |", slices.Max(below), 2*slices.Max(noise))
	return b.String()
}

// to is the median over the seeds of the time of the shortest run whose end is as high as that.
func (way *method) to(bound float64) string {
	var times []time.Duration
	var sizes []int
	for _, runs := range way.runs {
		for _, r := range runs {
			if r.rise.Mean >= bound {
				times, sizes = append(times, r.time), append(sizes, r.size)
				break
			}
		}
	}
	n := len(way.runs)
	if len(times) <= n/2 {
		return fmt.Sprintf("%d of %d", len(times), n)
	}
	slices.Sort(times)
	slices.Sort(sizes)
	text := fmt.Sprintf("%.3g ms", times[n/2].Seconds()*1e3)
	if sizes[n/2] > 0 {
		text += fmt.Sprintf(", %d %s", sizes[n/2], way.unit)
	}
	if len(times) < n {
		text += fmt.Sprintf(" (%d of %d)", len(times), n)
	}
	return text
}
