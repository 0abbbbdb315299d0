package invariants

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/sngdgen/sngdgen/gen"
	"github.com/sngdgen/sngdgen/spec"
)

// hashVariable makes the test binary print the hash of the library instead of running tests.
const hashVariable = "SNGDGEN_PRINT_HASH"

func TestMain(m *testing.M) {
	if os.Getenv(hashVariable) == "" {
		os.Exit(m.Run())
	}
	files, err := gen.Library()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Print(hash(byName(files)))
}

func hash(files map[string][]byte) string {
	h := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(files)) {
		fmt.Fprintf(h, "%s %d\n%s", name, len(files[name]), files[name])
	}
	return fmt.Sprintf("%x", h.Sum(nil))
}

// TestSameInOtherProcess runs in another directory, with another environment and without a Go tool.
func TestSameInOtherProcess(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe)
	cmd.Dir = t.TempDir()
	cmd.Env = []string{hashVariable + "=1", "TZ=Asia/Kathmandu", "LANG=tr_TR.UTF-8", "HOME=/nowhere", "GOMAXPROCS=1"}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if want := hash(library(t)); string(out) != want {
		t.Errorf("another process: %s, this one: %s", out, want)
	}
}

// TestSameAgain generates often, because the order of maps changes from one range to the next, in several goroutines
// and in both orders, and from specs that are read anew.
func TestSameAgain(t *testing.T) {
	want := library(t)
	names := spec.Library().Compiled()
	var wait sync.WaitGroup
	for i := range 4 {
		wait.Go(func() { compare(t, want, names, i%2 == 1) })
	}
	wait.Wait()
}

// compare generates all problems, from the library or from their files.
func compare(t *testing.T, want map[string][]byte, names []string, reread bool) {
	order := slices.Clone(names)
	if reread {
		slices.Reverse(order)
	}
	for _, name := range order {
		p := spec.Library().Problem(name)
		source := p.Source.Name
		if reread {
			p = read(t, name)
		}
		if p == nil {
			return
		}
		files, diags := gen.Generate(t.Context(), p, gen.Options{Source: source})
		if diags.HasErrors() {
			t.Errorf("%s: %v", name, diags.String())
		}
		for _, f := range files {
			if path := name + "/" + f.Name; !bytes.Equal(f.Data, want[path]) {
				t.Errorf("%s differs in line %d (read anew: %v)", path, line(f.Data, want[path]), reread)
			}
		}
	}
}

// read returns a problem of the library as a user's file, which knows the library by name only.
func read(t *testing.T, name string) *spec.Problem {
	paths, err := filepath.Glob(filepath.Join(root, "spec", "library", "problems", "*.yaml"))
	if err != nil {
		t.Error(err)
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil || !strings.Contains(string(text), "package: "+name+"\n") {
			continue
		}
		f, diags := spec.Parse(path, text, nil)
		if f == nil {
			t.Errorf("%s: %v", path, diags.String())
			return nil
		}
		return f.Problems[0]
	}
	t.Errorf("no file for %s", name)
	return nil
}
