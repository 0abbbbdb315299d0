package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// bin has both programs.
var bin string

func TestMain(m *testing.M) {
	os.Exit(func() int {
		dir, err := os.MkdirTemp("", "sngdgen-mpi")
		if err != nil {
			panic(err)
		}
		defer os.RemoveAll(dir)
		bin = dir
		for _, build := range []*exec.Cmd{exec.Command("go", "build", "-o", dir, "."), exec.Command("go", "build", "-C", "../..", "-o", dir, "./cmd/sngdgen")} {
			if out, err := build.CombinedOutput(); err != nil {
				panic(string(out))
			}
		}
		return m.Run()
	}())
}

// alone runs the command in one process.
func alone(t *testing.T, args ...string) string {
	t.Helper()
	out, err := exec.Command(filepath.Join(bin, "sngdgen"), args...).Output()
	if err != nil {
		t.Fatal(err, string(out))
	}
	return said(string(out))
}

// said is what is printed, without what depends on the clock.
func said(out string) string {
	return regexp.MustCompile(`"seconds": [^,\n]*`).ReplaceAllString(out, "")
}

// limit is how long a fit may take at most, on a machine that has other things to do: what waits without end is ended.
const limit = 3 * time.Minute

// mpirun runs it in several.
func mpirun(t *testing.T, n int, args ...string) (out, said string, err error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	list := append([]string{"--allow-run-as-root", "--oversubscribe", "-n", fmt.Sprint(n), filepath.Join(bin, "sngdgen-mpi")}, args...)
	c := exec.CommandContext(ctx, "mpirun", list...)
	var stdout, stderr bytes.Buffer
	c.Stdout, c.Stderr = &stdout, &stderr
	err = c.Run()
	if ctx.Err() != nil {
		t.Fatal("it did not end: ", stderr.String())
	}
	return stdout.String(), stderr.String(), err
}

// files writes numbers to a file, and to several that are cut where four processes have whole ranges of the rows, and beside the file an array of NumPy.
func files(t *testing.T, n int, draw func(r *rand.Rand) float64) (whole, parts string) {
	t.Helper()
	dir, rng := t.TempDir(), rand.New(rand.NewPCG(5, 6))
	const block = 256
	blocks := (n + block - 1) / block
	var all strings.Builder
	array := []byte("\x93NUMPY\x01\x00\x76\x00" + fmt.Sprintf("%-117s\n", fmt.Sprintf("{'descr': '<f8', 'fortran_order': False, 'shape': (%d,), }", n)))
	all.WriteString("x\n")
	for i := range 4 {
		var part strings.Builder
		part.WriteString("x\n")
		for range min(blocks*(i+1)/4*block, n) - blocks*i/4*block {
			x := draw(rng)
			array = binary.LittleEndian.AppendUint64(array, math.Float64bits(x))
			line := fmt.Sprintln(x)
			part.WriteString(line)
			all.WriteString(line)
		}
		write(t, filepath.Join(dir, fmt.Sprintf("part-%d.csv", i)), part.String())
	}
	whole = filepath.Join(dir, "all.csv")
	write(t, whole, all.String())
	write(t, arrayOf(whole), string(array))
	return whole, filepath.Join(dir, "part-*.csv")
}

// arrayOf is the array beside a file.
func arrayOf(whole string) string { return strings.TrimSuffix(whole, ".csv") + ".npy" }

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

func heavy(r *rand.Rand) float64 { return 3 + r.NormFloat64()/math.Sqrt(r.ExpFloat64()) }
func two(r *rand.Rand) float64   { return r.NormFloat64() + 5*float64(r.IntN(2)) }
func count(r *rand.Rand) float64 { return math.Floor(10 * r.ExpFloat64()) }

// What several processes print is what one prints, byte by byte, as the parts of the rows are whole ranges: whether they are in files of their
// own or not.
func TestProcesses(t *testing.T) {
	for _, one := range []struct {
		name string
		draw func(*rand.Rand) float64
		args []string
	}{
		{"numbers", heavy, []string{"studentt"}},
		{"mixture", two, []string{"normalmix", "--components", "2"}},
		{"counts", count, []string{"negbin"}},
		{"minibatches", heavy, []string{"studentt", "--batch", "50", "--epochs", "1"}},
		{"interpreted", heavy, []string{"studentt", "--engine", "interpreted"}},
	} {
		t.Run(one.name, func(t *testing.T) {
			whole, parts := files(t, 20_000, one.draw)
			args := append([]string{"fit", "--json"}, one.args...)
			want, wantOfArray := alone(t, append(args, whole)...), alone(t, append(args, arrayOf(whole))...)
			for _, n := range []int{2, 4} {
				for _, data := range []string{whole, parts, arrayOf(whole)} {
					got, messages, err := mpirun(t, n, append(args, data)...)
					got, want := said(strings.ReplaceAll(got, parts, whole)), want
					if data == arrayOf(whole) {
						want = wantOfArray
					}
					if data != whole { // of which no process has read all
						digest := regexp.MustCompile(`\s*"(outcome_)?digest": "[^"]*",`)
						got, want = digest.ReplaceAllString(got, ""), digest.ReplaceAllString(want, "")
					}
					if err != nil || got != want {
						t.Fatalf("%d processes print\n%s%s%v\none prints\n%s", n, got, messages, err, want)
					}
				}
			}
		})
	}
}

// What is wrong with a row is said where it stands, by the process that has read it, and by the first one.
func TestBadRow(t *testing.T) {
	_, parts := files(t, 20_000, heavy)
	third := strings.Replace(parts, "*", "2", 1)
	text, err := os.ReadFile(third)
	if err != nil {
		t.Fatal(err)
	}
	write(t, third, string(text)+"many\n")
	_, messages, err := mpirun(t, 2, "fit", "studentt", parts)
	if err == nil || !strings.Contains(messages, "part-2.csv:") || !strings.Contains(messages, `"many"`) {
		t.Errorf("%v: %s", err, messages)
	}
	whole, _ := files(t, 20_000, func(r *rand.Rand) float64 { return heavy(r) - 50*float64(r.IntN(2)) })
	_, messages, err = mpirun(t, 2, "fit", "negbin", whole)
	if err == nil || !strings.Contains(messages, "all.csv:") {
		t.Errorf("%v: %s", err, messages)
	}
	lines := strings.SplitAfter(strings.Repeat("1\n2\n", 10_000), "\n")
	for _, bad := range []string{"many", "-1"} { // the first is no number, and the second no count
		lines[15_000-1] = bad + "\n"
		write(t, whole, "x\n"+strings.Join(lines, ""))
		_, messages, err = mpirun(t, 2, "fit", "negbin", whole)
		if err == nil || !strings.Contains(messages, "all.csv:15001:1: ") || !strings.Contains(messages, "row 15000") {
			t.Errorf("%v: %s", err, messages)
		}
	}
	array, err := os.ReadFile(arrayOf(whole))
	if err != nil {
		t.Fatal(err)
	}
	write(t, arrayOf(whole), string(binary.LittleEndian.AppendUint64(array[:len(array)-8:len(array)-8], math.Float64bits(math.NaN()))))
	_, messages, err = mpirun(t, 2, "fit", "studentt", arrayOf(whole))
	if err == nil || strings.Count(messages, "all.npy:20000:1: NaN is not a finite number (column 1, row 20000)") != 1 {
		t.Errorf("%v: %s", err, messages)
	}
}

// A process that dies ends the others, and the fit goes on from the last checkpoint when it is run again, to the same bytes.
func TestProcessDies(t *testing.T) {
	whole, _ := files(t, 400_000, two)
	dir := t.TempDir()
	checkpoint := filepath.Join(dir, "checkpoint")
	args := []string{"fit", "--json", "normalmix", "--components", "2", "--method", "sngd", "--tolerance", "1e-9", whole}
	with := append([]string{"fit", "--checkpoint", checkpoint}, args[1:]...)

	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	c := exec.CommandContext(ctx, "mpirun", append([]string{"--allow-run-as-root", "--oversubscribe", "-n", "2", filepath.Join(bin, "sngdgen-mpi")}, with...)...)
	c.Env = append(os.Environ(), "GOMAXPROCS=1")
	var messages bytes.Buffer
	c.Stderr = &messages
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	for {
		if info, err := os.Stat(checkpoint); err == nil && info.Size() > 1000 || ctx.Err() != nil {
			break
		}
		time.Sleep(time.Millisecond)
	}
	victim := lastOf(t, whole)
	if victim != nil {
		victim.Kill()
	}
	if err := c.Wait(); err == nil && victim != nil {
		t.Log("the fit was faster than the signal")
	} else if ctx.Err() != nil || !strings.Contains(messages.String(), "process 2 of 2") {
		t.Fatalf("the others went on: %s", messages.String())
	}
	before, err := os.Stat(checkpoint)
	if err != nil {
		t.Fatal(err)
	}
	want := alone(t, args...)
	got, said2, err := mpirun(t, 2, with...)
	if got = said(got); err != nil || got != want {
		t.Errorf("it went on to\n%s%s%v\none process prints\n%s", got, said2, err, want)
	}
	if after, err := os.Stat(checkpoint); err != nil || after.Size() < before.Size() {
		t.Error("the checkpoint was begun again")
	}
}

// lastOf finds the command of the second process: the one that reads a file, and is told to be the second.
func lastOf(t *testing.T, file string) *os.Process {
	t.Helper()
	entries, err := os.ReadDir("/proc")
	if err != nil {
		t.Skip("there is no /proc")
	}
	for _, e := range entries {
		line, _ := os.ReadFile(filepath.Join("/proc", e.Name(), "cmdline"))
		environ, _ := os.ReadFile(filepath.Join("/proc", e.Name(), "environ"))
		if bytes.HasPrefix(line, []byte(filepath.Join(bin, "sngdgen")+"\x00")) && bytes.Contains(line, []byte(file)) &&
			bytes.Contains(environ, []byte("SNGDGEN_PROCESSES=1/2\x00")) {
			var pid int
			fmt.Sscan(e.Name(), &pid)
			p, err := os.FindProcess(pid)
			if err == nil {
				return p
			}
		}
	}
	return nil
}

// What the rows are as a whole does not depend on which process has them: of sorted ones each has few values.
func TestSorted(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	sorted := func(n int, draw func(*rand.Rand) float64) string {
		x := make([]float64, n)
		for i := range x {
			x[i] = draw(rng)
		}
		slices.Sort(x)
		name := filepath.Join(t.TempDir(), "x.csv")
		write(t, name, strings.Trim(strings.ReplaceAll(fmt.Sprint(x), " ", "\n"), "[]"))
		return name
	}
	args := []string{"fit", "--json", "negbinmix", "--starts", "1", "--components", "2", sorted(20_000, func(r *rand.Rand) float64 { return count(r) + 60*float64(r.IntN(2)) })}
	want := alone(t, args...)
	if got, messages, err := mpirun(t, 4, args...); err != nil || said(got) != want {
		t.Errorf("%v: %s%s\none prints\n%s", err, messages, said(got), want)
	}
	three := sorted(15_000, func(r *rand.Rand) float64 { return float64(r.IntN(3)) })
	if _, messages, err := mpirun(t, 3, "fit", "negbinmix", "--components", "4", three); err == nil || !strings.Contains(messages, "but the data have 3") {
		t.Errorf("%v: %s", err, messages)
	}
}

func TestUsage(t *testing.T) {
	for _, args := range [][]string{{"list"}, {"fit", "logistic", "nowhere.csv"}, {"fit", "normalmix", "--components", "1..3", "nowhere.csv"}} {
		if _, messages, err := mpirun(t, 2, args...); err == nil || !strings.Contains(messages, "several processes") {
			t.Errorf("%v: %v, %s", args, err, messages)
		}
	}
}
