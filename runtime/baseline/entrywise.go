package baseline

import (
	"math"

	"github.com/sngdgen/sngdgen/runtime/types"
)

// fixed is a parameter with a given value and no coordinates.
type fixed struct{ value []float64 }

func (fixed) dim() int                 { return 0 }
func (p fixed) theta(dst, _ []float64) { copy(dst, p.value) }
func (fixed) from(_, _ []float64)      {}
func (fixed) pull(_, _, _, _ []float64) {
}

// linked are n numbers above a bound, each with a coordinate of its own: the link of x - bound.
type linked struct {
	n     int
	bound float64
	link  *types.Link
}

func (p linked) dim() int { return p.n }

func (p linked) theta(dst, u []float64) {
	for i, x := range u {
		dst[i] = p.bound + p.link.Value(x)
	}
}

func (p linked) from(u, theta []float64) {
	for i, x := range theta {
		u[i] = p.link.Coordinate(x - p.bound)
	}
}

func (p linked) pull(du, g, u, theta []float64) {
	for i, x := range theta {
		du[i] = g[i] * p.link.Slope(u[i], x-p.bound)
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

// rowwise has coordinates of each row of a d x d matrix.
type rowwise struct {
	row piece
	d   int
}

func (p rowwise) dim() int { return p.d * p.row.dim() }

// of are the coordinates of row i.
func (p rowwise) of(u []float64, i int) []float64 { return u[i*p.row.dim() : (i+1)*p.row.dim()] }

// entries are the numbers of row i.
func (p rowwise) entries(x []float64, i int) []float64 { return x[i*p.d : (i+1)*p.d] }

func (p rowwise) theta(dst, u []float64) {
	for i := range p.d {
		p.row.theta(p.entries(dst, i), p.of(u, i))
	}
}

func (p rowwise) from(u, theta []float64) {
	for i := range p.d {
		p.row.from(p.of(u, i), p.entries(theta, i))
	}
}

func (p rowwise) pull(du, g, u, theta []float64) {
	for i := range p.d {
		p.row.pull(p.of(du, i), p.entries(g, i), p.of(u, i), p.entries(theta, i))
	}
}

// triangular has the coordinates of a d x d lower triangular matrix with a positive diagonal: its entries row by row, logarithms of
// those on the diagonal; the number is d.
type triangular int

func (d triangular) dim() int { return int(d) * (int(d) + 1) / 2 }

// each calls f with the indices of every coordinate and of its entry, and with its link.
func (d triangular) each(f func(u, x int, link *types.Link)) {
	k := 0
	for i := range int(d) {
		for j := range i + 1 {
			link := types.Identity
			if i == j {
				link = types.Log
			}
			f(k, i*int(d)+j, link)
			k++
		}
	}
}

func (d triangular) theta(dst, u []float64) {
	clear(dst)
	d.each(func(k, i int, link *types.Link) { dst[i] = link.Value(u[k]) })
}

func (d triangular) from(u, theta []float64) {
	d.each(func(k, i int, link *types.Link) { u[k] = link.Coordinate(theta[i]) })
}

func (d triangular) pull(du, g, u, theta []float64) {
	d.each(func(k, i int, link *types.Link) { du[k] = g[i] * link.Slope(u[k], theta[i]) })
}

// increasing has the first of so many numbers, and the logarithms of the differences of neighbours, as coordinates.
type increasing int

func (k increasing) dim() int { return int(k) }

func (k increasing) theta(dst, u []float64) {
	dst[0] = u[0]
	for i, x := range u[1:] {
		dst[i+1] = dst[i] + math.Exp(x)
	}
}

func (k increasing) from(u, theta []float64) {
	u[0] = theta[0]
	for i, x := range theta[1:] {
		u[i+1] = math.Log(x - theta[i])
	}
}

// All entries from one on move with its difference to the one before.
func (k increasing) pull(du, g, u, _ []float64) {
	sum := 0.0
	for i := len(g) - 1; i > 0; i-- {
		sum += g[i]
		du[i] = sum * math.Exp(u[i])
	}
	du[0] = sum + g[0]
}

// stereographic has the coordinates u_i = x_i/(1 + x_0), i > 0, of numbers the sum of whose squares is 1.
type stereographic int

func (k stereographic) dim() int { return int(k) - 1 }

func (k stereographic) theta(dst, u []float64) {
	square := 0.0
	for _, x := range u {
		square += x * x
	}
	dst[0] = (1 - square) / (1 + square)
	for i, x := range u {
		dst[i+1] = 2 * x / (1 + square)
	}
}

func (k stereographic) from(u, theta []float64) {
	for i := range u {
		u[i] = theta[i+1] / (1 + theta[0])
	}
}

// dx_j/du_i = (1 + x_0) (delta_ij - x_i u_j) and dx_0/du_i = -(1 + x_0) x_i, with 2/(1 + u'u) = 1 + x_0.
func (k stereographic) pull(du, g, u, theta []float64) {
	mean := g[0]
	for j, x := range u {
		mean += g[j+1] * x
	}
	for i := range du {
		du[i] = (1 + theta[0]) * (g[i+1] - theta[i+1]*mean)
	}
}
