package estimate_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	goruntime "runtime"
	"slices"
	"strings"
	"testing"

	"github.com/sngdgen/sngdgen/internal/fitfixture"
	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/estimate"
	"github.com/sngdgen/sngdgen/runtime/types"
)

// skewed draws rows of a skew-normal distribution.
func skewed(t testing.TB, d, n int) *fitfixture.SkewNormal {
	t.Helper()
	m := new(fitfixture.SkewNormal)
	eta := make([]float64, d)
	for i := range eta {
		eta[i] = float64(2 - i)
	}
	draws, err := estimate.Sample(m, estimate.SampleRequest{Rows: n, Seed: 5, Set: []estimate.Value{
		{Name: "eta", Shape: []int{d}, Entries: eta}, {Name: "xi", Value: 3}, {Name: "Omega", Value: 2},
	}})
	if err != nil {
		t.Fatal(err)
	}
	return fitfixture.NewSkewNormal(runtime.Data{Values: draws.Values, Columns: d})
}

func TestShapedReport(t *testing.T) {
	rep, err := estimate.Find(context.Background(), skewed(t, 3, 1000), estimate.Settings{Level: 0.95})
	if err != nil {
		t.Fatal(err)
	}
	if !rep.Converged || rep.Method != "nlbfgs" || rep.N != 1000 {
		t.Errorf("%+v", rep)
	}
	if rep.Free != 3+6+3 {
		t.Errorf("%d free parameters", rep.Free)
	}
	near(t, "aic", float64(rep.AIC), 2*12-2*float64(rep.LogLikelihood), 1e-14)
	near(t, "bic", float64(rep.BIC), 12*math.Log(1000)-2*float64(rep.LogLikelihood), 1e-14)
	if len(rep.Warnings) > 0 {
		t.Errorf("%q", rep.Warnings)
	}
	// All default starts were run, and each is accounted for.
	var from []int
	for _, o := range rep.Optima {
		from = append(from, o.Starts...)
		if len(o.Starts) != o.Count || o.Start != o.Starts[0] {
			t.Errorf("%+v", o)
		}
	}
	// There are 13 of them, and 24 more as they do not agree.
	if slices.Sort(from); len(from) != 37 || from[0] != 0 || from[36] != 36 || len(rep.Optima) < 2 {
		t.Errorf("optima from the starts %v", from)
	}
	text, err := json.Marshal(rep)
	if err != nil {
		t.Fatal(err)
	}
	var back struct {
		Dimensions map[string]int
		Parameters struct {
			Xi, Eta []float64
			Omega   [][]float64
		}
		Errors struct {
			Xi, Eta []float64
			Omega   [][]float64
		} `json:"standard_errors"`
		Intervals struct {
			Xi, Eta [][2]float64
			Omega   [][][2]float64
		}
	}
	if err := json.Unmarshal(text, &back); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	p := back.Parameters
	if back.Dimensions["d"] != 3 || len(p.Xi) != 3 || len(p.Omega) != 3 || len(p.Omega[2]) != 3 {
		t.Errorf("%+v", back)
	}
	e, is := back.Errors, back.Intervals
	if len(e.Xi) != 3 || len(e.Omega[2]) != 3 || math.Abs(e.Omega[1][0]/e.Omega[0][1]-1) > 1e-6 || !(e.Eta[2] > 0) {
		t.Errorf("%+v", e)
	}
	if len(is.Eta) != 3 || !(is.Omega[2][1][0] < p.Omega[2][1]) || !(is.Omega[2][1][1] > p.Omega[2][1]) {
		t.Errorf("%+v", is)
	}
	if p.Omega[0][1] != p.Omega[1][0] || p.Omega[1][0] != rep.Estimate[1].Entries[3] || math.Abs(p.Xi[0]-3) > 0.5 {
		t.Errorf("%+v", p)
	}
}

// One number of processors or many: the same report, starts that are random among them.
func TestShapedDeterministic(t *testing.T) {
	m := skewed(t, 2, 300)
	var first string
	for _, workers := range []int{1, 4, 3} {
		defer goruntime.GOMAXPROCS(goruntime.GOMAXPROCS(workers))
		rep, err := estimate.Find(context.Background(), m, estimate.Settings{Starts: 9, Seed: 4})
		if err != nil {
			t.Fatal(err)
		}
		rep.Seconds = 0
		text, _ := json.Marshal(rep)
		if first == "" {
			first = string(text)
		}
		if string(text) != first {
			t.Errorf("with %d workers\n%s\n%s", workers, first, text)
		}
	}
}

// TestShapedMethods: the methods in unconstrained coordinates end where natural L-BFGS does, with every root.
func TestShapedMethods(t *testing.T) {
	m := skewed(t, 2, 300)
	want, err := estimate.Find(context.Background(), m, estimate.Settings{Starts: 1})
	if err != nil || !want.Converged {
		t.Fatal(want, err)
	}
	requests := []estimate.Settings{
		{Method: "sngd", GradientTolerance: 1e-7},
		{Method: "adam", Stochastic: estimate.Stochastic{Rate: 0.01, Schedule: "cosine"}},
		{Method: "adam", Root: "precision-root", Stochastic: estimate.Stochastic{Rate: 0.01, Schedule: "cosine"}},
		{Method: "gd", GradientTolerance: 1e-6, LineSearch: "backtracking"},
	}
	for _, method := range []string{"bfgs", "lbfgs", "cg"} {
		for _, root := range append(estimate.Roots, "") {
			requests = append(requests, estimate.Settings{Method: method, Root: root, GradientTolerance: 1e-8})
		}
	}
	for _, r := range requests {
		r.Starts = 1
		rep, err := estimate.Find(context.Background(), m, r)
		if err != nil {
			t.Fatalf("%s %s: %v", r.Method, r.Root, err)
		}
		t.Logf("%s %s: %v, %d iterations", r.Method, r.Root, rep.Status, rep.Iterations)
		if !rep.Complete() {
			t.Errorf("%s %s: %v %q", r.Method, r.Root, rep.Status, rep.Message)
		}
		near(t, r.Method+" "+r.Root, float64(rep.Loss), float64(want.Loss), 1e-9)
	}
	for method, want := range map[string]string{
		"newton": "method newton needs second derivatives, which skewnormal does not offer: choose bfgs or nlbfgs",
		"ngd":    "method ngd needs the Fisher matrix of the target, which skewnormal does not offer",
		"ngd-g":  "method ngd-g needs the Fisher matrix of the target, which skewnormal does not offer",
	} {
		if _, err := estimate.Find(context.Background(), m, estimate.Settings{Method: method}); err == nil || err.Error() != want {
			t.Errorf("%s: %v", method, err)
		}
	}
	_, err = estimate.Find(context.Background(), bare{m}, estimate.Settings{Method: "bfgs"})
	if err == nil || err.Error() != "method bfgs is not available: baseline: the model skewnormal does not give its loss as a "+
		"function of its parameters; choose sngd or nlbfgs" {
		t.Error(err)
	}
}

// bare hides everything that a model offers beyond the interface.
type bare struct{ runtime.Model }

// halfNormal has data that are half normal in one direction: every eta that is long enough is beaten by a longer one.
func halfNormal() *fitfixture.SkewNormal {
	rng := rand.New(rand.NewPCG(1, 2))
	const n, d = 100, 2
	x := make([]float64, n*d)
	for i := range n {
		x[i*d], x[i*d+1] = math.Abs(rng.NormFloat64()), rng.NormFloat64()
	}
	return fitfixture.NewSkewNormal(runtime.Data{Values: x, Columns: d})
}

// TestShapedAtInfinity, by a method that looks for it by itself and by others. (Methods without curvature do not come near
// within 10,000 iterations.)
func TestShapedAtInfinity(t *testing.T) {
	for _, r := range []estimate.Settings{
		{Starts: 5}, {Starts: 5, Method: "bfgs"}, {Starts: 5, Method: "lbfgs", Root: "precision-root", MaxIterations: 2000},
	} {
		rep, err := estimate.Find(context.Background(), halfNormal(), r)
		if err != nil {
			t.Fatal(err)
		}
		want := "the likelihood has no maximum: it still rises, ever more slowly, as the length of eta goes to infinity; " +
			"from its start to its end the length of eta went from "
		if rep.Status != runtime.AtInfinity || rep.Converged || rep.Complete() || !strings.HasPrefix(rep.Message, want) {
			t.Errorf("%s: %v %q after %d iterations", rep.Method, rep.Status, rep.Message, rep.Iterations)
		}
		t.Logf("%s: %d iterations, loss %v, %q", rep.Method, rep.Iterations, rep.Loss, rep.Warnings)
		if r.Method == "" && rep.Iterations > 2000 {
			t.Errorf("%d iterations", rep.Iterations)
		}
	}
}

// TestFiniteMaximumNextToInfinity: more starts find a maximum of these data, with an eta of moderate length. It is chosen, and
// the report says that the likelihood is higher at infinity.
func TestFiniteMaximumNextToInfinity(t *testing.T) {
	rep, err := estimate.Find(t.Context(), halfNormal(), estimate.Settings{})
	if err != nil || !rep.Converged || rep.StdErr == nil {
		t.Fatalf("%+v, %v", rep, err)
	}
	if text := strings.Join(rep.Warnings, "\n"); !strings.Contains(text, "ended at a higher likelihood, but at no maximum") {
		t.Error(text)
	}
}

// TestScheduledNearInfinity: where scheduled steps end says nothing about the likelihood, so that it is a warning only.
func TestScheduledNearInfinity(t *testing.T) {
	r := estimate.Settings{Starts: 1, Method: "adam", Stochastic: estimate.Stochastic{Steps: 3000, Rate: 3}}
	rep, err := estimate.Find(context.Background(), halfNormal(), r)
	if err != nil {
		t.Fatal(err)
	}
	want := "where the steps ended the loss stays the same as the length of eta goes to infinity: the estimate is at infinity, " +
		"or steps were too long"
	if !rep.Complete() || !slices.Contains(rep.Warnings, want) {
		t.Errorf("%v, %q, eta = %v", rep.Status, rep.Warnings, rep.Estimate[2].Entries)
	}
}

// TestShapedSingular: a positive definite matrix that is singular but for rounding is no estimate.
func TestShapedSingular(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	var x []float64
	for range 50 {
		a, b := rng.NormFloat64(), rng.NormFloat64()
		x = append(x, a, b, a+b)
	}
	rep, err := estimate.Find(context.Background(), fitfixture.NewSkewNormal(runtime.Data{Values: x, Columns: 3}), estimate.Settings{})
	want := "the likelihood has no maximum: it grows without bound as Omega becomes singular"
	if err != nil || rep.Status != runtime.AtInfinity || rep.Converged || rep.Message != want {
		t.Errorf("%+v, %v", rep, err)
	}
	// Nearly so is another matter, at any scale.
	for i := range x {
		x[i] = x[i]*[]float64{1e8, 1, 1e-8}[i%3] + []float64{0, 0, 1e-11}[i%3]*rng.NormFloat64()
	}
	rep, err = estimate.Find(context.Background(), fitfixture.NewSkewNormal(runtime.Data{Values: x, Columns: 3}), estimate.Settings{})
	if err == nil && rep.Status == runtime.AtInfinity && rep.Message == want {
		t.Errorf("%+v, %v", rep, err)
	}
}

// Symmetric data: an eta of 0 is no estimate at infinity, though longer ones of the same direction cost nothing.
func TestShapedAtZero(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	const n, d = 200, 2
	x := make([]float64, 0, 2*n*d)
	for range n {
		a, b := rng.NormFloat64(), rng.NormFloat64()
		x = append(x, a, b, -a, -b)
	}
	m := fitfixture.NewSkewNormal(runtime.Data{Values: x, Columns: d})
	rep, err := estimate.Find(context.Background(), m, estimate.Settings{MaxIterations: 3000})
	if err != nil {
		t.Fatal(err)
	}
	if rep.Status == runtime.AtInfinity {
		t.Errorf("%v %q", rep.Status, rep.Message)
	}
}

func TestSample(t *testing.T) {
	m := new(fitfixture.SkewNormal)
	number := func(name string, x float64) estimate.Value { return estimate.Value{Name: name, Value: x} }
	vector := func(name string, x ...float64) estimate.Value {
		return estimate.Value{Name: name, Shape: []int{len(x)}, Entries: x}
	}
	square := func(name string, x ...float64) estimate.Value {
		d := int(math.Sqrt(float64(len(x))))
		return estimate.Value{Name: name, Shape: []int{d, d}, Entries: x}
	}
	for _, c := range []struct {
		set  []estimate.Value
		want string // an error
		wide int
	}{
		{[]estimate.Value{number("d", 3)}, "", 3},
		{[]estimate.Value{vector("xi", 1, 2)}, "", 2},
		{[]estimate.Value{vector("xi", 1, 2), number("Omega", 3), square("Omega", 2, 1, 1, 2)}, "", 2},
		{[]estimate.Value{number("xi", 1)}, "the dimension d has no length: set it, as in d=10", 0},
		{[]estimate.Value{number("d", 2.5)}, "d is a dimension: its value must be a whole number, 1 or more", 0},
		{[]estimate.Value{number("d", 0)}, "d is a dimension: its value must be a whole number, 1 or more", 0},
		{[]estimate.Value{number("d", 2), vector("xi", 1, 2, 3)}, "the dimension d is 3 by xi, but 2 by another value", 0},
		{[]estimate.Value{number("d", 2), number("nu", 2)},
			`skew normal has no parameter "nu": it has xi (vector(d)), Omega (spd(d)), eta (vector(d)), d`, 0},
		{[]estimate.Value{number("d", 2), square("xi", 1, 2, 3, 4)}, "xi is a vector of 2, the value is a matrix of 2 x 2", 0},
		{[]estimate.Value{square("Omega", 1, 2, 2, 1)}, "Omega is not positive definite", 0},
		{[]estimate.Value{square("Omega", 1, 0.5, 0.25, 1)}, "Omega is not symmetric: entries 2,1 and 1,2 are 0.25 and 0.5", 0},
		{[]estimate.Value{vector("eta", 1, math.Inf(1))}, "eta = +Inf is not a finite number", 0},
	} {
		draws, err := estimate.Sample(m, estimate.SampleRequest{Rows: 4, Seed: 1, Set: c.set})
		if got := fmt.Sprint(err); c.want != "" && got != c.want {
			t.Errorf("%v: %s", c.set, got)
		}
		if c.want == "" && (err != nil || len(draws.Columns) != c.wide || len(draws.Values) != 4*c.wide) {
			t.Errorf("%v: %v, %v", c.set, draws, err)
		}
	}
	a, err := estimate.Sample(m, estimate.SampleRequest{Rows: 2, Seed: 7, Fallback: 2})
	b, _ := estimate.Sample(m, estimate.SampleRequest{Rows: 2, Seed: 7, Fallback: 2})
	if err != nil || !slices.Equal(a.Values, b.Values) || strings.Join(a.Columns, " ") != "x1 x2" {
		t.Errorf("%v %v %v", a, b, err)
	}
	if _, err := estimate.Sample(sheep(), estimate.SampleRequest{Rows: 1}); err == nil ||
		err.Error() != "the spec of negative binomial does not say how to draw from it\nhint: add sample: to negative binomial, with random numbers under "+
			"noise, such as noise: {u: uniform}, and x as a formula of them and the parameters" {
		t.Error(err)
	}
	if _, err := estimate.Sample(m, estimate.SampleRequest{Fallback: 1}); err == nil || err.Error() != "the number of rows must be positive" {
		t.Error(err)
	}
	if _, err := estimate.Sample(m, estimate.SampleRequest{Rows: 1 << 28, Fallback: 2}); err == nil ||
		err.Error() != "268435456 draws of 2 numbers are more than there is memory for: at most 268435456 numbers" {
		t.Error(err)
	}
}

// Models that would not fit into memory are refused before they are made.
func TestRoom(t *testing.T) {
	matrix := runtime.Parameter{Name: "Omega", Type: types.SPD.Of(types.Real), Shape: []runtime.Dim{{Name: "d"}, {Name: "d"}}}
	info := &runtime.Info{
		Dims: []string{"d"}, Parameters: []runtime.Parameter{matrix},
		Variable: runtime.Parameter{Name: "x", Type: types.Vector.Of(types.Real), Shape: []runtime.Dim{{Name: "d"}}},
	}
	for columns, ok := range map[int]bool{0: true, 1: true, 11585: true, 11586: false, 1 << 30: false} {
		if err := estimate.Room(info, columns, 1); (err == nil) != ok {
			t.Errorf("%d columns: %v", columns, err)
		}
	}
	info.Parameters = nil // a block of observations is what takes memory then
	for columns, ok := range map[int]bool{1: true, 1 << 19: true, 1<<19 + 1: false} {
		if err := estimate.Room(info, columns, 1); (err == nil) != ok {
			t.Errorf("%d columns of vectors: %v", columns, err)
		}
	}
}
