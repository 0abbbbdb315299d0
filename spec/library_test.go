package spec

import (
	"io/fs"
	"path"
	"slices"
	"sync"
	"testing"
	"testing/fstest"
	"time"
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

// TestLibraryInTurn: a file of the library may refer to one that has been read before, which refers to others. Who reads has the library for itself, and must not ask for it again.
func TestLibraryInTurn(t *testing.T) {
	files := fstest.MapFS{}
	for _, folder := range []string{familiesFolder, targetsFolder, approximationsFolder, problemsFolder, modelsFolder} {
		files["library/"+folder] = &fstest.MapFile{Mode: fs.ModeDir}
	}
	for name, density := range map[string]string{"first": "-exp(m - x) - x + m", "second": "first.logpdf(x; m)", "third": "second.logpdf(x; m)"} {
		text := "distribution: " + name + "\ndoc: a number\nvariable: {x: real}\nparameters: {m: real}\nlogpdf: " + density + "\n"
		files["library/"+targetsFolder+"/"+name+".yaml"] = &fstest.MapFile{Data: []byte(text)}
	}
	lib, before := newLibrary(files), library
	library = func() *Lib { return lib }
	defer func() { library = before }()
	read := make(chan bool)
	go func() {
		for _, name := range []string{"second", "third"} {
			read <- lib.Distribution(name) != nil
		}
	}()
	for _, name := range []string{"second", "third"} {
		select {
		case ok := <-read:
			if !ok {
				t.Fatalf("%s is broken: %v", name, &lib.diags)
			}
		case <-time.After(10 * time.Second):
			t.Fatalf("%s waits for the library that it has", name)
		}
	}
}
