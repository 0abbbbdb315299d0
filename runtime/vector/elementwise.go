package vector

// block is how many numbers a function is taken of in a call.
const block = 4096

// Exp writes exp(x) to dst, which may be x and is as long, to 1.0 units in the last place, over the whole range: rounded once
// where it is no normal number.
func Exp(dst, x []float64) {
	x = x[:len(dst)]
	for len(dst) > 0 {
		n := min(block, len(dst))
		expOf(&dst[0], &x[0], n)
		dst, x = dst[n:], x[n:]
	}
}

// Log writes log(x) to dst, which may be x and is as long, to 0.9 units in the last place, over the whole range: -Inf of 0, and NaN of
// negative numbers.
func Log(dst, x []float64) {
	x = x[:len(dst)]
	for len(dst) > 0 {
		n := min(block, len(dst))
		logOf(&dst[0], &x[0], n)
		dst, x = dst[n:], x[n:]
	}
}

// Expm1 writes exp(x) - 1 to dst, which may be x and is as long, to 2 units in the last place.
func Expm1(dst, x []float64) {
	x = x[:len(dst)]
	for len(dst) > 0 {
		n := min(block, len(dst))
		expm1Of(&dst[0], &x[0], n)
		dst, x = dst[n:], x[n:]
	}
}

// Log1p writes log(1 + x) to dst, which may be x and is as long, to 2 units in the last place.
func Log1p(dst, x []float64) {
	x = x[:len(dst)]
	for len(dst) > 0 {
		n := min(block, len(dst))
		log1pOf(&dst[0], &x[0], n)
		dst, x = dst[n:], x[n:]
	}
}

// Sigmoid writes 1/(1 + exp(-x)) to dst, which may be x and is as long, to 2 units in the last place.
func Sigmoid(dst, x []float64) {
	x = x[:len(dst)]
	for len(dst) > 0 {
		n := min(block, len(dst))
		sigmoidOf(&dst[0], &x[0], n)
		dst, x = dst[n:], x[n:]
	}
}

// Softplus writes log(1 + exp(x)) to dst, which may be x and is as long, to 2 units in the last place.
func Softplus(dst, x []float64) {
	x = x[:len(dst)]
	for len(dst) > 0 {
		n := min(block, len(dst))
		softplusOf(&dst[0], &x[0], n)
		dst, x = dst[n:], x[n:]
	}
}

// SoftplusSigmoid writes Softplus to softplus and Sigmoid to sigmoid, to the bit, with one exponential. x may be either of them; all are as long
// as softplus.
func SoftplusSigmoid(softplus, sigmoid, x []float64) {
	sigmoid, x = sigmoid[:len(softplus)], x[:len(softplus)]
	for len(softplus) > 0 {
		n := min(block, len(softplus))
		softplusSigmoidOf(&softplus[0], &sigmoid[0], &x[0], n)
		softplus, sigmoid, x = softplus[n:], sigmoid[n:], x[n:]
	}
}

// LogNdtrRatio writes the logarithm of the standard normal distribution function to log, and the density divided by the distribution function to
// ratio, to 4 units in the last place. x may be either of them; all are as long as log.
func LogNdtrRatio(log, ratio, x []float64) {
	ratio, x = ratio[:len(log)], x[:len(log)]
	for len(log) > 0 {
		n := min(block, len(log))
		logNdtrRatioOf(&log[0], &ratio[0], &x[0], n)
		log, ratio, x = log[n:], ratio[n:], x[n:]
	}
}

// LogNdtr writes the logarithm of the standard normal distribution function to dst, which may be x and is as long, to the bit as LogNdtrRatio
// does.
func LogNdtr(dst, x []float64) {
	x = x[:len(dst)]
	for len(dst) > 0 {
		n := min(block, len(dst))
		logNdtrOf(&dst[0], &x[0], n)
		dst, x = dst[n:], x[n:]
	}
}

// NdtrRatio writes the standard normal density divided by the distribution function to dst, which may be x and is as long, to the bit as LogNdtrRatio
// does.
func NdtrRatio(dst, x []float64) {
	x = x[:len(dst)]
	for len(dst) > 0 {
		n := min(block, len(dst))
		ndtrRatioOf(&dst[0], &x[0], n)
		dst, x = dst[n:], x[n:]
	}
}

// ExpShares writes exp(x - top) to dst, which may be x, and adds it to sums: what Softmax is made of. It is 0 where it would be below
// the least normal number. All are as long as dst.
func ExpShares(dst, x, top, sums []float64) {
	x, top, sums = x[:len(dst)], top[:len(dst)], sums[:len(dst)]
	for len(dst) > 0 {
		n := min(block, len(dst))
		expShares(&dst[0], &x[0], &top[0], &sums[0], n)
		dst, x, top, sums = dst[n:], x[n:], top[n:], sums[n:]
	}
}
