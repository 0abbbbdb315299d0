package modeltest

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/sngdgen/sngdgen/runtime"
)

// answers are the loss and both gradients at z.
func answers(m runtime.Model, z []float64) []float64 {
	v, c := newVector(m), newVector(m)
	return append(append([]float64{m.Gradients(v, c, z)}, v...), c...)
}

// start returns a point at or near a start of a model with data: the first that works.
func start(t testing.TB, m runtime.Model, rng *rand.Rand) []float64 {
	t.Helper()
	z, reasons := newVector(m), []error(nil)
	for i := range startsOf(m) {
		err := m.Start(z, i, rng)
		if err == nil && m.Violation(z) < 0 {
			return z
		}
		reasons = append(reasons, err)
	}
	noStart(t, m, reasons)
	return nil
}

// checkRepeatable: the same answer twice, from a clone, after other data came and went, and after data were refused.
func checkRepeatable(t *testing.T, s subject) {
	rng := rand.New(rand.NewPCG(3, 4))
	first, other := s.data(t, 300, rng), s.data(t, 77, rng)
	m := s.with(t, first)
	z := start(t, m, rng)
	want := answers(m, z)
	same := func(what string, m runtime.Model) {
		t.Helper()
		if got := answers(m, z); !slices.Equal(got, want) {
			t.Errorf("%s: %v, first %v", what, got, want)
		}
	}
	same("second call", m)
	m.Loss(along(z, z, 0.01))
	same("after another point", m)
	if bad := (runtime.Data{Values: slices.Repeat([]float64{math.NaN()}, first.Columns), Columns: first.Columns}); m.SetData(bad) == nil {
		t.Error("NaN is taken as data")
	}
	same("after data that were refused", m)
	clone := m.Clone()
	if err := m.SetData(other); err != nil {
		t.Fatal(err)
	}
	same("clone after new data in the original", clone)
	if err := clone.SetData(other); err != nil {
		t.Fatal(err)
	}
	if err := m.SetData(first); err != nil {
		t.Fatal(err)
	}
	same("after other data, also in the clone", m)
	theta := make([]float64, thetaLen(m))
	clone.Theta(theta, along(z, z, 1e-3))
	same("after work of the clone", m)
}

// checkWeights: a weight of 2 is a row given twice, and a weight of 0 one left out.
func checkWeights(t *testing.T, s subject) {
	if s.make().Info().Ordered { // a row that is given twice is another sequence
		return
	}
	rng := rand.New(rand.NewPCG(5, 6))
	all := s.data(t, 100, rng)
	repeated := runtime.Data{Columns: all.Columns}
	for i := range 100 {
		k := rng.IntN(4)
		all.Weights = append(all.Weights, float64(k))
		for range k {
			repeated.Values = append(repeated.Values, row(all, i)...)
		}
	}
	m, weighted := s.with(t, repeated), s.with(t, all)
	z := start(t, m, rng)
	closeAnswers(t, m, z, answers(m, z), answers(weighted, z), "with repeated rows", "with weights")
	if _, _, n := weighted.Counts(); n != float64(len(repeated.Values)/all.Columns) {
		t.Errorf("the sum of the weights is %v for %d rows", n, len(repeated.Values)/all.Columns)
	}
}

func row(d runtime.Data, i int) []float64 { return d.Values[i*d.Columns : (i+1)*d.Columns] }

// closeAnswers compares answers at z up to rounding.
func closeAnswers(t *testing.T, m runtime.Model, z, a, b []float64, nameA, nameB string) {
	t.Helper()
	if !close(a[0], b[0], 1, 1e-12) {
		t.Errorf("loss %v %s, %v %s", a[0], nameA, b[0], nameB)
	}
	va, vb, ca, cb := a[1:1+len(z)], b[1:1+len(z)], a[1+len(z):], b[1+len(z):]
	for _, k := range m.Blocks() {
		size := 0.0 // of the block: an entry may be the difference of larger ones
		if k.Len > 1 {
			size = math.Sqrt(dot(va[k.Offset:k.Offset+k.Len], va[k.Offset:k.Offset+k.Len]))
		}
		for i := k.Offset; i < k.Offset+k.Len; i++ {
			loss := math.Abs(a[0]) // of which all are derivatives: the errors of its terms are in them
			if !close(va[i], vb[i], 1e-3+math.Abs(z[i])+size+loss, 1e-11) || !close(ca[i], cb[i], 1+size+loss, 1e-10) {
				t.Errorf("entry %d of %s: v = %v, c = %v %s; v = %v, c = %v %s", i-k.Offset, k.Name, va[i], ca[i], nameA, vb[i], cb[i], nameB)
				return
			}
		}
	}
}

// checkBatches: a batch of all rows is the full objective, and one of some rows that of a model with these rows, at the
// same parameters of the target, as the constants of the problem may differ.
func checkBatches(t *testing.T, s subject) {
	rng := rand.New(rand.NewPCG(9, 10))
	const rows = 120
	d := s.data(t, rows, rng)
	for range rows {
		d.Weights = append(d.Weights, float64(1+rng.IntN(3)))
	}
	m := s.with(t, d)
	batcher, ok := m.(runtime.Batcher)
	if !ok {
		return
	}
	z := start(t, m, rng)
	full := answers(m, z)
	if m.Info().Ordered {
		checkNoBatches(t, m, z)
		return
	}
	all := make([]int, rows)
	for i := range all {
		all[i] = i
	}
	restrict(t, batcher, all)
	closeAnswers(t, m, z, full, answers(m, z), "for all data", "for a batch of all rows")
	some := []int{5, 119, 0, 5, 77, 31, 64}
	if len(m.Info().Given) > 0 { // a metric of the rows of a batch, the Fisher information of a surrogate, needs as many as there are columns
		for i := range 6 * s.n {
			some = append(some, 7*i%rows)
		}
	}
	restrict(t, batcher, some)
	checkSomeRows(t, s, m, d, some, z)
	checkBadRows(t, m, rows, z)
	clone := m.Clone()
	restrict(t, batcher, nil)
	if got := answers(m, z); !slices.Equal(got, full) {
		t.Errorf("after a batch: %v, before %v", got, full)
	}
	restrict(t, clone.(runtime.Batcher), some[:2])
	if got := answers(m, z); !slices.Equal(got, full) {
		t.Errorf("after a batch of a clone: %v, before %v", got, full)
	}
	restrict(t, batcher, some)
	if err := m.SetData(d); err != nil {
		t.Fatal(err)
	}
	if got := answers(m, z); !slices.Equal(got, full) {
		t.Errorf("after a batch and new data: %v, before %v", got, full)
	}
}

// checkNoBatches: of a sequence there are none, and who asks for one changes nothing.
func checkNoBatches(t *testing.T, m runtime.Model, z []float64) {
	t.Helper()
	before := answers(m, z)
	for _, some := range [][]int{{}, {0}, {3, 4, 5}} {
		if m.(runtime.Batcher).Batch(some) == nil {
			t.Errorf("a batch %v of a sequence is taken", some)
		}
	}
	restrict(t, m.(runtime.Batcher), nil)
	if got := answers(m, z); !slices.Equal(got, before) {
		t.Errorf("after all rows: %v, before %v", got, before)
	}
}

// restrict sets a batch.
func restrict(t *testing.T, b runtime.Batcher, rows []int) {
	t.Helper()
	if err := b.Batch(rows); err != nil {
		t.Fatal(err)
	}
}

// checkBadRows: rows that the data do not have are an error, which leaves the batch as it was.
func checkBadRows(t *testing.T, m runtime.Model, rows int, z []float64) {
	t.Helper()
	before := answers(m, z)
	for _, bad := range [][]int{{}, {-1}, {0, rows}} {
		if err := m.(runtime.Batcher).Batch(bad); err == nil {
			t.Errorf("no error for the batch %v of %d rows", bad, rows)
		}
		if got := answers(m, z); !slices.Equal(got, before) {
			t.Errorf("after the bad batch %v: %v, before %v", bad, got, before)
		}
	}
}

// checkSomeRows compares a model restricted to rows with a model of just them.
func checkSomeRows(t *testing.T, s subject, m runtime.Model, d runtime.Data, rows []int, z []float64) {
	t.Helper()
	part := runtime.Data{Columns: d.Columns}
	for _, i := range rows {
		part.Values, part.Weights = append(part.Values, row(d, i)...), append(part.Weights, d.Weights[i])
	}
	f := answers(m, z)[0]
	if loss := m.Loss(z); !close(f, loss, 1, 1e-12) {
		t.Errorf("in a batch Gradients returns the loss %v, Loss %v", f, loss)
	}
	other, ok := s.with(t, part).(runtime.Objective)
	if !ok {
		return
	}
	n := thetaLen(m)
	theta, g1, g2 := make([]float64, n), make([]float64, n), make([]float64, n)
	m.Theta(theta, z)
	want := other.ThetaGradient(g1, theta)
	if !close(f, want, 1, 1e-11) {
		t.Errorf("loss %v in a batch, %v with these rows alone", f, want)
	}
	if got := m.(runtime.Objective).ThetaGradient(g2, theta); !close(got, want, 1, 1e-11) {
		t.Errorf("loss of theta %v in a batch, %v with these rows alone", got, want)
	}
	for i := range g1 {
		if !close(g1[i], g2[i], math.Sqrt(dot(g1, g1)), 1e-10) {
			t.Errorf("entry %d of the gradient of theta: %v in a batch, %v with these rows alone", i, g2[i], g1[i])
			return
		}
	}
}

// checkSizes: blocks cover the coordinates, dimensions can be set with and without data, and what needs no data works
// without.
func checkSizes(t *testing.T, s subject) {
	rng := rand.New(rand.NewPCG(11, 12))
	d := s.data(t, 50, rng)
	m := s.with(t, d)
	end := 0
	for _, b := range m.Blocks() {
		if b.Offset != end {
			t.Errorf("block %s begins at %d, not at %d", b.Name, b.Offset, end)
		}
		end += b.Len
		copies, n := b.Parts()
		if copies*n != b.Len {
			t.Errorf("block %s has %d entries for %d copies", b.Name, b.Len, copies)
		}
		if k := int(math.Round(math.Sqrt(float64(n)))); b.Symmetric && k*k != n {
			t.Errorf("block %s is symmetric, but has %d entries", b.Name, n)
		}
	}
	dims := m.Info().Dims
	if len(dims) == 0 {
		return
	}
	want := sizesOf(m, s.n)
	if got := m.Sizes(); !slices.Equal(got, want) {
		t.Errorf("sizes %v, want %v", got, want)
	}
	for _, bad := range [][]int{nil, make([]int, len(dims)), make([]int, len(dims)+1)} {
		if m.Resize(bad) == nil {
			t.Errorf("sizes %v are taken", bad)
		}
	}
	z := start(t, m, rng)
	full := answers(m, z)
	checkWithoutData(t, s.model(t), z, rng)
	other := slices.Clone(want)
	for i := range other {
		other[i] += 2
	}
	if err := m.Resize(other); err != nil {
		t.Fatal(err)
	}
	if rows, _, _ := m.Counts(); rows != 0 {
		t.Errorf("%d rows after Resize", rows)
	}
	if err := m.Resize(want); err != nil {
		t.Fatal(err)
	}
	if err := m.SetData(d); err != nil {
		t.Fatal(err)
	}
	if got := answers(m, z); !slices.Equal(got, full) {
		t.Errorf("after other sizes: %v, before %v", got, full)
	}
}

// checkWithoutData calls what needs no data.
func checkWithoutData(t *testing.T, m runtime.Model, z []float64, rng *rand.Rand) {
	t.Helper()
	theta := make([]float64, thetaLen(m))
	if i := m.Violation(z); i >= 0 {
		t.Errorf("a point is outside the domain without data: %v", m.Conditions()[i])
	}
	m.Theta(theta, z)
	finite(t, "theta", theta)
	if dual, ok := m.(runtime.Dual); ok && !m.Info().DualOfData {
		out := newVector(m)
		dual.Dual(out, z)
		finite(t, "dual", out)
	}
	if sampler, ok := m.(runtime.Sampler); ok {
		out := make([]float64, m.Info().RowLen(m))
		sampler.Sample(out, theta, rng)
		finite(t, "a draw", out)
	}
}

func finite(t *testing.T, what string, x []float64) {
	t.Helper()
	for i, v := range x {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			t.Errorf("entry %d of %s is %v without data", i, what, v)
			return
		}
	}
}

// checkDomain: the loss is a number exactly inside the domain. Far away formulas may overflow: that is noted.
func checkDomain(t *testing.T, p point) {
	if far := Domain(t, p.Model, p.z, p.rng); far != nil {
		t.Logf("at %v the loss is not a number, though no condition is violated: %s", far, undefined)
	}
}

// farAway is how many times larger a change of a coordinate, or of a parameter of the target, is than the same, or than 1, from which on a point
// counts as far away.
const farAway = 50

// Domain checks that the loss of a model is a number exactly inside the domain, at random points near z and further and
// further away, and at ones that are not finite. It returns a point inside the domain where the loss is not a number because
// that is far away, or formulas overflow; nil if there is none, as for the models of the library.
func Domain(t testing.TB, m runtime.Model, z []float64, rng *rand.Rand) (far []float64) {
	p := point{m, z, rng}
	for k := range 200 {
		z, reach := slices.Clone(p.z), 1.0
		if k%2 == 1 && len(z) > 2 { // of many coordinates, one is always far outside
			reach = 1e-3
		}
		for i := range z {
			z[i] += reach * p.rng.NormFloat64() * (1 + math.Abs(z[i])) * math.Exp(p.rng.NormFloat64()*3)
		}
		Symmetrise(p, z)
		inside := p.Violation(z) < 0
		switch loss := p.Loss(z); {
		case inside && math.IsNaN(loss) && (p.far(z) || p.overflows(z)):
			far = z
		case inside && math.IsNaN(loss):
			t.Fatalf("at %v the loss is not a number, but no condition is violated: %s", z, undefined)
		case !inside && !math.IsNaN(loss):
			t.Fatalf("at %v: outside the domain the loss is %v", z, loss)
		}
	}
	around := slices.Clone(p.z)
	for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		for _, i := range someCoordinates(p) {
			j := mirror(p, i)
			around[i], around[j] = bad, bad
			if loss := p.Loss(around); !math.IsNaN(loss) || p.Violation(around) < 0 {
				t.Errorf("at %v: the loss is %v, violation %d", around, loss, p.Violation(around))
			}
			around[i], around[j] = p.z[i], p.z[j]
		}
	}
	checkIndefinite(t, p)
	return far
}

// mostCoordinates is how many coordinates of a block are made infinite in turn.
const mostCoordinates = 400

// someCoordinates are all of a model, of pairs that mirror each other one; of large blocks the first, the last, and some at random.
func someCoordinates(p point) (out []int) {
	for _, b := range p.Blocks() {
		var own []int
		for i := b.Offset; i < b.Offset+b.Len; i++ {
			if mirror(p, i) >= i {
				own = append(own, i)
			}
		}
		if n := len(own); n > mostCoordinates {
			p.rng.Shuffle(n-2, func(i, j int) { own[i+1], own[j+1] = own[j+1], own[i+1] })
			own = append(own[:mostCoordinates], own[n-1])
		}
		out = append(out, own...)
	}
	return out
}

// far reports whether a point is far away from that of the test, in its coordinates or in the parameters that the loss is a function of: where
// these have grown without bound, matrices made of them may be singular in their digits while the loss is small.
func (p point) far(z []float64) bool {
	there, here := make([]float64, thetaLen(p)), make([]float64, thetaLen(p))
	p.Theta(there, z)
	p.Theta(here, p.z)
	return distance(z, p.z) > farAway || distance(there, here) > farAway
}

// overflows reports whether the loss grows beyond all bounds on the way to a point where it is not a number.
func (p point) overflows(z []float64) bool {
	low, high, largest := 0.0, 1.0, 0.0
	step := along(z, p.z, -1)
	for range 60 {
		middle := (low + high) / 2
		if loss := math.Abs(p.Loss(along(p.z, step, middle))); loss <= math.MaxFloat64 {
			low, largest = middle, math.Max(largest, loss)
		} else {
			high = middle
		}
	}
	return largest > huge
}

// huge is what no loss is but where its formulas are about to overflow.
const huge = 1e60

// distance is the largest change of a coordinate from b to a, relative to the coordinate where that is more than 1.
func distance(a, b []float64) float64 {
	most := 0.0
	for i := range a {
		most = math.Max(most, math.Abs(a[i]-b[i])/(1+math.Abs(b[i])))
	}
	return most
}

// checkIndefinite: the negative of a symmetric block that is on the way between points inside is not inside.
func checkIndefinite(t testing.TB, p point) {
	for _, b := range p.Blocks() {
		if !b.Symmetric {
			continue
		}
		z := slices.Clone(p.z)
		for i := b.Offset; i < b.Offset+b.Len; i++ {
			z[i] = -z[i]
		}
		if loss := p.Loss(z); !math.IsNaN(loss) || p.Violation(z) < 0 {
			t.Errorf("with the negative of %s: the loss is %v, violation %d", b.Name, loss, p.Violation(z))
		}
	}
}

// mirror returns the index of the mirror image of coordinate i: itself outside symmetric blocks.
func mirror(m runtime.Model, i int) int {
	for _, b := range m.Blocks() {
		if b.Symmetric && i >= b.Offset && i < b.Offset+b.Len {
			_, n := b.Parts()
			d := int(math.Round(math.Sqrt(float64(n))))
			k := (i - b.Offset) % n
			return i - k + k%d*d + k/d
		}
	}
	return i
}
