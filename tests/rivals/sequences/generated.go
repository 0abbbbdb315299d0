package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/sngdgen/sngdgen/gen"
	"github.com/sngdgen/sngdgen/tests/overlay"
)

// generatedTimes generates packages of the models, compiles them in an overlay with a test that takes the times, and runs it.
func generatedTimes(folder string, names []string) (map[string][]times, error) {
	files := map[string][]byte{}
	var imports, entries strings.Builder
	for _, name := range names {
		p, err := problem(folder, name)
		if err != nil {
			return nil, err
		}
		generated, diags := gen.Generate(context.Background(), p, gen.Options{Source: p.Source.Name})
		if diags.HasErrors() {
			return nil, fmt.Errorf("%s", diags.String())
		}
		for _, g := range generated {
			if !strings.HasSuffix(g.Name, "_test.go") {
				files[name+"/"+g.Name] = g.Data
			}
		}
		fmt.Fprintf(&imports, "\t%s %q\n", name, overlay.Module+"/tests/rivals/sequences/"+name)
		fmt.Fprintf(&entries, "\t\t%q: func() runtime.Model { return new(%s.Model) },\n", name, name)
	}
	files["times_test.go"] = fmt.Appendf(nil, timesTest, imports.String(), overlay.Module+"/runtime", entries.String())
	dir, err := os.MkdirTemp("", "sequences")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	program, err := overlay.Compile(context.Background(), "tests/rivals/sequences", files, dir)
	if err != nil {
		return nil, err
	}
	answer := filepath.Join(dir, "times.json")
	cmd := exec.Command(program, "-test.run", "^TestTimes$")
	cmd.Env = append(os.Environ(), timesFile+"="+answer)
	if out, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%w\n%s", err, out)
	}
	text, err := os.ReadFile(answer)
	if err != nil {
		return nil, err
	}
	var all map[string][]times
	return all, json.Unmarshal(text, &all)
}

// timesFile is the variable of the environment that names the file for the times.
const timesFile = "SEQUENCES_TIMES"

// timesTest is the test, for which it takes the imports and the models.
const timesTest = `package main

import (
	"encoding/json"
	"os"
	"testing"

%s	%q
)

func TestTimes(t *testing.T) {
	all, err := timedAll(map[string]func() runtime.Model{
%s	})
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(all)
	if err == nil {
		err = os.WriteFile(os.Getenv(timesFile), text, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}
`
