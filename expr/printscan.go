package expr

import "strings"

// scan prints what a scan gives a row, or the sum of it over the rows, with the states that are carried and how:
//
//	sum_n(logpdf; s = start, then next)
//
// A derivative has the parameter in front: d/d mu of that.
func (w *notation) scan(n *Node) string {
	at := make(map[string]*Node, len(n.Args))
	for i, p := range n.Fn.Params {
		at[p.Name] = n.Args[i]
	}
	for i, r := range n.Fn.Rows {
		at[r.Name] = n.ScanRows()[i]
	}
	inner := *w
	inner.symbol = func(name string, min int) string {
		if a, ok := at[name]; ok {
			return w.print(a, min)
		}
		return w.symbol(name, min)
	}
	parts := []string{inner.print(n.Fn.Eqs[0], precSum)}
	for i, s := range n.Fn.Vars {
		state := inner.print(s, precSum)
		parts = append(parts, state+" = "+inner.print(n.Fn.Start[i], precSum)+w.word(" then ")+inner.print(n.Fn.Eqs[1+i], precSum))
	}
	body := strings.Join(parts, "; ")
	name, axis := n.Op.Name, ""
	switch {
	case n.Op == opSeries && n.Index == 0:
		name, axis = "sum", Rows.String()
	case n.Op == opSeries:
		name, axis = "derivative of sum", Rows.String()
		body = inner.print(n.Fn.Params[n.Index-1], precSum) + ": " + body
	}
	return w.over(name, axis, body)
}

// word is a word between formulas.
func (w *notation) word(s string) string {
	if w.fraction != nil {
		return `\text{` + s + `}`
	}
	return s
}
