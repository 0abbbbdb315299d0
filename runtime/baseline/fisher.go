package baseline

import (
	"fmt"
	"math"
)

// integrand adds up a Fisher matrix over nodes: see runtime.Informed.
type integrand func(dst, z, x, w []float64) (mass, mean, square float64)

// rule integrates over one type of observation.
type rule func(f *fisher, dst, z []float64) error

func ruleFor(typ string) (rule, error) {
	switch typ {
	case "count":
		return overCounts, nil
	case "binary":
		return overBits, nil
	case "real":
		return doubleExponential(sinhSinh), nil
	case "positive":
		return doubleExponential(expSinh), nil
	case "unit":
		return doubleExponential(tanhSinh), nil
	}
	return nil, fmt.Errorf("baseline: no rule to integrate over observations of type %q", typ)
}

// fisher integrates the Fisher matrix of a target. Nodes are a function of z alone, so that two evaluations at one
// point agree to the last bit.
type fisher struct {
	rule      rule
	integrand integrand
	part      []float64
	x, w      []float64
}

func newFisher(r rule, f integrand, dim int) fisher {
	return fisher{rule: r, integrand: f, part: make([]float64, dim*dim)}
}

func (f *fisher) at(dst, z []float64) error { return f.rule(f, dst, z) }

const (
	countTail  = 1e-12   // mass of counts that may be left out
	maxCount   = 1 << 22 // beyond this many nodes the rule gives up
	firstBlock = 64
	lineTail   = 1e-8 // error of the mass of a continuous distribution
)

// overCounts sums over 0, 1, 2, ... in blocks of doubling length.
func overCounts(f *fisher, dst, z []float64) error {
	clear(dst)
	total := 0.0
	for low, high := 0, firstBlock; low < maxCount; low, high = high, 2*high {
		f.nodes(high - low)
		for i := range f.x {
			f.x[i], f.w[i] = float64(low+i), 1
		}
		mass, _, _ := f.integrand(f.part, z, f.x, f.w)
		for i, p := range f.part {
			dst[i] += p
		}
		if total += mass; total >= 1-countTail {
			return nil
		}
		if math.IsNaN(total) {
			break
		}
	}
	return fmt.Errorf("baseline: the counts below %d have mass %v", maxCount, total)
}

func overBits(f *fisher, dst, z []float64) error {
	f.nodes(2)
	f.x[0], f.x[1], f.w[0], f.w[1] = 0, 1, 1, 1
	mass, _, _ := f.integrand(dst, z, f.x, f.w)
	if !(math.Abs(mass-1) <= countTail) {
		return fmt.Errorf("baseline: the two values have mass %v", mass)
	}
	return nil
}

func (f *fisher) nodes(n int) {
	if cap(f.x) < n {
		f.x, f.w = make([]float64, n), make([]float64, n)
	}
	f.x, f.w = f.x[:n], f.w[:n]
}

// transform maps the whole line to the range of an observation centred and scaled to the target, with its derivative.
type transform func(t, centre, scale float64) (x, dx float64)

// sinhSinh covers the real line, expSinh the positive numbers (Takahasi and Mori, Publ. RIMS 9, 1974, section 5).
func sinhSinh(t, centre, scale float64) (x, dx float64) {
	u := math.Pi / 2 * math.Sinh(t)
	return centre + scale*math.Sinh(u), scale * math.Cosh(u) * math.Pi / 2 * math.Cosh(t)
}

// expSinh is centred on the logarithmic scale.
func expSinh(t, centre, scale float64) (x, dx float64) {
	relative := math.Min(1, scale/centre)
	x = centre * math.Exp(relative*math.Pi/2*math.Sinh(t))
	return x, x * relative * math.Pi / 2 * math.Cosh(t)
}

// tanhSinh is centred on the logit scale.
func tanhSinh(t, centre, scale float64) (x, dx float64) {
	spread := math.Min(1, scale/(centre*(1-centre)))
	u := math.Log(centre/(1-centre)) + spread*math.Pi*math.Sinh(t)
	x = 1 / (1 + math.Exp(-u))
	return x, x * (1 - x) * spread * math.Pi * math.Cosh(t)
}

// doubleExponential is the trapezoidal rule after the transform. The first pass takes the transform as it stands; each
// later one centres and scales it by the moments that the one before found, and every second one halves the spacing.
func doubleExponential(tr transform) rule {
	const first, passes, reach = 128, 12, 4.0
	return func(f *fisher, dst, z []float64) error {
		centre, scale := startOf(tr)
		mass := math.NaN()
		for pass := range passes {
			f.spread(tr, first<<(pass/2), reach, centre, scale)
			var mean, square float64
			mass, mean, square = f.integrand(dst, z, f.x, f.w)
			if pass > 0 && math.Abs(mass-1) <= lineTail {
				return nil
			}
			mean, square = mean/mass, square/mass
			if sd := math.Sqrt(square - mean*mean); mass > 0 && sd > 0 && !math.IsInf(sd, 0) {
				centre, scale = mean, sd
			}
		}
		return fmt.Errorf("baseline: the target integrates to %v", mass)
	}
}

// startOf returns a centre inside the range of a transform: 0, or 1, or 1/2.
func startOf(tr transform) (centre, scale float64) {
	if x, _ := tr(0, 0.5, 1); x != 0.5 {
		return 0, 1
	}
	if x, _ := tr(1, 0.5, 1); x > 0 && x < 1 {
		return 0.5, 0.5
	}
	return 1, 1
}

// spread fills the nodes with n points at equal distance on [-reach, reach], mapped by the transform; those where
// floating point leaves the range get no weight.
func (f *fisher) spread(tr transform, n int, reach, centre, scale float64) {
	f.nodes(n + 1)
	h := 2 * reach / float64(n)
	k := 0
	for i := range n + 1 {
		x, dx := tr(-reach+float64(i)*h, centre, scale)
		if math.IsInf(x, 0) || math.IsInf(dx, 0) || !(dx > 0) {
			continue
		}
		f.x[k], f.w[k] = x, h*dx
		k++
	}
	f.x, f.w = f.x[:k], f.w[:k]
}
