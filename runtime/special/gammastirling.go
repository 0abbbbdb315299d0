package special

// The stirling functions are the differences for r >= tailFrom. With i = 1/r, w = 1/(x+r), u = i^2 and v = w^2:
//
//	w - i = -h               h = x i w
//	v - u = -h (i+w)
//	w^3 - i^3 = -h (w^2+wi+i^2)
//
// The rest of a series, a rational function R(1/z^2) over a power of z, is small beside the leading terms. From
// x = subtractFrom on its difference may be formed by subtraction: the rounding errors stay below half an ulp of the
// result. Below, it is formed from R(v) and the divided difference (R(v)-R(u))/(v-u), at twice the price.
const subtractFrom = 0.5

func inverses(x, r float64) (i, w, h float64) {
	i, w = 1/r, 1/(x+r)
	return i, w, x * i * w
}

// stirlingLgamma differences (z-1/2) log z - z + R/z (DLMF 5.11.1), given log1p(x/r). Of the logarithms x log r is
// split off, which is positive and, for r >= 3, larger than what cancels between the other terms.
func stirlingLgamma(x, r, log1p float64) float64 {
	if r > hugeBase && x < r/hugeBase {
		return x * Log(r) // x/r may underflow below, and nothing else counts
	}
	i, w, h := inverses(x, r)
	u, v := i*i, w*w
	var tail float64
	if x >= subtractFrom {
		tail = w*lgRest(v) - i*lgRest(u)
	} else {
		rest, slope := ratioSlope(lgTailP[:], lgTailQ[:], u, v)
		tail = -h * (rest + i*(i+w)*slope)
	}
	return x*Log(r) + (((x+r-0.5)*log1p - x) + tail)
}

// stirlingDigamma differences log z - 1/(2z) - R/z^2 (DLMF 5.11.2), given log1p(x/r).
func stirlingDigamma(x, r, log1p float64) float64 {
	i, w, h := inverses(x, r)
	u, v := i*i, w*w
	if x >= subtractFrom {
		return log1p + (0.5*h + (u*psiRest(u) - v*psiRest(v)))
	}
	rest, slope := ratioSlope(psiTailP[:], psiTailQ[:], u, v)
	return log1p + h*(0.5+(i+w)*(rest+u*slope))
}

// stirlingTrigamma differences 1/z + 1/(2z^2) + R/z^3 (the derivative of DLMF 5.11.2).
func stirlingTrigamma(x, r float64) float64 {
	i, w, h := inverses(x, r)
	u, v := i*i, w*w
	if x >= subtractFrom {
		rest := i*u*psi1Rest(u) - w*v*psi1Rest(v)
		return -(h*(1+0.5*(i+w)) + rest)
	}
	rest, slope := ratioSlope(psi1TailP[:], psi1TailQ[:], u, v)
	tail := (v+w*i+u)*rest + i*u*(i+w)*slope
	return -h * (1 + (0.5*(i+w) + tail))
}

// stirlingTetragamma differences -1/z^2 - 1/z^3 - R/z^4 (the second derivative).
func stirlingTetragamma(x, r float64) float64 {
	i := 1 / r
	t, low := sumTwo(r, x)
	w := 1 / t
	w -= w * (w * low)
	h := x / r / t
	h -= h * (w * low)
	u, v := i*i, w*w
	if x >= subtractFrom {
		rest := u*u*psi2Rest(u) - v*v*psi2Rest(v)
		return h*((i+w)+(v+w*i+u)) + rest
	}
	rest, slope := ratioSlope(psi2TailP[:], psi2TailQ[:], u, v)
	tail := (i + w) * ((u+v)*rest + u*u*slope)
	return h * ((i + w) + ((v + w*i + u) + tail))
}
