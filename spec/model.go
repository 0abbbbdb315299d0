// Package spec reads specs: YAML documents that describe a family, a distribution or a problem. It checks everything
// that can be told from the document alone, explains every fault at its place, and resolves names to definitions. What
// the formulas mean is not decided here.
//
// A file holds one or more documents separated by "---". A document with the key family, distribution or package is a
// family, a distribution or a problem; one with the key approximation but not package is an approximation. The key import, in any document or alone in one, lists files, relative to the
// importing file, whose definitions are seen in the whole file, with those that they import in turn. Paths are relative
// and may lead upwards by "..". Names are looked up in the file first, then in its imports, then in the library, so a
// file may define a name of the library anew. Within one file, and among its imports, a name has one definition.
//
// The objective of a problem is a word, or a mapping from a word to its settings: objective vi holds a model of data,
// whose names and formulas are apart from those of the target and the surrogate.
//
// Nothing leaves this package but checked identifiers, parsed formulas and types, and docs reduced to one line without
// control characters: code can be generated from it without escaping anything but docs in quotes.
package spec

import (
	"github.com/sngdgen/sngdgen/expr/syntax"
	"github.com/sngdgen/sngdgen/internal/diag"
)

// Binding is one entry of an ordered mapping from names to formulas.
type Binding struct {
	Name     string
	NameSpan diag.Span
	Formula  *Formula
}

// Name is a name at its place.
type Name struct {
	Name string
	Span diag.Span
}

// Param is a declared name with its type.
type Param struct {
	Name     string
	NameSpan diag.Span
	Type     syntax.TypeExpr
	TypeSpan diag.Span
}

// Constant is a constant of a family: the value it has when a problem does not set it, and its type. The zero TypeExpr
// is that of a number.
type Constant struct {
	Binding
	Type     syntax.TypeExpr
	TypeSpan diag.Span
}

// Family is an exponential family. Optional formulas that the document leaves out are nil.
type Family struct {
	Name           string
	NameSpan       diag.Span
	Doc            string
	Variable       Param
	Given          []Param // other variables, given which the family is one; none for a family by itself
	Parameters     []Param
	Constants      []Constant
	AtStart        []Binding // constants in terms of the standard parameters of the first start, where there is one
	Let            []Binding
	Statistics     []*Formula
	Natural        []*Formula
	LogPartition   *Formula
	LogBaseMeasure *Formula
	Support        []*Formula // conditions on one row, outside of which there is no density
	FromNatural    []Binding
	FromMean       []Binding
	NewtonStart    []Binding
	Where          []*Formula // conditions on the standard parameters beyond their types
	Factors        []Factor   // of a surrogate that is several families, which have its formulas; nil of others
	Moments
	Source *diag.Source

	scope *scope
}

// Moments are what a family or a distribution may say of its variable, in terms of the parameters; nil where it does not.
type Moments struct {
	Mean     *Formula
	Variance *Formula // or the covariance
	Entropy  *Formula // the expectation of minus the log-density
	Sample   *Draws
}

// Expectation says what the expectation of a function of the variable is, in terms of the parameters.
type Expectation struct{ Of, Is *Formula }

// Distribution is a target given by its log-density. Optional formulas that the document leaves out are nil.
type Distribution struct {
	Name       string
	NameSpan   diag.Span
	Doc        string
	Variable   Param
	Beside     []Param // what is observed together with the variable: the density is one of all of them
	Given      []Param // other columns of the data, for every value of which the density is one of what is observed
	Parameters []Param
	States     []State // what is carried along the rows, in their order
	Series     string  // what is given that says which series a row belongs to; "" where there is one series
	Let        []Binding
	LogPDF     *Formula
	Support    []*Formula // conditions on one row, outside of which there is no density
	// Expectations are those of functions of the variable that are known, such as terms of the log-density.
	Expectations []Expectation
	// Penalty is what may be subtracted from the log-likelihood of all rows, so that estimates are finite.
	Penalty *Formula
	Limits  []Limit
	Moments
	Source *diag.Source

	scope *scope
}

// Observed are the variables that the density is about, in the order in which the document declares them.
func (d *Distribution) Observed() []Param { return append([]Param{d.Variable}, d.Beside...) }

// Record is a row of the data: what is observed and what is given, one after the other.
func (d *Distribution) Record() []Param { return append(d.Observed(), d.Given...) }

// Draw is one entry of a noise block: a name for a random number, or for an array of independent ones.
type Draw struct {
	Name     string
	NameSpan diag.Span
	Kind     string          // the name of one of NoiseKinds
	Args     []*Formula      // parameters of the distribution; empty for the standard one
	Shape    syntax.TypeExpr // vector(d) and the like; the zero TypeExpr for one number
	Span     diag.Span
}

// Draws are random numbers and the values made of them.
type Draws struct {
	Noise  []Draw
	Values []Binding
	Span   diag.Span
}

// Auxiliary is a parameter of the map that is not one of the surrogate.
type Auxiliary struct {
	Name     string
	NameSpan diag.Span
	Type     syntax.TypeExpr
	TypeSpan diag.Span
	Metric   *Formula // nil for the identity
}

// Start is a starting point. Noise is empty except in a random start. In a mixture the values are those of a component,
// and their formulas see the rows of one group.
type Start struct {
	Noise      []Draw
	Values     []Binding
	Groups     string    // how rows are grouped: "" where the document does not say, and in what is no mixture
	GroupsSpan diag.Span // the word
	Span       diag.Span
}

// The ways to group rows for the start of a mixture, a group for each component.
const (
	GroupsSlices   = "slices"   // equal slices of the sorted data; the observations of the target are numbers
	GroupsClusters = "clusters" // k-means++
	GroupsNone     = "none"     // each component sees all rows; only in a random start
)

// The coordinates in which the natural gradient steps.
const (
	StepMean    = "mean"
	StepNatural = "natural"
)

// The objectives.
const (
	ObjectiveMLE = "mle" // the mean log-likelihood of the target
	ObjectiveVI  = "vi"  // the evidence lower bound, with the target as the approximation of a posterior
	ObjectiveEP  = "ep"  // the same approximation by expectation propagation
)

// The estimators of the gradient of an evidence lower bound from reparameterised draws.
const (
	EstimatorReparameterised = "reparameterised" // the derivative of the estimated bound
	// EstimatorPath leaves out the score of the target, whose expectation is 0 (Roeder, Wu and Duvenaud, Sticking the
	// landing, NIPS 2017): the variance of what is left vanishes where the target is the posterior.
	EstimatorPath = "path"
)

// VI is a variational objective: a model of data, given by the logarithm of the joint density of latent variables and
// data. The target of the problem, whose variable is what is latent, approximates the posterior. The formulas see what is
// declared here, the dimensions, and n, the number of rows; they do not see the parameters of the target, the surrogate
// and the map.
//
// No name of latent variables, data, constants and local definitions is that of another one of them, or of a dimension
// in their types. At least one of LogLikelihood, LogPrior, LogJoint and External is set, and LogJoint only alone.
type VI struct {
	// Latent are the parts of the target's variable, one after the other: of any type whose numbers are not whole, and of lengths other
	// than n. Those of other types than real are there by their unconstrained coordinates.
	// When LatentWhole, there is one, of the zero Type, which is the whole variable.
	Latent      []Param
	LatentWhole bool
	// Data are given for each row when their first dimension is n: matrix(n, d) and vectors of any element. Other vectors,
	// and numbers, are given once.
	Data      []Param
	Constants []Binding // numbers
	Let       []Binding
	Support   []*Formula // conditions on one row of the data, outside of which there is no likelihood
	States    []State    // what is carried along the rows, in their order
	Series    string     // the data that say which series a row belongs to; "" where there is one series

	LogLikelihood, LogPrior, LogJoint *Formula
	// External says that log_likelihood or log_joint is a function in Go, at this place; there are no data then. The zero
	// Span means that it is none.
	External diag.Span

	// Sample says how data are drawn, given the latent variables: those that have a value in it. Nil where the document does not.
	Sample *Draws

	Draws      int       // of the target for each estimate: 1 to 100000
	Estimator  string    // EstimatorReparameterised unless the document says otherwise
	Antithetic bool      // whether draws come in pairs with opposite noise
	Power      *float64  // of expectation propagation, from 0 to 1; nil for ObjectiveVI
	Span       diag.Span // the key
}

// Dimension pins a dimension of the target and the surrogate to a length.
type Dimension struct {
	Name     string
	NameSpan diag.Span
	Size     int // 1 or more
}

// Components are those of a mixture, the same ones in the target and in the surrogate. A named number may be pinned by
// Dimensions, and no definition or auxiliary parameter of the problem has a dimension of that name.
type Components struct {
	Name string // empty where the document gives the number
	Size int    // 1 to 1024; 0 where there is a name
	Span diag.Span
}

// Problem is what a package is generated from. In a mixture the target, the surrogate, the auxiliary parameters, the map
// and the conditions are those of one component, and no parameter is called weights.
type Problem struct {
	Package          string
	PackageSpan      diag.Span
	Doc              string
	TargetDist       *Distribution // exactly one of TargetDist and TargetFamily is set
	TargetFamily     *Family
	TargetRefSpan    diag.Span
	Surrogate        *Family
	SurrogateRefSpan diag.Span
	Components       *Components // nil where the problem is no mixture
	Shared           []Name      // what the components have in common, of the surrogate's parameters and the auxiliary ones
	Step             string      // StepMean unless the document says otherwise
	Dimensions       []Dimension
	Constants        []Binding // of the families, from the data
	Auxiliary        []Auxiliary
	Map              []Binding
	MapSpan          diag.Span // the key
	Where            []*Formula
	Starts           []Start
	RandomStart      *Start
	// Approximation is what the problem has its target, surrogate, map and the like from; nil where they are its own.
	Approximation *Approximation
	Objective     string // ObjectiveMLE unless the document says otherwise
	VI            *VI    // nil unless the objective is ObjectiveVI or ObjectiveEP; formulas of starts see no data then
	// Report are further quantities of an estimate, in terms of the parameters of the target, or of a posterior, in terms of the
	// latent variables, the data and the definitions of its model.
	Report []Binding
	Source *diag.Source

	scope *scope
}

// Observed are the variables that the target is about.
func (p *Problem) Observed() []Param { return p.target().observed() }

// Given are the columns of the data that the target is given.
func (p *Problem) Given() []Param {
	if p.TargetDist != nil {
		return p.TargetDist.Given
	}
	return p.TargetFamily.Given
}

// Record is a row of the data of a likelihood: what is observed and what is given, one after the other.
func (p *Problem) Record() []Param { return append(p.Observed(), p.Given()...) }

// Parameters are those of the target.
func (p *Problem) Parameters() []Param { return p.target().parameters() }

// File is what a file defines, in the order in which it does. Imported definitions are not listed.
type File struct {
	Source         *diag.Source
	Problems       []*Problem
	Families       []*Family
	Distributions  []*Distribution
	Approximations []*Approximation
	Functions      []*Function
	Regressions    []*Regression

	scope *scope
}

// Lookup returns the distribution or the family that a name means in the file, or nothing.
func (f *File) Lookup(name string) (*Distribution, *Family) { return f.scope.find(name) }

// Lookup returns the distribution or the family that a name means in the problem's formulas, or nothing.
func (p *Problem) Lookup(name string) (*Distribution, *Family) { return p.scope.find(name) }

// Lookup returns the distribution or the family that a name means in the family's formulas, or nothing.
func (f *Family) Lookup(name string) (*Distribution, *Family) { return f.scope.find(name) }

// Lookup returns the distribution or the family that a name means in the distribution's formulas, or nothing. It may
// differ from what the name means in a problem that uses the distribution, when the problem's file shadows the name.
func (d *Distribution) Lookup(name string) (*Distribution, *Family) { return d.scope.find(name) }
