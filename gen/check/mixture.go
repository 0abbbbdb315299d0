package check

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/expr/eval"
	"github.com/sngdgen/sngdgen/gen/bind"
	"github.com/sngdgen/sngdgen/gen/derive"
)

// Mixtures. What is about the family or the distribution of the components is looked at in a mixture of one component, of
// weight 1, which is no mixture: it is said as for a problem without one. The rest is looked at with several components.

// mostComponents bounds the number of components that is looked at: formulas are the same for any number.
const mostComponents = 5

// someComponents is the number of components in a round.
func (c *checker) someComponents(round int) int {
	if d := c.p.Mixture.Components; d.Name == "" {
		return min(d.Size, mostComponents)
	}
	return 2 + round%2
}

// components is the number of components in the round that is under way.
func (c *checker) components() int { return c.lengths[c.g.Size(expr.Components).Name] }

// numberComponents makes the numbers of the components known. One component by itself has weight 1.
func (c *checker) numberComponents(out *known, components int) {
	m := c.p.Mixture
	if m == nil {
		return
	}
	out.components = components
	set := func(sym *expr.Node, of func(k int) float64) {
		out.values[sym.Name] = out.each(sym.Type, func(k int) eval.Value { return eval.Value{Scalar: of(k)} })
	}
	set(c.g.Size(expr.Components), func(int) float64 { return float64(components) })
	set(m.Index, func(k int) float64 { return float64(k) })
	set(m.Last, func(k int) float64 {
		if k == components-1 {
			return 1
		}
		return 0
	})
	if components == 1 {
		for _, w := range []*expr.Node{m.Weights, c.p.Target.Params[0].Sym} {
			set(w, func(int) float64 { return 1 })
		}
		return
	}
	if d := m.Components; d.Size != components {
		out.dims += fmt.Sprintf("%s = %d, ", cmp.Or(d.Name, "components"), components)
	}
}

// spread gives every component of an environment its own value, where a formula has the same for all.
func (c *checker) spread(t expr.Type, v eval.Value, env *eval.Env) eval.Value {
	if !t.Axes.Has(expr.Components) || v.Components != nil {
		return v
	}
	components := env.Symbols[c.g.Size(expr.Components).Name].Scalar
	return eval.PerComponent(slices.Repeat([]eval.Value{v}, int(components)))
}

// targetName is what the target is called in a sentence.
func (c *checker) targetName() string {
	if c.p.Mixture != nil {
		return "the " + c.p.Target.Name
	}
	return c.p.Target.Name
}

// isWeights reports whether a symbol is that of the weights of the surrogate, which sum to 1.
func (c *checker) isWeights(sym *expr.Node) bool {
	return c.p.Mixture != nil && sym == c.p.Mixture.Weights
}

// isFree reports whether a symbol is that of the coordinates of the weights: those of the last component are none, and 0.
func (c *checker) isFree(sym *expr.Node) bool {
	return c.p.Mixture != nil && (sym == c.d.Family.Natural.Syms[0] || sym == c.d.Family.Mean.Syms[0])
}

// withoutLast is a number for each component, with that of the last one 0.
func withoutLast(v eval.Value) eval.Value {
	if v.Components == nil {
		return v
	}
	out := slices.Clone(v.Components)
	out[len(out)-1] = eval.Value{}
	return eval.PerComponent(out)
}

// ofMixture reports whether a variable is the weights of the components.
func (v variable) ofMixture() bool { return isSimplex(v.kind) && v.sym.Type.Rank == 0 }

// singles are the variables of one component.
func singles(vars []variable) []variable {
	return slices.DeleteFunc(slices.Clone(vars), variable.ofMixture)
}

// drawnWeights draws positive numbers of sum 1, one for each component.
func drawnWeights(rng *rand.Rand, components int) eval.Value {
	out, sum := make([]eval.Value, components), 0.0
	for k := range out {
		out[k].Scalar = share(rng)
		sum += out[k].Scalar
	}
	for k := range out {
		out[k].Scalar /= sum
	}
	return eval.PerComponent(out)
}

// insideMixture puts a point together of points for each component that meet the conditions by themselves: drawn all at
// once they would seldom do so.
func (c *checker) insideMixture(rng *rand.Rand, conditions []derive.Condition, decades float64) (p point, ok bool) {
	separate := c.separate(conditions)
	for range maxTries {
		own := make([]point, c.known.components)
		for k := range own {
			if own[k], ok = c.insideOne(rng, separate, decades); !ok {
				return own[k], false
			}
		}
		if p = c.mixed(rng, own); c.violated(conditions, c.env(p)) < 0 {
			return p, true
		}
	}
	return p, false
}

// separate are those of some conditions that are about one component by itself: neither about the weights nor about what
// all components have together.
func (c *checker) separate(conditions []derive.Condition) []derive.Condition {
	return slices.DeleteFunc(slices.Clone(conditions), func(cond derive.Condition) bool {
		found := false
		expr.Walk(func(n *expr.Node) { found = found || c.isWeights(n) || n.Axis == expr.Components }, cond.Node)
		return found
	})
}

// mixed gives points of one component weights.
func (c *checker) mixed(rng *rand.Rand, own []point) point {
	p := point{vars: c.free, known: c.known, values: []eval.Value{drawnWeights(rng, len(own))}}
	for i := range c.single {
		values := make([]eval.Value, len(own))
		for k := range own {
			values[k] = component(own[k].values[i], 0)
		}
		if !c.single[i].sym.Type.Axes.Has(expr.Components) {
			p.values = append(p.values, values[0])
			continue
		}
		p.values = append(p.values, eval.PerComponent(values))
	}
	return p
}

// alone is a point of one component of a mixture.
func (c *checker) alone(p point, k int) point {
	out := point{known: c.one, digits: p.digits}
	for i, v := range p.vars {
		if !v.ofMixture() {
			out.vars = append(out.vars, v)
			value := p.values[i]
			if v.sym.Type.Axes.Has(expr.Components) {
				value = eval.PerComponent([]eval.Value{component(value, k)})
			}
			out.values = append(out.values, value)
		}
	}
	return out
}

// insideAlone draws a point of one component out of a mixture that meets the conditions.
func (c *checker) insideAlone(rng *rand.Rand, conditions []derive.Condition, decades float64) (p point, ok bool) {
	p, ok = c.inside(rng, conditions, decades)
	if c.p.Mixture != nil && ok {
		p = c.alone(p, 0)
	}
	return p, ok
}

// culprit is the point of one component where something is wrong with it by itself, else the whole point: which component
// it is, and what the others are, is seldom of interest.
func (c *checker) culprit(p point, wrong func(point) bool) point {
	for k := range p.known.components {
		if own := c.alone(p, k); wrong(own) {
			return own
		}
	}
	return p
}

// sampleMixture draws rows from the target: from a component that is drawn by its weight.
func (c *checker) sampleMixture(rng *rand.Rand, at point) (x []float64, ok bool) {
	weights := c.env(at).Symbols[c.p.Mixture.Weights.Name].Components
	labels, counts := make([]int, rows), make([]int, len(weights))
	for i := range labels {
		k, u := 0, rng.Float64()
		for u -= weights[k].Scalar; u > 0 && k < len(weights)-1; u -= weights[k].Scalar {
			k++
		}
		labels[i] = k
		counts[k]++
	}
	own := make([][][]float64, len(weights))
	for k, n := range counts {
		if n == 0 {
			continue
		}
		if own[k], ok = c.sampleOne(rng, c.alone(at, k), n); !ok {
			return nil, false
		}
	}
	for _, k := range labels {
		x, own[k] = append(x, own[k][0]...), own[k][1:]
	}
	return x, true
}

// oneFamily is the surrogate of one component.
func (c *checker) oneFamily() *bind.Family {
	if f := c.p.Surrogate.Component; f != nil {
		return f
	}
	return c.p.Surrogate
}

// oneCoords are the coordinates of the surrogate of one component.
func (c *checker) oneCoords() (*derive.Family, error) {
	if c.p.Mixture == nil {
		return c.d.Family, nil
	}
	f := *c.oneFamily() // deriving writes to the lists
	f.M, f.FromMean, f.NewtonStart = slices.Clone(f.M), slices.Clone(f.FromMean), slices.Clone(f.NewtonStart)
	return derive.NewFamily(c.g, &f)
}
