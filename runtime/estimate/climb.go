package estimate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/sngdgen/sngdgen/runtime"
)

const (
	// mostAutomatic is the largest number of components that is tried where nobody asks for one.
	mostAutomatic = 4
	// randomMixtures are random starts of the first mixture, beside those from what it contains: these find no mode of the posterior
	// that lies apart.
	randomMixtures = 2
	// A difference of bounds is estimated from at most so many times the draws of a bound, until it is sure beside NegligibleRise.
	mostRiseDraws = 16
)

// climber builds a ladder.
type climber struct {
	settings   Settings
	candidates []Candidate
	ladder     *Ladder
	models     []runtime.Variational // of the rungs
}

// check reports what makes no sense of any approximation.
func (c *climber) check() error {
	if len(c.candidates) == 0 {
		return errors.New("there are no approximations to compare")
	}
	for _, x := range c.candidates {
		if _, mixture := x.Model.(runtime.Mixture); !mixture && len(x.Components) > 0 {
			return fmt.Errorf("%s is no mixture: it has no components to count", x.Name)
		}
	}
	return c.settings.Check()
}

// fitAll fits an approximation, a mixture with all its numbers of components.
func (c *climber) fitAll(ctx context.Context, x *Candidate) {
	mix, mixture := x.Model.(runtime.Mixture)
	switch {
	case !mixture:
		c.fit(ctx, x, 0)
		if hasSites(x.Model) && slices.Contains(propagating, c.settings.Method) {
			c.propagate(ctx, x)
		}
	case len(x.Components) > 0:
		for _, k := range x.Components {
			c.fit(ctx, x, k)
		}
	case x.Model.Info().Components == "": // the spec gives their number
		c.fit(ctx, x, mix.Components())
	default:
		for k := 2; k <= mostAutomatic; k++ {
			if r := c.fit(ctx, x, k); r == nil || !(float64(r.Rise) > NegligibleRise) {
				return
			}
		}
	}
}

// fit adds a rung, unless the context has ended.
func (c *climber) fit(ctx context.Context, x *Candidate, k int) *Rung {
	if ctx.Err() != nil {
		return nil
	}
	began := time.Now()
	rung := Rung{Name: x.Name, Components: k, From: -1, Rise: Number(math.NaN()), RiseError: Number(math.NaN())}
	m := x.Model.Clone().(runtime.Variational)
	err := SetComponents(m, k)
	if err == nil {
		err = c.climbOn(ctx, m, &rung)
	}
	if err != nil {
		rung.Error = err.Error()
	}
	rung.Seconds = time.Since(began).Seconds()
	c.ladder.Rungs, c.models = append(c.ladder.Rungs, rung), append(c.models, m)
	return &c.ladder.Rungs[len(c.ladder.Rungs)-1]
}

// propagating are the methods of settings with which a ladder has rungs by expectation propagation.
var propagating = []string{"", "auto"}

// propagate adds the rung of an approximation by expectation propagation, unless the context has ended.
func (c *climber) propagate(ctx context.Context, x *Candidate) {
	if ctx.Err() != nil {
		return
	}
	began := time.Now()
	none := Number(math.NaN())
	rung := Rung{Name: x.Name, Method: "ep", Coordinates: dimension(x.Model), From: -1, Rise: none, RiseError: none}
	r := c.settings
	r.Method, r.Components, r.Starts, r.Stochastic, r.Variational.Draws = rung.Method, 0, 0, Stochastic{}, 0
	m, err := r.fillBound(x.Model)
	if err == nil {
		var end *attempt
		if rung.Fit, end, err = r.propagate(ctx, m); err == nil {
			rung.z, rung.theta = end.res.Z, end.theta
		}
	}
	if err != nil {
		rung.Error = err.Error()
	}
	rung.Seconds = time.Since(began).Seconds()
	c.ladder.Rungs, c.models = append(c.ladder.Rungs, rung), append(c.models, x.Model)
}

// foothold is a contained rung: where the approximation is equal to it, and starts from there.
type foothold struct {
	rung   int
	equal  []float64
	starts [][]float64
}

// climbOn fits from what the approximation contains, or from its own starts if there is nothing.
func (c *climber) climbOn(ctx context.Context, m runtime.Variational, rung *Rung) error {
	r := c.settings
	r.Components = 0
	r.Variational.Power, r.Variational.PowerZero = 0, false // of rungs by expectation propagation
	clone, err := r.fillBound(m)
	if err != nil {
		return err
	}
	rung.Coordinates = dimension(m)
	holds := c.footholds(m, rung)
	var starts []start
	for _, h := range holds {
		for _, z := range h.starts {
			starts = append(starts, func(_ runtime.Model, dst []float64) error { copy(dst, z); return nil })
		}
	}
	own := 0
	switch info := m.Info(); {
	case len(holds) == 0:
		own, _ = plan(m, r.Starts)
	case componentsOf(m) > 0 && info.RandomStart && !c.has(rung.Name):
		own = randomMixtures
	}
	starts = append(starts, fromStarts(&r, own)...)
	runs := runAll(ctx, clone.Clone, &r, starts)
	best := c.highest(ctx, m, &r, rung, holds, runs)
	if best == nil {
		return unbegun(ctx, m, runs)
	}
	rung.z, rung.theta = best.res.Z, best.theta
	rung.Fit = approximation(clone, &r, best, nil)
	rung.Fit.Seconds = best.res.Elapsed.Seconds()
	if rung.Kept { // one distribution, and one estimate
		rung.Fit.ELBO = c.ladder.Rungs[rung.From].Fit.ELBO
	}
	return nil
}

// has reports whether there is a rung of an approximation.
func (c *climber) has(name string) bool {
	return slices.ContainsFunc(c.ladder.Rungs, func(r Rung) bool { return r.Name == name && r.Method == "" })
}

// highest takes the highest of the ends of the runs and of the contained approximations, by the same draws.
func (c *climber) highest(ctx context.Context, m runtime.Variational, r *Settings, rung *Rung, holds []foothold, runs []attempt) *attempt {
	best := choose(ctx, m, r, runs)
	if len(holds) == 0 {
		return best
	}
	base := slices.MaxFunc(holds, func(a, b foothold) int {
		return cmp.Compare(c.rise(m, r, holds[0].equal, a.equal), c.rise(m, r, holds[0].equal, b.equal))
	})
	rung.From = base.rung
	highest := 0.0
	for i := range runs {
		a := &runs[i]
		if a.res == nil {
			continue
		}
		// A run that came to no end is taken only where it is higher than all that did.
		if rise := c.rise(m, r, base.equal, a.res.Z); rise > highest {
			highest, best = rise, a
		}
	}
	if highest > 0 {
		if e := c.surely(m, r, base.equal, best.res.Z); e.Mean > 0 {
			rung.Rise, rung.RiseError = Number(e.Mean), Number(e.StandardError)
			return best
		}
	}
	rung.Kept, rung.Rise, rung.RiseError = true, 0, 0
	return c.keep(m, &base, best, rung)
}

// keep is the end of a run at a contained approximation.
func (c *climber) keep(m runtime.Variational, base *foothold, run *attempt, rung *Rung) *attempt {
	res := &runtime.Result{Z: base.equal, Status: runtime.BoundConverged,
		Message: "no higher bound than that of " + c.ladder.Rungs[base.rung].Label() + " was found"}
	out := &attempt{res: res, theta: make([]float64, thetaLen(m))}
	if run != nil {
		res.Iterations, res.LossEvaluations, res.GradientEvaluations = run.res.Iterations, run.res.LossEvaluations, run.res.GradientEvaluations
		res.Elapsed = run.res.Elapsed
		if !run.ended() {
			res.Status = run.res.Status
		}
	}
	m.Theta(out.theta, res.Z)
	return out
}

// rise is by how much the bound is higher at to than at from; minus infinity where it cannot be known.
func (c *climber) rise(m runtime.Variational, r *Settings, from, to []float64) float64 {
	e, err := runtime.Rise(m, from, to, r.Variational.evalDraws(m), r.Seed)
	if err != nil || math.IsNaN(e.Mean) {
		return math.Inf(-1)
	}
	return e.Mean
}

// surely estimates a rise with more and more draws, until its error is of no consequence.
func (c *climber) surely(m runtime.Variational, r *Settings, from, to []float64) runtime.Estimate {
	draws := r.Variational.evalDraws(m)
	for most := mostRiseDraws * draws; ; draws *= 4 {
		e, err := runtime.Rise(m, from, to, draws, r.Seed)
		if err != nil {
			return runtime.Estimate{Mean: math.NaN(), StandardError: math.NaN()}
		}
		if sure := 2*e.StandardError <= NegligibleRise/2 || math.Abs(e.Mean) > NegligibleRise+4*e.StandardError; sure || draws >= most {
			return e
		}
	}
}

// footholds are the rungs that an approximation contains.
func (c *climber) footholds(m runtime.Variational, rung *Rung) []foothold {
	container, ok := m.(runtime.Container)
	if !ok {
		return nil
	}
	var out []foothold
	for j := range c.ladder.Rungs {
		below := &c.ladder.Rungs[j]
		if below.Fit == nil || below.Method != "" || below.Components > rung.Components {
			continue
		}
		i := containedIn(m, c.models[j], below.Name, rung.Name)
		if i < 0 {
			continue
		}
		h := foothold{rung: j}
		for _, theta := range c.thetas(m, c.models[j], i, below.theta) {
			equal, start := make([]float64, dimension(m)), make([]float64, dimension(m))
			if h.equal == nil && container.Contain(equal, theta, i) == nil {
				h.equal = equal
			}
			if container.ContainStart(start, theta, i, runtime.Stream(c.settings.Seed, "contained", uint64(j))) == nil {
				h.starts = append(h.starts, start)
			}
		}
		if h.equal != nil {
			out = append(out, h)
		}
	}
	return out
}

// containedIn is the index of the contained approximation whose parameters those of a rung are: the one with its name, or of a
// mixture of more components of the same kind the one that has the parameters of a component. It is -1 for none.
func containedIn(m, below runtime.Variational, name, own string) int {
	list := m.Info().Contained
	if name != own {
		return slices.IndexFunc(list, func(c runtime.Contained) bool { return c.Name == name })
	}
	components := m.Info().Parameters[1:]
	return slices.IndexFunc(list, func(c runtime.Contained) bool {
		return slices.EqualFunc(c.Parameters, components, func(a, b runtime.Parameter) bool { return a.Name == b.Name && a.Type == b.Type })
	})
}
