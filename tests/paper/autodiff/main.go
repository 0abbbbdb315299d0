// Command autodiff compares the time of a step of SNGD by generated code with that of automatic differentiation: the paper's algorithm
// written in JAX, compiled, in float64, on one thread, with the same minibatches and draws from the same start:
//
//	go run ./tests/paper/autodiff -python PYTHON > tests/paper/autodiff/TABLE.md
//
// Python needs jax and tensorflow-probability, versions that go together (0.4.35 and 0.25.0 do). -only names tasks; -covertype is a file of the
// forest cover types, as tests/paper reads it, without which there are no rows for these. Both ends have to have the same loss, or the program fails.
package main

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	goruntime "runtime"
	"slices"
	"strings"
	"time"

	"github.com/sngdgen/sngdgen/internal/console"
	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/tests/paper/clock"
)

func main() { console.Main(command) }

// options are the flags.
type options struct {
	python, script, only, covertype string
	rounds                          int
}

func command(ctx context.Context, args []string, out, progress io.Writer) error {
	o := new(options)
	f := flag.NewFlagSet("autodiff", flag.ContinueOnError)
	f.SetOutput(progress)
	f.StringVar(&o.python, "python", "python3", "Python with jax and tensorflow-probability")
	f.StringVar(&o.script, "script", "tests/paper/autodiff/steps.py", "the steps in JAX")
	f.StringVar(&o.only, "only", "", "tasks, with commas between; all when empty")
	f.StringVar(&o.covertype, "covertype", "", "a file of the forest cover types")
	f.IntVar(&o.rounds, "rounds", 5, "times that the steps are made, of which the least counts")
	if err := f.Parse(args); err != nil {
		return err
	}
	var rows []row
	for _, t := range tasks {
		if o.only != "" && !slices.Contains(strings.Split(o.only, ","), t.name) {
			continue
		}
		r, err := o.compare(ctx, &t)
		if err != nil {
			return fmt.Errorf("%s: %w", t.name, err)
		}
		if r == nil {
			continue
		}
		fmt.Fprintf(progress, "%s, %s: %.4g us, by autodiff %.4g us\n", t.title, t.sizes, 1e6*r.ours.seconds, 1e6*r.theirs.Seconds)
		rows = append(rows, *r)
	}
	return write(out, rows)
}

// answer is what the script prints.
type answer struct {
	Seconds   float64 `json:"seconds"`
	Loss      float64 `json:"loss"`
	Compiling float64 `json:"compiling"`
	Jax       string  `json:"jax"`
	TFP       string  `json:"tfp"`
}

// row is one of the table.
type row struct {
	*task
	ours   outcome
	theirs answer
}

// outcome is that of a run of generated code.
type outcome struct{ seconds, loss float64 }

// sameLoss is the relative difference of losses that rounding over all steps may make.
const sameLoss = 1e-8

// compare makes the steps by both; nil where there are no data.
func (o *options) compare(ctx context.Context, t *task) (*row, error) {
	folder, err := os.MkdirTemp("", "autodiff")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	e, err := t.prepare(o.covertype)
	if e == nil || err != nil {
		return nil, err
	}
	if err := e.export(folder, o.rounds); err != nil {
		return nil, err
	}
	r := &row{task: t}
	if r.ours, err = e.best(ctx, o.rounds); err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, o.python, o.script, folder)
	cmd.Stderr = os.Stderr
	text, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", o.script, err)
	}
	if err := json.Unmarshal(text, &r.theirs); err != nil {
		return nil, fmt.Errorf("%s printed %q: %w", o.script, text, err)
	}
	if d := r.difference(); !t.otherDraws && !(d <= sameLoss) {
		return nil, fmt.Errorf("the losses after %d steps differ: %.15g and %.15g", t.steps, r.ours.loss, r.theirs.Loss)
	}
	return r, nil
}

// difference is that of the losses, relative.
func (r *row) difference() float64 {
	return math.Abs(r.ours.loss-r.theirs.Loss) / math.Max(1, math.Abs(r.ours.loss))
}

// best makes the steps some times, and takes the least time.
func (e *experiment) best(ctx context.Context, rounds int) (outcome, error) {
	goruntime.LockOSThread()
	defer goruntime.UnlockOSThread()
	least := outcome{seconds: math.Inf(1)}
	for range rounds {
		if ctx.Err() != nil {
			return least, ctx.Err()
		}
		r, err := e.run()
		if err != nil {
			return least, err
		}
		if r.seconds < least.seconds {
			least = r
		}
	}
	return least, nil
}

// run makes the steps from the start, as runtime.Descend does: those of the surrogate's coordinates by natural gradients, those of auxiliary
// parameters by Adam.
func (e *experiment) run() (outcome, error) {
	z, v := slices.Clone(e.start), make([]float64, len(e.start))
	first := len(z)
	for _, b := range e.model.Blocks() {
		if b.Auxiliary {
			first = min(first, b.Offset)
		}
	}
	adam := runtime.Adam{Rate: e.rate}
	memory := make([]float64, adam.Memory()*(len(z)-first))
	began := clock.Thread()
	for k := range e.steps {
		if err := e.turn(k); err != nil {
			return outcome{}, err
		}
		e.model.NaturalGradient(v, z)
		for i := range first {
			z[i] -= e.step * v[i]
		}
		adam.Update(z[first:], v[first:], memory, k+1, 1)
	}
	seconds := (clock.Thread() - began).Seconds() / float64(e.steps)
	if err := e.turn(judging); err != nil {
		return outcome{}, err
	}
	return outcome{seconds, e.model.Loss(z)}, nil
}

// export writes what the script reads.
func (e *experiment) export(folder string, rounds int) error {
	about := struct {
		Name      string           `json:"name"`
		Steps     int              `json:"steps"`
		Rounds    int              `json:"rounds"`
		Step      float64          `json:"step"`
		Rate      float64          `json:"rate"`
		Arrays    map[string][]int `json:"arrays"`
		Auxiliary map[string][]int `json:"auxiliary"`
	}{e.name, e.steps, rounds, e.step, e.rate, map[string][]int{}, e.auxiliary}
	for name, a := range e.arrays {
		about.Arrays[name] = a.shape
		if err := writeNumbers(filepath.Join(folder, name), a.values); err != nil {
			return err
		}
	}
	text, err := json.Marshal(about)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder, "task.json"), text, 0o600)
}

func writeNumbers(path string, x []float64) error {
	text, err := binary.Append(nil, binary.LittleEndian, x)
	if err != nil {
		return err
	}
	return os.WriteFile(path, text, 0o600)
}

// write writes the table.
func write(out io.Writer, rows []row) error {
	if len(rows) == 0 {
		return nil
	}
	var b strings.Builder
	fmt.Fprintf(&b, "# Steps by generated code and by automatic differentiation\n\nMade by `go run ./tests/paper/autodiff -covertype FILE > tests/paper/autodiff/TABLE.md` on %s: "+
		"%s, %s/%s; JAX %s with TensorFlow Probability %s, compiled,\nall steps in one `lax.scan`. Float64, one thread, processor time of one step, each the least "+
		"of several runs; the loss after all steps is the same\nto the relative difference shown. *Compiling* is what JAX takes before its first step, in seconds.\n\n"+
		"| task | sizes | generated, us | autodiff, us | times | difference of losses | compiling |\n| --- | --- | ---: | ---: | ---: | ---: | ---: |\n",
		time.Now().Format(time.DateOnly), goruntime.Version(), goruntime.GOOS, goruntime.GOARCH, rows[0].theirs.Jax, rows[0].theirs.TFP)
	for _, r := range rows {
		same := fmt.Sprintf("%.0e", r.difference())
		if r.otherDraws {
			same = "other draws"
		}
		fmt.Fprintf(&b, "| %s | %s | %.4g | %.4g | %.1f | %s | %.1f |\n", r.title, r.sizes, 1e6*r.ours.seconds, 1e6*r.theirs.Seconds,
			r.theirs.Seconds/r.ours.seconds, same, r.theirs.Compiling)
	}
	_, err := io.WriteString(out, b.String())
	return err
}
