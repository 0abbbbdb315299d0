package check

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/sngdgen/sngdgen/expr"
	charts "github.com/sngdgen/sngdgen/expr/chart"
	"github.com/sngdgen/sngdgen/expr/eval"
	"github.com/sngdgen/sngdgen/runtime/types"
)

// matrixChart is that of a variable that is a square matrix: the formulas of the table of types.
func (p part) matrixChart() vectorChart {
	t, d := p.kind.Type, p.rows
	g := expr.NewGraph()
	shape := expr.Matrix(expr.Dim{Size: d}, expr.Dim{Size: d})
	m := matrixCoordinates{side: d, list: t.Coordinates(), env: eval.Scalars(nil)}
	out := vectorChart{entries: d * d}
	for _, c := range m.list {
		of, facts := charts.Shape(c, shape)
		m.symbols = append(m.symbols, g.Sym("coordinate."+c.Name, of, facts))
		out.n += c.Places.Count(lengthOf(of), d)
	}
	c := charts.Of(g, t, shape, m.symbols)
	out.observe = func(x, u []float64) float64 {
		m.set(u)
		v, err := eval.All([]*expr.Node{c.Value, c.LogJacobian}, m.env)
		if err != nil {
			return math.NaN()
		}
		copy(x, v[0].Cores[0].RawMatrix().Data)
		return v[1].Scalar
	}
	return out
}

func lengthOf(t expr.Type) int {
	n := 1
	for _, d := range t.Dims[:t.Rank] {
		n *= d.Size
	}
	return n
}

// matrixCoordinates are the coordinates of a matrix.
type matrixCoordinates struct {
	side    int
	list    []types.Coordinate
	symbols []*expr.Node
	env     *eval.Env
}

// set gives them values, those that are free one after the other.
func (m *matrixCoordinates) set(u []float64) {
	for i, c := range m.list {
		of := m.symbols[i].Type
		values := make([]float64, lengthOf(of))
		u = u[c.Places.Unfold(values, u, m.side):]
		columns := 1
		if of.Rank == 2 {
			columns = m.side
		}
		m.env.Symbols[m.symbols[i].Name] = eval.Core(mat.NewDense(m.side, columns, values))
	}
}
