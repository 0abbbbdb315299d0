package estimate

import (
	"context"
	"math"
	"slices"

	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/baseline"
)

// part is an objective as a function of some of its coordinates. The others are those of x.
type part struct {
	u    runtime.Unconstrained
	free []int
	x, g []float64
}

func newPart(u runtime.Unconstrained, x []float64, free []int) *part {
	return &part{u: u, free: free, x: slices.Clone(x), g: make([]float64, len(x))}
}

// indices are the numbers below n.
func indices(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

// minimise moves the free coordinates of x to where the objective is least. The result may be nil.
func (o *part) minimise(ctx context.Context, x []float64, iterations int) (*runtime.Result, error) {
	from := make([]float64, len(o.free))
	o.shrink(from, x)
	res, err := runtime.Minimize(ctx, baseline.Euclidean(o), from, &runtime.Settings{Method: runtime.NaturalLBFGS{},
		GradientTolerance: profileNorm, MaxIterations: iterations})
	if res != nil {
		o.grow(res.Z)
		copy(x, o.x)
	}
	return res, err
}

func (o *part) Dim() int { return len(o.free) }

// grow puts the free coordinates among the others.
func (o *part) grow(z []float64) {
	for i, k := range o.free {
		o.x[k] = z[i]
	}
}

// shrink takes them out.
func (o *part) shrink(dst, x []float64) {
	for i, k := range o.free {
		dst[i] = x[k]
	}
}

func (o *part) Loss(z []float64) float64 {
	o.grow(z)
	return o.u.Loss(o.x)
}

func (o *part) Gradient(g, z []float64) float64 {
	o.grow(z)
	f := o.u.Gradient(o.g, o.x)
	o.shrink(g, o.g)
	return f
}

func (o *part) Hessian(h, z []float64) {
	o.grow(z)
	all := make([]float64, len(o.x)*len(o.x))
	o.u.Hessian(all, o.x)
	for i, k := range o.free {
		for j, l := range o.free {
			h[i*len(o.free)+j] = all[k*len(o.x)+l]
		}
	}
	if math.IsNaN(all[0]) { // not available
		h[0] = math.NaN()
	}
}

func (o *part) Theta(dst, z []float64) {
	o.grow(z)
	o.u.Theta(dst, o.x)
}

func (o *part) FromTheta(z, theta []float64) {
	x := make([]float64, len(o.x))
	o.u.FromTheta(x, theta)
	o.shrink(z, x)
}
