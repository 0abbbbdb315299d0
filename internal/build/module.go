package build

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// The compiled module has the main function in one folder and the generated package below it. The folder of the package
// has a fixed name, since some names of packages mean something to the go command as names of folders.
const (
	userDir    = "user"
	problemDir = userDir + "/problem"
)

// module returns the files of the compiled module.
func (s *Source) module() ([]File, error) {
	files, err := libraryFiles(s.Library)
	if err != nil {
		return nil, err
	}
	for _, f := range s.Files {
		if !isTest(f.Name) {
			files = append(files, File{path.Join(problemDir, f.Name), f.Data})
		}
	}
	return append(files, File{path.Join(userDir, "main.go"), s.main()}), nil
}

// main returns the main function.
func (s *Source) main() []byte {
	return fmt.Appendf(nil, `// Command user runs a problem of the user. sngdgen wrote it.
package main

import (
	"os"

	"%[1]s/internal/build/worker"
	"%[1]s/runtime"
	problem "%[1]s/%[2]s"
)

func main() {
	os.Exit(worker.Main(func() runtime.Model { return %[3]s }, os.Stdin, os.Stdout, os.Stderr))
}
`, Module, problemDir, s.Model)
}

// libraryFiles reads the library. Tests and their data are left out: go:embed cannot leave them out, and the key of a
// compiled program should not change with them.
func libraryFiles(library fs.FS) ([]File, error) {
	var files []File
	err := fs.WalkDir(library, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && d.Name() == "testdata":
			return fs.SkipDir
		case d.IsDir() || isTest(name):
			return nil
		}
		data, err := fs.ReadFile(library, name)
		files = append(files, File{name, data})
		return err
	})
	return files, err
}

func isTest(name string) bool { return strings.HasSuffix(name, "_test.go") }

func writeFiles(dir string, files []File) error {
	for _, f := range files {
		if !filepath.IsLocal(filepath.FromSlash(f.Name)) {
			return fmt.Errorf("file name %q leads out of the module", f.Name)
		}
		name := filepath.Join(dir, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(name, f.Data, 0o644); err != nil {
			return err
		}
	}
	return nil
}
