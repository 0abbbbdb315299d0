package check

import (
	"fmt"
	"math"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/expr/diff"
	"github.com/sngdgen/sngdgen/expr/eval"
)

const (
	gradientPoints = 3
	// gradientTolerance is the relative difference between a derivative and its estimate that is put down to rounding.
	gradientTolerance = 1e-6
	// relativeStep is the longest step of the differences, in units of what it changes.
	relativeStep = 0.02
)

// gradients compares the objective and both its gradients with the composition as written, in the interpreter.
func (c *checker) gradients() {
	rng := c.stream("gradients")
	verified := 0
	for range gradientPoints {
		p, ok := c.inside(rng, c.d.Surrogate.Conditions, 0.7)
		if !ok {
			continue
		}
		env := c.envOn(p, c.data(rng, &p))
		n, sound := c.gradientsAt(p, env)
		verified += n
		if !sound {
			return
		}
	}
	if verified == 0 {
		c.diags.Warningf(c.p.Spec.PackageSpan, "the derived gradients could not be verified")
	}
}

// system is the objective in one system of coordinates.
type system struct {
	name    string
	f       *expr.Node   // as written
	syms    []*expr.Node // of the coordinates, without auxiliary parameters
	ofStd   []*expr.Node
	derived []*expr.Node // the gradient, with auxiliary parameters
	metric  bool         // the gradient with respect to auxiliary parameters is divided by their metric
	what    string
}

func (c *checker) systems() []system {
	s := &c.d.Surrogate
	var stepped []*expr.Node
	for _, x := range s.Coords {
		if !x.Auxiliary {
			stepped = append(stepped, x.Sym)
		}
	}
	return []system{
		{name: "stepped", f: s.Literal, syms: stepped, ofStd: s.SteppedOf, derived: s.Covector, what: "gradient"},
		{name: "dual", f: s.LiteralDual, syms: s.Dual, ofStd: s.DualOf, derived: s.Natural, metric: true, what: "natural gradient"},
	}
}

// gradientsAt compares at one point. It returns how many derivatives could be verified, and false when one is wrong.
func (c *checker) gradientsAt(p point, env *eval.Env) (verified int, sound bool) {
	for _, s := range c.systems() {
		if !c.sameLoss(s, p, env) {
			return verified, false
		}
		steps, ok := c.steps(s, p, env)
		if !ok {
			continue
		}
		derived := values(s.derived, env)
		for i, h := range steps {
			sym, factor := c.coordinate(s, i, env)
			want, doubt, ok := derivative(s.f, sym, h, env)
			if want *= factor; !ok || !finite(want) {
				continue
			}
			verified++
			if floor := math.Abs(factor*value(s.f, env))/h*relativeStep + doubt*math.Abs(factor); !agree(derived[i], want, floor) {
				c.wrongDerivative(fmt.Sprintf("derived %s: d f/d %s", s.what, sym.Name), derived[i], want, p)
				return verified, false
			}
		}
	}
	return verified, true
}

// wrongDerivative reports what is in the first place a fault of the generator, not of the spec. Where formulas have kinks
// the differences may be what is wrong.
func (c *checker) wrongDerivative(what string, got, want float64, p point) {
	const format = "%s is %.9g, but differences of the objective give %.9g, at %v"
	if hasKinks(c.d.Surrogate.Literal) {
		c.diags.Warningf(c.p.Spec.PackageSpan, format, what, got, want, p).
			WithHint("the formulas have kinks, which may lie between the points of the differences")
		return
	}
	c.diags.Errorf(c.p.Spec.PackageSpan, format, what, got, want, p).WithHint("this is a bug of sngdgen: please report it")
}

// hasKinks reports whether some function in a formula has a derivative with steps.
func hasKinks(n *expr.Node) bool {
	found := false
	expr.Walk(func(m *expr.Node) {
		for _, partial := range m.Op.Partials {
			found = found || strings.Contains(partial, "sign(") || strings.Contains(partial, "less(")
		}
	}, n)
	return found
}

// sameLoss compares the objective after rewriting with the one as written.
func (c *checker) sameLoss(s system, p point, env *eval.Env) bool {
	got, want := value(c.d.Surrogate.Loss, env), value(s.f, env)
	if !finite(want) || math.Abs(got-want) <= 1e-8*math.Max(1, math.Abs(want)) {
		return true
	}
	c.diags.Errorf(c.p.Spec.PackageSpan, "the derived objective is %.12g, but as written in the %s coordinates it is %.12g, at %v",
		got, s.name, want, p).WithHint("this is a bug of sngdgen: please report it")
	return false
}

// coordinate is the symbol of a coordinate, and the factor of its derivative.
func (c *checker) coordinate(s system, i int, env *eval.Env) (*expr.Node, float64) {
	if i < len(s.syms) {
		return s.syms[i], 1
	}
	a := c.p.Auxiliary[i-len(s.syms)]
	if s.metric && a.Metric != nil {
		return a.Sym, 1 / value(a.Metric, env)
	}
	return a.Sym, 1
}

// steps are lengths of differences in each coordinate that change no standard parameter by more than a small part of
// its scale: the coordinates may live on a thin curved strip, as the mean parameters of a gamma distribution do.
func (c *checker) steps(s system, p point, env *eval.Env) ([]float64, bool) {
	std := c.d.Family.Std
	jacobian, err := diff.Jacobian(c.g, s.ofStd, std)
	if err != nil {
		return nil, false
	}
	m := mat.NewDense(len(std), len(std), nil)
	for i, row := range jacobian {
		m.SetRow(i, values(row, env))
	}
	var inverse mat.Dense
	if !allFinite(m.RawMatrix().Data) || inverse.Inverse(m) != nil {
		return nil, false
	}
	var out []float64
	for i := range s.syms {
		rate := 0.0
		for j, sym := range std {
			rate = math.Max(rate, math.Abs(inverse.At(j, i))/scale(sym, p.values[j]))
		}
		out = append(out, relativeStep/rate)
	}
	for k := range c.p.Auxiliary {
		j := len(std) + k
		out = append(out, relativeStep*scale(c.free[j].sym, p.values[j]))
	}
	return out, allFinite(out)
}

// derivative is the derivative of a node with respect to a symbol by central differences, extrapolated to step zero
// (Romberg). ok is false where the extrapolation does not settle; doubt is how far it has not, as a floor for agree.
func derivative(f, sym *expr.Node, h float64, env *eval.Env) (d, doubt float64, ok bool) {
	at := env.Symbols[sym.Name]
	defer func() { env.Symbols[sym.Name] = at }()
	return differences(h, func(step float64) float64 {
		env.Set(sym.Name, at.Scalar+step)
		return value(f, env)
	})
}

// levels is how often the step of the differences is halved.
const levels = 3

func differences(h float64, f func(step float64) float64) (d, doubt float64, ok bool) {
	var last []float64
	for level := range levels {
		row := []float64{(f(h) - f(-h)) / (2 * h)}
		for k, power := 0, 4.0; k < level; k, power = k+1, 4*power {
			row = append(row, row[k]+(row[k]-last[k])/(power-1))
		}
		last, h = row, h/2
	}
	best, before := last[levels-1], last[levels-2]
	off := math.Abs(best - before)
	return best, off / floorTolerance, finite(best) && off <= 1e-4*math.Max(math.Abs(best), math.Abs(last[0]))
}

// agree compares a derivative with its estimate. floor is the size of derivative that the rounding of the objective could
// be confused with, divided by floorTolerance.
func agree(got, want, floor float64) bool {
	size := math.Max(math.Abs(got), math.Abs(want))
	return math.Abs(got-want) <= gradientTolerance*size+floorTolerance*floor
}

const floorTolerance = 1e-9

// unconstrained compares the derivatives in unconstrained coordinates, which the baseline methods use.
func (c *checker) unconstrained() {
	rng := c.stream("unconstrained")
	u := &c.d.Unconstrained
	for range gradientPoints {
		p := c.draw(rng, variables(c.p.Target.Params), 0.7)
		env := p.env()
		for _, t := range c.p.Map { // the known parameters
			if v, known := t.Node.IsConst(); known {
				env.Set(t.Sym.Name, v)
			}
		}
		c.bind(env, c.data(rng, nil))
		for k, v := range values(u.Inverse, env) {
			env.Set(u.Coords[k].Name, v)
		}
		gradient := values(u.Gradient, env)
		for k, sym := range u.Coords {
			if !c.unconstrainedAt(k, sym, gradient[k], p, env) {
				return
			}
		}
	}
}

// unconstrainedAt compares one entry of the gradient, and one row of the matrix of second derivatives.
func (c *checker) unconstrainedAt(k int, sym *expr.Node, got float64, p point, env *eval.Env) bool {
	u := &c.d.Unconstrained
	along := func(f *expr.Node) (d, doubt float64, ok bool) {
		return differences(relativeStep, func(step float64) float64 {
			at := env.Symbols[sym.Name]
			env.Set(sym.Name, at.Scalar+step)
			v := value(f, c.atTheta(env))
			env.Symbols[sym.Name] = at
			return v
		})
	}
	f := c.meanNLL()
	floor := math.Abs(value(f, env))
	if want, doubt, ok := along(f); ok && !agree(got, want, floor+doubt) {
		c.wrongDerivative("derived gradient in unconstrained coordinates: d f/d "+sym.Name, got, want, p)
		return false
	}
	if u.Hessian == nil { // a second derivative is not available
		return true
	}
	for j, second := range values(u.Hessian[k], env) {
		if want, doubt, ok := along(u.Gradient[j]); ok && !agree(second, want, 1+floor+doubt) {
			c.wrongDerivative(fmt.Sprintf("derived second derivative: d^2 f/d %s d %s", sym.Name, u.Coords[j].Name), second, want, p)
			return false
		}
	}
	return true
}

// atTheta is an environment with the parameters of the target computed from the unconstrained coordinates.
func (c *checker) atTheta(env *eval.Env) *eval.Env {
	out := &eval.Env{Symbols: map[string]eval.Value{}, Weights: env.Weights}
	for name, v := range env.Symbols {
		out.Symbols[name] = v
	}
	for _, t := range c.d.Unconstrained.Theta {
		out.Set(t.Sym.Name, value(t.Node, env))
	}
	return out
}

// meanNLL is the objective as written, in the parameters of the target.
func (c *checker) meanNLL() *expr.Node {
	return c.g.Neg(c.g.Div(c.g.Sum(expr.Rows, c.p.Target.LogPDF), c.g.Size(expr.Rows)))
}
