package special

import (
	"math"

	"github.com/sngdgen/sngdgen/runtime/vector"
)

// For a nu that stays, the functions of the Student-t distribution are tabulated: their Taylor series around the middle of short
// intervals. They need no more than the values there, because all of them solve differential equations made of the
// rational functions of x that the derivatives of the log-density are. With z = 1/(1 + x^2/nu), y = 1-z,
//
//	h = -d log f/dx = (1+1/nu) x z,    l = d log f/dnu,    dl/dx = -(x z/nu) (y - z/nu).

// order is the number of terms of a series: the next one does not count, as the intervals reach no farther to either
// side than a sixteenth of the distance to the next singularity.
const order = vector.Powers

type series = [order]float64

// reciprocals are 1/k.
var reciprocals = [order]float64{0, 1, 1.0 / 2, 1.0 / 3, 1.0 / 4, 1.0 / 5, 1.0 / 6, 1.0 / 7, 1.0 / 8, 1.0 / 9, 1.0 / 10,
	1.0 / 11, 1.0 / 12, 1.0 / 13}

// at returns the value of a series, as the polynomials of poly.go.
func at(c *series, x float64) float64 {
	y := x * x
	even := (((((c[12]*y+c[10])*y+c[8])*y+c[6])*y+c[4])*y+c[2])*y + c[0]
	odd := (((((c[13]*y+c[11])*y+c[9])*y+c[7])*y+c[5])*y+c[3])*y + c[1]
	return even + x*odd
}

// strided is at for a series of which every fourth number is a coefficient.
func strided(c *[cellNumbers - 3]float64, x float64) float64 {
	y := x * x
	even := (((((c[48]*y+c[40])*y+c[32])*y+c[24])*y+c[16])*y+c[8])*y + c[0]
	odd := (((((c[52]*y+c[44])*y+c[36])*y+c[28])*y+c[20])*y+c[12])*y + c[4]
	return even + x*odd
}

// product returns the k-th coefficient of the product of two series.
func product(a, b *series, k int) float64 {
	sum := 0.0
	for j := range k + 1 {
		sum += a[j] * b[k-j]
	}
	return sum
}

// densitySlope returns d log f/d nu at the point.
func (p *tPoint) densitySlope() float64 {
	slope, _ := tConstantSlope(p.a)
	return slope - 0.5*p.xiLessY() + 0.5*p.y/p.nu
}

// xiLessY returns xi - y = y^2/2 + y^3/3 + ..., without cancellation.
func (p *tPoint) xiLessY() float64 {
	if p.y > 0.1 {
		return p.xi - p.y
	}
	sum := 0.0
	for k := 16; k > 1; k-- {
		sum = sum*p.y + 1/float64(k)
	}
	return sum * p.y * p.y
}

// tExpansion has the series of the density in x around a point, and room for those of a cell.
type tExpansion struct {
	z, xz, rest  series // rest is y - z/nu
	h, l         series
	falls, gains series // factors of the right-hand sides
	plain        tCell
}

// density sets h and l around x = c.
func (e *tExpansion) density(c, nu float64) {
	p := newTPoint(math.Abs(c), nu)
	linear, square, more := 2*c/nu, 1/nu, 1+1/nu
	e.z[0], e.z[1] = p.z, -p.z*p.z*linear
	e.xz[0], e.rest[0] = c*p.z, p.y-p.z/nu
	e.h[0], e.l[0] = more*e.xz[0], p.densitySlope()
	for k := 1; k < order; k++ {
		if k > 1 {
			e.z[k] = -p.z * (linear*e.z[k-1] + square*e.z[k-2]) // (1 + x^2/nu) z = 1
		}
		e.xz[k] = c*e.z[k] + e.z[k-1]
		e.rest[k] = -e.z[k] * more
		e.h[k] = more * e.xz[k]
		e.l[k] = -product(&e.xz, &e.rest, k-1) / nu * reciprocals[k]
	}
}
