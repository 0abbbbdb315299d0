package expr

import (
	"context"
	bits "encoding/binary"
	"math"
	"slices"
	"strconv"
)

// Node is a value of the expression graph. Nodes are immutable and hash-consed: within one graph, equal expressions are
// the same node, so that pointer equality is equality of canonical forms.
type Node struct {
	ID    int // creation order within the graph: the canonical order of operands
	Op    *Op
	Args  []*Node
	Coefs []float64 // Lin: the coefficient of each operand; Prod: its exponent
	Const float64   // Const: the value; Lin: the constant term
	Name  string    // Sym: the name
	Axis  Axes      // Sum, Max, LogSumExp: the axis that is reduced; Softmax: the one it normalises over
	Fn    *Lambda   // Root: the equations; Expectation: the functions; Scan, Series: the state
	Index int       // Root: which unknown; Expectation: which function; Series: 0, or 1 + which parameter; LogJoint, LogJointGradient: which Terms
	Type  Type
	Facts Facts
	tree  float64 // how many nodes it has with each counted as often as it is used: the length of what is printed
}

// Lambda is a system of equations F(y, p) = 0 in the unknowns Vars with parameters Params (symbols of the same graph).
// As many equations as unknowns; Start gives starting values as expressions of the parameters (nil entries: none).
// Merit, when not nil, is a convex function of the unknowns whose gradient is F: what a damped Newton method descends.
//
// Unknowns and parameters may be vectors. Such a shaped system has a symmetric positive definite Jacobian dF/dy, so that
// conjugate gradients can solve with it: it is the gradient of its merit, or linear in the unknowns when it has none.
type Lambda struct {
	Vars, Params []*Node
	Eqs          []*Node
	Start        []*Node
	Merit        *Node
	// Rows are the symbols of the parts of a row of a scan; with Series the last of them says which series a row belongs to, at
	// whose first row the state starts again.
	Rows   []*Node
	Series bool
	// Adjoint are the derivatives of a scan, nil before they have been asked for.
	Adjoint *Adjoint
	// Linear is the system that derivatives of the solution of a shaped one solve; package diff makes it when it is first
	// asked for.
	Linear *Linear
}

// Linear is the system H u = b in the unknowns u, with H the Jacobian of another system.
type Linear struct {
	Fn    *Lambda
	Right []*Node // symbols of b, one an unknown
	// Args are the values of the parameters of Fn, in the symbols Right and those of the other system.
	Args []*Node
}

// OfNumber reports whether one number is unknown, of an equation that is not the derivative of a function that is known.
func (fn *Lambda) OfNumber() bool {
	return len(fn.Vars) == 1 && fn.Vars[0].Type.Rank == 0 && fn.Merit == nil
}

// Shaped reports whether unknowns or parameters are vectors.
func (fn *Lambda) Shaped() bool {
	vector := func(n *Node) bool { return n.Type.Rank > 0 }
	return slices.ContainsFunc(fn.Vars, vector) || slices.ContainsFunc(fn.Params, vector)
}

// Graph owns nodes.
type Graph struct {
	nodes  map[string]*Node
	count  int
	gap    func() int // numbers that are left out before the next
	fresh  int
	keyBuf []byte
	spare  []*terms // that nobody uses now

	work, limit int
	ctx         context.Context

	components  string // the name of their number
	conditional bool   // there is a where
}

// NewGraph returns an empty graph.
func NewGraph() *Graph { return &Graph{nodes: map[string]*Node{}} }

// LeaveGaps leaves gaps in the numbers of nodes, as others in the graph would: for tests, as only their order may be of importance.
func (g *Graph) LeaveGaps(gap func() int) { g.gap = gap }

// NameComponents names the number of components, before anything is built of it.
func (g *Graph) NameComponents(name string) { g.components = name }

// intern returns the node equal to n, adding it when it is new.
func (g *Graph) intern(n Node) *Node {
	g.spend(1 + len(n.Args))
	if old := g.nodes[string(g.key(&n))]; old != nil {
		return old
	}
	return g.addNew(n)
}

// internTerms is intern of a sum or a product of merged terms, whose memory is not the node's.
func (g *Graph) internTerms(op *Op, constant float64, t *terms) *Node {
	g.spend(1 + len(t.args))
	n := Node{Op: op, Args: t.args, Coefs: t.coefs, Const: constant}
	if old := g.nodes[string(g.key(&n))]; old != nil {
		return old
	}
	n.Args, n.Coefs = slices.Clone(t.args), slices.Clone(t.coefs)
	n.Type = mustBroadcast(op, n.Args)
	return g.addNew(n)
}

// addNew adds the node whose key has been written last. It is a function of its own as most nodes that are asked for are there already:
// of those nothing is to be allocated.
func (g *Graph) addNew(n Node) *Node {
	key := string(g.keyBuf)
	g.count++
	if g.gap != nil {
		g.count += g.gap()
	}
	n.ID = g.count
	n.Facts = n.Op.facts(&n)
	n.Facts.Wild, n.Facts.OfTable, n.Facts.Overflows = isWild(&n), ofTable(&n), overflows(&n)
	n.tree = treeSize(&n)
	g.conditional = g.conditional || n.Op == whereOp
	g.nodes[key] = &n
	return &n
}

func treeSize(n *Node) float64 {
	size := 1.0
	for _, a := range n.Args {
		size += a.tree
	}
	switch {
	case n.OfScan():
		size += n.Fn.Eqs[0].tree
	case n.Fn != nil:
		size += n.Fn.Eqs[n.Index].tree
	}
	return size
}

func (g *Graph) key(n *Node) []byte {
	k := append(g.keyBuf[:0], n.Op.Name...)
	k = append(k, '|')
	if n.Op.Own != nil {
		k = bits.AppendUvarint(append(k, '.'), uint64(n.Op.Own.ID))
	}
	k = append(k, '|')
	k = appendIDs(k, n.Args)
	k = bits.AppendUvarint(k, uint64(len(n.Coefs)))
	for _, c := range n.Coefs {
		k = bits.LittleEndian.AppendUint64(k, math.Float64bits(c))
	}
	k = bits.LittleEndian.AppendUint64(k, math.Float64bits(n.Const))
	k = bits.AppendUvarint(k, uint64(len(n.Name)))
	k = append(append(k, n.Name...), byte(n.Axis), byte(n.Index))
	if n.Fn != nil {
		for _, part := range [][]*Node{n.Fn.Vars, n.Fn.Params, n.Fn.Rows, n.Fn.Eqs, n.Fn.Start} {
			k = appendIDs(k, part)
		}
	}
	g.keyBuf = k
	return k
}

// appendIDs appends what tells nodes apart, of which some may be nil, with how many they are.
func appendIDs(k []byte, nodes []*Node) []byte {
	k = bits.AppendUvarint(k, uint64(len(nodes)))
	for _, n := range nodes {
		k = appendID(k, n)
	}
	return k
}

func appendID(k []byte, n *Node) []byte {
	if n == nil {
		return append(k, 0)
	}
	return bits.AppendUvarint(k, uint64(n.ID)+1)
}

// Const returns the node of a number.
func (g *Graph) Const(v float64) *Node {
	if v == 0 {
		v = 0 // one zero: -0 and +0 are the same constant
	}
	return g.intern(Node{Op: opConst, Const: v})
}

// Sym returns the symbol of that name. Its type and facts are those of the first call.
func (g *Graph) Sym(name string, t Type, f Facts) *Node {
	if old, ok := g.nodes[string(g.key(&Node{Op: opSym, Name: name}))]; ok {
		return old
	}
	n := g.intern(Node{Op: opSym, Name: name, Type: t})
	n.Facts = f
	return n
}

// Assume adds to what is known of n that it lies in r. Nothing may have been built of n yet: facts are derived when a node
// is made.
func (g *Graph) Assume(n *Node, r Range) {
	if both := n.Facts.Range.Intersect(r); !both.Empty() {
		n.Facts.Range = both
	}
}

// Fresh returns a symbol that no formula can name.
func (g *Graph) Fresh(prefix string, t Type, f Facts) *Node {
	g.fresh++
	return g.Sym(prefix+"$"+strconv.Itoa(g.fresh), t, f)
}

// IsConst reports whether n is a number, and which.
func (n *Node) IsConst() (float64, bool) { return n.Const, n.Op == opConst }

// IsSym reports whether n is a symbol.
func (n *Node) IsSym() bool { return n.Op == opSym }

// Is reports whether n is the constant v.
func (n *Node) Is(v float64) bool { return n.Op == opConst && n.Const == v }

// Positive reports whether every entry of n is known to be greater than 0.
func (n *Node) Positive() bool { return n.Facts.Range.Within(Positive) }

// Nonnegative reports whether every entry of n is known to be 0 or greater.
func (n *Node) Nonnegative() bool { return n.Facts.Range.Within(Nonnegative) }

// Nonzero reports whether no entry of n can be 0.
func (n *Node) Nonzero() bool {
	return !n.Facts.Range.Contains(0)
}

// Rebuild returns n with other operands, in canonical form. A number in the place of a vector or a matrix counts for
// every entry: the value keeps its shape.
func (g *Graph) Rebuild(n *Node, args []*Node) *Node {
	if slices.Equal(args, n.Args) {
		return n
	}
	if n.IsLinalg() {
		shaped := make([]*Node, len(args))
		for i, a := range args {
			shaped[i] = g.Spread(a, n.Args[i].Type)
		}
		return g.rebuildLinalg(n, shaped)
	}
	return g.Spread(g.rebuild(n, args), n.Type)
}

// Entry returns one entry of an elementwise operation: n with the entries of its operands, numbers, in their place.
func (g *Graph) Entry(n *Node, args []*Node) *Node { return g.rebuild(n, args) }

func (g *Graph) rebuild(n *Node, args []*Node) *Node {
	switch n.Op {
	case opLin:
		return g.Lin(n.Const, n.Coefs, args)
	case opProd:
		return g.Prod(n.Coefs, args)
	case opPow:
		return g.Pow(args[0], args[1])
	case opSum:
		return g.Sum(n.Axis, args[0])
	case opLogJoint:
		return g.LogJoint(args[0], n.Terms())
	case opLogJointGradient:
		return g.LogJointGradient(args[0], n.Terms())
	case opMax:
		return g.Max(n.Axis, args[0])
	case opAttained:
		return g.Attained(n.Axis, args[0])
	case opLogSumExp:
		return g.LogSumExp(n.Axis, args[0])
	case opSoftmax:
		return g.Softmax(n.Axis, args[0])
	case opRoot:
		return g.root(n.Fn, args, n.Index)
	case opExpectation:
		return g.expectation(n.Fn, args, n.Index)
	case opScan:
		return g.Scan(n.Fn, args)
	case opSeries:
		return g.series(n.Fn, args, n.Index)
	}
	return g.Call(n.Op, args...)
}

// Substitute replaces nodes by others, outermost first: a replaced node is not entered.
func (g *Graph) Substitute(n *Node, by map[*Node]*Node) *Node {
	return g.substitute(n, by, map[*Node]*Node{})
}

// SubstituteAll is Substitute for several nodes.
func (g *Graph) SubstituteAll(ns []*Node, by map[*Node]*Node) []*Node {
	memo := map[*Node]*Node{}
	out := make([]*Node, len(ns))
	for i, n := range ns {
		out[i] = g.substitute(n, by, memo)
	}
	return out
}

func (g *Graph) substitute(n *Node, by, memo map[*Node]*Node) *Node {
	if m, ok := by[n]; ok {
		return m
	}
	if len(n.Args) == 0 {
		return n
	}
	if m, ok := memo[n]; ok {
		return m
	}
	args := make([]*Node, len(n.Args))
	for i, a := range n.Args {
		args[i] = g.substitute(a, by, memo)
	}
	m := g.Rebuild(n, args)
	memo[n] = m
	return m
}
