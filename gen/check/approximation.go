package check

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/expr/eval"
	"github.com/sngdgen/sngdgen/gen/bind"
	"github.com/sngdgen/sngdgen/gen/derive"
	"github.com/sngdgen/sngdgen/internal/diag"
)

// approximationPoints is the number of points at which integrals and series are looked at; largestError is what the estimate of their
// error, as a share of the sum of the absolute values of their terms, may be at most.
const (
	approximationPoints = 40
	largestError        = 1e-6
)

// approximations estimates the errors of integrals and series, by rules with more nodes.
func (c *checker) approximations() {
	worst, order := map[diag.Span]shortfall{}, []diag.Span(nil)
	for _, a := range c.p.Approximations {
		if _, again := worst[a.Span]; !again {
			order = append(order, a.Span)
		}
		worst[a.Span] = larger(worst[a.Span], c.shortfall(a))
	}
	for _, span := range order {
		switch w := worst[span]; {
		case w.points == 0:
			c.diags.Errorf(span, "this %s has no value at any of %d points", w.what, approximationPoints)
		case w.error > largestError:
			c.diags.Errorf(span, "the error of this %s is estimated at %.2g of it, at %v", w.what, w.error, w.at).WithHint("%s", hints[w.what])
		case c.last:
			c.diags.Notef(span, "the error of this %s is estimated at %.2g of it, at most, at %d points", w.what, math.Max(w.error, 0x1p-52), w.points)
		}
	}
}

var hints = map[string]string{
	"integral": "a third operand asks for more nodes, integral(u in (a, b), f, 4) for 4 times as many; they are closest near 0 and finite ends, so that " +
		"what lies far away and is narrow is better integrated over v where u = m + s*v, and what has jumps from one to the next",
	"series": "it is the sum of 200 terms: take out what decays slowly, or write it as an integral",
}

// shortfall is the largest error that was seen, and where.
type shortfall struct {
	what   string
	error  float64
	at     point
	points int
}

func larger(x, y shortfall) shortfall {
	if y.points > 0 && (x.points == 0 || y.error > x.error) {
		x.error, x.at = y.error, y.at
	}
	x.what, x.points = y.what, x.points+y.points
	return x
}

// shortfall looks at one integral or series.
func (c *checker) shortfall(a bind.Approximation) shortfall {
	rng := c.stream("approximation")
	out := shortfall{what: a.What}
	finer := a.Finer()
	for range approximationPoints {
		p, env := c.someValues(rng, a.Terms, finer)
		rows := c.rowwise(a.Terms)
		sums, _ := c.sums(a.Terms, env)
		better, sizes := c.sums(finer, env)
		for i, s := range sums {
			if !finite(better[i]) || sizes[i] == 0 {
				continue
			}
			e := math.Abs(s-better[i]) / sizes[i]
			if !finite(s) {
				e = math.Inf(1)
			}
			out = larger(out, shortfall{what: a.What, error: e, at: atRow(p, rows, env, i), points: 1})
		}
	}
	return out
}

// rowwise are the columns of the data that terms depend on.
func (c *checker) rowwise(terms *expr.Node) []bind.Param {
	return slices.DeleteFunc(c.p.Target.Record(), func(q bind.Param) bool { return !expr.Depends(terms, q.Sym) })
}

// atRow adds the row of numbers to a point.
func atRow(p point, columns []bind.Param, env *eval.Env, row int) point {
	p.vars, p.values = slices.Clip(p.vars), slices.Clip(p.values)
	for _, q := range columns {
		if v := env.Symbols[q.Sym.Name]; row < len(v.Rows) {
			p.vars = append(p.vars, variables([]bind.Param{q})...)
			p.values = append(p.values, eval.Value{Scalar: v.Rows[row]})
		}
	}
	return p
}

// someValues draws values for what terms depend on: parameters within the domain, and the target's as the map has them.
func (c *checker) someValues(rng *rand.Rand, of ...*expr.Node) (point, *eval.Env) {
	p, ok := c.inside(rng, c.d.Surrogate.Conditions, 1)
	env := eval.Scalars(nil)
	if ok {
		env = c.envOn(p, c.data(rng, &p))
		for _, t := range c.p.Map {
			env.Symbols[t.Sym.Name] = c.valueOf(t.Node, env)
		}
	}
	p.vars, p.values = slices.Clip(p.vars), slices.Clip(p.values)
	expr.Walk(func(n *expr.Node) {
		if _, known := env.Symbols[n.Name]; known || !n.IsSym() {
			return
		}
		v := variable{sym: n, name: derive.Plain(n.Name), kind: expr.Kind{Facts: n.Facts}}
		one := c.draw(rng, []variable{v}, 1, c.one)
		env.Symbols[n.Name] = one.values[0]
		p.vars, p.values, p.known = append(p.vars, v), append(p.values, one.values[0]), one.known
	}, of...)
	return p, env
}

// sums are the sums of terms, and of their absolute values, in every row.
func (c *checker) sums(terms *expr.Node, env *eval.Env) (sums, sizes []float64) {
	v := c.valueOf(terms, env)
	for _, m := range v.Cores {
		sum, size := 0.0, 0.0
		for _, x := range m.RawMatrix().Data {
			sum, size = sum+x, size+math.Abs(x)
		}
		sums, sizes = append(sums, sum), append(sizes, size)
	}
	for _, one := range v.Components {
		for _, m := range one.Cores {
			sum, size := 0.0, 0.0
			for _, x := range m.RawMatrix().Data {
				sum, size = sum+x, size+math.Abs(x)
			}
			sums, sizes = append(sums, sum), append(sizes, size)
		}
	}
	return sums, sizes
}
