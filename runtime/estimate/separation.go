package estimate

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/sngdgen/sngdgen/runtime"
)

// Separation is a direction of recession of a regression of whole numbers (Geyer 2009): along it the likelihood never falls, however far, and back it does. So it is where a
// hyperplane separates the rows (Albert and Anderson 1984), and in counts where rows of 0 can be told from the others (Correia, Guimaraes and Zylkin 2019).
type Separation struct {
	// Complete is whether the likelihood determines no coefficient: the direction is that of all of them. Else it is quasi-complete, and others have estimates.
	Complete bool `json:"complete"`
	// Direction is the ratio in which coefficients grow, of which the largest is 1 or -1. Those are 0 which the likelihood determines, or does not need to come where it is.
	Direction Values `json:"direction"`
}

// Kind is what the literature calls it.
func (s *Separation) Kind() string {
	if s.Complete {
		return "complete separation"
	}
	return "quasi-complete separation"
}

// Grows lists the entries that grow, and their ratios.
func (s *Separation) Grows() (names []string, ratios []float64) {
	all := s.Direction.EntryNames()
	for i, x := range s.Direction.flat() {
		if x != 0 {
			names, ratios = append(names, all[i]), append(ratios, x)
		}
	}
	return names, ratios
}

// separate looks for a direction in which coefficients of a regression have gone to infinity, or would, where a run has converged on a level stretch on the way.
func (a *attempt) separate(m runtime.Model, n float64) {
	if !a.status.Converged() && a.status != runtime.AtInfinity || a.here == nil || a.here.Dim() > mostFree || len(m.Info().Given) == 0 || !discrete(m) || componentsOf(m) > 0 {
		return
	}
	s := newSeparator(m, a, n)
	if a.status.Converged() && s.determined(a.near) {
		return
	}
	way := s.find()
	if way == nil {
		return
	}
	complete := s.certain(way)
	s.prune(way)
	from, to := make([]float64, len(a.theta)), make([]float64, len(a.theta))
	a.here.Theta(from, make([]float64, len(way)))
	a.here.Theta(to, way)
	floats.Sub(to, from)
	largest := math.Max(floats.Max(to), -floats.Min(to))
	for i := range to {
		to[i] /= largest
	}
	a.separation = &Separation{Complete: complete, Direction: values(m, to)}
	if a.status.Converged() {
		a.goesFar("the length of " + strings.Join(s.namesAlong(way), " and ") + " goes to infinity")
	}
}

// separator looks for directions of recession among real coordinates.
type separator struct {
	*neighbourhood
	n    float64
	real []int // coordinates that are not 0
}

func newSeparator(m runtime.Model, a *attempt, n float64) *separator {
	s := &separator{neighbourhood: newNeighbourhood(m, a.here, a.theta), n: n}
	for _, c := range s.coordinates {
		if c.real && s.x[c.index] != 0 {
			s.real = append(s.real, c.index)
		}
	}
	return s
}

const (
	// leastFound is the information about a direction, relative to what the coefficients are, below which second derivatives alone do not say that it is determined.
	leastFound = 10 * nothing
	// asFar is how many times as far the likelihood is then looked at on either side.
	asFar = 8
)

// determined reports whether second derivatives, as far as somebody has found them, say of all directions that the likelihood falls on both sides: that spares most
// fits that have converged the search for one.
func (s *separator) determined(near *neighbourhood) bool {
	if near == nil || near.why != "" || len(s.real) == 0 {
		return false
	}
	q, relative := near.quadratic(), mat.NewDense(len(s.x), len(s.real), nil)
	for j, k := range s.real {
		relative.Set(k, j, s.x[k])
	}
	var along, half, square mat.Dense // what the coefficients are in the directions of the derivatives
	var eigen mat.EigenSym
	if along.Solve(q.directions, relative) != nil {
		return false
	}
	half.Mul(q.hessian, &along)
	square.Mul(along.T(), &half)
	if !eigen.Factorize(mat.NewSymDense(len(s.real), square.RawMatrix().Data), true) {
		return false
	}
	var vectors mat.Dense
	eigen.VectorsTo(&vectors)
	for e, value := range eigen.Values(nil) {
		if s.n*value < leastFound && !s.fallsBothWays(vectors.ColView(e)) {
			return false
		}
	}
	return true
}

// fallsBothWays reports whether the likelihood falls on either side of a direction, asFar as that would change the coefficients.
func (s *separator) fallsBothWays(direction mat.Vector) bool {
	for _, times := range []float64{-asFar, asFar} {
		copy(s.at, s.x)
		for i, k := range s.real {
			s.at[k] += times * direction.AtVec(i) * s.x[k]
		}
		if !(s.n*(s.u.Loss(s.at)-s.loss) > nothing) {
			return false
		}
	}
	return true
}

// namesAlong are the parameters that a direction has a part of.
func (s *separator) namesAlong(way []float64) (names []string) {
	for _, c := range s.coordinates {
		if way[c.index] != 0 {
			names = union(names, c.names)
		}
	}
	return names
}

// find returns the part of the coordinates that the likelihood determines least, as large a part as is a direction of recession; nil where none is. How far a run has
// come decides how little that is: so all directions are tried along which it is not curved as much as that a coefficient is a standard error.
func (s *separator) find() []float64 {
	r := s.relative()
	if r == nil {
		return nil
	}
	end := slices.Clone(s.x)
	for count := r.level(); count > 0; count-- {
		way := s.sharpen(r, count)
		if s.recedesAlong(way) {
			return way
		}
		copy(s.x, end)
		s.loss = s.u.Loss(s.x)
	}
	return nil
}

const (
	// timesFarther is how many times as far out a direction is looked for again, where what it separates counts for nothing any more.
	timesFarther = 4
	// mostPolished is how many steps there are at most to where the likelihood is highest across a direction.
	mostPolished = 20
)

// sharpen is the part of the coordinates that a number of directions have which the likelihood determines least: the way between two points far out along it, at each of which the
// likelihood is highest in the directions that it does determine. Eigenvectors alone have not the digits: 1,024 times as far on, what they have of a direction that is determined a
// million times as well is as much as a standard error. It goes to the first of the points.
func (s *separator) sharpen(r *relativeInformation, count int) []float64 {
	way := make([]float64, len(s.x))
	for e := range count {
		share := mat.Sum(r.vectors.ColView(e)) // of what the coordinates are, which is 1 for each in these units
		for i, at := range s.real {
			way[at] += share * r.vectors.At(i, e) * r.units[i]
		}
	}
	if s.fallsFirst(way) { // what other directions have of the coordinates may outweigh it
		floats.Scale(-1, way)
	}
	floats.AddScaled(s.x, timesFarther-1, way)
	s.polish(r, count)
	first := slices.Clone(s.x)
	floats.AddScaled(s.x, timesFarther, way)
	s.polish(r, count)
	floats.SubTo(way, s.x, first)
	copy(s.x, first)
	s.loss = s.u.Loss(s.x)
	return way
}

// polish goes to where the likelihood is highest in all directions but those of the least eigenvalues, by steps of Newton with the information that there is.
func (s *separator) polish(r *relativeInformation, count int) {
	g, next := make([]float64, len(s.x)), make([]float64, len(s.x))
	loss := s.u.Gradient(g, s.x)
	for range mostPolished {
		copy(next, s.x)
		for e := count; e < len(s.real); e++ {
			slope := 0.0
			for i, k := range s.real {
				slope += s.n * g[k] * r.units[i] * r.vectors.At(i, e)
			}
			for i, k := range s.real {
				next[k] -= slope / r.values[e] * r.vectors.At(i, e) * r.units[i]
			}
		}
		lower := s.u.Gradient(g, next)
		if !(lower <= loss+roundingOf*(1+math.Abs(loss))) {
			return
		}
		copy(s.x, next)
		loss = lower
	}
}

// fallsFirst reports whether the likelihood is lower along a direction than on the way back, where it first makes a difference.
func (s *separator) fallsFirst(way []float64) bool {
	for t := 1.0; t <= fartherBy; t *= 2 {
		if lower := s.n * (s.lossAlong(way, t) - s.lossAlong(way, -t)); !(math.Abs(lower) < nothing) {
			return lower > 0
		}
	}
	return false
}

// lossAlong is the loss so many times along a direction.
func (s *separator) lossAlong(way []float64, times float64) float64 {
	copy(s.at, s.x)
	floats.AddScaled(s.at, times, way)
	return s.u.Loss(s.at)
}

// certain reports whether all rows have the probability 1 far out along a direction: the likelihood determines no coefficient.
func (s *separator) certain(way []float64) bool {
	return s.n*s.lossAlong(way, fartherBy) < nothing
}

// relativeStep is that of differences, of what a coordinate is: coefficients far out are as many times as far from where their columns change something.
const relativeStep = 1e-6

// relativeInformation is that about the real coordinates, in units of what these are, as values and vectors, the least value first.
type relativeInformation struct {
	units   []float64 // of the coordinates that are not 0
	values  []float64
	vectors mat.Dense
}

// level is how many directions there are along which the likelihood is not curved as much as that a coefficient is a standard error.
func (r *relativeInformation) level() (count int) {
	for count < len(r.values) && r.values[count] < 1 {
		count++
	}
	return count
}

// relative returns nil where there is no information, or no coordinate.
func (s *separator) relative() *relativeInformation {
	if len(s.real) == 0 {
		return nil
	}
	r := &relativeInformation{units: make([]float64, len(s.real))}
	relative := mat.NewSymDense(len(s.real), nil)
	for i, k := range s.real {
		r.units[i] = s.x[k]
		copy(s.at, s.x)
		s.at[k] = s.x[k] * (1 + relativeStep)
		s.u.Gradient(s.up, s.at)
		s.at[k] = s.x[k] * (1 - relativeStep)
		s.u.Gradient(s.down, s.at)
		for j, l := range s.real {
			half := s.n * s.x[l] * (s.up[l] - s.down[l]) / (4 * relativeStep)
			relative.SetSym(i, j, relative.At(i, j)+half)
			if i == j {
				relative.SetSym(i, i, relative.At(i, i)+half)
			}
		}
	}
	var eigen mat.EigenSym
	switch size := mat.Norm(relative, 1); {
	case size < nothing: // there is none, in digits that are too small for eigenvalues
		r.values = make([]float64, len(s.real))
		r.vectors.CloneFrom(mat.NewDiagDense(len(s.real), slices.Repeat([]float64{1}, len(s.real))))
		return r
	case math.IsNaN(size) || math.IsInf(size, 0) || !eigen.Factorize(relative, true):
		return nil
	}
	eigen.VectorsTo(&r.vectors)
	r.values = eigen.Values(nil)
	return r
}

// recedesAlong reports whether the likelihood never falls along a direction, and does on the way back.
func (s *separator) recedesAlong(way []float64) bool {
	s.axes = append(s.axes, axis{unit: 1, way: way, real: true})
	defer func() { s.axes = s.axes[:len(s.axes)-1] }()
	return s.oneSided(len(s.axes)-1, s.n)
}

// prune sets entries of a direction to 0 without which the likelihood is as high, those first that matter least: what is left has to grow, all of it.
func (s *separator) prune(way []float64) {
	base := slices.Clone(s.x)
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
		if !(without(at) < nothing) {
			continue
		}
		if way[at] = 0; s.recedesAlong(way) {
			base[at] -= was
		} else {
			way[at] = was
		}
	}
}
