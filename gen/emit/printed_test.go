package emit

import (
	"testing"

	"github.com/sngdgen/sngdgen/gen/bind"
	"github.com/sngdgen/sngdgen/gen/derive"
	"github.com/sngdgen/sngdgen/gen/methods"
	"github.com/sngdgen/sngdgen/spec"
)

// Emission prints what it is given: every program of a package, once.
func TestEveryProgramIsPrinted(t *testing.T) {
	for _, name := range spec.Library().Problems() {
		b, diags := bind.Bind(spec.Library().Problem(name))
		if diags.HasErrors() {
			t.Fatal(diags.String())
		}
		d, err := derive.Derive(b)
		if err != nil {
			t.Fatal(err)
		}
		p, err := methods.Of(d, methods.Options{})
		if err != nil {
			t.Fatal(err)
		}
		f := newFile(d, p, name)
		f.functions()
		for function, of := range p.Functions {
			if f.printed[function] != len(of.Steps) {
				t.Errorf("%s: of %s %d programs are printed, not %d", name, function, f.printed[function], len(of.Steps))
			}
		}
	}
}
