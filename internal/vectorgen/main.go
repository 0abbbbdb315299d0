// Command vectorgen writes the assembly of package runtime/vector, for AVX2 with FMA and for AVX-512, with its Go
// declarations. It is a module of its own, so that nobody who uses sngdgen downloads the assembler's library.
//
//	go run -C internal/vectorgen . ../../runtime/vector
//
// A test of runtime/vector compares what is checked in with what this writes.
package main

import (
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: vectorgen folder")
		os.Exit(2)
	}
	for _, t := range []*tier{avx2(), avx512()} {
		if err := write(t, os.Args[1]); err != nil {
			fmt.Fprintln(os.Stderr, "vectorgen:", err)
			os.Exit(1)
		}
	}
}

// write writes the assembly of a tier and its declarations.
func write(t *tier, dir string) error {
	t.kernels()
	assembly, declarations, err := t.print()
	if err != nil {
		return err
	}
	for name, text := range map[string][]byte{t.name + "_amd64.s": assembly, t.name + "_amd64.go": declarations} {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o666); err != nil {
			return err
		}
	}
	return nil
}
