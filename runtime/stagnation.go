package runtime

import "math"

// stagnation watches for the end of the digits: the natural norm is small, the loss is level, and yet the norm has stopped
// falling. It also keeps the last few losses for LossTolerance.
type stagnation struct {
	near       bool      // a point below precisionNorm has been seen
	z          []float64 // the point of the smallest norm below precisionNorm
	f          float64
	square     float64
	since      int // steps since that point
	history    [lossWindow + 1]float64
	seen       int
	noProgress noProgress
}

// noProgress counts the long searches that ended without a step that meets their conditions since the last progress.
type noProgress struct {
	searches int
	all      int     // of the whole run, whatever the progress
	f        float64 // the loss of the last progress
	square   float64 // and the square of its norm
}

func (s *stagnation) reset() {
	*s = stagnation{z: s.z, square: math.Inf(1), noProgress: noProgress{f: math.MaxFloat64, square: math.Inf(1)}}
}

// observe takes note of a point.
func (s *stagnation) observe(pt *point) {
	s.history[s.seen%len(s.history)] = pt.f
	s.seen++
	s.since++
	// A negative square is rounding: it tells nothing about the distance.
	if q := math.Abs(pt.square); q < s.square && q < precisionNorm*precisionNorm {
		s.near, s.square, s.f, s.since = true, q, pt.f, 0
		copy(s.z, pt.z)
	}
}

// over reports whether neither the norm nor the loss has made progress for stagnationIterations steps near an optimum.
func (s *stagnation) over(f float64) bool {
	return s.near && s.since >= stagnationIterations && f >= s.f-rounding(s.f)
}

// restore moves pt to the point of the smallest norm, unless there is none or the loss of pt is truly lower.
func (s *stagnation) restore(pt *point) {
	if !s.near || pt.f < s.f-rounding(s.f) {
		return
	}
	copy(pt.z, s.z)
	pt.f, pt.square = s.f, s.square
}

// observe takes note of a step and of whether a long search ended with it for want of a better one, and returns the number
// of those that did since the last progress. That is a loss lower by what so many steps could gain by rounding alone, each
// by no more than its search calls level, or a norm lower by a tenth. It counts from where it last was: slow progress is
// progress.
func (v *noProgress) observe(pt *point, exhausted bool) int {
	if exhausted {
		v.all++
	}
	if pt.f < v.f-stagnationIterations*rounding(v.f) || pt.square > 0 && pt.square < 0.81*v.square {
		*v = noProgress{all: v.all, f: pt.f, square: pt.square}
		return 0
	}
	if exhausted {
		v.searches++
	}
	return v.searches
}

// flat reports whether the loss has fallen by no more than tol*(1+|loss|) over the window.
func (s *stagnation) flat(tol float64) bool {
	k := len(s.history)
	if s.seen < k {
		return false
	}
	newest, oldest := s.history[(s.seen-1)%k], s.history[s.seen%k]
	return math.Abs(oldest-newest) <= tol*(1+math.Abs(newest))
}
