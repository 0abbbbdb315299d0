package spec

import (
	"path"
	"slices"
	"sync"
	"testing"
)

// TestLibraryNames: a file of the library has one document, which defines what the file is called.
func TestLibraryNames(t *testing.T) {
	lib := Library()
	for _, files := range []map[string]*libraryFile{lib.definitions, lib.approximations, lib.problems} {
		for name, of := range files {
			f := lib.read(of)
			if f == nil {
				t.Errorf("%s is broken", of.path)
				continue
			}
			var names []string
			for _, p := range f.Problems {
				names = append(names, p.Package)
			}
			for _, d := range f.Families {
				names = append(names, d.Name)
			}
			for _, d := range f.Distributions {
				names = append(names, d.Name)
			}
			for _, a := range f.Approximations {
				names = append(names, a.Name)
			}
			if !slices.Equal(names, []string{name}) || len(f.Functions)+len(f.Regressions) > 0 || path.Base(of.path) != name+".yaml" {
				t.Errorf("%s defines %v", of.path, names)
			}
		}
	}
}

// TestLibraryAtOnce: several may ask for what is in the library at once, and get the same.
func TestLibraryAtOnce(t *testing.T) {
	lib := Library()
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for _, name := range lib.Problems() {
				p := lib.Problem(name)
				if p.TargetDist != nil && p.TargetDist != lib.Distribution(p.TargetDist.Name) {
					t.Errorf("%s is about another %s", name, p.TargetDist.Name)
				}
			}
		})
	}
	wg.Wait()
}
