package plan

import (
	"slices"

	"github.com/sngdgen/sngdgen/expr"
)

// regroup takes the part of every sum and product that depends on the data alone and puts a symbol in its place, so
// that the part is computed once for a data set: in log(s)*sum(x)/n it is sum(x)/n.
func (p *planner) regroup() {
	if p.k.Rows == nil || p.k.Rows.Fixed == nil {
		return
	}
	r := regrouper{g: p.k.Graph, rows: p.k.Rows, memo: map[*expr.Node]*expr.Node{}}
	k := *p.k
	k.Defs, k.Guards, k.Outputs = slices.Clone(k.Defs), slices.Clone(k.Guards), slices.Clone(k.Outputs)
	for i := range k.Defs {
		k.Defs[i].Node = r.regroup(k.Defs[i].Node)
	}
	for i := range k.Guards {
		k.Guards[i].Node = r.regroup(k.Guards[i].Node)
	}
	for i := range k.Outputs {
		k.Outputs[i].Node = r.regroup(k.Outputs[i].Node)
	}
	names := map[*expr.Node]string{}
	for n, name := range k.Names {
		names[r.regroup(n)] = name
	}
	k.Names = names
	p.k = &k
	for part, sym := range p.k.Rows.Fixed.groups {
		p.def[sym] = part
	}
}

type regrouper struct {
	g    *expr.Graph
	rows *RowSource
	memo map[*expr.Node]*expr.Node
}

func (r *regrouper) regroup(n *expr.Node) *expr.Node {
	if m, ok := r.memo[n]; ok {
		return m
	}
	m := n
	if len(n.Args) > 0 && !r.isData(n) {
		args := make([]*expr.Node, len(n.Args))
		for i, a := range n.Args {
			args[i] = r.regroup(a)
		}
		m = r.group(r.g.Rebuild(n, args))
	}
	r.memo[n] = m
	return m
}

// isData reports whether a node depends on the data alone.
func (r *regrouper) isData(n *expr.Node) bool {
	known := r.rows.Fixed.isData
	if v, ok := known[n]; ok {
		return v
	}
	v := n == r.rows.Sym || n.Op == expr.Sym && n.Name == expr.Rows.String()
	if len(n.Args) > 0 {
		constant := true
		v = true
		for _, a := range n.Args {
			isConst := a.Op == expr.Const
			constant = constant && isConst
			v = v && (isConst || r.isData(a))
		}
		v = v && !constant
	}
	known[n] = v
	return v
}

// group replaces the data part of a sum or product by a symbol.
func (r *regrouper) group(n *expr.Node) *expr.Node {
	if n.Op != expr.Lin && n.Op != expr.Prod {
		return n
	}
	var in, out []*expr.Node
	var inCoefs, outCoefs []float64
	for i, a := range n.Args {
		if r.isData(a) {
			in, inCoefs = append(in, a), append(inCoefs, n.Coefs[i])
		} else {
			out, outCoefs = append(out, a), append(outCoefs, n.Coefs[i])
		}
	}
	if len(in) == 0 || len(out) == 0 || !worthwhile(n, inCoefs) {
		return n
	}
	if n.Op == expr.Prod {
		part := r.symbol(r.g.Prod(inCoefs, in))
		return r.g.Prod(append(outCoefs, 1), append(out, part))
	}
	part := r.symbol(r.g.Lin(n.Const, inCoefs, in))
	return r.g.Lin(0, append(outCoefs, 1), append(out, part))
}

// worthwhile reports whether taking the part out saves an operation.
func worthwhile(n *expr.Node, coefs []float64) bool {
	return len(coefs) > 1 || coefs[0] != 1 || n.Op == expr.Lin && n.Const != 0
}

func (r *regrouper) symbol(part *expr.Node) *expr.Node {
	if part.Op == expr.Sym || part.Op == expr.Sum {
		return part
	}
	groups := r.rows.Fixed.groups
	s, ok := groups[part]
	if !ok {
		s = r.g.Fresh("data", part.Type, part.Facts)
		groups[part] = s
		r.rows.Fixed.isData[s] = true
	}
	return s
}
