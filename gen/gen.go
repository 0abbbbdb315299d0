// Package gen generates the package of a problem: from a spec to Go files, without touching disk, clock or environment.
package gen

import (
	"github.com/sngdgen/sngdgen/gen/bind"
	"github.com/sngdgen/sngdgen/gen/derive"
	"github.com/sngdgen/sngdgen/gen/emit"
	"github.com/sngdgen/sngdgen/internal/diag"
	"github.com/sngdgen/sngdgen/spec"
)

// File is one generated file: a slash-separated name relative to the directory of the package, and its contents.
type File = emit.File

// Options change what is generated.
type Options struct {
	// Source is the path of the spec that the header of the files names. Empty means the name of the spec's source.
	Source string
	// AsWritten emits the natural gradient of the formulas as they are written, without the rules: for measuring what the
	// rules are worth.
	AsWritten bool
}

// Generate returns the files of the package of a problem. The same problem gives the same bytes. The list holds the
// findings; when it has errors there are no files.
func Generate(p *spec.Problem, o Options) ([]File, diag.List) {
	d, diags := deriveProblem(p)
	if d == nil {
		return nil, diags
	}
	source := o.Source
	if source == "" {
		source = p.Source.Name
	}
	var err error
	if o.AsWritten {
		if d, err = d.AsWritten(); err != nil {
			diags.Errorf(p.PackageSpan, "cannot differentiate %s as it is written: %v", p.Package, err)
			return nil, diags
		}
	}
	files, err := emit.Emit(d, source)
	if err != nil {
		diags.Errorf(p.PackageSpan, "cannot generate %s: %v", p.Package, err)
		return nil, diags
	}
	return files, diags
}

// deriveProblem binds and derives a problem; nil when the list has errors.
func deriveProblem(p *spec.Problem) (*derive.Result, diag.List) {
	b, diags := bind.Bind(p)
	if b == nil {
		return nil, diags
	}
	d, err := derive.Derive(b)
	if err != nil {
		diags.Errorf(p.PackageSpan, "cannot derive the gradients of %s: %v", p.Package, err)
		return nil, diags
	}
	if n := d.NonFinite(); n != nil {
		diags.Errorf(p.PackageSpan, "the formulas of %s lead to a number that is not finite, in %v", p.Package, n).
			WithHint("look for a division by zero or for 0 to a negative power")
		return nil, diags
	}
	return d, diags
}
