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

func (c *checker) ownFunction(f bind.Function) {
	rng := c.stream("function " + f.Spec.Name)
	vars := variables(f.Arguments)
	slopes, err := diff.Gradient(c.g, f.Value, symbols(vars))
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
			if ok && finite(got) && !hasKinks(f.Value) && !agree(got, want, math.Abs(v)/math.Max(x, relativeStep)+doubt) {
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
