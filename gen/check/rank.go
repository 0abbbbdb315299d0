package check

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/expr/eval"
	"github.com/sngdgen/sngdgen/gen/derive"
	"github.com/sngdgen/sngdgen/internal/diag"
)

const (
	rankPoints = 20
	// rankWork bounds the entries of Jacobians times their rank, at all points.
	rankWork = 500_000_000
	// rankTolerance is the ratio of singular values below which a direction counts as lost.
	rankTolerance = 1e-10
	// rounded is the ratio below which it is called 0: its digits are those of rounding.
	rounded = 1e-14
)

// Reach returns a warning where the map makes more free parameters than it has coordinates, which Check calls an error: the standard errors and
// criteria of a fit are those of parameters that are free.
func Reach(d *derive.Result) diag.List {
	c := newChecker(d)
	for _, lengths := range c.rounds() {
		c.at(lengths)
		if j := c.movable(); !j.enough() {
			c.tooFew(&j, c.diags.Warningf).WithHint("the end may be no optimum of the target, and standard errors, AIC and BIC are those of more parameters than are free: see sngdgen check")
			break
		}
	}
	return c.diags
}

// enough reports whether the map has as many coordinates as it makes free parameters.
func (j *jacobian) enough() bool { return len(j.rows) <= len(j.columns) }

// tooFew says that it has not.
func (c *checker) tooFew(j *jacobian, add func(diag.Span, string, ...any) *diag.Diagnostic) *diag.Diagnostic {
	return add(c.p.Spec.MapSpan, "the map makes %d free parameters of %s from %d%s: it cannot reach all of them",
		len(j.rows)+j.direct, c.targetName(), len(j.columns)+j.direct, c.lengthsText())
}

// rank checks that the map g is a submersion: that its Jacobian has a row rank equal to the number of free parameters of
// the target. Otherwise a critical point of the objective in the surrogate need not be one in the target (So and Turner
// 2024, appendix on validity). Parameters that the map makes of numbers and lengths alone are known, not free.
func (c *checker) rank() {
	j, ok := c.mapJacobian()
	if !ok || len(j.rows) == 0 {
		return
	}
	if !j.enough() {
		c.tooFew(&j, c.diags.Errorf).WithHint("add an auxiliary parameter, or set a parameter of the target to a number")
		return
	}
	points := pointsOf(len(j.rows), len(j.columns))
	if points == 0 {
		c.diags.Notef(c.p.Spec.MapSpan, "that the map loses no direction was not tested: its Jacobian has %d rows and %d columns",
			len(j.rows), len(j.columns))
		return
	}
	rng := c.stream("rank")
	var worst lost
	looked, bad := 0, 0
	for range points {
		p, ok := c.inside(rng, c.d.Surrogate.Conditions, 1)
		if !ok {
			continue
		}
		l, ok := c.lostAt(j, p)
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

// pointsOf is at how many points a Jacobian is decomposed: at fewer where it is large, and at none where one would take too long.
func pointsOf(rows, columns int) int {
	return min(rankPoints, rankWork/(rows*columns*min(rows, columns)))
}

// lengthsText says where the lengths of the dimensions matter.
func (c *checker) lengthsText() string {
	if c.known.dims == "" {
		return ""
	}
	return " (" + strings.TrimSuffix(c.known.dims, ", ") + ")"
}

// jacobian is that of the map.
type jacobian struct {
	push    pushforward
	nodes   []*expr.Node // that make them
	outputs [][]entry    // of the parameters of the target that are not known, and vary
	rows    []entry      // all of them
	params  []int        // the parameter that each row belongs to
	columns []entry      // of the standard and auxiliary parameters
	free    int          // parameters of the target that are not known
	direct  int          // rows that are left out, with as many columns: see direct
}

// mapJacobian differentiates the map; ok is false where it has no derivative.
func (c *checker) mapJacobian() (j jacobian, ok bool) {
	if j = c.movable(); j.free == 0 {
		c.diags.Errorf(c.p.Spec.MapSpan, "the map sets every parameter of %s to a number: nothing is left to fit", c.targetName())
	}
	var err error
	if j.push, err = c.pushforward(j.nodes, symbols(c.free)); err != nil {
		c.diags.Errorf(c.p.Spec.MapSpan, "the map has no derivative: %v", err)
	}
	return j, err == nil
}

// movable lists the entries of the free parameters that the map makes, and the coordinates that it makes them of.
func (c *checker) movable() (j jacobian) {
	direct := c.direct()
	for i, t := range c.p.Map {
		if !expr.Find((*expr.Node).IsSym, t.Node) {
			continue
		}
		j.free++
		rows := c.entries(t.Sym)
		switch kind := c.p.Target.Params[i].Kind; { // the last one follows from the others
		case isSimplex(kind):
			rows = rows[:len(rows)-1]
		case isStochastic(kind): // of every row
			d, _ := c.shape(t.Sym.Type)
			rows = slices.DeleteFunc(rows, func(e entry) bool { return e.j == d-1 })
		case isDirection(kind):
			d, _ := c.shape(t.Sym.Type)
			rows = slices.DeleteFunc(rows, func(e entry) bool { return e.i == d-1 })
		}
		if direct[t.Node] {
			j.direct += len(rows)
			continue
		}
		if len(rows) == 0 {
			continue
		}
		j.nodes, j.outputs, j.rows = append(j.nodes, t.Node), append(j.outputs, rows), append(j.rows, rows...)
		for range rows {
			j.params = append(j.params, i)
		}
	}
	j.columns = c.allEntries(slices.DeleteFunc(symbols(c.free), func(s *expr.Node) bool { return direct[s] }))
	return j
}

// direct are the standard and auxiliary parameters that the map takes as they are for one parameter of the target and for no
// other: their part of the Jacobian is an identity matrix beside the rest, however large it is.
func (c *checker) direct() map[*expr.Node]bool {
	used := map[*expr.Node]int{}
	for _, t := range c.p.Map {
		expr.Walk(func(n *expr.Node) { used[n]++ }, t.Node)
	}
	out := map[*expr.Node]bool{}
	for _, t := range c.p.Map {
		if n := t.Node; used[n] == 1 && slices.Contains(symbols(c.free), n) {
			out[n] = true
		}
	}
	return out
}

// lost is a direction that the map cannot take at a point.
type lost struct {
	ratio float64 // of the smallest singular value to the largest
	names []string
	spans []diag.Span
	at    point
	// coupled says that values of different components, with one name, are tied to each other.
	coupled bool
}

// lostAt decomposes the Jacobian at a point, in units of the parameters on both sides.
func (c *checker) lostAt(j jacobian, p point) (lost, bool) {
	env := p.env()
	m := j.push.at(env, j.outputs, j.columns)
	scales := c.scales(p, 0, len(p.vars))
	theta := make([]eval.Value, len(c.p.Map))
	for i, t := range c.p.Map {
		theta[i] = c.valueOf(t.Node, env)
	}
	m.Apply(func(i, k int, v float64) float64 { return v * scales[k] / j.rows[i].scale(theta[j.params[i]]) }, m)
	var svd mat.SVD
	if !allFinite(m.RawMatrix().Data) || !svd.Factorize(m, mat.SVDThin) {
		return lost{}, false
	}
	s := svd.Values(nil)
	l := lost{at: p}
	if s[0] > 0 {
		l.ratio = s[len(s)-1] / s[0]
	}
	var u mat.Dense
	svd.UTo(&u)
	for i, e := range j.rows {
		if math.Abs(u.At(i, len(s)-1)) <= 1e-3 {
			continue
		}
		t := c.p.Map[j.params[i]]
		l.coupled = l.coupled || mat.Norm(m.RowView(i), 2) > rankTolerance*s[0]
		if name := e.label(derive.Plain(t.Sym.Name)); !slices.Contains(l.names, name) { // which component does not matter
			l.names, l.spans = append(l.names, name), append(l.spans, t.Span)
		}
	}
	return l, true
}

func (c *checker) reportRank(l lost, bad, looked int) {
	if bad == 0 {
		return
	}
	what, add := fmt.Sprintf("%s and %s do not vary independently", strings.Join(l.names[:len(l.names)-1], ", "), l.names[len(l.names)-1]), c.diags.Warningf
	switch {
	case len(l.names) == 1 && l.coupled:
		what = fmt.Sprintf("the %s of the components do not vary independently", l.names[0])
	case len(l.names) == 1:
		what = l.names[0] + " does not vary"
	}
	where := fmt.Sprintf("at %d of %d points, such as %v", bad, looked, l.at)
	if bad == looked {
		where, add = "anywhere", c.diags.Errorf
	}
	if l.ratio < rounded {
		l.ratio = 0
	}
	span := l.spans[0]
	add(span, "the map loses a direction: %s %s (ratio of singular values %.2g)", what, where, l.ratio).
		WithHint("the map must be a submersion: each free parameter of %s must be free to move by itself", c.targetName())
}
