// Package page writes a report as one HTML page that needs nothing else: no network, no scripts, pictures inside. All texts are
// escaped, as names of columns and parameters are those of strangers.
package page

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"sync"

	"github.com/sngdgen/sngdgen/internal/picture"
)

// Page is a report.
type Page struct {
	Title   string
	Lead    string // what was fitted, in a line
	Verdict string // whether that is sound, in a line
	Sound   bool
	// Warnings are those of the fit.
	Warnings []string
	Tables   []Table
	Panels   []picture.Panel
	// Derivation is how the formulas come about, as text.
	Derivation string
	// Command made the page, with Version.
	Command, Version string
}

// Table has a row of names and rows of texts. Its first column is one of names, the others are numbers.
type Table struct {
	Title string
	Head  []string
	Rows  [][]string
	Note  string
	Words bool // all columns are texts
	Open  bool // of an Article: shown without being asked for
}

// longTable is of how many rows a table stands below the pictures, to be opened.
const longTable = 25

// Short are the tables that are shown before the pictures.
func (p *Page) Short() (out []Table) {
	for _, t := range p.Tables {
		if len(t.Rows) < longTable {
			out = append(out, t)
		}
	}
	return out
}

// Long are the others.
func (p *Page) Long() (out []Table) {
	for _, t := range p.Tables {
		if len(t.Rows) >= longTable {
			out = append(out, t)
		}
	}
	return out
}

var (
	//go:embed page.html
	source string
	//go:embed parts.html
	partSource string
	//go:embed style.css
	styles string
)

// withParts is a template with what all pages have in common. It is parsed at the first use: most runs of the command write no page.
func withParts(name string, source *string) func() *template.Template {
	return sync.OnceValue(func() *template.Template {
		parts := template.Must(template.Must(template.New("parts").Parse(partSource)).New("style").Parse(styles))
		return template.Must(parts.New(name).Parse(*source))
	})
}

var layout = withParts("page", &source)

// drawn is a panel with its picture.
type drawn struct {
	*picture.Panel
	SVG template.HTML
}

// Write writes the page. The error says what cannot be drawn, or what w says.
func (p *Page) Write(w io.Writer) error {
	pictures, err := inline(p.Panels)
	if err != nil {
		return err
	}
	return layout().Execute(w, struct {
		*Page
		Pictures []drawn
	}{p, pictures})
}

// inline draws panels.
func inline(panels []picture.Panel) (out []drawn, err error) {
	for i := range panels {
		own := panels[i]
		svg, err := picture.Inline(&own)
		if err != nil {
			return nil, fmt.Errorf("page: %w", err)
		}
		// The texts in it are escaped by the one who draws.
		out = append(out, drawn{&panels[i], template.HTML(svg)})
	}
	return out, nil
}
