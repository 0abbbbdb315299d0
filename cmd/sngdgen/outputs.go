package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/alecthomas/kong"
)

// checkOutputs finds, before any work is done, that what a flag names cannot be written. The tag of such a flag says what it
// names: output:"file", whose folder must be there, or output:"folder", which is made where it is missing.
func checkOutputs(flags []*kong.Flag) error {
	for _, f := range flags {
		path := f.Target.String()
		kind := f.Tag.Get("output")
		if !f.Set || kind == "" {
			continue
		}
		if err := outputKinds[kind](path); err != nil {
			return fmt.Errorf("--%s=%s: %w", f.Name, path, err)
		}
	}
	return nil
}

// outputKinds are the values of the tag, each with what finds that a path cannot be written.
var outputKinds = map[string]func(path string) error{"file": checkOutputFile, "folder": checkOutputFolder, "pictures": checkPictures, "trace": checkTrace,
	"page": checkPage}

// checkOutputFile looks at the folder of a file, and at the file if there is one.
func checkOutputFile(path string) error {
	if path == "" {
		return errors.New("a file must have a name")
	}
	if info, err := os.Stat(path); err == nil {
		if info.IsDir() {
			return errors.New("it is a folder\nhint: name a file in it")
		}
		if !info.Mode().IsRegular() { // a pipe or a terminal
			return nil
		}
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	folder := filepath.Dir(path)
	if err := checkFolder(folder); err != nil {
		return err
	}
	f, err := os.CreateTemp(folder, ".sngdgen-") // the permissions alone do not tell it
	if err != nil {
		return fmt.Errorf("nothing can be written in the folder %s: %w", folder, cause(err))
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

// checkOutputFolder looks at the first folder on the way up that is there. It may be closed to us: files that are up to date
// are not written.
func checkOutputFolder(path string) error {
	if path == "" {
		return errors.New("a folder must have a name\nhint: . is the current one")
	}
	for {
		_, err := os.Stat(path)
		if parent := filepath.Dir(path); errors.Is(err, fs.ErrNotExist) && parent != path {
			path = parent
			continue
		}
		return checkFolder(path)
	}
}

func checkFolder(folder string) error {
	info, err := os.Stat(folder)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("there is no folder %s\nhint: make it first: mkdir -p %s", folder, folder)
	case err != nil:
		return fmt.Errorf("%s: %w", folder, cause(err))
	case !info.IsDir():
		return fmt.Errorf("%s is no folder", folder)
	}
	return nil
}
