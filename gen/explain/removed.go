package explain

import (
	"fmt"

	"github.com/sngdgen/sngdgen/expr"
)

// remarks says which inverses a step removed, and that it stands for its twin.
func (e *explainer) remarks(s shownStep, before, after *expr.Node) {
	for _, inverse := range inverses(before) {
		times := occurrences(before, inverse) - occurrences(after, inverse)
		switch {
		case times <= 0:
		case e.beside(before, inverse):
			e.f.remark("removes @"+repeatedly(times), cancelled(inverse))
		case occurrences(after, inverse) == 0:
			e.f.remark("@ is not needed any more", symbol(inverse))
		}
	}
	if s.twin {
		e.f.remark("and likewise for the transposes")
	}
}

func repeatedly(times int) string {
	if times == 1 {
		return ""
	}
	return fmt.Sprintf(", %d times", times)
}

// cancelled is the identity that lets an inverse go.
func cancelled(inverse *expr.Node) side {
	m, i := symbol(inverse.Args[0]), symbol(inverse)
	if !inverse.Args[0].IsSym() {
		m = side{"(" + m.text + ")", `\left(` + m.latex + `\right)`}
	}
	return side{m.text + " @ " + i.text + " = I", m.latex + ` \, ` + i.latex + " = I"}
}

// inverses are the inverses of matrices in an expression.
func inverses(root *expr.Node) []*expr.Node {
	var out []*expr.Node
	expr.Walk(func(n *expr.Node) {
		if n.Op == expr.Inv {
			out = append(out, n)
		}
	}, root)
	return out
}

// beside reports whether the matrix itself occurs, too, so that the inverse can meet it.
func (e *explainer) beside(root, inverse *expr.Node) bool {
	other := e.g.Sym("not the matrix", inverse.Type, inverse.Facts)
	return occurrences(e.g.Substitute(root, map[*expr.Node]*expr.Node{inverse: other}), inverse.Args[0]) > 0
}

// occurrences is how often an expression is written in another one.
func occurrences(root, of *expr.Node) int {
	count := map[*expr.Node]int{}
	expr.Walk(func(n *expr.Node) {
		if n == of {
			count[n] = 1
			return
		}
		for _, a := range n.Args {
			count[n] += count[a]
		}
	}, root)
	return count[root]
}
