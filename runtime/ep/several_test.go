package ep

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/sngdgen/sngdgen/runtime"
)

// regressions are factors of a residual and the logarithm of its scale, and of the logarithm of degrees of freedom as a third number.
var regressions = map[string]func(place float64) func(s []float64) float64{
	"normal": func(place float64) func([]float64) float64 {
		return func(s []float64) float64 { u := (place - s[0]) * math.Exp(-s[1]); return -u*u/2 - s[1] }
	},
	"logistic": func(place float64) func([]float64) float64 { // a two-parameter item response
		return func(s []float64) float64 { return -softplus(-(place + 0.5) * math.Exp(s[1]) * s[0]) }
	},
	"Student's t": func(place float64) func([]float64) float64 {
		return func(s []float64) float64 {
			u, nu := (place-s[0])*math.Exp(-s[1]), math.Exp(s[2])
			high, _ := math.Lgamma((nu + 1) / 2)
			low, _ := math.Lgamma(nu / 2)
			return high - low - math.Log(nu)/2 - (nu+1)/2*math.Log1p(u*u/nu) - s[1]
		}
	},
}

// integrals are the integral, means and second moments of a density of k numbers by the trapezoidal rule from -wide to wide.
func integrals(k int, wide float64, n int, log func(s []float64) float64) (mass float64, mean, second []float64) {
	mean, second = make([]float64, k), make([]float64, k*k)
	s, cells := make([]float64, k), 1
	for range k {
		cells *= n + 1
	}
	for cell := range cells {
		for j := range s {
			s[j] = wide * (2*float64(cell%(n+1))/float64(n) - 1)
			cell /= n + 1
		}
		p := math.Exp(log(s))
		mass += p
		for j, x := range s {
			mean[j] += p * x
			for l, y := range s {
				second[j*k+l] += p * x * y
			}
		}
	}
	for j := range mean {
		mean[j] /= mass
	}
	for j := range second {
		second[j] /= mass
	}
	return mass * math.Pow(2*wide/float64(n), float64(k)), mean, second
}

// The posterior of a few numbers with one factor of all of them is its tilted distribution, with its moments and evidence.
func TestOneJointFactor(t *testing.T) {
	for name, family := range regressions {
		k, n, tolerance := 2, 600, 1e-6
		if name == "Student's t" {
			k, n, tolerance = 3, 70, 1e-4
		}
		rng := runtime.Stream(3, name)
		for range 3 {
			h, precision := family(2*rng.NormFloat64()), math.Exp(rng.NormFloat64()/2)+1
			p := &factored{d: k, precision: precision}
			unit := make([]float64, k*k)
			for j := range k {
				unit[j*k+j] = 1
			}
			p.joint(k, h, unit...)
			r := run(t, p, Settings{Power: 1})
			if !r.Converged || r.Sweeps > 5 || !(r.Quadrature < 0.05) {
				t.Errorf("%s: %d sweeps, error of quadrature %v: %s", name, r.Sweeps, r.Quadrature, r.Message)
			}
			tolerance := tolerance + r.Quadrature
			mass, mean, second := integrals(k, 9/math.Sqrt(precision), n, func(s []float64) float64 {
				square := 0.0
				for _, x := range s {
					square += x * x
				}
				return h(s) - precision*square/2
			})
			near(t, name+": log evidence", r.LogEvidence, math.Log(mass)+float64(k)/2*math.Log(precision/(2*math.Pi)), tolerance)
			for j, m := range mean {
				near(t, name+": mean", r.Mean[j], m, tolerance)
				for l := range k {
					near(t, name+": covariance", r.Covariance[j*k+l], second[j*k+l]-m*mean[l], 3*tolerance)
				}
			}
		}
	}
}

// A normal factor of several numbers has its own site, at every power, and whatever integrates it.
func TestNormalJointFactors(t *testing.T) {
	for _, k := range []int{2, 3, 4, 6} {
		rng := rand.New(rand.NewPCG(3, uint64(k)))
		shift, root := make([]float64, k), make([]float64, k*k)
		for j := range k {
			shift[j] = rng.NormFloat64()
			for l := range k {
				root[j*k+l] = rng.NormFloat64()
			}
		}
		h := func(s []float64) float64 {
			sum := 0.0
			for j := range k {
				along := 0.0
				for l := range k {
					along += root[j*k+l] * s[l]
				}
				sum += shift[j]*s[j] - along*along/2
			}
			return sum
		}
		p := &factored{d: k + 1, precision: 1}
		a := make([]float64, k*(k+1))
		for j := range a {
			a[j] = rng.NormFloat64()
		}
		p.joint(k, h, a...)
		p.joint(k, h, a...)
		for _, power := range []float64{0, 0.4, 1} {
			r := run(t, p, Settings{Power: power})
			if !r.Converged {
				t.Errorf("%d numbers, power %g: %s", k, power, r.Message)
			}
			for j := range k {
				near(t, fmt.Sprint("shift of ", k), r.Shift[j], shift[j], 2e-5)
				for l := range k {
					want := 0.0
					for m := range k {
						want += root[m*k+j] * root[m*k+l]
					}
					near(t, fmt.Sprint("precision of ", k), r.Precision[j*k+l], want, 2e-5)
				}
			}
		}
	}
}

// Factors of several numbers that are products of factors of one each are these, where the numbers are independent.
func TestProductsOfFactors(t *testing.T) {
	one, two := families["logistic"](0.5, 0.7), families["cauchy"](-1, 0.8)
	for _, power := range []float64{0, 0.5, 1} {
		alone, joint := &factored{d: 2, precision: 0.8}, &factored{d: 2, precision: 0.8}
		for range 2 {
			alone.add(one, 2, 0)
			alone.add(two, 0, 1)
			joint.joint(2, func(s []float64) float64 { return one(s[0]) + two(s[1]) }, 2, 0, 0, 1)
		}
		a, b := run(t, alone, Settings{Power: power}), run(t, joint, Settings{Power: power})
		if !a.Converged || !b.Converged {
			t.Fatal(a.Message, b.Message)
		}
		near(t, "log evidence", b.LogEvidence, a.LogEvidence, 2e-5)
		for j := range 2 {
			near(t, "mean", b.Mean[j], a.Mean[j], 2e-5)
			near(t, "variance", b.Covariance[3*j], a.Covariance[3*j], 2e-5)
		}
	}
}

// robust is a linear regression with unknown scale and, of three numbers, unknown degrees of freedom.
func robust(rng *rand.Rand, d, n int, name string) *factored {
	k := 2
	if name == "Student's t" {
		k = 3
	}
	p := &factored{d: d + k - 1, precision: 1}
	for range n {
		a := make([]float64, k*p.d)
		for j := range d {
			a[j] = rng.NormFloat64()
		}
		for j := 1; j < k; j++ {
			a[j*p.d+d+j-1] = 1
		}
		p.joint(k, regressions[name](0.7*rng.NormFloat64()), a...)
	}
	return p
}

// The estimate of the evidence is stationary in the sites of several numbers too, and what counts k times is k factors.
func TestStationaryJointly(t *testing.T) {
	for name := range regressions {
		p, powers := robust(runtime.Stream(3, name), 2, 6, name), []float64{0, 0.5, 1}
		if name == "Student's t" { // whose lattices are larger
			powers = powers[2:]
		}
		for _, power := range powers {
			r := run(t, p, Settings{Power: power, Tolerance: 1e-9})
			if !r.Converged {
				t.Errorf("%s, power %g: %s", name, power, r.Message)
				continue
			}
			if !(r.Quadrature < 2e-2) {
				t.Errorf("%s, power %g: the error of quadrature is %v", name, power, r.Quadrature)
			}
			k := p.seen[0]
			at := func(i int, j, l int, shift, precision float64) float64 {
				e, err := newSites(p, Settings{Power: power})
				if err != nil {
					t.Fatal(err)
				}
				copy(e.shifts, r.Shift)
				copy(e.precisions, r.Precision)
				e.shifts[i*k+j] += shift
				e.precisions[i*k*k+j*k+l] += precision
				if l != j {
					e.precisions[i*k*k+l*k+j] += precision
				}
				e.refresh()
				return e.logEvidence(e.check())
			}
			const h = 1e-3
			for _, i := range []int{0, 5} {
				near(t, name+": derivative in a shift", (at(i, 1, 1, h, 0)-at(i, 1, 1, -h, 0))/(2*h), 0, 2e-5+10*r.Quadrature)
				near(t, name+": derivative in a precision", (at(i, 0, 1, 0, h)-at(i, 0, 1, 0, -h))/(2*h), 0, 2e-5+10*r.Quadrature)
			}
		}
		weighted, repeated := *p, &factored{d: p.d, precision: 1}
		for i := range p.h {
			weighted.w = append(weighted.w, float64(i%3))
			for range i % 3 {
				repeated.joint(p.seen[i], p.several[i], p.a[i*p.seen[i]*p.d:(i+1)*p.seen[i]*p.d]...)
			}
		}
		a, b := run(t, &weighted, Settings{Power: 1, Tolerance: 1e-8}), run(t, repeated, Settings{Power: 1, Tolerance: 1e-8})
		if !a.Converged || !b.Converged {
			t.Errorf("%s; %s", a.Message, b.Message)
		}
		near(t, name+": log evidence with weights", a.LogEvidence, b.LogEvidence, 1e-6)
	}
}

// Draws and a lattice integrate the same.
func TestDrawsForLattice(t *testing.T) {
	p := robust(runtime.Stream(3, "draws"), 2, 1, "Student's t")
	now := marginal{[]float64{0.1, -0.2, 0.3}, []float64{0.5, 0.1, 0, 0.1, 0.4, 0.05, 0, 0.05, 0.6}}
	rest, root := natural{make([]float64, 3), make([]float64, 9)}, make([]float64, 9)
	if !rest.of(now, root) {
		t.Fatal("no distribution")
	}
	exact := newCubature(p, 3, 1)
	rough := newCubature(p, 3, 1)
	rough.u, rough.logs = nil, nil
	rough.draws()
	rough.values = make([]float64, len(rough.logs))
	var moments [2]marginal
	var logs, means [2]float64
	for i, q := range []*cubature{exact, rough} {
		moments[i] = marginal{make([]float64, 3), make([]float64, 9)}
		var change float64
		var ok bool
		if logs[i], change, ok = q.tilted(0, &term{1, now, rest}, now, moments[i]); !ok {
			t.Fatal("no moments")
		}
		if change > []float64{2e-3, 0.05}[i] {
			t.Errorf("the error is %v", change)
		}
		if means[i], _, _, _, ok = q.expected(0, now); !ok {
			t.Fatal("no expectations")
		}
	}
	near(t, "log", logs[1], logs[0], 0.01)
	near(t, "mean of the logarithm", means[1], means[0], 0.01)
	for j := range 3 {
		near(t, "mean", moments[1].mean[j], moments[0].mean[j], 0.01)
		near(t, "variance", moments[1].cov[4*j], moments[0].cov[4*j], 0.02)
	}
}

// Far from where the nodes are at first, and much narrower or wider, factors have their moments too.
func TestNodesFindTheFactor(t *testing.T) {
	for _, c := range [][3]float64{{300, 1e-3, 1e-8}, {-40, 5, 1e-4}, {1e3, 100, 1e-9}} {
		place, scale := c[0], c[1]
		p := &factored{d: 2, precision: c[2]}
		p.joint(2, func(s []float64) float64 {
			u, v := (s[0]-place)/scale, (s[1]+s[0])/scale
			return -(u*u + v*v) / 2
		}, 1, 0, 0, 1)
		r := run(t, p, Settings{Power: 1})
		if !r.Converged {
			t.Errorf("%v: %s", c, r.Message)
		}
		q := 1 / (scale * scale)
		determinant := (2*q+c[2])*(q+c[2]) - q*q
		near(t, "mean", r.Mean[0]/place, q*(q+c[2])/determinant, 1e-6)
		near(t, "variance", r.Covariance[0]*determinant/(q+c[2]), 1, 1e-6)
	}
	p := &factored{d: 2, precision: 1}
	p.joint(2, func(s []float64) float64 { return s[0]*s[0] + s[1]*s[1] }, 1, 0, 0, 1)
	if r := run(t, p, Settings{Power: 1, Sweeps: 3}); r.Converged || len(r.Skipped) != 1 {
		t.Errorf("%+v", r)
	}
	p = &factored{d: 2, precision: 1}
	p.joint(2, func(s []float64) float64 { return -s[0] * s[0] }, 1, 1, 2, 2) // two numbers that are one
	if r := run(t, p, Settings{Power: 1, Sweeps: 3}); r.Converged || len(r.Skipped) != 1 {
		t.Errorf("%+v", r)
	}
	p = &factored{d: 1, precision: 1}
	p.joint(2, func(s []float64) float64 { return 3 }, 0, 0)
	if r := run(t, p, Settings{Power: 1}); !r.Converged || math.Abs(r.LogEvidence-3) > 1e-12 {
		t.Errorf("%+v", r)
	}
}

func TestJointSweepsAllocateNothing(t *testing.T) {
	for _, power := range []float64{0, 1} {
		e, err := newSites(robust(rand.New(rand.NewPCG(3, 4)), 3, 5, "Student's t"), Settings{Power: power, Tolerance: 1e-6})
		if err != nil {
			t.Fatal(err)
		}
		if n := testing.AllocsPerRun(3, func() { e.sweep(context.Background(), 1); e.refresh(); e.check() }); n != 0 {
			t.Errorf("power %g: %g allocations", power, n)
		}
	}
}
