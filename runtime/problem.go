// Package runtime is the thin loop that generated optimisers link against.
//
// A generated package supplies a [Problem]: an objective f of the coordinates z of an exponential-family surrogate
// (its mean or its natural parameters, then any auxiliary parameters), together with both of its gradients. The loop
// in [Minimize] needs nothing else: it knows no family, no target and no formula.
package runtime

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"

	"github.com/sngdgen/sngdgen/runtime/types"
	"github.com/sngdgen/sngdgen/runtime/workers"
)

// Problem is an objective f(z) in the coordinates of a surrogate distribution.
//
// z holds the stepped coordinates of the surrogate (mean or natural parameters) followed by the auxiliary parameters;
// Blocks tells which is which. The covector c = df/dz is the ordinary gradient. The vector v = F(z)^-1 c is the natural
// gradient; for an exponential family it is the ordinary gradient with respect to the dual coordinates (So and Turner,
// AISTATS 2024, equations 4 and 5), so no metric is ever formed. For auxiliary parameters v is M^-1 c with the metric M
// that the spec declares (the identity when it declares none).
//
// No method allocates. A Problem owns one workspace and is not safe for concurrent use; Clone gives another one.
type Problem interface {
	// Blocks describes the coordinates in order. The result must not be modified.
	Blocks() []Block
	// Loss returns f(z), or NaN when z is outside the domain.
	Loss(z []float64) float64
	// NaturalGradient writes what one step of a first-order method needs to v: the natural gradient of the surrogate's
	// blocks and, as auxiliary parameters have optimisers of their own, the ordinary gradient of theirs. It does not
	// check the domain.
	NaturalGradient(v, z []float64)
	// Gradients writes the natural gradient to v and the ordinary gradient to c, and returns f(z). When z is outside
	// the domain it returns NaN and the contents of v and c are unspecified.
	Gradients(v, c, z []float64) float64
	// Violation returns the index in Conditions of the first condition that z violates, or -1 when z is inside.
	Violation(z []float64) int
	// Conditions describes the domain. The result must not be modified.
	Conditions() []Condition
}

// Block is a run of coordinates with one name.
type Block struct {
	Name      string // as in the spec, or m1, m2, ... and eta1, eta2, ... for coordinates of the surrogate
	Offset    int    // of the first coordinate in z
	Len       int
	Auxiliary bool // optimised with the declared metric, not with that of the surrogate
	Symmetric bool // a symmetric matrix in full, row by row: its gradients are symmetric too
	Lower     bool // a lower triangular matrix in full, row by row: 0 above the diagonal, in its gradients too
	Strict    bool // of a lower triangular matrix: 0 on the diagonal as well
	// Copies is the number of components when the block belongs to each component of a mixture: it then holds so many
	// numbers, vectors or matrices one after the other, each of Len/Copies entries, and Symmetric and Lower describe each.
	// 0 means 1.
	Copies int
}

// Parts returns the number of vectors or matrices that the block holds and the length of each.
func (b *Block) Parts() (copies, length int) {
	copies = max(b.Copies, 1)
	return copies, b.Len / copies
}

// Condition is one requirement on the domain, in the words of the spec.
type Condition struct {
	Block string // the block, parameter or map it constrains
	Text  string // for example "beta < 1"
}

// Data is a data set: rows of observations, and optionally their weights.
type Data struct {
	Values  []float64 // row-major, len = rows * Columns
	Columns int       // numbers in a row; 0 means 1
	Weights []float64 // frequency weights, one a row, finite and not negative; nil means all one
	// Kept says that Values and Weights stay as they are for as long as a model has them, so that it need not copy them.
	Kept bool
	// Room gives memory for what a model keeps of every row, as a copy of its parts: that of a file, where rows are too many for the
	// machine's. Nil stands for memory of Go.
	Room func(numbers int) ([]float64, error)
	// Unobserved says that what the model predicts has not been observed, and has values of no meaning in these rows, for which they are
	// not refused.
	Unobserved bool
	// Others are the processes that have a part of the rows each, this one those above; nil where these are all rows. Then SetData is
	// something that all processes do, and an error of one is an error in all.
	Others Reducer
}

// Model is what a generated package offers beyond the bare loop: data, starts, the target's parameters and the same
// objective in unconstrained coordinates.
type Model interface {
	Problem
	// Info describes the problem; it does not depend on the data.
	Info() *Info
	// SetData validates and takes a data set; the slices are copied, unless they are Kept. The error is a *DataError when a value is at fault.
	// After an error the model keeps the data it had.
	SetData(Data) error
	// Sizes returns the lengths of the dimensions in Info().Dims, 0 where they are not known yet: SetData takes them from
	// the data. Nil when there are none.
	Sizes() []int
	// Resize sets the lengths of the dimensions, drops the data and allocates the workspace, so that everything that
	// needs no data can be called: Theta, Sample, Dual, Violation.
	Resize(sizes []int) error
	// Counts returns the number of rows, of distinct rows after merging equal ones, and the sum of the weights.
	Counts() (rows, distinct int, weight float64)
	// Clone returns a model on the same data with a workspace of its own.
	Clone() Model
	// Start writes a starting point to z. Starts 0 to Info().Starts-1 are formulas of the data and ignore rng; later ones
	// are random when Info().RandomStart is true. An error says which start fails on these data, and why.
	Start(z []float64, i int, rng *rand.Rand) error
	// Theta writes the target's parameters at z, in the order of Info().Parameters, to dst.
	Theta(dst, z []float64)
	// Unconstrained returns the same objective in unconstrained coordinates of theta: the identity for real parameters,
	// log for positive ones, logit for those in (0, 1). It shares the workspace of the model. It is nil when parameters
	// are vectors or matrices: those models are Objectives, of which package baseline makes the same.
	Unconstrained() Unconstrained
}

// Unconstrained is the objective as a function of unconstrained coordinates u of the target's parameters: what general
// optimisers (BFGS and the like) work on. All methods return NaN or write NaN where the objective is undefined.
type Unconstrained interface {
	Dim() int
	Loss(u []float64) float64
	// Gradient writes df/du to g and returns f(u).
	Gradient(g, u []float64) float64
	// Hessian writes the second derivatives to h, row-major Dim x Dim; NaN to all of h where they are not available.
	Hessian(h, u []float64)
	// Theta and FromTheta convert between u and the target's parameters.
	Theta(dst, u []float64)
	FromTheta(u, theta []float64)
}

// Dual is implemented by models that give the other coordinates of the surrogate too: its natural parameters where the
// mean parameters are stepped, and the other way round. Auxiliary parameters are their own duals.
type Dual interface {
	// Dual writes the dual coordinates at z to dst.
	Dual(dst, z []float64)
}

// Objective is implemented by models whose parameters are vectors or matrices: the loss as a function of the target's own
// parameters, for methods that work in other coordinates than those of the surrogate.
type Objective interface {
	// ThetaGradient writes the derivative of the loss with respect to the target's parameters theta to g, symmetric where
	// a parameter is a symmetric matrix, and returns the loss. Both are in the order and layout of Theta. Outside the
	// domain of the target it returns NaN and the contents of g are unspecified.
	ThetaGradient(g, theta []float64) float64
}

// LossOfTheta is implemented by models that are an Objective, where the loss alone costs less than with its derivatives.
type LossOfTheta interface {
	// ThetaLoss returns the loss at the target's parameters theta, in the order and layout of Theta; NaN outside the domain of the target. It is that of
	// ThetaGradient to rounding.
	ThetaLoss(theta []float64) float64
}

// LossAt returns the loss of an objective at the target's parameters theta, without its derivatives where the objective knows how; scratch is as long as theta.
func LossAt(o Objective, scratch, theta []float64) float64 {
	if alone, ok := o.(LossOfTheta); ok {
		return alone.ThetaLoss(theta)
	}
	return o.ThetaGradient(scratch, theta)
}

// Limit is a distribution that the target tends to as parameters leave their domain, to infinity or to its boundary. Where the
// likelihood has no maximum, its supremum may be that of a limit.
type Limit struct {
	Name        string
	When        []LimitEnd  // the parameters of the target that leave their domain
	Parameters  []Parameter // of the limit
	Starts      int         // number of starts that are formulas of the data
	RandomStart bool        // whether there are random starts too
	From        bool        // whether LimitFrom knows the way back
}

// LimitEnd is where a parameter goes in a limit.
type LimitEnd struct {
	Parameter string
	To        float64 // a number, or infinity: of a vector the length goes there, of a matrix the largest entry
}

// MarshalText says where the parameter goes, for JSON and the like, which have no infinity.
func (e LimitEnd) MarshalText() ([]byte, error) {
	if math.IsInf(e.To, 0) {
		return []byte(e.Parameter + " to " + map[bool]string{true: "infinity", false: "minus infinity"}[e.To > 0]), nil
	}
	return fmt.Appendf(nil, "%s to %v", e.Parameter, e.To), nil
}

// Limiting is implemented by models of targets with limits. A limit is an index into Info().Limits; a model that has no data
// has none of what follows.
type Limiting interface {
	// LimitGradient writes the derivative of the mean negative log-likelihood of a limit with respect to its own parameters,
	// one after the other as in Limit.Parameters, to g, symmetric where a parameter is a symmetric matrix, and returns the
	// value. Outside the domain of the limit it returns NaN and the contents of g are unspecified. The value may have kinks,
	// where it is the maximum over rows of something: g is the derivative on one of the sides. After the first call with
	// the data, or the batch, it does not allocate.
	LimitGradient(g, theta []float64, limit int) float64
	// LimitPath writes parameters of the target on the way to the limit, in the order and layout of Theta, to dst: as t goes
	// to infinity their mean negative log-likelihood tends to that of the limit at theta. Where it is undefined dst[0] is NaN.
	LimitPath(dst, theta []float64, limit int, t float64)
	// LimitFrom writes the parameters of the limit that theta, parameters of the target in the order and layout of Theta, is near to on its way there,
	// to dst. Where that is undefined, or Limit.From is false, dst[0] is NaN.
	LimitFrom(dst, theta []float64, limit int)
	// LimitStart writes starting point i of a limit to theta. Starts 0 to Limit.Starts-1 are formulas of the data and ignore
	// rng; later ones are random when Limit.RandomStart is true. The error says that there is no such start; a point may be
	// outside the domain on some data.
	LimitStart(theta []float64, limit, i int, rng *rand.Rand) error
}

// Contained is an approximation of a posterior that another one contains.
type Contained struct {
	Name       string      // as its spec calls it
	Parameters []Parameter // of its target, of one component in a mixture: those of Info().Parameters of its own model, if it is none
}

// Container is implemented by variational models whose approximation contains others: for some parameters both are equal, so
// that the evidence lower bound of the one is not below that of the other.
//
// Of a mixture of k components theta has k weights, then every parameter of the contained approximation k times, one component
// after the other, and then k vectors of the length of the variable: the direction in which ContainStart moves the component,
// in the units of the latent variables. Others have the parameters only, as Theta of the contained model writes them.
type Container interface {
	// Contain writes to z where the approximation is the contained one i of Info().Contained with the parameters theta, or as
	// near to it as makes no difference if it is a limit. The error says that this is outside the domain, or that there is no i.
	Contain(z, theta []float64, i int) error
	// ContainStart writes to z where a fit begins that comes from there. Some take random numbers.
	ContainStart(z, theta []float64, i int, rng *rand.Rand) error
}

// Penalised is implemented by models of targets with a penalty: what may be subtracted from the log-likelihood of all rows so
// that the estimates are finite. All values are divided by the sum of the weights, as the loss is, to which they are added:
// package penalty does that. Nothing is allocated.
type Penalised interface {
	// PenaltyGradients writes the natural gradient of the penalty at z to v and the ordinary gradient to c, as Gradients
	// writes those of the loss, and returns the value. It does not check the domain.
	PenaltyGradients(v, c, z []float64) float64
	// PenaltyThetaGradient writes the derivative of the penalty with respect to the target's parameters theta to g, symmetric
	// where a parameter is a symmetric matrix, and returns the value. Both are in the order and layout of Theta. Outside the
	// domain of the target it returns NaN and the contents of g are unspecified.
	PenaltyThetaGradient(g, theta []float64) float64
}

// Refined is implemented by models of likelihoods whose densities have integrals or series, which are computed as sums of finitely many terms, as Info().Approximated says.
type Refined interface {
	// FinerLoss returns the loss at the target's parameters theta, in the order and layout of Theta, with more nodes for integrals and more terms
	// of series: by how much it differs from Loss is an estimate of the error of that.
	FinerLoss(theta []float64) float64
}

// RefinedVariational is Refined for posteriors.
type RefinedVariational interface {
	Variational
	// FinerWeights writes what Weights writes, of the same draws, with more nodes for the integrals of the log joint density and more terms of
	// its series: by how much the means differ is an estimate of the error of the bound.
	FinerWeights(dst, z []float64)
}

// Quantities is implemented by models of a likelihood of whose estimates reports show more than the parameters.
type Quantities interface {
	Model
	// Quantities writes what is shown at the target's parameters theta to dst: Info().Reported, one after the other, matrices in full.
	Quantities(dst, theta []float64)
	// QuantitiesGradient writes the derivative of the sum of the quantities, times weights c, by theta to g, symmetric where a parameter
	// is a symmetric matrix.
	QuantitiesGradient(g, theta, c []float64)
}

// Batcher is implemented by models whose objective is a mean over rows, or a sum over rows: that of a batch is then
// scaled up to all rows.
type Batcher interface {
	// Batch restricts the objective to the given rows, as indices into the rows of the last SetData; a row that is listed
	// twice counts twice, with its weight. Nil goes back to all rows. Nothing is allocated unless the batch is longer than
	// any before. The constants of the problem, such as the origin of moments, stay those of the whole data set. A row that
	// the data do not have is an error (CheckBatch), after which the batch is what it was; nil is none.
	Batch(rows []int) error
}

// Parallel is implemented by models whose passes over rows workers may share. The rows are cut into ranges that depend on their number alone,
// and what the ranges add up to is added up in one order, so that nothing that is computed depends on how many workers there are.
type Parallel interface {
	// SetWorkers gives the model workers, nil for none, and returns those that it had. Clones have those that the model has when they are
	// made.
	SetWorkers(w *workers.Pool) (before *workers.Pool)
}

// LogDensity returns the logarithm of a density at z, up to a constant, and writes its gradient to gradient, which has the
// length of z, unless that is nil. Where it is not finite, or the gradient is not, a step is refused: a density that is 0 in
// places has no evidence lower bound under an approximation that is not. It must not keep its operands.
type LogDensity func(gradient, z []float64) float64

// Noisy is implemented by problems whose objective is estimated with random numbers, which stay the same until Draw makes
// new ones: every Variational, and what views of it are given to other methods.
type Noisy interface {
	Draw(rng *rand.Rand)
}

// External is implemented by variational models whose log-density of the latent variables is a function in Go. It is to be
// set before anything is evaluated.
type External interface {
	SetLogDensity(f LogDensity)
}

// Observed is implemented by models that show the data they hold.
type Observed interface {
	// Observations returns the distinct rows that Counts counts, with their weights, in the order of Mixture.Responsibilities.
	// They are the memory of the model: not to be modified, and valid until the next SetData or Batch, of which they are the
	// rows then; nil weights are all 1. There are no values before.
	Observations() Data
}

// Sampler is implemented by models of targets that the spec can draw from.
type Sampler interface {
	// Sample fills dst, which has the length of a whole number of rows, with draws from the target with the given
	// parameters, in the order and layout of Theta. What they all share is computed once.
	Sample(dst, theta []float64, rng *rand.Rand)
}

// Mixture is implemented by models of mixtures of k components: both the target and the surrogate mix k distributions,
// in the same weights. The weights come first in Theta, all k of them. In z they come first too, as the first k-1
// weights in mean coordinates and as k-1 log odds in natural ones; then come the coordinates of the components, block
// after block.
type Mixture interface {
	// Components returns the number of components, 0 when it is not set yet.
	Components() int
	// SetComponents sets the number of components and keeps the data; starts, parameters and coordinates have other
	// lengths afterwards. It is an error when k is not positive, and where the spec pins it to another number.
	SetComponents(k int) error
	// Responsibilities writes the posterior probabilities of the k components at z, row by row, to dst, for each of the
	// distinct rows that Counts counts, or for each draw of a Variational: dst has distinct * k numbers.
	Responsibilities(dst, z []float64)
	// RaiseWeights replaces the weights w at z by max(floor, a w), with the number a for which they sum to 1: the
	// nearest weights to w by Kullback-Leibler divergence with none below the floor. It keeps the parameters of the
	// components, and reports whether it changed z: not where no weight is below the floor, up to rounding, and not
	// where a weight is not positive, as outside the domain components have no parameters to keep. The floor is at
	// least 0 and less than 1/k. RaiseMeanWeights and RaiseNaturalWeights do the work. It does not allocate.
	RaiseWeights(z []float64, floor float64) bool
}

// Grouped is implemented by mixtures whose starts are formulas of the rows of each component's group.
type Grouped interface {
	Mixture
	// StartGroups writes start i, one of those that are formulas of the data, to z as Start does, but of the groups in
	// labels: for each of the distinct rows that Counts counts the number of its group, from 0 to Components()-1. Every group
	// must have a row. The error says that there is no such start, or that it is outside the domain.
	StartGroups(z, labels []float64, i int) error
}

// Variational is implemented by models whose objective is a variational one: the negative evidence lower bound
// (Jordan, Ghahramani, Jaakkola and Saul, An introduction to variational methods for graphical models, Machine Learning
// 37, 1999) of a density q of latent variables, that of the surrogate's target, under a model of data. It is a sum over
// the rows, not a mean; over a batch it is an estimate of the sum over all rows.
//
// The bound is the mean of log p(data, latent) - log q(latent) over draws of the latent variables, which are made of
// noise that does not depend on z and that the model keeps: between two calls of Draw the model is a function of z
// alone, of which Loss, Gradients, NaturalGradient and Violation are what Problem says. The gradients may be those of
// the path, without the score of q, whose expectation is 0 (Roeder, Wu and Duvenaud, Sticking the landing, NIPS 2017);
// then they are derivatives of Loss in expectation only. Before the first Draw, and after SetDraws, a model makes its
// noise itself, always the same.
//
// Clone copies noise and number of draws. See [Descend], which draws before every step, [ELBO] and [Posterior].
type Variational interface {
	Model
	// Draws returns the number of draws for an evaluation.
	Draws() int
	// SetDraws sets it, allocates what it needs, and drops the noise. It is an error when s is less
	// than 1, or does not suit the way the model draws: one that draws in pairs needs an even number.
	SetDraws(s int) error
	// Draw makes new noise, in the same memory. It does not allocate.
	Draw(rng *rand.Rand)
	// Noise returns the random numbers that the draws are made of, those of all draws of one name in an array: what is written
	// there is what the next evaluations see, until Draw, which writes there too; after SetDraws and SetData they are others. A Mixture has the draws of one component after those of
	// the other, as many of each.
	Noise() []Noise
	// Latents writes the latent variables at z to dst, draw by draw: Draws() rows of Info().Variable.Len numbers.
	// Outside the domain the contents of dst are unspecified.
	Latents(dst, z []float64)
	// Weights writes log p(data, latent) - log q(latent) to dst, for each of the Draws() draws at z: the logarithms of
	// the ratios of importance sampling, whose mean is the bound. Outside the domain it writes NaN.
	Weights(dst, z []float64)
	// LogDensities writes log q(latent) to dst, for each of the Draws() draws at z. Outside the domain it writes NaN.
	LogDensities(dst, z []float64)
}

// Predictor is a Variational whose spec says how data are distributed, given the latent variables.
type Predictor interface {
	Variational
	// Predict draws data from the model with the latent variables z, Info().Variable.Len numbers, given the other data that it has,
	// or of a batch. It writes what is drawn, Info().Predicted, to dst, one after the other, each row by row.
	Predict(dst, z []float64, rng *rand.Rand)
	// Observed writes what was observed of the same data.
	Observed(dst []float64)
}

// Reporter is a Variational whose reports show something else than its latent variables as they are: values of declared types, such as
// positive numbers or correlation matrices, in terms of unconstrained latent variables, and further quantities.
type Reporter interface {
	Variational
	// Reported writes what is shown of the latent variables z, Info().Variable.Len numbers, to dst: Info().Reported, one after the
	// other, matrices in full.
	Reported(dst, z []float64)
}

// Noise holds the primitive random numbers of one name that some draws are made of: Length for each draw, row by row.
type Noise struct {
	Values []float64
	Length int
	// Quantile is the quantile function of one of the numbers, which are independent and distributed alike. Nil where the
	// distribution is discrete.
	Quantile func(u float64) float64
	// Symmetric is whether x and -x are distributed alike.
	Symmetric bool
	// Spherical is whether all rotations of a vector of these numbers, which have mean 0 and variance 1, are distributed alike.
	Spherical bool
}

// Informed is implemented by models whose observation is one number, so that the Fisher information of the target can
// be integrated: as a sum over nodes x with weights w that approximates an expectation under the target.
type Informed interface {
	// FisherUnconstrained writes F = sum_i w_i q(x_i) s_i s_i', s_i the score of the target at x_i in unconstrained
	// coordinates, to dst (row-major), and returns the mass sum_i w_i q(x_i) and the first two raw moments of x.
	FisherUnconstrained(dst, u, x, w []float64) (mass, mean, square float64)
	// FisherSurrogate is the same in the coordinates z, through the map g.
	FisherSurrogate(dst, z, x, w []float64) (mass, mean, square float64)
}

// Supported is implemented by models that have a support: conditions that every row of the data meets.
type Supported interface {
	Model
	// Outside returns the index in Info().Support of the first condition that a row does not meet, or -1. It needs the lengths of
	// dimensions, and no data.
	Outside(row []float64) int
}

// Info describes a generated problem.
type Info struct {
	Name        string // of the generated package
	Target      string
	Surrogate   string
	Coordinates string // "mean" or "natural": the coordinates the natural gradient steps in
	Objective   string // "mle", or "vi" for a Variational
	Source      string // path of the spec, as given to the generator
	// Deterministic is true when the objective is evaluated in full, without minibatches or Monte Carlo draws.
	Deterministic bool
	Dims          []string    // the names of the dimensions that are not numbers, as d in vector(d); Components is the last
	Mixture       bool        // whether the model is a Mixture
	Components    string      // the dimension that counts the components; "" where the spec pins it, and without a mixture
	Variable      Parameter   // the observation; of a Variational the latent variables
	Beside        []Parameter // what is observed together with Variable: the target is a density of all of them
	Given         []Parameter // other columns of the data of a likelihood, for every value of which the target is a density of what is observed
	Support       []string    // conditions on a row of the data, as "t < 200"; the model is Supported where there are any
	// Path is true of a Variational whose gradients are path derivatives: their expectations are those of the derivatives of
	// the loss, but at given draws they are not its derivative. ThetaGradient is.
	Path bool
	// Latent are the parts of Variable of a variational objective, one after the other, as they are declared. What is declared to be
	// other than real is in Variable as Coordinates of it.
	Latent []Parameter
	// Reported are what reports of a posterior show in their place, the model being a Reporter then, or further quantities of an
	// estimate, of which it has Quantities.
	Reported    []Parameter
	Data        []Parameter // the columns of the data of a variational objective, one after the other in a row
	Predicted   []Parameter // of the data, what the model draws; it is a Predictor where there is any
	Parameters  []Parameter // of the target
	Starts      int         // number of starts that are formulas of the data
	RandomStart bool        // whether Start accepts i >= Starts
	Limits      []Limit     // distributions that the target tends to outside its parameters; the model is Limiting where there are any
	Contained   []Contained // approximations that the target of a variational objective contains; the model is a Container where there are any
	Penalty     string      // the formula of the target's penalty; "" where there is none: else the model is Penalised
	Hessian     bool        // whether the second derivatives of Unconstrained are available; otherwise they are NaN
	Ordered     bool        // whether the order of the rows counts: the data are a sequence, of which there are no batches
	// Approximated are the kinds of sums of finitely many terms that the density of a likelihood has, or the joint density of a posterior,
	// integral and series: where there are any the model is Refined, or RefinedVariational.
	Approximated []string
	DualOfData   bool // whether the dual coordinates are means over the rows of the data, so that Dual is NaN without any
}

// Observed lists the variables that the target is a density of, one after the other.
func (i *Info) Observed() []Parameter { return append([]Parameter{i.Variable}, i.Beside...) }

// Record lists the parts of a row of the data of a likelihood: what is observed and what is given, one after the other.
func (i *Info) Record() []Parameter { return append(i.Observed(), i.Given...) }

// RowLen returns how many numbers a row of the data of a likelihood has. The sizes of the model must be known.
func (i *Info) RowLen(m Model) int {
	n := 0
	for _, p := range i.Record() {
		n += p.Len(m)
	}
	return n
}

// Parameter is a name with a type of the spec language: real, positive, unit, count, binary, vector(d), spd(d) and so on.
type Parameter struct {
	Name string
	Type types.Type // without its lengths, which are in Shape
	// Shape is nil for a number, the length for a vector, rows and columns for a matrix. Matrices are stored in full, row
	// by row. Of what each component of a mixture has, the first length is the number of components.
	Shape []Dim
	// Of is, of a number of an entry, the length that has the entry: the number is at most Beyond more than that. The zero value of
	// anything else.
	Of     Dim
	Beyond int
	Known  bool // set by the map to what does not depend on z: not estimated, and not among the unconstrained coordinates
	// Components is true for what each component of a mixture has: Type is that of one component, and the values of one
	// component follow those of the one before.
	Components bool
	Rows       bool // of data: there is one for each row, of which Type and Shape are those of one
}

// Component returns the parameter of one component: p itself where Components is false.
func (p *Parameter) Component() Parameter {
	one := *p
	if p.Components {
		one.Components, one.Shape = false, p.Shape[1:]
		if len(one.Shape) == 0 {
			one.Shape = nil
		}
	}
	return one
}

// Copies returns how many components have the parameter: 1 where Components is false, 0 where their number is not
// known.
func (p *Parameter) Copies(m Model) int {
	if p.Components {
		return p.Shape[0].Len(m)
	}
	return 1
}

// Coordinates returns how many unconstrained numbers stand for a latent variable: those that are free in its type.
func (p *Parameter) Coordinates(m Model) int { return p.Type.Form.Free(p.Len(m), p.Side(m)) }

// Dim is a length: that of the named dimension, or a number.
type Dim struct {
	Name string
	Size int // when there is no name
}

// String returns the name or the number.
func (d Dim) String() string {
	if d.Name != "" {
		return d.Name
	}
	return strconv.Itoa(d.Size)
}

// Len returns the number of entries of a parameter of a model.
func (p *Parameter) Len(m Model) int {
	n := 1
	for _, d := range p.Shape {
		n *= d.Len(m)
	}
	return n
}

// Len returns the length of a dimension of a model, 0 when it is not known yet.
func (d Dim) Len(m Model) int {
	if d.Name == "" {
		return d.Size
	}
	for i, name := range m.Info().Dims {
		if name == d.Name {
			return m.Sizes()[i]
		}
	}
	return 0
}
