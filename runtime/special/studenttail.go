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

// tTail is S = k exp(-a xi), and f/S.
type tTail struct{ k, rate float64 }

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

// central returns the density, and F(x) - 1/2, which is relatively exact.
func (p *tPoint) central() (f, delta float64) {
	f = p.density()
	delta = p.x * f
	return f, delta + delta*p.centralSum()
}

// tail expects a point that is not central.
func (p *tPoint) tail() tTail {
	switch {
	case p.isHeavy():
		t, _ := p.heavyTail()
		return t
	case p.isFar():
		sum := p.termSum()
		return tTail{
			k:    tailFactor(p.a, p.y) * sum,
			rate: p.nu / sum / p.x,
		}
	case p.a >= uniformFrom:
		u := newUniform(p, p.a)
		k := u.scaled * math.Sqrt(math.Sqrt(1+p.s))
		return tTail{k: k, rate: tConstant(p.a) * p.rootZ() / k}
	}
	h := p.shiftedSum()
	return tTail{k: tailFactor(p.a, p.y) * h, rate: p.nu / h / p.x}
}

// shiftedSum returns H by the expansion of the one that is n steps above: H(a) = 1 + z (a+1/2)/(a+1) H(a+1). The rounding
// error of z, which enters every step, is taken back with the derivative in log z.
func (p *tPoint) shiftedSum() float64 {
	n := p.lift()
	up := p.a + float64(n)
	u := newUniform(p, up)
	h := u.topSum(p, up)
	dh := 0.0
	for ; n > 0; n-- {
		share := p.z * (up - 0.5) / up
		dh = share * (h + dh)
		h = 1 + share*h
		up--
	}
	return h + p.zRest*dh
}

// heavyTail is for nu < 1 and s >= 1, where S is 1/2 or so: 2S = z^a F/(a B(a,1/2)) as in studentquantileheavy.go.
func (p *tPoint) heavyTail() (t tTail, f float64) {
	sum, _ := heavySum(p.a, p.z)
	f = 1 + p.a*sum
	return tTail{k: 0.5 * math.Exp(-p.a*betaLog(p.a)) * f, rate: p.nu * math.Sqrt(p.y) / f / p.x}, f
}

// maxTerms is more than H has terms that count for z <= 1/4.
const maxTerms = 40

// termSum returns the sum of H. The first term, 1, is added last: the others are small beside it.
func (p *tPoint) termSum() float64 {
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
	return 1 + rest
}

// topSum returns H of a from the expansion there.
func (u *uniform) topSum(p *tPoint, a float64) float64 {
	t := math.Sqrt(1 + p.s)
	return u.scaled * (t * math.Sqrt(t/p.s)) * math.Sqrt(8*math.Pi*a*a*u.h) * (1 + u.first)
}
