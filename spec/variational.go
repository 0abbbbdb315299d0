package spec

import (
	"slices"
	"strconv"

	"go.yaml.in/yaml/v4"

	"github.com/sngdgen/sngdgen/expr/syntax"
	"github.com/sngdgen/sngdgen/internal/diag"
	"github.com/sngdgen/sngdgen/runtime/types"
)

const (
	// rowsName is the dimension of data that have an entry for each row.
	rowsName = "n"

	defaultDraws = 20

	// maxDraws bounds the draws for each step: work and memory grow with their product with the number of rows.
	maxDraws = 100000

	// external is the term that is a function in Go.
	external     = "external"
	externalForm = "a log-density in Go is a term of objective vi: log_joint: external, or log_likelihood: external"

	posteriorSettings = "{latent: z, data: {y: vector(n)}, log_likelihood: ..., log_prior: ...}"

	// DefaultPower is that of expectation propagation.
	DefaultPower = 1
)

// posteriors are the objectives that approximate a posterior.
var posteriors = []string{ObjectiveVI, ObjectiveEP}

func posteriorForm(objective string) string {
	return "objective: {" + objective + ": " + posteriorSettings + "}"
}

var (
	viKeys    = []string{"latent"}
	viOptions = slices.Concat([]string{"data", "constants", "let", "support", "state", "series"}, viTerms,
		[]string{"sample", "draws", "estimator", "antithetic"})

	// viTerms are the keys that say what the joint density of latent variables and data is.
	viTerms = []string{"log_likelihood", "log_prior", "log_joint"}
)

// variational reads a variational objective. Parts that are wrong are left out, and reported.
func (r *reader) variational(o *object, objective string, at diag.Span) *VI {
	options := viOptions
	if objective == ObjectiveEP {
		options = append(slices.Clone(viOptions), "power")
	}
	if missing := o.only(viKeys, options); missing != nil {
		missing.WithHint("latent: z gives the variable of the target a name")
	}
	ns := r.names()
	v := &VI{Draws: defaultDraws, Estimator: EstimatorReparameterised, Span: at}
	v.Latent, v.LatentWhole = r.latent(o.get("latent"), ns)
	v.Data = slices.DeleteFunc(r.params(o.get("data"), "data", "data", ns), func(p Param) bool { return !r.isData(p) })
	v.Constants = r.declared(o, "constants", "a constant", ns)
	v.States = r.states(o.get("state"), ns)
	v.Let = r.let(o, ns)
	v.Support = r.support(o)
	v.Series = r.series(o, v.Data)
	r.viTerms(v, o)
	r.modelSequence(v, o, objective)
	v.Sample = r.dataSample(o, v, ns)
	v.Draws = r.drawCount(o.get("draws"))
	if n := o.get("estimator"); n != nil {
		if w, ok := r.word(n, "estimator", msgEstimator, []string{EstimatorReparameterised, EstimatorPath}); ok {
			v.Estimator = w
		}
	}
	if n := o.get("antithetic"); n != nil {
		w, _ := r.word(n, "antithetic", msgAntithetic, []string{"true", "false"})
		v.Antithetic = w == "true"
	}
	if objective == ObjectiveEP {
		r.propagation(v, o)
	}
	r.dimensionNames(v)
	return v
}

// propagation reads what expectation propagation has besides.
func (r *reader) propagation(v *VI, o *object) {
	power := float64(DefaultPower)
	if n := o.get("power"); n != nil {
		p, ok := r.exact(n, "power", "a number")
		x, err := strconv.ParseFloat(p.text, 64)
		switch {
		case !ok:
		case err != nil || !(x >= 0 && x <= 1):
			r.diags.Errorf(p.whole(), msgPower).WithHint("1 is expectation propagation, which matches moments; 0 is variational inference")
		default:
			power = x
		}
	}
	v.Power = &power
	if v.External != (diag.Span{}) {
		r.diags.Errorf(v.External, msgExternalSites).WithHint("write the formula, or use objective vi")
	}
}

// modelSequence reports what a model with a state cannot have.
func (r *reader) modelSequence(v *VI, o *object, objective string) {
	if !o.has("state") {
		return
	}
	if !slices.ContainsFunc(v.Data, func(p Param) bool { return hasDim(p, rowsName) }) {
		r.diags.Errorf(o.keySpan("state"), msgStateWithoutRows).WithHint("declare data with a row for each step: data: {y: vector(n)}")
	}
	if o.has("sample") {
		r.diags.Errorf(o.keySpan("sample"), msgOfSequence, "the model", "sample").WithHint("data are drawn row by row, each given the rows before it")
	}
	if objective == ObjectiveEP {
		r.diags.Errorf(o.keySpan("state"), msgStateOfSites).WithHint("objective vi takes it")
	}
}

// latent reads the latent variables: a name for the whole variable of the target, or names with types for its parts.
func (r *reader) latent(n *yaml.Node, ns *names) (latent []Param, whole bool) {
	if n != nil && n.Kind == yaml.MappingNode {
		latent = r.params(n, "latent", "a latent variable", ns)
		return slices.DeleteFunc(latent, func(p Param) bool { return !r.isLatent(p) }), false
	}
	if n != nil && n.Kind == yaml.SequenceNode {
		r.diags.Errorf(r.span(n), msgWrongKind, "latent", "a name or a mapping", describe(n)).
			WithHint("parts of the target's variable have a type each: {mu: real, eta: vector(j)}")
		return nil, false
	}
	name, ok := r.text(n, "latent", "a name or a mapping")
	if !ok || !ns.declare(name.text, name.whole(), "a latent variable") {
		return nil, true
	}
	return []Param{{Name: name.text, NameSpan: name.whole()}}, true
}

// isLatent reports whether a latent variable may have its type, and says why not.
func (r *reader) isLatent(p Param) bool {
	switch {
	case hasDim(p, rowsName):
		r.diags.Errorf(p.TypeSpan, msgLatentRows, p.Name).
			WithHint("the target has one length whatever the data: write vector(j)")
	case p.Type.Type().Entry.Integer:
		r.diags.Errorf(p.TypeSpan, msgLatentType, p.Type.String()).
			WithHint("draws of a whole number have no derivative: take the sum over its values in log_likelihood")
	default:
		return true
	}
	return false
}

// isUnconstrained reports whether a type is that of a real number or of a vector of them.
func isUnconstrained(t syntax.TypeExpr) bool {
	of := t.Type()
	return of.Entry == types.Real && (of.Form == types.Number || of.Form == types.Vector)
}

// isData reports whether data may have their type, and says why not.
func (r *reader) isData(p Param) bool {
	t := p.Type
	switch {
	case t.IsScalar(), t.Kind == "vector":
		return true
	case t.Kind != "matrix":
	case t.Dims[1].Name == rowsName:
		r.diags.Errorf(p.TypeSpan, msgDataRows, t.String()).WithHint("write matrix(n, d): a row for each observation")
		return false
	case t.Dims[0].Name == rowsName:
		return true
	}
	r.diags.Errorf(p.TypeSpan, msgDataType, t.String()).
		WithHint("data are numbers, vectors and matrix(n, d), where n is the number of rows")
	return false
}

// dataSample reads how data are drawn, given the latent variables. Data that it gives a value are those that are drawn, other values
// and random numbers have names of their own.
func (r *reader) dataSample(o *object, v *VI, ns *names) *Draws {
	n := o.get("sample")
	if n == nil {
		return nil
	}
	d, _ := r.draws(n, "sample")
	if d == nil {
		return nil
	}
	drawn := false
	for _, value := range d.Values {
		if v.isData(value.Name) {
			drawn = true
		} else {
			ns.declare(value.Name, value.NameSpan, "a value")
		}
	}
	for _, w := range d.Noise {
		ns.declare(w.Name, w.NameSpan, "a random number")
	}
	switch {
	case len(v.Data) == 0:
		r.diags.Errorf(o.keySpan("sample"), msgSampleNothing).WithHint("leave sample out, or give data")
	case !drawn && len(d.Values) > 0:
		r.diags.Errorf(d.Span, msgSampleData).WithHint("give %s a value, made of random numbers", v.Data[len(v.Data)-1].Name)
	}
	return d
}

// isData reports whether data have a name.
func (v *VI) isData(name string) bool {
	return slices.ContainsFunc(v.Data, func(p Param) bool { return p.Name == name })
}

// viTerms reads the joint density: as a whole, or as likelihood and prior, of which one may be missing.
func (r *reader) viTerms(v *VI, o *object) {
	const joint = "log_joint"
	v.LogLikelihood, v.LogPrior = r.term(v, o, "log_likelihood"), r.optional(o, "log_prior")
	v.LogJoint = r.term(v, o, joint)
	r.checkExternal(v, o)
	given := slices.DeleteFunc(slices.Clone(viTerms), func(key string) bool { return !o.has(key) })
	switch {
	case len(given) == 0 && !o.misspells(slices.Concat(viKeys, viOptions), viTerms):
		r.diags.Errorf(o.span, msgMissingKey, o.what, enumerate(viTerms, "or")).
			WithHint("give likelihood and prior, or one of them, or the whole as log_joint")
	case len(given) > 1 && o.has(joint):
		others := slices.DeleteFunc(given, func(key string) bool { return key == joint })
		r.diags.Errorf(o.keySpan(joint), msgJoint, enumerate(others, "and")).
			WithHint("log_joint is the sum of likelihood and prior: give it alone, or leave it out")
	}
}

// term reads a formula, or the word that says that it is a function in Go.
func (r *reader) term(v *VI, o *object, key string) *Formula {
	if n := o.get(key); n != nil && n.Kind == yaml.ScalarNode && n.Value == external {
		v.External = r.span(n)
		return nil
	}
	return r.optional(o, key)
}

// checkExternal reports what does not go with a function in Go.
func (r *reader) checkExternal(v *VI, o *object) {
	if v.External == (diag.Span{}) {
		return
	}
	if o.has("data") {
		r.diags.Errorf(o.keySpan("data"), msgExternalData).WithHint("the function has its own: leave them out")
	}
	for _, p := range v.Latent {
		if !v.LatentWhole && !isUnconstrained(p.Type) {
			r.diags.Errorf(p.TypeSpan, msgExternalType, p.Name, p.Type.String()).
				WithHint("the function has its own coordinates: declare real ones, and add the logarithm of their Jacobian there")
		}
	}
	if o.has("log_prior") && len(v.Latent) > 1 {
		r.diags.Errorf(o.keySpan("log_prior"), msgExternalPrior).WithHint("write log_joint: external, and add the prior in the function")
	}
}

// misspells reports whether a key that is not valid was meant to be one of the given ones.
func (o *object) misspells(valid, meant []string) bool {
	return slices.ContainsFunc(o.entries, func(e entry) bool {
		return !slices.Contains(valid, e.key) && slices.Contains(meant, diag.Suggest(e.key, valid))
	})
}

// drawCount reads how many draws a step takes.
func (r *reader) drawCount(n *yaml.Node) int {
	if n == nil {
		return defaultDraws
	}
	p, ok := r.exact(n, "draws", "a number")
	if !ok {
		return defaultDraws
	}
	draws, err := strconv.Atoi(p.text)
	if err != nil || draws < 1 || draws > maxDraws {
		r.diags.Errorf(p.whole(), msgDraws, maxDraws).
			WithHint("%d are taken where nothing is said; more make steps less random and take longer", defaultDraws)
		return defaultDraws
	}
	return draws
}

// dimensionNames reports names that formulas could take for a dimension of the data or of the latent variables.
func (r *reader) dimensionNames(v *VI) {
	dims := map[string]string{}
	for _, p := range slices.Concat(v.Latent, v.Data) {
		for _, d := range p.Type.Lengthy() {
			if _, ok := dims[d.Name]; !ok {
				dims[d.Name] = p.Name
			}
		}
	}
	for _, d := range v.names() {
		if of, ok := dims[d.Name]; ok {
			r.diags.Errorf(d.NameSpan, msgDuplicateName, d.Name, "a dimension of "+of).
				WithHint("formulas call dimensions by their names too")
		}
	}
}

// names returns what the document gives names to, without types.
func (v *VI) names() []Param {
	out := slices.Concat(v.Latent, v.Data)
	for _, b := range slices.Concat(v.Constants, v.Let) {
		out = append(out, Param{Name: b.Name, NameSpan: b.NameSpan})
	}
	return out
}

// formulas returns all formulas of the objective; there are none without one.
func (v *VI) formulas() []*Formula {
	if v == nil {
		return nil
	}
	out := append(ofBindings(v.Constants, v.Let), v.LogLikelihood, v.LogPrior, v.LogJoint)
	out = append(out, v.Support...)
	if v.Sample != nil {
		out = append(out, ofDraws(v.Sample.Noise, v.Sample.Values)...)
	}
	return out
}

// checkVariational reports what in a variational objective does not go with the other parts of its problem, as far as
// these are known.
func (r *reader) checkVariational(p *Problem) {
	v := p.VI
	if v == nil {
		return
	}
	if c := p.Components; c != nil && c.Name != "" {
		for _, d := range slices.Concat(v.Latent, v.Data) {
			if hasDim(d, c.Name) {
				r.diags.Errorf(d.TypeSpan, msgDuplicateName, c.Name, "the number of components").
					WithHint("how many components the approximation has is not a length in the model")
			}
		}
	}
	x := p.target().variable()
	if v.LatentWhole || len(v.Latent) == 0 || x.Type.Kind == "" {
		return
	}
	one := x.Type.Kind == types.Real.Name && x.Type.Bounds == nil && len(v.Latent) == 1 && v.Latent[0].Type.IsScalar()
	vector := x.Type.Kind == "vector" && isUnconstrained(x.Type)
	if !one && !vector {
		r.diags.Errorf(v.Latent[0].NameSpan, msgLatentParts, p.target().name(), x.Type.String()).
			WithHint("several latent variables need a target whose variable is a vector; latent: %s means all of it",
				v.Latent[0].Name)
	}
}
