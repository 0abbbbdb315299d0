package engine

import (
	"context"
	"testing"

	"github.com/sngdgen/sngdgen/gen"
	"github.com/sngdgen/sngdgen/spec"
)

// BenchmarkInterpreted is the time from a spec to what makes models.
func BenchmarkInterpreted(b *testing.B) {
	for _, name := range spec.Library().Problems() {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, diags, err := Interpreted(context.Background(), spec.Library().Problem(name), gen.Options{}); diags.HasErrors() || err != nil {
					b.Fatal(diags.String(), err)
				}
			}
		})
	}
}
