package modeltest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/support"
)

// allocationLengths are the lengths of dimensions at which allocations are counted: around the sizes of blocks at which
// libraries of linear algebra begin to allocate.
var allocationLengths = []int{1, 2, 8, 64, 65, 128, 300}

// checkAllocationsAtSizes counts allocations, of models with dimensions at several lengths.
func checkAllocationsAtSizes(t *testing.T, s subject) {
	checkAllocationsOfComponents(t, s)
	if !lengthened(s.make().Info()) {
		s.eachPoint(t, func(t *testing.T, p point) { checkAllocations(t, p, 10) })
		return
	}
	for _, n := range possible(s.make().Info(), allocationLengths) {
		if testing.Short() && n > 65 || latentEntries(s.make().Info(), n) > mostLatent {
			break
		}
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			rng := rand.New(rand.NewPCG(13, 14))
			empty := subject{s.make, n}.model(t)
			m := subject{s.make, n}.with(t, noise(empty, groups(empty)*fewRows(empty, n), rng))
			checkAllocations(t, point{m, start(t, m, rng), rng}, 2)
		})
	}
}

// mostLatent is how many entries latent variables have at most where a model is tested: of matrices there are as many as the square of
// a length, and their covariances are the square of that.
const mostLatent = 1500

// latentEntries is how many entries the latent variables have where all dimensions have one length.
func latentEntries(info *runtime.Info, n int) int {
	sum := 0
	for _, q := range info.Latent {
		entries := 1
		for _, d := range q.Shape {
			if d.Name == "" {
				entries *= d.Size
			} else {
				entries *= n
			}
		}
		sum += entries
	}
	return sum
}

// fewRows are about as few as determine a model whose dimensions have a length: of matrices each one does.
func fewRows(m runtime.Model, n int) int {
	if m.Info().RowLen(m) > 8*n {
		return 10
	}
	return 3*n/2 + 10
}

// componentCounts are the numbers of components at which allocations of mixtures are counted.
var componentCounts = []int{1, 2, 5, 20}

// checkAllocationsOfComponents counts allocations of a mixture with several numbers of components, where they can be set.
func checkAllocationsOfComponents(t *testing.T, s subject) {
	if s.make().Info().Components == "" {
		return
	}
	for _, k := range componentCounts {
		t.Run(fmt.Sprintf("%d components", k), func(t *testing.T) {
			rng := rand.New(rand.NewPCG(15, 16))
			one := subject{s.make, 2}
			m := one.with(t, noise(one.model(t), 600, rng))
			if err := m.(runtime.Mixture).SetComponents(k); err != nil {
				t.Fatal(err)
			}
			checkAllocations(t, point{m, start(t, m, rng), rng}, 2)
		})
	}
}

// noise draws rows for a model entry by entry, which is quick.
func noise(m runtime.Model, n int, rng *rand.Rand) runtime.Data {
	width := m.Info().RowLen(m)
	d := runtime.Data{Values: make([]float64, n*width), Columns: width}
	// Where hardly a draw lies inside the support SetData says which rows do not.
	_ = support.DrawInside(d.Values, m, func(rows []float64) { anyRows(m, rows, rng) })
	return d
}

// anyRows fills rows for a model entry by entry.
func anyRows(m runtime.Model, rows []float64, rng *rand.Rand) {
	width := m.Info().RowLen(m)
	support.DrawGiven(rows, m, rng)
	for i := range len(rows) / width {
		at := i * width
		for _, v := range m.Info().Observed() {
			own := rows[at : at+v.Len(m)]
			for j := range own {
				own[j] = support.Random(&v, m, rng)
				if m.Info().Mixture {
					own[j] = apart(v.Type.Entry, own[j], i%groups(m))
				}
			}
			if e := v.Type.Entry; e.Integer && e.Lo == 0 && e.Hi == 1 && len(own) > 1 && rng.IntN(2) == 0 {
				oneAtMost(own, rng)
			}
			v.Type.Form.Arrange(own, v.Side(m))
			at += len(own)
		}
	}
}

// oneAtMost makes a vector of zeros and ones that of a category, of which a long random one is none.
func oneAtMost(x []float64, rng *rand.Rand) {
	clear(x)
	if i := rng.IntN(len(x) + 1); i < len(x) {
		x[i] = 1
	}
}

// checkAllocations counts the allocations of every method that promises none, in so many calls each.
func checkAllocations(t *testing.T, p point, calls int) {
	v, c := newVector(p), newVector(p)
	theta, g := make([]float64, thetaLen(p)), make([]float64, thetaLen(p))
	p.Theta(theta, p.z)
	functions := map[string]func(){
		"NaturalGradient": func() { p.NaturalGradient(v, p.z) },
		"Gradients":       func() { p.Gradients(v, c, p.z) },
		"Loss":            func() { p.Loss(p.z) },
		"Violation":       func() { p.Violation(p.z) },
		"Theta":           func() { p.Theta(g, p.z) },
	}
	if d, ok := p.Model.(runtime.Dual); ok {
		functions["Dual"] = func() { d.Dual(c, p.z) }
	}
	if m := p.Unconstrained(); m != nil {
		u, h := make([]float64, m.Dim()), make([]float64, m.Dim()*m.Dim())
		m.FromTheta(u, theta)
		gradient := make([]float64, m.Dim())
		functions["Unconstrained"] = func() { m.Gradient(gradient, u); m.Loss(u); m.Hessian(h, u) }
	}
	if f, ok := p.Model.(runtime.Refined); ok {
		functions["FinerLoss"] = func() { f.FinerLoss(theta) }
	}
	if o, ok := p.Model.(runtime.LossOfTheta); ok {
		functions["ThetaLoss"] = func() { o.ThetaLoss(theta) }
	}
	if f, ok := p.Model.(runtime.RefinedVariational); ok && len(p.Info().Approximated) > 0 {
		dst := make([]float64, f.Draws())
		functions["FinerWeights"] = func() { f.FinerWeights(dst, p.z) }
	}
	if o, ok := p.Model.(runtime.Objective); ok {
		functions["ThetaGradient"] = func() { o.ThetaGradient(g, theta) }
	}
	for i := range p.Info().Limits {
		l, info := p.Model.(runtime.Limiting), &p.Info().Limits[i]
		at, slope := make([]float64, limitLen(p, info)), make([]float64, limitLen(p, info))
		if err := l.LimitStart(at, i, 0, nil); err != nil {
			t.Fatal(err)
		}
		l.LimitGradient(slope, at, i) // computes what depends on the data alone
		functions["LimitGradient "+info.Name] = func() { l.LimitGradient(slope, at, i) }
		functions["LimitPath "+info.Name] = func() { l.LimitPath(g, at, i, 1e3); l.LimitFrom(slope, g, i) }
	}
	if b, ok := p.Model.(runtime.Batcher); ok {
		long, short := []int{0, 3, 1, 2, 3, 9, 8}, []int{4, 5}
		if rows, _, _ := p.Counts(); rows < 10 {
			long, short = []int{0, 0, 0}, []int{0}
		}
		functions["Batch"] = func() { b.Batch(long); p.NaturalGradient(v, p.z); b.Batch(short); p.Gradients(v, c, p.z); b.Batch(nil) }
	}
	if x, ok := p.Model.(runtime.Mixture); ok {
		_, distinct, _ := p.Counts()
		if v, ok := p.Model.(runtime.Variational); ok {
			distinct = v.Draws()
		}
		r, z := make([]float64, distinct*x.Components()), slices.Clone(p.z)
		functions["Responsibilities"] = func() { x.Responsibilities(r, p.z) }
		functions["RaiseWeights"] = func() { copy(z, p.z); x.RaiseWeights(z, 0.9/float64(x.Components())) }
	}
	for name, f := range functions {
		if n := testing.AllocsPerRun(calls, f); n != 0 {
			t.Errorf("%s allocates %v times", name, n)
		}
	}
}
