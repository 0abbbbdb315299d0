package optima_test

import (
	"context"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/sngdgen/sngdgen/generated"
	"github.com/sngdgen/sngdgen/internal/table"
	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/estimate"
)

func modelOf(t *testing.T, name string) runtime.Model {
	t.Helper()
	newModel, ok := generated.Lookup(name)
	if !ok {
		t.Fatalf("the library has no %s", name)
	}
	return newModel()
}

// TestEM: where the surrogate is the target's own family, SNGD with the step 1 in mean parameters is the EM algorithm.
func TestEM(t *testing.T) {
	for name, of := range components {
		if !of.same {
			continue
		}
		t.Run(name, func(t *testing.T) {
			const k, iterations = 3, 20
			m, o := modelOf(t, name), mixedAt(&of, name, k)
			if err := estimate.Load(m, o.data(), k); err != nil {
				t.Fatal(err)
			}
			z, theta := newPoint(m), make([]float64, 0)
			for i := range m.Info().Parameters {
				theta = append(theta, make([]float64, m.Info().Parameters[i].Len(m))...)
			}
			// The last start is random, and far from the optimum.
			if err := m.Start(z, m.Info().Starts, runtime.Stream(3, "start")); err != nil {
				t.Fatal(err)
			}
			m.Theta(theta, z)
			first := mixtureOf(m, theta)
			want, worst := first, 0.0
			follow := runtime.RecorderFunc(func(it *runtime.Iteration) error {
				if it.Index > 0 {
					want = want.em(&of, o.rows)
				}
				m.Theta(theta, it.Z)
				d := mixtureOf(m, theta).distance(want)
				if worst = max(worst, d); !(d <= 1e-10) {
					t.Errorf("iteration %d: %v\nEM: %v", it.Index, mixtureOf(m, theta), want)
				}
				return nil
			})
			r, err := runtime.Minimize(context.Background(), m, z, &runtime.Settings{
				Step: runtime.Constant{Step: 1}, GradientTolerance: -1, MaxIterations: iterations, Recorder: follow,
			})
			if err != nil || r.Iterations != iterations {
				t.Fatalf("%d iterations (%v)", r.Iterations, err)
			}
			if moved := want.distance(first); !(moved > 0.01) {
				t.Errorf("the algorithm has moved by %.1e only", moved)
			}
			t.Logf("to %.1e in %d iterations", worst, iterations)
		})
	}
}

// TestOneComponent: a mixture of one component is the component. At the same start both have the same loss and the same
// gradients, and their fits end at the same parameters.
func TestOneComponent(t *testing.T) {
	for name, of := range components {
		for _, suffix := range []string{"", "nat"} {
			plain := of.plain + suffix
			if _, ok := generated.Lookup(plain); !ok {
				plain = of.plain
			}
			t.Run(name+suffix, func(t *testing.T) { oneComponent(t, modelOf(t, name+suffix), modelOf(t, plain), &of) })
		}
	}
}

func oneComponent(t *testing.T, m, plain runtime.Model, of *component) {
	rng := rand.New(rand.NewPCG(35, 1))
	s := rows{x: of.draw(0, 400, rng), w: weights(400, rng)}
	if err := estimate.Load(m, s.data(), 1); err != nil {
		t.Fatal(err)
	}
	if err := plain.SetData(s.data()); err != nil {
		t.Fatal(err)
	}
	z := newPoint(m)
	if err := m.Start(z, 0, nil); err != nil {
		t.Fatal(err)
	}
	if m.Info().Coordinates == plain.Info().Coordinates {
		sameGradients(t, m, plain, z)
	}
	var fits [2]*estimate.Report
	for i, p := range []runtime.Model{m, plain} {
		r, err := estimate.Fit(context.Background(), p, &estimate.Settings{})
		if err != nil || !r.Converged {
			t.Fatal(r, err)
		}
		fits[i] = r
	}
	got, want := fits[0], fits[1]
	if d := math.Abs(float64(got.Loss - want.Loss)); !(d <= 1e-13*(1+math.Abs(float64(want.Loss)))) {
		t.Errorf("the loss is %.17g, without mixture %.17g", float64(got.Loss), float64(want.Loss))
	}
	for i, p := range want.Estimate {
		if p.Shape == nil {
			p.Entries = []float64{p.Value}
		}
		q := got.Estimate[1+i]
		if d := largest(minus(q.Entries, p.Entries)) / largest(p.Entries); !(d <= 1e-10) {
			t.Errorf("%s: %v, without mixture %v", p.Name, q.Entries, p.Entries)
		} else {
			t.Logf("%s: to %.1e", p.Name, d)
		}
	}
	if w := got.Estimate[0].Entries; !slices.Equal(w, []float64{1}) {
		t.Errorf("the weights are %v", w)
	}
}

// sameGradients compares at one point.
func sameGradients(t *testing.T, m, plain runtime.Model, z []float64) {
	t.Helper()
	if n := len(newPoint(plain)); n != len(z) {
		t.Fatalf("%d coordinates, without mixture %d", len(z), n)
	}
	v, c, pv, pc := newPoint(m), newPoint(m), newPoint(m), newPoint(m)
	f, pf := m.Gradients(v, c, z), plain.Gradients(pv, pc, z)
	if !(math.Abs(f-pf) <= 1e-13*(1+math.Abs(pf))) {
		t.Errorf("at the start the loss is %.17g, without mixture %.17g", f, pf)
	}
	for _, g := range []struct {
		name    string
		of, one []float64
	}{{"natural gradient", v, pv}, {"gradient", c, pc}} {
		if d := largest(minus(g.of, g.one)); !(d <= 1e-11*(1+largest(g.one))) {
			t.Errorf("at the start the %s is %v, without mixture %v", g.name, g.of, g.one)
		}
	}
}

// TestAdmissions: daily admissions to hospital in England, 2020-04-01 to 2021-12-19, as a mixture of five negative
// binomials, from the default start. The data (Open Government Licence 3.0) are those of others: where they are not next
// to the repository, there is nothing to fit. The optimum is that of BFGS,
// L-BFGS and the EM algorithm in other software.
func TestAdmissions(t *testing.T) {
	const file = "../../../shared/data/covid_england.csv"
	if _, err := os.Stat(file); err != nil {
		t.Skip("the admissions are not here")
	}
	data, err := table.ReadFile(file, nil, table.Options{})
	if err != nil {
		t.Fatal(err)
	}
	m := modelOf(t, "negbinmix")
	if err := estimate.Load(m, data.Data(), 5); err != nil {
		t.Fatal(err)
	}
	r, err := estimate.Fit(context.Background(), m, nil)
	if err != nil {
		t.Fatal(err)
	}
	if !r.Converged || r.Rows != 628 || !(math.Abs(float64(r.Loss)-7.522192146156) <= 1e-11) {
		t.Errorf("%d rows, loss %.12f: %s", r.Rows, float64(r.Loss), r.Message)
	}
	of := components["negbinmix"]
	got := mixtureOf(m, entriesOf(r))
	s := rows{w: slices.Repeat([]float64{1}, data.Rows())}
	for _, x := range data.Values {
		s.x = append(s.x, []float64{x})
	}
	if loss := got.loss(&of, s); !(math.Abs(loss-float64(r.Loss)) <= 1e-11) { // the terms are as large as 20,000
		t.Errorf("by hand the loss is %.15g, not %.15g", loss, float64(r.Loss))
	}
	for c, want := range [][]float64{ // the weight, r, s and the mean
		{.12275053, 14.9887, .16635061, 75.1145}, {.28201448, 3.22102, .01341200, 236.939},
		{.34644501, 34.6005, .04619339, 714.435}, {.16250895, 27.4719, .01909579, 1411.16},
		{.08628102, 20.8764, .00708186, 2926.996},
	} {
		r, s := got.of[c][0], got.of[c][1]
		for i, x := range []float64{got.w[c], r, s, r * (1 - s) / s} {
			if !(math.Abs(x/want[i]-1) <= 5e-6) {
				t.Errorf("component %d: %.9g, want %.9g", c+1, x, want[i])
			}
		}
	}
}
