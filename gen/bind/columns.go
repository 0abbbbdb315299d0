package bind

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/internal/diag"
	"github.com/sngdgen/sngdgen/spec"
)

// givenOf binds a variable that a family is given: a column of the data for a density, that of the target of the same name for a surrogate;
// otherwise what the family draws itself.
func (b *binder) givenOf(f *spec.Family, q spec.Param, prefix string) Param {
	switch {
	case !f.OfColumns():
		return b.param(q, prefix+"given.", expr.Rows)
	case !b.factor.of(f) || prefix != "":
		return b.variable(q, prefix)
	}
	return b.column(f, q)
}

// factor is one of the families of a surrogate while it is bound.
type factor struct {
	spec.Factor
	number, before int // which one, from 1 where there are several, and how many coordinates come before its own
}

func (x factor) of(f *spec.Family) bool { return x.Family == f }

// surrogateFamily binds the surrogate, which is named at a place: a family, or several together, whose log-density is the sum of theirs.
func (b *binder) surrogateFamily(f *spec.Family, at diag.Span) *Family {
	if len(f.Factors) == 0 {
		return b.asFactor(factor{Factor: spec.Factor{Family: f, Span: at}})
	}
	out := &Family{Name: f.Name, Doc: f.Doc, OfColumns: f.OfColumns(), LogPartition: b.g.Const(0), LogBase: b.g.Const(0)}
	inverse := true
	for i, x := range f.Factors {
		part := b.asFactor(factor{x, i + 1, len(out.Eta)})
		if part == nil {
			return nil
		}
		if i == 0 {
			out.Variable = part.Variable
		}
		out.add(b.g, part)
		inverse = inverse && part.FromMean != nil
	}
	if !inverse {
		out.FromMean = nil
	}
	return out
}

// add adds a factor. Families by themselves are independent of it.
func (f *Family) add(g *expr.Graph, part *Family) {
	f.Factors, f.Params, f.Where = append(f.Factors, part), append(f.Params, part.Params...), append(f.Where, part.Where...)
	for _, q := range part.Given {
		if !slices.ContainsFunc(f.Given, func(other Param) bool { return other.Sym == q.Sym }) {
			f.Given = append(f.Given, q)
		}
	}
	f.Statistics, f.Natural = append(f.Statistics, part.Statistics...), append(f.Natural, part.Natural...)
	f.LogPartition, f.LogBase = g.Add(f.LogPartition, part.LogPartition), g.Add(f.LogBase, part.LogBase)
	f.Eta, f.M = append(f.Eta, part.Eta...), append(f.M, part.M...)
	f.FromNatural, f.FromMean = append(f.FromNatural, part.FromNatural...), append(f.FromMean, part.FromMean...)
}

// asFactor binds a family of the surrogate. Lengths that columns of the data have under another name are those of the data.
func (b *binder) asFactor(x factor) *Family {
	outer, pinned, dims := b.factor, b.pinned, b.dims
	b.factor, b.pinned, b.dims = x, maps.Clone(pinned), maps.Clone(dims)
	renamed := map[string]bool{}
	for _, q := range x.Family.Given {
		b.pinToColumn(q, renamed)
	}
	out := b.family(x.Family, "", nil)
	for name, n := range b.dims {
		if !renamed[name] && dims[name] == nil {
			dims[name] = n
		}
	}
	b.factor, b.pinned, b.dims = outer, pinned, dims
	return out
}

// pinToColumn takes the lengths in the type of what a surrogate is given for those of the column of the data.
func (b *binder) pinToColumn(q spec.Param, renamed map[string]bool) {
	for _, c := range b.record {
		t := c.Sym.Type
		if c.Name != b.factor.Called(q.Name) || t.Rank != len(q.Type.Dims) {
			continue
		}
		for i, d := range q.Type.Dims {
			if d.Name != "" && d.Name != t.Dims[i].Name && !renamed[d.Name] {
				b.pinned[d.Name], renamed[d.Name] = t.Dims[i], true
			}
		}
	}
}

// called are declarations of the surrogate under the names that they have in the problem.
func (b *binder) called(ps []spec.Param) []spec.Param {
	ps = slices.Clone(ps)
	for i := range ps {
		ps[i].Name = b.factor.Called(ps[i].Name)
	}
	return ps
}

// variablePrefix keeps the variables of the families of a surrogate apart.
func (b *binder) variablePrefix(prefix string) string {
	if b.factor.number > 0 {
		return fmt.Sprintf("%svariable%d.", prefix, b.factor.number)
	}
	return prefix + "variable."
}

// column is the column of the data that a surrogate is given. Its lengths are those of the target. After a fault it is one of its own.
func (b *binder) column(f *spec.Family, q spec.Param) Param {
	name, at := b.factor.Called(q.Name), b.factor.Span
	var have []string
	for _, c := range b.record {
		have = append(have, c.Name)
		if c.Name != name {
			continue
		}
		if kind, t := b.declared(q); t.SameCore(c.Sym.Type) && c.Kind.Range.Within(kind.Range) {
			return c
		}
		b.diags.Errorf(at, "surrogate %s is given %s as %s, but in the data it is %s", f.Name, name, q.Type.String(), c.Kind.Name)
		return b.param(q, fmt.Sprintf("surrogate%d.given.", b.factor.number), expr.Rows)
	}
	if b.record == nil { // the target is faulty
		return b.param(q, fmt.Sprintf("surrogate%d.given.", b.factor.number), expr.Rows)
	}
	b.diags.Errorf(at, "surrogate %s is given %q, but the data have no such column", f.Name, name).
		WithHint("the columns are %s: call one of them %s, or say which it is, as in - %s: {%s: %s}", strings.Join(have, ", "), name, f.Name, q.Name,
			have[len(have)-1])
	return b.param(q, fmt.Sprintf("surrogate%d.given.", b.factor.number), expr.Rows)
}
