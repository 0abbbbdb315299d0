package main

import (
	"context"
	"fmt"
	"math"
	"strings"

	"github.com/sngdgen/sngdgen/runtime"
)

// boundaries are parts of the way to the boundary of the domain. The first is the default, the second was it before.
var boundaries = []struct {
	name string
	part runtime.Schedule
}{
	{"falling", nil}, {"0.5", runtime.Constant{Step: 0.5}}, {"0.7", runtime.Constant{Step: 0.7}}, {"0.9", runtime.Constant{Step: 0.9}},
	{"0.99", runtime.Constant{Step: 0.99}}, {"1", runtime.Constant{Step: 1}},
}

// checkpoints are numbers of steps after which bounds are compared.
var checkpoints = []int{10, 100, 300}

// schedules are lengths of steps.
var schedules = []struct {
	name string
	runtime.Schedule
}{
	{"0.03", runtime.Constant{Step: 0.03}}, {"0.1, decreasing", runtime.Decay{First: 0.1}}, {"0.3", runtime.Constant{Step: 0.3}},
}

// course is what became of the runs of one setting.
type course struct {
	bounds          []float64 // at the checkpoints, the mean over the seeds
	halvings, skips int
	failures        int
}

// follow runs a setting with all seeds. Bounds are of the last point, by draws that are the same for all.
func (e *experiment) follow(ctx context.Context, p *posterior, set runtime.Stochastic) (course, error) {
	c := course{bounds: make([]float64, len(checkpoints))}
	m, err := p.load()
	if err != nil {
		return c, err
	}
	if err := m.SetDraws(20 * parts(m)); err != nil {
		return c, err
	}
	judge := m.Clone().(runtime.Variational)
	for seed := range uint64(e.seeds) {
		z, err := start(m, seed)
		if err != nil {
			return c, err
		}
		set.Seed, set.MaxSteps, set.SkipLoss, set.Every = seed, checkpoints[len(checkpoints)-1], true, 1
		next := 0
		set.Recorder = runtime.RecorderFunc(func(it *runtime.Iteration) error {
			if it.Index > 0 && it.Step == 0 {
				c.skips++
			}
			if next < len(checkpoints) && it.Index == checkpoints[next] {
				bound, err := runtime.ELBO(judge, it.Z, 1000, 11)
				if err != nil {
					return err
				}
				c.bounds[next] += bound.Mean / float64(e.seeds)
				next++
			}
			return nil
		})
		res, err := runtime.Descend(ctx, m, z, &set)
		if ctx.Err() != nil {
			return c, err
		}
		if err != nil {
			c.failures++
			for ; next < len(checkpoints); next++ {
				c.bounds[next] = math.NaN()
			}
			continue
		}
		c.halvings += res.Halvings
	}
	return c, nil
}

// boundary is the table of how far steps may go: the negative bounds, less is better, and how often steps were halved or left out.
func (e *experiment) boundary(ctx context.Context) (string, error) {
	var b strings.Builder
	b.WriteString("| posterior | draws | step |")
	for _, n := range checkpoints {
		for _, part := range boundaries {
			fmt.Fprintf(&b, " %d steps, %s |", n, part.name)
		}
	}
	for _, part := range boundaries {
		fmt.Fprintf(&b, " halved, %s |", part.name)
	}
	b.WriteString("\n|" + strings.Repeat(" --- |", 3) + strings.Repeat(" ---: |", len(boundaries)*(len(checkpoints)+1)) + "\n")
	all, err := e.posteriors()
	if err != nil {
		return "", err
	}
	for i := range all {
		p := &all[i]
		if p.name == "stand-in of 300" {
			continue
		}
		for _, drawing := range []runtime.Drawing{runtime.Independent, runtime.Automatic} {
			for _, s := range schedules {
				row, err := e.rules(ctx, p, drawing, s.Schedule)
				if err != nil {
					return "", fmt.Errorf("%s: %w", p.name, err)
				}
				fmt.Fprintf(&b, "| %s | %v | %s |%s\n", p.name, drawing, s.name, row)
				fmt.Fprintf(e.progress, "%s, %v, steps of %s:%s\n", p.name, drawing, s.name, row)
			}
		}
	}
	return b.String(), nil
}

// rules is the row of a setting.
func (e *experiment) rules(ctx context.Context, p *posterior, drawing runtime.Drawing, s runtime.Schedule) (string, error) {
	var courses []course
	for _, part := range boundaries {
		c, err := e.follow(ctx, p, runtime.Stochastic{Step: s, Drawing: drawing, ToBoundary: part.part})
		if err != nil {
			return "", err
		}
		courses = append(courses, c)
	}
	row := ""
	for i := range checkpoints {
		for _, c := range courses {
			row += fmt.Sprintf(" %.6g |", -c.bounds[i])
		}
	}
	for _, c := range courses {
		row += fmt.Sprintf(" %d", c.halvings)
		if c.skips > 0 {
			row += fmt.Sprintf(", %d left out", c.skips)
		}
		if c.failures > 0 {
			row += fmt.Sprintf(", %d failed", c.failures)
		}
		row += " |"
	}
	return row, nil
}
