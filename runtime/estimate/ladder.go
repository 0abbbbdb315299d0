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
	"github.com/sngdgen/sngdgen/runtime/dense"
)

// Candidate is an approximation that Climb may take: a model of the posterior that has the data.
type Candidate struct {
	Name  string // by which other approximations contain it: see runtime.Contained
	Model runtime.Variational
	// Components are the numbers of components of a mixture, in ascending order. With none it is two, and more, one at a time, as
	// long as the bound rises by more than NegligibleRise.
	Components []int
	// Optional leaves it out where an approximation that contains it has no more numbers, as a normal distribution has of few
	// variables for one whose covariance matrix is of low rank.
	Optional bool
}

// Ladder has the fits of several approximations of one posterior, each after those that it contains.
type Ladder struct {
	Rungs []Rung `json:"rungs"`
	// Knee is the index of the first rung that came to its end and whose bound no other one exceeds by more than NegligibleRise and
	// two standard errors of the difference; of all rungs where none of these came to its end, and -1 where nothing was fitted.
	Knee     int      `json:"knee"`
	Warnings []string `json:"warnings,omitempty"`
}

// Rung is the fit of one approximation.
type Rung struct {
	Name        string `json:"name"`
	Components  int    `json:"components,omitempty"`  // of a mixture
	Coordinates int    `json:"coordinates,omitempty"` // how many numbers are fitted
	// From is the index of the contained rung of the highest bound; -1 where there is none. Rise is by how much the bound is higher
	// than there, with the standard error of the difference, by the same draws.
	From      int    `json:"from"`
	Rise      Number `json:"rise"`
	RiseError Number `json:"rise_error"`
	// Kept is set where no run came to a higher bound than that of the contained rung: the approximation is that one then.
	Kept    bool           `json:"kept"`
	Seconds float64        `json:"seconds"`
	Fit     *Approximation `json:"fit"` // nil where there is nothing to report
	Error   string         `json:"error,omitempty"`

	z, theta []float64
}

const (
	// NegligibleRise is a rise of the bound, in nats, that does not make an approximation worth its parameters. The Kullback-Leibler
	// divergence from the posterior decreases by as much: that of two normal distributions of one variance is 0.1 where their means
	// are 0.45 standard deviations apart.
	NegligibleRise = 0.1
	// mostAutomatic is the largest number of components that is tried where nobody asks for one.
	mostAutomatic = 4
	// mostSplits are the components, the heaviest ones, of which one is split for a start of one more.
	mostSplits = 3
	// randomMixtures are random starts of the first mixture, beside those from what it contains: these find no mode of the posterior
	// that lies apart.
	randomMixtures = 2
	// A difference of bounds is estimated from at most so many times the draws of a bound, until it is sure beside NegligibleRise.
	mostRiseDraws = 16
)

// Label is what the rung is called in a table: with the number of components of a mixture.
func (r *Rung) Label() string {
	if r.Components > 0 {
		return fmt.Sprintf("%s(%d)", r.Name, r.Components)
	}
	return r.Name
}

// Complete reports whether all rungs came to the ends they were meant to have.
func (l *Ladder) Complete() bool {
	return !slices.ContainsFunc(l.Rungs, func(r Rung) bool { return r.Fit == nil || !r.Fit.Complete() })
}

// Climb fits approximations of one posterior, from those that are contained in others upwards. A fit starts from the ends of
// the fits of what it contains (runtime.Container), a mixture also from that of one component less, of which one is split.
// Where none of its runs ends at a higher bound by the same draws, the contained approximation is kept, so that bounds do not fall
// on the way up. The models have the same data, and are not used beyond Clone. Settings may be nil; numbers of components and
// starts in them are not used, but for approximations that contain no other. The error says what cannot be fitted with these
// settings at all, or that the context ended, when there is a ladder of what was fitted before.
func Climb(ctx context.Context, candidates []Candidate, s *Settings) (*Ladder, error) {
	c := &climber{ladder: &Ladder{Knee: -1}, candidates: upwards(slices.DeleteFunc(slices.Clone(candidates), func(x Candidate) bool {
		return x.Optional && superfluous(x, candidates)
	}))}
	if s != nil {
		c.settings = *s
	}
	if err := c.check(); err != nil {
		return nil, err
	}
	for i := range c.candidates {
		c.fitAll(ctx, &c.candidates[i])
	}
	c.ladder.Knee = c.ladder.knee()
	return c.ladder, ctx.Err()
}

// upwards puts approximations behind those that they contain, and otherwise leaves their order.
func upwards(candidates []Candidate) []Candidate {
	var out []Candidate
	placed := map[string]bool{}
	var place func(c Candidate)
	place = func(c Candidate) {
		if placed[c.Name] {
			return
		}
		placed[c.Name] = true
		for _, inner := range c.Model.Info().Contained {
			if i := slices.IndexFunc(candidates, func(x Candidate) bool { return x.Name == inner.Name }); i >= 0 {
				place(candidates[i])
			}
		}
		out = append(out, c)
	}
	for _, c := range candidates {
		place(c)
	}
	return out
}

// superfluous reports whether one of the approximations contains another one and has no more numbers.
func superfluous(x Candidate, all []Candidate) bool {
	return slices.ContainsFunc(all, func(by Candidate) bool {
		_, mixture := by.Model.(runtime.Mixture)
		contains := slices.ContainsFunc(by.Model.Info().Contained, func(c runtime.Contained) bool { return c.Name == x.Name })
		return !mixture && contains && dimension(by.Model) <= dimension(x.Model)
	})
}

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
	return slices.ContainsFunc(c.ladder.Rungs, func(r Rung) bool { return r.Name == name })
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
		if below.Fit == nil || below.Components > rung.Components {
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

// thetas are the parameters to start with from those of a contained approximation: themselves, or of a mixture of more components
// one of these split, each of the heaviest ones.
func (c *climber) thetas(m, below runtime.Variational, i int, theta []float64) [][]float64 {
	k, from := componentsOf(m), componentsOf(below)
	if k == 0 {
		return [][]float64{theta}
	}
	p := newPieces(m, i, max(from, 1), theta, from > 0)
	if from == k {
		return [][]float64{p.join(identity(k), p.weights, nil)}
	}
	var out [][]float64
	for _, of := range p.heaviest(mostSplits) {
		origins, weights := identity(p.k), slices.Clone(p.weights)
		direction := p.longestAxis(m, of, c.settings.Seed)
		directions := map[int][]float64{}
		for share := 2; len(origins) < k; share++ { // the last of several pieces are where the first is
			origins, weights = append(origins, of), append(weights, 0)
			for j, o := range origins {
				if o == of {
					weights[j] = p.weights[of] / float64(share)
				}
			}
		}
		directions[of], directions[p.k] = direction, scaled(direction, -1)
		out = append(out, p.join(origins, weights, directions))
	}
	return out
}

func identity(k int) []int {
	out := make([]int, k)
	for i := range out {
		out[i] = i
	}
	return out
}

func scaled(x []float64, by float64) []float64 {
	out := make([]float64, len(x))
	for i, v := range x {
		out[i] = by * v
	}
	return out
}

// pieces are the components of a contained approximation, of which those of a mixture are made.
type pieces struct {
	contained int
	k         int
	weights   []float64
	params    [][]float64 // of each parameter the components, one after the other
	width     int         // of the variable
}

// newPieces takes the parameters of a contained approximation apart.
func newPieces(m runtime.Variational, contained, k int, theta []float64, weighted bool) *pieces {
	p := &pieces{contained: contained, k: k, weights: []float64{1}, width: m.Info().Variable.Len(m)}
	if weighted {
		p.weights, theta = slices.Clone(theta[:k]), theta[k:]
	}
	list := m.Info().Contained[contained].Parameters
	for i := range list {
		one := list[i].Component()
		n := one.Len(m) * k
		p.params, theta = append(p.params, theta[:n]), theta[n:]
	}
	return p
}

// join makes parameters for runtime.Container of components that come from pieces.
func (p *pieces) join(origins []int, weights []float64, directions map[int][]float64) []float64 {
	theta := slices.Clone(weights)
	for _, x := range p.params {
		n := len(x) / p.k
		for _, o := range origins {
			theta = append(theta, x[o*n:(o+1)*n]...)
		}
	}
	zero := make([]float64, p.width)
	for j := range origins {
		if d := directions[j]; d != nil {
			theta = append(theta, d...)
		} else {
			theta = append(theta, zero...)
		}
	}
	return theta
}

// heaviest are the pieces of the largest weights.
func (p *pieces) heaviest(most int) []int {
	out := identity(p.k)
	slices.SortStableFunc(out, func(a, b int) int { return cmp.Compare(p.weights[b], p.weights[a]) })
	return out[:min(most, p.k)]
}

// axisDraws are those from which the longest axis of a component is found, axisRounds the steps to it.
const (
	axisDraws  = 1000
	axisRounds = 50
)

// longestAxis is the longest axis of a piece, one standard deviation long: the first eigenvector of the covariance matrix of
// draws from it. It is 0 where that is not known.
func (p *pieces) longestAxis(m runtime.Variational, of int, seed uint64) []float64 {
	x := make([]float64, p.width)
	one := m.Clone().(runtime.Variational)
	if SetComponents(one, 1) != nil {
		return x
	}
	z := make([]float64, dimension(one))
	if one.(runtime.Container).Contain(z, p.join([]int{of}, []float64{1}, nil), p.contained) != nil {
		return x
	}
	moments, err := runtime.Posterior(one, z, axisDraws, seed)
	if err != nil {
		return x
	}
	for i := range x { // no eigenvector of a matrix with any pattern
		x[i] = math.Sqrt(moments.Covariance[i*p.width+i]) * (1 + 0.1*math.Sin(float64(i+1)))
	}
	y := make([]float64, p.width)
	length := 0.0
	for range axisRounds {
		norm := math.Sqrt(dense.Dot(x, x))
		for i := range y {
			y[i] = dense.Dot(moments.Covariance[i*p.width:(i+1)*p.width], x) / norm
		}
		length = math.Sqrt(dense.Dot(y, y))
		x, y = y, x
	}
	for i := range x {
		x[i] *= math.Sqrt(length) / length
	}
	return x
}

// knee is the first rung that no other exceeds by more than NegligibleRise and two standard errors, among those that came to
// their end if one of them did.
func (l *Ladder) knee() int {
	if i := l.kneeOf(func(r *Rung) bool { return r.Fit != nil && r.Fit.Complete() }); i >= 0 {
		return i
	}
	return l.kneeOf(func(r *Rung) bool { return r.Fit != nil })
}

func (l *Ladder) kneeOf(counts func(*Rung) bool) int {
	for i := range l.Rungs {
		exceeded := func(j int) bool {
			rise, err := l.between(i, j)
			return rise > NegligibleRise+2*err
		}
		if counts(&l.Rungs[i]) && !slices.ContainsFunc(identity(len(l.Rungs)), exceeded) {
			return i
		}
	}
	return -1
}

// between is by how much the bound of rung j is higher than that of rung i, with its standard error: the sum of the rises along
// the way from what both contain, or the difference of two estimates where there is nothing.
func (l *Ladder) between(i, j int) (rise, err float64) {
	if l.Rungs[j].Fit == nil {
		return 0, 0
	}
	a, b := l.path(i), l.path(j)
	common := 0
	for common < min(len(a), len(b)) && a[common] == b[common] {
		common++
	}
	variance := 0.0
	if common == 0 {
		p, q := &l.Rungs[a[0]].Fit.ELBO, &l.Rungs[b[0]].Fit.ELBO
		rise = float64(q.Mean - p.Mean)
		variance = square(float64(p.StandardError)) + square(float64(q.StandardError))
		common = 1
	}
	for _, r := range b[common:] {
		rise += float64(l.Rungs[r].Rise)
		variance += square(float64(l.Rungs[r].RiseError))
	}
	for _, r := range a[common:] {
		rise -= float64(l.Rungs[r].Rise)
		variance += square(float64(l.Rungs[r].RiseError))
	}
	return rise, math.Sqrt(variance)
}

// path are the rungs that lead to a rung, from the lowest.
func (l *Ladder) path(i int) []int {
	var out []int
	for ; i >= 0; i = l.Rungs[i].From {
		out = append(out, i)
	}
	slices.Reverse(out)
	return out
}

func square(x float64) float64 { return x * x }
