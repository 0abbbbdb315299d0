package estimate

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/sngdgen/sngdgen/runtime"
)

// Profile is the profile likelihood of a number among the parameters: for each of its values the largest log-likelihood over all
// other parameters.
type Profile struct {
	Name          string
	Estimate      float64
	Values        []float64 // ascending
	LogLikelihood []float64
	// Low and High are where twice the profile falls below its maximum by the quantile of level Level of the chi-squared
	// distribution with one degree of freedom; NaN where it does not within the values.
	Level     float64
	Low, High float64
	// Maximum is the largest log-likelihood that was found: more than Best, that of the report, if that is no global maximum.
	Maximum, Best float64
	// Unfinished is at how many values no maximum over the others was found: they are left out.
	Unfinished int
}

const (
	// The profile goes to where the log-likelihood has fallen by so much, at most so many values to either side, which are so many
	// to a fall by one at first.
	profileFall  = 5.0
	profileSteps = 60
	// The first step is this part of the standard error, in unconstrained coordinates, or of the coordinate where there is none.
	// It grows while the likelihood falls by less than profileLeast at a step.
	profilePart  = 0.25
	profileFirst = 0.02
	profileLeast = 0.15
	profileGrows = 1.6
	// Settings of the runs over the other parameters: to this natural norm, that of ordinary gradients here.
	profileNorm       = 1e-7
	profileIterations = 2000
)

// profile finds the profile likelihood of a number among the parameters of a report, from the estimate theta to both sides, each
// run over the others from where the one before has ended.
func profile(ctx context.Context, m runtime.Model, r *Settings, rep *Report, theta []float64, name string) (*Profile, error) {
	switch {
	case rep.Penalised:
		return nil, errors.New("the estimate is that of a penalised likelihood")
	case !rep.Converged:
		return nil, errors.New("the fit has found no maximum to start from")
	}
	one := m.Clone()
	u, err := Coordinates(one, r.root())
	if err != nil {
		return nil, err
	}
	at, entry, err := coordinateOf(one, u, name)
	if err != nil {
		return nil, err
	}
	x := make([]float64, u.Dim())
	u.FromTheta(x, theta)
	p := &profiler{ctx: ctx, u: u, at: at, entry: entry, n: rep.N, theta: slices.Clone(theta), first: profileFirst * (1 + math.Abs(x[at]))}
	if se := p.standardError(rep, theta, x); se > 0 {
		p.first = profilePart * se
	}
	out := &Profile{Name: name, Estimate: theta[entry], Level: r.Level, Best: float64(rep.LogLikelihood), Low: math.NaN(), High: math.NaN()}
	out.Values, out.LogLikelihood = p.side(x, -1, out)
	slices.Reverse(out.Values)
	slices.Reverse(out.LogLikelihood)
	out.Values, out.LogLikelihood = append(out.Values, out.Estimate), append(out.LogLikelihood, out.Best)
	values, logs := p.side(x, 1, out)
	out.Values, out.LogLikelihood = append(out.Values, values...), append(out.LogLikelihood, logs...)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	out.Maximum = slices.Max(out.LogLikelihood)
	out.limits()
	return out, nil
}

// profiler runs over all coordinates but one.
type profiler struct {
	ctx       context.Context
	u         runtime.Unconstrained
	at, entry int // of the number among the coordinates, and among the entries of theta
	n         float64
	first     float64
	theta     []float64
}

// standardError is that of the coordinate, by the interval of the report; 0 where there is none.
func (p *profiler) standardError(rep *Report, theta, x []float64) float64 {
	y := make([]float64, len(x))
	coordinate := func(value float64) float64 {
		copy(p.theta, theta)
		p.theta[p.entry] = value
		p.u.FromTheta(y, p.theta)
		return y[p.at]
	}
	for _, v := range rep.Interval {
		lows, highs := v.Lows, v.Highs
		if v.Shape == nil {
			lows, highs = []float64{v.Low}, []float64{v.High}
		}
		i := p.entry - parameterStart(rep, v.Name)
		if i < 0 || i >= len(lows) {
			continue
		}
		if se := (coordinate(highs[i]) - coordinate(lows[i])) / (2 * quantile(rep.Level)); se > 0 && !math.IsInf(se, 0) {
			return se
		}
	}
	return 0
}

// parameterStart is where the entries of a parameter begin in theta.
func parameterStart(rep *Report, name string) int {
	at := 0
	for _, v := range rep.Estimate {
		if v.Name == name {
			break
		}
		at += max(1, len(v.Entries))
	}
	return at
}

// side goes from the estimate to one side.
func (p *profiler) side(x []float64, sign float64, out *Profile) (values, logs []float64) {
	z := slices.Clone(x)
	step, last := p.first, out.Best
	for range profileSteps {
		z[p.at] += sign * step
		log, ok := p.maximise(z)
		if p.ctx.Err() != nil {
			return nil, nil
		}
		p.u.Theta(p.theta, z)
		value := p.theta[p.entry]
		if math.IsNaN(log) || math.IsInf(value, 0) || math.IsNaN(value) {
			break // the end of the domain
		}
		if !ok {
			out.Unfinished++
			continue
		}
		values, logs = append(values, value), append(logs, log)
		if log < out.Best-profileFall {
			break
		}
		if last-log < profileLeast {
			step *= profileGrows
		}
		last = log
	}
	return values, logs
}

// maximise moves all coordinates but one to where the likelihood is highest, and reports whether that came to an end.
func (p *profiler) maximise(z []float64) (log float64, ok bool) {
	if len(z) == 1 {
		return -p.n * p.u.Loss(z), true
	}
	res, err := newPart(p.u, z, slices.Delete(indices(len(z)), p.at, p.at+1)).minimise(p.ctx, z, profileIterations)
	if res == nil {
		return math.NaN(), false
	}
	return -p.n * res.Loss, err == nil && res.Status.Converged()
}

// limits finds where the profile crosses the level of a likelihood ratio test: between two values the signed root of the fall is
// about linear.
func (p *Profile) limits() {
	chi := distuv.ChiSquared{K: 1}.Quantile(p.Level) / 2
	root := func(i int) float64 { return math.Sqrt(math.Max(0, p.Maximum-p.LogLikelihood[i])) }
	top := slices.Index(p.LogLikelihood, p.Maximum)
	cross := func(inner, outer int) float64 {
		a, b := root(inner), root(outer)
		return p.Values[inner] + (math.Sqrt(chi)-a)/(b-a)*(p.Values[outer]-p.Values[inner])
	}
	for i := top; i > 0 && math.IsNaN(p.Low); i-- {
		if p.Maximum-p.LogLikelihood[i-1] >= chi {
			p.Low = cross(i, i-1)
		}
	}
	for i := top; i+1 < len(p.Values) && math.IsNaN(p.High); i++ {
		if p.Maximum-p.LogLikelihood[i+1] >= chi {
			p.High = cross(i, i+1)
		}
	}
}

// coordinateOf finds the coordinate that is a number among the parameters by itself, by its name: r, or mu[2] of a vector.
func coordinateOf(m runtime.Model, u runtime.Unconstrained, name string) (at, entry int, err error) {
	blocks := map[string]runtime.Block{}
	if named, ok := u.(interface{ Blocks() []runtime.Block }); ok {
		for _, b := range named.Blocks() {
			blocks[b.Name] = b
		}
	} else {
		for i, c := range coordinates(m.Info()) {
			blocks[c.name] = runtime.Block{Offset: i, Len: 1}
		}
	}
	start, numbers := 0, []string(nil)
	all := values(m, make([]float64, thetaLen(m)))
	for i, v := range all {
		p := &m.Info().Parameters[i]
		b, estimated := blocks[p.Name]
		single := estimated && b.Len == p.Len(m) && p.Type.Form.Structure == 0
		for j, own := range all[i : i+1].EntryNames() {
			if own == name && single {
				return b.Offset + j, start + j, nil
			}
			if own == name {
				return 0, 0, fmt.Errorf("it is no number that can be fixed while others vary (%s of type %s)", p.Name, p.Written())
			}
			if single && len(numbers) < shownNames {
				numbers = append(numbers, own)
			}
		}
		start += max(1, len(v.Entries))
	}
	return 0, 0, fmt.Errorf("there is no such number: choose one of %s", strings.Join(numbers, ", "))
}

// shownNames is how many names an error lists.
const shownNames = 12
