package random_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/stat/combin"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/random"
)

// Kolmogorov-Smirnov against the distribution functions of gonum: 1.95/sqrt(n) is exceeded once in 1,000 times, and the
// seed is fixed.
func TestContinuous(t *testing.T) {
	const n = 20_000
	for name, c := range map[string]struct {
		draw func(*rand.Rand) float64
		cdf  func(float64) float64
	}{
		"uniform":     {func(r *rand.Rand) float64 { return random.Uniform(r, -1, 3) }, distuv.Uniform{Min: -1, Max: 3}.CDF},
		"normal":      {func(r *rand.Rand) float64 { return random.Normal(r, 2, 3) }, distuv.Normal{Mu: 2, Sigma: 3}.CDF},
		"exponential": {func(r *rand.Rand) float64 { return random.Exponential(r, 4) }, distuv.Exponential{Rate: 4}.CDF},
		"gamma small": {func(r *rand.Rand) float64 { return random.Gamma(r, 0.1, 2) }, distuv.Gamma{Alpha: 0.1, Beta: 2}.CDF},
		"gamma below": {func(r *rand.Rand) float64 { return random.Gamma(r, 0.7, 2) }, distuv.Gamma{Alpha: 0.7, Beta: 2}.CDF},
		"gamma":       {func(r *rand.Rand) float64 { return random.Gamma(r, 6.25, 1.25) }, distuv.Gamma{Alpha: 6.25, Beta: 1.25}.CDF},
		"beta":        {func(r *rand.Rand) float64 { return random.Beta(r, 0.5, 2) }, distuv.Beta{Alpha: 0.5, Beta: 2}.CDF},
	} {
		rng := runtime.Stream(1, name)
		u := make([]float64, n)
		for i := range u {
			u[i] = c.cdf(c.draw(rng))
		}
		if d := distance(u); d > 1.95/math.Sqrt(n) {
			t.Errorf("%s: Kolmogorov-Smirnov distance %v", name, d)
		}
	}
}

// TestAngle: Kolmogorov-Smirnov against the distribution function by Simpson's rule over the part of the circle where the density is not
// next to 0, for concentrations at which almost all is uniform, and almost all normal.
func TestAngle(t *testing.T) {
	const n, cells = 20_000, 4000
	for _, kappa := range []float64{1e-305, 1e-9, 0.01, 0.5, 0.99, 1.01, 3, 40, 1e4, 1e9, 1e20, 1e200} {
		end := math.Min(math.Pi, 12/math.Sqrt(kappa))
		density := func(x float64) float64 {
			s := math.Sin(x / 2)
			return math.Exp(-2 * (kappa * s) * s)
		}
		h := 2 * end / cells
		cdf := make([]float64, cells+1)
		for i := range cells {
			a := -end + float64(i)*h
			cdf[i+1] = cdf[i] + (density(a)+4*density(a+h/2)+density(a+h))*h/6
		}
		rng := runtime.Stream(3, "angle")
		u := make([]float64, n)
		for i := range u {
			x := random.Angle(rng, kappa)
			if !(math.Abs(x) <= end) {
				t.Fatalf("concentration %v drew %v", kappa, x)
			}
			at, part := math.Modf((x + end) / h)
			k := min(int(at), cells-1)
			u[i] = math.Min((cdf[k]+part*(cdf[k+1]-cdf[k]))/cdf[cells], 1-1e-12)
		}
		if d := distance(u); d > 1.95/math.Sqrt(n) {
			t.Errorf("concentration %v: Kolmogorov-Smirnov distance %v", kappa, d)
		}
	}
	for _, kappa := range []float64{0, -1, math.Inf(1), math.NaN()} {
		if x := random.Angle(runtime.Stream(1, "none"), kappa); !math.IsNaN(x) {
			t.Errorf("concentration %v drew %v", kappa, x)
		}
	}
}

// TestVersine: Kolmogorov-Smirnov of the angle, whose density is proportional to exp(kappa*cos(x)) sin(x)^(d-2), against its distribution
// function by Simpson's rule over where the density is not next to 0.
func TestVersine(t *testing.T) {
	const n, cells = 20_000, 4000
	for _, d := range []float64{2, 3, 4.5, 30, 1000} {
		for _, kappa := range []float64{0, 1e-300, 0.01, 1, 40, 1e4, 1e12, 1e200} {
			end := math.Min(math.Pi, 12*math.Sqrt(d/kappa))
			logDensity := func(x float64) float64 {
				s := math.Sin(x / 2)
				return -2*(kappa*s)*s + (d-2)*math.Log(math.Max(math.Sin(x)/math.Sin(math.Min(end, math.Pi/2)), 1e-300))
			}
			h, top := end/cells, math.Inf(-1)
			for i := range cells {
				top = math.Max(top, logDensity((float64(i)+0.5)*h))
			}
			density := func(x float64) float64 { return math.Exp(logDensity(x) - top) }
			cdf := make([]float64, cells+1)
			for i := range cells {
				a := float64(i) * h
				cdf[i+1] = cdf[i] + (density(a)+4*density(a+h/2)+density(a+h))*h/6
			}
			rng := runtime.Stream(3, "versine")
			u := make([]float64, n)
			for i := range u {
				x := 2 * math.Asin(math.Sqrt(random.Versine(rng, kappa, d)/2))
				if !(x >= 0 && x <= end) {
					t.Fatalf("concentration %v in %v dimensions drew the angle %v", kappa, d, x)
				}
				at, part := math.Modf(x / h)
				k := min(int(at), cells-1)
				u[i] = math.Min((cdf[k]+part*(cdf[k+1]-cdf[k]))/cdf[cells], 1-1e-12)
			}
			if far := distance(u); far > 1.95/math.Sqrt(n) {
				t.Errorf("concentration %v in %v dimensions: Kolmogorov-Smirnov distance %v", kappa, d, far)
			}
		}
	}
	for _, a := range [][2]float64{{-1, 3}, {math.Inf(1), 3}, {math.NaN(), 3}, {1, 1.5}, {1, math.NaN()}, {1, 2e15}, {1, math.Inf(1)}} {
		if x := random.Versine(runtime.Stream(1, "none"), a[0], a[1]); !math.IsNaN(x) {
			t.Errorf("concentration %v in %v dimensions drew %v", a[0], a[1], x)
		}
	}
	for _, kappa := range []float64{0, 1, 1e15, 1e150, math.MaxFloat64} { // it ends where rounding is greatest
		if v := random.Versine(runtime.Stream(1, "many"), kappa, 1e15); !(v >= 0 && v <= 2) {
			t.Errorf("concentration %v in 1e15 dimensions drew %v", kappa, v)
		}
	}
	if v := random.Versine(runtime.Stream(1, "far"), math.MaxFloat64, 3); !(v >= 0 && v < 1e-250) {
		t.Errorf("the largest concentration drew %v", v)
	}
}

// distance of a sample to the uniform distribution, by counting in 1,000 cells.
func distance(u []float64) float64 {
	const cells = 1000
	var count [cells + 1]float64
	for _, x := range u {
		count[int(x*cells)]++
	}
	sum, d := 0.0, 0.0
	for i := range cells {
		sum += count[i] / float64(len(u))
		d = math.Max(d, math.Abs(sum-float64(i+1)/cells))
	}
	return d
}

// Frequencies of counts against their probabilities, in standard deviations. Mean 10 is where the method changes, and
// where the 0 that gonum's version never draws has probability 4.5e-5.
func TestPoisson(t *testing.T) {
	const n = 2_000_000
	for _, mean := range []float64{0.3, 9.9, 10, 50} {
		rng := runtime.Stream(2, "poisson")
		count := map[float64]float64{}
		for range n {
			count[random.Poisson(rng, mean)]++
		}
		p := distuv.Poisson{Lambda: mean}
		for k := 0.0; k < 4*mean+5; k++ {
			want := n * p.Prob(k)
			if want < 10 {
				continue
			}
			if z := (count[k] - want) / math.Sqrt(want); math.Abs(z) > 4.5 {
				t.Errorf("mean %v: %v drawn %v times, expected %v", mean, k, count[k], want)
			}
		}
	}
	if x := random.Poisson(runtime.Stream(1, "zero"), 0); x != 0 {
		t.Errorf("mean 0 gave %v", x)
	}
}

// TestShare: counts in three categories, each with a share of what those before it have left, against their joint probabilities.
func TestShare(t *testing.T) {
	const n, trials = 100_000, 6
	p := [3]float64{0.2, 0.5, 0.3}
	rng := runtime.Stream(4, "share")
	count := map[[2]int]float64{}
	for range n {
		x := make([]float64, 2)
		for i, of := range []float64{p[0], p[1] / (1 - p[0])} {
			x[i] = random.Share(rng, trials, of, x[:i]...)
		}
		count[[2]int{int(x[0]), int(x[1])}]++
	}
	seen := 0.0
	for a := range trials + 1 {
		for b := range trials + 1 - a {
			ways := combin.GeneralizedBinomial(trials, float64(a)) * combin.GeneralizedBinomial(float64(trials-a), float64(b))
			want := n * ways * math.Pow(p[0], float64(a)) * math.Pow(p[1], float64(b)) * math.Pow(p[2], float64(trials-a-b))
			got := count[[2]int{a, b}]
			if z := (got - want) / math.Sqrt(want); math.Abs(z) > 4.5 {
				t.Errorf("%d and %d drawn %v times, expected %v", a, b, got, want)
			}
			seen += got
		}
	}
	if seen != n {
		t.Errorf("%v of %d draws have more than there are", n-seen, n)
	}
}

func TestBernoulliAndTinyBeta(t *testing.T) {
	rng := runtime.Stream(3, "bits")
	ones, tiny := 0.0, 0.0
	for range 10_000 {
		ones += random.Bernoulli(rng, 0.3)
		x := random.Beta(rng, 1e-4, 3e-4)
		if math.IsNaN(x) {
			t.Fatal("NaN")
		}
		tiny += x
	}
	if !(math.Abs(ones-3000) <= 200 && math.Abs(tiny-2500) <= 200) {
		t.Errorf("%v, %v", ones, tiny)
	}
}

// TestBinomial compares frequencies with probabilities, of few trials and of many, which are halved; and means at numbers that no loop would end at.
func TestBinomial(t *testing.T) {
	const n = 200_000
	for _, c := range []struct{ trials, p float64 }{{1, 0.3}, {7, 0.5}, {16, 0.9}, {17, 0.2}, {60, 0.03}, {200, 0.6}} {
		rng := runtime.Stream(2, "binomial")
		count := map[float64]float64{}
		for range n {
			count[random.Binomial(rng, c.trials, c.p)]++
		}
		b := distuv.Binomial{N: c.trials, P: c.p}
		for k := 0.0; k <= c.trials; k++ {
			if want := n * b.Prob(k); want >= 10 && math.Abs(count[k]-want) > 4.5*math.Sqrt(want) {
				t.Errorf("%v of %v: drawn %v times, expected %v", k, c, count[k], want)
			}
		}
	}
	rng := runtime.Stream(1, "many")
	sum := 0.0
	for range 1000 {
		sum += random.Binomial(rng, 1e15, 0.25)
	}
	if off := (sum/1000 - 0.25e15) / math.Sqrt(1e15*0.1875/1000); math.Abs(off) > 4 {
		t.Errorf("the mean of many is off by %v standard errors", off)
	}
	if random.Binomial(rng, 0, 0.5) != 0 || random.Binomial(rng, 9, 0) != 0 || random.Binomial(rng, 90, 1) != 90 {
		t.Error("what is certain")
	}
	for _, x := range [][2]float64{{-1, 0.5}, {1.5, 0.5}, {math.Inf(1), 0.5}, {3, -0.1}, {3, 1.1}, {3, math.NaN()}} {
		if v := random.Binomial(rng, x[0], x[1]); !math.IsNaN(v) {
			t.Errorf("%v gives %v", x, v)
		}
	}
}
