package special

import "math"

// tQuantileCell has the series of the quantile x >= 0 and of dx/d nu, in theta, which is -1 and 1 at the ends.
type tQuantileCell struct {
	nu            float64
	middle, scale float64 // theta = (chance - middle) scale
	x, dnu        series
}

// fill sets the series around the chance middle, for a cell that reaches half to both sides, where the quantile is x.
// Half is negative where the chance is that of the tail.
func (c *tQuantileCell) fill(middle, half, x, nu float64) {
	*c = tQuantileCell{nu: nu, middle: middle, scale: 1 / math.Abs(half)}
	p := newTPoint(x, nu)
	c.x[0], c.dnu[0] = x, TQuantileDNuAt(x, nu)
	var e tQuantileExpansion
	f, _ := p.density()
	e.w[0], e.l[0] = half/f, p.densitySlope()
	e.z[0], e.rest[0] = p.z, p.y-p.z/nu
	e.fill(c)
}

// tQuantileExpansion has the series of the density in theta: rest is y - z/nu, inner is xz rest, and square is x^2.
type tQuantileExpansion struct {
	square, z, xz, rest, inner, l, w, hw series
}

// fill sets the terms of a cell after the first. With primes for derivatives in theta, w = half/f and q = dx/d nu,
//
//	x' = w,    w' = h w^2,    q' = h w q - l w,
//
// where h and l are those of studentseries.go, whose equations hold in theta by the chain rule.
func (e *tQuantileExpansion) fill(c *tQuantileCell) {
	perNu := 1 / c.nu
	for k := range order - 1 {
		inverse := reciprocals[k+1]
		if k > 0 {
			e.square[k] = product(&c.x, &c.x, k)
			e.z[k] = -e.z[0] * perNu * product(&e.square, &e.z, k) // (1 + x^2/nu) z = 1; square[0] and z[k] are still 0
			e.rest[k] = -e.z[k] * (1 + perNu)
		}
		e.xz[k] = product(&c.x, &e.z, k)
		e.inner[k] = product(&e.xz, &e.rest, k)
		e.hw[k] = (1 + perNu) * product(&e.xz, &e.w, k)
		e.l[k+1] = -product(&e.inner, &e.w, k) * perNu * inverse
		c.dnu[k+1] = (product(&e.hw, &c.dnu, k) - product(&e.l, &e.w, k)) * inverse
		e.w[k+1] = product(&e.hw, &e.w, k) * inverse
		c.x[k+1] = e.w[k] * inverse
	}
}
