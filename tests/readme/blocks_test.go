// Package readme_test runs the documents: the commands of README.md and docs, of which the output must be what is shown, the
// specs, and the Go code. Times are excepted, as they are a machine's. What is shown is brought up to date by
//
//	go test ./tests/readme -update
package readme_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// root is the module's, relative to this package.
const root = "../.."

// documents are those that are run, besides the pages of the gallery.
var documents = []string{"README.md", "docs/language.md", "docs/pictures.md", "docs/regression.md", "docs/using-a-fit.md", "docs/large-data.md", "docs/surrogates.md", "docs/reference.md", "docs/howto.md", "docs/messages.md", "docs/command.md",
	"docs/mathematics.md", "docs/alternatives.md", "docs/studio.md"}

// block is a block of code in a document: lines that are indented by four spaces, with the blank lines between them.
type block struct {
	file  string
	line  int      // of the first line, from 1
	lines []string // without the indentation
	note  string   // a comment in HTML right before, which says what the block is
	lead  string   // the line of text right before
}

func (b *block) String() string { return fmt.Sprintf("%s:%d", b.file, b.line) }

// read returns the lines of a document, and its blocks.
func read(t *testing.T, file string) (lines []string, blocks []*block) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, file))
	if err != nil {
		t.Fatal(err)
	}
	lines = strings.Split(string(text), "\n")
	return lines, blocksOf(file, lines)
}

const indent = "    "

var comment = regexp.MustCompile(`^<!-- (.*) -->$`)

func blocksOf(file string, lines []string) []*block {
	var out []*block
	var note, lead string
	fenced := false
	for i := 0; i < len(lines); i++ {
		if strings.HasPrefix(lines[i], "```") {
			fenced = !fenced
		}
		if fenced { // a spec or a formula that stands somewhere else, too
			continue
		}
		if m := comment.FindStringSubmatch(lines[i]); m != nil {
			note = m[1]
			continue
		}
		if !strings.HasPrefix(lines[i], indent) {
			if lines[i] != "" {
				note, lead = "", lines[i]
			}
			continue
		}
		b := &block{file: file, line: i + 1, note: note, lead: lead}
		end := i
		for j := i; j < len(lines) && (lines[j] == "" || strings.HasPrefix(lines[j], indent)); j++ {
			if lines[j] != "" {
				end = j
			}
		}
		for ; i <= end; i++ {
			b.lines = append(b.lines, strings.TrimPrefix(lines[i], indent))
		}
		i--
		note, lead = "", ""
		out = append(out, b)
	}
	return out
}

// split cuts a block into what is before the first blank line, commands, and what is after it, their output.
func (b *block) split() (commands, shown []string) {
	for i, line := range b.lines {
		if line == "" {
			return b.lines[:i], b.lines[i+1:]
		}
	}
	return b.lines, nil
}

// The kinds of blocks.
const (
	shell    = "shell"   // commands, and below a blank line what they print
	yamlText = "yaml"    // a spec, or a part of one
	excerpt  = "excerpt" // of what a command prints that the note names
	times    = "times"   // of a machine: not looked at
	code     = "go"
)

var (
	command  = regexp.MustCompile(`^(sngdgen|go|printf|head) `)
	mapping  = regexp.MustCompile(`^[a-z_]+:( |$)`)
	fileName = regexp.MustCompile("^Write `(.*)`:$")
)

func (b *block) kind() string {
	switch first := b.lines[0]; {
	case strings.HasPrefix(b.note, "printed by: "):
		return excerpt
	case b.note == "times of a machine":
		return times
	case command.MatchString(first):
		return shell
	case mapping.MatchString(first):
		return yamlText
	}
	return code
}

func TestBlocks(t *testing.T) {
	lines := strings.Split("# T\n\nText\nWrite `x`:\n\n    a: 1\n      b\n\n    c\n\nMore\n\n<!-- times of a machine -->\n\n    sngdgen x\n\n    y\n", "\n")
	got := ""
	for _, b := range blocksOf("f", lines) {
		got += fmt.Sprintf("%v %s %q %q %q; ", b, b.kind(), b.lines, b.note, b.lead)
	}
	want := "f:6 yaml [\"a: 1\" \"  b\" \"\" \"c\"] \"\" \"Write `x`:\"; f:15 times [\"sngdgen x\" \"\" \"y\"] \"times of a machine\" \"More\"; "
	if got != want {
		t.Errorf("%s", got)
	}
}
