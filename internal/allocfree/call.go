package allocfree

import (
	"go/ast"
	"go/types"
	"slices"

	"golang.org/x/tools/go/types/typeutil"
)

// call checks a call, a conversion or the use of a predeclared function.
func (c *checker) call(n *ast.CallExpr) {
	fun := ast.Unparen(n.Fun)
	c.called[fun] = true
	c.lend(n)
	if c.pass.TypesInfo.Types[fun].IsType() {
		c.conversion(n)
		return
	}
	switch f := typeutil.Callee(c.pass.TypesInfo, n).(type) {
	case *types.Builtin:
		c.builtin(n, f.Name())
		return
	case *types.Func:
		c.function(n, f)
	default:
		c.report(n, "call through a function value")
	}
	if sig, ok := c.typeOf(fun).Underlying().(*types.Signature); ok {
		c.arguments(n, sig)
	}
}

// lend takes note of arguments that may be addresses of arrays of the function: those of calls within the package around the assembly, and of
// functions, not methods, of the packages that steps call, which have no place to keep them in. The scan of the compiler's output sees whether one went to the heap.
func (c *checker) lend(n *ast.CallExpr) {
	f, ok := typeutil.Callee(c.pass.TypesInfo, n).(*types.Func)
	if !ok || f.Pkg() == nil {
		return
	}
	within := f.Pkg() == c.pass.Pkg && f.Pkg().Path() == assembly
	if !within && (f.Signature().Recv() != nil || !slices.Contains(Checked, f.Pkg().Path())) {
		return
	}
	for _, arg := range n.Args {
		c.lent[ast.Unparen(arg)] = true
	}
}

// function judges the function that is called.
func (c *checker) function(n *ast.CallExpr, f *types.Func) {
	recv := f.Signature().Recv()
	switch {
	case recv != nil && types.IsInterface(recv.Type()): // or a method of a type parameter
		c.report(n, "call of %s through an interface", f.Name())
	case f.Pkg() == c.pass.Pkg || mayCall(f):
	default:
		if !slices.Contains(Refusals, f.FullName()) {
			c.report(n, "call of %s, which is not known to be free of allocations", f.FullName())
		}
	}
}

// arguments checks how the arguments are passed.
func (c *checker) arguments(n *ast.CallExpr, sig *types.Signature) {
	fixed := sig.Params().Len()
	if sig.Variadic() && !n.Ellipsis.IsValid() {
		fixed--
		if f, _ := typeutil.Callee(c.pass.TypesInfo, n).(*types.Func); len(n.Args) > fixed && (f == nil || !slices.Contains(Spread, f.Origin().FullName())) {
			c.report(n, "variadic call makes a slice of its arguments")
		}
	}
	var to []types.Type
	for i := range len(n.Args) {
		if i < fixed {
			to = append(to, sig.Params().At(i).Type())
		} else {
			to = append(to, variadic(sig))
		}
	}
	if len(n.Args) == 1 && fixed > 1 { // f(g()), where g returns several values
		to = nil
		for v := range sig.Params().Variables() {
			to = append(to, v.Type())
		}
	}
	c.convertAll(n, n.Args, to)
}

// variadic is the type of the last arguments, or nil.
func variadic(sig *types.Signature) types.Type {
	if sig.Params().Len() == 0 {
		return nil
	}
	if s, ok := sig.Params().At(sig.Params().Len() - 1).Type().(*types.Slice); ok {
		return s.Elem()
	}
	return nil
}

// grow takes note of an assignment of the form p.f = append(p.f, ...) or p.f = append(p.f, make(...)...), which makes what is appended nowhere else, for the receiver
// p, where that is allowed.
func (c *checker) grow(n *ast.AssignStmt) {
	if !slices.Contains(Growing, c.decl.Name.Name) || len(n.Lhs) != 1 || len(n.Rhs) != 1 {
		return
	}
	call, ok := n.Rhs[0].(*ast.CallExpr)
	if !ok || len(call.Args) == 0 {
		return
	}
	f, ok := typeutil.Callee(c.pass.TypesInfo, call).(*types.Builtin)
	to := c.ownField(n.Lhs[0])
	if ok && f.Name() == "append" && to != nil && to == c.ownField(call.Args[0]) {
		c.grown[call] = true
		if made, ok := call.Args[len(call.Args)-1].(*ast.CallExpr); ok && call.Ellipsis.IsValid() {
			f, ok := typeutil.Callee(c.pass.TypesInfo, made).(*types.Builtin)
			c.grown[made] = ok && f.Name() == "make"
		}
	}
}

// ownField is the field of the receiver that an expression names, or nil.
func (c *checker) ownField(e ast.Expr) *types.Var {
	s, ok := e.(*ast.SelectorExpr)
	if !ok || c.sig.Recv() == nil {
		return nil
	}
	if id, ok := s.X.(*ast.Ident); !ok || c.pass.TypesInfo.Uses[id] != c.sig.Recv() {
		return nil
	}
	f, _ := c.pass.TypesInfo.Uses[s.Sel].(*types.Var)
	return f
}

func (c *checker) builtin(n *ast.CallExpr, name string) {
	switch {
	case c.grown[n]:
	case name == "make" || name == "new" || name == "append":
		c.report(n, "%s allocates", name)
	case name == "delete", name == "clear" && is[*types.Map](c.typeOf(n.Args[0])), name == "len" && is[*types.Map](c.typeOf(n.Args[0])):
		c.report(n, "map operation")
	case name == "close":
		c.report(n, "channel operation")
	case name == "panic":
		if !c.constant(n.Args[0]) {
			c.report(n, "panic with a value that is no constant makes an interface")
		}
	case !slices.Contains(builtins, name):
		c.report(n, "%s is not known to be free of allocations", name)
	}
}

// conversion checks T(x).
func (c *checker) conversion(n *ast.CallExpr) {
	to, x := c.typeOf(n), n.Args[0]
	from := c.typeOf(x)
	c.convert(x, to)
	switch {
	case c.constant(n):
	case isString(to) && !isString(from):
		c.report(n, "conversion to string allocates")
	case is[*types.Slice](to) && isString(from):
		c.report(n, "conversion of a string allocates")
	}
}
