package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v4"
)

// Where things are, from the root of the module.
const (
	tableFile = "internal/gallery/gallery.yaml"
	index     = "docs/gallery.md"
	folder    = "docs/gallery"
	dataTable = "docs/data/README.md"
)

// gallery is what the file has.
type gallery struct {
	Intro string
	Pages []*page

	root    string
	sources map[string]string // of files of data: what they are, with who published them
}

// page is a group of entries.
type page struct {
	Name, Title, Intro string
	Entries            []*entry
}

// entry is an example.
type entry struct {
	Title   string
	Shows   []string  // names of the library that one may look for
	Text    string    // what it is for, and what its parameters mean
	Spec    string    // of which the formula is: a name, or a file in docs/gallery
	Problem string    // in a file that has several
	Data    []string  // files in docs/data
	Run     string    // commands, the last one a fit
	Drop    []string  // what lines of the output begin with that are not shown
	Picture []string  // files that the fit draws
	Look    string    // what to look at
	Check   *evidence // that it is right
}

// evidence is what independent software says.
type evidence struct {
	By   string            // the software and its version, with the call
	Says map[string]string // numbers by the first words of lines of the output
}

// load reads the table.
func load(root string) (*gallery, error) {
	text, err := os.ReadFile(filepath.Join(root, tableFile))
	if err != nil {
		return nil, err
	}
	g := &gallery{root: root}
	d := yaml.NewDecoder(bytes.NewReader(text))
	d.KnownFields(true)
	if err := d.Decode(g); err != nil {
		return nil, fmt.Errorf("%s: %w", tableFile, err)
	}
	g.sources, err = sources(root)
	return g, err
}

var sourceRow = regexp.MustCompile(`^\| \[(.*?)\]\(.*\) \| (.*) \|$`)

// sources reads the table of the files of data.
func sources(root string) (map[string]string, error) {
	text, err := os.ReadFile(filepath.Join(root, dataTable))
	if err != nil {
		return nil, err
	}
	out := map[string]string{}
	for line := range strings.Lines(string(text)) {
		if m := sourceRow.FindStringSubmatch(strings.TrimSpace(line)); m != nil {
			out[m[1]] = m[2]
		}
	}
	return out, nil
}

// anchor is what a heading is linked by.
func anchor(heading string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(heading) {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9', r == '-':
			b.WriteRune(r)
		case r == ' ':
			b.WriteByte('-')
		}
	}
	return b.String()
}
