package page_test

import (
	"bytes"
	"encoding/xml"
	"io"
	"strconv"
	"strings"
	"testing"

	"github.com/sngdgen/sngdgen/internal/page"
	"github.com/sngdgen/sngdgen/internal/picture"
)

const bad = `<script>alert("x")</script>&'`

func example(rows int) *page.Page {
	t := page.Table{Title: "Long " + bad, Head: []string{"name", bad}, Note: bad}
	for i := range rows {
		t.Rows = append(t.Rows, []string{bad, strconv.Itoa(i)})
	}
	return &page.Page{Title: bad, Lead: bad, Verdict: bad, Sound: true, Warnings: []string{bad}, Derivation: bad, Command: bad, Version: bad,
		Tables: []page.Table{t, {Title: "Short", Rows: [][]string{{"a", "b"}}}},
		Panels: []picture.Panel{{Name: "one", Title: bad, X: picture.Axis{Label: bad},
			Layers: []picture.Layer{{Kind: picture.Line, Name: bad, X: []float64{1, 2}, Y: []float64{1, 2}}}}}}
}

// parse counts the elements of a page. What it embeds is XML, and so is the page but for the elements without an end.
func parse(t *testing.T, text string) map[string]int {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(text))
	d.Strict, d.AutoClose, d.Entity = false, xml.HTMLAutoClose, xml.HTMLEntity
	counts := map[string]int{}
	for {
		token, err := d.Token()
		if err == io.EOF {
			return counts
		}
		if err != nil {
			t.Fatal(err)
		}
		if e, ok := token.(xml.StartElement); ok {
			counts[e.Name.Local]++
			for _, a := range e.Attr {
				if a.Name.Local == "src" || a.Name.Local == "href" || strings.HasPrefix(a.Name.Local, "on") {
					t.Errorf("<%s %s=%q>", e.Name.Local, a.Name.Local, a.Value)
				}
			}
		}
	}
}

func write(t *testing.T, p *page.Page) string {
	t.Helper()
	var b bytes.Buffer
	if err := p.Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestPage: all parts are there, short tables before the pictures and long ones after them, and texts of strangers are texts.
func TestPage(t *testing.T) {
	text := write(t, example(30))
	counts := parse(t, text)
	for name, want := range map[string]int{"html": 1, "title": 2, "h1": 1, "table": 2, "svg": 1, "figure": 1, "details": 2, "script": 0, "li": 1, "tr": 32, "link": 0} {
		if counts[name] != want {
			t.Errorf("%d of <%s>, want %d", counts[name], name, want)
		}
	}
	short, svg, long := strings.Index(text, "<h2>Short</h2>"), strings.Index(text, "<svg"), strings.Index(text, "<h2>Long ")
	if !(short < svg && svg < long) {
		t.Errorf("tables at %d and %d, the picture at %d", short, long, svg)
	}
	if !strings.Contains(text, "default-src 'none'") {
		t.Error("no policy that keeps the page to itself")
	}
	if parse(t, write(t, example(3)))["details"] != 1 {
		t.Error("a table of three rows is not shown at once")
	}
	if text != write(t, example(30)) {
		t.Error("the same page is another one")
	}
}

// TestBare: a page of little more than a title.
func TestBare(t *testing.T) {
	counts := parse(t, write(t, &page.Page{Title: "a"}))
	if counts["table"] != 0 || counts["svg"] != 0 || counts["ul"] != 0 {
		t.Errorf("%v", counts)
	}
}

// TestNotDrawn: a picture that cannot be drawn is an error.
func TestNotDrawn(t *testing.T) {
	p := example(1)
	p.Panels[0].Layers[0].X = nil
	if err := p.Write(io.Discard); err == nil || !strings.Contains(err.Error(), "one") {
		t.Error(err)
	}
}

// TestArticle: sections have their claims, verdicts, pictures and tables, texts of strangers are texts, and what cannot be drawn is an
// error that names the section.
func TestArticle(t *testing.T) {
	p := example(3)
	a := &page.Article{Title: bad, Lead: []string{bad}, Command: bad, Version: bad, Sections: []page.Section{
		{Name: "one", Title: bad, Claim: bad, Verdict: bad, Seen: []string{bad, bad}, Panels: p.Panels, Tables: p.Tables, Notes: []string{bad}},
		{Name: "two", Title: bad, Missing: bad},
	}}
	var b bytes.Buffer
	if err := a.Write(&b); err != nil {
		t.Fatal(err)
	}
	d := xml.NewDecoder(&b)
	d.Strict, d.AutoClose, d.Entity = false, xml.HTMLAutoClose, xml.HTMLEntity
	counts := map[string]int{}
	for {
		token, err := d.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if e, ok := token.(xml.StartElement); ok {
			counts[e.Name.Local]++
		}
	}
	for name, want := range map[string]int{"section": 2, "svg": 1, "table": 2, "details": 2, "script": 0, "li": 4, "a": 2} {
		if counts[name] != want {
			t.Errorf("%d of <%s>, want %d", counts[name], name, want)
		}
	}
	a.Sections[0].Panels[0].Layers[0].X = nil
	if err := a.Write(io.Discard); err == nil || !strings.Contains(err.Error(), "one") {
		t.Error(err)
	}
}
