package estimate

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/baseline"
)

// The curvature of the likelihood where there are too many parameters for all second derivatives: Lanczos' method (Golub and Van
// Loan, Matrix computations, section 10.1) finds the direction of the least curvature from products of the Hessian and a vector,
// each of them the difference of a gradient from that at the point. Coordinates are scaled by how their curvatures compare, found in the same way.
const (
	// mostProducts bounds the products, of which scaleProducts go into the scales. Of many rows it is those of a sample that are multiplied so often,
	// rowsPerCoordinate for each, within the limits of other samples; allProducts with all rows begin at the direction that is found so.
	mostProducts  = 80
	scaleProducts = 8
	allProducts   = 8

	rowsPerCoordinate = 4
	// productStep is the step of these differences, which balances what is cut off, about as much, and rounding, about 1e-16 divided by it.
	productStep = 1e-7
	// mostBasis bounds the numbers that the vectors of the method take.
	mostBasis = 1 << 26
)

// products multiplies vectors by the Hessian at x, in the scales of the coordinates.
type products struct {
	u     runtime.Unconstrained
	x, at []float64
	scale []float64
	here  []float64 // the gradient at x
	there []float64
}

func newProducts(m runtime.Model, u runtime.Unconstrained, theta []float64) *products {
	n := u.Dim()
	p := &products{u: u, x: make([]float64, n), at: make([]float64, n), scale: make([]float64, n), here: make([]float64, n), there: make([]float64, n)}
	u.FromTheta(p.x, theta)
	u.Gradient(p.here, p.x)
	unit := 1.0
	for _, a := range axes(m, u, p.x) { // what is no axis has no part in the likelihood, and stays
		if a.unit > 0 {
			unit = a.unit
		}
		p.scale[a.index] = unit
	}
	return p
}

// times writes the product with v, a vector of length 1, to dst, and reports whether that is a number.
func (p *products) times(dst, v []float64) bool {
	for step := productStep; step > productStep*1e-6; step /= 100 {
		for i := range p.at {
			p.at[i] = p.x[i] + step*v[i]*p.scale[i]
		}
		p.u.Gradient(p.there, p.at)
		finite := true
		for i := range dst {
			dst[i] = (p.there[i] - p.here[i]) / step * p.scale[i]
			finite = finite && !math.IsNaN(dst[i]) && !math.IsInf(dst[i], 0)
		}
		if finite {
			return true
		}
	}
	return false
}

// rescale makes the curvatures along the coordinates alike, by an estimate of the lengths of the rows of the Hessian: the root
// mean square of products with vectors of random signs (as Bekas, Kokiopoulou and Saad 2007 have it for diagonals).
func (p *products) rescale(ctx context.Context, rng interface{ Uint64() uint64 }) bool {
	n := len(p.x)
	v, hv, squares := make([]float64, n), make([]float64, n), make([]float64, n)
	for range scaleProducts {
		for i := range v {
			v[i] = math.Copysign(1/math.Sqrt(float64(n)), float64(rng.Uint64()&1)-0.5)
		}
		if ctx.Err() != nil || !p.times(hv, v) {
			return false
		}
		for i, h := range hv {
			squares[i] += h * h * float64(n) / scaleProducts
		}
	}
	floor := floats.Max(squares) * 1e-20
	for i := range p.scale {
		p.scale[i] /= math.Sqrt(math.Sqrt(math.Max(squares[i], floor)))
	}
	return true
}

// random returns a random vector of length 1.
func (p *products) random(rng interface{ NormFloat64() float64 }) []float64 {
	v := make([]float64, len(p.x))
	for i := range v {
		if p.scale[i] > 0 {
			v[i] = rng.NormFloat64()
		}
	}
	floats.Scale(1/floats.Norm(v, 2), v)
	return v
}

// leastCurved returns the direction of the least curvature that Lanczos' method finds from a vector of length 1, with so many
// products, and the curvature, in the scales of the coordinates; nil where gradients are no numbers.
func (p *products) leastCurved(ctx context.Context, v []float64, most int) (direction []float64, curvature float64) {
	n := len(p.x)
	steps := min(most, n, mostBasis/n)
	basis := [][]float64{v}
	var diagonals, neighbours []float64
	for len(diagonals) < steps {
		w := make([]float64, n)
		if ctx.Err() != nil || !p.times(w, basis[len(basis)-1]) {
			return nil, 0
		}
		diagonals = append(diagonals, floats.Dot(w, basis[len(basis)-1]))
		for range 2 { // twice is enough, against all vectors before
			for _, b := range basis {
				floats.AddScaled(w, -floats.Dot(w, b), b)
			}
		}
		norm := floats.Norm(w, 2)
		if norm <= 1e-6*math.Abs(floats.Max(diagonals)) || len(diagonals) == steps {
			break
		}
		neighbours = append(neighbours, norm)
		floats.Scale(1/norm, w)
		basis = append(basis, w)
	}
	return p.ritz(basis[:len(diagonals)], diagonals, neighbours)
}

// ritz is the smallest eigenvalue of the tridiagonal matrix of Lanczos' method, with its vector.
func (p *products) ritz(basis [][]float64, diagonals, neighbours []float64) (direction []float64, curvature float64) {
	k := len(diagonals)
	t := mat.NewSymDense(k, nil)
	for i := range k {
		t.SetSym(i, i, diagonals[i])
		if i+1 < k {
			t.SetSym(i, i+1, neighbours[i])
		}
	}
	var eigen mat.EigenSym
	if !eigen.Factorize(t, true) {
		return nil, 0
	}
	var vectors mat.Dense
	eigen.VectorsTo(&vectors)
	direction = make([]float64, len(p.x))
	for i, b := range basis {
		floats.AddScaled(direction, vectors.At(i, 0), b)
	}
	return direction, eigen.Values(nil)[0]
}

// downhillOfMany is downhill where there are many parameters: it looks along the direction of the least curvature, if that is
// negative.
func downhillOfMany(ctx context.Context, m runtime.Model, u runtime.Unconstrained, theta []float64, seed uint64) []float64 {
	p := newProducts(m, u, theta)
	direction, curvature := p.leastOfMany(ctx, m, seed)
	if direction == nil || !(curvature < 0) {
		return nil
	}
	floats.Mul(direction, p.scale)
	floats.Scale(1/math.Sqrt(-curvature), direction)
	at := lower(u, p.x, direction, u.Loss(p.x))
	if at == nil {
		return nil
	}
	here, there := slices.Clone(theta), make([]float64, len(theta))
	u.Theta(here, p.x)
	u.Theta(there, at)
	floats.Sub(there, here)
	return there
}

// leastOfMany is leastCurved from a random vector, in scales that it finds. Of many rows it is a sample that shows both.
func (p *products) leastOfMany(ctx context.Context, m runtime.Model, seed uint64) (direction []float64, curvature float64) {
	rng, part := runtime.Stream(seed, "curvature"), p
	if few := sampled(m, max(leastSample, min(mostSample, rowsPerCoordinate*len(p.x))), seed, "curvature of rows"); few != nil {
		if u, err := Coordinates(few, baseline.CovarianceCholesky); err == nil {
			part = &products{u: u, x: p.x, at: p.at, scale: p.scale, here: make([]float64, len(p.x)), there: p.there}
			u.Gradient(part.here, part.x)
		}
	}
	if !part.rescale(ctx, rng) {
		return nil, 0
	}
	direction, curvature = part.leastCurved(ctx, part.random(rng), mostProducts-scaleProducts)
	if part == p || direction == nil {
		return direction, curvature
	}
	floats.Scale(1/floats.Norm(direction, 2), direction)
	return p.leastCurved(ctx, direction, allProducts)
}

// sampled returns the model with a sample of so many rows, nil where there are no more, or it has no batches. Streams of other names have other rows.
func sampled(m runtime.Model, count int, seed uint64, stream string) runtime.Model {
	all, distinct, _ := m.Counts()
	if distinct <= count {
		return nil
	}
	b, ok := m.Clone().(runtime.Batcher)
	if !ok || b.Batch(few(runtime.Stream(seed, stream), all, count)) != nil {
		return nil
	}
	return b.(runtime.Model)
}
