package engine

import "github.com/sngdgen/sngdgen/runtime"

// What a posterior is besides is a matter of its methods: whether it has data, whether the bound is known without draws, whether there
// are sites for expectation propagation, or components. Whether it is a Reporter, a Predictor, a Container and a RefinedVariational its
// Info says: all have these methods.

// wrapped is the model with the methods of what it is besides.
func (m *posterior) wrapped() runtime.Model {
	data, known, parts, mixed := withData{m}, withoutDraws{m}, withSites{m}, ofComponents{m}
	sum, exact, sites := !m.dataless(), m.d.Variational.Exact != nil, m.d.Variational.Sites != nil
	switch {
	case m.pkg.Info.Mixture && sum:
		return struct {
			*posterior
			withData
			ofComponents
		}{m, data, mixed}
	case m.pkg.Info.Mixture:
		return struct {
			*posterior
			ofComponents
		}{m, mixed}
	case sum && exact && sites:
		return struct {
			*posterior
			withData
			withoutDraws
			withSites
		}{m, data, known, parts}
	case sum && exact:
		return struct {
			*posterior
			withData
			withoutDraws
		}{m, data, known}
	case sum && sites:
		return struct {
			*posterior
			withData
			withSites
		}{m, data, parts}
	case exact && sites:
		return struct {
			*posterior
			withoutDraws
			withSites
		}{m, known, parts}
	case sum:
		return struct {
			*posterior
			withData
		}{m, data}
	case exact:
		return struct {
			*posterior
			withoutDraws
		}{m, known}
	case sites:
		return struct {
			*posterior
			withSites
		}{m, parts}
	}
	return m
}

// withData is what a model has besides whose likelihood may be restricted to some of the rows.
type withData struct{ of *posterior }

func (w withData) Batch(rows []int) error { return w.of.batch(rows) }

// withoutDraws is what a model has besides whose bound is known without draws.
type withoutDraws struct{ of *posterior }

func (w withoutDraws) ExactGradients(v, c, z []float64) float64 { return w.of.exactGradients(v, c, z) }
func (w withoutDraws) ExactLoss(z []float64) float64            { return w.of.exactLoss(z) }
func (w withoutDraws) Nodes() int                               { return w.of.nodes() }
func (w withoutDraws) SetNodes(n int)                           { w.of.setNodes(n) }

// ofComponents is what a mixture has besides.
type ofComponents struct{ of *posterior }

func (w ofComponents) Components() int                          { return w.of.components() }
func (w ofComponents) Responsibilities(dst, z []float64)        { w.of.responsibilities(dst, z) }
func (w ofComponents) RaiseWeights(z []float64, f float64) bool { return w.of.raiseWeights(z, f) }

func (w ofComponents) SetComponents(k int) error {
	m := w.of
	changed, err := m.setComponents(k)
	if changed {
		m.allocate()
	}
	if err != nil || !changed || m.rows.Given() == 0 {
		return err
	}
	return m.batch(nil)
}

// withSites is what a model has besides whose joint density consists of factors that see a few linear predictors each.
type withSites struct{ of *posterior }

func (w withSites) FactorSizes() (d, factors, predictors int) { return w.of.factorSizes() }
func (w withSites) Predictors(i int) int                      { return w.of.predictors(i) }
func (w withSites) Coefficients(a, weights []float64)         { w.of.coefficients(a, weights) }
func (w withSites) FactorLogs(dst, xs []float64, i int)       { w.of.factorLogs(dst, xs, i) }
func (w withSites) Quadratic(g, z []float64) float64          { return w.of.quadratic(g, z) }
func (w withSites) FromMoments(z, moments []float64) error    { return w.of.fromMoments(z, moments) }
func (w withSites) Power() float64                            { return w.of.d.Variational.Sites.Power }
