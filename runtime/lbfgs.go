package runtime

import "math"

// pairs is the memory of NaturalLBFGS: for each of the last steps the change s of the coordinates, the change y of the
// covector c and the change w of the natural gradient v, with rho = 1/(y.s). It is a ring over one slab.
//
// Of matrices with a shape it has what is free: the lower triangle, in which covectors have twice what is below the diagonal where the matrix is
// symmetric. Then products are those of all coordinates, and half of what long runs spend their time with is not there.
type pairs struct {
	n, size     int
	runs        []run
	width       int // numbers of all runs
	count, next int
	slab        []float64 // size times (s, y, w)
	rho, alpha  []float64
	q           []float64 // scratch of direct, for all coordinates
	u           []float64 // likewise, for those of the runs
	gamma       float64   // (y.s)/(y.w) of the newest pair: the scale of the initial inverse Hessian
}

// run is a run of coordinates that are remembered.
type run struct {
	from, to int
	// Of a row of a symmetric matrix: the first coordinate above the diagonal in the same column as the diagonal, and the distance to the next; 0 of others.
	column, side int
}

// appendRuns appends the coordinates of blocks that say what all n are.
func appendRuns(runs []run, blocks []Block, n int) []run {
	rest := 0 // from here on
	upTo := func(end int) {
		if rest < end {
			runs = append(runs, run{from: rest, to: end})
		}
	}
	for i := range blocks {
		b := &blocks[i]
		if !b.Symmetric && !b.Lower {
			continue
		}
		upTo(b.Offset)
		copies, each := b.Parts()
		d := int(math.Round(math.Sqrt(float64(each))))
		for c := range copies {
			at := b.Offset + c*each
			for row := range d {
				r := run{from: at + row*d, to: at + row*d + row + 1}
				if b.Symmetric {
					r.column, r.side = at+row, d
				}
				if b.Strict {
					r.to--
				}
				runs = append(runs, r)
			}
		}
		rest = b.Offset + b.Len
	}
	upTo(n)
	return runs
}

// resize makes room for so many pairs of n coordinates in blocks, and forgets those there are unless they are to be kept.
func (p *pairs) resize(size, n int, blocks []Block, keep bool) {
	width := 0
	p.runs = appendRuns(p.runs[:0], blocks, n)
	for _, r := range p.runs {
		width += r.to - r.from
	}
	if p.size != size || p.n != n || p.width != width {
		*p = pairs{n: n, size: size, runs: p.runs, width: width}
		if size > 0 {
			buf := make([]float64, 3*size*width+2*size+n+width)
			p.slab, buf = buf[:3*size*width], buf[3*size*width:]
			p.rho, p.alpha, buf = buf[:size], buf[size:2*size], buf[2*size:]
			p.q, p.u = buf[:n], buf[n:]
		}
	}
	if !keep {
		p.clear()
	}
}

// take writes what is remembered of a vector to dst.
func (p *pairs) take(dst, x []float64) {
	for _, r := range p.runs {
		dst = dst[copy(dst, x[r.from:r.to]):]
	}
}

// takeCovector writes what is remembered of a covector to dst.
func (p *pairs) takeCovector(dst, x []float64) {
	for _, r := range p.runs {
		n := copy(dst, x[r.from:r.to])
		if r.side > 0 {
			double(dst[:n-1])
		}
		dst = dst[n:]
	}
}

// double doubles what a covector has below the diagonal.
func double(x []float64) {
	for i := range x {
		x[i] *= 2
	}
}

// give writes minus what is remembered of a vector to all coordinates.
func (p *pairs) give(dst, x []float64) {
	clear(dst)
	for _, r := range p.runs {
		own := dst[r.from:r.to]
		for i, v := range x[:len(own)] {
			own[i] = -v
		}
		x = x[len(own):]
		if r.side > 0 {
			for i, at := 0, r.column; i < len(own)-1; i, at = i+1, at+r.side {
				dst[at] = own[i]
			}
		}
	}
}

func (p *pairs) clear() { p.count, p.next = 0, 0 }

func (p *pairs) row(i int) (s, y, w []float64) {
	n := p.width
	r := p.slab[3*n*i : 3*n*(i+1)]
	return r[:n:n], r[n : 2*n : 2*n], r[2*n:]
}

// push remembers the step from a to b, unless its curvature is not positive in both senses: y.s > 0 keeps the
// approximation positive definite (Nocedal and Wright, 2nd edition, section 6.1), y.w > 0 its scale.
func (p *pairs) push(a, b *point) {
	s, y, w := p.row(p.next)
	p.change(s, b.z, a.z)
	p.change(y, b.c, a.c)
	p.change(w, b.v, a.v)
	k := 0
	for _, r := range p.runs {
		n := r.to - r.from
		if r.side > 0 {
			double(y[k : k+n-1])
		}
		k += n
	}
	ys, yw := dot(y, s), dot(y, w)
	if !(ys > 0 && yw > 0 && finite(1/ys) && finite(ys/yw)) {
		return
	}
	p.rho[p.next] = 1 / ys
	p.gamma = ys / yw
	p.next = (p.next + 1) % p.size
	p.count = min(p.count+1, p.size)
}

// change writes what is remembered of b - a to dst.
func (p *pairs) change(dst, b, a []float64) {
	for _, r := range p.runs {
		from := a[r.from:r.to]
		for i, x := range b[r.from:r.to] {
			dst[i] = x - from[i]
		}
		dst = dst[len(from):]
	}
}

// direct writes minus the approximate inverse Hessian times c to d. It is the two-loop recursion of Nocedal and Wright
// (2nd edition, algorithm 7.4) with the initial inverse Hessian gamma F^-1, carried out on q = c and u = v = F^-1 c at
// once, so that F^-1 q is at hand in the middle without F. Every product pairs a covector with a vector.
func (p *pairs) direct(d, c, v []float64) {
	q, u := p.q[:p.width], p.u
	p.takeCovector(q, c)
	p.take(u, v)
	i := p.next
	for range p.count {
		i = (i + p.size - 1) % p.size
		s, y, w := p.row(i)
		a := p.rho[i] * dot(q, s)
		p.alpha[i] = a
		addScaled(q, -a, y)
		addScaled(u, -a, w)
	}
	for j := range u {
		u[j] *= p.gamma
	}
	for range p.count {
		s, y, _ := p.row(i)
		addScaled(u, p.alpha[i]-p.rho[i]*dot(y, u), s)
		i = (i + 1) % p.size
	}
	p.give(d, u)
}
