package exprtest

import (
	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/expr/eval"
)

// Nodes returns the balls of a node, in one of the layouts of Grid. The node has no roots in it.
func Nodes(n *expr.Node, env *eval.Env) []Ball { return Graph(n, env)[n] }

// Graph returns the balls of a node and of all nodes that it depends on.
func Graph(n *expr.Node, env *eval.Env) map[*expr.Node][]Ball {
	balls := map[*expr.Node][]Ball{}
	naive := Naive{Env: env}
	expr.Walk(func(m *expr.Node) {
		args := make([][]Ball, len(m.Args))
		for i, a := range m.Args {
			args[i] = balls[a]
		}
		balls[m] = naive.node(m, args)
	}, n)
	return balls
}

// node computes a node from the balls of its operands.
func (nv *Naive) node(n *expr.Node, args [][]Ball) []Ball {
	if n.Op.Elementwise() {
		return Function(n.Op, args)
	}
	switch n.Op {
	case expr.Const:
		return []Ball{Leaf(n.Const)}
	case expr.Sym:
		return nv.Symbol(n.Name)
	case expr.Lin:
		sum := []Ball{Leaf(n.Const)}
		for i, coef := range n.Coefs {
			sum = Binary('+', sum, Binary('*', []Ball{Leaf(coef)}, args[i]))
		}
		return sum
	case expr.Prod:
		prod := []Ball{{V: 1}}
		for i, e := range n.Coefs {
			prod = Binary('*', prod, Binary('^', args[i], []Ball{{V: e}}))
		}
		return prod
	case expr.Pow:
		return Binary('^', args[0], args[1])
	case expr.Sum:
		if n.Axis == expr.Components {
			return overComponents(args[0], func(x []Ball) []Ball { return []Ball{total(x)} })
		}
		return overRows(nv.Sum, args[0])
	case expr.LogSumExp, expr.Softmax:
		return combinations[n.Op.Name](args[0])
	}
	panic("exprtest: cannot evaluate " + n.String())
}

// total adds the components.
func total(x []Ball) Ball {
	s := x[:1:1]
	for _, b := range x[1:] {
		s = Binary('+', s, []Ball{b})
	}
	return s[0]
}
