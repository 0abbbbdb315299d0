package estimate

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"github.com/sngdgen/sngdgen/runtime"
)

// Predictions are data sets that the model draws, one for each draw of the latent variables: from the posterior predictive
// distribution, as far as the draws are from the posterior.
type Predictions struct {
	Parts    []Part    // of the data: what is drawn, with the rows as first length
	Values   []float64 // data set after data set, part after part, row by row
	Observed []float64 // the data set that was observed
	Checks   []PredictiveCheck
}

// PredictiveCheck compares a number that describes the observed data with what it is in the data sets that the model draws (Gelman,
// Meng and Stern, Posterior predictive assessment of model fitness via realized discrepancies, Statistica Sinica 6, 1996). A model
// that has nothing to do with the data shows in a probability Above near 0 or 1.
type PredictiveCheck struct {
	Name      string `json:"name"` // of the data
	Statistic string `json:"statistic"`
	Observed  Number `json:"observed"`
	Mean      Number `json:"mean"` // over the data sets that are drawn
	Low       Number `json:"low"`  // of the interval with equal tails
	High      Number `json:"high"`
	Above     Number `json:"above"` // the share of data sets with a larger value, and half of those with the same
}

// statistics describe a data set.
var statistics = []struct {
	name string
	of   func(x []float64) float64
}{
	{"mean", func(x []float64) float64 { return stat.Mean(x, nil) }},
	{"std. deviation", func(x []float64) float64 { return stat.PopStdDev(x, nil) }},
	{"smallest", floats.Min},
	{"largest", floats.Max},
}

var errNoSample = errors.New("no data can be drawn: the spec does not say how they are distributed\n" +
	"hint: objective vi takes a sample, such as sample: {noise: {u: uniform vector(n)}, y: less(u, sigmoid(X @ z))}")

// predictor is a model that draws data.
func predictor(m runtime.Model) (p runtime.Predictor, ok bool) {
	p, ok = m.(runtime.Predictor)
	return p, ok && len(m.Info().Predicted) > 0
}

// checkPredict reports what keeps data from being drawn.
func (r *Settings) checkPredict(m runtime.Variational) error {
	v := &r.Variational
	if !v.Predict {
		return nil
	}
	p, ok := predictor(m)
	if !ok {
		return errNoSample
	}
	if v.Keep == 0 && v.Resample == 0 {
		return errors.New("data are drawn for each draw of the posterior that is kept, and none is")
	}
	return drawable(max(v.Keep, v.Resample), predictedLen(p))
}

// predictedParts are the names and shapes of what a model draws.
func predictedParts(m runtime.Predictor) []Part {
	rows, _, _ := m.Counts()
	var out []Part
	for _, p := range m.Info().Predicted {
		part := Part{p.Name, shape(m, &p)}
		if p.Rows {
			part.Shape = append([]int{rows}, part.Shape...)
		}
		out = append(out, part)
	}
	return out
}

func predictedLen(m runtime.Predictor) (n int) {
	for _, p := range predictedParts(m) {
		n += p.len()
	}
	return n
}

// predict draws a data set for each of the draws.
func predict(m runtime.Predictor, d *PosteriorDraws, level float64, rng *rand.Rand) *Predictions {
	m = m.Clone().(runtime.Predictor) // which has all rows
	out := &Predictions{Parts: predictedParts(m)}
	width, latents := predictedLen(m), len(d.latents)/max(d.Rows(), 1)
	out.Observed, out.Values = make([]float64, width), make([]float64, d.Rows()*width)
	m.Observed(out.Observed)
	for i := range d.Rows() {
		m.Predict(out.Values[i*width:(i+1)*width], d.latents[i*latents:(i+1)*latents], rng)
	}
	out.check(level)
	return out
}

// check compares statistics of each part.
func (p *Predictions) check(level float64) {
	width := len(p.Observed)
	at := 0
	for _, part := range p.Parts {
		to := at + part.len()
		for _, s := range statistics {
			c := PredictiveCheck{Name: part.Name, Statistic: s.name, Observed: Number(s.of(p.Observed[at:to]))}
			drawn := make([]float64, 0, len(p.Values)/width)
			for from := 0; from < len(p.Values); from += width {
				drawn = append(drawn, s.of(p.Values[from+at:from+to]))
			}
			c.compare(drawn, level)
			p.Checks = append(p.Checks, c)
		}
		at = to
	}
}

// compare describes the values of a statistic in the data sets that are drawn.
func (c *PredictiveCheck) compare(drawn []float64, level float64) {
	slices.Sort(drawn)
	above := 0.0
	for _, x := range drawn {
		switch {
		case x > float64(c.Observed):
			above++
		case x == float64(c.Observed):
			above += 0.5
		}
	}
	tail := (1 - level) / 2
	c.Mean, c.Above = Number(stat.Mean(drawn, nil)), Number(above/float64(len(drawn)))
	c.Low = Number(stat.Quantile(tail, stat.LinInterp, drawn, nil))
	c.High = Number(stat.Quantile(1-tail, stat.LinInterp, drawn, nil))
}

// drawsData draws the data that go with the draws that are kept.
func (a *Approximation) drawData(m runtime.Variational, r *Settings) error {
	p, ok := predictor(m)
	if !r.Variational.Predict || a.Sample == nil || !ok {
		return nil
	}
	a.Sample.Predicted = predict(p, a.Sample, a.Posterior.Level, runtime.Stream(r.Seed, "predict"))
	if i := slices.IndexFunc(a.Sample.Predicted.Values, math.IsNaN); i >= 0 {
		return fmt.Errorf("no data can be drawn: %s is not a number in data set %d", a.Sample.Predicted.Parts[0].Name,
			i/len(a.Sample.Predicted.Observed)+1)
	}
	a.Predictive = a.Sample.Predicted.Checks
	return nil
}
