package check

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/expr/eval"
	"github.com/sngdgen/sngdgen/gen/derive"
	"github.com/sngdgen/sngdgen/runtime/random"
	"github.com/sngdgen/sngdgen/spec"
)

// limitSets is on how many synthetic data sets a limit is looked at.
const limitSets = 12

// limits looks at the limits of the target: its density tends to theirs along the path, the parameters go where the spec says,
// and the derived gradient is right.
func (c *checker) limits() {
	for _, l := range c.d.Limits {
		c.limitUses(l)
		rng := c.stream("limit " + l.Spec.Name)
		looked := 0
		for k := range limitSets {
			env, ok := c.limitPoint(rng, l, k)
			if !ok {
				continue
			}
			if looked++; !c.ends(l, env) || !c.tends(l, env) || !c.comesBack(l, env) || !c.limitGradient(l, env) {
				break
			}
		}
		if looked == 0 {
			c.diags.Warningf(l.Spec.Span, "the starts of limit %s lie outside its domain on %d synthetic data sets", l.Spec.Name, limitSets)
		}
	}
}

// limitUses warns of parameters that make no difference.
func (c *checker) limitUses(l *derive.Limit) {
	for _, q := range l.Params {
		if !expr.Depends(l.Literal, q.Sym) {
			c.diags.Warningf(q.Span, "the density of limit %s does not depend on %q", l.Spec.Name, q.Name)
		}
	}
}

// limitPoint is a point near a start of a limit, on a synthetic data set.
func (c *checker) limitPoint(rng *rand.Rand, l *derive.Limit, k int) (env *eval.Env, ok bool) {
	env = point{known: c.known}.env()
	c.bind(env, c.data(rng, c.source(rng, k)))
	start := l.Starts[k%len(l.Starts)]
	if l.RandomStart != nil && k%3 == 2 {
		start = *l.RandomStart
	}
	c.noise(rng, start.Noise, env)
	for _, v := range start.Values {
		env.Symbols[v.Sym.Name] = c.shaped(v.Sym.Type, c.valueOf(v.Node, env))
	}
	if c.violated(l.Conditions, env) >= 0 {
		return env, false
	}
	for _, q := range l.Params { // a start may be a stationary point
		at := env.Symbols[q.Sym.Name]
		for _, e := range c.entries(q.Sym) {
			at = e.moved(at, 0.1*random.Normal(rng, 0, 1)*e.scale(env.Symbols[q.Sym.Name])/float64(len(c.entries(q.Sym))))
		}
		if env.Symbols[q.Sym.Name] = at; isSimplex(q.Kind) {
			return env, false
		}
	}
	return env, c.violated(l.Conditions, env) < 0
}

// onPath gives the target's parameters on the way to a limit.
func (c *checker) onPath(l *derive.Limit, env *eval.Env, scale float64) {
	env.Set(l.Scale.Name, scale)
	for _, d := range l.Path {
		env.Symbols[d.Sym.Name] = c.shaped(d.Sym.Type, c.valueOf(d.Node, env))
	}
}

// tends reports whether the objective of the target comes close to that of the limit. Far out rounding takes over: what
// counts is the nearest value.
func (c *checker) tends(l *derive.Limit, env *eval.Env) bool {
	want := value(l.Literal, env)
	if !finite(want) {
		return true
	}
	far, least, got, at := math.NaN(), math.Inf(1), math.NaN(), 0.0
	f := c.meanNLL()
	for scale := 10.0; scale < 1e14; scale *= 10 {
		c.onPath(l, env, scale)
		v := value(f, env)
		off := math.Abs(v-want) / (1 + math.Abs(want))
		if scale == 10 {
			far = off
		}
		if off < least {
			least, got, at = off, v, scale
		}
	}
	if least <= 1e-3 && !(least > far) {
		return true
	}
	text := fmt.Sprintf("the target does not tend to the limit %s", l.Spec.Name)
	if finite(got) {
		text += fmt.Sprintf(": of a data set its mean log-likelihood is %.6g at %s = %g, where it is nearest, but that of the limit %.6g",
			-got, spec.LimitScale, at, -want)
	} else {
		text += ": along the path its log-likelihood is no number"
	}
	c.diags.Errorf(l.Spec.LogPDF.Whole(), "%s", text).WithHint("look at path and logpdf of the limit, at %s", c.limitText(l, env))
	return false
}

// comesBack reports whether the way back from the target leads to parameters of the limit of about the density that the way there began at.
func (c *checker) comesBack(l *derive.Limit, env *eval.Env) bool {
	want := value(l.Literal, env)
	if l.From == nil || !finite(want) {
		return true
	}
	began, nearest, at := map[*expr.Node]eval.Value{}, math.NaN(), 0.0
	for _, q := range l.Params {
		began[q.Sym] = env.Symbols[q.Sym.Name]
	}
	restore := func() {
		for sym, v := range began {
			env.Symbols[sym.Name] = v
		}
	}
	for scale := 10.0; scale < 1e14; scale *= 10 {
		c.onPath(l, env, scale)
		back := map[*expr.Node]eval.Value{}
		for _, d := range l.From {
			back[d.Sym] = c.shaped(d.Sym.Type, c.valueOf(d.Node, env))
		}
		for sym, v := range back {
			env.Symbols[sym.Name] = v
		}
		if got := value(l.Literal, env); !(math.Abs(got-want) >= math.Abs(nearest-want)) {
			nearest, at = got, scale
		}
		restore()
	}
	if math.Abs(nearest-want) <= 1e-3*(1+math.Abs(want)) {
		return true
	}
	c.diags.Errorf(l.Spec.From[0].NameSpan, "from leads to another place than path comes from: of a data set the mean log-likelihood of limit %s is %.6g there at "+
		"%s = %g, where it is nearest, but %.6g", l.Spec.Name, -nearest, spec.LimitScale, at, -want).WithHint("look at path and from of the limit, at %s", c.limitText(l, env))
	return false
}

// limitText lists the parameters of a limit.
func (c *checker) limitText(l *derive.Limit, env *eval.Env) string {
	out := ""
	for i, q := range l.Params {
		if i > 0 {
			out += ", "
		}
		out += q.Name + " = " + text(env.Symbols[q.Sym.Name], 4)
	}
	return out
}

// ends reports whether the parameters go where the spec says.
func (c *checker) ends(l *derive.Limit, env *eval.Env) bool {
	const near, far = 1e3, 1e6
	for _, e := range l.Spec.When {
		at := func(scale float64) (size float64, shown eval.Value) {
			c.onPath(l, env, scale)
			for _, d := range l.Path {
				if d.Name == e.Name {
					shown = env.Symbols[d.Sym.Name]
				}
			}
			return distance(shown, e.Value), shown
		}
		before, first := at(near)
		after, then := at(far)
		goes := after <= 0.9*before || after < 1e-9
		if math.IsInf(e.Value, 0) {
			goes = after >= 1.2*before && after > 0
		}
		if !goes {
			c.diags.Errorf(e.NameSpan, "%q does not go to %s: it is %s at %s = %g, and %s at %g",
				e.Name, e.To(), text(first, 4), spec.LimitScale, near, text(then, 4), far)
			return false
		}
	}
	return true
}

// distance is how far a value is from a number, or how far it is out on the way to infinity: a number on the side of its
// sign, of a vector the length, of a matrix the largest entry.
func distance(v eval.Value, to float64) float64 {
	xs := numbers(v)
	if math.IsInf(to, 0) && v.Cores == nil {
		return math.Copysign(1, to) * v.Scalar
	}
	if math.IsInf(to, 0) {
		to = 0
	}
	sum := 0.0
	for _, x := range xs {
		sum += (x - to) * (x - to)
	}
	return math.Sqrt(sum)
}

// limitGradient compares the derived loss of a limit and its gradient with what is written.
func (c *checker) limitGradient(l *derive.Limit, env *eval.Env) bool {
	at := point{known: c.known}
	for _, v := range variables(l.Params) {
		at.vars, at.values = append(at.vars, v), append(at.values, env.Symbols[v.sym.Name])
	}
	if got, want := value(l.Loss, env), value(l.Literal, env); finite(want) && !sameNumber(got, want) {
		c.bug("the derived objective of limit %s is %.12g, but as written it is %.12g, at %v", l.Spec.Name, got, want, at)
		return false
	}
	for k, derived := range c.values(l.Gradient, env) {
		e := estimates{entries: c.entries(at.vars[k].sym)}
		for _, size := range c.scales(at, k, k+1) {
			e.steps = append(e.steps, relativeStep*size)
		}
		c.difference(&e, l.Literal, env)
		if _, sound := c.compare(e, derived, "derived gradient of limit "+l.Spec.Name+": d f/d ", at); !sound {
			return false
		}
	}
	return true
}
