package derive

import (
	"slices"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/expr/diff"
	"github.com/sngdgen/sngdgen/gen/bind"
)

// Linear is a linear predictor of the rows, the product of a vector of the data with latent variables that are a vector. Those of all rows at
// several draws are one product of matrices, and so is what their slopes add to the gradient.
type Linear struct {
	S       *expr.Node // the symbol that stands for it
	Formula *expr.Node // what it is
	Data    *expr.Node // the vector of the data
	Latent  int        // which of the latent variables
}

// Parted are terms of the log joint density as a function of the latent variables and, besides, of the linear predictors.
type Parted struct {
	Predictors []Linear
	Value      *expr.Node
	Gradient   []*expr.Node // by the latent variables, the predictors staying as they are
	Slopes     []*expr.Node // by the predictors of a row that counts once
}

// leastEntries is how many entries a vector has, if their number is known, of which the products are worth a column in memory.
const leastEntries = 8

// parted takes the linear predictors in a function of the latent variables for variables of their own; nil where there are none.
func (d *deriver) parted(f *expr.Node) (*Parted, error) {
	if d.p.Variational.Packed() {
		return nil, nil
	}
	f = d.distributed(d.simplify(nil, f)[0])
	list, by := d.linearPredictors(f)
	if len(list) == 0 {
		return nil, nil
	}
	f = d.g.Substitute(f, by)
	wrt := d.latents()
	for _, l := range list {
		wrt = append(wrt, l.S)
	}
	gradient, err := diff.Gradient(d.g, f, wrt)
	if err != nil {
		return nil, err
	}
	all := d.stabilise(d.simplify(nil, append(gradient, f)...)...)
	k, last := len(d.p.Variational.Latent), len(all)-1
	out := &Parted{Predictors: list, Value: all[last], Gradient: all[:k], Slopes: all[k:last]}
	if slices.ContainsFunc(out.Slopes, func(n *expr.Node) bool { return !n.Type.Axes.Has(expr.Rows) }) { // their sum is one of the data
		return nil, nil
	}
	return out, nil
}

// linearPredictors are those in a function of the latent variables, with the symbols for which they are put.
func (d *deriver) linearPredictors(f *expr.Node) (list []Linear, by map[*expr.Node]*expr.Node) {
	latent, by := d.latents(), map[*expr.Node]*expr.Node{}
	expr.Walk(func(n *expr.Node) {
		if n.Op != expr.Dot {
			return
		}
		for i, x := range n.Args {
			if k := slices.Index(latent, n.Args[1-i]); k >= 0 && d.isData(x) && x.Type.Axes.Has(expr.Rows) && long(x.Type.Dims[0]) {
				s := d.g.Fresh("predictor", expr.Scalar.Over(expr.Rows), expr.Unknown)
				list, by[n] = append(list, Linear{s, n, x, k}), s
				return
			}
		}
	}, f)
	return list, by
}

// isData reports whether a symbol is of the data of a posterior.
func (d *deriver) isData(n *expr.Node) bool {
	return slices.ContainsFunc(d.p.Variational.Data, func(q bind.Param) bool { return q.Sym == n })
}

// long reports whether vectors of a length may have many entries.
func long(d expr.Dim) bool { return d.Name != "" || d.Size >= leastEntries }
