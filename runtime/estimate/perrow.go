package estimate

import (
	"slices"
	"sync"
)

// perRow has the memory of a fit for numbers of every row. Probabilities of components are kept of one end of a run at a time, and of a run that is watched
// while somebody looks at them. Nil keeps all.
type perRow struct {
	room func(numbers int) ([]float64, error) // see Settings.Room

	lock sync.Mutex
	free [][]float64
	ones []float64
	no   error // why there was no room

	of *posterior // whose probabilities are kept
}

// leastApart is how many numbers are worth to be kept for one at a time, and to be in a file: fewer are in memory, as many as there are.
const leastApart = 1 << 16

// take returns memory for so many numbers, which are any.
func (p *perRow) take(n int) []float64 {
	if p == nil {
		return make([]float64, n)
	}
	p.lock.Lock()
	defer p.lock.Unlock()
	return p.more(n)
}

// more is take for who has the lock.
func (p *perRow) more(n int) []float64 {
	if i := slices.IndexFunc(p.free, func(x []float64) bool { return cap(x) >= n && cap(x)/2 <= n }); i >= 0 {
		x := p.free[i]
		p.free = slices.Delete(p.free, i, i+1)
		return x[:n]
	}
	if p.room != nil && n >= leastApart {
		x, err := p.room(n)
		if err == nil {
			return x
		}
		p.no = err
	}
	return make([]float64, n)
}

// give gives memory back, which nobody may use any more.
func (p *perRow) give(x []float64) {
	if p == nil {
		return
	}
	p.lock.Lock()
	defer p.lock.Unlock()
	p.free = append(p.free, x)
}

// weights are ones for so many rows. They are not to be modified.
func (p *perRow) weights(rows int) []float64 {
	if p == nil {
		return slices.Repeat([]float64{1}, rows)
	}
	p.lock.Lock()
	defer p.lock.Unlock()
	if len(p.ones) < rows {
		p.ones = p.more(rows)
		for i := range p.ones {
			p.ones[i] = 1
		}
	}
	return p.ones[:rows:rows]
}

// warning says that numbers are in memory for which there was no room.
func (p *perRow) warning() []string {
	if p == nil || p.no == nil {
		return nil
	}
	return []string{"probabilities of components take more memory than was to be taken: " + p.no.Error()}
}
