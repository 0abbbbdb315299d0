package main

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"

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

// knownSteps are the lengths of runs, the longest last.
var knownSteps = []int{100, 1000}

// boundDraws are those by which the bound at the end of a run is measured.
const boundDraws = 5000

// known is the table of what it is worth to take the expectations of some terms and to estimate the others alone.
func (e *experiment) known(ctx context.Context) (string, error) {
	var b strings.Builder
	b.WriteString("| posterior | latent | draws | made | variance at the start, some known | after 10 steps | at the end | bound after 100 steps, all |" +
		" some known | higher by | 1,000 steps, all | some known | higher by |\n| --- | ---: | ---: | --- |" + strings.Repeat(" ---: |", 9) + "\n")
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
	points := [][]float64{first}
	for _, steps := range []int{10, 2000} {
		z, err := end(ctx, pair[0], first, steps)
		if err != nil {
			return err
		}
		points = append(points, z)
	}
	for _, draws := range knownDraws {
		for _, how := range []runtime.Drawing{runtime.Independent, runtime.Automatic} {
			fmt.Fprintf(b, "| %s | %d | %d | %s |", name, normals(pair[1]), draws, how)
			for _, z := range points {
				var x [2]noise
				for k, m := range pair {
					if err := m.SetDraws(draws); err != nil {
						return err
					}
					x[k] = measure(m, z, way{how.String(), how.Draw}, e.replicates)
				}
				fmt.Fprintf(b, " %.3f |", x[1].variance/x[0].variance)
			}
			bounds, err := e.bounds(ctx, pair, first, draws, how)
			if err != nil {
				return err
			}
			fmt.Fprintf(b, " %s |\n", strings.Join(bounds, " | "))
			fmt.Fprintf(e.progress, "%s, %d draws, %s: %s\n", name, draws, how, bounds)
		}
	}
	return nil
}

// bounds are those where runs of given lengths end: the middle of the seeds, of which short runs have as many more as they
// are shorter, and the mean difference of the two with the same seeds, with twice its standard error.
func (e *experiment) bounds(ctx context.Context, pair [2]runtime.Variational, first []float64, draws int, how runtime.Drawing) (out []string, err error) {
	for _, steps := range knownSteps {
		var ends [2][]float64
		for k, m := range pair {
			for seed := range e.seeds * knownSteps[len(knownSteps)-1] / steps {
				if err := m.SetDraws(draws); err != nil {
					return nil, err
				}
				res, err := runtime.Descend(ctx, m, first, &runtime.Stochastic{MaxSteps: steps, Average: 0.5, SkipLoss: true, Seed: uint64(seed + 1),
					Drawing: how})
				if err != nil {
					return nil, err
				}
				bound, err := runtime.ELBO(m, res.Z, boundDraws, 9)
				if err != nil {
					return nil, err
				}
				ends[k] = append(ends[k], bound.Mean)
			}
		}
		rises := make([]float64, len(ends[0]))
		for i := range rises {
			rises[i] = ends[1][i] - ends[0][i]
		}
		mean, sd := stat.MeanStdDev(rises, nil)
		out = append(out, middle(ends[0]), middle(ends[1]), fmt.Sprintf("%+.3f ± %.2g", mean, 2*sd/math.Sqrt(float64(len(rises)))))
	}
	return out, nil
}

// middle is the median.
func middle(of []float64) string {
	return fmt.Sprintf("%.3f", slices.Sorted(slices.Values(of))[len(of)/2])
}
