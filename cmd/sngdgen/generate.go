package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/sngdgen/sngdgen/gen"
	"github.com/sngdgen/sngdgen/internal/diag"
	"github.com/sngdgen/sngdgen/spec"
)

type generateCmd struct {
	Out   string   `short:"o" output:"folder" placeholder:"DIR" help:"Folder of the packages. The default is that of the spec."`
	Check bool     `help:"Write nothing: say which files are not what would be written, with the exit code 1 if there are any."`
	Spec  []string `arg:"" help:"Spec files; each problem in them becomes a package."`
}

// Run generates everything before it writes anything.
func (c *generateCmd) Run(s *session) error {
	var diags diag.List
	var packages []*generatedPackage
	for _, arg := range c.Spec {
		if err := checkSpecArg(arg); err != nil {
			return err
		}
		packages = append(packages, c.generate(s, arg, &diags)...)
	}
	if err := s.Err(); err != nil { // interrupted
		return err
	}
	if err := s.diagnose(diags); err != nil {
		return err
	}
	if err := distinct(packages); err != nil {
		return err
	}
	if c.Check {
		return checkAll(s, packages)
	}
	return writeAll(s, packages)
}

// checkAll says which files are out of date.
func checkAll(s *session, packages []*generatedPackage) error {
	stale := 0
	for _, g := range packages {
		root, err := os.OpenRoot(g.dir)
		if errors.Is(err, fs.ErrNotExist) {
			fmt.Fprintf(s.out, "%s is missing\n", filepath.Join(g.dir, g.name))
			stale++
			continue
		}
		if err != nil {
			return fmt.Errorf("%s: %w", g.dir, cause(err))
		}
		defer root.Close()
		outputs, err := plan(root, g.name, g.files)
		if err != nil {
			return err
		}
		for _, o := range outputs {
			switch _, err := root.Stat(filepath.FromSlash(o.name)); {
			case o.current:
				fmt.Fprintf(s.out, "%s is up to date\n", o.place(root))
				continue
			case err != nil:
				fmt.Fprintf(s.out, "%s is missing\n", o.place(root))
			default:
				fmt.Fprintf(s.out, "%s is out of date\n", o.place(root))
			}
			stale++
		}
	}
	if stale > 0 {
		return fmt.Errorf("%s not what generate would write", plural(stale, "file"))
	}
	return nil
}

// generatedPackage is a package that is not on disk yet.
type generatedPackage struct {
	dir   string // the folder of the folder of the package
	name  string
	from  string // the spec, for messages
	files []gen.File
}

// generate generates the packages of one argument.
func (c *generateCmd) generate(s *session, arg string, diags *diag.List) (packages []*generatedPackage) {
	noteTerms(arg, diags)
	for _, p := range loadProblems(arg, diags) {
		g := &generatedPackage{dir: c.dir(arg), name: p.Package, from: arg}
		var found diag.List
		g.files, found = gen.Generate(s, p, gen.Options{Source: sourceName(g.dir, arg, p)})
		diags.Append(found)
		packages = append(packages, g)
	}
	return packages
}

// dir returns the folder for the packages of an argument.
func (c *generateCmd) dir(arg string) string {
	switch {
	case c.Out != "":
		return c.Out
	case isSpecFile(arg):
		return filepath.Dir(arg)
	}
	return "."
}

// sourceName names the spec in the generated files: relative to where the packages are, so that the bytes do not depend
// on the folder in which the command runs.
func sourceName(dir, arg string, p *spec.Problem) string {
	if !isSpecFile(arg) {
		return p.Source.Name
	}
	from, err1 := filepath.Abs(dir)
	to, err2 := filepath.Abs(arg)
	if rel, err := filepath.Rel(from, to); err1 == nil && err2 == nil && err == nil {
		return filepath.ToSlash(rel)
	}
	return filepath.ToSlash(filepath.Base(arg))
}

// distinct refuses two packages for one folder.
func distinct(packages []*generatedPackage) error {
	seen := map[string]*generatedPackage{}
	for _, g := range packages {
		place := filepath.Join(g.dir, g.name)
		if old := seen[place]; old != nil {
			return fmt.Errorf("package %s of %s and of %s have the same folder %s", g.name, old.from, g.from, place)
		}
		seen[place] = g
	}
	return nil
}

// writeAll writes the packages, once it is certain that nothing is in the way of any of them.
func writeAll(s *session, packages []*generatedPackage) error {
	var writes []func() error
	for _, g := range packages {
		if err := os.MkdirAll(g.dir, 0o777); err != nil {
			return fmt.Errorf("%s: %w", g.dir, cause(err))
		}
		root, err := os.OpenRoot(g.dir)
		if err != nil {
			return fmt.Errorf("%s: %w", g.dir, cause(err))
		}
		defer root.Close()
		outputs, err := plan(root, g.name, g.files)
		if err != nil {
			return err
		}
		writes = append(writes, func() error { return s.write(root, outputs) })
	}
	for _, write := range writes {
		if err := write(); err != nil {
			return err
		}
	}
	return nil
}

// write writes files and says so.
func (s *session) write(root *os.Root, outputs []output) error {
	for _, o := range outputs {
		if o.current {
			fmt.Fprintf(s.out, "%s is up to date\n", o.place(root))
			continue
		}
		if err := o.write(s, root); err != nil {
			return err
		}
		fmt.Fprintf(s.out, "wrote %s\n", o.place(root))
	}
	return nil
}
