package gen

import (
	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/gen/bind"
	"github.com/sngdgen/sngdgen/spec"
)

// Dimensions returns the dimension of every vector with a length of its own that reports of a problem show: parameters of the target or latent
// variables, and what the spec reports beside them. Who knows what the entries of a dimension are called can name theirs.
func Dimensions(p *spec.Problem) map[string]string {
	b, diags := bind.Bind(p)
	if diags.HasErrors() {
		return nil
	}
	out := map[string]string{}
	add := func(name string, t expr.Type) {
		if t.Rank == 1 && t.Dims[0].Name != "" {
			out[name] = t.Dims[0].Name
		}
	}
	quantities := b.Reported
	if v := b.Variational; v != nil {
		quantities = v.Reported
		for _, q := range v.Declared {
			add(q.Name, q.Sym.Type)
		}
	} else {
		for _, q := range b.Target.Params {
			add(q.Name, q.Sym.Type)
		}
	}
	for _, q := range quantities {
		add(q.Name, q.Node.Type)
	}
	return out
}
