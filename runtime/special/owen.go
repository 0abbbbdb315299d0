package special

import "math"

// owenNodes are the nodes and weights of Gauss and Legendre's rule of degree 39 on (-1, 1), of which only the positive nodes are kept.
var owenNodes = [...][2]float64{
	{0.9931285991850949247861, 0.01761400713915211831186},
	{0.9639719272779137912677, 0.04060142980038694133104},
	{0.9122344282513259058678, 0.06267204833410906356951},
	{0.8391169718222188233945, 0.08327674157670474872476},
	{0.7463319064601507926143, 0.1019301198172404350368},
	{0.6360536807265150254528, 0.1181945319615184173124},
	{0.5108670019508270980044, 0.1316886384491766268985},
	{0.3737060887154195606725, 0.1420961093183820513293},
	{0.2277858511416450780805, 0.1491729864726037467878},
	{0.07652652113349733375464, 0.1527533871307258506981},
}

// owenTo is how far the integrand exp(-s^2/2) reaches.
const owenTo = 9.5

// OwenT returns Owen's function T(h, a), the integral of exp(-h^2 (1 + u^2)/2)/(1 + u^2) over u from 0 to a, divided by 2 pi: the probability that
// X > h and 0 < Y < a X for standard normal X and Y. The distribution function of a skewed normal variable is Phi(z) - 2 T(z, alpha). It is even in h
// and odd in a; 6 ulp.
//
// Up to |a| = 1 it is the integral, in two panels, where the integrand reaches so far. Beyond, T(h, a) = (P + Q)/2 - P Q - T(ah, 1/a) for h >= 0 with
// the probabilities P and Q beyond ah and h; of this Q/2 is nearly all, never less than half.
func OwenT(h, a float64) float64 {
	h = math.Abs(h)
	switch {
	case h != h || a != a:
		return math.NaN()
	case a < 0:
		return -OwenT(h, -a)
	case a <= 1:
		return owenIntegral(h, a)
	}
	q := Ndtr(-h)
	if math.IsInf(a, 1) {
		if h == 0 {
			return 0.25
		}
		return q / 2
	}
	ah := a * h
	p := Ndtr(-ah)
	return q/2 + (p*(0.5-q) - owenIntegral(ah, 1/a))
}

// owenIntegral is for h >= 0 and 0 <= a <= 1.
func owenIntegral(h, a float64) float64 {
	if h > 39 { // it underflows
		return 0
	}
	end := a
	if h*a > owenTo {
		end = owenTo / h
	}
	half, sum := end/4, 0.0
	for _, middle := range [2]float64{half, 3 * half} {
		for _, n := range owenNodes {
			step := half * n[0]
			sum += n[1] * (owenIntegrand(h, middle+step) + owenIntegrand(h, middle-step))
		}
	}
	return expHalfSquare(h) * (half * sum) / (2 * math.Pi)
}

func owenIntegrand(h, u float64) float64 {
	s := h * u
	return math.Exp(-0.5*s*s) / (1 + u*u)
}
