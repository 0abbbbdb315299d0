package estimate

import (
	"cmp"
	"math"
	"slices"

	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/dense"
)

// thetas are the parameters to start with from those of a contained approximation: themselves, or of a mixture of more components
// one of these split, each of the heaviest ones.
func (c *climber) thetas(m, below runtime.Variational, i int, theta []float64) [][]float64 {
	k, from := componentsOf(m), componentsOf(below)
	if k == 0 {
		return [][]float64{theta}
	}
	p := newPieces(m, i, max(from, 1), theta, from > 0)
	if from == k {
		return [][]float64{p.join(identity(k), p.weights, nil)}
	}
	var out [][]float64
	for _, of := range p.heaviest(mostSplits) {
		origins, weights := identity(p.k), slices.Clone(p.weights)
		direction := p.longestAxis(m, of, c.settings.Seed)
		directions := map[int][]float64{}
		for share := 2; len(origins) < k; share++ { // the last of several pieces are where the first is
			origins, weights = append(origins, of), append(weights, 0)
			for j, o := range origins {
				if o == of {
					weights[j] = p.weights[of] / float64(share)
				}
			}
		}
		directions[of], directions[p.k] = direction, scaled(direction, -1)
		out = append(out, p.join(origins, weights, directions))
	}
	return out
}

func identity(k int) []int {
	out := make([]int, k)
	for i := range out {
		out[i] = i
	}
	return out
}

func scaled(x []float64, by float64) []float64 {
	out := make([]float64, len(x))
	for i, v := range x {
		out[i] = by * v
	}
	return out
}

// pieces are the components of a contained approximation, of which those of a mixture are made.
type pieces struct {
	contained int
	k         int
	weights   []float64
	params    [][]float64 // of each parameter the components, one after the other
	width     int         // of the variable
}

// newPieces takes the parameters of a contained approximation apart.
func newPieces(m runtime.Variational, contained, k int, theta []float64, weighted bool) *pieces {
	p := &pieces{contained: contained, k: k, weights: []float64{1}, width: m.Info().Variable.Len(m)}
	if weighted {
		p.weights, theta = slices.Clone(theta[:k]), theta[k:]
	}
	list := m.Info().Contained[contained].Parameters
	for i := range list {
		one := list[i].Component()
		n := one.Len(m) * k
		p.params, theta = append(p.params, theta[:n]), theta[n:]
	}
	return p
}

// join makes parameters for runtime.Container of components that come from pieces.
func (p *pieces) join(origins []int, weights []float64, directions map[int][]float64) []float64 {
	theta := slices.Clone(weights)
	for _, x := range p.params {
		n := len(x) / p.k
		for _, o := range origins {
			theta = append(theta, x[o*n:(o+1)*n]...)
		}
	}
	zero := make([]float64, p.width)
	for j := range origins {
		if d := directions[j]; d != nil {
			theta = append(theta, d...)
		} else {
			theta = append(theta, zero...)
		}
	}
	return theta
}

// heaviest are the pieces of the largest weights.
func (p *pieces) heaviest(most int) []int {
	out := identity(p.k)
	slices.SortStableFunc(out, func(a, b int) int { return cmp.Compare(p.weights[b], p.weights[a]) })
	return out[:min(most, p.k)]
}

// mostSplits are the components, the heaviest ones, of which one is split for a start of one more.
const mostSplits = 3

// axisDraws are those from which the longest axis of a component is found, axisRounds the steps to it.
const (
	axisDraws  = 1000
	axisRounds = 50
)

// longestAxis is the longest axis of a piece, one standard deviation long: the first eigenvector of the covariance matrix of
// draws from it. It is 0 where that is not known.
func (p *pieces) longestAxis(m runtime.Variational, of int, seed uint64) []float64 {
	x := make([]float64, p.width)
	one := m.Clone().(runtime.Variational)
	if SetComponents(one, 1) != nil {
		return x
	}
	z := make([]float64, dimension(one))
	if one.(runtime.Container).Contain(z, p.join([]int{of}, []float64{1}, nil), p.contained) != nil {
		return x
	}
	moments, err := runtime.Posterior(one, z, axisDraws, seed)
	if err != nil {
		return x
	}
	for i := range x { // no eigenvector of a matrix with any pattern
		x[i] = math.Sqrt(moments.Covariance[i*p.width+i]) * (1 + 0.1*math.Sin(float64(i+1)))
	}
	y := make([]float64, p.width)
	length := 0.0
	for range axisRounds {
		norm := math.Sqrt(dense.Dot(x, x))
		for i := range y {
			y[i] = dense.Dot(moments.Covariance[i*p.width:(i+1)*p.width], x) / norm
		}
		length = math.Sqrt(dense.Dot(y, y))
		x, y = y, x
	}
	for i := range x {
		x[i] *= math.Sqrt(length) / length
	}
	return x
}
