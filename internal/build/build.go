// Package build turns a generated package into a program that runs it, for specs that are not in the library.
//
// The program is a small Go module: the parts of sngdgen that generated code needs, which the command carries in itself,
// the generated package, and a main function of one line. It is compiled once with the user's Go toolchain and kept in
// a cache under the hash of all it was made from.
package build

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Module is the path of the module of sngdgen, which the compiled module takes over so that imports stay as they are.
const Module = "github.com/sngdgen/sngdgen"

// File is a file of the compiled module.
type File struct {
	Name string // path in the module, with slashes
	Data []byte
}

// Source says what to compile.
type Source struct {
	// Library holds go.mod, go.sum and the packages that the program needs, at their places in the module.
	Library fs.FS
	// Packages are the generated ones, one or several.
	Packages []Package
	// Cache is the folder that keeps compiled programs. Empty means sngdgen in the user's cache folder.
	Cache string
	// Log, if not nil, is told when something is compiled, which takes a while.
	Log io.Writer
}

// Package is a generated package of the program.
type Package struct {
	Name string // for messages
	// Files of the package; the names have no folder. Tests among them are left out.
	Files []File
	// Model is a Go expression that returns a new runtime.Model; the package is called "problem" in it.
	Model string
}

// Compile returns the path of the compiled program, from the cache if it is there.
func (s *Source) Compile(ctx context.Context) (string, error) {
	files, err := s.module()
	if err != nil {
		return "", err
	}
	c, err := openCache(s.Cache)
	if err != nil {
		return "", err
	}
	key := hash(files)
	if program, ok := c.find(key); ok {
		return program, nil
	}
	if s.Log != nil {
		fmt.Fprintf(s.Log, "compiling %s (once for each version of the spec)\n", s.names())
	}
	return c.add(key, func(dir string) error { return s.compile(ctx, files, dir) })
}

// names names the packages for a message.
func (s *Source) names() string {
	var list []string
	for _, p := range s.Packages {
		list = append(list, p.Name)
	}
	if len(list) == 1 {
		return "package " + list[0]
	}
	return "packages " + strings.Join(list, ", ")
}

// compile writes the module into dir and builds its program there. The sources are not kept: they are in the key.
func (s *Source) compile(ctx context.Context, files []File, dir string) error {
	module := filepath.Join(dir, "module")
	if err := writeFiles(module, files); err != nil {
		return err
	}
	if err := goBuild(ctx, module, filepath.Join(dir, programName)); err != nil {
		return err
	}
	return os.RemoveAll(module)
}
