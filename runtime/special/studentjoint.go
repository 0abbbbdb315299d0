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
		f, delta := p.central()
		delta = math.Copysign(delta, x)
		return logOfHalf(delta), f / (0.5 + delta)
	}
	t := p.tail()
	if x <= 0 {
		return (math.Log(t.k) - p.powerL) - p.power, t.rate
	}
	tail := t.k * p.exp()
	return math.Log1p(-tail), t.rate * tail / (1 - tail)
}

// TLogCDFRatioDNu returns TLogCDF, TRatio and TLogCDFDNu.
func TLogCDFRatioDNu(x, nu float64) (log, ratio, dnu float64) {
	if degenerate(x, nu) {
		return TLogCDF(x, nu), TRatio(x, nu), TLogCDFDNu(x, nu)
	}
	p := newTPoint(math.Abs(x), nu)
	s := p.slope()
	if x > 0 {
		odds := s.tail / (1 - s.tail)
		return math.Log1p(-s.tail), s.rate * odds, s.perTail * odds
	}
	if s.tail > 1e-300 {
		return math.Log(s.tail), s.rate, -s.perTail
	}
	return (math.Log(s.k) - p.powerL) - p.power, s.rate, -s.perTail // of a tail that underflows
}

// TQuantileWithDNu returns TQuantile and TQuantileDNu.
func TQuantileWithDNu(u, nu float64) (x, dnu float64) {
	x = TQuantile(u, nu)
	return x, TQuantileDNuAt(x, nu)
}
