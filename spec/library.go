package spec

import (
	"embed"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"

	"go.yaml.in/yaml/v4"

	"github.com/sngdgen/sngdgen/internal/diag"
)

//go:embed library
var libraryFiles embed.FS

// Lib is the standard library: the definitions and problems that come with the generator. A file is called as what it defines, so that all
// names are known before anything is read; a file is read when somebody asks for what is in it, or for what refers to it.
type Lib struct {
	files          fs.FS
	definitions    map[string]*libraryFile // families and distributions
	approximations map[string]*libraryFile
	problems       map[string]*libraryFile

	reading sync.Mutex // held while files are read
	diags   diag.List
}

// libraryFile is a file of the library with the one document that it has.
type libraryFile struct {
	path, folder string
	file         *File // nil before it is read
	broken       bool  // it has errors: a user's file is not to trip over half a definition
}

// Folders of the library. Models are problems without a compiled package: the engine runs them, and they are generated when somebody asks for their package.
const (
	familiesFolder       = "families"
	targetsFolder        = "targets"
	approximationsFolder = "approximations"
	problemsFolder       = "problems"
	modelsFolder         = "models"
)

// Library returns the standard library.
func Library() *Lib { return library() }

var library = sync.OnceValue(func() *Lib { return newLibrary(libraryFiles) })

// newLibrary lists the files of a library.
func newLibrary(files fs.FS) *Lib {
	lib := &Lib{files: files, definitions: map[string]*libraryFile{}, approximations: map[string]*libraryFile{}, problems: map[string]*libraryFile{}}
	for folder, of := range map[string]map[string]*libraryFile{familiesFolder: lib.definitions, targetsFolder: lib.definitions,
		approximationsFolder: lib.approximations, problemsFolder: lib.problems, modelsFolder: lib.problems} {
		entries, err := fs.ReadDir(files, "library/"+folder)
		if err != nil {
			lib.diags.Errorf(diag.Span{}, msgRead, folder, err)
		}
		for _, e := range entries {
			f := &libraryFile{path: "library/" + folder + "/" + e.Name(), folder: folder}
			name := strings.TrimSuffix(e.Name(), path.Ext(e.Name()))
			if of[name] != nil {
				lib.diags.Errorf(diag.Span{}, msgDuplicate, name)
			}
			of[name] = f
		}
	}
	return lib
}

// libraryReader reads files of the library, each with what it refers to. It has the library for itself meanwhile.
type libraryReader struct {
	lib   *Lib
	begun []*libraryFile
}

// read returns a file, read with all that it refers to; nil where there is none, or it is broken.
func (lib *Lib) read(f *libraryFile) *File {
	if f == nil {
		return nil
	}
	lib.reading.Lock()
	defer lib.reading.Unlock()
	r := &libraryReader{lib: lib}
	r.read(f)
	for _, f := range r.begun { // no name leads to what is broken, but what has been read before it may refer to it
		f.file.scope.reader = nil
		f.broken = slices.ContainsFunc(lib.diags.All(), func(d *diag.Diagnostic) bool {
			return d.Severity == diag.Error && d.Span.Source == f.file.Source
		})
	}
	if f.broken {
		return nil
	}
	return f.file
}

// read reads a file that has not been read or begun.
func (r *libraryReader) read(f *libraryFile) {
	if f.file != nil {
		return
	}
	text, err := fs.ReadFile(r.lib.files, f.path)
	if err != nil {
		r.lib.diags.Errorf(diag.Span{}, msgRead, f.path, err)
	}
	of := &reader{src: newSource(f.path, text), diags: &r.lib.diags, broken: map[*yaml.Node]bool{}}
	f.file = &File{Source: of.src, scope: &scope{own: map[string]definition{}, reader: r}}
	r.begun = append(r.begun, f)
	d := &documents{r: of, file: f.file}
	roots, _ := of.documents()
	for _, root := range roots {
		d.read(root)
	}
	d.resolve()
}

// asked returns a file of the library that something in the scope refers to, nil where there is none. One that is being read itself is
// returned as far as it is, so that what is defined by itself is found, and reported.
func (s *scope) asked(f *libraryFile) *File {
	if f == nil || s == nil || s.reader == nil {
		return Library().read(f)
	}
	s.reader.read(f)
	return f.file
}

// definition returns the family or distribution of a name in a file that may be nil, and is empty where there is none.
func (f *File) definition(name string) definition {
	if f == nil {
		return definition{}
	}
	return f.scope.own[name]
}

// approximation returns the approximation of a name in a file that may be nil, or nil.
func (f *File) approximation(name string) *Approximation {
	if f == nil {
		return nil
	}
	return f.scope.approximations[name]
}

// Diagnostics returns what is wrong with the library, all of which is read for it: nothing, in a release.
func (lib *Lib) Diagnostics() diag.List {
	for _, of := range []map[string]*libraryFile{lib.approximations, lib.definitions, lib.problems} {
		for _, name := range slices.Sorted(maps.Keys(of)) {
			lib.read(of[name])
		}
	}
	lib.reading.Lock()
	defer lib.reading.Unlock()
	return lib.diags
}

// Problem returns a problem by the name of its package, or nil.
func (lib *Lib) Problem(name string) *Problem {
	f := lib.read(lib.problems[name])
	if f == nil || len(f.Problems) == 0 {
		return nil
	}
	return f.Problems[0]
}

// Family returns a family by name, or nil.
func (lib *Lib) Family(name string) *Family {
	return lib.read(lib.definitions[name]).definition(name).family
}

// Distribution returns a distribution by name, or nil.
func (lib *Lib) Distribution(name string) *Distribution {
	return lib.read(lib.definitions[name]).definition(name).distribution
}

// Approximation returns an approximation by name, or nil.
func (lib *Lib) Approximation(name string) *Approximation {
	return lib.read(lib.approximations[name]).approximation(name)
}

// Approximations returns the names of the approximations, sorted.
func (lib *Lib) Approximations() []string { return slices.Sorted(maps.Keys(lib.approximations)) }

// Problems returns the package names of the problems, sorted.
func (lib *Lib) Problems() []string { return slices.Sorted(maps.Keys(lib.problems)) }

// in returns the names of files in a folder, sorted.
func in(folder string, files map[string]*libraryFile) []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(files)), func(name string) bool { return files[name].folder != folder })
}

// Compiled returns the names of the problems whose packages are below generated/, sorted.
func (lib *Lib) Compiled() []string { return in(problemsFolder, lib.problems) }

// ProblemsOf returns the names of the problems with an objective, sorted.
func (lib *Lib) ProblemsOf(objective string) []string {
	return slices.DeleteFunc(lib.Problems(), func(name string) bool { return lib.Problem(name).Objective != objective })
}

// Families returns the names of the families, sorted.
func (lib *Lib) Families() []string { return in(familiesFolder, lib.definitions) }

// Distributions returns the names of the distributions, sorted; families are not among them.
func (lib *Lib) Distributions() []string { return in(targetsFolder, lib.definitions) }
