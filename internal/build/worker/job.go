// Package worker is the part of the command that runs a generated problem: a fit, a benchmark or draws. The command calls it
// for problems of the library, which are compiled into it; for those of the user it runs in a program of its own, which
// takes a job on its standard input and writes the answer to its standard output.
package worker

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/estimate"
)

// Job is what is to be done, on a data set unless draws are asked for. One of its fields is set.
type Job struct {
	Fit    *estimate.Settings
	Counts []int // with Fit: numbers of components to compare
	Bench  *BenchRequest
	Sample *estimate.SampleRequest
	Use    *Use
	Rank   *estimate.RankSettings
	// Ladder, with Fit, are the names of the approximations that the models are: they are to be compared, mixtures with
	// the numbers of components in Counts. Other jobs are about one model.
	Ladder []string
	// Automatic is set where nobody has asked for these: those are left out that have no room in memory, or are of no use.
	Automatic bool
}

// Answer is what came of a job. A fit may have both a report and an error, when it ended early. That of a variational
// objective has a Posterior, that of several numbers of components a comparison.
type Answer struct {
	Fit       *estimate.Report
	Compared  *estimate.Comparison
	Posterior *estimate.Approximation
	Ladder    *estimate.Ladder
	Bench     *BenchReport
	Sample    *estimate.Draws
	Scores    *estimate.Scores
	Forecast  *estimate.Forecast
	Ranked    *estimate.Ranked
	Error     string
	// Data is set beside Error when a value of the data is at fault.
	Data *runtime.DataError
}

// Err returns the error of the answer, or nil.
func (a *Answer) Err() error {
	switch {
	case a.Data != nil:
		return a.Data
	case a.Error != "":
		return errors.New(a.Error)
	}
	return nil
}

// Use says what to do with a fit: one of its fields beside the fit is set.
type Use struct {
	Fit *estimate.Fitted
	// Point is the one of a posterior, in the place of Fit, with data of which what the model draws does not matter.
	Point *estimate.Point
	// Score asks for the log-densities of the rows of the data.
	Score bool
	// Forecast asks for the distribution of the variable in the rows of the data, which are of what it is given alone.
	Forecast *estimate.ForecastSettings
}

// use gives the parameters of a fit to a model.
func (a *Answer) use(ctx context.Context, m runtime.Model, u *Use, data runtime.Data) error {
	if bound, ok := m.(runtime.Variational); ok != (u.Point != nil) {
		return fmt.Errorf("%s has another objective than the fit", m.Info().Name)
	} else if ok {
		data.Unobserved = true
		err := u.Point.Measure(m)
		if err == nil {
			err = estimate.Load(m, data, u.Point.Components(m))
		}
		if err == nil {
			a.Forecast, err = estimate.PredictPosterior(ctx, bound, u.Point, u.Forecast)
		}
		return err
	}
	theta, err := u.Fit.On(m)
	switch {
	case err != nil:
	case u.Score:
		a.Scores, err = estimate.Score(ctx, m, theta, data)
	default:
		a.Forecast, err = estimate.Predict(ctx, m, theta, data, u.Forecast)
	}
	return err
}

// Do does a job with the models that it is about.
func Do(ctx context.Context, models []runtime.Model, job Job, data runtime.Data) *Answer {
	a := new(Answer)
	var err error
	if len(job.Ladder) > 0 {
		err = a.climb(ctx, models, job, data)
	} else {
		err = a.do(ctx, models[0], job, data)
	}
	if err != nil {
		a.Error = err.Error()
		errors.As(err, &a.Data)
	}
	return a
}

// fit gives the data to the model and fits it. What an *estimate.Unfinished or an
// *estimate.Unreliable says is in the report.
func (a *Answer) fit(ctx context.Context, model runtime.Model, s *estimate.Settings, data runtime.Data) error {
	err := estimate.Load(model, data, cmp.Or(s.Components, s.Init.Components(model)))
	if err != nil {
		return err
	}
	if bound, variational := model.(runtime.Variational); variational {
		a.Posterior, err = estimate.Approximate(ctx, bound, s)
	} else {
		a.Fit, err = estimate.Fit(ctx, model, roomy(s, data))
	}
	unfinished, unreliable := (*estimate.Unfinished)(nil), (*estimate.Unreliable)(nil)
	if errors.As(err, &unfinished) || errors.As(err, &unreliable) {
		return nil
	}
	return err
}

// roomy are settings with the room of the data.
func roomy(s *estimate.Settings, data runtime.Data) *estimate.Settings {
	out := *s
	out.Room = data.Room
	return &out
}

// climb gives the data to models of one posterior and compares their approximations.
func (a *Answer) climb(ctx context.Context, models []runtime.Model, job Job, data runtime.Data) (err error) {
	var candidates []estimate.Candidate
	var left []string
	for i, m := range models {
		c := estimate.Candidate{Name: job.Ladder[i], Optional: job.Automatic}
		var ok bool
		if c.Model, ok = m.(runtime.Variational); !ok {
			return fmt.Errorf("worker: %s is no approximation of a posterior", c.Name)
		}
		components := 0
		if _, mixture := m.(runtime.Mixture); mixture && m.Info().Components != "" {
			c.Components = job.Counts
			components = slices.Max(append([]int{1}, job.Counts...))
		}
		if err := estimate.Room(m.Info(), data.Columns, components); err != nil && job.Automatic {
			left = append(left, fmt.Sprintf("%s is left out: %v", c.Name, err))
			continue
		}
		if err := estimate.Load(m, data, components); err != nil {
			return err
		}
		candidates = append(candidates, c)
	}
	if a.Ladder, err = estimate.Climb(ctx, candidates, job.Fit); a.Ladder != nil {
		a.Ladder.Warnings = append(left, a.Ladder.Warnings...)
	}
	return err
}

func (a *Answer) do(ctx context.Context, model runtime.Model, job Job, data runtime.Data) (err error) {
	if job.Sample != nil {
		a.Sample, err = estimate.Sample(model, *job.Sample)
		return err
	}
	if job.Use != nil {
		return a.use(ctx, model, job.Use, data)
	}
	if job.Bench != nil && job.Bench.Draw > 0 {
		if data, err = draw(model, job.Bench); err != nil {
			return err
		}
	}
	switch {
	case job.Fit != nil && len(job.Counts) > 0:
		if err = estimate.Load(model, data, job.Counts[0]); err == nil {
			a.Compared, err = estimate.Compare(ctx, model, job.Counts, roomy(job.Fit, data))
		}
	case job.Fit != nil:
		err = a.fit(ctx, model, job.Fit, data)
	case job.Rank != nil:
		if err = estimate.Load(model, data, job.Rank.Components); err == nil {
			a.Ranked, err = estimate.Rank(ctx, model, job.Rank)
		}
	case job.Bench != nil:
		if err = estimate.Load(model, data, job.Bench.components(model)); err == nil {
			a.Bench, err = bench(ctx, model, *job.Bench)
		}
	default:
		err = errors.New("worker: nothing to do")
	}
	return err
}
