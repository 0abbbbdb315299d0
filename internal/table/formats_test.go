package table

import (
	"strings"
	"testing"
)

// TestFormats: every known format is named, with what to do about it; a table of text that begins alike is read.
func TestFormats(t *testing.T) {
	for _, f := range formats {
		head := strings.Repeat("\x01", f.at) + f.magic + "\x00\xff"
		err := notText([]byte(head), "dir/data.x1")
		if err == nil || !strings.HasPrefix(err.Error(), "dir/data.x1: "+f.name+", not a table of text") ||
			strings.Contains(err.Error(), "FILE") || strings.Contains(err.Error(), "NAME") {
			t.Errorf("%s: %v", f.name, err)
		}
		if f.readable() {
			if err := notText([]byte(strings.Repeat("x", f.at)+f.magic+",y\n1,2\n"), "x.csv"); err != nil {
				t.Error(err)
			}
		}
	}
	for text, want := range map[string]string{
		"[1, 2":                 "JSON",
		" \n{\"x\": [1, 2]}\n{": "JSON",
		"<!DOCTYPE html><p>":    "a web page",
		"<?xml version=":        "a web page or XML",
		"1\x002":                "bytes that are 0",
		"a\r1\r2\r":             "carriage return",
		"[x],y\n1,2\n":          "",
		"{x\n1\n":               "",
		"a\r\n1\r\n":            "",
		"\xe9t\xe9\n1\n":        "", // Latin-1
		"":                      "",
	} {
		err := notText([]byte(text), "x")
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
}
