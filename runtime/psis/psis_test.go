package psis_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	_ "github.com/sngdgen/sngdgen/internal/testseed"
	"github.com/sngdgen/sngdgen/runtime/psis"
)

// paretoLog is the logarithm of a quantile of the generalised Pareto distribution with scale 1, u from the top.
func paretoLog(k, u float64) float64 {
	if k == 0 {
		return math.Log(-math.Log(u))
	}
	return math.Log(math.Expm1(-k*math.Log(u)) / k)
}

// Shapes, largest weights and sums of squared weights, normalised, by package arviz-stats 0.8.0 (Python) on the
// quantiles at multiples of the golden ratio.
func TestParetoReference(t *testing.T) {
	golden := (math.Sqrt(5) - 1) / 2
	for _, c := range []struct {
		s                   int
		k                   float64
		shape, top, squares float64
	}{
		{25, -0.4, 0.384551941135, -2.20419355296, 0.0607506347054},
		{25, 0.2, 0.506442842395, -1.69759901543, 0.0817227571106},
		{25, 0.7, 0.609826784677, -1.35003031183, 0.115101152656},
		{25, 1.2, 0.713849242108, -1.07436322005, 0.164296025721},
		{100, -0.4, -0.0169437857953, -3.48711058782, 0.0157707517144},
		{100, 0.2, 0.341014458287, -2.57690513421, 0.024932096381},
		{100, 0.7, 0.630535950815, -1.6781179052, 0.0593214832502},
		{100, 1.2, 0.9172823013, -1.08544959418, 0.143561174891},
		{400, -0.4, -0.24584807516, -4.82482441844, 0.00390998470599},
		{400, 0.2, 0.219753038234, -3.67993606952, 0.00628400600546},
		{400, 0.7, 0.60496372517, -2.26464193716, 0.0216161541154},
		{400, 1.2, 0.992244302078, -1.20549835887, 0.110159433371},
		{1600, -0.4, -0.307663571386, -6.16482249737, 0.000974226101096},
		{1600, 0.2, 0.242904724661, -4.57507578878, 0.00166817366671},
		{1600, 0.7, 0.695320293434, -2.50498289826, 0.0120145776511},
		{1600, 1.2, 1.14626385173, -1.03687396525, 0.143629788747},
	} {
		logs := make([]float64, c.s)
		for i := range logs {
			_, u := math.Modf(float64(i+1) * golden)
			logs[i] = paretoLog(c.k, u)
		}
		near(t, "shape", psis.Smooth(logs), c.shape, 1e-8)
		var sum, squares float64
		for _, l := range logs {
			sum += math.Exp(l)
		}
		for _, l := range logs {
			squares += math.Exp(l) / sum * math.Exp(l) / sum
		}
		near(t, "largest", slices.Max(logs)-math.Log(sum), c.top, 1e-8)
		near(t, "squares", squares, c.squares, 1e-8)
	}
}

// The tail of a generalised Pareto distribution is one of the same shape; the standard error of an estimate from m
// ratios is about (1 + k)/sqrt(m) (Hosking and Wallis, Technometrics 29, 1987).
func TestParetoShapes(t *testing.T) {
	const s = 40_000
	m := 3 * math.Sqrt(s)
	for _, k := range []float64{-0.4, 0, 0.3, 0.5, 0.7, 1, 1.5} {
		for seed := range uint64(3) {
			rng := rand.New(rand.NewPCG(seed, 1))
			logs := make([]float64, s)
			for i := range logs {
				logs[i] = paretoLog(k, 1-rng.Float64()) - 1000
			}
			want := (m*k + 5) / (m + 10)
			if got := psis.Smooth(logs); math.Abs(got-want) > 3*(1+k)/math.Sqrt(m) {
				t.Errorf("shape %v, want %v", got, want)
			}
		}
	}
}

// logRatios are those of a standard normal target of d numbers to a normal proposal with standard deviation sigma. The
// ratios are exp(sum (1 - sigma^2) e^2/2) times a constant: the power of a chi-squared distribution, whose tail is that of k = 1 - sigma^2
// when sigma is below 1, and has an end, near which the distribution function is a power d/2, when it is above.
func logRatios(rng *rand.Rand, s, d int, sigma float64) []float64 {
	logs := make([]float64, s)
	for i := range logs {
		for range d {
			e := rng.NormFloat64()
			logs[i] += math.Log(sigma) + 0.5*e*e*(1-sigma*sigma)
		}
	}
	return logs
}

func TestParetoNormals(t *testing.T) {
	for _, c := range []struct {
		d            int
		sigma        float64
		want, within float64
	}{
		{1, 0.4, 0.84, 0.15}, {1, 0.6, 0.64, 0.15}, {1, 0.8, 0.36, 0.15}, {1, 0.95, 0.0975, 0.15},
		{4, 1.5, -0.5, 0.15}, {8, 1.5, -0.25, 0.15},
	} {
		logs := logRatios(rand.New(rand.NewPCG(3, 5)), 50_000, c.d, c.sigma)
		sum, top := 0.0, slices.Max(logs)
		k := psis.Smooth(logs)
		for _, l := range logs {
			sum += math.Exp(l)
		}
		if math.Abs(k-c.want) > c.within {
			t.Errorf("%+v: shape %v", c, k)
		}
		if k < 0.7 && math.Abs(sum/50_000-1) > 0.03 || slices.Max(logs) > top {
			t.Errorf("%+v: the mean of the ratios is %v", c, sum/50_000)
		}
	}
}

// Smoothing changes the largest ratios only, keeps their order, and does not depend on scale and order.
func TestParetoProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.IntRange(25, 400).Draw(t, "draws")
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		spread, by := rapid.Float64Range(1e-3, 10).Draw(t, "spread"), rapid.Float64Range(-1e3, 1e3).Draw(t, "scale")
		logs := make([]float64, s)
		for i := range logs {
			logs[i] = spread * rng.NormFloat64()
		}
		before := slices.Clone(logs)
		moved := make([]float64, s)
		turn := rng.Perm(s)
		for i, j := range turn {
			moved[j] = logs[i] + by
		}
		k := psis.Smooth(logs)
		if other := psis.Smooth(moved); math.Abs(other-k) > 1e-7*(1+math.Abs(k)) {
			t.Fatalf("shape %v, and %v of the same ratios", k, other)
		}
		order := slices.Clone(turn)
		slices.SortFunc(order, func(a, b int) int { return int(math.Copysign(1, before[a]-before[b])) })
		tail := int(math.Ceil(min(float64(s)/5, 3*math.Sqrt(float64(s)))))
		for i, at := range order {
			if i < s-tail && logs[at] != before[at] || i > 0 && logs[at] < logs[order[i-1]] {
				t.Fatalf("ratio %d of %d was %v and is %v", i, s, before[at], logs[at])
			}
			if d := moved[turn[at]] - by - logs[at]; math.Abs(d) > 1e-7*(1+spread) {
				t.Fatalf("ratio %d of %d differs by %v", i, s, d)
			}
		}
		if logs[order[s-1]] > before[order[s-1]] {
			t.Fatal("the largest ratio has become larger")
		}
	})
}

func TestParetoEdges(t *testing.T) {
	numbers := func(n int, f func(i int) float64) []float64 {
		x := make([]float64, n)
		for i := range x {
			x[i] = f(i)
		}
		return x
	}
	inf := math.Inf(1)
	with := func(first, others float64) func(i int) float64 {
		return func(i int) float64 {
			if i == 0 {
				return first
			}
			return others * float64(i)
		}
	}
	for _, c := range []struct {
		name string
		logs []float64
		want float64
	}{
		{"none", nil, math.NaN()},
		{"few", numbers(20, with(0, 1)), math.NaN()},
		{"NaN", numbers(100, with(math.NaN(), 1)), math.NaN()},
		{"all 0", numbers(100, with(-inf, -inf)), math.NaN()},
		{"+Inf", numbers(100, with(inf, 1)), inf},
		{"equal", numbers(100, func(int) float64 { return -1234.5 }), 0},
		{"equal but for rounding", numbers(100, func(i int) float64 { return 1234.5 * (1 + 1e-15*float64(i%7)) }), 0},
		{"far apart", numbers(100, with(0, 1000)), inf},
		{"equal in the tail", numbers(100, func(i int) float64 { return -float64(i % 2) }), inf},
	} {
		before := slices.Clone(c.logs)
		got := psis.Smooth(c.logs)
		if got != c.want && !(math.IsNaN(got) && math.IsNaN(c.want)) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
		for i, l := range c.logs {
			if l != before[i] && !math.IsNaN(l) {
				t.Errorf("%s: a ratio was changed", c.name)
				break
			}
		}
	}
	// Ratios of 0 are no obstacle, as long as there are others in all of the tail.
	rng := rand.New(rand.NewPCG(1, 2))
	for _, zeros := range []int{1, 1000 - 95} {
		logs := logRatios(rng, 1000, 1, 0.8)
		for i := range zeros {
			logs[i] = math.Inf(-1)
		}
		if k := psis.Smooth(logs); !(k > -1 && k < 0.7) || !math.IsInf(logs[0], -1) {
			t.Errorf("%d zeros: shape %v", zeros, k)
		}
	}
	logs := logRatios(rng, 1000, 1, 0.8)
	for i := range 960 {
		logs[i] = math.Inf(-1)
	}
	if k := psis.Smooth(logs); !math.IsInf(k, 1) {
		t.Errorf("shape %v", k)
	}
}

func near(t testing.TB, what string, got, want, tol float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tol*math.Abs(want)) {
		t.Errorf("%s = %.17g, want %.17g (relative difference %.2g)", what, got, want, got/want-1)
	}
}

// rippled are the logarithms of the ratios of the density prod phi(x_i) (1 + a g(x_i)) to prod phi(x_i), of d numbers, at draws of the
// latter. The function g is bounded, cos x + b cos 2x + c, with b and c such that its integrals by phi and by x^2 phi are 0: means
// and variances of both distributions are the same, and so are their correlations.
func rippled(a float64, d, s int, rng *rand.Rand) []float64 {
	once, twice := math.Exp(-0.5), math.Exp(-2) // means of cos x and of cos 2x
	b := -once / (4 * twice)
	c := -once - b*twice
	logs := make([]float64, s)
	for i := range logs {
		for range d {
			x := rng.NormFloat64()
			logs[i] += math.Log1p(a * (math.Cos(x) + b*math.Cos(2*x) + c))
		}
	}
	return logs
}

// TestManyDimensions: k-hat is no statement about moments. Of two distributions with the same means and variances it is low in one
// dimension, where ratios are bounded, and above its limit in many.
func TestManyDimensions(t *testing.T) {
	shape := func(d int) (sum float64) {
		for seed := range uint64(4) {
			sum += psis.Smooth(rippled(0.37, d, 10_000, rand.New(rand.NewPCG(seed, 1)))) / 4
		}
		return sum
	}
	if one, many := shape(1), shape(400); !(one < 0.3 && many > 0.85) {
		t.Errorf("k-hat is %v of one number, %v of 400", one, many)
	}
}
