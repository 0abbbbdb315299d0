package rewrite

import (
	"math"

	"github.com/sngdgen/sngdgen/expr"
)

// probe is a point at which sums and products are evaluated, everything else in them being a number of its own: where two
// of them differ there, no multiplying out makes them equal (Schwartz 1980, Zippel 1979). Numbers lie in the range that is
// known of what they stand for, so that fractional powers have values.
type probe map[*expr.Node]float64

// value is the value of a node, NaN where it has none: operations of linear algebra are multiplied out too, and are no
// numbers of their own.
func (p probe) value(n *expr.Node) float64 {
	if n.Op == expr.Const {
		return n.Const
	}
	v, ok := p[n]
	if ok {
		return v
	}
	switch {
	case n.Op == expr.Lin:
		v = p.sum(n).value
	case n.Op == expr.Prod:
		v = 1
		for i, a := range n.Args {
			v *= power(p.value(a), n.Coefs[i], a.Nonnegative())
		}
	case n.Op == expr.Ones:
		v = 1
	case n.IsLinalg():
		v = math.NaN()
	default:
		v = within(n.Facts.Range, scattered(n.ID))
	}
	p[n] = v
	return v
}

// sum is the value of a sum.
func (p probe) sum(n *expr.Node) tally {
	var t tally
	if n.Op != expr.Lin {
		t.add(p.value(n))
		return t
	}
	t.add(n.Const)
	for i, a := range n.Args {
		t.add(n.Coefs[i] * p.value(a))
	}
	return t
}

// tally is a sum of numbers, with the sum of their magnitudes, of which its rounding error is a part.
type tally struct {
	value, size float64
	count       int
}

func (t *tally) add(x float64) { t.value, t.size, t.count = t.value+x, t.size+math.Abs(x), t.count+1 }

func (t tally) times(u tally) tally { return tally{value: t.value * u.value, size: t.size * u.size} }

// differ reports whether two numbers are certainly not the same.
func differ(t, u tally) bool { return math.Abs(t.value-u.value) > 1e-8*(t.size+u.size) }

// power is x^e. A fractional power of what may be negative is a base of its own, which any number may stand for.
func power(x, e float64, nonnegative bool) float64 {
	if e != math.Trunc(e) && !nonnegative {
		x = math.Abs(x)
	}
	return math.Pow(x, e)
}

// scattered is a number between 0 and 1 that looks random.
func scattered(id int) float64 {
	h := uint64(id) * 0x9e3779b97f4a7c15 // the golden ratio: Knuth, The Art of Computer Programming, volume 3, section 6.4
	h = (h ^ h>>30) * 0xbf58476d1ce4e5b9
	h ^= h >> 27
	return (float64(h>>11) + 0.5) / (1 << 53)
}

// within maps a number between 0 and 1 into a range, close to 1 where there is room.
func within(r expr.Range, u float64) float64 {
	lo, hi := !math.IsInf(r.Lo, -1), !math.IsInf(r.Hi, 1)
	switch away := 0.5 + 1.5*u; {
	case lo && hi:
		return r.Lo + u*(r.Hi-r.Lo)
	case lo:
		return r.Lo + away
	case hi:
		return r.Hi - away
	default:
		return math.Copysign(away, math.Mod(16*u, 1)-0.5)
	}
}
