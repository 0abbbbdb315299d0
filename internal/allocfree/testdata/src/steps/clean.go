// Package steps holds what a step may do, in this file, and what it may not, in the others.
package steps

import (
	"math"

	"github.com/sngdgen/sngdgen/runtime/special"
)

const block = 256

type Model struct {
	x, w []float64
	buf  [4]float64
	next *Model
}

type point struct{ x, y float64 }

var table = [3]float64{1, 2, 3}

func (p *Model) Gradients(v, c, z []float64) float64 {
	var sum float64
	for start := 0; start < len(p.x); start += block {
		end := min(start+block, len(p.x))
		weights := p.w[start:end]
		for i, x := range p.x[start:end] {
			sum += weights[i] * special.Lgamma(x)
		}
	}
	t0, t1 := special.Pair(sum)
	v[0], v[1] = t0, t1
	copy(c, v)
	clear(v)
	return root(sum)
}

// The receiver of a call is no address that is taken, and what is global or behind a pointer is on the heap already.
func root(x float64) float64 {
	s := special.Solver{X: x}
	for s.Next() {
		s.X--
	}
	q := point{1, x}
	a := [2]point{{1, 2}, q}
	const text = "a" + "b"
	if math.IsNaN(s.X) {
		panic("not a number: " + text)
	}
	return first(&table) + a[1].y + float64(len(text)) + larger(q.x, q.y) + even(3)
}

func first(t *[3]float64) float64 { return t[0] }

func larger[T float64 | int](a, b T) T {
	switch {
	case a > b:
		return a
	default:
		return b
	}
}

func even(n int) float64 {
	for range n {
		if n%2 == 0 {
			continue
		}
		n++
	}
	return float64(n)
}

func (p *Model) Dual(dst, z []float64) { copy(dst, p.buf[:]); keep(&p.buf) }

func keep(*[4]float64) {}

// What sets a model up may allocate.

func New(n int) *Model { return &Model{x: make([]float64, n)} }

func (p *Model) SetData(x []float64) { p.x = append(p.x[:0], x...) }
