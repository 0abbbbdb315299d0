package derive_test

import (
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/expr/diff"
	"github.com/sngdgen/sngdgen/expr/eval"
	"github.com/sngdgen/sngdgen/gen/bind"
	"github.com/sngdgen/sngdgen/gen/derive"
	"github.com/sngdgen/sngdgen/spec"
)

// Mixtures of everything: the mixture model of every family of the library as a surrogate of itself, in both
// coordinates, and every problem of the library with mixtures of its target and of its surrogate.

// pair is a problem and the same problem with mixtures.
type pair struct {
	name       string
	plain, mix *derive.Result
	ofItself   bool // surrogate and target are one family
}

// allPairs are derived once.
var allPairs []pair

// ordered reports whether a problem is about a sequence, of which there are no mixtures.
func ordered(t *testing.T, name string) bool {
	p := spec.Library().Problem(name)
	if p == nil {
		t.Fatalf("no problem %q in the library", name)
	}
	return p.TargetDist != nil && len(p.TargetDist.States) > 0
}

// pairs derives all of them.
func pairs(t *testing.T) []pair {
	t.Helper()
	if allPairs != nil {
		return allPairs
	}
	var out []pair
	for name, text := range texts(t, "families") {
		f, diags := spec.Parse(name, []byte(text), nil)
		if f == nil {
			t.Fatal(diags.String())
		}
		if f.Families[0].Given != nil { // no density of its own
			continue
		}
		for _, step := range []string{bind.Mean, bind.Natural} {
			out = append(out, paired(t, name+"/"+step, byItself(t, f.Families[0], step)))
			out[len(out)-1].ofItself = true
		}
	}
	for name, text := range texts(t, "problems") {
		if !strings.Contains(text, "mixture:") && !strings.Contains(text, " vi:") && !strings.Contains(text, " ep:") && !ordered(t, name) {
			out = append(out, paired(t, name, text))
		}
	}
	slices.SortFunc(out, func(a, b pair) int { return strings.Compare(a.name, b.name) })
	allPairs = out
	return out
}

// byItself is a problem in which a family is fitted by itself.
func byItself(t *testing.T, f *spec.Family, step string) string {
	t.Helper()
	var set, start strings.Builder
	for _, p := range f.Parameters {
		value := map[string]string{"real": "1", "positive": "1", "unit": "1/2"}[p.Type.Kind]
		if len(p.Type.Dims) > 0 {
			d := p.Type.Dims[0].Name
			value = map[string]string{"spd": "eye(" + d + ")", "vector": "ones(" + d + ")"}[p.Type.Kind]
			if p.Type.Elem == "unit" {
				value = "ones(" + d + ")/(" + d + " + 1)"
			}
		}
		if value == "" {
			t.Fatalf("%s: no start for a parameter of type %s", f.Name, p.Type.String())
		}
		fmt.Fprintf(&set, "  %s: %[1]s\n", p.Name)
		fmt.Fprintf(&start, "  %s: %s\n", p.Name, value)
	}
	const text = "package: itself\ntarget: %[1]s\nsurrogate: %[1]s\nstep: %[2]s\nmap:\n%[3]sstart:\n%[4]sobjective: mle\n"
	return fmt.Sprintf(text, f.Name, step, set.String(), start.String())
}

var sides = regexp.MustCompile(`(?m)^(target|surrogate): (\w+)$`)

// paired derives a problem as it is and with mixtures.
func paired(t *testing.T, name, text string) pair {
	t.Helper()
	out := pair{name: name}
	mixed := sides.ReplaceAllString(text, "$1: {mixture: $2, components: m}")
	for text, p := range map[string]**derive.Result{text: &out.plain, mixed: &out.mix} {
		f, diags := spec.Parse(name, []byte(text), nil)
		if f == nil {
			t.Fatal(diags.String())
		}
		*p = derived(t, f.Problems[0])
	}
	return out
}

// eachPair runs a test for every pair, with several numbers of components and lengths of vectors.
func eachPair(t *testing.T, test func(t *testing.T, p pair, m *mixed)) {
	t.Helper()
	for _, p := range pairs(t) {
		for _, size := range []struct{ k, dim int }{{1, 2}, {2, 3}, {3, 2}, {2, 1}} {
			if len(lengths(p.plain.Problem, size.dim)) == 0 {
				continue
			}
			t.Run(fmt.Sprintf("%s/k=%d/d=%d", p.name, size.k, size.dim), func(t *testing.T) {
				test(t, p, newMixed(t, p.mix, size.dim, size.k))
			})
		}
	}
}

// mixed is a mixture at random values of everything.
type mixed struct {
	*point
	d *derive.Result
	k int
}

// rowWeights are the weights of the rows of a point.
var rowWeights = []float64{1, 2, 1, 0.5, 1, 1}

func newMixed(t *testing.T, d *derive.Result, dim, k int) *mixed {
	t.Helper()
	m := &mixed{point: emptyPoint(d, dim), d: d, k: k}
	m.env.Set(d.Problem.Graph.Size(expr.Components).Name, float64(k))
	index, last, weights := make([]float64, k), make([]float64, k), make([]float64, k)
	for c := range k {
		index[c], weights[c] = float64(c), 0.2+m.rng.Float64()
	}
	last[k-1] = 1
	floats.Scale(1/floats.Sum(weights), weights)
	of := d.Problem.Mixture
	for s, v := range map[*expr.Node][]float64{of.Index: index, of.Last: last, of.Weights: weights} {
		m.env.Symbols[s.Name] = perComponent(v)
	}
	m.data(t, len(rowWeights), rowWeights)
	for try := 0; try == 0 || !m.meets(t); try++ {
		if try == 10000 {
			t.Fatal("no values meet the conditions of the family")
		}
		for _, s := range m.own() {
			values := make([]eval.Value, k)
			for c := range values {
				values[c] = m.value(s)
			}
			m.env.Symbols[s.Name] = eval.PerComponent(values)
		}
	}
	m.complete(t, d)
	return m
}

// meets reports whether the parameters of all components meet the conditions of their family. What is drawn of probabilities does.
func (m *mixed) meets(t *testing.T) bool {
	t.Helper()
	for _, w := range m.d.Problem.Surrogate.Where {
		v := m.values(t, w.Node)[0]
		for c := range m.k {
			if x := m.of(v, c); x.At(0, 0) <= w.Range.Lo || x.At(0, 0) >= w.Range.Hi {
				return false
			}
		}
	}
	return true
}

// own are the parameters of one component: of the surrogate but for the weights, and auxiliary ones.
func (m *mixed) own() []*expr.Node {
	var out []*expr.Node
	for _, q := range m.d.Problem.Surrogate.Params[1:] {
		out = append(out, q.Sym)
	}
	for _, a := range m.d.Problem.Auxiliary {
		out = append(out, a.Sym)
	}
	return out
}

func perComponent(v []float64) eval.Value {
	values := make([]eval.Value, len(v))
	for c, x := range v {
		values[c] = eval.Value{Scalar: x}
	}
	return eval.PerComponent(values)
}

// of is a value of one component.
func (m *mixed) of(v eval.Value, c int) *mat.Dense {
	if v.Components != nil {
		v = v.Components[c]
	}
	return matrix(v)
}

// weights are those of the components.
func (m *mixed) weights() []float64 {
	out := make([]float64, m.k)
	for c := range out {
		out[c] = m.of(m.env.Symbols[m.d.Problem.Mixture.Weights.Name], c).At(0, 0)
	}
	return out
}

// move sets one entry of a component, and the entry that is equal to it in a symmetric matrix, h further.
func (m *mixed) move(sym *expr.Node, start eval.Value, c, i, j int, h float64) {
	moved := mat.DenseCopyOf(m.of(start, c))
	moved.Set(i, j, moved.At(i, j)+h)
	if sym.Type.Rank == 2 && i != j {
		moved.Set(j, i, moved.At(j, i)+h)
	}
	values := slices.Clone(start.Components)
	values[c] = packed(sym, moved)
	m.env.Symbols[sym.Name] = eval.PerComponent(values)
}

// compare checks a gradient by differences, entry by entry; free is how many components vary.
func (m *mixed) compare(t *testing.T, name string, f, sym *expr.Node, gradient eval.Value, free int) {
	t.Helper()
	start := m.env.Symbols[sym.Name]
	defer func() { m.env.Symbols[sym.Name] = start }()
	const h = 1e-4
	for c := range free {
		rows, columns := m.of(start, c).Dims()
		for i := range rows {
			for j := range min(columns, i+1) {
				at := func(step float64) float64 {
					m.move(sym, start, c, i, j, step*h)
					v, err := eval.Eval(f, m.env)
					if err != nil {
						t.Fatal(err)
					}
					return v
				}
				want := (8*(at(1)-at(-1)) - (at(2) - at(-2))) / 12 / h
				got := m.of(gradient, c).At(i, j)
				if sym.Type.Rank == 2 && i != j {
					got += m.of(gradient, c).At(j, i)
				}
				if !(math.Abs(got-want) <= 2e-6*(1+math.Abs(want))) {
					t.Errorf("%s: derivative along %v[%d][%d,%d] is %v, by differences %v", name, sym, c, i, j, got, want)
				}
			}
		}
	}
}

// same compares two values, component by component.
func (m *mixed) same(t *testing.T, what string, got, want eval.Value, components int, tolerance float64) {
	t.Helper()
	for c := range components {
		a, b := m.of(got, c), m.of(want, c)
		if size := 1 + mat.Norm(b, math.Inf(1)); !mat.EqualApprox(a, b, tolerance*size) {
			t.Errorf("%s of component %d is\n%v\nnot\n%v", what, c, mat.Formatted(a), mat.Formatted(b))
		}
	}
}

// free is how many components of a coordinate vary: of the weights, and of what stands for them, all but the last.
func (m *mixed) free(c derive.Coord) int {
	if c.Free {
		return m.k - 1
	}
	return m.k
}

// TestMixtureAgainstDifferences compares both gradients of mixtures with differences of the un-rewritten composition.
func TestMixtureAgainstDifferences(t *testing.T) {
	eachPair(t, func(t *testing.T, p pair, m *mixed) {
		s := &p.mix.Surrogate
		if !s.Coords[0].Free || slices.ContainsFunc(s.Coords[1:], func(c derive.Coord) bool { return c.Free }) {
			t.Error("the weights alone have one number less than there are components")
		}
		m.gradients(t)
		m.loss(t)
		m.metrics(t, p)
		if text := m.outside(t); text != "" {
			t.Errorf("inside the domain, not %s", text)
		}
	})
}

// gradients compares both gradients with differences.
func (m *mixed) gradients(t *testing.T) {
	t.Helper()
	s := &m.d.Surrogate
	covector, natural := m.values(t, s.Covector...), m.values(t, s.Natural...)
	for i, c := range s.Coords {
		m.compare(t, "c", s.Literal, c.Sym, covector[i], m.free(c))
		if i < len(s.Dual) {
			m.compare(t, "v", s.LiteralDual, s.Dual[i], natural[i], m.free(c))
		}
	}
}

// loss compares the loss with the composition as written.
func (m *mixed) loss(t *testing.T) {
	t.Helper()
	v := m.values(t, m.d.Surrogate.Loss, m.d.Surrogate.Literal, m.d.Surrogate.LiteralDual)
	for _, w := range v[1:] {
		if got, want := v[0].Scalar, w.Scalar; !(math.Abs(got-want) <= 1e-8*(1+math.Abs(want))) {
			t.Errorf("the loss is %v, as written %v", got, want)
		}
	}
}

// coupled is a problem whose map combines the components, and uses their weights.
const coupled = `
package: coupled
target: {mixture: student_t, components: m}
surrogate: {mixture: normal, components: m}
step: %s
auxiliary: {l: real}
map:
  mu: mu - logsumexp(mu/2)
  sigma: sqrt(sigma2*softmax(mu))
  nu: 2 + exp(l*softmax(sigma2 + l)) + logsumexp(l)^2/m
start: {mu: mean(x), sigma2: var(x), l: 0}
objective: mle
`

// TestCoupledComponents: parameters of the target may depend on those of all components of the surrogate.
func TestCoupledComponents(t *testing.T) {
	for _, step := range []string{bind.Mean, bind.Natural} {
		f, diags := spec.Parse("coupled", fmt.Appendf(nil, coupled, step), nil)
		if f == nil {
			t.Fatal(diags.String())
		}
		d := derived(t, f.Problems[0])
		for k := range 4 {
			m := newMixed(t, d, 1, k+1)
			m.gradients(t)
			m.loss(t)
		}
	}
}

// metrics checks that the vectors of the auxiliary parameters are their covectors under the inverse of the metric, which
// is that of the component alone times its weight.
func (m *mixed) metrics(t *testing.T, p pair) {
	t.Helper()
	own, w := len(m.d.Surrogate.Dual), m.weights()
	for i, a := range p.plain.Problem.Auxiliary {
		v := m.values(t, m.d.Surrogate.Natural[own+i], m.d.Surrogate.Covector[own+i])
		for c := range m.k {
			metric := mat.NewDense(1, 1, []float64{1})
			if a.Metric != nil {
				metric = matrix(m.component(t, p, c).values(t, a.Metric)[0])
			}
			var back mat.Dense
			if vector := m.of(v[0], c); len(metric.RawMatrix().Data) > 1 {
				back.Mul(metric, vector)
			} else {
				back.Scale(metric.At(0, 0), vector)
			}
			back.Scale(w[c], &back)
			covector := m.of(v[1], c)
			if size := 1 + mat.Norm(covector, math.Inf(1)); !mat.EqualApprox(&back, covector, 1e-9*size) {
				t.Errorf("%s: metric times vector is\n%v\nnot\n%v", a.Name, mat.Formatted(&back), mat.Formatted(covector))
			}
		}
	}
}

// outside is a condition of the domain that does not hold, "" when all do.
func (m *mixed) outside(t *testing.T) string {
	t.Helper()
	for _, c := range m.d.Surrogate.Conditions {
		v := m.values(t, c.Node)[0]
		for component := range m.k {
			x := m.of(v, component)
			ok := !c.Definite || definite(x)
			for _, y := range x.RawMatrix().Data {
				ok = ok && !math.IsInf(y, 0) && c.Range.Contains(y)
			}
			if !ok {
				return c.Text
			}
		}
	}
	return ""
}

// TestMixturePullbacks compares both gradients with the loss pulled back through the coordinates of the joint family, by
// derivatives of the un-rewritten composition.
func TestMixturePullbacks(t *testing.T) {
	eachPair(t, func(t *testing.T, p pair, m *mixed) {
		g, s := p.mix.Problem.Graph, &p.mix.Surrogate
		stepped, dual := p.mix.Family.Mean, p.mix.Family.Natural
		if p.mix.Problem.Spec.Step == bind.Natural {
			stepped, dual = dual, stepped
		}
		by := map[*expr.Node]*expr.Node{}
		for _, def := range p.mix.Problem.Map {
			by[def.Sym] = def.Node
		}
		logDensity := g.Substitute(p.mix.Problem.Target.LogPDF, by)
		loss := g.Neg(g.Div(g.Sum(expr.Rows, logDensity), g.Size(expr.Rows)))
		cotangents, err := diff.Gradient(g, loss, p.mix.Family.Std)
		if err != nil {
			t.Fatal(err)
		}
		for _, side := range []struct {
			name string
			derive.Coords
			got []*expr.Node
		}{{"c", stepped, s.Covector}, {"v", dual, s.Natural}} {
			pulled, err := diff.Pullback(g, side.ToStd, cotangents, side.Syms)
			if err != nil {
				t.Fatal(err)
			}
			want, got := m.values(t, pulled...), m.values(t, side.got...)
			for i := range want {
				m.same(t, side.name+" along "+side.Syms[i].String(), got[i], want[i], m.free(s.Coords[i]), 1e-8)
			}
		}
	})
}

// TestMixtureMeanMap: the mean parameters of a mixture model are the gradient of its log-partition, the logarithm of the
// sum of exp(rho + A(eta)), in which rho of the last component is 0.
func TestMixtureMeanMap(t *testing.T) {
	eachPair(t, func(t *testing.T, p pair, m *mixed) {
		g, f := p.mix.Problem.Graph, p.mix.Family
		by := map[*expr.Node]*expr.Node{}
		for i, s := range f.Std[1:] {
			by[s] = f.Natural.ToStd[i+1]
		}
		rho, ofComponent := f.Natural.Syms[0], g.Substitute(p.mix.Problem.Surrogate.Component.LogPartition, by)
		logPartition := g.LogSumExp(expr.Components, g.Add(rho, ofComponent))
		gradient, err := diff.Gradient(g, logPartition, f.Natural.Syms)
		if err != nil {
			t.Fatal(err)
		}
		means, derivatives := m.values(t, f.Mean.OfStd...), m.values(t, gradient...)
		if last := m.of(m.env.Symbols[rho.Name], m.k-1).At(0, 0); last != 0 {
			t.Errorf("rho of the last component is %v", last)
		}
		for i, sym := range f.Natural.Syms {
			m.compare(t, "log-partition", logPartition, sym, means[i], m.k)
			m.same(t, "the mean parameter of "+sym.String(), means[i], derivatives[i], m.k, 1e-9)
		}
	})
}

// TestMixtureRoundTrips: both maps of a mixture model are inverse to each other, in one piece and as they are evaluated.
func TestMixtureRoundTrips(t *testing.T) {
	eachPair(t, func(t *testing.T, p pair, m *mixed) {
		f := p.mix.Family
		std := map[string]eval.Value{}
		for _, s := range f.Std {
			std[s.Name] = m.env.Symbols[s.Name]
		}
		for _, c := range []derive.Coords{f.Natural, f.Mean} {
			for i, v := range m.values(t, c.ToStd...) {
				m.same(t, f.Std[i].Name+" from "+c.Name+" parameters", v, std[f.Std[i].Name], m.k, 1e-8)
			}
			coords := m.values(t, c.Syms...)
			for name := range std {
				delete(m.env.Symbols, name)
			}
			for _, def := range c.Defs {
				m.set(t, def.Sym, def.Node)
			}
			for name, v := range std {
				m.same(t, name+" step by step from "+c.Name+" parameters", m.env.Symbols[name], v, m.k, 1e-8)
			}
			for i, v := range m.values(t, c.OfStd...) {
				m.same(t, c.Syms[i].String()+", there and back", v, coords[i], m.k, 1e-8)
			}
			maps.Copy(m.env.Symbols, std)
		}
	})
}

// TestExpectationMaximisation: in mean parameters a step of size 1 of a mixture that is fitted by its own mixture model
// goes to the expected statistics of component and value, given the data: it is the step of the EM algorithm.
func TestExpectationMaximisation(t *testing.T) {
	eachPair(t, func(t *testing.T, p pair, m *mixed) {
		if !p.ofItself || p.mix.Problem.Spec.Step == bind.Natural {
			return
		}
		component := p.mix.Problem.Surrogate.Component
		posterior := m.posterior(t)
		by := map[*expr.Node]*expr.Node{component.Variable.Sym: p.mix.Problem.Target.Variable.Sym}
		statistics := m.values(t, p.mix.Problem.Graph.SubstituteAll(component.Statistics, by)...)
		total := floats.Sum(rowWeights)
		want := make([]eval.Value, len(statistics)+1)
		for c := range m.k {
			share := 0.0
			for row, r := range posterior {
				share += rowWeights[row] * r[c] / total
			}
			want[0].Components = append(want[0].Components, eval.Value{Scalar: share})
			for i, v := range statistics {
				var mean *mat.Dense
				for row, r := range posterior {
					part := inRow(v, row)
					part.Scale(rowWeights[row]*r[c]/total, part)
					if mean == nil {
						mean = part
					} else {
						mean.Add(mean, part)
					}
				}
				want[i+1].Components = append(want[i+1].Components, packed(component.M[i], mean))
			}
		}
		g, s := p.mix.Problem.Graph, &p.mix.Surrogate
		for i, c := range s.Coords {
			stepped := m.values(t, g.Sub(c.Sym, s.Natural[i]))[0]
			m.same(t, c.Name+" after a step", stepped, want[i], m.free(c), 1e-9)
		}
	})
}

// inRow is a copy of what a value is in one row.
func inRow(v eval.Value, row int) *mat.Dense {
	if v.Rows != nil {
		return mat.NewDense(1, 1, []float64{v.Rows[row]})
	}
	return mat.DenseCopyOf(v.Cores[row])
}

// posterior are the probabilities of the components given each row, by Bayes' rule from the densities of the
// exponential family, for a mixture of the surrogate's own family.
func (m *mixed) posterior(t *testing.T) [][]float64 {
	t.Helper()
	g, f := m.d.Problem.Graph, m.d.Problem.Surrogate.Component
	terms := []*expr.Node{f.LogBase, g.Neg(f.LogPartition)}
	for i, eta := range f.Natural {
		terms = append(terms, g.Contract(eta, f.Statistics[i]))
	}
	by := map[*expr.Node]*expr.Node{f.Variable.Sym: m.d.Problem.Target.Variable.Sym}
	density := m.values(t, g.Substitute(g.Add(terms...), by))[0]
	out := make([][]float64, len(rowWeights))
	for row := range out {
		out[row] = make([]float64, m.k)
		for c, w := range m.weights() {
			out[row][c] = w * math.Exp(density.Components[c].Rows[row])
		}
		floats.Scale(1/floats.Sum(out[row]), out[row])
	}
	return out
}

// TestResponsibilities compares the posterior probabilities of the components and the log-density with those that the
// densities of the components give.
func TestResponsibilities(t *testing.T) {
	eachPair(t, func(t *testing.T, p pair, m *mixed) {
		for _, def := range p.mix.Problem.Map {
			m.set(t, def.Sym, def.Node)
		}
		v := m.values(t, p.mix.Responsibilities, p.mix.LogDensity, p.mix.Problem.Target.LogPDF)
		density := make([][]float64, m.k) // of the components, times their weights
		for c, w := range m.weights() {
			one := m.component(t, p, c)
			for _, def := range p.plain.Problem.Map {
				one.set(t, def.Sym, def.Node)
			}
			for _, l := range one.values(t, p.plain.LogDensity)[0].Rows {
				density[c] = append(density[c], w*math.Exp(l))
			}
		}
		for row := range rowWeights {
			total := 0.0
			for c := range m.k {
				total += density[c][row]
			}
			for c := range m.k {
				want := density[c][row] / total
				if got := v[0].Components[c].Rows[row]; !(math.Abs(got-want) <= 1e-9) {
					t.Errorf("row %d is of component %d with probability %v, not %v", row, c, got, want)
				}
			}
			for _, l := range v[1:] {
				if got, want := l.Rows[row], math.Log(total); !(math.Abs(got-want) <= 1e-8*(1+math.Abs(want))) {
					t.Errorf("the log-density of row %d is %v, not %v", row, got, want)
				}
			}
		}
	})
}

// component is the plain problem at the values of one component.
func (m *mixed) component(t *testing.T, p pair, c int) *point {
	t.Helper()
	one := emptyPoint(p.plain, m.dim)
	one.env.Weights = m.env.Weights
	for name, v := range m.env.Symbols {
		if v.Components == nil {
			one.env.Symbols[name] = v
		}
	}
	for _, s := range m.own() {
		if v := m.env.Symbols[s.Name]; v.Components != nil {
			one.env.Symbols[s.Name] = v.Components[c]
		}
	}
	one.complete(t, p.plain)
	return one
}

// equalComponents makes all components alike, whatever their weights.
func (m *mixed) equalComponents(t *testing.T) {
	t.Helper()
	for _, s := range m.own() {
		values := slices.Clone(m.env.Symbols[s.Name].Components)
		for c := range values {
			values[c] = values[0]
		}
		m.env.Symbols[s.Name] = eval.PerComponent(values)
	}
	m.complete(t, m.d)
}

// TestEqualComponentsAreOne: the mixture of one component, or of several that are alike, is that component. Along the
// natural parameters and the auxiliary ones of a component the loss changes by the share that is the weight of the
// component; along its mean parameters, which have the weight as a factor, and so in auxiliary vectors, by the whole.
func TestEqualComponentsAreOne(t *testing.T) {
	eachPair(t, func(t *testing.T, p pair, m *mixed) {
		m.equalComponents(t)
		one := m.component(t, p, 0)
		a, b := &p.mix.Surrogate, &p.plain.Surrogate
		got, want := m.values(t, a.Loss)[0].Scalar, one.values(t, b.Loss)[0].Scalar
		if !(math.Abs(got-want) <= 1e-11*(1+math.Abs(want))) {
			t.Errorf("the loss is %v, that of one component %v", got, want)
		}
		for i, def := range b.Theta {
			m.same(t, def.Name, m.values(t, a.Theta[i+1].Node)[0], one.values(t, def.Node)[0], m.k, 1e-12)
		}
		if a.Theta[0].Name != "weights" || a.Theta[0].Node != p.mix.Problem.Mixture.Weights {
			t.Errorf("the first parameter is %s: %v", a.Theta[0].Name, a.Theta[0].Node)
		}
		steppedByMean := p.mix.Problem.Spec.Step != bind.Natural
		for i := range b.Coords {
			auxiliary := b.Coords[i].Auxiliary
			name := b.Coords[i].Name
			m.shares(t, "c of "+name, a.Covector[i+1], one.values(t, b.Covector[i])[0], !steppedByMean || auxiliary)
			m.shares(t, "v of "+name, a.Natural[i+1], one.values(t, b.Natural[i])[0], steppedByMean && !auxiliary)
		}
		zero := eval.Value{}
		m.same(t, "c of the weights", m.values(t, a.Covector[0])[0], zero, m.k-1, 1e-9)
		m.same(t, "v of the weights", m.values(t, a.Natural[0])[0], zero, m.k-1, 1e-9)
	})
}

// shares compares a gradient of each component with that of one, of which it has a share.
func (m *mixed) shares(t *testing.T, what string, n *expr.Node, whole eval.Value, weighted bool) {
	t.Helper()
	want := eval.Value{}
	for _, w := range m.weights() {
		if !weighted {
			w = 1
		}
		part := mat.DenseCopyOf(matrix(whole))
		part.Scale(w, part)
		want.Components = append(want.Components, eval.Core(part))
	}
	m.same(t, what, m.values(t, n)[0], want, m.k, 1e-8)
}

// TestMixtureStarts: the start of a component is that of its group alone, as far as other rows are not mixed in, and its
// weight is the share of the group.
func TestMixtureStarts(t *testing.T) {
	eachPair(t, func(t *testing.T, p pair, m *mixed) {
		if len(p.mix.Starts) != len(p.plain.Starts) || len(p.plain.Starts) == 0 {
			t.Fatalf("%d starts of %d", len(p.mix.Starts), len(p.plain.Starts))
		}
		const rows = 60 // enough for covariances in each group
		weights, labels := make([]float64, rows), eval.Value{Rows: make([]float64, rows)}
		for row := range weights {
			weights[row], labels.Rows[row] = rowWeights[row%len(rowWeights)], float64(row%7%m.k)
		}
		m.data(t, len(weights), weights)
		m.env.Symbols[p.mix.Problem.Mixture.Label.Name] = labels
		for _, blend := range []float64{0, 0.3} {
			m.env.Set(p.mix.Problem.Mixture.Blend.Name, blend)
			for i, s := range p.mix.Starts {
				m.start(t, p.plain.Starts[i], s, func(row, c int) float64 {
					own := 0.0
					if labels.Rows[row] == float64(c) {
						own = 1
					}
					return (1-blend)*own + blend/float64(m.k)
				}, p)
			}
		}
	})
}

// start compares a start with that of the plain problem for each component, of which a row is a member to some degree.
func (m *mixed) start(t *testing.T, plain, start derive.Start, member func(row, c int) float64, p pair) {
	t.Helper()
	for _, v := range start.Values {
		m.set(t, v.Sym, v.Node)
	}
	for c := range m.k {
		one := m.component(t, p, c)
		one.env.Weights = slices.Clone(m.env.Weights)
		for row := range one.env.Weights {
			one.env.Weights[row] *= member(row, c)
		}
		members := floats.Sum(one.env.Weights)
		one.env.Set(expr.Rows.String(), members)
		for _, v := range plain.Values {
			one.set(t, v.Sym, v.Node)
			want, got := matrix(one.env.Symbols[v.Sym.Name]), m.of(m.env.Symbols[v.Sym.Name], c)
			if size := 1 + mat.Norm(want, math.Inf(1)); !mat.EqualApprox(got, want, 1e-9*size) {
				t.Errorf("%s of component %d starts at %v, not at %v", v.Name, c, mat.Formatted(got), mat.Formatted(want))
			}
		}
		if got, want := m.weights()[c], members/floats.Sum(m.env.Weights); !(math.Abs(got-want) <= 1e-12) {
			t.Errorf("the weight of component %d starts at %v, not at %v", c, got, want)
		}
	}
}
