package vector

// Operation is an operation of two numbers, rounded once.
type Operation uint8

// The operations.
const (
	Plus Operation = iota
	Minus
	Times
	Over
)

// Combine writes a Plus b, a Minus b and so on to dst, entry by entry. All are as long as dst, which may be a or b.
func Combine(o Operation, dst, a, b []float64) {
	a, b = a[:len(dst)], b[:len(dst)]
	for len(dst) > 0 {
		n := min(block, len(dst))
		switch o {
		case Plus:
			add(&dst[0], &a[0], &b[0], n)
		case Minus:
			subtract(&dst[0], &a[0], &b[0], n)
		case Times:
			multiply(&dst[0], &a[0], &b[0], n)
		case Over:
			divide(&dst[0], &a[0], &b[0], n)
		}
		dst, a, b = dst[n:], a[n:], b[n:]
	}
}

// CombineNumber writes the results for entries of a and one number b. dst may be a, which is as long.
func CombineNumber(o Operation, dst, a []float64, b float64) {
	a = a[:len(dst)]
	for len(dst) > 0 {
		n := min(block, len(dst))
		switch o {
		case Plus:
			addNumber(&dst[0], &a[0], b, n)
		case Minus:
			subtractNumber(&dst[0], &a[0], b, n)
		case Times:
			multiplyNumber(&dst[0], &a[0], b, n)
		case Over:
			divideNumber(&dst[0], &a[0], b, n)
		}
		dst, a = dst[n:], a[n:]
	}
}

// CombineFrom writes the results for one number a and entries of b. dst may be b, which is as long.
func CombineFrom(o Operation, dst []float64, a float64, b []float64) {
	if o == Plus || o == Times {
		CombineNumber(o, dst, b, a)
		return
	}
	b = b[:len(dst)]
	for len(dst) > 0 {
		n := min(block, len(dst))
		if o == Minus {
			subtractFrom(&dst[0], &b[0], a, n)
		} else {
			divideFrom(&dst[0], &b[0], a, n)
		}
		dst, b = dst[n:], b[n:]
	}
}

// Inverse writes 1/x to dst, which may be x and is as long, rounded once.
func Inverse(dst, x []float64) { CombineFrom(Over, dst, 1, x) }

// InverseRoot writes one over the square root of x, which is rounded itself, to dst, which may be x and is as long.
func InverseRoot(dst, x []float64) {
	x = x[:len(dst)]
	for len(dst) > 0 {
		n := min(block, len(dst))
		inverseRoot(&dst[0], &x[0], n)
		dst, x = dst[n:], x[n:]
	}
}

// AffineTimes writes c (a x + b) y to dst, entry by entry, each operation rounded. All are as long as dst, which may be x or y.
func AffineTimes(dst []float64, c, a float64, x []float64, b float64, y []float64) {
	x, y = x[:len(dst)], y[:len(dst)]
	for len(dst) > 0 {
		n := min(block, len(dst))
		affineTimes(&dst[0], &x[0], &y[0], c, a, b, n)
		dst, x, y = dst[n:], x[n:], y[n:]
	}
}
