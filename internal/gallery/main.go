// Command gallery writes docs/gallery.md and the pages and pictures in docs/gallery from the table gallery.yaml: of each entry what it is
// for, its formula as the program derives it, data, a command with what it prints, and a picture. From the root of the module:
//
//	go run ./internal/gallery [NAME ...]
//
// With names of pages it makes these pages alone. What the pages show is compared with what the program does by tests/readme.
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

func main() {
	if err := write(".", os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "gallery:", err)
		os.Exit(1)
	}
}

// write makes the index, and pages of some names, or of all.
func write(root string, names []string) error {
	table, err := load(root)
	if err != nil {
		return err
	}
	dir := filepath.Join(root, folder)
	if err := os.WriteFile(filepath.Join(root, index), []byte(table.index()), 0o666); err != nil {
		return err
	}
	s, err := newSession(root)
	if err != nil {
		return err
	}
	defer s.close()
	for _, p := range table.Pages {
		if len(names) > 0 && !slices.Contains(names, p.Name) {
			continue
		}
		text, err := p.markdown(table, func(e *entry) (string, error) { return s.run(e, dir) })
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, p.Name+".md"), []byte(text), 0o666); err != nil {
			return err
		}
	}
	return nil
}
