package special

import "math"

// tCell has the series of log F, f/F and d log F/d nu around a point. Where they fall steeply, on the right, the last
// two are divided by log F, and the first is the logarithm of log F/size.
type tCell struct {
	middle          float64
	size            float64 // log F at the middle, or 0 where the series are the functions themselves
	direct          bool    // no series here
	log, ratio, dnu series
}

// cellOf returns the number of the cell that t lies in, of 2^bits to each octave from 1; something larger than the
// numbers in use for t < 1, and where t is NaN.
func cellOf(t float64, bits uint) uint { return uint(math.Float64bits(t)>>(52-bits)) - 0x3ff<<bits }

// cellMiddle returns the middle of a cell in t, and half of its width.
func cellMiddle(k, bits uint) (middle, half float64) {
	octave := math.Ldexp(1, int(k>>bits))
	half = math.Ldexp(octave, -int(bits)-1)
	return octave + half*float64(2*(k&(1<<bits-1))+1), half
}

// steepest is how much the logarithm of a function may change from the middle of a cell to its ends: the differential
// equation multiplies errors by the exponential of that.
const steepest = 0.75

// leastRest is what 1 - F and its derivatives must be at least, unless they are 0, for quotients of them to have digits.
const leastRest = 1e-290

// fill sets the series around middle, for a cell that reaches half to both sides. Far is where log F falls steeply.
func (c *tCell) fill(middle, half, nu float64, far bool) {
	*c = tCell{middle: middle}
	log, ratio, dnu := TLogCDFRatioDNu(middle, nu)
	if ratio*half > steepest || far && (log > -leastRest || -ratio/log*half > steepest) || dnu != 0 && math.Abs(dnu) < leastRest {
		c.direct = true
		return
	}
	var e tExpansion
	e.density(middle, nu)
	e.near(c, log, ratio, dnu)
	if far {
		e.far(c, log, ratio, dnu)
	}
}

// near sets the series of a cell. With r = f/F and d = d log F/d nu,
//
//	(log F)' = r,    r' = -r (r + h),    d' = r (l - d).
func (e *tExpansion) near(c *tCell, log, ratio, dnu float64) {
	c.log[0], c.ratio[0], c.dnu[0] = log, ratio, dnu
	for k := range order - 1 {
		e.falls[k], e.gains[k] = c.ratio[k]+e.h[k], e.l[k]-c.dnu[k]
		c.log[k+1] = c.ratio[k] * reciprocals[k+1]
		c.ratio[k+1] = -product(&c.ratio, &e.falls, k) * reciprocals[k+1]
		c.dnu[k+1] = product(&c.ratio, &e.gains, k) * reciprocals[k+1]
	}
}

// far divides the series of a cell by log F. With R = r/log F and D = d/log F,
//
//	(log log F)' = R,    R' = -R (r + h + R),    D' = R (l - d - D).
func (e *tExpansion) far(c *tCell, log, ratio, dnu float64) {
	e.plain = *c
	c.size = log
	c.log[0], c.ratio[0], c.dnu[0] = 0, ratio/log, dnu/log
	for k := range order - 1 {
		e.falls[k] = e.plain.ratio[k] + e.h[k] + c.ratio[k]
		e.gains[k] = e.l[k] - e.plain.dnu[k] - c.dnu[k]
		c.log[k+1] = c.ratio[k] * reciprocals[k+1]
		c.ratio[k+1] = -product(&c.ratio, &e.falls, k) * reciprocals[k+1]
		c.dnu[k+1] = product(&c.ratio, &e.gains, k) * reciprocals[k+1]
	}
}
