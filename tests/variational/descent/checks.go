package main

import (
	"context"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/sngdgen/sngdgen/generated"
	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/estimate"
	"github.com/sngdgen/sngdgen/runtime/special"
	"github.com/sngdgen/sngdgen/tests/paper/clock"
)

// batched are the settings of the table of checks: logistic regressions of many rows.
var batched = []struct{ rows, d, batch int }{
	{10_000, 20, 256}, {100_000, 20, 256}, {100_000, 5, 256}, {100_000, 20, 2048},
}

// checks is the table of what it takes to know that a run on batches has converged.
func (e *experiment) checks(ctx context.Context) (string, error) {
	var b strings.Builder
	b.WriteString("| rows | d | batch | steps | steps alone | checks | checks by steps | of the whole fit | status | bound | " +
		"error |\n|" + strings.Repeat(" ---: |", 8) + " --- |" + strings.Repeat(" ---: |", 2) + "\n")
	for _, s := range batched {
		lookup, ok := generated.Lookup("logistic")
		if !ok {
			return "", fmt.Errorf("the library has no logistic")
		}
		m := lookup().(runtime.Variational)
		if err := m.SetData(manyRows(s.rows, s.d)); err != nil {
			return "", err
		}
		row, err := e.share(ctx, m, s.batch)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&b, "| %d | %d | %d |%s\n", s.rows, s.d, s.batch, row)
		fmt.Fprintf(e.progress, "%v:%s\n", s, row)
	}
	return b.String(), nil
}

// share compares the time of a run that ends by itself with that of its steps alone.
func (e *experiment) share(ctx context.Context, m runtime.Variational, batch int) (string, error) {
	z, err := start(m, 1)
	if err != nil {
		return "", err
	}
	set := runtime.Stochastic{Batch: batch, Average: 0.5, Patience: 3, SkipLoss: true, Auxiliary: runtime.Adam{}}
	run := func(set runtime.Stochastic) (*runtime.Result, time.Duration, error) {
		began := clock.Now()
		res, err := runtime.Descend(ctx, m, z, &set)
		return res, clock.Now() - began, err
	}
	with, all, err := run(set)
	if err != nil {
		return "", err
	}
	set.Patience, set.MaxSteps = 0, with.Iterations
	_, alone, err := run(set)
	if err != nil {
		return "", err
	}
	began := clock.Now()
	a, err := estimate.Approximate(ctx, m, &estimate.Settings{Stochastic: estimate.Stochastic{Batch: batch}})
	if a == nil {
		return "", err
	}
	whole := clock.Now() - began
	return fmt.Sprintf(" %d | %v | %v | %.2f | %v | %v | %.2f | %.2f |", with.Iterations, rounded(alone), rounded(all-alone),
		(all-alone).Seconds()/alone.Seconds(), rounded(whole), with.Status, a.ELBO.Mean, a.ELBO.StandardError), nil
}

func rounded(t time.Duration) time.Duration { return t.Round(time.Millisecond) }

// manyRows are data of a logistic regression whose linear predictors have variance 1.
func manyRows(n, d int) runtime.Data {
	rng := runtime.Stream(2, "rows")
	beta := make([]float64, d)
	for j := range beta {
		beta[j] = rng.NormFloat64() / math.Sqrt(float64(d))
	}
	data := runtime.Data{Columns: d + 1}
	for range n {
		t, y := 0.0, 0.0
		for j := range d {
			x := rng.NormFloat64()
			data.Values = append(data.Values, x)
			t += x * beta[j]
		}
		if rng.Float64() < special.Sigmoid(t) {
			y = 1
		}
		data.Values = append(data.Values, y)
	}
	return data
}
