package runtime

import "math"

// Fixed is the schedule that always gives the same step.
func Fixed(step float64) Schedule { return func(int) float64 { return step } }

// Decay gives first/(1 + k/delay)^power at iteration k. With 1/2 < power <= 1 the steps sum to infinity and their
// squares do not, as convergence under noise asks for (Robbins and Monro 1951). A delay of 1 and a power of 1 from
// first = 1 are the steps 1, 1/2, 1/3, ..., under which natural gradients of the mean parameters of a family that is
// fitted to data average the statistics of all batches seen.
func Decay(first, delay, power float64) Schedule {
	return func(k int) float64 { return first * math.Pow(1+float64(k)/delay, -power) }
}

// Cosine goes from first down to last along half a period of the cosine, over the given number of iterations, and stays
// there (Loshchilov and Hutter, SGDR: stochastic gradient descent with warm restarts, ICLR 2017, equation 5).
func Cosine(first, last float64, iterations int) Schedule {
	return func(k int) float64 {
		if k >= iterations {
			return last
		}
		return last + (first-last)*(1+math.Cos(math.Pi*float64(k)/float64(iterations)))/2
	}
}
