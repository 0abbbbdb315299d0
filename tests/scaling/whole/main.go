// Command whole compares the time of whole fits, as commands at a shell, between two versions:
//
//	go run ./tests/scaling/whole -base 6dfde46 -admissions FILE > tests/scaling/whole/TABLE.md
//
// Rows are drawn by `sngdgen sample`; the file of the admissions has a column of that name.
// Both versions are built, and run in turn; each time is the least of the rounds, on the clock and of the processor, with reading the file and everything that a
// fit says. The machine has to have nothing else to do.
package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"time"
)

func main() {
	base := flag.String("base", "6dfde46", "the commit to compare with")
	rounds := flag.Int("rounds", 5, "how often each fit is run")
	admissions := flag.String("admissions", "", "`file` with a column of daily admissions; without it there is no fit of a mixture")
	flag.Parse()
	if err := run(*base, *rounds, *admissions); err != nil {
		fmt.Fprintln(os.Stderr, "whole:", err)
		os.Exit(1)
	}
}

// fit is a fit of a problem to a file.
type fit struct {
	label, family, file string
	args                []string
}

func run(base string, rounds int, admissions string) error {
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
	fits := []fit{{fmt.Sprintf("skewnormal, %d x 43", rows), "skewnormal", filepath.Join(dir, "skewnormal.csv"), nil},
		{fmt.Sprintf("skewt, %d x 10", rows), "skewt", filepath.Join(dir, "skewt.csv"), nil}}
	for i, values := range []map[string]any{{"d": 43}, {"d": 10, "nu": 5}} {
		if err := draw(programs[1], fits[i], values); err != nil {
			return err
		}
	}
	if admissions != "" {
		fits = append(fits, fit{"admissions, k = 5", "negbinmix", admissions, []string{"--column", "admissions", "--components", "5"}})
	}
	fmt.Printf("# Whole fits of two versions\n\nMade by `go run ./tests/scaling/whole` on %s with %s, %d processors: `sngdgen fit` of today beside that of %s, seconds of the least of %d.\n",
		time.Now().Format(time.DateOnly), runtime.Version(), runtime.NumCPU(), base, rounds)
	fmt.Printf("Today a fit has more starts than the 4 of 6dfde46, looks for the supremum at infinity, and looks for directions in which the likelihood rises.\n")
	fmt.Printf("Clock and processor are those of the process, and fit is what the report says of the fit itself.\n\n")
	fmt.Printf("| problem | starts | before, clock | processor | fit | after, clock | processor | fit |\n| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |\n")
	for _, f := range fits {
		for _, starts := range []string{"1", "4", ""} {
			if err := compare(programs, f, starts, rounds); err != nil {
				return err
			}
		}
	}
	return nil
}

// rows of the data that are drawn.
const rows = 10_000

// draw writes the file of a fit: rows of the family with these values, Omega[i, j] = 0.7^|i-j| and eta = 1.
func draw(program string, f fit, set map[string]any) error {
	columns := set["d"].(int)
	omega := make([][]float64, columns)
	for i := range omega {
		omega[i] = make([]float64, columns)
		for j := range omega[i] {
			omega[i][j] = math.Pow(0.7, math.Abs(float64(i-j)))
		}
	}
	set["eta"], set["Omega"] = 1, omega
	values, err := json.Marshal(set)
	if err != nil {
		return err
	}
	parameters := f.file + ".json"
	if err := os.WriteFile(parameters, values, 0o600); err != nil {
		return err
	}
	out, err := exec.Command(program, "sample", f.family, "--param", parameters, "--n", strconv.Itoa(rows)).Output()
	if err != nil {
		return fmt.Errorf("%s sample: %w", program, err)
	}
	_, out, _ = bytes.Cut(out, []byte("\n")) // the header, which the former version does not skip
	return os.WriteFile(f.file, out, 0o600)
}

// seeds is how many there are of fits that choose their starts: random ones may take many times as long as others, and any change of the last digits leads them elsewhere.
const seeds = 6

// compare prints the times of a fit with a number of starts, "" for those that a version chooses: then the mean over seeds.
func compare(programs []string, f fit, starts string, rounds int) error {
	args, label, count := append([]string{"fit", f.family, f.file}, f.args...), starts, 1
	if starts == "" {
		label, count = fmt.Sprintf("its own, mean of %d seeds", seeds), seeds
	} else {
		args = append(args, "--starts", starts)
	}
	var sum [2]times
	for seed := range count {
		least := [2]times{{math.Inf(1), math.Inf(1), math.Inf(1)}, {math.Inf(1), math.Inf(1), math.Inf(1)}}
		for range rounds {
			for i, program := range programs {
				now, err := timed(program, append(slices.Clone(args), "--seed", strconv.Itoa(seed)))
				if err != nil {
					return fmt.Errorf("%s %v: %w", program, args, err)
				}
				least[i] = least[i].min(now)
			}
		}
		for i := range sum {
			sum[i] = sum[i].plus(least[i], 1/float64(count))
		}
	}
	fmt.Printf("| %s | %s | %v | %v |\n", f.label, label, sum[0], sum[1])
	return nil
}

// times are those of a process, and of the fit in it, in seconds.
type times struct{ clock, processor, fit float64 }

func (t times) min(other times) times {
	return times{min(t.clock, other.clock), min(t.processor, other.processor), min(t.fit, other.fit)}
}

func (t times) plus(other times, weight float64) times {
	return times{t.clock + weight*other.clock, t.processor + weight*other.processor, t.fit + weight*other.fit}
}

func (t times) String() string { return fmt.Sprintf("%.3g | %.3g | %.3g", t.clock, t.processor, t.fit) }

var fitTime = regexp.MustCompile(`(?m)^time +([0-9.]+) ([a-zµ]+)`)

func timed(program string, args []string) (t times, err error) {
	c := exec.Command(program, args...)
	began := time.Now()
	out, err := c.Output()
	if err != nil {
		return t, err
	}
	t.clock = time.Since(began).Seconds()
	t.processor = (c.ProcessState.UserTime() + c.ProcessState.SystemTime()).Seconds()
	found := fitTime.FindSubmatch(out)
	if found == nil {
		return t, fmt.Errorf("the report does not say how long the fit took")
	}
	fit, err := time.ParseDuration(string(found[1]) + string(found[2]))
	t.fit = fit.Seconds()
	return t, err
}

func command(dir, name string, args ...string) error {
	c := exec.Command(name, args...)
	c.Dir, c.Stderr = dir, os.Stderr
	return c.Run()
}
