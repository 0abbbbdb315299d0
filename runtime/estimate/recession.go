package estimate

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/floats"

	"github.com/sngdgen/sngdgen/runtime"
)

// A direction of recession of a log-likelihood is one along which it never falls, however far, while it does on the way back (Rockafellar 1970; Geyer 2009). So it is where an
// event occurs in all rows of a category, or where a plane separates the rows of a regression: estimates are at infinity, while the gradient is 0 to all digits wherever a run
// has gone far enough. At a maximum the likelihood falls on both sides; where the data say nothing about a direction, on neither. This is how one is looked for among the
// coordinates of real parameters, others being held:
//
//   - Where second derivatives are known, and the likelihood falls on both sides along each coordinate and each of their eigenvectors, there is none (determined).
//   - What the likelihood determines least are the eigenvectors of the least eigenvalues of the information, in units of what the coordinates are (relativeinformation.go). How
//     far a run has come decides how little that is. So the candidates are the parts of the coordinates in the span of 1, 2, ... of these eigenvectors, the largest span first.
//   - Eigenvectors have not the digits: 1,024 times as far on, what they have of a direction that is determined a million times as well is as much as a standard error. So the
//     direction is that between two points far out along the candidate, at each of which the likelihood is highest across it (betweenFarPoints).
//   - Where the likelihood falls along a candidate, its slopes there exclude others of the same span, and the next candidate is farthest from what is excluded (cuttingplanes.go).
//   - The first along which the likelihood never falls (recedesAlong) loses the entries that need not grow (prune): those that rounding has left all together, the others one by one.

const (
	// noticed is by how much the log-likelihood falls within a standard error.
	noticed = 0.5
	// unitGrows is the factor between distances that are looked at for it, and mostUnits how many times what a coordinate is they are at most.
	unitGrows, mostUnits = 16, 1e12
	// mostDoublings is how often a step along a direction is doubled until the likelihood changes there.
	mostDoublings = 80
	// fartherBy are the multiples of that step at which it must not have fallen.
	fartherBy = 1 << 10
	// farPoint is how many times as far out as an end the first of two points is between which a direction is taken. The second is twice as far.
	farPoint = 4
	// needless is by how much the log-likelihood may fall at most without what need not grow: less than nothing that matters, as it may rise by so much only because others are large.
	needless = 1e-8
	// fewRoundings is how many times what rounding is measured to be at some points it is at most at others.
	fewRoundings = 16
	// nearPoint is how many times as far out as an end the first of points is by which a direction is mended that eigenvectors give; the next is eight times as far.
	// nearestPoint is the first of them at least.
	nearPoint, nearestPoint = 1.0 / 64, 1e-10
	// mostAscents is how many steps of Newton's method there are at most to where the likelihood is highest across a direction.
	mostAscents = 20
)

// recession is a direction of recession.
type recession struct {
	along    []float64 // of the coordinates of the search; 0 in those that need not grow
	way      []float64 // of the parameters
	names    []string  // of the parameters that grow
	complete bool      // the likelihood is 1 far out, wherever a direction begins
}

// where says in words what goes to infinity.
func (r *recession) where() string {
	return "the length of " + strings.Join(r.names, " and ") + " goes to infinity"
}

// recession looks for a direction of recession where a run has ended, once; nil where there is none.
func (a *attempt) recession(m runtime.Model, n float64) *recession {
	if !a.sought {
		a.sought = true
		if s := newRecessionSearch(m, a.here, permuted(m, a.theta, a.order), n); !a.status.Converged() || !s.determined(a.near) {
			a.receding = s.find()
		}
	}
	return a.receding
}

// recessionSearch looks for directions of recession.
type recessionSearch struct {
	u           runtime.Unconstrained
	n           float64
	x           []float64 // where the run has ended
	from        []float64 // the point that a direction begins at
	loss        float64   // there
	coordinates []axis
	real        []int // coordinates of real parameters that are not 0
	entries     int   // of all parameters
	left        int   // candidates that may still be tried
}

func newRecessionSearch(m runtime.Model, u runtime.Unconstrained, theta []float64, n float64) *recessionSearch {
	s := &recessionSearch{u: straighten(m, u), n: n, x: make([]float64, u.Dim()), entries: len(theta), left: mostAltogether}
	s.u.FromTheta(s.x, theta)
	s.coordinates = axes(m, s.u, s.x)
	for _, c := range s.coordinates {
		if c.real && s.x[c.index] != 0 {
			s.real = append(s.real, c.index)
		}
	}
	s.begin(s.x)
	return s
}

// begin sets the point that directions begin at.
func (s *recessionSearch) begin(x []float64) { s.from, s.loss = slices.Clone(x), s.u.Loss(x) }

// rise is by how much the total loss is higher so many times along a direction.
func (s *recessionSearch) rise(way []float64, times float64) float64 {
	return s.n * (s.u.Loss(onLine(s.from, way, times)) - s.loss)
}

// find returns the direction of recession that has the largest part of what the likelihood determines least; nil where there is none.
func (s *recessionSearch) find() *recession {
	info := newRelativeInformation(s.u, s.x, s.units(), s.real, s.n)
	if info == nil {
		return nil
	}
	for count := info.small(); count > 0; count-- { // what is excluded in a large span costs digits that the candidate of a smaller one has
		if way := s.recedesTowards(info, count, info.leastDetermined(count)); way != nil {
			return s.along(way)
		}
	}
	for count := info.small(); count > 0; count-- {
		if way := s.amongLeastDetermined(info, count); way != nil {
			return s.along(way)
		}
	}
	return nil
}

// along is the direction of recession that is found, without what need not grow.
func (s *recessionSearch) along(way []float64) *recession {
	r := &recession{complete: s.certain(way)}
	s.prune(way)
	r.along, r.way, r.names = way, s.ofParameters(way), s.namesAlong(way)
	return r
}

// certain reports whether the likelihood is 1 far out along a direction, from wherever it begins: also where real coordinates are half as far, and where others are different. Of probabilities that is the
// most that it can be, and of densities it may be so by chance at one point.
func (s *recessionSearch) certain(way []float64) bool {
	one := func(from []float64) bool { return math.Abs(s.n*s.u.Loss(onLine(from, way, fartherBy))) < nothing }
	half := slices.Clone(s.from)
	for _, c := range s.coordinates {
		if c.real {
			half[c.index] /= 2
			continue
		}
		from := slices.Clone(s.from)
		if from[c.index]++; !one(from) {
			return false
		}
	}
	return one(s.from) && one(half)
}

// units are those of the coordinates: what they are, and where that is less than a standard error, a distance at which the likelihood falls on both sides. One that never does may be on
// its way to infinity by itself.
func (s *recessionSearch) units() []float64 {
	out, way := slices.Clone(s.x), make([]float64, len(s.x))
	for _, k := range s.real {
		way[k] = s.x[k]
		for times := 1.0; times < mostUnits; times *= unitGrows {
			if !(s.rise(way, times) <= noticed) && !(s.rise(way, -times) <= noticed) { // NaN: the domain ends
				out[k] *= times
				break
			}
		}
		way[k] = 0
	}
	return out
}

// betweenFarPoints is the way between two points far out along a direction in the span of so many eigenvectors. The first is where directions begin then.
func (s *recessionSearch) betweenFarPoints(info *relativeInformation, count int, way []float64) []float64 {
	way = slices.Clone(way)
	near := nearPoint
	for near > nearestPoint && !(s.rise(way, near) <= mildly) { // farther out a mean may be beyond floating point where the eigenvectors lead
		near /= 8
	}
	for ; near < 1; near *= 8 {
		to := s.highestAcross(info, count, onLine(s.x, way, near))
		floats.Sub(to, s.x)
		floats.ScaleTo(way, 1/near, to)
	}
	first := s.highestAcross(info, count, onLine(s.x, way, farPoint-1))
	second := s.highestAcross(info, count, onLine(first, way, farPoint))
	s.begin(first)
	floats.Sub(second, first)
	return second
}

// highestAcross goes to where the likelihood is highest along all eigenvectors but so many, by steps of Newton's method with the information at the end.
func (s *recessionSearch) highestAcross(info *relativeInformation, count int, x []float64) []float64 {
	g, next := make([]float64, len(x)), make([]float64, len(x))
	loss := s.u.Gradient(g, x)
	for range mostAscents {
		copy(next, x)
		info.newton(next, g, s.n, count)
		lower := s.u.Gradient(g, next)
		if !(lower <= loss+roundingOf*(1+math.Abs(loss))) {
			break
		}
		copy(x, next)
		loss = lower
	}
	return x
}

// firstChange is the least multiple of a direction, of powers of 2, at which the likelihood changes on either side, and by how much the loss rises on each; it is 0
// where it changes nowhere. That at which the way back comes nearest to 0 is one of them: there a likelihood with several level stretches falls between two of them.
func (s *recessionSearch) firstChange(way []float64) (times, ahead, back float64) {
	nearest := floats.Dot(s.from, way) / floats.Dot(way, way)
	times = typicalStep
	for range mostDoublings {
		ahead, back = s.rise(way, times), s.rise(way, -times)
		if math.IsNaN(back) && math.Abs(ahead) < nothing {
			times = s.beforeEnd(way, times/2, times)
			return times, s.rise(way, times), s.rise(way, -times)
		}
		if !(math.Abs(ahead) < nothing && math.Abs(back) < nothing) {
			return times, ahead, back
		}
		if times < nearest && nearest < 2*times {
			if ahead, back = s.rise(way, nearest), s.rise(way, -nearest); back >= nothing {
				return nearest, ahead, back
			}
		}
		times *= 2
	}
	return 0, 0, 0
}

// beforeEnd is a multiple of a direction at which the likelihood falls on the way back, between one where it does not yet and one where the domain has ended, which this is where it falls nowhere.
func (s *recessionSearch) beforeEnd(way []float64, within, outside float64) float64 {
	for range mostDoublings {
		middle := within + (outside-within)/2
		switch rise := s.rise(way, -middle); {
		case math.IsNaN(rise):
			outside = middle
		case rise < nothing:
			within = middle
		default:
			return middle
		}
	}
	return outside
}

// recedesAlong reports whether the likelihood never falls along a direction by more than rounding, and does on the way back.
func (s *recessionSearch) recedesAlong(way []float64) bool {
	first, ahead, back := s.firstChange(way)
	if !(back >= nothing) || !(ahead < nothing) {
		return false
	}
	move := func(t float64) []float64 { return onLine(s.from, way, t) }
	most, noise := math.Inf(-1), roundingOf*(1+math.Abs(s.loss))
	for t := 1.0; t <= fartherBy; t *= 2 {
		rise := s.rise(way, t*first)
		if !(math.Abs(rise) < nothing) { // NaN: the domain ends
			return false
		}
		most, noise = math.Max(most, rise), math.Max(noise, jitter(s.u, func(step float64) []float64 { return move(step * first) }, t))
		if other := math.Abs(s.u.Loss(move(-t * first))); other < math.Inf(1) { // what is left here of terms as large as there has been rounded
			noise = math.Max(noise, roundingOf*other)
		}
	}
	return most <= fewRoundings*s.n*noise || most <= fewRoundings*s.n*s.jitterAcross(move(fartherBy*first))
}

// acrossBy are the steps of jitterAcross, of what a coordinate is, over those of jitter: the loss is straight over them.
const acrossBy = 1e-3

// jitterAcross is how much of a loss is rounding, seen along single coordinates: along a direction a row whose terms cancel is rounded far out to the same digits everywhere.
func (s *recessionSearch) jitterAcross(x []float64) (most float64) {
	at := slices.Clone(x)
	for _, k := range s.real {
		most = math.Max(most, jitter(s.u, func(t float64) []float64 {
			at[k] = x[k] + t*acrossBy*s.x[k]
			return at
		}, 0))
		at[k] = x[k]
	}
	return most
}

// prune sets entries of a direction to 0 without which the likelihood is as high, those first that matter least: what is left has to grow, all of it.
func (s *recessionSearch) prune(way []float64) {
	base := slices.Clone(s.from)
	for _, at := range s.dropSmall(way) {
		base[at] -= way[at]
		way[at] = 0
	}
	without := func(at int) float64 {
		x := slices.Clone(base)
		x[at] -= way[at]
		return s.n * (s.u.Loss(x) - s.loss)
	}
	order, falls := slices.Clone(s.real), map[int]float64{}
	for _, at := range order {
		falls[at] = without(at)
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(falls[a], falls[b]) })
	for _, at := range order {
		was := way[at]
		if !(without(at) < needless) {
			continue
		}
		if way[at] = 0; s.recedesAlong(way) {
			base[at] -= was
		} else {
			way[at] = was
		}
	}
}

// largestSmall is the largest part of what a coordinate is, relative to the largest of these, that may be rounding; there may be others with parts down to leastSmall.
const largestSmall, leastSmall = 1e-3, 1e-12

// dropSmall are entries that are a small part of what their coordinates are, as rounding leaves them, if the likelihood never falls without all of them. One of them alone may be needed by
// the others, as where columns are nearly proportional.
func (s *recessionSearch) dropSmall(way []float64) []int {
	part := func(at int) float64 { return math.Abs(way[at] / s.x[at]) }
	largest := 0.0
	for _, at := range s.real {
		largest = math.Max(largest, part(at))
	}
	for share := largestSmall; share >= leastSmall; share /= 1000 {
		var small []int
		without := slices.Clone(way)
		for _, at := range s.real {
			if part(at) < share*largest {
				small = append(small, at)
				without[at] = 0
			}
		}
		if len(small) == 0 || s.recedesAlong(without) {
			return small
		}
	}
	return nil
}

// ofParameters is a direction as a change of the parameters, which are straight there.
func (s *recessionSearch) ofParameters(way []float64) []float64 {
	from, to := make([]float64, s.entries), make([]float64, s.entries)
	s.u.Theta(from, make([]float64, len(way)))
	s.u.Theta(to, way)
	floats.Sub(to, from)
	return to
}

// namesAlong are the parameters that a direction has a part of.
func (s *recessionSearch) namesAlong(way []float64) (names []string) {
	for _, c := range s.coordinates {
		if way[c.index] != 0 {
			names = union(names, c.names)
		}
	}
	return names
}

// probedAt is how many standard errors, but at most as many times what the coordinates are, the likelihood is evaluated on either side of an end.
const probedAt = 8

// determined reports whether second derivatives are known, and the likelihood falls on both sides along each coordinate and each of their eigenvectors, which is evaluated, since far out differences
// of gradients are nothing but rounding: that spares most fits that have converged the search for a direction.
func (s *recessionSearch) determined(near *neighbourhood) bool {
	if len(s.real) == 0 {
		return true
	}
	if near == nil || near.why != "" {
		return false
	}
	info := near.relative(s.u, s.x, s.real, s.n)
	if info == nil {
		return false
	}
	s.begin(s.x)
	for _, k := range s.real { // eigenvectors mix a coordinate that rounding seems to determine with others
		way := make([]float64, len(s.x))
		way[k] = s.x[k]
		if !(s.rise(way, probedAt) > nothing && s.rise(way, -probedAt) > nothing) {
			return false
		}
	}
	for e, value := range info.values {
		way, times := info.direction(e), probedAt/math.Sqrt(math.Max(1, value))
		if !(s.rise(way, times) > nothing && s.rise(way, -times) > nothing) {
			return false
		}
	}
	return true
}
