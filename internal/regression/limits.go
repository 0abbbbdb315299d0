package regression

import (
	"fmt"
	"slices"

	"github.com/sngdgen/sngdgen/expr/syntax"
	"github.com/sngdgen/sngdgen/spec"
)

// limits writes those limits of the distribution whose parameters are some of its own, maybe by other names: their predictors are the same there. Where a
// predictor has no place, as that of a parameter that goes to infinity, there is no limit.
func (m *Model) limits(w *writer) {
	written := false
	for i := range m.Limits {
		l := &m.Limits[i]
		kept := m.kept(l)
		if kept == nil {
			continue
		}
		if !written {
			w.line("limits:")
			written = true
		}
		m.limit(w, l, kept)
	}
}

// kept are the parameters of the distribution that a limit keeps as they are, by the names that they have there; nil where it has others, or where one
// with a predictor enters another formula.
func (m *Model) kept(l *spec.Limit) map[string]Parameter {
	kept := map[string]Parameter{}
	for _, b := range l.From {
		at := slices.IndexFunc(m.Parameters, func(p Parameter) bool { return isName(b.Formula.Expr, p.Name) })
		if at >= 0 {
			kept[b.Name] = m.Parameters[at]
		}
	}
	for _, q := range l.Parameters {
		if p, ok := kept[q.Name]; !ok || p.Type.String() != q.Type.String() {
			return nil
		}
	}
	keeps := 0
	for _, b := range l.Path {
		for name, p := range kept {
			switch {
			case p.Name == b.Name && isName(b.Formula.Expr, name):
				keeps++
			case p.Columns > 0 && mentions(b.Formula.Expr, name):
				return nil
			}
		}
	}
	predicted := slices.ContainsFunc(m.Parameters, func(p Parameter) bool {
		return p.Columns > 0 && slices.ContainsFunc(l.When, func(e spec.End) bool { return e.Name == p.Name })
	})
	if predicted || keeps < len(l.Parameters) || len(l.Let) > 0 {
		return nil
	}
	return kept
}

// limit writes one of them. A parameter with a predictor is, in each row, what its coefficients say.
func (m *Model) limit(w *writer, l *spec.Limit, kept map[string]Parameter) {
	var when, parameters, let, path, from, start []string
	for _, e := range l.When {
		when = append(when, e.Name+": "+e.To())
	}
	for _, q := range l.Parameters {
		p := kept[q.Name]
		if p.Columns == 0 {
			parameters = append(parameters, fmt.Sprintf("%s: %s", q.Name, q.Type))
			path = append(path, p.Name+": "+q.Name)
			from = append(from, q.Name+": "+p.Name)
			start = append(start, fmt.Sprintf("%s: %.6g", q.Name, p.Start))
			continue
		}
		coefficients := "b_" + q.Name
		parameters = append(parameters, coefficients+": "+p.vector())
		let = append(let, q.Name+": "+p.ofPredictor(coefficients))
		path = append(path, p.Name+": "+coefficients)
		from = append(from, coefficients+": "+p.Name)
		start = append(start, coefficients+": "+p.coefficients(p.startValue(), false))
	}
	for _, b := range l.Path {
		if n, ok := b.Formula.Expr.(*syntax.Name); !ok || kept[n.Name].Name != b.Name {
			path = append(path, b.Name+": "+syntax.Format(b.Formula.Expr))
		}
	}
	w.line("  - name: %s", l.Name)
	var inner writer
	for _, part := range []struct {
		key     string
		entries []string
	}{{"when", when}, {"parameters", parameters}, {"let", let}, {"path", path}, {"from", from}} {
		inner.mapping(part.key, part.entries)
	}
	inner.line("logpdf: %s", syntax.Format(l.LogPDF.Expr))
	inner.mapping("start", start)
	w.indented("    ", inner.String())
}

func isName(e syntax.Expr, name string) bool {
	n, ok := e.(*syntax.Name)
	return ok && n.Name == name
}

func mentions(e syntax.Expr, name string) (found bool) {
	syntax.Walk(e, func(e syntax.Expr) bool {
		found = found || isName(e, name)
		return true
	})
	return found
}
