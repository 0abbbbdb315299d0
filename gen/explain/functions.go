package explain

import "github.com/sngdgen/sngdgen/expr"

// definition explains a function; its LaTeX has the operands as #1 and #2, and is "" where it is the usual one.
type definition struct {
	name, latex string
	arity       int
	doc         string
}

var schoolFunctions = map[string]bool{"exp": true, "log": true, "abs": true, "min": true, "max": true}

// functions explains the functions that the formulas use and that are not school mathematics.
func (e *explainer) functions() {
	var list []definition
	met := map[definition]bool{}
	expr.Walk(func(n *expr.Node) {
		if d, ok := define(n); ok && !met[d] {
			met[d] = true
			list = append(list, d)
		}
	}, e.shown...)
	e.f.functions("Functions", list)
}

// define explains the operation of a node; false where it needs no words.
func define(n *expr.Node) (definition, bool) {
	switch {
	case n.Op.Elementwise() && !schoolFunctions[n.Op.Name]:
		return definition{n.Op.Name, n.Op.LaTeX, n.Op.Arity, n.Op.Doc}, true
	case n.Axis == expr.Components:
		return overComponents(n.Op)
	case n.Op == expr.Root:
		const latex = `\operatorname{root}_y\left(F(y) = 0\right)`
		return definition{"root(y, F(y) = 0)", latex, 0, "the solution y of an equation"}, true
	case n.Op == expr.Expectation:
		const latex = `\operatorname{E}_{t}\left(h(t)\right)`
		return definition{"E_t(h(t))", latex, 0, "the mean of h(t) for a standard normal number t, by Gauss-Hermite quadrature"}, true
	case n.IsLinalg():
		return notation(n)
	}
	return definition{}, false
}

// overComponents explains an operation over the components of a mixture.
func overComponents(op *expr.Op) (definition, bool) {
	name := over(op)
	doc := map[*expr.Op]string{
		expr.Sum:       "sum over the components",
		expr.Softmax:   "exp(x), divided by its sum over the components",
		expr.LogSumExp: "logarithm of the sum of exp(x) over the components",
	}[op]
	latex := name.latex + `\left(#1\right)`
	if op == expr.Sum {
		latex = name.latex + " #1"
	}
	return definition{name.text, latex, 1, doc}, doc != ""
}

// notation explains how linear algebra is written as text.
func notation(n *expr.Node) (definition, bool) {
	of := func(name string) (definition, bool) { return definition{name: name, doc: n.Op.Doc}, true }
	switch n.Op {
	case expr.MatMul:
		return of("A @ B")
	case expr.Transpose:
		return of("A'")
	case expr.Dot:
		if n.Args[0].Op == expr.Ones {
			return definition{name: "total(x)", doc: "sum of the entries"}, true
		}
		return of("dot(x, y)")
	case expr.Outer:
		return of("outer(x, y)")
	case expr.Inner:
		const latex = `\left\langle A, B \right\rangle`
		return definition{"tr(A' @ B)", latex, 0, "trace, the sum of the products of the entries of A and B"}, true
	case expr.Diag:
		return of("diag(A)")
	case expr.DiagMat:
		return of("diag(x)")
	case expr.Inv, expr.LogDet, expr.Chol, expr.LowerHalf:
		return of(n.Op.Name + "(A)")
	case expr.Cumulative, expr.Remaining, expr.EntryLogSumExp:
		return of(n.Op.Name + "(x)")
	case expr.Eye:
		return of("eye(" + n.Name + ")")
	}
	return definition{}, false
}
