package runtime_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/sngdgen/sngdgen/internal/fitfixture"
	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/support"
)

func descend(t testing.TB, p runtime.Problem, z []float64, s *runtime.Stochastic) *runtime.Result {
	t.Helper()
	res, err := runtime.Descend(ctx, p, z, s)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// largest is the largest difference.
func largest(a, b []float64) (d float64) {
	for i := range a {
		d = max(d, math.Abs(a[i]-b[i]))
	}
	return d
}

var samplings = []runtime.Sampling{runtime.ByEpoch, runtime.WithReplacement}

// With the steps 1/t the point is the mean of the statistics of all batches seen: after whole epochs the optimum
// exactly, with replacement a mean of independent draws.
func TestDescendAverages(t *testing.T) {
	p := newGauss(200, 3, 1)
	want := p.optimum()
	s := &runtime.Stochastic{Batch: 10, Step: runtime.Decay{First: 1, Delay: 1, Power: 1}, MaxEpochs: 7}
	res := descend(t, p, p.start(), s)
	if d := largest(res.Z, want); d > 1e-12 || res.Status != runtime.EpochLimit || res.Iterations != 140 || res.Epochs != 7 {
		t.Errorf("off by %g: %+v", d, res)
	}
	near(t, "loss", res.Loss, p.Loss(want), 1e-12)

	s.Sampling, s.MaxEpochs = runtime.WithReplacement, 200
	res = descend(t, p, p.start(), s)
	if d := largest(res.Z, want); d > 0.15 || d < 1e-6 { // 40,000 draws of variables with a standard deviation of at most 6
		t.Errorf("off by %g", d)
	}
}

// Under decreasing steps the run converges to the maximum likelihood estimate, within the noise of the last batches.
func TestDescendConverges(t *testing.T) {
	for _, how := range samplings {
		p := newGauss(400, 4, 2)
		want := p.optimum()
		res := descend(t, p, p.start(), &runtime.Stochastic{Batch: 20, Sampling: how, MaxSteps: 20_000})
		if d := largest(res.Z, want); d > 0.12 {
			t.Errorf("%v: off by %g", how, d)
		}
		if gap := res.Loss - p.Loss(want); !(gap >= 0 && gap < 1e-3) {
			t.Errorf("%v: loss is %g above its minimum", how, gap)
		}
	}
}

// batchedNegBin takes batches by giving the fixture other data.
type batchedNegBin struct {
	*fitfixture.NegBin
	all runtime.Data
}

func (m *batchedNegBin) Counts() (rows, distinct int, weight float64) {
	n := len(m.all.Values)
	return n, n, float64(n)
}

func (m *batchedNegBin) Batch(rows []int) error {
	if err := support.CheckBatch(rows, len(m.all.Values)); err != nil {
		return err
	}
	d := m.all
	if rows != nil {
		d.Values = make([]float64, len(rows))
		for i, r := range rows {
			d.Values[i] = m.all.Values[r]
		}
	}
	return m.SetData(d)
}

func sheepByRow() *batchedNegBin {
	var x []float64
	for count, sheep := range fitfixture.Sheep {
		for range int(sheep) {
			x = append(x, float64(count))
		}
	}
	d := runtime.Data{Values: x}
	return &batchedNegBin{fitfixture.NewNegBin(d), d}
}

func TestDescendSheep(t *testing.T) {
	m := sheepByRow()
	z := sheepStart(t, m.NegBin, 1)
	for _, how := range samplings {
		res := descend(t, m, z, &runtime.Stochastic{Batch: 10, Sampling: how, MaxSteps: 20_000, Step: runtime.Decay{First: 0.1, Delay: 100, Power: 0.9}})
		var th [2]float64
		m.Theta(th[:], res.Z)
		near(t, "r", th[0], fitfixture.SheepR, 0.02)
		near(t, "s", th[1], fitfixture.SheepS, 0.02)
		if gap := -82*res.Loss - fitfixture.SheepLogLikelihood; !(gap < 1e-9 && gap > -0.02) { // a tenth of a standard error each
			t.Errorf("%v: log-likelihood differs by %g", how, gap)
		}
	}
	// All rows at each step are the deterministic method: it converges to all digits.
	res := descend(t, m, z, &runtime.Stochastic{Step: runtime.Constant{Step: 0.5}, MaxSteps: 400})
	var th [2]float64
	m.Theta(th[:], res.Z)
	near(t, "r", th[0], fitfixture.SheepR, 1e-9)
	near(t, "s", th[1], fitfixture.SheepS, 1e-9)
}

func TestDescendSeeds(t *testing.T) {
	p := newLine(100, 2, 3)
	z := append(p.start(), 0)
	for _, how := range samplings {
		run := func(seed uint64) []float64 {
			return descend(t, p, z, &runtime.Stochastic{Batch: 7, Sampling: how, Seed: seed, MaxSteps: 200}).Z
		}
		a, b, c := run(1), run(1), run(2)
		if !slices.Equal(a, b) {
			t.Errorf("%v: the same seed gives %v and %v", how, a, b)
		}
		if slices.Equal(a, c) {
			t.Errorf("%v: different seeds give the same", how)
		}
	}
}

// Every row comes once in every epoch, whatever the size of the batches; orders differ between epochs.
func TestEpochs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 40).Draw(t, "rows")
		held := rapid.IntRange(0, 5).Draw(t, "held out")
		batch := rapid.IntRange(1, 60).Draw(t, "batch")
		p := newGauss(n+held, 1, 4)
		p.batches = [][]int{}
		set := &runtime.Stochastic{Batch: batch, Rows: n, MaxSteps: 50, Seed: rapid.Uint64().Draw(t, "seed"), SkipLoss: true}
		if _, err := runtime.Descend(ctx, p, p.start(), set); err != nil {
			t.Fatal(err)
		}
		rows := slices.Concat(p.batches...)
		if len(rows) != 50*batch {
			t.Fatalf("%d rows", len(rows))
		}
		var last []int
		same := 0
		for len(rows) >= n {
			epoch := slices.Clone(rows[:n])
			if slices.Equal(epoch, last) {
				same++
			}
			last, rows = slices.Clone(epoch), rows[n:]
			slices.Sort(epoch)
			for i, r := range epoch {
				if r != i {
					t.Fatalf("epoch %v", epoch)
				}
			}
		}
		if n > 12 && same > 0 {
			t.Fatalf("%d epochs in the order of the one before", same)
		}
	})
}

// All 24 orders of 4 rows are equally likely, in the first epoch and in later ones: chi-squared with 23 degrees of
// freedom is above 60 with a probability of 4e-5.
func TestEpochOrders(t *testing.T) {
	p := newGauss(4, 1, 5)
	counts := [2]map[string]int{{}, {}}
	const runs = 4800
	for seed := range uint64(runs) {
		p.batches = [][]int{}
		descend(t, p, p.start(), &runtime.Stochastic{Batch: 4, MaxSteps: 3, Seed: seed, SkipLoss: true})
		counts[0][fmt.Sprint(p.batches[0])]++
		counts[1][fmt.Sprint(p.batches[2])]++
	}
	for i, c := range counts {
		chi := 0.0
		for _, k := range c {
			chi += math.Pow(float64(k)-runs/24, 2) / (runs / 24)
		}
		if len(c) != 24 || chi > 60 {
			t.Errorf("%d: %d orders, chi-squared %g", i, len(c), chi)
		}
	}
}

// With replacement the number of visits of each row is binomial, and so is that of neighbouring draws that are equal.
func TestWithReplacement(t *testing.T) {
	p := newGauss(20, 1, 6)
	p.batches = [][]int{}
	descend(t, p, p.start(), &runtime.Stochastic{Batch: 10, Sampling: runtime.WithReplacement, MaxSteps: 4000, SkipLoss: true})
	rows := slices.Concat(p.batches...)
	chi, pairs := 0.0, 0
	for _, k := range p.visited {
		chi += math.Pow(float64(k)-2000, 2) / 2000
	}
	for i := range rows[1:] {
		if rows[i] == rows[i+1] {
			pairs++
		}
	}
	if chi > 50 { // 19 degrees of freedom: 1e-4
		t.Errorf("chi-squared %g", chi)
	}
	if !(math.Abs(float64(pairs)-2000) <= 4*math.Sqrt(2000)) {
		t.Errorf("%d of 40000 neighbours equal, not 2000", pairs)
	}
}

// Held-out rows never come into a batch, nor into the loss of the result.
func TestDescendRows(t *testing.T) {
	p := newGauss(50, 2, 7)
	for _, batch := range []int{0, 5} {
		clear(p.visited)
		res := descend(t, p, p.start(), &runtime.Stochastic{Batch: batch, Rows: 30, MaxEpochs: 3, Step: runtime.Decay{First: 1, Delay: 1, Power: 1}})
		for i, k := range p.visited {
			if (k > 0) != (i < 30) {
				t.Errorf("row %d was visited %d times", i, k)
			}
		}
		q := &gauss{x: p.x[:30], visited: make([]int, 30), chol: make([]float64, 4)}
		if d := largest(res.Z, q.optimum()); d > 1e-12 {
			t.Errorf("off by %g", d)
		}
		near(t, "loss", res.Loss, q.Loss(res.Z), 1e-12)
		if len(p.batch) != 50 {
			t.Errorf("%d rows after the run", len(p.batch))
		}
	}
}

// Jointly, both blocks step from one gradient; in alternation, the auxiliary steps have gradients of their own at the
// point reached. Followed by hand on all rows with plain gradient descent.
func TestAlternation(t *testing.T) {
	p := newLine(50, 2, 8)
	for _, alternate := range []int{0, 1, 3} {
		z := append(p.start(), 0.5)
		res := descend(t, p, z, &runtime.Stochastic{
			Step: runtime.Constant{Step: 0.1}, Auxiliary: runtime.SGD{Rate: 0.01}, AuxiliaryScale: runtime.Decay{First: 1, Delay: 1, Power: 1},
			Alternate: alternate, MaxSteps: 5,
		})
		want := slices.Clone(z)
		v := make([]float64, 3)
		for k := range 5 {
			p.NaturalGradient(v, want)
			want[0] -= 0.1 * v[0]
			want[1] -= 0.1 * v[1]
			for range max(alternate, 1) {
				want[2] -= 0.01 / float64(k+1) * p.slope(want[2])
			}
		}
		if d := largest(res.Z, want); d > 1e-14 {
			t.Errorf("alternate %d: %v, want %v", alternate, res.Z, want)
		}
		if n := 5 * (1 + alternate); res.GradientEvaluations != n || res.Iterations != 5 {
			t.Errorf("alternate %d: %+v", alternate, res)
		}
	}
}

// In alternation the gradient of an auxiliary step is that at the point that the surrogate has reached.
func TestAlternationPoint(t *testing.T) {
	p := newLine(50, 2, 9)
	z := append(p.start(), 0.5)
	res := descend(t, p, z, &runtime.Stochastic{Alternate: 1, MaxSteps: 1})
	if p.z[0] != res.Z[0] || p.z[1] != res.Z[1] || p.z[2] != 0.5 {
		t.Errorf("the last gradient was at %v, the result is %v", p.z, res.Z)
	}
}

// All optimisers find the slope, jointly and in alternation, over minibatches.
func TestAuxiliaryOptimizers(t *testing.T) {
	p := newLine(200, 2, 10)
	want := p.optimum()
	for _, o := range []runtime.Optimizer{
		runtime.SGD{}, runtime.SGD{Rate: 0.003, Momentum: 0.9}, runtime.Adam{Rate: 0.01}, runtime.AMSGrad{Rate: 0.01},
		runtime.Adagrad{Rate: 0.1}, runtime.RMSProp{Rate: 0.01},
	} {
		for _, alternate := range []int{0, 2} {
			res := descend(t, p, append(p.start(), 0), &runtime.Stochastic{
				Batch: 20, Auxiliary: o, AuxiliaryScale: runtime.Cosine{First: 1, Iterations: 5000}, Alternate: alternate, MaxSteps: 5000,
			})
			if !(math.Abs(res.Z[2]-want[2]) <= 0.02 && largest(res.Z[:2], want[:2]) <= 0.1) {
				t.Errorf("%v, alternate %d: %v, want %v", o, alternate, res.Z, want)
			}
		}
	}
}

// A problem whose blocks are all auxiliary is minimised by the optimiser alone.
func TestAllAuxiliary(t *testing.T) {
	p := quadratic([]float64{1, 10}, []float64{3, -4})
	p.blocks = []runtime.Block{{Name: "a", Len: 1, Auxiliary: true}, {Name: "b", Offset: 1, Len: 1, Auxiliary: true}}
	res := descend(t, p, make([]float64, 2), &runtime.Stochastic{
		Auxiliary: runtime.Adam{Rate: 0.05}, AuxiliaryScale: runtime.Cosine{First: 1, Iterations: 3000}, MaxSteps: 3000,
	})
	if d := largest(res.Z, []float64{3, -4}); d > 1e-6 || res.Epochs != 3000 {
		t.Errorf("%+v", res)
	}
	near(t, "loss", res.Loss, 1, 1e-10)
	// The same by hand.
	z, memory, g := make([]float64, 2), make([]float64, 4), make([]float64, 2)
	for i := range 20 {
		p.grad(g, z)
		runtime.Adam{}.Update(z, g, memory, i+1, 1)
	}
	if got := descend(t, p, make([]float64, 2), &runtime.Stochastic{MaxSteps: 20}).Z; !slices.Equal(got, z) {
		t.Errorf("%v, want %v", got, z)
	}
}

// Steps too long for the domain are taken back and shortened; the run ends inside, at the optimum.
func TestRollBack(t *testing.T) {
	p := newGauss(200, 3, 11)
	want := p.optimum()
	for _, every := range []int{1, 10} {
		trace := new(runtime.Trace)
		res := descend(t, p, p.start(), &runtime.Stochastic{
			Batch: 1, Step: runtime.Decay{First: 5, Delay: 20, Power: 1}, VerifyEvery: every, MaxSteps: 30_000, Recorder: trace, Every: 7,
		})
		if res.RollBacks == 0 {
			t.Errorf("every %d: no roll-back", every)
		}
		for _, it := range trace.Iterations {
			if p.Violation(it.Z) >= 0 {
				t.Fatalf("every %d: %+v", every, it)
			}
		}
		if d := largest(res.Z, want); d > 0.7 || !(res.Loss < p.Loss(want)+0.02) {
			t.Errorf("every %d: off by %g, %+v", every, d, res)
		}
		t.Logf("every %d: %d roll-backs, gap %g", every, res.RollBacks, res.Loss-p.Loss(want))
	}
}

// A roll-back puts back the point and what the optimiser remembers, and halves the step. Followed by hand.
func TestRollBackByHand(t *testing.T) {
	p := quadratic([]float64{1, 1}, []float64{2, 0})
	p.blocks = []runtime.Block{{Name: "s", Len: 1}, {Name: "a", Offset: 1, Len: 1, Auxiliary: true}}
	p.inside = func(z []float64) bool { return z[0] < 1 }
	o := runtime.SGD{Rate: 0.1, Momentum: 0.9}
	res := descend(t, p, []float64{0, 1}, &runtime.Stochastic{Step: runtime.Constant{Step: 0.3}, Auxiliary: o, VerifyEvery: 2, MaxSteps: 4})
	// Steps 1 and 2 lead to 1.02: back to 0. With 0.15, steps 3 and 4 lead to 0.555. The auxiliary steps are halved too.
	z, u := 1.0, 0.0
	for range 2 {
		u = 0.9*u + z
		z -= 0.05 * u
	}
	near(t, "s", res.Z[0], 0.555, 1e-14)
	near(t, "a", res.Z[1], z, 1e-14)
	if res.RollBacks != 1 || res.Iterations != 4 {
		t.Errorf("%+v", res)
	}
}

// Auxiliary blocks on both sides of one of the surrogate are stepped as if they stood side by side: each has a memory of
// its own, whatever the method and the lengths.
func TestMemoryOfTwoSpans(t *testing.T) {
	w, a := []float64{1, 3, 0.5, 2, 7, 0.2}, []float64{1, -2, 3, -4, 5, -6}
	apart := quadratic(w, a)
	apart.blocks = []runtime.Block{
		{Name: "a", Len: 2, Auxiliary: true}, {Name: "s", Offset: 2, Len: 1}, {Name: "b", Offset: 3, Len: 3, Auxiliary: true},
	}
	order := []int{2, 0, 1, 3, 4, 5} // s, a, b
	together := quadratic(picked(w, order), picked(a, order))
	together.blocks = []runtime.Block{
		{Name: "s", Len: 1}, {Name: "a", Offset: 1, Len: 2, Auxiliary: true}, {Name: "b", Offset: 3, Len: 3, Auxiliary: true},
	}
	for _, o := range optimizers {
		s := &runtime.Stochastic{Step: runtime.Constant{Step: 0.1}, Auxiliary: o, MaxSteps: 9}
		start := []float64{0.3, 0.1, -0.7, 2, -2, 1}
		got := descend(t, apart, start, s).Z
		want := descend(t, together, picked(start, order), s).Z
		if !slices.Equal(picked(got, order), want) {
			t.Errorf("%v: %v, side by side %v", o, got, want)
		}
		// An entry by itself, from the definition of the method.
		z, memory, g := []float64{start[4]}, make([]float64, o.Memory()), make([]float64, 1)
		for k := range 9 {
			g[0] = w[4] * (z[0] - a[4])
			o.Update(z, g, memory, k+1, 1)
		}
		if got[4] != z[0] {
			t.Errorf("%v: an entry is %v, by itself %v", o, got[4], z[0])
		}
	}
}

// picked are the entries of x in an order.
func picked(x []float64, order []int) []float64 {
	out := make([]float64, len(order))
	for i, k := range order {
		out[i] = x[k]
	}
	return out
}

// After a quiet time steps become longer again.
func TestRecovery(t *testing.T) {
	p := quadratic([]float64{1}, []float64{0})
	bad := 3
	inner := p.grad
	p.grad = func(c, z []float64) {
		inner(c, z)
		if bad > 0 {
			bad--
			c[0] = math.Inf(1)
		}
	}
	var steps []float64
	rec := runtime.RecorderFunc(func(it *runtime.Iteration) error {
		steps = append(steps, it.Step)
		return nil
	})
	res := descend(t, p, []float64{1}, &runtime.Stochastic{Step: runtime.Constant{Step: 0.08}, VerifyEvery: 2, MaxSteps: 100, Recorder: rec, Every: 1})
	want := slices.Concat([]float64{0, 0.08, 0.04, 0.02}, slices.Repeat([]float64{0.01}, 20), slices.Repeat([]float64{0.02}, 20),
		slices.Repeat([]float64{0.04}, 20), slices.Repeat([]float64{0.08}, 37))
	if !slices.Equal(steps, want) || res.RollBacks != 3 {
		t.Errorf("%d roll-backs, steps %v", res.RollBacks, steps)
	}
}

// The domain is checked at the stated interval and before records, not at every step.
func TestVerifyEvery(t *testing.T) {
	p := newGauss(20, 2, 12)
	for _, c := range []struct{ every, record, want int }{{10, 0, 12}, {1, 0, 102}, {50, 20, 8}, {1000, 0, 3}} {
		start := p.start()
		p.checks = 0
		s := &runtime.Stochastic{Batch: 2, Step: runtime.Constant{Step: 0.01}, VerifyEvery: c.every, MaxSteps: 100, SkipLoss: true}
		if c.record > 0 {
			s.Every, s.Recorder = c.record, new(runtime.Trace)
		}
		descend(t, p, start, s)
		if p.checks != c.want { // with the one of the start
			t.Errorf("every %d: %d checks, want %d", c.every, p.checks, c.want)
		}
	}
}

func TestDescendFailures(t *testing.T) {
	outside := quadratic([]float64{1, 1}, []float64{0, 0})
	outside.inside = func(z []float64) bool { return z[0] == 1 }
	always := quadratic([]float64{1, 1}, []float64{0, 0})
	always.grad = func(c, z []float64) { c[0], c[1] = z[0], math.NaN() }
	infinite := quadratic([]float64{1}, []float64{0})
	infinite.grad = func(c, z []float64) { c[0] = -math.MaxFloat64 }
	for _, c := range []struct {
		name  string
		p     runtime.Problem
		start []float64
		step  runtime.Schedule
		want  string
	}{
		{"start", outside, []float64{2, 0}, nil, "runtime: start, block z: outside the domain: needs z inside"},
		{"start NaN", outside, []float64{1, math.NaN()}, nil, "runtime: start, block z: coordinate 1 is NaN"},
		{"outside", outside, []float64{1, 0}, runtime.Constant{Step: 1}, "runtime: iteration 20, block z, step 9.54e-07: outside the domain: needs z inside"},
		{"gradient NaN", always, []float64{1, 0}, runtime.Constant{Step: 1}, "runtime: iteration 20, block z, step 9.54e-07: the gradient of coordinate 1 is NaN"},
		{"overflow", infinite, []float64{0}, runtime.Constant{Step: 1e10}, "runtime: iteration 20, block z, step 9.54e+03: coordinate 0 is +Inf"},
		{"schedule", outside, []float64{1, 0}, runtime.ScheduleFunc(func(int) float64 { return -1 }), "runtime: iteration 0, step -1: Stochastic.Step gave the step -1: it must be a finite number, 0 or more"},
		{"schedule NaN", outside, []float64{1, 0}, runtime.ScheduleFunc(func(int) float64 { return math.NaN() }), "runtime: iteration 0, step NaN: Stochastic.Step gave the step NaN: it must be a finite number, 0 or more"},
	} {
		t.Run(c.name, func(t *testing.T) {
			res, err := runtime.Descend(ctx, c.p, c.start, &runtime.Stochastic{Step: c.step, VerifyEvery: 1})
			var failed *runtime.Error
			if !errors.As(err, &failed) || err.Error() != c.want {
				t.Errorf("got  %v\nwant %s", err, c.want)
			}
			if res.Status != runtime.Failed || res.Z[0] != c.start[0] || res.Message != c.want {
				t.Errorf("result %+v", res)
			}
		})
	}
}

// Whatever goes wrong when, no run ends outside the domain or at a point that is not finite.
func TestDescendNeverOutside(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dim := rapid.IntRange(1, 4).Draw(t, "dim")
		w, z := make([]float64, dim), make([]float64, dim)
		for i := range w {
			w[i] = rapid.Float64Range(0.01, 10).Draw(t, "w")
			z[i] = rapid.Float64Range(0.01, 1).Draw(t, "z") / float64(dim+1)
		}
		p := barrier(w)
		for i := range z {
			p.blocks = append(p.blocks, runtime.Block{Name: "z", Offset: i, Len: 1, Auxiliary: rapid.Bool().Draw(t, "auxiliary")})
		}
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		inner := p.grad
		p.grad = func(c, z []float64) {
			inner(c, z)
			if i := rng.IntN(20 * dim); i < dim {
				c[i] = []float64{math.NaN(), math.Inf(1), 1e300, -1e-300}[rng.IntN(4)]
			}
		}
		check := func(z []float64) {
			if p.Violation(z) >= 0 || math.IsNaN(p.f(z)) {
				t.Fatalf("%v is outside", z)
			}
		}
		res, err := runtime.Descend(ctx, p, z, &runtime.Stochastic{
			Step:        runtime.Constant{Step: rapid.Float64Range(1e-4, 100).Draw(t, "step")},
			Auxiliary:   rapid.SampledFrom(optimizers).Draw(t, "optimiser"),
			Alternate:   rapid.IntRange(0, 2).Draw(t, "alternate"),
			VerifyEvery: rapid.IntRange(0, 20).Draw(t, "every"),
			MaxSteps:    200,
			Recorder:    runtime.RecorderFunc(func(it *runtime.Iteration) error { check(it.Z); return nil }),
			Every:       rapid.IntRange(1, 20).Draw(t, "record"),
		})
		var failed *runtime.Error
		if err != nil && !errors.As(err, &failed) {
			t.Fatal(err)
		}
		check(res.Z)
	})
}

func TestDescendBadCalls(t *testing.T) {
	p, g := quadratic([]float64{1}, []float64{0}), newGauss(10, 1, 13)
	var none context.Context
	for _, c := range []struct {
		ctx  context.Context
		p    runtime.Problem
		dim  int
		s    runtime.Stochastic
		want string
	}{
		{none, p, 1, runtime.Stochastic{}, "nil context"},
		{ctx, p, 2, runtime.Stochastic{}, "the start has 2 coordinates, the problem 1"},
		{ctx, p, 1, runtime.Stochastic{Batch: 3}, "no Batcher"},
		{ctx, g, 2, runtime.Stochastic{Rows: 11}, "Rows is 11, the problem has 10"},
		{ctx, g, 2, runtime.Stochastic{Batch: -1}, "Stochastic.Batch is -1: it must be 0 or more"},
		{ctx, struct {
			runtime.Problem
			runtime.Batcher
		}{g, g}, 2, runtime.Stochastic{Batch: 3}, "Rows is needed"},
	} {
		res, err := runtime.Descend(c.ctx, c.p, make([]float64, c.dim), &c.s)
		if res != nil || err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
	if _, err := new(runtime.Descender).Resume(ctx, p, nil); err == nil {
		t.Error("nothing resumed")
	}
}

func TestDescendLimits(t *testing.T) {
	p := newGauss(20, 2, 14)
	res := descend(t, p, p.start(), &runtime.Stochastic{Batch: 6, MaxEpochs: 2.5})
	if res.Status != runtime.EpochLimit || res.Iterations != 9 || res.Epochs != 2.7 {
		t.Errorf("%+v", res)
	}
	res = descend(t, p, p.start(), &runtime.Stochastic{Batch: 6, MaxTime: 20 * time.Millisecond})
	if res.Status != runtime.TimeLimit || res.Elapsed < 20*time.Millisecond || res.Elapsed > time.Second {
		t.Errorf("%+v", res)
	}
	res = descend(t, p, p.start(), &runtime.Stochastic{Batch: 6, MaxSteps: 5, MaxEpochs: 100, SkipLoss: true})
	if res.Status != runtime.IterationLimit || res.Iterations != 5 || !math.IsNaN(res.Loss) || res.LossEvaluations != 0 {
		t.Errorf("%+v", res)
	}
}

// Records come at the start, at every interval and at the end, with the loss that Evaluate gives; the time of both is
// not counted.
func TestDescendRecorder(t *testing.T) {
	p := newGauss(20, 2, 15)
	trace, evaluations := new(runtime.Trace), 0
	set := &runtime.Stochastic{
		Batch: 5, MaxSteps: 10, Every: 4, Recorder: trace,
		Evaluate: func(z []float64) float64 {
			time.Sleep(100 * time.Millisecond)
			evaluations++
			p.Batch([]int{1}) // it may use the problem
			return float64(evaluations)
		},
	}
	res := descend(t, p, p.start(), set)
	var index []int
	for i, it := range trace.Iterations {
		index = append(index, it.Index)
		if it.Loss != float64(i+1) || it.Epochs != float64(it.Index)/4 || it.Elapsed > 100*time.Millisecond {
			t.Errorf("%+v", it)
		}
	}
	if !slices.Equal(index, []int{0, 4, 8, 10}) || res.Elapsed > 100*time.Millisecond {
		t.Errorf("records %v, %+v", index, res)
	}
	if quiet := descend(t, p, p.start(), &runtime.Stochastic{Batch: 5, MaxSteps: 10}); !slices.Equal(quiet.Z, res.Z) {
		t.Error("records change the run")
	}
	stop := errors.New("stop")
	set.Evaluate, set.Recorder = nil, runtime.RecorderFunc(func(it *runtime.Iteration) error {
		if it.Index == 8 {
			return stop
		}
		return nil
	})
	res, err := runtime.Descend(ctx, p, p.start(), set)
	if err != stop || res.Status != runtime.Failed || res.Iterations != 8 {
		t.Errorf("%+v, %v", res, err)
	}
}

// A run that is cancelled ends with what it has; resumed, it is to the bit the run that was not.
func TestCancelResume(t *testing.T) {
	p := newLine(60, 2, 16)
	z := append(p.start(), 0)
	for _, how := range samplings {
		set := runtime.Stochastic{Batch: 7, Sampling: how, MaxSteps: 300, Every: 50}
		want := descend(t, p, z, &set)
		stopped, cancel := context.WithCancel(ctx)
		set.Recorder = runtime.RecorderFunc(func(it *runtime.Iteration) error {
			if it.Index == 100 {
				cancel()
			}
			return nil
		})
		m := new(runtime.Descender)
		res, err := m.Descend(stopped, p, z, &set)
		if !errors.Is(err, context.Canceled) || res.Status != runtime.Cancelled || res.Iterations < 100 || res.Iterations > 101 {
			t.Fatalf("%+v, %v", res, err)
		}
		if p.Violation(res.Z) >= 0 || math.IsNaN(res.Loss) {
			t.Errorf("%+v", res)
		}
		set.Recorder = nil
		res, err = m.Resume(ctx, p, &set)
		if err != nil || !slices.Equal(res.Z, want.Z) || res.Iterations != 300 || res.Epochs != want.Epochs ||
			res.GradientEvaluations != want.GradientEvaluations || res.Loss != want.Loss {
			t.Errorf("%v: %v\nresumed %+v\nwant    %+v", how, err, res, want)
		}
		set.Seed++
		if _, err := m.Resume(ctx, p, &set); err == nil {
			t.Error("resumed with another seed")
		}
	}
}

// A Descender gives the same results as Descend, whatever it ran before.
func TestDescenderReuse(t *testing.T) {
	m := new(runtime.Descender)
	g, l := newGauss(30, 3, 17), newLine(40, 2, 17)
	for _, c := range []struct {
		p   runtime.Problem
		z   []float64
		set runtime.Stochastic
	}{
		{g, g.start(), runtime.Stochastic{Batch: 4, MaxSteps: 50}},
		{l, append(l.start(), 0), runtime.Stochastic{Batch: 9, MaxSteps: 50, Auxiliary: runtime.AMSGrad{}}},
		{l, append(l.start(), 0), runtime.Stochastic{MaxSteps: 50}},
		{g, g.start(), runtime.Stochastic{Batch: 4, Sampling: runtime.WithReplacement, MaxSteps: 50}},
		{g, g.start(), runtime.Stochastic{Batch: 4, MaxSteps: 50}},
	} {
		want := descend(t, c.p, c.z, &c.set)
		got, err := m.Descend(ctx, c.p, c.z, &c.set)
		if err != nil || !slices.Equal(got.Z, want.Z) || got.Loss != want.Loss {
			t.Errorf("%+v, %v, want %+v", got, err, want)
		}
	}
}

// Steps allocate nothing, whatever the settings.
func TestDescendAllocations(t *testing.T) {
	p := newLine(100, 2, 18)
	z := append(p.start(), 0)
	for _, how := range samplings {
		for _, o := range optimizers {
			for _, alternate := range []int{0, 2} {
				silent := runtime.RecorderFunc(func(*runtime.Iteration) error { return nil })
				count := func(n int) float64 {
					s := &runtime.Stochastic{
						Batch: 7, Sampling: how, Auxiliary: o, Alternate: alternate, MaxSteps: n, Recorder: silent, SkipLoss: true,
						Evaluate: func([]float64) float64 { return 0 }, MaxTime: time.Hour,
					}
					m := new(runtime.Descender)
					return testing.AllocsPerRun(3, func() { m.Descend(ctx, p, z, s) })
				}
				if few, many := count(10), count(2000); few != many {
					t.Errorf("%v, %v, %d: %v allocations in 10 steps, %v in 2000", how, o, alternate, few, many)
				}
			}
		}
	}
}

// The fixture of the skew normal distribution has a vector beside the surrogate: jointly and in alternation,
// minibatches come close to what Minimize finds on all rows.
func TestDescendSkewed(t *testing.T) {
	m := skewed(t, 400, 2, []float64{2, -1}, 19)
	z := make([]float64, 8)
	if err := m.Start(z, 0, nil); err != nil {
		t.Fatal(err)
	}
	best, err := runtime.Minimize(ctx, m, z, &runtime.Settings{Method: runtime.NaturalLBFGS{}})
	if err != nil || !best.Status.Converged() {
		t.Fatalf("%+v, %v", best, err)
	}
	for _, alternate := range []int{0, 1} {
		res := descend(t, m, z, &runtime.Stochastic{
			Batch: 40, Alternate: alternate, Auxiliary: runtime.Adam{Rate: 0.02},
			AuxiliaryScale: runtime.Cosine{First: 1, Iterations: 20_000}, MaxSteps: 20_000,
		})
		if gap := res.Loss - best.Loss; !(gap > -1e-9 && gap < 2e-3) {
			t.Errorf("alternate %d: loss %v, by Minimize %v (%+v)", alternate, res.Loss, best.Loss, res.Z)
		}
		t.Logf("alternate %d: %g above the minimum, %d roll-backs", alternate, res.Loss-best.Loss, res.RollBacks)
	}
}

// BenchmarkDescend is the time of the loop itself for a step on d coordinates of the surrogate and as many auxiliary
// ones.
func BenchmarkDescend(b *testing.B) {
	for _, d := range []int{1, 100, 10_000} {
		for _, batch := range []int{1, 100} {
			b.Run(fmt.Sprintf("d=%d,b=%d", d, batch), func(b *testing.B) {
				p := &idle{plain: quadratic(make([]float64, 2*d), make([]float64, 2*d))}
				p.blocks = []runtime.Block{{Len: d}, {Offset: d, Len: d, Auxiliary: true}}
				m, z := new(runtime.Descender), make([]float64, 2*d)
				const steps = 1000
				for b.Loop() {
					m.Descend(ctx, p, z, &runtime.Stochastic{Batch: batch, MaxSteps: steps})
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*steps), "ns/step")
			})
		}
	}
}

// idle has a gradient that costs nothing.
type idle struct{ *plain }

func (*idle) NaturalGradient(v, z []float64) {}
func (*idle) Batch([]int) error              { return nil }
func (*idle) Violation([]float64) int        { return -1 }

func (*idle) Counts() (rows, distinct int, weight float64) { return 10_000, 10_000, 10_000 }
