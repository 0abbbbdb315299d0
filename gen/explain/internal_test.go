package explain

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/expr/eval"
	"github.com/sngdgen/sngdgen/expr/syntax"
	"github.com/sngdgen/sngdgen/gen/bind"
	"github.com/sngdgen/sngdgen/gen/derive"
	"github.com/sngdgen/sngdgen/spec"
)

// library derives every likelihood of the library that has a package, whose answers are at hand.
func library(t *testing.T, f func(t *testing.T, e *explainer)) {
	lib := spec.Library()
	for _, name := range lib.Compiled() {
		if lib.Problem(name).Objective != spec.ObjectiveMLE {
			continue
		}
		t.Run(name, func(t *testing.T) {
			f(t, explainerOf(t, name))
		})
	}
}

// explainerOf derives a problem of the library.
func explainerOf(t *testing.T, name string) *explainer {
	t.Helper()
	b, diags := bind.Bind(spec.Library().Problem(name))
	if diags.HasErrors() {
		t.Fatal(diags.String())
	}
	d, err := derive.Derive(b)
	if err != nil {
		t.Fatal(err)
	}
	return &explainer{d: d, p: b, g: b.Graph, f: &textFormat{}, steps: d.Trace}
}

// TestPrintedGradientsAreTheGradients reads the printed definitions and gradients back, in order, as anybody would who
// copies them, and compares their values with those of what is derived, at all lengths of the dimensions.
func TestPrintedGradientsAreTheGradients(t *testing.T) {
	library(t, func(t *testing.T, e *explainer) {
		if e.p.Target.Ordered() {
			t.Skip("what is computed along the rows is printed in words, which are no formula")
		}
		n := e.named()
		r := newReader(e)
		for _, list := range [][]equation{n.std, n.theta, n.parts, n.resp, n.late, n.lasts} {
			for _, q := range list {
				r.names[q.side.text] = r.read(t, q.node)
			}
		}
		want := slices.Concat(e.d.Surrogate.Natural, e.d.Surrogate.Covector)
		var got []*expr.Node
		for _, n := range slices.Concat(n.natural, n.covector) {
			got = append(got, r.read(t, n))
		}
		eachPlace(t, e, func(t *testing.T, env *eval.Env) {
			for i := range want {
				same(t, fmt.Sprintf("entry %d", i), got[i], want[i], env)
			}
		})
	})
}

// same compares two expressions, relative to the largest entry.
func same(t *testing.T, what string, got, want *expr.Node, env *eval.Env) {
	t.Helper()
	v, err := eval.All([]*expr.Node{got, want}, env)
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	a, b := entries(v[0]), entries(v[1])
	if len(a) != len(b) {
		t.Fatalf("%s: %d numbers written, %d derived", what, len(a), len(b))
	}
	size := 1.0
	for _, x := range b {
		size = max(size, math.Abs(x))
	}
	for i := range b {
		if !(math.Abs(a[i]-b[i]) <= 1e-8*size) { // not a number is wrong, too
			t.Errorf("%s[%d]: written %v, derived %v", what, i, a[i], b[i])
		}
	}
}

func entries(v eval.Value) []float64 {
	if v.Components != nil {
		var out []float64
		for _, own := range v.Components {
			out = append(out, entries(own)...)
		}
		return out
	}
	if v.Cores == nil {
		return []float64{v.Scalar}
	}
	return v.Cores[0].RawMatrix().Data
}

// reader reads printed formulas.
type reader struct {
	g     *expr.Graph
	names map[string]*expr.Node
}

// newReader knows the coordinates, the data and the constants, and nothing that is to be defined.
func newReader(e *explainer) *reader {
	r := &reader{g: e.g, names: map[string]*expr.Node{"n": e.g.Size(expr.Rows)}}
	x := e.p.Target.Variable
	r.names[x.Name] = x.Sym
	for _, c := range e.d.Surrogate.Coords {
		r.names[c.Sym.String()] = c.Sym
	}
	for _, c := range e.p.ConstantSyms() {
		r.names[c.String()] = c
	}
	for _, dim := range e.dims() {
		r.names[dim.Name] = e.g.DimNode(dim)
	}
	if m := e.p.Mixture; m != nil {
		r.names[m.Last.String()] = m.Last
	}
	return r
}

// read parses what is printed. Equations of several unknowns, or of vectors, cannot be written in the language: they are
// taken as they are.
func (r *reader) read(t *testing.T, n *expr.Node) *expr.Node {
	t.Helper()
	system := false
	expr.Walk(func(m *expr.Node) { system = system || m.Op == expr.Root && (len(m.Fn.Vars) > 1 || m.Fn.Shaped()) }, n)
	if system {
		return n
	}
	tree, errs := syntax.Parse(n.String())
	if len(errs) > 0 {
		t.Fatalf("%v: %v", n, errs[0].Msg)
	}
	return r.build(t, r.lowered(t, tree))
}

func (r *reader) build(t *testing.T, tree syntax.Expr) *expr.Node {
	t.Helper()
	b := expr.Builder{G: r.g, Scope: expr.Scope{Names: r.names, Unknown: expr.In(expr.Positive), Reductions: true}}
	out := b.Build(tree)
	if out == nil {
		t.Fatalf("%s: %v", syntax.Format(tree), b.Faults[0].Msg)
	}
	return out
}

// overAxis are the operations over the components, which the language does not have.
var overAxis = map[string]func(*expr.Graph, expr.Axes, *expr.Node) *expr.Node{
	"sum_k": (*expr.Graph).Sum, "softmax": (*expr.Graph).Softmax, "logsumexp": (*expr.Graph).LogSumExp,
}

// lowered puts names in the places of operations over the components.
func (r *reader) lowered(t *testing.T, e syntax.Expr) syntax.Expr {
	t.Helper()
	switch e := e.(type) {
	case *syntax.Unary:
		e.X = r.lowered(t, e.X)
	case *syntax.Binary:
		e.X, e.Y = r.lowered(t, e.X), r.lowered(t, e.Y)
	case *syntax.Compare:
		e.X, e.Y = r.lowered(t, e.X), r.lowered(t, e.Y)
	case *syntax.Call:
		for i, a := range e.Args {
			e.Args[i] = r.lowered(t, a)
		}
		if op := overAxis[e.Fun]; op != nil {
			name := fmt.Sprint("over", len(r.names))
			r.names[name] = op(r.g, expr.Components, r.build(t, e.Args[0]))
			return syntax.Var(name)
		}
	}
	return e
}

// TestAbbreviatedSteps puts what names stand for back into abbreviated steps; every name is defined before it is used.
func TestAbbreviatedSteps(t *testing.T) {
	library(t, func(t *testing.T, e *explainer) {
		steps := e.leading()
		short := e.forSteps(steps)
		named := map[*expr.Node]bool{}
		for _, s := range steps {
			before, after, defs := short.step(s.Step)
			for _, q := range defs {
				checkNames(t, short, named, q.node)
				named[short.byText(q.side.text)] = true
			}
			checkNames(t, short, named, before, after)
			back := short.expanded(before, after)
			if back[0] == s.Before && back[1] == s.After {
				continue
			}
			eachPlace(t, e, func(t *testing.T, env *eval.Env) { // the sign of a difference may sit elsewhere now
				same(t, s.Rule+", before", back[0], s.Before, env)
				same(t, s.Rule+", after", back[1], s.After, env)
			})
		}
	})
}

// byText is the symbol with a name.
func (h *shorthand) byText(text string) *expr.Node {
	for _, sym := range h.names {
		if sym.String() == text {
			return sym
		}
	}
	return nil
}

// expanded puts back what names stand for.
func (h *shorthand) expanded(nodes ...*expr.Node) []*expr.Node {
	back := map[*expr.Node]*expr.Node{}
	for n, sym := range h.names {
		back[sym] = n
	}
	return h.g.SubstituteAll(nodes, back)
}

// checkNames looks for names without a definition.
func checkNames(t *testing.T, h *shorthand, named map[*expr.Node]bool, nodes ...*expr.Node) {
	t.Helper()
	for _, sym := range h.names {
		for _, n := range nodes {
			if expr.Depends(n, sym) && !named[sym] && h.own[h.expanded(sym)[0]] == nil {
				t.Errorf("%v is used in %v, and not defined", sym, n)
			}
		}
	}
}

// TestLaTeXIsBalanced looks for what makes LaTeX fail.
func TestLaTeXIsBalanced(t *testing.T) {
	library(t, func(t *testing.T, e *explainer) {
		e.f = &latexFormat{}
		e.write()
		s := e.f.String()
		for _, pair := range [][2]string{
			{`\\left\W`, `\\right\W`}, {`\\begin\{align\*\}`, `\\end\{align\*\}`}, {`\\begin\{itemize\}`, `\\end\{itemize\}`},
			{`[^\\]\{`, `[^\\]\}`}} {
			open, shut := regexp.MustCompile(pair[0]).FindAllString(s, -1), regexp.MustCompile(pair[1]).FindAllString(s, -1)
			if pair[0] == `[^\\]\{` { // overlapping matches: count bytes instead
				plain := strings.NewReplacer(`\{`, "", `\}`, "").Replace(s)
				if strings.Count(plain, "{") != strings.Count(plain, "}") {
					t.Error("braces do not balance")
				}
				continue
			}
			if len(open) != len(shut) {
				t.Errorf("%d times %s, %d times %s", len(open), pair[0], len(shut), pair[1])
			}
		}
		for i, line := range strings.Split(s, "\n") {
			if strings.Count(line, `\left`) != strings.Count(line, `\right`) {
				t.Errorf("line %d: a line break between \\left and \\right: %s", i+1, line)
			}
		}
	})
}

// TestSameTwice: an explanation does not depend on the order of maps.
func TestSameTwice(t *testing.T) {
	texts := map[string]string{}
	for range 3 {
		library(t, func(t *testing.T, e *explainer) {
			e.write()
			name := e.p.Spec.Package
			if old, ok := texts[name]; ok && old != e.f.String() {
				t.Errorf("%s: another explanation", name)
			}
			texts[name] = e.f.String()
		})
	}
}
