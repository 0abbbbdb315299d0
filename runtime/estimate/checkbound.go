package estimate

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/sngdgen/sngdgen/runtime"
)

// boundMethods are those of Methods that fit an evidence lower bound.
var boundMethods = []string{"auto", "exact", "saa", "sngd", "ep"}

// checkBound reports what has no meaning for an evidence lower bound.
func (r *Settings) checkBound(m runtime.Variational) error {
	byMoments := r.Method == "ep" || r.Method == "auto" && r.variationalMethod(m) == "ep"
	if byMoments {
		if err := r.checkPropagation(m); err != nil {
			return err
		}
	}
	return cmp.Or(r.checkBoundMethod(m), r.checkDraws(), r.checkSearch(byMoments), r.checkBatch(m))
}

// checkBoundMethod reports a method that does not fit the bound of the model.
func (r *Settings) checkBoundMethod(m runtime.Variational) error {
	info := m.Info()
	_, exact := m.(runtime.Exact)
	known := slices.Contains(boundMethods, r.Method)
	switch {
	case !known && exact:
		return fmt.Errorf("the objective of %s is an evidence lower bound: fit maximises it by exact, saa or sngd, not by %s", info.Name, r.Method)
	case !known:
		return fmt.Errorf("the objective of %s is an evidence lower bound, of which there are only estimates from random draws: "+
			"fit maximises it by saa or sngd, not by %s", info.Name, r.Method)
	case r.Method == "exact" && !exact:
		return fmt.Errorf("the bound of %s is known from draws only: fit it by saa or sngd, not by exact", info.Name)
	case r.Method == "saa" && info.Path:
		return fmt.Errorf("the gradients of %s are path derivatives, which belong to no function of fixed draws: fit it by sngd", info.Name)
	}
	return nil
}

// checkDraws reports numbers of draws that have no place in a method, or say too little.
func (r *Settings) checkDraws() error {
	switch v := &r.Variational; {
	case r.Method == "exact" && v.Draws > 0:
		return errors.New("the method exact takes no draws: draws are for saa and sngd")
	case v.EvalDraws != 0 && v.EvalDraws < leastEvalDraws:
		return fmt.Errorf("%d draws are too few to evaluate the bound with: at least %d", v.EvalDraws, leastEvalDraws)
	}
	return nil
}

// checkSearch reports settings of steps and ends of other loops than that of the method.
func (r *Settings) checkSearch(byMoments bool) error {
	switch {
	case (r.Method == "saa" || r.Method == "exact") && r.Stochastic != (Stochastic{}):
		return fmt.Errorf("batches, steps, epochs, rates and schedules are for the method sngd, not for %s", r.Method)
	case (r.Variational.Power != 0 || r.Variational.PowerZero) && !byMoments:
		return errors.New("a power is for the method ep, expectation propagation")
	case r.LineSearch != "":
		return errors.New("a line search has no place in fits of an evidence lower bound: they choose it, or steps are scheduled")
	case !byMoments && (r.GradientTolerance > 0 || r.MaxIterations > 0):
		return errors.New("fits of an evidence lower bound end when it no longer rises, " +
			"or after a number of steps or epochs, not by a tolerance or a limit of iterations")
	case r.Init != nil && r.Starts > 1:
		return errors.New("a former result is one start: there are no others beside it")
	}
	return nil
}

// checkBatch reports batches that the data do not have.
func (r *Settings) checkBatch(m runtime.Variational) error {
	_, batches := m.(runtime.Batcher)
	rows, _, _ := m.Counts()
	switch size := r.Stochastic.Batch; {
	case size > 0 && !batches:
		return fmt.Errorf("the data of %s are given once: there are no rows for batches", m.Info().Name)
	case size > 0 && m.Info().Ordered:
		return errSequence(m)
	case size > rows:
		return fmt.Errorf("a batch of %d rows is larger than the data, which have %d", size, rows)
	}
	return nil
}

// checkFixedDraws reports a number of fixed draws that cannot be matched: the approximation would fit their sample moments.
func (r *Settings) checkFixedDraws(m runtime.Variational) error {
	n := r.Variational.Draws
	if least := leastMatched(m); r.Method == "saa" && n > 0 && n < least {
		return fmt.Errorf("%d fixed draws cannot stand for all: %s would be fitted to their sample moments; saa needs %d at least, "+
			"and sngd, which takes fresh ones for every step, does with any number", n, m.Info().Name, least)
	}
	return nil
}

// leastEvalDraws are enough for a k-hat.
const leastEvalDraws = 100

// check reports numbers of draws that no model can make.
func (v *Variational) check() error {
	switch {
	case v.Draws < 0 || v.EvalDraws < 0 || v.Keep < 0 || v.Resample < 0:
		return errors.New("the numbers of draws cannot be negative")
	case !(v.Power >= 0 && v.Power <= 1):
		return fmt.Errorf("the power %v is not between 0 and 1", v.Power)
	case v.Power > 0 && v.PowerZero:
		return fmt.Errorf("the power cannot be both %v and 0", v.Power)
	case v.Keep > 0 && v.Resample > 0:
		return errors.New("the draws that are kept are those that are resampled: give the number of one of both")
	}
	return nil
}

// errSequence refuses batches of what is a sequence.
func errSequence(m runtime.Model) error {
	return fmt.Errorf("the data of %s are a sequence, of which each row depends on those in front of it: there are no batches of it", m.Info().Name)
}
