package spec

import (
	"github.com/sngdgen/sngdgen/expr/syntax"
	"github.com/sngdgen/sngdgen/runtime/types"
)

// NoSurrogate is what a problem says of whose parameters all are auxiliary ones.
const NoSurrogate = "none"

// noSurrogate is a family without parameters: the standard normal distribution, which nothing depends on. It stands where a problem
// has no surrogate.
func (r *reader) noSurrogate(at place, s *scope) *Family {
	formula := func(text string) *Formula {
		tree, _ := syntax.Parse(text)
		offsets := make([]int, len(text)+1)
		for i := range offsets {
			offsets[i] = at.at[0]
		}
		return &Formula{Text: text, Expr: tree, File: at.src, at: offsets}
	}
	return &Family{Name: NoSurrogate, NameSpan: at.whole(), Doc: "no surrogate: all parameters are auxiliary ones", Source: r.src,
		Variable:     Param{Name: "u", NameSpan: at.whole(), Type: syntax.TypeExpr{Kind: types.Real.Name}, TypeSpan: at.whole()},
		LogPartition: formula("0"), LogBaseMeasure: formula("-u^2/2 - log(2*pi)/2"), scope: s}
}
