package special

import "math"

// The upper tail S of the Student-t distribution at x >= 0 has five forms; f is the density:
//
//   - heavy, nu < 1 and s >= 1: that of studentquantileheavy.go;
//   - central, x <= 0.9 and s <= 1/3, and up to s = 1 for nu < 1: S = 1/2 - x f sum, sum = 2F1(1, a+1/2; 3/2; y) (DLMF 8.17.8, 8.17.4);
//   - far, z <= 1/4: S = (x/nu) f H, H = 2F1(a+1/2, 1; a+1; z) (DLMF 8.17.8);
//   - uniform, a >= uniformFrom: the expansion around the normal distribution;
//   - shifted, otherwise: the first n terms of H, and the n-th times the H of a+n, which the expansion has
//     (DLMF 8.17.20, n times).
//
// All terms are positive in all forms, except for the small ones of the expansion.

// tTail is the tail at a point, in two words: what its form is about, and the density if that is the central one. The rest is
// computed where it is asked for.
type tTail struct {
	form  tForm
	h, hL float64
	f, fL float64
}

type tForm int

const (
	tSeries  tForm = iota // S = (x/nu) f h
	tHeavy                // S = exp(-a xi - log(a B(a,1/2))) h/2
	tUniform              // S = exp(-a xi) (1+s)^(1/4) h/sqrt(2 pi)
	tCentral              // S = h
)

func (p *tPoint) isCentral() bool { return p.x <= 0.9 && p.s <= 1.0/3 || p.nu < heavyTo && p.s < 1 }

func (p *tPoint) isHeavy() bool { return p.nu < heavyTo && p.s >= 1 }

func (p *tPoint) isFar() bool { return p.s >= 3 }

// lift returns how many steps take a up to where the expansion holds.
func (p *tPoint) lift() int {
	if p.a >= uniformFrom {
		return 0
	}
	return int(math.Ceil(uniformFrom - p.a))
}

// inverseOdd are 1/(k + 3/2), more than the sums need.
var inverseOdd = func() (inverses [96]float64) {
	for k := range inverses {
		inverses[k] = 1 / (float64(k) + 1.5)
	}
	return inverses
}()

// negligible is the size below which a term of a series that falls at least like 3^-k is left out, its successors with
// it.
const negligible = 0x1p-55

// ay is a y in two words, also where a is infinite.
func (p *tPoint) ay() (hi, lo float64) {
	if p.s < 0x1p-900 {
		hi, lo = square(p.x)
		return 0.5 * hi, 0.5 * lo
	}
	return timesTwo(p.a, 0, p.y, p.yL)
}

// centralSum returns the sum of the central form, without its first term, 1, in two words. The next term is most of it.
func (p *tPoint) centralSum() (sum, low float64) {
	ay, ayL := p.ay()
	ratio, ratioL := addTwo(ay, ayL, 0.5*p.y, 0.5*p.yL)
	first, firstL := overTwo(ratio, ratioL, 1.5, 0)
	rest, term := 0.0, first
	for k := 1; k < len(inverseOdd) && term >= negligible; k++ {
		ratio += p.y
		term *= ratio * inverseOdd[k]
		rest += term
	}
	sum = first + rest
	return sum, (rest - (sum - first)) + firstL
}

// central returns the density, and F(x) - 1/2, which is relatively exact, in two words.
func (p *tPoint) central() (f, fL, delta, deltaL float64) {
	f, fL = p.density()
	sum, sumL := p.centralSum()
	m := 1 + sum
	n, nL := timesTwo(m, (sum-(m-1))+sumL, p.x, 0)
	delta, deltaL = timesTwo(f, fL, n, nL)
	return f, fL, delta, deltaL
}

// tail expects a point that is not central.
func (p *tPoint) tail() (t tTail) {
	switch {
	case p.isHeavy():
		t.form = tHeavy
		t.h, t.hL = p.heavyFactor()
	case p.isFar():
		t.h, t.hL = p.termSum()
	case p.a >= uniformFrom:
		t.form = tUniform
		u := newUniform(p, p.a)
		t.h, t.hL = u.m, u.mL
	default:
		t.h, t.hL = p.shiftedSum()
	}
	return t
}

// factor returns k and the exponent of S = k exp(-power), each in two words; not for the central form.
func (p *tPoint) factor(t tTail) (k, kL, power, powerL float64) {
	switch t.form {
	case tHeavy:
		power, powerL = addTwo(p.power, p.powerL, p.a*betaLog(p.a), 0)
		return 0.5 * t.h, 0.5 * t.hL, power, powerL
	case tUniform:
		k, kL = rootTwo(rootTwo(p.inverseZ()))
		k, kL = timesTwo(k, kL, invSqrt2Pi, invSqrt2PiRest)
	default:
		k, kL = tailFactor(p.a, p.y, p.yL)
	}
	k, kL = timesTwo(k, kL, t.h, t.hL)
	return k, kL, p.power, p.powerL
}

// inverseZ returns 1+s in two words.
func (p *tPoint) inverseZ() (hi, lo float64) {
	hi = 1 + p.s
	return hi, (p.s - (hi - 1)) + p.sL
}

// chance returns S in two words.
func (p *tPoint) chance(t tTail) (hi, lo float64) {
	if t.form == tCentral {
		return t.h, t.hL
	}
	k, kL, power, powerL := p.factor(t)
	e, eL := expWords(-power, -powerL)
	return timesTwo(k, kL, e, eL)
}

// logChance returns log S.
func (p *tPoint) logChance(t tTail) float64 {
	if t.form == tCentral {
		return Log(t.h) + t.hL/t.h
	}
	k, kL, power, powerL := p.factor(t)
	return (Log(k) + (kL/k - powerL)) - power
}

// plainRate returns f/S to a few ulp.
func (p *tPoint) plainRate(t tTail) float64 {
	switch t.form {
	case tSeries:
		return p.nu / t.h / p.x
	case tHeavy:
		return p.nu * math.Sqrt(p.y) / t.h / p.x
	case tCentral:
		return t.f / t.h
	}
	sum := 1 + p.s
	return 1 / (t.h * math.Sqrt(sum*math.Sqrt(sum)*(1+theta(p.a)/p.a)))
}

// rate returns f/S in two words.
func (p *tPoint) rate(t tTail) (hi, lo float64) {
	switch t.form {
	case tSeries:
		hi = float64(t.h * p.x)
		if hi < 0x1p900 {
			return overTwo(p.nu, 0, hi, math.FMA(t.h, p.x, -hi)+(t.hL*p.x+t.h*p.xL))
		}
		return p.nu / hi, 0
	case tHeavy:
		move, moveL := p.heavyMove(t)
		hi, lo = timesTwo(2*move, 2*moveL, p.nu, 0)
		return overTwo(hi, lo, p.x, p.xL)
	case tCentral:
		return overTwo(t.f, t.fL, t.h, t.hL)
	}
	root, rootL := rootTwo(p.inverseZ()) // 1/(h sqrt(C (1+s)^(3/2))), C = 1 + theta/a
	hi, lo = timesTwo(root, rootL, root*root, math.FMA(root, root, -root*root)+2*root*rootL)
	rest := theta(p.a) / p.a
	sum := 1 + rest
	hi, lo = rootTwo(timesTwo(hi, lo, sum, rest-(sum-1)))
	hi, lo = timesTwo(hi, lo, t.h, t.hL)
	return overTwo(1, 0, hi, lo)
}

// shiftedSum returns H, in two words, by the expansion of the one that is n steps above:
// H(a) = 1 + z (a+1/2)/(a+1) H(a+1).
func (p *tPoint) shiftedSum() (h, hL float64) {
	n := p.lift()
	up := p.a + float64(n)
	u := newUniform(p, up)
	h, hL = u.topSum(p, up)
	for k := n; k > 0; k-- {
		share, shareL, _ := p.share(k)
		h, hL = onePlus(share, shareL, h, hL)
	}
	return h, hL
}

// onePlus returns 1 + a b in two words, the second of which may be several ulp of the first.
func onePlus(aHi, aLo, bHi, bLo float64) (hi, lo float64) {
	product := float64(aHi * bHi)
	hi = 1 + product
	back := float64(hi - 1)
	rest := (product - back) + (1 - float64(hi-back)) + (math.FMA(aHi, bHi, -product) + aLo*bHi)
	return hi, aHi*bLo + rest
}

// share returns the factor z (b-1/2)/b for b = a+k in two words, and its derivative in a.
func (p *tPoint) share(k int) (hi, lo, slope float64) {
	inverse := 1 / (p.a + float64(k))
	less := 0.5 * p.z * inverse
	hi = p.z - less
	return hi, ((p.z - hi) - less) + p.zL, less * inverse
}

// heavyFactor returns F of studentquantileheavy.go, for nu < 1 and s >= 1, where 2S = z^a F/(a B(a,1/2)) is 1 or so.
func (p *tPoint) heavyFactor() (f, fL float64) {
	sum, _ := heavySum(p.a, p.z)
	rest := p.a * sum
	f = 1 + rest
	return f, rest - (f - 1)
}

// heavyMove returns x f/S/(2 nu) there.
func (p *tPoint) heavyMove(t tTail) (hi, lo float64) {
	hi, lo = rootTwo(p.y, p.yL)
	return overTwo(0.5*hi, 0.5*lo, t.h, t.hL)
}

// maxTerms is more than H has terms that count for z <= 1/4.
const maxTerms = 40

// termSum returns the sum of H, in two words. The first term, 1, is added last: the others are small beside it.
func (p *tPoint) termSum() (sum, low float64) {
	rest, term := 0.0, 1.0
	up, down := p.a+0.5, p.a+1
	for range maxTerms {
		term *= p.z * (up / down)
		rest += term
		if term < negligible {
			break
		}
		up++
		down++
	}
	sum = 1 + rest
	return sum, rest - (sum - 1)
}

// topSum returns H of a from the expansion there, m 2a (1 + h p_1) sqrt(h (1+s)^(3/2)/s), in two words.
func (u *uniform) topSum(p *tPoint, a float64) (h, hL float64) {
	t := 1 + p.s
	tL := (p.s - (t - 1)) + p.sL
	root, rootL := rootTwo(t, tL)
	n, nL := timesTwo(t, tL, root, rootL)
	b := 2 * (a - 0.25)
	d, dL := timesTwo(p.s, p.sL, b, 0)
	c, cL := rootTwo(overTwo(n, nL, d, dL))
	c, cL = timesTwo(c, cL, u.m, u.mL)
	c, cL = timesTwo(c, cL, 2*a, 0)
	b = 1 + u.first
	return timesTwo(c, cL, b, u.first-(b-1))
}
