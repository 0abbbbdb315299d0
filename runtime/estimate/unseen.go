package estimate

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"github.com/sngdgen/sngdgen/runtime"
)

// Unseen are rows for which nothing has been observed of what the model draws: of the parts of its data the others, one after the other.
type Unseen struct {
	Columns int       `json:"columns"`
	Values  []float64 `json:"values"`
}

// Prediction describes what the model draws for a row that was not observed, over the draws of the latent variables.
type Prediction struct {
	Name      string `json:"name"`            // of the data
	Row       int    `json:"row"`             // from 1
	Entry     int    `json:"entry,omitempty"` // of a vector, from 1
	Mean      Number `json:"mean"`
	Deviation Number `json:"std_deviation"`
	Low       Number `json:"low"` // of the interval with equal tails
	Median    Number `json:"median"`
	High      Number `json:"high"`
}

// checkUnseen reports what keeps data from being drawn for rows that were not observed.
func (r *Settings) checkUnseen(m runtime.Variational) error {
	v := &r.Variational
	if v.Unseen == nil {
		return nil
	}
	p, ok := m.(runtime.Predictor)
	switch {
	case !ok:
		return errNoSample
	case v.Keep == 0 && v.Resample == 0:
		return errors.New("data are drawn for each draw of the posterior that is kept, and none is")
	}
	width := 0
	for _, q := range m.Info().Data {
		if !draws(p, q.Name) {
			width += q.Len(m)
		}
	}
	switch rows := len(v.Unseen.Values) / max(width, 1); {
	case width == 0:
		return errors.New("the model draws all of its data: there is nothing that rows could have been observed of")
	case v.Unseen.Columns != width:
		return fmt.Errorf("rows to predict have %d columns, not %d", v.Unseen.Columns, width)
	case rows == 0 || len(v.Unseen.Values) != rows*width:
		return fmt.Errorf("%d numbers are no rows of %d to predict", len(v.Unseen.Values), width)
	default:
		return drawable(max(v.Keep, v.Resample), rows*predictedWidth(p))
	}
}

// draws reports whether a part of the data is drawn.
func draws(m runtime.Predictor, name string) bool {
	return slices.ContainsFunc(m.Info().Predicted, func(q runtime.Parameter) bool { return q.Name == name })
}

// predictedWidth is how many numbers are drawn for a row.
func predictedWidth(m runtime.Predictor) (n int) {
	for _, q := range m.Info().Predicted {
		n += q.Len(m)
	}
	return n
}

// predictUnseen describes what the model draws for rows that were not observed.
func (a *Approximation) predictUnseen(m runtime.Variational, r *Settings) error {
	if r.Variational.Unseen == nil || a.Sample == nil {
		return nil
	}
	p := m.Clone().(runtime.Predictor)
	sizes := slices.Clone(p.Sizes())
	if err := p.SetData(r.Variational.Unseen.complete(p)); err != nil {
		return fmt.Errorf("rows to predict: %w", err)
	}
	if !slices.Equal(p.Sizes(), sizes) {
		return fmt.Errorf("rows to predict have other lengths than those of the data: %v, not %v", p.Sizes(), sizes)
	}
	width, latents, rng := predictedLen(p), len(a.Sample.Columns), runtime.Stream(r.Seed, "unseen")
	values := make([]float64, a.Sample.Rows()*width)
	for i := range a.Sample.Rows() {
		p.Predict(values[i*width:(i+1)*width], a.Sample.Values[i*latents:(i+1)*latents], rng)
	}
	rows, _, _ := p.Counts()
	drawn, at := make([]float64, a.Sample.Rows()), 0
	for _, q := range m.Info().Predicted {
		length := q.Len(p)
		for k := range rows * length {
			for i := range drawn {
				drawn[i] = values[i*width+at+k]
			}
			if slices.ContainsFunc(drawn, math.IsNaN) {
				return fmt.Errorf("nothing can be predicted: %s is not a number in row %d", q.Name, k/length+1)
			}
			one := Prediction{Name: q.Name, Row: k/length + 1}
			if len(q.Shape) > 0 {
				one.Entry = k%length + 1
			}
			one.describe(drawn, a.Posterior.Level)
			a.Predictions = append(a.Predictions, one)
		}
		at += rows * length
	}
	return nil
}

// complete puts what is drawn beside what is given, as a model takes it: numbers that do not matter, those of the first row that was
// observed.
func (u *Unseen) complete(m runtime.Predictor) runtime.Data {
	observed := make([]float64, predictedLen(m))
	m.Observed(observed)
	first, at := map[string][]float64{}, 0
	for _, part := range predictedParts(m) {
		first[part.Name] = observed[at:]
		at += part.len()
	}
	out := runtime.Data{}
	for from := 0; from < len(u.Values); from += u.Columns {
		row := u.Values[from : from+u.Columns]
		for _, q := range m.Info().Data {
			n := q.Len(m)
			if drawn := first[q.Name]; drawn != nil {
				out.Values = append(out.Values, drawn[:n]...)
				continue
			}
			out.Values = append(out.Values, row[:n]...)
			row = row[n:]
		}
	}
	out.Columns = len(out.Values) / (len(u.Values) / u.Columns)
	return out
}

// describe fills in what the draws are like, which it sorts.
func (p *Prediction) describe(drawn []float64, level float64) {
	slices.Sort(drawn)
	mean, deviation := stat.MeanStdDev(drawn, nil)
	if len(drawn) == 1 {
		deviation = 0
	}
	quantile := func(q float64) Number { return Number(stat.Quantile(q, stat.LinInterp, drawn, nil)) }
	tail := (1 - level) / 2
	p.Mean, p.Deviation = Number(mean), Number(deviation)
	p.Low, p.Median, p.High = quantile(tail), quantile(0.5), quantile(1-tail)
}
