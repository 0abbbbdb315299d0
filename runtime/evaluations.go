package runtime

import "time"

// Evaluations knows what Gradients of a problem returned, so that a run that is begun again goes through the points that it has been at without
// evaluating them: to the same bits, as the loop depends on nothing else. It may be used by several runs at a time.
type Evaluations interface {
	// Find writes what Gradients returned at z to v and c. It reports false, and leaves them unspecified, if it does not know it.
	Find(v, c, z []float64) (loss float64, found bool)
	// Keep is told what Gradients returned at z, all of it finite, and how long that took. It copies what it wants to keep.
	Keep(v, c, z []float64, loss float64, took time.Duration)
}

// gradients is Gradients at a point, or what is known of it.
func (m *Minimizer) gradients(pt *point) {
	known := m.set.Evaluations
	if known == nil {
		pt.f = m.p.Gradients(pt.v, pt.c, pt.z)
		return
	}
	loss, found := known.Find(pt.v, pt.c, pt.z)
	if found {
		pt.f = loss
		return
	}
	began := time.Now()
	pt.f = m.p.Gradients(pt.v, pt.c, pt.z)
	if finite(pt.f) && finite(dot(pt.c, pt.v)) {
		known.Keep(pt.v, pt.c, pt.z, pt.f, time.Since(began))
	}
}
