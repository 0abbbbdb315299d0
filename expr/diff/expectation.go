package diff

import "github.com/sngdgen/sngdgen/expr"

// expectationPartials are the expectations of the derivatives: of the sum that quadrature computes they are the derivatives, too.
func expectationPartials(g *expr.Graph, n *expr.Node) ([]*expr.Node, error) {
	slopes, err := Gradient(g, n.Fn.Eqs[n.Index], n.Fn.Params)
	if err != nil {
		return nil, err
	}
	out := make([]*expr.Node, len(n.Args))
	for i, slope := range slopes {
		if expr.Depends(slope, n.Fn.Vars...) {
			fn := &expr.Lambda{Vars: n.Fn.Vars, Params: n.Fn.Params, Eqs: []*expr.Node{slope}}
			out[i] = g.Expectations(fn, n.Args)[0]
			continue
		}
		at := map[*expr.Node]*expr.Node{}
		for j, p := range n.Fn.Params {
			at[p] = n.Args[j]
		}
		out[i] = g.Substitute(slope, at)
	}
	return out, nil
}
