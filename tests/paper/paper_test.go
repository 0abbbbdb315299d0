package main

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"html"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sngdgen/sngdgen/internal/page"
	"github.com/sngdgen/sngdgen/internal/picture"
)

// TestSmall makes the whole page in small and looks for every figure and every series in it.
func TestSmall(t *testing.T) {
	out := filepath.Join(t.TempDir(), "paper.html")
	var progress bytes.Buffer
	if err := command(t.Context(), []string{"-small", "-o", out}, &progress); err != nil {
		t.Fatalf("%v\n%s", err, &progress)
	}
	text, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	sections := strings.Split(string(text), "<section id=")[1:]
	if len(sections) != len(figures) {
		t.Errorf("%d sections of %d figures and tables", len(sections), len(figures))
	}
	for i, f := range figures {
		s := sections[i]
		if !strings.HasPrefix(s, `"`+f.name+`"`) || !strings.Contains(s, html.EscapeString(f.claim)) {
			t.Errorf("%s: section %d begins with %.100s", f.name, i, s)
		}
		if strings.Contains(s, `class="missing"`) && !strings.Contains(s, "<svg") {
			if strings.Contains(s, "<b>Here:</b>") {
				t.Errorf("%s claims something without data", f.name)
			}
			continue
		}
		if got := strings.Count(s, "<svg"); got != f.panels {
			t.Errorf("%s: %d pictures, not %d", f.name, got, f.panels)
		}
		for _, name := range f.series {
			if !strings.Contains(s, ">"+name+"</text>") {
				t.Errorf("%s has no series %q", f.name, name)
			}
		}
	}
	wellFormed(t, text)
}

// wellFormed: the page loads nothing and its elements nest.
func wellFormed(t *testing.T, text []byte) {
	t.Helper()
	d := xml.NewDecoder(bytes.NewReader(text))
	d.Strict, d.AutoClose, d.Entity = false, xml.HTMLAutoClose, xml.HTMLEntity
	for {
		token, err := d.Token()
		if err == io.EOF {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		e, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		for _, a := range e.Attr {
			if a.Name.Local == "src" || a.Name.Local == "href" && !strings.HasPrefix(a.Value, "#") || strings.HasPrefix(a.Name.Local, "on") {
				t.Errorf("<%s %s=%q>", e.Name.Local, a.Name.Local, a.Value)
			}
		}
	}
}

// TestCheck: a figure that lacks a series, or a picture, is an error, and no page is made.
func TestCheck(t *testing.T) {
	line := func(name string, x ...float64) picture.Layer {
		return picture.Layer{Kind: picture.Line, Name: name, X: x, Y: x}
	}
	curve := func(layers ...picture.Layer) *found {
		return &found{panels: []picture.Panel{{Name: curvePanel + "a", Layers: layers}}}
	}
	for _, c := range []struct {
		got  *found
		want string
	}{
		{curve(line("SNGD", 1, 2), line("Adam", 1, 2)), ""},
		{curve(line("SNGD", 1, 2)), `no series "Adam"`},
		{curve(line("SNGD", 1, 2), line("Adam")), `no series "Adam"`},
		{&found{}, "0 pictures instead of 1"},
		{&found{missing: "no data"}, ""},
	} {
		f := figure{name: "figure-0", panels: 1, series: []string{"SNGD", "Adam"},
			make: func(context.Context, *lab) (*found, error) { return c.got, nil }}
		_, err := article(t.Context(), &options{}, []figure{f}, io.Discard)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("the error is %v, not %q", err, c.want)
		}
	}
}

// TestNames: figures have names of their own.
func TestNames(t *testing.T) {
	var names []string
	for _, f := range figures {
		names = append(names, f.name)
	}
	slices.Sort(names)
	if len(slices.Compact(slices.Clone(names))) != len(names) {
		t.Errorf("%v", names)
	}
}

// TestInterrupted: nothing is written, and what was there stays.
func TestInterrupted(t *testing.T) {
	dir := t.TempDir()
	out := filepath.Join(dir, "paper.html")
	if err := os.WriteFile(out, []byte("before"), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := command(ctx, []string{"-small", "-o", out}, io.Discard); !errors.Is(err, context.Canceled) {
		t.Errorf("the error is %v", err)
	}
	bad := &page.Article{Sections: []page.Section{{Name: "a", Panels: []picture.Panel{{}}}}}
	if writeWhole(out, bad) == nil {
		t.Error("a panel without a name is drawn")
	}
	text, err := os.ReadFile(out)
	if files, _ := os.ReadDir(dir); err != nil || string(text) != "before" || len(files) != 1 {
		t.Errorf("%q, %d files", text, len(files))
	}
}

func TestFlags(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{"-seeds -1", "must not be negative"},
		{"-only figure-99", `no "figure-99"`},
		{"extra", "no flag"},
	} {
		if err := command(t.Context(), strings.Fields(c.args), io.Discard); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: the error is %v", c.args, err)
		}
	}
}
