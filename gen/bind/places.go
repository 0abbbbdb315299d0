package bind

import (
	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/internal/diag"
)

// Places remembers where the formulas of a problem are, for what goes wrong with the problem as a whole. The zero value is
// ready to use.
type Places struct {
	open    []diag.Span // formulas that are being built: one may call the density of another
	longest diag.Span
	size    int
}

func (p *Places) begin(at diag.Span) { p.open = append(p.open, at) }

// end ends the innermost formula; n is nil where it has faults.
func (p *Places) end(n *expr.Node) {
	at := p.open[len(p.open)-1]
	p.open = p.open[:len(p.open)-1]
	if n == nil {
		return
	}
	if size := expr.Size(n); size > p.size {
		p.longest, p.size = at, size
	}
}

// Longest is the formula that was being built when building stopped, otherwise that with the most operations.
func (p *Places) Longest() diag.Span {
	if len(p.open) > 0 {
		return p.open[len(p.open)-1]
	}
	return p.longest
}
