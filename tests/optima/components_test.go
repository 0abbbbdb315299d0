package optima_test

import (
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// component is what a mixture mixes, written by hand. Its parameters are those of the target in their order.
type component struct {
	plain string                                          // the problem of one component
	draw  func(c, n int, rng *rand.Rand) [][]float64      // rows of component c, which overlap with those of others
	log   func(theta []float64) func(x []float64) float64 // the density of a row
	best  func(rows) []float64                            // maximum likelihood for one component, on weighted rows
	theta func(u []float64) []float64                     // in coordinates without constraints
	from  func(theta []float64) []float64                 // the inverse of theta
	rows  int                                             // for each component
	em    bool                                            // best is cheap enough for the EM algorithm
	same  bool                                            // the surrogate is of the same family
	slow  bool                                            // SNGD takes thousands of steps
}

// components by the name of the mixture problem in mean coordinates.
var components = map[string]component{
	"normalmix": {
		plain: "normal", rows: 150, draw: numbersOf(apartNormal), log: logNormal, best: ofNumbers(normal),
		theta: func(u []float64) []float64 { return []float64{u[0], math.Exp(u[1])} },
		from:  func(t []float64) []float64 { return []float64{t[0], math.Log(t[1])} },
		em:    true, same: true,
	},
	"gammamix": {
		plain: "gamma", rows: 150, draw: numbersOf(apartGamma), log: logGamma, best: ofNumbers(gamma),
		theta: exponentials, from: logarithms, em: true, same: true,
	},
	"negbinmix": {
		plain: "negbin", rows: 150, draw: numbersOf(apartNegbin), log: logNegbin, best: ofNumbers(negbin),
		theta: func(u []float64) []float64 { return []float64{math.Exp(u[0]), 1 / (1 + math.Exp(-u[1]))} },
		from:  func(t []float64) []float64 { return []float64{math.Log(t[0]), math.Log(t[1] / (1 - t[1]))} },
		em:    true,
	},
	"mvnormalmix": {
		plain: "mvnormal", rows: 150, draw: apartRows(0, ones), log: logMultivariateNormal, best: multivariateNormal,
		theta: func(u []float64) []float64 { return slices.Concat(u[:2], omega(u, 2)) },
		from:  func(t []float64) []float64 { return slices.Concat(t[:2], factor(t[2:6])) },
		em:    true, same: true,
	},
	"mvstudenttmix": {
		plain: "mvstudentt", rows: 150, draw: apartRows(0, chi), log: logMultivariateT, best: multivariateT,
		theta: func(u []float64) []float64 { return slices.Concat(u[:2], omega(u, 2), []float64{2 + math.Exp(u[5])}) },
		from: func(t []float64) []float64 {
			return slices.Concat(t[:2], factor(t[2:6]), []float64{math.Log(t[6] - 2)})
		},
	},
	"skewnormalmix": {
		plain: "skewnormal", rows: 500, slow: true, draw: apartRows(2.5, ones), log: logSkewNormal, best: skewNormal,
		theta: func(u []float64) []float64 { return slices.Concat(u[:2], omega(u, 2), u[5:7]) },
		from:  func(t []float64) []float64 { return slices.Concat(t[:2], factor(t[2:6]), t[6:8]) },
	},
}

// ofNumbers is an oracle for numbers on rows of one column.
func ofNumbers(best func(sample) []float64) func(rows) []float64 {
	return func(s rows) []float64 { return best(sample{slices.Concat(s.x...), s.w}) }
}

func numbersOf(draw func(c int, rng *rand.Rand) float64) func(c, n int, rng *rand.Rand) [][]float64 {
	return func(c, n int, rng *rand.Rand) [][]float64 {
		out := make([][]float64, n)
		for i := range out {
			out[i] = []float64{draw(c, rng)}
		}
		return out
	}
}

func apartNormal(c int, rng *rand.Rand) float64 {
	return 100 + 4*float64(c) + (1+0.3*float64(c))*rng.NormFloat64()
}

// apartGamma has means that grow five-fold, the shapes being 4, 6, 8, ...: each row is half a chi squared number.
func apartGamma(c int, rng *rand.Rand) float64 {
	sum := 0.0
	for range 8 + 4*c {
		sum += math.Pow(rng.NormFloat64(), 2) / 2
	}
	return sum * math.Pow(5, float64(c)) / 10
}

// apartNegbin is a Poisson number whose mean has a gamma distribution: how many exponential times fit into it.
func apartNegbin(c int, rng *rand.Rand) float64 {
	n := 0.0
	for left := apartGamma(c, rng) * 10; ; n++ {
		if left -= rng.ExpFloat64(); left < 0 {
			return n
		}
	}
}

// apartRows draws rows of two columns around the corners of a triangle: a half-normal number times the slant, plus
// correlated normal numbers, all times the scale.
func apartRows(slant float64, scale func(rng *rand.Rand) func() float64) func(c, n int, rng *rand.Rand) [][]float64 {
	corners := [][]float64{{0, 0}, {9, 2}, {3, 10}}
	return func(c, n int, rng *rand.Rand) [][]float64 {
		out := make([][]float64, n)
		for i := range out {
			s, w := scale(rng)(), slant*math.Abs(rng.NormFloat64())
			e := rng.NormFloat64()
			f := 0.3*float64(c)*e + rng.NormFloat64()
			out[i] = []float64{corners[c][0] + s*(w+e), corners[c][1] + s*(w*float64(1-c)/2+1.5*f)}
		}
		return out
	}
}

func ones(*rand.Rand) func() float64 { return one }

func exponentials(u []float64) []float64 {
	out := slices.Clone(u)
	for i := range out {
		out[i] = math.Exp(u[i])
	}
	return out
}

func logarithms(t []float64) []float64 {
	out := slices.Clone(t)
	for i := range out {
		out[i] = math.Log(t[i])
	}
	return out
}

// triangle is the Cholesky factor of a matrix, for quadratic forms of many rows.
type triangle struct {
	d      int
	l      []float64
	logDet float64
}

func newTriangle(d int, sigma []float64) *triangle {
	e := newEllipse(d, sigma)
	var l mat.TriDense
	e.chol.LTo(&l)
	t := &triangle{d: d, logDet: e.logDet()}
	for i := range d {
		for j := range d {
			t.l = append(t.l, l.At(i, j))
		}
	}
	return t
}

// quad is the square of inv(L) (x - mu).
func (t *triangle) quad(x, mu []float64) float64 {
	var y [4]float64
	sum := 0.0
	for i := range t.d {
		v := x[i] - mu[i]
		for j := range i {
			v -= t.l[i*t.d+j] * y[j]
		}
		y[i] = v / t.l[i*t.d+i]
		sum += y[i] * y[i]
	}
	return sum
}

// factor is the inverse of omega: the Cholesky factor of a matrix, row by row, with the logarithms of its diagonal.
func factor(sigma []float64) []float64 {
	d := int(math.Sqrt(float64(len(sigma))))
	t := newTriangle(d, sigma)
	var out []float64
	for i := range d {
		out = append(append(out, t.l[i*d:i*d+i]...), math.Log(t.l[i*d+i]))
	}
	return out
}

func logNormal(t []float64) func(x []float64) float64 {
	return func(x []float64) float64 {
		return -math.Pow(x[0]-t[0], 2)/(2*t[1]) - math.Log(2*math.Pi*t[1])/2
	}
}

func logGamma(t []float64) func(x []float64) float64 {
	base, _ := math.Lgamma(t[0])
	return func(x []float64) float64 {
		return t[0]*math.Log(t[1]) - base + (t[0]-1)*math.Log(x[0]) - t[1]*x[0]
	}
}

func logNegbin(t []float64) func(x []float64) float64 {
	base, _ := math.Lgamma(t[0])
	return func(x []float64) float64 {
		a, _ := math.Lgamma(x[0] + t[0])
		b, _ := math.Lgamma(x[0] + 1)
		return a - base - b + x[0]*math.Log1p(-t[1]) + t[0]*math.Log(t[1])
	}
}

func logMultivariateNormal(t []float64) func(x []float64) float64 {
	e := newTriangle(2, t[2:6])
	return func(x []float64) float64 { return -(e.quad(x, t)+e.logDet)/2 - math.Log(2*math.Pi) }
}

func logMultivariateT(t []float64) func(x []float64) float64 {
	e, nu := newTriangle(2, t[2:6]), t[6]
	joint, _ := math.Lgamma((nu + 2) / 2)
	base, _ := math.Lgamma(nu / 2)
	return func(x []float64) float64 {
		return joint - base - math.Log(nu*math.Pi) - e.logDet/2 - (nu+2)/2*math.Log1p(e.quad(x, t)/nu)
	}
}

func logSkewNormal(t []float64) func(x []float64) float64 {
	base := logMultivariateNormal(t)
	return func(x []float64) float64 {
		return math.Ln2 + base(x) + logPhi(t[6]*(x[0]-t[0])+t[7]*(x[1]-t[1]))
	}
}
