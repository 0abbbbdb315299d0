// Command generate writes the packages below tests/steps/aswritten: problems of the library whose natural gradient is
// that of the formulas as they are written.
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/sngdgen/sngdgen/tests/steps/aswritten"
)

func main() {
	if err := run("aswritten"); err != nil {
		fmt.Fprintln(os.Stderr, "generate:", err)
		os.Exit(1)
	}
}

func run(dir string) error {
	files, err := aswritten.Files()
	if err != nil {
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
