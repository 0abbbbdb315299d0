package main

import "github.com/mmcloughlin/avo/reg"

// operation is an operation of two numbers.
type operation struct {
	name, sign string
	write      func(a, b, out reg.VecVirtual)
}

// arithmetic writes the kernels of sums, differences, products and quotients, entry by entry: of two slices, of a slice and a number, and
// of a number and a slice where that is another operation.
func (t *tier) arithmetic() {
	for _, o := range []operation{
		{"add", "+", func(a, b, out reg.VecVirtual) { t.VADDPD(b, a, out) }},
		{"subtract", "-", func(a, b, out reg.VecVirtual) { t.VSUBPD(b, a, out) }},
		{"multiply", "*", func(a, b, out reg.VecVirtual) { t.VMULPD(b, a, out) }},
		{"divide", "/", func(a, b, out reg.VecVirtual) { t.VDIVPD(b, a, out) }},
	} {
		t.ofSlices(o)
		t.ofNumber(o, false)
		if o.sign == "-" || o.sign == "/" {
			t.ofNumber(o, true)
		}
	}
	t.affineTimes()
	t.inverseRoot()
}

// inverseRoot writes the kernel of one over square roots, both rounded.
func (t *tier) inverseRoot() {
	t.start("inverseRoot", "dst *float64, x *float64, n int", "writes one over the square root of n numbers.")
	one := t.all(1)
	mask := t.maskBehind("n")
	dst, x, n := t.arg("dst"), t.arg("x"), t.arg("n")
	t.overColumns(n, func(masks []reg.Register) {
		v := t.vec()
		t.load(at(x, 0), v, 0, masks)
		t.VSQRTPD(v, v)
		t.VDIVPD(v, one, v)
		t.store(v, at(dst, 0), 0, masks)
	}, mask, x, dst)
	t.end()
}

// affineTimes writes the kernel of products of one slice with an affine function of another, each operation rounded.
func (t *tier) affineTimes() {
	t.start("affineTimes", "dst *float64, x *float64, y *float64, c float64, a float64, b float64, n int", "writes c (a x + b) y for n numbers x and y.")
	scale, slope, constant := t.everywhere("c"), t.everywhere("a"), t.everywhere("b")
	mask := t.maskBehind("n")
	dst, x, y, n := t.arg("dst"), t.arg("x"), t.arg("y"), t.arg("n")
	t.overColumns(n, func(masks []reg.Register) {
		u, v := t.vec(), t.vec()
		t.load(at(x, 0), u, 0, masks)
		t.load(at(y, 0), v, 0, masks)
		t.VMULPD(u, slope, u)
		t.VADDPD(u, constant, u)
		t.VMULPD(u, scale, u)
		t.VMULPD(u, v, u)
		t.store(u, at(dst, 0), 0, masks)
	}, mask, x, y, dst)
	t.end()
}

// everywhere is a vector of an argument.
func (t *tier) everywhere(name string) reg.VecVirtual {
	number, err := t.Param(name).Resolve()
	if err != nil {
		panic(err)
	}
	v := t.vec()
	t.VBROADCASTSD(number.Addr, v)
	return v
}

func (t *tier) ofSlices(o operation) {
	t.start(o.name, "dst *float64, a *float64, b *float64, n int", "writes a "+o.sign+" b for n numbers.")
	mask := t.maskBehind("n")
	dst, a, b, n := t.arg("dst"), t.arg("a"), t.arg("b"), t.arg("n")
	t.overColumns(n, func(masks []reg.Register) {
		x, y := t.vec(), t.vec()
		t.load(at(a, 0), x, 0, masks)
		t.load(at(b, 0), y, 0, masks)
		o.write(x, y, x)
		t.store(x, at(dst, 0), 0, masks)
	}, mask, a, b, dst)
	t.end()
}

// ofNumber writes the kernel of a slice and a number, or with the number in front.
func (t *tier) ofNumber(o operation, inFront bool) {
	name, what := o.name+"Number", "a "+o.sign+" b for n numbers a and one b."
	if inFront {
		name, what = o.name+"From", "b "+o.sign+" a for n numbers a and one b."
	}
	t.start(name, "dst *float64, a *float64, b float64, n int", "writes "+what)
	y := t.everywhere("b")
	mask := t.maskBehind("n")
	dst, a, n := t.arg("dst"), t.arg("a"), t.arg("n")
	t.overColumns(n, func(masks []reg.Register) {
		x := t.vec()
		t.load(at(a, 0), x, 0, masks)
		if inFront {
			o.write(y, x, x)
		} else {
			o.write(x, y, x)
		}
		t.store(x, at(dst, 0), 0, masks)
	}, mask, a, dst)
	t.end()
}
