package check

import (
	"math"
	"math/rand/v2"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/expr/eval"
	"github.com/sngdgen/sngdgen/gen/bind"
)

// narrowed is the range of a variable as far as conditions on it alone say.
func narrowed(sym *expr.Node, kind expr.Kind, support []bind.Condition) expr.Kind {
	for _, c := range support {
		if c.Node == sym {
			kind.Range = kind.Range.Intersect(c.Range)
		}
	}
	if kind.Integer {
		kind.Range.Lo, kind.Range.Hi = math.Ceil(kind.Range.Lo), math.Floor(kind.Range.Hi)
	}
	return kind
}

// conditionsMet reports whether the values of conditions in a row are in their ranges.
func conditionsMet(support []bind.Condition, values []eval.Value, row int) bool {
	for k, c := range support {
		if !within(rowOf(component(values[k], 0), row), c.Range) {
			return false
		}
	}
	return true
}

// inSupport are the rows that meet the conditions of the target.
func (c *checker) inSupport(x []float64) []float64 {
	support := c.p.Target.Support
	if len(support) == 0 {
		return x
	}
	of := density{about: c.p.Target.Record()}
	of.parts = c.partsOf(of)
	env := eval.Scalars(nil)
	for name, n := range c.lengths {
		env.Set(name, float64(n))
	}
	of.bind(env, x)
	values := c.values(nodesOf(support), env)
	var out []float64
	width := of.entries()
	for i := range len(x) / width {
		if conditionsMet(support, values, i) {
			out = append(out, x[i*width:(i+1)*width]...)
		}
	}
	return out
}

func nodesOf(conditions []bind.Condition) []*expr.Node {
	out := make([]*expr.Node, len(conditions))
	for i, c := range conditions {
		out[i] = c.Node
	}
	return out
}

// mostBatches is how many data sets are drawn for one inside a support.
const mostBatches = 200

// anyData makes rows of the type of the observations that lie in the support. Where hardly any do it has rows several times.
func (c *checker) anyData(rng *rand.Rand, rows int) []float64 {
	x := c.anyRows(rng, rows)
	if len(c.p.Target.Support) == 0 {
		return x
	}
	kept := c.inSupport(x)
	for batch := 0; len(kept) < len(x) && batch < mostBatches; batch++ {
		kept = append(kept, c.inSupport(c.anyRows(rng, rows))...)
	}
	if len(kept) == 0 {
		return x
	}
	for len(kept) < len(x) {
		kept = append(kept, kept...)
	}
	return kept[:len(x)]
}

// ignores reports whether a density that has not mass 1 within its support has it without.
func (c *checker) ignores(d density, p point) bool {
	if len(d.support) == 0 {
		return false
	}
	d.support = nil
	d.parts = c.partsOf(d)
	m := d.total(p)
	return m.ok && !m.wrong()
}
