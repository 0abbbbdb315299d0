// Package invariants tests what must hold of the whole module: who may import whom, that the generator is pure and its
// output fresh, that the engine knows no family by name, that the table of operations is complete, and that a step
// allocates nothing.
package invariants

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// module is the import path of the module, and root its directory relative to this one.
const (
	module = "github.com/sngdgen/sngdgen"
	root   = "../.."
)

// pkg is what `go list` says of a package.
type pkg struct {
	ImportPath   string
	Dir          string
	GoFiles      []string
	TestGoFiles  []string
	XTestGoFiles []string
	Imports      []string
	Deps         []string
}

// name is the path within the module, "." for its root.
func (p pkg) name() string { return local(p.ImportPath) }

// files are the paths of the Go files, tests excepted.
func (p pkg) files() []string { return p.paths(p.GoFiles) }

func (p pkg) paths(names []string) []string {
	var out []string
	for _, f := range names {
		out = append(out, filepath.Join(p.Dir, f))
	}
	return out
}

// local returns the path of a package within the module, "." for its root, and "" for a package outside.
func local(path string) string {
	if path == module {
		return "."
	}
	if rest, ok := strings.CutPrefix(path, module+"/"); ok {
		return rest
	}
	return ""
}

// standard reports whether an import path is one of the standard library: its first part has no dot.
func standard(path string) bool {
	first, _, _ := strings.Cut(path, "/")
	return !strings.Contains(first, ".")
}

// match reports whether a path is that of the pattern, or below it when it ends in "/...".
func match(pattern, path string) bool {
	prefix, below := strings.CutSuffix(pattern, "/...")
	return path == prefix || below && strings.HasPrefix(path, prefix+"/")
}

func matchAny(patterns []string, path string) bool {
	for _, p := range patterns {
		if match(p, path) {
			return true
		}
	}
	return false
}

// listed is the module as `go list` sees it, asked once.
var listed = sync.OnceValues(func() ([]pkg, error) {
	if err := watch(); err != nil {
		return nil, err
	}
	out, err := command("go", "list", "-e", "-json=ImportPath,Dir,GoFiles,TestGoFiles,XTestGoFiles,Imports,Deps", "./...")
	if err != nil {
		return nil, err
	}
	var all []pkg
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p pkg
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return all, nil
		} else if err != nil {
			return nil, err
		}
		all = append(all, p)
	}
})

// packages returns the packages of the module.
func packages(t *testing.T) []pkg {
	t.Helper()
	all, err := listed()
	if err != nil || len(all) == 0 {
		t.Fatalf("go list: %d packages, %v", len(all), err)
	}
	return all
}

// watch looks at every Go file of the module, so that `go test` knows what the results of commands depend on, and does
// not take them from its cache when a file has changed that only a command reads.
func watch() error {
	return filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != root && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata"):
			return filepath.SkipDir
		case strings.HasSuffix(path, ".go"):
			_, err = os.Stat(path)
		}
		return err
	})
}

// command runs a command at the root of the module and returns what it prints.
func command(name string, args ...string) ([]byte, error) {
	cmd := exec.Command(name, args...)
	cmd.Dir = root
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, errors.New(err.Error() + "\n" + stderr.String())
	}
	return out, nil
}
