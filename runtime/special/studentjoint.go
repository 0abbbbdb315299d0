package special

import "math"

// Functions of the Student-t distribution that are needed together, for little more than the dearest of them. Accuracies are
// those of the single functions.

// TLogCDFRatio returns TLogCDF and TRatio.
func TLogCDFRatio(x, nu float64) (log, ratio float64) {
	if degenerate(x, nu) {
		return TLogCDF(x, nu), TRatio(x, nu)
	}
	if certain(x, nu) {
		return 0, 0
	}
	p := newTPoint(math.Abs(x), nu)
	if p.isCentralRatio(x) {
		f, fL, delta, deltaL := p.central()
		return logOfHalf(delta, deltaL, x), ratioOfHalf(f, fL, delta, deltaL, x)
	}
	t := p.tail()
	if x <= 0 {
		hi, lo := p.rate(t)
		return p.logChance(t), hi + lo
	}
	hi, lo := p.chance(t)
	return logOfRest(hi, lo), p.rateOfRest(t, hi, lo)
}

// TRatioDNu returns TRatio and TLogCDFDNu.
func TRatioDNu(x, nu float64) (ratio, dnu float64) {
	if degenerate(x, nu) {
		return TRatio(x, nu), TLogCDFDNu(x, nu)
	}
	if certain(x, nu) {
		return 0, 0
	}
	p := newTPoint(math.Abs(x), nu)
	s := p.slope()
	if x > 0 {
		hi, lo := p.chance(s.tTail)
		return p.rateOfRest(s.tTail, hi, lo), s.perRest(p, hi, lo)
	}
	hi, lo := p.rate(s.tTail)
	return hi + lo, -s.perTail(p)
}

// TLogCDFRatioDNu returns TLogCDF, TRatio and TLogCDFDNu.
func TLogCDFRatioDNu(x, nu float64) (log, ratio, dnu float64) {
	if degenerate(x, nu) {
		return TLogCDF(x, nu), TRatio(x, nu), TLogCDFDNu(x, nu)
	}
	if certain(x, nu) {
		return 0, 0, 0
	}
	p := newTPoint(math.Abs(x), nu)
	s := p.slope()
	if x > 0 {
		hi, lo := p.chance(s.tTail)
		return logOfRest(hi, lo), p.rateOfRest(s.tTail, hi, lo), s.perRest(p, hi, lo)
	}
	hi, lo := p.rate(s.tTail)
	return p.logChance(s.tTail), hi + lo, -s.perTail(p)
}

// TQuantileWithDNu returns TQuantile and TQuantileDNu.
func TQuantileWithDNu(u, nu float64) (x, dnu float64) {
	x, rest := tQuantileTwo(u, nu)
	if degenerate(x, nu) {
		return x, TQuantileDNuAt(x, nu)
	}
	return x, quantileSlope(x, rest, nu)
}
