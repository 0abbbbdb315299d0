package engine

import (
	"fmt"
	"math/rand/v2"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/gen/methods"
	"github.com/sngdgen/sngdgen/gen/program"
	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/grouping"
	"github.com/sngdgen/sngdgen/runtime/random"
	"github.com/sngdgen/sngdgen/runtime/support"
)

const rowsAxis = expr.Rows

// Start writes starting point i to z.
func (m *model) Start(z []float64, i int, rng *rand.Rand) error {
	if m.d.Problem.Mixture != nil {
		return support.StartMixture(m.self, m.grouped(), m.starts(), z, i, rng)
	}
	return support.StartAt(m.self, m.starts(), z, i, rng)
}

// starts are the starting points.
func (m *core) starts() []support.Start[runtime.Model] {
	var out []support.Start[runtime.Model]
	for i, s := range m.d.Starts {
		name := fmt.Sprintf("start%d", i)
		out = append(out, support.Start[runtime.Model]{By: grouping.Called(s.Groups),
			From: func(_ runtime.Model, z []float64) { m.startOf(name, "z", z, nil) }})
	}
	if r := m.d.RandomStart; r != nil {
		out = append(out, support.Start[runtime.Model]{By: grouping.Called(r.Groups),
			Draw: func(_ runtime.Model, z []float64, rng *rand.Rand) { m.startOf("randomStart", "z", z, rng) }})
	}
	return out
}

// inside refuses a point outside the domain.
func (m *core) inside(z []float64, where string) error {
	if violated := m.Violation(z); violated >= 0 {
		return fmt.Errorf("outside the domain%s: %s does not hold", where, m.pkg.Conditions[violated].Text)
	}
	return nil
}

// grouped is what starts need to know of the rows.
func (m *model) grouped() support.Grouped {
	x, columns := m.observed()
	return support.Grouped{X: x, Weights: m.w, Columns: columns, Components: m.components(), Labels: m.field(methods.LabelsField),
		Blend: &(*m.field("blend"))[0]}
}

// observed are the rows by which a start groups, and how many columns they have: all that is observed.
func (m *model) observed() (x []float64, columns int) {
	var parts [][]float64
	for i, q := range m.d.Problem.Target.Observed() {
		columns += m.size(q.Sym.Type.Dims[:q.Sym.Type.Rank])
		parts = append(parts, *m.field(m.pkg.Data[i].Name))
	}
	if len(parts) == 1 {
		return parts[0], columns
	}
	return support.Held(*m.w, parts...).Values, columns
}

// startOf runs a start, with the random numbers that it needs.
func (m *core) startOf(name, to string, z []float64, rng *rand.Rand) {
	units := m.function(name)
	u := units[0]
	u.set(to, z)
	m.draw(m.randomNumbers(name, units), rng)
	if u.run() == indefinite {
		z[0] = nan
	}
}

// randomNumber is a random number, or an array of them, with what computes its parameters.
type randomNumber struct {
	kind   string
	args   *unit
	at     []int32 // registers of the parameters
	values []float64
	to     *[]float64
	shares bool // an entry has of the first parameter what those before it have left
}

// randomNumbers compiles what draws random numbers in front of programs: the parameters of one may be made of those before it.
func (m *machine) randomNumbers(name string, users []*unit) []*randomNumber {
	if list, ok := m.random[name]; ok {
		return list
	}
	var list []*randomNumber
	for _, d := range m.pkg.Functions[name].Draws {
		if primitives[d.Kind] == nil {
			panic(Unsupported("random numbers called " + d.Kind))
		}
		var body []program.Stmt
		for k, a := range d.Args {
			body = append(body, &program.Let{To: &program.Place{Name: fmt.Sprint(k)}, Value: a})
		}
		args := m.compile(methods.Step{Program: &program.Program{Body: body}}, "draws", users[0].args)
		out := &randomNumber{kind: d.Kind, args: args, values: make([]float64, len(d.Args)), to: users[0].argument(d.To.Name), shares: d.Shares}
		for k := range d.Args {
			out.at = append(out.at, args.named[fmt.Sprint(k)])
		}
		if d.To.Owner == "p" {
			out.to = m.field(d.To.Name)
		}
		*out.to = make([]float64, m.shapeOf(d.Shape))
		list = append(list, out)
	}
	m.random[name] = list
	return list
}

// draw makes random numbers one after the other.
func (m *machine) draw(list []*randomNumber, rng *rand.Rand) {
	for _, r := range list {
		taken := 0.0
		for m.entry = range *r.to {
			r.args.run()
			for k, at := range r.at {
				r.values[k] = r.args.numbers[at]
			}
			if r.shares {
				r.values[0] -= taken
			}
			x := primitives[r.kind](rng, r.values)
			(*r.to)[m.entry] = x
			taken += x
		}
	}
}

// primitives draw random numbers of the kinds of spec.NoiseKinds, as functions of package random with as many parameters; a test
// compares the two lists.
var primitives = map[string]func(rng *rand.Rand, x []float64) float64{
	"normal":      func(rng *rand.Rand, x []float64) float64 { return random.Normal(rng, x[0], x[1]) },
	"uniform":     func(rng *rand.Rand, x []float64) float64 { return random.Uniform(rng, x[0], x[1]) },
	"exponential": func(rng *rand.Rand, x []float64) float64 { return random.Exponential(rng, x[0]) },
	"gamma":       func(rng *rand.Rand, x []float64) float64 { return random.Gamma(rng, x[0], x[1]) },
	"poisson":     func(rng *rand.Rand, x []float64) float64 { return random.Poisson(rng, x[0]) },
	"binomial":    func(rng *rand.Rand, x []float64) float64 { return random.Binomial(rng, x[0], x[1]) },
	"share":       func(rng *rand.Rand, x []float64) float64 { return random.Share(rng, x[0], x[1]) },
	"beta":        func(rng *rand.Rand, x []float64) float64 { return random.Beta(rng, x[0], x[1]) },
	"angle":       func(rng *rand.Rand, x []float64) float64 { return random.Angle(rng, x[0]) },
	"versine":     func(rng *rand.Rand, x []float64) float64 { return random.Versine(rng, x[0], x[1]) },
}

// quantiles are those of the kinds of spec.NoiseKinds that have them, as functions of package random; a test compares the lists.
var quantiles = map[string]func(u float64, x []float64) float64{
	"normal":      func(u float64, x []float64) float64 { return random.NormalQuantile(u, x[0], x[1]) },
	"uniform":     func(u float64, x []float64) float64 { return random.UniformQuantile(u, x[0], x[1]) },
	"exponential": func(u float64, x []float64) float64 { return random.ExponentialQuantile(u, x[0]) },
	"gamma":       func(u float64, x []float64) float64 { return random.GammaQuantile(u, x[0], x[1]) },
}

// StartGroups writes starting point i of a mixture to z as Start does, of the groups in labels.
func (m *mixture) StartGroups(z, labels []float64, i int) error {
	return support.StartFrom(m.self, m.grouped(), m.starts(), z, labels, i)
}

// limitNames are the names of the functions of a limit.
type limitNames struct{ gradient, path, from, data string }

func namesOfLimits(n int) []limitNames {
	out := make([]limitNames, n)
	for i := range out {
		out[i] = limitNames{limitName(i, "Gradient"), limitName(i, "Path"), limitName(i, "From"), limitName(i, "Data")}
	}
	return out
}

// limitName is the name of a function of a limit.
func limitName(limit int, function string) string { return fmt.Sprintf("limit%d%s", limit, function) }

// LimitGradient writes the derivative of the mean negative log-likelihood of a limit to g, and returns the value.
func (m *model) LimitGradient(g, theta []float64, limit int) float64 {
	if limit < 0 || limit >= len(m.known) || !m.limitData(limit) {
		return nan
	}
	u := m.function(m.limits[limit].gradient)[0]
	u.set("g", g).set("theta", theta).run()
	return u.value
}

// LimitPath writes the parameters of the target on the way to a limit to dst.
func (m *model) LimitPath(dst, theta []float64, limit int, t float64) {
	if limit < 0 || limit >= len(m.known) || !m.limitData(limit) {
		dst[0] = nan
		return
	}
	u := m.function(m.limits[limit].path)[0]
	m.mass[0][0] = t
	for name := range u.args {
		if name != "dst" && name != "theta" {
			u.set(name, m.mass[0]) // what is left is the scale, under whatever name
		}
	}
	if u.set("dst", dst).set("theta", theta).run() == indefinite {
		dst[0] = nan
	}
}

// LimitFrom writes the parameters of a limit that theta, the parameters of the target, are near to dst, where the spec says them.
func (m *model) LimitFrom(dst, theta []float64, limit int) {
	dst[0] = nan
	if limit < 0 || limit >= len(m.known) || m.d.Limits[limit].From == nil {
		return
	}
	u := m.function(m.limits[limit].from)[0]
	if u.set("dst", dst).set("theta", theta).run() == indefinite {
		dst[0] = nan
	}
}

// limitData computes what a limit needs of the data, and reports whether it is defined.
func (m *model) limitData(limit int) bool {
	if m.known[limit] != 0 {
		return m.known[limit] > 0
	}
	m.known[limit] = -1
	for _, c := range m.pkg.Limits[limit] {
		f := m.field(c.Name)
		if m.rows.Grow(f, m.w.Len()*m.size(c.Type.Dims[:c.Type.Rank])) != nil {
			return false
		}
	}
	if name := m.limits[limit].data; m.pkg.Functions[name] != nil {
		for _, u := range m.function(name) {
			if u.run() == indefinite {
				return false
			}
		}
	}
	m.known[limit] = 1
	return true
}

// LimitStart writes starting point i of a limit to theta.
func (m *model) LimitStart(theta []float64, limit, i int, rng *rand.Rand) error {
	if limit < 0 || limit >= len(m.known) {
		return fmt.Errorf("there is no limit %d", limit)
	}
	l, name := m.d.Limits[limit], limitName(limit, fmt.Sprintf("Start%d", i))
	if i < 0 || i >= len(l.Starts) {
		if l.RandomStart == nil {
			return fmt.Errorf("the limit %s has no start %d, and none that is random", l.Spec.Name, i)
		}
		name = limitName(limit, "RandomStart")
	}
	m.startOf(name, "theta", theta, rng)
	return nil
}
