package estimate

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/sngdgen/sngdgen/runtime"
)

const (
	// relativeStep is that of differences, of what a coordinate is: coefficients far out are as many times as far from where their columns change something.
	relativeStep = 1e-6
	// longestStep is what it is at most, of the standard error that differences say: over larger ones they are not those of second derivatives.
	longestStep = 1e-3
	// mostShortened is how often a step is shortened at most, and shortened by how much at once, where differences say that it has to be shorter still.
	mostShortened, shortened = 8, 1e-3
)

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
	for i, k := range of {
		along := secondAlong(u, x, k, units[k], n)
		for j, l := range of {
			half := units[l] * along[l] / 2
			second.SetSym(i, j, second.At(i, j)+half)
			if i == j {
				second.SetSym(i, i, second.At(i, i)+half)
			}
		}
	}
	return factorized(x, units, of, second)
}

// secondAlong has the second derivatives of the total loss by one coordinate, in its unit, and each of all.
func secondAlong(u runtime.Unconstrained, x []float64, k int, unit, n float64) []float64 {
	at, up, down := slices.Clone(x), make([]float64, len(x)), make([]float64, len(x))
	step := relativeStep
	for range mostShortened {
		at[k] = x[k] + step*unit
		u.Gradient(up, at)
		at[k] = x[k] - step*unit
		u.Gradient(down, at)
		floats.Sub(up, down)
		floats.Scale(n/(2*step), up)
		errors := step * math.Sqrt(math.Abs(unit*up[k])) // standard errors in a step
		if errors <= longestStep {
			break
		}
		if step *= shortened; errors*shortened < longestStep {
			step *= longestStep / (errors * shortened)
		}
	}
	return up
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

// small is how many directions there are of which the coordinates have less than a standard error, or no more than rounding, which is what is below 0 where a likelihood is highest.
func (r *relativeInformation) small() (count int) {
	for count < len(r.values) && r.values[count] < math.Max(1, -fewRoundings*r.values[0]) {
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

// leastDetermined is the part of the coordinates in the span of so many eigenvectors of the least eigenvalues, as multiples of these.
func (r *relativeInformation) leastDetermined(count int) []float64 {
	shares := make([]float64, count)
	for e := range shares {
		for i, k := range r.of {
			shares[e] += r.vectors.At(i, e) * r.x[k] / r.units[k]
		}
	}
	return shares
}

// combined is a change of the coordinates by multiples of the first eigenvectors.
func (r *relativeInformation) combined(shares []float64) []float64 {
	way := make([]float64, len(r.x))
	for e, share := range shares {
		floats.AddScaled(way, share, r.direction(e))
	}
	return way
}

// slopes are those along so many eigenvectors, of a gradient.
func (r *relativeInformation) slopes(g []float64, count int) []float64 {
	out := make([]float64, count)
	for e := range out {
		out[e] = floats.Dot(g, r.direction(e))
	}
	return out
}

// newton moves x by a step of Newton's method along all eigenvectors but so many of the least eigenvalues, where the mean loss has the gradient g.
func (r *relativeInformation) newton(x, g []float64, n float64, but int) {
	for e := but; e < len(r.of); e++ {
		way := r.direction(e)
		floats.AddScaled(x, -n*floats.Dot(g, way)/r.values[e], way)
	}
}
