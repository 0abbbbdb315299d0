package estimate

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/sngdgen/sngdgen/runtime"
)

// Component is what a report says of one component of a mixture, beside its parameters.
type Component struct {
	Weight float64 `json:"weight"`
	// Mean of the rows, each shared among the components by the posterior probabilities, where a row is a number; null where
	// it is not.
	Mean Number `json:"mean"`
	// Rows is the sum of the weights of the rows, each shared in the same way: how many observations the component explains.
	Rows Number `json:"rows"`
	// Assigned is the sum of the weights of the rows for which the component is the most probable one.
	Assigned Number `json:"assigned"`
	Floored  bool   `json:"floored,omitempty"` // the weight is held at the floor
	// Note is one of Died, Collapsed and Coincides, or "".
	Note string `json:"note,omitempty"`
	With []int  `json:"with,omitempty"` // the components it coincides with, counted from 1
}

// The notes on components that are none.
const (
	Died      = "died"      // it explains less than one observation
	Collapsed = "collapsed" // it explains one distinct row only, or of vectors no more than a row has columns
	Coincides = "coincides" // with another one: their densities are the same on the data
)

const (
	// One row that a component explains counts as one although others have a share of so much.
	shared = 1e-3
	// Densities that are the same do not differ by more, relative to either.
	sameDensity = 1e-6
)

// components describes the components at theta, whose posterior is p.
func (p *posterior) components(theta []float64, discrete bool) []Component {
	out := make([]Component, p.k)
	sizes, assigned, means := p.sizes(), p.assigned(), p.means()
	for c := range out {
		out[c] = Component{Weight: theta[c], Rows: Number(sizes[c]), Assigned: Number(assigned[c]), Mean: Number(math.NaN())}
		if means != nil {
			out[c].Mean = Number(means[c])
		}
		switch {
		case sizes[c] < 1:
			out[c].Note = Died
		case p.collapsed(c, discrete):
			out[c].Note = Collapsed
		}
	}
	for a := range out {
		for b := a + 1; b < p.k; b++ {
			if out[a].Note != Died && out[b].Note != Died && p.coincide(theta, a, b) {
				out[a].With, out[b].With = append(out[a].With, b+1), append(out[b].With, a+1)
			}
		}
	}
	for c := range out {
		if out[c].With != nil && out[c].Note == "" {
			out[c].Note = Coincides
		}
	}
	return out
}

// collapsed reports whether a component is there for one distinct row only, as counted by (sum r)^2 / sum r^2. Vectors of so
// few rows as they have columns, or less, lie in a plane, which is no better; discrete ones need not have a scale.
func (p *posterior) collapsed(c int, discrete bool) bool {
	shares := make([]float64, len(p.weights))
	for i, w := range p.weights {
		if w > 0 {
			shares[p.sets[i]] = p.r[i*p.k+c]
		}
	}
	sum, squares, most := 0.0, 0.0, 1.0
	for _, r := range shares {
		sum, squares = sum+r, squares+r*r
	}
	if !discrete {
		most = float64(p.columns)
	}
	return sum*sum/squares < most+shared && p.distinct() > most
}

// distinct returns the number of distinct rows that have a weight.
func (p *posterior) distinct() float64 {
	n := 0.0
	for i, first := range p.sets {
		if i == first {
			n++
		}
	}
	return n
}

// coincide reports whether two components have the same density on the data, or so nearly that the likelihood would be as
// high if they had: near such a point it is so flat that runs end before the densities agree to the last digits.
func (p *posterior) coincide(theta []float64, a, b int) bool {
	same := true
	for i, w := range p.weights {
		x, y := p.r[i*p.k+a]*theta[b], p.r[i*p.k+b]*theta[a]
		same = same && (w == 0 || math.Abs(x-y) <= sameDensity*math.Max(x, y))
	}
	return same || min(p.loss(theta, a, b), p.loss(theta, b, a)) < nothing
}

// loss returns by how much the total log-likelihood falls if component b gets the density of component a.
func (p *posterior) loss(theta []float64, a, b int) float64 {
	sum := 0.0
	for i, w := range p.weights {
		if w > 0 {
			sum -= w * math.Log1p(p.r[i*p.k+a]*theta[b]/theta[a]-p.r[i*p.k+b])
		}
	}
	return sum
}

// describe fills in what there is to say of the components of a mixture, which theta has in the order of the report.
func (rep *Report) describe(m runtime.Model, r *Settings, best *attempt, theta []float64) {
	k, unknown := componentsOf(m), Number(math.NaN())
	if k == 0 {
		return
	}
	rep.WeightFloor = r.WeightFloor
	for _, c := range best.order {
		rep.Order = append(rep.Order, c+1)
	}
	rep.Components = slices.Repeat([]Component{{Rows: unknown, Assigned: unknown, Mean: unknown}}, k)
	discrete := whole(&m.Info().Variable)
	if p := newPosterior(m, r, best.res.Z, best.theta); p != nil {
		p.reorder(best.order)
		rep.Components = p.components(theta, discrete)
		rep.Entropy = Number(p.entropy())
		rep.ICL = rep.BIC + 2*rep.Entropy
	}
	for c := range rep.Components {
		rep.Components[c].Weight = theta[c]
		rep.Components[c].Floored = r.WeightFloor > 0 && theta[c] <= r.WeightFloor*(1+atFloor)
	}
	rep.Warnings = append(rep.Warnings, componentWarnings(rep.Components, r.WeightFloor, discrete)...)
}

// sound reports whether the fit is that of a mixture all of whose components are known to be some, and none is held at the
// floor.
func (rep *Report) sound() bool {
	return len(rep.Components) > 0 && !slices.ContainsFunc(rep.Components, func(c Component) bool {
		return c.Note != "" || c.Floored || math.IsNaN(float64(c.Rows))
	})
}

// atFloor is the relative distance from the floor within which package runtime counts weights as held there.
const atFloor = 1e-6

// componentWarnings names the components that are none, and those whose weight is held at the floor.
func componentWarnings(cs []Component, floor float64, discrete bool) []string {
	var out []string
	for i, c := range cs {
		switch c.Note {
		case Died:
			out = append(out, fmt.Sprintf("component %d has died: it explains %.2g observations", i+1, float64(c.Rows)))
		case Collapsed:
			out = append(out, collapse(i+1, c.Mean, discrete))
		}
		if c.With != nil && c.With[0] > i+1 { // the first of those that are the same
			out = append(out, fmt.Sprintf("components %s coincide: their densities are the same on the data, where fewer would do",
				enumerate(append([]int{i + 1}, c.With...))))
		}
	}
	if held := floored(cs); held != "" {
		out = append(out, fmt.Sprintf("the floor of %v holds the weight of %s", floor, held))
	}
	return out
}

// collapse is the warning about a component that explains next to nothing.
func collapse(component int, mean Number, discrete bool) string {
	text := fmt.Sprintf("component %d has collapsed onto no more distinct rows than these have columns", component)
	if !math.IsNaN(float64(mean)) {
		text = fmt.Sprintf("component %d has collapsed onto the one value %.7g", component, float64(mean))
	}
	if !discrete {
		text += ": if its scale can go to 0, the likelihood is unbounded there"
	}
	return text
}

// floored lists the components whose weights are held at the floor, "" when none are.
func floored(cs []Component) string {
	var which []int
	for i, c := range cs {
		if c.Floored {
			which = append(which, i+1)
		}
	}
	switch len(which) {
	case 0:
		return ""
	case 1:
		return fmt.Sprintf("component %d", which[0])
	}
	return "components " + enumerate(which)
}

// enumerate writes "1, 2 and 3".
func enumerate(numbers []int) string {
	var words []string
	for _, n := range numbers {
		words = append(words, strconv.Itoa(n))
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " and " + words[last]
}
