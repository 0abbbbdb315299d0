package main

import (
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

const written = "<!-- Written by go run ./internal/gallery from internal/gallery/gallery.yaml; do not edit. -->\n"

// index is the page that links all others.
func (g *gallery) index() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n# Gallery\n\n%s\n", written, g.Intro)
	for _, p := range g.Pages {
		fmt.Fprintf(&b, "\n## [%s](gallery/%s.md)\n\n%s\n\n| example | in the library |\n| --- | --- |\n", p.Title, p.Name, first(p.Intro))
		for _, e := range p.Entries {
			fmt.Fprintf(&b, "| [%s](gallery/%s.md#%s) | %s |\n", e.Title, p.Name, anchor(e.Title), code(e.Shows))
		}
	}
	return b.String()
}

// link is one from a page, which is another one from the index.
var link = regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`)

// first is the first paragraph, without links.
func first(text string) string {
	text, _, _ = strings.Cut(text, "\n\n")
	return link.ReplaceAllString(strings.TrimSpace(text), "$1")
}

func code(names []string) string {
	var out []string
	for _, name := range names {
		out = append(out, "`"+name+"`")
	}
	return strings.Join(out, ", ")
}

// markdown is the text of a page, with what commands print from a function.
func (p *page) markdown(g *gallery, output func(*entry) (string, error)) (string, error) {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n# %s\n\n%s", written, p.Title, p.Intro)
	for _, e := range p.Entries {
		printed, err := output(e)
		if err == nil {
			err = e.write(&b, g, printed)
		}
		if err != nil {
			return "", fmt.Errorf("%s: %s: %w", p.Name, e.Title, err)
		}
	}
	return b.String(), nil
}

// write adds an entry to its page.
func (e *entry) write(b *strings.Builder, g *gallery, printed string) error {
	formula, err := e.formula(g.root)
	if err != nil {
		return err
	}
	fmt.Fprintf(b, "\n## %s\n\n%s%s", e.Title, e.Text, formula)
	for _, file := range e.Data {
		source, ok := g.sources[file]
		if !ok {
			return fmt.Errorf("%s says nothing of %s", dataTable, file)
		}
		fmt.Fprintf(b, "\nData: [%s](../data/%s), %s\n", file, file, source)
	}
	if strings.Contains(e.Run, e.Spec) && path.Ext(e.Spec) == ".yaml" { // otherwise it is there for the formula alone
		text, err := os.ReadFile(filepath.Join(g.root, folder, e.Spec))
		if err != nil {
			return err
		}
		fmt.Fprintf(b, "\nThe spec, [%s](%s):\n\n```yaml\n%s\n```\n", path.Base(e.Spec), e.Spec, strings.TrimSpace(string(text)))
	}
	fmt.Fprintf(b, "\n%s\n\n%s\n", indented(e.Run), indented(printed))
	for _, file := range e.Picture {
		kind := strings.TrimSuffix(path.Base(file), path.Ext(file))
		fmt.Fprintf(b, "\n![%s: %s](%s)\n", e.Title, kind, file)
	}
	fmt.Fprintf(b, "\n*Look at* %s\n", strings.TrimSpace(e.Look))
	if e.Check != nil {
		fmt.Fprintf(b, "\n*Check:* %s\n", e.Check.sentence())
	}
	return nil
}

func (c *evidence) sentence() string {
	var out []string
	for _, name := range slices.Sorted(maps.Keys(c.Says)) {
		out = append(out, fmt.Sprintf("`%s` %s", name, c.Says[name]))
	}
	return c.By + " has " + strings.Join(out, ", ") + "."
}

func indented(text string) string {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	for i, line := range lines {
		if line = strings.TrimRight(line, " "); line != "" {
			line = "    " + line
		}
		lines[i] = line
	}
	return strings.Join(lines, "\n")
}
