package expr

import (
	"math"

	"github.com/sngdgen/sngdgen/expr/syntax"
)

// multivariate are functions of x and a dimension p that are sums of f(x + (1 - j)/2) over j = 1, ..., p, and of a number: in terms of p(p - 1)/4.
var multivariate = map[string]*struct {
	of  string
	add float64
}{
	"multivariate_lgamma":  {"lgamma", math.Log(math.Pi)},
	"multivariate_digamma": {"digamma", 0},
}

// multivariate builds multivariate_lgamma(x, p): the logarithm of the multivariate gamma function, and its derivative.
func (b *Builder) multivariate(e *syntax.Call) *Node {
	if len(e.Args) != 2 {
		return b.Fail(e, "", "%s takes 2 operands, a number and a dimension, not %d", e.Fun, len(e.Args))
	}
	m, p := multivariate[e.Fun], b.Build(e.Args[1])
	if p == nil {
		return nil
	}
	if _, ok := b.G.DimOf(p); !ok || p.Is(0) {
		return b.Fail(e.Args[1], "", "the second operand of %s is a dimension, or a whole number", e.Fun)
	}
	const j = "j$" // that no formula can name
	at := syntax.Bin('+', e.Args[0], syntax.Bin('/', syntax.Bin('-', syntax.Num(1), syntax.Var(j)), syntax.Num(2)))
	sum := b.sumOver(syntax.Fn("sum", &syntax.In{Name: syntax.Var(j), Over: &syntax.Slice{From: syntax.Num(1), To: e.Args[1]}}, syntax.Fn(m.of, at)))
	if sum == nil {
		return nil
	}
	return b.G.Add(sum, b.G.Scale(m.add/4, b.G.Mul(p, b.G.Add(p, b.G.Const(-1)))))
}
