package estimate

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/sngdgen/sngdgen/runtime"
)

// A posterior is improper where its density does not fall along a straight line, however far one goes, and not only along one: a tube
// around the line has infinite mass then. Of a log-concave density there is no other way to be improper. A run that has not ended
// is no sign of it, since that of a posterior with a weak prior goes as far, and as straight. So it is the log joint density that is looked
// at, far beyond where the run has come to. Of others see tails.go.

const (
	// Lines go to so many standard deviations of the approximation, in powers of ten from 1 on. The density does not fall along one
	// if it falls by less than the power leastFall of the distance, over the last flatDecades powers of ten: with 1 or more the mass of a
	// tube is finite.
	farDecades  = 7
	flatDecades = 4
	leastFall   = 0.9
	// A line leads somewhere if a latent variable goes along it by so many standard deviations of the start.
	leastLed = 1e4
	// So many lines begin at draws of the approximation; this part of them has to be flat.
	farLines  = 16
	flatLines = 0.75
	// Points of a run from which lines are tried, the last ones: at the very end a covariance may be singular but for rounding.
	mostVehicles = 4
	// Operations, about.
	farWork = 2e9
	// Points that are looked at together: a few, as a look at all rows takes long, and much of what is asked for is a few points; more
	// where so many operations suffice for them, since each look has to prepare the approximation, too.
	farSlots, mostSlots = 4, 32
	slotsWork           = 2e4
)

// lineFar is the end of lines, and flatPart that part of a distance from which on the density is compared.
var lineFar, flatPart = math.Pow10(farDecades), math.Pow10(-flatDecades)

// farDistances are the distances at which a line is moved to where the density is highest, in standard deviations.
var farDistances = []float64{10, 100, 1000}

// improper looks for a line along which the log joint density does not fall, from the last of some points of a run, and says which latent
// variables change along it. It takes about so many operations at most.
func improper(m runtime.Variational, points [][]float64, seed uint64, work float64) (message string, found bool) {
	if m.Info().Variable.Len(m) > mostCovariance || len(points) == 0 {
		return "", false
	}
	start := make([]float64, dimension(m))
	if err := m.Clone().Start(start, 0, runtime.Stream(seed, "start")); err != nil {
		return "", false
	}
	budget := min(work, farWork) / drawWork(m)
	for i := range min(mostVehicles, len(points)) {
		// The last point, and others before it, evenly.
		at := len(points) - 1 - i*(len(points)-1)/max(1, min(mostVehicles, len(points))-1)
		f := newFar(m, points[at], seed, budget/mostVehicles)
		if f == nil {
			continue
		}
		if line := f.search(start); line != nil {
			return fmt.Sprintf("the posterior is improper, as far as one can see: its density does not fall on the way to %.0e standard deviations of the "+
				"approximation, along a line on which %s; a prior is missing, or too weak for what the data leave open",
				math.Pow10(farDecades), f.describe(line, lineFar)), true
		}
	}
	return "", false
}

// far evaluates the log joint density of a model at points that are given by the spherical random numbers of a draw, of which the
// latent variables are an affine function, as long as all other random numbers stay as they are.
type far struct {
	m           runtime.Variational // a clone, over all rows
	z           []float64
	numbers     []float64 // the random numbers of the draws
	width, d    int       // how many a draw has, and of how many latent variables
	slots       int       // draws that are used
	logs, logQ  []float64
	latents     []float64
	begun       []float64 // standard deviations of the latent variables at the start
	evaluations float64   // that may still be made
}

// newFar returns nil where there is nothing to be had.
func newFar(m runtime.Variational, z []float64, seed uint64, evaluations float64) *far {
	clone, ok := m.Clone().(runtime.Variational)
	if !ok {
		return nil
	}
	if b, ok := clone.(runtime.Batcher); ok {
		b.Batch(nil)
	}
	parts := max(componentsOf(clone), 1)
	slots := min(max(farSlots, int(slotsWork/drawWork(m))), mostSlots)
	if clone.SetDraws(slots*parts) != nil || clone.Violation(z) >= 0 {
		return nil
	}
	clone.Draw(runtime.Stream(seed, "far"))
	draws := clone.Draws()
	f := &far{m: clone, z: z, d: m.Info().Variable.Len(m), slots: draws / parts, logs: make([]float64, draws), logQ: make([]float64, draws),
		evaluations: evaluations}
	f.latents = make([]float64, draws*f.d)
	for _, n := range clone.Noise() {
		if n.Spherical && n.Length > f.width {
			f.numbers, f.width = n.Values, n.Length
		}
	}
	if f.width < f.d {
		return nil
	}
	for _, n := range clone.Noise() { // the same for all draws
		if &n.Values[0] != &f.numbers[0] {
			for i := n.Length; i < len(n.Values); i++ {
				n.Values[i] = n.Values[i-n.Length]
			}
		}
	}
	clear(f.numbers)
	return f
}

// at writes the log joint density at points of the random numbers to dst.
func (f *far) at(dst []float64, points [][]float64) {
	f.evaluations -= float64(len(points))
	for len(points) > 0 {
		n := min(f.slots, len(points))
		for i, e := range points[:n] {
			copy(f.numbers[i*f.width:(i+1)*f.width], e)
		}
		f.m.LogDensities(f.logQ, f.z)
		f.m.Weights(f.logs, f.z)
		for i := range n {
			dst[i] = f.logs[i] + f.logQ[i]
		}
		dst, points = dst[n:], points[n:]
	}
}

// place is where a point of the random numbers is among the latent variables.
func (f *far) place(e []float64) []float64 {
	copy(f.numbers, e)
	f.m.Latents(f.latents, f.z)
	return slices.Clone(f.latents[:f.d])
}

// describe says which latent variables change most along a line, beside where it begins and by how much.
func (f *far) describe(line []float64, distance float64) string {
	from, to := f.place(make([]float64, f.width)), f.place(onLine(nil, line, distance))
	names := parted(latentParts(f.m), to).EntryNames()
	order := identity(f.d)
	change := func(i int) float64 { return math.Abs(to[i] - from[i]) }
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(change(b), change(a)) })
	text := ""
	for i, k := range order[:min(3, f.d)] {
		if i > 0 && change(k) < change(order[0])/100 {
			break
		}
		if i > 0 {
			text += ", "
		}
		// A positive number is shown as it is, and not its logarithm.
		first, last := declared(f.m, from, k), declared(f.m, to, k)
		text += fmt.Sprintf("%s goes from %.3g to %.3g", names[k], first, last)
	}
	return text
}

// declared is the number that reports show for entry k of latent variables; the entry itself where these have others than are free.
func declared(m runtime.Model, x []float64, k int) float64 {
	at := k
	for _, latent := range latentParts(m) {
		if at >= latent.len() {
			at -= latent.len()
			continue
		}
		for _, v := range parted(shownParts(m), shown(m, x)) {
			if numbers := v.numbers(); v.Name == latent.Name && len(numbers) == latent.len() {
				return numbers[at]
			}
		}
		break
	}
	return x[k]
}

// numbers are the entries of a value, or the number.
func (v *Value) numbers() []float64 {
	if v.Shape == nil {
		return []float64{v.Value}
	}
	return v.Entries
}

// onLine is a point at a distance from another one, which is 0 where it is nil.
func onLine(from, line []float64, distance float64) []float64 {
	e := make([]float64, len(line))
	copy(e, from)
	for i, x := range line {
		e[i] += distance * x
	}
	return e
}
