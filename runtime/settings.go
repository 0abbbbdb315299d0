package runtime

// Settings of a run. The zero value, and a nil pointer, work: SNGD with an exact line search to full precision.
type Settings struct {
	// Method chooses directions. Nil means SNGD{}.
	Method Method
	// Step chooses how far to go along a direction. Nil means the default of the method: ExactLineSearch{} for SNGD,
	// Wolfe{} for NaturalLBFGS.
	Step StepRule
	// GradientTolerance stops the run with GradientConverged once the natural norm sqrt(c.v) is at most this. For a mean
	// negative log-likelihood it is a distance from the optimum in standard deviations of one observation, so it has no
	// units. 0 means 1e-13, which gives estimates to about 11 digits; negative means never. Where rounding keeps the
	// norm above the tolerance, the run ends with PrecisionReached.
	GradientTolerance float64
	// LossTolerance stops the run with LossConverged once the loss has fallen by less than LossTolerance*(1+|loss|) over
	// five iterations. 0 means never.
	LossTolerance float64
	// Negligible is a change of the loss of no consequence, such as 0.001 divided by the number of observations. If it is
	// above 0, the run watches whether auxiliary blocks go to infinity, and then ends with AtInfinity: when the norm of
	// one has grown four times in one direction while the loss has changed by no more than this, or when, at the end, the
	// block may be made four times as long at no more than this. Blocks that could as well be 0 do not count. A block of
	// one number stays where it is, and its gradient counts as 0, once it could be a quarter or four times of what it is at
	// no more than this, all else being equal, until all else is fitted. 0 means that the run does not look.
	Negligible float64
	// WeightFloor, if above 0, keeps the weights of a mixture from falling below it: the start and every trial have
	// their weights raised (Mixture.RaiseWeights) before they are evaluated, and no component dies. It must be less
	// than one divided by the number of components, and the problem a Mixture. Near the floor, natural gradients and
	// directions are projected, so that their norm vanishes at an optimum under the bound; rounding keeps it above 1e-8
	// or so there. A trial that the floor has changed is judged by the decrease that its actual displacement predicts,
	// not by its slope.
	WeightFloor float64
	// MaxIterations is the largest number of steps. 0 means 10,000; negative means no step at all.
	MaxIterations int
	// MaxEvaluations limits the calls of Loss and Gradients together. It is checked between steps, so the last step may
	// exceed it. 0 means no limit.
	MaxEvaluations int
	// Recorder, if not nil, is told of the start and of every step.
	Recorder Recorder
	// Evaluations, if not nil, is asked before Gradients is called, and told what it returned.
	Evaluations Evaluations
	// Workers is how many goroutines share the passes over many rows of a problem that is Parallel, unless it has workers already: for
	// the run. 0 means as many as there are processors. What comes out does not depend on it.
	Workers int
}

const (
	defaultGradientTolerance = 1e-13
	defaultMaxIterations     = 10_000

	// Below this natural norm a search that finds no better point has reached the limits of floating point, not an
	// obstacle: the predicted decrease, half the square of the norm, is under the rounding of the loss.
	precisionNorm = 1e-6
	// A run with a natural norm below precisionNorm ends when this many steps in a row bring no smaller one.
	stagnationIterations = 15
	// A search of so many trials is long: one that gets somewhere needs a few.
	longSearch = 24
	// A run does not go on after so many long searches that found no good step, however they add up: they cost a hundred times
	// what steps cost, and lead nowhere.
	mostExhausted = 100
	// Steps over which LossTolerance is measured.
	lossWindow = 5
)

// Validate implements Validator; nil settings are the defaults.
func (s *Settings) Validate() error {
	if s == nil {
		return nil
	}
	return firstOf(
		validate(s.Method),
		validate(s.Step),
		isFinite("Settings", "GradientTolerance", s.GradientTolerance),
		notNegative("Settings", "LossTolerance", s.LossTolerance),
		notNegative("Settings", "Negligible", s.Negligible),
		below("Settings", "WeightFloor", s.WeightFloor, 1),
		count("Settings", "MaxEvaluations", s.MaxEvaluations),
		count("Settings", "Workers", s.Workers),
	)
}

// filled returns a copy with the defaults in place.
func (s *Settings) filled() Settings {
	var f Settings
	if s != nil {
		f = *s
	}
	if f.Method == nil {
		f.Method = SNGD{}
	}
	if f.Step == nil {
		f.Step = f.Method.rule()
	}
	if f.GradientTolerance == 0 {
		f.GradientTolerance = defaultGradientTolerance
	}
	if f.MaxIterations == 0 {
		f.MaxIterations = defaultMaxIterations
	}
	return f
}
