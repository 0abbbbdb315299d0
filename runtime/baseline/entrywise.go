package baseline

import "math"

// fixed is a parameter with a given value and no coordinates.
type fixed struct{ value []float64 }

func (fixed) dim() int                 { return 0 }
func (p fixed) theta(dst, _ []float64) { copy(dst, p.value) }
func (fixed) from(_, _ []float64)      {}
func (fixed) pull(_, _, _, _ []float64) {
}

// entries are numbers that need no coordinates of their own.
type entries int

func (n entries) dim() int                 { return int(n) }
func (entries) theta(dst, u []float64)     { copy(dst, u) }
func (entries) from(u, theta []float64)    { copy(u, theta) }
func (entries) pull(du, g, _, _ []float64) { copy(du, g) }

// logarithms are the coordinates u = log(x - bound) of numbers above a bound.
type logarithms struct {
	n     int
	bound float64
}

func (p logarithms) dim() int { return p.n }

func (p logarithms) theta(dst, u []float64) {
	for i, x := range u {
		dst[i] = p.bound + math.Exp(x)
	}
}

func (p logarithms) from(u, theta []float64) {
	for i, x := range theta {
		u[i] = math.Log(x - p.bound)
	}
}

// dx/du = exp(u), which x - bound would give with fewer digits.
func (p logarithms) pull(du, g, u, _ []float64) {
	for i, x := range u {
		du[i] = g[i] * math.Exp(x)
	}
}

// logits are the coordinates u = log(x/(1-x)) of numbers between 0 and 1.
type logits int

func (n logits) dim() int { return int(n) }

func (logits) theta(dst, u []float64) {
	for i, x := range u {
		dst[i] = 1 / (1 + math.Exp(-x))
	}
}

func (logits) from(u, theta []float64) {
	for i, x := range theta {
		u[i] = math.Log(x) - math.Log1p(-x)
	}
}

// dx/du = x (1 - x), with 1 - x = 1/(1 + exp(u)).
func (logits) pull(du, g, u, theta []float64) {
	for i, x := range theta {
		du[i] = g[i] * x / (1 + math.Exp(u[i]))
	}
}

// softmax has the coordinates u_i = log(x_i/x_k), i < k, of k probabilities; the number is k.
type softmax int

func (k softmax) dim() int { return int(k) - 1 }

// theta takes the largest exponent out, so that none overflows.
func (k softmax) theta(dst, u []float64) {
	top := 0.0
	for _, x := range u {
		top = max(top, x)
	}
	last := len(u)
	dst[last] = math.Exp(-top)
	sum := dst[last]
	for i, x := range u {
		dst[i] = math.Exp(x - top)
		sum += dst[i]
	}
	for i := range dst {
		dst[i] /= sum
	}
}

func (k softmax) from(u, theta []float64) {
	for i := range u {
		u[i] = math.Log(theta[i]) - math.Log(theta[len(u)])
	}
}

// dx_j/du_i = x_j (delta_ij - x_i), hence df/du_i = x_i (g_i - sum_j x_j g_j).
func (k softmax) pull(du, g, _, theta []float64) {
	mean := 0.0
	for i, x := range theta {
		mean += x * g[i]
	}
	for i := range du {
		du[i] = theta[i] * (g[i] - mean)
	}
}
