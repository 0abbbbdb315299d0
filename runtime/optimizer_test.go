package runtime_test

import (
	"math"
	"testing"

	"github.com/sngdgen/sngdgen/runtime"
)

// Three steps with the gradients 1, -2, 0.5, written out from the formulas of the papers, with the usual constants and
// the rate 0.1.
func TestOptimizerSequences(t *testing.T) {
	g := []float64{1, -2, 0.5}
	adam := func(top bool) (want [3]float64) {
		// In closed form: m_t = 0.1 sum 0.9^(t-i) g_i, and the same for the squares.
		m := [3]float64{0.1 * 1, 0.1 * (0.9*1 - 2), 0.1 * (0.81*1 - 0.9*2 + 0.5)}
		s := [3]float64{0.001 * 1, 0.001 * (0.999*1 + 4), 0.001 * (0.998001*1 + 0.999*4 + 0.25)}
		if top {
			s[2] = max(s[0], s[1], s[2])
		}
		z := 0.0
		for i := range want {
			mb, sb := 1-math.Pow(0.9, float64(i+1)), 1-math.Pow(0.999, float64(i+1))
			z -= 0.1 * (m[i] / mb) / (math.Sqrt(s[i]/sb) + 1e-8)
			want[i] = z
		}
		return want
	}
	for _, c := range []struct {
		o    runtime.Optimizer
		want [3]float64
	}{
		{runtime.SGD{Rate: 0.1}, [3]float64{-0.1, 0.1, 0.05}},
		{runtime.SGD{Rate: 0.1, Momentum: 0.9}, [3]float64{-0.1, 0.01, 0.059}}, // u = 1, -1.1, -0.49
		{runtime.Adam{Rate: 0.1}, adam(false)},
		{runtime.AMSGrad{Rate: 0.1}, adam(true)},
		{runtime.Adagrad{Rate: 0.1}, [3]float64{-0.1, -0.1 + 0.2/math.Sqrt(5), -0.1 + 0.2/math.Sqrt(5) - 0.05/math.Sqrt(5.25)}},
		{runtime.RMSProp{Rate: 0.1}, [3]float64{
			-0.1 / math.Sqrt(0.1),
			-0.1/math.Sqrt(0.1) + 0.2/math.Sqrt(0.49),
			-0.1/math.Sqrt(0.1) + 0.2/math.Sqrt(0.49) - 0.05/math.Sqrt(0.466),
		}},
	} {
		t.Run(c.o.String(), func(t *testing.T) {
			// Two coordinates, the second with gradients of the other sign, and a fresh memory.
			z, memory := make([]float64, 2), make([]float64, 2*c.o.Memory())
			for i := range g {
				c.o.Update(z, []float64{g[i], -g[i]}, memory, i+1, 1)
				near(t, "z", z[0], c.want[i], 3e-7) // epsilon moves the closed forms by up to 1e-7
				if z[1] != -z[0] {
					t.Errorf("z = %v", z)
				}
			}
		})
	}
}

// After a large gradient the mean of the squares falls, and the largest one stays in the place of it (Reddi, Kale and Kumar
// 2018, algorithm 2, with the corrections of Adam): in closed form, with decays of 1/2.
func TestAMSGradMaximum(t *testing.T) {
	g := []float64{8, 0.5, -0.25, 2, 16}
	squares := []float64{32, 16.125, 8.09375, 6.046875, 131.0234375} // 1/2, 1/4, ... of the squares of the gradients
	largest := []float64{32, 32, 32, 32, 131.0234375}
	means := []float64{4, 2.25, 1, 1.5, 8.75}
	o := runtime.AMSGrad{Rate: 0.1, MeanDecay: 0.5, SquareDecay: 0.5, Epsilon: 1e-30}
	z, memory, want := []float64{0}, make([]float64, 3), 0.0
	for i := range g {
		o.Update(z, g[i:i+1], memory, i+1, 1)
		bias := 1 - math.Pow(0.5, float64(i+1))
		want -= 0.1 * means[i] / bias / math.Sqrt(largest[i]/bias)
		near(t, "z", z[0], want, 1e-14)
		near(t, "mean of squares", memory[1], squares[i], 1e-14)
	}
}

// Adam by hand with its default rate: the first step is rate*g/(|g|+epsilon).
func TestAdamFirstStep(t *testing.T) {
	for _, g := range []float64{3, -1e-3, 1e6} {
		z := []float64{1}
		runtime.Adam{}.Update(z, []float64{g}, make([]float64, 2), 1, 1)
		near(t, "change", 1-z[0], 0.001*g/(math.Abs(g)+1e-8), 1e-12)
	}
}

// A scale multiplies the step and nothing else.
func TestOptimizerScale(t *testing.T) {
	for _, o := range optimizers {
		a, b := []float64{0}, []float64{0}
		ma, mb := make([]float64, o.Memory()), make([]float64, o.Memory())
		for i := range 5 {
			g := []float64{math.Sin(float64(3*i + 1))}
			o.Update(a, g, ma, i+1, 1)
			o.Update(b, g, mb, i+1, 0.25)
			near(t, o.String(), 4*b[0], a[0], 1e-14)
		}
	}
}

var optimizers = []runtime.Optimizer{
	runtime.SGD{}, runtime.SGD{Momentum: 0.9}, runtime.Adam{}, runtime.AMSGrad{}, runtime.Adagrad{}, runtime.RMSProp{},
}

func TestSchedules(t *testing.T) {
	for _, c := range []struct {
		s    runtime.Schedule
		k    int
		want float64
	}{
		{runtime.Constant{}, 3, 1},
		{runtime.Constant{Step: 0.3}, 1000, 0.3},
		{runtime.Decay{}, 300, math.Pow(4, -0.75)},
		{runtime.Decay{First: 1, Delay: 1, Power: 1}, 0, 1},
		{runtime.Decay{First: 1, Delay: 1, Power: 1}, 4, 0.2},
		{runtime.Decay{First: 0.5, Delay: 10, Power: 0.5}, 30, 0.25},
		{runtime.Cosine{Iterations: 3}, 1, 0.75},
		{runtime.Cosine{First: 1, Last: 0.5, Iterations: 10}, 0, 1},
		{runtime.Cosine{First: 1, Last: 0.5, Iterations: 10}, 5, 0.75},
		{runtime.Cosine{First: 1, Last: 0.5, Iterations: 10}, 10, 0.5},
		{runtime.Cosine{First: 1, Last: 0.5, Iterations: 10}, 11, 0.5},
	} {
		near(t, "step", c.s.At(c.k), c.want, 1e-15)
	}
}
