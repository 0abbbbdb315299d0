// Package shift_test moves data exactly, by powers of two, and asks every problem of the library whose coordinates are about
// an origin for the same answers to the last bit.
//
// The data are multiples of 2^-10 in 256 rows, and so are their means. Then data, sums and means up to 2^33 are numbers of at
// most 33 + 8 + 10 bits, nothing is rounded, and the origin, a mean, moves by the shift exactly. So do differences to it, and
// what is written in them alone is the same sequence of operations on the same numbers: there is no error to allow for. The
// one rounding is that of a location itself, which is the origin plus something: half a unit in its last place.
package shift_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/sngdgen/sngdgen/gen/bind"
	"github.com/sngdgen/sngdgen/internal/librarytest"
	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/modeltest"
	"github.com/sngdgen/sngdgen/spec"
)

const (
	rows = 256
	grid = 1.0 / (1 << 10)
)

var shifts = []float64{1 << 20, 1 << 27, -1 << 33}

// eachProblem runs a test for every problem whose family takes a constant from the data, on data about 0 and moved.
func eachProblem(t *testing.T, test func(t *testing.T, near, far runtime.Model, shift float64)) {
	tested := 0
	for _, name := range spec.Library().ProblemsOf(spec.ObjectiveMLE) {
		p, diags := bind.Bind(spec.Library().Problem(name))
		if diags.HasErrors() {
			t.Fatal(diags)
		}
		if len(p.Constants) == 0 {
			continue
		}
		tested++
		for _, columns := range widths(p) {
			for _, shift := range shifts {
				t.Run(fmt.Sprintf("%s/%d/%g", name, columns, shift), func(t *testing.T) {
					near := newModel(t, name, columns)
					values := sample(t, near, columns, rand.New(rand.NewPCG(12, uint64(columns))))
					far := newModel(t, name, columns)
					set(t, near, values, columns, 0)
					set(t, far, values, columns, shift)
					test(t, near, far, shift)
				})
			}
		}
	}
	if tested == 0 {
		t.Error("no problem of the library has an origin")
	}
}

// widths are the numbers of columns that a problem is tested with.
func widths(p *bind.Problem) []int {
	if p.Target.Variable.Sym.Type.Rank == 0 {
		return []int{1}
	}
	return []int{1, 3}
}

// newModel has two components where it is a mixture.
func newModel(t *testing.T, name string, columns int) runtime.Model {
	t.Helper()
	lookup := librarytest.Model(t, name)
	m := lookup()
	if mixture, ok := m.(runtime.Mixture); ok {
		if err := mixture.SetComponents(2); err != nil {
			t.Fatal(err)
		}
	}
	return m
}

func set(t *testing.T, m runtime.Model, values []float64, columns int, shift float64) {
	t.Helper()
	moved := slices.Clone(values)
	for i := range moved {
		moved[i] += shift
	}
	if err := m.SetData(runtime.Data{Values: moved, Columns: columns}); err != nil {
		t.Fatal(err)
	}
}

// sample draws data from the target at a start on other data, rounded so that moving them and taking their means is exact.
func sample(t *testing.T, m runtime.Model, columns int, rng *rand.Rand) []float64 {
	t.Helper()
	sizes := make([]int, len(m.Info().Dims))
	for i := range sizes {
		if sizes[i] = columns; m.Info().Mixture && m.Info().Dims[i] == m.Info().Components {
			sizes[i] = 2
		}
	}
	if len(sizes) > 0 {
		if err := m.Resize(sizes); err != nil {
			t.Fatal(err)
		}
	}
	if err := m.SetData(modeltest.Rows(m, 100, rng)); err != nil {
		t.Fatal(err)
	}
	x := make([]float64, rows*columns)
	m.(runtime.Sampler).Sample(x, theta(m, start(t, m, 0)), rng)
	for i := range x {
		x[i] = math.Round(x[i]/grid) * grid
	}
	for j := range columns { // what the sum lacks to rows times a multiple of the grid
		sum := 0.0
		for i := j; i < len(x); i += columns {
			sum += x[i]
		}
		x[j] += math.Ceil(sum/(rows*grid))*rows*grid - sum
	}
	return x
}

func start(t *testing.T, m runtime.Model, i int) []float64 {
	t.Helper()
	z := make([]float64, dim(m))
	if err := m.Start(z, i, runtime.Stream(5, "start", uint64(i))); err != nil {
		t.Fatal(err)
	}
	return z
}

func dim(m runtime.Model) int {
	last := m.Blocks()[len(m.Blocks())-1]
	return last.Offset + last.Len
}

func theta(m runtime.Model, z []float64) []float64 {
	n := 0
	for i := range m.Info().Parameters {
		n += m.Info().Parameters[i].Len(m)
	}
	out := make([]float64, n)
	m.Theta(out, z)
	return out
}

// same compares numbers bit by bit.
func same(t *testing.T, what string, far, near []float64) {
	t.Helper()
	for i := range near {
		if math.IsNaN(near[i]) {
			t.Fatalf("%s: %v", what, near)
		}
		if far[i] != near[i] {
			t.Errorf("%s[%d] = %.17g, about 0 it is %.17g", what, i, far[i], near[i])
		}
	}
}

// inSteps is a point between two starts of another seed, or next to one, where nothing vanishes.
func between(t *testing.T, m runtime.Model) []float64 {
	t.Helper()
	z := start(t, m, 0)
	for i := range z {
		z[i] *= 1 + 0.01*float64(i%3)/3
	}
	for _, b := range m.Blocks() {
		if b.Symmetric {
			mirror(z[b.Offset:b.Offset+b.Len], &b)
		}
	}
	if v := m.Violation(z); v >= 0 {
		t.Fatalf("%v is outside: %s", z, m.Conditions()[v].Text)
	}
	return z
}

func mirror(z []float64, b *runtime.Block) {
	_, length := b.Parts()
	d := int(math.Round(math.Sqrt(float64(length))))
	for ; len(z) > 0; z = z[length:] {
		for i := range d {
			for j := range i {
				z[j*d+i] = z[i*d+j]
			}
		}
	}
}

// TestAnswers compares starts, losses, gradients, dual coordinates and responsibilities at the same coordinates.
func TestAnswers(t *testing.T) {
	eachProblem(t, func(t *testing.T, near, far runtime.Model, shift float64) {
		for i := range near.Info().Starts + 2 { // with random ones
			same(t, fmt.Sprintf("start %d", i), start(t, far, i), start(t, near, i))
		}
		z := between(t, near)
		compare(t, near, far, z)
		batch := []int{3, 1, 4, 1, 5, 9, 2, 6, 5, 35, 89, 79, 32, 38, 46, 26}
		near.(runtime.Batcher).Batch(batch)
		far.(runtime.Batcher).Batch(batch)
		compare(t, near, far, z)
	})
}

func compare(t *testing.T, near, far runtime.Model, z []float64) {
	t.Helper()
	answers := func(m runtime.Model) (out [5][]float64) {
		for i := range out {
			out[i] = make([]float64, len(z))
		}
		loss := m.Gradients(out[0], out[1], z)
		m.NaturalGradient(out[2], z)
		m.(runtime.Dual).Dual(out[3], z)
		out[4] = []float64{loss, m.Loss(z)}
		return out
	}
	want, got := answers(near), answers(far)
	for i, what := range []string{"v", "c", "v alone", "dual", "loss"} {
		same(t, what, got[i], want[i])
	}
	if m, ok := near.(runtime.Mixture); ok {
		_, distinct, _ := near.Counts()
		want, got := make([]float64, 2*distinct), make([]float64, 2*distinct)
		m.Responsibilities(want, z)
		far.(runtime.Mixture).Responsibilities(got, z)
		same(t, "responsibilities", got, want)
	}
}

// TestTheta: the parameters move by the shift, or not at all, and where they are on the grid the objective in them and its
// derivatives are the same.
func TestTheta(t *testing.T) {
	eachProblem(t, func(t *testing.T, near, far runtime.Model, shift float64) {
		z := between(t, near)
		a, b := theta(near, z), theta(far, z)
		for i := range a {
			switch ulp := math.Nextafter(math.Abs(b[i]), math.Inf(1)) - math.Abs(b[i]); {
			case a[i] == b[i]:
			case math.Abs(b[i]-shift-a[i]) > ulp/2:
				t.Errorf("theta[%d] = %.17g, about 0 %.17g", i, b[i], a[i])
			default:
				a[i] = math.Round(a[i]/grid) * grid
				b[i] = a[i] + shift
			}
		}
		if slices.Equal(a, b) {
			t.Error("no parameter moves with the data")
		}
		want, got := objective(near, a), objective(far, b)
		same(t, "objective in theta", got, want)
	})
}

// objective is the loss and its derivatives in the parameters of the target.
func objective(m runtime.Model, theta []float64) []float64 {
	if u := m.Unconstrained(); u != nil {
		n := u.Dim()
		at, out, h := make([]float64, n), make([]float64, n), make([]float64, n*n)
		u.FromTheta(at, theta)
		loss := u.Gradient(out, at)
		out = append(out, loss, u.Loss(at))
		if m.Info().Hessian {
			u.Hessian(h, at)
			out = append(out, h...)
		}
		return out
	}
	out := make([]float64, len(theta))
	return append(out, m.(runtime.Objective).ThetaGradient(out, theta))
}

// TestFits: whole runs from every start take the same way.
func TestFits(t *testing.T) {
	eachProblem(t, func(t *testing.T, near, far runtime.Model, shift float64) {
		for i := range near.Info().Starts {
			want, got := fit(t, near, i), fit(t, far, i)
			if got.Status != want.Status || got.Iterations != want.Iterations {
				t.Errorf("start %d: %v after %d steps, about 0 %v after %d",
					i, got.Status, got.Iterations, want.Status, want.Iterations)
			}
			same(t, "loss", []float64{got.Loss}, []float64{want.Loss})
			same(t, "estimate", got.Z, want.Z)
		}
	})
}

func fit(t *testing.T, m runtime.Model, i int) *runtime.Result {
	t.Helper()
	r, err := runtime.Minimize(context.Background(), m, start(t, m, i), &runtime.Settings{
		Method: runtime.NaturalLBFGS{}, Negligible: 1e-3 / rows, MaxIterations: 200})
	if r == nil {
		t.Fatal(err)
	}
	return r
}
