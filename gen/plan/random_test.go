package plan_test

import (
	"errors"
	"flag"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/expr/eval"
	"github.com/sngdgen/sngdgen/gen/plan"
	"github.com/sngdgen/sngdgen/gen/program"
	"github.com/sngdgen/sngdgen/gen/program/interpret"
	"github.com/sngdgen/sngdgen/gen/program/pass"
	"github.com/sngdgen/sngdgen/gen/program/stages"
	"github.com/sngdgen/sngdgen/gen/program/verify"
	"github.com/sngdgen/sngdgen/internal/exprtest"
	_ "github.com/sngdgen/sngdgen/internal/testseed"
)

// A thousand formulas each, unless the command line says otherwise: most faults need several operations to meet.
func init() {
	if err := flag.Set("rapid.checks", "1000"); err != nil {
		panic(err)
	}
}

// Random formulas in vectors and matrices, summed over the rows where they vary over these: what is planned has no fault that
// the verifier finds, and computes what the interpreter of expressions does, whatever the number of rows of a block.
func TestTensors(t *testing.T) {
	planned, refused := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		env := exprtest.LinalgPoint(t)
		d := expr.Dim{Name: "d"}
		if rapid.Bool().Draw(t, "pinned") {
			d = expr.Dim{Size: int(env.Symbols["d"].Scalar)}
		}
		w := exprtest.NewLinalgWorldOf(d)
		rank := rapid.IntRange(0, 2).Draw(t, "rank")
		n := w.Builder().Build(w.Tensor(t, rank, depth(t)))
		if n == nil || n.Type.Rank != rank {
			t.Skip("no formula of that rank")
		}
		if n.Type.Axes.Has(expr.Rows) {
			n = w.G.Sum(expr.Rows, n)
		}
		other := otherThan(t, w)
		prog, err := planWith(w, n, other, d, rapid.Bool().Draw(t, "defined"), somePasses(t), someCosts(t))
		if err != nil {
			refused++
			t.Skip(err) // the planner says so itself
		}
		planned++
		if err := verify.Program(prog); err != nil {
			t.Fatalf("%v\n%v\nis\n%v", err, n, prog)
		}
		compare(t, n, readBack(t, inStages(t, inRanges(t, partOf(t, prog)))), other, env, rapid.IntRange(0, 3).Draw(t, "block"))
	})
	if planned == 0 || refused > planned/10 {
		t.Errorf("%d formulas were planned, %d refused: too few to tell", planned, refused)
	}
}

// otherThan is a second formula for a program to compute, nil half the time.
func otherThan(t *rapid.T, w *exprtest.World) *expr.Node {
	if rapid.Bool().Draw(t, "alone") {
		return nil
	}
	n := w.Builder().Build(w.Tensor(t, rapid.IntRange(0, 2).Draw(t, "other rank"), depth(t)))
	if n != nil && n.Type.Axes.Has(expr.Rows) {
		n = w.G.Sum(expr.Rows, n)
	}
	return n
}

// partOf is the part of a program that computes out, where it computes something else too: in that, nothing is written elsewhere.
func partOf(t *rapid.T, prog *program.Program) *program.Program {
	text := prog.String()
	if !strings.Contains(text, "other") {
		return prog
	}
	kept := pass.Kept(rapid.IntRange(int(pass.NoNumbers), int(pass.AllNumbers)).Draw(t, "kept"))
	part := pass.Slice(prog, pass.Wanted{Kept: kept, Output: func(g *program.Given) *program.Given {
		if g.Name == "other" {
			return nil
		}
		return g
	}})
	if part == nil {
		return prog // out is made of other
	}
	if err := verify.Program(part); err != nil {
		t.Fatalf("%v\n%v\nof\n%v", err, part, text)
	}
	if prog.String() != text || strings.Contains(part.String(), "other") {
		t.Fatalf("%v\nis the part of\n%v\nwhich is now\n%v", part, text, prog)
	}
	return part
}

// mostRanges is how many ranges of rows passes have, where there are so many blocks.
const mostRanges = 3

// inRanges has the passes of a program cut into ranges, and fails where one is not a function of a range and of what it adds to: all of what
// is planned is, but for passes that may end the program, as a matrix of a row may not be definite.
func inRanges(t *rapid.T, prog *program.Program) *program.Program {
	program.CutPasses(prog, func(*program.Pass) bool { return true })
	program.Walk(prog.Body, func(s program.Stmt) {
		switch s.(type) {
		case *program.Rows, *program.Blocks:
			if !program.IsCut(s) && !mayEnd(s) {
				t.Fatalf("cannot be cut:\n%v", prog)
			}
		}
	})
	return prog
}

// inStages cuts a program into stages that are as small as the limits say, and cleans it or not: both have to be sound.
func inStages(t *rapid.T, prog *program.Program) *program.Program {
	if rapid.Bool().Draw(t, "whole") {
		return prog
	}
	longest, passed := rapid.IntRange(2, 12).Draw(t, "longest"), rapid.IntRange(0, 6).Draw(t, "passed")
	list, rest := stages.Cut([]stages.Function{{Program: prog}}, stages.Limits{LeastCommon: 6, LeastSaved: 6, MostPassed: passed, MostReturned: passed,
		Shortest: 2, Longest: longest, LongestPass: longest, Bearable: longest + 4, Most: 20})
	if rapid.Bool().Draw(t, "clean") {
		text := prog.String()
		if rest = pass.Clean(list, rest); prog.String() != text {
			t.Fatalf("%v\nis now\n%v", text, prog)
		}
	}
	if err := verify.Program(rest[0]); err != nil {
		t.Fatalf("%d stages: %v\nin\n%v", len(list), err, rest[0])
	}
	return rest[0]
}

// mayEnd reports whether a pass has a check of a matrix.
func mayEnd(pass program.Stmt) (found bool) {
	program.Walk([]program.Stmt{pass}, func(s program.Stmt) {
		call, ok := s.(*program.Call)
		found = found || ok && call.Definite
	})
	return found
}

// readBack is a program or, half the time, what its text reads back as: the same text, in which the verifier finds nothing.
func readBack(t *rapid.T, prog *program.Program) *program.Program {
	text := prog.String()
	read, err := program.Parse(text)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	if again := read.String(); again != text {
		t.Fatalf("reads back as\n%s\nnot\n%s", again, text)
	}
	if err := verify.Program(read); err != nil {
		t.Fatalf("read back: %v\n%s", err, text)
	}
	if rapid.Bool().Draw(t, "read back") {
		return read
	}
	return prog
}

// depth draws how deep formulas are nested, with equal chances: the numbers that rapid draws are mostly small.
func depth(t *rapid.T) int { return 1 + int(rapid.Uint32().Draw(t, "depth")*2654435769>>16)%5 }

// The order of the steps is right.
func TestSteps(t *testing.T) {
	names := map[string]bool{}
	for _, r := range plan.Rows() {
		if names[r.Name] {
			t.Errorf("two passes are called %s", r.Name)
		}
		names[r.Name] = true
		if r.Doc == "" || !strings.HasSuffix(r.Doc, ".") {
			t.Errorf("%s has no sentence that says what it does", r.Name)
		}
	}
	for name, want := range map[string]string{"share": "", "joint": "", "define": "cannot be left out", "no": "there is no pass"} {
		if err := plan.CheckWithout([]string{name}); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// planOf plans the program of one value: a number is returned, a vector or a matrix written to out. With defined the matrix A is
// no input: it is defined as twice the inverse of one.
func planOf(w *exprtest.World, n *expr.Node, d expr.Dim, defined bool) (*program.Program, error) {
	return planWith(w, n, nil, d, defined, pass.Options{}, nil)
}

// somePasses leaves steps, choices and passes out that are optional, and verifies the program after each pass.
func somePasses(t *rapid.T) pass.Options {
	var o pass.Options
	for _, r := range plan.Rows() {
		if r.Optional && rapid.Bool().Draw(t, "without "+r.Name) {
			o.Without = append(o.Without, r.Name)
		}
	}
	o.After = func(name string, prog *program.Program) {
		if err := verified(name, prog); err != nil {
			t.Fatalf("after %s: %v\n%v", name, err, prog)
		}
	}
	return o
}

// someCosts multiplies costs by random factors, the same for a node whenever it is asked for: nothing but speed may depend on them.
func someCosts(t *rapid.T) plan.Costs {
	if !rapid.Bool().Draw(t, "perturbed") {
		return nil
	}
	seed := rapid.Uint64().Draw(t, "costs")
	factors := []float64{0.01, 0.1, 0.5, 1, 2, 10, 100}
	return func(n *expr.Node) float64 {
		return factors[rand.New(rand.NewPCG(seed, uint64(n.ID))).IntN(len(factors))]
	}
}

// planWith is planOf where another value may be computed too; then a number is written to out as well.
func planWith(w *exprtest.World, n, other *expr.Node, d expr.Dim, defined bool, o pass.Options, costs plan.Costs) (prog *program.Program, err error) {
	defer unsupported(&err)
	k := &plan.Kernel{Graph: w.G, Passes: o, Costs: costs, Dims: []expr.Dim{d}, Rows: &plan.RowSource{Sym: w.Names["r"], Columns: map[*expr.Node]string{w.Names["w"]: "w", w.Names["g"]: "g", w.Names["X"]: "X", w.Names["Z"]: "Z"}},
		Inputs: []plan.Input{
			{Sym: w.G.DimNode(d), From: &program.Given{Kind: program.LengthOf, Dim: d}},
			{Sym: w.G.Size(expr.Rows), From: program.Argument("n")},
		}}
	for _, name := range w.Order {
		switch s := w.Names[name]; {
		case s.Type.Axes.Has(expr.Rows):
		case name == "A" && defined:
			inner := w.G.Sym("inner", s.Type, s.Facts)
			k.Inputs = append(k.Inputs, plan.Input{Sym: inner, From: program.Argument("inner")})
			k.Defs = append(k.Defs, plan.Def{Sym: s, Name: "A", Node: w.G.Scale(2, w.G.Inv(inner))})
		default:
			k.Inputs = append(k.Inputs, plan.Input{Sym: s, From: program.Argument(name)})
		}
	}
	to := func(name string, n *expr.Node) plan.Output {
		return plan.Output{To: program.Argument(name), Node: n, Type: n.Type, Symmetric: n.Facts.Structure&expr.Symmetric != 0}
	}
	switch {
	case other != nil:
		k.Outputs = []plan.Output{to("other", other), to("out", n)}
	case n.Type.Rank > 0:
		k.Outputs = []plan.Output{to("out", n)}
	default:
		k.Outputs = []plan.Output{{Return: true, Node: n}}
	}
	return plan.Plan(k).Program, nil
}

// unsupported makes an error of what the planner has no code for.
func unsupported(err *error) {
	switch r := recover().(type) {
	case nil:
	case plan.Unsupported:
		*err = errors.New(r.Error())
	default:
		panic(r)
	}
}

// compare runs a program, and compares what it computes with what the interpreter of expressions does. Other is what it computes besides, or nil.
func compare(t *rapid.T, n *expr.Node, prog *program.Program, other *expr.Node, env *eval.Env, block int) {
	m := memoryOf(env, block)
	size := 1
	for range n.Type.Rank {
		size *= m.Dims["d"]
	}
	given := map[string][]float64{}
	for name, values := range m.Slices {
		given[name] = slices.Clone(values)
	}
	m.Slices["out"], m.Slices["other"] = make([]float64, size), make([]float64, m.Dims["d"]*m.Dims["d"])
	if other != nil {
		m.Slices["other"] = m.Slices["other"][:int(math.Pow(float64(m.Dims["d"]), float64(other.Type.Rank)))]
	}
	result, err := interpret.Run(prog, m)
	if err != nil {
		t.Fatalf("%v\n%v\nis\n%v", err, n, prog)
	}
	for name, values := range given {
		if !slices.Equal(m.Slices[name], values) {
			t.Fatalf("%s has been written to by\n%v", name, prog)
		}
	}
	if result.Indefinite {
		return // rounding: formulas ask for factors of definite matrices alone
	}
	if n.Type.Rank == 0 && returns(prog) {
		m.Slices["out"][0] = result.Returned
	}
	want, moved := valueOf(t, n, env), valueOf(t, n, exprtest.Perturbed(env))
	r, c := want.Dims()
	if got := mat.NewDense(r, c, m.Slices["out"]); !exprtest.Within(got, want, moved) {
		t.Fatalf("%v is\n%v, not\n%v:\n%v", n, mat.Formatted(got), mat.Formatted(want), prog)
	}
}

// returns reports whether a program has a result.
func returns(prog *program.Program) bool {
	return slices.ContainsFunc(prog.Body, func(s program.Stmt) bool {
		_, ok := s.(*program.Return)
		return ok
	})
}

// valueOf is the value of a node as the interpreter of expressions has it.
func valueOf(t *rapid.T, n *expr.Node, env *eval.Env) *mat.Dense {
	v, err := eval.All([]*expr.Node{n}, env)
	if err != nil {
		t.Fatalf("%v", err)
	}
	if v[0].Cores != nil {
		return v[0].Cores[0]
	}
	return mat.NewDense(1, 1, []float64{v[0].Scalar})
}

// memoryOf is a point of the world of linear algebra as programs see it.
func memoryOf(env *eval.Env, block int) *interpret.Memory {
	m := &interpret.Memory{Dims: map[string]int{}, Slices: map[string][]float64{}, Columns: map[string][]float64{}, Weights: env.Weights, Block: block, Ranges: mostRanges}
	for name, v := range env.Symbols {
		switch {
		case name == "r":
			for _, row := range v.Cores {
				m.Observations = append(m.Observations, row.RawMatrix().Data...)
			}
		case len(v.Cores) > 1:
			for _, row := range v.Cores {
				m.Columns[name] = append(m.Columns[name], row.RawMatrix().Data...)
			}
		case v.Rows != nil:
			m.Columns[name] = v.Rows
		case v.Cores != nil:
			m.Slices[name] = v.Cores[0].RawMatrix().Data
		default:
			m.Slices[name] = []float64{v.Scalar}
		}
	}
	m.Dims["d"] = int(math.Round(m.Slices["d"][0]))
	if a := env.Symbols["A"].Cores; a != nil {
		m.Slices["inner"] = twiceInverse(a[0])
	}
	return m
}

// Random formulas in numbers, over rows and components too: the same. What varies over components is combined by a sum or by the
// logarithm of the sum of exponentials, in every row where it varies over these.
func TestNumbers(t *testing.T) {
	planned, refused := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		w := exprtest.DrawWorld(t)
		n := w.Builder().Build(w.Tree(t, depth(t)))
		if n == nil || expr.Depends(n, w.Names["kxreal"]) {
			t.Skip("no formula, or one with values of rows and components, which nobody gives to a program")
		}
		switch combine := rapid.Bool().Draw(t, "logarithm"); {
		case !n.Type.Axes.Has(expr.Components):
		case combine:
			n = w.G.LogSumExp(expr.Components, n)
		default:
			n = w.G.Sum(expr.Components, n)
		}
		if n.Type.Axes.Has(expr.Rows) {
			n = w.G.Sum(expr.Rows, n)
		}
		env := w.Point(t)
		prog, err := planOfNumbers(w, n, somePasses(t), someCosts(t))
		if err != nil {
			refused++
			t.Skip(err)
		}
		planned++
		if err := verify.Program(prog); err != nil {
			t.Fatalf("%v\n%v\nis\n%v", err, n, prog)
		}
		compareNumbers(t, n, readBack(t, inRanges(t, prog)), env, rapid.IntRange(0, 3).Draw(t, "block"))
	})
	if planned == 0 || refused > planned/10 {
		t.Errorf("%d formulas were planned, %d refused: too few to tell", planned, refused)
	}
}

func planOfNumbers(w *exprtest.World, n *expr.Node, o pass.Options, costs plan.Costs) (prog *program.Program, err error) {
	defer unsupported(&err)
	components := expr.Dim{Name: "k"}
	rows := &plan.RowSource{Sym: w.Names["xreal"], Columns: map[*expr.Node]string{}}
	k := &plan.Kernel{Graph: w.G, Passes: o, Costs: costs, Components: components, Rows: rows, Dims: []expr.Dim{components},
		Inputs: []plan.Input{
			{Sym: w.G.Size(expr.Rows), From: program.Argument("n")},
			{Sym: w.G.Size(expr.Components), From: &program.Given{Kind: program.LengthOf, Dim: components}},
		},
		Outputs: []plan.Output{{Return: true, Node: n}}}
	for _, name := range w.Order {
		switch s := w.Names[name]; {
		case s == rows.Sym:
		case s.Type.Axes.Has(expr.Rows):
			rows.Columns[s] = name
		case s.Type.Axes.Has(expr.Components):
			all := program.Argument(name).Cut(program.Part{Type: s.Type, Components: components})
			k.Inputs = append(k.Inputs, plan.Input{Sym: s, Name: name, From: all})
		default:
			k.Inputs = append(k.Inputs, plan.Input{Sym: s, From: program.Argument(name)})
		}
	}
	return plan.Plan(k).Program, nil
}

// compareNumbers holds the value to the bound on the rounding errors of the naive evaluation.
func compareNumbers(t *rapid.T, n *expr.Node, prog *program.Program, env *eval.Env, block int) {
	m := &interpret.Memory{Dims: map[string]int{"k": exprtest.Components}, Slices: map[string][]float64{}, Columns: map[string][]float64{},
		Weights: env.Weights, Block: block, Ranges: mostRanges}
	for name, v := range env.Symbols {
		switch values := exprtest.Flat(v); {
		case name == "xreal":
			m.Observations = values
		case v.Rows != nil:
			m.Columns[name] = values
		default:
			m.Slices[name] = values
		}
	}
	result, err := interpret.Run(prog, m)
	if err != nil {
		t.Fatalf("%v\n%v\nis\n%v", err, n, prog)
	}
	want := exprtest.Nodes(n, env)[0]
	// Logarithms of sums of exponentials are right to some ulp of 1, which is more than the bound knows.
	doubt := 10*want.R + 1e-9*(1+math.Abs(want.V))
	if want.Defined() && want.Known() && !(math.Abs(result.Returned-want.V) <= doubt) {
		t.Fatalf("%v is %v, not %v:\n%v", n, result.Returned, want, prog)
	}
}

// twiceInverse is twice the inverse of a matrix, exactly symmetric.
func twiceInverse(a *mat.Dense) []float64 {
	d, _ := a.Dims()
	var inverse mat.Dense
	if err := inverse.Inverse(a); err != nil {
		panic(err)
	}
	out := make([]float64, d*d)
	for i := range d {
		for j := range d {
			out[i*d+j] = (inverse.At(i, j) + inverse.At(j, i))
		}
	}
	return out
}

// verified is what is wrong with a program after the pass of that name: loops over components know what is in memory, once it is, and the slots of
// arrays count once they have some.
func verified(after string, p *program.Program) error {
	switch {
	case pass.Holds(pass.Memory, after):
		return verify.Program(p)
	case pass.Holds(pass.Components, after):
		return verify.Unplaced(p)
	}
	return nil
}
