package expr_test

import (
	"go/token"
	"go/types"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	gopackages "golang.org/x/tools/go/packages"
	"pgregory.net/rapid"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/expr/syntax"
	"github.com/sngdgen/sngdgen/internal/exprtest"
	"github.com/sngdgen/sngdgen/runtime/special"
)

func TestRowsAreComplete(t *testing.T) {
	seen := map[string]bool{}
	for _, op := range expr.Functions {
		t.Run(op.Name, func(t *testing.T) {
			check := func(ok bool, what string) {
				t.Helper()
				if !ok {
					t.Error(what)
				}
			}
			check(regexp.MustCompile(`^[a-z][a-z0-9_]*$`).MatchString(op.Name), "the name is no identifier")
			check(!seen[op.Name], "the name is there twice")
			seen[op.Name] = true
			check(op.Doc != "", "no doc")
			check(op.Arity >= 1 && op.Arity <= len(expr.Operands), "formulas of the table have x, y and z only")
			check(op.Elementwise(), "not elementwise")
			check(len(op.Domain) == op.Arity && !slices.ContainsFunc(op.Domain, expr.Range.Empty), "one domain an operand")
			check(!op.Range.Empty(), "empty range")
			check(len(op.Partials) == op.Arity, "one derivative an operand")
			check(op.Monotone == 0 || op.Arity == 1, "monotone in one operand")
			check(op.Cost > 0, "no cost")
			check(op.Eval != nil, "no value")
			for i := range op.Arity {
				check(strings.Contains(op.LaTeX, "#"+string(rune('1'+i))), "an operand is missing in the LaTeX")
			}
			named, ok := expr.FunctionNamed(op.Name)
			check(ok && named == op, "not found by name")
			check(slices.Contains(expr.FunctionNames(), op.Name), "not listed")
		})
	}
}

// The derivatives of a row are formulas of the language in x and y; an operand that is a number by definition has none.
func TestPartialsAreFormulas(t *testing.T) {
	for _, op := range expr.Functions {
		for i, formula := range op.Partials {
			if op.ConstantOperand == i+1 {
				if formula != "" {
					t.Errorf("%s: a derivative with respect to a number", op.Name)
				}
				continue
			}
			if op.Missing(i) {
				continue
			}
			e, errs := syntax.Parse(formula)
			if len(errs) > 0 {
				t.Errorf("%s: %s: %v", op.Name, formula, errs)
				continue
			}
			g := expr.NewGraph()
			names := map[string]*expr.Node{}
			for j, name := range op.OperandNames() {
				names[name] = operand(g, op, j, name)
			}
			b := expr.Builder{G: g, Scope: expr.Scope{Names: names, What: "a derivative"}}
			if b.Build(e) == nil {
				t.Errorf("%s: %s: %v", op.Name, formula, b.Faults)
			}
		}
	}
}

// operand is a symbol in the domain of an operand, or the number 2 where it must be a number.
func operand(g *expr.Graph, op *expr.Op, i int, name string) *expr.Node {
	if op.ConstantOperand == i+1 {
		return g.Const(2)
	}
	return g.Sym(name, expr.Scalar, expr.In(op.Domain[i]))
}

func TestGoFunctionsExist(t *testing.T) {
	packages := map[string]*types.Package{}
	loaded, err := gopackages.Load(&gopackages.Config{Mode: gopackages.NeedName | gopackages.NeedTypes}, "math", "github.com/sngdgen/sngdgen/runtime/special")
	if err != nil {
		t.Fatal(err)
	}
	for _, pkg := range loaded {
		if len(pkg.Errors) > 0 {
			t.Fatal(pkg.Errors)
		}
		packages[pkg.Name] = pkg.Types
	}
	check := func(row, name string, operands, results int) {
		pkg, fn, _ := strings.Cut(name, ".")
		if packages[pkg] == nil || packages[pkg].Scope().Lookup(fn) == nil {
			t.Errorf("%s: there is no %s", row, name)
			return
		}
		want := "func(" + floats(operands) + ") " + floats(results)
		if results > 1 {
			want = "func(" + floats(operands) + ") (" + floats(results) + ")"
		}
		if got := signature(packages[pkg].Scope().Lookup(fn)); got != want {
			t.Errorf("%s: %s is %s, want %s", row, name, got, want)
		}
	}
	for _, op := range expr.Functions {
		check(op.Name, op.Go, op.Arity, 1)
	}
	for _, j := range expr.Joints {
		for _, name := range j.Ops {
			op, ok := expr.FunctionNamed(name)
			if !ok {
				t.Fatalf("%s: no function %s", j.Go, name)
			}
			check(j.Go, j.Go, op.Arity, len(j.Ops))
		}
	}
}

func floats(n int) string { return strings.TrimSuffix(strings.Repeat("float64, ", n), ", ") }

// signature prints the types of a function, without names.
func signature(f types.Object) string {
	s, ok := f.Type().(*types.Signature)
	if !ok {
		return f.Type().String()
	}
	unnamed := func(t *types.Tuple) *types.Tuple {
		var out []*types.Var
		for i := range t.Len() {
			out = append(out, types.NewParam(token.NoPos, nil, "", t.At(i).Type()))
		}
		return types.NewTuple(out...)
	}
	return types.NewSignatureType(nil, nil, nil, unnamed(s.Params()), unnamed(s.Results()), s.Variadic()).String()
}

// drawDomain draws operands in the domain.
func drawDomain(t *rapid.T, op *expr.Op) []float64 {
	x := make([]float64, op.Arity)
	for i, r := range op.Domain {
		x[i] = exprtest.DrawIn(t, "operand", expr.Facts{Range: r, Integer: op.ConstantOperand == i+1})
	}
	return x
}

// Values lie in the range, at an open end only by rounding, and are numbers inside the domain.
func TestValuesLieInTheRange(t *testing.T) {
	for _, op := range expr.Functions {
		t.Run(op.Name, rapid.MakeCheck(func(t *rapid.T) {
			x := drawDomain(t, op)
			v := op.Eval(x)
			if math.IsNaN(v) || v < op.Range.Lo || v > op.Range.Hi {
				t.Fatalf("%s%v = %v, not in %v", op.Name, x, v, op.Range)
			}
		}))
	}
}

func TestMonotoneFunctionsAre(t *testing.T) {
	for _, op := range expr.Functions {
		t.Run(op.Name, rapid.MakeCheck(func(t *rapid.T) {
			x, y := drawDomain(t, op), drawDomain(t, op)
			change := (op.Eval(y) - op.Eval(x)) * float64(op.Monotone)
			rounding := 1e-14 * max(math.Abs(op.Eval(x)), math.Abs(op.Eval(y)))
			if x[0] < y[0] && change < -rounding {
				t.Fatalf("%v at %v, %v at %v, but said to change by sign %d", op.Eval(x), x, op.Eval(y), y, op.Monotone)
			}
		}))
	}
}

func TestJoints(t *testing.T) {
	for _, j := range expr.Joints {
		g := expr.NewGraph()
		nodes := make([]*expr.Node, len(j.Ops))
		for i, name := range j.Ops {
			op, _ := expr.FunctionNamed(name)
			args := make([]*expr.Node, op.Arity)
			for k := range args {
				args[k] = operand(g, op, k, string(rune('x'+k)))
			}
			nodes[i] = g.Call(op, args...)
		}
		all := func(*expr.Node) bool { return true }
		for _, n := range nodes {
			if got, found, ok := expr.JointOf(n, nodes, all); !ok || got.Go != j.Go || !slices.Equal(found, nodes) {
				t.Errorf("%v: %v, %v", n, got, found)
			}
			if got, _, ok := expr.JointOf(n, nodes, func(m *expr.Node) bool { return m == n }); ok {
				t.Errorf("%v alone is computed by %v", n, got)
			}
		}
		if _, _, ok := expr.JointOf(g.Const(1), nodes, all); ok {
			t.Errorf("%s: a number comes with others", j.Go)
		}
	}
}

// preparedValues has a value of each prepared type.
var preparedValues = map[string]any{
	"special.TDistribution": new(special.TDistribution), "special.TQuantiles": new(special.TQuantiles), "special.GammaDiffs": new(special.GammaDiffs),
}

// TestPreparations: every method exists, and takes and returns as many numbers as the function without its fixed operand.
func TestPreparations(t *testing.T) {
	for _, p := range expr.Preparations {
		typ := reflect.TypeOf(preparedValues[p.Type])
		for name, method := range p.Methods {
			m, ok := typ.MethodByName(method)
			results, arity := 1, 0
			if op, found := expr.FunctionNamed(name); found {
				arity = op.Arity
			} else {
				k := slices.IndexFunc(expr.Joints, func(j expr.Joint) bool { return j.Go == name })
				op, _ := expr.FunctionNamed(expr.Joints[k].Ops[0])
				results, arity = len(expr.Joints[k].Ops), op.Arity
			}
			if !ok || m.Type.NumIn() != arity || m.Type.NumOut() != results {
				t.Errorf("%s.%s does not fit %s", p.Type, method, name)
			}
		}
	}
}

// relations are 0 where one of their operands is no number, and so is what they are conditions of.
var relations = []string{"less", "equal", "where"}

// TestUndefinedNumbers: a function has no value where an operand is no number or lies outside the domain, whatever the others are.
func TestUndefinedNumbers(t *testing.T) {
	for _, op := range expr.Functions {
		if slices.Contains(relations, op.Name) {
			continue
		}
		for i, r := range op.Domain {
			for _, out := range []float64{math.NaN(), r.Lo - 1, r.Hi + 1} {
				if math.IsInf(out, 0) {
					continue
				}
				x := inside(op)
				x[i] = out
				if v := op.Eval(x); !math.IsNaN(v) {
					t.Errorf("%s%v = %v, should be NaN", op.Name, x, v)
				}
			}
		}
	}
}

// inside is a point of the domain of a function.
func inside(op *expr.Op) []float64 {
	x := make([]float64, op.Arity)
	for i, r := range op.Domain {
		switch lo, hi := !math.IsInf(r.Lo, 0), !math.IsInf(r.Hi, 0); {
		case lo && hi:
			x[i] = (r.Lo + r.Hi) / 2
		case lo:
			x[i] = r.Lo + 1
		case hi:
			x[i] = r.Hi - 1
		default:
			x[i] = 0.75
		}
	}
	return x
}
