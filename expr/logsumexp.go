package expr

// EntryLogSumExp is the logarithm of the sum of the exponentials of the entries of a vector, the largest taken out first; LogSumExp is that
// over the components of a mixture. Its derivative is the softmax of the entries, exp(x - logsumexp(x)).
var EntryLogSumExp = &Op{Name: "logsumexp", Arity: -1, Doc: "logarithm of the sum of the exponentials of the entries of a vector"}

func init() {
	EntryLogSumExp.factRule = func(*Node) (Range, bool) { return Real, false }
}

// LogSumExpOf returns the logarithm of the sum of the exponentials of the d entries of a vector; a number stands for a vector of it.
func (g *Graph) LogSumExpOf(x *Node, d Dim) *Node {
	s, core := g.Bare(x)
	switch {
	case x.Type.Rank == 0:
		return g.Add(x, g.Call(logOp, g.DimNode(d)))
	case core.Op == Ones:
		return g.Add(s, g.Call(logOp, g.DimNode(d)))
	}
	return g.intern(Node{Op: EntryLogSumExp, Args: []*Node{x}, Type: Scalar.Over(x.Type.Axes)})
}

// EntrySoftmax are the derivatives of a log-sum-exp by the entries of its vector.
func (g *Graph) EntrySoftmax(n *Node) *Node { return g.Call(functionIndex["exp"], g.Sub(n.Args[0], n)) }
