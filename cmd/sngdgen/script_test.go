package main

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"sngdgen": main})
}

// TestScripts runs the command as users do; see testdata/script.
func TestScripts(t *testing.T) {
	env := goEnv(t)
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("testdata", "script"),
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(e *testscript.Env) error {
			e.Setenv("HOME", filepath.Join(e.WorkDir, "home"))
			e.Setenv("XDG_CACHE_HOME", filepath.Join(e.WorkDir, "cache"))
			for name, value := range env {
				e.Setenv(name, value)
			}
			return nil
		},
		Condition: func(cond string) (bool, error) {
			if cond == "root" {
				return os.Geteuid() == 0, nil
			}
			return false, fmt.Errorf("unknown condition %q", cond)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"json": jsonCommand, "gzip": gzipCommand,
			"same": sameCommand},
	})
}

// goEnv lets the scripts, which have a home of their own, compile with what was compiled and fetched before.
func goEnv(t *testing.T) map[string]string {
	t.Helper()
	env := map[string]string{"GOFLAGS": ""}
	for _, name := range []string{"GOCACHE", "GOMODCACHE", "GOPROXY", "GOSUMDB", "GOTOOLCHAIN"} {
		out, err := exec.Command("go", "env", name).Output()
		if err != nil {
			t.Fatal(err)
		}
		env[name] = strings.TrimSpace(string(out))
	}
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	env["SNGDGEN"] = root
	return env
}

// jsonCommand compares a value in a JSON document: json FILE PATH VALUE [RELATIVE-TOLERANCE]. PATH is names and indices
// with dots; VALUE * stands for any value. Negated, it says that the path leads nowhere, or elsewhere.
func jsonCommand(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) < 3 {
		ts.Fatalf("usage: json FILE PATH VALUE [TOLERANCE]")
	}
	var document any
	ts.Check(json.Unmarshal([]byte(ts.ReadFile(args[0])), &document))
	got, found := lookup(document, strings.Split(args[1], "."))
	tolerance := 0.0
	if len(args) > 3 {
		var err error
		tolerance, err = strconv.ParseFloat(args[3], 64)
		ts.Check(err)
	}
	if (found && matches(got, args[2], tolerance)) == neg {
		ts.Fatalf("%s is %v, found %v; want %s", args[1], got, found, args[2])
	}
}

func lookup(document any, path []string) (any, bool) {
	for _, step := range path {
		switch d := document.(type) {
		case map[string]any:
			value, ok := d[step]
			if !ok {
				return nil, false
			}
			document = value
		case []any:
			i, err := strconv.Atoi(step)
			if err != nil || i < 0 || i >= len(d) {
				return nil, false
			}
			document = d[i]
		default:
			return nil, false
		}
	}
	return document, true
}

func matches(got any, want string, tolerance float64) bool {
	switch g := got.(type) {
	case float64:
		w, err := strconv.ParseFloat(want, 64)
		return want == "*" || err == nil && math.Abs(g-w) <= tolerance*math.Abs(w)
	case string:
		return want == "*" || g == want
	case bool:
		return want == "*" || strconv.FormatBool(g) == want
	}
	return want == "*"
}

// gzipCommand compresses: gzip FROM TO.
func gzipCommand(ts *testscript.TestScript, _ bool, args []string) {
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), compress([]byte(ts.ReadFile(args[0]))), 0o666))
}

// sameCommand compares two reports in JSON but for the time they took and the files that they name: same FILE FILE.
func sameCommand(ts *testscript.TestScript, neg bool, args []string) {
	var documents [2]map[string]any
	for i := range documents {
		ts.Check(json.Unmarshal([]byte(ts.ReadFile(args[i])), &documents[i]))
		delete(documents[i], "seconds")
		delete(documents[i], "origin")
	}
	if reflect.DeepEqual(documents[0], documents[1]) == neg {
		ts.Fatalf("%s and %s: unexpectedly the same or different", args[0], args[1])
	}
}
