package runtime

import "fmt"

// tail is the mean of the last points of a run, whose end need not be known: of two means, the longer one is given up
// for the other as soon as that covers the fraction of the run that is asked for. So the older mean always covers at
// least this fraction a, and at most a(2-a): between two such moments a run grows by the factor 1/(1-a).
type tail struct {
	old, young mean
	seen       int
}

// mean is a mean of points, updated so that rounding does not grow with their number.
type mean struct {
	z []float64
	n int
}

func (t *tail) reset(n int) {
	t.old = mean{z: resized(t.old.z, n)}
	t.young = mean{z: resized(t.young.z, n)}
	t.seen = 0
}

func (t *tail) copy(from *tail) {
	t.old.copy(&from.old)
	t.young.copy(&from.young)
	t.seen = from.seen
}

func (t *tail) add(z []float64, fraction float64) {
	t.seen++
	t.old.add(z)
	t.young.add(z)
	if float64(t.young.n) >= fraction*float64(t.seen) {
		t.old.copy(&t.young)
		t.young.n = 0
	}
}

func (a *mean) copy(from *mean) {
	copy(a.z, from.z)
	a.n = from.n
}

func (a *mean) add(z []float64) {
	a.n++
	if a.n == 1 {
		copy(a.z, z)
		return
	}
	r := 1 / float64(a.n)
	z = z[:len(a.z)]
	for i, x := range a.z {
		a.z[i] += r * (z[i] - x)
	}
}

// average makes room for the mean of the points.
func (m *Descender) average() {
	for _, at := range []*position{&m.now, &m.safe} {
		if m.set.Average > 0 && len(at.tail.old.z) == 0 {
			at.tail.reset(len(at.z))
		}
	}
}

// outcome writes the point that the run has found to the Result: the mean of the last ones, or the last.
func (m *Descender) outcome(status Status) {
	r, tail := &m.res, &m.now.tail.old
	copy(r.Z, m.now.z)
	r.Averaged = 0
	if m.set.Average == 0 || tail.n == 0 || status == Failed {
		return
	}
	if !m.valid(tail.z) {
		r.Message += fmt.Sprintf("; the mean of %d points is outside the domain: Z is the last of them", tail.n)
		return
	}
	copy(r.Z, tail.z)
	r.Averaged = tail.n
}
