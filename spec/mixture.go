package spec

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/sngdgen/sngdgen/internal/diag"
)

const (
	// MaxComponents bounds the number of components: work and memory grow with its product with the number of rows.
	MaxComponents = 1024

	// weightsName is what generated code calls the weights of the components, next to the parameters.
	weightsName = "weights"
)

var mixtureKeys = []string{"mixture", "components"}

// given reports whether the document says how many components there are, without a fault.
func (c *Components) given() bool { return *c != Components{} }

// String returns the components as the document gives them: a name or a number.
func (c *Components) String() string {
	if c.Name != "" {
		return c.Name
	}
	return strconv.Itoa(c.Size)
}

// isMixture reports whether a mapping is meant to be a mixture.
func isMixture(o *object) bool { return o.has("mixture") || o.has("components") }

// mixture reads a target or a surrogate that is a mixture of a named definition, or of one in place.
func (r *reader) mixture(ref *reference, o *object) {
	ref.mixture = r.componentCount(o.get("components"))
	for _, kind := range []string{"family", "distribution"} {
		if o.has(kind) && !o.has("mixture") {
			r.diags.Errorf(o.keySpan(kind), msgMissingKey, o.what, "mixture").
				WithHint("a definition in place stands below mixture: {mixture: {%s: ...}, components: k}", kind)
			return
		}
	}
	n := o.get("mixture")
	if missing := o.only(mixtureKeys, nil); missing != nil {
		missing.WithHint("write %s", notation(n, "k"))
	}
	if n != nil {
		r.mixed(ref, n, "mixture in "+ref.role)
	}
}

// mixed reads what is mixed.
func (r *reader) mixed(ref *reference, n *yaml.Node, what string) {
	if n.Kind != yaml.MappingNode {
		r.named(ref, n, what)
		return
	}
	o := r.object(n, what)
	switch {
	case o == nil:
	case isMixture(o):
		r.diags.Errorf(o.span, msgNested).WithHint("write one mixture that has all the components")
	default:
		r.inline(ref, o, what, definitionKinds(ref.role))
	}
}

// componentCount reads the number of components. After a fault, which it reports, the result is the zero Components.
func (r *reader) componentCount(n *yaml.Node) *Components {
	p, ok := r.exact(n, "components", "a name or a number")
	if !ok {
		return &Components{}
	}
	if p.text[0] >= 'A' { // digits and signs come before the letters
		return r.componentName(p)
	}
	size, err := strconv.Atoi(p.text)
	if err != nil || size < 1 || size > MaxComponents {
		r.diags.Errorf(p.whole(), msgComponents, MaxComponents).
			WithHint("a name, such as k, leaves the number open when code is generated")
		return &Components{}
	}
	return &Components{Size: size, Span: p.whole()}
}

func (r *reader) componentName(p place) *Components {
	switch {
	case !r.checkName(p.text, p.whole()):
		return &Components{}
	case p.text == weightsName:
		r.takesWeights(p.whole(), "the number of components")
		return &Components{}
	}
	return &Components{Name: p.text, Span: p.whole()}
}

// takesWeights reports something that is called like the weights.
func (r *reader) takesWeights(span diag.Span, what string) {
	r.diags.Errorf(span, msgWeights, what).WithHint("the name %s is reserved in mixtures", weightsName)
}

// components reports when target and surrogate are not mixtures of the same components, and sets those of the problem.
func (r *reader) components(p *Problem, target, surrogate reference) {
	t, s := target.mixture, surrogate.mixture
	p.Components = cmp.Or(t, s)
	switch {
	case t == nil && s != nil:
		r.unmixed(target, surrogate)
	case s == nil && t != nil:
		r.unmixed(surrogate, target)
	case t != nil && t.given() && s.given() && t.String() != s.String():
		r.diags.Errorf(s.Span, msgOtherComponents, t, s).
			WithHint("each component of the surrogate stands for one of the target: write components: %v in both", t)
	}
}

// unmixed reports a side of a problem that is no mixture, where the other one is. It is silent when the side has faults
// of its own.
func (r *reader) unmixed(plain, mixed reference) {
	if !plain.plain {
		return
	}
	components := "k"
	if mixed.mixture.given() {
		components = mixed.mixture.String()
	}
	r.diags.Errorf(r.span(plain.node), msgUnmixed, mixed.role, plain.role).
		WithHint("the %s of a mixture is a mixture model: %s", plain.role, notation(plain.node, components))
}

// notation is the mixture of what a node names.
func notation(n *yaml.Node, components string) string {
	name := "..." // of a definition in place
	if n != nil && n.Kind == yaml.ScalarNode && isName(n.Value) {
		name = n.Value
	}
	return "{mixture: " + name + ", components: " + components + "}"
}

// groups reads how a start forms the groups of rows that the components start from.
func (r *reader) groups(p *Problem, o *object, what string, words ...string) (word string, span diag.Span) {
	if !o.has("groups") {
		return "", span
	}
	if p.Components == nil {
		r.diags.Errorf(o.keySpan("groups"), msgNoGroups, what).
			WithHint("without them formulas see all rows: leave groups out")
		return "", span
	}
	n := o.get("groups")
	word, ok := r.word(n, "groups", msgGroups, words)
	if ok {
		span = locate(r.src, n).trim().whole()
	}
	return word, span
}

// checkMixture reports what stands in the way of a mixture in the definitions that a problem refers to, as far as these
// are known, and in its other keys.
func (r *reader) checkMixture(p *Problem) {
	if len(p.Shared) > 0 && (p.Components == nil || p.VI != nil) {
		r.diags.Errorf(p.Shared[0].Span, msgShared).WithHint("leave shared out")
	}
	if p.Components == nil {
		return
	}
	r.checkComponentName(p)
	r.checkWeights(p)
	for _, s := range p.allStarts() {
		if s.Groups != GroupsSlices {
			continue
		}
		switch x := p.target().observed(); {
		case len(x) > 1:
			r.diags.Errorf(s.GroupsSpan, msgSlicesOfSeveral, p.target().name(), len(x)).WithHint("write clusters")
		case !x[0].Type.IsScalar():
			r.diags.Errorf(s.GroupsSpan, msgSlices, p.target().name(), x[0].Type.String()).WithHint("write clusters")
		}
	}
}

// checkComponentName reports a number of components that is called like a dimension of one component.
func (r *reader) checkComponentName(p *Problem) {
	c := p.Components
	if c.Name == "" {
		return
	}
	const hint = "one name cannot mean both: give the number of components another one"
	for _, side := range p.sides() {
		if slices.ContainsFunc(side.declarations(), func(d Param) bool { return hasDim(d, c.Name) }) {
			r.diags.Errorf(c.Span, msgDuplicateName, c.Name, "a dimension of "+side.name()).WithHint(hint)
			break
		}
	}
	for _, a := range p.Auxiliary {
		if hasDim(Param{Type: a.Type}, c.Name) {
			r.diags.Errorf(a.TypeSpan, msgDuplicateName, c.Name, "the number of components").
				WithHint("the type is that of one component: each component has its own %s", a.Name)
		}
	}
	for _, d := range p.Dimensions {
		if d.Name == c.Name && d.Size > MaxComponents {
			r.diags.Errorf(d.NameSpan, msgManyComponents, d.Size, MaxComponents).
				WithHint("%s is the number of components", c.Name)
		}
	}
}

func hasDim(p Param, name string) bool {
	for _, d := range p.Type.Dims {
		if d.Name == name {
			return true
		}
	}
	return false
}

// checkWeights reports parameters that are called like the weights.
func (r *reader) checkWeights(p *Problem) {
	for role, side := range p.sides() {
		for _, param := range side.parameters() {
			if param.Name == weightsName {
				r.takesWeights([]diag.Span{p.TargetRefSpan, p.SurrogateRefSpan}[role], "a parameter of "+side.name())
			}
		}
	}
	for _, a := range p.Auxiliary {
		if a.Name == weightsName {
			r.takesWeights(a.NameSpan, "an auxiliary parameter")
		}
	}
}

// target returns the definition of the target.
func (p *Problem) target() definition { return definition{p.TargetDist, p.TargetFamily} }

// sides returns the definitions of the target and the surrogate, in this order. They are empty after a fault.
func (p *Problem) sides() [2]definition { return [2]definition{p.target(), {family: p.Surrogate}} }

// allStarts returns the starts, the random one last.
func (p *Problem) allStarts() []Start {
	if p.RandomStart == nil {
		return p.Starts
	}
	return append(slices.Clone(p.Starts), *p.RandomStart)
}

// variable returns the first variable of a definition, the zero Param of an empty one.
func (d definition) variable() Param { return d.observed()[0] }

// observed returns the variables of a definition, of an empty one a zero Param.
func (d definition) observed() []Param {
	switch {
	case d.family != nil:
		return []Param{d.family.Variable}
	case d.distribution != nil:
		return d.distribution.Observed()
	}
	return make([]Param, 1)
}

// parameters returns the parameters of a definition.
func (d definition) parameters() []Param {
	switch {
	case d.family != nil:
		return d.family.Parameters
	case d.distribution != nil:
		return d.distribution.Parameters
	}
	return nil
}

// declarations returns all that a definition declares with a type.
func (d definition) declarations() []Param {
	out := append(d.observed(), d.parameters()...)
	if d.distribution != nil {
		out = append(out, d.distribution.Given...)
	}
	if d.family != nil {
		out = append(out, d.family.Given...)
		for _, c := range d.family.Constants {
			out = append(out, Param{Type: c.Type})
		}
	}
	return out
}

// shared reads the names of what the components of a mixture have in common.
func (r *reader) shared(n *yaml.Node) []Name {
	var out []Name
	for _, item := range r.list(n, "shared") {
		if name, ok := r.text(item, "an item of shared", "a name"); ok && r.checkName(name.text, name.whole()) {
			out = append(out, Name{name.text, name.whole()})
		}
	}
	return out
}

// ParseComponents reads numbers of components: 5, a list such as 3,5,8, a range such as 1..8, or a list of both. They are returned in
// ascending order; none of an empty text.
func ParseComponents(text string) ([]int, error) {
	if text == "" {
		return nil, nil
	}
	var out []int
	for part := range strings.SplitSeq(text, ",") {
		first, last, ranged := strings.Cut(part, "..")
		if !ranged {
			last = first
		}
		low, err := strconv.Atoi(strings.TrimSpace(first))
		high, err2 := strconv.Atoi(strings.TrimSpace(last))
		switch {
		case err != nil || err2 != nil || low < 1 || high < low:
			return nil, errors.New("write a number of components as 5, several as 3,5,8 or 1..8")
		case high > MaxComponents:
			return nil, fmt.Errorf("at most %d components", MaxComponents)
		case len(out)+high-low >= MaxComponents:
			return nil, fmt.Errorf("more than %d numbers of components", MaxComponents)
		}
		for k := low; k <= high; k++ {
			out = append(out, k)
		}
	}
	slices.Sort(out)
	return slices.Compact(out), nil
}
