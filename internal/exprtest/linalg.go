package exprtest

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/expr/eval"
	"github.com/sngdgen/sngdgen/expr/syntax"
	"github.com/sngdgen/sngdgen/runtime/types"
)

// linalgSymbols are the symbols of the world of linear algebra, with the kind of their entries or of the matrix; r, X, Z
// and w vary over the rows.
var linalgSymbols = []struct {
	name, kind string
	rank       int
	rows       bool
}{
	{"A", "spd", 2, false}, {"R", "corr", 2, false}, {"L", "lower", 2, false}, {"D", "diagonal", 2, false}, {"B", "real", 2, false},
	{"x", "real", 1, false}, {"y", "real", 1, false}, {"p", "positive", 1, false}, {"r", "real", 1, true},
	{"X", "spd", 2, true}, {"Z", "real", 2, true},
	{"s", "positive", 0, false}, {"t", "real", 0, false}, {"w", "positive", 0, true},
	{"g", "index", 0, true}, // of an entry of a vector
}

// NewLinalgWorld returns a world of vectors of length d and of square matrices.
func NewLinalgWorld() *World { return NewLinalgWorldOf(expr.Dim{Name: "d"}) }

// NewLinalgWorldOf is NewLinalgWorld with a length that may be a number.
func NewLinalgWorldOf(d expr.Dim) *World {
	w := &World{G: expr.NewGraph(), Names: map[string]*expr.Node{}}
	for _, s := range linalgSymbols {
		t := [...]expr.Type{expr.Scalar, expr.Vector(d), expr.Matrix(d, d)}[s.rank]
		if s.rows {
			t = t.Over(expr.Rows)
		}
		facts := FactsOf(s.kind)
		if s.kind == "index" {
			facts.Index = d
		}
		w.add(s.name, t, facts)
	}
	w.Names["d"] = w.G.DimNode(d)
	return w
}

// FactsOf are those of what has entries, or is a matrix, of a kind: of the table of types, or diagonal, which no spec declares.
func FactsOf(kind string) expr.Facts {
	if kind == "diagonal" {
		return expr.Facts{Range: expr.Nonnegative,
			Structure: expr.Symmetric | expr.PositiveDefinite | expr.LowerTriangular | expr.Diagonal | expr.PositiveDiagonal}
	}
	if form := types.FormNamed(kind); form != nil {
		return expr.KindOf(form.Of(types.Real), "d").Facts
	}
	return expr.KindOf(types.Number.Of(types.EntryNamed(kind))).Facts
}

// NewTensors returns the naive evaluator of formulas of the world of linear algebra.
func NewTensors(env *eval.Env) *Tensors {
	v := &Tensors{Env: env, Ranks: map[string]int{}}
	for _, s := range linalgSymbols {
		v.Ranks[s.name] = s.rank
	}
	return v
}

// LinalgPoint draws values of the symbols: well-conditioned matrices, entries of moderate size.
func LinalgPoint(t *rapid.T) *eval.Env {
	d := rapid.SampledFrom([]int{1, 2, 3, 5}).Draw(t, "d")
	rng := rand.New(rand.NewPCG(5, rapid.Uint64().Draw(t, "point")))
	env := eval.Scalars(map[string]float64{"d": float64(d), "n": 4.5})
	env.Weights = []float64{1, 2, 1.5}
	for _, s := range linalgSymbols {
		draw := func() *mat.Dense {
			if s.rank == 2 {
				return randomMatrix(rng, s.kind, d)
			}
			m := mat.NewDense([]int{1, d}[s.rank], 1, nil)
			m.Apply(func(int, int, float64) float64 { return entryOf(rng, s.kind, d) }, m)
			return m
		}
		switch {
		case s.rows && s.rank == 0:
			env.Symbols[s.name] = eval.Value{Rows: []float64{entryOf(rng, s.kind, d), entryOf(rng, s.kind, d), entryOf(rng, s.kind, d)}}
		case s.rows:
			env.Symbols[s.name] = eval.CoreRows([]*mat.Dense{draw(), draw(), draw()})
		case s.rank == 0:
			env.Set(s.name, entryOf(rng, s.kind, d))
		default:
			env.Symbols[s.name] = eval.Core(draw())
		}
	}
	return env
}

func entryOf(rng *rand.Rand, kind string, d int) float64 {
	switch kind {
	case "positive":
		return math.Exp(rng.NormFloat64() / 3)
	case "index":
		return float64(1 + rng.IntN(d))
	}
	return rng.NormFloat64()
}

func randomMatrix(rng *rand.Rand, kind string, d int) *mat.Dense {
	b := mat.NewDense(d, d, nil)
	b.Apply(func(i, j int, _ float64) float64 {
		v := rng.NormFloat64() / 2
		if i == j {
			v = 1.5 + rng.Float64()
		}
		if i != j && kind == "diagonal" || j > i && kind != "real" {
			v = 0
		}
		return v
	}, b)
	if kind != "spd" && kind != "corr" {
		return b
	}
	a := new(mat.Dense)
	a.Mul(b, b.T())
	for i := range d {
		for j := range i { // exactly symmetric
			a.Set(j, i, a.At(i, j))
		}
	}
	if kind == "corr" {
		a = correlation(a)
		for i := range d {
			a.Set(i, i, 1)
		}
	}
	return a
}

// Tensor draws a formula of a rank, nested at most depth operations deep.
func (w *World) Tensor(t *rapid.T, rank, depth int) syntax.Expr {
	for range 20 {
		e := w.tensor(t, rank, depth)
		if n := w.Builder().Build(e); n != nil && (n.Type.Rank == rank || n.Is(0)) {
			return e
		}
	}
	return w.tensor(t, rank, 0)
}

func (w *World) tensor(t *rapid.T, rank, depth int) syntax.Expr {
	d := drawing{w, t, depth - 1}
	if depth <= 0 || d.choose(8) == 0 {
		return tensorLeaf(t, rank)
	}
	if rank == 2 {
		return d.matrix()
	}
	if rank == 1 {
		return d.vector()
	}
	return d.number()
}

func tensorLeaf(t *rapid.T, rank int) syntax.Expr {
	names := [][]string{{"s", "t", "w", "1", "2", "d"}, {"x", "y", "p", "r", "ones"}, {"A", "B", "L", "D", "R", "eye"}}[rank]
	name := names[drawing{t: t}.choose(len(names))]
	switch name {
	case "1", "2":
		return Num(float64(name[0] - '0'))
	case "ones", "eye":
		return syntax.Fn(name, syntax.Var("d"))
	}
	return syntax.Var(name)
}

// drawing draws the operands of one operation.
type drawing struct {
	w     *World
	t     *rapid.T
	depth int
}

func (d drawing) any(rank int) syntax.Expr { return d.w.tensor(d.t, rank, d.depth) }

// choose draws one of n with equal chances: the numbers that rapid draws are mostly small.
func (d drawing) choose(n int) int {
	return int(rapid.Uint32().Draw(d.t, "operation")*2654435769>>16) % n
}

// alike is a formula of the rank, or a number, which counts for every entry.
func (d drawing) alike(rank int) syntax.Expr {
	if d.choose(3) == 0 {
		rank = 0
	}
	return d.any(rank)
}

// tame are functions of one operand that are smooth and defined everywhere, and whose values stay moderate.
var tame = []string{"sigmoid", "ndtr", "log_ndtr", "softplus", "erf", "log_sigmoid"}

// entrywise is a sum, product, quotient, power or function of what has the rank, or of numbers.
func (d drawing) entrywise(rank int) syntax.Expr {
	x := d.any(rank)
	square := syntax.Bin('^', x, Num(2))
	switch d.choose(9) {
	case 0, 1:
		return syntax.Bin(rapid.SampledFrom([]byte("+-")).Draw(d.t, "op"), x, d.alike(rank))
	case 2, 3:
		return syntax.Bin('*', d.alike(rank), x)
	case 4:
		return syntax.Bin('/', d.alike(rank), d.positive(rank))
	case 5:
		return square
	case 6:
		return syntax.Bin('^', d.positive(rank), Num(rapid.SampledFrom([]float64{0.5, -1, -0.5, 1.5}).Draw(d.t, "exponent")))
	case 7:
		return syntax.Fn("t_logcdf", x, syntax.Bin('+', Num(2), d.positive(0)))
	}
	return syntax.Fn(rapid.SampledFrom(tame).Draw(d.t, "function"), x)
}

// positive is a formula of a number or vector with positive entries.
func (d drawing) positive(rank int) syntax.Expr {
	leaf := syntax.Expr(syntax.Var([]string{"s", "p"}[rank]))
	if d.depth <= 0 {
		return leaf
	}
	switch d.choose(4) {
	case 0:
		return leaf
	case 1:
		return syntax.Bin('+', Num(1), syntax.Bin('^', d.any(rank), Num(2)))
	case 2:
		if rank == 1 {
			return syntax.Fn("diag", drawing{d.w, d.t, d.depth - 1}.definite())
		}
		return syntax.Bin('+', Num(1), syntax.Fn("quad", drawing{d.w, d.t, d.depth - 1}.definite(), d.any(1)))
	}
	return syntax.Bin('+', Num(0.5), syntax.Fn("sigmoid", d.any(rank)))
}

func (d drawing) number() syntax.Expr {
	switch d.choose(11) {
	case 10:
		return syntax.Fn("logsumexp", d.any(1))
	case 8:
		return syntax.Fn("dot", d.unit(), d.any(1))
	case 9:
		return syntax.Fn("dot", d.unit(), syntax.Bin('@', d.any(2), d.any(1)))
	case 0:
		return syntax.Fn("dot", d.any(1), d.any(1))
	case 1:
		return syntax.Fn("total", d.any(1+d.choose(2)))
	case 2:
		return syntax.Fn("logdet", d.definite())
	case 3:
		return syntax.Fn("quad", d.any(2), d.any(1))
	case 4:
		return syntax.Fn("tr", d.any(2))
	case 5:
		return d.summed(0)
	}
	return d.entrywise(0)
}

// unit is a vector that is 1 in an entry and 0 elsewhere, by a number or by what a row says, which may be none of an entry.
func (d drawing) unit() syntax.Expr {
	index := []syntax.Expr{Num(float64(1 + d.choose(3))), syntax.Var("g"), syntax.Var("g"), syntax.Var("g"),
		syntax.Bin('+', syntax.Var("g"), Num(1))}[d.choose(5)]
	return syntax.Fn("equal", syntax.Fn("range", syntax.Var("d")), index)
}

func (d drawing) vector() syntax.Expr {
	switch d.choose(11) {
	case 5:
		return syntax.Bin('*', syntax.Fn("range", syntax.Var("d")), d.any(1))
	case 6: // an entry
		return syntax.Bin('*', d.unit(), d.any(1))
	case 7:
		return d.unit()
	case 8:
		return syntax.Fn([]string{"cumulative", "remaining"}[d.choose(2)], d.any(1))
	case 0, 1:
		return syntax.Bin('@', d.any(2), d.any(1))
	case 2:
		return syntax.Fn("diag", d.any(2))
	case 3:
		return syntax.Fn("solve", d.definite(), d.any(1))
	case 4:
		return d.summed(1)
	}
	return d.entrywise(1)
}

func (d drawing) matrix() syntax.Expr {
	switch d.choose(14) {
	case 0, 1, 2:
		return syntax.Bin('@', d.any(2), d.any(2))
	case 3:
		return syntax.Fn("outer", d.any(1), d.any(1))
	case 4:
		return syntax.Fn("diag", d.any(1))
	case 5:
		return syntax.Transpose(d.any(2))
	case 6:
		return syntax.Bin('+', d.any(2), d.any(2))
	case 7:
		return syntax.Bin('*', d.any(0), d.any(2))
	case 8:
		return syntax.Fn("lower_half", d.any(2))
	case 9:
		return d.summed(2)
	case 10:
		return syntax.Fn("chol", d.definite())
	case 11:
		return syntax.Fn("inv", syntax.Fn("chol", d.definite()))
	case 12:
		return syntax.Fn("inv", syntax.Transpose(syntax.Var("L")))
	}
	return d.definite()
}

// Perturbed returns the point with every free entry of every symbol moved by a relative 1e-9: what the values of a formula
// move by says how many of their digits are worth comparing.
func Perturbed(env *eval.Env) *eval.Env {
	rng := rand.New(rand.NewPCG(11, 13))
	out := &eval.Env{Symbols: map[string]eval.Value{"d": env.Symbols["d"], "n": env.Symbols["n"]}, Weights: env.Weights}
	noise := func(v float64) float64 { return v * (1 + 1e-9*(2*rng.Float64()-1)) }
	for _, s := range linalgSymbols {
		v := env.Symbols[s.name]
		moved := eval.Value{Scalar: noise(v.Scalar), PerRow: v.PerRow}
		for _, x := range v.Rows {
			if s.kind != "index" {
				x = noise(x)
			}
			moved.Rows = append(moved.Rows, x)
		}
		for _, m := range v.Cores {
			c := mat.DenseCopyOf(m)
			c.Apply(func(i, j int, x float64) float64 {
				if (s.kind == "spd" || s.kind == "corr") && i != j || s.kind == "corr" {
					return x
				}
				return noise(x)
			}, m)
			moved.Cores = append(moved.Cores, c)
		}
		out.Symbols[s.name] = moved
	}
	return out
}

// summed is a sum over the rows.
func (d drawing) summed(rank int) syntax.Expr { return syntax.Fn("sum", d.any(rank)) }

// definite is a formula of a positive definite matrix, or of a Cholesky factor of one.
func (d drawing) definite() syntax.Expr {
	if d.depth <= 0 {
		return syntax.Var([]string{"A", "R", "D"}[d.choose(3)])
	}
	inner := drawing{d.w, d.t, d.depth - 1}
	a := inner.definite()
	switch d.choose(10) {
	case 0:
		return syntax.Fn("inv", a)
	case 1, 2:
		return syntax.Fn("corr", a)
	case 3:
		v := inner.any(1)
		return syntax.Bin('+', a, syntax.Fn("outer", v, v))
	case 4:
		return syntax.Bin('*', inner.positive(0), a)
	case 5:
		scale := syntax.Fn("diag", inner.positive(1))
		return syntax.Bin('@', syntax.Bin('@', scale, a), scale)
	case 6:
		return syntax.Bin('@', syntax.Fn("chol", a), syntax.Transpose(syntax.Fn("chol", a)))
	case 7:
		return syntax.Bin('@', syntax.Transpose(syntax.Fn("inv", syntax.Fn("chol", a))), syntax.Fn("inv", syntax.Fn("chol", a)))
	case 8:
		return syntax.Fn("diag", inner.positive(1))
	}
	return syntax.Bin('@', syntax.Var("L"), syntax.Transpose(syntax.Var("L")))
}
