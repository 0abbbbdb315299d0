package spec

import (
	"slices"

	"go.yaml.in/yaml/v4"

	"github.com/sngdgen/sngdgen/runtime/types"
)

var (
	familyKeys    = []string{"family", "variable", "parameters", "statistics", "natural", "log_partition"}
	familyOptions = []string{"doc", "given", "constants", "at_start", "let", "support", "log_base_measure", "from_natural", "from_mean",
		"newton_start", "where", "sample", "mean", "variance", "covariance", "entropy", "import"}

	distributionKeys    = []string{"distribution", "variable", "parameters", "logpdf"}
	distributionOptions = []string{"doc", "given", "state", "series", "let", "support", "sample", "mean", "variance", "covariance", "entropy", "expectations", "penalty", "limits", "import"}
)

// family reads a family. Parts that are wrong are left out, and reported.
func (r *reader) family(o *object, s *scope) *Family {
	o.only(familyKeys, familyOptions)
	name, p := r.name(o, "family")
	ns := r.names()
	f := &Family{Name: name, NameSpan: p.whole(), Doc: r.doc(o), Source: r.src, scope: s}
	f.Variable = r.variable(o, ns)
	f.Given = r.params(o.get("given"), "given", "a variable that is given", ns)
	f.Parameters = r.coordinateFree(r.params(o.get("parameters"), "parameters", "a parameter", ns))
	f.Constants = r.constants(o, ns)
	f.AtStart = r.bindings(o.get("at_start"), "at_start")
	f.Let = r.let(o, ns)
	f.Support = r.support(o)
	f.Statistics = r.formulas(o.get("statistics"), "statistics", r.formula)
	f.Natural = r.formulas(o.get("natural"), "natural", r.formula)
	f.LogPartition = r.optional(o, "log_partition")
	f.LogBaseMeasure = r.optional(o, "log_base_measure")
	f.FromNatural = r.bindings(o.get("from_natural"), "from_natural")
	f.FromMean = r.bindings(o.get("from_mean"), "from_mean")
	f.NewtonStart = r.bindings(o.get("newton_start"), "newton_start")
	if n := o.get("where"); n != nil {
		f.Where = r.formulas(n, "where", r.condition)
	}
	f.Moments = r.moments(o, f.Variable.Name, ns)
	r.conditional(f, o)
	return f
}

// support reads conditions on a row of the data.
func (r *reader) support(o *object) []*Formula {
	n := o.get("support")
	switch {
	case n == nil:
		return nil
	case n.Kind == yaml.ScalarNode && !isNull(n):
		r.diags.Errorf(r.span(n), msgWrongKind, "support", "a list", "a text").WithHint("write support: [%s]", clip(n.Value))
		return nil
	}
	return r.formulas(n, "support", r.condition)
}

// conditional checks a family in one variable given others: its draws make all of these, or they are columns of the data.
func (r *reader) conditional(f *Family, o *object) {
	if f.OfColumns() {
		f.Given = r.columns(f.Given, msgGivenType, "what is given is a number or a vector for each row, such as positive or vector(p); "+
			"what is drawn together with the variable has a value in sample")
		for _, key := range []string{"from_mean", "newton_start", "mean", "variance", "covariance", "entropy", "constants", "at_start"} {
			if o.has(key) {
				r.diags.Errorf(o.keySpan(key), msgOfColumns, key, f.Name).
					WithHint("its mean parameters are means over the rows, whose inverse no step needs; a family that draws %s itself says so in sample", f.Given[0].Name)
			}
		}
		return
	}
	for _, g := range f.Given {
		if !f.draws(g) {
			r.diags.Errorf(f.Sample.Span, msgNoVariable, g.Name)
		}
	}
}

// OfColumns reports whether a family is one given columns of the data: its sample does not draw them.
func (f *Family) OfColumns() bool {
	if len(f.Factors) > 0 {
		return slices.ContainsFunc(f.Factors, func(x Factor) bool { return x.Family.OfColumns() })
	}
	return len(f.Given) > 0 && (f.Sample == nil || !slices.ContainsFunc(f.Given, f.draws))
}

// checkOfColumns reports what cannot be done with a surrogate that is a family given columns of the data.
func (r *reader) checkOfColumns(p *Problem) {
	switch f := p.Surrogate; {
	case f == nil || !f.OfColumns():
	case p.VI != nil:
		r.diags.Errorf(p.SurrogateRefSpan, msgColumnsWithout, f.Name, f.Given[0].Name, "the objective is a posterior, whose draws are no rows of data")
	case p.Components != nil:
		r.diags.Errorf(p.SurrogateRefSpan, msgColumnsWithout, f.Name, f.Given[0].Name, "the weights of a mixture model are not given them").
			WithHint("write surrogate: {mixture: none, components: ...}, and make the parameters auxiliary ones, with a metric such as mean(outer(%s, %[1]s))",
				f.Given[0].Name)
	case p.Step != StepNatural:
		r.diags.Errorf(p.SurrogateRefSpan, msgColumnsStep, f.Name, f.Given[0].Name).WithHint("write step: natural")
	}
}

// draws reports whether the sample of a family draws a variable.
func (f *Family) draws(q Param) bool {
	return f.Sample != nil && slices.ContainsFunc(f.Sample.Values, func(b Binding) bool { return b.Name == q.Name })
}

// proper reports the use of a family as a density that is one only when other variables are given, which it draws itself.
func (r *reader) proper(d definition, name place) {
	if f := d.family; f != nil && len(f.Given) > 0 && !f.OfColumns() {
		r.diags.Errorf(name.whole(), msgConditional, f.Name, f.Variable.Name, f.Given[0].Name).
			WithHint("a surrogate may be such a family; a target, or what logpdf is asked of, is a distribution of its own")
	}
}

// constants reads the constants of a family, which a problem may set from its data: a number each, or a mapping with a
// type and a value.
func (r *reader) constants(o *object, ns *names) []Constant {
	n := o.get("constants")
	if n == nil {
		return nil
	}
	list := r.object(n, "constants")
	if list == nil {
		return nil
	}
	if len(n.Content) == 0 {
		r.diags.Errorf(list.span, msgEmpty, "constants")
	}
	var out []Constant
	for _, e := range list.entries {
		if c, ok := r.constant(e); ns.declare(e.key, e.span, "a constant") && ok {
			out = append(out, c)
		}
	}
	return out
}

func (r *reader) constant(e entry) (c Constant, ok bool) {
	c.Name, c.NameSpan, ok = e.key, e.span, true
	value := e.value
	if value.Kind == yaml.MappingNode {
		o := r.object(value, "constant "+e.key)
		if o == nil {
			return c, false
		}
		o.only([]string{"type", "value"}, nil)
		var where place
		c.Type, where, ok = r.typ(o.get("type"), e.key)
		c.TypeSpan, value = where.whole(), o.get("value")
		if value == nil { // reported
			return c, false
		}
	}
	c.Formula = r.formula(value, e.key+" in constants")
	return c, ok && c.Formula != nil
}

// coordinateFree reports parameters that are called like the coordinates of the family: eta1, m1 and so on.
func (r *reader) coordinateFree(ps []Param) []Param {
	return slices.DeleteFunc(ps, func(p Param) bool {
		if !isCoordinate(p.Name) {
			return false
		}
		r.diags.Errorf(p.NameSpan, msgCoordinateName, p.Name).
			WithHint("eta1, eta2, ... are the natural parameters, m1, m2, ... the mean parameters")
		return true
	})
}

// optional reads a formula that may be missing.
func (r *reader) optional(o *object, key string) *Formula {
	n := o.get(key)
	if n == nil {
		return nil
	}
	return r.formula(n, key)
}

// distribution reads a distribution. Parts that are wrong are left out, and reported.
func (r *reader) distribution(o *object, s *scope) *Distribution {
	o.only(distributionKeys, distributionOptions)
	name, p := r.name(o, "distribution")
	ns := r.names()
	d := &Distribution{Name: name, NameSpan: p.whole(), Doc: r.doc(o), Source: r.src, scope: s}
	d.Variable, d.Beside = r.observed(o, ns)
	d.Given = r.columns(r.params(o.get("given"), "given", "a variable that is given", ns), msgGivenType,
		"what is given is a number or a vector for each row, such as positive or vector(p)")
	d.Parameters = r.params(o.get("parameters"), "parameters", "a parameter", ns)
	d.States = r.states(o.get("state"), ns)
	d.Let = r.let(o, ns)
	d.LogPDF = r.optional(o, "logpdf")
	r.sequence(d, o)
	d.Support = r.support(o)
	d.Moments = r.moments(o, d.Variable.Name, ns)
	r.together(d, o)
	d.Expectations = r.expectations(o.get("expectations"))
	d.Penalty = r.optional(o, "penalty")
	d.Limits = r.limits(o.get("limits"), d.Observed())
	return d
}

// together checks what a distribution of several variables says of them.
func (r *reader) together(d *Distribution, o *object) {
	if len(d.Beside) == 0 {
		return
	}
	for _, key := range []string{"mean", "variance", "covariance"} {
		if o.has(key) {
			r.diags.Errorf(o.keySpan(key), msgMomentOfSeveral, key, d.Name, len(d.Observed())).
				WithHint("expectations are those of functions of several variables: expectations: [{of: y*z, is: ...}]")
		}
	}
	for _, q := range d.Beside {
		if d.Sample != nil && !slices.ContainsFunc(d.Sample.Values, func(b Binding) bool { return b.Name == q.Name }) {
			r.diags.Errorf(d.Sample.Span, msgNoVariable, q.Name)
		}
	}
}

// columns are parts of the rows of the data: a number or a vector each.
func (r *reader) columns(ps []Param, msg, hint string) []Param {
	return slices.DeleteFunc(ps, func(p Param) bool {
		form := p.Type.Type().Form
		if form == types.Number || form == types.Vector {
			return false
		}
		r.diags.Errorf(p.TypeSpan, msg, p.Name, p.Type.String()).WithHint("%s", hint)
		return true
	})
}

// moments reads the mean, the variance or covariance, the entropy, and how to draw.
func (r *reader) moments(o *object, variable string, ns *names) Moments {
	m := Moments{Mean: r.optional(o, "mean"), Variance: r.optional(o, "variance"), Entropy: r.optional(o, "entropy")}
	if o.has("variance") && o.has("covariance") {
		r.diags.Errorf(o.keySpan("covariance"), msgBothVariances).WithHint("give one of them")
	} else if f := r.optional(o, "covariance"); f != nil {
		m.Variance = f
	}
	m.Sample = r.sample(o.get("sample"), variable, ns)
	return m
}

// expectations reads what a distribution knows of functions of its variable.
func (r *reader) expectations(n *yaml.Node) []Expectation {
	var out []Expectation
	for _, item := range r.list(n, "expectations") {
		o := r.object(item, "an expectation")
		if o == nil {
			continue
		}
		o.only([]string{"of", "is"}, nil)
		if e := (Expectation{Of: r.optional(o, "of"), Is: r.optional(o, "is")}); e.Of != nil && e.Is != nil {
			out = append(out, e)
		}
	}
	return out
}

// sample reads how draws are made. Random numbers have names of their own.
func (r *reader) sample(n *yaml.Node, variable string, ns *names) *Draws {
	if n == nil {
		return nil
	}
	d, o := r.draws(n, "sample")
	if d == nil {
		return nil
	}
	for _, w := range d.Noise {
		ns.declare(w.Name, w.NameSpan, "a random number")
	}
	if variable != "" && !o.has(variable) {
		r.diags.Errorf(d.Span, msgNoVariable, variable)
	}
	return d
}
