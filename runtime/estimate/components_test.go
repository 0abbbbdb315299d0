package estimate

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/types"
)

// bare is a mixture of vectors of which only the description is there.
type bare struct {
	runtime.Model
	info     runtime.Info
	sizes    []int
	distinct int
}

func (m *bare) Info() *runtime.Info                  { return &m.info }
func (m *bare) Sizes() []int                         { return m.sizes }
func (m *bare) Counts() (int, int, float64)          { return 0, m.distinct, 0 }
func (m *bare) Unconstrained() runtime.Unconstrained { return nil }
func (m *bare) Components() int                      { return m.sizes[1] }
func (m *bare) SetComponents(int) error              { return nil }
func (m *bare) Responsibilities(_, _ []float64)      {}
func (m *bare) RaiseWeights([]float64, float64) bool { return false }

func (m *bare) Resize(sizes []int) error {
	m.sizes = sizes
	return nil
}

// shapes is a mixture of k components with a parameter of every shape, of d entries in each direction.
func shapes(d, k int) *bare {
	each := func(name string, typ types.Type, directions int) runtime.Parameter {
		p := runtime.Parameter{Name: name, Type: typ, Shape: []runtime.Dim{{Name: "k"}}, Components: true}
		for range directions {
			p.Shape = append(p.Shape, runtime.Dim{Name: "d"})
		}
		return p
	}
	known := each("nu", types.Number.Of(types.Positive), 0)
	known.Known = true
	return &bare{sizes: []int{d, k}, info: runtime.Info{
		Name: "shapes", Target: "shapes", Dims: []string{"d", "k"}, Components: "k", Mixture: true,
		Variable: runtime.Parameter{Name: "x", Type: types.Vector.Of(types.Real), Shape: []runtime.Dim{{Name: "d"}}},
		Parameters: []runtime.Parameter{
			{Name: "weights", Type: types.Simplex.Of(types.Unit), Shape: []runtime.Dim{{Name: "k"}}},
			each("r", types.Number.Of(types.Positive), 0), each("mu", types.Vector.Of(types.Real), 1), each("Sigma", types.SPD.Of(types.Real), 2), each("R", types.Corr.Of(types.Real), 2),
			each("L", types.Lower.Of(types.Real), 2), each("p", types.Simplex.Of(types.Unit), 1), known,
		}}}
}

// TestFreeParameters: the weights have k-1, and each component what one has by itself.
func TestFreeParameters(t *testing.T) {
	for _, tc := range [][2]int{{1, 1}, {3, 1}, {3, 2}, {4, 5}} {
		d, k := tc[0], tc[1]
		want := k - 1 + k*(1+d+d*(d+1)/2+d*(d-1)/2+d*(d+1)/2+d-1)
		if got := freeParameters(shapes(d, k)); got != want {
			t.Errorf("d = %d, k = %d: %d free parameters, want %d", d, k, got, want)
		}
	}
}

// TestPermuted moves what a component has, entry by entry, in all shapes.
func TestPermuted(t *testing.T) {
	const d, k = 2, 3
	m := shapes(d, k)
	order := []int{2, 0, 1}
	theta := make([]float64, thetaLen(m))
	var of []int // the component of each entry
	for i := range m.info.Parameters {
		p := &m.info.Parameters[i]
		for j := range p.Len(m) {
			of = append(of, j/(p.Len(m)/k))
		}
	}
	for i := range theta {
		theta[i] = float64(100*of[i] + i)
	}
	got := permuted(m, theta, order)
	for i, x := range got {
		if int(x)/100 != order[of[i]] {
			t.Errorf("entry %d is %v, of component %d", i, x, order[of[i]])
		}
	}
	back := permuted(m, got, []int{1, 2, 0})
	if !slices.Equal(back, theta) {
		t.Errorf("%v, want %v", back, theta)
	}
	if !sameMixture(m, theta, got) || !sameMixture(m, got, theta) {
		t.Error("a permutation is not the same mixture")
	}
	got[len(got)-4] *= 1 + 1e-3 // of p
	if sameMixture(m, theta, got) || sameMixture(m, got, theta) {
		t.Error("another mixture is the same")
	}
}

func TestOrdered(t *testing.T) {
	nan := math.NaN()
	for _, tc := range []struct {
		weights, means []float64
		want           []int
	}{
		{[]float64{0.2, 0.5, 0.3}, nil, []int{1, 2, 0}},
		{[]float64{0.4, 0.2, 0.4}, nil, []int{0, 2, 1}},
		{[]float64{0.2, 0.5, 0.3}, []float64{3, -1, 2}, []int{1, 2, 0}},
		{[]float64{0.2, 0.5, 0.3}, []float64{nan, 4, 2}, []int{2, 1, 0}},
	} {
		if got := ordered(tc.weights, tc.means); !slices.Equal(got, tc.want) {
			t.Errorf("%v, want %v", got, tc.want)
		}
	}
}

// observed is a mixture that shows its rows.
type observed struct {
	*bare
	data runtime.Data
}

func (o observed) Observations() runtime.Data { return o.data }

// TestDeterminedColumns: entries that others determine are left out, so that no component of matrices or shares is taken for one in a plane.
func TestDeterminedColumns(t *testing.T) {
	for _, c := range []struct {
		form          *types.Form
		shape         []runtime.Dim
		columns       int
		values, wants []float64
	}{
		{types.SPD, []runtime.Dim{{Size: 2}, {Size: 2}}, 3, []float64{2, 1, 1, 3, 5, 4, 4, 6}, []float64{2, 1, 3, 5, 4, 6}},
		{types.Corr, []runtime.Dim{{Size: 2}, {Size: 2}}, 1, []float64{1, 0.5, 0.5, 1, 1, 0.1, 0.1, 1}, []float64{0.5, 0.1}},
		{types.Simplex, []runtime.Dim{{Size: 3}}, 2, []float64{0.2, 0.3, 0.5, 0.1, 0.1, 0.8}, []float64{0.2, 0.3, 0.1, 0.1}},
		{types.Vector, []runtime.Dim{{Size: 2}}, 2, []float64{2, 1, 3, 5}, []float64{2, 1, 3, 5}},
	} {
		m := &bare{sizes: []int{0, 2}, distinct: 2}
		m.info.Variable = runtime.Parameter{Name: "x", Type: c.form.Of(types.Real), Shape: c.shape}
		rows, columns, _ := rowsOf(m, runtime.Data{Values: c.values, Columns: len(c.values) / 2})
		if columns != c.columns || !slices.Equal(rows, c.wants) {
			t.Errorf("%s: %v in %d columns, not %v in %d", c.form.Name, rows, columns, c.wants, c.columns)
		}
	}
}

// TestRowsOfPosterior: rows are those that the model shows, if it counts as many; equal ones are known.
func TestRowsOfPosterior(t *testing.T) {
	d := runtime.Data{Values: []float64{3, 1, 3, 0, 7}, Weights: []float64{1, 2, 0.5, 1, 0}}
	var p posterior
	if !p.take(observed{&bare{sizes: []int{0, 2}, distinct: 5}, d}) || !slices.Equal(p.values, d.Values) || p.columns != 1 {
		t.Errorf("%+v", p)
	}
	if sets := p.equal(); sets[2] != 0 || sets[1] != 1 {
		t.Errorf("sets %v", sets)
	}
	if p.take(observed{&bare{sizes: []int{0, 2}, distinct: 4}, d}) || p.take(&bare{distinct: 5}) {
		t.Error("a model with other rows, or that shows none")
	}
}

// TestSeveral: a component of which that is said has not collapsed, whatever rows are equal; and it is said of components with many rows.
func TestSeveral(t *testing.T) {
	source := runtime.Stream(1, "several")
	said := 0
	for range 2000 {
		n, d := 1+source.IntN(12), 1+source.IntN(2)
		p := posterior{k: 2, columns: d}
		at := map[[2]float64]float64{} // equal rows have equal probabilities
		for range n {
			var row [2]float64
			for j := range d {
				row[j] = float64(source.IntN(3))
				p.values = append(p.values, row[j])
			}
			if _, ok := at[row]; !ok {
				at[row] = min(1, 1.5*source.Float64())
			}
			p.r = append(p.r, at[row], 1-at[row])
			p.weights = append(p.weights, float64(min(1, source.IntN(5))))
		}
		sets, sum, squares := p.equal(), 0.0, 0.0
		shares := make([]float64, n)
		for i, w := range p.weights {
			if w > 0 {
				shares[sets[i]] = p.r[2*i]
			}
		}
		for _, r := range shares {
			sum, squares = sum+r, squares+r*r
		}
		if most := float64(d) + shared; p.several(0, most) {
			if said++; !(sum*sum/squares >= most) || p.collapsed(0, false) {
				t.Fatalf("%v of %v with weights %v", p.r, p.values, p.weights)
			}
		}
	}
	if said < 200 {
		t.Errorf("said %d times", said)
	}
}

// TestCollapsedVectors: rows in a plane have collapsed, one row more has not; equal rows are one.
func TestCollapsedVectors(t *testing.T) {
	x := []float64{0, 0, 1, 1, 0, 1, 5, 5, 6, 5, 5, 6, 5, 6}
	m := shapes(2, 2)
	m.distinct = 7
	for name, tc := range map[string]struct {
		first    []int // rows of the first component
		discrete bool
		want     bool
	}{
		"one":           {[]int{0}, false, true},
		"two":           {[]int{0, 2}, false, true},
		"three":         {[]int{0, 1, 2}, false, false},
		"equal":         {[]int{5, 6, 0}, false, true},
		"discrete two":  {[]int{2, 0}, true, false},
		"discrete one":  {[]int{1}, true, true},
		"discrete many": {[]int{0, 1, 2, 3}, true, false},
	} {
		p := &posterior{k: 2, r: make([]float64, 14)}
		if !p.take(observed{m, runtime.Data{Values: x, Columns: 2, Weights: []float64{1, 1, 1, 1, 1, 1, 1}}}) {
			t.Fatal("rows")
		}
		for i := range 7 {
			c := 1
			if slices.Contains(tc.first, i) {
				c = 0
			}
			p.r[2*i+c] = 1
		}
		if got := p.collapsed(0, tc.discrete); got != tc.want {
			t.Errorf("%s: %v", name, got)
		}
	}
	if text := collapse(2, Number(math.NaN()), true); text != "component 2 explains no more distinct rows than these have columns: a component less may say as much" {
		t.Error(text)
	}
}

// TestReorder: the posterior goes with the parameters.
func TestReorder(t *testing.T) {
	p := &posterior{k: 3, r: []float64{0.1, 0.2, 0.7, 0.3, 0.3, 0.4}, weights: []float64{1, 1}}
	p.reorder([]int{2, 0, 1})
	if want := []float64{0.7, 0.1, 0.2, 0.4, 0.3, 0.3}; !slices.Equal(p.r, want) {
		t.Errorf("%v, want %v", p.r, want)
	}
}

// TestShapedSettings: what is set is for each component or for all of them, in all shapes, and the components of defaults
// that are spread differ.
func TestShapedSettings(t *testing.T) {
	m := shapes(2, 2)
	set := []Value{
		{Name: "weights", Shape: []int{2}, Entries: []float64{0.3, 0.7}},
		{Name: "mu", Shape: []int{2, 2}, Entries: []float64{1, 2, 3, 4}},
		{Name: "Sigma", Shape: []int{2}, Entries: []float64{2, 3}}, // multiples of the identity
		{Name: "R", Shape: []int{2, 2}, Entries: []float64{1, 0.5, 0.5, 1}},
		{Name: "p", Shape: []int{2}, Entries: []float64{0.1, 0.9}}, // of all components
		{Name: "L", Shape: []int{2, 2, 2}, Entries: []float64{1, 0, 2, 3, 4, 0, 5, 6}},
	}
	sizes := make([]int, 2)
	for _, v := range set {
		if err := measure(m.Info(), sizes, v); err != nil {
			t.Fatal(err)
		}
	}
	if !slices.Equal(sizes, []int{2, 2}) {
		t.Errorf("sizes %v", sizes)
	}
	theta := defaults(m)
	if err := applySet(m, theta, set); err != nil {
		t.Fatal(err)
	}
	want := slices.Concat([]float64{0.3, 0.7}, []float64{1, 1}, []float64{1, 2, 3, 4}, []float64{2, 0, 0, 2, 3, 0, 0, 3},
		[]float64{1, 0.5, 0.5, 1, 1, 0.5, 0.5, 1}, []float64{1, 0, 2, 3, 4, 0, 5, 6}, []float64{0.1, 0.9, 0.1, 0.9}, []float64{1, 1})
	if !slices.Equal(theta, want) {
		t.Errorf("%v, want %v", theta, want)
	}
	spread(m, theta)
	for i := range 3 { // r, mu and Sigma
		if at := 2 + []int{0, 2, 6}[i]; theta[at] == theta[at+[]int{1, 2, 4}[i]] {
			t.Errorf("the components do not differ: %v", theta)
		}
	}
	for want, v := range map[string]Value{
		"mu of all 2 components is a matrix of 2 x 2, the value is a vector of 3":      {Name: "mu", Shape: []int{3}, Entries: make([]float64, 3)},
		"Sigma has 3 values for 2 components":                                          {Name: "Sigma", Shape: []int{3}, Entries: make([]float64, 3)},
		"component 2: Sigma is not positive definite":                                  {Name: "Sigma", Shape: []int{2}, Entries: []float64{1, -1}},
		"R of all 2 components is 2 matrices of 2 x 2, the value is a matrix of 1 x 2": {Name: "R", Shape: []int{1, 2}, Entries: make([]float64, 2)},
	} {
		if err := applySet(m, theta, []Value{v}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// TestShapedDomains: of matrices one after the other the diagonals are positive.
func TestShapedDomains(t *testing.T) {
	p := &runtime.Parameter{Name: "Sigma", Type: types.SPD.Of(types.Real), Components: true}
	var got []int
	for i := range 8 {
		if entryLink(p, []int{2, 2, 2}, i) == types.Log {
			got = append(got, i)
		}
	}
	if !slices.Equal(got, []int{0, 3, 4, 7}) {
		t.Errorf("positive entries %v", got)
	}
}

// TestSingularComponents names the component whose matrix is singular.
func TestSingularComponents(t *testing.T) {
	m := shapes(2, 2)
	theta := defaults(m)
	copy(theta[8:], []float64{1, 0, 0, 1, 1, 1, 1, 1})
	if got := singular(m, theta); got != "Sigma of component 2" {
		t.Errorf("%q", got)
	}
}

// valley is flat along its second coordinate from some point on.
type valley struct{ runtime.Unconstrained }

func (valley) Dim() int { return 3 }

func (valley) Loss(u []float64) float64 { return u[0]*u[0] + math.Exp(-4*u[1]) + u[2]*u[2] }

func (valley) Gradient(g, u []float64) float64 {
	g[0], g[1], g[2] = 2*u[0], -4*math.Exp(-4*u[1]), 2*u[2]
	return valley{}.Loss(u)
}

func (valley) Hessian(h, _ []float64) { h[0] = math.NaN() }

func (valley) FromTheta(u, theta []float64) { copy(u, theta) }

// TestInfiniteComponents says what of which component goes to infinity.
func TestInfiniteComponents(t *testing.T) {
	cs := []coordinate{{"the weight of component 1", types.Unit}, {"r of component 1", types.Positive}, {"r of component 2", types.Positive}}
	if got := ray(cs, valley{}, []float64{0, 9, 0}, 100).far; got != "r of component 1 goes to infinity" {
		t.Errorf("%q", got)
	}
	if got := ray(cs, valley{}, []float64{0, 0, 0}, 100).far; got != "" {
		t.Errorf("%q", got)
	}
}

// TestDegenerate: a component of one value, or of rows in a plane, is none, also where others keep shares that do not
// matter; a tight one far from everything else is sound, and so is one that has died.
func TestDegenerate(t *testing.T) {
	for name, tc := range map[string]struct {
		values  []float64
		columns int
		shares  []float64 // of the first component
		want    int
	}{
		"one value":         {[]float64{1, 1, 1, 5, 7}, 1, []float64{1, 1, 1, 0, 0}, 0},
		"nearly one":        {[]float64{1, 2, 3, 5, 7}, 1, []float64{1, 1e-5, 0, 0, 0}, 0},
		"two values":        {[]float64{1, 1.5, 3, 5, 7}, 1, []float64{1, 1, 0, 0, 0}, -1},
		"far away":          {[]float64{1e9, 1e9 + 1e-3, 3, 5, 7}, 1, []float64{1, 1, 0, 0, 0}, -1},
		"a line":            {[]float64{0, 0, 1, 1, 2, 2, 5, 1, 7, 3, 6, 9}, 2, []float64{1, 1, 1, 0, 0, 0}, 0},
		"a triangle":        {[]float64{0, 0, 1, 3, 2, 0, 5, 1, 7, 3, 6, 9}, 2, []float64{1, 1, 1, 0, 0, 0}, -1},
		"a rounded line":    {[]float64{0, 0, 1, 1, 2, 3, 5, 1, 7, 3, 6, 9}, 2, []float64{1, 1, 1, 0, 0, 0}, 0}, // y = 1.5 x
		"a constant column": {[]float64{0, 4, 1, 4, 2, 4, 5, 1, 7, 3, 6, 9}, 2, []float64{1, 1, 1, 0, 0, 0}, 0},
		"died":              {[]float64{1, 2, 3, 5, 7}, 1, []float64{1e-3, 0, 0, 0, 0}, -1},
	} {
		p := &posterior{k: 2, columns: tc.columns, values: tc.values}
		for _, r := range tc.shares {
			p.r, p.weights = append(p.r, r, 1-r), append(p.weights, 1)
		}
		if got, _ := p.degenerate(false); got != tc.want {
			t.Errorf("%s: component %d, want %d", name, got, tc.want)
		}
		if got, _ := p.degenerate(true); got != -1 {
			t.Errorf("%s: probabilities are bounded", name)
		}
	}
}

// Whether the total log-likelihood falls by less than a limit does not depend on whether logarithms were needed to see it: components that are apart, alike, and about
// as far apart as the limit.
func TestLossBelowIsThatOfLogarithms(t *testing.T) {
	r, both := rand.New(rand.NewPCG(1, 2)), [2]int{}
	for range 2000 {
		n, apart := 1+r.IntN(40), math.Pow(10, -6*r.Float64())
		p, theta := &posterior{k: 2, r: make([]float64, 2*n), weights: make([]float64, n)}, []float64{0.1 + 0.8*r.Float64(), 0}
		theta[1] = 1 - theta[0]
		for i := range n {
			p.weights[i] = float64(r.IntN(3))
			density := math.Exp(apart * r.NormFloat64()) // of the second to the first
			p.r[2*i] = theta[0] / (theta[0] + theta[1]*density)
			p.r[2*i+1] = 1 - p.r[2*i]
		}
		for _, pair := range [][2]int{{0, 1}, {1, 0}} {
			fall := p.loss(theta, pair[0], pair[1])
			below := p.lossBelow(nothing, theta, pair[0], pair[1])
			if below != (fall < nothing) {
				t.Fatalf("a fall of %g below %g: %v", fall, nothing, below)
			}
			if below {
				both[0]++
			} else {
				both[1]++
			}
		}
	}
	if min(both[0], both[1]) < 500 {
		t.Fatalf("%d falls were below the limit, and %d above: too few of one kind to tell", both[0], both[1])
	}
}
