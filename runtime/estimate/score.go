package estimate

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/support"
	"github.com/sngdgen/sngdgen/runtime/types"
)

// mostScored bounds the rows of ScoreRows.
const mostScored = 200_000

// errScored is the answer to a request for more.
var errScored = fmt.Errorf("log-densities are for at most %d rows", mostScored)

// ScoreRows evaluates the log-density of the target of m with parameters theta, in the order and layout of Theta, at rows of
// observations, one after the other. It is the loss of each row by itself. The rows need not be among the data of the model, which
// it keeps. The error says which row is no observation, that there are too many, or that the model cannot tell.
func ScoreRows(ctx context.Context, m runtime.Model, theta, rows []float64) (Density, error) {
	if width := m.Info().RowLen(m); len(rows)/max(width, 1) > mostScored {
		return Density{}, errScored
	}
	out, err := scoreRows(ctx, m, theta, rows)
	if err == nil && slices.ContainsFunc(out.Log, math.IsNaN) {
		return Density{}, errors.New("it is not a number at some rows")
	}
	return out, err
}

// scoreRows is ScoreRows for any number of rows, with NaN where there is no density.
func scoreRows(ctx context.Context, m runtime.Model, theta, rows []float64) (Density, error) {
	s, err := newScorer(m, theta)
	if err != nil {
		return Density{}, err
	}
	var out Density
	for at := 0; at < len(rows); at += scoredPortion * s.width {
		part := rows[at:min(len(rows), at+scoredPortion*s.width)]
		if err := s.score(ctx, &out, part); err != nil {
			var bad *runtime.DataError
			if errors.As(err, &bad) && bad.Row >= 0 {
				bad.Row += at / s.width
			}
			return Density{}, err
		}
	}
	return out, nil
}

// scoredPortion is how many rows a scorer has in memory at a time.
const scoredPortion = 1 << 14

// byRow is a model whose rows can be evaluated one by one.
type byRow interface {
	runtime.Model
	runtime.Batcher
}

// cloneByRow is a clone of a model for eachRow.
func cloneByRow(m runtime.Model) (byRow, error) {
	one, ok := m.Clone().(byRow)
	if !ok {
		return nil, fmt.Errorf("%s cannot be evaluated row by row", m.Info().Name)
	}
	return one, nil
}

// eachRow gives data to a model and calls a function for every row that has a weight, while that row alone is the batch of the model, until there is an error.
func eachRow(m byRow, d runtime.Data, do func(i int) error) error {
	if err := m.SetData(d); err != nil {
		return err
	}
	row := make([]int, 1)
	for row[0] = range d.Rows() {
		if d.Weights != nil && d.Weights[row[0]] == 0 {
			continue
		}
		if err := m.Batch(row); err != nil {
			return err
		}
		if err := do(row[0]); err != nil {
			return err
		}
	}
	return nil
}

// sharesFrom writes the probabilities of the components of a mixture in a row, from the gradient of its loss: the derivative of -log sum(weight * density)
// with respect to a weight is minus the probability over the weight.
func sharesFrom(dst, theta, g []float64) {
	for c := range dst {
		if dst[c] = 0; theta[c] > 0 {
			dst[c] = -theta[c] * g[c]
		}
	}
}

// scorer evaluates the log-density of a target at rows.
type scorer struct {
	m     runtime.Model // a clone; byRow where before is nil
	theta []float64
	width int
	k     int // components
	// before has the rows in front of those of a sequence; nil of other models.
	before *preceding
}

func newScorer(m runtime.Model, theta []float64) (*scorer, error) {
	one, err := cloneByRow(m)
	if err != nil {
		return nil, err
	}
	return &scorer{one, theta, m.Info().RowLen(m), componentsOf(m), nil}, nil
}

// score appends the densities of rows, and the shares of components. Outside the support the density is 0.
func (s *scorer) score(ctx context.Context, out *Density, rows []float64) error {
	if len(rows)%s.width != 0 {
		return fmt.Errorf("rows of %s have %d numbers each: %d are no whole number of them", s.m.Info().Name, s.width, len(rows))
	}
	if s.before != nil {
		return s.next(ctx, out, rows)
	}
	first := len(out.Log)
	out.Log = append(out.Log, slices.Repeat([]float64{math.Inf(-1)}, len(rows)/s.width)...)
	out.Shares = append(out.Shares, make([]float64, len(rows)/s.width*s.k)...)
	inside, which := insideOf(s.m, rows, s.width)
	if len(which) == 0 {
		return nil
	}
	loss, g := lossAt(s.m, s.theta)
	err := eachRow(s.m.(byRow), runtime.Data{Values: inside, Columns: s.width}, func(at int) error {
		i := first + which[at]
		out.Log[i] = -loss()
		sharesFrom(out.Shares[i*s.k:(i+1)*s.k], s.theta, g)
		return ctx.Err()
	})
	var bad *runtime.DataError
	if errors.As(err, &bad) && bad.Row >= 0 {
		bad.Row = which[bad.Row]
	}
	return err
}

// wholeRows returns data with the rows that the model has: of a matrix that is symmetric or triangular files may have the lower triangle.
func wholeRows(m runtime.Model, d runtime.Data) (runtime.Data, error) {
	record := m.Info().Record()
	typ := record[0].Type
	if len(record) > 1 || !typ.Form.Square() || typ.Form.Structure&(types.Symmetric|types.LowerTriangular) == 0 {
		return d, nil
	}
	if width := m.Info().RowLen(m); d.Columns == width || d.Columns == 0 {
		return d, nil
	}
	return support.Unpacked(d, typ, record[0].Name)
}

// insideOf are the rows that lie inside the support of a model, and which these are.
func insideOf(m runtime.Model, rows []float64, width int) (inside []float64, which []int) {
	s, ok := m.(runtime.Supported)
	for i := range len(rows) / width {
		if row := rows[i*width : (i+1)*width]; !ok || s.Outside(row) < 0 {
			which = append(which, i)
			if ok {
				inside = append(inside, row...)
			}
		}
	}
	if !ok {
		return rows, which
	}
	return inside, which
}

// lossAt returns a function that evaluates the loss of a model on its data, or the batch that it has then, at parameters theta, and
// the memory into which that writes its gradient; nil where parameters are numbers.
func lossAt(m runtime.Model, theta []float64) (loss func() float64, g []float64) {
	if f, ok := m.(runtime.Objective); ok {
		g = make([]float64, len(theta))
		return func() float64 { return f.ThetaGradient(g, theta) }, g
	}
	u := m.Unconstrained()
	at := make([]float64, u.Dim())
	u.FromTheta(at, theta)
	return func() float64 { return u.Loss(at) }, nil
}

// Scores are log-densities of rows under a fit.
type Scores struct {
	Density
	// Mean is that of the log-densities, with the weights of the rows: of rows that the fit has not seen minus the held-out loss.
	Mean Number
	// StdErr is the standard error of the mean over rows that are drawn alike; NaN of one row.
	StdErr Number
	N      float64 // sum of the weights
}

// Score evaluates the log-density of the target of m with parameters theta, as Fitted.On and Report.Theta have them, at the rows of a data
// set, of any number. A row that the target cannot produce has the log-density minus infinity.
func Score(ctx context.Context, m runtime.Model, theta []float64, data runtime.Data) (*Scores, error) {
	data, err := wholeRows(m, data)
	if err != nil {
		return nil, err
	}
	if width := m.Info().RowLen(m); max(data.Columns, 1) != width {
		return nil, fmt.Errorf("rows of %s have %d numbers, not %d", m.Info().Name, width, max(data.Columns, 1))
	}
	d, err := scoreRows(ctx, m, theta, data.Values)
	if err != nil {
		return nil, err
	}
	if i := slices.IndexFunc(d.Log, math.IsNaN); i >= 0 {
		return nil, fmt.Errorf("row %d has no log-density: it is not a number there", i+1)
	}
	out := &Scores{Density: d}
	sum, squares := 0.0, 0.0
	for i, l := range d.Log {
		if w := data.Weight(i); w > 0 {
			out.N += w
			sum += w * l
		}
	}
	mean := sum / out.N
	for i, l := range d.Log {
		if w := data.Weight(i); w > 0 {
			squares += w * (l - mean) * (l - mean)
		}
	}
	out.Mean, out.StdErr = Number(mean), Number(math.NaN())
	if out.N > 1 {
		out.StdErr = Number(math.Sqrt(squares / (out.N - 1) / out.N))
	}
	return out, nil
}
