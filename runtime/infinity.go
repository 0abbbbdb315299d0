package runtime

import "math"

const (
	// An auxiliary block matters when setting it to 0 costs this many times Settings.Negligible. With Negligible = 0.001
	// divided by the number of observations that is a log-likelihood ratio of 5. Where a quadratic loss has its minimum at
	// such a distance from 0, it costs a quarter of this to stop halfway: a thousand times what counts as level.
	relevance = 5000
	// Cosine between the vectors that counts as the same direction.
	sameDirection = 0.95
)

// multiples of a block at which its loss is compared at the end of a run.
var multiples = [...]float64{1.5, 2, 4}

// drift watches whether auxiliary blocks go to infinity, which is where some likelihoods have their supremum for some
// data. Blocks of the surrogate cannot tell by their size, as the ends of their domains are everywhere; those are not
// looked at.
//
// It remembers, for each block, the last three points between which its norm doubled at least. There are two signs that
// a block has no finite optimum. Both require that the block matters, or a small estimate with a large standard error
// would do as well.
//
//   - Trajectory: the norm has grown four times, in a constant direction, while the loss with all else that was fitted
//     in the meantime has changed by no more than Negligible. Seen during the run. At its end doubling is enough.
//   - Ray: at 1.5, 2 and 4 times the block, all else being equal, the loss differs by no more than Negligible from what
//     it is, or is not defined at 2 and 4 times. Looked for at the end of the run only: the trajectory may be too short to tell.
//
// At an ordinary optimum neither holds, since the loss rises on both sides of it and the block matters; on the way to
// it the loss falls by more. The point where the run ends is one on the way to infinity, not the best of all: a block
// that has run far ahead may make the domain of low losses so narrow that the other coordinates could gain
// something yet, in very many steps.
type drift struct {
	negligible float64
	blocks     []blockDrift
	grown      bool     // a level was added since runaway looked last
	unbounded  []string // names of the blocks that go to infinity
}

// blockDrift are the points of one block, oldest first.
type blockDrift struct {
	name      string
	from, to  int
	levels    [3]level
	count     int
	grown     bool
	runaway   bool // its trajectory has shown that it goes to infinity
	frozen    bool // see freeze
	wasFrozen bool
	back      float64 // of a number that is released: the multiple to go on from
}

type level struct {
	z       []float64 // of the block
	norm, f float64
}

func (d *drift) reset(p Problem, negligible float64) {
	d.negligible, d.grown, d.blocks, d.unbounded = negligible, false, d.blocks[:0], d.unbounded[:0]
	if !(negligible > 0) {
		return
	}
	for _, b := range p.Blocks() {
		if !b.Auxiliary || b.Len == 0 {
			continue
		}
		if k := len(d.blocks); k < cap(d.blocks) {
			d.blocks = d.blocks[:k+1]
		} else {
			d.blocks = append(d.blocks, blockDrift{})
		}
		d.blocks[len(d.blocks)-1].reset(b)
	}
}

func (b *blockDrift) reset(of Block) {
	levels := b.levels
	*b = blockDrift{name: of.Name, from: of.Offset, to: of.Offset + of.Len, levels: levels, back: 1}
	for i := range b.levels {
		b.levels[i] = level{z: resized(b.levels[i].z, of.Len)}
	}
}

// observe takes note of a point.
func (d *drift) observe(pt *point) {
	for i := range d.blocks {
		d.blocks[i].observe(pt)
		d.grown = d.grown || d.blocks[i].grown
	}
}

func (b *blockDrift) observe(pt *point) {
	z := pt.z[b.from:b.to]
	norm := math.Sqrt(dot(z, z))
	for b.count > 0 && b.levels[b.count-1].norm > norm {
		b.count--
	}
	b.grown = norm > 0 && (b.count == 0 || norm >= 2*b.levels[b.count-1].norm)
	if !b.grown {
		return
	}
	l := &b.levels
	if b.count == len(l) {
		l[0], l[1], l[2] = l[1], l[2], l[0]
		b.count--
	}
	at := &l[b.count]
	copy(at.z, z)
	at.norm, at.f = norm, pt.f
	b.count++
}

// runaway reports whether the trajectory of a block, which has just doubled again, shows that it goes to infinity.
func (m *Minimizer) runaway() bool {
	if !m.drift.grown {
		return false
	}
	m.drift.grown = false
	for i := range m.drift.blocks {
		b := &m.drift.blocks[i]
		if b.grown && b.count == len(b.levels) && m.sameRay(b, &b.levels[0]) && m.matters(b) {
			b.runaway = true
			return true
		}
	}
	return false
}

// unbounded reports at the end of a run whether a block has no finite optimum, and notes the names of those that have
// none.
func (m *Minimizer) unbounded() bool {
	d := &m.drift
	for i := range d.blocks {
		if b := &d.blocks[i]; b.runaway || (m.doubled(b) || m.flatRay(b)) && m.matters(b) {
			d.unbounded = append(d.unbounded, b.name)
		}
	}
	return len(d.unbounded) > 0
}

// doubled reports whether the last doubling of a block has changed next to nothing.
func (m *Minimizer) doubled(b *blockDrift) bool {
	z := m.at.z[b.from:b.to]
	norm := math.Sqrt(dot(z, z))
	for i := b.count - 1; i >= 0; i-- {
		if l := &b.levels[i]; 2*l.norm <= norm {
			return m.sameRay(b, l)
		}
	}
	return false
}

// sameRay reports whether the present block and loss differ from those of an earlier point in the length of the block
// only.
func (m *Minimizer) sameRay(b *blockDrift, l *level) bool {
	z := m.at.z[b.from:b.to]
	return math.Abs(l.f-m.at.f) <= m.drift.negligible && dot(z, l.z) >= sameDirection*l.norm*math.Sqrt(dot(z, z))
}

// flatRay reports whether the loss stays where it is when the block becomes longer, as far as it is defined: the first
// multiple must be, later ones may overflow.
func (m *Minimizer) flatRay(b *blockDrift) bool {
	for i, s := range multiples {
		f := m.multiple(b, s)
		if i > 0 && math.IsNaN(f) {
			break
		}
		if !(math.Abs(f-m.at.f) <= m.drift.negligible) {
			return false
		}
	}
	return true
}

// matters reports whether the loss is much larger, or not defined, where the block is 0.
func (m *Minimizer) matters(b *blockDrift) bool {
	return !(m.multiple(b, 0)-m.at.f < relevance*m.drift.negligible)
}

// multiple is the loss where the block is multiplied by s.
func (m *Minimizer) multiple(b *blockDrift, s float64) float64 {
	z := m.trial.z
	copy(z, m.at.z)
	for i := b.from; i < b.to; i++ {
		z[i] *= s
	}
	m.res.LossEvaluations++
	return m.p.Loss(z)
}
