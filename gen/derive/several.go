package derive

import (
	"cmp"
	"slices"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/expr/diff"
)

// Joint is a part of a log-density that sees the latent variables through one or several numbers, each of them linear in them, as
// the likelihood of every row of a regression does whose scale is unknown too. See Predictor, which sees one.
type Joint struct {
	S     []*expr.Node // stand for the numbers in H, over the rows where ByRow is true
	H     *expr.Node
	Coefs [][]*expr.Node // of each number, as those of a Predictor
	ByRow bool
}

// Alone is a Predictor as a Joint.
func (q *Predictor) Alone() Joint {
	return Joint{S: []*expr.Node{q.S}, H: q.H, Coefs: [][]*expr.Node{q.Coefs}, ByRow: q.ByRow}
}

// mostPredictors is the largest number of linear numbers that a part may see.
const mostPredictors = 8

// jointly splits what Predictors has left into parts that see several linear numbers, and the rest, to which terms belong that are kept.
// Terms whose numbers are among those of a part join it, parts of one number too: what a row says of a scale by itself belongs to what
// it says of its location, without which it may be no density.
func jointly(g *expr.Graph, seen []Predictor, rest *expr.Node, latent []*expr.Node, kept func(term *expr.Node) bool) (parts []Joint,
	alone []Predictor, left *expr.Node) {
	p := predictors{g: g, latent: latent}
	type term struct {
		whole, h *expr.Node
		byRow    bool
		coefs    [][]*expr.Node
	}
	var terms []term
	left = g.Const(0)
	for _, n := range p.terms(rest) {
		h, byRow := p.ofRow(n)
		var coefs [][]*expr.Node
		if h != nil && expr.Depends(n, latent...) && !kept(n) {
			coefs = p.numbers(h)
		}
		if coefs == nil {
			left = g.Add(left, n)
			continue
		}
		terms = append(terms, term{n, h, byRow, coefs})
	}
	slices.SortStableFunc(terms, func(a, b term) int { return cmp.Compare(len(b.coefs), len(a.coefs)) })
	for _, t := range terms {
		if !slices.ContainsFunc(parts, func(q Joint) bool { return q.ByRow == t.byRow && p.within(t.coefs, q.Coefs) }) {
			parts = append(parts, p.empty(t.coefs, t.byRow))
		}
		if !p.join(parts, t.h, t.byRow, t.coefs) {
			left = g.Add(left, t.whole)
		}
	}
	parts = slices.DeleteFunc(parts, func(q Joint) bool { return q.H.Is(0) })
	for _, q := range seen {
		if p.joinPredictor(parts, &q); !q.H.Is(0) {
			alone = append(alone, q)
		}
	}
	return parts, alone, left
}

// empty is a part without terms.
func (p *predictors) empty(coefs [][]*expr.Node, byRow bool) Joint {
	axes := expr.Axes(0)
	if byRow {
		axes = expr.Rows
	}
	q := Joint{H: p.g.Const(0), Coefs: coefs, ByRow: byRow}
	for range coefs {
		q.S = append(q.S, p.g.Fresh("predictor", expr.Scalar.Over(axes), expr.Unknown))
	}
	return q
}

// numbers are the coefficients of the linear numbers that a term sees, each once. Nil where it sees the latent variables in another
// way, or through too many.
func (p *predictors) numbers(h *expr.Node) (coefs [][]*expr.Node) {
	_, ok := p.inAffine(h, func(n *expr.Node) *expr.Node {
		slopes := p.slopes(n)
		if p.among(slopes, coefs) < 0 {
			coefs = append(coefs, p.withoutFactor(slopes))
		}
		return n
	})
	if !ok || len(coefs) > mostPredictors {
		return nil
	}
	return coefs
}

// among is the index of the number of which slopes are those of a multiple; -1 for none.
func (p *predictors) among(slopes []*expr.Node, coefs [][]*expr.Node) int {
	return slices.IndexFunc(coefs, func(c []*expr.Node) bool { _, ok := p.ratio(slopes, c); return ok })
}

// within reports whether all numbers are among those of a part.
func (p *predictors) within(coefs, of [][]*expr.Node) bool {
	return !slices.ContainsFunc(coefs, func(c []*expr.Node) bool { return p.among(c, of) < 0 })
}

// join adds a term to the first part that sees its numbers.
func (p *predictors) join(parts []Joint, h *expr.Node, byRow bool, coefs [][]*expr.Node) bool {
	for i := range parts {
		q := &parts[i]
		if q.ByRow != byRow || !p.within(coefs, q.Coefs) {
			continue
		}
		known := true
		h, _ := p.inAffine(h, func(n *expr.Node) *expr.Node {
			slopes := p.slopes(n)
			j := p.among(slopes, q.Coefs)
			if j < 0 {
				known = false
				return n
			}
			c, _ := p.ratio(slopes, q.Coefs[j])
			return p.g.Add(p.g.Mul(c, q.S[j]), p.atZero(n))
		})
		if known {
			q.H = p.g.Add(q.H, h)
			return true
		}
	}
	return false
}

// joinPredictor moves terms of a part of one number to one that sees it among others: all that are of the same rows, and of what is the
// same for all rows that which is a sum over them.
func (p *predictors) joinPredictor(parts []Joint, from *Predictor) {
	for i := range parts {
		q := &parts[i]
		j := p.among(from.Coefs, q.Coefs)
		if j < 0 || from.ByRow && !q.ByRow {
			continue
		}
		ratio, _ := p.ratio(from.Coefs, q.Coefs[j])
		s := p.g.Mul(ratio, q.S[j])
		if from.ByRow == q.ByRow {
			q.H = p.g.Add(q.H, p.g.Substitute(from.H, map[*expr.Node]*expr.Node{from.S: s}))
			from.H = p.g.Const(0)
			return
		}
		stays := p.g.Const(0)
		for _, term := range p.terms(from.H) {
			if slope := p.slopeOfRow(term, from.S); slope != nil {
				q.H = p.g.Add(q.H, p.g.Mul(slope, s))
			} else {
				stays = p.g.Add(stays, term)
			}
		}
		from.H = stays
	}
}

// slopeOfRow is the part of a row in the slope of a term that is linear in a symbol, where that slope is a sum over the rows; nil where
// it is none.
func (p *predictors) slopeOfRow(term, s *expr.Node) *expr.Node {
	slope, err := diff.Gradient(p.g, term, []*expr.Node{s})
	if err != nil || slope[0].Is(0) || expr.Depends(slope[0], s) {
		return nil
	}
	n := p.g.Size(expr.Rows)
	if c := p.g.Div(slope[0], n); !expr.Depends(c, n) && !expr.Find(func(a *expr.Node) bool { return a.Axis != 0 }, c) {
		return c
	}
	return nil
}
