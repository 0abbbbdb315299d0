package derive

import (
	"slices"

	"github.com/sngdgen/sngdgen/expr"
)

// gathered moves linear parts of the rows to the part of whose predictor they are together a multiple. Sums over the rows are taken apart,
// y*(a + x*b) into y*a and x*y*b, and what is linear in a latent variable alone seems to have a predictor of its own: but a factor
// exp(-exp(s)) without its exp(y*s) is another one, of which a site by itself may say little.
func (p *predictors) gathered(seen []Predictor) (out []Predictor) {
	slopes := make([]*expr.Node, len(seen)) // of linear parts that are where they were, nil for others
	for i, q := range seen {
		if slope, err := derivative(p.g, q.H, q.S); err == nil && q.ByRow && !expr.Depends(slope, q.S) {
			slopes[i] = slope
		}
	}
	moved := make([]bool, len(seen))
	for i, q := range seen {
		if slopes[i] != nil || !q.ByRow {
			continue
		}
		h, of := p.linearTerms(&q, seen, slopes)
		if h == nil {
			continue
		}
		seen[i].H = p.g.Add(q.H, h)
		for _, k := range of {
			slopes[k], moved[k] = nil, true
		}
	}
	for i, q := range seen {
		if !moved[i] {
			out = append(out, q)
		}
	}
	return out
}

// linearTerms are the linear parts with slopes that are together a multiple of the predictor of a part, as a function of that, and which
// they are; nil where they are none.
func (p *predictors) linearTerms(q *Predictor, seen []Predictor, slopes []*expr.Node) (h *expr.Node, of []int) {
	total, constant := make([]*expr.Node, len(q.Coefs)), p.g.Const(0)
	for k, linear := range seen {
		if slopes[k] == nil || !p.amongMultiples(linear.Coefs, q.Coefs) {
			continue
		}
		of = append(of, k)
		for j, c := range linear.Coefs {
			if c != nil {
				total[j] = p.sum(total[j], p.g.Mul(slopes[k], c))
			}
		}
		constant = p.g.Add(constant, p.g.Substitute(linear.H, map[*expr.Node]*expr.Node{linear.S: p.g.Const(0)}))
	}
	if c, ok := p.ratio(total, q.Coefs); ok {
		return p.g.Add(p.g.Mul(c, q.S), constant), of
	}
	return nil, nil
}

// sum is a sum, of which the first may be nil for 0.
func (p *predictors) sum(x, y *expr.Node) *expr.Node {
	if x == nil {
		return y
	}
	return p.g.Add(x, y)
}

// amongMultiples reports whether the vectors and matrices of some slopes are among those of others.
func (p *predictors) amongMultiples(coefs, of []*expr.Node) bool {
	for j, c := range coefs {
		if c == nil {
			continue
		}
		if of[j] == nil {
			return false
		}
		cores := p.multiples(of[j])
		for _, m := range p.multiples(c) {
			if !slices.ContainsFunc(cores, func(o multiple) bool { return o.core == m.core }) {
				return false
			}
		}
	}
	return true
}
