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

	"github.com/sngdgen/sngdgen/generated"
	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/estimate"
	"github.com/sngdgen/sngdgen/tests/paper/clock"
)

const (
	// Reports have so few draws that they take no time to speak of, which is taken off.
	reportDraws = 100
	// The bound of a normal approximation by so many nodes of quadrature is exact to all printed digits.
	nodes = 128
	// Others are compared by so many draws, the same for all.
	judgeDraws = 100_000
)

// outcome is what a fit came to.
type outcome struct {
	bound  float64
	time   time.Duration
	status runtime.Status
	draws  int
	z      []float64
}

// way is a way to fit, once where its length is given.
type way struct {
	name     string
	settings estimate.Settings
	steps    bool // whether its length is given
}

// ways are those to the normal approximation: with the least length of stochastic steps first.
func (e *experiment) ways() []way {
	var out []way
	for _, n := range e.steps {
		out = append(out, way{fmt.Sprintf("stochastic, %d steps", n), estimate.Settings{Method: "sngd", Stochastic: estimate.Stochastic{Steps: n}}, true})
	}
	for _, n := range []int{100, 200} {
		out = append(out, way{fmt.Sprintf("%d fixed draws", n), estimate.Settings{Method: "saa", Variational: estimate.Variational{Draws: n}}, false})
	}
	return append(out, way{"sample average", estimate.Settings{Method: "saa"}, false}, way{"without draws", estimate.Settings{Method: "exact"}, false})
}

// load is a problem of the library with data.
func load(problem string, data runtime.Data) (runtime.Variational, error) {
	lookup, ok := generated.Lookup(problem)
	if !ok {
		return nil, fmt.Errorf("the library has no %s", problem)
	}
	m, ok := lookup().(runtime.Variational)
	if !ok {
		return nil, fmt.Errorf("%s is no posterior", problem)
	}
	return m, estimate.Load(m, data, 0)
}

// normal runs all ways to the normal approximation, and returns their rows of the table and the best end.
func (e *experiment) normal(ctx context.Context, rows int, data runtime.Data) (string, *outcome, error) {
	m, err := load("logistic", data)
	if err != nil {
		return "", nil, err
	}
	exact, ok := m.(runtime.Exact)
	if !ok {
		return "", nil, errors.New("the bound is not known without draws")
	}
	exact.SetNodes(nodes)
	report, err := e.report(ctx, m)
	if err != nil {
		return "", nil, err
	}
	ways := e.ways()
	ends := make([][]outcome, len(ways)) // by seed
	for i, w := range ways {
		for seed := range uint64(e.seeds) {
			end, err := e.fit(ctx, m, w, seed, report)
			if err != nil {
				return "", nil, err
			}
			end.bound = -exact.ExactLoss(end.z)
			ends[i] = append(ends[i], end)
		}
		fmt.Fprintf(e.progress, "%d rows, %s: %.3f in %v\n", rows, w.name, median(ends[i], bound), median(ends[i], seconds))
	}
	var b strings.Builder
	for i, w := range ways {
		fmt.Fprintf(&b, "| %d | %s | %.4f | %.4f | %.3g ms | %s | %s |\n", rows, w.name, median(ends[i], bound),
			least(ends[i], bound), 1e3*median(ends[i], seconds), against(w, ends[i], ways, ends), ends[i][0].status)
	}
	return b.String(), &ends[len(ends)-1][0], nil
}

// report is the least time that a fit of one step takes.
func (e *experiment) report(ctx context.Context, m runtime.Variational) (least time.Duration, err error) {
	w := way{"", estimate.Settings{Method: "sngd", Stochastic: estimate.Stochastic{Steps: 1}}, true}
	least = math.MaxInt64
	for range e.repeats {
		end, err := e.fit(ctx, m, w, 0, 0)
		if err != nil {
			return 0, err
		}
		least = min(least, end.time)
	}
	return least, nil
}

// fit runs one way with one seed. The time of runs whose length is not given is the least of several.
func (e *experiment) fit(ctx context.Context, m runtime.Variational, w way, seed uint64, report time.Duration) (out outcome, err error) {
	out.time = math.MaxInt64
	repeats := e.repeats
	if w.steps || w.name == "" {
		repeats = 1
	}
	for range repeats {
		s := w.settings
		s.Seed, s.Variational.EvalDraws = seed, reportDraws
		began := clock.Now()
		a, err := estimate.Approximate(ctx, m, &s)
		took := clock.Now() - began
		if ctx.Err() != nil || a == nil {
			return out, cmp.Or(ctx.Err(), err, errors.New("there is no approximation"))
		}
		if took -= report; !w.steps {
			took = time.Duration(a.Seconds * float64(time.Second)) // too short for a difference
		}
		out.time, out.status, out.draws = min(out.time, max(0, took)), a.Status, a.Draws
		out.z = out.z[:0]
		for _, x := range a.Coordinates {
			out.z = append(out.z, float64(x))
		}
	}
	return out, nil
}

// against is how many times as long the shortest stochastic run takes that comes as high, as if its length had been known.
func against(w way, ends []outcome, ways []way, all [][]outcome) string {
	if w.steps {
		return "-"
	}
	longest := 0.0
	for i, other := range ways {
		if !other.steps {
			continue
		}
		longest = math.Max(longest, median(all[i], seconds)/median(ends, seconds))
		if median(all[i], bound) >= median(ends, bound) {
			return fmt.Sprintf("%.3g", median(all[i], seconds)/median(ends, seconds))
		}
	}
	return fmt.Sprintf("over %.3g", longest)
}

func bound(o outcome) float64   { return o.bound }
func seconds(o outcome) float64 { return o.time.Seconds() }

func median(of []outcome, value func(outcome) float64) float64 {
	var list []float64
	for _, o := range of {
		list = append(list, value(o))
	}
	slices.Sort(list)
	return list[len(list)/2]
}

func least(of []outcome, value func(outcome) float64) float64 {
	low := math.Inf(1)
	for _, o := range of {
		low = math.Min(low, value(o))
	}
	return low
}

// contains fits an approximation that contains the normal one, by its default, and says how far above that its bound ends.
func (e *experiment) contains(ctx context.Context, problem string, rows int, data runtime.Data, normal *outcome) (string, error) {
	m, err := load(problem, data)
	if err != nil {
		return "", err
	}
	var ends []outcome
	worst, noise := math.Inf(1), 0.0
	for seed := range uint64(e.seeds) {
		end, err := e.fit(ctx, m, way{settings: estimate.Settings{}}, seed, 0)
		if err != nil {
			return "", err
		}
		at, err := runtime.ELBO(m, end.z, judgeDraws, 11)
		if err != nil {
			return "", err
		}
		end.bound = at.Mean
		if rise := at.Mean - normal.bound; rise < worst {
			worst, noise = rise, at.StandardError
		}
		ends = append(ends, end)
	}
	fmt.Fprintf(e.progress, "%d rows, %s: %+.4f in %v\n", rows, problem, worst, median(ends, seconds))
	return fmt.Sprintf("| %d | %s | %.4f | %+.4f ± %.1g | %.3g s | %d | %s |\n", rows, m.Info().Target, median(ends, bound), worst, 2*noise,
		median(ends, seconds), ends[0].draws, ends[0].status), nil
}
