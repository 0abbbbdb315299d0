package sheep_test

import (
	"context"
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/optimize"

	"github.com/sngdgen/sngdgen/generated/negbin"
	"github.com/sngdgen/sngdgen/generated/studentt5"
	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/baseline/general"
	"github.com/sngdgen/sngdgen/tests/sheep"
)

// BenchmarkFit times whole fits of the sheep from the default start: by natural L-BFGS and by SNGD on the generated
// natural gradient, and by gonum's BFGS and Newton on the generated objective in unconstrained coordinates.
func BenchmarkFit(b *testing.B) {
	m, err := negbin.New(sheep.Ticks())
	if err != nil {
		b.Fatal(err)
	}
	z := make([]float64, 2)
	if err := m.Start(z, 0, nil); err != nil {
		b.Fatal(err)
	}
	var minimizer runtime.Minimizer
	for _, method := range []runtime.Method{runtime.NaturalLBFGS{}, runtime.SNGD{}} {
		s := &runtime.Settings{Method: method}
		b.Run(fmt.Sprint(method), func(b *testing.B) {
			var r *runtime.Result
			for b.Loop() {
				r, err = minimizer.Minimize(context.Background(), m, z, s)
			}
			check(b, m.ThetaAt(r.Z).R, err)
			b.ReportMetric(float64(r.GradientEvaluations), "gradients")
		})
	}
	u := m.Unconstrained()
	start := make([]float64, 2)
	theta := m.ThetaAt(z)
	u.FromTheta(start, []float64{theta.R, theta.S})
	for name, method := range map[string]func() optimize.Method{
		"gonum-bfgs":   func() optimize.Method { return &optimize.BFGS{} },
		"gonum-newton": func() optimize.Method { return &optimize.Newton{} },
	} {
		b.Run(name, func(b *testing.B) {
			var r *optimize.Result
			for b.Loop() {
				r, err = optimize.Minimize(general.Problem(u), start, &optimize.Settings{GradientThreshold: 1e-8}, method())
			}
			if !(math.Abs(math.Exp(r.X[0])-sheep.R) <= 1e-6) {
				b.Fatal(r.X, err)
			}
			b.ReportMetric(float64(r.GradEvaluations), "gradients")
		})
	}
}

func check(b *testing.B, r float64, err error) {
	if err != nil || math.Abs(r-sheep.R) > 1e-10 {
		b.Fatal(r, err)
	}
}

// BenchmarkStep times one natural gradient: 82 and 1,000,000 rows of small counts, which are merged, and 1,000 and
// 1,000,000 rows of real numbers, which cannot be.
func BenchmarkStep(b *testing.B) {
	for _, n := range []int{82, 1_000_000} {
		m, err := negbin.New(sheep.Repeated(n))
		if err != nil {
			b.Fatal(err)
		}
		step(b, fmt.Sprintf("counts/n=%d", n), m, n)
	}
	for _, n := range []int{1000, 1_000_000} {
		x := sheep.Repeated(n)
		for i := range x {
			x[i] += float64(i) / float64(n)
		}
		m, err := studentt5.New(x)
		if err != nil {
			b.Fatal(err)
		}
		step(b, fmt.Sprintf("real/n=%d", n), m, n)
	}
}

func step(b *testing.B, name string, m runtime.Model, n int) {
	z, v := make([]float64, 2), make([]float64, 2)
	if err := m.Start(z, 0, nil); err != nil {
		b.Fatal(err)
	}
	b.Run(name, func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			m.NaturalGradient(v, z)
		}
		_, distinct, _ := m.Counts()
		per := float64(b.Elapsed().Nanoseconds()) / float64(b.N)
		b.ReportMetric(per/float64(n), "ns/row")
		b.ReportMetric(per/float64(distinct), "ns/distinct-row")
	})
}
