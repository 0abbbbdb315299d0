package readme_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// fenced is a block between ``` and ```: of a file with a name, of commands (sh), or of what the commands before it print (text).
type fenced struct {
	kind, name string
	line       int
	lines      []string
}

func fencedBlocks(lines []string) (out []fenced) {
	for i := 0; i < len(lines); i++ {
		info, ok := strings.CutPrefix(lines[i], "```")
		if !ok {
			continue
		}
		b := fenced{line: i + 1}
		b.kind, b.name, _ = strings.Cut(info, " ")
		for i++; i < len(lines) && lines[i] != "```"; i++ {
			b.lines = append(b.lines, lines[i])
		}
		out = append(out, b)
	}
	return out
}

// TestTutorial follows the tutorial to the letter, in a folder beside a clone: writes its files, runs its commands, and compares what they
// print.
func TestTutorial(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("commands are for a POSIX shell")
	}
	t.Parallel()
	lines, _ := read(t, "docs/tutorial.md")
	s := newSession(t)
	s.env = append(s.env, "GOFLAGS=-mod=mod")
	folder := filepath.Join(s.dir, "service")
	if err := os.Mkdir(folder, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(absolute(t, root), filepath.Join(s.dir, "sngdgen")); err != nil {
		t.Fatal(err)
	}
	s.dir = folder
	var printed string
	ran := 0
	for _, b := range fencedBlocks(lines) {
		text := strings.Join(b.lines, "\n") + "\n"
		switch {
		case b.kind == "": // what is done once, before
		case b.name != "":
			if err := os.WriteFile(filepath.Join(folder, b.name), []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		case b.kind == "sh":
			printed = s.shell(t, &block{file: "docs/tutorial.md", line: b.line}, text)
			ran++
		case b.kind == "text":
			if d := compare(b.lines, strings.Split(printed, "\n")); d != "" {
				t.Errorf("docs/tutorial.md:%d: %s", b.line, d)
			}
		default:
			t.Errorf("docs/tutorial.md:%d: what is a block of %q?", b.line, b.kind)
		}
	}
	if ran < 6 {
		t.Errorf("%d blocks of commands", ran)
	}
}
