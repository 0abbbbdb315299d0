package spec

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/sngdgen/sngdgen/internal/diag"
)

// Factor is one of several families that are a surrogate together: that of independent variables, whose parameters are those of all. What
// it declares may be called otherwise in the problem.
type Factor struct {
	Family  *Family
	Renamed []Renamed
	Span    diag.Span
}

// Renamed is what something that a family declares is called in a problem.
type Renamed struct {
	Name, To         string
	NameSpan, ToSpan diag.Span
}

// Called is what a problem calls something that the family declares.
func (f Factor) Called(name string) string {
	for _, r := range f.Renamed {
		if r.Name == name {
			return r.To
		}
	}
	return name
}

// unresolved is a factor as a problem names it.
type unresolved struct {
	name    place
	renamed []Renamed
}

// product reads a surrogate that is several families, a list: of each the name, or a mapping from the name to what its variables and
// parameters are called in the problem.
func (r *reader) product(ref *reference, n *yaml.Node) {
	for _, item := range r.list(n, ref.role) {
		if item.Kind != yaml.MappingNode {
			if name, ok := r.text(item, "an item of "+ref.role, "a name or a mapping"); ok && r.checkDefinition(name) {
				ref.factors = append(ref.factors, unresolved{name: name})
			}
			continue
		}
		o := r.object(item, "an item of "+ref.role)
		if o == nil {
			continue
		}
		if len(o.entries) != 1 {
			r.diags.Errorf(o.span, msgFactor).WithHint("write - family: {x: z}, whose x is the column z of the data")
			continue
		}
		ref.factors = append(ref.factors, r.factor(item, o.entries[0]))
	}
	if len(ref.factors) > 0 {
		ref.problem.SurrogateRefSpan = ref.factors[0].name.whole()
	}
}

func (r *reader) factor(item *yaml.Node, e entry) unresolved {
	out := unresolved{name: locate(r.src, item.Content[0])}
	o := r.object(e.value, e.key)
	if o == nil {
		return out
	}
	for _, e := range o.entries {
		if to, ok := r.text(e.value, e.key, "a name"); ok && r.checkName(to.text, to.whole()) {
			out.renamed = append(out.renamed, Renamed{e.key, to.text, e.span, to.whole()})
		}
	}
	return out
}

// resolveFactors looks up the families of a product, and sets the surrogate of the problem.
func (ref reference) resolveFactors(r *reader, s *scope) {
	out := &Family{NameSpan: ref.problem.SurrogateRefSpan, Source: r.src, scope: s}
	var names, docs []string
	for _, u := range ref.factors {
		d, ok := r.resolve(s, u.name, "family", true)
		switch {
		case !ok:
			return
		case d.family == nil:
			r.diags.Errorf(u.name.whole(), msgWantFamily, u.name.text).WithHint("families are " + strings.Join(s.names(true), ", "))
			return
		case len(d.family.Given) > 0 && !d.family.OfColumns():
			r.diags.Errorf(u.name.whole(), msgConditionalFactor, d.family.Name).WithHint("it is a surrogate by itself")
			return
		}
		f := Factor{d.family, u.renamed, u.name.whole()}
		if !r.checkRenamed(f) {
			return
		}
		out.add(f)
		names, docs = append(names, d.family.Name), append(docs, d.family.Doc)
	}
	out.Name, out.Doc = strings.Join(names, ", "), strings.Join(docs, "; ")
	ref.problem.Surrogate = out
	seen := map[string]bool{}
	for _, q := range out.Parameters {
		if seen[q.Name] {
			r.diags.Errorf(q.NameSpan, msgSameParameter, q.Name).
				WithHint("call one of them otherwise, as in - %s: {%s: %s}", names[len(names)-1], q.Name, q.Name+"2")
			ref.problem.Surrogate = nil
		}
		seen[q.Name] = true
	}
}

// checkRenamed reports names that a family does not have.
func (r *reader) checkRenamed(f Factor) bool {
	var declared []string
	for _, q := range slices.Concat(f.Family.Parameters, f.Family.Given) {
		declared = append(declared, q.Name)
	}
	for _, x := range f.Renamed {
		if !slices.Contains(declared, x.Name) {
			r.diags.Errorf(x.NameSpan, msgNotDeclared, f.Family.Name, x.Name).
				WithHint("%s", didYouMean(x.Name, declared)+"it has "+strings.Join(declared, ", "))
			return false
		}
	}
	return true
}

// add makes a family a factor of a surrogate.
func (f *Family) add(factor Factor) {
	if len(f.Factors) == 0 {
		f.Variable = factor.Family.Variable
	}
	f.Factors = append(f.Factors, factor)
	f.FromNatural, f.Where = append(f.FromNatural, factor.Family.FromNatural...), append(f.Where, factor.Family.Where...)
	called := func(ps []Param) []Param {
		ps = slices.Clone(ps)
		for i := range ps {
			ps[i].Name, ps[i].NameSpan = factor.Called(ps[i].Name), factor.Span
		}
		return ps
	}
	f.Parameters = append(f.Parameters, called(factor.Family.Parameters)...)
	for _, q := range called(factor.Family.Given) {
		if !slices.ContainsFunc(f.Given, func(other Param) bool { return other.Name == q.Name }) {
			f.Given = append(f.Given, q)
		}
	}
}

// AllFactors are the factors of a family: itself where it is one by itself.
func (f *Family) AllFactors() []Factor {
	if len(f.Factors) == 0 {
		return []Factor{{Family: f}}
	}
	return f.Factors
}
