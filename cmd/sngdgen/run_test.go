package main

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sngdgen/sngdgen/gen"
)

func compress(data []byte) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	z.Write(data) // neither can fail on a buffer
	z.Close()
	return b.Bytes()
}

// TestWriteStaysInside refuses every way out of the folder.
func TestWriteStaysInside(t *testing.T) {
	outside := t.TempDir()
	dir := t.TempDir()
	if err := os.Symlink(outside, filepath.Join(dir, "link")); err != nil {
		t.Skip("no symbolic links here")
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	for _, tc := range []struct{ pkg, file string }{
		{"..", "x.go"}, {"p", "../../x.go"}, {"p", "/x.go"}, {"a/b", "x.go"}, {"", "x.go"}, {"link", "x.go"},
	} {
		outputs, err := plan(root, tc.pkg, []gen.File{{Name: tc.file, Data: []byte("x")}})
		for _, o := range outputs {
			if err == nil {
				err = o.write(new(session), root)
			}
		}
		if err == nil {
			t.Errorf("wrote %q %q", tc.pkg, tc.file)
		}
	}
	if left, _ := os.ReadDir(outside); len(left) > 0 {
		t.Errorf("written outside: %v", left)
	}
}

// TestWriteKeepsTheOldFile fails half-way and finds the old file whole, and no other.
func TestWriteKeepsTheOldFile(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "p", "x.go", "sub"), 0o777); err != nil {
		t.Fatal(err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	o := output{name: "p/x.go", data: []byte("new")}
	if err := o.write(new(session), root); err == nil { // a folder is in the way of the renaming
		t.Error("no error")
	}
	left, _ := os.ReadDir(filepath.Join(dir, "p"))
	if len(left) != 1 || left[0].Name() != "x.go" {
		t.Errorf("left: %v", left)
	}
}

// TestWriteWhole: a file appears whole or not at all, keeps its mode and the links to it; a pipe is written to.
func TestWriteWhole(t *testing.T) {
	t.Chdir(t.TempDir())
	s := new(session)
	put := func(text string, fault error) func(io.Writer) error {
		return func(w io.Writer) error {
			_, err := io.WriteString(w, text)
			return errors.Join(err, fault)
		}
	}
	content := func(name string) string {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Error(err)
		}
		return string(text)
	}
	if err := s.writeWhole("new", put("one", nil)); err != nil || content("new") != "one" {
		t.Error(err)
	}
	if err := s.writeWhole("new", put("half", os.ErrInvalid)); !errors.Is(err, os.ErrInvalid) || content("new") != "one" {
		t.Error(err)
	}
	if err := os.Chmod("new", 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("new", "link"); err != nil {
		t.Skip("no symbolic links here")
	}
	if err := s.writeWhole("link", put("two", nil)); err != nil || content("new") != "two" {
		t.Error(err)
	}
	if info, err := os.Lstat("link"); err != nil || info.Mode().IsRegular() {
		t.Error("the link is gone", err)
	}
	if info, err := os.Stat("new"); err != nil || info.Mode().Perm() != 0o600 {
		t.Error(info.Mode(), err)
	}
	if err := s.writeWhole(os.DevNull, put("three", nil)); err != nil {
		t.Error(err)
	}
	if err := s.writeWhole("none/x", put("three", nil)); err == nil {
		t.Error("no error")
	}
	if left, _ := os.ReadDir("."); len(left) != 2 {
		t.Errorf("left: %v", left)
	}
}

func TestUsage(t *testing.T) {
	for name, tc := range map[string]struct {
		args []string
		code int
		want string
	}{
		"nothing":         {nil, exitUsage, "Usage: sngdgen"},
		"help":            {[]string{"--help"}, exitOK, ""},
		"help of command": {[]string{"fit", "--help"}, exitOK, ""},
		"misspelt":        {[]string{"chek", "negbin.yaml"}, exitUsage, `did you mean "check"?`},
		"flag":            {[]string{"fit", "--methd=x", "a", "b"}, exitUsage, `did you mean "--method"`},
		"method":          {[]string{"fit", "--method=magic", "a", "b"}, exitUsage, "--method must be one of"},
		"missing":         {[]string{"fit", "negbin"}, exitUsage, "<data>"},
		"number":          {[]string{"fit", "--seed=x", "a", "b"}, exitUsage, "--seed"},
	} {
		t.Run(name, func(t *testing.T) {
			var out, errw bytes.Buffer
			if code := run(tc.args, strings.NewReader(""), &out, &errw); code != tc.code {
				t.Errorf("exit code %d, want %d", code, tc.code)
			}
			if !strings.Contains(errw.String(), tc.want) {
				t.Errorf("got %s, want %s", errw.String(), tc.want)
			}
			if tc.want == "" && out.Len() == 0 {
				t.Error("no help")
			}
		})
	}
}
