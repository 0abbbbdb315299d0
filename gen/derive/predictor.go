package derive

import (
	"cmp"
	"slices"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/expr/diff"
)

// Predictor is a part of the log-density of a model that sees the latent variables through one number, which is linear in them:
// h(s) with s = sum_j dot(a_j, z_j), as the likelihood of every row of a generalised linear model (McCullagh and Nelder 1989). So
// its expectation under a distribution of the latent variables is an integral over the distribution of one number.
type Predictor struct {
	// S stands for s in H, the function h of s and of what is no latent variable. They vary over the rows where ByRow is true:
	// the part is then the sum of H over these, and H itself where there are none.
	S, H  *expr.Node
	ByRow bool
	// Coefs are the a_j, in the shapes of the latent variables, nil for those that s does not depend on.
	Coefs []*expr.Node
}

// Predictors splits the log-density of a model, a number, into parts that see one linear predictor each, one part a predictor,
// and the rest: what does not depend on the latent variables, and what sees them in another way.
func Predictors(g *expr.Graph, density *expr.Node, latent []*expr.Node) (seen []Predictor, rest *expr.Node) {
	p := predictors{g: g, latent: latent}
	rest = g.Const(0)
	for _, term := range p.terms(density) {
		h, byRow := p.ofRow(term)
		if !expr.Depends(term, latent...) || h == nil || !p.take(h, byRow) {
			rest = g.Add(rest, term)
		}
	}
	return p.seen, rest
}

type predictors struct {
	g      *expr.Graph
	latent []*expr.Node
	seen   []Predictor
}

// terms are what a density adds up, with the factors of sums multiplied out.
func (p *predictors) terms(n *expr.Node) []*expr.Node {
	if n.Op == expr.Prod {
		for i, a := range n.Args {
			factor := p.g.Prod(without(n.Coefs, i), without(n.Args, i))
			if a.Op != expr.Lin || n.Coefs[i] != 1 || expr.Depends(factor, p.latent...) {
				continue
			}
			var out []*expr.Node
			for _, term := range p.g.Terms(a) {
				out = append(out, p.terms(p.g.Mul(factor, term))...)
			}
			return out
		}
	}
	if n.Op != expr.Lin {
		return []*expr.Node{n}
	}
	var out []*expr.Node
	if n.Const != 0 {
		out = append(out, p.g.Const(n.Const))
	}
	for i, a := range n.Args {
		for _, term := range p.terms(a) {
			out = append(out, p.g.Scale(n.Coefs[i], term))
		}
	}
	return out
}

func without[T any](list []T, i int) []T { return slices.Delete(slices.Clone(list), i, i+1) }

// ofRow is what a term sums over the rows, with the factors of the sum; the term itself where it is no sum over the rows. Nil
// where it is one in another way.
func (p *predictors) ofRow(n *expr.Node) (h *expr.Node, byRow bool) {
	switch {
	case n.Op == expr.Sum && n.Axis == expr.Rows:
		return n.Args[0], true
	case n.Op == expr.Lin && len(n.Args) == 1 && n.Const == 0:
		if h, byRow = p.ofRow(n.Args[0]); h == nil {
			return nil, false
		}
		return p.g.Scale(n.Coefs[0], h), byRow
	case n.Op == expr.Prod:
		for i, a := range n.Args {
			if a.Op == expr.Sum && a.Axis == expr.Rows && n.Coefs[i] == 1 && expr.Depends(a, p.latent...) {
				return p.g.Mul(p.g.Prod(without(n.Coefs, i), without(n.Args, i)), a.Args[0]), true
			}
		}
	}
	return n, false
}

// take adds a term to the part with its predictor; false where it sees the latent variables through more than one number.
func (p *predictors) take(h *expr.Node, byRow bool) bool {
	var parts []*expr.Node
	if _, ok := p.inAffine(h, func(n *expr.Node) *expr.Node { parts = append(parts, n); return n }); !ok {
		return false
	}
	for i := range p.seen {
		if q := &p.seen[i]; q.ByRow == byRow && p.byPredictor(q, h, parts) {
			return true
		}
	}
	for _, base := range parts {
		q := Predictor{ByRow: byRow, H: p.g.Const(0), Coefs: p.withoutFactor(p.slopes(base))}
		axes := expr.Axes(0)
		if byRow {
			axes = expr.Rows
		}
		q.S = p.g.Fresh("predictor", expr.Scalar.Over(axes), expr.Unknown)
		if p.byPredictor(&q, h, parts) {
			p.seen = append(p.seen, q)
			return true
		}
	}
	return false
}

// byPredictor adds a term, in which the latent variables stand in some affine numbers, to a part; false where they are no functions
// of its predictor.
func (p *predictors) byPredictor(q *Predictor, h *expr.Node, affine []*expr.Node) bool {
	by := map[*expr.Node]*expr.Node{}
	for _, n := range affine {
		c, ok := p.ratio(p.slopes(n), q.Coefs)
		if !ok {
			return false
		}
		by[n] = p.g.Add(p.g.Mul(c, q.S), p.atZero(n))
	}
	h, _ = p.inAffine(h, func(n *expr.Node) *expr.Node { return by[n] })
	q.H = p.g.Add(q.H, h)
	return true
}

// atZero is an affine number where the latent variables are 0.
func (p *predictors) atZero(n *expr.Node) *expr.Node {
	by := map[*expr.Node]*expr.Node{}
	for _, z := range p.latent {
		by[z] = p.g.Const(0)
	}
	return p.g.Substitute(n, by)
}

// slopes are the derivatives of a number by the latent variables, nil for those that it does not depend on. Nil as a whole where
// one is no function of the data alone: the number is not affine.
func (p *predictors) slopes(n *expr.Node) []*expr.Node {
	overRows := func(a *expr.Node) bool { return a.Axis != 0 && expr.Depends(a, p.latent...) }
	if n.Type.Axes != 0 && expr.Find(overRows, n) {
		return nil
	}
	out := make([]*expr.Node, len(p.latent))
	for i, z := range p.latent {
		if !expr.Depends(n, z) {
			continue
		}
		// The derivative by what is the same for all rows would be a sum over these: it is taken by what varies over them.
		own := p.g.Sym("slope."+n.Type.Axes.String()+"."+z.Name, z.Type.Over(n.Type.Axes), expr.Unknown)
		slope, err := diff.Gradient(p.g, p.g.Substitute(n, map[*expr.Node]*expr.Node{z: own}), []*expr.Node{own})
		if err != nil || expr.Depends(slope[0], append([]*expr.Node{own}, p.latent...)...) {
			return nil
		}
		if !slope[0].Is(0) {
			out[i] = slope[0]
		}
	}
	return out
}

// scaledSlopes are the slopes of a number without a factor that all of them have, and the factor; ok is false where it is not affine.
func (p *predictors) scaledSlopes(n *expr.Node) (scale *expr.Node, coefs []*expr.Node, ok bool) {
	if !p.affine(n) {
		return nil, nil, false
	}
	slopes := p.slopes(n)
	coefs = p.withoutFactor(slopes)
	scale, ok = p.ratio(slopes, coefs)
	return scale, coefs, ok
}

// withoutFactor are slopes without a factor that all of them have: those of y*(b + dot(x, z)) become those of b + dot(x, z).
func (p *predictors) withoutFactor(slopes []*expr.Node) []*expr.Node {
	out := make([]*expr.Node, len(slopes))
	var factor *expr.Node
	for i, a := range slopes {
		if a == nil {
			continue
		}
		out[i] = p.g.Const(0)
		for _, term := range p.multiples(a) {
			factor = cmp.Or(factor, term.scalar)
			q, ok := p.quotient(term.scalar, factor)
			if !ok {
				return slopes
			}
			out[i] = p.g.Add(out[i], p.g.Mul(q, term.core))
		}
	}
	return out
}

// ratio is the number c with x = c*y, for slopes.
func (p *predictors) ratio(x, y []*expr.Node) (c *expr.Node, ok bool) {
	for i := range x {
		if x[i] == nil && y[i] == nil {
			continue
		}
		if x[i] == nil || y[i] == nil {
			return nil, false
		}
		tx, ty := p.multiples(x[i]), p.multiples(y[i])
		if len(tx) != len(ty) {
			return nil, false
		}
		for _, a := range tx {
			k := slices.IndexFunc(ty, func(b multiple) bool { return a.core == b.core })
			if k < 0 {
				return nil, false
			}
			q, ok := p.quotient(a.scalar, ty[k].scalar)
			if !ok || c != nil && q != c {
				return nil, false
			}
			c = q
		}
	}
	return c, c != nil
}

// multiple is a number times a vector or matrix, of which there are several in a slope where rows name several entries: of b[1] + t*b[2]
// the vectors that are 1 at one entry.
type multiple struct{ scalar, core *expr.Node }

// multiples are what a slope adds up, with the scalars of each vector or matrix together; a number is all scalar.
func (p *predictors) multiples(n *expr.Node) (out []multiple) {
	if n.Type.Rank == 0 {
		return []multiple{{n, p.g.Const(1)}}
	}
	for _, term := range p.g.Terms(n) {
		scalar, core := p.g.Bare(term)
		parts := []multiple{{p.g.Const(1), core}}
		if core.Op == expr.Lin && core.Const == 0 && core != n {
			parts = p.multiples(core)
		}
		for _, q := range parts {
			s := p.g.Mul(scalar, q.scalar)
			if k := slices.IndexFunc(out, func(o multiple) bool { return o.core == q.core }); k >= 0 {
				out[k].scalar = p.g.Add(out[k].scalar, s)
			} else {
				out = append(out, multiple{s, q.core})
			}
		}
	}
	return out
}

// quotient is the number q with x = q*y, as an identity that holds where y is 0 too.
func (p *predictors) quotient(x, y *expr.Node) (q *expr.Node, ok bool) {
	if x == y {
		return p.g.Const(1), true
	}
	cx, basesX, powersX := factors(p.g, x)
	cy, basesY, powersY := factors(p.g, y)
	q = p.g.Const(cx / cy)
	for i, base := range basesX {
		if !slices.Contains(basesY, base) {
			q = p.g.Mul(q, p.g.Prod(powersX[i:i+1], basesX[i:i+1]))
		}
	}
	for i, base := range basesY {
		power := -powersY[i]
		if j := slices.Index(basesX, base); j >= 0 {
			power += powersX[j]
		}
		if power*powersY[i] < 0 && !base.Nonzero() {
			return nil, false
		}
		q = p.g.Mul(q, p.g.Prod([]float64{power}, []*expr.Node{base}))
	}
	return q, true
}

// factors takes a product apart: a constant and powers. Of sums those that are multiples of each other have the same base.
func factors(g *expr.Graph, n *expr.Node) (c float64, bases []*expr.Node, powers []float64) {
	if v, ok := n.IsConst(); ok {
		return v, nil, nil
	}
	switch {
	case n.Op == expr.Lin && len(n.Args) == 1 && n.Const == 0:
		c, bases, powers = factors(g, n.Args[0])
		return c * n.Coefs[0], bases, powers
	case n.Op == expr.Lin:
		c = n.Coefs[0]
		return c, []*expr.Node{g.Scale(1/c, n)}, []float64{1}
	case n.Op == expr.Prod:
		return 1, n.Args, n.Coefs
	}
	return 1, []*expr.Node{n}, []float64{1}
}

// inAffine replaces the largest affine numbers in which the latent variables stand in an expression; false where they stand in
// something else. Of a sum all affine terms together are one number.
func (p *predictors) inAffine(n *expr.Node, replace func(*expr.Node) *expr.Node) (*expr.Node, bool) {
	memo := map[*expr.Node]*expr.Node{}
	var in func(*expr.Node) (*expr.Node, bool)
	each := func(args []*expr.Node) ([]*expr.Node, bool) {
		out := make([]*expr.Node, len(args))
		for i, a := range args {
			var ok bool
			if out[i], ok = in(a); !ok {
				return nil, false
			}
		}
		return out, true
	}
	in = func(n *expr.Node) (*expr.Node, bool) {
		if m := memo[n]; m != nil || !expr.Depends(n, p.latent...) {
			return cmp.Or(m, n), true
		}
		out := n
		switch {
		case n.Type.Rank > 0 || n.Axis != 0: // vectors, and what combines rows
			return nil, false
		case p.affine(n):
			out = replace(n)
		case n.Op == expr.Lin:
			affine, others, coefs := p.affineTerms(n)
			args, ok := each(others)
			if !ok {
				return nil, false
			}
			if expr.Depends(affine, p.latent...) {
				affine = replace(affine)
			}
			out = p.g.Add(affine, p.g.Lin(0, coefs, args))
		default:
			args, ok := each(n.Args)
			if !ok {
				return nil, false
			}
			out = p.g.Rebuild(n, args)
		}
		memo[n] = out
		return out, true
	}
	return in(n)
}

// affineTerms takes the affine terms of a sum together.
func (p *predictors) affineTerms(n *expr.Node) (affine *expr.Node, others []*expr.Node, coefs []float64) {
	affine = p.g.Const(n.Const)
	for i, a := range n.Args {
		if p.affine(a) {
			affine = p.g.Add(affine, p.g.Scale(n.Coefs[i], a))
		} else {
			others, coefs = append(others, a), append(coefs, n.Coefs[i])
		}
	}
	return affine, others, coefs
}

// affine reports whether a number is an affine function of the latent variables.
func (p *predictors) affine(n *expr.Node) bool {
	if n.Type.Rank > 0 {
		return false
	}
	varying := 0
	for i, a := range n.Args {
		if !expr.Depends(a, p.latent...) {
			continue
		}
		varying++
		if n.Op.Elementwise() || n.Op == expr.Prod && n.Coefs[i] != 1 || a.Type.Rank == 0 && !p.affine(a) {
			return false
		}
	}
	if n.Op == expr.Prod && varying > 1 {
		return false
	}
	return p.slopes(n) != nil
}
