package spec

import (
	"maps"
	"slices"
	"strings"

	"github.com/sngdgen/sngdgen/expr/syntax"
	"github.com/sngdgen/sngdgen/internal/diag"
)

// Function is a function of one's own: a formula in its arguments, which are numbers, or a function in Go. Functions have names of their own, apart from those of
// distributions and families.
type Function struct {
	Name      string
	NameSpan  diag.Span
	Doc       string
	Arguments []Param // in their order; the type is the domain
	// Range is what type the values are; real where the document does not say.
	Range     syntax.TypeExpr
	RangeSpan diag.Span
	// Value is a formula; nil where Go computes the function.
	Value *Formula
	Go    GoFunction
	// Derivatives are formulas for the derivative with respect to each argument; nil where they are those of the value.
	Derivatives []*Formula
	Source      *diag.Source

	scope *scope
}

var (
	functionKeys    = []string{"function"}
	functionOptions = []string{"doc", "domain", "range", "value", "go", "derivative", "import"}
)

// function reads a function. Parts that are wrong are left out, and reported.
func (r *reader) function(o *object, s *scope) *Function {
	o.only(functionKeys, functionOptions)
	f := &Function{Doc: r.doc(o), Source: r.src, scope: s, Range: syntax.TypeExpr{Kind: "real"}}
	ns := r.names()
	if n := o.get("function"); n != nil {
		r.heading(f, r.condition(n, "the function"), ns)
	}
	if n := o.get("domain"); n != nil {
		r.domain(f, r.params(n, "domain", "an argument", r.names()))
	}
	if n := o.get("range"); n != nil {
		if t, p, ok := r.typ(n, "range"); ok && r.isNumber(t, p.whole(), "the range of "+f.Name) {
			f.Range, f.RangeSpan = t, p.whole()
		}
	}
	r.functionValue(f, o)
	return f
}

// heading reads name and arguments, which are written as a call: f(x, y).
func (r *reader) heading(f *Function, heading *Formula, ns *names) {
	if heading == nil {
		return
	}
	call, ok := heading.Expr.(*syntax.Call)
	if !ok || call.Params != nil || len(call.Args) == 0 || strings.Contains(call.Fun, ".") {
		r.diags.Errorf(heading.Whole(), msgHeading).WithHint("such as function: squared_length(x, y)")
		return
	}
	span := heading.Range(call.FunStart, call.FunStart+len(call.Fun))
	if !r.checkName(call.Fun, span) {
		return
	}
	f.Name, f.NameSpan = call.Fun, span
	for _, a := range call.Args {
		name, ok := a.(*syntax.Name)
		if !ok {
			r.diags.Errorf(heading.Span(a), msgHeading).WithHint("such as function: squared_length(x, y)")
			continue
		}
		if ns.declare(name.Name, heading.Span(a), "an argument") {
			f.Arguments = append(f.Arguments, Param{name.Name, heading.Span(a), syntax.TypeExpr{Kind: "real"}, heading.Span(a)})
		}
	}
}

// domain gives arguments their types.
func (r *reader) domain(f *Function, types []Param) {
	for _, t := range types {
		k := slices.IndexFunc(f.Arguments, func(a Param) bool { return a.Name == t.Name })
		switch {
		case k < 0:
			r.diags.Errorf(t.NameSpan, msgNoArgument, t.Name, f.Name)
		case r.isNumber(t.Type, t.TypeSpan, t.Name):
			f.Arguments[k].Type, f.Arguments[k].TypeSpan = t.Type, t.TypeSpan
		}
	}
}

// isNumber reports types that are none of one number.
func (r *reader) isNumber(t syntax.TypeExpr, at diag.Span, what string) bool {
	if t.IsScalar() && !t.Type().Entry.Numbers {
		return true
	}
	r.diags.Errorf(at, msgFunctionType, what, t.String()).WithHint("a function is one of numbers, such as real, positive, unit or real(0, 2), and applied to " +
		"every entry of a vector")
	return false
}

// Function returns the function of one's own that a name means in the problem's formulas, or nil; the others likewise.
func (p *Problem) Function(name string) *Function { return p.scope.function(name) }

// Function returns what a name means in the family's formulas.
func (f *Family) Function(name string) *Function { return f.scope.function(name) }

// Function returns what a name means in the distribution's formulas.
func (d *Distribution) Function(name string) *Function { return d.scope.function(name) }

// Function returns what a name means in the approximation's formulas.
func (a *Approximation) Function(name string) *Function { return a.form.Function(name) }

// Function returns what a name means in the value of the function.
func (f *Function) Function(name string) *Function { return f.scope.function(name) }

// Functions returns the functions that are visible where the problem stands, by name.
func (p *Problem) Functions() []*Function {
	all := map[string]*Function{}
	p.scope.collectFunctions(all, map[*scope]bool{})
	var out []*Function
	for _, name := range slices.Sorted(maps.Keys(all)) {
		out = append(out, all[name])
	}
	return out
}

// function returns what a name means, or nil. A problem made by hand has no scope.
func (s *scope) function(name string) *Function {
	if found := s.lookupFunction(name); len(found) > 0 {
		return found[0]
	}
	return nil
}

// lookupFunction returns the functions of a name in the file, or else in its imports, which may disagree.
func (s *scope) lookupFunction(name string) []*Function {
	if s == nil {
		return nil
	}
	return s.functionsNamed(name, map[*scope]bool{})
}

func (s *scope) functionsNamed(name string, seen map[*scope]bool) (found []*Function) {
	if seen[s] {
		return nil
	}
	seen[s] = true
	if f := s.functions[name]; f != nil {
		return []*Function{f}
	}
	for _, i := range s.imports {
		found = append(found, i.functionsNamed(name, seen)...)
	}
	return found
}

func (s *scope) collectFunctions(all map[string]*Function, seen map[*scope]bool) {
	if s == nil || seen[s] {
		return
	}
	seen[s] = true
	for name, f := range s.functions {
		if all[name] == nil {
			all[name] = f
		}
	}
	for _, i := range s.imports {
		i.collectFunctions(all, seen)
	}
}

// addFunction makes a function known in the file.
func (d *documents) addFunction(f *Function) {
	s := d.file.scope
	switch {
	case f.Name == "": // reported
		return
	case s.functions[f.Name] != nil:
		d.r.diags.Errorf(f.NameSpan, msgDuplicate, f.Name)
		return
	case s.functions == nil:
		s.functions = map[string]*Function{}
	}
	s.functions[f.Name] = f
	d.file.Functions = append(d.file.Functions, f)
}

// calls calls do for every call of a function of one's own in the formulas.
func (s *scope) calls(formulas []*Formula, do func(fm *Formula, c *syntax.Call, found []*Function)) {
	for _, fm := range formulas {
		if fm == nil {
			continue
		}
		syntax.Walk(fm.Expr, func(e syntax.Expr) bool {
			if c, ok := e.(*syntax.Call); ok {
				if found := s.lookupFunction(c.Fun); len(found) > 0 {
					do(fm, c, found)
				}
			}
			return true
		})
	}
}

// checkCalls reports calls of functions that imports disagree about.
func (r *reader) checkCalls(s *scope, formulas []*Formula) {
	s.calls(formulas, func(fm *Formula, c *syntax.Call, found []*Function) {
		if len(found) > 1 {
			at := fm.Range(c.FunStart, c.FunStart+len(c.Fun))
			r.diags.Errorf(at, msgAmbiguous, c.Fun, found[0].Source.Name, found[1].Source.Name).
				WithHint("import one of them, or define it in this file")
		}
	})
}

// recursion reports functions that are defined through themselves.
type recursion struct {
	diags *diag.List
	state map[*Function]int // 0 new, 1 on the path, 2 done
	path  []string
}

// visit follows the calls in the value of a function.
func (c *recursion) visit(f *Function) {
	switch c.state[f] {
	case 1:
		circle := strings.Join(append(slices.Clone(c.path[max(slices.Index(c.path, f.Name), 0):]), f.Name), " -> ")
		c.diags.Errorf(f.NameSpan, msgRecursion, f.Name, circle).WithHint("what has to be solved for is a root: root(a, F(a) = 0)")
		return
	case 2:
		return
	}
	c.state[f] = 1
	c.path = append(c.path, f.Name)
	f.scope.calls([]*Formula{f.Value}, func(_ *Formula, _ *syntax.Call, found []*Function) { c.visit(found[0]) })
	c.path = c.path[:len(c.path)-1]
	c.state[f] = 2
}
