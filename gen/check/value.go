package check

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/expr/eval"
)

// value evaluates a node that is a number; NaN where that is impossible.
func value(n *expr.Node, env *eval.Env) float64 {
	v, err := eval.Eval(n, env)
	if err != nil {
		return math.NaN()
	}
	return v
}

// values evaluates nodes together, so that what they share is computed once. Where that is impossible, they are NaN in
// the shapes of the nodes.
func (c *checker) values(nodes []*expr.Node, env *eval.Env) []eval.Value {
	c.g.Poll()
	out, err := eval.All(nodes, env)
	if err == nil {
		return out
	}
	out = make([]eval.Value, len(nodes))
	for i, n := range nodes {
		out[i] = c.undefined(n.Type)
	}
	return out
}

// parts are the values of the components, or the one value that there is.
func parts(v eval.Value) []eval.Value {
	if v.Components != nil {
		return v.Components
	}
	return []eval.Value{v}
}

// component is the value of one component; what does not vary over them is the same for all.
func component(v eval.Value, k int) eval.Value {
	if v.Components != nil {
		return v.Components[k]
	}
	return v
}

func (c *checker) valueOf(n *expr.Node, env *eval.Env) eval.Value {
	return c.values([]*expr.Node{n}, env)[0]
}

// undefined is NaN in the shape of a type, for all components.
func (c *checker) undefined(t expr.Type) eval.Value {
	if t.Rank == 0 {
		return eval.Value{Scalar: math.NaN()}
	}
	m := c.zeros(t)
	m.Apply(func(int, int, float64) float64 { return math.NaN() }, m)
	return eval.Core(m)
}

// zeros is a matrix of the shape of a type: a vector has one column, a number one entry.
func (c *checker) zeros(t expr.Type) *mat.Dense {
	r, k := c.shape(t)
	return mat.NewDense(r, k, nil)
}

// shape is the number of rows and columns of a type, at the lengths of the dimensions that are looked at.
func (c *checker) shape(t expr.Type) (rows, columns int) {
	shape := [2]int{1, 1}
	for i := range t.Rank {
		if shape[i] = t.Dims[i].Size; t.Dims[i].Name != "" {
			shape[i] = c.lengths[t.Dims[i].Name]
		}
	}
	return shape[0], shape[1]
}

// matrix is a value as a matrix, which must not be changed: a number has one entry, a vector one column.
func matrix(v eval.Value) *mat.Dense {
	if v.Cores != nil {
		return v.Cores[0]
	}
	return mat.NewDense(1, 1, []float64{v.Scalar})
}

// packed is a matrix as a value of the shape of a type.
func packed(t expr.Type, m *mat.Dense) eval.Value {
	if t.Rank == 0 {
		return eval.Value{Scalar: m.At(0, 0)}
	}
	return eval.Core(m)
}

// numbers are the entries of a value, row by row, those of one component after those of the other.
func numbers(v eval.Value) []float64 {
	switch {
	case v.Components != nil:
		var out []float64
		for _, part := range v.Components {
			out = append(out, numbers(part)...)
		}
		return out
	case v.Cores == nil:
		return []float64{v.Scalar}
	}
	return v.Cores[0].RawMatrix().Data
}

// text writes a value as the reader would: 1.5, [1, 2], [[1, 0.5], [0.5, 1]]. Those of several components come as a list.
func text(v eval.Value, digits int) string {
	if len(v.Components) == 1 {
		return text(v.Components[0], digits)
	}
	if v.Components != nil {
		list := make([]string, len(v.Components))
		for k, part := range v.Components {
			list[k] = text(part, digits)
		}
		return "[" + strings.Join(list, ", ") + "]"
	}
	number := func(x float64) string { return fmt.Sprintf("%.*g", digits, x) }
	if v.Cores == nil {
		return number(v.Scalar)
	}
	list := func(x []float64) string {
		parts := make([]string, len(x))
		for i := range x {
			parts[i] = number(x[i])
		}
		return "[" + strings.Join(parts, ", ") + "]"
	}
	r, k := v.Cores[0].Dims()
	if k == 1 && r > 1 {
		return list(numbers(v))
	}
	lines := make([]string, r)
	for i := range lines {
		lines[i] = list(v.Cores[0].RawRowView(i))
	}
	if r == 1 { // of length 1: a vector and a matrix look the same
		return lines[0]
	}
	return "[" + strings.Join(lines, ", ") + "]"
}

// entry is one number of a symbol that is free to move by itself; in a symmetric matrix it moves with its mirror image.
type entry struct {
	sym       *expr.Node
	component int
	i, j      int
	// balanced says that the last component moves the other way, as the sum of weights is 1.
	balanced bool
}

// entries are the free numbers of a symbol.
func (c *checker) entries(sym *expr.Node) []entry {
	if !sym.Type.Axes.Has(expr.Components) {
		return c.entriesOfOne(sym)
	}
	components := c.known.components
	if c.isFree(sym) || c.isWeights(sym) {
		components--
	}
	var out []entry
	for k := range components {
		for _, e := range c.entriesOfOne(sym) {
			e.component, e.balanced = k, c.isWeights(sym)
			out = append(out, e)
		}
	}
	return out
}

// entriesOfOne are the free numbers of a symbol, of one component.
func (c *checker) entriesOfOne(sym *expr.Node) []entry {
	var out []entry
	rows, columns := c.shape(sym.Type)
	s := sym.Facts.Structure
	for i := range rows {
		for j := range columns {
			switch {
			case sym.Type.Rank == 2 && s&(expr.Symmetric|expr.LowerTriangular) != 0 && j > i,
				s&(expr.UnitDiagonal|expr.ZeroDiagonal) != 0 && i == j, s&expr.Diagonal != 0 && i != j:
			default:
				out = append(out, entry{sym: sym, i: i, j: j})
			}
		}
	}
	return out
}

// entriesOfEach are the free numbers of several symbols.
func (c *checker) entriesOfEach(syms []*expr.Node) [][]entry {
	out := make([][]entry, len(syms))
	for i, s := range syms {
		out[i] = c.entries(s)
	}
	return out
}

// allEntries are the free numbers of several symbols, one after the other.
func (c *checker) allEntries(syms []*expr.Node) []entry {
	return slices.Concat(c.entriesOfEach(syms)...)
}

// mirrored reports whether the entry moves together with another one.
func (e entry) mirrored() bool { return e.i != e.j && e.sym.Facts.Structure&expr.Symmetric != 0 }

// of is the entry of a value. A number stands for every entry: it is the derivative by what a formula does not use.
func (e entry) of(v eval.Value) float64 {
	m := matrix(component(v, e.component))
	if rows, columns := m.Dims(); rows == 1 && columns == 1 {
		return m.At(0, 0)
	}
	return m.At(e.i, e.j)
}

// slope is the derivative along the entry, of a gradient in the form of the symbol.
func (e entry) slope(gradient eval.Value) float64 {
	d := e.of(gradient)
	if e.mirrored() {
		d += entry{sym: e.sym, component: e.component, i: e.j, j: e.i}.of(gradient)
	}
	if e.balanced {
		d -= e.opposite(gradient).of(gradient)
	}
	return d
}

// opposite is the entry of the last component.
func (e entry) opposite(v eval.Value) entry {
	return entry{sym: e.sym, component: max(len(v.Components), 1) - 1, i: e.i, j: e.j}
}

// moved is a value with the entry changed by a step.
func (e entry) moved(v eval.Value, step float64) eval.Value {
	if v.Components == nil {
		return e.movedOne(v, step)
	}
	out := slices.Clone(v.Components)
	out[e.component] = e.movedOne(out[e.component], step)
	if e.balanced {
		last := e.opposite(v)
		out[last.component] = last.movedOne(out[last.component], -step)
	}
	return eval.PerComponent(out)
}

// movedOne is the value of one component with the entry changed by a step.
func (e entry) movedOne(v eval.Value, step float64) eval.Value {
	m := mat.DenseCopyOf(matrix(v))
	m.Set(e.i, e.j, m.At(e.i, e.j)+step)
	if e.mirrored() {
		m.Set(e.j, e.i, m.At(e.j, e.i)+step)
	}
	return packed(e.sym.Type, m)
}

// label is the name of the entry: alpha, mu[2], Sigma[2, 1].
func (e entry) label(name string) string { return label(name, e.sym.Type.Rank, e.i, e.j) }

// whose says of which component the entry is.
func (e entry) whose() string {
	if e.sym.Type.Axes.Has(expr.Components) {
		return fmt.Sprintf(" of component %d", e.component+1)
	}
	return ""
}

func label(name string, rank, i, j int) string {
	switch rank {
	case 1:
		return fmt.Sprintf("%s[%d]", name, i+1)
	case 2:
		return fmt.Sprintf("%s[%d, %d]", name, i+1, j+1)
	}
	return name
}

// scale is the size of a change of an entry that matters: its distance from the nearest end of its range, and for a
// definite matrix the smallest eigenvalue.
func (e entry) scale(v eval.Value) float64 {
	s := scale(e.sym.Facts.Range, e.of(v))
	if e.sym.Facts.Structure&expr.PositiveDefinite != 0 {
		s = min(s, smallestEigenvalue(matrix(component(v, e.component))))
	}
	if e.balanced {
		s = min(s, e.opposite(v).scale(v))
	}
	return s
}

func scale(r expr.Range, v float64) float64 {
	s := math.Min(v-r.Lo, r.Hi-v)
	if math.IsInf(s, 1) {
		return math.Max(1, math.Abs(v))
	}
	return s
}

// symmetricOf is the symmetric part of a matrix.
func symmetricOf(m *mat.Dense) *mat.SymDense {
	d, _ := m.Dims()
	s := mat.NewSymDense(d, nil)
	for i := range d {
		for j := range i + 1 {
			s.SetSym(i, j, (m.At(i, j)+m.At(j, i))/2)
		}
	}
	return s
}

// smallestEigenvalue is that of a symmetric matrix; NaN where it has entries that are no numbers.
func smallestEigenvalue(m *mat.Dense) float64 {
	var e mat.EigenSym
	if !allFinite(m.RawMatrix().Data) || !e.Factorize(symmetricOf(m), false) {
		return math.NaN()
	}
	return slices.Min(e.Values(nil))
}

// allDefinite reports whether a value is a positive definite matrix, for every component.
func allDefinite(v eval.Value) bool {
	return !slices.ContainsFunc(parts(v), func(part eval.Value) bool { return !definite(matrix(part)) })
}

// definite reports whether a matrix has a Cholesky factor, which is how generated code finds out.
func definite(m *mat.Dense) bool {
	var chol mat.Cholesky
	return allFinite(m.RawMatrix().Data) && chol.Factorize(symmetricOf(m))
}

func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }

func allFinite(x []float64) bool {
	return !slices.ContainsFunc(x, func(v float64) bool { return !finite(v) })
}

// within reports whether all entries of a value are numbers in a range.
func within(v eval.Value, r expr.Range) bool {
	return !slices.ContainsFunc(numbers(v), func(x float64) bool { return !finite(x) || !r.Contains(x) })
}
