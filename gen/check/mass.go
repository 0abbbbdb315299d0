package check

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/expr/eval"
	"github.com/sngdgen/sngdgen/internal/diag"
)

const (
	massPoints = 6
	// massTolerance is how far from 1 the total mass may be found.
	massTolerance = 1e-4
	// massError is the error of a sum or an integral that counts as converged.
	massError = 1e-6
)

// density is what is checked for a total mass of 1.
type density struct {
	what, part string
	span       diag.Span
	logPDF     *expr.Node
	x          *expr.Node
	kind       expr.Kind
	params     []variable
	known      *known
}

// mass checks that a density sums or integrates to 1 at random parameters, once it is one of a single number: vectors
// may be of length 1.
func (c *checker) mass(d density) {
	if rows, columns := c.shape(d.x.Type); rows*columns > 1 || c.weighed[d.what] || !d.univariate() {
		return
	}
	c.weighed[d.what] = true
	rng := c.stream("mass of " + d.what)
	verified := 0
	for range massPoints {
		p := c.draw(rng, d.params, 1, d.known)
		m, ok := d.total(p)
		if m > 1+massTolerance || ok && m < 1-massTolerance {
			c.wrongMass(d, p, m, ok)
			c.improper[d.what] = true
			return
		}
		if ok {
			verified++
		}
	}
	if verified == 0 {
		c.diags.Warningf(d.span, "could not verify that %s has total mass 1", d.what).
			WithHint("the sum or integral did not converge at any of %d points", massPoints)
	}
}

// univariate reports whether an observation of one entry may be any number of a range: that of a simplex is 1.
func (d density) univariate() bool {
	return !isSimplex(d.kind) && d.kind.Structure&(expr.UnitDiagonal|expr.LowerTriangular) == 0
}

// wrongMass reports a total that is not 1, or a part of it that is more already.
func (c *checker) wrongMass(d density, p point, m float64, whole bool) {
	if !whole {
		c.diags.Errorf(d.span, "%s is not a density: its total mass is infinite or at least %.6g at %v", d.what, m, p).
			WithHint("look at %s", d.part)
		return
	}
	by := "large"
	if m < 1 {
		by = "small"
	}
	c.diags.Errorf(d.span, "%s is not a density: its total mass is %.6g at %v", d.what, m, p).
		WithHint("its logarithm is too %s by %.6g there: look at %s", by, math.Abs(math.Log(m)), d.part)
}

// total is the mass at a point. Where it does not converge, ok is false and m is a lower bound: no part is negative.
func (d density) total(p point) (m float64, ok bool) {
	f := d.logAt(p)
	r := d.kind.Range
	if d.kind.Structure&expr.PositiveDefinite != 0 {
		r = expr.Positive
	}
	switch {
	case d.kind.Integer && !math.IsInf(r.Hi, 1):
		return sumUpTo(f, r.Lo, r.Hi)
	case d.kind.Integer:
		return series(f, r.Lo)
	default:
		return integral(f, chartOf(r))
	}
}

// logAt is the log-density as a function of several observations.
func (d density) logAt(p point) logFunc {
	return func(xs []float64) ([]float64, bool) {
		env := p.env()
		d.bind(env, xs)
		v, err := eval.All([]*expr.Node{d.logPDF}, env)
		if err != nil {
			return nil, false
		}
		logs := component(v[0], 0) // of the family of a mixture model there is one component
		if logs.Rows == nil {      // does not depend on the observation
			out := make([]float64, len(xs))
			for i := range out {
				out[i] = logs.Scalar
			}
			return out, true
		}
		return logs.Rows, true
	}
}

// bind gives an environment observations of one number each.
func (d density) bind(env *eval.Env, xs []float64) {
	env.Bind(d.x.Name, xs, nil)
	if d.x.Type.Rank == 0 {
		return
	}
	rows := make([]*mat.Dense, len(xs))
	for i, x := range xs {
		rows[i] = mat.NewDense(1, 1, []float64{x})
	}
	env.Symbols[d.x.Name] = eval.CoreRows(rows)
}

// logFunc gives the logarithms of a function at several places; ok is false when it cannot be evaluated.
type logFunc func(xs []float64) (logs []float64, ok bool)

// sumUpTo sums over a few whole numbers.
func sumUpTo(f logFunc, lo, hi float64) (float64, bool) {
	var xs []float64
	for x := lo; x <= hi; x++ {
		xs = append(xs, x)
	}
	return sumExp(f, xs)
}

func sumExp(f logFunc, xs []float64) (float64, bool) {
	logs, ok := f(xs)
	sum := 0.0
	for _, l := range logs {
		sum += math.Exp(l)
	}
	return sum, ok && !math.IsNaN(sum)
}

// maxTerm is where the sum of a series is given up.
const maxTerm = 1 << 15

// series sums from lo on, in blocks of doubling length. A block at whose end the terms fall at least geometrically has a
// tail of at most last/(1 - ratio).
func series(f logFunc, lo float64) (float64, bool) {
	total := 0.0
	for from, n := lo, 64.0; from < maxTerm; from, n = from+n, 2*n {
		logs, ok := f(whole(from, int(n)))
		if !ok {
			return 0, false
		}
		for _, l := range logs {
			total += math.Exp(l)
		}
		if math.IsNaN(total) {
			return 0, false
		}
		if total > 1e6 { // enough to know
			return total, false
		}
		last := len(logs) - 1
		ratio := math.Exp(logs[last] - logs[last-1])
		if total > 0 && ratio < 1 && math.Exp(logs[last])*ratio/(1-ratio) < massError*total {
			return total, true
		}
	}
	return total, false
}

func whole(from float64, n int) []float64 {
	xs := make([]float64, n)
	for i := range xs {
		xs[i] = from + float64(i)
	}
	return xs
}
