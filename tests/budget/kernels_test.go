package budget

import (
	"go/ast"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// class says what a function of runtime/dense costs.
type class int

const (
	light         class = iota // of the order of the memory that it touches
	factorisation              // a Cholesky factor, d^3/3 flops
	inverse                    // an inverse from its factor, 2 d^3/3
	diagonal                   // the diagonal of A^-1 S, 2 d^3/3
	solve                      // a triangular solve with b right-hand sides, b d^2
	solveTwice                 // two of them: with the factor and its transpose
	product                    // of two matrices, 2 m k n
	gram                       // a weighted sum of b outer products, b d^2 where it is symmetric
)

// kernels has a row for every function of runtime/dense. A decomposition of another kind, such as one by eigenvalues,
// would need a class of its own here, which no budget has.
var kernels = map[string]class{
	"Cholesky":            factorisation,
	"InverseFromCholesky": inverse,
	"DiagOfSolve":         diagonal,
	"TraceOfInverse":      diagonal,
	"TraceOfSolve":        diagonal,
	"SolveLowerRows":      solve,
	"SolveLowerTRows":     solve,
	"SolveLowerHalf":      solve,
	"SolveRows":           solveTwice,
	"RowsSquareOfSolve":   solve,
	"SolveLowerBoth":      solveTwice,
	"SolveLowerTBoth":     solveTwice,
	"Mul":                 product,
	"AddMul":              product,
	"MulNT":               product,
	"AddMulNT":            product,
	"MulLower":            product,
	"MulToLower":          product,
	"MulNTLower":          product,
	"MulLowers":           product,
	"MulVectors":          product,
	"AddMulVectors":       product,
	"MulTransposed":       product,
	"AddWeightedGram":     gram,
	"AddWeightedCross":    gram,
	"AddLowerCross":       gram,

	"LogDet":             light, // of a factor: d logarithms
	"SolveLower":         light, // of one vector, as the next two
	"SolveLowerT":        light,
	"Solve":              light,
	"MulVec":             light,
	"SymmetricMulVec":    light,
	"AddMulVec":          light,
	"MulTVec":            light,
	"AddMulTVec":         light,
	"AddOuter":           light, // of one pair of vectors, as the next
	"AddSymmetricOuter":  light,
	"RowsDot":            light,
	"Gather":             light,
	"RowsLess":           light,
	"RowsPlus":           light,
	"LessRows":           light,
	"AddScaledRows":      light,
	"AddRowsOuter":       light,
	"PlusOuter":          light,
	"Plus":               light,
	"Minus":              light,
	"Divide":             light,
	"Sum":                light,
	"Trace":              light,
	"AddToDiagonal":      light,
	"Mirrored":           light,
	"MirroredScale":      light,
	"MirroredPlusOuter":  light,
	"RowsSquare":         light,
	"LowerSum":           light,
	"ScaledSum":          light,
	"SymmetricDot":       light,
	"LowerSymmetric":     light,
	"LowerRankTwo":       light,
	"MirroredSum":        light,
	"MirroredSymmetric":  light,
	"MirroredRankTwo":    light,
	"LowerSumRankTwo":    light,
	"MirroredSumRankTwo": light,
	"ScaleRows":          light,
	"ClearLower":         light,
	"Mirror":             light,
	"Symmetrize":         light,
	"LowerHalf":          light,
	"Cumulative":         light,
	"Remaining":          light,
	"CumulativeRows":     light,
	"RemainingRows":      light,
	"Transpose":          light,
	"DiagOf":             light,
	"Copied":             light,
	"Finite":             light,
	"Zeroed":             light,
	"Dot":                light,
	"Entry":              light,
	"Entry2":             light,
	"AddEntry":           light,
	"AddEntry2":          light,
	"Last":               light,
	"LogSumExp":          light,
	"LogSumExpOf":        light,
	"Padded":             light,
	"Part":               light,
	"Run":                light,
	"Larger":             light,
	"Softmax":            light,
	"SoftmaxOf":          light,
	"Axpy":               light,
	"Scale":              light,
	"AffineTimes":        light,
	"TransposeApart":     light,
	"TransposedRoom":     light,
	"Range":              light,
	"SparseEntries":      light,
	"SparseIn":           light,
	"SparseMemory":       light,
	"SparseRoom":         light,
}

// ofEntries are the kernels that read one number, or add to one.
var ofEntries = []string{"Entry", "Entry2", "AddEntry", "AddEntry2"}

// inside says which kernels other than light ones a kernel is made of. That DiagOfSolve makes an inverse, in scratch,
// is worth a row: it costs a third of the two solves with all of S that would give the same diagonal.
var inside = map[string][]string{
	"DiagOfSolve":     {"InverseFromCholesky"},
	"SolveRows":       {"SolveLowerRows", "SolveLowerTRows"},
	"SolveLowerBoth":  {"SolveLowerRows"},
	"SolveLowerTBoth": {"SolveLowerTRows"},
	"Mul":             {"AddMul"},
	"AddWeightedGram": {"AddLowerCross"},
	"MulNT":           {"AddMulNT"},

	"RowsSquareOfSolve": {"SolveLowerRows"},
	"SolveLowerHalf":    {"SolveLowerRows"},

	// Without kernels zeros are not left out.
	"MulLower":   {"AddMul", "Mul"},
	"MulNTLower": {"AddMulNT", "MulNT"},
	"MulLowers":  {"AddMulNT", "MulNT"},
}

// blocked are the unexported functions that multiply or solve with whole matrices.
var blocked = []string{
	"addProduct", "addLower", "addRows", "addTiny", "solveLower", "solveLowerT", "invert", "square", "factor",
}

// TestKernels: every function of runtime/dense has a class, and calls nothing that costs more than its class says.
func TestKernels(t *testing.T) {
	functions := denseFunctions(t)
	for name := range kernels {
		if functions[name] == nil {
			t.Errorf("runtime/dense has no %s any more", name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(functions)) {
		if !ast.IsExported(name) {
			continue
		}
		if _, ok := kernels[name]; !ok {
			t.Errorf("dense.%s has no row in the table: say what it costs", name)
			continue
		}
		reached := reach(functions, name)
		var heavy []string
		for _, r := range reached {
			if kernels[r] != light {
				heavy = append(heavy, r)
			}
		}
		if !slices.Equal(heavy, inside[name]) {
			t.Errorf("dense.%s is made of %v, by the table of %v", name, heavy, inside[name])
		}
		for _, b := range blocked {
			if kernels[name] == light && slices.Contains(reached, b) {
				t.Errorf("dense.%s is light by the table, but calls %s", name, b)
			}
		}
	}
	for _, b := range blocked {
		if functions[b] == nil {
			t.Errorf("runtime/dense has no %s any more", b)
		}
	}
}

// denseFunctions are the functions and methods of runtime/dense by name.
func denseFunctions(t *testing.T) map[string]*ast.FuncDecl {
	t.Helper()
	paths, err := filepath.Glob("../../runtime/dense/*.go")
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]*ast.FuncDecl{}
	for _, path := range paths {
		if !strings.HasSuffix(path, "_test.go") {
			maps.Copy(out, declared(parse(t, path), "matrix"))
		}
	}
	if len(out) == 0 {
		t.Fatal("no function of runtime/dense was found")
	}
	return out
}

// reach lists the declared functions that one calls, directly or not. A method goes by its bare name.
func reach(functions map[string]*ast.FuncDecl, from string) []string {
	seen := map[string]bool{}
	var visit func(string)
	visit = func(name string) {
		ast.Inspect(functions[name].Body, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok && functions[id.Name] != nil && !seen[id.Name] && id.Name != from {
				seen[id.Name] = true
				visit(id.Name)
			}
			return true
		})
	}
	visit(from)
	return slices.Sorted(maps.Keys(seen))
}
