package interpret_test

import (
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/sngdgen/sngdgen/gen/program"
	"github.com/sngdgen/sngdgen/gen/program/interpret"
	_ "github.com/sngdgen/sngdgen/internal/testseed"
	"github.com/sngdgen/sngdgen/runtime/special"
)

// Every kernel of the table does what its reference does, on random lengths and numbers, with operands that may be the same
// memory the same and others apart; it writes what the table says and nothing else, takes nothing from what it only writes, and
// allocates nothing. The reference takes as many flops as the table says.
func TestKernels(t *testing.T) {
	for _, name := range slices.Sorted(maps.Keys(program.Kernels())) {
		k := program.Kernels()[name]
		t.Run(name, func(t *testing.T) {
			inOrder := interpret.Natives[name]
			if inOrder == nil {
				t.Fatal("no function in Go")
			}
			native := func(a *program.Activation) float64 { return called(k, a, inOrder) }
			rapid.Check(t, func(t *rapid.T) { compareKernel(t, k, native) })
			for _, n := range []int{3, 40, 130} { // on both sides of the sizes from which gonum starts goroutines
				o := operands(k, activation(k, draw{lengths: func(string) int { return n }, rng: rand.New(rand.NewPCG(1, 2))}))
				if allocations := testing.AllocsPerRun(2, func() { inOrder(o) }); allocations > 0 {
					t.Errorf("%v allocations where all lengths are %d", allocations, n)
				}
			}
		})
	}
	for name := range interpret.Natives {
		if program.Kernels()[name] == nil {
			t.Errorf("%s is not in the table", name)
		}
	}
}

// TestLess: a kernel that computes some of the results of another computes the same.
func TestLess(t *testing.T) {
	found := 0
	for _, name := range slices.Sorted(maps.Keys(program.Kernels())) {
		k := program.Kernels()[name]
		for _, less := range k.Less {
			found++
			if program.Kernels()[less] == nil {
				t.Errorf("%s: there is no kernel %s", name, less)
				continue
			}
			fresh := func() *program.Activation {
				return activation(k, draw{lengths: func(string) int { return 7 }, rng: rand.New(rand.NewPCG(3, 4))})
			}
			all, some := fresh(), fresh()
			k.Reference(all)
			program.Kernels()[less].Reference(some)
			for _, p := range program.Kernels()[less].Params {
				if p.Access != program.Writes {
					continue
				}
				for i, x := range some.Arrays[p.Name] {
					if y := all.Arrays[p.Name][i]; !close(x, y, 1) {
						t.Errorf("%s[%d] is %v by %s, %v by %s", p.Name, i, x, less, y, name)
					}
				}
			}
		}
	}
	if found == 0 {
		t.Error("there are none")
	}
}

// operands are those of an activation in the order of the table.
func operands(k *program.Kernel, a *program.Activation) *interpret.Operands {
	o := &interpret.Operands{}
	for _, p := range k.Params {
		switch {
		case p.Length:
			o.Lengths = append(o.Lengths, a.Lengths[p.Name])
		case p.Number:
			o.Numbers = append(o.Numbers, a.Numbers[p.Name])
		case p.Prepared != "":
			o.Gammas, o.Student = new(special.GammaDiffs), new(special.TDistribution)
			o.Gammas.Prepare(a.Numbers[p.Name], 1000)
			o.Student.Prepare(a.Numbers[p.Name], 1000)
		default:
			o.Arrays = append(o.Arrays, a.Arrays[p.Name])
		}
	}
	return o
}

func called(k *program.Kernel, a *program.Activation, native func(*interpret.Operands) float64) float64 {
	o := operands(k, a)
	returned := native(o)
	a.Indefinite = o.Indefinite
	return returned
}

func compareKernel(t *rapid.T, k *program.Kernel, native func(*program.Activation) float64) {
	seed := rapid.Uint64().Draw(t, "seed")
	shared := rapid.Bool().Draw(t, "shared")
	lengths := map[string]int{}
	length := func(name string) int {
		if lengths[name] == 0 {
			lengths[name] = rapid.IntRange(1, 20).Draw(t, name)
		}
		return lengths[name]
	}
	make := func() *program.Activation {
		return activation(k, draw{lengths: length, shared: shared, rng: rand.New(rand.NewPCG(seed, 1))})
	}
	want, got := make(), make()
	returned := k.Reference(want)
	if result := native(got); k.Returns && !close(result, returned, 1) || want.Indefinite != got.Indefinite {
		t.Fatalf("returns %v, %v, not %v, %v", result, got.Indefinite, returned, want.Indefinite)
	}
	if want.Indefinite {
		return
	}
	flops := k.Flops(func(name string) float64 {
		if n, ok := lengths[name]; ok {
			return float64(n)
		}
		return float64(len(want.Arrays["x"]))
	})
	if math.Abs(want.Flops-flops) > 1e-9*flops {
		t.Errorf("%v flops, not the %v of the table", want.Flops, flops)
	}
	before := make()
	for _, p := range k.Params {
		if p.Length || p.Number || p.Prepared != "" || p.Access == program.Scratch || ofScratch(k, p) {
			continue
		}
		for i, x := range want.Arrays[p.Name] {
			y := got.Arrays[p.Name][i]
			if d := lengths["d"]; p.Triangle != program.Full && !p.Triangle.Has(i/d, i%d) && k.Name != "Mirror" { // nobody reads it
				if was := before.Arrays[p.Name][i]; !shared && math.Float64bits(y) != math.Float64bits(was) {
					t.Fatalf("%s[%d, %d] is written", p.Name, i/d, i%d)
				}
				continue
			}
			if !close(y, x, norm(want.Arrays[p.Name])) {
				t.Fatalf("%s[%d] is %v, not %v", p.Name, i, y, x)
			}
		}
	}
}

// ofScratch reports whether an operand may be the same memory as one that is written over.
func ofScratch(k *program.Kernel, p program.Param) bool {
	return slices.ContainsFunc(k.Params, func(q program.Param) bool { return q.May == p.Name && q.Access == program.Scratch })
}

func close(x, y, size float64) bool {
	return x == y || math.Abs(x-y) <= 1e-9*(size+math.Abs(y)) || math.IsNaN(x) && math.IsNaN(y)
}

// norm is the largest size of a number, NaN excepted: a triangle that nobody reads is full of it.
func norm(x []float64) float64 {
	out := 1.0
	for _, v := range x {
		if !math.IsNaN(v) {
			out = max(out, math.Abs(v))
		}
	}
	return out
}

// draw says how operands are drawn.
type draw struct {
	lengths func(string) int
	shared  bool // what may be the same memory is
	rng     *rand.Rand
}

// activation draws operands. What is only written holds NaN, and of a triangle that alone is read the other one.
func activation(k *program.Kernel, d draw) *program.Activation {
	a := &program.Activation{Arrays: map[string][]float64{}, Lengths: map[string]int{}, Numbers: map[string]float64{}}
	for _, p := range k.Params {
		switch {
		case p.Length:
			a.Lengths[p.Name] = d.lengths(p.Name)
		case p.Number:
			a.Numbers[p.Name] = d.rng.NormFloat64()
		case p.Prepared != "":
			a.Numbers[p.Name] = 10 * d.rng.Float64()
		default:
			a.Arrays[p.Name] = d.array(p)
		}
	}
	for _, p := range k.Params {
		if p.May != "" && d.shared && len(a.Arrays[p.Name]) == len(a.Arrays[p.May]) {
			a.Arrays[p.Name] = a.Arrays[p.May]
		}
	}
	return a
}

func (d draw) array(p program.Param) []float64 {
	n := 1
	for _, axis := range p.Axes {
		n *= d.lengths(axis)
	}
	if p.Any {
		n = d.lengths("size")
	}
	x := make([]float64, n)
	square := len(p.Axes) == 2 && p.Axes[0] == p.Axes[1]
	for i := range x {
		x[i] = d.rng.NormFloat64()
		if square {
			side := d.lengths(p.Axes[0])
			switch row, column := i/side, i%side; {
			case row == column: // of a factor far from 0, of a matrix definite
				x[i] = float64(side) + 1 + d.rng.Float64()
			case !p.Triangle.Has(row, column):
				x[i] = math.NaN()
			case p.Zeros && column > row:
				x[i] = 0
			}
		}
		if p.Access == program.Writes || p.Access == program.Scratch {
			x[i] = math.NaN()
		}
	}
	return x
}
