package record

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sngdgen/sngdgen/internal/regression"
	"github.com/sngdgen/sngdgen/internal/table"
	"github.com/sngdgen/sngdgen/runtime/types"
)

// OfRegression says of which parts a row of a regression is made, and these of which columns, as Read takes it.
func OfRegression(m *regression.Model, equations []regression.Equation) (parts []Part, mapping []string, err error) {
	if err := m.Check(); err != nil {
		return nil, nil, err
	}
	of, err := m.Predictors(equations)
	if err != nil {
		return nil, nil, Fault{fmt.Errorf("--formula: %w", err)}
	}
	parts = []Part{{Name: m.Variable.Name, Words: "the response", ByRow: true, Observed: true}}
	mapping = []string{m.Variable.Name + "=" + equations[0].Left}
	for _, g := range m.Given {
		parts = append(parts, Part{Name: g.Name, ByRow: true, Vector: len(g.Type.Dims) > 0})
	}
	for i := range m.Parameters {
		p := &m.Parameters[i]
		if e, ok := of[p.Name]; ok {
			parts = append(parts, Part{Name: p.Covariates(), Words: "the predictor of " + p.Name, ByRow: true, Vector: true, Independent: true,
				Linear: m.Variable.Type.String() == types.Real.Name && p.Link() == types.Identity && len(e.Offsets) == 0})
			mapping = append(mapping, p.Covariates()+"="+strings.Join(e.Terms, "+"))
			if p.Offset = len(e.Offsets) > 0; p.Offset {
				parts = append(parts, Part{Name: p.OffsetName(), Words: "the offset of " + p.Name, ByRow: true})
				mapping = append(mapping, p.OffsetName()+"=I("+strings.Join(e.Offsets, "+")+")")
			}
		}
	}
	return parts, mapping, nil
}

// SetColumns tells a model how many columns its predictors have, by the widths of the parts that it was read with.
func SetColumns(m *regression.Model, parts []Part, widths []int) {
	for i := range m.Parameters {
		if k := slices.IndexFunc(parts, func(q Part) bool { return q.Name == m.Parameters[i].Covariates() }); k >= 0 {
			m.Parameters[i].Columns = widths[k]
		}
	}
}

// WithoutPredictors are the rows of the distribution by itself: those of a regression without the columns of its predictors.
func WithoutPredictors(m *regression.Model, t *table.Table, widths []int) (*table.Table, error) {
	own := 0
	for _, w := range widths[:1+len(m.Given)] {
		own += w
	}
	var columns []table.Column
	for k := range own {
		columns = append(columns, table.Column{Name: t.Columns[k], Of: []int{k}, Level: []int{-1}})
	}
	return t.Arrange(columns)
}
