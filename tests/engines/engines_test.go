// Package engines compares models whose programs are interpreted with compiled ones: the same digits, the same fits.
package engines

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/sngdgen/sngdgen/generated"
	"github.com/sngdgen/sngdgen/internal/librarytest"
	_ "github.com/sngdgen/sngdgen/internal/testseed"
	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/estimate"
	"github.com/sngdgen/sngdgen/runtime/modeltest"
	"github.com/sngdgen/sngdgen/spec"
)

// ready gives a model its data.
func ready(t testing.TB, m runtime.Model, d runtime.Data) runtime.Model {
	t.Helper()
	if x, ok := m.(runtime.Mixture); ok && x.Components() == 0 {
		if err := x.SetComponents(2); err != nil {
			t.Fatal(err)
		}
	}
	if err := m.SetData(d); err != nil {
		t.Fatal(err)
	}
	return m
}

// Interpreted models pass the tests that are emitted with packages: all of the library that have no package, and of the others one of
// each kind, as all of them take a minute.
func TestModels(t *testing.T) {
	lib := spec.Library()
	names := []string{"gamma", "negbin", "dirichlet", "mvstudentt", "tcopulanat", "gammamixnat", "mvnormalmix", "logisticskew",
		"probit", "eightschools", "logisticmix", "funnel"}
	for _, name := range lib.Problems() {
		if !slices.Contains(lib.Compiled(), name) {
			names = append(names, name)
		}
	}
	for _, name := range names {
		test := modeltest.Run
		if lib.Problem(name).VI != nil {
			test = modeltest.RunVariational
		}
		t.Run(name, func(t *testing.T) { test(t, librarytest.Interpreted(t, name)) })
	}
}

// models are those of problems that are not compiled in, where this program has been compiled with them: see TestGeneratedModels.
var models = map[string]func() runtime.Model{}

// Interpreted models compute what compiled ones do, bit by bit.
func TestSameDigits(t *testing.T) {
	for _, name := range spec.Library().Compiled() {
		compiled, _ := generated.Lookup(name)
		t.Run(name, func(t *testing.T) { sameDigits(t, name, compiled) })
	}
}

// So do those of problems that are not compiled in.
func TestSameDigitsOfModels(t *testing.T) {
	for name, compiled := range models {
		t.Run(name, func(t *testing.T) { sameDigits(t, name, compiled) })
	}
}

func sameDigits(t *testing.T, name string, compiled func() runtime.Model) {
	makeOne := librarytest.Interpreted(t, name)
	rows := 700
	if spec.Library().Problem(name).VI != nil {
		rows = 300
	}
	d := librarytest.Data(t, compiled(), rows, 3)
	one, other := ready(t, makeOne(), d), ready(t, compiled(), d)
	same(t, "Info", text(t, one.Info()), text(t, other.Info()))
	if v, ok := other.(runtime.Variational); ok {
		sameKind(t, one, other)
		same(t, "Draws", one.(runtime.Variational).Draws(), v.Draws())
	}
	count, _, _ := other.Counts()
	if one.Info().Ordered { // a sequence has no batches
		compare(t, one, other)
		return
	}
	for _, rows := range [][]int{nil, {3, 1, 1, 250, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 33, 34}} {
		if slices.ContainsFunc(rows, func(i int) bool { return i >= count }) {
			rows = []int{0} // of a model whose data are one row
		}
		for _, m := range []runtime.Model{one, other} {
			if err := m.(runtime.Batcher).Batch(rows); err != nil {
				t.Fatal(err)
			}
		}
		compare(t, one, other)
	}
}

// So they do with dimensions whose loops are not written out.
func TestSameDigitsOfLong(t *testing.T) {
	for _, name := range spec.Library().Compiled() {
		t.Run(name, func(t *testing.T) {
			compiled, _ := generated.Lookup(name)
			if len(compiled().Info().Dims) == 0 {
				t.Skip("there are no dimensions")
			}
			d := librarytest.Data(t, compiled(), 270, 15)
			compare(t, ready(t, librarytest.Interpreted(t, name)(), d), ready(t, compiled(), d))
		})
	}
}

func text(t testing.TB, v any) string {
	t.Helper()
	out, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

func same[T comparable](t testing.TB, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s is %v, not %v", what, got, want)
	}
}

// compare compares what two models compute at starts, and at points around them.
func compare(t *testing.T, one, other runtime.Model) {
	t.Helper()
	info := one.Info()
	points := 0
	for i := range info.Starts + 3 {
		n := 0
		for _, b := range other.Blocks() {
			n += b.Len
		}
		z, want := make([]float64, n), make([]float64, n)
		errOne := one.Start(z, i, rand.New(rand.NewPCG(uint64(i), 2)))
		errOther := other.Start(want, i, rand.New(rand.NewPCG(uint64(i), 2)))
		if (errOne == nil) != (errOther == nil) || errOne != nil && errOne.Error() != errOther.Error() {
			t.Fatalf("start %d: %v, not %v", i, errOne, errOther)
		}
		if errOne != nil {
			continue
		}
		bits(t, "start", z, want)
		rng := rand.New(rand.NewPCG(3, uint64(i)))
		for step := range 6 {
			comparePoint(t, one, other, z)
			points++
			v := make([]float64, n)
			if other.NaturalGradient(v, z); step%2 == 0 {
				for k := range z {
					z[k] -= 0.3 * v[k]
				}
				continue
			}
			for k := range z {
				z[k] += 0.01 * rng.NormFloat64() * (1 + math.Abs(z[k]))
			}
			modeltest.Symmetrise(other, z)
		}
	}
	if points == 0 {
		t.Error("no points were compared")
	}
}

func bits(t testing.TB, what string, got, want []float64) {
	t.Helper()
	for i := range want {
		if math.Float64bits(got[i]) != math.Float64bits(want[i]) && !(math.IsNaN(got[i]) && math.IsNaN(want[i])) && got[i] != want[i] {
			t.Errorf("%s[%d] is %v, not %v", what, i, got[i], want[i])
			return
		}
	}
}

// comparePoint compares all functions at a point.
func comparePoint(t *testing.T, one, other runtime.Model, z []float64) {
	t.Helper()
	size := 0
	for i := range one.Info().Parameters {
		size += one.Info().Parameters[i].Len(other)
	}
	both := func(what string, n int, f func(m runtime.Model, out []float64)) {
		t.Helper()
		got, want := make([]float64, n), make([]float64, n)
		f(one, got)
		f(other, want)
		bits(t, what, got, want)
	}
	n := len(z)
	both("Violation", 1, func(m runtime.Model, out []float64) { out[0] = float64(m.Violation(z)) })
	both("Loss", 1, func(m runtime.Model, out []float64) { out[0] = m.Loss(z) })
	if other.Violation(z) >= 0 {
		return
	}
	both("Gradients", 2*n+1, func(m runtime.Model, out []float64) { out[2*n] = m.Gradients(out[:n], out[n:2*n], z) })
	both("NaturalGradient", n, func(m runtime.Model, out []float64) { m.NaturalGradient(out, z) })
	both("Dual", n, func(m runtime.Model, out []float64) { m.(runtime.Dual).Dual(out, z) })
	both("Theta", size, func(m runtime.Model, out []float64) { m.Theta(out, z) })
	theta := make([]float64, size)
	other.Theta(theta, z)
	if _, ok := other.(runtime.Objective); ok {
		both("ThetaGradient", size+1, func(m runtime.Model, out []float64) {
			out[size] = m.(runtime.Objective).ThetaGradient(out[:size], theta)
		})
	}
	if u := other.Unconstrained(); u != nil {
		_, blocks := one.Unconstrained().(interface{ Blocks() []runtime.Block })
		same(t, "whether unconstrained coordinates have blocks", blocks, false)
		d := u.Dim()
		at := make([]float64, d)
		u.FromTheta(at, theta)
		both("FromTheta", d, func(m runtime.Model, out []float64) { m.Unconstrained().FromTheta(out, theta) })
		both("free Theta", size, func(m runtime.Model, out []float64) { m.Unconstrained().Theta(out, at) })
		both("free Loss", 1, func(m runtime.Model, out []float64) { out[0] = m.Unconstrained().Loss(at) })
		both("free Gradient", d+1, func(m runtime.Model, out []float64) { out[d] = m.Unconstrained().Gradient(out[:d], at) })
		both("Hessian", d*d, func(m runtime.Model, out []float64) { m.Unconstrained().Hessian(out, at) })
		nodes, weights := []float64{1, 2, 3, 4}, []float64{0.1, 0.2, 0.3, 0.4}
		both("FisherUnconstrained", d*d+3, func(m runtime.Model, out []float64) {
			out[d*d], out[d*d+1], out[d*d+2] = m.(runtime.Informed).FisherUnconstrained(out, at, nodes, weights)
		})
		both("FisherSurrogate", n*n+3, func(m runtime.Model, out []float64) {
			out[n*n], out[n*n+1], out[n*n+2] = m.(runtime.Informed).FisherSurrogate(out, z, nodes, weights)
		})
	}
	if x, ok := other.(runtime.Mixture); ok {
		_, rows, _ := other.Counts()
		both("Responsibilities", rows*x.Components(), func(m runtime.Model, out []float64) { m.(runtime.Mixture).Responsibilities(out, z) })
		both("RaiseWeights", n+1, func(m runtime.Model, out []float64) {
			copy(out, z)
			if m.(runtime.Mixture).RaiseWeights(out[:n], 0.45) {
				out[n] = 1
			}
		})
	}
	if _, ok := other.(runtime.Variational); ok {
		comparePosterior(t, one, other, z, both)
	}
	if _, ok := other.(runtime.Penalised); ok {
		both("PenaltyGradients", 2*n+1, func(m runtime.Model, out []float64) {
			out[2*n] = m.(runtime.Penalised).PenaltyGradients(out[:n], out[n:2*n], z)
		})
		both("PenaltyThetaGradient", size+1, func(m runtime.Model, out []float64) {
			out[size] = m.(runtime.Penalised).PenaltyThetaGradient(out[:size], theta)
		})
	}
}

// Fits agree: the same reports, with the same verdicts.
func TestSameFits(t *testing.T) {
	for _, name := range spec.Library().Compiled() {
		t.Run(name, func(t *testing.T) {
			makeOne := librarytest.Interpreted(t, name)
			compiled, _ := generated.Lookup(name)
			d := librarytest.Data(t, compiled(), 150, 3)
			if spec.Library().Problem(name).VI != nil {
				sameApproximations(t, ready(t, makeOne(), d), ready(t, compiled(), d))
				return
			}
			one, _ := estimate.Fit(t.Context(), ready(t, makeOne(), d), &estimate.Settings{MaxIterations: 300})
			other, _ := estimate.Fit(t.Context(), ready(t, compiled(), d), &estimate.Settings{MaxIterations: 300})
			if one == nil || other == nil {
				same(t, "whether there is a report", one == nil, other == nil)
				return
			}
			one.Seconds, other.Seconds = 0, 0
			same(t, "the report", text(t, one), text(t, other))
		})
	}
}
