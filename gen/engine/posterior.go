package engine

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/sngdgen/sngdgen/gen/derive"
	"github.com/sngdgen/sngdgen/gen/methods"
	"github.com/sngdgen/sngdgen/gen/program"
	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/special"
	"github.com/sngdgen/sngdgen/runtime/support"
)

// The fields of a posterior that have no programs: how many draws there are, of every component and altogether, the weights of the rows
// and their ratio, and quadrature.
const (
	drawCount   = "draws"
	totalField  = "Total"
	scaleField  = methods.ScaleField
	nodesField  = "nodes"
	nodeWeights = "nodeWeights"
)

// posterior is an approximation of a posterior with its data.
type posterior struct {
	core
	of     *methods.Posterior
	draws  int // of an evaluation; of a mixture of each component
	joint  map[program.Evaluate]*jointEntry
	groups support.Groups // of draws
	folded *folded
	sites  sites
	self   runtime.Model // with the methods of what it is besides
}

// jointEntry is a function that evaluates the log joint density at one draw, or at some of them.
type jointEntry struct {
	of     *posterior
	what   program.Evaluate
	u      *unit
	g, z   *[]float64
	folded *folded
	linear []*predictor
	pass   support.Pass[jointEntry]
}

// predictor is a linear predictor that the function reads, and the slopes that it writes.
type predictor struct {
	methods.LinearPredictor
	group         support.Linear
	values, slope *[]float64 // at a draw
}

func newPosterior(d *derive.Result, pkg *methods.Package) *posterior {
	m := &posterior{core: newCore(d, pkg), of: pkg.Posterior, draws: d.Problem.Variational.Spec.Draws}
	for _, name := range []string{drawCount, totalField, scaleField} {
		m.grown(name, 1)
	}
	m.machine.evaluate = m.evaluateAll
	m.parts = m.rowFields()
	if m.self = m.wrapped(); len(pkg.Dims) == 0 {
		m.allocate()
	}
	return m
}

// tryAll compiles all functions.
func (m *posterior) tryAll() {
	for _, d := range m.pkg.Dims {
		m.dims[d.Name] = someLength
	}
	m.deriveLength()
	m.allocate()
	m.compileAll()
}

// rowFields are the fields that have their rows from the batch.
func (m *posterior) rowFields() []*[]float64 {
	var out []*[]float64
	for _, c := range slices.Concat(m.pkg.Data, m.of.Pieces) {
		out = append(out, m.field(c.Name))
	}
	for _, s := range m.of.Stacked {
		out = append(out, m.field(s.Field))
	}
	return out
}

// dataless reports whether the log joint density depends on the latent variables alone.
func (m *posterior) dataless() bool { return len(m.pkg.Data) == 0 }

// latentLength is the dimension of the variable of the target where that is as long as several latent variables together, else "".
func (m *posterior) latentLength() string {
	t := m.d.Problem.Target.Variable.Sym.Type
	if m.d.Variational.Model == nil || t.Rank == 0 || m.d.Problem.Variational.Whole(m.d.Problem.Target) {
		return ""
	}
	return t.Dims[0].Name
}

// deriveLength sets it.
func (m *posterior) deriveLength() {
	name := m.latentLength()
	if name == "" {
		return
	}
	v, n := m.d.Problem.Variational, 0
	for i, q := range v.Latent {
		t := q.Sym.Type
		side := 0
		if t.Rank > 0 {
			side = m.dim(t.Dims[0])
		}
		n += v.Places[i].Count(m.width(t), side)
	}
	m.dims[name] = n
}

// allocate makes what depends on lengths.
func (m *posterior) allocate() {
	m.fresh()
	m.joint, m.folded, m.sites = map[program.Evaluate]*jointEntry{}, m.newFolded(), sites{}
	if len(m.pkg.Integrals) > 0 && len(*m.field(nodesField)) == 0 {
		m.setNodes(runtime.LeastNodes)
	}
	if m.dataless() {
		*m.w = support.WeightsOf(nil, 1)
		(*m.field(methods.WeightField))[0], (*m.field(scaleField))[0] = 1, 1
	}
	m.allocateDraws()
}

// allocateDraws makes memory for the draws, and draws with a fixed seed.
func (m *posterior) allocateDraws() {
	all := m.Draws()
	(*m.field(drawCount))[0] = float64(all)
	for _, c := range m.of.Columns {
		*m.field(c.Name) = make([]float64, all*m.width(c.Type))
	}
	ones := *m.field("drawWeights")
	for i := range ones {
		ones[i] = 1
	}
	m.label()
	m.Draw(rand.New(rand.NewPCG(1, 2)))
}

// label gives every component of a mixture the same number of draws.
func (m *posterior) label() {
	if m.d.Problem.Mixture != nil {
		for i := range *m.field("labels") {
			(*m.field("labels"))[i] = float64(i / m.draws)
		}
	}
}

// ThetaGradient is that of the bound as it is estimated.
func (m *posterior) ThetaGradient(g, theta []float64) float64 { return m.gradientOfTheta(g, theta) }

// Sample draws from the approximation.
func (m *posterior) Sample(dst, theta []float64, rng *rand.Rand) {
	sampler{&m.core}.Sample(dst, theta, rng)
}

func (m *posterior) Start(z []float64, i int, rng *rand.Rand) error {
	return support.StartAt(m.self, m.starts(), z, i, rng)
}

func (m *posterior) Draws() int { return m.draws * m.components() }

func (m *posterior) SetDraws(s int) error {
	if s < 1 {
		return fmt.Errorf("%d draws are none", s)
	}
	if m.draws = s; m.d.Problem.Mixture != nil {
		k := m.components()
		m.draws = (s + k - 1) / max(k, 1)
	}
	m.allocateDraws()
	return nil
}

// Draw fills the random numbers of all draws. Antithetic draws come in pairs, of which the second has the opposite numbers where these
// are symmetric, and the same others.
func (m *posterior) Draw(rng *rand.Rand) {
	for _, n := range m.of.Noise {
		values, draw := *m.field(n.Field), primitives[n.Draw.Kind.Name]
		for i := range values {
			values[i] = draw(rng, n.Args)
		}
		if all := m.Draws(); m.d.Problem.Variational.Spec.Antithetic && all > 0 {
			sign := 1.0
			if n.Draw.Kind.Symmetric && len(n.Draw.Args) == 0 {
				sign = -1
			}
			half := len(values) / all * (all / 2)
			for i := range half {
				values[half+i] = sign * values[i]
			}
		}
	}
}

func (m *posterior) Noise() []runtime.Noise {
	var out []runtime.Noise
	for _, n := range m.of.Noise {
		kind, plain := n.Draw.Kind, len(n.Draw.Args) == 0
		noise := runtime.Noise{Values: *m.field(n.Field), Length: m.width(n.Draw.Sym.Type), Symmetric: plain && kind.Symmetric,
			Spherical: plain && kind.Spherical}
		if quantile := quantiles[kind.Name]; quantile != nil {
			noise.Quantile = func(u float64) float64 { return quantile(u, n.Args) }
		}
		out = append(out, noise)
	}
	return out
}

func (m *posterior) Latents(dst, z []float64)      { m.ofDraws(latents, "drawn", dst, z) }
func (m *posterior) LogDensities(dst, z []float64) { m.ofDraws(logDensities, "ratios", dst, z) }

// Weights are by the rules that the spec asks for.
func (m *posterior) Weights(dst, z []float64) { m.ratios(weights, dst, z) }

// FinerWeights are by finer rules for integrals and series; NaN where Info().Approximated is empty.
func (m *posterior) FinerWeights(dst, z []float64) {
	if m.d.Variational.FinerRatio == nil {
		for i := range dst {
			dst[i] = nan
		}
		return
	}
	m.ratios(finerWeights, dst, z)
}

// ratios takes the log-densities from the values of the joint density, at the same draws.
func (m *posterior) ratios(function int, dst, z []float64) {
	m.LogDensities(dst, z)
	if math.IsNaN(dst[0]) {
		(*m.field("ratios"))[0] = nan // of what is left of other draws there are no ratios
	}
	m.entry(function)
	m.units[functions[function].name][0].run()
	copy(dst, *m.field("ratios"))
}

// ofDraws computes something of every draw. Components of a mixture have draws in the proportion of their weights then, which the first
// of two programs computes, so that all draws count alike.
func (m *posterior) ofDraws(function int, column string, dst, z []float64) {
	e := m.entry(function)
	*e.args[0], *e.args[1] = dst, z
	units := m.units[functions[function].name]
	if m.d.Problem.Mixture != nil {
		if units[0].run() == indefinite {
			dst[0] = nan
			return
		}
		support.Stratify(*m.field("labels"), (*m.field("weights"))[:m.components()])
		defer m.label()
	}
	if units[len(units)-1].run() == indefinite {
		dst[0] = nan
		return
	}
	copy(dst, *m.field(column))
}

// evaluateAll evaluates the log joint density at all draws.
func (m *posterior) evaluateAll(what program.Evaluate) {
	e := m.jointOf(what)
	if e.pass.Workers() != m.pool {
		e.pass.SetWorkers(m.pool)
	}
	width := m.width(m.d.Problem.Target.Variable.Sym.Type)
	count, do := m.Draws(), (*jointEntry).draws
	if e.linear != nil {
		m.groups = support.GroupsOf(count, m.w.Len(), m.pool)
		count, do = m.groups.Count(), (*jointEntry).inGroups
	}
	e.pass.Each(e, count, m.Draws()*m.w.Len()*width, do, (*jointEntry).help)
}

// inGroups evaluates it at groups of draws from one to another: predictors, and what their slopes add to the gradient, are products of matrices.
func (e *jointEntry) inGroups(from, to int) {
	m := e.of
	z, gradients := *m.field("drawn"), *m.field("jointGradients")
	width := m.width(m.d.Problem.Target.Variable.Sym.Type)
	for group := from; group < to; group++ {
		first, last := m.groups.Of(group)
		for _, l := range e.linear {
			of := support.Vectors{From: m.length(l.From), Entries: m.dim(l.Entries), Width: width}
			l.group.Predict(*m.field(l.Data), m.w, z, of, first, last)
		}
		for i := first; i < last; i++ {
			for _, l := range e.linear {
				*l.values, *l.slope = l.group.At(i)
			}
			e.draws(i, i+1)
		}
		if e.what.Gradients {
			for _, l := range e.linear {
				l.group.AddTo(gradients, *m.field(l.Data), m.w)
			}
		}
	}
}

// draws evaluates it at draws from one to another.
func (e *jointEntry) draws(from, to int) {
	m := e.of
	z, gradients, values := *m.field("drawn"), *m.field("jointGradients"), *m.field("jointValues")
	width := m.width(m.d.Problem.Target.Variable.Sym.Type)
	for i := from; i < to; i++ {
		at := z[i*width : (i+1)*width]
		g := gradients[i*width : (i+1)*width]
		if *e.z, *e.g = at, g; m.of.Packed {
			*e.z, *e.g = m.unfold(e.folded, at), e.folded.slopes
		}
		if e.u.run(); e.what.Values {
			values[i] = e.u.value
		}
		if m.of.Packed && e.what.Gradients {
			m.fold(e.folded, g)
		}
	}
}

// help makes another one the same evaluation for a worker.
func (e *jointEntry) help(q *jointEntry) *support.Pass[jointEntry] {
	if q.u == nil {
		h := e.u.machine.helper()
		linear := e.of.linearPredictors(h, e.what)
		u := h.compileFor(e.u.step, e.u.owner, arguments{}, false)
		*q = jointEntry{of: e.of, what: e.what, u: u, g: u.argument("g"), z: u.argument("z"), folded: e.of.newFolded(), linear: linear}
	}
	return &q.pass
}

func (m *posterior) jointOf(what program.Evaluate) *jointEntry {
	e := m.joint[what]
	if e == nil {
		u := m.function(m.of.Evaluations[what])[0]
		e = &jointEntry{of: m, what: what, u: u, g: u.argument("g"), z: u.argument("z"), folded: m.folded,
			linear: m.linearPredictors(m.machine, what)}
		m.joint[what] = e
	}
	return e
}

// linearPredictors are those that an evaluation reads, on a machine whose fields with them are its own.
func (m *posterior) linearPredictors(on *machine, what program.Evaluate) (out []*predictor) {
	list := m.of.Linear[what.Terms]
	if len(list) > 0 && on != m.machine {
		on.fields = maps.Clone(on.fields)
	}
	for _, l := range list {
		if on != m.machine {
			on.fields[l.Predictor], on.fields[l.Slope] = new([]float64), new([]float64)
		}
		out = append(out, &predictor{LinearPredictor: l, values: on.field(l.Predictor), slope: on.field(l.Slope)})
	}
	return out
}

// Counts returns the number of rows, twice, and the sum of the weights.
func (m *posterior) Counts() (rows, distinct int, weight float64) {
	if m.dataless() {
		return 1, 1, 1
	}
	return m.rows.Given(), m.rows.Given(), (*m.field(totalField))[0]
}

func (m *posterior) Resize(sizes []int) error {
	if err := support.CheckSizes(m.pkg.Info, sizes); err != nil {
		return err
	}
	for i, d := range m.pkg.Dims {
		m.dims[d.Name] = sizes[i]
	}
	if !m.dataless() {
		m.rows = nil
		m.view(nil)
		(*m.field(totalField))[0], (*m.field(scaleField))[0] = 0, 1
	}
	m.allocate()
	return nil
}

func (m *posterior) SetData(d runtime.Data) error {
	if m.dataless() {
		return errors.New("the log-density of " + m.pkg.Info.Name + " depends on the latent variables alone: there are no data")
	}
	if err := support.CheckUndivided(d); err != nil {
		return err
	}
	c := columnsOf(m.d.Variational.Model.Data)
	if err := m.knows(append(c.given(), m.latentLength())...); err != nil {
		return err
	}
	rows, length, err := m.split(&c, d)
	if err != nil {
		return err
	}
	if err := m.inSupport(d, c.unknown, length); err != nil {
		return err
	}
	if c.unknown != "" {
		m.dims[c.unknown] = length
	}
	m.count(&c, rows)
	m.deriveLength()
	m.allocate()
	m.rows = rows
	(*m.field(totalField))[0] = rows.Weight()
	if err := m.stack(); err != nil {
		return err
	}
	return m.batch(nil)
}

// stack makes the columns that are put together of others.
func (m *posterior) stack() error {
	if len(m.of.Pieces) > 0 {
		m.view(nil)
		(*m.field(scaleField))[0] = 1
		for _, c := range m.of.Pieces {
			if err := m.rows.Space(m.field(c.Name), m.width(c.Type)); err != nil {
				return err
			}
		}
		m.run("SetData")
		for _, c := range m.of.Pieces {
			m.rows.Keep(m.width(c.Type), *m.field(c.Name))
		}
	}
	width := m.width(m.d.Problem.Target.Variable.Sym.Type)
	for _, s := range m.of.Stacked {
		var pieces []support.Piece
		for _, p := range s.Pieces {
			pieces = append(pieces, support.Piece{From: m.length(p.From), Column: p.Column, Number: p.Number})
		}
		if err := m.rows.Stack(width, s.Else, pieces); err != nil {
			return err
		}
	}
	return nil
}

// sized makes a column as long as there are rows.
func (m *posterior) sized(c methods.Column) {
	f := m.field(c.Name)
	*f = support.Grow(*f, m.w.Len()*m.width(c.Type))
}

func (m *posterior) batch(rows []int) error {
	check := m.rows.CheckBatch(rows)
	if m.pkg.Info.Ordered {
		check = support.CheckOrdered(rows)
	}
	if check != nil {
		return check
	}
	m.view(rows)
	(*m.field(scaleField))[0] = (*m.field(totalField))[0] / (*m.field(methods.WeightField))[0]
	return nil
}

func (m *posterior) Clone() runtime.Model {
	clone := newPosterior(m.d, m.pkg)
	clone.pool = m.pool
	maps.Copy(clone.dims, m.dims)
	clone.draws = m.draws
	for _, name := range []string{nodesField, nodeWeights, totalField, scaleField, methods.WeightField} {
		*clone.field(name) = slices.Clone(*m.field(name))
	}
	clone.allocate()
	for _, n := range m.of.Noise {
		copy(*clone.field(n.Field), *m.field(n.Field))
	}
	if clone.rows = m.rows.Shared(); m.rows.Given() > 0 {
		_ = clone.batch(nil)
	}
	return clone.self
}

func (m *posterior) exactGradients(v, c, z []float64) float64 {
	e := m.entry(exactGradients)
	*e.args[0], *e.args[1], *e.args[2] = v, c, z
	return e.value()
}

func (m *posterior) exactLoss(z []float64) float64 {
	e := m.entry(exactLoss)
	*e.args[0] = z
	return e.value()
}

func (m *posterior) nodes() int { return len(*m.field(nodesField)) }

// setNodes sets the number of nodes of quadrature, where there is any.
func (m *posterior) setNodes(n int) {
	if len(m.pkg.Integrals) == 0 {
		return
	}
	n = max(1, min(n, runtime.MostNodes))
	t, w := make([]float64, n), make([]float64, n)
	special.HermiteNodes(t, w)
	*m.field(nodesField), *m.field(nodeWeights) = t, w
}

// Contain and ContainStart are those of runtime.Container, which a model is where Info().Contained has any.
func (m *posterior) Contain(z, theta []float64, i int) error {
	return m.contained(z, theta, i, "", nil)
}

func (m *posterior) ContainStart(z, theta []float64, i int, rng *rand.Rand) error {
	if i >= 0 && i < len(m.d.Contained) && m.d.Contained[i].Start != nil {
		return m.contained(z, theta, i, "Start", rng)
	}
	return m.contained(z, theta, i, "", nil)
}

func (m *posterior) contained(z, theta []float64, i int, which string, rng *rand.Rand) error {
	if i < 0 || i >= len(m.d.Contained) {
		return fmt.Errorf("there is no contained approximation %d", i)
	}
	name := fmt.Sprintf("contained%d%s", i, which)
	m.function(name)[0].set("theta", theta)
	m.startOf(name, "z", z, rng)
	return m.inside(z, "")
}

// Predict draws data, each random number for all rows.
func (m *posterior) Predict(dst, z []float64, rng *rand.Rand) {
	if len(m.of.Predicted) == 0 {
		return
	}
	if m.of.Packed {
		z = m.unfold(m.folded, z)
	}
	passes := m.function("Predict")
	passes[0].set("z", z)
	for _, n := range m.of.Predictive {
		if n.Pass >= 0 {
			for _, c := range n.Fields {
				m.sized(c)
			}
			passes[n.Pass].run()
		}
		m.sized(n.Column)
		m.drawRows(n, rng)
	}
	for _, c := range m.of.Predicted {
		m.sized(c)
	}
	passes[len(passes)-1].run()
	for _, c := range m.of.Predicted {
		dst = dst[copy(dst, *m.field(c.Name)):]
	}
}

// drawRows draws a random number, or an array of them, for all rows.
func (m *posterior) drawRows(n methods.RowNoise, rng *rand.Rand) {
	values, draw, args := *m.field(n.Name), primitives[n.Kind], make([]float64, len(n.Args))
	for i := range values {
		for k, a := range n.Args {
			if args[k] = a.Number; a.Field != "" {
				args[k] = (*m.field(a.Field))[i]
			}
		}
		values[i] = draw(rng, args)
	}
}

// Observed writes what was observed of the data that Predict draws to dst.
func (m *posterior) Observed(dst []float64) {
	q := m.d.Variational.Predictive
	if q == nil {
		return
	}
	for _, x := range q.Data {
		for i, c := range m.d.Variational.Model.Data {
			if c.Name == x.Name {
				dst = dst[copy(dst, *m.field(m.pkg.Data[i].Name)):]
			}
		}
	}
}

// Reported writes what a report shows of the latent variables at z to dst.
func (m *posterior) Reported(dst, z []float64) {
	if len(m.d.Variational.Reported) == 0 {
		return
	}
	e := m.entry(reported)
	if *e.args[0], *e.args[1] = dst, z; m.of.Packed {
		*e.args[1] = m.unfold(m.folded, z)
	}
	e.u.run()
}

// folded is memory for coordinates with all entries of latent variables of which fewer numbers are stepped, and for their derivatives.
type folded struct {
	values, slopes []float64
	at             []int // where each latent variable begins, and where the last one ends
	sides          []int // of square matrices
}

func (m *posterior) newFolded() *folded {
	f, n := &folded{}, 0
	for _, q := range m.d.Problem.Variational.Latent {
		side, t := 0, q.Sym.Type
		if t.Rank == 2 {
			side = m.dim(t.Dims[0])
		}
		f.at, f.sides = append(f.at, n), append(f.sides, side)
		n += m.width(t)
	}
	f.at = append(f.at, n)
	f.values, f.slopes = make([]float64, n), make([]float64, n)
	return f
}

// unfold returns coordinates with the entries of the latent variables, of which z has those that are free.
func (m *posterior) unfold(f *folded, z []float64) []float64 {
	for i, places := range m.d.Problem.Variational.Places {
		z = z[places.Unfold(f.values[f.at[i]:f.at[i+1]], z, f.sides[i]):]
	}
	return f.values
}

// fold writes those of the gradient to g.
func (m *posterior) fold(f *folded, g []float64) {
	for i, places := range m.d.Problem.Variational.Places {
		g = g[places.Fold(g, f.slopes[f.at[i]:f.at[i+1]], f.sides[i]):]
	}
}
