package figure

import (
	"math"
	"slices"
)

// smoothed is a density of draws on a grid, by a normal kernel: first the draws are counted in cells, then these are smoothed. What the
// kernel carries over the ends of the range of the numbers is reflected there.
//
// Kernels as wide as is best for normal distributions (Scott, Multivariate density estimation, 1992, section 6.5), or narrower, where
// there are many draws of what may be narrow in places.
const (
	fullKernel   = 1
	narrowKernel = 0.5
)

// axis is a range with cells.
type axis struct {
	low, high   float64
	cells       int
	least, most float64 // ends of the range of the numbers
	kernel      float64 // width, relative to the best for a normal distribution
}

func (a *axis) width() float64 { return (a.high - a.low) / float64(a.cells) }

// centers are the middles of the cells.
func (a *axis) centers() (out []float64) {
	for i := range a.cells {
		out = append(out, a.low+(float64(i)+0.5)*a.width())
	}
	return out
}

// cell is that of a number; -1 if it is outside.
func (a *axis) cell(x float64) int {
	if !(x >= a.low && x <= a.high) {
		return -1
	}
	return min(a.cells-1, int((x-a.low)/a.width()))
}

// spreadOf is a standard deviation that a few wild numbers do not move: the interquartile range over that of a normal distribution.
func spreadOf(x []float64) float64 {
	s := slices.Clone(x)
	slices.Sort(s)
	return (s[3*len(s)/4] - s[len(s)/4]) / 1.349
}

// smooth spreads the cells of a row by a normal kernel of a standard deviation, in numbers.
func (a *axis) smooth(row []float64, sd float64) {
	h := sd / a.width()
	reach := int(math.Ceil(4 * h))
	if !(h > 0.2) || reach > 4*a.cells {
		return
	}
	kernel := make([]float64, reach+1)
	sum := 0.0
	for i := range kernel {
		kernel[i] = math.Exp(-0.5 * float64(i*i) / (h * h))
		if sum += kernel[i]; i > 0 {
			sum += kernel[i]
		}
	}
	out := make([]float64, len(row))
	for i, v := range row {
		if v == 0 {
			continue
		}
		for k := -reach; k <= reach; k++ {
			if j := a.reflected(i + k); j >= 0 {
				out[j] += v * kernel[max(k, -k)] / sum
			}
		}
	}
	copy(row, out)
}

// reflected is where the mass of a cell goes that may be beyond the ends; -1 where nothing is shown.
func (a *axis) reflected(j int) int {
	if j < 0 && a.low-a.least < a.width() {
		j = -1 - j
	}
	if j >= a.cells && a.most-a.high < a.width() {
		j = 2*a.cells - 1 - j
	}
	if j < 0 || j >= a.cells {
		return -1
	}
	return j
}

// curve is the density of draws of a number at the middles of cells.
func (a *axis) curve(x []float64) []float64 {
	out := make([]float64, a.cells)
	for _, v := range x {
		if c := a.cell(v); c >= 0 {
			out[c] += 1 / (float64(len(x)) * a.width())
		}
	}
	a.smooth(out, a.kernel*1.06*spreadOf(x)*math.Pow(float64(len(x)), -0.2))
	return out
}

// surface is the density of draws of pairs, at the middles of cells, row by row along y.
func surface(a, b *axis, x, y []float64) []float64 {
	out := make([]float64, a.cells*b.cells)
	each := 1 / (float64(len(x)) * a.width() * b.width())
	for i := range x {
		if c, d := a.cell(x[i]), b.cell(y[i]); c >= 0 && d >= 0 {
			out[d*a.cells+c] += each
		}
	}
	power := a.kernel * math.Pow(float64(len(x)), -1.0/6)
	hx, hy := power*spreadOf(x), power*spreadOf(y)
	for d := range b.cells {
		a.smooth(out[d*a.cells:(d+1)*a.cells], hx)
	}
	column := make([]float64, b.cells)
	for c := range a.cells {
		for d := range column {
			column[d] = out[d*a.cells+c]
		}
		b.smooth(column, hy)
		for d, v := range column {
			out[d*a.cells+c] = v
		}
	}
	return out
}

// levels are those of a density on a grid of equal cells above which the given parts of the probability are: the borders of the
// smallest regions with so much (Hyndman, Computing and graphing highest density regions, The American Statistician 50, 1996).
func levels(z []float64, cell float64, parts ...float64) (out []float64) {
	sorted := slices.Clone(z)
	slices.Sort(sorted)
	slices.Reverse(sorted)
	sum, next := 0.0, 0
	slices.Sort(parts)
	for _, v := range sorted {
		if sum += v * cell; next < len(parts) && sum >= parts[next] {
			out = append(out, v)
			next++
		}
	}
	return slices.Compact(slices.DeleteFunc(out, func(v float64) bool { return !(v > 0) }))
}
