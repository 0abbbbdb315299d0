package check

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/expr/eval"
	"github.com/sngdgen/sngdgen/gen/derive"
)

const (
	gradientPoints = 3
	// gradientTolerance is the relative difference between a derivative and its estimate that is put down to rounding.
	gradientTolerance = 1e-6
	// relativeStep is the longest step of the differences, in units of what it changes.
	relativeStep = 0.02
	// mostDifferences is along how many entries of one vector or matrix derivatives are compared at one point.
	mostDifferences = 40
)

// gradients compares the objective and both its gradients with the composition as written, in the interpreter.
func (c *checker) gradients() {
	rng := c.stream("gradients")
	verified := 0
	for range gradientPoints {
		p, ok := c.inside(rng, c.d.Surrogate.Conditions, 0.7)
		if !ok {
			continue
		}
		env := c.objectiveEnv(rng, p)
		n, sound := c.gradientsAt(p, env)
		verified += n
		if !sound {
			return
		}
	}
	if verified == 0 {
		w := c.diags.Warningf(c.p.Spec.PackageSpan, "the derived gradients could not be verified")
		if hint := c.impossible(); hint != "" {
			w.WithHint("%s", hint)
		}
	}
}

// system is the objective in one system of coordinates.
type system struct {
	name    string
	f       *expr.Node   // as written
	syms    []*expr.Node // of the coordinates, without auxiliary parameters
	ofStd   []*expr.Node
	derived []*expr.Node // the gradient, with auxiliary parameters
	metric  bool         // the gradient with respect to auxiliary parameters is divided by their metric
	from    int          // the first symbol that is looked at
	what    string
}

func (c *checker) systems() []system {
	s := &c.d.Surrogate
	var stepped []*expr.Node
	for _, x := range s.Coords {
		if !x.Auxiliary {
			stepped = append(stepped, x.Sym)
		}
	}
	stepping, dual := c.literals()
	first := system{name: "stepped", f: stepping, syms: stepped, ofStd: s.SteppedOf, derived: s.Covector, what: "gradient"}
	second := system{name: "dual", f: dual, syms: s.Dual, ofStd: s.DualOf, derived: s.Natural, metric: true, what: "natural gradient"}
	if c.p.Surrogate.OfColumns { // the rest of which informationAt looks at
		second = first
		second.derived, second.metric, second.what, second.from = s.Natural, true, "natural gradient", len(stepped)
	}
	return []system{first, second}
}

// gradientsAt compares at one point. It returns how many derivatives could be verified, and false when one is wrong.
func (c *checker) gradientsAt(p point, env *eval.Env) (verified int, sound bool) {
	for _, s := range c.systems() {
		if !c.sameLoss(s, p, env) {
			return verified, false
		}
		steps, ok := c.steps(s, p, env)
		if !ok {
			continue
		}
		derived := c.values(s.derived, env)
		blocks := s.syms
		for _, a := range c.p.Auxiliary {
			blocks = append(slices.Clip(blocks), a.Sym)
		}
		for i, sym := range blocks {
			got := estimates{entries: c.entries(sym)}
			for range got.entries {
				got.steps, steps = append(got.steps, steps[0]), steps[1:]
			}
			if i < s.from {
				continue
			}
			c.difference(&got, s.f, env)
			if k := i - len(s.syms); k >= 0 && s.metric && c.d.Surrogate.Metrics[k] != nil {
				got.divide(c.valueOf(c.d.Surrogate.Metrics[k], env))
			}
			n, sound := c.compare(got, derived[i], "derived "+s.what+": d f/d ", p)
			if verified += n; !sound {
				return verified, false
			}
		}
	}
	if c.p.Surrogate.OfColumns {
		n, sound := c.informationAt(p, env)
		return verified + n, sound
	}
	return verified, true
}

// estimates are derivatives along the entries of one symbol by differences, NaN where the differences do not converge, and
// sizes of derivatives that rounding could be taken for.
type estimates struct {
	entries            []entry
	steps, want, floor []float64
}

// difference fills in the derivatives: along all entries, or of very many along some of them.
func (c *checker) difference(e *estimates, f *expr.Node, env *eval.Env) {
	size := math.Max(1, math.Abs(value(f, env)))
	chosen := c.some(len(e.entries))
	for k, x := range e.entries {
		want, doubt := math.NaN(), 0.0
		if chosen == nil || chosen[k] {
			var ok bool
			if want, doubt, ok = derivative(f, x, e.steps[k], env); !ok {
				want = math.NaN()
			}
		}
		e.want, e.floor = append(e.want, want), append(e.floor, size/e.steps[k]*relativeStep+doubt)
	}
}

// some chooses at random along which entries derivatives are compared; nil means all.
func (c *checker) some(count int) map[int]bool {
	if count <= mostDifferences {
		return nil
	}
	c.sampled = max(c.sampled, count)
	if c.entryStream == nil {
		c.entryStream = c.stream("entries")
	}
	chosen := map[int]bool{}
	for _, k := range c.entryStream.Perm(count)[:mostDifferences] {
		chosen[k] = true
	}
	return chosen
}

// divide applies the inverse of a metric, a number or a matrix for each component. A matrix needs all of the entries.
func (e *estimates) divide(metric eval.Value) {
	whole := *e
	e.want, e.floor = nil, nil
	for k, n := 0, 0; n < len(whole.want); k++ {
		from := n
		for n < len(whole.want) && whole.entries[n].component == k {
			n++
		}
		own := estimates{want: whole.want[from:n], floor: whole.floor[from:n]}
		own.divideOne(component(metric, k))
		e.want, e.floor = append(e.want, own.want...), append(e.floor, own.floor...)
	}
}

// divideOne applies the inverse of the metric of one component.
func (e *estimates) divideOne(metric eval.Value) {
	d := len(e.want)
	inverse := mat.NewDense(d, d, nil)
	if metric.Cores == nil {
		for i := range d {
			inverse.Set(i, i, 1/metric.Scalar)
		}
	} else if inverse.Inverse(metric.Cores[0]) != nil {
		inverse.Apply(func(int, int, float64) float64 { return math.NaN() }, inverse)
	}
	want, floor := make([]float64, d), make([]float64, d)
	for i := range d {
		for j := range d {
			if a := inverse.At(i, j); a != 0 {
				want[i] += a * e.want[j]
				floor[i] += math.Abs(a) * e.floor[j]
			}
		}
	}
	e.want, e.floor = want, floor
}

// compare compares a gradient in the form of its symbol with differences. It returns how many derivatives could be
// verified, and false when one is wrong.
func (c *checker) compare(e estimates, derived eval.Value, what string, p point) (verified int, sound bool) {
	k, verified := e.disagree(derived)
	if k >= 0 {
		x := e.entries[k]
		c.wrongDerivative(what+x.label(derive.Plain(x.sym.Name))+x.whose(), x.slope(derived), e.want[k], p)
	}
	return verified, k < 0
}

// disagree is the first entry where a gradient in the form of the symbol is not the estimated one, -1 when there is none,
// and how many derivatives could be compared.
func (e *estimates) disagree(derived eval.Value) (k, verified int) {
	for k, x := range e.entries {
		if !finite(e.want[k]) {
			continue
		}
		verified++
		if !agree(x.slope(derived), e.want[k], e.floor[k]) {
			return k, verified
		}
	}
	return -1, verified
}

// wrongDerivative reports what is in the first place a fault of the generator, not of the spec. Where formulas have kinks
// the differences may be what is wrong.
func (c *checker) wrongDerivative(what string, got, want float64, p point) {
	const format = "%s is %.9g, but differences of the objective give %.9g, at %v"
	if hasKinks(c.d.Surrogate.Literal) || hasKinks(c.asWritten()...) {
		c.diags.Warningf(c.p.Spec.PackageSpan, format, what, got, want, p).
			WithHint("the formulas have kinks, which may lie between the points of the differences")
		return
	}
	c.bug(format, what, got, want, p)
}

// bug reports a fault of the generator.
func (c *checker) bug(format string, args ...any) {
	c.diags.Errorf(c.p.Spec.PackageSpan, format, args...).WithHint("this is a bug of sngdgen: please report it")
}

// hasKinks reports whether some function in a formula has a derivative with steps.
func hasKinks(roots ...*expr.Node) bool {
	found := false
	expr.Walk(func(m *expr.Node) {
		steps := m.Op.Elementwise() // with no other slope than 0 it is constant but for steps
		for _, partial := range m.Op.Partials {
			found = found || strings.Contains(partial, "sign(") || strings.Contains(partial, "less(")
			steps = steps && partial == "0"
		}
		found = found || steps
	}, roots...)
	return found
}

// sameLoss compares the objective after rewriting with the one as written.
func (c *checker) sameLoss(s system, p point, env *eval.Env) bool {
	got, want := value(c.d.Surrogate.Loss, env), value(s.f, env)
	if !finite(want) || sameNumber(got, want) {
		return true
	}
	c.bug("the derived objective is %.12g, but as written in the %s coordinates it is %.12g, at %v", got, s.name, want, p)
	return false
}

// sameNumber compares two ways to compute the objective.
func sameNumber(got, want float64) bool {
	return math.Abs(got-want) <= 1e-8*math.Max(1, math.Abs(want))
}

// steps are lengths of differences in each coordinate that change no standard parameter by more than a small part of
// its scale: the coordinates may live on a thin curved strip, as the mean parameters of a gamma distribution do.
func (c *checker) steps(s system, p point, env *eval.Env) ([]float64, bool) {
	own := len(c.p.Surrogate.Params)
	std := c.allEntries(c.d.Family.Std)
	coords := c.entriesOfEach(s.syms)
	push, err := c.pushforward(s.ofStd, c.d.Family.Std)
	if err != nil || len(std) != len(slices.Concat(coords...)) {
		return nil, false
	}
	var out []float64
	if len(std) > 0 {
		m := push.at(env, coords, std)
		var inverse mat.Dense
		if !allFinite(m.RawMatrix().Data) || inverse.Inverse(m) != nil {
			return nil, false
		}
		scales := c.scales(p, 0, own)
		for i := range std { // as many as coordinates
			rate := 0.0
			for j := range std {
				rate = math.Max(rate, math.Abs(inverse.At(j, i))/scales[j])
			}
			out = append(out, relativeStep/rate)
		}
	}
	for _, size := range c.scales(p, own, len(p.vars)) {
		out = append(out, relativeStep*size)
	}
	return out, allFinite(out)
}

// scales are those of the entries of some variables of a point.
func (c *checker) scales(p point, from, to int) []float64 {
	var out []float64
	for k := from; k < to; k++ {
		for _, e := range c.entries(p.vars[k].sym) {
			out = append(out, e.scale(p.values[k]))
		}
	}
	return out
}

// derivative is the derivative of a node along an entry of a symbol by central differences, extrapolated to step zero
// (Romberg). ok is false where the extrapolation does not converge; doubt is how far it has not, as a floor for agree.
func derivative(f *expr.Node, e entry, h float64, env *eval.Env) (d, doubt float64, ok bool) {
	name := e.sym.Name
	at := env.Symbols[name]
	defer func() { env.Symbols[name] = at }()
	return differences(h, func(step float64) float64 {
		env.Symbols[name] = e.moved(at, step)
		return value(f, env)
	})
}

const (
	// levels is how often the step of the differences is halved.
	levels = 3
	// rounding is a change of a function that is put down to rounding: the derivative may be 0.
	rounding = 1e-12
)

func differences(h float64, f func(step float64) float64) (d, doubt float64, ok bool) {
	var last []float64
	centre := f(0)
	var bends [levels]float64 // how much the slopes on the two sides differ: less and less where there is no kink
	for level := range levels {
		up, down := f(h), f(-h)
		bends[level] = math.Abs(up-2*centre+down) / h
		row := []float64{(up - down) / (2 * h)}
		for k, power := 0, 4.0; k < level; k, power = k+1, 4*power {
			row = append(row, row[k]+(row[k]-last[k])/(power-1))
		}
		last, h = row, h/2
	}
	best, before := last[levels-1], last[levels-2]
	off := math.Abs(best - before)
	converged := off <= 1e-4*math.Max(math.Abs(best), math.Abs(last[0])) || off*h < rounding
	kink := bends[levels-1] > bends[0]/2 && bends[levels-1] > gradientTolerance*math.Max(math.Abs(best), math.Abs(centre)) &&
		bends[levels-1]*h >= rounding // what is constant has no kinks but of rounding
	return best, off / floorTolerance, finite(best) && converged && !kink
}

// agree compares a derivative with its estimate. floor is the size of derivative that the rounding of the objective could
// be confused with, divided by floorTolerance.
func agree(got, want, floor float64) bool {
	size := math.Max(math.Abs(got), math.Abs(want))
	return math.Abs(got-want) <= gradientTolerance*size+floorTolerance*floor
}

const floorTolerance = 1e-9

// unconstrained compares the derivatives in unconstrained coordinates, which the baseline methods use.
func (c *checker) unconstrained() {
	rng := c.stream("unconstrained")
	u := &c.d.Unconstrained
	if len(u.Coords) == 0 { // the parameters are vectors or matrices
		return
	}
	for range gradientPoints {
		p := c.draw(rng, c.targetVariables(), 0.7, c.known)
		on := func(x []float64) *eval.Env {
			env := p.env()
			c.bind(env, x)
			return env
		}
		env := on(c.dataOf(rng, plausible, on))
		for k, v := range c.values(u.Inverse, env) {
			env.Symbols[u.Coords[k].Name] = v
		}
		gradient := c.values(u.Gradient, env)
		for k, sym := range u.Coords {
			if !c.unconstrainedAt(k, sym, gradient[k].Scalar, p, env) {
				return
			}
		}
	}
}

// unconstrainedAt compares one entry of the gradient, and one row of the matrix of second derivatives.
func (c *checker) unconstrainedAt(k int, sym *expr.Node, got float64, p point, env *eval.Env) bool {
	u := &c.d.Unconstrained
	along := func(f *expr.Node) (d, doubt float64, ok bool) {
		return differences(relativeStep, func(step float64) float64 {
			at := env.Symbols[sym.Name]
			env.Set(sym.Name, at.Scalar+step)
			v := value(f, c.atTheta(env))
			env.Symbols[sym.Name] = at
			return v
		})
	}
	f := c.meanNLL()
	floor := math.Abs(value(f, env))
	if !finite(floor) {
		return true
	}
	if want, doubt, ok := along(f); ok && !agree(got, want, floor+doubt) {
		c.wrongDerivative("derived gradient in unconstrained coordinates: d f/d "+sym.Name, got, want, p)
		return false
	}
	if u.Hessian == nil { // a second derivative is not available
		return true
	}
	for j, second := range c.values(u.Hessian[k], env) {
		if want, doubt, ok := along(u.Gradient[j]); ok && !agree(second.Scalar, want, 1+floor+doubt) {
			c.wrongDerivative(fmt.Sprintf("derived second derivative: d^2 f/d %s d %s", sym.Name, u.Coords[j].Name), second.Scalar, want, p)
			return false
		}
	}
	return true
}

// objective compares the loss and its gradient in the parameters of the target, which other methods use where those are
// vectors or matrices.
func (c *checker) objective() {
	o := c.d.Objective
	if o == nil {
		return
	}
	rng := c.stream("objective")
	theta := c.targetVariables()
	f, written := c.inTheta()
	for range gradientPoints {
		p, ok := c.inside(rng, c.d.Surrogate.Conditions, 0.7)
		if !ok {
			continue
		}
		env := c.objectiveEnv(rng, p)
		at := point{vars: theta, known: c.known}
		for _, v := range theta {
			at.values = append(at.values, env.Symbols[v.sym.Name])
		}
		if got, want := value(o.Loss, env), value(written, env); finite(want) && !sameNumber(got, want) {
			c.bug("the derived objective is %.12g, but as written it is %.12g, at %v", got, want, at)
			return
		}
		derived := c.values(o.Gradient, env)
		for k, v := range theta {
			e := estimates{entries: c.entries(v.sym)}
			for _, size := range c.scales(at, k, k+1) {
				e.steps = append(e.steps, relativeStep*size)
			}
			c.difference(&e, f, env)
			if _, sound := c.compare(e, derived[k], "derived gradient in the parameters of the target: d f/d ", at); !sound {
				return
			}
		}
	}
}

// atTheta is an environment with the parameters of the target computed from the unconstrained coordinates.
func (c *checker) atTheta(env *eval.Env) *eval.Env {
	out := &eval.Env{Symbols: map[string]eval.Value{}, Weights: env.Weights}
	for name, v := range env.Symbols {
		out.Symbols[name] = v
	}
	for _, t := range c.d.Unconstrained.Theta {
		out.Symbols[t.Sym.Name] = c.valueOf(t.Node, env)
	}
	return out
}

// meanNLL is the objective as written, in the parameters of the target.
func (c *checker) meanNLL() *expr.Node {
	return c.g.Neg(c.g.Div(c.g.Sum(expr.Rows, c.p.Target.LogPDF), c.g.Size(expr.Rows)))
}
