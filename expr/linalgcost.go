package expr

import "math"

// typicalDim is the length that the cost model takes a symbolic dimension to have.
const typicalDim = 32

// size is the length of a dimension as the cost model takes it.
func (d Dim) size() float64 {
	if d.Name != "" {
		return typicalDim
	}
	return float64(d.Size)
}

// Entries is the number of entries of a value as the cost model takes it.
func (t Type) Entries() float64 { return t.entries() }

// entries is the number of entries of a value.
func (t Type) entries() float64 {
	n := 1.0
	for i := range t.Rank {
		n *= t.Dims[i].size()
	}
	return n
}

// linalgCost is the cost in flops; inverses and determinants go through a Cholesky factorisation.
func linalgCost(n *Node) float64 {
	in := 1.0
	if len(n.Args) > 0 {
		in = n.Args[0].Type.entries()
	}
	switch n.Op {
	case MatMul:
		return matMulCost(n.Args)
	case Dot, Inner:
		return 2 * in
	case Outer:
		return n.Type.entries()
	case Inv:
		return math.Pow(n.Type.Dims[0].size(), 3)
	case LogDet:
		return math.Pow(n.Args[0].Type.Dims[0].size(), 3) / 3
	case Chol:
		return math.Pow(n.Type.Dims[0].size(), 3) / 3
	case LowerHalf:
		return n.Type.entries() / 2
	case EntryLogSumExp:
		return 12 * in
	case Cumulative, Remaining:
		return n.Type.entries()
	}
	return 0
}

// matMulCost multiplies from the right; diagonal matrices scale what they stand beside.
func matMulCost(args []*Node) float64 {
	k := len(args) - 1
	for k > 0 && args[k].Op == DiagMat {
		k--
	}
	columns := 1.0
	if last := args[k].Type; last.Rank == 2 {
		columns = last.Dims[1].size()
	}
	cost := 0.0
	for i, a := range args {
		switch {
		case i == k:
		case a.Op == DiagMat:
			cost += a.Type.Dims[0].size() * columns
		default:
			cost += 2 * a.Type.entries() * columns
		}
	}
	return cost
}
