package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"slices"
	"strings"

	"github.com/sngdgen/sngdgen/internal/table"
	"github.com/sngdgen/sngdgen/tests/paper/grid"
)

// The experiment on admissions.
const (
	fivefold   = 5              // components, as in the paper
	bestKnown  = 7.522192146156 // mean negative log-likelihood, found by several programs
	sameLoss   = 1e-6           // ends count as the same when they differ by less
	manyStarts = 20
	longRun    = 10_000 // iterations
	gridRun    = 1000   // of those with 1,000 losses each
)

// admissions runs all methods from the same random starts.
func admissions(ctx context.Context, o *options, progress io.Writer) (string, error) {
	if _, err := os.Stat(o.data); errors.Is(err, fs.ErrNotExist) {
		return "The data are not here.\n", nil
	}
	data, err := table.ReadFile(o.data, nil, table.Options{})
	if err != nil {
		return "", err
	}
	chosen := methods
	if o.grid {
		chosen = slices.Insert(slices.Clone(methods), 1, onGrid)
	}
	rows, err := fromStarts(ctx, chosen, data.Values, o.number(manyStarts), progress)
	if err != nil {
		return "", err
	}
	whole, err := formula(ctx, data.Values)
	return endings(rows, bestKnown) + whole, err
}

// formula says where the default start leads, which is no random one: the moments of five equal slices of the sorted
// counts.
func formula(ctx context.Context, x []float64) (string, error) {
	f := methods[slices.IndexFunc(methods, func(f method) bool { return f.name == defaultMethod })]
	m, err := f.problem(x, fivefold)
	if err != nil {
		return "", err
	}
	z := make([]float64, grid.Dimension(m))
	if err := m.Start(z, 0, nil); err != nil {
		return "", err
	}
	r, err := f.race(ctx, m, z, longRun)
	if err != nil {
		return "", err
	}
	i := r.until(sameLoss)
	return fmt.Sprintf("\nFrom the default start, by %s: %.10f, to within 1e-6 after %d iterations, %d evaluations and %.3g ms.\n",
		f.name, r.last().loss, i, r.moments[i].evaluations, 1000*r.moments[i].seconds), nil
}

// row is a method with its runs, one for each start or seed.
type row struct {
	method
	races []*race
}

func fromStarts(ctx context.Context, chosen []method, x []float64, starts int, progress io.Writer) ([]row, error) {
	var rows []row
	for _, f := range chosen {
		limit := longRun
		if f.search == onGrid.search {
			limit = gridRun
		}
		out := row{method: f}
		for seed := range starts {
			r, err := f.from(ctx, x, fivefold, seed, limit)
			if err != nil {
				return nil, fmt.Errorf("%s, start %d: %w", f.title(), seed, err)
			}
			fmt.Fprintf(progress, "%s, start %d: %s\n", f.title(), seed, r)
			out.races = append(out.races, r)
		}
		rows = append(rows, out)
	}
	return rows, nil
}

// endings writes where the runs of each method end, and how soon they come within 1e-6 of that.
func endings(rows []row, best float64) string {
	var b strings.Builder
	fmt.Fprintf(&b, "| method | coordinates | line search | at %.10f | iterations | evaluations | ms | other ends |\n"+
		"|%s\n", best, strings.Repeat(" --- |", 8))
	for _, r := range rows {
		reached := 0
		var iterations, evaluations, times []float64
		for _, x := range r.races {
			if math.Abs(x.last().loss-best) <= sameLoss {
				reached++
			}
			i := x.until(sameLoss)
			iterations = append(iterations, float64(i))
			evaluations = append(evaluations, float64(x.moments[i].evaluations))
			times = append(times, 1000*x.moments[i].seconds)
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %d of %d | %s | %.0f | %.3g | %s |\n", r.name, r.coordinates, r.search,
			reached, len(r.races), spread(iterations), median(evaluations), median(times), r.others(best))
	}
	return b.String()
}

// spread writes the median, with the least and the greatest in brackets.
func spread(x []float64) string {
	return fmt.Sprintf("%g (%g to %g)", median(x), slices.Min(x), slices.Max(x))
}

// others lists the losses at which runs end that are not the best one, with how many end there. Those that are no optima
// are marked.
func (r *row) others(best float64) string {
	var ends []string
	counts := map[string]int{}
	races := slices.Clone(r.races)
	slices.SortFunc(races, func(a, b *race) int { return int(math.Copysign(1, a.last().loss-b.last().loss)) })
	for _, x := range races {
		if math.Abs(x.last().loss-best) <= sameLoss {
			continue
		}
		text := fmt.Sprintf("%.7f", x.last().loss)
		switch {
		case x.poisson():
			text = fmt.Sprintf("%.3f (Poisson)", x.last().loss)
		case x.fault != "":
			text += " (failed)"
		case !x.converged:
			text = fmt.Sprintf("%.3f (unfinished)", x.last().loss)
		}
		if counts[text]++; counts[text] == 1 {
			ends = append(ends, text)
		}
	}
	for i, text := range ends {
		if counts[text] > 1 {
			ends[i] = fmt.Sprintf("%s × %d", text, counts[text])
		}
	}
	return strings.Join(ends, ", ")
}

// poisson reports whether a component has gone to the edge of the model, where s is 1 and r infinite: the limit is a
// Poisson distribution.
func (r *race) poisson() bool {
	k := len(r.theta) / 3
	return slices.Max(r.theta[2*k:]) > 0.999
}
