package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// report is what sngdgen fit --json says of a posterior.
type report struct {
	Status string `json:"status"`
	ELBO   struct {
		Mean  float64  `json:"mean"`
		Error float64  `json:"standard_error"`
		KHat  *float64 `json:"k_hat"` // nil where it is not a number
	} `json:"elbo"`
	Posterior struct {
		Mean map[string]json.RawMessage `json:"mean"`
		SD   map[string]json.RawMessage `json:"sd"`
	} `json:"posterior"`
	Steps    int      `json:"steps"`
	Warnings []string `json:"warnings"`
	Seconds  float64  `json:"seconds"` // wall-clock time, without the evaluation
}

// fit is one fit, or why there is none.
type fit struct {
	report
	fault     string
	processor float64  // seconds of the whole command
	of        distance // against the truth
}

// time is that of the fit: wall-clock time, unless other programs were in its way so much that the processor time of the
// whole command is less.
func (f *fit) time() float64 { return min(f.Seconds, f.processor) }

// outcome is what a method makes of a model.
type outcome struct {
	*answer
	method string
	fits   []*fit
}

func (o *options) fitAll(ctx context.Context, models []*answer) ([]*outcome, error) {
	var outcomes []*outcome
	for _, a := range models {
		if err := o.compile(ctx, a.Model); err != nil {
			return nil, err
		}
		for _, m := range o.methods {
			c := &outcome{answer: a, method: m.Name}
			for seed := range o.seeds {
				f, err := o.fit(ctx, a, m, seed)
				if err != nil {
					return nil, err
				}
				c.fits = append(c.fits, f)
				fmt.Fprintf(o.bench.Progress, "%s, %s, seed %d: %s%s, bound %.4f, %.3g s\n", a.Model, m.Name, seed, f.fault, f.Status,
					f.ELBO.Mean, f.time())
			}
			outcomes = append(outcomes, c)
		}
	}
	return outcomes, nil
}

// compile lets the command compile the spec, which it does once.
func (o *options) compile(ctx context.Context, model string) error {
	_, err := o.bench.FitInto(ctx, new(report), specFile(o.folder, model), dataFile(o.folder, model), "--steps=1")
	return err
}

// fit fits once; the draws of the evaluation do not count for its time.
func (o *options) fit(ctx context.Context, a *answer, m method, seed int) (*fit, error) {
	arguments := append([]string{specFile(o.folder, a.Model), dataFile(o.folder, a.Model), "--seed=" + strconv.Itoa(seed),
		"--eval-draws=" + strconv.Itoa(o.draws)}, m.Flags...)
	f := new(fit)
	ended, err := o.bench.FitInto(ctx, &f.report, arguments...)
	if err != nil {
		return nil, err
	}
	if f.processor, f.fault = ended.Processor, ended.Fault; f.fault != "" {
		return f, nil
	}
	mean, err := a.flat(f.Posterior.Mean)
	if err != nil {
		return nil, err
	}
	sd, err := a.flat(f.Posterior.SD)
	if err != nil {
		return nil, err
	}
	f.of = a.distance(mean, sd)
	return f, nil
}

// flat puts the parts of the latent variables one after the other.
func (a *answer) flat(parts map[string]json.RawMessage) ([]float64, error) {
	var all []float64
	for _, s := range a.Sites {
		var number float64
		var vector []float64
		var err error
		if len(s.Shape) == 0 {
			err = json.Unmarshal(parts[s.Name], &number)
			vector = []float64{number}
		} else {
			err = json.Unmarshal(parts[s.Name], &vector)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %s: %w", a.Model, s.Name, err)
		}
		all = append(all, vector...)
	}
	if len(all) != a.D {
		return nil, fmt.Errorf("%s: %d latent variables, want %d", a.Model, len(all), a.D)
	}
	return all, nil
}

// distance are the errors of means and of standard deviations, in standard deviations of the truth.
type distance struct{ mean, sd spread }

// spread sums up the errors of all latent variables.
type spread struct {
	most  float64
	where string // the variable of the largest error
	rms   float64
}

func (a *answer) distance(mean, sd []float64) (e distance) {
	t, names := a.truth(), a.entries()
	for i, name := range names {
		e.mean.add(name, (mean[i]-t.Mean[i])/t.SD[i])
		e.sd.add(name, (sd[i]-t.SD[i])/t.SD[i])
	}
	e.mean.rms, e.sd.rms = math.Sqrt(e.mean.rms/float64(a.D)), math.Sqrt(e.sd.rms/float64(a.D))
	return e
}

// add takes an error; rms is the sum of the squares until all are there.
func (s *spread) add(name string, x float64) {
	if s.rms += x * x; math.Abs(x) > math.Abs(s.most) || s.where == "" {
		s.most, s.where = x, name
	}
}

// verdicts are the different words of the fits, with what they are followed by.
func (c *outcome) verdicts() string {
	var words []string
	count := map[string]int{}
	for _, f := range c.fits {
		word := f.Status
		if f.fault != "" {
			word = f.fault
		}
		if count[word]++; count[word] == 1 {
			words = append(words, word)
		}
	}
	for i, word := range words {
		if len(words) > 1 {
			words[i] = fmt.Sprintf("%d %s", count[word], word)
		}
	}
	return strings.Join(words, ", ")
}
