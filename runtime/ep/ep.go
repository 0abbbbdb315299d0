// Package ep approximates a density by a normal distribution with expectation propagation (Minka 2001, Expectation propagation for
// approximate Bayesian inference) and with power expectation propagation (Minka 2004, Power EP), of which variational inference is
// the limit.
//
// The density is the exponential of a quadratic function, times factors that see one linear predictor each, or a few. The approximation
// has a site in place of every factor, the exponential of a quadratic function of the predictors, whose mean parameters take natural
// steps: along the difference between the moments of the tilted distribution, which has the factor in place of its site, and those
// of the approximation, which is the natural gradient in the parameters of the site (Hasenclever et al. 2017, Distributed Bayesian
// learning with stochastic natural gradient expectation propagation and the posterior server, JMLR 18(106), section 4). There the
// mean parameters are those of the site as a distribution by itself, which sites of negative precision do not have; here they are
// those of the predictors under the approximation. A full step, of length 1, is that of expectation propagation.
package ep

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/dense"
)

// Problem is an unnormalised density of d numbers z, exp(Q(z) + sum_i w_i h_i(A_i z)), where Q is quadratic and A_i z are a few numbers.
type Problem interface {
	// FactorSizes returns the number d of latent variables, that of the factors, and that of the predictors of all of them.
	FactorSizes() (d, factors, predictors int)
	// Predictors returns how many numbers factor i sees: the rows of A_i.
	Predictors(i int) int
	// Coefficients writes the rows of all A_i, one after the other, to a, and the numbers of times w_i that the factors count to w.
	Coefficients(a, w []float64)
	// FactorLogs writes h_i to dst at points s: first the first of the numbers that the factor sees at all of the points, then the
	// second one. There are at most Portion points.
	FactorLogs(dst, s []float64, i int)
	// Quadratic writes the gradient of Q at z to g, and returns Q.
	Quadratic(g, z []float64) float64
}

// Portion is the largest number of points at which a factor is evaluated in one call.
const Portion = 256

// Model is a variational problem whose joint density is a Problem, and whose approximation may be any normal distribution.
type Model interface {
	runtime.Variational
	Problem
	// FromMoments writes to z where the approximation has a mean, d numbers, and a covariance matrix, d*d numbers after them.
	FromMoments(z, moments []float64) error
	// Power is that of the spec.
	Power() float64
}

// Settings say how to run. The zero value is what Run takes by default, but for the power.
type Settings struct {
	// Power is 1 for expectation propagation and 0 for variational inference, or between them.
	Power float64
	// Step is the length of the steps at first, up to 1; 0 means 1. Steps are halved where the moments do not come closer.
	Step float64
	// Sweeps over all factors at most; 0 means 200.
	Sweeps int
	// Tolerance is the largest difference between the moments of a tilted distribution and those of the approximation at which
	// they agree: of means in standard deviations, of variances in variances, divided by the power. 0 means 1e-6.
	Tolerance float64
}

const (
	defaultSweeps    = 200
	defaultTolerance = 1e-6
	// mostNumbers bounds the memory of the coefficients.
	mostNumbers = 1 << 28
)

// Validate reports settings that cannot work: a *runtime.SettingError.
func (s *Settings) Validate() error {
	refuse := func(field string, value any, want string) error {
		return &runtime.SettingError{Setting: "ep.Settings." + field, Value: value, Want: want}
	}
	switch {
	case !(s.Power >= 0 && s.Power <= 1):
		return refuse("Power", s.Power, "a number from 0 to 1")
	case !(s.Step >= 0 && s.Step <= 1):
		return refuse("Step", s.Step, "a number from 0, for the default, to 1")
	case s.Sweeps < 0:
		return refuse("Sweeps", s.Sweeps, "a number that is not negative")
	case !(s.Tolerance >= 0 && s.Tolerance <= math.MaxFloat64):
		return refuse("Tolerance", s.Tolerance, "a finite number that is not negative")
	}
	return nil
}

// Result is a normal approximation with what is known of its sites.
type Result struct {
	Mean, Covariance []float64 // d and d*d numbers
	// LogEvidence is the logarithm of the integral of the density as expectation propagation estimates it; with power 0 the
	// evidence lower bound.
	LogEvidence float64
	// Shift and Precision are those of the sites, exp(r_i's - s'Q_i s/2), for one of the times that a factor counts, one after the other.
	Shift, Precision []float64
	Factors          int
	Converged        bool
	Message          string
	// Sweeps over all factors, of which there may be Limit, and Evaluations of a factor at a predictor.
	Sweeps, Limit int
	Evaluations   int
	// Disagreement is the largest difference between moments at the end, as Settings.Tolerance counts it, and Factor where it is.
	Disagreement float64
	Factor       int
	// Skipped are the factors without moments at the end, as their cavity is improper or they have no integral; Negative is the
	// number of sites whose precision is not positive semidefinite, which is no fault.
	Skipped  []int
	Negative int
	// Quadrature is the largest change of a moment by the last doubling of the nodes, as Settings.Tolerance counts it.
	Quadrature float64
	Step       float64 // at the end
}

// Run approximates a density. The error is of the settings, of a problem without an approximation to begin with, or that of the
// context; a run that does not converge says so in its result.
func Run(ctx context.Context, p Problem, s Settings) (*Result, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	s.Step, s.Sweeps, s.Tolerance = cmp.Or(s.Step, 1), cmp.Or(s.Sweeps, defaultSweeps), cmp.Or(s.Tolerance, defaultTolerance)
	e, err := newSites(p, s)
	if err != nil {
		return nil, err
	}
	return e.run(ctx)
}

var errNothing = errors.New("the factors and the quadratic part together do not determine all latent variables: there is no proper " +
	"normal distribution to begin with; give all of them a prior")

const (
	// roughly is a disagreement above which it is too early to say how fine a lattice a factor needs.
	roughly = 0.1
	// firstSweeps are those at most that have power 1 where factors see several predictors, whatever the power is: with less, steps go
	// beyond the moments of tilted distributions, which from far away leads to improper cavities.
	firstSweeps = 20
)

// several reports whether factors see several predictors.
func (e *sites) several() bool { return len(e.cubes) > 2 }

func (e *sites) setPower(power float64) { e.Power, e.quad.power = power, power }

// run sweeps over the factors until all moments agree.
func (e *sites) run(ctx context.Context) (*Result, error) {
	pace := pace{step: e.Step}
	best := keep{least: math.Inf(1)}
	best.take(e)
	power := e.Power
	if e.several() {
		e.setPower(1)
	}
	for sweep := 1; ; sweep++ {
		last := e.sweep(ctx, pace.step)
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if e.Power != power && (last < roughly || sweep >= min(firstSweeps, e.Sweeps)) {
			e.setPower(power)
			last, best.least = math.Inf(1), math.Inf(1)
		}
		// Steps may have led to where there is no distribution, or where factors have no moments that have had some.
		if proper, lost := e.refresh(), math.IsInf(last, 1) && !math.IsInf(best.least, 1); !proper || lost {
			if !best.restore(e) {
				return nil, errors.New("the precision of the approximation is not positive definite in floating point")
			}
			last = math.Inf(1)
			pace.shorten()
		}
		if last < best.least {
			best.least = last
			best.take(e)
		}
		if last > roughly { // tilted distributions are others than they will be
			clear(e.level)
		}
		ended := sweep == e.Sweeps || pace.stuck()
		if last <= e.Tolerance || ended {
			end := e.check()
			if agreed := end.disagreement <= e.Tolerance && len(end.skipped) == 0; agreed || ended {
				return e.result(sweep, pace.step, agreed, end), nil
			}
		}
		pace.see(last)
	}
}

// negative reports whether the precision of a site is not positive semidefinite, by more than rounding.
func (e *sites) negative(i int) bool {
	l, k := e.checked, e.seen[i]
	q := e.site(i).precision
	if k == 1 {
		return q[0] < 0
	}
	l.cut(k)
	scale := 0.0
	for j := range k {
		scale = math.Max(scale, math.Abs(q[j*k+j]))
	}
	copy(l.other, q)
	for j := range k {
		l.other[j*k+j] += 1e-9 * scale
	}
	return !dense.Cholesky(l.root, l.other, k)
}

// pace chooses the length of the steps: half as long where the disagreement has not become smaller for some sweeps.
type pace struct {
	step, best float64
	waited     int
}

const (
	paceWait  = 4
	paceLeast = 1.0 / 64
)

func (p *pace) see(disagreement float64) {
	if p.best == 0 || disagreement < 0.9*p.best {
		p.best, p.waited = disagreement, 0
		return
	}
	if p.waited++; p.waited >= paceWait {
		p.step, p.waited, p.best = p.step/2, 0, disagreement
	}
}

// shorten takes shorter steps from now on.
func (p *pace) shorten() { p.step, p.waited, p.best = p.step/2, 0, 0 }

// keep has the sites with the least disagreement, or those at the start, to which a run goes back where steps have led to none.
type keep struct {
	least              float64
	shifts, precisions []float64
}

func (k *keep) take(e *sites) {
	k.shifts, k.precisions = append(k.shifts[:0], e.shifts...), append(k.precisions[:0], e.precisions...)
}

// restore goes back, and is false where there is no distribution either.
func (k *keep) restore(e *sites) bool {
	copy(e.shifts, k.shifts)
	copy(e.precisions, k.precisions)
	return e.refresh()
}

// stuck reports whether steps have become too short for more to be expected of them.
func (p *pace) stuck() bool { return p.step < paceLeast }

// result describes the end.
func (e *sites) result(sweeps int, step float64, agreed bool, c check) *Result {
	r := &Result{Mean: e.mean, Covariance: e.cov, LogEvidence: e.logEvidence(c), Shift: e.shifts, Precision: e.precisions, Factors: e.n, Converged: agreed,
		Sweeps: sweeps, Limit: e.Sweeps, Evaluations: e.quad.evaluations, Disagreement: c.disagreement, Factor: c.worst, Skipped: c.skipped,
		Quadrature: c.quadrature, Step: step}
	for _, levels := range e.cubes {
		for _, q := range levels {
			r.Evaluations += q.evaluations
		}
	}
	for i := range e.n {
		if e.negative(i) {
			r.Negative++
		}
	}
	switch {
	case e.n == 0:
		r.Message = "the density is normal: there are no factors"
	case agreed:
		r.Message = fmt.Sprintf("the moments of all tilted distributions are those of the approximation, to %.1g", math.Max(c.disagreement, 1e-16))
	case len(c.skipped) > 0:
		r.Message = fmt.Sprintf("%d of %d factors have no tilted moments after %d sweeps: their cavities are improper, or the factors have no "+
			"integral under them", len(c.skipped), e.n, sweeps)
	case step < paceLeast:
		r.Message = fmt.Sprintf("the moments do not agree, and shorter steps do not bring them closer: factor %d differs by %.2g",
			c.worst+1, c.disagreement)
	default:
		r.Message = fmt.Sprintf("the moments do not agree after %d sweeps: factor %d differs by %.2g", sweeps, c.worst+1, c.disagreement)
	}
	return r
}
