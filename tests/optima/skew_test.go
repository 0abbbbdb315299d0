package optima_test

import (
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/mathext"
	"gonum.org/v1/gonum/optimize"
)

func skewedTails(d, n int, rng *rand.Rand) [][]float64 { return mixed(d, n, 4, chi(rng), rng) }

// likelihood is a function to maximise, in coordinates without constraints: its negative mean logarithm.
type likelihood struct {
	loss     func(u []float64) float64
	gradient func(g, u []float64) // nil for differences
}

// rough writes a gradient that is good enough to come near a maximum.
func (l likelihood) rough(g, u []float64) {
	l.slopes(g, u, func(f func(float64) float64) float64 { return (f(1e-5) - f(-1e-5)) / 2e-5 })
}

// fine writes the gradient to nearly full precision.
func (l likelihood) fine(g, u []float64) {
	l.slopes(g, u, func(f func(float64) float64) float64 { return slope(0.02, f) })
}

func (l likelihood) slopes(g, u []float64, slope func(f func(float64) float64) float64) {
	if l.gradient != nil {
		l.gradient(g, u)
		return
	}
	at := slices.Clone(u)
	for i := range g {
		g[i] = slope(func(h float64) float64 {
			at[i] = u[i] + h
			defer func() { at[i] = u[i] }()
			return l.loss(at)
		})
	}
}

// maximum is the best of the ends of BFGS from several starts, improved by Newton's method: the loss is flat where its
// gradient still has digits.
func (l likelihood) maximum(starts [][]float64) []float64 {
	var best []float64
	for _, u := range starts {
		r, _ := optimize.Minimize(optimize.Problem{Func: l.loss, Grad: l.rough}, u,
			&optimize.Settings{GradientThreshold: 1e-6, MajorIterations: 500}, &optimize.BFGS{})
		if r != nil && (best == nil || r.F < l.loss(best)) {
			best = r.X
		}
	}
	l.newton(best)
	return best
}

// newton improves a point with second derivatives by differences at that point.
func (l likelihood) newton(u []float64) {
	const step, steps = 1e-4, 6
	k := len(u)
	h, at := mat.NewDense(k, k, nil), slices.Clone(u)
	up, down := make([]float64, k), make([]float64, k)
	for i := range k {
		at[i] = u[i] + step
		l.fine(up, at)
		at[i] = u[i] - step
		l.fine(down, at)
		at[i] = u[i]
		for j := range k {
			h.Set(i, j, (up[j]-down[j])/(2*step))
		}
	}
	for range steps {
		l.fine(up, u)
		var d mat.VecDense
		_ = d.SolveVec(h, mat.NewVecDense(k, up))
		for i := range u {
			u[i] -= d.AtVec(i)
		}
	}
}

// skewNormal: given xi, the best Omega is the second moment S about xi, so that the likelihood is that of xi and eta.
// Its logarithm is, up to a constant, -log det(S)/2 + mean log Phi(eta' (x - xi)), with the derivatives
// inv(S) (mean(x) - xi) - eta mean(r) and mean(r (x - xi)), r = phi/Phi.
func skewNormal(s rows) []float64 {
	d := s.d()
	second := func(xi []float64) []float64 {
		return s.mean(func(x []float64) []float64 { return square(1, minus(x, xi)) })
	}
	l := likelihood{
		loss: func(u []float64) float64 {
			xi, eta := u[:d], u[d:]
			return newEllipse(d, second(xi)).logDet()/2 -
				s.number(func(x []float64) float64 { return logPhi(dot(eta, minus(x, xi))) })
		},
		gradient: func(g, u []float64) {
			xi, eta := u[:d], u[d:]
			ratio := func(x []float64) float64 { return mills(dot(eta, minus(x, xi))) }
			r := s.number(ratio)
			pull := newEllipse(d, second(xi)).solve(minus(s.mean(same), xi))
			for i := range d {
				g[i] = eta[i]*r - pull[i]
				g[d+i] = -s.number(func(x []float64) float64 { return ratio(x) * (x[i] - xi[i]) })
			}
		},
	}
	u := l.maximum(slants(s, nil))
	xi, eta := u[:d], u[d:]
	return slices.Concat(xi, second(xi), eta)
}

// slants are starts: xi one standard deviation off the mean, in every choice of directions, then what is between, eta
// the other way, of a length like 1/(standard deviation), and what comes after.
func slants(s rows, between []float64, after ...float64) [][]float64 {
	var out [][]float64
	d := s.d()
	theta := multivariateNormal(s)
	for signs := range 1 << d {
		xi, eta := slices.Clone(theta[:d]), make([]float64, d)
		for j := range d {
			sign, sd := float64(signs>>j&1*2-1), math.Sqrt(theta[d+j*d+j])
			xi[j] -= sign * sd
			eta[j] = sign / (2 * sd)
		}
		out = append(out, slices.Concat(xi, between, eta, after))
	}
	return out
}

// logPhi is the logarithm of the normal distribution function.
func logPhi(x float64) float64 {
	if x < -6 {
		return -x*x/2 - math.Log(2*math.Pi)/2 - math.Log(mills(x))
	}
	return math.Log(math.Erfc(-x/math.Sqrt2) / 2)
}

// mills is phi/Phi, in the tail by its continued fraction (DLMF 7.9.2).
func mills(x float64) float64 {
	if x < -6 {
		f := -x
		for k := 60; k > 0; k-- {
			f = float64(k)/f - x
		}
		return f
	}
	return math.Exp(-x*x/2) / math.Sqrt(2*math.Pi) / (math.Erfc(-x/math.Sqrt2) / 2)
}

// skewT: the likelihood as it is (Azzalini and Capitanio 2014, equation 6.24), in xi, the Cholesky factor of Omega with
// the logarithms of its diagonal, eta and log(nu - 2).
func skewT(s rows) []float64 {
	d := s.d()
	l := likelihood{loss: func(u []float64) float64 {
		xi, eta, nu := u[:d], u[len(u)-1-d:len(u)-1], 2+math.Exp(u[len(u)-1])
		e := newEllipse(d, omega(u, d))
		dim := float64(d)
		return -s.number(func(x []float64) float64 {
			r := minus(x, xi)
			q := e.quad(r)
			joint, _ := math.Lgamma((nu + dim) / 2)
			base, _ := math.Lgamma(nu / 2)
			return math.Ln2 + joint - base - dim/2*math.Log(nu*math.Pi) - e.logDet()/2 - (nu+dim)/2*math.Log1p(q/nu) +
				math.Log(tCDF(dot(eta, r)*math.Sqrt((nu+dim)/(nu+q)), nu+dim))
		})
	}}
	theta := multivariateNormal(s)
	var factor []float64 // of a diagonal matrix
	for i := range d {
		for range i {
			factor = append(factor, 0)
		}
		factor = append(factor, math.Log(0.6*theta[d+i*d+i])/2)
	}
	u := l.maximum(slants(s, factor, math.Log(5)))
	end := len(u) - 1
	return slices.Concat(u[:d], omega(u, d), u[end-d:end], []float64{2 + math.Exp(u[end])})
}

// omega is L L', where the lower triangle L, row by row with the logarithms of its diagonal, follows the first d
// entries.
func omega(u []float64, d int) []float64 {
	l := make([][]float64, d)
	u = u[d:]
	for i := range l {
		l[i] = make([]float64, d)
		copy(l[i], u[:i])
		l[i][i] = math.Exp(u[i])
		u = u[i+1:]
	}
	var out []float64
	for _, a := range l {
		for _, b := range l {
			out = append(out, dot(a, b))
		}
	}
	return out
}

// tCDF is the distribution function of Student's t.
func tCDF(x, nu float64) float64 {
	tail := mathext.RegIncBeta(nu/2, 0.5, nu/(nu+x*x)) / 2
	if x < 0 {
		return tail
	}
	return 1 - tail
}
