package allocfree

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
)

func isTest(filename string) bool { return strings.HasSuffix(filename, "_test.go") }

// checker checks one function.
type checker struct {
	pass *analysis.Pass
	sig  *types.Signature
	decl *ast.FuncDecl

	called map[ast.Expr]bool // operands of calls: there, a method is not a value
	lent   map[ast.Expr]bool // operands of calls that may be addresses of arrays of the function
	grown  map[ast.Expr]bool // calls of append that make a field of the receiver longer
}

func (c *checker) report(n ast.Node, format string, args ...any) {
	c.pass.ReportRangef(n, format+", in "+c.decl.Name.Name, args...)
}

func (c *checker) typeOf(e ast.Expr) types.Type { return c.pass.TypesInfo.TypeOf(e) }

// is reports whether the core of the type of e is a T: a map, a channel and so on.
func is[T types.Type](t types.Type) bool {
	if t == nil {
		return false
	}
	_, ok := t.Underlying().(T)
	return ok
}

func isString(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsString != 0
}

func (c *checker) constant(e ast.Expr) bool { return c.pass.TypesInfo.Types[e].Value != nil }

// check reports what the function may allocate.
func (c *checker) check() {
	if c.decl.Body == nil && c.assembly() {
		return
	}
	if c.decl.Body == nil {
		c.report(c.decl.Name, "a function without a body cannot be checked")
		return
	}
	c.called, c.lent, c.grown = map[ast.Expr]bool{}, map[ast.Expr]bool{}, map[ast.Expr]bool{}
	ast.Inspect(c.decl.Body, c.node)
}

// assembly reports whether a function is one that internal/vectorgen has written, which calls nothing, and whose pointers the
// compiler knows to stay where they are: or what they point at would be taken from the heap.
func (c *checker) assembly() bool {
	if c.pass.Pkg.Path() != assembly || c.decl.Doc == nil {
		return false
	}
	return slices.ContainsFunc(c.decl.Doc.List, func(line *ast.Comment) bool { return line.Text == "//go:noescape" })
}

// node has a case for everything that may appear in a function.
func (c *checker) node(n ast.Node) bool {
	switch n := n.(type) {
	case nil:
	case *ast.FuncLit:
		if c.captures(n) {
			c.report(n, "function literal allocates a closure")
			return false
		}
	case *ast.GoStmt:
		c.report(n, "go statement allocates a goroutine")
	case *ast.DeferStmt:
		c.report(n, "defer statement may allocate")
	case *ast.SendStmt, *ast.SelectStmt, *ast.CommClause:
		c.report(n, "channel operation")
	case *ast.TypeSwitchStmt, *ast.TypeAssertExpr:
		c.report(n, "type assertion works on an interface")
	case *ast.CallExpr:
		c.call(n)
	case *ast.CompositeLit:
		c.literal(n)
	case *ast.SelectorExpr:
		c.selector(n)
	case *ast.UnaryExpr:
		c.unary(n)
	case *ast.BinaryExpr:
		c.binary(n)
	case *ast.IndexExpr:
		if is[*types.Map](c.typeOf(n.X)) {
			c.report(n, "map operation")
		}
	case *ast.SliceExpr:
		c.slice(n)
	case *ast.RangeStmt:
		c.rangeOver(n)
	case *ast.AssignStmt:
		c.assign(n)
	case *ast.ValueSpec:
		c.valueSpec(n)
	case *ast.ReturnStmt:
		c.returned(n)
	case *ast.SwitchStmt:
		c.switched(n)
	default:
		if !harmless(n) {
			c.report(n, "%T is not known to be free of allocations", n)
		}
	}
	return true
}

// captures reports whether a function literal mentions a variable of the function around it: one that does not is there once, and no closure.
func (c *checker) captures(f *ast.FuncLit) bool {
	found := false
	ast.Inspect(f, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		if !ok {
			return true
		}
		v, ok := c.pass.TypesInfo.Uses[id].(*types.Var)
		if ok && !v.IsField() && v.Parent() != c.pass.Pkg.Scope() && (v.Pos() < f.Pos() || v.Pos() > f.End()) {
			found = true
		}
		return true
	})
	return found
}

func (c *checker) literal(n *ast.CompositeLit) {
	t := c.typeOf(n)
	switch u := t.Underlying().(type) {
	case *types.Pointer: // an element of [2]*T{{...}, {...}}
		c.report(n, "address of a composite literal allocates")
		t = u.Elem()
	case *types.Slice:
		c.report(n, "slice literal allocates")
	case *types.Map:
		c.report(n, "map literal allocates")
	}
	c.elements(n, t)
}

// selector reports methods that are not called: their value is a closure.
func (c *checker) selector(n *ast.SelectorExpr) {
	s := c.pass.TypesInfo.Selections[n]
	if s != nil && s.Kind() == types.MethodVal && !c.called[n] {
		c.report(n, "method value %s allocates a closure", n.Sel.Name)
	}
}

func (c *checker) unary(n *ast.UnaryExpr) {
	switch n.Op {
	case token.ARROW:
		c.report(n, "channel operation")
	case token.AND:
		x := ast.Unparen(n.X)
		if _, ok := x.(*ast.CompositeLit); ok {
			c.report(n, "address of a composite literal allocates")
		} else if v := c.local(x); v != nil && !c.lent[n] {
			c.report(n, "address of %s may move it to the heap", v.Name())
		}
	}
}

// local returns the variable of the function that holds x, or nil: x is reached through no pointer and no slice.
func (c *checker) local(x ast.Expr) *types.Var {
	switch x := ast.Unparen(x).(type) {
	case *ast.Ident:
		v, ok := c.pass.TypesInfo.ObjectOf(x).(*types.Var)
		if ok && v.Parent() != c.pass.Pkg.Scope() {
			return v
		}
	case *ast.SelectorExpr:
		if s := c.pass.TypesInfo.Selections[x]; s != nil && !s.Indirect() {
			return c.local(x.X)
		}
	case *ast.IndexExpr:
		if is[*types.Array](c.typeOf(x.X)) {
			return c.local(x.X)
		}
	}
	return nil
}

func (c *checker) slice(n *ast.SliceExpr) {
	if !is[*types.Array](c.typeOf(n.X)) {
		return
	}
	if v := c.local(n.X); v != nil && !c.lent[n] {
		c.report(n, "slice of the array %s may move it to the heap", v.Name())
	}
}

func (c *checker) rangeOver(n *ast.RangeStmt) {
	t := c.typeOf(n.X)
	switch t.Underlying().(type) {
	case *types.Map:
		c.report(n.X, "map operation")
	case *types.Chan:
		c.report(n.X, "channel operation")
	case *types.Signature:
		c.report(n.X, "range over a function calls through a function value")
	}
}

func (c *checker) binary(n *ast.BinaryExpr) {
	if n.Op == token.ADD && isString(c.typeOf(n)) && !c.constant(n) {
		c.report(n, "string concatenation allocates")
	}
	if n.Op == token.EQL || n.Op == token.NEQ {
		c.convert(n.X, c.typeOf(n.Y))
		c.convert(n.Y, c.typeOf(n.X))
	}
}
