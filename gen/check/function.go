package check

import (
	"math"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/expr/diff"
	"github.com/sngdgen/sngdgen/gen/bind"
)

// functionPoints is the number of points at which a function of one's own is looked at, functionDecades how far they are from 1.
const (
	functionPoints  = 50
	functionDecades = 3
)

// ownFunctions checks functions of one's own in their domains: that they have a value, in the range that they declare, and that their
// derivatives agree with differences.
func (c *checker) ownFunctions() {
	for _, f := range c.p.Functions {
		c.ownFunction(f)
	}
}

// inGo says what cannot be looked at, because a function in Go has no value here.
func (c *checker) inGo() bool {
	for _, f := range c.p.InGo {
		c.diags.Notef(f.Go.Span, "%s is a function in Go, without a value here: gradients and densities were not looked at. The test of the generated "+
			"package compares gradients with differences", f.Name)
	}
	return len(c.p.InGo) > 0
}

func (c *checker) ownFunction(f bind.Function) {
	if f.Value == nil || expr.Find(func(n *expr.Node) bool { return n.Op.InGo() }, f.Value) {
		return
	}
	rng := c.stream("function " + f.Spec.Name)
	vars := variables(f.Arguments)
	slopes, err := f.Slopes, error(nil)
	if slopes == nil {
		slopes, err = diff.Gradient(c.g, f.Value, symbols(vars))
	}
	for range functionPoints {
		p := c.draw(rng, vars, functionDecades, c.one)
		env := p.env()
		v := value(f.Value, env)
		switch {
		case math.IsNaN(v):
			c.diags.Errorf(f.Spec.Value.Whole(), "%s has no value at %v", f.Spec.Name, p).
				WithHint("domain says for which arguments there is one, such as positive or real(0, 1)")
			return
		case finite(v) && !closure(f.Range).Contains(v):
			c.diags.Errorf(f.Spec.RangeSpan, "%s is %.6g at %v: that is not in its range, %v", f.Spec.Name, v, p, f.Range)
			return
		case err != nil || !finite(v):
			continue // there is no derivative, or no difference to compare it with
		}
		for k, sym := range symbols(vars) {
			got := value(slopes[k], env)
			x := math.Abs(env.Symbols[sym.Name].Scalar)
			want, doubt, ok := derivative(f.Value, entry{sym: sym}, relativeStep*x, env)
			size := math.Abs(v)/math.Max(x, relativeStep) + doubt
			switch wrong := ok && !hasKinks(f.Value) && (f.Slopes != nil || finite(got)) && !agree(got, want, size); {
			case wrong && f.Slopes != nil:
				c.diags.Errorf(f.Spec.Derivatives[k].Whole(), "the derivative of %s with respect to %s is %.9g by this formula, but differences of the value give %.9g, at %v",
					f.Spec.Name, vars[k].name, got, want, p).WithHint("mend the formula, or leave derivative out: it follows from the value")
				return
			case wrong:
				c.bug("the derivative of %s with respect to %s is %.9g, but differences give %.9g, at %v", f.Spec.Name, vars[k].name, got, want, p)
				return
			}
		}
	}
}

// closure is a range with its ends, which a value may be rounded to.
func closure(r expr.Range) expr.Range {
	r.LoOpen, r.HiOpen = false, false
	return r
}
