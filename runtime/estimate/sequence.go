package estimate

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/types"
)

// The density of a row of a sequence, given the rows in front of it, is the likelihood of all of them over that of the ones in front. So a
// row takes a pass over the rows in front of it for every value at which its density is asked for.

// mostPasses bounds the product of the number of rows that are described and the number of all.
const mostPasses = 20_000

// leastDescribed is the number of rows of which fewer are not described: they would say little.
const leastDescribed = 40

// describeSequence describes the last rows of a sequence, as many as do not take long.
func describeSequence(ctx context.Context, m runtime.Model, theta []float64, r *ConditionalRequest, seed uint64) (*Conditional, error) {
	each := m.Info().RowLen(m)
	n := len(r.Rows) / each
	some := min(n, mostPasses/max(n, 1))
	switch {
	case m.Info().Variable.Type.Form != types.Number || len(m.Info().Record())-len(m.Info().Given) > 1:
		return nil, errors.New("the variable is not one number")
	case some < min(n, leastDescribed):
		return nil, fmt.Errorf("each row of a sequence takes a pass over those in front of it, and there are %d", n)
	}
	out := &Conditional{Skipped: n - some}
	s := &scorer{m.Clone(), theta, each, 0, &preceding{}}
	for i := n - some; i < n; i++ {
		if err := s.precede(r.Rows[:i*each]); err != nil {
			return nil, err
		}
		l := &univariate{ctx: ctx, s: s, given: r.Rows[i*each+1 : (i+1)*each], entry: m.Info().Variable.Type.Entry}
		if err := l.integrate(); err != nil {
			return nil, err
		}
		residual, err := l.residual(r.Rows[i*each], runtime.Stream(seed, "residuals", uint64(i)).Float64())
		if err != nil {
			return nil, err
		}
		out.Mean, out.SD, out.Residuals = append(out.Mean, l.mean), append(out.SD, l.sd), append(out.Residuals, residual)
	}
	return out, nil
}

// preceding are the rows in front of one whose density is asked for, with their log-likelihood, and room for that one.
type preceding struct {
	rows          []float64
	logLikelihood float64
}

// precede sets the rows in front.
func (s *scorer) precede(rows []float64) error {
	s.before.rows, s.before.logLikelihood = append(s.before.rows[:0], rows...), 0
	if len(rows) == 0 {
		return nil
	}
	var err error
	s.before.logLikelihood, err = s.logLikelihood(s.before.rows)
	return err
}

// logLikelihood is that of rows in their order.
func (s *scorer) logLikelihood(rows []float64) (float64, error) {
	if err := s.m.SetData(runtime.Data{Values: rows, Columns: s.width}); err != nil {
		return 0, err
	}
	loss, _ := lossAt(s.m, s.theta)
	return -loss() * float64(len(rows)/s.width), nil
}

// next appends the densities of rows, each by itself behind those in front.
func (s *scorer) next(ctx context.Context, out *Density, rows []float64) error {
	front := len(s.before.rows)
	for at := 0; at < len(rows); at += s.width {
		if err := ctx.Err(); err != nil {
			return err
		}
		s.before.rows = append(s.before.rows[:front], rows[at:at+s.width]...)
		all, err := s.logLikelihood(s.before.rows)
		s.before.rows = s.before.rows[:front]
		var bad *runtime.DataError
		switch {
		case errors.As(err, &bad) && bad.Column == 0:
			all = math.Inf(-1)
		case err != nil:
			return err
		}
		out.Log = append(out.Log, all-s.before.logLikelihood)
	}
	return nil
}
