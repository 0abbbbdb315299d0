package estimate

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/sngdgen/sngdgen/runtime"
)

// relativeStep is that of differences, of what a coordinate is: coefficients far out are as many times as far from where their columns change something.
const relativeStep = 1e-6

// relativeInformation is the information about some coordinates in units such as what these are, as eigenvalues and eigenvectors, the least first. An eigenvalue of 1 is that
// of a direction of which the coordinates have as much as its standard error.
type relativeInformation struct {
	x       []float64
	units   []float64
	of      []int // the coordinates, which are not 0
	values  []float64
	vectors mat.Dense
}

// newRelativeInformation finds second derivatives by differences of gradients; nil where there are none, or no coordinates.
func newRelativeInformation(u runtime.Unconstrained, x, units []float64, of []int, n float64) *relativeInformation {
	if len(of) == 0 {
		return nil
	}
	second := mat.NewSymDense(len(of), nil)
	at, up, down := slices.Clone(x), make([]float64, len(x)), make([]float64, len(x))
	for i, k := range of {
		at[k] = x[k] + relativeStep*units[k]
		u.Gradient(up, at)
		at[k] = x[k] - relativeStep*units[k]
		u.Gradient(down, at)
		at[k] = x[k]
		for j, l := range of {
			half := n * units[l] * (up[l] - down[l]) / (4 * relativeStep)
			second.SetSym(i, j, second.At(i, j)+half)
			if i == j {
				second.SetSym(i, i, second.At(i, i)+half)
			}
		}
	}
	return factorized(x, units, of, second)
}

// relative is that of the second derivatives that are known, in coordinates u, which need not be those of the derivatives; nil where there are none.
func (h *neighbourhood) relative(u runtime.Unconstrained, x []float64, of []int, n float64) *relativeInformation {
	q, scaled := h.quadratic(), tangents(u, x, of)
	if scaled == nil {
		return nil
	}
	var along, half, square mat.Dense // what the coordinates are in the directions of the derivatives
	if q.hessian == nil || along.Solve(q.directions, scaled) != nil {
		return nil
	}
	half.Mul(q.hessian, &along)
	square.Mul(along.T(), &half)
	square.Scale(n, &square)
	return factorized(x, x, of, mat.NewSymDense(len(of), square.RawMatrix().Data))
}

// factorized finds the eigenvectors.
func factorized(x, units []float64, of []int, second *mat.SymDense) *relativeInformation {
	r := &relativeInformation{x: x, units: units, of: of}
	var eigen mat.EigenSym
	switch size := mat.Norm(second, 1); {
	case size < nothing: // there is none, in digits that are too small for eigenvalues
		r.values = make([]float64, len(of))
		r.vectors.CloneFrom(mat.NewDiagDense(len(of), slices.Repeat([]float64{1}, len(of))))
		return r
	case math.IsNaN(size) || math.IsInf(size, 0) || !eigen.Factorize(second, true):
		return nil
	}
	eigen.VectorsTo(&r.vectors)
	r.values = eigen.Values(nil)
	return r
}

// small is how many directions there are of which the coordinates have less than a standard error.
func (r *relativeInformation) small() (count int) {
	for count < len(r.values) && r.values[count] < 1 {
		count++
	}
	return count
}

// direction is an eigenvector, as a change of the coordinates.
func (r *relativeInformation) direction(e int) []float64 {
	way := make([]float64, len(r.x))
	for i, k := range r.of {
		way[k] = r.vectors.At(i, e) * r.units[k]
	}
	return way
}

// leastDetermined is the part of the coordinates in the span of so many eigenvectors of the least eigenvalues.
func (r *relativeInformation) leastDetermined(count int) []float64 {
	way := make([]float64, len(r.x))
	for e := range count {
		share := 0.0 // of what the coordinates are
		for i, k := range r.of {
			share += r.vectors.At(i, e) * r.x[k] / r.units[k]
		}
		floats.AddScaled(way, share, r.direction(e))
	}
	return way
}

// newton moves x by a step of Newton's method along all eigenvectors but so many of the least eigenvalues, where the mean loss has the gradient g.
func (r *relativeInformation) newton(x, g []float64, n float64, but int) {
	for e := but; e < len(r.of); e++ {
		way := r.direction(e)
		floats.AddScaled(x, -n*floats.Dot(g, way)/r.values[e], way)
	}
}
