package gen_test

import (
	"testing"

	"github.com/sngdgen/sngdgen/gen"
)

// BenchmarkLibrary generates all packages of the library, as genlibrary does but for writing the files:
//
//	go test ./gen -run NONE -bench Library -benchmem -cpuprofile cpu.prof
func BenchmarkLibrary(b *testing.B) {
	for b.Loop() {
		if _, err := gen.Library(); err != nil {
			b.Fatal(err)
		}
	}
}
