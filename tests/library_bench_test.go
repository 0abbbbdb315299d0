// Package tests has what concerns the whole; the folders have the evidence for its parts.
package tests

import (
	"testing"

	"github.com/sngdgen/sngdgen/gen"
)

// BenchmarkLibrary generates every package of the library.
func BenchmarkLibrary(b *testing.B) {
	for b.Loop() {
		if _, err := gen.Library(); err != nil {
			b.Fatal(err)
		}
	}
}
