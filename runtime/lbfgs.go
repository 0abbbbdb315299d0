package runtime

// pairs is the memory of NaturalLBFGS: for each of the last steps the change s of the coordinates, the change y of the
// covector c and the change w of the natural gradient v, with rho = 1/(y.s). It is a ring over one slab.
type pairs struct {
	n, size     int
	count, next int
	slab        []float64 // size times (s, y, w)
	rho, alpha  []float64
	q           []float64 // scratch of direct
	gamma       float64   // (y.s)/(y.w) of the newest pair: the scale of the initial inverse Hessian
}

// resize makes room for so many pairs, and forgets those there are unless they are to be kept.
func (p *pairs) resize(size, n int, keep bool) {
	if p.size != size || p.n != n {
		*p = pairs{n: n, size: size}
		if size > 0 {
			buf := make([]float64, 3*size*n+2*size+n)
			p.slab, buf = buf[:3*size*n], buf[3*size*n:]
			p.rho, p.alpha, p.q = buf[:size], buf[size:2*size], buf[2*size:]
		}
	}
	if !keep {
		p.clear()
	}
}

func (p *pairs) clear() { p.count, p.next = 0, 0 }

func (p *pairs) row(i int) (s, y, w []float64) {
	n := p.n
	r := p.slab[3*n*i : 3*n*(i+1)]
	return r[:n:n], r[n : 2*n : 2*n], r[2*n:]
}

// push remembers the step from a to b, unless its curvature is not positive in both senses: y.s > 0 keeps the
// approximation positive definite (Nocedal and Wright, 2nd edition, section 6.1), y.w > 0 its scale.
func (p *pairs) push(a, b *point) {
	s, y, w := p.row(p.next)
	var ys, yw float64
	for i := range s {
		s[i] = b.z[i] - a.z[i]
		y[i] = b.c[i] - a.c[i]
		w[i] = b.v[i] - a.v[i]
		ys += y[i] * s[i]
		yw += y[i] * w[i]
	}
	if !(ys > 0 && yw > 0 && finite(1/ys) && finite(ys/yw)) {
		return
	}
	p.rho[p.next] = 1 / ys
	p.gamma = ys / yw
	p.next = (p.next + 1) % p.size
	p.count = min(p.count+1, p.size)
}

// direct writes minus the approximate inverse Hessian times c to d. It is the two-loop recursion of Nocedal and Wright
// (2nd edition, algorithm 7.4) with the initial inverse Hessian gamma F^-1, carried out on q = c and u = v = F^-1 c at
// once, so that F^-1 q is at hand in the middle without F. Every product pairs a covector with a vector.
func (p *pairs) direct(d, c, v []float64) {
	q := p.q
	copy(q, c)
	copy(d, v)
	i := p.next
	for range p.count {
		i = (i + p.size - 1) % p.size
		s, y, w := p.row(i)
		a := p.rho[i] * dot(q, s)
		p.alpha[i] = a
		addScaled2(q, d, -a, y, w)
	}
	for j := range d {
		d[j] *= p.gamma
	}
	for range p.count {
		s, y, _ := p.row(i)
		addScaled(d, p.alpha[i]-p.rho[i]*dot(y, d), s)
		i = (i + 1) % p.size
	}
	for j := range d {
		d[j] = -d[j]
	}
}
