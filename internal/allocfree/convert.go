package allocfree

import (
	"go/ast"
	"go/token"
	"go/types"
)

// convert reports the conversion of e to the type to, explicit or not, when it makes an interface of a value.
func (c *checker) convert(e ast.Expr, to types.Type) {
	from := c.typeOf(e)
	if from == nil || to == nil || !isInterface(to) || isInterface(from) {
		return
	}
	if b, ok := from.(*types.Basic); ok && b.Kind() == types.UntypedNil {
		return
	}
	c.report(e, "conversion of %s to the interface %s may allocate", c.show(from), c.show(to))
}

func (c *checker) show(t types.Type) string { return types.TypeString(t, types.RelativeTo(c.pass.Pkg)) }

// isInterface leaves out type parameters, whose values are not boxed.
func isInterface(t types.Type) bool {
	_, param := types.Unalias(t).(*types.TypeParam)
	return !param && types.IsInterface(t)
}

// elements checks the elements of a literal of type t.
func (c *checker) elements(n *ast.CompositeLit, t types.Type) {
	for i, e := range n.Elts {
		value, key := e, ast.Expr(nil)
		if kv, ok := e.(*ast.KeyValueExpr); ok {
			value, key = kv.Value, kv.Key
		}
		switch u := t.Underlying().(type) {
		case *types.Struct:
			c.convert(value, c.field(u, i, key))
		case interface{ Elem() types.Type }: // array, slice and map
			c.convert(value, u.Elem())
		}
	}
}

// field returns the type of a field, by name where there is one and otherwise by its place.
func (c *checker) field(s *types.Struct, i int, key ast.Expr) types.Type {
	if id, ok := key.(*ast.Ident); ok {
		return c.pass.TypesInfo.ObjectOf(id).Type()
	}
	return s.Field(i).Type()
}

func (c *checker) assign(n *ast.AssignStmt) {
	c.grow(n)
	if n.Tok == token.ADD_ASSIGN && isString(c.typeOf(n.Lhs[0])) {
		c.report(n, "string concatenation allocates")
	}
	var to []types.Type
	for _, l := range n.Lhs {
		to = append(to, c.typeOf(l)) // nil for the blank identifier
	}
	c.convertAll(n, n.Rhs, to)
}

func (c *checker) valueSpec(n *ast.ValueSpec) {
	var to []types.Type
	for _, name := range n.Names {
		to = append(to, c.pass.TypesInfo.Defs[name].Type())
	}
	c.convertAll(n, n.Values, to)
}

func (c *checker) returned(n *ast.ReturnStmt) {
	var to []types.Type
	for v := range c.sig.Results().Variables() {
		to = append(to, v.Type())
	}
	c.convertAll(n, n.Results, to)
}

// convertAll checks values that go to places of the types to; one call may give all of them.
func (c *checker) convertAll(n ast.Node, values []ast.Expr, to []types.Type) {
	if len(values) == len(to) {
		for i, v := range values {
			c.convert(v, to[i])
		}
		return
	}
	if len(values) != 1 {
		return
	}
	tuple, ok := c.typeOf(values[0]).(*types.Tuple)
	for i := 0; ok && i < tuple.Len() && i < len(to); i++ {
		if t := to[i]; t != nil && isInterface(t) && !isInterface(tuple.At(i).Type()) {
			c.report(n, "conversion of %s to the interface %s may allocate", c.show(tuple.At(i).Type()), c.show(t))
		}
	}
}

// switched checks the comparisons of the cases with the tag.
func (c *checker) switched(n *ast.SwitchStmt) {
	if n.Tag == nil {
		return
	}
	for _, s := range n.Body.List {
		for _, e := range s.(*ast.CaseClause).List {
			c.convert(e, c.typeOf(n.Tag))
			c.convert(n.Tag, c.typeOf(e))
		}
	}
}
