package baseline

import (
	"errors"
	"fmt"
	"math"

	"github.com/sngdgen/sngdgen/runtime/types"
)

// integrand adds up a Fisher matrix over nodes: see runtime.Informed.
type integrand func(dst, z, x, w []float64) (mass, mean, square float64)

// rule integrates over one type of observation.
type rule func(f *fisher, dst, z []float64) error

// rules are those of the entries of the table of types.
var rules = map[*types.Entry]rule{
	types.Count:    overCounts,
	types.Integer:  overWhole,
	types.Binary:   overBits,
	types.Real:     doubleExponential(sinhSinh, decades(0)),
	types.Positive: doubleExponential(expSinh, decades(1)),
	types.Unit:     doubleExponential(tanhSinh, []frame{{0.5, 0.25}}),
}

func ruleFor(t types.Type) (rule, error) {
	if r := rules[t.Entry]; r != nil && t.Form == types.Number {
		return r, nil
	}
	if t.Form == types.Number {
		return nil, fmt.Errorf("baseline: no rule to integrate over observations of type %s", t.Entry.Name)
	}
	return nil, fmt.Errorf("baseline: no rule to integrate over observations that are no numbers, but of the form %s", t.Form.Name)
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

// overWhole sums over whole numbers of either sign, in blocks around 0 of doubling length.
func overWhole(f *fisher, dst, z []float64) error {
	clear(dst)
	total := 0.0
	for low, high := 0, firstBlock; low < maxCount; low, high = high, 2*high {
		f.nodes(2 * (high - low))
		for i := range high - low {
			x := float64(low + i)
			f.x[2*i], f.x[2*i+1], f.w[2*i], f.w[2*i+1] = x, -1-x, 1, 1
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
	return fmt.Errorf("baseline: the whole numbers between %d and %d have mass %v", -maxCount, maxCount, total)
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
type transform func(t float64, at frame) (x, dx float64)

// sinhSinh covers the real line, expSinh the positive numbers (Takahasi and Mori, Publ. RIMS 9, 1974, section 5).
func sinhSinh(t float64, at frame) (x, dx float64) {
	u := math.Pi / 2 * math.Sinh(t)
	return at.centre + at.scale*math.Sinh(u), at.scale * math.Cosh(u) * math.Pi / 2 * math.Cosh(t)
}

// expSinh is centred on the logarithmic scale.
func expSinh(t float64, at frame) (x, dx float64) {
	relative := math.Min(1, at.scale/at.centre)
	x = at.centre * math.Exp(relative*math.Pi/2*math.Sinh(t))
	return x, x * relative * math.Pi / 2 * math.Cosh(t)
}

// tanhSinh is centred on the logit scale.
func tanhSinh(t float64, at frame) (x, dx float64) {
	spread := math.Min(1, at.scale/(at.centre*(1-at.centre)))
	u := math.Log(at.centre/(1-at.centre)) + spread*math.Pi*math.Sinh(t)
	x = 1 / (1 + math.Exp(-u))
	return x, x * (1 - x) * spread * math.Pi * math.Cosh(t)
}

// frame is the centre and scale of a transform.
type frame struct{ centre, scale float64 }

// decades are frames of scales 1, 100, 1/100, 10^4 and so on up to 10^8, with centres at multiples of the scales.
func decades(centre float64) []frame {
	fs := []frame{{centre, 1}}
	for s := 100.0; s <= 1e8; s *= 100 {
		fs = append(fs, frame{centre * s, s}, frame{centre / s, 1 / s})
	}
	return fs
}

// doubleExponential is the trapezoidal rule after the transform. The first pass finds the frame that sees most of the
// mass; each later one takes the moments of the one before for its frame, and every second one halves the spacing.
func doubleExponential(tr transform, frames []frame) rule {
	const first, passes = 128, 12
	return func(f *fisher, dst, z []float64) error {
		at, err := f.locate(tr, frames, first, dst, z)
		if err != nil {
			return err
		}
		mass := 0.0
		for pass := range passes {
			var next frame
			if mass, next = f.integrate(tr, first<<(pass/2), at, dst, z); math.Abs(mass-1) <= lineTail {
				return nil
			}
			at = next
		}
		return fmt.Errorf("baseline: the target integrates to %v", mass)
	}
}

// locate returns the frame by the moments of the pass whose mass is nearest to one.
func (f *fisher) locate(tr transform, frames []frame, n int, dst, z []float64) (frame, error) {
	best, off := frame{}, math.Inf(1)
	for _, at := range frames {
		mass, next := f.integrate(tr, n, at, dst, z)
		if d := math.Abs(math.Log(mass)); d < off {
			best, off = next, d
		}
	}
	if math.IsInf(off, 1) {
		return best, errors.New("baseline: the mass of the target cannot be found")
	}
	return best, nil
}

// integrate returns the mass and the frame by the moments: the old one where they make no sense.
func (f *fisher) integrate(tr transform, n int, at frame, dst, z []float64) (mass float64, next frame) {
	f.spread(tr, n, at)
	mass, mean, square := f.integrand(dst, z, f.x, f.w)
	mean, square = mean/mass, square/mass
	sd := math.Sqrt(square - mean*mean)
	if mass > 0 && sd > 0 && !math.IsInf(sd, 0) {
		return mass, frame{mean, sd}
	}
	return mass, at
}

// spread fills the nodes with n+1 points at equal distance on [-5, 5], mapped by the transform; those where floating
// point leaves the range are left out.
func (f *fisher) spread(tr transform, n int, at frame) {
	const reach = 5.0
	f.nodes(n + 1)
	h := 2 * reach / float64(n)
	k := 0
	for i := range n + 1 {
		x, dx := tr(-reach+float64(i)*h, at)
		if math.IsInf(x, 0) || math.IsInf(dx, 0) || !(dx > 0) {
			continue
		}
		f.x[k], f.w[k] = x, h*dx
		k++
	}
	f.x, f.w = f.x[:k], f.w[:k]
}
