// Command genlibrary writes the packages of the library below generated/, and the reference of the language. It is a program of its own because the
// sngdgen command links those packages, and must not be needed to make them.
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"

	"github.com/sngdgen/sngdgen/gen"
	"github.com/sngdgen/sngdgen/internal/reference"
)

func main() {
	debug.SetGCPercent(800) // the program ends before much of its memory would be used again
	err := run("generated")
	if err == nil {
		err = os.WriteFile("docs/reference.md", reference.Markdown(), 0o644)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "genlibrary:", err)
		os.Exit(1)
	}
}

// run replaces everything below dir.
func run(dir string) error {
	files, err := gen.Library()
	if err != nil {
		return err
	}
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	for _, f := range files {
		path := filepath.Join(dir, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, f.Data, 0o644); err != nil {
			return err
		}
	}
	return nil
}
