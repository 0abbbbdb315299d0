package gen

import "testing"

// BenchmarkLibrary generates all packages of the library.
func BenchmarkLibrary(b *testing.B) {
	for b.Loop() {
		if _, err := Library(); err != nil {
			b.Fatal(err)
		}
	}
}
