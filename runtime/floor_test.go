package runtime_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/sngdgen/sngdgen/internal/fitfixture"
	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/support"
)

// unequal draws from a normal mixture with the weights 0.7, 0.28 and 0.02.
func unequal(n int) runtime.Data {
	m := new(fitfixture.Mixture)
	if err := m.SetComponents(3); err != nil {
		panic(err)
	}
	x := make([]float64, n)
	m.Sample(x, []float64{0.7, 0.28, 0.02, 0, 3, 9, 1, 0.6, 0.5}, rand.New(rand.NewPCG(3, 1)))
	return runtime.Data{Values: x}
}

// boundedEM is EM whose weights are kept from falling below a floor: each step maximises the expected log-likelihood
// under the bound, sum_c r_c log(w_c), by w_c = max(floor, r_c/l). It ends at a stationary point under the bound.
func boundedEM(m *fitfixture.Mixture, z []float64, floor float64) []float64 {
	k := m.Components()
	z = slices.Clone(z)
	v, w := make([]float64, len(z)), make([]float64, k)
	for range 3000 {
		m.NaturalGradient(v, z)
		for i := range z {
			z[i] -= v[i]
		}
		last := 1.0
		for c := range k - 1 {
			w[c] = z[c]
			last -= z[c]
		}
		w[k-1] = last
		low, high := 0.0, 1.0
		for range 60 {
			a, sum := (low+high)/2, 0.0
			for _, r := range w {
				sum += math.Max(floor, a*r)
			}
			if sum > 1 {
				high = a
			} else {
				low = a
			}
		}
		for c, r := range w {
			raised := math.Max(floor, low*r)
			if c < k-1 {
				z[c] = raised
			}
			z[k-1+c] *= raised / r
			z[2*k-1+c] *= raised / r
		}
	}
	return z
}

// Every method and rule finds the optimum under the bound, and no point on the way is below it.
func TestWeightFloorOptimum(t *testing.T) {
	m := fitfixture.NewMixture(unequal(500), 3)
	z := make([]float64, 8)
	if err := m.Start(z, 1, nil); err != nil {
		t.Fatal(err)
	}
	const floor = 0.08
	want := boundedEM(m, z, floor)
	optimum := m.Loss(want)
	for _, c := range []runtime.Settings{
		{},
		{Step: runtime.Constant{Step: 1}},
		{Step: runtime.Backtracking{Step: 1.5}},
		{Step: runtime.GridSearch{Max: 2, N: 50}, MaxIterations: 300},
		{Method: runtime.NaturalLBFGS{}},
		{Method: runtime.NaturalLBFGS{}, Step: runtime.ExactLineSearch{}},
	} {
		name := fmt.Sprintf("%v %v", c.Method, c.Step)
		c.WeightFloor = floor
		c.Recorder = runtime.RecorderFunc(func(i *runtime.Iteration) error {
			theta := make([]float64, 9)
			m.Theta(theta, i.Z)
			if slices.Min(theta[:3]) < floor-1e-12 {
				t.Errorf("%s: weights %v", name, theta[:3])
			}
			return nil
		})
		res, err := runtime.Minimize(context.Background(), m, z, &c)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		t.Logf("%s: %v after %d iterations, %d evaluations, norm %.1e, loss - optimum %.1e", name, res.Status, res.Iterations,
			res.GradientEvaluations, res.NaturalNorm, res.Loss-optimum)
		above := res.Loss - optimum
		if !res.Status.Converged() || !res.Floored || math.Abs(above) > 1e-12 || !(res.NaturalNorm < 1e-6) {
			t.Errorf("%s: %v, floored %v, norm %v, loss %v above %v", name, res.Status, res.Floored, res.NaturalNorm, above, optimum)
		}
		for i := range want {
			if math.Abs(res.Z[i]-want[i]) > 1e-6*(1+math.Abs(want[i])) {
				t.Errorf("%s: coordinate %d is %v, want %v", name, i, res.Z[i], want[i])
			}
		}
	}
}

// logOdds is the mixture in natural coordinates.
type logOdds struct {
	*fitfixture.Mixture
	mean []float64
}

// toMean writes the mean coordinates at natural ones to m.mean.
func (m *logOdds) toMean(z []float64) {
	k := m.Components()
	w, mu, v := make([]float64, k), make([]float64, k), make([]float64, k)
	sum := 0.0
	for c := range k {
		v[c] = -0.5 / z[2*k-1+c]
		mu[c] = z[k-1+c] * v[c]
		rho := 0.0
		if c < k-1 {
			rho = z[c]
		}
		w[c] = math.Exp(rho + 0.5*(mu[c]*mu[c]/v[c]+math.Log(v[c])))
		sum += w[c]
	}
	for c := range k {
		w[c] /= sum
		if c < k-1 {
			m.mean[c] = w[c]
		}
		m.mean[k-1+c], m.mean[2*k-1+c] = w[c]*mu[c], w[c]*(mu[c]*mu[c]+v[c])
	}
}

func (m *logOdds) Loss(z []float64) float64 { m.toMean(z); return m.Mixture.Loss(m.mean) }

func (m *logOdds) Violation(z []float64) int { m.toMean(z); return m.Mixture.Violation(m.mean) }

func (m *logOdds) Theta(dst, z []float64) { m.toMean(z); m.Mixture.Theta(dst, m.mean) }

func (m *logOdds) Gradients(v, c, z []float64) float64 {
	m.toMean(z)
	return m.Mixture.Gradients(c, v, m.mean)
}

func (m *logOdds) NaturalGradient(v, z []float64) { m.Gradients(v, make([]float64, len(z)), z) }

func (m *logOdds) RaiseWeights(z []float64, floor float64) bool {
	theta := make([]float64, len(z)+1)
	m.Theta(theta, z)
	return support.RaiseNaturalWeights(z, theta[:m.Components()], floor)
}

// In natural coordinates the points within the bound are no convex set; the optimum is the same.
func TestWeightFloorNaturalCoordinates(t *testing.T) {
	m := fitfixture.NewMixture(unequal(500), 3)
	z, nat := make([]float64, 8), make([]float64, 8)
	if err := m.Start(z, 1, nil); err != nil {
		t.Fatal(err)
	}
	const floor = 0.08
	want, got, optimum := make([]float64, 9), make([]float64, 9), boundedEM(m, z, floor)
	m.Theta(want, optimum)
	m.Dual(nat, z)
	p := &logOdds{m, make([]float64, 8)}
	for _, method := range []runtime.Method{runtime.SNGD{}, runtime.NaturalLBFGS{}} {
		res, err := runtime.Minimize(context.Background(), p, nat, &runtime.Settings{Method: method, WeightFloor: floor})
		if err != nil {
			t.Errorf("%v: %v", method, err)
			continue
		}
		t.Logf("%v: %v after %d iterations, norm %.1e, loss - optimum %.1e", method, res.Status, res.Iterations,
			res.NaturalNorm, res.Loss-m.Loss(optimum))
		p.Theta(got, res.Z)
		if !res.Status.Converged() || !res.Floored || slices.Min(got[:3]) < floor-1e-9 {
			t.Errorf("%v: %v, floored %v, weights %v", method, res.Status, res.Floored, got[:3])
		}
		for i := range want {
			if math.Abs(got[i]-want[i]) > 1e-6*(1+math.Abs(want[i])) {
				t.Errorf("%v: theta[%d] is %v, want %v", method, i, got[i], want[i])
			}
		}
	}
}

// From random starts, with more components than the data have: a run ends where bounded EM stays.
func TestWeightFloorStationary(t *testing.T) {
	const k = 5
	m := fitfixture.NewMixture(unequal(200), k)
	z := make([]float64, 3*k-1)
	for seed := range 10 {
		floor := []float64{0.01, 0.1, 0.18}[seed%3]
		if err := m.Start(z, 2, rand.New(rand.NewPCG(uint64(seed), 1))); err != nil {
			t.Fatal(err)
		}
		s := &runtime.Settings{Method: runtime.NaturalLBFGS{}, WeightFloor: floor}
		res, err := runtime.Minimize(context.Background(), m, z, s)
		if err != nil || !res.Status.Converged() {
			t.Errorf("floor %v, seed %d: %v, %v", floor, seed, res.Status, err)
			continue
		}
		if gain := res.Loss - m.Loss(boundedEM(m, res.Z, floor)); gain > 1e-11 {
			t.Errorf("floor %v, seed %d: %v at %v, from where EM gains %v", floor, seed, res.Status, res.Loss, gain)
		}
	}
}

// A floor that no weight comes near changes nothing, to the bit.
func TestWeightFloorUnused(t *testing.T) {
	m := fitfixture.NewMixture(unequal(300), 2)
	z := make([]float64, 5)
	if err := m.Start(z, 0, nil); err != nil {
		t.Fatal(err)
	}
	for _, method := range []runtime.Method{runtime.SNGD{}, runtime.NaturalLBFGS{}} {
		free, err := runtime.Minimize(context.Background(), m, z, &runtime.Settings{Method: method})
		if err != nil {
			t.Fatal(err)
		}
		bound, err := runtime.Minimize(context.Background(), m, z, &runtime.Settings{Method: method, WeightFloor: 1e-3})
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(free.Z, bound.Z) || free.GradientEvaluations != bound.GradientEvaluations || bound.Floored {
			t.Errorf("%v: %+v without a floor, %+v with one", method, free, bound)
		}
	}
}

func TestWeightFloorErrors(t *testing.T) {
	m := fitfixture.NewMixture(unequal(50), 2)
	other := fitfixture.NewNegBin(fitfixture.SheepData())
	for _, c := range []struct {
		p     runtime.Problem
		floor float64
		n     int
	}{{m, -1e-3, 5}, {m, math.NaN(), 5}, {m, 0.5, 5}, {other, 1e-3, 2}} {
		z, ctx := make([]float64, c.n), context.Background()
		res, err := runtime.Minimize(ctx, c.p, z, &runtime.Settings{WeightFloor: c.floor})
		if err == nil || res != nil {
			t.Errorf("Minimize takes the floor %v", c.floor)
		}
		res, err = runtime.Descend(ctx, c.p, z, &runtime.Stochastic{WeightFloor: c.floor})
		if err == nil || res != nil {
			t.Errorf("Descend takes the floor %v", c.floor)
		}
	}
}

// Descend keeps every point within the bound and stops near the optimum under it.
func TestDescendWeightFloor(t *testing.T) {
	m := fitfixture.NewMixture(unequal(500), 3)
	z := make([]float64, 8)
	if err := m.Start(z, 1, nil); err != nil {
		t.Fatal(err)
	}
	const floor = 0.08
	theta := make([]float64, 9)
	s := &runtime.Stochastic{Batch: 50, MaxSteps: 2000, WeightFloor: floor, Every: 1, Recorder: runtime.RecorderFunc(
		func(i *runtime.Iteration) error {
			if m.Theta(theta, i.Z); slices.Min(theta[:3]) < floor-1e-12 {
				t.Errorf("step %d: weights %v", i.Index, theta[:3])
			}
			return nil
		})}
	res, err := runtime.Descend(context.Background(), m, z, s)
	if err != nil {
		t.Fatal(err)
	}
	if best := m.Loss(boundedEM(m, z, floor)); !res.Floored || res.Loss > best+5e-3 {
		t.Errorf("floored %v, loss %v, the best %v", res.Floored, res.Loss, best)
	}
}

func TestWeightFloorAllocations(t *testing.T) {
	m := fitfixture.NewMixture(unequal(100), 3)
	z := make([]float64, 8)
	if err := m.Start(z, 1, nil); err != nil {
		t.Fatal(err)
	}
	var minimizer runtime.Minimizer
	s := &runtime.Settings{Method: runtime.NaturalLBFGS{}, WeightFloor: 0.08}
	run := func() {
		if _, err := minimizer.Minimize(context.Background(), m, z, s); err != nil {
			t.Fatal(err)
		}
	}
	run()
	if n := testing.AllocsPerRun(5, run); n != 0 {
		t.Errorf("a second run allocates %v times", n)
	}
}

// Level is the exact answer for weights that are worked out by hand; raising one may push another below the floor.
func TestLevel(t *testing.T) {
	for _, c := range []struct {
		w            []float64
		floor, level float64
		below        bool
	}{
		{[]float64{0.5, 0.5}, 0.25, 1, false},
		{[]float64{0.1, 0.9}, 0.1, 1, false},
		{[]float64{0.1, 0.9}, 0.25, 0.75 / 0.9, true},
		{[]float64{0.05, 0.21, 0.74}, 0.2, 0.6 / 0.74, true},
		{[]float64{0, 1}, 0.2, 1, false},
		{[]float64{-0.1, 1.1}, 0.2, 1, false},
		{[]float64{math.NaN(), 0.1}, 0.2, 1, false},
	} {
		if level, below := runtime.Level(c.w, c.floor); below != c.below || math.Abs(level-c.level) > 1e-15 {
			t.Errorf("%v with the floor %v: %v, %v", c.w, c.floor, level, below)
		}
	}
}
