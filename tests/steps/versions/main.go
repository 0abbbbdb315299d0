// Command versions compares the time of the steps of the library between two versions of this module:
//
//	go run ./tests/steps/versions -base 492fea3e [-worker large]
//
// It builds the program worker in a worktree of the base and in that of the tree as it is, runs both in turn, and writes a table of the ratios
// of processor times, each the least of the rounds: other work on the machine makes single times longer, and never shorter. Functions lie
// in memory in another order in each round, the same for both versions, since where they lie decides on tenths of nanoseconds.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"
)

func main() {
	base := flag.String("base", "492fea3e", "the commit to compare with")
	rounds := flag.Int("rounds", 5, "how often each version is run")
	only := flag.String("only", "", "names of packages, separated by commas; all where there are none")
	out := flag.String("o", "tests/steps/versions/TABLE.md", "the table")
	worker := flag.String("worker", "worker", "the program that measures: worker, or large for a few functions at sizes that matter")
	flag.Parse()
	if err := run(*base, *rounds, *only, *out, *worker); err != nil {
		fmt.Fprintln(os.Stderr, "versions:", err)
		os.Exit(1)
	}
}

func run(base string, rounds int, only, out, worker string) error {
	dir, err := os.MkdirTemp("", "versions")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	tree := filepath.Join(dir, "base")
	if err := command(".", "git", "worktree", "add", "--detach", tree, base); err != nil {
		return err
	}
	defer command(".", "git", "worktree", "remove", "--force", tree)
	source, err := os.ReadFile("tests/steps/versions/" + worker + "/main.go")
	if err != nil {
		return err
	}
	there := filepath.Join(tree, "tests", "steps", "versions", worker)
	if err := os.MkdirAll(there, 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(there, "main.go"), source, 0o644); err != nil {
		return err
	}
	least := [2]map[string]float64{{}, {}}
	for round := range rounds {
		for i, tree := range []string{tree, "."} {
			program := filepath.Join(dir, "program")
			layout := fmt.Sprintf("-ldflags=-randlayout=%d", round+1)
			if err := command(tree, "go", "build", layout, "-o", program, "./tests/steps/versions/"+worker); err != nil {
				return err
			}
			if err := measure(program, only, least[i]); err != nil {
				return err
			}
		}
	}
	return os.WriteFile(out, []byte(table(base, rounds, worker, least)), 0o644)
}

func command(dir, name string, args ...string) error {
	c := exec.Command(name, args...)
	c.Dir, c.Stderr = dir, os.Stderr
	return c.Run()
}

// measure runs one version, and keeps the least times.
func measure(program, only string, least map[string]float64) error {
	var args []string
	if only != "" {
		args = []string{only}
	}
	c := exec.Command(program, args...)
	c.Env, c.Stderr = append(os.Environ(), "GOMAXPROCS=1"), os.Stderr
	text, err := c.Output()
	if err != nil {
		return err
	}
	times := map[string]float64{}
	if err := json.Unmarshal(text, &times); err != nil {
		return err
	}
	for key, t := range times {
		if known, ok := least[key]; !ok || t < known {
			least[key] = t
		}
	}
	return nil
}

// row is one function of one package.
type row struct {
	name, function, length string
	before, after          float64
}

func (r row) ratio() float64 { return r.after / r.before }

func table(base string, rounds int, worker string, least [2]map[string]float64) string {
	var rows []row
	for key, before := range least[0] {
		if after, ok := least[1][key]; ok {
			parts := append(strings.SplitN(key, " ", 3), "")
			rows = append(rows, row{parts[0], parts[1], parts[2], before, after})
		}
	}
	slices.SortFunc(rows, func(a, b row) int { return strings.Compare(a.name+a.function+a.length, b.name+b.function+b.length) })
	var slower []string
	logs := 0.0
	for _, r := range rows {
		logs += math.Log(r.ratio())
		if r.ratio() > 1.02 {
			slower = append(slower, strings.TrimSpace(fmt.Sprintf("%s %s %s", r.name, r.function, r.length)))
		}
	}
	var b strings.Builder
	what := "with 1,000 rows, of vectors of the given length"
	if worker != "worker" {
		what = "by the program " + worker
	}
	fmt.Fprintf(&b, "# Steps of two versions\n\nProcessor time of one call "+what+", in the tree of %s against commit %s; %s, %s/%s.\n"+
		"Both versions were run in turn %d times, with functions in another order each time, and each time is the least. The geometric mean of the ratios is %.3f; of %d, %d are above 1.02.\n\n"+
		"    go run ./tests/steps/versions -base %s -rounds %d -worker %s\n\n", time.Now().Format("2006-01-02"), base, runtime.Version(), runtime.GOOS, runtime.GOARCH,
		rounds, math.Exp(logs/float64(len(rows))), len(rows), len(slower), base, rounds, worker)
	fmt.Fprintf(&b, "| package | function | length | before | after | ratio |\n|---|---|---|---|---|---|\n")
	for _, r := range rows {
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %.3f |\n", r.name, r.function, r.length, duration(r.before), duration(r.after), r.ratio())
	}
	return b.String()
}

func duration(ns float64) string {
	if ns < 1e4 {
		return fmt.Sprintf("%.4g ns", ns)
	}
	return fmt.Sprintf("%.4g µs", ns/1e3)
}
