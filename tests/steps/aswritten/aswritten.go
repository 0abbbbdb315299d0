// Package aswritten says which problems of the library are generated without the rules of the rewriter, to measure what
// the rules are worth: the natural gradient in the packages below this one is the gradient of f(g(s(dual))) as automatic
// differentiation gives it, from dual coordinates that are computed at every step.
package aswritten

import (
	"context"
	"fmt"
	"strings"

	"github.com/sngdgen/sngdgen/gen"
	"github.com/sngdgen/sngdgen/spec"
)

// Problems are the problems of the library that are generated here.
var Problems = []string{"mvnormal", "skewnormal", "mvstudentt", "skewt", "gaussiancopula", "tcopula"}

// Files returns the generated files, by path below this folder. Their emitted tests are left out: they ask for digits that
// the formulas as written lose.
func Files() ([]gen.File, error) {
	var out []gen.File
	for _, name := range Problems {
		files, diags := gen.Generate(context.Background(), spec.Library().Problem(name), gen.Options{AsWritten: true})
		if diags.HasErrors() {
			return nil, fmt.Errorf("problem %s:\n%s", name, diags.String())
		}
		for _, f := range files {
			if !strings.HasSuffix(f.Name, "_test.go") {
				out = append(out, gen.File{Name: name + "/" + f.Name, Data: f.Data})
			}
		}
	}
	return out, nil
}
