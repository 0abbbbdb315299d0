// Package expr is the typed expression graph in which everything is derived: immutable, hash-consed nodes whose pointers
// are equal exactly when their canonical forms are.
//
// A [Graph] makes nodes. Its methods ([Graph.Add], [Graph.Mul], [Graph.MatMul], [Graph.Sum] and so on) bring what they make
// into canonical form at once: school algebra is two n-ary operations, Lin (a constant plus a sum of coefficient times
// operand) and Prod (a product of constant powers), so that merging and cancelling need no rules. A node has a [Type], the
// core (number, vector or matrix, with lengths that are names or numbers) with the named axes it varies over (rows,
// components of a mixture, draws), and [Facts]: what is known of its range, integrality and structure.
//
// [Functions] is the table of elementwise functions. A function exists for the parser, the type checker, the interpreter,
// both modes of differentiation, the printers, the emitter, the reference and the tests because it has a row there. What is
// computed together, or prepared once for all rows, is in the tables of joint.go; the declarable types are those of package
// runtime/types.
//
// The packages below use the graph: expr/syntax parses formulas, expr/rewrite simplifies, expr/diff differentiates, expr/eval
// interprets. The graph knows nothing of specs, families or Go code.
package expr
