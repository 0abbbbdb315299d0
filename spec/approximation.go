package spec

import (
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/sngdgen/sngdgen/internal/diag"
)

// Approximation is a form that the approximation of a posterior may have, whatever the model: a target with its surrogate, map
// and starts. It may contain others.
type Approximation struct {
	Name     string
	NameSpan diag.Span
	Doc      string
	Contains []Contained
	Source   *diag.Source

	form *Problem // without a package and an objective
}

// Contained says where an approximation is equal to another one, and where a fit begins that comes from there. The formulas
// give the parameters of the surrogate and the auxiliary ones, of a component in a mixture, in terms of the parameters of the
// other one's target, by the names that they have there. In a mixture that contains what is none, or one of fewer components,
// its components are copies of the other's; the formulas of Start see the vector Direction then, which keeps them apart.
type Contained struct {
	Approximation *Approximation
	NameSpan      diag.Span
	Equal         []Binding
	Start         *Draws // nil where that is no other point
}

// Direction is the name of a vector in the formulas of a start from a contained approximation: of two components that come from
// one, the difference of the mean of the contained approximation to a point at one standard deviation along its longest axis,
// for one of them, and the opposite vector for the other. It is 0 for the others.
const Direction = "direction"

var (
	approximationKeys    = []string{"approximation", "target", "surrogate", "map"}
	approximationOptions = []string{"doc", "step", "dimensions", "constants", "auxiliary", "where", "start", "random_start", "contains", "import"}

	// approximatedKeys are those of a problem that names an approximation; others of a problem follow from that.
	approximatedKeys    = []string{"package", "approximation", "objective"}
	approximatedOptions = []string{"doc", "dimensions", "report", "import"}
)

// TargetName is the name of the target, or of what it is a mixture of.
func (a *Approximation) TargetName() string { return a.form.target().name() }

// Mixture reports whether the approximation is a mixture.
func (a *Approximation) Mixture() bool { return a.form.Components != nil }

// Parameters are those of the target, of one component in a mixture.
func (a *Approximation) Parameters() []Param { return a.form.target().parameters() }

// Dimensions are those that the approximation pins.
func (a *Approximation) Dimensions() []Dimension { return a.form.Dimensions }

// Lookup returns the distribution or the family that a name means in the approximation's formulas, or nothing.
func (a *Approximation) Lookup(name string) (*Distribution, *Family) { return a.form.Lookup(name) }

// approximation reads an approximation. Parts that are wrong are left out, and reported. Its references are returned apart.
func (r *reader) approximation(o *object, s *scope) (*Approximation, []reference) {
	o.only(approximationKeys, approximationOptions)
	a := &Approximation{Doc: r.doc(o), Source: r.src}
	if name, ok := r.text(o.get("approximation"), "approximation", "a name"); ok && r.checkDefinition(name) {
		a.Name, a.NameSpan = name.text, name.whole()
	}
	p := &Problem{Source: r.src, Step: StepMean, Objective: ObjectiveVI, scope: s}
	p.Dimensions = r.dimensions(o.get("dimensions"))
	refs := r.form(p, o)
	a.form = p
	return a, refs
}

// form reads what a problem and an approximation have in common.
func (r *reader) form(p *Problem, o *object) []reference {
	target, surrogate := r.reference(p, o.get("target"), "target"), r.reference(p, o.get("surrogate"), "surrogate")
	r.components(p, target, surrogate)
	r.step(p, o.get("step"))
	p.Constants = r.bindings(o.get("constants"), "constants")
	r.auxiliaries(p, o.get("auxiliary"))
	p.Map, p.MapSpan = r.bindings(o.get("map"), "map"), o.keySpan("map")
	if n := o.get("where"); n != nil {
		p.Where = r.formulas(n, "where", r.condition)
	}
	r.starts(p, o)
	return slices.DeleteFunc([]reference{target, surrogate}, func(ref reference) bool { return ref.name.text == "" && ref.factors == nil })
}

// containment is what an approximation says that it contains, before names are looked up.
type containment struct {
	of   *Approximation
	name place
	Contained
}

// contains reads what an approximation contains.
func (r *reader) contains(a *Approximation, n *yaml.Node) (out []containment) {
	if n == nil {
		return nil
	}
	o := r.object(n, "contains")
	if o == nil {
		return nil
	}
	for _, e := range o.entries {
		c := containment{of: a, name: place{e.key, r.src, nil}}
		c.NameSpan = e.span
		body := r.object(e.value, "contains "+clip(e.key))
		if body == nil {
			continue
		}
		body.only([]string{"equal"}, []string{"start"})
		c.Equal = r.bindings(body.get("equal"), "equal")
		if n := body.get("start"); n != nil {
			c.Start, _ = r.draws(n, "start")
		}
		out = append(out, c)
	}
	return out
}

// approximationNamed returns the approximation that a name means in a scope: the file, its imports, the library; nil for nothing.
func (s *scope) approximationNamed(name string) *Approximation {
	if s != nil {
		if a := s.approximationIn(name, map[*scope]bool{}); a != nil {
			return a
		}
	}
	return s.asked(Library().approximations[name]).approximation(name)
}

func (s *scope) approximationIn(name string, seen map[*scope]bool) *Approximation {
	if seen[s] {
		return nil
	}
	seen[s] = true
	if a := s.approximations[name]; a != nil {
		return a
	}
	for _, i := range s.imports {
		if a := i.approximationIn(name, seen); a != nil {
			return a
		}
	}
	return nil
}

// approximationNames are the names of the visible approximations, sorted.
func (s *scope) approximationNames() []string {
	all := map[string]*Approximation{}
	s.collectApproximations(all, map[*scope]bool{})
	for _, name := range Library().Approximations() {
		if all[name] == nil {
			all[name] = nil // known, and not read
		}
	}
	return slices.Sorted(maps.Keys(all))
}

func (s *scope) collectApproximations(all map[string]*Approximation, seen map[*scope]bool) {
	if s == nil || seen[s] {
		return
	}
	seen[s] = true
	for name, a := range s.approximations {
		if all[name] == nil {
			all[name] = a
		}
	}
	for _, i := range s.imports {
		i.collectApproximations(all, seen)
	}
}

// ApproximationNamed returns the approximation that a name means where the problem stands, or nil.
func (p *Problem) ApproximationNamed(name string) *Approximation {
	return p.scope.approximationNamed(name)
}

// Approximations returns the names of the approximations that are visible where the problem stands, sorted.
func (p *Problem) Approximations() []string { return p.scope.approximationNames() }

// approximationAt finds an approximation by name, or reports that there is none.
func (r *reader) approximationAt(s *scope, name string, at diag.Span) *Approximation {
	a := s.approximationNamed(name)
	if a == nil {
		names := s.approximationNames()
		r.diags.Errorf(at, msgUnknownRef, "approximation", clip(name)).
			WithHint("%s", didYouMean(name, names)+"known are "+strings.Join(names, ", "))
	}
	return a
}

// resolve looks up what an approximation contains.
func (c *containment) resolve(r *reader, s *scope) {
	if c.Approximation = r.approximationAt(s, c.name.text, c.NameSpan); c.Approximation != nil {
		c.of.Contains = append(c.of.Contains, c.Contained)
	}
}

// checkContained reports approximations that contain themselves, and mixtures in what is none.
func (r *reader) checkContained(a *Approximation) {
	for _, c := range a.Contains {
		switch {
		case c.Approximation.reaches(a, map[*Approximation]bool{}):
			r.diags.Errorf(c.NameSpan, msgContainsItself, a.Name)
		case c.Approximation.Mixture() && !a.Mixture():
			r.diags.Errorf(c.NameSpan, msgContainsMixture, a.Name, c.Approximation.Name)
		}
	}
}

// reaches reports whether an approximation is another one, or contains it.
func (a *Approximation) reaches(other *Approximation, seen map[*Approximation]bool) bool {
	if a == other {
		return true
	}
	if seen[a] {
		return false
	}
	seen[a] = true
	return slices.ContainsFunc(a.Contains, func(c Contained) bool { return c.Approximation.reaches(other, seen) })
}

// formulas returns all formulas of an approximation.
func (a *Approximation) formulas() []*Formula {
	out := a.form.formulas()
	for _, c := range a.Contains {
		out = append(out, ofBindings(c.Equal)...)
		if c.Start != nil {
			out = append(out, ofDraws(c.Start.Noise, c.Start.Values)...)
		}
	}
	return out
}

// approximated reads a problem that names an approximation.
func (r *reader) approximated(o *object, s *scope) (*Problem, string) {
	o.only(approximatedKeys, approximatedOptions)
	p := r.head(o, s)
	if n := o.get("objective"); n != nil && p.VI == nil && !r.diags.HasErrors() {
		r.diags.Errorf(r.span(n), msgApproximatesNothing, p.Objective).WithHint("write " + posteriorForm(ObjectiveVI))
	}
	name, _ := r.text(o.get("approximation"), "approximation", "a name")
	return p, name.text
}

// approximate makes an approximation that of the problem.
func (p *Problem) approximate(a *Approximation) {
	f := a.form
	p.Approximation = a
	p.TargetDist, p.TargetFamily, p.TargetRefSpan = f.TargetDist, f.TargetFamily, f.TargetRefSpan
	p.Surrogate, p.SurrogateRefSpan = f.Surrogate, f.SurrogateRefSpan
	p.Components, p.Step, p.Constants, p.Auxiliary = f.Components, f.Step, f.Constants, f.Auxiliary
	p.Map, p.MapSpan, p.Where = f.Map, f.MapSpan, f.Where
	p.Dimensions = slices.Clone(p.Dimensions)
	for _, d := range f.Dimensions { // those of the problem come first
		if !slices.ContainsFunc(p.Dimensions, func(own Dimension) bool { return own.Name == d.Name }) {
			p.Dimensions = append(p.Dimensions, d)
		}
	}
	p.Starts, p.RandomStart = f.Starts, f.RandomStart
}

// For returns the problem of approximating the posterior of a problem's model in this form instead of its own. The list says
// what in the model does not go with it. The objective is the evidence lower bound.
func (a *Approximation) For(p *Problem) (*Problem, diag.List) {
	out := *p
	if before := p.Approximation; before != nil {
		out.Dimensions = slices.DeleteFunc(slices.Clone(p.Dimensions), func(d Dimension) bool { return slices.Contains(before.form.Dimensions, d) })
	}
	out.approximate(a)
	if out.Objective == ObjectiveEP { // the forms are compared by their bounds, and only some have sites
		vi := *p.VI
		vi.Power = nil
		out.Objective, out.VI = ObjectiveVI, &vi
	}
	r := &reader{src: p.Source, diags: new(diag.List), broken: map[*yaml.Node]bool{}}
	r.checkMixture(&out)
	r.checkVariational(&out)
	return &out, *r.diags
}
