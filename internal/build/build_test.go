package build

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/sngdgen/sngdgen/internal/build/worker"
	"github.com/sngdgen/sngdgen/runtime"
)

// tiny stands in for sngdgen: a worker that prints what the model says.
var tiny = fstest.MapFS{
	"go.mod":             {Data: []byte("module " + Module + "\n\ngo 1.26.0\n")},
	"go.sum":             {Data: nil},
	"runtime/runtime.go": {Data: []byte("package runtime\n\ntype Model interface{ Say() string }\n")},
	"internal/build/worker/worker.go": {Data: []byte(`package worker

import (
	"fmt"
	"os"

	"` + Module + `/runtime"
)

func Main(models []func() runtime.Model, in, out, errw *os.File) int {
	for _, model := range models {
		fmt.Fprint(out, model().Say())
	}
	return 0
}
`)},
	"runtime/runtime_test.go":      {Data: []byte("not Go")},
	"runtime/testdata/garbage.txt": {Data: []byte("garbage")},
}

// says returns a source whose program prints a word.
func says(word, cache string, log *strings.Builder) *Source {
	s := &Source{Library: tiny, Cache: cache, Packages: []Package{sayer(word)}}
	if log != nil {
		s.Log = log
	}
	return s
}

// sayer is a package whose model says a word.
func sayer(word string) Package {
	return Package{Name: "hello", Model: "problem.New()", Files: []File{
		{"hello.go", []byte("package hello\n\ntype m struct{}\n\nfunc New() m { return m{} }\n\nfunc (m) Say() string { return \"" + word + "\" }\n")},
		{"hello_test.go", []byte("not Go")},
	}}
}

// TestSeveralPackages: a program has the models of all its packages, in their order.
func TestSeveralPackages(t *testing.T) {
	s := &Source{Library: tiny, Cache: t.TempDir(), Packages: []Package{sayer("one "), sayer("two")}}
	program, err := s.Compile(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if got := output(t, program); got != "one two" {
		t.Errorf("said %q", got)
	}
}

func output(t *testing.T, program string) string {
	t.Helper()
	out, err := exec.Command(program).Output()
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

func TestCompile(t *testing.T) {
	// Settings for the user's own module must not get in the way.
	t.Setenv("GOFLAGS", "-mod=vendor")
	t.Setenv("GOWORK", filepath.Join(t.TempDir(), "none.work"))
	t.Setenv("GOOS", "js")
	t.Setenv("GOARCH", "wasm")
	cache := filepath.Join(t.TempDir(), "cache")
	var log strings.Builder
	program, err := says("hello", cache, &log).Compile(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if got := output(t, program); got != "hello" {
		t.Errorf("the program says %q", got)
	}
	if log.Len() == 0 {
		t.Error("nothing was said about compiling")
	}
	if left, _ := os.ReadDir(filepath.Dir(program)); len(left) != 2 || left[0].Name() != programName || left[1].Name() != sumName {
		t.Errorf("left beside the program: %v", left)
	}

	t.Setenv("PATH", "") // the second time no toolchain is needed
	log.Reset()
	again, err := says("hello", cache, &log).Compile(t.Context())
	if err != nil || again != program || log.Len() > 0 {
		t.Errorf("second time: %q, %v, %q", again, err, log.String())
	}
	_, err = says("something else", cache, nil).Compile(t.Context())
	var missing *NoToolchainError
	if !errors.As(err, &missing) || !strings.Contains(err.Error(), "the go command is needed") {
		t.Errorf("without a toolchain: %v", err)
	}
}

// TestDamagedProgram: what is not what was built is not run, but built again.
func TestDamagedProgram(t *testing.T) {
	cache := t.TempDir()
	program, err := says("sound", cache, nil).Compile(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	sum := filepath.Join(filepath.Dir(program), sumName)
	for name, damage := range map[string]func() error{
		"another program":  func() error { return os.WriteFile(program, []byte("#!/bin/sh\necho damaged\n"), 0o755) },
		"cut off":          func() error { return os.Truncate(program, 1000) },
		"no program":       func() error { return os.Remove(program) },
		"no checksum":      func() error { return os.Remove(sum) },
		"another checksum": func() error { return os.WriteFile(sum, []byte("0"), 0o600) },
		"a link": func() error {
			if err := os.Rename(program, filepath.Join(cache, "moved")); err != nil {
				return err
			}
			return os.Symlink(filepath.Join(cache, "moved"), program)
		},
	} {
		if err := damage(); err != nil {
			t.Fatal(err)
		}
		var log strings.Builder
		again, err := says("sound", cache, &log).Compile(t.Context())
		if err != nil || again != program || log.Len() == 0 {
			t.Errorf("%s: %q, %v, %q", name, again, err, log.String())
		} else if got := output(t, again); got != "sound" {
			t.Errorf("%s: the program says %q", name, got)
		}
		_ = os.Remove(filepath.Join(cache, "moved"))
	}
	if left, _ := os.ReadDir(cache); len(left) != 1 {
		t.Errorf("left in the cache: %v", left)
	}
}

func TestCompileAtOnce(t *testing.T) {
	cache := t.TempDir()
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			program, err := says("at once", cache, nil).Compile(t.Context())
			if err != nil {
				t.Error(err)
			} else if got, err := exec.Command(program).Output(); err != nil || string(got) != "at once" {
				t.Errorf("%q, %v", got, err)
			}
		})
	}
	wg.Wait()
	if left, _ := os.ReadDir(cache); len(left) != 1 {
		t.Errorf("in the cache: %v", left)
	}
}

func TestCompileFaults(t *testing.T) {
	cache := t.TempDir()
	faulty := says("", cache, nil)
	faulty.Packages[0].Files[0].Data = []byte("package hello\n\nfunc New() int { return \"\" }\n")
	_, err := faulty.Compile(t.Context())
	var fault *CompileError
	if !errors.As(err, &fault) || !strings.Contains(err.Error(), "user/problem0/hello.go:3:25") ||
		!strings.Contains(err.Error(), "please report it") {
		t.Errorf("faulty package: %v", err)
	}
	if strings.Contains(err.Error(), cache) {
		t.Errorf("the message names a temporary folder: %v", err)
	}

	escaping := says("", cache, nil)
	escaping.Packages[0].Files[0].Name = "../../../out.go"
	if _, err := escaping.Compile(t.Context()); err == nil || !strings.Contains(err.Error(), "leads out of the module") {
		t.Errorf("escaping name: %v", err)
	}

	done, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := says("cancelled", cache, nil).Compile(done); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if left, _ := os.ReadDir(cache); len(left) != 0 {
		t.Errorf("left in the cache: %v", left)
	}
}

func TestCacheFolder(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := says("", file, nil).Compile(t.Context()); err == nil || !strings.Contains(err.Error(), "no place to keep") {
		t.Errorf("cache is a file: %v", err)
	}
}

func TestTrim(t *testing.T) {
	c, err := openCache(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	old := time.Now().Add(-2 * unusedFor)
	for _, name := range []string{hash(nil), halfBuilt + "1", "not ours"} {
		dir := filepath.Join(c.dir, name)
		if err := os.MkdirAll(filepath.Join(dir, "sub"), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(dir, old, old); err != nil {
			t.Fatal(err)
		}
	}
	c.trim(time.Now().Add(-unusedFor))
	left, _ := os.ReadDir(c.dir)
	if len(left) != 1 || left[0].Name() != "not ours" {
		t.Errorf("left: %v", left)
	}
}

func TestHint(t *testing.T) {
	for output, want := range map[string]string{
		"go: go.mod requires go >= 1.26.0 (running go 1.22.1; GOTOOLCHAIN=local)":                "too old",
		"gonum.org/v1/gonum@v0.17.0: module lookup disabled by GOPROXY=off":                      "module cache",
		"gonum.org/v1/gonum@v0.17.0: Get \"https://proxy.golang.org/\": dial tcp: lookup failed": "network",
		"write /tmp/x: no space left on device":                                                  "disk",
		"user/hello/hello.go:3:26: cannot use":                                                   "report",
	} {
		if got := hint(output); !strings.Contains(got, want) {
			t.Errorf("%s: %s", output, got)
		}
	}
}

func TestRunFaults(t *testing.T) {
	chatty, err := says("not an answer", t.TempDir(), nil).Compile(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	data := runtime.Data{Values: make([]float64, 1<<16)} // more than a pipe holds
	if _, err := Run(t.Context(), chatty, worker.Job{}, data, nil, io.Discard); err == nil || !strings.Contains(err.Error(), "no answer") {
		t.Errorf("chatty program: %v", err)
	}
	if _, err := Run(t.Context(), filepath.Join(t.TempDir(), "none"), worker.Job{}, data, nil, io.Discard); err == nil ||
		!strings.Contains(err.Error(), "cannot run the compiled spec") {
		t.Errorf("missing program: %v", err)
	}
	done, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Run(done, chatty, worker.Job{}, data, nil, io.Discard); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}
