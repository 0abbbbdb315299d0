package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/estimate"
	"github.com/sngdgen/sngdgen/tests/paper/clock"
	"github.com/sngdgen/sngdgen/tests/paper/grid"
	"github.com/sngdgen/sngdgen/tests/paper/internal/posteriors"
)

const (
	defaultSeeds = 3
	// The report of a fit is part of its time, and made with few draws.
	defaultReport = 100
)

// byDefault writes the table of what Approximate makes of the posteriors of the races, beside the methods as they were published.
func (c *choice) byDefault(ctx context.Context, log func(string)) (string, error) {
	var b strings.Builder
	b.WriteString("\n## The default of fit\n\nWhat `estimate.Approximate` does on the same posteriors without settings, by the draws of the races, " +
		fmt.Sprintf("%d seeds: it\nchooses its draws and its end by itself.\n\n", min(defaultSeeds, c.Seeds)) +
		"| data | posterior | negative bound | s | ends |\n| --- | --- | --- | --- | --- |\n")
	for _, s := range c.sources() {
		data, err := s.data()
		if err != nil {
			return "", err
		}
		for _, t := range posteriors.Tasks {
			row, err := c.defaultRow(ctx, t, data)
			if err != nil {
				return "", fmt.Errorf("%s, %s: %w", s.name, t.Name, err)
			}
			row = fmt.Sprintf("| %s | %s |%s\n", s.title, strings.ToLower(t.Title), row)
			log(row)
			b.WriteString(row)
		}
	}
	return b.String(), nil
}

// defaultRow is the row of a posterior.
func (c *choice) defaultRow(ctx context.Context, t posteriors.Task, data runtime.Data) (string, error) {
	var losses []float64
	seconds, ends := 0.0, map[string]int{}
	n := min(defaultSeeds, c.Seeds)
	for seed := range uint64(n) {
		m, err := posteriors.Load(cmp.Or(t.Default, t.Problem), data, t.Components)
		if err != nil {
			return "", err
		}
		judge := m.Clone().(runtime.Variational)
		if err := judge.SetDraws(c.Eval); err != nil {
			return "", err
		}
		began := clock.Now()
		a, err := estimate.Approximate(ctx, m, &estimate.Settings{Seed: seed, Components: t.Components,
			Variational: estimate.Variational{EvalDraws: defaultReport}})
		seconds += (clock.Now() - began).Seconds() / float64(n)
		if ctx.Err() != nil || a == nil {
			return "", cmp.Or(ctx.Err(), err, errors.New("there is no approximation"))
		}
		z := make([]float64, grid.Dimension(m))
		for i, x := range a.Coordinates {
			z[i] = float64(x)
		}
		losses = append(losses, judge.Loss(z))
		ends[a.Status.String()]++
	}
	mean, square := 0.0, 0.0
	for _, l := range losses {
		mean += l / float64(n)
	}
	for _, l := range losses {
		square += (l - mean) * (l - mean)
	}
	var words []string
	for _, status := range slices.Sorted(maps.Keys(ends)) {
		words = append(words, fmt.Sprintf("%s %d", status, ends[status]))
	}
	return fmt.Sprintf(" %.3f ± %.3f | %.3g | %s |", mean, 2*math.Sqrt(square/float64(n*max(n-1, 1))), seconds, strings.Join(words, ", ")), nil
}
