package main

import (
	"bytes"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/mmcloughlin/avo/ir"
	"github.com/mmcloughlin/avo/operand"
)

var tiers = []func() *tier{avx2, avx512}

// written are the functions of a tier by their names without its own, as they are before registers are chosen.
func written(t *testing.T, of *tier) (*ir.File, map[string]*ir.Function) {
	t.Helper()
	of.kernels()
	file, err := of.Result()
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]*ir.Function{}
	for _, f := range file.Functions() {
		name, ok := strings.CutSuffix(f.Name, of.title)
		if !ok || out[name] != nil {
			t.Errorf("%s does not end with %s, or is there twice", f.Name, of.title)
		}
		out[name] = f
	}
	return file, out
}

// TestBothTiers: both have the same kernels, with the same arguments, but for one of vectors of four numbers, which serves both; and each says what it does.
func TestBothTiers(t *testing.T) {
	_, narrow := written(t, avx2())
	_, wide := written(t, avx512())
	delete(narrow, "series")
	if a, b := slices.Sorted(maps.Keys(narrow)), slices.Sorted(maps.Keys(wide)); !slices.Equal(a, b) {
		t.Fatalf("AVX2 has %v, AVX-512 %v", a, b)
	}
	for name, f := range narrow {
		if g := wide[name]; f.Signature.String() != g.Signature.String() {
			t.Errorf("%s: func%s in AVX2, func%s in AVX-512", name, f.Signature, g.Signature)
		}
		if len(f.Doc) == 0 || !strings.HasSuffix(f.Doc[0], ".") || !strings.HasPrefix(f.Doc[0], name) {
			t.Errorf("%s is not said what it does: %q", name, f.Doc)
		}
	}
}

// TestDeterministic: what is printed is the same each time.
func TestDeterministic(t *testing.T) {
	for _, fresh := range tiers {
		var first []byte
		for range 2 {
			of := fresh()
			of.kernels()
			assembly, declarations, err := of.print()
			if err != nil {
				t.Fatal(err)
			}
			text := append(assembly, declarations...)
			if first != nil && !bytes.Equal(text, first) {
				t.Errorf("%s is printed in two ways", of.name)
			}
			first = text
		}
	}
}

// TestRefused: what the processor was not asked for, and vectors that are left in use, are errors that name the function.
func TestRefused(t *testing.T) {
	for what, c := range map[string]struct {
		tier func() *tier
		body func(*tier)
	}{
		"VADDPD needs AVX512F":      {avx2, func(of *tier) { of.VADDPD(of.ZMM(), of.ZMM(), of.ZMM()); of.end() }},
		"VPOPCNTQ needs AVX512VPOP": {avx512, func(of *tier) { of.VPOPCNTQ(of.ZMM(), of.ZMM()); of.end() }},
		"returns without VZEROUPPER": {avx512, func(of *tier) {
			of.VZEROUPPER()
			of.VXORPD(of.vec(), of.vec(), of.vec())
			of.RET()
		}},
	} {
		of := c.tier()
		of.start("wrong", "n int", "is wrong.")
		c.body(of)
		if _, _, err := of.print(); err == nil || !strings.Contains(err.Error(), "wrong"+of.title+": "+what) {
			t.Errorf("%v, not %s", err, what)
		}
	}
}

// straight runs what is written of a function without arguments.
func straight(t *testing.T, of *tier, fill func(*machine)) *machine {
	t.Helper()
	of.end()
	file, err := of.Result()
	if err != nil {
		t.Fatal(err)
	}
	m := newMachine(file)
	fill(m)
	functions := file.Functions()
	if err := m.run(functions[len(functions)-1]); err != nil {
		t.Fatal(err)
	}
	return m
}

// TestColumnMasks: the masks of n columns have the first n lanes of their vectors, counted on from vector to vector.
func TestColumnMasks(t *testing.T) {
	for _, fresh := range tiers {
		for vectors := 1; vectors <= 3; vectors++ {
			for n := 0; n <= vectors*fresh().lanes; n++ {
				of := fresh()
				of.tables()
				of.start("masks", "n int", "has masks.")
				masks := of.columnMasks(of.arg("n"), vectors)
				m := straight(t, of, func(m *machine) { m.args["n"] = uint64(n) })
				for v, mask := range masks {
					got := m.mask(mask.(operand.Op)) & (1<<of.lanes - 1)
					if want := uint64(1)<<max(0, min(of.lanes, n-v*of.lanes)) - 1; got != want {
						t.Errorf("%s: %d columns of %d vectors: mask %d is %b, not %b", of.name, n, vectors, v, got, want)
					}
				}
			}
		}
	}
}

// TestRows: the address of a row is the base plus so many strides, of either sign.
func TestRows(t *testing.T) {
	for _, fresh := range tiers {
		for _, stride := range []int64{0, 8, 136, -24} {
			of := fresh()
			of.start("rows", "a int, one int, three int", "has rows.")
			base, one, three := of.arg("a"), of.arg("one"), of.arg("three")
			s := of.strides(one)
			m := straight(t, of, func(m *machine) {
				m.args["a"], m.args["one"], m.args["three"] = 1<<20, uint64(stride), uint64(3*stride)
			})
			for i := range together {
				want := uint64(1<<20 + int64(i)*stride)
				if got := m.address(s.row(base, i)); got != want {
					t.Errorf("%s: row %d at a stride of %d is at %d, not %d", of.name, i, stride, got, want)
				}
				if got := m.address(quarter(base, one, three, i%4)); got != uint64(1<<20+int64(i%4)*stride) {
					t.Errorf("%s: quarter %d at a stride of %d is at %d", of.name, i%4, stride, got)
				}
			}
		}
	}
}

// TestConstants: a number is one constant, whatever else is equal to it, and as long as a vector where instructions do not repeat it.
func TestConstants(t *testing.T) {
	for _, fresh := range tiers {
		of := fresh()
		if of.number(1) != of.number(1) || of.number(0) == of.number(math.Copysign(0, -1)) {
			t.Errorf("%s: constants are not told apart by their bits", of.name)
		}
		file, err := of.Result()
		if err != nil {
			t.Fatal(err)
		}
		copies := of.lanes
		if of.wide() {
			copies = 1
		}
		m := newMachine(file)
		if len(m.memory) != 3 {
			t.Errorf("%s: %d constants", of.name, len(m.memory))
		}
		for _, r := range m.memory {
			if len(r.words) != copies || slices.Min(r.words) != slices.Max(r.words) {
				t.Errorf("%s: %s is %x", of.name, r.name, r.words)
			}
		}
	}
}

// TestLabels: no two are equal.
func TestLabels(t *testing.T) {
	for _, fresh := range tiers {
		_, functions := written(t, fresh())
		for name, f := range functions {
			seen := map[ir.Label]bool{}
			for _, n := range f.Nodes {
				if l, ok := n.(ir.Label); ok && seen[l] {
					t.Errorf("%s: two labels %s", name, l)
				} else if ok {
					seen[l] = true
				}
			}
		}
	}
}

// call is what a kernel is given: whole numbers, numbers and slices by the names of its arguments.
type call struct {
	kernel  string
	lengths map[string]int
	numbers map[string]float64
	slices  map[string][]float64
	rows    map[string][]int
	want    []float64 // what dst, or the first argument, is then
	exact   bool      // to the bit: one rounding a number, or none
	wide    bool      // more numbers than the vectors of AVX2 have room for
}

// run runs a kernel, and returns what it wrote.
func (c call) run(file *ir.File, f *ir.Function) ([]float64, error) {
	m := newMachine(file)
	for name, n := range c.lengths {
		m.args[name] = uint64(int64(n))
	}
	for name, x := range c.numbers {
		m.args[name] = math.Float64bits(x)
	}
	first, err := f.Signature.Params().At(0).Resolve()
	if err != nil {
		return nil, err
	}
	to, out := first.Addr.Symbol.Name, -1
	for _, name := range slices.Sorted(maps.Keys(c.slices)) {
		words := []uint64{}
		for _, x := range c.slices[name] {
			words = append(words, math.Float64bits(x))
		}
		if name == to {
			out = len(m.memory)
		}
		m.args[name] = m.add(name, words, name == to)
	}
	for _, name := range slices.Sorted(maps.Keys(c.rows)) {
		words := []uint64{}
		for _, r := range c.rows[name] {
			words = append(words, uint64(r))
		}
		m.args[name] = m.add(name, words, false)
	}
	if err := m.run(f); err != nil {
		return nil, err
	}
	var got []float64
	for _, w := range m.memory[out].words {
		got = append(got, math.Float64frombits(w))
	}
	return got, nil
}

// TestKernels runs the kernels of linear algebra of both tiers on a machine that knows what is memory of theirs: they write what loops do, to the bit where
// every number is rounded once, and the same bits in both tiers, whatever the sizes are.
func TestKernels(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	type kernels struct {
		file      *ir.File
		functions map[string]*ir.Function
		wide      bool
	}
	var all []kernels
	for _, fresh := range tiers {
		of := fresh()
		file, functions := written(t, of)
		all = append(all, kernels{file, functions, of.wide()})
	}
	called := map[string]bool{}
	for range 60 {
		for _, c := range calls(rng) {
			called[c.kernel] = true
			var first []float64
			for i, k := range all {
				if c.wide && !k.wide {
					continue
				}
				got, err := c.run(k.file, k.functions[c.kernel])
				if err != nil {
					t.Fatalf("%v, given %v", err, c.lengths)
				}
				for j, x := range got {
					d := math.Abs(x - c.want[j])
					if c.exact && x != c.want[j] || !(d <= 1e-12*(1+math.Abs(c.want[j]))) {
						t.Fatalf("%s of tier %d, given %v: number %d is %v, not %v", c.kernel, i, c.lengths, j, x, c.want[j])
					}
					if first != nil && x != first[j] {
						t.Fatalf("%s, given %v: number %d is %v in one tier and %v in the other", c.kernel, c.lengths, j, first[j], x)
					}
				}
				first = got
			}
		}
	}
	for name := range all[0].functions {
		if called[name] == slices.Contains(ofFunctions, name) {
			t.Errorf("%s is neither called here nor in the list of those that only runtime/vector tests, or is both", name)
		}
	}
}

// ofFunctions are the kernels that compute functions, by instructions that the machine does not know: runtime/vector compares them with numbers of many digits.
var ofFunctions = []string{"exp", "log", "expm1", "log1p", "sigmoid", "softplus", "softplusSigmoid", "logNdtrRatio", "logNdtr", "ndtrRatio",
	"lgammaDiff", "digammaDiff", "lgammaDigammaDiff", "series", "expShares", "larger", "inverseRoot"}

// TestSquaresAreDots: squares adds up in the order of rowDots, which gives the same bits for the same numbers one behind the other.
func TestSquaresAreDots(t *testing.T) {
	for _, fresh := range tiers {
		of := fresh()
		file, functions := written(t, of)
		rng := rand.New(rand.NewPCG(3, 4))
		for n := 1; n < 40; n++ {
			x := random(rng, n*abreast)
			columns := make([]float64, n*abreast)
			for i, v := range x {
				columns[i%abreast*n+i/abreast] = v
			}
			dst := func() []float64 { return make([]float64, abreast) }
			squares, err := call{lengths: map[string]int{"n": n}, slices: map[string][]float64{"dst": dst(), "x": x}}.run(file, functions["squares"])
			if err != nil {
				t.Fatal(err)
			}
			dots, err := call{lengths: map[string]int{"lda": n, "ldx": n, "groups": abreast / together, "c": n},
				slices: map[string][]float64{"dst": dst(), "a": columns, "x": columns}}.run(file, functions["rowDots"])
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(squares, dots) {
				t.Errorf("%s: %d rows: %v by squares, %v by rowDots", of.name, n, squares, dots)
			}
		}
	}
}

func random(rng *rand.Rand, n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = rng.NormFloat64()
	}
	return x
}

// calls are a call of every kernel of linear algebra, of random sizes.
func calls(rng *rand.Rand) []call {
	n := rng.IntN(30)
	x, y, s := random(rng, n), random(rng, n), rng.NormFloat64()
	each := func(f func(i int) float64) []float64 {
		out := make([]float64, n)
		for i := range out {
			out[i] = f(i)
		}
		return out
	}
	dst := func() []float64 { return random(rng, n) }
	var out []call
	for _, o := range []struct {
		name string
		f    func(a, b float64) float64
	}{
		{"add", func(a, b float64) float64 { return a + b }}, {"subtract", func(a, b float64) float64 { return a - b }},
		{"multiply", func(a, b float64) float64 { return a * b }}, {"divide", func(a, b float64) float64 { return a / b }},
	} {
		out = append(out, call{kernel: o.name, lengths: map[string]int{"n": n}, slices: map[string][]float64{"dst": dst(), "a": x, "b": y},
			want: each(func(i int) float64 { return o.f(x[i], y[i]) }), exact: true})
		ofNumber := call{kernel: o.name + "Number", lengths: map[string]int{"n": n}, numbers: map[string]float64{"b": s},
			slices: map[string][]float64{"dst": dst(), "a": x}, want: each(func(i int) float64 { return o.f(x[i], s) }), exact: true}
		out = append(out, ofNumber)
		if o.name == "subtract" || o.name == "divide" {
			ofNumber.kernel, ofNumber.want = o.name+"From", each(func(i int) float64 { return o.f(s, x[i]) })
			out = append(out, ofNumber)
		}
	}
	out = append(out, call{kernel: "affineTimes", lengths: map[string]int{"n": n}, numbers: map[string]float64{"a": s, "b": 2, "c": 3},
		slices: map[string][]float64{"dst": dst(), "x": x, "y": y}, exact: true,
		want: each(func(i int) float64 { sum := float64(s*x[i]) + 2; return float64(3*sum) * y[i] })})
	out = append(out, call{kernel: "timesZero", lengths: map[string]int{"n": n}, want: make([]float64, together), exact: true,
		slices: map[string][]float64{"dst": random(rng, together), "x": x}})
	for columns := 4; columns <= mostSparse; columns += 4 {
		out = append(out, sparseCall(rng, columns))
	}
	return append(append(out, matrixCalls(rng)...), sumsCall(rng, false), sumsCall(rng, true), leftOfDiagonalCall(rng))
}

// sparseCall is a product with a sparse matrix, of which a row may have no entry, into new sums or on top of those that there are. What lies between the columns
// of two rows stays.
func sparseCall(rng *rand.Rand, columns int) call {
	r, k, more := 1+rng.IntN(6), 1+rng.IntN(9), rng.IntN(2)
	width := (columns + 7) / 8 * 8
	b, dst := random(rng, k*width), random(rng, r*width)
	want := slices.Clone(dst)
	column, starts := []int{}, []int{0}
	var x []float64
	for i := range r {
		sums := want[i*width:][:columns]
		if more == 0 {
			clear(sums)
		}
		for j := range k {
			if rng.IntN(3) > 0 {
				continue
			}
			x, column = append(x, rng.NormFloat64()), append(column, j)
			for l := range sums {
				sums[l] = math.FMA(x[len(x)-1], b[j*width+l], sums[l])
			}
		}
		starts = append(starts, len(x))
	}
	return call{kernel: fmt.Sprintf("sparse%d", columns), lengths: map[string]int{"r": r, "more": more}, want: want, exact: true,
		slices: map[string][]float64{"dst": dst, "x": x, "b": b}, rows: map[string][]int{"column": column, "starts": starts}}
}

// sumsCall is one of the sums of symmetric matrices: rows that get longer by one or stay as long, in matrices with strides of their own, of which that of
// X or Y may be 0. What lies behind a row in dst stays.
// With a second matrix that is added before.
func sumsCall(rng *rand.Rand, second bool) call {
	r, c, more := 1+rng.IntN(9), 1+rng.IntN(20), rng.IntN(2)
	longest := c + more*(r-1)
	ld, ldx, ldy := longest+rng.IntN(3), (longest+rng.IntN(3))*rng.IntN(2), longest
	dst, a, b, x, y := random(rng, r*ld), random(rng, r*ld), random(rng, r*ld), random(rng, max(r*ldx, longest)), random(rng, r*ldy)
	w := rng.NormFloat64()
	p, q, s, u := random(rng, r), random(rng, r), rng.NormFloat64(), rng.NormFloat64()
	want := slices.Clone(dst)
	for i := range r {
		for j := range c + more*i {
			sum := float64(p[i]*x[i*ldx+j]) + float64(q[i]*y[i*ldy+j])
			first := float64(s * a[i*ld+j])
			if second {
				first += float64(w * b[i*ld+j])
			}
			want[i*ld+j] = first + float64(u*sum)
		}
	}
	out := call{kernel: "scaledSums", lengths: map[string]int{"ld": ld, "ldx": ldx, "ldy": ldy, "r": r, "c": c, "more": more},
		numbers: map[string]float64{"s": s, "u": u}, want: want, exact: true,
		slices: map[string][]float64{"dst": dst, "a": a, "x": x, "y": y, "p": p, "q": q}}
	if second {
		out.kernel, out.numbers["w"], out.slices["b"] = "sumsOfThree", w, b
	}
	return out
}

// leftOfDiagonalCall is one of the products of a symmetric matrix and a vector, of which eight rows are added.
func leftOfDiagonalCall(rng *rand.Rand) call {
	c := 8 * (1 + rng.IntN(4))
	lda := c + rng.IntN(3)
	a, x, y := random(rng, 8*lda), random(rng, c+8), random(rng, c+8)
	want := slices.Clone(y)
	for i := range 8 {
		for j, v := range a[i*lda : i*lda+c] {
			want[j] += x[c+i] * v
			want[c+i] += v * x[j]
		}
	}
	return call{kernel: "leftOfDiagonal", lengths: map[string]int{"lda": lda, "c": c}, want: want,
		slices: map[string][]float64{"y": y, "a": a, "x": x}}
}

// matrixCalls are those of kernels that take matrices.
func matrixCalls(rng *rand.Rand) []call {
	r, c, pad := 1+rng.IntN(20), rng.IntN(30), rng.IntN(3)
	lda := c + pad
	a, w, x := random(rng, r*lda), random(rng, r), random(rng, c)
	shape := map[string]int{"lda": lda, "r": r, "c": c}

	sum := random(rng, c)
	combined := slices.Clone(sum)
	for i := range r {
		for j := range c {
			combined[j] += w[i] * a[i*lda+j]
		}
	}
	out := []call{{kernel: "combine", lengths: shape, slices: map[string][]float64{"dst": sum, "a": a, "w": w}, want: combined}}

	rows := random(rng, r*c)
	scaled := slices.Clone(rows)
	for i := range scaled {
		scaled[i] += float64(w[i/c] * a[i/c*lda+i%c])
	}
	out = append(out, call{kernel: "scaledRows", lengths: shape, slices: map[string][]float64{"dst": rows, "a": a, "s": w}, want: scaled, exact: true})

	listed := []int{}
	var gathered []float64
	for range 1 + rng.IntN(5) {
		i := rng.IntN(r)
		listed = append(listed, i)
		gathered = append(gathered, a[i*c:(i+1)*c]...)
	}
	out = append(out, call{kernel: "gather", lengths: map[string]int{"r": len(listed), "c": c}, rows: map[string][]int{"rows": listed}, want: gathered, exact: true,
		slices: map[string][]float64{"dst": make([]float64, len(gathered)), "a": a}})

	groups := 1 + rng.IntN(3)
	b := 8 * groups
	left, right := random(rng, b*lda), random(rng, b*(c+1))
	dots, rowDots := make([]float64, b), make([]float64, b)
	for i := range b {
		for j := range c {
			dots[i] += left[i*lda+j] * x[j]
			rowDots[i] += left[i*lda+j] * right[i*(c+1)+j]
		}
	}
	out = append(out, call{kernel: "dots", lengths: map[string]int{"lda": lda, "groups": groups, "c": c}, want: dots,
		slices: map[string][]float64{"dst": make([]float64, b), "a": left, "x": x}},
		call{kernel: "rowDots", lengths: map[string]int{"lda": lda, "ldx": c + 1, "groups": groups, "c": c}, want: rowDots,
			slices: map[string][]float64{"dst": make([]float64, b), "a": left, "x": right}})

	columns := random(rng, r*abreast)
	squares := make([]float64, abreast)
	for i, v := range columns {
		squares[i%abreast] += v * v
	}
	out = append(out, call{kernel: "squares", lengths: map[string]int{"n": r}, want: squares,
		slices: map[string][]float64{"dst": make([]float64, abreast), "x": columns}})

	out = append(out, fewSolved(rng, 8), fewSolved(rng, 16))

	tr, tc := 8*(1+rng.IntN(3)), 8*(1+rng.IntN(3))
	lds, ldd := tc+pad, tr+rng.IntN(3)
	src, transposed := random(rng, tr*lds), make([]float64, tc*ldd)
	for i := range tr {
		for j := range tc {
			transposed[j*ldd+i] = src[i*lds+j]
		}
	}
	out = append(out, call{kernel: "transpose", lengths: map[string]int{"ldd": ldd, "lds": lds, "r": tr, "c": tc}, want: transposed, exact: true,
		slices: map[string][]float64{"dst": make([]float64, tc*ldd), "src": src}})
	return append(out, product(rng), solved(rng))
}

// product is a call of a panel of one to three vectors of four numbers: what both tiers can do.
func product(rng *rand.Rand) call {
	vectors, m, k := 1+rng.IntN(3), 1+rng.IntN(14), 1+rng.IntN(9)
	n := 4*(vectors-1) + 1 + rng.IntN(4)
	if vectors == 3 { // which has no masks in AVX2
		n = 12
	}
	lda, ldb, ldc := k+rng.IntN(2), n+rng.IntN(2), n+rng.IntN(2)
	a, b, c, w := random(rng, m*lda), random(rng, k*ldb), random(rng, m*ldc), random(rng, k)
	alpha, lower, overwrite := rng.NormFloat64(), rng.IntN(n+1), rng.IntN(2)
	if rng.IntN(2) == 0 {
		lower = n // all of it
	}
	weighted := rng.IntN(2) == 0
	if overwrite == 1 {
		alpha = 1
	}
	want := slices.Clone(c)
	for i := range m {
		for j := range min(n, lower+i) {
			sum := 0.0
			for l := range k {
				v := b[l*ldb+j]
				if weighted {
					v *= w[l]
				}
				sum += a[i*lda+l] * v
			}
			if sum *= alpha; overwrite == 0 {
				sum += c[i*ldc+j]
			}
			want[i*ldc+j] = sum
		}
	}
	out := call{kernel: fmt.Sprintf("mul%d", vectors), numbers: map[string]float64{"alpha": alpha}, want: want,
		lengths: map[string]int{"ldc": ldc, "aRow": lda, "aColumn": 1, "ldb": ldb, "m": m, "k": k, "n": n, "lower": lower, "overwrite": overwrite},
		slices:  map[string][]float64{"c": c, "a": a, "b": b}}
	if weighted {
		out.kernel, out.slices["w"] = out.kernel+"W", w
	}
	return out
}

// solved is a call of the kernel of triangular solves, of at most two vectors of four columns.
func solved(rng *rand.Rand) call {
	n, columns := 1+rng.IntN(12), 1+rng.IntN(8)
	ldx := columns + rng.IntN(3)
	l, x, r := random(rng, n*n), random(rng, n*ldx), make([]float64, n)
	for i := range n {
		l[i*n+i] = 2 + rng.Float64()*float64(n)
		r[i] = 1 / l[i*n+i]
	}
	for i := range n {
		for j := range i {
			l[i*n+j] /= float64(n)
		}
	}
	want := slices.Clone(x)
	for i := range n {
		for j := range columns {
			for k := range i {
				want[i*ldx+j] -= l[i*n+k] * want[k*ldx+j]
			}
			want[i*ldx+j] *= r[i]
		}
	}
	return call{kernel: "solve", want: want, lengths: map[string]int{"ldx": ldx, "lRow": n, "lColumn": 1, "n": n, "columns": columns},
		slices: map[string][]float64{"x": x, "l": l, "r": r}}
}

// fewSolved is a call of the kernel of squared norms of solutions, of at most so many numbers.
func fewSolved(rng *rand.Rand, most int) call {
	r, d := 8*(1+rng.IntN(3)), 1+rng.IntN(most)
	l, x, want := random(rng, abreast*abreast), random(rng, r*d), make([]float64, r)
	for i := range r {
		solution := slices.Clone(x[i*d : (i+1)*d])
		for j := range d {
			for k := range j {
				solution[j] -= l[j*abreast+k] * solution[k]
			}
			solution[j] *= l[j*abreast+j]
			want[i] += solution[j] * solution[j]
		}
	}
	return call{kernel: "solvedSquares", want: want, lengths: map[string]int{"r": r, "d": d}, wide: d > 8,
		slices: map[string][]float64{"dst": make([]float64, r), "x": x, "l": l}}
}
