package explain

import (
	"math"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/expr/eval"
	"github.com/sngdgen/sngdgen/expr/syntax"
	"github.com/sngdgen/sngdgen/gen/bind"
	"github.com/sngdgen/sngdgen/gen/derive"
	"github.com/sngdgen/sngdgen/spec"
)

// library derives every problem of the library.
func library(t *testing.T, f func(t *testing.T, e *explainer)) {
	for _, name := range spec.Library().Problems() {
		t.Run(name, func(t *testing.T) {
			b, diags := bind.Bind(spec.Library().Problem(name))
			if diags.HasErrors() {
				t.Fatal(diags.String())
			}
			d, err := derive.Derive(b)
			if err != nil {
				t.Fatal(err)
			}
			steps, err := derive.SurrogateSteps(b)
			if err != nil {
				t.Fatal(err)
			}
			f(t, &explainer{d: d, p: b, g: b.Graph, f: &textFormat{}, steps: steps})
		})
	}
}

// TestPrintedGradientsAreTheGradients reads the printed definitions and gradients back, in order, as anybody would who
// copies them, and compares their values with those of what is derived.
func TestPrintedGradientsAreTheGradients(t *testing.T) {
	library(t, func(t *testing.T, e *explainer) {
		n := e.named()
		r := newReader(e)
		for _, list := range [][]equation{n.std, n.theta, n.parts} {
			for _, q := range list {
				r.names[q.side.text] = r.read(t, q.node)
			}
		}
		s := &e.d.Surrogate
		env := e.environment(t)
		printed := append(append([]*expr.Node{}, n.natural...), n.covector...)
		for i, want := range append(append([]*expr.Node{}, s.Natural...), s.Covector...) {
			got, err1 := eval.Eval(r.read(t, printed[i]), env)
			want, err2 := eval.Eval(want, env)
			if err1 != nil || err2 != nil || !(math.Abs(got-want) <= 1e-8*(1+math.Abs(want))) {
				t.Errorf("entry %d: printed %v, derived %v (%v, %v)", i, got, want, err1, err2)
			}
		}
	})
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
	return r
}

// read parses what is printed. Equations of several unknowns cannot be written in the language: they are taken as they are.
func (r *reader) read(t *testing.T, n *expr.Node) *expr.Node {
	t.Helper()
	system := false
	expr.Walk(func(m *expr.Node) { system = system || m.Op == expr.Root && len(m.Fn.Vars) > 1 }, n)
	if system {
		return n
	}
	tree, errs := syntax.Parse(n.String())
	if len(errs) > 0 {
		t.Fatalf("%v: %v", n, errs[0].Msg)
	}
	b := expr.Builder{G: r.g, Scope: expr.Scope{Names: r.names, Unknown: expr.In(expr.Positive), Reductions: true}}
	out := b.Build(tree)
	if out == nil {
		t.Fatalf("%v: %v", n, b.Faults[0].Msg)
	}
	return out
}

// environment is a data set with a point of the domain close to it.
func (e *explainer) environment(t *testing.T) *eval.Env {
	t.Helper()
	rng := rand.New(rand.NewPCG(1, 2))
	x := make([]float64, 20)
	for i := range x {
		switch e.p.Target.Variable.Kind.Name {
		case "unit":
			x[i] = rng.Float64()
		case "binary", "count":
			x[i] = math.Floor(rng.Float64() * 2)
		case "positive":
			x[i] = rng.ExpFloat64() + 0.1
		default:
			x[i] = rng.NormFloat64()
		}
	}
	env := eval.Scalars(nil)
	if err := e.p.BindData(env, x, nil); err != nil {
		t.Fatal(err)
	}
	for i, sym := range e.d.Family.Std {
		v := 0.3 + 0.2*float64(i)
		env.Set(sym.Name, v)
	}
	for _, a := range e.p.Auxiliary {
		env.Set(a.Sym.Name, 0.7)
	}
	for _, c := range []derive.Coords{e.d.Family.Natural, e.d.Family.Mean} {
		for i, n := range c.OfStd {
			v, err := eval.Eval(n, env)
			if err != nil {
				t.Fatal(err)
			}
			env.Set(c.Syms[i].Name, v)
		}
	}
	return env
}

// TestAbbreviatedSteps puts the parts back into abbreviated steps.
func TestAbbreviatedSteps(t *testing.T) {
	library(t, func(t *testing.T, e *explainer) {
		for _, s := range e.steps {
			parts, by := e.abbreviate(s.Before, s.After)
			back := map[*expr.Node]*expr.Node{}
			for n, sym := range by {
				back[sym] = n
			}
			for _, n := range []*expr.Node{s.Before, s.After} {
				if got := e.g.Substitute(e.g.Substitute(n, by), back); got != n {
					t.Errorf("%s: %v became %v", s.Rule, n, got)
				}
			}
			if len(parts) != len(by) {
				t.Errorf("%s: %d names for %d parts", s.Rule, len(parts), len(by))
			}
		}
	})
}

// TestLaTeXIsBalanced looks for what makes LaTeX fail.
func TestLaTeXIsBalanced(t *testing.T) {
	library(t, func(t *testing.T, e *explainer) {
		e.f = &latexFormat{}
		e.write()
		s := e.f.String()
		for _, pair := range [][2]string{{`\\left\W`, `\\right\W`}, {`\\begin\{align\*\}`, `\\end\{align\*\}`}, {`[^\\]\{`, `[^\\]\}`}} {
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
