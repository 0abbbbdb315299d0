package estimate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"sync/atomic"

	goruntime "runtime"

	"gonum.org/v1/gonum/stat"

	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/types"
)

// ForecastSettings say what is wanted of the distribution of the variable in each row.
type ForecastSettings struct {
	// Levels are those of the quantiles, between 0 and 1.
	Levels []float64 `json:"levels,omitempty"`
	// Draws is how many values are drawn in each row: as the spec says in its sample, otherwise, of a number, by the quantiles of random levels.
	Draws int    `json:"draws,omitempty"`
	Seed  uint64 `json:"seed,omitempty"`
	// By is from how many draws means, standard deviations and quantiles are estimated where the variable is a vector; 0 means 10,000.
	By int `json:"by,omitempty"`
}

// Forecast describes the distribution of the variable in each row of what it is given; of a target that is given nothing there is one
// row.
type Forecast struct {
	Columns []string // of the numbers of the variable
	Rows    int
	Mean    []float64 // row by row; NaN where it does not exist
	SD      []float64 // standard deviation
	// Quantiles are the smallest values that are not exceeded with the probabilities of the settings: row by row, number by number, level by
	// level.
	Quantiles []float64
	Draws     []float64 // row by row, draw by draw
	// By is from how many draws these are estimated; 0 where they are integrals over the density, to about 8 digits.
	By int
}

// defaultBy is how many draws moments of vectors are estimated from.
const defaultBy = 10_000

// Predict describes the distribution of the variable under the target of m with parameters theta, as Fitted.On and Report.Theta have them,
// in rows of what it is given. Of a number it integrates the density, of a vector it draws. The error says in which row
// it has no density, or that the spec does not say how to draw.
func Predict(ctx context.Context, m runtime.Model, theta []float64, given runtime.Data, s *ForecastSettings) (*Forecast, error) {
	f, err := newForecaster(m, theta, given, s)
	if err != nil {
		return nil, err
	}
	first := f.alike()
	if err := f.eachRow(ctx, m, func(s *scorer, i int) error { return f.row(ctx, s, i, first[i] == i) }); err != nil {
		return nil, err
	}
	for i, of := range first {
		f.copyRow(i, of)
	}
	return f.out, nil
}

// eachRow calls a function for every row, on as many processors as there are, each with a scorer of its own.
func (f *forecaster) eachRow(ctx context.Context, m runtime.Model, do func(s *scorer, i int) error) error {
	errs := make([]error, f.out.Rows)
	var wg sync.WaitGroup
	var next atomic.Int64
	for range min(goruntime.GOMAXPROCS(0), f.out.Rows) {
		own, err := newScorer(m, f.theta)
		if err != nil {
			return err
		}
		wg.Go(func() {
			for i := int(next.Add(1)) - 1; i < f.out.Rows && ctx.Err() == nil; i = int(next.Add(1)) - 1 {
				errs[i] = do(own, i)
			}
		})
	}
	wg.Wait()
	if err := ctx.Err(); err != nil {
		return err
	}
	for i, err := range errs {
		var bad *runtime.DataError
		if errors.As(err, &bad) { // of a row that was made up around what is given
			at := *bad
			at.Row, at.Column, at.Columns = i, bad.Column-f.width, len(f.given)/f.out.Rows
			return &at
		}
		if err != nil {
			return fmt.Errorf("row %d: %w", i+1, err)
		}
	}
	return nil
}

// forecaster fills in a forecast.
type forecaster struct {
	s     ForecastSettings
	info  *runtime.Info
	theta []float64
	given []float64 // row by row
	each  int       // numbers of what is given in a row
	width int       // numbers of the variable
	out   *Forecast
}

func newForecaster(m runtime.Model, theta []float64, given runtime.Data, s *ForecastSettings) (*forecaster, error) {
	f := &forecaster{info: m.Info(), theta: theta, width: m.Info().Variable.Len(m)}
	if s != nil {
		f.s = *s
	}
	f.each = m.Info().RowLen(m) - f.width
	f.out = &Forecast{Columns: entryColumns(m, &m.Info().Variable), Rows: 1}
	_, draws := m.(runtime.Sampler)
	switch {
	case slices.ContainsFunc(f.s.Levels, func(p float64) bool { return !(p > 0 && p < 1) }):
		return nil, errors.New("the level of a quantile is not between 0 and 1")
	case f.s.Draws < 0 || f.s.By < 0:
		return nil, errors.New("the number of draws cannot be negative")
	case !f.integrable() && !draws:
		return nil, NoDraws(m.Info())
	case f.each == 0 && len(given.Values) > 0:
		return nil, fmt.Errorf("%s is given no columns", m.Info().Target)
	case f.each > 0 && max(given.Columns, 1) != f.each:
		return nil, fmt.Errorf("%s is given %d numbers a row, not %d", m.Info().Target, f.each, max(given.Columns, 1))
	}
	if f.each > 0 {
		f.given, f.out.Rows = given.Values, len(given.Values)/f.each
	}
	if f.s.By == 0 {
		f.s.By = defaultBy
	}
	if !f.integrable() {
		f.out.By = f.s.By
	}
	return f, f.allocate()
}

func (f *forecaster) allocate() error {
	for _, n := range []int{f.s.Draws, len(f.s.Levels)} {
		if err := drawable(f.out.Rows, max(n, 1)*f.width); err != nil {
			return err
		}
	}
	n := f.out.Rows * f.width
	f.out.Mean, f.out.SD = make([]float64, n), make([]float64, n)
	f.out.Quantiles, f.out.Draws = make([]float64, n*len(f.s.Levels)), make([]float64, n*f.s.Draws)
	return nil
}

// integrable reports whether the variable is one number.
func (f *forecaster) integrable() bool { return f.info.Variable.Type.Form == types.Number }

// alike are the first rows with the same of what is given, by which the distribution is the same.
func (f *forecaster) alike() []int {
	out, seen := make([]int, f.out.Rows), map[string]int{}
	for i := range out {
		key := fmt.Sprint(f.given[i*f.each : (i+1)*f.each])
		if _, ok := seen[key]; !ok {
			seen[key] = i
		}
		out[i] = seen[key]
	}
	return out
}

// row describes one row; draws are those of every row, the rest is left to copyRow where a row before it is the same.
func (f *forecaster) row(ctx context.Context, s *scorer, i int, first bool) error {
	d := f.s.Draws * f.width
	draws := f.out.Draws[i*d : (i+1)*d]
	_, sampler := s.m.(runtime.Sampler)
	if f.s.Draws > 0 && sampler {
		if err := f.draw(s, draws, i, "predict"); err != nil {
			return err
		}
	}
	switch {
	case !first && (sampler || f.s.Draws == 0):
		return nil
	case !f.integrable():
		return f.byDraws(s, i)
	}
	l, err := f.distribution(ctx, s, i)
	if err != nil {
		return err
	}
	f.out.Mean[i], f.out.SD[i] = l.mean, l.sd
	for k, p := range f.s.Levels {
		q, err := l.quantile(p)
		if err != nil {
			return err
		}
		f.out.Quantiles[i*len(f.s.Levels)+k] = q
	}
	if sampler {
		return nil
	}
	rng := runtime.Stream(f.s.Seed, "predict", uint64(i))
	for k := range draws {
		var err error
		if draws[k], err = l.quantile(rng.Float64()); err != nil {
			return err
		}
	}
	return nil
}

// distribution is that of the variable, one number, in a row.
func (f *forecaster) distribution(ctx context.Context, s *scorer, i int) (*univariate, error) {
	l := &univariate{ctx: ctx, s: s, given: f.given[i*f.each : (i+1)*f.each], entry: f.info.Variable.Type.Entry}
	if _, sampler := s.m.(runtime.Sampler); sampler {
		l.seeds = make([]float64, seedDraws)
		if err := f.draw(s, l.seeds, i, "seeds"); err != nil {
			l.seeds = nil
		}
	}
	return l, l.integrate()
}

func (f *forecaster) copyRow(i, of int) {
	n, q := f.width, f.width*len(f.s.Levels)
	copy(f.out.Mean[i*n:(i+1)*n], f.out.Mean[of*n:(of+1)*n])
	copy(f.out.SD[i*n:(i+1)*n], f.out.SD[of*n:(of+1)*n])
	copy(f.out.Quantiles[i*q:(i+1)*q], f.out.Quantiles[of*q:(of+1)*q])
}

// draw fills dst with draws of the variable in a row.
func (f *forecaster) draw(s *scorer, dst []float64, i int, stream string) error {
	n := len(dst) / f.width
	rows := make([]float64, 0, n*s.width)
	for range n {
		rows = append(append(rows, make([]float64, f.width)...), f.given[i*f.each:(i+1)*f.each]...)
	}
	s.m.(runtime.Sampler).Sample(rows, f.theta, runtime.Stream(f.s.Seed, stream, uint64(i)))
	for k := range n {
		copy(dst[k*f.width:(k+1)*f.width], rows[k*s.width:])
	}
	if !allNumbers(dst) {
		return errors.New("draws are not finite numbers")
	}
	return nil
}

// byDraws estimates moments and quantiles of each number of the variable.
func (f *forecaster) byDraws(s *scorer, i int) error {
	x := make([]float64, f.s.By*f.width)
	if err := f.draw(s, x, i, "by"); err != nil {
		return err
	}
	one := make([]float64, f.s.By)
	for j := range f.width {
		for k := range one {
			one[k] = x[k*f.width+j]
		}
		f.describe(i*f.width+j, one)
	}
	return nil
}

// describe fills in what is said of a number of which there are draws, and leaves these in order.
func (f *forecaster) describe(at int, draws []float64) {
	mean, variance := stat.PopMeanVariance(draws, nil)
	f.out.Mean[at], f.out.SD[at] = mean, math.Sqrt(variance)
	slices.Sort(draws)
	for k, p := range f.s.Levels {
		f.out.Quantiles[at*len(f.s.Levels)+k] = stat.Quantile(p, stat.Empirical, draws, nil)
	}
}

// PredictPosterior describes what the model draws in each row of the data that m holds, with latent variables from the approximation at a
// point: the posterior predictive distribution, as far as the draws are from the posterior. What is observed of these parts
// of the data does not matter.
func PredictPosterior(ctx context.Context, m runtime.Variational, at *Point, s *ForecastSettings) (*Forecast, error) {
	p, ok := predictor(m)
	if !ok {
		return nil, errNoSample
	}
	if err := at.check(m); err != nil {
		return nil, err
	}
	f := &forecaster{info: m.Info(), out: new(Forecast)}
	if s != nil {
		f.s = *s
	}
	if f.s.By == 0 {
		f.s.By = defaultBy
	}
	rows, _, _ := m.Counts()
	f.out.Rows, f.out.By = rows, f.s.By
	for i := range m.Info().Predicted {
		q := &m.Info().Predicted[i]
		if !q.Rows {
			return nil, fmt.Errorf("%s is drawn once, not in rows: fit --predict draws it", q.Name)
		}
		f.out.Columns = append(f.out.Columns, entryColumns(m, q)...)
	}
	f.width = len(f.out.Columns)
	if err := cmp.Or(drawable(rows, max(f.s.By, f.s.Draws)*f.width), f.allocate()); err != nil {
		return nil, err
	}
	d, err := drawn(m, at.Coordinates, max(f.s.By, f.s.Draws), runtime.Stream(f.s.Seed, "sample"), nil)
	if err != nil {
		return nil, err
	}
	return f.out, f.predictive(ctx, p, d)
}

// predictive draws a data set for each draw of the latent variables, and describes every row.
func (f *forecaster) predictive(ctx context.Context, m runtime.Predictor, d *PosteriorDraws) error {
	m = m.Clone().(runtime.Predictor)
	length, rng := len(d.latents)/max(d.Rows(), 1), runtime.Stream(f.s.Seed, "predict")
	one := make([]float64, f.out.Rows*f.width)
	all := make([][]float64, len(one)) // of each number its draws
	for k := range d.Rows() {
		if err := ctx.Err(); err != nil {
			return err
		}
		m.Predict(one, d.latents[k*length:(k+1)*length], rng)
		if !allNumbers(one) {
			return fmt.Errorf("data set %d that is drawn has what is no number", k+1)
		}
		at := 0
		for i := range m.Info().Predicted { // part after part, each row by row
			n := m.Info().Predicted[i].Len(m)
			for row := range f.out.Rows {
				for j := range n {
					to := row*f.width + at/f.out.Rows + j
					all[to] = append(all[to], one[at+row*n+j])
				}
			}
			at += n * f.out.Rows
		}
	}
	for i, x := range all {
		for k, v := range x[:f.s.Draws] {
			f.out.Draws[(i/f.width*f.s.Draws+k)*f.width+i%f.width] = v
		}
		f.describe(i, x)
	}
	return nil
}
