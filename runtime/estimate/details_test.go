package estimate_test

import (
	"encoding/json"
	"math"
	"reflect"
	goruntime "runtime"
	"testing"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/sngdgen/sngdgen/generated"
	"github.com/sngdgen/sngdgen/runtime"
	_ "github.com/sngdgen/sngdgen/runtime/baseline/general"
	"github.com/sngdgen/sngdgen/runtime/estimate"
)

// two are numbers in two groups.
func two(n int) []float64 {
	rng := runtime.Stream(3, "two")
	x := make([]float64, n)
	for i := range x {
		x[i] = rng.NormFloat64() + 4*float64(i%2)
	}
	return x
}

func loaded(t *testing.T, name string, x []float64, columns, components int) runtime.Model {
	t.Helper()
	model, ok := generated.Lookup(name)
	if !ok {
		t.Fatalf("no package %s", name)
	}
	m := model()
	if err := estimate.Load(m, runtime.Data{Values: x, Columns: columns}, components); err != nil {
		t.Fatal(err)
	}
	return m
}

// withoutSeconds is a report as JSON, which has no details, without its time.
func withoutSeconds(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	var m map[string]any
	if err := json.Unmarshal(text, &m); err != nil {
		t.Fatal(err)
	}
	delete(m, "seconds")
	if text, err = json.Marshal(m); err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestDetailsChangeNothing: what is asked for beside a report does not change it, whatever the method: recording takes no look at the
// domain that would not be taken anyway, and no random number.
func TestDetailsChangeNothing(t *testing.T) {
	x := two(60)
	plain := loaded(t, "studentt", x, 1, 0)
	mixture := loaded(t, "normalmix", x, 1, 2)
	for name, c := range map[string]struct {
		m runtime.Model
		s estimate.Settings
	}{
		"loop":     {plain, estimate.Settings{Starts: 4}},
		"sngd":     {plain, estimate.Settings{Method: "sngd"}},
		"bfgs":     {plain, estimate.Settings{Method: "bfgs", Starts: 2}},
		"batches":  {plain, estimate.Settings{Method: "sngd", Stochastic: estimate.Stochastic{Batch: 7, Steps: 333}}},
		"adam":     {plain, estimate.Settings{Method: "adam", Stochastic: estimate.Stochastic{Batch: 7, Steps: 95}}},
		"far":      {plain, estimate.Settings{Method: "sngd", Stochastic: estimate.Stochastic{Steps: 300, Rate: 1.5, Batch: 2, Schedule: "constant"}}},
		"search":   {mixture, estimate.Settings{Components: 2}},
		"counted":  {mixture, estimate.Settings{Components: 2, Starts: 3}},
		"mixbatch": {mixture, estimate.Settings{Components: 2, Stochastic: estimate.Stochastic{Batch: 20, Steps: 120}}},
	} {
		t.Run(name, func(t *testing.T) {
			with := c.s
			with.Details = estimate.DetailRequest{Trace: true, Rows: x[:5], Draws: 100}
			a, err := estimate.Fit(t.Context(), c.m, &c.s)
			b, err2 := estimate.Fit(t.Context(), c.m, &with)
			if a == nil || b == nil || (err == nil) != (err2 == nil) {
				t.Fatalf("%v, %v", err, err2)
			}
			if one, other := withoutSeconds(t, a), withoutSeconds(t, b); one != other {
				t.Errorf("without details\n%s\nwith\n%s", one, other)
			}
			if name == "far" && a.Course.RollBacks == 0 {
				t.Error("the steps are not far enough to leave the domain")
			}
			if a.Details != nil || len(b.Details.Runs) == 0 {
				t.Errorf("details %v and %v", a.Details, b.Details)
			}
		})
	}
}

// TestDetailsChangeNoPosterior is the same of posteriors.
func TestDetailsChangeNoPosterior(t *testing.T) {
	rng := runtime.Stream(5, "rows")
	var x []float64
	for range 80 {
		u := rng.NormFloat64()
		y := 0.0
		if rng.Float64() < 1/(1+math.Exp(-u)) {
			y = 1
		}
		x = append(x, 1, u, y)
	}
	for name, c := range map[string]struct {
		problem string
		s       estimate.Settings
	}{
		"exact": {"logistic", estimate.Settings{}},
		"saa":   {"logistic", estimate.Settings{Method: "saa", Starts: 2}},
		"sngd":  {"logistic", estimate.Settings{Method: "sngd"}},
		"steps": {"logistic", estimate.Settings{Method: "sngd", Stochastic: estimate.Stochastic{Steps: 137, Batch: 20}}},
		"skew":  {"logisticskew", estimate.Settings{Variational: estimate.Variational{Draws: 20}}},
	} {
		t.Run(name, func(t *testing.T) {
			m := loaded(t, c.problem, x, 3, 0).(runtime.Variational)
			with := c.s
			with.Details.Trace = true
			a, err := estimate.Approximate(t.Context(), m, &c.s)
			b, err2 := estimate.Approximate(t.Context(), m, &with)
			if a == nil || b == nil {
				t.Fatalf("%v, %v", err, err2)
			}
			if one, other := withoutSeconds(t, a), withoutSeconds(t, b); one != other {
				t.Errorf("without a trace\n%s\nwith\n%s", one, other)
			}
			if len(b.Runs) == 0 {
				t.Error("no runs")
			}
			last := b.Runs[len(b.Runs)-1].Points
			if bound := -last[len(last)-1].Loss; !(math.Abs(bound-float64(b.ELBO.Mean)) < 1) {
				t.Errorf("the course ends at %v, the bound is %v", bound, b.ELBO.Mean)
			}
		})
	}
}

// TestTrace: the course of the run that led to the estimate ends at its loss, all starts of the report have one, and what is recorded
// does not depend on how many of them run at a time.
func TestTrace(t *testing.T) {
	for name, s := range map[string]*estimate.Settings{
		"starts": {Starts: 5, Details: estimate.DetailRequest{Trace: true}},
		"search": {Components: 3, Details: estimate.DetailRequest{Trace: true}},
	} {
		t.Run(name, func(t *testing.T) {
			m := loaded(t, "normalmix", two(80), 1, 3)
			s.Components = 3
			fit := func(processors int) *estimate.Report {
				defer goruntime.GOMAXPROCS(goruntime.GOMAXPROCS(processors))
				r, err := estimate.Fit(t.Context(), m, s)
				if r == nil {
					t.Fatal(err)
				}
				for i := range r.Details.Runs {
					for k := range r.Details.Runs[i].Points {
						r.Details.Runs[i].Points[k].Seconds = 0
					}
				}
				return r
			}
			r := fit(1)
			if other := fit(4); !reflect.DeepEqual(r.Details.Runs, other.Details.Runs) {
				t.Error("what is recorded depends on the number of processors")
			}
			starts, least := map[int]bool{}, math.Inf(1)
			for _, run := range r.Details.Runs {
				starts[run.Start] = true
				for i, p := range run.Points {
					if p.Iteration != i {
						t.Fatalf("start %d: iteration %d at place %d", run.Start, p.Iteration, i)
					}
				}
				if run.Start == r.Start {
					least = math.Min(least, run.Points[len(run.Points)-1].Loss)
				}
			}
			if math.Abs(least-float64(r.Loss)) > 1e-12*(1+math.Abs(least)) {
				t.Errorf("the course ends at %v, the report has %v", least, r.Loss)
			}
			for _, o := range r.Optima {
				for _, start := range o.Starts {
					if !starts[start] {
						t.Errorf("no course of start %d", start)
					}
				}
			}
		})
	}
}

// TestScoreRows: the log-densities of the data add up to the log-likelihood; at other rows they are those of the distribution,
// and shares are those of Bayes' theorem.
func TestScoreRows(t *testing.T) {
	x := two(50)
	m := loaded(t, "normalmix", x, 1, 2)
	r, err := estimate.Fit(t.Context(), m, &estimate.Settings{Components: 2, Details: estimate.DetailRequest{Rows: append([]float64{-3, 1.7, 1.7, 40}, x...)}})
	if err != nil {
		t.Fatal(err)
	}
	w, mu, s2 := r.Estimate[0].Entries, r.Estimate[1].Entries, r.Estimate[2].Entries
	d := &r.Details.Density
	sum := 0.0
	for _, l := range d.Log[4:] {
		sum += l
	}
	if math.Abs(sum-float64(r.LogLikelihood)) > 1e-10*math.Abs(sum) {
		t.Errorf("sum %v, log-likelihood %v", sum, r.LogLikelihood)
	}
	for i, at := range append([]float64{-3, 1.7, 1.7, 40}, x...) {
		parts, whole := make([]float64, 2), 0.0
		for c := range parts {
			parts[c] = w[c] * distuv.Normal{Mu: mu[c], Sigma: math.Sqrt(s2[c])}.Prob(at)
			whole += parts[c]
		}
		if at == 40 { // probabilities this small are 0
			continue
		}
		if math.Abs(math.Exp(d.Log[i])-whole) > 1e-10*whole {
			t.Errorf("density at %v: %v, want %v", at, math.Exp(d.Log[i]), whole)
		}
		for c := range parts {
			if math.Abs(d.Shares[2*i+c]-parts[c]/whole) > 1e-9 {
				t.Errorf("share of %d at %v: %v, want %v", c, at, d.Shares[2*i+c], parts[c]/whole)
			}
		}
	}
	if _, err := estimate.ScoreRows(t.Context(), m, r.Theta(), []float64{math.NaN()}); err == nil {
		t.Error("the density of what is no number")
	}
	if _, err := estimate.ScoreRows(t.Context(), m, r.Theta(), make([]float64, 1<<20)); err == nil {
		t.Error("no limit of the number of rows")
	}
}

// TestProfile: the profile likelihood of the mean of a normal distribution is -n/2 log(s^2 + (mean - mu)^2) but for a constant, that of
// the variance v is -n/2 (log v + s^2/v); the ends of the interval are those of the likelihood ratio, which of the mean are known.
func TestProfile(t *testing.T) {
	x := two(30)
	m := loaded(t, "normal", x, 1, 0)
	r, err := estimate.Fit(t.Context(), m, &estimate.Settings{Details: estimate.DetailRequest{Profile: []string{"mu", "sigma2", "nu"}}})
	if err != nil {
		t.Fatal(err)
	}
	n := float64(len(x))
	mean, s2 := stat.PopMeanVariance(x, nil)
	constant := -n / 2 * (1 + math.Log(2*math.Pi))
	want := []func(v float64) float64{
		func(mu float64) float64 { return constant - n/2*math.Log(s2+(mean-mu)*(mean-mu)) },
		func(v float64) float64 { return constant + n/2 - n/2*(math.Log(v)+s2/v) },
	}
	if len(r.Details.Profiles) != 2 || len(r.Details.Notes) != 1 {
		t.Fatalf("%d profiles, notes %q", len(r.Details.Profiles), r.Details.Notes)
	}
	for i, p := range r.Details.Profiles {
		if len(p.Values) < 10 || p.Unfinished > 0 {
			t.Errorf("%s: %d values, %d left out", p.Name, len(p.Values), p.Unfinished)
		}
		for k, v := range p.Values {
			if w := want[i](v); math.Abs(p.LogLikelihood[k]-w) > 1e-9*math.Abs(w) {
				t.Errorf("%s = %v: %v, want %v", p.Name, v, p.LogLikelihood[k], w)
			}
		}
		chi := distuv.ChiSquared{K: 1}.Quantile(0.95) / 2
		for _, end := range []float64{p.Low, p.High} {
			if fall := p.Maximum - want[i](end); math.Abs(fall-chi) > 0.01 {
				t.Errorf("%s: the likelihood falls by %v at %v, want %v", p.Name, fall, end, chi)
			}
		}
	}
	half := math.Sqrt(s2 * (math.Exp(distuv.ChiSquared{K: 1}.Quantile(0.95)/n) - 1))
	if p := r.Details.Profiles[0]; math.Abs(p.High-mean-half) > 0.002*half || math.Abs(mean-p.Low-half) > 0.002*half {
		t.Errorf("%v to %v, want %v to %v", p.Low, p.High, mean-half, mean+half)
	}
}

// TestProfileOfEntries: entries of vectors have a profile, those of matrices have none, which is said.
func TestProfileOfEntries(t *testing.T) {
	x := two(60)
	m := loaded(t, "mvnormal", x, 2, 0)
	r, err := estimate.Fit(t.Context(), m, &estimate.Settings{Details: estimate.DetailRequest{Profile: []string{"mu[2]", "Sigma[1;1]", "mu[3]"}}})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Details.Profiles) != 1 || len(r.Details.Notes) != 2 {
		t.Fatalf("%d profiles, notes %q", len(r.Details.Profiles), r.Details.Notes)
	}
	p := r.Details.Profiles[0]
	half := halfWidth(t, r, "mu")
	// Of one mean among two the profile is that of a t distribution in n - 1 of n degrees, close to the normal interval at n = 30.
	if math.Abs((p.High-p.Low)/(2*half)-1) > 0.1 {
		t.Errorf("%v to %v, want about %v on both sides", p.Low, p.High, half)
	}
}

// halfWidth is half the width of the interval of the second entry of a parameter.
func halfWidth(t *testing.T, r *estimate.Report, name string) float64 {
	t.Helper()
	for _, i := range r.Interval {
		if i.Name == name {
			return (i.Highs[1] - i.Lows[1]) / 2
		}
	}
	t.Fatalf("no interval of %s", name)
	return 0
}
