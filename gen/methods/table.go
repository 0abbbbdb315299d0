package methods

// Table are the methods in the order in which they are planned: what is computed once for a data set follows from what the methods ask for, and
// functions that solve equations are found in all others, so that these come last.
var Table = []Row{
	{"Gradients", always, (*Package).gradients, true},
	{"NaturalGradient", always, (*Package).naturalGradient, true},
	{"Loss", always, (*Package).loss, true},
	{"Violation", always, (*Package).violation, false},
	{"Dual", always, (*Package).dual, true},
	{"Theta", always, (*Package).theta, true},
	{"start", always, (*Package).starts, true},
	{"contained", (*Package).contains, (*Package).contained, true},
	{"LogDensity", (*Package).scalar, (*Package).logDensity, false},
	{"Sample", (*Package).samples, (*Package).sample, false},
	{"Outside", (*Package).Supported, (*Package).outside, false},
	{UnconstrainedPrefix, (*Package).scalar, (*Package).unconstrained, false},
	{"Fisher", (*Package).scalar, (*Package).fisher, false},
	{"ThetaGradient", (*Package).fromTheta, (*Package).thetaGradient, true},
	{"ThetaLoss", (*Package).LossOfTheta, (*Package).thetaLoss, true},
	{"FinerLoss", (*Package).refined, (*Package).finerLoss, true},
	{"Penalty", (*Package).penalised, (*Package).penalty, true},
	{"Quantities", (*Package).reports, (*Package).quantities, true},
	{"limit", (*Package).limited, (*Package).limits, true},
	{"Responsibilities", (*Package).mixed, (*Package).responsibilities, true},
	{"RaiseWeights", (*Package).mixed, (*Package).raiseWeights, false},
	{"Latents", (*Package).drawing, (*Package).latents, true},
	{"ExactGradients", (*Package).Exact, (*Package).exact, true},
	{"logJoint", (*Package).modelled, (*Package).logJoint, false},
	{"Predict", (*Package).predicting, (*Package).predict, false},
	{"Reported", (*Package).reporting, (*Package).reported, false},
	{"factor", (*Package).factored, (*Package).factors, false},
	{"columns", (*Package).ofData, (*Package).columnStage, false},
	{"prepare", (*Package).ofData, (*Package).dataStage, false},
	{"constants", (*Package).ofData, (*Package).constants, false},
	{"root", always, (*Package).solvers, false},
	{"SetData", (*Package).stacked, (*Package).stack, false},
	{"expectations", always, (*Package).integrals, false},
}

// objective is how many rows are the objective.
const objective = 4

// The conditions.
func always(*Package) bool           { return true }
func (f *Package) scalar() bool      { return !f.Shaped() }
func (f *Package) contains() bool    { return len(f.d.Contained) > 0 }
func (f *Package) samples() bool     { return f.d.Problem.Target.Sample != nil }
func (f *Package) fromTheta() bool   { return f.d.Objective != nil }
func (f *Package) LossOfTheta() bool { return f.fromTheta() && f.ofData() }
func (f *Package) refined() bool     { return f.d.Finer != nil }
func (f *Package) RefinedPosterior() bool {
	return f.drawing() && f.Variational().FinerRatio != nil
}
func (f *Package) penalised() bool  { return f.d.Penalty != nil }
func (f *Package) reports() bool    { return f.d.Report != nil }
func (f *Package) limited() bool    { return len(f.d.Limits) > 0 }
func (f *Package) mixed() bool      { return f.Mixture() != nil }
func (f *Package) drawing() bool    { return f.Variational() != nil }
func (f *Package) ofData() bool     { return f.Variational() == nil }
func (f *Package) predicting() bool { return f.Predicts() != nil }
func (f *Package) factored() bool   { return f.Sites() != nil }
func (f *Package) Exact() bool      { return f.drawing() && f.Variational().Exact != nil }
func (f *Package) stacked() bool    { return len(f.Pieces()) > 0 }
func (f *Package) reporting() bool  { return f.drawing() && len(f.Variational().Reported) > 0 }
func (f *Package) modelled() bool {
	return f.drawing() && f.Variational().Model != nil && !f.External()
}
