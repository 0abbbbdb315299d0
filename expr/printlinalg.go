package expr

import (
	"fmt"
	"strings"
)

// linalg prints an operation of linear algebra: as a formula of the language, or in LaTeX as textbooks write it.
func (w *notation) linalg(n *Node, min int) string {
	tex := w.fraction != nil
	if x, subs, ok := n.subscripted(); ok {
		return w.entry(x, subs)
	}
	args := make([]string, len(n.Args))
	for i, a := range n.Args {
		args[i] = w.print(a, precPower)
	}
	switch {
	case n.Op == MatMul && tex:
		return w.wrap(strings.Join(args, ` \, `), precProduct, min)
	case n.Op == MatMul:
		return w.wrap(strings.Join(args, " @ "), precProduct, min)
	case n.Op == Transpose && tex:
		return w.wrap(w.print(n.Args[0], precAtom)+`^{\top}`, precPower, min)
	case n.Op == Transpose:
		return w.print(n.Args[0], precAtom) + "'"
	case !tex:
		return w.linalgCall(n)
	case n.Op == Dot:
		return w.wrap(w.print(n.Args[0], precAtom)+`^{\top} `+args[1], precProduct, min)
	case n.Op == Outer:
		return w.wrap(args[0]+` \, `+w.print(n.Args[1], precAtom)+`^{\top}`, precProduct, min)
	case n.Op == Inv && n.Args[0].Op == Transpose:
		return w.wrap(w.print(n.Args[0].Args[0], precAtom)+`^{-\top}`, precPower, min)
	case n.Op == Inv:
		return w.wrap(w.print(n.Args[0], precAtom)+`^{-1}`, precPower, min)
	case n.Op == Inner:
		return `\left\langle ` + w.print(n.Args[0], precSum) + ", " + w.print(n.Args[1], precSum) + ` \right\rangle`
	case n.Op == Eye:
		return "I_{" + n.Name + "}"
	case n.Op == Ones:
		return `\mathbf{1}_{` + n.Name + "}"
	case n.Op == Iota:
		return `(1, \ldots, ` + n.Name + ")"
	}
	if n.Op == Table {
		return w.table(n.Coefs)
	}
	names := map[*Op]string{LogDet: `\log\det`, Diag: `\operatorname{diag}`, DiagMat: `\operatorname{diag}`,
		Chol: `\operatorname{chol}`, LowerHalf: `\operatorname{low}`,
		Cumulative: `\operatorname{cumulative}`, Remaining: `\operatorname{remaining}`, EntryLogSumExp: `\operatorname{logsumexp}`}
	return names[n.Op] + w.paren(w.print(n.Args[0], precSum))
}

// mostPrinted is how many numbers of a table are printed.
const mostPrinted = 9

// table prints a vector of numbers, of which a long one shows the ends.
func (w *notation) table(values []float64) string {
	var out []string
	for i, v := range values {
		switch from := mostPrinted / 2; {
		case len(values) <= mostPrinted || i < from || i >= len(values)-from:
			out = append(out, w.print(&Node{Op: opConst, Const: v}, precSum))
		case i == from:
			out = append(out, "...")
		}
	}
	return "[" + strings.Join(out, ", ") + "]"
}

// linalgCall prints an operation as a call. The inner product of two matrices is a trace in the language.
func (w *notation) linalgCall(n *Node) string {
	switch {
	case n.Op == Eye || n.Op == Ones || n.Op == Iota:
		return n.Op.Name + "(" + n.Name + ")"
	case n.Op == Table:
		return w.table(n.Coefs)
	case n.Op == Dot && n.Args[0].Op == Ones:
		return "total(" + w.print(n.Args[1], precSum) + ")"
	case n.Op == Inner && n.Args[0].Op == Eye:
		return "tr(" + w.print(n.Args[1], precSum) + ")"
	case n.Op == Inner && n.Args[1].Op == Eye:
		return "tr(" + w.print(n.Args[0], precSum) + ")"
	case n.Op == Inner:
		left := w.print(n.Args[0], precAtom)
		if n.Args[0].Facts.Structure&Symmetric == 0 {
			left += "'"
		}
		return "tr(" + left + " @ " + w.print(n.Args[1], precPower) + ")"
	}
	name := n.Op.Name
	if n.Op == DiagMat {
		name = "diag"
	}
	args := make([]string, len(n.Args))
	for i, a := range n.Args {
		args[i] = w.print(a, precSum)
	}
	return name + "(" + strings.Join(args, ", ") + ")"
}

// onesMatrix prints the matrix of ones of a shape.
func (w *notation) onesMatrix(t Type) string {
	if w.fraction != nil {
		return fmt.Sprintf(`\mathbf{1}_{%v} \, \mathbf{1}_{%v}^{\top}`, t.Dims[0], t.Dims[1])
	}
	return fmt.Sprintf("outer(ones(%v), ones(%v))", t.Dims[0], t.Dims[1])
}
