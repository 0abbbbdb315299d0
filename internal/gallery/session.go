package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// session runs commands in a folder of its own, which has the documents.
type session struct {
	dir, work string
}

func newSession(root string) (*session, error) {
	dir, err := os.MkdirTemp("", "gallery")
	if err != nil {
		return nil, err
	}
	s := &session{dir: dir, work: filepath.Join(dir, "work")}
	build := exec.Command("go", "build", "-o", filepath.Join(dir, "sngdgen"), "./cmd/sngdgen")
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%w\n%s", err, out)
	}
	docs, err := filepath.Abs(filepath.Join(root, "docs"))
	if err == nil {
		err = os.Mkdir(s.work, 0o777)
	}
	if err == nil {
		err = os.Symlink(docs, filepath.Join(s.work, "docs"))
	}
	return s, err
}

func (s *session) close() { _ = os.RemoveAll(s.dir) } // a folder of temporary files

// run returns what the commands of an entry print, as it is shown, and takes over its pictures.
func (s *session) run(e *entry, folder string) (string, error) {
	cmd := exec.Command("sh", "-ec", e.Run)
	var out, stderr bytes.Buffer
	cmd.Dir, cmd.Stdout, cmd.Stderr = s.work, &out, &stderr
	cmd.Env = append(os.Environ(), "PATH="+s.dir+string(os.PathListSeparator)+os.Getenv("PATH"), "XDG_CACHE_HOME="+s.dir)
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("%w\n%s\n%s%s", err, e.Run, out.String(), stderr.String())
	}
	for _, file := range e.Picture {
		data, err := os.ReadFile(filepath.Join(s.work, file))
		if err != nil {
			return "", err
		}
		to := filepath.Join(folder, file)
		if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
			return "", err
		}
		if err := os.WriteFile(to, data, 0o666); err != nil {
			return "", err
		}
	}
	return shown(out.String(), append(e.Drop, "iterations", "optima", "steps", "time")), nil
}

// shown leaves out what differs between machines, or is long: parts of the output that begin with some words, to the next line that is
// not indented.
func shown(printed string, drop []string) string {
	var out []string
	dropping := false
	for _, line := range strings.Split(strings.TrimRight(printed, "\n"), "\n") {
		if line != "" && line[0] != ' ' {
			dropping = beginsWithOne(line, drop)
		}
		switch {
		case !dropping:
			out = append(out, line)
		case len(out) == 0 || out[len(out)-1] != "...":
			out = append(out, "...")
		}
	}
	return strings.Join(out, "\n")
}

func beginsWithOne(line string, words []string) bool {
	for _, w := range words {
		if strings.HasPrefix(line, w) {
			return true
		}
	}
	return false
}
