package special

import "math"

// TQuantiles has the quantiles of the standard Student-t distribution with degrees of freedom that stay for many calls. TDistribution says
// how to use it; it has 42 kB. A cell takes a microsecond to fill; 10,000 uniform numbers lie in about 100. The
// quantiles are good to 3 ulp, their derivatives in nu to 10. Beyond the table, for
// chances below 2^-22 on either side, and for nu outside [1/2, 1e60], the methods call the functions.
type TQuantiles struct {
	nu    float64
	start float64 // 2^22, or 0 without a table
	mid   [midCells]tQuantileCell
	tail  [tailCells]tQuantileCell
}

// The cells: 8 of equal width for |u - 1/2| below 1/4; in the tails 8 to an octave of the tail's chance, down to
// 2^-tailOctaves/4, and the one that begins at 1/4.
const (
	midCells    = 8
	tailOctaves = 20
	tailBits    = 3
	tailCells   = tailOctaves<<tailBits + 1
	tailStart   = 4 << tailOctaves
)

// The degrees of freedom that the cells are narrow enough for, x going like the chance to -1/nu; and the least calls.
const (
	quantileTableFrom  = 0.5
	quantileTableCalls = 100
)

// Prepare sets the degrees of freedom, for about so many calls, like that of TDistribution.
func (t *TQuantiles) Prepare(nu float64, calls int) {
	t.nu, t.start = nu, 0
	if calls >= quantileTableCalls && nu >= quantileTableFrom && nu <= tableTo {
		t.start = tailStart
	}
}

// Quantile returns TQuantile(u, nu).
func (t *TQuantiles) Quantile(u float64) float64 {
	c, theta := t.cell(u)
	if c == nil {
		return TQuantile(u, t.nu)
	}
	x := at(&c.x, theta)
	if u < 0.5 {
		return -x
	}
	return x
}

// QuantileDNu returns TQuantileDNu(u, nu).
func (t *TQuantiles) QuantileDNu(u float64) float64 {
	c, theta := t.cell(u)
	if c == nil {
		return TQuantileDNu(u, t.nu)
	}
	dnu := at(&c.dnu, theta)
	if u < 0.5 {
		return -dnu
	}
	return dnu
}

// QuantileWithDNu returns TQuantile(u, nu) and TQuantileDNu(u, nu).
func (t *TQuantiles) QuantileWithDNu(u float64) (x, dnu float64) {
	c, theta := t.cell(u)
	if c == nil {
		return TQuantileWithDNu(u, t.nu)
	}
	x, dnu = at(&c.x, theta), at(&c.dnu, theta)
	if u < 0.5 {
		return -x, -dnu
	}
	return x, dnu
}

// cell returns the cell of u, filled, and where u is in it; nil where there is none.
func (t *TQuantiles) cell(u float64) (c *tQuantileCell, theta float64) {
	chance := math.Abs(u - 0.5) // exact where it is used
	if chance < 0.25 && t.start > 0 {
		k := int(chance * (4 * midCells))
		c = &t.mid[k]
		if c.nu != t.nu {
			t.fillMid(k)
		}
	} else {
		chance = math.Min(u, 1-u)
		k := cellOf(chance*t.start, tailBits)
		if k >= tailCells {
			return nil, 0
		}
		c = &t.tail[k]
		if c.nu != t.nu {
			t.fillTail(k)
		}
	}
	return c, (chance - c.middle) * c.scale
}

// fillMid fills a cell of the middle. The one next to 1/2 is symmetrical about it.
func (t *TQuantiles) fillMid(k int) {
	const half = 1.0 / (8 * midCells)
	if k == 0 {
		t.mid[k].fill(0, 2*half, 0, t.nu)
		return
	}
	middle := half * float64(2*k+1)
	t.mid[k].fill(middle, half, TQuantile(0.5+middle, t.nu), t.nu)
}

func (t *TQuantiles) fillTail(k uint) {
	middle, half := cellMiddle(k, tailBits)
	middle, half = middle/tailStart, half/tailStart
	t.tail[k].fill(middle, -half, -TQuantile(middle, t.nu), t.nu)
}
