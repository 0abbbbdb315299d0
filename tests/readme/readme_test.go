package readme_test

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"go.yaml.in/yaml/v4"
)

var update = flag.Bool("update", false, "write what commands print into the documents, and draws into the golden file")

// elsewhere are commands that are not run here: tests run them, or they are the tests.
var elsewhere = []string{
	"go test ./...",
	"go test -run '^$' -bench . ./tests/sheep",
	"go test -run '^$' -bench . ./tests/steps",
}

// TestDocuments runs the blocks of each document, one after the other, in one folder.
func TestDocuments(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("commands are for a POSIX shell")
	}
	pages, err := filepath.Glob(filepath.Join(root, "docs", "gallery", "*.md"))
	if err != nil || len(pages) < 8 {
		t.Fatal(err, pages)
	}
	for i, file := range pages {
		pages[i] = strings.TrimPrefix(filepath.ToSlash(file), root+"/")
	}
	for _, file := range slices.Concat(documents, pages) {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			lines, blocks := read(t, file)
			s := newSession(t)
			defer s.pictures(t, file, lines)
			for _, b := range slices.Backward(s.run(t, blocks)) {
				lines = slices.Replace(lines, b.line-1+b.from, b.line-1+b.to, b.now...)
			}
			if *update && !t.Failed() {
				if err := os.WriteFile(filepath.Join(root, file), []byte(strings.Join(lines, "\n")), 0o666); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// change is output that is to be shown in the place of some lines of a block.
type change struct {
	*block
	from, to int
	now      []string
}

// session is a folder with the input files of the documents, in which commands are run.
type session struct {
	dir string
	env []string
	app *app
}

func newSession(t *testing.T) *session {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("testdata", "inputs"))); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(absolute(t, filepath.Join(root, "docs")), filepath.Join(dir, "docs")); err != nil {
		t.Fatal(err)
	}
	bin := filepath.Dir(program(t))
	env := append(os.Environ(), "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"), "XDG_CACHE_HOME="+filepath.Join(dir, "cache"),
		"HOME="+dir, "GOCACHE="+goEnv(t, "GOCACHE"), "GOMODCACHE="+goEnv(t, "GOMODCACHE"))
	return &session{dir: dir, env: env, app: newApp(t)}
}

// program is the command, built once.
func program(t *testing.T) string {
	t.Helper()
	path, err := built()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

var built = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "sngdgen")
	if err != nil {
		return "", err
	}
	binDir = dir
	path := filepath.Join(dir, "sngdgen")
	out, err := exec.Command("go", "build", "-o", path, "github.com/sngdgen/sngdgen/cmd/sngdgen").CombinedOutput()
	if err != nil {
		return "", errors.New(string(out))
	}
	return path, nil
})

// binDir is the folder of the command, "" before it is built.
var binDir string

func TestMain(m *testing.M) {
	flag.Parse()
	code := m.Run()
	if binDir != "" {
		os.RemoveAll(binDir)
	}
	os.Exit(code)
}

func goEnv(t *testing.T, name string) string {
	t.Helper()
	out, err := exec.Command("go", "env", name).Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

func absolute(t *testing.T, path string) string {
	t.Helper()
	path, err := filepath.Abs(path)
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// run runs blocks in order and returns what has changed; without -update a change is an error.
func (s *session) run(t *testing.T, blocks []*block) []change {
	var changes []change
	check := func(b *block, shown, lines []string) {
		d := compare(shown, lines)
		if d == "" {
			return
		}
		if !*update {
			t.Errorf("%v: %s", b, d)
			return
		}
		now, err := refresh(shown, lines)
		if err != nil {
			t.Errorf("%v: cannot be updated: %v", b, err)
			return
		}
		if b.kind() == excerpt { // elisions around it are not shown
			shown, now = shown[1:len(shown)-1], now[1:len(now)-1]
		}
		for i, line := range now {
			if line = strings.TrimRight(line, " "); line != "" {
				line = indent + line
			}
			now[i] = line
		}
		changes = append(changes, change{b, len(b.lines) - len(shown), len(b.lines), now})
	}
	for _, b := range blocks {
		switch b.kind() {
		case excerpt:
			printed := s.shell(t, b, strings.TrimPrefix(b.note, "printed by: "))
			check(b, slices.Concat([]string{elided}, b.lines, []string{elided}), strings.Split(printed, "\n"))
		case shell:
			commands, shown := b.split()
			if printed := s.commands(t, b, commands); shown != nil {
				check(b, shown, strings.Split(printed, "\n"))
			}
		case yamlText:
			s.spec(t, b)
		case code:
			s.app.code(t, b)
		}
	}
	s.app.compile(t)
	return changes
}

// commands runs lines of the shell, and returns what they print on the standard output.
func (s *session) commands(t *testing.T, b *block, lines []string) string {
	t.Helper()
	script := strings.Join(lines, "\n")
	switch {
	case slices.Contains(elsewhere, script):
		return ""
	case strings.HasPrefix(script, "go mod "):
		s.app.modules(t, b, script)
		return ""
	}
	return s.shell(t, b, strings.ReplaceAll(script, "go run ./cmd/sngdgen", "sngdgen"))
}

// longest is how long commands of a block may take on a slow machine.
const longest = 5 * time.Minute

func (s *session) shell(t *testing.T, b *block, script string) string {
	t.Helper()
	out, err := execute(t, s.dir, s.env, "sh", "-ec", script)
	if code, failed := strings.CutPrefix(b.note, "exit code "); failed {
		if exit := new(exec.ExitError); !errors.As(err, &exit) || strconv.Itoa(exit.ExitCode()) != code {
			t.Errorf("%v: %v, not exit code %s\n%s", b, err, code, script)
		}
	} else if err != nil {
		t.Errorf("%v: %v\n%s", b, err, script)
	}
	return out
}

func execute(t *testing.T, dir string, env []string, name string, args ...string) (string, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), longest)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...)
	var stderr bytes.Buffer
	cmd.Dir, cmd.Env, cmd.Stderr = dir, env, &stderr
	out, err := cmd.Output()
	if err != nil {
		return string(out), fmt.Errorf("%w\n%s", err, stderr.String())
	}
	return string(out), nil
}

// definitions are the first words of whole documents of the spec language.
var definitions = []string{"family", "distribution", "package"}

// spec looks at YAML: a whole definition is loaded, together with those above it, a part must be YAML.
func (s *session) spec(t *testing.T, b *block) {
	t.Helper()
	text := strings.Join(b.lines, "\n") + "\n"
	if m := fileName.FindStringSubmatch(b.lead); m != nil {
		s.app.file(t, m[1], text)
		if err := os.WriteFile(filepath.Join(s.dir, m[1]), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	var document map[string]any
	if err := yaml.Unmarshal([]byte(text), &document); err != nil {
		t.Errorf("%v: %v", b, err)
	}
	word, _, _ := strings.Cut(text, ":")
	if !slices.Contains(definitions, word) {
		return
	}
	name := filepath.Join(s.dir, "definitions.yaml")
	before, err := os.ReadFile(name)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	if len(before) > 0 {
		text = string(before) + "---\n" + text
	}
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	if word == "package" {
		s.shell(t, b, "sngdgen generate --out=generated definitions.yaml")
	}
}
