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
	if len(files) != pages+3 {
		t.Errorf("%d files of %d pages", len(files), pages)
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
	for _, f := range files {
		if pageOf("docs/"+filepath.Base(f)) == "" {
			t.Errorf("%s is on no list", f)
		}
	}
}
