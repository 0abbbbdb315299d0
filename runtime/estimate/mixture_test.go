package estimate_test

import (
	"context"
	"encoding/json"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/diff/fd"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/sngdgen/sngdgen/internal/fitfixture"
	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/estimate"
)

// mixed draws n numbers of a mixture of normal distributions.
func mixed(n int, weights, mu, sd []float64) []float64 {
	rng := rand.New(rand.NewPCG(11, 12))
	x := make([]float64, n)
	for i := range x {
		u, c := rng.Float64(), 0
		for u > weights[c] && c < len(weights)-1 {
			u -= weights[c]
			c++
		}
		x[i] = mu[c] + sd[c]*rng.NormFloat64()
	}
	return x
}

func threeMixed() []float64 {
	return mixed(500, []float64{0.5, 0.2, 0.3}, []float64{7, -1, 2}, []float64{1, 0.5, 0.8})
}

// normals are a mixture, by definition.
type normals struct{ w, mu, sigma2 []float64 }

func (m normals) density(c int, x float64) float64 {
	return m.w[c] * distuv.Normal{Mu: m.mu[c], Sigma: math.Sqrt(m.sigma2[c])}.Prob(x)
}

func (m normals) logLikelihood(x []float64) float64 {
	sum := 0.0
	for _, x := range x {
		p := 0.0
		for c := range m.w {
			p += m.density(c, x)
		}
		sum += math.Log(p)
	}
	return sum
}

// shares returns the posterior probabilities of the components, a row for each x.
func (m normals) shares(x []float64) [][]float64 {
	out := make([][]float64, len(x))
	for i := range x {
		p := 0.0
		for c := range m.w {
			out[i] = append(out[i], m.density(c, x[i]))
			p += out[i][c]
		}
		for c := range m.w {
			out[i][c] /= p
		}
	}
	return out
}

// coordinates are those of the fixture.
func (m normals) coordinates() []float64 {
	z := slices.Clone(m.w[:len(m.w)-1])
	for c, w := range m.w {
		z = append(z, w*m.mu[c])
	}
	for c, w := range m.w {
		z = append(z, w*(m.mu[c]*m.mu[c]+m.sigma2[c]))
	}
	return z
}

func reported(t testing.TB, rep *estimate.Report) normals {
	t.Helper()
	return normals{entriesOf(t, rep.Estimate, "weights"), entriesOf(t, rep.Estimate, "mu"), entriesOf(t, rep.Estimate, "sigma2")}
}

// placed is a mixture whose only start is a given point.
type placed struct {
	*fitfixture.Mixture
	at normals
}

func (p placed) Clone() runtime.Model { return placed{p.Mixture.Clone().(*fitfixture.Mixture), p.at} }

func (p placed) Start(z []float64, _ int, _ *rand.Rand) error {
	copy(z, p.at.coordinates())
	return nil
}

// reportAt is the report of a run that ends where it starts.
func reportAt(t testing.TB, at normals, data runtime.Data) *estimate.Report {
	t.Helper()
	m := placed{new(fitfixture.Mixture), at}
	rep, err := estimate.FindOn(context.Background(), m, data,
		estimate.Settings{Components: len(at.w), GradientTolerance: 1e300, Starts: 1})
	if err != nil {
		t.Fatal(err)
	}
	return rep
}

func runMixture(t testing.TB, x []float64, r estimate.Settings) *estimate.Report {
	t.Helper()
	rep, err := estimate.FindOn(context.Background(), new(fitfixture.Mixture), runtime.Data{Values: x}, r)
	if err != nil {
		t.Fatal(err)
	}
	return rep
}

// TestMixtureReport: what a report says of a mixture, against the definitions.
func TestMixtureReport(t *testing.T) {
	x := threeMixed()
	rep := runMixture(t, x, estimate.Settings{Components: 3, Level: 0.95})
	if !rep.Converged || rep.Free != 8 || len(rep.Warnings) > 0 || len(rep.Components) != 3 {
		t.Fatalf("%+v", rep)
	}
	m := reported(t, rep)
	if !slices.IsSorted(m.mu) {
		t.Errorf("means %v", m.mu)
	}
	ll, n := m.logLikelihood(x), 500.0
	near(t, "log-likelihood", float64(rep.LogLikelihood), ll, 1e-10)
	near(t, "AIC", float64(rep.AIC), 16-2*ll, 1e-10)
	near(t, "BIC", float64(rep.BIC), 8*math.Log(n)-2*ll, 1e-10)
	entropy, sizes, assigned := 0.0, make([]float64, 3), make([]float64, 3)
	for _, shares := range m.shares(x) {
		for c, r := range shares {
			entropy -= r * math.Log(r)
			sizes[c] += r
		}
		assigned[slices.Index(shares, slices.Max(shares))]++
	}
	near(t, "entropy", float64(rep.Entropy), entropy, 1e-8)
	near(t, "ICL", float64(rep.ICL), 8*math.Log(n)-2*ll+2*entropy, 1e-9)
	for c, got := range rep.Components {
		near(t, "rows", float64(got.Rows), sizes[c], 1e-9)
		near(t, "rows by weight", float64(got.Rows), n*m.w[c], 1e-6) // at an optimum
		near(t, "mean", float64(got.Mean), m.mu[c], 1e-6)
		if float64(got.Assigned) != assigned[c] || got.Weight != m.w[c] || got.Note != "" {
			t.Errorf("%+v, want %v assigned", got, assigned[c])
		}
	}
}

// TestMixtureErrors: standard errors against second derivatives of the definition in the free parameters, by differences.
func TestMixtureErrors(t *testing.T) {
	x := threeMixed()
	for _, method := range []string{"nlbfgs", "bfgs"} {
		rep := runMixture(t, x, estimate.Settings{Components: 3, Level: 0.95, Method: method})
		m := reported(t, rep)
		at := slices.Concat(m.w[:2], m.mu, m.sigma2)
		want := curvatureErrors(t, func(u []float64) float64 {
			w := []float64{u[0], u[1], 1 - u[0] - u[1]}
			return -normals{w, u[2:5], u[5:8]}.logLikelihood(x)
		}, at)
		got := slices.Concat(entriesOf(t, rep.StdErr, "weights")[:2], entriesOf(t, rep.StdErr, "mu"),
			entriesOf(t, rep.StdErr, "sigma2"))
		for i := range got {
			near(t, method, got[i], want[i], 2e-4)
		}
		near(t, "last weight", entriesOf(t, rep.StdErr, "weights")[2], lastWeight(t, m, x), 2e-4)
		is := rep.Interval[2]
		half := 1.959963984540054 * want[5] / m.sigma2[0]
		near(t, "interval", is.Highs[0], m.sigma2[0]*math.Exp(half), 1e-3)
		if !slices.Equal(is.Shape, []int{3}) {
			t.Errorf("%+v", is)
		}
	}
}

// lastWeight is the standard error of the last weight, where the first two are the free ones: the square root of the sum of
// their covariances.
func lastWeight(t testing.TB, m normals, x []float64) float64 {
	h := mat.NewSymDense(8, nil)
	fd.Hessian(h, func(u []float64) float64 {
		return -normals{[]float64{u[0], u[1], 1 - u[0] - u[1]}, u[2:5], u[5:8]}.logLikelihood(x)
	}, slices.Concat(m.w[:2], m.mu, m.sigma2), &fd.Settings{Step: 1e-3, Formula: fd.Central})
	var chol mat.Cholesky
	var inv mat.SymDense
	if !chol.Factorize(h) || chol.InverseTo(&inv) != nil {
		t.Fatal("no maximum")
	}
	return math.Sqrt(inv.At(0, 0) + 2*inv.At(0, 1) + inv.At(1, 1))
}

// TestComponentOrder: the report is the same in whatever order the components come, and says what that was.
func TestComponentOrder(t *testing.T) {
	x := threeMixed()
	fitted := reported(t, runMixture(t, x, estimate.Settings{Components: 3}))
	var first string
	for _, order := range [][]int{{0, 1, 2}, {2, 0, 1}, {1, 0, 2}} {
		var m normals
		for _, c := range order {
			m.w, m.mu, m.sigma2 = append(m.w, fitted.w[c]), append(m.mu, fitted.mu[c]), append(m.sigma2, fitted.sigma2[c])
		}
		rep, err := estimate.FindOn(context.Background(), placed{new(fitfixture.Mixture), m}, runtime.Data{Values: x},
			estimate.Settings{Components: 3, Starts: 1, GradientTolerance: 1e300})
		if err != nil {
			t.Fatal(err)
		}
		for i, c := range rep.Order { // the i-th of the report is at c in the model, where there is the order[c-1]-th
			if order[c-1] != i {
				t.Errorf("order %v of %v", rep.Order, order)
			}
		}
		got := reported(t, rep)
		for c := range 3 {
			near(t, "weight", got.w[c], fitted.w[c], 1e-12)
			near(t, "mu", got.mu[c], fitted.mu[c], 1e-12)
			near(t, "sigma2", got.sigma2[c], fitted.sigma2[c], 1e-10)
		}
		text, _ := json.Marshal(struct {
			Means []float64
			SE    int
		}{[]float64{math.Round(1e6 * float64(rep.Components[0].Mean))}, len(rep.StdErr)})
		if first == "" {
			first = string(text)
		}
		if string(text) != first {
			t.Errorf("%s, then %s", first, text)
		}
	}
}

// TestOptimaOfMixtures: runs that end in permutations of one mixture are one optimum; those that do not are not, whatever
// their losses.
func TestOptimaOfMixtures(t *testing.T) {
	rep := runMixture(t, threeMixed(), estimate.Settings{Components: 3, Starts: 20})
	starts := 0
	for i, o := range rep.Optima {
		starts += o.Count
		if i > 0 && !(o.Loss > rep.Optima[i-1].Loss) {
			t.Errorf("two optima of one loss: %v", rep.Optima)
		}
		m := normals{o.Estimate[0].Entries, o.Estimate[1].Entries, o.Estimate[2].Entries}
		near(t, "loss", float64(o.Loss), -m.logLikelihood(threeMixed())/500, 1e-10)
	}
	if starts != 20 || rep.Optima[0].Count < 10 {
		t.Errorf("%+v", rep.Optima)
	}
	// Data that are the same from left and right have mirrored optima of the same loss.
	x := mixed(200, []float64{0.5, 0.5}, []float64{0, 10}, []float64{1, 1})
	for _, v := range slices.Clone(x) {
		x = append(x, -v)
	}
	mirrored := 0
	rep = runMixture(t, x, estimate.Settings{Components: 2, Starts: 30})
	for i := 1; i < len(rep.Optima); i++ {
		if math.Abs(float64(rep.Optima[i].Loss-rep.Optima[i-1].Loss)) < 1e-10 {
			mirrored++
		}
	}
	if mirrored == 0 {
		t.Errorf("no mirrored optima among %d", len(rep.Optima))
	}
}

// TestNotes: components that are none are named.
func TestNotes(t *testing.T) {
	x := append(mixed(60, []float64{0.5, 0.5}, []float64{0, 6}, []float64{1, 1}), 30, 30, 30)
	for name, tc := range map[string]struct {
		at      normals
		notes   []string
		with    []int // of the first component
		warning string
	}{
		"none": {normals{[]float64{0.3, 0.4, 0.3}, []float64{0, 3, 6}, []float64{1, 100, 1}},
			[]string{"", "", ""}, nil, ""},
		"few": {normals{[]float64{0.5, 0.45, 0.05}, []float64{0, 6, 30}, []float64{1, 1, 500}},
			[]string{"", "", ""}, nil, "component 3 explains 3.35 rows only: a maximum that rests on fewer than 6 may be there by chance"},
		"died": {normals{[]float64{0.5, 0.499999, 1e-6}, []float64{0, 12, 3}, []float64{1, 100, 1}},
			[]string{"", estimate.Died, ""}, nil, "component 2 has died: it explains "},
		"collapsed": {normals{[]float64{0.45, 0.5, 0.05}, []float64{0, 6, 30}, []float64{1, 1, 1e-4}},
			[]string{"", "", estimate.Collapsed}, nil,
			"component 3 has collapsed onto the one value 30: if its scale can go to 0, the likelihood is unbounded there"},
		"coincide": {normals{[]float64{0.25, 0.3, 0.45}, []float64{0, 0, 15}, []float64{1, 1, 100}},
			[]string{estimate.Coincides, estimate.Coincides, ""}, []int{2},
			"components 1 and 2 coincide: their densities are the same on the data, where fewer would do"},
		"nearly": {normals{[]float64{0.25, 0.3, 0.45}, []float64{0, 1e-6, 15}, []float64{1, 1, 100}},
			[]string{estimate.Coincides, estimate.Coincides, ""}, []int{2}, "components 1 and 2 coincide"},
		"all": {normals{[]float64{0.25, 0.3, 0.45}, []float64{10, 10, 10}, []float64{100, 100, 100}},
			[]string{estimate.Coincides, estimate.Coincides, estimate.Coincides}, []int{2, 3}, "components 1, 2 and 3 coincide"},
	} {
		t.Run(name, func(t *testing.T) {
			rep := reportAt(t, tc.at, runtime.Data{Values: x})
			var notes []string
			for _, c := range rep.Components {
				notes = append(notes, c.Note)
			}
			if !slices.Equal(notes, tc.notes) || !slices.Equal(rep.Components[0].With, tc.with) {
				t.Errorf("%q of %+v", notes, rep.Components)
			}
			if text := strings.Join(rep.Warnings, "\n"); !strings.Contains(text, tc.warning) || tc.warning == "" && strings.Contains(text, "component") {
				t.Errorf("warnings %q", rep.Warnings)
			}
		})
	}
}

// TestWeightedComponents: a row of weight two is two rows.
func TestWeightedComponents(t *testing.T) {
	at := normals{[]float64{0.5, 0.5}, []float64{0, 3}, []float64{1, 2}}
	one := reportAt(t, at, runtime.Data{Values: []float64{0, 0, 1, 4, 9}})
	two := reportAt(t, at, runtime.Data{Values: []float64{0, 1, 4, 7, 9}, Weights: []float64{2, 1, 1, 0, 1}})
	for c := range 2 {
		near(t, "rows", float64(two.Components[c].Rows), float64(one.Components[c].Rows), 1e-14)
		near(t, "assigned", float64(two.Components[c].Assigned), float64(one.Components[c].Assigned), 1e-14)
		near(t, "mean", float64(two.Components[c].Mean), float64(one.Components[c].Mean), 1e-14)
	}
	near(t, "entropy", float64(two.Entropy), float64(one.Entropy), 1e-14)
}

// TestUnconstrainedComponents: methods that end in other coordinates than those of the surrogate say the same of them.
func TestUnconstrainedComponents(t *testing.T) {
	x := threeMixed()
	a, b := runMixture(t, x, estimate.Settings{Components: 3}), runMixture(t, x, estimate.Settings{Components: 3, Method: "bfgs"})
	for c := range 3 {
		near(t, "rows", float64(b.Components[c].Rows), float64(a.Components[c].Rows), 1e-6)
		near(t, "mean", float64(b.Components[c].Mean), float64(a.Components[c].Mean), 1e-6)
	}
	near(t, "ICL", float64(b.ICL), float64(a.ICL), 1e-7)
}

// TestFloor: the floor holds, the report says of what, and without one nothing is held.
func TestFloor(t *testing.T) {
	rep := runMixture(t, threeMixed(), estimate.Settings{Components: 3, WeightFloor: 0.25})
	m := reported(t, rep)
	if m.w[0] < 0.25*(1-1e-9) || m.w[0] > 0.25*(1+1e-6) || !rep.Components[0].Floored || rep.Components[1].Floored {
		t.Errorf("%v: %+v", m.w, rep.Components)
	}
	if len(rep.Warnings) != 2 || rep.Warnings[0] != "the floor of 0.25 holds the weight of component 1" || rep.WeightFloor != 0.25 {
		t.Errorf("%q", rep.Warnings)
	}
	if rep.StdErr != nil {
		t.Errorf("%+v", rep.StdErr)
	}
	for _, floor := range []float64{0, 0.1} {
		if rep := runMixture(t, threeMixed(), estimate.Settings{Components: 3, WeightFloor: floor}); rep.Components[0].Floored || rep.StdErr == nil {
			t.Errorf("floor %v: %+v", floor, rep)
		}
	}
}

// TestMixtureRequests: what cannot be done with a mixture, or with what is none.
func TestMixtureRequests(t *testing.T) {
	data := runtime.Data{Values: threeMixed()}
	for name, tc := range map[string]struct {
		m    runtime.Model
		r    estimate.Settings
		want string
	}{
		"no number":  {new(fitfixture.Mixture), estimate.Settings{}, "is a mixture, and nothing says of how many components\nhint: --components=3"},
		"no mixture": {new(fitfixture.NegBin), estimate.Settings{Components: 2}, "negbin is no mixture: it has no components to count"},
		"no weights": {new(fitfixture.NegBin), estimate.Settings{WeightFloor: 0.1}, "is no mixture: it has no weights"},
		"negative":   {new(fitfixture.Mixture), estimate.Settings{Components: -1}, "cannot be -1"},
		"high":       {new(fitfixture.Mixture), estimate.Settings{Components: 3, WeightFloor: 0.4}, "3 weights cannot all be above a floor of 0.4: it must be below 1/3"},
		"floor":      {new(fitfixture.Mixture), estimate.Settings{Components: 3, WeightFloor: -1}, "the floor -1 of the weights is not between 0 and 1"},
		"method":     {new(fitfixture.Mixture), estimate.Settings{Components: 3, WeightFloor: 0.1, Method: "bfgs"}, "a floor of the weights is for the methods sngd and nlbfgs"},
		"memory":     {new(fitfixture.Mixture), estimate.Settings{Components: 1 << 30}, "more than there is memory for"},
	} {
		t.Run(name, func(t *testing.T) {
			d := data
			if _, counts := tc.m.(*fitfixture.NegBin); counts {
				d = fitfixture.SheepData()
			}
			if _, err := estimate.FindOn(context.Background(), tc.m, d, tc.r); err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("%v, want %s", err, tc.want)
			}
		})
	}
}

// TestNumberOfComponents: the number in the settings is that of the model afterwards.
func TestNumberOfComponents(t *testing.T) {
	m := fitfixture.NewMixture(runtime.Data{Values: threeMixed()}, 2)
	rep, err := estimate.Find(context.Background(), m, estimate.Settings{Components: 3})
	if err != nil {
		t.Fatal(err)
	}
	w := entriesOf(t, rep.Estimate, "weights")
	if m.Components() != 3 || len(w) != 3 || !(rep.Components[0].Mean < rep.Components[1].Mean) {
		t.Errorf("%d, %v: %+v", m.Components(), w, rep.Components)
	}
}

// TestSampleMixtures draws with parameters given for each component, and for all.
func TestSampleMixtures(t *testing.T) {
	draw := func(components int, set ...estimate.Value) (*estimate.Draws, error) {
		return estimate.Sample(new(fitfixture.Mixture), estimate.SampleRequest{Rows: 4000, Seed: 3, Components: components, Set: set})
	}
	vector := func(name string, x ...float64) estimate.Value {
		return estimate.Value{Name: name, Shape: []int{len(x)}, Entries: x}
	}
	d, err := draw(0, vector("weights", 0.25, 0.75), vector("mu", -10, 30), estimate.Value{Name: "sigma2", Value: 4})
	if err != nil {
		t.Fatal(err)
	}
	var low, sum, squares float64
	for _, x := range d.Values {
		if x < 10 {
			low, sum, squares = low+1, sum+x, squares+(x+10)*(x+10)
		}
	}
	near(t, "weight", low/4000, 0.25, 0.1)
	near(t, "mu", sum/low, -10, 0.02)
	near(t, "sigma2", squares/low, 4, 0.2)
	if _, err := draw(3); err != nil {
		t.Errorf("all the same: %v", err)
	}
	if _, err := draw(0, estimate.Value{Name: "k", Value: 3}); err != nil {
		t.Errorf("by dimension: %v", err)
	}
	for want, args := range map[string][]estimate.Value{
		"is a mixture, and nothing says of how many components":   {},
		"the dimension k is 3 by mu, but 2 by another value":      {vector("weights", 0.5, 0.5), vector("mu", 1, 2, 3)},
		"component 2: sigma2 = -1 is not a finite number above 0": {vector("sigma2", 1, -1)},
		"weights sums to 1.4": {vector("weights", 0.5, 0.9)},
		"it has weights (simplex(k)), mu (real of each component),": {{Name: "k", Value: 2}, {Name: "nu", Value: 1}},
	} {
		if _, err := draw(0, args...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
