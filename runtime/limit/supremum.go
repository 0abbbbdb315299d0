// Package limit finds the supremum of a likelihood where parameters leave their domain: to infinity, as the slope
// of a factor that grows until it is a step, or to its boundary. A likelihood without a maximum has its supremum there, and one
// with a maximum should not be said to have none: so both numbers are needed.
package limit

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/baseline"
)

// Settings of Supremum. The zero value is good.
type Settings struct {
	Seed     uint64 // of random starts
	Searches int    // the largest number of searches; 0 means 100
	// Evaluations is how many evaluations of the objective the random starts may take; one search may take more. 0 means 2000, or as many as
	// go through 50 million numbers of the data, whichever is more; a tenth of that, or as many as go through 20 million, where there is something to beat.
	Evaluations int
	// Beat is the loss of a maximum, or of a point on the way to infinity, where the question is whether the limit is better. Searches end where they
	// would not come to it within a thousand steps at their pace, once there have been more than Patience evaluations; 0 means as many as go through 5
	// million numbers of the data. Nil has all searches go on to their ends, unless they crawl.
	Beat     *float64
	Patience int
	// Near are parameters of the target, in the order and layout of Theta, such as those of the loss to beat: the first search begins at the limit that
	// they are near to, where the model says which that is (runtime.Limit.From). It may be nil.
	Near []float64
	// Finish is whether the best search goes on to its end where it was given up, as where somebody asks what the supremum is: unless the data are so many that its steps would
	// go through more than 50 million numbers.
	Finish bool
	// Sample returns a sample of so many times the rows of the smallest one, nil where those would be too many. Samples of growing size are searched first, where there is
	// something to beat, as patiently as all rows would be. Where the best search of one is given up far from the maximum, all rows are not searched. It may be nil.
	Sample func(times int) *Sample
	beaten bool // whether a search may end where it beats the loss, as no more is asked
}

// Sample is a model with a sample of the rows.
type Sample struct {
	Model runtime.Model
	Rows  int     // how many rows they are
	Beat  float64 // the loss of the maximum of all rows on them
}

// Result is what Supremum has found.
type Result struct {
	Loss       float64   // the mean negative log-likelihood of the limit: the infimum of that of the target on the way there
	Parameters []float64 // of the limit, in the order and layout of its Parameters
	Searches   int       // from different starts
	Optima     int       // local optima among their ends
	Times      int       // how often the best one was found
	// Unseen is an estimate of the share of starting points that lead to optima not seen, under a uniform prior: with w
	// optima from n searches w(w+1)/(n(n-1)) (Boender and Rinnooy Kan, Bayesian stopping rules for multistart global
	// optimization methods, Math. Program. 37, 1987).
	Unseen      float64
	Evaluations int // of the objective with its gradient
	// Abandoned is true where the best search ended before it came to a point from which nothing descends: Settings.Beat was out of its reach, with all
	// rows or with those of the sample, or it crawled, as it does where the limit has its own supremum at infinity. The infimum is below Loss then.
	Abandoned bool
}

// ErrUndefined is the error where a limit is not defined on the data at any start: data that lie in a plane have no
// covariance matrix, for example.
var ErrUndefined = errors.New("the limit is not defined on these data")

const defaultSearches = 100

// resolved are the settings on a data set.
func (s *Settings) resolved(m runtime.Model) Settings {
	out := Settings{}
	if s != nil {
		out = *s
	}
	numbers := numbersOf(m)
	if out.Searches == 0 {
		out.Searches = defaultSearches
	}
	if out.Evaluations == 0 {
		if out.Evaluations = max(2000, 50_000_000/numbers); out.Beat != nil {
			out.Evaluations = max(200, 20_000_000/numbers)
		}
	}
	if out.Patience == 0 {
		out.Patience = 5_000_000 / numbers
	}
	return out
}

// The searches end when the estimated share of unseen optima is mostUnseen, or the best optimum has been found mostTimes: one
// that is better and attracts as many starts would have been missed with a probability of 2^-mostTimes.
const (
	mostUnseen = 0.01
	mostTimes  = 10
)

// Supremum minimises the mean negative log-likelihood of a limit, an index into Info().Limits, from all its starts: those
// that are formulas of the data, then random ones, until a better optimum is unlikely. The model must have
// data; its workspace is used. The same seed gives the same result.
//
// The likelihood of the target comes as close to the supremum as one likes along LimitPath at Result.Parameters, and does not
// reach it there. The error is that of the context, or ErrUndefined, or says that there is no such limit.
func Supremum(ctx context.Context, m runtime.Model, limit int, settings *Settings) (*Result, error) {
	s := settings.resolved(m)
	if s.Searches < 0 || s.Evaluations < 0 || s.Patience < 0 {
		return nil, fmt.Errorf("limit: %d searches, %d evaluations and a patience of %d", s.Searches, s.Evaluations, s.Patience)
	}
	for times := 1; s.Sample != nil && s.Beat != nil; times *= sampleGrowth {
		sample := s.Sample(times)
		if sample == nil {
			break
		}
		if found, err := outOfReach(ctx, m, limit, s, sample); found != nil || err != nil {
			return s.finish(ctx, m, limit, found, err)
		}
	}
	found, err := supremum(ctx, m, limit, s)
	return s.finish(ctx, m, limit, found, err)
}

// finish goes on from where the best search was given up, to its end.
func (s *Settings) finish(ctx context.Context, m runtime.Model, limit int, found *Result, err error) (*Result, error) {
	if err != nil || !found.Abandoned || !s.Finish || numbersOf(m)*fine.iterations > mostFinished {
		return found, err
	}
	chart, err := baseline.LimitChart(m, limit, baseline.CovarianceCholesky)
	if err != nil {
		return nil, err
	}
	search := newSearch(chart, newStarts(m, limit, chart, s.Seed, nil).scales())
	chart.FromTheta(search.trial, found.Parameters)
	f, err := search.polish(ctx, search.from(search.trial))
	if err != nil {
		return nil, err
	}
	found.Evaluations += search.evaluations
	if found.Abandoned = search.abandoned || math.IsNaN(f); f < found.Loss {
		found.Loss = f
		chart.Theta(found.Parameters, search.u)
	}
	return found, nil
}

// mostFinished is how many numbers of the data the steps of the search that is finished may go through.
const mostFinished = 50_000_000

// numbersOf is how many there are in the data.
func numbersOf(m runtime.Model) int {
	_, rows, _ := m.Counts()
	return max(1, rows*m.Info().Variable.Len(m))
}

// sampleGrowth is how many times the rows of a sample the next one has: searches of all of them together cost little more than those of the last.
const sampleGrowth = 4

// far is the difference in total log-likelihood by which the limit has to be below the maximum on a sample. Where two densities differ little, the
// variance of the difference over rows is twice its mean: this is seven standard errors, and two where it is ten times as large. The supremum on a sample is
// above that of the limit of all rows there, which is in favour of the limit.
const far = 100

// outOfReach searches a sample of the rows, and returns what it has found where that is abandoned far from the maximum, by the loss on all rows; nil
// where all rows have to be searched.
func outOfReach(ctx context.Context, m runtime.Model, limit int, s Settings, sample *Sample) (*Result, error) {
	part := s
	part.Beat, part.beaten = &sample.Beat, true
	found, err := supremum(ctx, sample.Model, limit, part)
	if err != nil {
		if errors.Is(err, ErrUndefined) { // on these rows
			err = nil
		}
		return nil, err
	}
	beyond := func(maximum float64) bool { return float64(sample.Rows)*(found.Loss-maximum) > far }
	if !found.Abandoned || !beyond(sample.Beat) {
		return nil, nil
	}
	chart, err := baseline.LimitChart(m, limit, baseline.CovarianceCholesky)
	if err != nil {
		return nil, err
	}
	u := make([]float64, chart.Dim())
	chart.FromTheta(u, found.Parameters)
	found.Evaluations++
	if found.Loss = chart.Loss(u); !beyond(*s.Beat) || math.IsInf(found.Loss, 1) {
		return nil, nil
	}
	return found, nil
}

// supremum is Supremum with settings that are filled in.
func supremum(ctx context.Context, m runtime.Model, limit int, s Settings) (*Result, error) {
	chart, err := baseline.LimitChart(m, limit, baseline.CovarianceCholesky)
	if err != nil {
		return nil, err
	}
	from := newStarts(m, limit, chart, s.Seed, s.Near)
	find := newSearch(chart, from.scales())
	if s.Beat != nil {
		find.beat, find.patience, find.beaten = *s.Beat, s.Patience, s.beaten
	}
	best := &Result{Loss: math.NaN(), Parameters: make([]float64, len(from.theta))}
	var ends []float64
	for i := from.first(); best.Searches < s.Searches && from.next(i); i++ {
		if i >= from.info.Starts && find.evaluations >= s.Evaluations {
			break
		}
		f := find.from(from.u)
		best.Searches++
		if math.IsNaN(f) {
			continue
		}
		if f, err = find.run(ctx, f, rough); err == nil && !find.abandoned && !(f > best.Loss+near*(1+math.Abs(f))) {
			f, err = find.polish(ctx, f)
		}
		if err != nil {
			return nil, err
		}
		ends = append(ends, f)
		if !(best.Loss <= f) {
			best.Loss, best.Abandoned = f, find.abandoned
			chart.Theta(best.Parameters, find.u)
		}
		best.Optima, best.Times = count(ends, best.Loss)
		if s.beaten && best.Loss < *s.Beat {
			break
		}
		if best.Unseen = unseen(best.Optima, len(ends)); i >= from.info.Starts && (best.Unseen < mostUnseen || best.Times >= mostTimes) {
			break
		}
	}
	best.Evaluations = find.evaluations
	if math.IsNaN(best.Loss) {
		return nil, ErrUndefined
	}
	return best, nil
}

// count counts the optima among the values where searches ended, and how often one of them was found.
func count(ends []float64, best float64) (optima, times int) {
	sorted := slices.Clone(ends)
	slices.Sort(sorted)
	for i, f := range sorted {
		if i == 0 || !same(sorted[i-1], f) {
			optima++
		}
		if same(best, f) {
			times++
		}
	}
	return optima, times
}

// near is the relative difference of values of a rough search that may be one.
const near = 1e-6

// same reports whether two searches have ended at values that are one.
func same(a, b float64) bool { return math.Abs(a-b) <= near*(1+math.Abs(a)) }

// unseen is the estimate of Result.Unseen.
func unseen(optima, searches int) float64 {
	w, n := float64(optima), float64(searches)
	if searches < 2 {
		return 1
	}
	return math.Min(1, w*(w+1)/(n*(n-1)))
}

// starts are the starting points of a limit, in the coordinates of its chart.
type starts struct {
	model    runtime.Limiting
	limit    int
	info     *runtime.Limit
	chart    runtime.Unconstrained
	seed     uint64
	rng      *rand.Rand
	near     []float64 // parameters of the target, nil where they say nothing
	theta, u []float64
}

func newStarts(m runtime.Model, limit int, chart runtime.Unconstrained, seed uint64, near []float64) *starts {
	info := &m.Info().Limits[limit]
	n := 0
	for i := range info.Parameters {
		n += info.Parameters[i].Len(m)
	}
	s := &starts{model: m.(runtime.Limiting), limit: limit, info: info, chart: chart, seed: seed,
		theta: make([]float64, n), u: make([]float64, chart.Dim())}
	if info.From {
		s.near = near
	}
	s.rewind()
	return s
}

// rewind makes the random starts come again.
func (s *starts) rewind() { s.rng = rand.New(rand.NewPCG(s.seed, 0x6c696d6974)) }

// first is the number of the first start: that which is near parameters of the target comes before all others.
func (s *starts) first() int {
	if s.near != nil {
		return -1
	}
	return 0
}

// next writes start i to u; false where there are no more.
func (s *starts) next(i int) bool {
	if i < 0 {
		s.model.LimitFrom(s.theta, s.near, s.limit)
	} else if err := s.model.LimitStart(s.theta, s.limit, i, s.rng); err != nil {
		return false
	}
	s.chart.FromTheta(s.u, s.theta)
	return true
}

// scales are the standard deviations of the coordinates among random starts, 1 where they do not vary: steps are measured in
// them, so that the units of the data make no difference.
func (s *starts) scales() []float64 {
	const draws = 20
	mean, squares, out := make([]float64, len(s.u)), make([]float64, len(s.u)), make([]float64, len(s.u))
	n := 0.0
	for range draws {
		if !s.info.RandomStart || !s.next(s.info.Starts) || slices.ContainsFunc(s.u, math.IsNaN) {
			continue
		}
		n++
		for j, v := range s.u {
			d := v - mean[j]
			mean[j] += d / n
			squares[j] += d * (v - mean[j])
		}
	}
	for j := range out {
		if out[j] = math.Sqrt(squares[j] / n); !(out[j] > 0) || math.IsInf(out[j], 0) {
			out[j] = 1
		}
	}
	s.rewind()
	return out
}
