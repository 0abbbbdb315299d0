package main

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/sngdgen/sngdgen/spec"
)

const root = "../.."

func table(t *testing.T) *gallery {
	t.Helper()
	g, err := load(root)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func text(t *testing.T, file string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(root, file))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// printed is the output of an entry as its page has it.
func printed(page string, e *entry) (string, error) {
	_, rest, found := strings.Cut(page, "\n"+indented(e.Run)+"\n\n")
	if !found {
		return "", fmt.Errorf("the page does not have the command: go run ./internal/gallery")
	}
	var lines []string
	for _, line := range strings.Split(rest, "\n") {
		if line != "" && !strings.HasPrefix(line, "    ") {
			break
		}
		lines = append(lines, strings.TrimPrefix(line, "    "))
	}
	return strings.TrimRight(strings.Join(lines, "\n"), "\n"), nil
}

// TestFresh: pages say what the table says, with the formulas of today. Outputs and pictures are compared by tests/readme.
func TestFresh(t *testing.T) {
	g := table(t)
	if text(t, index) != g.index() {
		t.Errorf("%s is not what the table says: go run ./internal/gallery", index)
	}
	for _, p := range g.Pages {
		now := text(t, folder+"/"+p.Name+".md")
		want, err := p.markdown(g, func(e *entry) (string, error) { return printed(now, e) })
		if err != nil {
			t.Error(err)
			continue
		}
		if want != now {
			t.Errorf("%s.md is not what the table says: go run ./internal/gallery %s", p.Name, p.Name)
		}
	}
}

// TestComplete: every distribution and every problem of the library is in the gallery.
func TestComplete(t *testing.T) {
	shown := map[string]bool{}
	entries(t, func(_ *page, e *entry) {
		for _, name := range e.Shows {
			shown[name] = true
		}
	})
	lib := spec.Library()
	// Families that are surrogates and nothing else: the coordinates of Lin, Khan and Schmidt, which their problems show.
	without := []string{"mcef_skew_normal", "mcef_student_t", "additive_skew_normal"}
	for _, name := range slices.Concat(lib.Families(), lib.Distributions(), lib.Problems()) {
		if !shown[name] && !slices.Contains(without, name) {
			t.Errorf("%s is not in the gallery", name)
		}
	}
}

func entries(t *testing.T, do func(*page, *entry)) {
	t.Helper()
	n := 0
	for _, p := range table(t).Pages {
		for _, e := range p.Entries {
			do(p, e)
			n++
		}
	}
	if n < 60 {
		t.Errorf("%d entries", n)
	}
}

// TestEvidence: what is printed agrees with what independent software has found, to the digits that are written down.
func TestEvidence(t *testing.T) {
	n := 0
	entries(t, func(p *page, e *entry) {
		if e.Check == nil {
			return
		}
		out, err := printed(text(t, folder+"/"+p.Name+".md"), e)
		if err != nil {
			t.Fatal(err)
		}
		for name, want := range e.Check.Says {
			if err := e.Check.agrees(out, name, want); err != nil {
				t.Errorf("%s: %v", e.Title, err)
			}
			n++
		}
	})
	if n < 80 {
		t.Errorf("%d numbers", n)
	}
}

// agrees looks for a number in the line that begins with a name.
func (c *evidence) agrees(output, name, want string) error {
	for line := range strings.Lines(output) {
		fields := strings.Fields(line)
		if len(fields) < 2 || fields[0] != name {
			continue
		}
		x, errX := strconv.ParseFloat(fields[1], 64)
		y, errY := strconv.ParseFloat(want, 64)
		_, decimals, _ := strings.Cut(want, ".")
		if errX != nil || errY != nil || !(math.Abs(x-y) <= 1.01*math.Pow10(-len(decimals))) {
			return fmt.Errorf("%s is %s, %s has %s", name, fields[1], c.By, want)
		}
		return nil
	}
	return fmt.Errorf("no line %q", name)
}

// TestPictures: pictures are small, and all that are there are shown.
func TestPictures(t *testing.T) {
	shown := map[string]bool{}
	entries(t, func(_ *page, e *entry) {
		for _, file := range e.Picture {
			if shown[file] {
				t.Errorf("%s is shown twice", file)
			}
			shown[file] = true
		}
		if len(e.Picture) == 0 {
			t.Errorf("%s has no picture", e.Title)
		}
	})
	files, err := filepath.Glob(filepath.Join(root, folder, "*", "*.svg"))
	if err != nil || len(files) != len(shown) {
		t.Errorf("%d files of %d pictures, %v", len(files), len(shown), err)
	}
	for _, f := range files {
		if info, err := os.Stat(f); err != nil || info.Size() > 52<<10 {
			t.Errorf("%s is too large, %v", f, err)
		}
	}
}

// TestData: every table says where it is from, and is used.
func TestData(t *testing.T) {
	g, used := table(t), map[string]bool{}
	entries(t, func(_ *page, e *entry) {
		for _, file := range e.Data {
			used[file] = true
		}
	})
	files, err := filepath.Glob(filepath.Join(root, "docs", "data", "*.csv"))
	if err != nil || len(files) != len(g.sources) {
		t.Errorf("%d files, %d sources, %v", len(files), len(g.sources), err)
	}
	for _, f := range files {
		if name := filepath.Base(f); g.sources[name] == "" || !used[name] {
			t.Errorf("%s has no source, or no entry", name)
		}
	}
}
