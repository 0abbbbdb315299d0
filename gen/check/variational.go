package check

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/expr/eval"
	"github.com/sngdgen/sngdgen/gen/bind"
	"github.com/sngdgen/sngdgen/runtime/psis"
	"github.com/sngdgen/sngdgen/runtime/types"
	"github.com/sngdgen/sngdgen/spec"
)

// Variational objectives. Their rows are draws: with the random numbers held fixed the objective is a function of the
// parameters like any other, which differences can be taken of. The model is evaluated as it is written, on data made up
// for it, and its gradient as it is derived.

const (
	objectiveDraws = 4
	modelRows      = 5
	// modelScale is what the likelihood is multiplied with: not 1, as for the rows of a batch.
	modelScale = 1.5
	// closedDraws is how many draws what is known in closed form is estimated with, and closedErrors how many standard errors
	// it may be away.
	closedDraws  = 4000
	closedErrors = 6
)

// ofModel are the latent variables and the data of a variational objective.
func (c *checker) ofModel() []variable {
	if v := c.p.Variational; v != nil {
		return append(c.latents(), variables(v.Data)...)
	}
	return nil
}

// latents are the coordinates of the latent variables.
func (c *checker) latents() []variable {
	v := c.p.Variational
	out := variables(v.Latent)
	for i := range out {
		out[i].coordinate = !slices.ContainsFunc(v.Declared, func(q bind.Param) bool { return q.Sym == out[i].sym })
	}
	return out
}

// asWritten are the terms of the log joint density as written, none without a variational objective.
func (c *checker) asWritten() []*expr.Node {
	v := c.p.Variational
	if v == nil {
		return nil
	}
	return slices.DeleteFunc([]*expr.Node{v.Likelihood, v.Prior}, func(n *expr.Node) bool { return n == nil })
}

// opaque is what of the log joint density is evaluated draw by draw, as written: a prior of the whole variable of the target
// is a term of the objective of its own.
func (c *checker) opaque() *expr.Node {
	v := c.p.Variational
	if !v.Whole(c.p.Target) || v.Prior == nil {
		return c.g.Add(c.asWritten()...)
	}
	return v.Likelihood
}

// latentParts reports whether the latent variables are parts of the variable of the target.
func (c *checker) latentParts() bool {
	v := c.p.Variational
	return v != nil && !v.Spec.LatentWhole && c.p.Target.Variable.Sym.Type.Rank == 1
}

// fitLatents makes the lengths of the variable and of its parts go together, where that can be done.
func (c *checker) fitLatents(lengths map[string]int) {
	if !c.latentParts() {
		return
	}
	whole := c.p.Target.Variable.Sym.Type.Dims[0]
	total, open, times := 0, "", 0
	for i, q := range c.p.Variational.Latent {
		switch t := q.Sym.Type; {
		case t.Rank == 0:
			total++
		case t.Rank == 2 || c.p.Variational.Places[i] != types.All:
			total += c.latentCoordinates(i, lengths)
		case t.Dims[0].Name == "":
			total += t.Dims[0].Size
		case whole.Name == "" && (open == "" || open == t.Dims[0].Name):
			open = t.Dims[0].Name
			times++
		default:
			total += lengths[t.Dims[0].Name]
		}
	}
	switch {
	case whole.Name != "":
		lengths[whole.Name] = total
	case open != "":
		lengths[open] = max(1, (whole.Size-total)/times)
	}
}

// latentCoordinates is how many numbers coordinate i has.
func (c *checker) latentCoordinates(i int, lengths map[string]int) int {
	t, n, side := c.p.Variational.Latent[i].Sym.Type, 1, 0
	for _, d := range t.Dims[:t.Rank] {
		if side = d.Size; d.Name != "" {
			side = lengths[d.Name]
		}
		n *= side
	}
	return c.p.Variational.Places[i].Count(n, side)
}

// latentsFit reports latent variables that are not as many numbers as the variable of the target has.
func (c *checker) latentsFit() bool {
	if !c.latentParts() {
		return true
	}
	total := 0
	for i, q := range c.p.Variational.Latent {
		rows, columns := c.shape(q.Sym.Type)
		total += c.p.Variational.Places[i].Count(rows*columns, columns)
	}
	have, _ := c.shape(c.p.Target.Variable.Sym.Type)
	if total == have {
		return true
	}
	c.diags.Errorf(c.p.Variational.Latent[0].Span, "the latent variables are %d numbers together, but the variable of %s has %d%s",
		total, c.targetName(), have, c.lengthsText()).
		WithHint("the parts of the variable need names of their own for their lengths")
	return false
}

// objectiveEnv is a point of the domain with what the objective needs besides: a data set, or a model and random numbers.
func (c *checker) objectiveEnv(rng *rand.Rand, p point) *eval.Env {
	if c.p.Variational == nil {
		return c.envOn(p, c.data(rng, &p))
	}
	env := c.env(p)
	c.draws(rng, objectiveDraws, env)
	env.LogJoint = c.model(c.modelEnv(rng))
	for _, q := range c.p.Target.Params {
		env.Symbols[c.held(q).Name] = env.Symbols[q.Sym.Name]
	}
	return env
}

// draws gives an environment the random numbers of some draws, of a mixture as many for each component.
func (c *checker) draws(rng *rand.Rand, count int, env *eval.Env) {
	if m := c.p.Mixture; m != nil {
		count *= c.known.components
		labels := make([]float64, count)
		for i := range labels {
			labels[i] = float64(i % c.known.components)
		}
		env.Symbols[m.Label.Name] = eval.Value{Rows: labels}
	}
	c.noiseRows(rng, c.d.Variational.Noise, count, env, func(int) {})
	env.Set(c.g.Size(expr.Rows).Name, float64(count))
}

// ofDraws are expressions in the variable of the target at the rows: of a variational objective these are draws.
func (c *checker) ofDraws(nodes ...*expr.Node) []*expr.Node {
	if c.p.Variational == nil {
		return nodes
	}
	return c.g.SubstituteAll(nodes, map[*expr.Node]*expr.Node{c.p.Target.Variable.Sym: c.d.Variational.Drawn})
}

// share is what a draw counts: that of a component of a mixture its weight, which is 1 on average.
func (c *checker) share() *expr.Node {
	m, g := c.p.Mixture, c.g
	if m == nil {
		return g.Const(1)
	}
	return g.Mul(g.Size(expr.Components), g.Sum(expr.Components, g.Mul(m.Own(g), m.Weights)))
}

// modelEnv makes up data for the model.
func (c *checker) modelEnv(rng *rand.Rand) *eval.Env {
	v := c.p.Variational
	env := point{known: c.known}.env()
	count := 1
	if v.ByRow {
		count = modelRows
	}
	rowsOf := make([][]eval.Value, len(v.Data)) // of each of the data
	for k, q := range v.Data {
		for range count {
			rowsOf[k] = append(rowsOf[k], c.madeUp(rng, q))
		}
	}
	c.putInside(rng, rowsOf)
	for k, q := range v.Data {
		list := rowsOf[k]
		if env.Symbols[q.Sym.Name] = list[0]; q.Sym.Type.Axes.Has(expr.Rows) {
			env.Symbols[q.Sym.Name] = stacked(list)
		}
	}
	env.Set(c.g.Size(expr.Rows).Name, float64(count))
	env.Set(v.Scale.Name, modelScale)
	c.makePossible(env)
	return env
}

// madeUp is a value for a row of one of the data.
func (c *checker) madeUp(rng *rand.Rand, q bind.Param) eval.Value {
	m := c.zeros(q.Sym.Type)
	copy(m.RawMatrix().Data, c.observation(rng, q, 1, 1.5))
	return packed(q.Sym.Type, m)
}

// putInside makes up rows again that do not meet the conditions of the model: once more and again, up to a limit.
func (c *checker) putInside(rng *rand.Rand, rowsOf [][]eval.Value) {
	v := c.p.Variational
	if len(v.Support) == 0 {
		return
	}
	for i := range rowsOf[0] {
		for try := 0; !c.meets(rowsOf, i) && try < mostBatches; try++ {
			for k, q := range v.Data {
				rowsOf[k][i] = c.madeUp(rng, q)
			}
		}
	}
}

// meets reports whether a row of the data meets the conditions of the model.
func (c *checker) meets(rowsOf [][]eval.Value, i int) bool {
	v := c.p.Variational
	return conditionsMet(v.Support, c.values(nodesOf(v.Support), c.rowEnv(rowsOf, i)), 0)
}

// rowEnv has the data of one row.
func (c *checker) rowEnv(rowsOf [][]eval.Value, i int) *eval.Env {
	env := point{known: c.known}.env()
	for k, q := range c.p.Variational.Data {
		if env.Symbols[q.Sym.Name] = rowsOf[k][i]; q.Sym.Type.Axes.Has(expr.Rows) {
			env.Symbols[q.Sym.Name] = stacked(rowsOf[k][i : i+1])
		}
	}
	env.Set(c.g.Size(expr.Rows).Name, 1)
	return env
}

// makePossible draws data as the model says where it says so, and those that are made up have no likelihood, as more successes than trials.
func (c *checker) makePossible(env *eval.Env) {
	v := c.p.Variational
	if v.Predictive == nil || v.Spec.LogLikelihood == nil {
		return
	}
	rng := c.stream("possible")
	at := c.draw(rng, c.latents(), 0.3, c.known)
	for i, x := range at.vars {
		env.Symbols[x.sym.Name] = at.values[i]
	}
	if !finite(value(v.Likelihood, env)) {
		c.drawData(rng, at, env)
	}
}

// impossible says what helps where data that are made up may have no likelihood; "" where there is another reason.
func (c *checker) impossible() string {
	v := c.p.Variational
	switch {
	case v == nil && c.p.Target.Sample == nil && !c.p.Target.Ordered():
		return fmt.Sprintf("rows that are made up may have no density: add sample: to %s, which says how they are drawn", c.p.Target.Name)
	case v != nil && v.Predictive == nil && v.Spec.LogLikelihood != nil && v.ByRow && !v.Ordered() && c.someImpossible():
		return "data that are made up may have no likelihood: add sample: beside log_likelihood, which says how they are drawn"
	}
	return ""
}

// someImpossible reports whether at some latent variables some rows that are made up have a likelihood, and others none.
func (c *checker) someImpossible() bool {
	v := c.p.Variational
	rng := c.stream("impossible")
	for range gradientPoints {
		at := c.draw(rng, c.latents(), 0.3, c.known)
		have := map[bool]bool{}
		for range modelRows {
			rowsOf := make([][]eval.Value, len(v.Data))
			for k, q := range v.Data {
				rowsOf[k] = append(rowsOf[k], c.madeUp(rng, q))
			}
			env := c.rowEnv(rowsOf, 0)
			env.Set(v.Scale.Name, 1)
			for i, x := range at.vars {
				env.Symbols[x.sym.Name] = at.values[i]
			}
			have[finite(value(v.Likelihood, env))] = true
		}
		if len(have) == 2 {
			return true
		}
	}
	return false
}

// model evaluates the log joint density as written, or some of its terms, and the gradient as derived.
func (c *checker) model(env *eval.Env) func(terms expr.Terms, z []float64) (float64, []float64) {
	m := c.d.Variational.Model
	if m == nil {
		return nil
	}
	if c.p.Variational.External {
		return standIn
	}
	f := c.opaque()
	return func(terms expr.Terms, z []float64) (float64, []float64) {
		c.setLatents(env, z)
		_, derived := m.Of(terms)
		var gradient []float64
		for k, v := range c.values(derived, env) {
			sym := m.Latent[k].Sym
			rows, columns := c.shape(sym.Type)
			for i := range rows * columns {
				if !c.p.Variational.Places[k].Have(i, rows*columns, columns) {
					continue
				}
				gradient = append(gradient, entry{sym: sym, i: i / columns, j: i % columns}.of(v))
			}
		}
		return value(c.terms(f, terms), env), gradient
	}
}

// setLatents gives the latent variables the values of a draw.
func (c *checker) setLatents(env *eval.Env, z []float64) {
	for i, q := range c.d.Variational.Model.Latent {
		part := c.zeros(q.Sym.Type)
		_, side := part.Dims()
		z = z[c.p.Variational.Places[i].Unfold(part.RawMatrix().Data, z, side):]
		env.Symbols[q.Sym.Name] = packed(q.Sym.Type, part)
	}
}

// knownTerms evaluates the terms whose expectations the objective has, in the place of all, and 0 in the place of those that are estimated.
func (c *checker) knownTerms(env *eval.Env) func(terms expr.Terms, z []float64) (float64, []float64) {
	known := c.d.Variational.KnownTerms
	return func(terms expr.Terms, z []float64) (float64, []float64) {
		if known == nil || terms == expr.EstimatedTerms {
			return 0, make([]float64, len(z))
		}
		c.setLatents(env, z)
		return value(known.Terms, env), make([]float64, len(z))
	}
}

// terms are some terms of the log joint density as written: those that are estimated are all but the known ones.
func (c *checker) terms(f *expr.Node, terms expr.Terms) *expr.Node {
	if known := c.d.Variational.KnownTerms; known != nil && terms == expr.EstimatedTerms {
		return c.g.Sub(f, known.Terms)
	}
	return f
}

// standIn takes the place of a log-density in Go: smooth, with no symmetry between the latent variables.
func standIn(_ expr.Terms, z []float64) (f float64, gradient []float64) {
	gradient = make([]float64, len(z))
	for i, x := range z {
		scale, next := 1+0.3*float64(i), z[(i+1)%len(z)]
		f -= scale*math.Sqrt(1+x*x) + 0.1*x*next
		gradient[i] -= scale*x/math.Sqrt(1+x*x) + 0.1*next
		gradient[(i+1)%len(z)] -= 0.1 * x
	}
	return f, gradient
}

// modelGradient compares the log joint density and its gradient by the latent variables with the formulas as written.
func (c *checker) modelGradient() {
	v := c.d.Variational
	if v == nil || v.Model == nil || c.p.Variational.External {
		return
	}
	rng := c.stream("model")
	f := c.opaque()
	for range gradientPoints {
		env := c.modelEnv(rng)
		at := c.draw(rng, c.latents(), 0.7, c.known)
		for i, q := range at.vars {
			env.Symbols[q.sym.Name] = at.values[i]
		}
		for _, terms := range c.evaluated() {
			derived, gradient := v.Model.Of(terms)
			written := c.terms(f, terms)
			if got, want := value(derived, env), value(written, env); finite(want) && !sameNumber(got, want) {
				c.bug("the derived log joint density is %.12g, but as written it is %.12g, at %v", got, want, at)
				return
			}
			if !c.slopes(at, env, written, gradient, "derived gradient of the log joint density, by ") {
				return
			}
		}
	}
}

// evaluated are the terms of the model that draws are evaluated for.
func (c *checker) evaluated() []expr.Terms {
	if c.d.Variational.KnownTerms == nil {
		return []expr.Terms{expr.AllTerms}
	}
	return []expr.Terms{expr.AllTerms, expr.EstimatedTerms}
}

// slopes compares the gradient of a function of the latent variables with differences; false after a diagnostic.
func (c *checker) slopes(at point, env *eval.Env, f *expr.Node, gradient []*expr.Node, what string) bool {
	values := c.values(gradient, env)
	for k, q := range at.vars {
		e := estimates{entries: c.entries(q.sym)}
		for _, size := range c.scales(at, k, k+1) {
			e.steps = append(e.steps, relativeStep*size)
		}
		c.difference(&e, f, env)
		if _, sound := c.compare(e, values[k], what, at); !sound {
			return false
		}
	}
	return true
}

// held stands for a parameter of the target where it does not vary.
func (c *checker) held(q bind.Param) *expr.Node {
	return c.g.Sym("check.held."+q.Name, q.Sym.Type, q.Sym.Facts)
}

// literals are the functions of the stepped and of the dual coordinates that the gradients are those of: the objective as
// written, but along the path derivative with the parameters of log q held fixed.
func (c *checker) literals() (stepped, dual *expr.Node) {
	s, v := &c.d.Surrogate, c.p.Variational
	if v == nil || v.Spec.Estimator != spec.EstimatorPath {
		return s.Literal, s.LiteralDual
	}
	change := c.pathChange()
	coords, others := c.d.Family.Natural, c.d.Family.Mean
	if c.p.Spec.Step != bind.Natural {
		coords, others = others, coords
	}
	through := func(nodes []*expr.Node) *expr.Node {
		by := map[*expr.Node]*expr.Node{}
		for i, sym := range c.d.Family.Std {
			by[sym] = nodes[i]
		}
		return c.g.Substitute(change, by)
	}
	return c.g.Add(s.Literal, through(coords.ToStd)), c.g.Add(s.LiteralDual, through(others.ToStd))
}

// pathChange is what the objective of the path derivative has more than the objective as written: the mean of log q with its
// parameters held, in the place of the entropy or of that with parameters that vary.
func (c *checker) pathChange() *expr.Node {
	t, g := c.p.Target, c.g
	drawn := map[*expr.Node]*expr.Node{t.Variable.Sym: c.d.Variational.Drawn}
	byMap, held := map[*expr.Node]*expr.Node{}, map[*expr.Node]*expr.Node{}
	for i, def := range c.p.Map {
		byMap[def.Sym], held[def.Sym] = def.Node, c.held(t.Params[i])
	}
	mean := func(by map[*expr.Node]*expr.Node) *expr.Node {
		logQ := g.Substitute(g.Substitute(t.LogPDF, by), drawn)
		return g.Div(g.Sum(expr.Rows, g.Mul(c.share(), logQ)), g.Size(expr.Rows))
	}
	if t.Entropy != nil {
		return g.Add(mean(held), g.Substitute(t.Entropy, byMap))
	}
	return g.Sub(mean(held), mean(byMap))
}

// inTheta are the objective in the parameters of the target, of which derivatives are taken, and as written.
func (c *checker) inTheta() (f, written *expr.Node) {
	if c.p.Variational == nil {
		f = c.meanNLL()
		return f, f
	}
	s := &c.d.Surrogate
	return c.d.Objective.Loss, s.Literal // at the coordinates that belong to the parameters
}

// closedForms compares what the objective has in closed form, such as the entropy and the expectation of the prior, with
// its mean over draws. Other terms are left out: they are estimates on both sides.
func (c *checker) closedForms() {
	if c.p.Variational == nil {
		return
	}
	rng := c.stream("closed forms")
	conclusive := 0
	for range 5 * gradientPoints { // more than are asked for: heavy tails leave some without a standard error to go by
		if conclusive == gradientPoints {
			return
		}
		p, ok := c.inside(rng, c.d.Surrogate.Conditions, 0.7)
		if !ok {
			continue
		}
		env := c.env(p)
		c.draws(rng, closedDraws, env)
		env.LogJoint = c.knownTerms(c.modelEnv(rng))
		bound, ratios := -value(c.d.Surrogate.Literal, env), c.valueOf(c.g.Mul(c.share(), c.d.Variational.Ratio), env).Rows
		if !finite(bound) || !allFinite(ratios) {
			continue
		}
		mean, off, few := meanAndError(ratios)
		if few || heavy(c.valueOf(c.deviation(), env).Rows) {
			continue
		}
		conclusive++
		if math.Abs(bound-mean) > closedErrors*off+1e-8*math.Max(1, math.Abs(mean)) {
			c.diags.Errorf(c.p.Variational.Spec.Span, "the entropy of %s and the expectations of terms of the joint density are %.6g together, but "+
				"over draws their mean is %.6g, with a standard error of %.2g, at %v", c.targetName(), bound, mean, off, p).
				WithHint("look at the mean, the variance, the entropy, the expectations and the sample of %s", c.targetName())
			return
		}
	}
}

// mostOfOne is the share of one draw in the variance of all from which on the mean has no standard error to go by: tails are
// heavy, as those of a quadratic prior under Student's t with few degrees of freedom.
const mostOfOne = 0.1

// mostShape is the shape of a generalised Pareto distribution from which on there is no variance.
const mostShape = 0.5

// meanAndError is the mean of some numbers and its standard error, and whether few of them decide about it.
func meanAndError(x []float64) (mean, off float64, few bool) {
	if len(x) == 0 {
		return math.NaN(), math.NaN(), true
	}
	n := float64(len(x))
	for _, v := range x {
		mean += v / n
	}
	square, largest := 0.0, 0.0
	for _, v := range x {
		square += (v - mean) * (v - mean)
		largest = math.Max(largest, (v-mean)*(v-mean))
	}
	return mean, math.Sqrt(square) / n, largest > mostOfOne*square
}

// heavy reports whether numbers of a continuous distribution have a tail without a variance, whatever that of these numbers is: those of a
// quadratic prior under Student's t with hardly more than two degrees of freedom may all be nearer than those that count.
func heavy(x []float64) bool {
	sizes := make([]float64, len(x)) // as logarithms
	for i, v := range x {
		sizes[i] = math.Log(math.Abs(v))
	}
	return psis.Smooth(sizes) > mostShape
}

// deviation is the square of the distance of every draw from the mean of all.
func (c *checker) deviation() *expr.Node {
	drawn := c.d.Variational.Drawn
	x := c.g.Sub(drawn, c.g.Div(c.g.Sum(expr.Rows, drawn), c.g.Size(expr.Rows)))
	switch x.Type.Rank {
	case 0:
		return c.g.Mul(x, x)
	case 1:
		return c.g.Dot(x, x)
	}
	return c.g.Inner(x, x)
}

// leftOut says what of a variational objective was not looked at.
func (c *checker) leftOut() {
	v := c.p.Variational
	if v == nil || c.diags.HasErrors() {
		return
	}
	if v.External {
		c.diags.Notef(v.Spec.Span, "gradients were compared with differences on a few draws held fixed, with another function in the "+
			"place of the external log-density; that its gradient is right, and how random %d draws leave a step, was not looked at",
			v.Spec.Draws)
		return
	}
	if s := c.d.Variational.Sites; s != nil && s.Asked {
		c.diags.Notef(v.Spec.Span, "the sites of expectation propagation were compared with the log joint density, on data that are made up; "+
			"whether the moments agree in the end depends on the data, and fit says it")
	}
	c.diags.Notef(v.Spec.Span, "gradients were compared with differences on a few draws held fixed, on data that are made up; "+
		"that the likelihood is a density of the data, and how random %d draws leave a step, was not looked at", v.Spec.Draws)
}
