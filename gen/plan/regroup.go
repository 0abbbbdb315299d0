package plan

import (
	"math"
	"slices"

	"github.com/sngdgen/sngdgen/expr"
)

// regroup takes the parts of sums and products that can be computed earlier than the whole, and puts symbols in their
// place: what depends on the data alone is computed once for a data set (in log(s)*sum(x)/n it is sum(x)/n), and what
// does not vary over the rows once for a loop (in (x - mu)^2/(sigma2*nu) it is 1/(sigma2*nu)).
func (p *planner) regroup() {
	if p.k.Rows == nil {
		return
	}
	r := regrouper{g: p.k.Graph, rows: p.k.Rows, memo: map[*expr.Node]*expr.Node{}, invariant: map[*expr.Node]*expr.Node{}, constant: map[*expr.Node]bool{}}
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
	k.Names = renamed(k.Names, r.regroup)
	p.k = &k
	add := func(groups map[*expr.Node]*expr.Node) {
		for part, sym := range groups {
			p.def[sym] = part
		}
	}
	if k.Rows.Fixed != nil {
		add(k.Rows.Fixed.groups)
	}
	add(r.invariant)
}

type regrouper struct {
	g         *expr.Graph
	rows      *RowSource
	memo      map[*expr.Node]*expr.Node
	constant  map[*expr.Node]bool
	invariant map[*expr.Node]*expr.Node // parts that do not vary over the rows, to their symbols
}

func (r *regrouper) regroup(n *expr.Node) *expr.Node {
	if m, ok := r.memo[n]; ok {
		return m
	}
	m := n
	if s, core := r.multiple(n); core != nil {
		m = r.g.Mul(s, r.regroup(core))
	} else if len(n.Args) > 0 && !(r.rows.Fixed != nil && r.isData(n)) {
		args := make([]*expr.Node, len(n.Args))
		for i, a := range n.Args {
			args[i] = r.regroup(a)
		}
		m = r.g.Rebuild(n, args)
		if r.rows.Fixed != nil {
			m = r.group(m, r.isPart(m), r.dataSymbol)
		}
		if m.Type.Axes.Has(expr.Rows) {
			m = r.group(m, func(a *expr.Node) bool { return !a.Type.Axes.Has(expr.Rows) }, r.invariantSymbol)
		}
	}
	r.memo[n] = m
	return m
}

// isPart is the test for parts of the data stage. What is one for each row is gathered for a batch, not computed again, so that it may not
// have the sum of the weights in it, or another sum over the rows.
func (r *regrouper) isPart(n *expr.Node) func(*expr.Node) bool {
	if r.rows.Fixed.Whole || !n.Type.Axes.Has(expr.Rows) || !slices.ContainsFunc(n.Args, func(a *expr.Node) bool { return a.Type.Axes.Has(expr.Rows) && r.isData(a) }) {
		return r.isData
	}
	return func(a *expr.Node) bool { return r.isData(a) && !ofMeasure(a) }
}

// ofMeasure reports whether a value depends on which rows there are, and how they are weighted.
func ofMeasure(n *expr.Node) bool {
	found := false
	expr.Walk(func(m *expr.Node) { found = found || isCount(m) || reduces(m) }, n)
	return found
}

// multiple takes a matrix of the data stage apart that is a multiple of another: the matrix is kept once, the number, which
// is often 1/n, on its own. The core is nil where there is nothing to take apart.
func (r *regrouper) multiple(n *expr.Node) (s, core *expr.Node) {
	if r.rows.Fixed == nil || n.Type.Rank != 2 || !r.isData(n) {
		return nil, nil
	}
	s, core = r.g.Bare(n)
	if _, number := s.IsConst(); number || core == n {
		return nil, nil
	}
	if s.Op == expr.Lin && len(s.Args) == 1 && s.Const == 0 {
		return r.g.Scale(s.Coefs[0], r.dataSymbol(s.Args[0])), core
	}
	return r.dataSymbol(s), core
}

// isData reports whether a node depends on the data alone.
func (r *regrouper) isData(n *expr.Node) bool {
	known := r.rows.Fixed.isData
	if v, ok := known[n]; ok {
		return v
	}
	v := n.Op == expr.Sym && r.rows.given(n)
	if len(n.Args) > 0 {
		constant := true
		v = true
		for _, a := range n.Args {
			isConst := r.isConstant(a)
			constant = constant && isConst
			v = v && (isConst || r.isData(a))
		}
		v = v && !constant
	}
	known[n] = v
	return v
}

// isConstant reports whether a node depends on nothing: a number, a vector of ones, a root of numbers, a function of a table.
func (r *regrouper) isConstant(n *expr.Node) bool {
	if v, ok := r.constant[n]; ok {
		return v
	}
	v := n.Op != expr.Sym
	for _, a := range n.Args {
		v = v && r.isConstant(a)
	}
	r.constant[n] = v
	return v
}

// group replaces the part of a sum or product that satisfies a test by a symbol.
func (r *regrouper) group(n *expr.Node, test func(*expr.Node) bool, symbol func(*expr.Node) *expr.Node) *expr.Node {
	if n.Op != expr.Lin && n.Op != expr.Prod {
		return n
	}
	var in, out []*expr.Node
	var inCoefs, outCoefs []float64
	for i, a := range n.Args {
		if test(a) {
			in, inCoefs = append(in, a), append(inCoefs, n.Coefs[i])
		} else {
			out, outCoefs = append(out, a), append(outCoefs, n.Coefs[i])
		}
	}
	if len(in) == 0 || len(out) == 0 || !worthwhile(n, inCoefs) {
		return n
	}
	if n.Op == expr.Prod {
		return r.g.Prod(append(outCoefs, 1), append(out, symbol(r.g.Prod(inCoefs, in))))
	}
	sign := 1.0
	if inCoefs[0] < 0 { // keep the sign outside: a mean, not its negative, is what a reader expects
		sign = -1
	}
	part := r.g.Scale(sign, r.g.Lin(n.Const, inCoefs, in))
	return r.g.Lin(0, append(outCoefs, sign), append(out, symbol(part)))
}

// worthwhile reports whether taking the part out saves an operation.
func worthwhile(n *expr.Node, coefs []float64) bool {
	e := math.Abs(coefs[0])
	return len(coefs) > 1 || e != 1 || n.Op == expr.Prod && coefs[0] < 0 || n.Op == expr.Lin && n.Const != 0
}

// dataSymbol stands for a part of the data stage.
func (r *regrouper) dataSymbol(part *expr.Node) *expr.Node {
	s := r.symbol(r.rows.Fixed.groups, "data", part)
	r.rows.Fixed.isData[s] = true
	return s
}

func (r *regrouper) invariantSymbol(part *expr.Node) *expr.Node {
	return r.symbol(r.invariant, "t", part)
}

func (r *regrouper) symbol(groups map[*expr.Node]*expr.Node, prefix string, part *expr.Node) *expr.Node {
	if part.Op == expr.Sym || part.Op == expr.Sum {
		return part
	}
	s, ok := groups[part]
	if !ok {
		s = r.g.Fresh(prefix, part.Type, part.Facts)
		groups[part] = s
		if prefix == "data" {
			r.rows.Fixed.parts[s] = part
		}
	}
	return s
}
