package runtime

// Method chooses the direction of each step: SNGD or NaturalLBFGS. Which gradient a problem calls natural decides what
// they are in practice. With the natural gradient of the surrogate, SNGD is surrogate natural gradient descent; on a
// problem whose v is F^-1 c with the Fisher matrix of the target it is natural gradient descent; on a problem whose v
// is c it is gradient descent, and NaturalLBFGS is ordinary L-BFGS. Package baseline has such problems.
type Method interface {
	// String returns the name of the method.
	String() string
	memory(dim int) int
	rule() StepRule
	Validator
}

// SNGD is surrogate natural gradient descent: the direction is -v (So and Turner, AISTATS 2024, algorithm 1; with
// auxiliary parameters the joint step of its section 3.5, theirs being M^-1 c in the metric that the spec declares).
// The default step is ExactLineSearch{}. Its stochastic form, over minibatches and with an Optimizer for the auxiliary
// parameters, is Descend.
type SNGD struct{}

func (SNGD) String() string { return "sngd" }
func (SNGD) memory(int) int { return 0 }
func (SNGD) rule() StepRule { return ExactLineSearch{} }

// Validate implements Validator.
func (SNGD) Validate() error { return nil }

// NaturalLBFGS is L-BFGS whose initial inverse Hessian is the inverse of the metric that turns c into v. The metric
// itself is never formed: the two loops run on the pair (c, v) (see direct in lbfgs.go). The default step is Wolfe{}.
type NaturalLBFGS struct {
	// Memory is the number of past steps remembered, each with three numbers for every coordinate that is free. 0 means one more than
	// there are coordinates, but no more than 40, nor more than fit into 256 MiB, and at least 5. At most 10,000.
	Memory int
	// Keep makes a run begin with the past steps of the last one of the same Minimizer: of a problem that is nearly the same, and from
	// a point nearby, these say what its second derivatives are. They are forgotten as soon as they lead nowhere.
	Keep bool
}

func (NaturalLBFGS) String() string { return "nlbfgs" }
func (NaturalLBFGS) rule() StepRule { return Wolfe{} }

// maxPairs bounds what a run allocates for past steps.
const maxPairs = 10_000

// Validate implements Validator.
func (l NaturalLBFGS) Validate() error {
	return countUpTo("NaturalLBFGS", "Memory", l.Memory, maxPairs)
}

func (l NaturalLBFGS) memory(dim int) int {
	if l.Memory > 0 {
		return l.Memory
	}
	const fit = 1 << 25 / 3
	return min(dim+1, max(5, min(40, fit/max(dim, 1))))
}
