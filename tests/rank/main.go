// Command rank holds what sngdgen rank predicts against what runs do, for every target of the library that has several surrogates:
// those of the library, and of targets that are numbers others in specs.
//
//	go run ./tests/rank > tests/rank/TABLE.md
//
// Predictions are of one data set, runs on another one that is drawn alike.
package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"

	"gonum.org/v1/gonum/stat"

	"github.com/sngdgen/sngdgen/runtime/estimate"
)

func main() {
	if err := run(os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "rank:", err)
		os.Exit(1)
	}
}

// experiment is a target with surrogates and parameters to draw data with.
type experiment struct {
	name   string
	specs  []string // files, or names of library problems
	sample []string // arguments of sngdgen sample
	rank   []string // further arguments of sngdgen rank
}

const specs = "tests/rank/specs/"

// experiments lists them; of numbers with two sets of parameters each.
var experiments = []experiment{
	{"gamma", []string{specs + "gamma.yaml"}, []string{"gamma", "--set", "alpha=0.8", "--set", "beta=2"}, nil},
	{"gamma", []string{specs + "gamma.yaml"}, []string{"gamma", "--set", "alpha=6", "--set", "beta=1"}, nil},
	{"inverse_gamma", []string{specs + "inversegamma.yaml"}, []string{"inversegamma", "--set", "alpha=4", "--set", "beta=3"}, nil},
	{"inverse_gamma", []string{specs + "inversegamma.yaml"}, []string{"inversegamma", "--set", "alpha=12", "--set", "beta=3"}, nil},
	{"beta", []string{specs + "beta.yaml"}, []string{"beta", "--set", "a=2", "--set", "b=5"}, nil},
	{"beta", []string{specs + "beta.yaml"}, []string{"beta", "--set", "a=30", "--set", "b=4"}, nil},
	{"negative_binomial", []string{specs + "negativebinomial.yaml"}, []string{"negbin", "--set", "r=2", "--set", "s=0.3"}, nil},
	{"negative_binomial", []string{specs + "negativebinomial.yaml"}, []string{"negbin", "--set", "r=8", "--set", "s=0.6"}, nil},
	{"normal", []string{specs + "normal.yaml"}, []string{"normal", "--set", "mu=4", "--set", "sigma2=1"}, nil},
	{"normal", []string{specs + "normal.yaml"}, []string{"normal", "--set", "mu=30", "--set", "sigma2=9"}, nil},
	{"log_normal", []string{specs + "lognormal.yaml"}, []string{"gamma", "--set", "alpha=3", "--set", "beta=1"}, nil},
	{"log_normal", []string{specs + "lognormal.yaml"}, []string{"inversegamma", "--set", "alpha=9", "--set", "beta=2"}, nil},
	{"inverse_gaussian", []string{specs + "inversegaussian.yaml"}, []string{"inversegamma", "--set", "alpha=9", "--set", "beta=2"}, nil},
	{"inverse_gaussian", []string{specs + "inversegaussian.yaml"}, []string{"gamma", "--set", "alpha=4", "--set", "beta=2"}, nil},
	{"gumbel", []string{specs + "gumbel.yaml"}, []string{"gamma", "--set", "alpha=4", "--set", "beta=1"}, nil},
	{"gumbel", []string{specs + "gumbel.yaml"}, []string{"normal", "--set", "mu=-2", "--set", "sigma2=4"}, nil},
	{"student_t", []string{specs + "studentt.yaml"}, []string{"studentt", "--set", "nu=3"}, nil},
	{"student_t", []string{specs + "studentt.yaml"}, []string{"studentt", "--set", "nu=5", "--set", "mu=10"}, nil},
	{"multivariate_normal", []string{"mvnormal", "mvnormalnat"}, []string{"mvnormal", "--set", "d=3"}, nil},
	{"multivariate_student_t", []string{"mvstudentt", "mvstudenttnat"}, []string{"mvstudentt", "--set", "d=3", "--set", "nu=4"}, nil},
	{"multivariate_student_t, nu = 5", []string{"mvstudentt5", "mvstudentt5nat"}, []string{"mvstudentt", "--set", "d=3", "--set", "nu=5"}, nil},
	{"skew_normal", []string{"skewnormal", "skewnormalnat"}, []string{"skewnormal", "--set", "eta=[2,-1]"}, nil},
	{"skew_t", []string{"skewt", "skewtnat"}, []string{"skewt", "--set", "eta=[2,-1]", "--set", "nu=5"}, nil},
	{"gaussian_copula", []string{"gaussiancopula", "gaussiancopulanat"}, []string{"gaussiancopula", "--set", "R=[[1,0.6],[0.6,1]]"}, nil},
	{"t_copula", []string{"tcopula", "tcopulanat"}, []string{"tcopula", "--set", "R=[[1,0.6],[0.6,1]]", "--set", "nu=4"}, nil},
	{"mixture of normal", []string{"normalmix", "normalmixnat"}, []string{"normalmix", "--set", "weights=[0.4,0.6]", "--set", "mu=[0,3]"}, []string{"--components=2"}},
	{"mixture of gamma", []string{"gammamix", "gammamixnat"}, []string{"gammamix", "--set", "weights=[0.4,0.6]", "--set", "alpha=[2,30]", "--set", "beta=[2,6]"},
		[]string{"--components=2"}},
	{"mixture of negative_binomial", []string{"negbinmix", "negbinmixnat"}, []string{"negbinmix", "--set", "weights=[0.4,0.6]", "--set", "r=[3,20]", "--set", "s=[0.6,0.5]"},
		[]string{"--components=2"}},
	{"mixture of multivariate_normal", []string{"mvnormalmix", "mvnormalmixnat"}, []string{"mvnormalmix", "--set", "weights=[0.4,0.6]", "--set", "mu=[[0,0],[3,3]]"},
		[]string{"--components=2"}},
	{"mixture of multivariate_student_t", []string{"mvstudenttmix", "mvstudenttmixnat"},
		[]string{"mvstudenttmix", "--set", "weights=[0.4,0.6]", "--set", "mu=[[0,0],[6,6]]", "--set", "nu=[4,9]"}, []string{"--components=2"}},
	{"mixture of skew_normal", []string{"skewnormalmix", "skewnormalmixnat"},
		[]string{"skewnormalmix", "--set", "weights=[0.4,0.6]", "--set", "xi=[[0,0],[6,6]]", "--set", "eta=[[2,-1],[1,1]]"}, []string{"--components=2"}},
}

const rows = "400"

// ranking is what sngdgen rank prints as JSON.
type ranking struct {
	Surrogates  []*estimate.Ranked `json:"surrogates"`
	Recommended string             `json:"recommended"`
}

// line is a surrogate in an experiment: what was predicted of one data set, and seen on the other.
type line struct {
	target, surrogate          string
	condition                  float64
	predicted, observed        [2]float64 // iterations of sngd and of nlbfgs
	predictedRate, observeRate float64
	recommended                bool
}

func run(w io.Writer) error {
	dir, err := os.MkdirTemp("", "rank")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	program := filepath.Join(dir, "sngdgen")
	if out, err := exec.Command("go", "build", "-o", program, "./cmd/sngdgen").CombinedOutput(); err != nil {
		return fmt.Errorf("%w\n%s", err, out)
	}
	var all [][]line
	for _, e := range experiments {
		lines, err := e.run(program, dir)
		if err != nil {
			return fmt.Errorf("%s: %w", e.name, err)
		}
		all = append(all, lines)
	}
	return write(w, all)
}

// run ranks on two data sets that are drawn alike.
func (e *experiment) run(program, dir string) ([]line, error) {
	var ranked [2]ranking
	for i := range ranked {
		data, err := command(program, append([]string{"sample", "--n=" + rows, fmt.Sprintf("--seed=%d", i+1)}, e.sample...)...)
		if err != nil {
			return nil, err
		}
		path := filepath.Join(dir, "data.csv")
		if err := os.WriteFile(path, data, 0o666); err != nil {
			return nil, err
		}
		text, err := command(program, append(append([]string{"rank", "--json", path}, e.specs...), e.rank...)...)
		if err != nil {
			return nil, err
		}
		if err := json.Unmarshal(text, &ranked[i]); err != nil {
			return nil, err
		}
	}
	var out []line
	for _, before := range ranked[0].Surrogates {
		at := slices.IndexFunc(ranked[1].Surrogates, func(r *estimate.Ranked) bool { return r.Problem == before.Problem })
		if at < 0 {
			continue
		}
		now := ranked[1].Surrogates[at].Ways[0]
		one := line{target: e.name, surrogate: before.Problem, condition: float64(before.Ways[0].Condition), recommended: before.Problem == ranked[0].Recommended,
			predictedRate: float64(before.Ways[0].Runs[0].PredictedRate), observeRate: float64(now.Runs[0].ObservedRate)}
		for k := range now.Runs {
			one.predicted[k], one.observed[k] = float64(before.Ways[0].Runs[k].Predicted), float64(now.Runs[k].Observed)
			if one.observed[k] < 0 {
				one.observed[k] = math.Inf(1)
			}
		}
		out = append(out, one)
	}
	return out, nil
}

func command(program string, args ...string) ([]byte, error) {
	cmd := exec.Command(program, args...)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%v: %w\n%s", args, err, errs.String())
	}
	return out, nil
}

// write prints the table, and how well orders agree.
func write(w io.Writer, all [][]line) error {
	fmt.Fprintf(w, "# What `sngdgen rank` predicts, and what runs do\n\nBy `go run ./tests/rank > tests/rank/TABLE.md`. Predictions are of %s rows, runs on other %[1]s rows "+
		"that are drawn alike, both from the first\nstart to a loss within 1e-9 of the optimum. *Condition* is that of the Hessian in the metric of the surrogate, on the rows of the prediction; "+
		"a star is the one\nthat is recommended. `none` are ordinary gradients in the coordinates of the spec.\n\n", rows)
	fmt.Fprintln(w, "| target | surrogate | condition | sngd: predicted | observed | rate: predicted | observed | nlbfgs: predicted | observed |")
	fmt.Fprintln(w, "| --- | --- | --- | --- | --- | --- | --- | --- | --- |")
	var lines []line
	for _, group := range all {
		slices.SortStableFunc(group, func(a, b line) int { return cmp.Compare(a.predicted[0], b.predicted[0]) })
		for _, l := range group {
			star := ""
			if l.recommended {
				star = " *"
			}
			fmt.Fprintf(w, "| %s | %s%s | %.3g | %.0f | %s | %.2g | %.2g | %.0f | %s |\n", l.target, l.surrogate, star, l.condition, l.predicted[0], count(l.observed[0]),
				l.predictedRate, l.observeRate, l.predicted[1], count(l.observed[1]))
		}
		lines = append(lines, group...)
	}
	fmt.Fprintln(w)
	for k, method := range []string{"sngd", "nlbfgs"} {
		right, pairs := 0, 0
		for _, group := range all {
			r, n := agreeing(group, k)
			right, pairs = right+r, pairs+n
		}
		fmt.Fprintf(w, "- %s: rank correlation (Spearman) of predicted with observed iterations over all %d surrogates %.3f; of %d pairs of surrogates of one target\n"+
			"  whose predictions differ by a fifth or more, %d are in the predicted order.\n", method, len(lines), spearman(lines, k), pairs, right)
	}
	best, groups := 0, 0
	for _, group := range all {
		if len(group) < 2 {
			continue
		}
		groups++
		least := slices.MinFunc(group, func(a, b line) int { return cmp.Compare(a.observed[1], b.observed[1]) }).observed[1]
		for _, l := range group {
			if l.recommended && l.observed[1] <= 1.2*least+1 {
				best++
			}
		}
	}
	_, err := fmt.Fprintf(w, "- The surrogate that is recommended took at most a fifth and one iteration of nlbfgs more than the fastest one in %d of %d experiments.\n", best, groups)
	return err
}

func count(x float64) string {
	if math.IsInf(x, 1) {
		return "-"
	}
	return fmt.Sprintf("%.0f", x)
}

// agreeing counts the pairs whose predictions differ by a fifth or more, and those of which the observations are in the same order.
func agreeing(group []line, k int) (right, pairs int) {
	for i, a := range group {
		for _, b := range group[:i] {
			low, high := a, b
			if low.predicted[k] > high.predicted[k] {
				low, high = high, low
			}
			if high.predicted[k] < 1.2*low.predicted[k] {
				continue
			}
			pairs++
			if low.observed[k] < high.observed[k] {
				right++
			}
		}
	}
	return right, pairs
}

// spearman is the correlation of ranks.
func spearman(lines []line, k int) float64 {
	var x, y []float64
	for _, l := range lines {
		x, y = append(x, l.predicted[k]), append(y, l.observed[k])
	}
	return stat.Correlation(ranks(x), ranks(y), nil)
}

// ranks are those of numbers, with means of ranks where several are the same.
func ranks(x []float64) []float64 {
	out := make([]float64, len(x))
	for i, a := range x {
		less, same := 0, 0
		for _, b := range x {
			switch {
			case b < a:
				less++
			case b == a:
				same++
			}
		}
		out[i] = float64(less) + float64(same+1)/2
	}
	return out
}
