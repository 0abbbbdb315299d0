// Package check looks for what is wrong with a problem although all its formulas make sense: maps that do not undo each
// other, densities that do not integrate to 1, a map onto the target that loses directions or leads outside its
// parameters, starts outside the domain, names that nothing uses. It also compares the derived gradients with
// differences of the interpreter on the composition as written.
//
// Most checks are numerical, at points drawn from the domain. The draws are the same in every run.
package check

import (
	"hash/fnv"
	"maps"
	"math/rand/v2"
	"slices"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/gen/bind"
	"github.com/sngdgen/sngdgen/gen/derive"
	"github.com/sngdgen/sngdgen/internal/diag"
)

// checker carries what is derived for one problem, and the findings.
type checker struct {
	d     *derive.Result
	p     *bind.Problem
	g     *expr.Graph
	diags diag.List
	free  []variable // standard and auxiliary parameters
	// single are those of one component of a mixture: without it the same.
	single []variable
	// dims are the names of the dimensions, and lengths what they are in the round that is under way.
	dims    []string
	lengths map[string]int
	last    bool // no other round follows
	known   *known
	one     *known // known, with one component
	// sound says that the maps of the surrogate undo each other: everything that is derived relies on it.
	sound  bool
	looked map[string]int // at how many points an inverse map was looked at, in all rounds
	// sampled is the number of entries of the largest vector or matrix of which only some were compared with differences, as
	// entryStream has chosen them.
	sampled     int
	entryStream *rand.Rand
	// weighed are the densities whose mass has been looked at, improper those that failed.
	weighed, improper map[string]bool
}

// Check returns what is found wrong with a derived problem. A problem with vectors and matrices is looked at with short
// ones, of one to three entries; the first lengths with errors end the search.
func Check(d *derive.Result) diag.List {
	c := newChecker(d)
	c.unused()
	c.ownFunctions()
	if c.inGo() || c.diags.HasErrors() {
		return c.diags
	}
	rounds := c.rounds()
	for i := range rounds {
		found := c.diags
		c.diags, c.last = diag.List{}, i == len(rounds)-1
		c.at(rounds[i])
		c.round()
		c.diags = merged(found, c.diags)
		if c.diags.HasErrors() {
			break
		}
	}
	if c.sampled > 0 && !c.diags.HasErrors() {
		c.diags.Notef(c.p.Spec.PackageSpan, "gradients were compared with differences along %d entries of each vector or matrix at each point, "+
			"chosen at random: the largest has %d", mostDifferences, c.sampled)
	}
	c.leftOut()
	return c.diags
}

// round looks at the problem at one choice of lengths.
func (c *checker) round() {
	if !c.latentsFit() || !c.domain() {
		return // nowhere to look at the rest
	}
	if c.approximations(); c.diags.HasErrors() {
		return
	}
	c.families()
	c.rank()
	c.closedForms()
	if c.sound { // else the gradients are wrong for a reason that has been given
		c.derivatives()
	}
	c.predictiveScore()
	c.sequenceScore()
	c.starts()
	c.limits()
}

// derivatives compares what is derived with differences.
func (c *checker) derivatives() {
	c.modelGradient()
	c.sites()
	c.gradients()
	c.unconstrained()
	c.objective()
	c.responsibilities()
}

// merged adds findings to those of shorter vectors. What is at the same place is the same again.
func merged(found, more diag.List) diag.List {
	for _, d := range more.All() {
		again := func(old *diag.Diagnostic) bool {
			return !d.Span.IsZero() && old.Span == d.Span && old.Severity == d.Severity
		}
		if !slices.ContainsFunc(found.All(), again) {
			found.Add(d)
		}
	}
	return found
}

func newChecker(d *derive.Result) *checker {
	c := &checker{
		d: d, p: d.Problem, g: d.Problem.Graph, sound: true,
		looked: map[string]int{}, weighed: map[string]bool{}, improper: map[string]bool{},
	}
	c.free = variables(c.p.Surrogate.Params)
	for _, a := range c.p.Auxiliary {
		v := variables([]bind.Param{a.Param})[0]
		v.coordinate = !slices.ContainsFunc(c.p.Declared, func(q bind.Param) bool { return q.Sym == v.sym })
		c.free = append(c.free, v)
	}
	c.single = singles(c.free)
	c.dims = c.dimensions()
	c.at(c.rounds()[0])
	return c
}

// dimensions are the names of the lengths that the spec leaves open.
func (c *checker) dimensions() []string {
	found := map[string]bool{}
	syms := append(symbols(c.free), symbols(variables(slices.Concat(c.p.Target.Params, c.p.Target.Record())))...)
	syms = append(syms, symbols(c.ofModel())...)
	for _, s := range append(syms, c.p.ConstantSyms()...) {
		for _, d := range append(s.Type.Dims[:s.Type.Rank:s.Type.Rank], s.Facts.Index) {
			if d.Name != "" {
				found[d.Name] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(found))
}

// longest is the greatest length that is looked at.
const longest = 3

// rounds are the lengths that are looked at: 1, 2 and 3, or one more each for a simplex and a direction, which of one entry are the number
// 1. Several dimensions differ from each other, as far as that goes.
// The components of a mixture are two and three in turn.
func (c *checker) rounds() []map[string]int {
	count := 1
	switch {
	case len(c.dims) > 0:
		count = longest
	case c.p.Mixture != nil && c.p.Mixture.Components.Name != "":
		count = 2
	}
	var out []map[string]int
	for first := range count {
		lengths := map[string]int{}
		if c.p.Mixture != nil {
			lengths[c.g.Size(expr.Components).Name] = c.someComponents(first)
		}
		for i, name := range c.dims {
			lengths[name] = (first+i)%longest + 1
			if c.ofUnit(name) {
				lengths[name]++
			}
		}
		c.fitLatents(lengths)
		out = append(out, lengths)
	}
	return out
}

// ofUnit reports whether a dimension is that of a simplex, a direction or a stochastic matrix.
func (c *checker) ofUnit(dim string) bool {
	return slices.ContainsFunc(slices.Concat(c.p.Target.Params, c.p.Target.Record()), func(q bind.Param) bool {
		return (isSimplex(q.Kind) || isStochastic(q.Kind) || isDirection(q.Kind)) && q.Sym.Type.Dims[0].Name == dim
	})
}

// at turns to other lengths of the dimensions, and another number of components.
func (c *checker) at(lengths map[string]int) {
	c.lengths = lengths
	c.known = c.someKnown(c.components())
	if c.one = c.known; c.p.Mixture != nil {
		c.one = c.someKnown(1)
	}
}

// stream is the source of random numbers of one check. Each has its own, so that no check changes what others draw.
func (c *checker) stream(name string) *rand.Rand {
	h := fnv.New64a()
	h.Write([]byte(name))
	return rand.New(rand.NewPCG(h.Sum64(), 1))
}
