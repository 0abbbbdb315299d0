package derive

import (
	"slices"

	"github.com/sngdgen/sngdgen/expr"
)

// conditional is the expectation of a term that sees, for given values of one latent number w, one number that is linear in the other
// latent variables: that of a generalised linear model with effects of groups whose scale is exp(w), say. The linear number is
//
//	s = sum_g f_g(w) s_g,
//
// where the s_g and w are jointly normal, so that given w it is normal, with
//
//	E[s | w] = sum_g f_g(w) (E s_g + Cov(s_g, w)/Var(w) (w - E w)),
//	Var[s | w] = sum_gh f_g(w) f_h(w) (Cov(s_g, s_h) - Cov(s_g, w) Cov(s_h, w)/Var(w)):
//
// the expectation is an integral over w of integrals over s.
func (in *inTarget) conditional(n *expr.Node) *expr.Node {
	split := predictors{g: in.g, latent: in.latent}
	h, byRow := split.ofRow(n)
	if h == nil {
		return nil
	}
	for i, w := range in.latent {
		if w.Type.Rank > 0 || !expr.Depends(h, w) {
			continue
		}
		others := predictors{g: in.g, latent: slices.Concat(in.latent[:i], in.latent[i+1:])}
		if !others.take(h, byRow) || !in.smooth(others.seen[0].H) {
			continue
		}
		p := others.seen[0]
		p.Coefs = slices.Insert(slices.Clone(p.Coefs), i, nil)
		if e := in.throughNumber(p, w); e != nil {
			if byRow {
				return in.g.Sum(expr.Rows, e)
			}
			return e
		}
	}
	return nil
}

// smooth reports whether a function has no kinks, which quadrature in two dimensions would not resolve.
func (in *inTarget) smooth(h *expr.Node) bool {
	return !expr.Find(func(n *expr.Node) bool { return n.Op == maxOp || n.Op == absOp || n.Op == minOp || n.Op == lessOp }, h)
}

var (
	absOp, _ = expr.FunctionNamed("abs")
	minOp, _ = expr.FunctionNamed("min")
)

// effects is a part of a linear number: those of one function of w.
type effects struct {
	of     *expr.Node // the function f(w)
	coefs  []*expr.Node
	mean   *expr.Node
	slopes []*expr.Node
}

// byFunction takes the coefficients of a number apart by the functions of w that they are multiplied with.
func (in *inTarget) byFunction(coefs []*expr.Node, w *expr.Node) (out []*effects) {
	for j, a := range coefs {
		if a == nil {
			continue
		}
		split := predictors{g: in.g, latent: in.latent}
		for _, m := range split.multiples(a) {
			factor, f := m.scalar, in.g.Const(1)
			if expr.Depends(m.scalar, w) {
				factor, f = withoutFactors(in.g, m.scalar, w)
			}
			factor = in.g.Mul(factor, m.core)
			if f.Type.Rank > 0 || expr.Depends(factor, w) {
				return nil
			}
			at := slices.IndexFunc(out, func(e *effects) bool { return e.of == f })
			if at < 0 {
				at = len(out)
				out = append(out, &effects{of: f, coefs: make([]*expr.Node, len(coefs))})
			}
			if out[at].coefs[j] != nil {
				factor = in.g.Add(out[at].coefs[j], factor)
			}
			out[at].coefs[j] = factor
		}
	}
	for _, e := range out {
		var ok bool
		if e.mean, e.slopes, ok = in.slopes(e.coefs); !ok {
			return nil
		}
	}
	return out
}

// throughNumber is the expectation of a part that sees a linear number whose coefficients depend on w, and w, for one row.
func (in *inTarget) throughNumber(p Predictor, w *expr.Node) *expr.Node {
	g := in.g
	groups := in.byFunction(p.Coefs, w)
	own := make([]*expr.Node, len(in.latent))
	own[slices.Index(in.latent, w)] = g.Const(1)
	mean, slopes, ok := in.slopes(own)
	if !ok || groups == nil {
		return nil
	}
	deviation := in.deviation(in.covariance(slopes, slopes))
	t := in.standard("u")
	by := map[*expr.Node]*expr.Node{}
	stands := func(name string, of *expr.Node, facts expr.Facts) *expr.Node {
		if of.Op == expr.Const {
			return of
		}
		sym := g.Fresh(name, of.Type, facts)
		by[sym] = of
		return sym
	}
	at := g.Add(stands("mean", mean, expr.Unknown), g.Mul(stands("deviation", deviation, expr.In(expr.Positive)), t))
	atW := func(n *expr.Node) *expr.Node { return g.Substitute(n, map[*expr.Node]*expr.Node{w: at}) }
	// Covariances with w in standard deviations of w.
	shifts := make([]*expr.Node, len(groups))
	for i, e := range groups {
		shifts[i] = g.Div(in.covariance(e.slopes, slopes), deviation)
	}
	location, variance := g.Const(0), g.Const(0)
	for i, e := range groups {
		m, shift := stands("mean", e.mean, expr.Unknown), stands("shift", shifts[i], expr.Unknown)
		location = g.Add(location, g.Mul(atW(e.of), g.Add(m, g.Mul(shift, t))))
		for j, other := range groups[:i+1] {
			c := g.Sub(in.covariance(e.slopes, other.slopes), g.Mul(shifts[i], shifts[j]))
			if i != j {
				c = g.Scale(2, c)
			}
			variance = g.Add(variance, g.Mul(atW(e.of), atW(other.of), stands("rest", c, expr.Unknown)))
		}
	}
	var functions, factors []*expr.Node
	for _, term := range g.Terms(p.H) {
		factor, core := withoutBoth(g, term, p.S, w)
		e := in.closed(core, p.S, location, variance)
		if e == nil {
			e = in.integrals([]*expr.Node{core}, p.S, location, variance)[0]
		}
		functions, factors = append(functions, atW(e)), append(factors, factor)
	}
	fn, args := g.Lift([]*expr.Node{t}, functions, nil, nil)
	sum := g.Const(0)
	for i, e := range g.Expectations(fn, g.SubstituteAll(args, by)) {
		sum = g.Add(sum, g.Mul(factors[i], e))
	}
	return sum
}

// withoutBoth takes the factors out that depend neither on s nor on w.
func withoutBoth(g *expr.Graph, n, s, w *expr.Node) (factor, core *expr.Node) {
	factor, core = g.Const(1), g.Const(1)
	scale, bases, powers := factors(g, n)
	for i, base := range bases {
		power := g.Prod(powers[i:i+1], bases[i:i+1])
		if expr.Depends(base, s, w) {
			core = g.Mul(core, power)
		} else {
			factor = g.Mul(factor, power)
		}
	}
	return g.Scale(scale, factor), core
}
