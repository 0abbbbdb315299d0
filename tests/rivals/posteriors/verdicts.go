package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
)

// waysToEnd are the methods that end by themselves, whose verdicts are claims.
const waysToEnd = "saa,sngd"

// verdict is what a fit says of its end.
type verdict struct {
	Status string `json:"status"`
	Steps  int    `json:"steps"`
	ELBO   struct {
		Mean   float64  `json:"mean"`
		Error  float64  `json:"standard_error"`
		KHat   *float64 `json:"k_hat"`
		Ratios string   `json:"importance_ratios"`
	} `json:"elbo"`
	fault string
}

// words counts words, the most frequent first.
func words(of []string) string {
	counts := map[string]int{}
	for _, w := range of {
		counts[w]++
	}
	names := make([]string, 0, len(counts))
	for w := range counts {
		names = append(names, w)
	}
	slices.SortFunc(names, func(a, b string) int {
		if counts[a] != counts[b] {
			return counts[b] - counts[a]
		}
		return strings.Compare(a, b)
	})
	for i, w := range names {
		names[i] = fmt.Sprintf("%s %d", w, counts[w])
	}
	return strings.Join(names, ", ")
}

// verdicts writes a table of what fits say with several seeds, and of how far the bound rises in runs of ten times as many steps,
// where they say that it has converged and took scheduled steps.
func (o *options) verdicts(ctx context.Context, out io.Writer, models []*answer, ways []string) error {
	fmt.Fprintf(out, verdictsHead, o.seeds)
	for _, a := range models {
		if err := o.compile(ctx, a.Model); err != nil {
			return err
		}
		for _, method := range ways {
			row, err := o.claims(ctx, a, method)
			if err != nil {
				return err
			}
			line := fmt.Sprintf("| %s | %d | %s | %s\n", a.Model, a.D, method, row)
			fmt.Fprint(out, line)
			fmt.Fprint(o.bench.Progress, line)
		}
	}
	return nil
}

const verdictsHead = `# Verdicts about posteriors

Made by ` + "`go run ./tests/rivals/posteriors -verdicts > tests/rivals/posteriors/VERDICTS.md`" + `: what ` + "`sngdgen fit SPEC DATA --method METHOD`" + `
says of %d seeds, and how often. Words about k-hat are those of ` + "`importance_ratios`" + ` in the report. *Below* is by how much the lowest of the bounds at ends that were said to be converged is below that of a
run of ten times as many steps with the same seed, of the first two seeds that converged, with twice the standard error of the
difference of two independent estimates.

| model | d | method | status | k-hat | steps | bounds | ten times as long: below |
| --- | ---: | --- | --- | --- | ---: | ---: | ---: |
`

// claims is the row of a model and a method.
func (o *options) claims(ctx context.Context, a *answer, method string) (string, error) {
	var status, kHats []string
	low, high, most := math.Inf(1), math.Inf(-1), 0
	below, off, longer := math.Inf(-1), 0.0, 0
	for seed := range o.seeds {
		v, err := o.claim(ctx, a, "--method="+method, "--seed="+strconv.Itoa(seed))
		if err != nil {
			return "", err
		}
		if v.fault != "" {
			status, kHats = append(status, v.fault), append(kHats, "none")
			continue
		}
		status, kHats = append(status, v.Status), append(kHats, v.ELBO.Ratios)
		low, high, most = min(low, v.ELBO.Mean), max(high, v.ELBO.Mean), max(most, v.Steps)
		if method != "sngd" || v.Status != "bound converged" || longer == 2 {
			continue
		}
		long, err := o.claim(ctx, a, "--method=sngd", "--seed="+strconv.Itoa(seed), "--steps="+strconv.Itoa(10*v.Steps))
		if err != nil {
			return "", err
		}
		if rise := long.ELBO.Mean - v.ELBO.Mean; long.fault == "" && rise > below {
			below, off = rise, 2*math.Hypot(long.ELBO.Error, v.ELBO.Error)
		}
		longer++
	}
	row := fmt.Sprintf("%s | %s | %d | %.3f to %.3f |", words(status), words(kHats), most, low, high)
	if longer == 0 {
		return row + " |", nil
	}
	return row + fmt.Sprintf(" %.3f ± %.3f |", below, off), nil
}

// claim is what one fit says.
func (o *options) claim(ctx context.Context, a *answer, flags ...string) (*verdict, error) {
	v := new(verdict)
	arguments := append([]string{specFile(o.folder, a.Model), dataFile(o.folder, a.Model)}, flags...)
	ended, err := o.bench.FitInto(ctx, v, arguments...)
	if err != nil {
		return nil, err
	}
	v.fault = ended.Fault
	return v, nil
}
