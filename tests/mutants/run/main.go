// Run makes the mutants of the list, one at a time in an overlay, and runs the tests that are to find them: all mutants, or those of
// files whose names begin as one of the arguments.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sngdgen/sngdgen/tests/mutants"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run() error {
	list, err := mutants.List()
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "mutants")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	survived, tried := 0, 0
	for _, m := range list {
		if len(os.Args) > 1 && !slices.ContainsFunc(os.Args[1:], func(prefix string) bool { return strings.HasPrefix(m.File, prefix) }) {
			continue
		}
		tried++
		found, err := try(dir, m)
		if err != nil {
			return err
		}
		verdict := "found"
		if !found {
			verdict = "SURVIVES"
			survived++
		}
		fmt.Printf("%-9s %s: %s => %s (%s)\n", verdict, m.File, m.Before, m.After, m.By)
	}
	fmt.Printf("%d of %d found\n", tried-survived, tried)
	return nil
}

// try reports whether the test finds a mistake. One that does not compile is no mutant.
func try(dir string, m mutants.Mutant) (found bool, err error) {
	source, err := os.ReadFile(m.File)
	if err != nil {
		return false, err
	}
	made, err := m.Made(string(source))
	if err != nil {
		return false, err
	}
	file, err := filepath.Abs(m.File)
	if err != nil {
		return false, err
	}
	replacement, overlay := filepath.Join(dir, "mutant.go"), filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(replacement, []byte(made), 0o600); err != nil {
		return false, err
	}
	table, err := json.Marshal(map[string]map[string]string{"Replace": {file: replacement}})
	if err != nil {
		return false, err
	}
	if err := os.WriteFile(overlay, table, 0o600); err != nil {
		return false, err
	}
	if out, err := exec.Command("go", "vet", "-overlay", overlay, "./"+m.Package).CombinedOutput(); err != nil {
		return false, fmt.Errorf("%s: %s\n%s", m.File, m.After, out)
	}
	return exec.Command("go", "test", "-overlay", overlay, "-count=1", "-run", "^"+m.By+"$", "./"+m.Package).Run() != nil, nil
}
