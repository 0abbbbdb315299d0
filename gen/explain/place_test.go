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
)

// eachPlace runs a check on data of every length, at the starts of other data: they are in the domain, and nothing
// vanishes there as it does at the moments of the data themselves.
func eachPlace(t *testing.T, e *explainer, check func(t *testing.T, env *eval.Env)) {
	newModel, ok := generated.Lookup(e.p.Spec.Package)
	if !ok {
		t.Fatal("not generated")
	}
	lengths := []int{1, 2, 3, 8}
	switch {
	case e.dims() == nil:
		lengths = lengths[:1]
	case newModel().Info().Variable.Kind() == "simplex": // of one entry it is the number 1
		lengths = lengths[1:]
	}
	for _, length := range lengths {
		t.Run(fmt.Sprint(length), func(t *testing.T) {
			m := newModel()
			if dims := len(m.Info().Dims); dims > 0 {
				if err := m.Resize(slices.Repeat([]int{length}, dims)); err != nil {
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

// rows draws a data set for a model. Binary vectors are of one category, or of none.
func rows(m runtime.Model, n int, rng *rand.Rand) runtime.Data {
	x := modeltest.Rows(m, n, rng)
	if m.Info().Variable.Type != "binary vector(k)" {
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
		set(env, c.Sym, z[b.Offset:b.Offset+b.Len])
	}
	for _, d := range e.d.Surrogate.Defs {
		v, err := eval.All([]*expr.Node{d.Node}, env)
		if err != nil {
			t.Fatal(err)
		}
		env.Symbols[d.Sym.Name] = v[0]
	}
}

// set gives a symbol a value, row by row.
func set(env *eval.Env, sym *expr.Node, x []float64) {
	switch sym.Type.Rank {
	case 0:
		env.Set(sym.Name, x[0])
	case 1:
		env.Symbols[sym.Name] = eval.Core(mat.NewDense(len(x), 1, x))
	default:
		d := int(math.Round(math.Sqrt(float64(len(x)))))
		env.Symbols[sym.Name] = eval.Core(mat.NewDense(d, d, x))
	}
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
