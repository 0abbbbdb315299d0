package check

import (
	"fmt"
	"math"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/expr/diff"
	"github.com/sngdgen/sngdgen/gen/derive"
	"github.com/sngdgen/sngdgen/internal/diag"
)

const (
	rankPoints = 20
	// rankTolerance is the ratio of singular values below which a direction counts as lost.
	rankTolerance = 1e-10
)

// rank checks that the map g is a submersion: that its Jacobian has a row rank equal to the number of free parameters of
// the target. Otherwise a critical point of the objective in the surrogate need not be one in the target (So and Turner
// 2024, appendix on validity). Parameters that the map sets to a number are known, not free.
func (c *checker) rank() {
	free, indices := c.freeTheta()
	if len(free) == 0 {
		c.diags.Errorf(c.p.Spec.MapSpan, "the map sets every parameter of %s to a number: nothing is left to fit", c.p.Target.Name)
		return
	}
	if len(free) > len(c.free) {
		c.diags.Errorf(c.p.Spec.MapSpan, "the map makes %d free parameters of %s from %d: it cannot reach all of them",
			len(free), c.p.Target.Name, len(c.free)).
			WithHint("add an auxiliary parameter, or set a parameter of the target to a number")
		return
	}
	jacobian, err := diff.Jacobian(c.g, free, c.symbols())
	if err != nil {
		c.diags.Errorf(c.p.Spec.MapSpan, "the map has no derivative: %v", err)
		return
	}
	rng := c.stream("rank")
	var worst lost
	looked, bad := 0, 0
	for range rankPoints {
		p, ok := c.inside(rng, c.d.Surrogate.Conditions, 1)
		if !ok {
			continue
		}
		l, ok := c.lostAt(jacobian, indices, p)
		if !ok {
			continue
		}
		looked++
		if l.ratio < rankTolerance {
			bad, worst = bad+1, l
		}
	}
	c.reportRank(worst, bad, looked)
}

// freeTheta are the nodes of the map that are no numbers, and which parameters they are.
func (c *checker) freeTheta() (nodes []*expr.Node, indices []int) {
	for i, t := range c.p.Map {
		if _, known := t.Node.IsConst(); !known {
			nodes, indices = append(nodes, t.Node), append(indices, i)
		}
	}
	return nodes, indices
}

func (c *checker) symbols() []*expr.Node {
	out := make([]*expr.Node, len(c.free))
	for i, v := range c.free {
		out[i] = v.sym
	}
	return out
}

// lost is a direction that the map cannot take at a point.
type lost struct {
	ratio float64 // of the smallest singular value to the largest
	names []string
	spans []diag.Span
	at    point
}

// lostAt decomposes the Jacobian at a point, in units of the parameters on both sides.
func (c *checker) lostAt(jacobian [][]*expr.Node, indices []int, p point) (lost, bool) {
	env := p.env()
	m := mat.NewDense(len(jacobian), len(c.free), nil)
	for i, row := range jacobian {
		t := c.p.Map[indices[i]]
		unit := scale(t.Sym, value(t.Node, env))
		for j, v := range values(row, env) {
			if v = v * scale(c.free[j].sym, p.values[j]) / unit; !finite(v) {
				return lost{}, false
			}
			m.Set(i, j, v)
		}
	}
	var svd mat.SVD
	if !svd.Factorize(m, mat.SVDThin) {
		return lost{}, false
	}
	s := svd.Values(nil)
	l := lost{at: p}
	if s[0] > 0 {
		l.ratio = s[len(s)-1] / s[0]
	}
	var u mat.Dense
	svd.UTo(&u)
	for i := range jacobian {
		if math.Abs(u.At(i, len(s)-1)) > 1e-3 {
			t := c.p.Map[indices[i]]
			l.names, l.spans = append(l.names, derive.Plain(t.Sym.Name)), append(l.spans, t.Span)
		}
	}
	return l, true
}

// scale is the size of a change that matters for a parameter at a value: its distance from the nearest end of its range.
func scale(sym *expr.Node, v float64) float64 {
	r := sym.Facts.Range
	s := math.Min(v-r.Lo, r.Hi-v)
	if math.IsInf(s, 1) {
		return math.Max(1, math.Abs(v))
	}
	return s
}

func (c *checker) reportRank(l lost, bad, looked int) {
	if bad == 0 {
		return
	}
	what, add := fmt.Sprintf("%s and %s do not vary independently", strings.Join(l.names[:len(l.names)-1], ", "), l.names[len(l.names)-1]), c.diags.Warningf
	if len(l.names) == 1 {
		what = l.names[0] + " does not vary"
	}
	where := fmt.Sprintf("at %d of %d points, such as %v", bad, looked, l.at)
	if bad == looked {
		where, add = "anywhere", c.diags.Errorf
	}
	span := l.spans[0]
	add(span, "the map loses a direction: %s %s (ratio of singular values %.2g)", what, where, l.ratio).
		WithHint("the map must be a submersion: each free parameter of %s must be free to move by itself", c.p.Target.Name)
}
