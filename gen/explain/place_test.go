package explain

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/expr/eval"
	"github.com/sngdgen/sngdgen/gen/derive"
	"github.com/sngdgen/sngdgen/generated"
	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/modeltest"
	"github.com/sngdgen/sngdgen/runtime/types"
)

// eachPlace runs a check on data of every length, at the starts of other data: they are in the domain, and nothing
// vanishes there as it does at the moments of the data themselves.
func eachPlace(t *testing.T, e *explainer, check func(t *testing.T, env *eval.Env)) {
	newModel, ok := generated.Lookup(e.p.Spec.Package)
	if !ok {
		t.Fatal("not generated")
	}
	for _, size := range e.sizes(newModel().Info()) {
		length, k := size[0], size[1]
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			m := newModel()
			sizes := slices.Repeat([]int{length}, len(m.Info().Dims))
			if m.Info().Components != "" {
				sizes[len(sizes)-1] = k
			}
			if len(sizes) > 0 {
				if err := m.Resize(sizes); err != nil {
					t.Fatal(err)
				}
			}
			rng := rand.New(rand.NewPCG(1, uint64(length)))
			there, here := rows(m, 60, rng), rows(m, 20, rng)
			if err := m.SetData(there); err != nil {
				t.Fatal(err)
			}
			env := eval.Scalars(nil)
			for _, dim := range e.dims() {
				env.Set(dim.Name, float64(length))
			}
			e.number(env, k)
			if err := e.p.BindData(env, here.Values, nil); err != nil {
				t.Fatal(err)
			}
			for i := range m.Info().Starts + 1 { // and a random one
				e.place(t, env, m, i, rng)
				check(t, env)
			}
		})
	}
}

// sizes are lengths of the dimensions and numbers of components.
func (e *explainer) sizes(info *runtime.Info) [][2]int {
	switch {
	case info.Mixture && e.dims() == nil:
		return [][2]int{{1, 1}, {1, 2}, {1, 4}}
	case info.Mixture:
		return [][2]int{{1, 3}, {2, 2}, {3, 1}, {8, 2}}
	case e.dims() == nil:
		return [][2]int{{1, 0}}
	case info.Variable.Type.Form.Has(types.SumsToOne): // of one entry it is the number 1
		return [][2]int{{2, 0}, {3, 0}, {8, 0}}
	}
	return [][2]int{{1, 0}, {2, 0}, {3, 0}, {8, 0}}
}

// number sets the number of components of a mixture, and which of them is the last.
func (e *explainer) number(env *eval.Env, k int) {
	if e.p.Mixture == nil {
		return
	}
	env.Set("size.k", float64(k))
	last := make([]eval.Value, k)
	last[k-1].Scalar = 1
	env.Symbols[e.p.Mixture.Last.Name] = eval.PerComponent(last)
}

// rows draws a data set for a model. Binary vectors are of one category, or of none.
func rows(m runtime.Model, n int, rng *rand.Rand) runtime.Data {
	x := modeltest.Rows(m, n, rng)
	if m.Info().Variable.Type != types.Vector.Of(types.Binary) {
		return x
	}
	clear(x.Values)
	for row := range slices.Chunk(x.Values, x.Columns) {
		if category := rng.IntN(len(row) + 1); category < len(row) {
			row[category] = 1
		}
	}
	return x
}

// place puts the environment at a start.
func (e *explainer) place(t *testing.T, env *eval.Env, m runtime.Model, start int, rng *rand.Rand) {
	t.Helper()
	last := m.Blocks()[len(m.Blocks())-1]
	z := make([]float64, last.Offset+last.Len)
	if err := m.Start(z, start, rng); err != nil {
		t.Fatal(err)
	}
	for i, c := range e.d.Surrogate.Coords {
		b := m.Blocks()[i]
		own := z[b.Offset : b.Offset+b.Len]
		if c.Free { // that of the last component is 0
			own = append(slices.Clone(own), 0)
		}
		set(env, c.Sym, own)
	}
	for _, d := range e.d.Surrogate.Defs {
		v, err := eval.All([]*expr.Node{d.Node}, env)
		if err != nil {
			t.Fatal(err)
		}
		env.Symbols[d.Sym.Name] = v[0]
	}
}

// set gives a symbol a value, row by row, or one component after the other.
func set(env *eval.Env, sym *expr.Node, x []float64) {
	if !sym.Type.Axes.Has(expr.Components) {
		env.Symbols[sym.Name] = value(sym.Type.Rank, x)
		return
	}
	k := int(env.Symbols["size.k"].Scalar)
	var all []eval.Value
	for own := range slices.Chunk(x, len(x)/k) {
		all = append(all, value(sym.Type.Rank, own))
	}
	env.Symbols[sym.Name] = eval.PerComponent(all)
}

func value(rank int, x []float64) eval.Value {
	switch rank {
	case 0:
		return eval.Value{Scalar: x[0]}
	case 1:
		return eval.Core(mat.NewDense(len(x), 1, x))
	}
	d := int(math.Round(math.Sqrt(float64(len(x)))))
	return eval.Core(mat.NewDense(d, d, x))
}

// dims are the dimensions with a name.
func (e *explainer) dims() []expr.Dim {
	var out []expr.Dim
	for _, s := range append(symbolsOf(e.d.Surrogate.Coords), e.p.Target.Variable.Sym) {
		for _, dim := range s.Type.Dims[:s.Type.Rank] {
			if dim.Name != "" && !slices.Contains(out, dim) {
				out = append(out, dim)
			}
		}
	}
	return out
}

func symbolsOf(coords []derive.Coord) []*expr.Node {
	var out []*expr.Node
	for _, c := range coords {
		out = append(out, c.Sym)
	}
	return out
}
