package build

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// The compiled module has the main function in one folder and the generated packages below it. The folders of these have fixed
// names, since some names of packages mean something to the go command as names of folders.
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
	var models []string
	for i, p := range s.Packages {
		dir := fmt.Sprintf("%s%d", problemDir, i)
		for _, f := range p.Files {
			if !isTest(f.Name) {
				files = append(files, File{path.Join(dir, f.Name), f.Data})
			}
		}
		model := fmt.Sprintf("model%d", i)
		files = append(files, File{path.Join(userDir, model+".go"), p.constructor(model, dir)})
		models = append(models, model)
	}
	return append(files, File{path.Join(userDir, "main.go"), mainFile(models)}), nil
}

// constructor returns the file that makes the model of a package.
func (p *Package) constructor(name, dir string) []byte {
	return fmt.Appendf(nil, `package main

import (
	"%[1]s/runtime"
	problem "%[1]s/%[2]s"
)

func %[3]s() runtime.Model { return %[4]s }
`, Module, dir, name, p.Model)
}

// mainFile returns the file with the main function.
func mainFile(models []string) []byte {
	return fmt.Appendf(nil, `// Command user runs a problem of the user. sngdgen wrote it.
package main

import (
	"os"

	"%[1]s/internal/build/worker"
	"%[1]s/runtime"
)

func main() {
	os.Exit(worker.Main([]func() runtime.Model{%[2]s}, os.Stdin, os.Stdout, os.Stderr))
}
`, Module, strings.Join(models, ", "))
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
