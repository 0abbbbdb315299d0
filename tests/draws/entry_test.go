package draws

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/sngdgen/sngdgen/expr/syntax"
	"github.com/sngdgen/sngdgen/gen/fit"
	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/baseline"
	"github.com/sngdgen/sngdgen/runtime/modeltest"
	"github.com/sngdgen/sngdgen/runtime/types"
	"github.com/sngdgen/sngdgen/spec"
)

// entry is what the library says of a family or a distribution.
type entry struct {
	name      string
	observed  []spec.Param
	params    []spec.Param
	constants []spec.Constant
	sample    *spec.Draws
	own       bool // draws what it is given too, and is no density by itself
}

func entryOf(name string) entry {
	if f := spec.Library().Family(name); f != nil {
		return entry{name, append([]spec.Param{f.Variable}, f.Given...), f.Parameters, f.Constants, f.Sample, len(f.Given) > 0 && !f.OfColumns()}
	}
	d := spec.Library().Distribution(name)
	return entry{name: name, observed: d.Record(), params: d.Parameters, sample: d.Sample}
}

// length is that of all dimensions.
const length = 3

// text is a problem whose coordinates are the parameters, with values for the constants that are not those of the family.
func (e entry) text() string {
	b := new(strings.Builder)
	fmt.Fprintf(b, "package: drawn\ntarget: %s\nsurrogate: none\nauxiliary:\n", e.name)
	dims := map[string]bool{}
	for _, q := range append(e.params, e.observed...) {
		for _, d := range q.Type.Lengthy() {
			dims[d.Name] = true
		}
	}
	for _, q := range e.params {
		fmt.Fprintf(b, "  %s: %q\n", q.Name, q.Type)
	}
	b.WriteString("map:\n")
	for _, q := range e.params {
		fmt.Fprintf(b, "  %s: %[1]s\n", q.Name)
	}
	b.WriteString("start:\n")
	for _, q := range e.params {
		fmt.Fprintf(b, "  %s: %q\n", q.Name, start(q.Type))
	}
	delete(dims, "")
	if len(dims) > 0 {
		b.WriteString("dimensions:\n")
		for d := range dims {
			fmt.Fprintf(b, "  %s: %d\n", d, length)
		}
	}
	if len(e.constants) > 0 {
		b.WriteString("constants:\n")
		for _, c := range e.constants {
			if c.Type.Kind == "" {
				fmt.Fprintf(b, "  %s: 1.7\n", c.Name)
			} else {
				fmt.Fprintf(b, "  %s: %q\n", c.Name, start(c.Type))
			}
		}
	}
	return b.String()
}

// start is a formula for some value of a type.
func start(t syntax.TypeExpr) string {
	lo, hi, _, _ := t.Type().Range()
	number := "0.5"
	switch {
	case !math.IsInf(lo, 0) && !math.IsInf(hi, 0):
		number = fmt.Sprint((lo + hi) / 2)
	case !math.IsInf(lo, 0):
		number = fmt.Sprint(lo + 1)
	}
	if t.IsScalar() {
		return number
	}
	sides := make([]string, len(t.Dims))
	for i, d := range t.Dims {
		sides[i] = d.String()
	}
	switch form := t.Type().Form; {
	case form.Rank == 1 && form.Name == "vector":
		return number + "*ones(" + sides[0] + ")"
	case form.Has(types.UnitLength):
		return "ones(" + sides[0] + ")/sqrt(" + sides[0] + ")"
	case form.Name == "simplex":
		return "ones(" + sides[0] + ")/" + sides[0]
	case form.Rank == 1:
		return "range(" + sides[0] + ")"
	case form.Name == "stochastic":
		return "array(i in 1:" + sides[0] + ", j in 1:" + sides[0] + ", 1/" + sides[0] + ")"
	case form.Name == "matrix":
		return "array(i in 1:" + sides[0] + ", j in 1:" + sides[1] + ", 0.5)"
	}
	return "eye(" + sides[0] + ")"
}

// model is an interpreted one.
func (e entry) model(t *testing.T) runtime.Model {
	t.Helper()
	p, _, err := fit.Open(t.Context(), fit.Source{Text: e.text()})
	if err != nil {
		t.Fatalf("%v\n%s", err, e.text())
	}
	m := p.Model()
	sizes := m.Sizes()
	for i := range sizes {
		sizes[i] = length
	}
	if len(sizes) > 0 {
		if err := m.Resize(sizes); err != nil {
			t.Fatal(err)
		}
	}
	return m
}

// unconstrained is the log-density as a function of coordinates that may be any numbers.
func (e entry) unconstrained(t *testing.T, m runtime.Model) runtime.Unconstrained {
	t.Helper()
	if u := m.Unconstrained(); u != nil {
		return u
	}
	u, err := baseline.Charts(m, baseline.CovarianceCholesky)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// point is one of the domain, where draws are data: at an end of the domain matrices are singular but for rounding.
func (s subject) point(rng *rand.Rand) []float64 {
	s.Helper()
	z := make([]float64, s.u.Dim())
	var bad error
	for try := range 1000 {
		for i := range z {
			z[i] = 0.8 - float64(try)/500 + 0.5*rng.NormFloat64() // shapes next to 0 have draws that are rounded to the ends of their range
		}
		if !s.inside(z, rng) {
			continue
		}
		s.theta = s.thetaAt(z)
		if bad = s.m.SetData(runtime.Data{Values: s.draw(), Columns: s.m.Info().RowLen(s.m)}); bad == nil {
			return z
		}
	}
	s.Fatal("no point in the domain", bad)
	return nil
}

// inside reports whether the log-density of random rows of the type of the data is a number at a point.
func (s subject) inside(z []float64, rng *rand.Rand) bool {
	s.Helper()
	if err := s.m.SetData(modeltest.Rows(s.m, 20, rng)); err != nil {
		s.Fatal(err)
	}
	return !math.IsNaN(s.u.Loss(z))
}

// thetaAt are the parameters of the target at a point.
func (s subject) thetaAt(z []float64) []float64 {
	k := 0
	for i := range s.m.Info().Parameters {
		k += s.m.Info().Parameters[i].Len(s.m)
	}
	theta := make([]float64, k)
	s.u.Theta(theta, z)
	return theta
}

// drawable reports whether a posterior can say how data are drawn: it has a likelihood, and of a sequence there are no draws.
func drawable(p *spec.Problem) bool { return p.VI.LogLikelihood != nil && len(p.VI.States) == 0 }
