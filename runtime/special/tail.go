package special

import "math"

// tail is what is known of a distribution function at a point by its smaller part, or nearly: the distribution function or its complement, by
// its logarithm in two words, as it may be the exponent of a small number.
type tail struct {
	upper     bool // the complement
	log, logL float64
	value     float64
	rest      float64 // the logarithm of the other one
}

// set computes the value, and the logarithm of the other one, from the logarithm.
func (t *tail) set(log, logL float64) {
	if log > 0 { // rounding
		log, logL = 0, 0
	}
	t.log, t.logL = log, logL
	hi, lo := expWords(log, logL)
	t.value = hi + lo
	if t.value < 0.5 {
		t.rest = math.Log1p(-t.value)
	} else {
		t.rest = Log(-math.Expm1(log + logL))
	}
}

// logs returns the logarithms of the distribution function and of its complement.
func (t *tail) logs() (below, above float64) {
	if t.upper {
		return t.rest, t.log
	}
	return t.log, t.rest
}

// cdf returns the distribution function.
func (t *tail) cdf() float64 {
	switch {
	case !t.upper:
		return t.value
	case t.value < 0.5:
		return 1 - t.value
	}
	return -math.Expm1(t.log + t.logL)
}

// odds is the quotient of the tail and of the other one.
func (t *tail) odds() float64 {
	if t.value > 0.5 {
		return -t.value / math.Expm1(t.log+t.logL)
	}
	return t.value / (1 - t.value)
}

// rates returns the density over the distribution function and over its complement, of which rate is the one over the tail.
func (t *tail) rates(rate float64) (below, above float64) {
	if t.upper {
		return rate * t.odds(), rate
	}
	return rate, rate * t.odds()
}
