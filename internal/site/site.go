package main

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"html/template"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// repository is where files lie that are no pages.
const repository = "https://github.com/sngdgen/sngdgen/blob/main/"

// contents are the pages in the order in which they are listed, by the groups that they are in.
var contents = []struct {
	Group string
	Pages []source
}{
	{"Begin", []source{{"README.md", "Overview"}, {"docs/tutorial.md", "Tutorial"}, {"docs/studio.md", "Studio"}}},
	{"Gallery", []source{{"docs/gallery.md", "All examples"}, {"docs/gallery/counts.md", "Counts"}, {"docs/gallery/positive.md", "Positive numbers"},
		{"docs/gallery/proportions.md", "Proportions"}, {"docs/gallery/real.md", "Real numbers"}, {"docs/gallery/directions.md", "Directions"},
		{"docs/gallery/matrices.md", "Matrices"}, {"docs/gallery/sequences.md", "Sequences"},
		{"docs/gallery/vectors.md", "Vectors and copulas"}, {"docs/gallery/mixtures.md", "Mixtures"}, {"docs/gallery/regressions.md", "Regressions"},
		{"docs/gallery/survival.md", "Survival"}, {"docs/gallery/posteriors.md", "Posteriors"}}},
	{"How to", []source{{"docs/howto.md", "How to"}, {"docs/messages.md", "When a fit says ..."}, {"docs/regression.md", "Regression"}, {"docs/surrogates.md", "Rank surrogates"},
		{"docs/using-a-fit.md", "Use a fit"}, {"docs/large-data.md", "Large data"}, {"docs/pictures.md", "Pictures"}}},
	{"Reference", []source{{"docs/language.md", "Specs"}, {"docs/reference.md", "Types, functions, library"}, {"docs/command.md", "Command, exit codes, JSON"}}},
	{"Background", []source{{"docs/mathematics.md", "Mathematics"}, {"docs/alternatives.md", "Alternatives"}, {"ARCHITECTURE.md", "Architecture"}}},
	{"Project", []source{{"CONTRIBUTING.md", "Contributing"}, {"SECURITY.md", "Security"}, {"CHANGELOG.md", "Changes"}}},
}

// source is a document.
type source struct {
	Path  string // in the repository
	Title string // in the list
}

// URL is that of its page.
func (s source) URL() string {
	if s.Path == "README.md" {
		return "index.html"
	}
	return strings.ToLower(strings.TrimSuffix(path.Base(s.Path), ".md")) + ".html"
}

// pageOf returns the page of a file of the repository, "" if it has none.
func pageOf(file string) string {
	for _, g := range contents {
		for _, s := range g.Pages {
			if s.Path == file {
				return s.URL()
			}
		}
	}
	return ""
}

//go:embed page.html style.css search.js
var assets embed.FS

var layout = template.Must(template.ParseFS(assets, "page.html"))

// entry is a section of a page, for the search.
type entry struct {
	Page    string `json:"page"`
	Heading string `json:"heading"`
	URL     string `json:"url"`
	Text    string `json:"text"`
}

// build writes the site into a folder, and returns the number of its pages.
func build(root, folder string) (pages int, err error) {
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return 0, err
	}
	index := []entry{}
	for _, g := range contents {
		for _, s := range g.Pages {
			markdown, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(s.Path)))
			if err != nil {
				return pages, err
			}
			page, found, err := render(root, folder, s, markdown)
			if err != nil {
				return pages, fmt.Errorf("%s: %w", s.Path, err)
			}
			if err := os.WriteFile(filepath.Join(folder, s.URL()), page, 0o666); err != nil {
				return pages, err
			}
			index = append(index, found...)
			pages++
		}
	}
	for _, name := range []string{"style.css", "search.js"} {
		data, err := fs.ReadFile(assets, name)
		if err != nil {
			return pages, err
		}
		if err := os.WriteFile(filepath.Join(folder, name), data, 0o666); err != nil {
			return pages, err
		}
	}
	data, err := json.Marshal(index)
	if err != nil {
		return pages, err
	}
	return pages, os.WriteFile(filepath.Join(folder, "index.json"), data, 0o666)
}

// render makes a page of a document, and its sections for the search. Its pictures go into a folder.
func render(root, folder string, s source, markdown []byte) (page []byte, sections []entry, err error) {
	md := goldmark.New(goldmark.WithExtensions(extension.GFM), goldmark.WithParserOptions(parser.WithAutoHeadingID()))
	doc := md.Parser().Parse(text.NewReader(markdown))
	for _, change := range []func() error{
		func() error { return relink(root, s, doc) },
		func() error { return copyPictures(root, folder, s, doc) },
		func() error { return typeset(doc, markdown) },
	} {
		if err := change(); err != nil {
			return nil, nil, err
		}
	}
	var body, out bytes.Buffer
	if err := md.Renderer().Render(&body, markdown, doc); err != nil {
		return nil, nil, err
	}
	sections, headings := outline(s, doc, markdown)
	err = layout.Execute(&out, map[string]any{"Title": s.Title, "URL": s.URL(), "Contents": contents, "Headings": headings,
		"Body": template.HTML(body.String())}) // documents are our own
	return out.Bytes(), sections, err
}

// relink makes links between documents those between pages, and others into the repository ones to it.
func relink(root string, s source, doc ast.Node) error {
	return ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		link, ok := n.(*ast.Link)
		if !ok || !entering {
			return ast.WalkContinue, nil
		}
		to, anchor, _ := strings.Cut(string(link.Destination), "#")
		if to == "" || strings.Contains(to, "://") || strings.HasPrefix(to, "mailto:") {
			return ast.WalkContinue, nil
		}
		file := path.Join(path.Dir(s.Path), to)
		if _, err := os.Stat(filepath.Join(root, filepath.FromSlash(file))); err != nil {
			return ast.WalkStop, fmt.Errorf("a link to %s, which is not there", to)
		}
		to = pageOf(file)
		if to == "" {
			to = repository + file
		}
		if anchor != "" {
			to += "#" + anchor
		}
		link.Destination = []byte(to)
		return ast.WalkContinue, nil
	})
}

// heading is one of a page.
type heading struct {
	ID, Text string
}

// outline cuts a page into sections.
func outline(s source, doc ast.Node, markdown []byte) (sections []entry, headings []heading) {
	current := entry{Page: s.Title, Heading: s.Title, URL: s.URL()}
	var words strings.Builder
	finish := func() {
		if current.Text = strings.Join(strings.Fields(words.String()), " "); current.Text != "" {
			sections = append(sections, current)
		}
		words.Reset()
	}
	for n := doc.FirstChild(); n != nil; n = n.NextSibling() {
		h, ok := n.(*ast.Heading)
		if !ok {
			words.WriteString(plain(n, markdown) + " ")
			continue
		}
		finish()
		current.Heading, current.URL = plain(h, markdown), s.URL()
		if id, ok := h.AttributeString("id"); ok && h.Level > 1 {
			current.URL += "#" + string(id.([]byte))
			if h.Level == 2 {
				headings = append(headings, heading{string(id.([]byte)), current.Heading})
			}
		}
	}
	finish()
	return sections, headings
}

// plain is the text of a node.
func plain(n ast.Node, markdown []byte) string {
	var b strings.Builder
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) { // which returns no errors
		switch n := n.(type) {
		case *ast.Text:
			if entering {
				b.Write(n.Segment.Value(markdown))
				if n.SoftLineBreak() {
					b.WriteByte(' ')
				}
			}
		case *ast.CodeBlock, *ast.FencedCodeBlock:
			if entering {
				for i := range n.Lines().Len() {
					line := n.Lines().At(i)
					b.Write(line.Value(markdown))
				}
			}
		default:
			if !entering && n.Type() == ast.TypeBlock {
				b.WriteByte(' ')
			}
		}
		return ast.WalkContinue, nil
	})
	return strings.TrimSpace(b.String())
}
