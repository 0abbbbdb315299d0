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

// tTail is S = k exp(-power), and rate is f/S, all in two words.
type tTail struct{ k, kL, power, powerL, rate, rateL float64 }

// chance returns S in two words.
func (t *tTail) chance() (hi, lo float64) {
	e, eL := expWords(-t.power, -t.powerL)
	return timesTwo(t.k, t.kL, e, eL)
}

// log returns log S.
func (t *tTail) log() float64 { return (math.Log(t.k) + (t.kL/t.k - t.powerL)) - t.power }

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

// ay is a y, also where a is infinite.
func (p *tPoint) ay() float64 {
	if p.s < 0x1p-900 {
		return 0.5 * p.x * p.x
	}
	return p.a * p.y
}

// centralSum returns the sum of the central form, without its first term, 1.
func (p *tPoint) centralSum() float64 {
	ratio := p.ay() + 0.5*p.y
	sum, term := 0.0, 1.0
	for _, inv := range &inverseOdd {
		term *= ratio * inv
		sum += term
		if term < negligible {
			break
		}
		ratio += p.y
	}
	return sum
}

// central returns the density, and F(x) - 1/2, which is relatively exact, in two words.
func (p *tPoint) central() (f, fL, delta, deltaL float64) {
	f, fL = p.density()
	sum := p.centralSum()
	m := 1 + sum
	n, nL := timesTwo(m, sum-(m-1), p.x, 0)
	delta, deltaL = timesTwo(f, fL, n, nL)
	return f, fL, delta, deltaL
}

// tail expects a point that is not central.
func (p *tPoint) tail() tTail {
	switch {
	case p.isHeavy():
		t, _, _, _ := p.heavyTail()
		return t
	case p.isFar():
		return p.seriesTail(p.termSum())
	case p.a >= uniformFrom:
		u := newUniform(p, p.a)
		return u.tail(p)
	}
	return p.seriesTail(p.shiftedSum())
}

// seriesTail is S = (x/nu) f H for an H in two words.
func (p *tPoint) seriesTail(h, hL float64) tTail {
	t := tTail{power: p.power, powerL: p.powerL}
	c, cL := tailFactor(p.a, p.y, p.yL)
	t.k, t.kL = timesTwo(c, cL, h, hL)
	t.rate, t.rateL = overTwo(p.nu/p.x, 0, h, hL)
	if low := float64(h * p.x); low > 0x1p-900 && low < 0x1p900 {
		t.rate, t.rateL = overTwo(p.nu, 0, low, math.FMA(h, p.x, -low)+(hL*p.x+h*p.xL))
	}
	return t
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
		h, hL = timesTwo(share, shareL, h, hL)
		h, hL = addTwo(h, hL, 1, 0)
	}
	return h, hL
}

// share returns the factor z (b-1/2)/b for b = a+k in two words, and its derivative in a.
func (p *tPoint) share(k int) (hi, lo, slope float64) {
	inverse := 1 / (p.a + float64(k))
	less := 0.5 * p.z * inverse
	hi = p.z - less
	return hi, ((p.z - hi) - less) + p.zL, less * inverse
}

// heavyTail is for nu < 1 and s >= 1, where S is 1/2 or so: 2S = z^a F/(a B(a,1/2)) as in studentquantileheavy.go.
// Also x f/S/(2 nu) in two words, and F.
func (p *tPoint) heavyTail() (t tTail, move, moveL, f float64) {
	sum, _ := heavySum(p.a, p.z)
	rest := p.a * sum
	f = 1 + rest
	fL := rest - (f - 1)
	t.k, t.kL = 0.5*f, 0.5*fL
	t.power, t.powerL = addTwo(p.power, p.powerL, p.a*betaLog(p.a), 0)
	y, yL := rootTwo(p.y, p.yL)
	move, moveL = overTwo(y, yL, f, fL)
	n, nL := timesTwo(p.nu, 0, move, moveL)
	t.rate, t.rateL = overTwo(n, nL, p.x, p.xL)
	return t, 0.5 * move, 0.5 * moveL, f
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

// tail returns the tail at the expansion's own point, S = m exp(-a xi) (1+s)^(1/4)/sqrt(2 pi), and with C = 1 + theta/a
// f/S = 1/(m sqrt(C (1+s)^(3/2))).
func (u *uniform) tail(p *tPoint) tTail {
	t := tTail{power: p.power, powerL: p.powerL}
	sum := 1 + p.s
	root, rootL := rootTwo(sum, (p.s-(sum-1))+p.sL)
	quarter, quarterL := rootTwo(root, rootL)
	m, mL := timesTwo(u.m, u.mL, invSqrt2Pi, invSqrt2PiRest)
	t.k, t.kL = timesTwo(m, mL, quarter, quarterL)
	rest := theta(p.a) / p.a
	d, dL := rootTwo(1+rest, rest-((1+rest)-1))
	d, dL = timesTwo(d, dL, root, rootL)
	d, dL = timesTwo(d, dL, quarter, quarterL)
	d, dL = timesTwo(d, dL, u.m, u.mL)
	t.rate, t.rateL = overTwo(1, 0, d, dL)
	return t
}
