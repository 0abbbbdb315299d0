package runtime

import (
	"errors"
	"fmt"
	"time"
)

// Stochastic are the settings of [Descend]. The zero value, and a nil pointer, work: 10,000 steps of SNGD on all rows
// with steps that decrease, and Adam for auxiliary parameters.
type Stochastic struct {
	// Batch is the number of rows that each gradient is taken over. 0 means all of them, every time; otherwise the problem
	// must be a Batcher.
	Batch int
	// Sampling says how these rows are drawn.
	Sampling Sampling
	// Rows is the number of rows to draw from, the first ones of the data, so that the others can be held out. 0 means
	// all, for which the problem must have the method Counts of a Model if there are batches.
	Rows int
	// Workers is how many goroutines share the passes over many rows of a problem that is Parallel, unless it has workers already: for
	// the run. 0 means as many as there are processors. What comes out does not depend on it.
	Workers int
	// Seed of the batches, and of the draws of a Variational. The same seed gives the same bits.
	Seed uint64

	// Step is the multiple of the natural gradient by which the blocks of the surrogate go at each step, counted from 0.
	// It may give 0, but nothing negative. Nil means Decay{First: 0.1}.
	Step Schedule
	// Auxiliary steps the auxiliary blocks. A problem all of whose blocks are auxiliary is minimised by this method alone.
	// Nil means Adam{}.
	Auxiliary Optimizer
	// AuxiliaryScale multiplies the steps of Auxiliary. Nil means 1.
	AuxiliaryScale Schedule
	// Alternate chooses how the two go together. 0 means jointly: both step from the same gradient. A larger number means
	// that each step of the surrogate is followed by so many of the auxiliary blocks, each with a gradient of its own at
	// the point reached, over a batch of its own.
	Alternate int

	// Drawing says how the draws of a Variational depend on each other. 0 means Automatic.
	Drawing Drawing
	// ToBoundary is the part of the way to the boundary of the domain that a step on a Variational may go at most, above 0 and
	// at most 1: see Descend. Nil means 0.5 + 0.4/(1 + k/10) at step k.
	ToBoundary Schedule

	// Average, if above 0, makes the Z of the Result the mean of the points of the last part of the run, at least this
	// fraction a of all steps and at most a(2-a), rather than the last point (Polyak and Juditsky, Acceleration of
	// stochastic approximation by averaging, SIAM Journal on Control and Optimization 30, 1992): under steps that decrease
	// slowly, or do not, most of the noise goes. It is 1 at most. Where the mean is outside the domain, which no mean is
	// when the domain is convex, Z is the last point; Averaged is 0 then and the Message says so. The steps are the same
	// with and without, and records are those of the steps.
	Average float64

	// Patience, if above 0, ends the run with BoundConverged once the evidence lower bound of a Variational has not risen in so
	// many windows. The first window has CheckEvery steps, later ones half as many as there were before them, or CheckEvery. At
	// the end of each the bound at the point that the run would return is compared with that at the last check, by the same
	// random draws at both, CheckDraws of them or more, and with batches over random rows, as many as a step takes. It has not
	// risen if the difference and twice its standard error are together not above Tolerance. Draws increase where the standard
	// error is too large for that, up to half of those that the steps make.
	//
	// With Overrun a run in whose last window the bound has not risen does not end at MaxSteps, but when it has risen in one, or
	// has converged: so near the end it is no limit that should decide. It takes 1.5^Patience times MaxSteps at most.
	Patience   int
	Overrun    bool
	Tolerance  float64 // in units of the logarithm; 0 means 0.01, which is of no consequence to any inference
	CheckEvery int     // 0 means 100
	CheckDraws int     // 0 means 200; also those for the Loss of the Result of a Variational

	// WeightFloor, if above 0, keeps the weights of a mixture from falling below it: they are raised
	// (Mixture.RaiseWeights) at the start and after every step, as So and Turner do. It must be less than one divided
	// by the number of components, and the problem a Mixture.
	WeightFloor float64

	// VerifyEvery is the number of steps between two calls of Violation, which may cost more than a step does. The domain
	// is also checked at the start, before every record and at the end. When the point turns out to be outside or not
	// finite, or a gradient is not finite (which is noticed at once), the run goes back to the last verified point and to
	// what Auxiliary remembered there, and all steps become half as long. They double again after 10 such intervals
	// without another incident. The run fails when halving 20 times does not help. 0 means 10. The
	// steps on a Variational are all verified, whatever VerifyEvery is: see Descend.
	VerifyEvery int

	// The run ends after MaxSteps steps of the surrogate, counting those that were taken back, after MaxEpochs epochs, or
	// with the first step that ends after MaxTime. 0 means no limit; when all are 0, MaxSteps is 10,000.
	MaxSteps  int
	MaxEpochs float64
	MaxTime   time.Duration

	// Recorder, if not nil, is told of the start, of every Every-th step, and of the end. It may use the problem: Batch is
	// called before every gradient, except where there are no batches and Rows is 0.
	Recorder Recorder
	// Every is the number of steps between two records. 0 means 10.
	Every int
	// Evaluate, if not nil, gives the loss to be recorded, for example over held-out rows; without it NaN is recorded. It
	// is called before Recorder and may use the problem as well. The time of both is part neither of Elapsed nor of
	// MaxTime.
	Evaluate func(z []float64) float64
	// SkipLoss leaves the Loss of the Result NaN. Otherwise it is the loss over all rows that are drawn from, whose
	// evaluation, apart from those for Patience the only one that Descend does by itself, is no part of Elapsed. That of a
	// Variational is estimated with CheckDraws draws.
	SkipLoss bool
}

const (
	defaultVerifyEvery = 10
	defaultRecordEvery = 10
	defaultCheckEvery  = 100
	defaultCheckDraws  = 200
	defaultTolerance   = 0.01
	// Intervals between verifications without incident after which steps double again.
	recoveryIntervals = 10
)

// toBoundary is the part of the way to the boundary that a step may go. Far steps are of use at first, when the approximation is too
// narrow. Later they make it so wide, now and then, that the gradients that follow are mostly noise.
func toBoundary(k int) float64 { return 0.5 + 0.4/(1+float64(k)/10) }

// Validate implements Validator; nil settings are the defaults.
func (s *Stochastic) Validate() error {
	if s == nil {
		return nil
	}
	return firstOf(
		count("Stochastic", "Batch", s.Batch),
		s.Sampling.validate(),
		count("Stochastic", "Rows", s.Rows),
		count("Stochastic", "Workers", s.Workers),
		validate(s.Step),
		validate(s.Auxiliary),
		validate(s.AuxiliaryScale),
		count("Stochastic", "Alternate", s.Alternate),
		s.Drawing.validate(),
		validate(s.ToBoundary),
		fraction("Stochastic", "Average", s.Average),
		count("Stochastic", "Patience", s.Patience),
		notNegative("Stochastic", "Tolerance", s.Tolerance),
		count("Stochastic", "CheckEvery", s.CheckEvery),
		countUpTo("Stochastic", "CheckDraws", s.CheckDraws, maxDraws),
		below("Stochastic", "WeightFloor", s.WeightFloor, 1),
		count("Stochastic", "VerifyEvery", s.VerifyEvery),
		count("Stochastic", "MaxSteps", s.MaxSteps),
		notNegative("Stochastic", "MaxEpochs", s.MaxEpochs),
		count("Stochastic", "MaxTime", s.MaxTime),
		count("Stochastic", "Every", s.Every),
	)
}

// filled returns a copy with the defaults in place.
func (s *Stochastic) filled() Stochastic {
	var f Stochastic
	if s != nil {
		f = *s
	}
	if f.Step == nil {
		f.Step = Decay{First: 0.1}
	}
	if f.Auxiliary == nil {
		f.Auxiliary = Adam{}
	}
	if f.VerifyEvery == 0 {
		f.VerifyEvery = defaultVerifyEvery
	}
	if f.Every == 0 {
		f.Every = defaultRecordEvery
	}
	if f.CheckEvery == 0 {
		f.CheckEvery = defaultCheckEvery
	}
	if f.CheckDraws == 0 {
		f.CheckDraws = defaultCheckDraws
	}
	if f.Tolerance == 0 {
		f.Tolerance = defaultTolerance
	}
	if f.ToBoundary == nil {
		f.ToBoundary = ScheduleFunc(toBoundary)
	}
	if f.MaxSteps == 0 && f.MaxEpochs == 0 && f.MaxTime == 0 {
		f.MaxSteps = defaultMaxIterations
	}
	return f
}

// counter is the method of Model that tells the number of rows.
type counter interface {
	Counts() (rows, distinct int, weight float64)
}

// resolve finds the number of rows and reports what does not fit the problem.
func (s *Stochastic) resolve(p Problem) error {
	if s.Auxiliary.Memory() < 0 {
		return &SettingError{"Stochastic.Auxiliary", s.Auxiliary, "an Optimizer with a Memory of 0 or more"}
	}
	if _, ok := p.(Variational); !ok && s.Patience > 0 {
		return errors.New("runtime: Stochastic.Patience is set, but the problem is no Variational: it has no evidence lower bound")
	}
	if s.Batch == 0 && s.Rows == 0 {
		return nil
	}
	if _, ok := p.(Batcher); !ok {
		return errors.New("runtime: Stochastic.Batch or Rows is set, but the problem is no Batcher: it has no minibatches")
	}
	c, ok := p.(counter)
	if !ok && s.Rows == 0 {
		return errors.New("runtime: the problem does not tell how many rows it has: Stochastic.Rows is needed")
	}
	if ok {
		rows, _, _ := c.Counts()
		if s.Rows > rows {
			return fmt.Errorf("runtime: Stochastic.Rows is %d, the problem has %d", s.Rows, rows)
		}
		if _, sum := p.(Variational); sum && s.Rows != 0 && s.Rows < rows {
			return errors.New("runtime: Stochastic.Rows is less than all: the objective is a sum, for which rows that are held out must " +
				"not be among the data")
		}
		if s.Rows == 0 {
			s.Rows = rows
		}
	}
	return nil
}
