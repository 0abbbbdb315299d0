package expr

// Reductions over an axis other than sums, and what normalises over one. What does not vary over the axis leaves them, so
// that of the log-density of a mixture the part that all components share is computed once for a row.

// Max returns the largest value of x over an axis. Rows of weight 0 do not count.
func (g *Graph) Max(axis Axes, x *Node) *Node {
	if !x.Type.Axes.Has(axis) {
		return x
	}
	return g.intern(Node{Op: opMax, Args: []*Node{x}, Axis: axis, Type: x.Type.without(axis)})
}

// Attained returns 1 in the row where x is the largest, the first of several of positive weight, and 0 in the others. A
// value that does not vary is the largest in every row.
func (g *Graph) Attained(axis Axes, x *Node) *Node {
	if !x.Type.Axes.Has(axis) {
		return g.Const(1)
	}
	return g.intern(Node{Op: opAttained, Args: []*Node{x}, Axis: axis, Type: x.Type})
}

// AtLargest returns the value of y in the row where x is the largest, the first of several.
func (g *Graph) AtLargest(axis Axes, x, y *Node) *Node {
	at := g.Attained(axis, x)
	return g.Div(g.Sum(axis, g.Mul(at, y)), g.Sum(axis, at)) // the weight of that row
}

// LogSumExp returns log(sum(exp(x))) over an axis, for numbers.
func (g *Graph) LogSumExp(axis Axes, x *Node) *Node {
	shared, own := g.share(axis, x)
	if own == nil {
		return g.Add(x, g.Call(logOp, g.Size(axis)))
	}
	n := g.intern(Node{Op: opLogSumExp, Args: []*Node{own}, Axis: axis, Type: own.Type.without(axis)})
	return g.Add(shared, n)
}

// Softmax returns exp(x)/sum(exp(x)) over an axis, for numbers: it does not depend on what x shares over the axis.
func (g *Graph) Softmax(axis Axes, x *Node) *Node {
	_, own := g.share(axis, x)
	if own == nil {
		return g.Div(g.Const(1), g.Size(axis))
	}
	return g.intern(Node{Op: opSoftmax, Args: []*Node{own}, Axis: axis, Type: own.Type})
}

// share separates the terms of a sum that do not vary over an axis; own is nil when none does.
func (g *Graph) share(axis Axes, x *Node) (shared, own *Node) {
	switch {
	case !varies(x, axis):
		return x, nil
	case x.Op != opLin:
		return g.Const(0), x
	}
	var in, out []*Node
	var inCoefs, outCoefs []float64
	for i, a := range x.Args {
		if varies(a, axis) {
			in, inCoefs = append(in, a), append(inCoefs, x.Coefs[i])
		} else {
			out, outCoefs = append(out, a), append(outCoefs, x.Coefs[i])
		}
	}
	return g.Lin(x.Const, outCoefs, out), g.Lin(0, inCoefs, in)
}

// without is the type with axes removed.
func (t Type) without(a Axes) Type { t.Axes &^= a; return t }
