package spec

import (
	"slices"
	"strconv"

	"go.yaml.in/yaml/v4"

	"github.com/sngdgen/sngdgen/internal/diag"
)

var (
	problemKeys    = []string{"package", "target", "surrogate", "map"}
	problemOptions = []string{"doc", "shared", "step", "dimensions", "constants", "auxiliary", "where", "start", "random_start", "objective", "report", "import"}
)

// reference is a target or a surrogate as a problem gives it. What has a name is looked up when all documents are read.
type reference struct {
	problem *Problem
	role    string // "target" or "surrogate"
	node    *yaml.Node
	name    place        // without text where the definition stands in place
	mixture *Components  // nil where it is no mixture
	factors []unresolved // of a surrogate that is several families
	plain   bool         // it is no mixture for certain
}

// problem reads a problem. Parts that are wrong are left out, and reported. Its references are returned apart.
func (r *reader) problem(o *object, s *scope) (*Problem, []reference) {
	if missing := o.only(problemKeys, problemOptions); missing != nil && !o.has("map") {
		missing.WithHint("map has a formula for each parameter of the target, in terms of those of the surrogate and of auxiliary parameters")
	}
	p := r.head(o, s)
	return p, r.form(p, o)
}

// head reads what a problem has whatever its target is: the name, pinned dimensions and the objective.
func (r *reader) head(o *object, s *scope) *Problem {
	p := &Problem{Doc: r.doc(o), Source: r.src, Step: StepMean, Objective: ObjectiveMLE, scope: s}
	if name, ok := r.text(o.get("package"), "package", "a name"); ok && r.checkPackage(clip(name.text), name.whole()) {
		p.Package, p.PackageSpan = name.text, name.whole()
	}
	p.Dimensions = r.dimensions(o.get("dimensions"))
	r.objective(p, o.get("objective"))
	p.Report = r.bindings(o.get("report"), "report")
	p.Shared = r.shared(o.get("shared"))
	return p
}

// dimensions reads the lengths to which dimensions are pinned.
func (r *reader) dimensions(n *yaml.Node) []Dimension {
	if n == nil {
		return nil
	}
	o := r.object(n, "dimensions")
	if o == nil {
		return nil
	}
	var out []Dimension
	for _, e := range o.entries {
		p, ok := r.exact(e.value, e.key, "a number")
		if !r.checkName(e.key, e.span) || !ok {
			continue
		}
		size, err := strconv.Atoi(p.text)
		if err != nil || size < 1 || size > maxSize {
			r.diags.Errorf(p.whole(), msgSize, e.key).WithHint("a dimension that is left out is known when there are data")
			continue
		}
		out = append(out, Dimension{e.key, e.span, size})
	}
	return out
}

// maxSize bounds pinned dimensions: the memory of a matrix must be addressable with room to spare.
const maxSize = 1 << 20

// reference reads a target or a surrogate: a name, a definition in place, or a mixture of either.
func (r *reader) reference(p *Problem, n *yaml.Node, role string) reference {
	ref := reference{problem: p, role: role, node: n}
	switch {
	case n == nil:
	case n.Kind == yaml.SequenceNode && role == "surrogate":
		ref.plain = true
		r.product(&ref, n)
	case n.Kind != yaml.MappingNode:
		r.named(&ref, n, role)
		ref.plain = n.Kind == yaml.ScalarNode
	default:
		o := r.object(n, "the "+role)
		switch {
		case o == nil:
		case isMixture(o):
			r.mixture(&ref, o)
		default:
			ref.plain = o.has("family") || o.has("distribution")
			r.inline(&ref, o, role, append(definitionKinds(role), "mixture"))
		}
	}
	return ref
}

// named reads a target or a surrogate that is given by name.
func (r *reader) named(ref *reference, n *yaml.Node, what string) {
	name, ok := r.text(n, what, "a name or a mapping")
	if !ok || !r.checkDefinition(name) {
		return
	}
	ref.name = name
	if ref.role == "target" {
		ref.problem.TargetRefSpan = name.whole()
	} else {
		ref.problem.SurrogateRefSpan = name.whole()
	}
}

// definitionKinds are the kinds of definitions that a target or a surrogate may be.
func definitionKinds(role string) []string {
	if role == "surrogate" {
		return []string{"family"}
	}
	return []string{"family", "distribution"}
}

// inline reads a target or a surrogate that is defined in place. The forms are the keys that a mapping here may have
// first.
func (r *reader) inline(ref *reference, o *object, what string, forms []string) {
	p, s := ref.problem, ref.problem.scope
	switch {
	case o.has("family"):
		f := r.family(o, s)
		s.inline = append(s.inline, definition{family: f})
		if ref.role == "surrogate" {
			p.Surrogate, p.SurrogateRefSpan = f, f.NameSpan
		} else {
			p.TargetFamily, p.TargetRefSpan = f, f.NameSpan
		}
	case o.has("distribution") && ref.role == "surrogate":
		r.diags.Errorf(o.keySpan("distribution"), msgInline, what, enumerate(forms, "or")).
			WithHint("natural gradients need an exponential family")
	case o.has("distribution"):
		d := r.distribution(o, s)
		s.inline = append(s.inline, definition{distribution: d})
		p.TargetDist, p.TargetRefSpan = d, d.NameSpan
	default:
		r.diags.Errorf(o.span, msgInline, what, enumerate(forms, "or"))
	}
}

// word reads one of several words.
func (r *reader) word(n *yaml.Node, what, msg string, words []string) (string, bool) {
	p, ok := r.text(n, what, "a word")
	if !ok {
		return "", false
	}
	for _, w := range words {
		if p.text == w {
			return w, true
		}
	}
	r.diags.Errorf(p.whole(), msg, clip(p.text)).
		WithHint("%s", didYouMean(p.text, words)+"write "+enumerate(words, "or"))
	return "", false
}

func (r *reader) step(p *Problem, n *yaml.Node) {
	if n == nil {
		return
	}
	if w, ok := r.word(n, "step", msgStep, []string{StepMean, StepNatural}); ok {
		p.Step = w
	}
}

// objective reads the objective: a word, or a mapping from a word to its settings. What is planned is told apart from
// what is misspelled.
func (r *reader) objective(p *Problem, n *yaml.Node) {
	switch {
	case n == nil:
	case n.Kind == yaml.MappingNode:
		r.objectiveSettings(p, n)
	case n.Kind == yaml.ScalarNode && n.Value == external:
		r.diags.Errorf(r.span(n), msgObjective, n.Value).WithHint(externalForm)
	default:
		w, ok := r.word(n, "objective", msgObjective, []string{ObjectiveMLE, ObjectiveVI, ObjectiveEP})
		switch {
		case ok && w != ObjectiveMLE:
			r.diags.Errorf(r.span(n), msgWrongKind, "objective "+w, "a mapping", "a word").WithHint("write " + posteriorForm(w))
		case ok:
			p.Objective = w
		}
	}
}

// objectiveSettings reads an objective with its settings.
func (r *reader) objectiveSettings(p *Problem, n *yaml.Node) {
	o := r.object(n, "objective")
	switch {
	case o == nil:
		return
	case o.has(external):
		r.diags.Errorf(o.keySpan(external), msgObjective, external).WithHint(externalForm)
		return
	case len(n.Content) == 0:
		r.diags.Errorf(o.span, msgEmpty, o.what)
	}
	o.only(nil, posteriors)
	given := slices.DeleteFunc(slices.Clone(posteriors), func(w string) bool { return !o.has(w) })
	if len(given) > 1 {
		r.diags.Errorf(o.keySpan(given[1]), msgObjectives, enumerate(given, "and"))
	}
	if len(given) != 1 { // reported
		return
	}
	w := given[0]
	if n = o.get(w); n == nil {
		return
	}
	if n.Kind != yaml.MappingNode {
		r.diags.Errorf(r.span(n), msgWrongKind, "objective "+w, "a mapping", describe(n)).WithHint("write " + posteriorForm(w))
		return
	}
	if settings := r.object(n, "objective "+w); settings != nil {
		p.Objective, p.VI = w, r.variational(settings, w, o.keySpan(w))
	}
}

// auxiliaries reads the auxiliary parameters: a type each, or a mapping with a type and a metric.
func (r *reader) auxiliaries(p *Problem, n *yaml.Node) {
	if n == nil {
		return
	}
	o := r.object(n, "auxiliary")
	if o == nil {
		return
	}
	if len(n.Content) == 0 {
		r.diags.Errorf(o.span, msgEmpty, "auxiliary")
	}
	for _, e := range o.entries {
		if a, ok := r.auxiliary(e); ok {
			p.Auxiliary = append(p.Auxiliary, a)
		}
	}
}

func (r *reader) auxiliary(e entry) (a Auxiliary, ok bool) {
	good := r.checkName(e.key, e.span)
	typ := e.value
	if e.value.Kind == yaml.MappingNode {
		o := r.object(e.value, "auxiliary "+e.key)
		if o == nil {
			return a, false
		}
		o.only([]string{"type"}, []string{"metric"})
		typ = o.get("type")
		a.Metric = r.optional(o, "metric")
	}
	t, where, ok := r.typ(typ, e.key)
	a.Name, a.NameSpan, a.Type, a.TypeSpan = e.key, e.span, t, where.whole()
	return a, ok && good
}

// starts reads start, one mapping or a list of them, and random_start.
func (r *reader) starts(p *Problem, o *object) {
	if n := o.get("start"); n != nil {
		items := []*yaml.Node{n}
		if n.Kind == yaml.SequenceNode {
			items = r.list(n, "start")
		}
		for _, item := range items {
			r.start(p, item)
		}
	}
	n := o.get("random_start")
	if n == nil {
		return
	}
	if d, item := r.draws(n, "random_start", "groups"); d != nil {
		groups, span := r.groups(p, item, "random_start", GroupsSlices, GroupsClusters, GroupsNone)
		p.RandomStart = &Start{d.Noise, d.Values, groups, span, o.keySpan("random_start")}
	}
}

// start reads one starting point without noise.
func (r *reader) start(p *Problem, n *yaml.Node) {
	d, o := r.draws(n, "start", "groups")
	if d == nil {
		return
	}
	r.noNoise(d)
	groups, span := r.groups(p, o, "start", GroupsSlices, GroupsClusters)
	p.Starts = append(p.Starts, Start{nil, d.Values, groups, span, d.Span})
}

// setTarget sets what the target refers to.
func (p *Problem) setTarget(d definition) {
	p.TargetDist, p.TargetFamily = d.distribution, d.family
}

// span returns the place of a definition's name.
func (d definition) span() diag.Span {
	if d.family != nil {
		return d.family.NameSpan
	}
	return d.distribution.NameSpan
}
