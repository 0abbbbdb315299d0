package estimate

import (
	"math"

	"gonum.org/v1/gonum/floats"
)

const (
	// mostCandidates is how many candidates there are at most in a span, and mostAltogether in all of them: no more than half of those that are left.
	mostCandidates, mostAltogether = 32, 256
	// mildly is by how much the log-likelihood falls at most where its slopes are taken: beyond, they may be larger than floating point.
	mildly = 16
	// mostHalvings is how often the way between two distances is halved for a point at which it does.
	mostHalvings = 60
	// leastMargin is how far a direction has to be from all that is excluded, relative to its length.
	leastMargin = 1e-6
	// mostExchanges is how many times weight is moved from one cut to another at most, until what is left to gain is exchanged of the square of the margin.
	mostExchanges, exchanged = 10000, 1e-6
)

// amongLeastDetermined looks for a direction of recession in the span of so many eigenvectors; nil where none was found. The part that the coordinates have of the span is known to be none. That
// need not be one: what the coordinates have of the others has a share in where a run has come to, and that is the larger the nearer the end is. But no direction of recession of a concave function
// has a slope against it at any point (Rockafellar 1970), so that the slopes where the likelihood has fallen are cutting planes: the next candidate is the direction that is farthest
// from all of them, on their right side. Where there is none such the span is excluded, but not smaller ones: where eigenvalues are far apart cuts have not the digits for all of it.
func (s *recessionSearch) amongLeastDetermined(info *relativeInformation, count int) []float64 {
	shares := info.leastDetermined(count)
	length := floats.Norm(shares, 2)
	var cuts [][]float64
	for range min(mostCandidates, (s.left+1)/2) {
		s.left--
		cut := s.cut(info, count, info.combined(shares))
		if cut == nil || !(floats.Dot(cut, shares) > 0) { // of no concave function
			return nil
		}
		cuts = append(cuts, cut)
		shares = leastOfHull(cuts)
		margin := floats.Norm(shares, 2)
		if margin < leastMargin {
			return nil
		}
		floats.Scale(-length/margin, shares)
		if way := s.recedesTowards(info, count, shares); way != nil {
			return way
		}
	}
	return nil
}

// recedesTowards is the direction of recession that a candidate leads to, by its shares of the eigenvectors; nil where it leads to none.
func (s *recessionSearch) recedesTowards(info *relativeInformation, count int, shares []float64) []float64 {
	s.begin(s.x)
	if way := s.betweenFarPoints(info, count, info.combined(shares)); s.recedesAlong(way) {
		return way
	}
	return nil
}

// cut has the slopes of the loss along so many eigenvectors, relative to their length, where the likelihood has fallen along a direction though others are fitted again; nil where it does not fall.
func (s *recessionSearch) cut(info *relativeInformation, count int, way []float64) []float64 {
	s.begin(s.x)
	g := make([]float64, len(s.x))
	for times := nearPoint; times <= fartherBy; times *= 2 {
		if s.rise(way, times) <= noticed {
			continue
		}
		at := s.highestAcross(info, count, onLine(s.x, way, s.fallsMildly(way, times/2, times)))
		if !(s.n*(s.u.Gradient(g, at)-s.loss) > noticed/2) {
			continue
		}
		slopes := info.slopes(g, count)
		length := floats.Norm(slopes, 2)
		if !(length > 0) || math.IsInf(length, 0) {
			return nil
		}
		floats.Scale(1/length, slopes)
		return slopes
	}
	return nil
}

// fallsMildly is a distance between two, at the second of which the likelihood has fallen or is none, at which it has fallen by something that it takes.
func (s *recessionSearch) fallsMildly(way []float64, within, outside float64) float64 {
	at := outside
	for range mostHalvings {
		switch rise := s.rise(way, at); {
		case rise <= noticed:
			within = at
		case rise <= mildly:
			return at
		default: // NaN as well
			outside = at
		}
		at = within + (outside-within)/2
	}
	return within
}

// leastOfHull is the point of the convex hull of others that is nearest to 0, by moving weight from the one farthest out along it to the one that is least (Mitchell, Demyanov and Malozemov 1974). All
// others have an inner product with it that is at least its square.
func leastOfHull(of [][]float64) []float64 {
	weights := make([]float64, len(of))
	weights[0] = 1
	point := append([]float64(nil), of[0]...)
	change := make([]float64, len(point))
	for range mostExchanges {
		least, most := 0, -1
		for i, p := range of {
			if floats.Dot(p, point) < floats.Dot(of[least], point) {
				least = i
			}
			if weights[i] > 0 && (most < 0 || floats.Dot(p, point) > floats.Dot(of[most], point)) {
				most = i
			}
		}
		floats.SubTo(change, of[least], of[most])
		gap, size := -floats.Dot(change, point), floats.Dot(change, change)
		if gap <= exchanged*floats.Dot(point, point) || size == 0 {
			break
		}
		moved := math.Min(weights[most], gap/size)
		weights[least] += moved
		weights[most] -= moved
		floats.AddScaled(point, moved, change)
	}
	return point
}
