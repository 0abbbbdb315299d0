package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	href = regexp.MustCompile(`(?:href|src)="([^"]*)"`)
	id   = regexp.MustCompile(` id="([^"]*)"`)
)

// TestSite builds all pages and follows every link of each, to files and to places in them; the addresses of others are not asked for.
func TestSite(t *testing.T) {
	dir := t.TempDir()
	pages, err := build("../..", dir)
	if err != nil {
		t.Fatal(err)
	}
	ids := map[string]map[string]bool{}
	texts := map[string]string{}
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		name := filepath.Base(file)
		texts[name], ids[name] = string(text), map[string]bool{}
		for _, m := range id.FindAllStringSubmatch(string(text), -1) {
			if ids[name][m[1]] {
				t.Errorf("%s has two places called %s", name, m[1])
			}
			ids[name][m[1]] = true
		}
	}
	kinds := map[string]int{}
	for _, file := range files {
		kinds[filepath.Ext(file)]++
	}
	if kinds[".html"] != pages || kinds[".svg"] < 60 || len(files) != pages+kinds[".svg"]+3 {
		t.Errorf("%d pages, files: %v", pages, kinds)
	}
	if n := strings.Count(texts["counts.html"], `<math display="block">`); n < 10 || strings.Contains(texts["counts.html"], "&lt;math") {
		t.Errorf("counts.html has %d formulas", n)
	}
	links := 0
	for name, text := range texts {
		if filepath.Ext(name) != ".html" {
			continue
		}
		for _, m := range href.FindAllStringSubmatch(text, -1) {
			links++
			to, anchor, _ := strings.Cut(m[1], "#")
			if strings.Contains(to, "://") || to == "data:," {
				continue
			}
			if to == "" {
				to = name
			}
			switch {
			case texts[to] == "":
				t.Errorf("%s: a link to %s, which is not there", name, m[1])
			case anchor != "" && !ids[to][anchor]:
				t.Errorf("%s: a link to %s, which has no such place", name, m[1])
			}
		}
	}
	if links < 300 {
		t.Errorf("%d links", links)
	}
	var index []entry
	if err := json.Unmarshal([]byte(texts["index.json"]), &index); err != nil || len(index) < 100 {
		t.Errorf("%v: %d sections to search", err, len(index))
	}
}

// TestComplete: every document of the folder is on the site.
func TestComplete(t *testing.T) {
	files, err := filepath.Glob("../../docs/*.md")
	if err != nil || len(files) < 10 {
		t.Fatal(err, files)
	}
	more, err := filepath.Glob("../../docs/gallery/*.md")
	if err != nil || len(more) < 8 {
		t.Fatal(err, more)
	}
	for _, f := range append(files, more...) {
		if pageOf(strings.TrimPrefix(filepath.ToSlash(f), "../../")) == "" {
			t.Errorf("%s is on no list", f)
		}
	}
}

// TestMathematics: formulas are aligned in a table, line by line, and a formula that cannot be typeset is an error.
func TestMathematics(t *testing.T) {
	got, err := aligned("\\begin{aligned}\n\\log q(x) &= a + b \\\\\n&\\quad - c\n\\end{aligned}\n")
	if err != nil || strings.Count(got, "<mtr>") != 2 || !strings.Contains(got, "<mspace") || strings.Contains(got, "quad") {
		t.Errorf("%s, %v", got, err)
	}
	for _, bad := range []string{"x", "\\begin{aligned} \\unknown{x} \\end{aligned}"} {
		if got, err := aligned(bad); err == nil {
			t.Errorf("%s is typeset as %s", bad, got)
		}
	}
}
