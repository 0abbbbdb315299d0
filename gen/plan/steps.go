package plan

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/sngdgen/sngdgen/gen/program/pass"
)

// Step is one of the steps in which a kernel becomes a program.
type Step struct {
	pass.Row
	run func(*planner)
}

// What holds between the steps.
const (
	expressions pass.Property = "expressions" // the kernel is formulas, of which nothing has been noted
	definitions pass.Property = "definitions" // it is known what symbols stand for
	stages      pass.Property = "stages"      // and when everything can be computed
	users       pass.Property = "users"       // and how often it is used
	places      pass.Property = "places"      // inputs and outputs have places
	statements  pass.Property = "statements"  // there are statements, without what they compute
	delivered   pass.Property = "delivered"   // those for the outputs too
)

// Steps are all steps in their order: what changes expressions, what notes facts of them, what writes statements.
var Steps = []Step{
	{pass.Row{Name: "inline", Doc: "Sums of matrices and outer products are not stored where entries and products with vectors are all that is wanted.",
		Requires: []pass.Property{expressions}, Optional: true}, (*planner).inline},
	{pass.Row{Name: "opposite", Doc: "Where a sum of vectors and its negative are multiplied with matrices and vectors, only one of them is.",
		Requires: []pass.Property{expressions}, After: []string{"inline"}, Optional: true}, (*planner).opposite},
	{pass.Row{Name: "traces", Doc: "The trace of inv(A) S is that of T inv(A), which is on the way to inv(A) T inv(A), where T is made of S.",
		Requires: []pass.Property{expressions}, After: []string{"inline", "opposite"}, Optional: true}, (*planner).traces},
	{pass.Row{Name: "insums", Doc: "A sum of outer products of draws between matrices is one of their products with these, where they are there for every draw.",
		Requires: []pass.Property{expressions}, After: []string{"inline", "opposite", "traces"}, Optional: true}, (*planner).inSums},
	{pass.Row{Name: "powers", Doc: "The power x^(a - 1) is x^a/x where both are needed, and logarithms of products with data are sums of two.",
		Requires: []pass.Property{expressions}, After: []string{"inline"}, Optional: true}, (*planner).powers},
	{pass.Row{Name: "regroup", Doc: "Parts of sums and products that can be computed earlier than the whole are: for a data set, or in front of a loop.",
		Requires: []pass.Property{expressions}, After: []string{"inline", "opposite", "traces", "insums", "powers"}, Optional: true}, (*planner).regroup},
	{pass.Row{Name: "define", Doc: "It is noted what symbols stand for and what they are called, and names of inputs are kept from others.",
		Requires: []pass.Property{expressions}, After: []string{"regroup"}, Establishes: []pass.Property{definitions}}, (*planner).define},
	{pass.Row{Name: "stages", Doc: "Of every value it is found out when it can be computed, and how many passes over the rows must have run before.",
		Requires: []pass.Property{definitions}, Establishes: []pass.Property{stages}}, (*planner).stages},
	{pass.Row{Name: "count", Doc: "Uses of values are counted, since what is used again deserves a name.",
		Requires: []pass.Property{stages}, Establishes: []pass.Property{users}}, (*planner).countUses},
	{pass.Row{Name: "places", Doc: "What the program delivers and what it is given get places.",
		Requires: []pass.Property{definitions}, Establishes: []pass.Property{places}}, (*planner).placesOfKernel},
	{pass.Row{Name: "schedule", Doc: "Statements are written, level by level: conditions, numbers, arrays by kernels and loops, passes over the rows.",
		Requires: []pass.Property{users, places}, Establishes: []pass.Property{statements}}, (*planner).schedule},
	{pass.Row{Name: "outputs", Doc: "What the program delivers is written where it is wanted.",
		Requires: []pass.Property{statements}, Establishes: []pass.Property{delivered}}, (*planner).outputs},
	{pass.Row{Name: "formulas", Doc: "What statements compute is written out, as everything has its place now.",
		Requires: []pass.Property{delivered}, Establishes: []pass.Property{pass.Formulas}}, (*planner).writeFormulas},
}

// The choices that "schedule" and "outputs" have wherever something is to be computed, and may be made to leave.
const (
	choiceUnroll   = "unroll"
	choiceJoint    = "joint"
	choicePrepare  = "prepare"
	choiceForms    = "forms"
	choiceInverses = "inverses"
	choiceToFixed  = "tofixed"
	choiceKeep     = "keep"
)

// Choices are what statements are written with where that is cheaper, and without where it is left out.
var Choices = []pass.Row{
	{Name: choiceUnroll, Doc: "Arrays of at most nine entries, of known lengths, are written out without loops and calls.", Optional: true},
	{Name: choiceJoint, Doc: "Functions of the same operands that cost less together are one call.", Optional: true},
	{Name: choicePrepare, Doc: "Functions of which an operand is the same for all rows are prepared in front of the loop over these.", Optional: true},
	{Name: choiceForms, Doc: "A form in an inverse matrix is the inner product of two triangular solves, and a quadratic one the square of one.", Optional: true},
	{Name: choiceInverses, Doc: "A definite matrix that is defined by a multiple of the inverse of another is inverted from its own factor.", Optional: true},
	{Name: choiceToFixed, Doc: "Matrices between a vector of every row and one that stays the same are multiplied with the latter, once.", Optional: true},
	{Name: choiceKeep, Doc: "What a loop over the rows computes on its way is kept for later loops that need it.", Optional: true},
}

// may reports whether a step or a choice is not left out.
func (p *planner) may(name string) bool { return !p.without[name] }

// wrongOrder is what is wrong with the order of the steps.
var wrongOrder = sync.OnceValue(func() error { return pass.Check(rowsOf(Steps), []pass.Property{expressions}, pass.Written) })

func rowsOf(steps []Step) []pass.Row {
	out := make([]pass.Row, len(steps))
	for i, s := range steps {
		out[i] = s.Row
	}
	return out
}

// Rows list steps, choices and passes, in the order in which they come.
func Rows() []pass.Row {
	out := rowsOf(Steps)
	i := slices.IndexFunc(out, func(r pass.Row) bool { return r.Name == "schedule" })
	out = slices.Insert(out, i+1, Choices...)
	for _, q := range pass.Passes {
		out = append(out, q.Row)
	}
	return out
}

// CheckWithout returns an error where something is to be left out that is not there, or is needed.
func CheckWithout(names []string) error {
	var optional []string
	needed := map[string]bool{}
	for _, r := range Rows() {
		if r.Optional {
			optional = append(optional, r.Name)
		} else {
			needed[r.Name] = true
		}
	}
	for _, name := range names {
		switch {
		case needed[name]:
			return fmt.Errorf("%s cannot be left out, as nothing works without it; what can be: %s", name, strings.Join(optional, ", "))
		case !slices.Contains(optional, name):
			return fmt.Errorf("there is no pass %q; those that can be left out are %s", name, strings.Join(optional, ", "))
		}
	}
	return nil
}

// stages classifies what the kernel computes.
func (p *planner) stages() { p.classify(p.roots()) }

// countUses counts uses in the whole program.
func (p *planner) countUses() {
	p.uses = p.count(p.roots())
	p.current = p.uses
}

// placesOfKernel gives outputs and inputs places.
func (p *planner) placesOfKernel() {
	p.placeOutputs()
	p.readInputs()
}
