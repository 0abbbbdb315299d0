package gen

import (
	"context"
	"fmt"

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
	var out []File
	for _, name := range lib.Compiled() {
		files, diags := Generate(context.Background(), lib.Problem(name), Options{})
		if diags.HasErrors() {
			return nil, fmt.Errorf("problem %s:\n%s", name, diags.String())
		}
		for _, f := range files {
			out = append(out, File{Name: name + "/" + f.Name, Data: f.Data})
		}
	}
	list, err := emit.Registry("generated", libraryPath, "spec/library", lib.Compiled())
	if err != nil {
		return nil, err
	}
	return append(out, File{Name: "library.go", Data: list}), nil
}
