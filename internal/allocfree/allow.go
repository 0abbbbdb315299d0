package allocfree

import (
	"go/ast"
	"go/types"
	"slices"
)

// Steps names the methods that a step runs, on whatever type. What sets a model up (New, SetData, Clone, Start, Fit and
// the like) is not among them and may allocate.
var Steps = []string{
	"NaturalGradient", "Gradients", "Loss", "Violation", "Theta", "Dual", "Batch", "Blocks", "Conditions",
	"ThetaGradient", "ThetaLoss", "Gradient", "Hessian", "FromTheta", "FisherUnconstrained", "FisherSurrogate",
}

// Growing names the steps that may make memory of their receiver longer, by appending to it: a batch that is longer
// than any before, and the list of its rows. What they call may not.
var Growing = []string{"Batch", "note"}

// module is the import path of the runtime.
const module = "github.com/sngdgen/sngdgen/runtime"

// Checked lists the packages of this module whose functions a step may call. Whole must find nothing in them: that
// justifies the permission.
var Checked = []string{module + "/special", module + "/solve", module + "/dense", module + "/vector", module + "/series"}

// assembly is the package whose functions may be assembly.
const assembly = module + "/vector"

// Trusted lists packages outside this module whose functions a step may call: arithmetic.
var Trusted = []string{"math", "math/bits"}

// Listed are functions that a step may call of a package with others that it may not. Inner finds nothing in them.
var Listed = []string{"(*" + support + ".Column).Batch", "(" + support + ".Rows).Given",
	"(*" + support + ".Data).See", "(*" + support + ".Data).SeeAll", "(*" + support + ".seen).see",
	"(*" + support + ".seen).batch", "(*" + support + ".seen).whole", "(" + support + ".Rows).take", "(*" + support + ".Column).note", "(*" + support + ".Column).row",
	"(*" + support + ".distinct).of", "(*" + support + ".distinct).at", "(*" + support + ".distinct).below",
	"(*" + support + ".ScaledData).See", "(*" + support + ".ScaledData).SeeAll", "(*" + support + ".ScaledData).rescale",
	"(" + support + ".Rows).Total", "(" + support + ".Rows).divided", "(" + support + ".Rows).share",
	"(" + support + ".Rows).Weights", support + ".WeightsOf", "(*" + support + ".Weights).Len", "(*" + support + ".Weights).Of",
	"(*" + support + ".Weights).Given", "(" + support + ".Groups).Count", "(" + support + ".Groups).Of", "(*" + support + ".Linear).At",
	"(*" + support + ".Linear).AddTo", "(*" + support + ".Pass[M]).TakeArrays", "(*" + support + ".Pass[M]).TakeNumbers",
	"(*" + support + ".Pass[M]).OneBlock"}

// Shared are functions with which workers share a pass over many rows, or evaluate groups of draws. They take memory when this is done first, and again when lengths or the
// number of workers have changed: tests of package support count that they take none after that. What they are given is checked. Where several
// processes have the rows they may take some.
var Shared = []string{"(*" + support + ".Pass[M]).Over", "(*" + support + ".Pass[M]).Each", "(*" + support + ".Pass[M]).Workers",
	support + ".GroupsOf", "(*" + support + ".Linear).Predict",
	support + ".total", "(*" + support + ".Column).gather"}

// Setup names the methods by which a worker gets its memory, for the same reason.
var Setup = []string{"help"}

// Refusals lists functions that allocate nothing but an error, after which there is no step.
var Refusals = []string{support + ".CheckBatch", support + ".CheckOrdered", "(" + support + ".Rows).CheckBatch"}

// Spread are functions whose last parameter takes a list of arguments that they do not keep, so that the compiler makes it on the stack: a test of
// package support counts.
var Spread = []string{"(*" + support + ".Data).See", "(*" + support + ".Data).SeeAll", "(*" + support + ".ScaledData).See",
	"(*" + support + ".ScaledData).SeeAll", "(*" + support + ".Pass[M]).TakeArrays", "(*" + support + ".Pass[M]).TakeNumbers"}

// support is the import path of what generated packages share.
const support = module + "/support"

// gonum is the import path of the linear algebra below runtime/dense.
const gonum = "gonum.org/v1/gonum/blas/gonum"

// Kernels lists the methods of gonum.Implementation that runtime/dense calls: those that only check their arguments and
// run assembly. The others may not be called: Dgemm starts goroutines. Inner must find nothing in these.
var Kernels = []string{"Ddot", "Daxpy", "Dscal", "Dgemv", "Dger"}

// isKernel reports whether a function is listed in Kernels.
func isKernel(f *types.Func) bool {
	return f.Pkg().Path() == gonum && f.Signature().Recv() != nil && slices.Contains(Kernels, f.Name())
}

// builtins lists the predeclared functions that cannot allocate; clear and panic are judged by their argument.
var builtins = []string{"cap", "clear", "copy", "len", "max", "min", "panic", "real", "imag", "complex"}

// mayCall reports whether a function is known to be free of allocations.
func mayCall(f *types.Func) bool {
	return slices.Contains(Trusted, f.Pkg().Path()) || slices.Contains(Checked, f.Pkg().Path()) || slices.Contains(Listed, f.Origin().FullName()) ||
		slices.Contains(Shared, f.Origin().FullName()) || isKernel(f)
}

// harmless reports whether a node needs no rule of its own. It is a list of what is allowed, so that syntax that nobody
// thought of is reported.
func harmless(n ast.Node) bool {
	switch n.(type) {
	case *ast.Ident, *ast.BasicLit, *ast.ParenExpr, *ast.StarExpr, *ast.IndexListExpr, *ast.KeyValueExpr,
		*ast.Comment, *ast.CommentGroup, *ast.Field, *ast.FieldList,
		*ast.ArrayType, *ast.StructType, *ast.Ellipsis, *ast.MapType, *ast.ChanType, *ast.FuncType, *ast.InterfaceType,
		*ast.BlockStmt, *ast.BranchStmt, *ast.CaseClause, *ast.DeclStmt, *ast.EmptyStmt, *ast.ExprStmt, *ast.ForStmt,
		*ast.GenDecl, *ast.IfStmt, *ast.IncDecStmt, *ast.LabeledStmt, *ast.TypeSpec:
		return true
	}
	return false
}
