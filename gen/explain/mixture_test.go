package explain

import (
	"slices"
	"strings"
	"testing"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/expr/eval"
	"github.com/sngdgen/sngdgen/gen/bind"
	"github.com/sngdgen/sngdgen/gen/derive"
	"github.com/sngdgen/sngdgen/spec"
)

// written is a format that keeps the equations.
type written struct {
	textFormat
	list []equation
}

func (f *written) equations(list []equation) { f.list = append(f.list, list...) }

// TestPrintedCoordinates reads what is printed of the coordinates of the surrogate and of the ways back, and compares
// the values with those of what is derived.
func TestPrintedCoordinates(t *testing.T) {
	library(t, func(t *testing.T, e *explainer) {
		f := &written{}
		e.f = f
		e.surrogate()
		r := newReader(e)
		want := map[string]*expr.Node{}
		for _, c := range []derive.Coords{e.d.Family.Natural, e.d.Family.Mean} {
			for i, sym := range c.Syms {
				r.names[sym.String()], want[sym.String()] = sym, c.OfStd[i]
			}
		}
		for _, sym := range e.d.Family.Std {
			r.names[sym.String()], want[sym.String()] = sym, sym
		}
		got := map[string][]*expr.Node{}
		for _, q := range f.list {
			switch name := q.side.text; {
			case q.node == nil:
			case name == "A":
				r.names[name] = r.read(t, q.node)
			case want[name] != nil:
				got[name] = append(got[name], r.read(t, q.node))
			}
		}
		if len(got) != len(want) {
			t.Errorf("of %d coordinates and parameters %d are written", len(want), len(got))
		}
		eachPlace(t, e, func(t *testing.T, env *eval.Env) {
			for _, c := range []derive.Coords{e.d.Family.Natural, e.d.Family.Mean} {
				e.setCoords(t, env, c)
			}
			for name, nodes := range got {
				for _, n := range nodes {
					same(t, name, n, want[name], env)
				}
			}
		})
	})
}

// setCoords gives coordinates the values that they have at the standard parameters. That of the last component is 0
// where it has none.
func (e *explainer) setCoords(t *testing.T, env *eval.Env, c derive.Coords) {
	t.Helper()
	values, err := eval.All(c.OfStd, env)
	if err != nil {
		t.Fatal(err)
	}
	for i, sym := range c.Syms {
		env.Symbols[sym.Name] = values[i]
	}
	if e.p.Mixture != nil {
		all := slices.Clone(values[0].Components)
		all[len(all)-1].Scalar = 0
		env.Symbols[c.Syms[0].Name] = eval.PerComponent(all)
	}
}

// TestMixturesInWords: no symbol of a mixture is left unexplained, and the number of components is what the spec calls
// it.
func TestMixturesInWords(t *testing.T) {
	const text = `
package: three
target: {mixture: normal, components: COUNT}
surrogate: {mixture: normal, components: COUNT}
step: natural
map: {mu: mu, sigma2: sigma2}
start: {mu: mean(x), sigma2: var(x)}
`
	for _, count := range []string{"3", "k", "parts"} {
		f, diags := spec.Parse("three.yaml", []byte(strings.ReplaceAll(text, "COUNT", count)), nil)
		if diags.HasErrors() {
			t.Fatal(diags.String())
		}
		b, diags := bind.Bind(f.Problems[0])
		if diags.HasErrors() {
			t.Fatal(diags.String())
		}
		d, err := derive.Derive(b)
		if err != nil {
			t.Fatal(err)
		}
		for _, latex := range []bool{false, true} {
			var out strings.Builder
			if err := Explain(&out, d, latex); err != nil {
				t.Fatal(err)
			}
			for _, want := range []string{"one of " + count + " components", "last component", "group"} {
				if !strings.Contains(out.String(), want) {
					t.Errorf("%s components: nothing about %q", count, want)
				}
			}
			for _, bad := range []string{"mixture.", "label", "blend", "index", "joint.", "explained."} {
				if strings.Contains(out.String(), bad) {
					t.Errorf("%s components: %q is in the explanation", count, bad)
				}
			}
		}
	}
}
