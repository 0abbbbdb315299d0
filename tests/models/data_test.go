package models

import (
	"math"
	"math/rand/v2"
)

// Random numbers, by inversion, sums and ratios, as plainly as can be.

func normal(r *rand.Rand, mean, sd float64) float64 { return mean + sd*r.NormFloat64() }

func with(r *rand.Rand, p float64) float64 {
	if r.Float64() < p {
		return 1
	}
	return 0
}

func poisson(r *rand.Rand, mean float64) float64 {
	k, t := 0.0, r.ExpFloat64()
	for ; t < mean; t += r.ExpFloat64() {
		k++
	}
	return k
}

func binomial(r *rand.Rand, n int, p float64) (k float64) {
	for range n {
		k += with(r, p)
	}
	return k
}

// gamma is Marsaglia and Tsang's, of a shape of at least 1.
func gamma(r *rand.Rand, shape float64) float64 {
	d := shape - 1.0/3
	for {
		x := r.NormFloat64()
		v := math.Pow(1+x/math.Sqrt(9*d), 3)
		if v > 0 && math.Log(r.Float64()) < x*x/2+d-d*v+d*math.Log(v) {
			return d * v
		}
	}
}

func logistic(x float64) float64 { return 1 / (1 + math.Exp(-x)) }

// line is a row of columns, 1 and a normal number, and their sum with coefficients.
func line(r *rand.Rand, a, b float64) (x []float64, eta float64) {
	x = []float64{1, r.NormFloat64()}
	return x, a + b*x[1]
}

func row(y float64, rest ...float64) []float64 { return append([]float64{y}, rest...) }

// effects are the truths about groups.
func effects(n int, sd float64) []float64 {
	r, out := rand.New(rand.NewPCG(99, uint64(n))), make([]float64, n)
	for i := range out {
		out[i] = normal(r, 0, sd)
	}
	return out
}

var (
	schools     = effects(20, 0.8)
	persons     = effects(60, 1)
	items       = effects(12, 1.2)
	counties    = effects(25, 0.5)
	teams       = effects(8, 1)
	uranium     = effects(26, 1)
	coefficient = []float64{0.5, -0.8}
)

var models = map[string]model{
	"linear": {draw: func(r *rand.Rand, _ int) []float64 {
		x, eta := line(r, 0.5, -0.8)
		return row(normal(r, eta, 0.7), x...)
	}, want: map[string][]float64{"beta": coefficient, "sigma": {0.7}}},
	"robust": {rows: 2000, draw: func(r *rand.Rand, _ int) []float64 {
		x, eta := line(r, 0.5, -0.8)
		return row(eta+0.7*r.NormFloat64()/math.Sqrt(gamma(r, 2)/2), x...)
	}, want: map[string][]float64{"beta": coefficient, "sigma": {0.7}, "nu": {4}}},
	"logit": {draw: func(r *rand.Rand, _ int) []float64 {
		x, eta := line(r, 0.5, -0.8)
		return row(with(r, logistic(eta)), x...)
	}, want: map[string][]float64{"beta": coefficient}},
	"probit": {draw: func(r *rand.Rand, _ int) []float64 {
		x, eta := line(r, 0.5, -0.8)
		return row(with(r, math.Erfc(-eta/math.Sqrt2)/2), x...)
	}, want: map[string][]float64{"beta": coefficient}},
	"orderedprobit": {rows: 1000, draw: func(r *rand.Rand, _ int) []float64 {
		a, b, y := r.NormFloat64(), r.NormFloat64(), 1.0
		u := normal(r, 0.6*a-0.4*b, 1)
		for _, c := range []float64{-1, 0.2, 1.3} {
			if u > c {
				y++
			}
		}
		return []float64{y, a, b}
	}, want: map[string][]float64{"c": {-1, 0.2, 1.3}, "beta": {0.6, -0.4}}, noted: "differences of the objective"},
	"exposure": {draw: func(r *rand.Rand, _ int) []float64 {
		x, eta := line(r, 0.5, -0.8)
		population := 1 + 5*r.Float64()
		return row(poisson(r, population*math.Exp(eta)), append(x, population)...)
	}, want: map[string][]float64{"beta": coefficient}},
	"overdispersed": {rows: 1500, draw: func(r *rand.Rand, _ int) []float64 {
		x, eta := line(r, 1.5, -0.8)
		return row(poisson(r, math.Exp(eta)*gamma(r, 2)/2), x...)
	}, want: map[string][]float64{"beta": {1.5, -0.8}, "phi": {2}}},
	"gammaregression": {draw: func(r *rand.Rand, _ int) []float64 {
		x, eta := line(r, 0.5, -0.8)
		return row(math.Exp(eta)*gamma(r, 3)/3, x...)
	}, want: map[string][]float64{"beta": coefficient, "shape": {3}}},
	"betaregression": {draw: func(r *rand.Rand, _ int) []float64 {
		x, eta := line(r, 0.5, -0.3)
		a, b := gamma(r, 12*logistic(eta)), gamma(r, 12*(1-logistic(eta)))
		return row(a/(a+b), x...)
	}, want: map[string][]float64{"beta": {0.5, -0.3}, "phi": {12}}},
	"zeroinflated": {rows: 1500, draw: func(r *rand.Rand, _ int) []float64 {
		x, eta := line(r, 1, -0.5)
		z, never := line(r, -0.5, 0.8)
		return row(poisson(r, math.Exp(eta))*(1-with(r, logistic(never))), append(x, z...)...)
	}, want: map[string][]float64{"beta": {1, -0.5}, "gamma": {-0.5, 0.8}}},
	"tobit": {draw: func(r *rand.Rand, _ int) []float64 {
		x, eta := line(r, 0.5, -0.8)
		y, censored := normal(r, eta, 0.7), 0.0
		if y < 0 {
			y, censored = 0, 1
		}
		return row(y, append(x, censored)...)
	}, want: map[string][]float64{"beta": coefficient, "sigma": {0.7}}},
	"truncated": {rows: 2000, draw: func(r *rand.Rand, _ int) []float64 {
		for {
			if y := normal(r, 1, 1.2); y > 0 {
				return row(y)
			}
		}
	}, want: map[string][]float64{"mu": {1}, "sigma": {1.2}}},
	"survival": {draw: func(r *rand.Rand, _ int) []float64 {
		x, eta := line(r, 0.5, -0.8)
		t, end := math.Exp(eta)*math.Pow(r.ExpFloat64(), 1/1.6), 3*r.Float64()
		if t < end {
			return row(t, append(x, 1)...)
		}
		return row(end, append(x, 0)...)
	}, want: map[string][]float64{"beta": coefficient, "k": {1.6}}},
	"gompertz": {rows: 1500, draw: func(r *rand.Rand, _ int) []float64 {
		t, end := math.Log1p(0.7*r.ExpFloat64()/0.2)/0.7, 6*r.Float64()
		if t < end {
			return row(t, 1)
		}
		return row(end, 0)
	}, want: map[string][]float64{"a": {0.2}, "b": {0.7}}},
	"michaelis": {rows: 200, draw: func(r *rand.Rand, _ int) []float64 {
		c := 0.1 + 10*r.Float64()
		return row(normal(r, 3*c/(1.5+c), 0.1), c)
	}, want: map[string][]float64{"V": {3}, "K": {1.5}, "sigma": {0.1}}},
	"growth": {rows: 200, draw: func(r *rand.Rand, _ int) []float64 {
		t := 10 * r.Float64()
		return row(normal(r, 5*logistic(0.9*(t-4)), 0.2), t)
	}, want: map[string][]float64{"K": {5}, "r": {0.9}, "t0": {4}, "sigma": {0.2}}},
	"doseresponse": {rows: 60, draw: func(r *rand.Rand, _ int) []float64 {
		dose := 0.2 + 5*r.Float64()
		return []float64{binomial(r, 20, logistic(2.2*math.Log(dose/1.8))), dose, 20}
	}, want: map[string][]float64{"ld50": {1.8}, "slope": {2.2}}},
	"heteroscedastic": {draw: func(r *rand.Rand, _ int) []float64 {
		x, eta := line(r, 0.5, -0.8)
		return row(normal(r, eta, math.Exp(-0.3+0.4*x[1])), x...)
	}, want: map[string][]float64{"beta": coefficient, "gamma": {-0.3, 0.4}}},
	"autoregressive": {draw: func() func(r *rand.Rand, _ int) []float64 {
		last := 0.0
		return func(r *rand.Rand, i int) []float64 {
			if i == 0 {
				last = 1
			}
			previous := last
			last = normal(r, 0.4+0.6*previous, 0.5)
			return row(last, previous)
		}
	}(), want: map[string][]float64{"alpha": {0.4}, "phi": {0.6}, "sigma": {0.5}}},
	"measurement": {rows: 1500, draw: func(r *rand.Rand, _ int) []float64 {
		x, se := normal(r, 2, 1), 0.3+0.5*r.Float64()
		return []float64{normal(r, 1+0.8*x, 0.5), normal(r, x, se), se}
	}, want: map[string][]float64{"alpha": {1}, "beta": {0.8}, "sigma": {0.5}, "mu": {2}, "tau": {1}}},
	"metaanalysis": {rows: 80, draw: func(r *rand.Rand, _ int) []float64 {
		se := 0.1 + 0.5*r.Float64()
		return row(normal(r, normal(r, 0.6, 0.4), se), se)
	}, want: map[string][]float64{"mu": {0.6}, "tau": {0.4}}},
	"occupancy": {draw: func(r *rand.Rand, _ int) []float64 {
		x, eta := line(r, 0.5, -0.8)
		return row(binomial(r, 5, 0.4)*with(r, logistic(eta)), append([]float64{5}, x...)...)
	}, want: map[string][]float64{"beta": coefficient, "detect": {0.4}}},
	"nmixture": {rows: 200, draw: func(r *rand.Rand, _ int) []float64 {
		n := int(poisson(r, 12))
		return []float64{binomial(r, n, 0.6), binomial(r, n, 0.6), binomial(r, n, 0.6)}
	}, want: map[string][]float64{"lambda": {12}, "p": {0.6}}},
	"switching": {rows: 1000, draw: func(r *rand.Rand, _ int) []float64 {
		x, eta := line(r, 1, 2)
		if r.Float64() > 0.6 {
			eta = -1.5 - x[1]
		}
		return row(normal(r, eta, 0.5), x...)
	}, want: map[string][]float64{"share": {0.6}, "beta": {1, 2}, "gamma": {-1.5, -1}, "sigma": {0.5}}},
	"unrelated": {draw: func(r *rand.Rand, _ int) []float64 {
		x, eta := line(r, 0.5, -0.8)
		e, f := r.NormFloat64(), r.NormFloat64()
		return []float64{eta + e, 1 + 0.3*x[1] + 0.5*e + 0.6*f, x[0], x[1]}
	}, want: map[string][]float64{"B": {0.5, -0.8, 1, 0.3}, "Sigma": {1, 0.5, 0.5, 0.61}}},
	"choices": {rows: 1000, draw: func(r *rand.Rand, _ int) []float64 {
		x, first := line(r, 0.5, -0.8)
		second := -0.3 + 0.7*x[1]
		u, y := r.Float64()*(math.Exp(first)+math.Exp(second)+1), 3.0
		if u < math.Exp(first) {
			y = 1
		} else if u < math.Exp(first)+math.Exp(second) {
			y = 2
		}
		return row(y, x...)
	}, want: map[string][]float64{"b": coefficient, "c": {-0.3, 0.7}}},
	"directions": {draw: func(r *rand.Rand, _ int) []float64 {
		x, eta := line(r, 0.3, -0.5)
		for {
			angle := math.Pi * (2*r.Float64() - 1)
			if math.Log(r.Float64()) < 3*(math.Cos(angle-2*math.Atan(eta))-1) {
				return row(angle, x...)
			}
		}
	}, want: map[string][]float64{"beta": {0.3, -0.5}, "kappa": {3}}},
	"frontier": {rows: 2000, draw: func(r *rand.Rand, _ int) []float64 {
		x, eta := line(r, 0.5, -0.8)
		return row(normal(r, eta, 0.3)-math.Abs(normal(r, 0, 0.9)), x...)
	}, want: map[string][]float64{"beta": coefficient, "spread": {0.3}, "slack": {0.9}}},
	"hierarchicallogit": {rows: 1500, draw: func(r *rand.Rand, i int) []float64 {
		x, g := r.NormFloat64(), i%len(schools)
		return []float64{with(r, logistic(0.4+schools[g]-0.7*x)), x, float64(g + 1)}
	}, want: map[string][]float64{"beta": {-0.7}}},
	"rasch": {rows: 720, draw: func(r *rand.Rand, i int) []float64 {
		p, q := i/len(items), i%len(items)
		return []float64{with(r, logistic(persons[p]-items[q])), float64(p + 1), float64(q + 1)}
	}, want: map[string][]float64{"difficulty": items}},
	"radon": {rows: 1000, draw: func(r *rand.Rand, i int) []float64 {
		g, floor := i%len(counties), with(r, 0.3)
		return []float64{normal(r, 1.5+0.6*uranium[g]+counties[g]-0.6*floor, 0.8), floor, uranium[g], float64(g + 1)}
	}, want: map[string][]float64{"beta": {-0.6}, "slope": {0.6}, "mu": {1.5}, "sigma": {0.8}}},
	"bradleyterry": {rows: 500, draw: func(r *rand.Rand, i int) []float64 {
		a, b := i%len(teams), (i+1+i/len(teams)%(len(teams)-1))%len(teams)
		if r.Float64() > logistic(teams[a]-teams[b]) {
			a, b = b, a
		}
		return []float64{float64(a + 1), float64(b + 1)}
	}, want: map[string][]float64{"strength": teams}},
	"abtest": {rows: 40, draw: func(r *rand.Rand, i int) []float64 {
		treated := float64(i % 2)
		return []float64{treated, binomial(r, 100, 0.1+0.05*treated), 100}
	}, want: map[string][]float64{"p": {0.1}, "q": {0.15}, "lift": {0.05}}},
}
