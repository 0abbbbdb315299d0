// Command whole compares the time of whole fits, as commands at a shell, between two versions:
//
//	go run ./tests/scaling/whole -base 6dfde46 -skewnormal FILE -skewt FILE -admissions FILE > tests/scaling/whole/TABLE.md
//
// Files are data without a header, but for the admissions, whose column has that name. Both versions are built, and run in turn; each time is the least of the
// rounds, on the clock and of the processor, with reading the file and everything that a fit says. The machine has to have nothing else to do.
package main

import (
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"time"
)

func main() {
	base := flag.String("base", "6dfde46", "the commit to compare with")
	rounds := flag.Int("rounds", 5, "how often each fit is run")
	files := map[string]*string{}
	for _, name := range []string{"skewnormal", "skewt", "admissions"} {
		files[name] = flag.String(name, "", "`file` with the data")
	}
	flag.Parse()
	if err := run(*base, *rounds, files); err != nil {
		fmt.Fprintln(os.Stderr, "whole:", err)
		os.Exit(1)
	}
}

// fit is a fit of a problem to a file.
type fit struct {
	problem, file string
	args          []string
}

func run(base string, rounds int, files map[string]*string) error {
	dir, err := os.MkdirTemp("", "whole")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	tree := filepath.Join(dir, "base")
	if err := command(".", "git", "worktree", "add", "--detach", tree, base); err != nil {
		return err
	}
	defer command(".", "git", "worktree", "remove", "--force", tree)
	programs := []string{filepath.Join(dir, "before"), filepath.Join(dir, "after")}
	for i, from := range []string{tree, "."} {
		if err := command(from, "go", "build", "-o", programs[i], "./cmd/sngdgen"); err != nil {
			return err
		}
	}
	fmt.Printf("# Whole fits of two versions\n\nMade by `go run ./tests/scaling/whole` on %s with %s, %d processors: `sngdgen fit` of today beside that of %s, seconds of the least of %d.\n",
		time.Now().Format(time.DateOnly), runtime.Version(), runtime.NumCPU(), base, rounds)
	fmt.Printf("Today a fit has more starts, looks for the supremum at infinity, and looks for directions in which the likelihood rises.\n\n")
	fmt.Printf("| problem | starts | before, clock | processor | after, clock | processor |\n| --- | --- | ---: | ---: | ---: | ---: |\n")
	for _, f := range []fit{
		{"skewnormal", *files["skewnormal"], nil},
		{"skewt", *files["skewt"], nil},
		{"negbinmix", *files["admissions"], []string{"--column", "admissions", "--components", "5"}},
	} {
		if f.file == "" {
			continue
		}
		for _, starts := range []string{"1", ""} {
			if err := compare(programs, f, starts, rounds); err != nil {
				return err
			}
		}
	}
	return nil
}

// compare prints the times of a fit with a number of starts, "" for those that a version chooses.
func compare(programs []string, f fit, starts string, rounds int) error {
	args, label := append([]string{"fit", f.problem, f.file}, f.args...), "its own"
	if starts != "" {
		args, label = append(args, "--starts", starts), starts
	}
	clock, processor := [2]float64{math.Inf(1), math.Inf(1)}, [2]float64{math.Inf(1), math.Inf(1)}
	for range rounds {
		for i, program := range programs {
			c := exec.Command(program, args...)
			c.Stdout, c.Stderr = io.Discard, io.Discard
			began := time.Now()
			if err := c.Run(); err != nil {
				return fmt.Errorf("%s %v: %w", program, args, err)
			}
			clock[i] = min(clock[i], time.Since(began).Seconds())
			processor[i] = min(processor[i], (c.ProcessState.UserTime() + c.ProcessState.SystemTime()).Seconds())
		}
	}
	fmt.Printf("| %s | %s | %.3g | %.3g | %.3g | %.3g |\n", f.problem, label, clock[0], processor[0], clock[1], processor[1])
	return nil
}

func command(dir, name string, args ...string) error {
	c := exec.Command(name, args...)
	c.Dir, c.Stderr = dir, os.Stderr
	return c.Run()
}
