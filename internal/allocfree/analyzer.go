// Package allocfree reports what allocates, or might, in the methods that a step of a generated optimiser runs.
//
// It is the first of three checks; no single one proves that nothing is allocated. This one is the strictest: it allows
// arithmetic, slices and listed calls, and reports everything else, also what a compiler of today optimises away. The
// second is a scan of the compiler's output, the third testing.AllocsPerRun in the emitted tests; a test in
// tests/invariants runs the second and asserts the third.
package allocfree

import (
	"go/ast"
	"go/types"
	"maps"
	"reflect"
	"slices"

	"golang.org/x/tools/go/analysis"
)

// Analyzer checks the methods named in Steps and all they use in their package.
var Analyzer = &analysis.Analyzer{
	Name:       "allocfree",
	Doc:        "report allocations in the methods that a step runs",
	Run:        func(pass *analysis.Pass) (any, error) { return run(pass, isStep), nil },
	ResultType: reflect.TypeFor[Result](),
}

// Whole checks every function of a package: of one whose functions steps call.
var Whole = &analysis.Analyzer{
	Name:       "allocfreewhole",
	Doc:        "report allocations in any function",
	Run:        func(pass *analysis.Pass) (any, error) { return run(pass, everything), nil },
	ResultType: reflect.TypeFor[Result](),
}

// Inner checks the functions that are listed: of gonum in Kernels, of this module in Listed.
var Inner = &analysis.Analyzer{
	Name:       "allocfreeinner",
	Doc:        "report allocations in listed functions",
	Run:        func(pass *analysis.Pass) (any, error) { return run(pass, isListed), nil },
	ResultType: reflect.TypeFor[Result](),
}

// Result lists the functions that were checked, as (*Model).Loss or rootA, sorted.
type Result []string

func isStep(f *types.Func) bool {
	return f.Signature().Recv() != nil && slices.Contains(Steps, f.Name())
}

func isListed(f *types.Func) bool { return isKernel(f) || slices.Contains(Listed, f.FullName()) }

func everything(*types.Func) bool { return true }

// run checks the functions that are roots, and what they reach.
func run(pass *analysis.Pass, root func(*types.Func) bool) Result {
	r := reach{pass: pass, decls: declarations(pass), seen: map[*types.Func]bool{}}
	for fn := range r.decls {
		if root(fn) {
			r.visit(fn)
		}
	}
	var names Result
	for _, fn := range slices.SortedFunc(maps.Keys(r.seen), func(a, b *types.Func) int { return int(a.Pos() - b.Pos()) }) {
		c := checker{pass: pass, sig: fn.Signature(), decl: r.decls[fn]}
		c.check()
		names = append(names, name(fn))
	}
	slices.Sort(names)
	return names
}

// name is the name of a function within its package.
func name(fn *types.Func) string {
	recv := fn.Signature().Recv()
	if recv == nil {
		return fn.Name()
	}
	return "(" + types.TypeString(recv.Type(), func(*types.Package) string { return "" }) + ")." + fn.Name()
}

// declarations returns the functions that the package declares, tests excepted.
func declarations(pass *analysis.Pass) map[*types.Func]*ast.FuncDecl {
	out := map[*types.Func]*ast.FuncDecl{}
	for _, file := range pass.Files {
		if isTest(pass.Fset.Position(file.Pos()).Filename) {
			continue
		}
		for _, d := range file.Decls {
			if d, ok := d.(*ast.FuncDecl); ok {
				out[pass.TypesInfo.Defs[d.Name].(*types.Func)] = d
			}
		}
	}
	return out
}

// reach collects the functions of a package that are used, directly or not.
type reach struct {
	pass  *analysis.Pass
	decls map[*types.Func]*ast.FuncDecl
	seen  map[*types.Func]bool
}

// visit takes every mention of a function for a call of it.
func (r *reach) visit(fn *types.Func) {
	if r.seen[fn] || r.decls[fn] == nil || slices.Contains(Refusals, fn.FullName()) || slices.Contains(Shared, fn.Origin().FullName()) || fn.Signature().Recv() != nil && slices.Contains(Setup, fn.Name()) {
		return
	}
	r.seen[fn] = true
	ast.Inspect(r.decls[fn], func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			if used, ok := r.pass.TypesInfo.Uses[id].(*types.Func); ok {
				r.visit(used.Origin())
			}
		}
		return true
	})
}
