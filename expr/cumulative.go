package expr

// Cumulative is the vector of the sums of the entries up to each, Remaining that of the sums from each on: the products with the lower
// triangular matrix of ones and with its transpose, which are never made.
var (
	Cumulative = &Op{Name: "cumulative", Arity: -1, Doc: "x[1], x[1] + x[2], ...: the sums of the entries up to each"}
	Remaining  = &Op{Name: "remaining", Arity: -1, Doc: "the sums of the entries from each on"}
)

func init() {
	Cumulative.factRule = sumFacts
	Remaining.factRule = sumFacts
}

// CumulativeSum returns the sums of the entries of a vector up to each.
func (g *Graph) CumulativeSum(x *Node) *Node { return g.accumulated(Cumulative, x) }

// RemainingSum returns the sums of the entries of a vector from each on.
func (g *Graph) RemainingSum(x *Node) *Node { return g.accumulated(Remaining, x) }

func (g *Graph) accumulated(op *Op, x *Node) *Node {
	s, core := g.Bare(x)
	switch {
	case s.Is(0) || core.Is(0):
		return g.Const(0)
	case core.Op == Ones && op == Cumulative:
		return g.Mul(s, g.Iota(core.Type.Dims[0]))
	case core != x:
		return g.Mul(s, g.accumulated(op, core))
	}
	return g.intern(Node{Op: op, Args: []*Node{x}, Type: x.Type})
}
