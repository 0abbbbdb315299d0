// Command mixture compares whole fits of mixtures of normals with expectation maximisation of scikit-learn, from the same start: how long each takes
// to the log-likelihood that scikit-learn stops at by a tolerance.
//
//	go run ./tests/scaling/mixture -python PYTHON > tests/scaling/mixture/TABLE.md
package main

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	goruntime "runtime"
	"strconv"
	"time"

	"github.com/sngdgen/sngdgen/generated/mvnormalmix"
	"github.com/sngdgen/sngdgen/internal/console"
	"github.com/sngdgen/sngdgen/runtime"
)

func main() { console.Main(command) }

// sizes of the data, as both programs read them.
type sizes struct {
	Rows       int       `json:"rows"`
	Columns    int       `json:"columns"`
	Components int       `json:"components"`
	Tolerances []float64 `json:"tolerances"`
}

func command(ctx context.Context, args []string, out, progress io.Writer) error {
	f := flag.NewFlagSet("mixture", flag.ContinueOnError)
	f.SetOutput(progress)
	python := f.String("python", "python3", "Python with scikit-learn")
	script := f.String("script", "tests/scaling/mixture/mixture.py", "the fits by scikit-learn")
	s := sizes{Tolerances: []float64{1e-3, 1e-5, 1e-7}}
	f.IntVar(&s.Rows, "rows", 100_000, "rows")
	f.IntVar(&s.Columns, "d", 10, "columns")
	f.IntVar(&s.Components, "k", 10, "components")
	if err := f.Parse(args); err != nil {
		return err
	}
	if s.Rows < s.Components || s.Columns < 1 || s.Components < 2 {
		return errors.New("there are too few rows, columns or components")
	}
	folder, err := os.MkdirTemp("", "mixture")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	x := drawn(s)
	if err := x.write(folder, s); err != nil {
		return err
	}
	fmt.Fprintf(out, "# Mixtures of normals: whole fits\n\nMade by `go run ./tests/scaling/mixture > tests/scaling/mixture/TABLE.md` on %s with %s: %d rows of %d columns, %d components, "+
		"from equal weights, rows as means and the\ncovariance of all rows. *Theirs* is expectation maximisation of scikit-learn's GaussianMixture up to a tolerance, *unit steps* are "+
		"those of natural gradients in mean\nparameters, which are the same iterations (SNGD of length 1), and *L-BFGS* is that by natural gradients, both up to a loss (mean "+
		"negative log-likelihood) at least as low as\ntheirs; seconds on the clock, passes over the rows, and their seconds over ours.\n\n"+
		"| threads | tolerance | loss | iterations, theirs | seconds | iterations, unit steps | seconds | times | iterations, L-BFGS | passes | seconds | times |\n"+
		"| ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n", time.Now().Format(time.DateOnly), goruntime.Version(), s.Rows, s.Columns, s.Components)
	version := ""
	for _, threads := range []int{1, 2} {
		theirs, err := ask(ctx, *python, *script, folder, threads)
		if err != nil {
			return err
		}
		version = theirs.Version
		for _, r := range theirs.Runs {
			fmt.Fprintf(progress, "%d threads, tolerance %g: %d iterations, %.2f s, loss %.9g\n", threads, r.Tolerance, r.Iterations, r.Seconds, r.Loss)
			fmt.Fprintf(out, "| %d | %g | %.9g | %d | %.2f |", threads, r.Tolerance, r.Loss, r.Iterations, r.Seconds)
			for _, w := range ways {
				own, err := x.fit(ctx, s, w, threads, r.Loss+slack)
				if err != nil {
					return err
				}
				fmt.Fprintf(out, " %d |", own.iterations)
				if _, unit := w.Step.(runtime.Constant); !unit { // of unit steps each is one, and the start
					fmt.Fprintf(out, " %d |", own.passes)
				}
				fmt.Fprintf(out, " %.2f | %.1f |", own.seconds, r.Seconds/own.seconds)
			}
			fmt.Fprintln(out)
		}
	}
	fmt.Fprintf(out, "\nscikit-learn %s.\n", version)
	return nil
}

// ways to fit.
var ways = []runtime.Settings{
	{Method: runtime.SNGD{}, Step: runtime.Constant{Step: 1}},
	{Method: runtime.NaturalLBFGS{}, Step: runtime.Wolfe{}},
}

// slack is what rounding may make of equal losses.
const slack = 1e-9

// answer is what the script prints.
type answer struct {
	Version string
	Runs    []struct {
		Tolerance, Seconds, Loss float64
		Iterations               int
	}
}

func ask(ctx context.Context, python, script, folder string, threads int) (*answer, error) {
	cmd := exec.CommandContext(ctx, python, script, folder, strconv.Itoa(threads))
	cmd.Stderr = os.Stderr
	text, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", script, err)
	}
	a := new(answer)
	return a, json.Unmarshal(text, a)
}

// sample is data with a start.
type sample struct{ data, means, covariance []float64 }

// drawn are rows of normal distributions with covariances of their own, in random order.
func drawn(s sizes) *sample {
	rng, d := rand.New(rand.NewPCG(8, 1)), s.Columns
	centres, factors := make([]float64, s.Components*d), make([]float64, s.Components*d*d)
	for i := range centres {
		centres[i] = 2 * rng.NormFloat64()
	}
	for i := range factors {
		factors[i] = rng.NormFloat64() / math.Sqrt(float64(d))
		if i%(d*d)%(d+1) == 0 {
			factors[i] += 0.7
		}
	}
	x := &sample{data: make([]float64, s.Rows*d)}
	e := make([]float64, d)
	for i := range s.Rows {
		c := rng.IntN(s.Components)
		for j := range e {
			e[j] = rng.NormFloat64()
		}
		for j := range d {
			v := centres[c*d+j]
			for l, z := range e {
				v += factors[(c*d+j)*d+l] * z
			}
			x.data[i*d+j] = v
		}
	}
	for range s.Components {
		i := rng.IntN(s.Rows)
		x.means = append(x.means, x.data[i*d:(i+1)*d]...)
	}
	x.covariance = covariance(x.data, d)
	return x
}

// covariance is that of rows, with the number of rows as divisor.
func covariance(x []float64, d int) []float64 {
	n, mean, out := float64(len(x)/d), make([]float64, d), make([]float64, d*d)
	for i, v := range x {
		mean[i%d] += v / n
	}
	for i := 0; i < len(x); i += d {
		for j := range d {
			for l := range d {
				out[j*d+l] += (x[i+j] - mean[j]) * (x[i+l] - mean[l]) / n
			}
		}
	}
	return out
}

// write writes what the script reads.
func (x *sample) write(folder string, s sizes) error {
	for name, values := range map[string][]float64{"data": x.data, "means": x.means, "covariance": x.covariance} {
		text, err := binary.Append(nil, binary.LittleEndian, values)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(folder, name), text, 0o600); err != nil {
			return err
		}
	}
	text, err := json.Marshal(s)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder, "sizes.json"), text, 0o600)
}

// outcome is a fit by generated code.
type outcome struct {
	iterations, passes int // over the rows
	seconds            float64
}

// errLow ends a run that is low enough.
var errLow = errors.New("low enough")

// fit goes down to a loss.
func (x *sample) fit(ctx context.Context, s sizes, way runtime.Settings, threads int, loss float64) (outcome, error) {
	began := time.Now()
	m := new(mvnormalmix.Model)
	if err := errors.Join(m.SetComponents(s.Components), m.SetData(runtime.Data{Values: x.data, Columns: s.Columns})); err != nil {
		return outcome{}, err
	}
	z, err := x.start(m, s)
	if err != nil {
		return outcome{}, err
	}
	var r outcome
	way.MaxIterations, way.Workers = 10_000, threads
	way.Recorder = runtime.RecorderFunc(func(it *runtime.Iteration) error {
		if r = (outcome{it.Index, it.Evaluations, time.Since(began).Seconds()}); it.Loss <= loss {
			return errLow
		}
		return nil
	})
	_, err = runtime.Minimize(ctx, m, z, &way)
	if !errors.Is(err, errLow) {
		return r, fmt.Errorf("the fit ended before the loss %v (%w)", loss, errors.Join(err, ctx.Err()))
	}
	return r, nil
}

// start are the mean parameters of equal weights, the means and the covariance: weights, their products with the means, and with the second
// moments, of rows less the mean of all.
func (x *sample) start(m *mvnormalmix.Model, s sizes) ([]float64, error) {
	d, k := s.Columns, s.Components
	origin := make([]float64, d)
	for i, v := range x.data {
		origin[i%d] += v / float64(s.Rows)
	}
	z := make([]float64, k-1+k*d+k*d*d)
	w, m1, m2 := z[:k-1], z[k-1:k-1+k*d], z[k-1+k*d:]
	for i := range w {
		w[i] = 1 / float64(k)
	}
	for c := range k {
		for i := range d {
			a := x.means[c*d+i] - origin[i]
			m1[c*d+i] = a / float64(k)
			for j := range d {
				m2[(c*d+i)*d+j] = (x.covariance[i*d+j] + a*(x.means[c*d+j]-origin[j])) / float64(k)
			}
		}
	}
	theta := m.ThetaAt(z)
	for i, v := range x.means {
		if math.Abs(theta.Mu[i]-v) > 1e-9*(1+math.Abs(v)) {
			return nil, fmt.Errorf("the start has the mean %v, not %v", theta.Mu[i], v)
		}
	}
	return z, nil
}
