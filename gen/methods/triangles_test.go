package methods_test

import (
	"slices"
	"testing"

	"github.com/sngdgen/sngdgen/gen/program"
)

// TestLowerTriangles: the sum of outer products of the data is left in its lower triangle where natural gradients read no more of it, and whoever does mirrors
// it first; elsewhere the data stage does.
func TestLowerTriangles(t *testing.T) {
	for name, want := range map[string][]string{"skewnormal": {"Gradients"}, "skewnormalnat": {"prepare"}, "mvnormal": {"prepare"}} {
		var mirroring []string
		for _, p := range packages(t)[name].Programs {
			program.Walk(p.Body, func(s program.Stmt) {
				c, ok := s.(*program.Call)
				if !ok || c.Args[0].Place == nil || c.Args[0].Place.Name != "p.data0" {
					return
				}
				if c.Kernel == "Mirror" {
					mirroring = append(mirroring, p.Name)
				}
				if lower := !slices.Contains(want, "prepare"); c.Args[0].Place.Given.Lower != lower || lower && c.Kernel == "clear" {
					t.Errorf("%s: what is said of p.data0 in %s, which has %v: %v", name, p.Name, c.Kernel, c.Args[0].Place.Given.Lower)
				}
			})
		}
		if !slices.Equal(mirroring, want) {
			t.Errorf("%s: p.data0 is mirrored by %v, not %v", name, mirroring, want)
		}
	}
}
