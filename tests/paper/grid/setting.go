package grid

import (
	"fmt"

	"github.com/sngdgen/sngdgen/runtime/baseline"
)

// Setting is a method with its hyperparameters.
type Setting struct {
	Method, Text string
	Problem      string         // where methods have problems of their own
	Root         *baseline.Root // of Adam's charts, nil for others
	Step, Rate   float64        // of the surrogate, of Adam
}

// SNGD are fixed steps with Adam for auxiliary parameters, in all pairs.
func SNGD(method, problem string, steps, rates []float64) []Setting {
	var out []Setting
	for _, step := range steps {
		for _, rate := range rates {
			out = append(out, Setting{method, fmt.Sprintf("step %g, auxiliary rate %g", step, rate), problem, nil, step, rate})
		}
	}
	return out
}

// Adam goes on the square root of a definite matrix, or of its inverse: the paper's two.
func Adam(problem string, rates []float64) []Setting {
	var out []Setting
	for _, root := range []baseline.Root{baseline.CovarianceRoot, baseline.PrecisionRoot} {
		for _, rate := range rates {
			out = append(out, Setting{"Adam, " + root.String(), fmt.Sprintf("rate %g", rate), problem, &root, 0, rate})
		}
	}
	return out
}

// All runs every setting with every seed.
func All(settings []Setting, seeds int, run func(s Setting, seed uint64) (Run, error), log func(string)) ([]Result, error) {
	var out []Result
	for _, s := range settings {
		r := Result{Method: s.Method, Text: s.Text}
		for seed := range seeds {
			x, err := run(s, uint64(seed))
			if err != nil {
				return nil, fmt.Errorf("%s, %s, seed %d: %w", s.Method, s.Text, seed, err)
			}
			log(fmt.Sprintf("%s, %s, seed %d: %s", s.Method, s.Text, seed, x))
			r.Runs = append(r.Runs, x)
		}
		out = append(out, r)
	}
	return out, nil
}
