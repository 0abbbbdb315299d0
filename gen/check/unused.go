package check

import (
	"slices"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/expr/syntax"
	"github.com/sngdgen/sngdgen/gen/bind"
	"github.com/sngdgen/sngdgen/runtime/types"
	"github.com/sngdgen/sngdgen/spec"
)

// unused warns of names that make no difference.
func (c *checker) unused() {
	s := c.p.Spec
	for i, v := range c.free {
		if c.mapUses(v.sym) {
			continue
		}
		if i >= len(c.p.Surrogate.Params) {
			a := s.Auxiliary[c.p.Auxiliary[i-len(c.p.Surrogate.Params)].Of]
			c.diags.Warningf(a.NameSpan, "the map does not depend on %q", a.Name).
				WithHint("leave it out")
			continue
		}
		c.diags.Warningf(s.MapSpan, "the map does not depend on %q of surrogate %s", v.name, c.p.Surrogate.Name).
			WithHint("steps along it change nothing; a surrogate with fewer parameters would do")
	}
	for _, t := range c.p.Target.Params {
		if !expr.Depends(c.p.Target.LogPDF, t.Sym) {
			c.diags.Warningf(t.Span, "the log-density of %s does not depend on %q", c.targetName(), t.Name)
		}
	}
	if c.p.Variational == nil {
		for _, q := range c.p.Target.Given {
			if !expr.Depends(c.p.Target.LogPDF, q.Sym) && !slices.ContainsFunc(nodesOf(c.p.Target.Support), func(n *expr.Node) bool { return expr.Depends(n, q.Sym) }) {
				c.diags.Warningf(q.Span, "the log-density of %s does not depend on %q, which is given", c.targetName(), q.Name).
					WithHint("leave it out, or use it in logpdf")
			}
		}
	}
	c.unusedOfModel()
	c.unboundedLogs()
	c.unusedNames()
}

// unusedOfModel warns of latent variables and data that make no difference.
func (c *checker) unusedOfModel() {
	v := c.p.Variational
	if v == nil || v.External { // what a function in Go depends on it alone knows
		return
	}
	warn := func(what string, list []bind.Param) {
		for _, q := range list {
			if !slices.ContainsFunc(c.asWritten(), func(n *expr.Node) bool { return expr.Depends(n, q.Sym) }) {
				c.diags.Warningf(q.Span, "the log joint density does not depend on %s %q", what, q.Name)
			}
		}
	}
	warn("the latent variable", v.Latent)
	warn("the data", v.Data)
}

// unboundedLogs warns of logarithms of latent variables that may be negative, where the density would be no number.
func (c *checker) unboundedLogs() {
	v := c.p.Variational
	if v == nil || v.Spec.LatentWhole {
		return
	}
	for _, f := range slices.Concat([]*spec.Formula{v.Spec.LogLikelihood, v.Spec.LogPrior, v.Spec.LogJoint}, formulas(v.Spec.Let)) {
		if f == nil {
			continue
		}
		syntax.Walk(f.Expr, func(e syntax.Expr) bool {
			call, ok := e.(*syntax.Call)
			if !ok || call.Fun != "log" || len(call.Args) != 1 {
				return true
			}
			name, ok := call.Args[0].(*syntax.Name)
			if i := slices.IndexFunc(v.Declared, func(q bind.Param) bool { return ok && q.Name == name.Name }); i >= 0 {
				if q := v.Declared[i]; !q.Kind.Range.Within(expr.Nonnegative) {
					c.diags.Warningf(f.Span(call), "%s is %s, and has no logarithm where it is negative", q.Name, q.Kind.Name).
						WithHint("declare %s: %s; its prior is then a density on positive numbers, and nothing has to be added to it", q.Name, positiveForm(q))
				}
			}
			return true
		})
	}
}

// positiveForm is the type of positive numbers of the form of a latent variable.
func positiveForm(q bind.Param) string {
	if q.Kind.Type.Form == types.Vector {
		return "positive " + q.Kind.Name
	}
	return types.Positive.Name
}

// mapUses reports whether some parameter of the target depends on a symbol. Canonical forms have cancelled what cancels,
// so this is about values, not about spelling.
func (c *checker) mapUses(sym *expr.Node) bool {
	for _, t := range c.p.Map {
		if expr.Depends(t.Node, sym) {
			return true
		}
	}
	return false
}

// unusedNames warns of definitions and random numbers whose names occur in no formula.
func (c *checker) unusedNames() {
	s := c.p.Spec
	families := []*spec.Family{s.TargetFamily}
	for _, x := range s.Surrogate.AllFactors() {
		families = append(families, x.Family)
	}
	for _, f := range families {
		if f != nil {
			all := slices.Concat(f.Statistics, f.Natural, f.Support, []*spec.Formula{f.LogPartition, f.LogBaseMeasure},
				formulas(f.FromNatural), formulas(f.FromMean), formulas(f.NewtonStart))
			c.unusedLet(slices.Concat(constants(f), f.Let), all)
		}
	}
	if d := s.TargetDist; d != nil {
		all := append([]*spec.Formula{d.LogPDF, d.Mean, d.Variance, d.Penalty}, d.Support...)
		for _, s := range d.States {
			all = append(all, s.Start, s.Next)
		}
		if d.Sample != nil {
			all = append(all, formulas(d.Sample.Values)...)
			all = append(all, noiseFormulas(d.Sample.Noise)...)
			c.unusedNoise(d.Sample.Noise, d.Sample.Values)
		}
		c.unusedLet(d.Let, all)
	}
	if m := s.VI; m != nil {
		c.unusedLet(slices.Concat(m.Constants, m.Let), append([]*spec.Formula{m.LogLikelihood, m.LogPrior, m.LogJoint}, m.Support...))
	}
	if s.RandomStart != nil {
		c.unusedNoise(s.RandomStart.Noise, s.RandomStart.Values)
	}
}

func (c *checker) unusedLet(let []spec.Binding, others []*spec.Formula) {
	used := names(append(formulas(let), others...))
	for _, x := range let {
		if !used[x.Name] {
			c.diags.Warningf(x.NameSpan, "nothing uses %q", x.Name).WithHint("leave it out")
		}
	}
}

func (c *checker) unusedNoise(draws []spec.Draw, vals []spec.Binding) {
	used := names(append(noiseFormulas(draws), formulas(vals)...))
	for _, d := range draws {
		if !used[d.Name] {
			c.diags.Warningf(d.NameSpan, "nothing uses the random number %q", d.Name).WithHint("leave it out")
		}
	}
}

func formulas(bindings []spec.Binding) []*spec.Formula {
	var out []*spec.Formula
	for _, x := range bindings {
		out = append(out, x.Formula)
	}
	return out
}

func noiseFormulas(draws []spec.Draw) []*spec.Formula {
	var out []*spec.Formula
	for _, d := range draws {
		out = append(out, d.Args...)
	}
	return out
}

// names are the names that occur in formulas.
func names(fs []*spec.Formula) map[string]bool {
	out := map[string]bool{}
	for _, f := range fs {
		if f == nil || f.Expr == nil {
			continue
		}
		syntax.Walk(f.Expr, func(e syntax.Expr) bool {
			if n, ok := e.(*syntax.Name); ok {
				out[n.Name] = true
			}
			return true
		})
	}
	return out
}

// constants are the constants of a family, as definitions.
func constants(f *spec.Family) []spec.Binding {
	out := make([]spec.Binding, len(f.Constants))
	for i, c := range f.Constants {
		out[i] = c.Binding
	}
	return out
}
