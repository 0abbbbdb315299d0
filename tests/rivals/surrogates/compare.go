package main

import (
	"context"
	"encoding/csv"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/sngdgen/sngdgen/gen/fit"
	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/estimate"
)

const (
	// badStarts is how many random starts there are. Their predictors are of size 2 (of times and of errors five standard deviations).
	badStarts = 10
	// near is how far below the maximum a log-likelihood is that has reached it: of no consequence for an estimate.
	near = 1e-6
	// mostEvaluations is a limit of every run.
	mostEvaluations = 600
	// timing is for how long a run is repeated.
	timing = 200 * time.Millisecond
)

// way is a way to fit: a problem of the spec, and a method.
type way struct {
	name, problem string
	method        runtime.Method
	canonical     bool // with Poisson and logistic regression for surrogates, in the place of the damped ones
}

var ways = []way{
	{"surrogate", "surrogate", runtime.NaturalLBFGS{}, false},
	{"surrogate, SNGD", "surrogate", runtime.SNGD{}, false},
	{"not damped", "surrogate", runtime.NaturalLBFGS{}, true},
	{"data metric", "metric", runtime.NaturalLBFGS{}, false},
	{"no metric", "plain", runtime.NaturalLBFGS{}, false},
}

// text is the spec for a way.
func (w *way) text(spec string) string {
	if w.canonical {
		return strings.ReplaceAll(spec, "damped_", "")
	}
	return spec
}

// course is how a run came to the maximum.
type course struct {
	losses      []float64
	evaluations []int
	seconds     []float64
}

// reached is the first iteration with a log-likelihood near the best, -1 where there is none.
func (c *course) reached(best, n float64) int {
	return slices.IndexFunc(c.losses, func(loss float64) bool { return -loss*n >= best-near })
}

// outcome is what came of a case, with a result for each way.
type outcome struct {
	name, spec, rival string
	theirs            *answer
	n                 float64
	best, usual       float64 // log-likelihoods: of all runs, and of those from the usual start
	results           []*result
}

// result is what came of one way: the course from the usual start, and those from bad ones.
type result struct {
	way
	good *course
	bad  []*course
}

// compare fits a case in every way.
func (o *options) compare(ctx context.Context, e *outcome) error {
	data, text, err := o.read(e)
	if err != nil {
		return err
	}
	e.best, e.usual = math.Inf(-1), math.Inf(-1)
	for _, w := range ways {
		p, _, err := fit.Open(ctx, fit.Source{Name: e.spec + ".yaml", Text: w.text(text), Problem: e.spec + w.problem})
		if err != nil {
			return err
		}
		m := p.Model()
		if err := estimate.Load(m, data, 0); err != nil {
			return err
		}
		_, _, e.n = m.Counts()
		r := &result{way: w}
		for i := range badStarts + 1 {
			c := e.run(ctx, m, w.method, i)
			if i == 0 {
				r.good = c
			} else {
				r.bad = append(r.bad, c)
			}
		}
		e.results = append(e.results, r)
	}
	return nil
}

// run goes from a start, the usual one several times: the least time counts.
func (e *outcome) run(ctx context.Context, m runtime.Model, method runtime.Method, start int) *course {
	out := &course{}
	var best time.Duration
	for begun := time.Now(); ; {
		blocks := m.Blocks()
		last := blocks[len(blocks)-1]
		z := make([]float64, last.Offset+last.Len)
		c := &course{}
		if err := m.Start(z, start, rand.New(rand.NewPCG(1, uint64(start)))); err != nil {
			return c
		}
		record := func(it *runtime.Iteration) error {
			c.losses, c.evaluations = append(c.losses, it.Loss), append(c.evaluations, it.Evaluations)
			c.seconds = append(c.seconds, it.Elapsed.Seconds())
			l := -it.Loss * e.n
			if e.best = max(e.best, l); start == 0 {
				e.usual = max(e.usual, l)
			}
			return nil
		}
		began := time.Now()
		_, _ = runtime.Minimize(ctx, m, z, &runtime.Settings{Method: method, MaxEvaluations: mostEvaluations, Recorder: runtime.RecorderFunc(record)})
		if took := time.Since(began); best == 0 || took < best {
			out, best = c, took
		}
		if start > 0 || time.Since(begun) > timing {
			return out
		}
	}
}

// read is the data of a case, and its spec with the numbers of columns.
func (o *options) read(e *outcome) (runtime.Data, string, error) {
	text, err := os.ReadFile(o.path("specs/" + e.spec + ".yaml"))
	if err != nil {
		return runtime.Data{}, "", err
	}
	file, err := os.Open(o.design(e.name))
	if err != nil {
		return runtime.Data{}, "", err
	}
	defer file.Close()
	rows, err := csv.NewReader(file).ReadAll()
	if err != nil {
		return runtime.Data{}, "", err
	}
	data := runtime.Data{Columns: len(rows[0])}
	for _, row := range rows[1:] {
		for _, cell := range row {
			x, err := strconv.ParseFloat(cell, 64)
			if err != nil {
				return data, "", fmt.Errorf("%s: %w", o.design(e.name), err)
			}
			data.Values = append(data.Values, x)
		}
	}
	count := func(prefix string) string {
		n := 0
		for _, name := range rows[0] {
			if strings.HasPrefix(name, prefix) {
				n++
			}
		}
		return strconv.Itoa(n)
	}
	return data, sized(string(text), count("x"), count("z")), nil
}

// sized pins the lengths of two predictors, which no data tell apart.
func sized(spec, p, q string) string {
	return strings.ReplaceAll(spec, "dimensions: {p: 3, q: 2}", "dimensions: {p: "+p+", q: "+q+"}")
}
