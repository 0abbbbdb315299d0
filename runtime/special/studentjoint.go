package special

import "math"

// Functions of the Student-t distribution that are needed together, for little more than the dearest of them. Accuracies are
// those of the single functions.

// TLogCDFRatio returns TLogCDF and TRatio.
func TLogCDFRatio(x, nu float64) (log, ratio float64) {
	if degenerate(x, nu) {
		return TLogCDF(x, nu), TRatio(x, nu)
	}
	p := newTPoint(math.Abs(x), nu)
	if p.isCentralRatio(x) {
		f, fL, delta, deltaL := p.central()
		return logOfHalf(delta, deltaL, x), ratioOfHalf(f, fL, delta, deltaL, x)
	}
	t := p.tail()
	if x <= 0 {
		return t.log(), t.rate + t.rateL
	}
	hi, lo := t.chance()
	return logOfRest(hi, lo), t.rateOfRest(hi, lo)
}

// TLogCDFRatioDNu returns TLogCDF, TRatio and TLogCDFDNu.
func TLogCDFRatioDNu(x, nu float64) (log, ratio, dnu float64) {
	if degenerate(x, nu) {
		return TLogCDF(x, nu), TRatio(x, nu), TLogCDFDNu(x, nu)
	}
	p := newTPoint(math.Abs(x), nu)
	s := p.slope()
	dnu = s.ofLog(x)
	switch {
	case x > 0:
		return logOfRest(s.chance, s.chanceL), s.rateOfRest(s.chance, s.chanceL), dnu
	case s.chance > 1e-300:
		return math.Log(s.chance) + s.chanceL/s.chance, s.rate + s.rateL, dnu
	}
	return s.log(), s.rate + s.rateL, dnu // of a tail that underflows
}

// TQuantileWithDNu returns TQuantile and TQuantileDNu.
func TQuantileWithDNu(u, nu float64) (x, dnu float64) {
	x, rest := tQuantileTwo(u, nu)
	if degenerate(x, nu) {
		return x, TQuantileDNuAt(x, nu)
	}
	return x, quantileSlope(x, rest, nu)
}
