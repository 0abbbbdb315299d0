package build

import (
	"io/fs"
	"os/exec"
	"path"
	"strings"
	"testing"

	"github.com/sngdgen/sngdgen"
)

// TestSources finds every package of this module that the program needs among the sources that the command carries.
func TestSources(t *testing.T) {
	list := exec.Command("go", "list", "-deps", "./worker")
	out, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	for pkg := range strings.Lines(string(out)) {
		dir, ok := strings.CutPrefix(strings.TrimSpace(pkg), Module+"/")
		if !ok {
			continue
		}
		if files, _ := fs.Glob(sngdgen.Sources, path.Join(dir, "*.go")); len(files) == 0 {
			t.Errorf("package %s is not embedded", dir)
		}
	}
}

// TestSourcesWithoutTests keeps tests out of the compiled module, and so out of its key.
func TestSourcesWithoutTests(t *testing.T) {
	files, err := libraryFiles(sngdgen.Sources)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if strings.Contains(f.Name, "_test.go") || strings.Contains(f.Name, "testdata") {
			t.Errorf("%s", f.Name)
		}
	}
}
