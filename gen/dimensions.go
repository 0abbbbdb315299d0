package gen

import (
	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/gen/bind"
	"github.com/sngdgen/sngdgen/spec"
)

// ReportedDimensions returns the dimensions of every vector and matrix that reports show, where the types of the spec do not
// say it: of latent variables, and of quantities that a spec reports, as theta: mu + tau*e. Who knows what the entries of a
// dimension are called can name these. A dimension that is a number is empty.
func ReportedDimensions(p *spec.Problem) map[string][]string {
	out := map[string][]string{}
	if len(p.Report) == 0 && p.VI == nil {
		return out
	}
	b, diags := bind.Bind(p)
	if diags.HasErrors() {
		return out
	}
	add := func(name string, t expr.Type) {
		dims := make([]string, t.Rank)
		for k := range dims {
			dims[k] = t.Dims[k].Name
		}
		out[name] = dims
	}
	quantities := b.Reported
	if v := b.Variational; v != nil {
		quantities = v.Reported
		for _, q := range v.Declared {
			add(q.Name, q.Sym.Type)
		}
	}
	for _, q := range quantities {
		add(q.Name, q.Node.Type)
	}
	return out
}
