package page

import (
	_ "embed"
	"fmt"
	"io"

	"github.com/sngdgen/sngdgen/internal/picture"
)

// Article is a page of sections, each of which holds a claim of others against what was seen.
type Article struct {
	Title    string
	Lead     []string
	Sections []Section
	// Command made the page, with Version.
	Command, Version string
}

// Section is a claim with its pictures and tables.
type Section struct {
	Name    string // anchor
	Title   string
	Claim   string // what others say
	Missing string // why there is nothing to see, or not what others saw
	Verdict string // how what was seen agrees, in some words
	Sound   bool   // it agrees
	Seen    []string
	Panels  []picture.Panel
	Tables  []Table
	Notes   []string
}

//go:embed article.html
var articleSource string

var articleLayout = withParts("article", &articleSource)

// Write writes the page. The error says what cannot be drawn, or what w says.
func (a *Article) Write(w io.Writer) error {
	type section struct {
		*Section
		Pictures []drawn
	}
	var all []section
	for i := range a.Sections {
		s := &a.Sections[i]
		pictures, err := inline(s.Panels)
		if err != nil {
			return fmt.Errorf("%s: %w", s.Name, err)
		}
		all = append(all, section{s, pictures})
	}
	return articleLayout().Execute(w, struct {
		*Article
		Drawn []section
	}{a, all})
}
