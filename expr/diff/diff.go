// Package diff differentiates expression graphs. The derivative of a graph is a graph, so that rules can improve it.
//
// Reverse mode propagates cotangents from outputs to inputs and gives gradients; forward mode propagates tangents from
// inputs to outputs. Both take the local derivatives from one place: a row of the table of functions, or a case of
// partials for the few structural operations.
package diff

import (
	"errors"
	"fmt"
	"slices"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/expr/syntax"
)

// Gradient returns the derivative of a scalar node with respect to each of the given nodes.
func Gradient(g *expr.Graph, f *expr.Node, wrt []*expr.Node) ([]*expr.Node, error) {
	return Pullback(g, []*expr.Node{f}, []*expr.Node{g.Const(1)}, wrt)
}

// Pullback returns, for each node of wrt, the sum over outputs of cotangent times the derivative of the output: the
// transposed Jacobian applied to the cotangents. A nil cotangent counts as zero. Nodes of wrt are inputs: nothing is
// propagated through them.
func Pullback(g *expr.Graph, outputs, cotangents, wrt []*expr.Node) ([]*expr.Node, error) {
	order := reaching(outputs, wrt)
	r := reverse{g: g, shares: map[*expr.Node][]*expr.Node{}, stop: set(wrt), reach: set(append(order, wrt...))}
	for i, y := range outputs {
		if cotangents[i] != nil {
			r.add(y, cotangents[i])
		}
	}
	for i := len(order) - 1; i >= 0; i-- {
		if err := r.propagate(order[i]); err != nil {
			return nil, err
		}
	}
	out := make([]*expr.Node, len(wrt))
	for i, x := range wrt {
		c := r.cotangent(x)
		if c == nil {
			c = g.Const(0)
		}
		out[i] = structured(g, x, c)
	}
	return out, nil
}

// structured is the gradient in the form of what it belongs to: G with df = <G, dx> is symmetric, triangular or diagonal
// where x is.
func structured(g *expr.Graph, x, gradient *expr.Node) *expr.Node {
	switch s := x.Facts.Structure; {
	case s&expr.Diagonal != 0:
		return g.DiagonalMatrix(g.Diagonal(gradient))
	case s&expr.Symmetric != 0:
		return g.Symmetrised(gradient)
	case s&expr.LowerTriangular != 0:
		return g.Lower(gradient)
	}
	return gradient
}

func set(nodes []*expr.Node) map[*expr.Node]bool {
	m := make(map[*expr.Node]bool, len(nodes))
	for _, n := range nodes {
		m[n] = true
	}
	return m
}

// reaching lists the nodes between wrt and the outputs, operands before users.
func reaching(outputs, wrt []*expr.Node) []*expr.Node {
	reach := set(wrt)
	var order []*expr.Node
	expr.Walk(func(n *expr.Node) {
		if reach[n] {
			return
		}
		if slices.ContainsFunc(n.Args, func(a *expr.Node) bool { return reach[a] }) {
			reach[n] = true
			order = append(order, n)
		}
	}, outputs...)
	return order
}

type reverse struct {
	g      *expr.Graph
	shares map[*expr.Node][]*expr.Node // what the users of a node add to its cotangent
	stop   map[*expr.Node]bool
	reach  map[*expr.Node]bool // what depends on the inputs
}

// add adds to the cotangent of n. The cotangent of a value with an axis is taken with respect to the measure of the
// axis: the weights of the rows do not appear in it.
func (r *reverse) add(n, c *expr.Node) { r.shares[n] = append(r.shares[n], c) }

// cotangent is the sum of the shares of all users, nil where there are none. They are added when all are there: one by one
// they would be as many sums.
func (r *reverse) cotangent(n *expr.Node) *expr.Node {
	switch shares := r.shares[n]; len(shares) {
	case 0:
		return nil
	case 1:
		return shares[0]
	default:
		return r.g.Add(shares...)
	}
}

// accumulate adds what user passes on to its operand. Over axes that the operand was broadcast over it is summed: the
// adjoint of a broadcast.
func (r *reverse) accumulate(user, operand, c *expr.Node) {
	for _, axis := range []expr.Axes{expr.Rows, expr.Components, expr.Draws} {
		if user.Type.Axes.Has(axis) && !operand.Type.Axes.Has(axis) {
			c = r.g.Sum(axis, c)
		}
	}
	r.add(operand, c)
}

func (r *reverse) propagate(n *expr.Node) error {
	c := r.cotangent(n)
	if c == nil || c.Is(0) || r.stop[n] {
		return nil
	}
	switch n.Op {
	case expr.Sum: // every row receives the cotangent of the sum
		r.add(n.Args[0], c)
		return nil
	case expr.Scan, expr.Series:
		return r.seriesPullback(n, c)
	case expr.LogJoint:
		r.accumulate(n, n.Args[0], r.g.Mul(c, r.g.LogJointGradient(n.Args[0], n.Terms())))
		return nil
	case expr.Max: // a subgradient: the row where it is attained receives the cotangent, whatever its weight
		at := r.g.Attained(n.Axis, n.Args[0])
		r.add(n.Args[0], r.g.Mul(c, at, r.g.Pow(r.g.Sum(n.Axis, at), r.g.Const(-1))))
		return nil
	case expr.Attained: // constant but for jumps
		return nil
	case expr.LogSumExp:
		r.add(n.Args[0], r.g.Mul(c, r.g.Softmax(n.Axis, n.Args[0])))
		return nil
	case expr.Softmax:
		r.add(n.Args[0], softmaxDerivative(r.g, n, c))
		return nil
	}
	if shares, ok := linalgPullback(r.g, n, c); ok {
		for i, a := range n.Args {
			r.accumulate(n, a, shares[i])
		}
		return nil
	}
	if n.Op == expr.Root && n.Fn.Shaped() {
		shares, err := shapedPullback(r.g, n, c)
		for i, s := range shares {
			r.accumulate(n, n.Args[i], s)
		}
		return err
	}
	partials, err := Partials(r.g, n)
	if err != nil {
		return err
	}
	for i, a := range n.Args {
		if r.reach[a] && n.Op.Missing(i) {
			return missing(n, i)
		}
		if partials[i] == nil || partials[i].Is(0) {
			continue
		}
		share := r.g.Chain(c, partials[i])
		if n.Type.Rank > 0 && a.Type.Rank == 0 {
			share = broadcastShare(r.g, n, c, partials[i])
		}
		r.accumulate(n, a, share)
	}
	return nil
}

// Pushforward returns, for each output, the sum over inputs of tangent times the derivative: the Jacobian applied to
// the tangents.
func Pushforward(g *expr.Graph, outputs, wrt, tangents []*expr.Node) ([]*expr.Node, error) {
	tangent := map[*expr.Node]*expr.Node{}
	for i, x := range wrt {
		tangent[x] = tangents[i]
	}
	for _, n := range reaching(outputs, wrt) {
		t, err := push(g, n, tangent)
		if err != nil {
			return nil, err
		}
		tangent[n] = t
	}
	out := make([]*expr.Node, len(outputs))
	for i, y := range outputs {
		if out[i] = tangent[y]; out[i] == nil {
			out[i] = g.Const(0)
		}
	}
	return out, nil
}

func push(g *expr.Graph, n *expr.Node, tangent map[*expr.Node]*expr.Node) (*expr.Node, error) {
	switch n.Op {
	case expr.Sum:
		return g.Sum(n.Axis, tangent[n.Args[0]]), nil
	case expr.Scan, expr.Series:
		return seriesPush(g, n, tangent)
	case expr.LogJoint:
		return g.Contract(g.LogJointGradient(n.Args[0], n.Terms()), tangent[n.Args[0]]), nil
	case expr.Max:
		return g.AtLargest(n.Axis, n.Args[0], tangent[n.Args[0]]), nil
	case expr.Attained:
		return g.Const(0), nil
	case expr.LogSumExp:
		return g.Sum(n.Axis, g.Mul(g.Softmax(n.Axis, n.Args[0]), tangent[n.Args[0]])), nil
	case expr.Softmax:
		return softmaxDerivative(g, n, tangent[n.Args[0]]), nil
	}
	tangents := make([]*expr.Node, len(n.Args))
	for i, a := range n.Args {
		tangents[i] = tangent[a]
	}
	if t, ok := linalgPush(g, n, tangents); ok {
		return t, nil
	}
	if n.Op == expr.Root && n.Fn.Shaped() {
		return shapedPush(g, n, tangents)
	}
	partials, err := Partials(g, n)
	if err != nil {
		return nil, err
	}
	var parts []*expr.Node
	for i, a := range n.Args {
		if tangent[a] != nil && n.Op.Missing(i) {
			return nil, missing(n, i)
		}
		if t := tangent[a]; t != nil && partials[i] != nil {
			parts = append(parts, g.Chain(partials[i], t))
		}
	}
	return g.Spread(g.Add(parts...), n.Type), nil
}

// softmaxDerivative is the Jacobian of a softmax, which is symmetric, applied to x: s*(x - sum(s*x)).
func softmaxDerivative(g *expr.Graph, s, x *expr.Node) *expr.Node {
	return g.Mul(s, g.Sub(x, g.Sum(s.Axis, g.Mul(s, x))))
}

// ErrMissing is the error of a derivative that the table of functions does not have.
var ErrMissing = errors.New("derivative not available")

func missing(n *expr.Node, i int) error {
	return fmt.Errorf("%w: of %s with respect to operand %d", ErrMissing, n.Op.Name, i+1)
}

// Partials returns the derivative of an elementwise node with respect to each operand; nil where the operand is a
// number by definition (the order of a polygamma function).
func Partials(g *expr.Graph, n *expr.Node) ([]*expr.Node, error) {
	switch n.Op {
	case expr.Lin:
		return linPartials(g, n), nil
	case expr.Prod:
		return prodPartials(g, n), nil
	case expr.Pow:
		x, y := n.Args[0], n.Args[1]
		return []*expr.Node{
			g.Mul(y, g.Pow(x, g.Lin(-1, []float64{1}, []*expr.Node{y}))),
			g.Mul(n, g.Call(logOp, x)),
		}, nil
	case expr.Root:
		return rootPartials(g, n)
	case expr.Expectation:
		return expectationPartials(g, n)
	}
	if n.Op.Elementwise() {
		return functionPartials(g, n)
	}
	return nil, fmt.Errorf("%v has no derivative", n.Op)
}

var logOp, _ = expr.FunctionNamed("log")

func linPartials(g *expr.Graph, n *expr.Node) []*expr.Node {
	out := make([]*expr.Node, len(n.Args))
	for i, c := range n.Coefs {
		out[i] = g.Const(c)
	}
	return out
}

// prodPartials lowers one exponent, so that no operand is divided by: d(x y)/dx is y also at x = 0.
func prodPartials(g *expr.Graph, n *expr.Node) []*expr.Node {
	out := make([]*expr.Node, len(n.Args))
	for i, e := range n.Coefs {
		exps := slices.Clone(n.Coefs)
		exps[i]--
		out[i] = g.Scale(e, g.Prod(exps, n.Args))
	}
	return out
}

// functionPartials reads the formulas of the table, or asks a function of one's own.
func functionPartials(g *expr.Graph, n *expr.Node) ([]*expr.Node, error) {
	if n.Op.Own != nil {
		return n.Op.Own.Partials(n.Args)
	}
	names := map[string]*expr.Node{}
	for i, name := range n.Op.OperandNames() {
		names[name] = n.Args[i]
	}
	out := make([]*expr.Node, len(n.Args))
	for i, formula := range n.Op.Partials {
		if formula == "" || formula == expr.NoDerivative {
			continue
		}
		e, errs := syntax.Parse(formula)
		if len(errs) > 0 {
			return nil, fmt.Errorf("derivative of %v: %v", n.Op, errs[0].Msg)
		}
		b := expr.Builder{G: g, Scope: expr.Scope{Names: names, What: "a derivative", Entrywise: true}}
		if out[i] = b.Build(e); out[i] == nil {
			return nil, fmt.Errorf("derivative of %v: %v", n.Op, b.Faults[0].Msg)
		}
	}
	return out, nil
}

// rootPartials uses the implicit function theorem at the solution: dy/dp = -(dF/dy)^-1 dF/dp. The solution stands for
// the unknowns, so no iteration is ever differentiated.
func rootPartials(g *expr.Graph, n *expr.Node) ([]*expr.Node, error) {
	at := map[*expr.Node]*expr.Node{}
	for i, y := range g.Roots(n.Fn, n.Args) {
		at[n.Fn.Vars[i]] = y
	}
	for i, p := range n.Fn.Params {
		at[p] = n.Args[i]
	}
	// Row n.Index of the inverse of dF/dy, as cotangents of the equations.
	row, err := inverseRow(g, n.Fn, n.Index, at)
	if err != nil {
		return nil, err
	}
	out := make([]*expr.Node, len(n.Args))
	for j, p := range n.Fn.Params {
		var sum []*expr.Node
		for i, eq := range n.Fn.Eqs {
			d, err := Gradient(g, eq, []*expr.Node{p})
			if err != nil {
				return nil, err
			}
			sum = append(sum, g.Mul(g.Const(-1), row[i], g.Substitute(d[0], at)))
		}
		out[j] = g.Add(sum...)
	}
	return out, nil
}
