package spec

import (
	"slices"

	"go.yaml.in/yaml/v4"
)

var (
	familyKeys    = []string{"family", "variable", "parameters", "statistics", "natural", "log_partition"}
	familyOptions = []string{"doc", "constants", "at_start", "let", "log_base_measure", "from_natural", "from_mean", "newton_start", "import"}

	distributionKeys    = []string{"distribution", "variable", "parameters", "logpdf"}
	distributionOptions = []string{"doc", "let", "sample", "mean", "variance", "covariance", "import"}
)

// family reads a family. Parts that are wrong are left out, and reported.
func (r *reader) family(o *object, s *scope) *Family {
	o.only(familyKeys, familyOptions)
	name, p := r.name(o, "family")
	ns := r.names()
	f := &Family{Name: name, NameSpan: p.whole(), Doc: r.doc(o), Source: r.src, scope: s}
	f.Variable = r.variable(o, ns)
	f.Parameters = r.coordinateFree(r.params(o.get("parameters"), "parameters", "a parameter", ns))
	f.Constants = r.constants(o, ns)
	f.AtStart = r.bindings(o.get("at_start"), "at_start")
	f.Let = r.let(o, ns)
	f.Statistics = r.formulas(o.get("statistics"), "statistics", r.formula)
	f.Natural = r.formulas(o.get("natural"), "natural", r.formula)
	f.LogPartition = r.optional(o, "log_partition")
	f.LogBaseMeasure = r.optional(o, "log_base_measure")
	f.FromNatural = r.bindings(o.get("from_natural"), "from_natural")
	f.FromMean = r.bindings(o.get("from_mean"), "from_mean")
	f.NewtonStart = r.bindings(o.get("newton_start"), "newton_start")
	return f
}

// constants reads the constants of a family, which a problem may set from its data.
func (r *reader) constants(o *object, ns *names) []Binding {
	list := r.bindings(o.get("constants"), "constants")
	for _, c := range list {
		ns.declare(c.Name, c.NameSpan, "a constant")
	}
	return list
}

// coordinateFree reports parameters that are called like the coordinates of the family: eta1, m1 and so on.
func (r *reader) coordinateFree(ps []Param) []Param {
	return slices.DeleteFunc(ps, func(p Param) bool {
		if !coordinatePattern.MatchString(p.Name) {
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
	d.Variable = r.variable(o, ns)
	d.Parameters = r.params(o.get("parameters"), "parameters", "a parameter", ns)
	d.Let = r.let(o, ns)
	d.LogPDF = r.optional(o, "logpdf")
	d.Mean = r.optional(o, "mean")
	d.Variance = r.optional(o, "variance")
	if o.has("variance") && o.has("covariance") {
		r.diags.Errorf(o.keySpan("covariance"), msgBothVariances).WithHint("give one of them")
	} else if f := r.optional(o, "covariance"); f != nil {
		d.Variance = f
	}
	d.Sample = r.sample(o.get("sample"), d.Variable.Name, ns)
	return d
}

// sample reads how the distribution is drawn from. Random numbers have names of their own.
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
