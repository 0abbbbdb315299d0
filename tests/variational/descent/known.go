package main

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sngdgen/sngdgen/gen"
	"github.com/sngdgen/sngdgen/gen/engine"
	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/estimate"
	"github.com/sngdgen/sngdgen/spec"
	"github.com/sngdgen/sngdgen/tests/variational/datasets"
)

// partly are the posteriors of the rivals of whose log joint density some terms have known expectations.
var partly = []string{"hierarchical", "horseshoe", "itemresponse", "logistic", "network", "ordinal", "robust"}

// knownDraws are the numbers of draws of a gradient.
var knownDraws = []int{2, 20}

// known is the table of what it is worth to take the expectations of some terms and to estimate the others alone.
func (e *experiment) known(ctx context.Context) (string, error) {
	var b strings.Builder
	b.WriteString("| posterior | latent | draws | at | variance, all estimated | some known | ratio | bound after 100 steps, all | some known |" +
		" 1,000 steps, all | some known |\n| --- | ---: | ---: | --- |" + strings.Repeat(" ---: |", 7) + "\n")
	for _, name := range partly {
		if e.only != "" && !names(e.only, name) {
			continue
		}
		pair, err := e.pair(ctx, name)
		if err != nil {
			return "", fmt.Errorf("%s: %w", name, err)
		}
		if err := e.knownRows(ctx, &b, name, pair); err != nil {
			return "", fmt.Errorf("%s: %w", name, err)
		}
	}
	return b.String(), nil
}

// pair is a posterior twice: with all terms estimated, and with the expectations that are known.
func (e *experiment) pair(ctx context.Context, name string) (pair [2]runtime.Variational, err error) {
	file := filepath.Join(e.specs, name+".yaml")
	loaded, diags := spec.LoadFile(file)
	if diags.HasErrors() {
		return pair, fmt.Errorf("%v", diags)
	}
	p := loaded.Problems[0]
	data, err := datasets.Read(filepath.Join(e.rivals, name+".csv"))
	if err != nil {
		return pair, err
	}
	for i, all := range []bool{true, false} {
		create, diags, err := engine.Interpreted(ctx, p, gen.Options{EstimateAll: all})
		if err != nil || diags.HasErrors() {
			return pair, fmt.Errorf("%w%v", err, diags)
		}
		pair[i] = create().(runtime.Variational)
		if err := estimate.Load(pair[i], data, 0); err != nil {
			return pair, err
		}
	}
	return pair, nil
}

// knownRows are the lines of a posterior.
func (e *experiment) knownRows(ctx context.Context, b *strings.Builder, name string, pair [2]runtime.Variational) error {
	first, err := start(pair[1], 1)
	if err != nil {
		return err
	}
	last, err := end(ctx, pair[1], first, 2000)
	if err != nil {
		return err
	}
	for _, draws := range knownDraws {
		bounds, err := e.bounds(ctx, pair, first, draws)
		if err != nil {
			return err
		}
		for i, z := range [][]float64{first, last} {
			var x [2]noise
			for k, m := range pair {
				if err := m.SetDraws(draws); err != nil {
					return err
				}
				x[k] = measure(m, z, ways[0], e.replicates)
			}
			fmt.Fprintf(b, "| %s | %d | %d | %s | %.3g | %.3g | %.3f | %s |\n", name, normals(pair[1]), draws, []string{"start", "end"}[i], x[0].variance,
				x[1].variance, x[1].variance/x[0].variance, []string{strings.Join(bounds, " | "), "| | "}[i])
			fmt.Fprintf(e.progress, "%s, %d draws\n", name, draws)
		}
	}
	return nil
}

// bounds are the means over the seeds of the bounds where runs of given lengths end, of independent draws.
func (e *experiment) bounds(ctx context.Context, pair [2]runtime.Variational, first []float64, draws int) (out []string, err error) {
	for _, steps := range []int{100, 1000} {
		for _, m := range pair {
			var bounds []float64
			for seed := range e.seeds {
				if err := m.SetDraws(draws); err != nil {
					return nil, err
				}
				res, err := runtime.Descend(ctx, m, first, &runtime.Stochastic{MaxSteps: steps, Average: 0.5, SkipLoss: true, Seed: uint64(seed + 1),
					Drawing: runtime.Independent})
				if err != nil {
					return nil, err
				}
				bound, err := runtime.ELBO(m, res.Z, 20000, 9)
				if err != nil {
					return nil, err
				}
				bounds = append(bounds, bound.Mean)
			}
			slices.Sort(bounds)
			out = append(out, fmt.Sprintf("%.3f", bounds[len(bounds)/2]))
		}
	}
	return out, nil
}
