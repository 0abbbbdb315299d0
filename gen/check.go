package gen

import (
	"github.com/sngdgen/sngdgen/gen/check"
	"github.com/sngdgen/sngdgen/gen/emit"
	"github.com/sngdgen/sngdgen/internal/diag"
	"github.com/sngdgen/sngdgen/spec"
)

// Check returns everything that is found wrong with a problem: what Generate reports, and what shows only in numbers, at
// points and on data that are the same in every run. The problem may be used when the list has no errors.
func Check(p *spec.Problem, o Options) diag.List {
	d, diags := deriveProblem(p)
	if d == nil {
		return diags
	}
	diags.Append(check.Check(d))
	if diags.HasErrors() {
		return diags
	}
	if _, err := emit.Emit(d, o.Source); err != nil {
		diags.Errorf(p.PackageSpan, "cannot generate %s: %v", p.Package, err)
	}
	return diags
}
