package emit_test

import (
	"testing"

	"github.com/sngdgen/sngdgen/gen/bind"
	"github.com/sngdgen/sngdgen/gen/derive"
	"github.com/sngdgen/sngdgen/gen/emit"
	"github.com/sngdgen/sngdgen/gen/program/verify"
	"github.com/sngdgen/sngdgen/spec"
)

// Programs of the library have no fault that the verifier finds.
func TestLibraryVerifies(t *testing.T) {
	for _, name := range spec.Library().Problems() {
		t.Run(name, func(t *testing.T) {
			programs, err := emit.Programs(derived(t, name))
			if err != nil {
				t.Fatal(err)
			}
			for _, p := range programs {
				if err := verify.Program(p); err != nil {
					t.Errorf("%v\nin\n%s", err, p)
				}
			}
		})
	}
}

// derived derives a problem of the library.
func derived(t *testing.T, name string) *derive.Result {
	t.Helper()
	b, diags := bind.Bind(spec.Library().Problem(name))
	if diags.HasErrors() {
		t.Fatal(diags.String())
	}
	d, err := derive.Derive(b)
	if err != nil {
		t.Fatal(err)
	}
	return d
}
