package spec

import (
	"embed"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"sync"

	"go.yaml.in/yaml/v4"

	"github.com/sngdgen/sngdgen/internal/diag"
)

//go:embed library
var libraryFiles embed.FS

// Lib is the standard library: the definitions and problems that come with the generator.
type Lib struct {
	scope    *scope
	problems map[string]*Problem
	diags    diag.List
}

// modelsFolder has the problems without a compiled package: the engine runs them, and they are generated when somebody asks for their package.
const modelsFolder = "library/models/"

// Library returns the standard library. It is read once, at the first call.
func Library() *Lib {
	library.once.Do(func() { library.lib = readLibrary() })
	return library.lib
}

// library holds what Library returns.
var library struct {
	once sync.Once
	lib  *Lib
}

// readLibrary reads all files of the library as if they were one: each sees the definitions of all others.
func readLibrary() *Lib {
	lib := &Lib{scope: &scope{own: map[string]definition{}, isLib: true}, problems: map[string]*Problem{}}
	names, err := fs.Glob(libraryFiles, "library/*/*.yaml")
	if err != nil {
		lib.diags.Errorf(diag.Span{}, msgRead, "library", err)
	}
	var all []*documents
	for _, name := range names {
		text, err := libraryFiles.ReadFile(name)
		if err != nil {
			lib.diags.Errorf(diag.Span{}, msgRead, name, err)
			continue
		}
		all = append(all, lib.read(newSource(name, text)))
	}
	for _, d := range all {
		d.resolve()
		for _, p := range d.file.Problems {
			if lib.problems[p.Package] != nil {
				lib.diags.Errorf(p.PackageSpan, msgDuplicate, p.Package)
			}
			lib.problems[p.Package] = p
		}
	}
	lib.drop()
	return lib
}

// drop takes out what comes from files with errors, so that a user's file cannot trip over half a definition.
func (lib *Lib) drop() {
	bad := map[*diag.Source]bool{}
	for _, d := range lib.diags.All() {
		bad[d.Span.Source] = bad[d.Span.Source] || d.Severity == diag.Error
	}
	maps.DeleteFunc(lib.problems, func(_ string, p *Problem) bool { return bad[p.Source] })
	maps.DeleteFunc(lib.scope.approximations, func(_ string, a *Approximation) bool { return bad[a.Source] })
	maps.DeleteFunc(lib.scope.own, func(_ string, d definition) bool { return bad[d.span().Source] })
}

// read reads one file into the scope of the library.
func (lib *Lib) read(src *diag.Source) *documents {
	r := &reader{src: src, diags: &lib.diags, broken: map[*yaml.Node]bool{}}
	d := &documents{r: r, file: &File{Source: src, scope: lib.scope}}
	roots, _ := r.documents()
	for _, root := range roots {
		d.read(root)
	}
	return d
}

// Diagnostics returns what is wrong with the library: nothing, in a release.
func (lib *Lib) Diagnostics() diag.List { return lib.diags }

// Problem returns a problem by the name of its package, or nil.
func (lib *Lib) Problem(name string) *Problem { return lib.problems[name] }

// Family returns a family by name, or nil.
func (lib *Lib) Family(name string) *Family { return lib.scope.own[name].family }

// Distribution returns a distribution by name, or nil.
func (lib *Lib) Distribution(name string) *Distribution { return lib.scope.own[name].distribution }

// Approximation returns an approximation by name, or nil.
func (lib *Lib) Approximation(name string) *Approximation { return lib.scope.approximations[name] }

// Approximations returns the names of the approximations, sorted.
func (lib *Lib) Approximations() []string { return slices.Sorted(maps.Keys(lib.scope.approximations)) }

// Problems returns the package names of the problems, sorted.
func (lib *Lib) Problems() []string {
	var out []string
	for name := range lib.problems {
		out = append(out, name)
	}
	slices.Sort(out)
	return out
}

// Compiled returns the names of the problems whose packages are below generated/, sorted.
func (lib *Lib) Compiled() []string {
	return slices.DeleteFunc(lib.Problems(), func(name string) bool {
		return strings.HasPrefix(lib.problems[name].Source.Name, modelsFolder)
	})
}

// ProblemsOf returns the names of the problems with an objective, sorted.
func (lib *Lib) ProblemsOf(objective string) []string {
	return slices.DeleteFunc(lib.Problems(), func(name string) bool { return lib.problems[name].Objective != objective })
}

// Families returns the names of the families, sorted.
func (lib *Lib) Families() []string { return lib.scope.names(true) }

// Distributions returns the names of the distributions, sorted; families are not among them.
func (lib *Lib) Distributions() []string {
	return slices.DeleteFunc(lib.scope.names(false), func(name string) bool { return lib.scope.own[name].family != nil })
}
