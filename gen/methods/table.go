package methods

// Table are the methods in the order in which they are planned: what is computed once for a data set follows from what the methods ask for, and
// functions that solve equations are found in all others, so that these come last.
var Table = []Row{
	{"Gradients", always, (*Package).gradients},
	{"NaturalGradient", always, (*Package).naturalGradient},
	{"Loss", always, (*Package).loss},
	{"Violation", always, (*Package).violation},
	{"Dual", always, (*Package).dual},
	{"Theta", always, (*Package).theta},
	{"start", always, (*Package).starts},
	{"contained", (*Package).contains, (*Package).contained},
	{"LogDensity", (*Package).scalar, (*Package).logDensity},
	{"Sample", (*Package).samples, (*Package).sample},
	{"Outside", (*Package).Supported, (*Package).outside},
	{UnconstrainedPrefix, (*Package).scalar, (*Package).unconstrained},
	{"Fisher", (*Package).scalar, (*Package).fisher},
	{"ThetaGradient", (*Package).fromTheta, (*Package).thetaGradient},
	{"Penalty", (*Package).penalised, (*Package).penalty},
	{"Quantities", (*Package).reports, (*Package).quantities},
	{"limit", (*Package).limited, (*Package).limits},
	{"Responsibilities", (*Package).mixed, (*Package).responsibilities},
	{"RaiseWeights", (*Package).mixed, (*Package).raiseWeights},
	{"Latents", (*Package).drawing, (*Package).latents},
	{"ExactGradients", (*Package).Exact, (*Package).exact},
	{"logJoint", (*Package).modelled, (*Package).logJoint},
	{"Predict", (*Package).predicting, (*Package).predict},
	{"Reported", (*Package).reporting, (*Package).reported},
	{"factor", (*Package).factored, (*Package).factors},
	{"columns", (*Package).ofData, (*Package).columnStage},
	{"prepare", (*Package).ofData, (*Package).dataStage},
	{"constants", (*Package).ofData, (*Package).constants},
	{"root", always, (*Package).solvers},
	{"SetData", (*Package).Exact, (*Package).stack},
	{"expectations", always, (*Package).integrals},
}

// objective is how many rows are the objective.
const objective = 4

// The conditions.
func always(*Package) bool          { return true }
func (f *Package) scalar() bool     { return !f.Shaped() }
func (f *Package) contains() bool   { return len(f.d.Contained) > 0 }
func (f *Package) samples() bool    { return f.d.Problem.Target.Sample != nil }
func (f *Package) fromTheta() bool  { return f.d.Objective != nil }
func (f *Package) penalised() bool  { return f.d.Penalty != nil }
func (f *Package) reports() bool    { return f.d.Report != nil }
func (f *Package) limited() bool    { return len(f.d.Limits) > 0 }
func (f *Package) mixed() bool      { return f.Mixture() != nil }
func (f *Package) drawing() bool    { return f.Variational() != nil }
func (f *Package) ofData() bool     { return f.Variational() == nil }
func (f *Package) predicting() bool { return f.Predicts() != nil }
func (f *Package) factored() bool   { return f.Sites() != nil }
func (f *Package) Exact() bool      { return f.drawing() && f.Variational().Exact != nil }
func (f *Package) reporting() bool  { return f.drawing() && len(f.Variational().Reported) > 0 }
func (f *Package) modelled() bool {
	return f.drawing() && f.Variational().Model != nil && !f.External()
}
