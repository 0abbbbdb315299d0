// Package overlay compiles tests of packages that are not on disk: they are an overlay on this module, to which nothing is
// written.
package overlay

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
)

// Module is the path of the module.
const Module = "github.com/sngdgen/sngdgen"

// Compile compiles the tests of a package of the module, by its path without that of the module, such as tests/drawn, to a
// program in a folder. The package and those below it have the files, by names with slashes from the package's folder, such as
// drawn_test.go and one/one.go. Files of the package on disk that need them have the build tag overlay, with which all is compiled. When the compiler complains, the error is a *CompileError.
func Compile(ctx context.Context, pkg string, files map[string][]byte, folder string) (program string, err error) {
	root, err := root(ctx)
	if err != nil {
		return "", err
	}
	replace := map[string]string{}
	for name, data := range files {
		file := filepath.Join(folder, "files", filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return "", err
		}
		if err := os.WriteFile(file, data, 0o644); err != nil {
			return "", err
		}
		replace[filepath.Join(root, filepath.FromSlash(path.Join(pkg, name)))] = file
	}
	text, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	list := filepath.Join(folder, "overlay.json")
	if err := os.WriteFile(list, text, 0o644); err != nil {
		return "", err
	}
	program = filepath.Join(folder, path.Base(pkg)+".test")
	cmd := exec.CommandContext(ctx, "go", "test", "-c", "-vet=off", "-tags=overlay", "-overlay", list, "-o", program, path.Join(Module, pkg))
	cmd.Dir = root
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", &CompileError{Output: string(out), Err: err}
	}
	return program, nil
}

// CompileError is what the compiler complains about.
type CompileError struct {
	Output string
	Err    error
}

func (e *CompileError) Error() string { return fmt.Sprintf("%v\n%s", e.Err, e.Output) }

// Unwrap returns how the compiler ended.
func (e *CompileError) Unwrap() error { return e.Err }

// root is the folder of the module, which the working folder, that of a test, is in.
func root(ctx context.Context) (string, error) {
	out, err := exec.CommandContext(ctx, "go", "env", "GOMOD").Output()
	if err != nil {
		return "", err
	}
	file := string(out[:max(len(out)-1, 0)])
	if !filepath.IsAbs(file) {
		return "", fmt.Errorf("not in the module: go.mod is %q", file)
	}
	return filepath.Dir(file), nil
}
