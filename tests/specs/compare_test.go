package specs_test

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/expr/eval"
	"github.com/sngdgen/sngdgen/gen/derive"
	"github.com/sngdgen/sngdgen/tests/specs/worker"
)

// tolerance is how closely generated code and the interpreter must agree, relative to the largest entry of what is compared:
// random formulas may be differences of much larger numbers.
const tolerance = 1e-7

// compare holds what a model says against the interpreter. A formula that the interpreter has no value for at a point, such
// as the logarithm of a number that rounding makes negative, is not compared there.
func (s *drawn) compare(a worker.Answer) {
	defer func() {
		if r := recover(); r != nil {
			s.fail("comparing: %v", r)
		}
	}()
	if a.Refused != "" {
		s.fail("the data are refused: %s", a.Refused)
		return
	}
	c := comparison{drawn: s, answer: a}
	if s.derived.Variational != nil {
		c.variational()
		return
	}
	if err := c.environment(); err != nil {
		s.fail("the interpreter: %v", err)
		return
	}
	c.starts()
	for _, p := range a.Points {
		c.point(p)
	}
}

// comparison is that of one spec.
type comparison struct {
	*drawn
	answer worker.Answer
	env    *eval.Env
	size   float64 // of the loss, of which what is compared are derivatives
}

// environment gives the interpreter lengths and data.
func (c *comparison) environment() error {
	b := c.derived.Problem
	c.sizes()
	return b.BindData(c.env, c.answer.Data.Values, c.answer.Data.Weights)
}

// sizes gives the interpreter the lengths.
func (c *comparison) sizes() {
	c.env = eval.Scalars(nil)
	b := c.derived.Problem
	for i, name := range dims(c.derived) {
		c.env.Set(name, float64(c.answer.Sizes[i]))
	}
	if b.Mixture == nil {
		return
	}
	k := c.answer.Count
	c.env.Symbols["size.k"] = eval.Value{Scalar: float64(k)}
	index, last := make([]float64, k), make([]float64, k)
	for i := range index {
		index[i] = float64(i)
	}
	last[k-1] = 1
	c.give(b.Mixture.Index, index)
	c.give(b.Mixture.Last, last)
}

// dims are the names of the dimensions in the order of Info.
func dims(d *derive.Result) []string {
	var out []string
	p := d.Problem
	params := slices.Concat(p.Target.Record(), p.Target.Params, p.Surrogate.Params)
	if v := d.Variational; v != nil && v.Model != nil {
		params = slices.Concat(params, v.Model.Latent, v.Model.Data)
	}
	for _, q := range params {
		t := q.Sym.Type
		for _, d := range append(t.Dims[:t.Rank:t.Rank], q.Sym.Facts.Index) { // the length that an index numbers is one of the model
			if d.Name != "" && !slices.Contains(out, d.Name) {
				out = append(out, d.Name)
			}
		}
	}
	if m := p.Mixture; m != nil && m.Components.Name != "" {
		out = append(out, m.Components.Name)
	}
	return out
}

// give gives a symbol a value, or one for each component.
func (c *comparison) give(sym *expr.Node, x []float64) {
	if !sym.Type.Axes.Has(expr.Components) {
		c.env.Symbols[sym.Name] = c.value(sym.Type, x)
		return
	}
	k := c.answer.Count
	all := make([]eval.Value, k)
	for i := range all {
		n := len(x) / k
		all[i] = c.value(sym.Type, x[i*n:(i+1)*n])
	}
	c.env.Symbols[sym.Name] = eval.PerComponent(all)
}

func (c *comparison) value(t expr.Type, x []float64) eval.Value {
	if t.Rank == 0 {
		return eval.Value{Scalar: x[0]}
	}
	rows, columns := c.length(t.Dims[0]), 1
	if t.Rank == 2 {
		columns = c.length(t.Dims[1])
	}
	return eval.Core(mat.NewDense(rows, columns, slices.Clone(x)))
}

func (c *comparison) length(d expr.Dim) int {
	if d.Name == "" {
		return d.Size
	}
	return int(c.env.Symbols[d.Name].Scalar)
}

// interpret evaluates a node for a place: vectors and matrices entry by entry, for each component of a mixture where the
// place has a value for each.
func (c *comparison) interpret(place, n *expr.Node) []float64 {
	all, err := eval.All([]*expr.Node{n}, c.env)
	if err != nil {
		panic(fmt.Sprintf("%v: %v", n, err))
	}
	x := entries(all[0])
	size := 1
	for _, d := range place.Type.Dims[:place.Type.Rank] {
		size *= c.length(d)
	}
	if len(x) == 1 { // 0 is of every shape
		x = slices.Repeat(x, size)
	}
	if place.Type.Axes.Has(expr.Components) && len(x) == size {
		x = slices.Repeat(x, c.answer.Count)
	}
	return x
}

func entries(v eval.Value) []float64 {
	switch {
	case v.Components != nil:
		var out []float64
		for _, own := range v.Components {
			out = append(out, entries(own)...)
		}
		return out
	case v.Cores == nil:
		return []float64{v.Scalar}
	}
	var out []float64
	for i := range v.Cores[0].RawMatrix().Rows {
		out = append(out, v.Cores[0].RawRowView(i)...)
	}
	return out
}

// starts compares the starting points, which the data stage of the model has a part in.
func (c *comparison) starts() {
	mixture := c.derived.Problem.Mixture != nil
	for i, start := range c.answer.Starts {
		if start.Refused != "" || mixture || i == len(c.derived.Starts) { // of a mixture they depend on how the rows are grouped, and others on random numbers
			continue
		}
		c.define(c.derived.Starts[i].Values)
		c.equalCoords(fmt.Sprintf("start %d", i), start.Z, c.derived.Starts[i].Coords...)
	}
}

func (c *comparison) define(defs []derive.Def) {
	for _, d := range defs {
		c.give(d.Sym, c.interpret(d.Sym, d.Node))
	}
}

// place gives the interpreter the coordinates and, by the definitions, the standard parameters.
func (c *comparison) place(z []float64) {
	at := 0
	for _, coord := range c.derived.Surrogate.Coords {
		n := c.coordLen(coord)
		x := z[at : at+n]
		if at += n; coord.Free {
			own := n / max(c.answer.Count-1, 1)
			x = append(slices.Clone(x), make([]float64, own)...)
			if c.answer.Count == 1 {
				x = []float64{0}
			}
		}
		c.give(coord.Sym, x)
	}
	c.define(c.derived.Surrogate.Defs)
}

func (c *comparison) coordLen(coord derive.Coord) int {
	n := 1
	for _, d := range coord.Sym.Type.Dims[:coord.Sym.Type.Rank] {
		n *= c.length(d)
	}
	switch {
	case !coord.Sym.Type.Axes.Has(expr.Components):
		return n
	case coord.Free:
		return n * (c.answer.Count - 1)
	}
	return n * c.answer.Count
}

// point compares everything at a point.
func (c *comparison) point(p worker.Point) {
	s := &c.derived.Surrogate
	c.place(p.Z)
	literal, err := eval.Eval(s.Literal, c.env)
	if err != nil {
		c.fail("the interpreter: %v", err)
		return
	}
	if !(math.Abs(literal) < 1e10) {
		c.overflows = true
		return
	}
	c.size = math.Abs(literal)
	c.equal("loss", []float64{p.Loss}, s.Literal)
	c.equal("loss by Gradients", []float64{p.ByGradients}, s.Literal)
	c.equal("derived loss", []float64{p.Loss}, s.Loss)
	c.equalCoords("v", p.V, s.Natural...)
	c.equalCoords("c", p.C, s.Covector...)
	own := len(s.DualOf)
	c.equalCoords("v by NaturalGradient", p.Only, append(slices.Clone(s.Natural[:own]), s.Covector[own:]...)...)
	dual := slices.Clone(s.DualOf)
	for _, coord := range s.Coords[own:] {
		dual = append(dual, coord.Sym)
	}
	c.equalCoords("dual", p.Dual, dual...)
	c.theta(p)
}

// theta compares the parameters of the target, and the objective as a function of them.
func (c *comparison) theta(p worker.Point) {
	var syms, nodes []*expr.Node
	for _, d := range c.derived.Surrogate.Theta {
		syms, nodes = append(syms, d.Sym), append(nodes, d.Node)
	}
	c.equalParts("theta", p.Theta, syms, nodes)
	c.define(c.derived.Surrogate.Theta)
	if o := c.derived.Objective; o != nil && p.ThetaGradient != nil {
		c.equal("loss of theta", []float64{p.ThetaLoss}, o.Loss)
		c.equalParts("gradient of theta", p.ThetaGradient, syms, o.Gradient)
	}
	if p.U == nil {
		return
	}
	u := &c.derived.Unconstrained
	coords := u.Coords
	c.equalParts("u", p.U, coords, u.Inverse)
	for i, coord := range coords {
		c.give(coord, p.U[i:i+1])
	}
	c.define(u.Theta)
	c.equal("loss of u", []float64{p.ULoss}, u.Loss)
	c.equalParts("gradient of u", p.UGradient, coords, u.Gradient)
	var h, places []*expr.Node
	for _, row := range u.Hessian {
		h, places = append(h, row...), append(places, coords...)
	}
	if h != nil {
		c.equalParts("Hessian of u", p.UHessian, places, h)
	}
}

// equal compares a number.
func (c *comparison) equal(what string, got []float64, n *expr.Node) {
	c.agree(what, got, c.interpret(expr.NewGraph().Const(0), n))
}

// equalCoords compares what is laid out as the coordinates are.
func (c *comparison) equalCoords(what string, got []float64, nodes ...*expr.Node) {
	at := 0
	for i, coord := range c.derived.Surrogate.Coords {
		n := c.coordLen(coord)
		want := c.interpret(coord.Sym, nodes[i])
		c.agree(fmt.Sprintf("%s, %s", what, coord.Name), got[at:at+n], want[:n])
		at += n
	}
}

// equalParts compares values one after the other.
func (c *comparison) equalParts(what string, got []float64, places, nodes []*expr.Node) {
	at := 0
	for i, n := range nodes {
		want := c.interpret(places[i], n)
		c.agree(fmt.Sprintf("%s, part %d", what, i), got[at:at+len(want)], want)
		at += len(want)
	}
	if at != len(got) {
		c.fail("%s: %d numbers, %d interpreted", what, len(got), at)
	}
}

// agree compares numbers. Where the interpreter's are not finite nothing is asked.
func (c *comparison) agree(what string, got, want []float64) {
	scale := max(1, c.size)
	for _, x := range want {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return
		}
		scale = max(scale, math.Abs(x))
	}
	for i, x := range want {
		if !(math.Abs(got[i]-x) <= tolerance*scale) {
			c.fail("%s[%d] is %.17g, by the interpreter %.17g", what, i, got[i], x)
			return
		}
	}
}

// variational compares the log-densities and the weights of the draws with the model as the spec says it: the logarithm of the joint density at
// the latent variables less the density of the target there.
func (c *comparison) variational() {
	c.sizes()
	b := c.derived.Problem
	for _, p := range c.answer.Points {
		c.place(p.Z)
		var syms []*expr.Node
		for _, d := range c.derived.Surrogate.Theta {
			syms = append(syms, d.Sym)
		}
		c.define(c.derived.Surrogate.Theta)
		c.modelData()
		width := len(p.Latents) / len(p.Weights)
		for i, weight := range p.Weights {
			z := p.Latents[i*width : (i+1)*width]
			at := 0
			for _, q := range b.Variational.Latent {
				n := 1
				for _, d := range q.Sym.Type.Dims[:q.Sym.Type.Rank] {
					n *= c.length(d)
				}
				c.give(q.Sym, z[at:at+n])
				at += n
			}
			c.env.Symbols[b.Target.Variable.Sym.Name] = eval.Value{Rows: nil, Scalar: z[0]}
			if t := b.Target.Variable.Sym.Type; t.Rank > 0 {
				c.env.Symbols[b.Target.Variable.Sym.Name] = eval.Core(mat.NewDense(width, 1, slices.Clone(z)))
			}
			want := -c.interpret(syms[0], b.Target.LogPDF)[0]
			c.agree(fmt.Sprintf("log-density of draw %d", i), p.Density[i:i+1], []float64{-want})
			for _, term := range []*expr.Node{b.Variational.Likelihood, b.Variational.Prior} {
				if term != nil {
					want += c.interpret(expr.NewGraph().Const(0), term)[0]
				}
			}
			c.agree(fmt.Sprintf("weight of draw %d", i), []float64{weight}, []float64{want})
		}
	}
}

// modelData gives the interpreter the data of the model.
func (c *comparison) modelData() {
	x := c.answer.Data
	c.env.Set(c.derived.Problem.Variational.Scale.Name, 1)
	rows := len(x.Values) / max(x.Columns, 1)
	c.env.Set(expr.Rows.String(), float64(rows))
	c.env.Weights = nil
	at := 0
	for _, q := range c.derived.Problem.Variational.Data {
		width := 1
		if t := q.Sym.Type; t.Rank > 0 {
			width = c.length(t.Dims[0])
		}
		column := make([]float64, rows)
		cores := make([]*mat.Dense, rows)
		for i := range rows {
			part := x.Values[i*x.Columns+at : i*x.Columns+at+width]
			column[i] = part[0]
			cores[i] = mat.NewDense(width, 1, slices.Clone(part))
		}
		if c.env.Symbols[q.Sym.Name] = (eval.Value{Rows: column}); q.Sym.Type.Rank > 0 {
			c.env.Symbols[q.Sym.Name] = eval.CoreRows(cores)
		}
		at += width
	}
}
