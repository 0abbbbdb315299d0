package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/sngdgen/sngdgen/internal/table"
	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/tests/paper/grid"
	"github.com/sngdgen/sngdgen/tests/paper/internal/minibatch"
)

// The figures of maximum likelihood over minibatches.
var (
	adams        = []string{"SNGD", "Adam, covariance root", "Adam, precision root"}
	withOwn      = slices.Concat(adams, []string{"natural L-BFGS"})
	batchFigures = []figure{
		{name: "figure-2", title: "Figure 2: skew-normal and skew-t, MiniBooNE",
			claim: "SNGD needs significantly fewer iterations and less time than Adam in maximum likelihood for skew-normal " +
				"and skew-t distributions (n = 32,840, d = 43).",
			panels: 4, series: withOwn, make: batchFigure(false, miniboone, "skewnormal", "skewt")},
		{name: "figure-4", title: "Figure 4: skew-normal and skew-t, synthetic data",
			claim:  "SNGD significantly outperforms Adam also in d = 1,000 (n = 10,000).",
			panels: 4, series: withOwn, make: batchFigure(false, synthetic, "skewnormal", "skewt")},
	}
	batchFrontiers = []figure{
		{name: "figure-11", title: "Figure 11: Pareto frontiers, skew-normal, MiniBooNE", claim: frontierClaim,
			panels: 2, series: withOwn, make: batchFigure(true, miniboone, "skewnormal")},
		{name: "figure-12", title: "Figure 12: Pareto frontiers, skew-t, MiniBooNE", claim: frontierClaim,
			panels: 2, series: withOwn, make: batchFigure(true, miniboone, "skewt")},
		{name: "figure-13", title: "Figure 13: Pareto frontiers, skew-normal, synthetic data", claim: frontierClaim,
			panels: 2, series: withOwn, make: batchFigure(true, synthetic, "skewnormal")},
		{name: "figure-14", title: "Figure 14: Pareto frontiers, skew-t, synthetic data", claim: frontierClaim,
			panels: 2, series: withOwn, make: batchFigure(true, synthetic, "skewt")},
	}
)

const frontierClaim = "With the best of all settings at each place the picture is qualitatively that of the training curves: " +
	"SNGD is ahead in iterations and in time."

// source prepares an experiment; note says how its data differ from the paper's, and a nil experiment that there are none.
type source func(l *lab, t minibatch.Task) (e *minibatch.Experiment, title, note string, err error)

// batchFigure draws some tasks on a source of data.
func batchFigure(frontier bool, from source, tasks ...string) func(ctx context.Context, l *lab) (*found, error) {
	return func(ctx context.Context, l *lab) (*found, error) {
		var all []*contest
		var note, on string
		for _, name := range tasks {
			c, about, size, err := batchContest(ctx, l, from, name)
			if err != nil {
				return nil, err
			}
			if note, on = about, size; c != nil {
				all = append(all, c)
			}
		}
		if len(all) == 0 {
			return &found{missing: note}, nil
		}
		out := contestFigure(frontier, surrogate, all...)
		out.notes, out.on = append(out.notes, note), on
		return out, nil
	}
}

// batchContest runs a task on a source of data; nil where there are none.
func batchContest(ctx context.Context, l *lab, from source, task string) (c *contest, note, on string, err error) {
	t := minibatch.Tasks[slices.IndexFunc(minibatch.Tasks, func(t minibatch.Task) bool { return t.Name == task })]
	e, title, note, err := from(l, t)
	if err != nil || e == nil {
		return nil, note, "", err
	}
	rs, err := l.once(title, func() ([]grid.Result, error) { return batchRuns(ctx, l, e, t, title) })
	name := task + fmt.Sprint("-", e.D)
	on = fmt.Sprintf("at n = %d and d = %d", e.N, e.D)
	return &contest{name: name, title: title, loss: "held-out negative log-likelihood", rs: rs, checkpoints: &e.Checkpoints,
		truth: e.Truth}, note, on, err
}

// batchRuns runs the grid, and natural L-BFGS, on all seeds.
func batchRuns(ctx context.Context, l *lab, e *minibatch.Experiment, t minibatch.Task, title string) ([]grid.Result, error) {
	model, _ := minibatch.Models(t.Name)
	settings := append(e.Settings(), named("natural L-BFGS")...)
	for i := range settings {
		if settings[i].Method == minibatch.SNGD {
			settings[i].Method = "SNGD"
		}
	}
	return l.parallel(ctx, title, settings, e.Seeds, func(ctx context.Context, s grid.Setting, seed uint64) (grid.Run, error) {
		if s.Method == "natural L-BFGS" {
			short := *e
			short.Steps = []int{min(slices.Max(e.Steps), ownIterations)}
			r, _, err := short.NaturalLBFGS(ctx, model, seed)
			return r, err
		}
		return e.One(ctx, s, t.Above, seed)
	})
}

// ownIterations bounds runs over all rows.
const ownIterations = 100

// grids of settings.
func (l *lab) grids(c minibatch.Config) minibatch.Config {
	c.Clock, c.Seeds = now, l.seeds()
	c.SNGD, c.Auxiliary = sized(l, []float64{0.01, 0.03, 0.1, 0.3}, []float64{0.03, 0.1}), sized(l, []float64{0.003, 0.01, 0.1, 0.3}, []float64{0.03})
	c.Adam = sized(l, []float64{0.001, 0.003, 0.01, 0.03, 0.1, 0.3}, []float64{0.01, 0.03})
	return c
}

// heldPart of a file is not trained on, about as in the paper.
const heldPart = 0.1

// miniboone reads the file of the flag.
func miniboone(l *lab, t minibatch.Task) (*minibatch.Experiment, string, string, error) {
	if l.miniboone == "" {
		return nil, "", "The MiniBooNE data are not here: name a file with -miniboone. Nothing is claimed.", nil
	}
	data, err := table.ReadFile(l.miniboone, nil, table.Options{Several: true})
	if err != nil {
		return nil, "", "", err
	}
	d := len(data.Columns)
	values := shuffled(data.Values, d)
	n := len(values) / d
	held := min(int(heldPart*float64(n)), 3648)
	c := l.grids(minibatch.Config{D: d, N: n - held, Held: held, Batch: min(256, n-held),
		Checkpoints: grid.Checkpoints{Steps: []int{l.iterations(500, 40)}, Every: 10, Thin: 100}})
	model, _ := minibatch.Models(t.Name)
	e, err := minibatch.On(values, c, model)
	note := fmt.Sprintf("n = %d rows of the file to train on and %d held out, d = %d, minibatches of %d; the paper has 32,840 "+
		"and 3,648.", c.N, c.Held, d, c.Batch)
	return e, lowered(t.Title) + ", MiniBooNE", note, err
}

// shuffled are rows in random order, as those of files may be sorted.
func shuffled(values []float64, columns int) []float64 {
	out := make([]float64, 0, len(values))
	for _, i := range runtime.Stream(1, "rows").Perm(len(values) / columns) {
		out = append(out, values[i*columns:(i+1)*columns]...)
	}
	return out
}

// synthetic draws the paper's data.
func synthetic(l *lab, t minibatch.Task) (*minibatch.Experiment, string, string, error) {
	c := l.grids(minibatch.Config{D: cmp.Or(l.columns, sized(l, 100, 5)), N: sized(l, 10_000, 500), Held: sized(l, 500, 100), Batch: 100,
		Checkpoints: grid.Checkpoints{Steps: []int{l.iterations(500, 40)}, Every: 10, Thin: 100}})
	model, _ := minibatch.Models(t.Name)
	e, err := minibatch.Prepare(t, c, model, 1)
	note := fmt.Sprintf("n = %d, d = %d, minibatches of %d, %d rows held out; the paper has d = 1,000, which -d 1000 "+
		"does in hours.", c.N, c.D, c.Batch, c.Held)
	return e, fmt.Sprintf("%s, synthetic, d = %d", lowered(t.Title), c.D), note, err
}

func lowered(s string) string {
	if s == "t copula" || len(s) == 0 {
		return s
	}
	return string(s[0]|0x20) + s[1:]
}
