package check

import (
	"fmt"
	"math"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/expr/eval"
	"github.com/sngdgen/sngdgen/gen/derive"
	"github.com/sngdgen/sngdgen/internal/diag"
)

// joint checks the coordinates of a mixture model, whose components are right: that both lead back to the standard
// parameters, and that the mean map is the derivative of the log-partition. What is wrong there is a fault of the generator.
func (c *checker) joint() bool {
	return c.jointTrip(c.d.Family.Natural) && c.jointTrip(c.d.Family.Mean) && c.jointMeans()
}

// jointTrip goes from standard parameters to coordinates of the mixture model and back.
func (c *checker) jointTrip(m derive.Coords) bool {
	what := fmt.Sprintf("the %s parameters of the %s", m.Name, c.p.Surrogate.Name)
	rng := c.stream("joint " + m.Name)
	for range mapPoints {
		p, ok := c.inside(rng, c.declared(), mapDecades)
		if !ok {
			continue
		}
		t := c.trip(m, p)
		if !t.defined() && c.generated() { // the interpreter's Newton is no match for the emitted one
			continue
		}
		c.looked["joint "+m.Name]++
		if i := t.wrong(); i >= 0 {
			c.bug("%s do not give back %s: %s becomes %s at %v", what, c.free[i].name, text(t.start[i], 9), text(t.back[i], 9), t.from)
			return false
		}
		for i, v := range t.back { // coordinates do not know of weights whose sum is not 1, or of directions whose length is not
			if wrong := misshapen(v, c.free[i].kind); wrong != "" {
				c.bug("%s give back %s that is none: %s at %v", what, c.free[i].name, wrong, t.from)
				return false
			}
		}
	}
	looked := c.looked["joint "+m.Name]
	switch {
	case !c.last:
	case looked == 0 && c.generated():
		c.diags.Notef(diag.Span{}, "%s: the interpreter could not follow how %s give back the standard ones", c.p.Spec.Package, what)
	case looked == 0:
		c.diags.Warningf(c.p.Spec.Surrogate.NameSpan, "that %s give back the standard ones could not be verified", what)
	default:
		c.diags.Notef(diag.Span{}, "%s: %s give back the standard ones%s", c.p.Spec.Package, what, c.certainty(m, c.aboutWeights(), looked))
	}
	return true
}

// generated reports whether the inverse of the mean map is one that the spec does not give.
func (c *checker) generated() bool { return len(c.p.Spec.Surrogate.FromMean) == 0 }

// aboutWeights are what proofs need: the weights are positive, and their sum is 1.
func (c *checker) aboutWeights() [][2]*expr.Node {
	w := c.p.Mixture.Weights
	log, _ := expr.FunctionNamed("log")
	return [][2]*expr.Node{
		{c.g.Sum(expr.Components, w), c.g.Const(1)},
		{c.g.Softmax(expr.Components, c.g.Call(log, w)), w},
	}
}

// jointMeans compares the mean parameters of the mixture model with differences of its log-partition.
func (c *checker) jointMeans() bool {
	f := c.jointLogPartition()
	rng := c.stream("joint means")
	verified := 0
	for range gradientPoints {
		p, ok := c.inside(rng, c.declared(), 0.7)
		if !ok {
			continue
		}
		n, sound := c.jointMeansAt(p, f)
		if verified += n; !sound {
			return false
		}
	}
	if verified == 0 {
		c.diags.Warningf(c.p.Spec.PackageSpan, "the mean map of the %s could not be verified", c.p.Surrogate.Name)
	}
	return true
}

// jointLogPartition is the logarithm of the sum of exp(rho + A(eta)) over the components, with rho = 0 for the last.
func (c *checker) jointLogPartition() *expr.Node {
	natural := c.d.Family.Natural
	by := map[*expr.Node]*expr.Node{}
	for i, s := range c.d.Family.Std {
		by[s] = natural.ToStd[i]
	}
	a := c.g.Substitute(c.g.Substitute(c.oneFamily().LogPartition, c.p.Surrogate.Shared), by)
	return c.g.LogSumExp(expr.Components, c.g.Add(natural.Syms[0], a))
}

// jointMeansAt compares at one point. It returns how many mean parameters could be verified, and false when one is wrong.
func (c *checker) jointMeansAt(p point, logPartition *expr.Node) (verified int, sound bool) {
	natural := c.d.Family.Natural
	env := p.env()
	c.coordinates(natural, env)
	means := c.coordinates(c.d.Family.Mean, env)
	steps, ok := c.steps(system{syms: natural.Syms, ofStd: natural.OfStd}, p, env)
	if !ok {
		return 0, true
	}
	for i, entries := range c.entriesOfEach(natural.Syms) {
		e := estimates{entries: entries, steps: steps[:len(entries)]}
		steps = steps[len(entries):]
		c.difference(&e, logPartition, env)
		k, n := e.disagree(means[i])
		if verified += n; k >= 0 {
			c.bug("mean parameter %d of the %s is %.9g, but differences of its log-partition give %.9g%s, at %v",
				i+1, c.p.Surrogate.Name, entries[k].slope(means[i]), e.want[k], entries[k].whose(), p)
			return verified, false
		}
	}
	return verified, true
}

// responsibilities compares the posterior probabilities of the components with those of the densities as written.
func (c *checker) responsibilities() {
	if c.p.Mixture == nil {
		return
	}
	const tolerance = 1e-9
	rng := c.stream("responsibilities")
	verified := 0
	written := c.ofDraws(c.p.Target.Joint, c.p.Target.LogPDF)
	for range gradientPoints {
		p, ok := c.inside(rng, c.d.Surrogate.Conditions, 0.7)
		if !ok {
			continue
		}
		env := c.objectiveEnv(rng, p)
		v := c.values(append([]*expr.Node{c.d.Responsibilities}, written...), env)
		for k := range c.known.components {
			for i, total := range v[2].Rows {
				got, want := inRow(v[0], k, i), math.Exp(inRow(v[1], k, i)-total)
				if !finite(want) {
					continue
				}
				if verified++; !(math.Abs(got-want) <= tolerance) {
					c.bug("the derived probability of component %d is %.9g in row %d, but as written it is %.9g, at %v", k+1, got, i+1, want, p)
					return
				}
			}
		}
	}
	if verified == 0 {
		c.diags.Warningf(c.p.Spec.PackageSpan, "the probabilities of the components could not be verified")
	}
}

// inRow is the number of a component in a row.
func inRow(v eval.Value, k, i int) float64 { return rowOf(component(v, k), i).Scalar }
