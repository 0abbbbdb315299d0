package budget

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strings"
	"testing"

	"github.com/sngdgen/sngdgen/gen/plan"
)

// work counts what grows with the cube of a dimension, and with its square for each row.
type work struct {
	chol, inv, diag, solves, products int // once: factors, inverses, diagonals of A^-1 S, triangular solves, products
	rowSolves, rowProducts, grams     int // for the rows, a block at a time
	ownSolves, ownProducts, ownGrams  int // the same for the rows of the component alone
}

// planned is the work in the words of the planner, which has no kind of its own for the diagonal of A^-1 S.
func (w work) planned() plan.Budget {
	return plan.Budget{
		Cholesky: w.chol, Inverses: w.inv, Solves: w.diag + w.solves, Products: w.products,
		Rows: plan.RowBudget{Solves: w.rowSolves, Products: w.rowProducts, Grams: w.grams},
		Own:  plan.RowBudget{Solves: w.ownSolves, Products: w.ownProducts, Grams: w.ownGrams},
	}
}

// beyond is the part of the work that is not allowed for, kind by kind.
func (w work) beyond(allowed work) work {
	more := func(a, b int) int { return max(a-b, 0) }
	return work{
		chol: more(w.chol, allowed.chol), inv: more(w.inv, allowed.inv), diag: more(w.diag, allowed.diag),
		solves: more(w.solves, allowed.solves), products: more(w.products, allowed.products),
		rowSolves:   more(w.rowSolves, allowed.rowSolves),
		rowProducts: more(w.rowProducts, allowed.rowProducts), grams: more(w.grams, allowed.grams),
		ownSolves:   more(w.ownSolves, allowed.ownSolves),
		ownProducts: more(w.ownProducts, allowed.ownProducts), ownGrams: more(w.ownGrams, allowed.ownGrams),
	}
}

// once adds a call outside the loop over the rows. There, a sum over rows has no meaning.
func (w *work) once(c class) (ok bool) {
	switch c {
	case factorisation:
		w.chol++
	case inverse:
		w.inv++
	case diagonal:
		w.diag++
	case solve:
		w.solves++
	case solveTwice:
		w.solves += 2
	case product:
		w.products++
	default:
		return c == light
	}
	return true
}

// perRow adds a call for a block of rows. There, a factor or an inverse would be one for every block.
func (w *work) perRow(c class) (ok bool) {
	switch c {
	case solve:
		w.rowSolves++
	case solveTwice:
		w.rowSolves += 2
	case product:
		w.rowProducts++
	case gram:
		w.grams++
	default:
		return c == light
	}
	return true
}

// place is where a call stands.
type place string

const (
	outside   place = "outside the loop over the rows"
	overRows  place = "in the loop over the rows"
	overOwn   place = "in the loop over the rows, for the component of a block"
	iterating place = "in every iteration of a solver"
)

// counter counts the calls of runtime/dense in a method, and in the functions of the file that it calls.
type counter struct {
	functions map[string]*ast.FuncDecl
	work
	faults []string // what the count does not understand, or what must not be
}

func (c *counter) fault(format string, args ...any) {
	c.faults = append(c.faults, fmt.Sprintf(format, args...))
}

// count returns the work of a method of a generated file.
func count(t *testing.T, file *ast.File, method string) work {
	t.Helper()
	c := counter{functions: declared(file, "Model")}
	if c.functions[method] == nil {
		t.Errorf("package %s has no method %s", file.Name, method)
		return work{}
	}
	c.body(c.functions[method].Body, outside, 0)
	for _, fault := range c.faults {
		t.Errorf("package %s, %s: %s", file.Name, method, fault)
	}
	return c.work
}

// body counts what is below a node, inside so many loops over entries.
func (c *counter) body(n ast.Node, at place, depth int) {
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ForStmt:
			switch {
			case overBlocks(n) && at == outside && depth == 0:
				c.body(n.Body, overRows, depth)
			case iterates(n) && at != overRows && depth == 0:
				c.body(n.Body, iterating, depth)
			default:
				c.fault("a loop of a kind that the count does not know, %s, inside %d others", at, depth)
			}
			return false
		case *ast.BlockStmt:
			if at == overRows && depth == 0 && ofOwn(n) {
				c.body(&ast.BlockStmt{List: n.List[1:]}, overOwn, depth)
				return false
			}
		case *ast.RangeStmt:
			if n.Key != nil && isName(n.Key, "comp") && depth == 0 { // what is counted is the work of one component
				c.body(n.Body, at, depth)
				return false
			}
			if depth == 2 { // over the entries of a matrix, or of a block of rows
				c.fault("three loops, one in another: work of a higher order that no kernel does")
			}
			c.body(n.Body, at, depth+1)
			return false
		case *ast.FuncLit:
			c.fault("a function of a kind that the count does not know, %s, inside %d others", at, depth)
			return false
		case *ast.CallExpr:
			c.call(n, at, depth)
		}
		return true
	})
}

// pass counts a method that is handed over as a value, (*Model).pass1, which does the rows of a block.
func (c *counter) pass(arg ast.Expr, at place, depth int) {
	method, ok := arg.(*ast.SelectorExpr)
	if !ok || c.functions[method.Sel.Name] == nil {
		return
	}
	if _, ok := method.X.(*ast.ParenExpr); !ok {
		return
	}
	f := c.functions[method.Sel.Name]
	switch {
	case !ofRange(f.Type): // help, which gives a worker its memory
	case at == outside && depth == 0:
		c.body(f.Body, overRows, depth)
	default:
		c.fault("a pass %s, inside %d others", at, depth)
	}
}

// ofRange reports whether a function is that of a pass, for the rows of a block or of a range.
func ofRange(f *ast.FuncType) bool {
	params := f.Params.List
	return len(params) == 1 && len(params[0].Names) == 2 && slices.Contains([]string{"start", "from"}, params[0].Names[0].Name)
}

// ofOwn reports whether statements are for the component of a block: comp := own is the first of them.
func ofOwn(n *ast.BlockStmt) bool {
	if len(n.List) == 0 {
		return false
	}
	first, ok := n.List[0].(*ast.AssignStmt)
	return ok && isName(first.Lhs[0], "comp") && isName(first.Rhs[0], "own")
}

// overBlocks reports whether a loop is the one over blocks of rows, which goes from start in steps of block, or from the end of
// one to the next.
func overBlocks(n *ast.ForStmt) bool {
	step, ok := n.Post.(*ast.AssignStmt)
	if ok && step.Tok == token.ASSIGN {
		return isName(step.Lhs[0], "start") && isName(step.Rhs[0], "end")
	}
	return ok && step.Tok == token.ADD_ASSIGN && isName(step.Lhs[0], "start") && isName(step.Rhs[0], "block")
}

// iterates reports whether a loop is that of a solver: for solver.Next().
func iterates(n *ast.ForStmt) bool {
	next, ok := n.Cond.(*ast.CallExpr)
	if !ok || n.Init != nil || n.Post != nil {
		return false
	}
	_, name := callee(next)
	return name == "Next"
}

// call counts a call. What works on rows is given their number, b, and nothing else is: a product of two matrices in
// the loop would be one for every block.
func (c *counter) call(n *ast.CallExpr, at place, depth int) {
	pkg, name := callee(n)
	if pkg != "dense" {
		if f := c.functions[name]; f != nil && (pkg == "" || pkg == "p") && !strings.HasPrefix(name, "logJoint") { // which is counted for one draw
			c.body(f.Body, at, depth)
		}
		if name == "Over" { // the rows; each draw is counted as one
			for _, arg := range n.Args {
				c.pass(arg, at, depth)
			}
		}
		return
	}
	k, ok := kernels[name]
	ofRows := slices.ContainsFunc(n.Args, func(a ast.Expr) bool { return isName(a, "b") })
	switch {
	case !ok:
		c.fault("dense.%s is in no class", name)
	case depth > 0 && slices.Contains(ofEntries, name):
	case depth > 0:
		c.fault("dense.%s is called for every entry", name)
	case !c.add(k, at):
		c.fault("dense.%s is called %s", name, at)
	case k != light && ofRows != (at == overRows || at == overOwn):
		c.fault("dense.%s is called %s; given the number of rows: %v", name, at, ofRows)
	}
}

// add adds a call to the work of its place. An iteration has no budget for anything but what is light.
func (c *counter) add(k class, at place) (ok bool) {
	switch at {
	case outside:
		return c.once(k)
	case overRows:
		return c.perRow(k)
	case overOwn:
		var own work
		ok = own.perRow(k)
		c.ownSolves += own.rowSolves
		c.ownProducts += own.rowProducts
		c.ownGrams += own.grams
		return ok
	}
	return k == light
}

// callee is the name of the function that is called, after that of its package or receiver.
func callee(n *ast.CallExpr) (of, name string) {
	switch f := n.Fun.(type) {
	case *ast.Ident:
		return "", f.Name
	case *ast.SelectorExpr:
		if x, ok := f.X.(*ast.Ident); ok {
			return x.Name, f.Sel.Name
		}
		return "?", f.Sel.Name
	}
	return "?", ""
}

func isName(e ast.Expr, name string) bool {
	id, ok := e.(*ast.Ident)
	return ok && id.Name == name
}

// parse reads a Go file with its comments.
func parse(t *testing.T, path string) *ast.File {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// declared are the functions of a file, and the methods of one type, by their bare names.
func declared(file *ast.File, receiver string) map[string]*ast.FuncDecl {
	out := map[string]*ast.FuncDecl{}
	for _, d := range file.Decls {
		if d, ok := d.(*ast.FuncDecl); ok && (d.Recv == nil || of(d) == receiver) {
			out[d.Name.Name] = d
		}
	}
	return out
}

// of is the type whose method a function is.
func of(d *ast.FuncDecl) string {
	t := d.Recv.List[0].Type
	if p, ok := t.(*ast.StarExpr); ok {
		t = p.X
	}
	id, _ := t.(*ast.Ident)
	return id.Name
}

func TestCount(t *testing.T) {
	const text = `package p

func (p *Model) Loss() {
	dense.Cholesky(chol, a, d)
	dense.SolveRows(x, chol, d, d)
	for start := 0; start < len(p.w); start += block {
		dense.SolveRows(x, chol, b, d)
		dense.AddWeightedGram(s, w, x, scratch, b, d)
		dense.MulVec(y, x, eta, b, d)
	}
	p.more()
	for start, end := 0, 0; start < len(p.w); start = end {
		for comp := range k {
			dense.MulNT(x, y, a, b, d, d)
		}
		{
			comp := own
			dense.SolveLowerRows(x, chol, b, d)
			dense.AddWeightedCross(s, w, x, y, scratch, b, d, d)
			dense.MulNT(x, y, a, b, d, d)
		}
	}
}

func (p *Model) more() { dense.DiagOfSolve(y, chol, s, scratch, d) }

func (p *Model) Gradients() {
	for start := 0; start < len(p.w); start += block {
		dense.Cholesky(chol, a, d)
		dense.Mul(y, a, c, d, d, d)
		helper()
	}
	dense.Mul(y, x, a, b, d, d)
	dense.AddWeightedGram(s, w, x, scratch, b, d)
	for i := range d {
		dense.Dot(x, y)
		for j := range d {
			for k := range d {
			}
		}
	}
	for i < d {
	}
	dense.Eigen(a, d)
	p.root()
}

func (p *Model) root() {
	for solver.Next() {
		dense.Dot(x, y)
		dense.Cholesky(chol, a, d)
	}
}

func helper() { dense.InverseFromCholesky(a, chol, d) }
`
	file, err := parser.ParseFile(token.NewFileSet(), "p.go", text, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := count(t, file, "Loss"), (work{chol: 1, solves: 2, diag: 1, rowSolves: 2, grams: 1, rowProducts: 1, ownSolves: 1, ownProducts: 1, ownGrams: 1}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	c := counter{functions: declared(file, "Model")}
	c.body(c.functions["Gradients"].Body, outside, 0)
	want := []string{
		"dense.Cholesky is called in the loop over the rows",
		"dense.Mul is called in the loop over the rows; given the number of rows: false",
		"dense.InverseFromCholesky is called in the loop over the rows",
		"dense.Mul is called outside the loop over the rows; given the number of rows: true",
		"dense.AddWeightedGram is called outside the loop over the rows",
		"dense.Dot is called for every entry",
		"three loops, one in another: work of a higher order that no kernel does",
		"a loop of a kind that the count does not know, outside the loop over the rows, inside 0 others",
		"dense.Eigen is in no class",
		"dense.Cholesky is called in every iteration of a solver",
	}
	if !slices.Equal(c.faults, want) {
		t.Errorf("%q, want %q", c.faults, want)
	}
}
