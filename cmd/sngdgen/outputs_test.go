package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// inputs are the flags that name files to read.
var inputs = map[string]bool{"fit --data": true, "bench --data": true, "sample --param": true, "bench --param": true, "fit --init": true,
	"score --spec": true, "assign --spec": true, "predict --spec": true, "compare --spec-a": true,
	"compare --spec-b": true, "sample --at": true}

// TestOutputs walks all flags that name files or folders: those that are written to are looked at before any work is done,
// so that the spec, which is not there, is not missed.
func TestOutputs(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, []byte("kept"), 0o666); err != nil {
		t.Fatal(err)
	}
	bad := map[string][]string{
		"file":   {filepath.Join(dir, "none", "x.csv"), filepath.Join(file, "x.csv"), dir, ""},
		"folder": {file, filepath.Join(file, "x"), filepath.Join(file, "x", "y"), ""},
	}
	good := map[string][]string{
		"file":   {filepath.Join(dir, "x.csv"), file, os.DevNull},
		"folder": {dir, filepath.Join(dir, "x", "y")},
	}
	path := regexp.MustCompile(`\b(FILE|DIR|PATH)\b`)
	seen := 0
	for _, command := range newParser(new(commands), io.Discard, io.Discard).Model.Leaves(false) {
		for _, f := range command.Flags {
			name, kind := command.Name+" --"+f.Name, f.Tag.Get("output")
			if isPath := path.MatchString(f.PlaceHolder); isPath != (kind != "" || inputs[name]) {
				t.Errorf("%s: is it a file, and one to read or to write?", name)
			}
			if kind == "" {
				continue
			}
			seen++
			tried := func(value string) (code int, said string) {
				var errw bytes.Buffer
				args := []string{command.Name, fmt.Sprintf("--%s=%s", f.Name, value)}
				for i := range command.Positional {
					if i == 0 || command.Positional[i].Required {
						args = append(args, filepath.Join(dir, "none.yaml"))
					}
				}
				return run(args, strings.NewReader(""), io.Discard, &errw), errw.String()
			}
			for _, value := range bad[kind] {
				if code, said := tried(value); code != exitBad || !strings.HasPrefix(said, fmt.Sprintf("--%s=%s: ", f.Name, value)) {
					t.Errorf("%s=%s: exit code %d, %s", name, value, code, said)
				}
			}
			for _, value := range good[kind] {
				if code, said := tried(value); code == exitOK || strings.HasPrefix(said, "--") {
					t.Errorf("%s=%s: exit code %d, %s", name, value, code, said)
				}
			}
		}
	}
	if seen < 2 {
		t.Errorf("%d flags", seen)
	}
	left, err := os.ReadDir(dir)
	if data, _ := os.ReadFile(file); err != nil || len(left) != 1 || string(data) != "kept" {
		t.Errorf("left behind: %v, %q, %v", left, data, err)
	}
}
