package gen

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/sngdgen/sngdgen/gen/emit"
	"github.com/sngdgen/sngdgen/spec"
)

// libraryPath is the import path under which the packages of the library are checked in.
const libraryPath = "github.com/sngdgen/sngdgen/generated"

// Library returns every file below generated/: a package for each problem of the library that is compiled in, and their list.
func Library() ([]File, error) {
	lib := spec.Library()
	if diags := lib.Diagnostics(); diags.HasErrors() {
		return nil, fmt.Errorf("the library has errors:\n%s", diags.String())
	}
	packages, err := libraryPackages(lib)
	if err != nil {
		return nil, err
	}
	list, err := emit.Registry("generated", libraryPath, "spec/library", lib.Compiled())
	if err != nil {
		return nil, err
	}
	return append(packages, File{Name: "library.go", Data: list}), nil
}

// atOnce is how many packages are generated at a time: as many as machines that people have can do, and no more, as each takes memory.
const atOnce = 8

// libraryPackages generates the packages, several at a time, and lists their files in the order of their names.
func libraryPackages(lib *spec.Lib) ([]File, error) {
	names := lib.Compiled()
	files, errs := make([][]File, len(names)), make([]error, len(names))
	var next atomic.Int64
	var group sync.WaitGroup
	for range atOnce {
		group.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(names); i = int(next.Add(1)) - 1 {
				files[i], errs[i] = libraryPackage(lib, names[i])
			}
		})
	}
	group.Wait()
	return slices.Concat(files...), errors.Join(errs...)
}

func libraryPackage(lib *spec.Lib, name string) (out []File, err error) {
	files, diags := Generate(context.Background(), lib.Problem(name), Options{})
	if diags.HasErrors() {
		return nil, fmt.Errorf("problem %s:\n%s", name, diags.String())
	}
	for _, f := range files {
		out = append(out, File{Name: name + "/" + f.Name, Data: f.Data})
	}
	return out, nil
}
