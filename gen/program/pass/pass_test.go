package pass_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/sngdgen/sngdgen/gen/program"
	"github.com/sngdgen/sngdgen/gen/program/pass"
	"github.com/sngdgen/sngdgen/gen/program/verify"
)

// before and after passes, by their names.
var cases = []struct{ pass, before, after string }{
	// once goes to the first loop that uses it. What is used in between, what is made of a sum or of memory, and what another number would
	// be kept for, stays.
	{"sink", `for k components
name w = z[0: k of scalar]
name mu = z[k: k of scalar]
memory shares[components], slot 0
zero total
for each component {
	a = exp(w)
	b = log(mu)
	once = 2*a
	early = 3*a
	sums = 5*total
	share = 6*shares[component]
	alone = 4*b
	total += a + early
}
for each block of rows with x[rows] of data {
	for each component {
		for i < rows {
			sum s += weight*(x[i]*early)
		}
	}
}
SoftmaxOf(shares, shares)
for each component {
	v[component] = a + share
	u = a + once + sums
	v[k + component] = u + s
}
for each component {
	c[component] = once + alone
}
`, `for k components
name w = z[0: k of scalar]
name mu = z[k: k of scalar]
memory shares[components], slot 0
zero total
for each component {
	a = exp(w)
	b = log(mu)
	early = 3*a
	sums = 5*total
	share = 6*shares[component]
	alone = 4*b
	total += a + early
}
for each block of rows with x[rows] of data {
	for each component {
		for i < rows {
			sum s += weight*(x[i]*early)
		}
	}
}
SoftmaxOf(shares, shares)
for each component {
	v[component] = a + share
	once = 2*a
	u = a + once + sums
	v[k+component] = u + s
}
for each component {
	c[component] = once + alone
}
`},
	// What is divided once, or by something that the loop changes or reads from memory, is divided still.
	{"quotients", `for each block of rows with x[rows] of data, y[rows] of y {
	memory r[rows], slot 0
	for i < rows {
		a = x[i] + 1
		b = a^2 + 1
		r[i] = a*y[i]/(b*a)
		sum s += weight*(a/b)
		sum t += weight*(2*a^2*y[i]/b)
		sum u += weight*(1/b + y[i]/a^2)
		sum v += weight*(a/x[i] + y[i]/x[i])
		sum w += weight*(exp(b/(b*a)))
	}
}
return s + t + u + v + w
`, `for each block of rows with x[rows] of data, y[rows] of y {
	memory r[rows], slot 0
	for i < rows {
		a = x[i] + 1
		b = (a^2) + 1
		invBA = 1/(b*a)
		invB = 1/b
		sum s += weight*(a*invB)
		sum t += weight*(2*a^2*y[i]*invB)
		sum u += weight*(invB + (y[i]/a^2))
		sum v += weight*((a/x[i]) + (y[i]/x[i]))
		sum w += weight*(exp(b*invBA))
		r[i] = a*y[i]*invBA
	}
}
return s + t + u + v + w
`},
	{"quotients", `for each row with x of data {
	a = x + 1
	b = exp(2/a)
	known = 1/a
	sum s += weight*(b/a + known)
}
t = s/2
u = 3*s/t
v = 4*s/t
return u + v
`, `for each row with x of data {
	a = x + 1
	known = 1/a
	b = exp(2*known)
	sum s += weight*((b*known) + known)
}
t = s/2
u = 3*s/t
v = 4*s/t
return u + v
`},
	{"spill", `for k components
memory all[components], slot 0
memory weights[components], slot 0
name w = weights[component]
name mu = z[0: k of scalar]
for each component {
	t = 2*mu
	u = exp(t)
	all[component] = t
	memory v[d], slot 0
	clear(v)
}
SoftmaxOf(weights, all)
zero s
for each component {
	s += w*u
	for i < d {
		total n += v[i]
	}
}
return s
`, `for k components
memory all[components], slot 0
memory weights[components], slot 0
memory us[components], slot 0
memory vs[components, d], slot 0
for each component {
	name mu = z[0: the component's scalar]
	t = 2*mu
	u = exp(t)
	all[component] = t
	name v[d] = vs[component]
	clear(v)
	us[component] = u
}
SoftmaxOf(weights, all)
zero s
for each component {
	name w = weights[component]
	name u = us[component]
	name v[d] = vs[component]
	s += w*u
	for i < d {
		total n += v[i]
	}
}
return s
`},
	{"spill", `for k components
name a = z[0: k of scalar]
name w = z[k: k of scalar]
for each block of rows with x[rows] of data {
	for each component {
		memory r[rows], slot 0
		for i < rows {
			r[i] = x[i] - a
		}
		memory v[d], slot 0
		clear(v)
	}
	for each component {
		n = Dot(v, v)
		for i < rows {
			sum s += weight*(w*r[i]*n)
		}
	}
}
return s
`, `for k components
memory vs[components, d], slot 0
for each block of rows with x[rows] of data {
	memory rs[components, rows], slot 0
	for each component {
		name a = z[0: the component's scalar]
		name r[rows] = rs[component]
		for i < rows {
			r[i] = x[i] - a
		}
		name v[d] = vs[component]
		clear(v)
	}
	for each component {
		name v[d] = vs[component]
		name w = z[k: the component's scalar]
		name r[rows] = rs[component]
		n = Dot(v, v)
		for i < rows {
			sum s += weight*(w*r[i]*n)
		}
	}
}
return s
`},
	{"blockwise", `name a = z[0]
for each row with x of data {
	u = x - a
	g, h = lgamma_diff, digamma_diff(u, 2)
	l = log1p(g*u)
	sum total += weight*(h*l)
	sum largest += weight*(exp(l) + u)
}
return total
`, `name a = z[0]
for each block of rows with x[rows] of data {
	memory gs[rows], slot 0
	memory hs[rows], slot 0
	memory ls[rows], slot 0
	for i < rows {
		u = x[i] - a
		g, h = lgamma_diff, digamma_diff(u, 2)
		gs[i] = g
		hs[i] = h
		ls[i] = g*u
	}
	Log1ps(ls, ls)
	memory t0[rows], slot 0
	Exps(t0, ls)
	for i < rows {
		u = x[i] - a
		h = hs[i]
		l = ls[i]
		sum total += weight*(h*l)
		sum largest += weight*(t0[i] + u)
	}
}
return total
`},
	{"blockwise", `for each row with x of data {
	largest top, topAt of x
}
for each block of rows with y[rows] of data {
	for i < rows {
		one = 1 in row topAt, else 0
		u = y[i] + one
		sum total += weight*(log1p(u))
		sum count += weight*(one*u)
	}
}
return total + count
`, `for each row with x of data {
	largest top, topAt of x
}
for each block of rows with y[rows] of data {
	memory t0[rows], slot 0
	for i < rows {
		one = 1 in row topAt, else 0
		u = y[i] + one
		t0[i] = u
	}
	Log1ps(t0, t0)
	for i < rows {
		one = 1 in row topAt, else 0
		u = y[i] + one
		sum total += weight*(t0[i])
		sum count += weight*(one*u)
	}
}
return total + count
`},
	// Powers of one over a root are products of it; so are those of what is divided by twice.
	{"blockwise", `for each block of rows with x[rows] of data, y[rows] of y {
	for i < rows {
		b = x[i]^2 + 1
		c = y[i]^2 + 2
		root = 1/b^0.5
		known = 1/c
		sum s += weight*(y[i]*root)
		sum t += weight*(y[i]/b^1.5)
		sum u += weight*(x[i]/b + y[i]/c)
		sum v += weight*(known^2)
		sum w += weight*(y[i]/c^2)
	}
}
return s + t + u + v + w
`, `for each block of rows with x[rows] of data, y[rows] of y {
	memory roots[rows], slot 0
	memory knowns[rows], slot 0
	for i < rows {
		b = (x[i]^2) + 1
		c = (y[i]^2) + 2
		roots[i] = b
		knowns[i] = c
	}
	InverseRoots(roots, roots)
	Inverses(knowns, knowns)
	for i < rows {
		root = roots[i]
		known = knowns[i]
		sum s += weight*(y[i]*root)
		sum t += weight*(y[i]*root^3)
		sum u += weight*((x[i]*root^2) + (y[i]*known))
		sum v += weight*(known^2)
		sum w += weight*(y[i]*known^2)
	}
}
return s + t + u + v + w
`},
	// What is divided by once, or by several things, stays as it is.
	{"blockwise", `for each block of rows with x[rows] of data, y[rows] of y {
	for i < rows {
		b = x[i]^2 + 1
		sum s += weight*(y[i]/b)
		sum t += weight*(y[i]/(x[i]*b^0.5))
		sum u += weight*(exp(y[i]))
	}
}
return s + t + u
`, `for each block of rows with x[rows] of data, y[rows] of y {
	memory t0[rows], slot 0
	Exps(t0, y)
	for i < rows {
		b = (x[i]^2) + 1
		sum s += weight*(y[i]/b)
		sum t += weight*(y[i]/(x[i]*b^0.5))
		sum u += weight*(t0[i])
	}
}
return s + t + u
`},
	{"fuse", `name m[d] = z[0: vector(d)]
memory a[d], slot 0
for i < d {
	t = 2*m[i]
	a[i] = t + 1
	total n += t
}
memory b[d], slot 0
for i < d {
	t = exp(a[i])
	b[i] = t*a[i]
}
for i < d {
	total s += b[i]*n
}
return s
`, `name m[d] = z[0: vector(d)]
memory a[d], slot 0
memory b[d], slot 0
for i < d {
	t = 2*m[i]
	aI = t + 1
	t2 = exp(aI)
	a[i] = aI
	b[i] = t2*aI
	total n += t
}
for i < d {
	total s += b[i]*n
}
return s
`},
	{"fuse", `name A[d, d] = z[0: matrix(d, d)]
memory b[d, d], slot 0
for i < d, j < d {
	b[i, j] = 2*A[i, j]
}
memory c[d, d], slot 0
for i < d, j < d {
	c[i, j] = b[j, i]
}
for i < d {
	b[i, i] += 1
}
return 2
`, `name A[d, d] = z[0: matrix(d, d)]
memory b[d, d], slot 0
for i < d, j < d {
	b[i, j] = 2*A[i, j]
}
memory c[d, d], slot 0
for i < d, j < d {
	c[i, j] = b[j, i]
}
for i < d {
	b[i, i] += 1
}
return 2
`},
	{"hoist", `name A[d, d] = z[0: matrix(d, d)]
s = z[1]
t = 3
memory b[d, d], slot 0
for i < d, j < d {
	u = A[i, j]/t
	b[i, j] = u*A[j, i]/t + log(s*t)
}
for each block of rows with x[rows] of data {
	for i < rows {
		v = x[i] - s
		sum n += weight*(v*log(t)/s)
	}
}
return n
`, `name A[d, d] = z[0: matrix(d, d)]
s = z[1]
t = 3
memory b[d, d], slot 0
t0 = 1/t
t1 = log(s*t)
for i < d, j < d {
	u = A[i, j]*t0
	b[i, j] = (u*A[j, i]*t0) + t1
}
t2 = log(t)/s
for each block of rows with x[rows] of data {
	for i < rows {
		v = x[i] - s
		sum n += weight*(v*t2)
	}
}
return n
`},
	{"common", `s = z[1]
t = exp(s)
u = exp(s)
for i < 20 {
	total n += t/u
}
v = log(t)/(s*t)
for i < 20 {
	w = n/u
	total m += w*log(t)
}
return u + v + m
`, `s = z[1]
t = exp(s)
for i < 20 {
	total n += t/t
}
t0 = log(t)
v = t0/(s*t)
for i < 20 {
	w = n/t
	total m += w*t0
}
return t + v + m
`},
	{"invariant", `given a, m[d], s[d], u[d]
for each block of rows with data[rows, d] of column0, c[rows] of column1 {
	memory t[rows, d], slot 0
	for i < rows, j < d {
		t[i, j] = data[i, j] - (a*m[j])
	}
	memory r[rows, d], slot 1
	for i < rows, j < d {
		w = data[i, j] - difference(m[j], u[j])
		r[i, j] = a*c[i]*data[i, j]*s[j]*w
	}
	for i < rows, j < d {
		r[i, j] = u[j] - m[j] - (a*m[j]) + t[i, j]
	}
	for i < rows, j < d {
		r[i, j] = m[j]*data[i, j]
	}
	for i < rows, j < d {
		r[i, j] = 2*(a*a^3*data[i, j])
	}
	for i < rows, j < d {
		w2 = data[i, j] - m[j]/s[j]
		r[i, j] = w2*data[i, j]
	}
	for i < rows, j < d {
		u[j] += r[i, j]/(2*u[j])
	}
	for i < rows, j < d {
		r[i, j] = m[j] + 2*(data[i, j]*c[i]/c[i]^0.5) - a/c[i]
	}
	for i < rows, j < d {
		r[i, j] = m[j]*c[i]^2*(data[i, j] + 2*c[i])
	}
}
`, `given a, m[d], s[d], u[d]
for each block of rows with data[rows, d] of column0, c[rows] of column1 {
	memory t0[d] of a component, slot 0
	for i < d {
		t0[i] = a*m[i]
	}
	memory t[rows, d], slot 0
	for i < rows, j < d {
		t[i, j] = data[i, j] - t0[j]
	}
	memory t1[d] of a component, slot 0
	for i < d {
		t1[i] = difference(m[i], u[i])
	}
	memory r[rows, d], slot 1
	for i < rows, j < d {
		w = data[i, j] - t1[j]
		r[i, j] = a*c[i]*data[i, j]*s[j]*w
	}
	memory t2[d] of a component, slot 0
	for i < d {
		t2[i] = a*m[i]
	}
	for i < rows, j < d {
		r[i, j] = u[j] - m[j] - t2[j] + t[i, j]
	}
	for i < rows, j < d {
		r[i, j] = m[j]*data[i, j]
	}
	for i < rows, j < d {
		r[i, j] = 2*(a*a^3*data[i, j])
	}
	memory t3[d] of a component, slot 0
	for i < d {
		t3[i] = m[i]/s[i]
	}
	for i < rows, j < d {
		w2 = data[i, j] - t3[j]
		r[i, j] = w2*data[i, j]
	}
	for i < rows, j < d {
		u[j] += r[i, j]/(2*u[j])
	}
	memory t4[rows] of a component, slot 0
	for i < rows {
		t4[i] = 1/c[i]^0.5
	}
	memory t5[rows] of a component, slot 0
	for i < rows {
		t5[i] = a/c[i]
	}
	for i < rows, j < d {
		r[i, j] = m[j] + 2*(data[i, j]*c[i]*t4[i]) - t5[i]
	}
	for i < rows, j < d {
		r[i, j] = m[j]*c[i]^2*(data[i, j] + 2*c[i])
	}
}
`},
	{"idioms", `given A[d, d], a, b, u[d], v[d]
slots 9 of [d, d], 9 of [d], 2 of [rows, d], 3 of [rows]
memory x[d], slot 0
memory y[d], slot 1
for i < d {
	x[i] = 0
	y[i] = u[i]
}
for i < d {
	x[i] = -2*u[i]
	y[i] = u[i]/a
}
for i < d {
	x[i] = a*u[i]*b
}
for i < d {
	x[i] = u[i] + v[i]
	y[i] = x[i] - v[i]
}
for i < d {
	x[i] = v[i] - 2*u[i]
}
memory m[d, d], slot 0
for i < d, j < d {
	m[i, j] = A[j, i]
}
for i < d, j < d {
	m[i, j] = A[i, j] - (u[i]*v[j])
}
for i < d, j < d {
	m[i, j] = A[i, j] - (v[i]*x[i])
}
for i < d {
	m[i, i] += a^2
}
for i < d {
	m[i, i] += u[i]
}
for i < d {
	m[i, i] += b
	x[i] = u[i]
}
for i < d {
	total trace += m[i, i]
	total s += u[i]
	total square += u[i]^2
}
for i < d, j < d {
	total inner += A[i, j]*m[i, j]
}
for i < d {
	total twice += 2*u[i]
}
memory n[d, d], slot 1
for i < d, j <= i {
	n[i, j] = A[i, j]
}
Mirror(n, d)
for i < d, j <= i {
	n[i, j] = -0.5*A[i, j]
}
Mirror(n, d)
for i < d, j <= i {
	n[i, j] = A[i, j] + (a*u[i]*u[j])
}
Mirror(n, d)
for i < d, j <= i {
	n[i, j] = A[i, j] + A[j, i]
}
Mirror(n, d)
for i < d, j < d {
	m[i, j] = m[j, i]
}
for i < d, j <= i {
	n[i, j] = 2*A[i, j]
}
Mirror(m, d)
for each block of rows with data[rows, d] of column0, c[rows] of column1 {
	memory t[rows, d], slot 0
	for i < rows, j < d {
		t[i, j] = -u[j] + data[i, j]
	}
	memory r[rows, d], slot 1
	for i < rows, j < d {
		r[i, j] = data[i, j] + v[j]
	}
	for i < rows, j < d {
		r[i, j] = data[i, j] + c[i]
	}
	memory w[rows], slot 0
	for i < rows {
		w[i] = a*c[i]
	}
	for i < rows {
		sum add += weight*(w[i])
	}
}
return trace + s + square + inner + twice + add
`, `given A[d, d], a, b, u[d], v[d]
slots 9 of [d, d], 9 of [d], 2 of [rows, d], 3 of [rows]
memory x[d], slot 0
memory y[d], slot 1
clear(x)
copy(y, u)
Scale(x, -2, u)
Divide(y, u, a)
for i < d {
	x[i] = a*u[i]*b
}
Plus(x, u, v)
Minus(y, x, v)
ScaledSum(x, 1, v, -2, u)
memory m[d, d], slot 0
Transpose(m, A, d, d)
PlusOuter(m, A, -1, u, v, d, d)
for i < d, j < d {
	m[i, j] = A[i, j] - (v[i]*x[i])
}
AddToDiagonal(m, a^2, d)
for i < d {
	m[i, i] += u[i]
}
AddToDiagonal(m, b, d)
copy(x, u)
trace = Trace(m, d)
s = Sum(u)
square = Dot(u, u)
inner = Dot(A, m)
for i < d {
	total twice += 2*u[i]
}
memory n[d, d], slot 1
Mirrored(n, A, d)
MirroredScale(n, -0.5, A, d)
MirroredPlusOuter(n, A, a, u, u, d)
clear(n)
MirroredSymmetric(n, 1, n, 1, A, d)
for i < d, j < d {
	m[i, j] = m[j, i]
}
for i < d, j <= i {
	n[i, j] = 2*A[i, j]
}
Mirror(m, d)
for each block of rows with data[rows, d] of column0, c[rows] of column1 {
	memory t[rows, d], slot 0
	RowsLess(t, data, u, rows, d)
	memory r[rows, d], slot 1
	RowsPlus(r, data, v, rows, d)
	for i < rows, j < d {
		r[i, j] = data[i, j] + c[i]
	}
	memory w[rows], slot 0
	for i < rows {
		w[i] = a*c[i]
	}
	for i < rows by Dot {
		sum add += weight*(w[i])
	}
}
return trace + s + square + inner + twice + add
`},
	{"idioms", `given A[d, d], B[d, d], C[d, d], a, b, u[d], v[d], w[d]
memory m[d, d], slot 0
for i < d, j <= i {
	m[i, j] = A[i, j] - a*(B[i, j] + 2*u[j]*v[i]) - a*(B[j, i] + 2*u[i]*v[j]) + 0.5*C[i, j]
}
for i < d, j <= i {
	m[i, j] = 3*A[i, j] - 2*b*m[i, j] + a*v[i]*v[j]
}
for i < d, j <= i {
	m[i, j] = 4*u[i]*u[j]
}
AddToDiagonal(m, a, d)
for i < d, j <= i {
	t = B[j, i]*a
	m[i, j] = m[i, j] + t + B[i, j]*a
}
Mirror(m, d)
for i < d, j <= i {
	m[i, j] = A[i, j] + B[i, j] + B[j, i] + m[j, i]
}
for i < d, j <= i {
	m[i, j] = A[i, j] + B[i, j] + 2*B[j, i]
}
for i < d, j <= i {
	m[i, j] = A[i, j] + u[i]*v[j]
}
for i < d, j <= i {
	m[i, j] = A[i, j] + u[i]*v[j] + w[i]*u[j]
}
for i < d, j <= i {
	m[i, j] = A[i, j]/a + C[i, j]
}
for i < d, j <= i {
	m[i, j] = A[i, j] + C[i, j] + B[i, j]*u[i]
}
memory n[d, d], slot 1
for i < d, j <= i {
	n[i, j] = A[i, j] + B[i, j] + B[j, i]
}
for i < d, j <= i {
	m[i, j] = A[i, j] + B[i, j] + B[j, i]
}
Mirror(n, d)
memory x[d], slot 0
for i < d {
	x[i] = a*b*u[i] - 2*v[i]
}
for i < d {
	x[i] = a*u[i] + v[i]/b
}
s = Sum(x)
t = Trace(m, d)
return s + t
`, `given A[d, d], B[d, d], C[d, d], a, b, u[d], v[d], w[d]
memory m[d, d], slot 0
LowerSymmetric(m, 1, A, -a, B, d)
LowerRankTwo(m, 1, m, -(2*a), v, u, d)
LowerSum(m, 1, m, 0.5, C, d)
LowerSumRankTwo(m, -(2*b), m, 3, A, 0.5*a, v, v, d)
clear(m)
LowerRankTwo(m, 1, m, 0.5*4, u, u, d)
AddToDiagonal(m, a, d)
MirroredSymmetric(m, 1, m, a, B, d)
for i < d, j <= i {
	m[i, j] = A[i, j] + B[i, j] + B[j, i] + m[j, i]
}
for i < d, j <= i {
	m[i, j] = A[i, j] + B[i, j] + 2*B[j, i]
}
for i < d, j <= i {
	m[i, j] = A[i, j] + (u[i]*v[j])
}
for i < d, j <= i {
	m[i, j] = A[i, j] + (u[i]*v[j]) + (w[i]*u[j])
}
for i < d, j <= i {
	m[i, j] = (A[i, j]/a) + C[i, j]
}
for i < d, j <= i {
	m[i, j] = A[i, j] + C[i, j] + (B[i, j]*u[i])
}
memory n[d, d], slot 1
LowerSymmetric(n, 1, A, 1, B, d)
LowerSymmetric(m, 1, A, 1, B, d)
Mirror(n, d)
memory x[d], slot 0
ScaledSum(x, a*b, u, -2, v)
for i < d {
	x[i] = (a*u[i]) + (v[i]/b)
}
s = Sum(x)
t = Trace(m, d)
return s + t
`},
	{"idioms", `given u[d], v[d]
for each block of rows with c[rows] of column0 {
	memory w[rows], slot 0
	for i < rows {
		w[i] = 2*c[i]
	}
	for i < rows {
		sum s += weight*(w[i])
	}
}
memory x[d], slot 0
for i < d {
	x[i] = u[i] + v[i]
}
memory y[d], slot 1
for i < d {
	y[i] = x[i]
}
return s
`, `given u[d], v[d]
for each block of rows with c[rows] of column0 {
	memory w[rows], slot 0
	for i < rows {
		w[i] = 2*c[i]
	}
	for i < rows {
		sum s += weight*(w[i])
	}
}
memory x[d], slot 0
for i < d {
	x[i] = u[i] + v[i]
}
memory y[d], slot 1
copy(y, x)
return s
`},
	{"idioms", `given p.slope[rows], p.scale
for each block of rows in ranges with y[rows] of dataY, u[rows] of linear {
	memory t[rows], slot 0
	memory s[rows], slot 1
	for i < rows {
		sign = 2*y[i] - 1
		product = -(sign*u[i])
		t[i] = product
		s[i] = u[i]*(y[i] - 0.5)
	}
	for i < rows {
		sign2 = 2*y[i] - 1
		known = t[i]
		sum total += weight*(known)
		p.slope[row] = p.scale*sign2*s[i]
	}
	for i < rows {
		t[i] = (2*y[i] - 1)*p.scale*s[i]
		s[i] = 3*u[i]*y[i]
	}
	for i < rows {
		s[i] = (y[i] + 1)*t[i]
		sum other += weight*(s[i])
	}
}
return total + other
`, `given p.slope[rows]
for each block of rows in ranges with y[rows] of dataY, u[rows] of linear {
	memory t[rows], slot 0
	memory s[rows], slot 1
	AffineTimes(t, -1, 2, y, -1, u)
	AffineTimes(s, 1, 1, y, -0.5, u)
	AffineTimes(p.slope, p.scale, 2, y, -1, s)
	for i < rows by Dot {
		sum total += weight*(t[i])
	}
	for i < rows {
		t[i] = (2*y[i] - 1)*p.scale*s[i]
		s[i] = 3*u[i]*y[i]
	}
	for i < rows {
		sum other += weight*(s[i])
		s[i] = (y[i] + 1)*t[i]
	}
}
return total + other
`},
	{"idioms", `given u[d], w[d]
memory v[d], slot 0
clear(v)
for each block of rows in ranges with data[rows, d] of column0, y[rows] of dataY {
	memory t[rows], slot 0
	MulVec(t, data, u, rows, d)
	memory r[rows], slot 1
	for i < rows {
		known = t[i]
		sum total += weight*(known)
		r[i] = weight*(exp(known))
	}
	for i < rows {
		sum stays += weight*(t[i])
		sum square += weight*(r[i]*y[i])
		r[i] = weight*(y[i])
	}
	for i < rows {
		sum other += weight*(t[i])
		t[i] = 2*t[i]
	}
	AddMulTVec(v, 1, data, t, rows, d)
	AddMulTVec(v, 1, data, r, rows, d)
}
inner = Dot(v, w)
return total + stays + square + other + inner
`, `given u[d], w[d]
memory v[d], slot 0
clear(v)
for each block of rows in ranges with data[rows, d] of column0, y[rows] of dataY {
	memory t[rows], slot 0
	MulVec(t, data, u, rows, d)
	memory r[rows], slot 1
	for i < rows by Dot {
		sum total += weight*(t[i])
	}
	for i < rows {
		known = t[i]
		r[i] = weight*(exp(known))
	}
	for i < rows {
		sum stays += weight*(t[i])
		sum square += weight*(r[i]*y[i])
		r[i] = weight*(y[i])
	}
	for i < rows {
		sum other += weight*(t[i])
		t[i] = 2*t[i]
	}
	AddMulTVec(v, 1, data, t, rows, d)
	AddMulTVec(v, 1, data, r, rows, d)
}
inner = Dot(v, w)
return total + stays + square + other + inner
`},
	{"idioms", `given p.drawn[rows, d], v[d], p.twice[rows]
for each block of rows with A[rows, d] of column0, u[rows] of column1, w[rows] of column2 {
	memory x[rows, d], slot 0
	memory y[rows, d], slot 1
	for i < rows, j < d {
		x[i, j] = v[j] - A[i, j]
		y[i, j] = A[i, j] - v[j]
	}
	for i < rows, j < d {
		p.drawn[row, j] = y[i, j]
	}
	for i < rows, j < d {
		x[i, j] += v[j]*u[i]*w[i]
		y[i, j] += u[i]*A[i, j]
	}
	for i < rows, j < d {
		x[i, j] += y[i, j]*u[i]
		y[i, j] += v[j]*w[i]
	}
	for i < rows, j < d {
		x[i, j] += y[i, j]*v[j]
	}
	for i < rows, j < d {
		x[i, j] += 2*v[j]*u[i]
	}
	for i < rows, j < d {
		x[i, j] = v[j] + y[i, j] - (2*u[i]*v[j])
	}
	for i < rows, j < d {
		x[i, j] = u[i]*v[j] - 0.5*A[i, j] + y[i, j]
	}
	for i < rows, j < d {
		x[i, j] = y[i, j] + 2*A[i, j] - y[i, j]
	}
	for i < rows, j < d {
		x[i, j] = u[i]*A[i, j] - v[j]
		p.drawn[row, j] = y[i, j] + w[i]*v[j]
	}
	for i < rows, j < d {
		x[i, j] = 3*A[i, j] + 2*y[i, j]
	}
	for i < rows, j < d {
		x[i, j] = x[i, j] + u[i]*v[j]
	}
	memory t[rows], slot 0
	RowsDot(t, x, y, rows, d)
	for i < rows {
		p.twice[row] = 2*t[i]
	}
}
`, `given p.drawn[rows, d], p.twice[rows], v[d]
for each block of rows with A[rows, d] of column0, u[rows] of column1, w[rows] of column2 {
	memory x[rows, d], slot 0
	memory y[rows, d], slot 1
	LessRows(x, v, A, rows, d)
	RowsLess(y, A, v, rows, d)
	copy(p.drawn, y)
	memory t0[rows], slot 0
	for i < rows {
		t0[i] = u[i]*w[i]
	}
	AddRowsOuter(x, t0, v, rows, d)
	AddScaledRows(y, u, A, rows, d)
	for i < rows, j < d {
		x[i, j] += y[i, j]*u[i]
		y[i, j] += v[j]*w[i]
	}
	for i < rows, j < d {
		x[i, j] += y[i, j]*v[j]
	}
	memory t1[rows], slot 0
	for i < rows {
		t1[i] = 2*u[i]
	}
	AddRowsOuter(x, t1, v, rows, d)
	RowsPlus(x, y, v, rows, d)
	memory t2[rows], slot 0
	for i < rows {
		t2[i] = -(2*u[i])
	}
	AddRowsOuter(x, t2, v, rows, d)
	Scale(x, -0.5, A)
	AddRowsOuter(x, u, v, rows, d)
	Plus(x, x, y)
	Scale(x, 2, A)
	Plus(x, x, y)
	Minus(x, x, y)
	clear(x)
	AddScaledRows(x, u, A, rows, d)
	RowsLess(x, x, v, rows, d)
	copy(p.drawn, y)
	AddRowsOuter(p.drawn, w, v, rows, d)
	ScaledSum(x, 3, A, 2, y)
	for i < rows, j < d {
		x[i, j] = x[i, j] + (u[i]*v[j])
	}
	memory t[rows], slot 0
	RowsDot(t, x, y, rows, d)
	for i < rows {
		p.twice[row] = 2*t[i]
	}
}
`},
	{"peephole", `given l[d, d], m[d]
for each block of rows with data[rows, d] of column0 {
	memory t[rows, d], slot 0
	copy(t, data)
	memory y[rows, d], slot 0
	copy(y, t)
	memory u[rows], slot 0
	SolveLowerRows(y, l, rows, d)
	MulVec(u, t, m, rows, d)
	memory s[rows], slot 0
	RowsSquare(s, y, rows, d)
	memory y2[rows, d], slot 0
	copy(y2, t)
	SolveLowerRows(y2, l, rows, d)
	clear(t)
	memory s2[rows], slot 0
	RowsSquare(s2, y2, rows, d)
	memory y3[rows, d], slot 0
	copy(y3, t)
	SolveLowerRows(y3, l, rows, d)
	memory s3[rows], slot 0
	RowsSquare(s3, y3, rows, d)
	memory v[rows], slot 0
	MulVec(v, y3, m, rows, d)
	for i < rows {
		sum a += weight*(s[i] + (s2[i]*u[i]))
		sum b += weight*(s3[i]*v[i])
	}
}
return a*b
`, `given l[d, d], m[d]
for each block of rows with data[rows, d] of column0 {
	memory t[rows, d], slot 0
	copy(t, data)
	memory u[rows], slot 0
	MulVec(u, t, m, rows, d)
	memory s[rows], slot 0
	memory scratch[rows, d], slot 0
	RowsSquareOfSolve(s, t, scratch, l, rows, d)
	memory y2[rows, d], slot 0
	copy(y2, t)
	SolveLowerRows(y2, l, rows, d)
	clear(t)
	memory s2[rows], slot 0
	RowsSquare(s2, y2, rows, d)
	memory y3[rows, d], slot 0
	copy(y3, t)
	SolveLowerRows(y3, l, rows, d)
	memory s3[rows], slot 0
	RowsSquare(s3, y3, rows, d)
	memory v[rows], slot 0
	MulVec(v, y3, m, rows, d)
	for i < rows {
		sum a += weight*(s[i] + (s2[i]*u[i]))
		sum b += weight*(s3[i]*v[i])
	}
}
return a*b
`},
	{"dead", `for k components
name z1 = z[0]
memory all[components], slot 0
memory read[components], slot 0
memory m[d, d], slot 0
clear(m)
Mirror(m, d)
zero s
for each component {
	name x = all[component]
	name y = read[component]
	s += x
	all[component] = x
	read[component] = y
}
f, g = softplus, sigmoid(z1)
lgammaDiff, digammaDiff = lgamma_diff, digamma_diff(2, z1)
for each block of rows with x[rows] of data {
	memory terms[components, rows], slot 0
	for each component {
		name term[rows] = terms[component]
		for i < rows {
			term[i] = x[i] + z1
		}
	}
	memory shares[components, rows], slot 0
	memory logs[rows], slot 0
	Softmax(shares, logs, terms, rows, k)
	memory a[rows], slot 0
	memory b[rows], slot 0
	SoftplusSigmoids(a, b, x)
	for i < rows by Dot {
		sum t += weight*(logs[i])
	}
	for i < rows by Dot {
		sum u += weight*(b[i])
	}
}
total = f + digammaDiff + t + u
return total
`, `for k components
name z1 = z[0]
f = softplus(z1)
digammaDiff = digamma_diff(2, z1)
for each block of rows with x[rows] of data {
	memory terms[components, rows], slot 0
	for each component {
		name term[rows] = terms[component]
		for i < rows {
			term[i] = x[i] + z1
		}
	}
	memory logs[rows], slot 0
	LogSumExp(logs, terms, rows, k)
	memory b[rows], slot 0
	Sigmoids(b, x)
	for i < rows by Dot {
		sum t += weight*(logs[i])
	}
	for i < rows by Dot {
		sum u += weight*(b[i])
	}
}
total = f + digammaDiff + t + u
return total
`},
	{"triangular", `given A[d, d], B[d, d]
memory x[d, d], slot 0
Mul(x, A, B, d, d, d)
memory y[d, d], slot 1
Mul(y, A, B, d, d, d)
memory z[d, d], slot 2
Mul(z, A, B, d, d, d)
memory w[d, d], slot 3
Mul(w, A, B, d, d, d)
Mirror(w, d)
memory s[d, d], slot 4
LowerSum(s, 1, x, 2, x, d)
for i < d, j <= i {
	s[i, j] = s[i, j]*x[i, j]*y[i, j]*exp(z[j, i])
}
inner = Dot(y, A)
sum = SymmetricDot(s, w, d)
return sum + inner
`, `given A[d, d], B[d, d]
memory x[d, d], slot 0
MulToLower(x, A, B, d, d)
memory y[d, d], slot 1
Mul(y, A, B, d, d, d)
memory z[d, d], slot 2
Mul(z, A, B, d, d, d)
memory w[d, d], slot 3
Mul(w, A, B, d, d, d)
Mirror(w, d)
memory s[d, d], slot 4
LowerSum(s, 1, x, 2, x, d)
for i < d, j <= i {
	s[i, j] = s[i, j]*x[i, j]*y[i, j]*exp(z[j, i])
}
inner = Dot(y, A)
sum = SymmetricDot(s, w, d)
return sum + inner
`},
	{"triangular", `given A[d, d]
slots 9 of [d, d]
memory l[d, d], slot 0
memory h[d, d], slot 1
memory t[d, d], slot 2
memory x[d, d], slot 3
memory y[d, d], slot 4
check Cholesky(l, A, d)
copy(h, A)
Mul(x, h, l, d, d, d)
LowerHalf(h, d)
Transpose(t, l, d, d)
Mul(x, h, t, d, d, d)
Mul(y, l, x, d, d, d)
Mul(x, A, t, d, d, d)
MulNT(y, A, l, d, d, d)
MulNT(y, l, A, d, d, d)
Mirror(h, d)
Mul(y, h, t, d, d, d)
memory s[d, d], slot 5
Transpose(s, A, d, d)
Mul(y, A, s, d, d, d)
for i < d {
	total sum += x[i, i] + y[i, i]
}
return sum
`, `given A[d, d]
slots 9 of [d, d]
memory l[d, d], slot 0
memory h[d, d], slot 1
memory t[d, d], slot 2
memory x[d, d], slot 3
memory y[d, d], slot 4
check Cholesky(l, A, d)
copy(h, A)
Mul(x, h, l, d, d, d)
LowerHalf(h, d)
Transpose(t, l, d, d)
MulLowers(x, h, l, d)
MulLower(y, l, x, d, d)
MulNTLower(x, A, l, d, d)
MulNTLower(y, A, l, d, d)
MulNT(y, l, A, d, d, d)
Mirror(h, d)
MulNTLower(y, h, l, d, d)
memory s[d, d], slot 5
Transpose(s, A, d, d)
Mul(y, A, s, d, d, d)
for i < d {
	total sum += x[i, i] + y[i, i]
}
return sum
`},
	{"triangular", `given A[d, d]
slots 9 of [d, d], 2 of [rows, d]
memory l[d, d], slot 0
memory c[d, d], slot 1
memory e[d, d], slot 2
check Cholesky(l, A, d)
clear(c)
clear(e)
for each block of rows with x[rows, d] of column0, w[rows] of column1 {
	memory scratch[rows, d], slot 0
	AddWeightedCross(c, w, x, x, scratch, rows, d, d)
	AddWeightedCross(e, w, x, x, scratch, rows, d, d)
}
memory s[d, d], slot 3
copy(s, c)
SolveLowerRows(s, l, d, d)
memory h[d, d], slot 4
copy(h, s)
LowerHalf(h, d)
memory u[d, d], slot 5
copy(u, e)
SolveLowerRows(u, l, d, d)
memory k[d, d], slot 6
copy(k, u)
LowerHalf(k, d)
memory m[d, d], slot 7
copy(m, A)
SolveLowerRows(m, l, d, d)
memory n[d, d], slot 8
copy(n, m)
LowerHalf(n, d)
for i < d {
	total sum += h[i, i] + k[i, i] + n[i, i] + e[i, i] + m[i, i]
}
return sum
`, `given A[d, d]
slots 9 of [d, d], 2 of [rows, d]
memory l[d, d], slot 0
memory c[d, d], slot 1
memory e[d, d], slot 2
check Cholesky(l, A, d)
clear(c)
clear(e)
for each block of rows with x[rows, d] of column0, w[rows] of column1 {
	memory scratch[rows, d], slot 0
	AddLowerCross(c, w, x, x, scratch, rows, d)
	AddWeightedCross(e, w, x, x, scratch, rows, d, d)
}
memory h[d, d], slot 4
SolveLowerHalf(h, c, l, d)
memory k[d, d], slot 6
SolveLowerHalf(k, e, l, d)
memory m[d, d], slot 7
copy(m, A)
SolveLowerRows(m, l, d, d)
memory n[d, d], slot 8
copy(n, m)
LowerHalf(n, d)
for i < d {
	total sum += h[i, i] + k[i, i] + n[i, i] + e[i, i] + m[i, i]
}
return sum
`},
	{"dead", `name m[d] = z[0: vector(d)]
fill v[d] = dst[0: vector(d)]
s = 2
u = 2*s
memory a[d], slot 0
memory b[d], slot 0
copy(a, m)
for i < d {
	w = 3*a[i]
	b[i] = w
	v[i] = a[i]
	total n += m[i]
}
MulVec(b, A, m, d, d)
result k = 3
`, `name m[d] = z[0: vector(d)]
fill v[d] = dst[0: vector(d)]
memory a[d], slot 0
copy(a, m)
for i < d {
	v[i] = a[i]
}
result k = 3
`},
	{"substitute", `given a, b, m[2]
fill v[2] = dst[0: vector(2)]
t0 = a + b
t1 = t0*b
nu = 2*a
t2 = nu^2
t3 = a*b
t4 = log(t3)
t5 = a/b
t6 = a - b
memory w[2], slot 0
for i < 2 {
	w[i] = t5*m[i]
}
t7 = w[0]
clear(w)
t8 = exp(t6)
check t8 in (0, +Inf), condition 0
t9 = a + 1
t10 = t9^2
for i < 2 {
	t11 = m[i] + w[i]
	t12 = m[i]*w[i]
	w[i] = 2*t12
	v[i] = b*t11
}
return t1 + t2 + t4 + t7 + t10
`, `given a, b, m[2]
fill v[2] = dst[0: vector(2)]
nu = 2*a
t5 = a/b
memory w[2], slot 0
for i < 2 {
	w[i] = t5*m[i]
}
t7 = w[0]
clear(w)
t8 = exp(a - b)
check t8 in (0, +Inf), condition 0
t9 = a + 1
for i < 2 {
	t11 = m[i] + w[i]
	t12 = m[i]*w[i]
	w[i] = 2*t12
	v[i] = b*t11
}
return ((a + b)*b) + (nu^2) + log(a*b) + t7 + (t9^2)
`},
	{"substitute", `for k components
memory vs[components, 2], slot 0
zero s
for each component {
	name v[2] = vs[component]
	clear(v)
	t0 = v[0]
	t1 = v[1]
	s += 2*t1
	clear(vs)
	s += 3*t0
}
return s
`, `for k components
memory vs[components, 2], slot 0
zero s
for each component {
	name v[2] = vs[component]
	clear(v)
	t0 = v[0]
	s += 2*v[1]
	clear(vs)
	s += 3*t0
}
return s
`},
	{"unread", `name m[d] = z[0: vector(d)]
name unused = z[d]
fill v[d] = dst[0: vector(d)]
for i < d {
	v[i] = 2*m[i]
}
`, `name m[d] = z[0: vector(d)]
fill v[d] = dst[0: vector(d)]
for i < d {
	v[i] = 2*m[i]
}
`},
	{"unread", `for k components
for each component {
	name m[d] = z[0: the component's vector(d)]
	name e[d] = z[k*d: the component's vector(d)]
	t0 = Dot(m, m)
	dst[0: the component's scalar] = t0
}
for each component {
	name e[d] = z[k*d: the component's vector(d)]
	t1 = Dot(e, e)
	dst[k: the component's scalar] = t1
}
`, `for k components
for each component {
	name m[d] = z[0: the component's vector(d)]
	t0 = Dot(m, m)
	dst[0: the component's scalar] = t0
}
for each component {
	name e[d] = z[k*d: the component's vector(d)]
	t1 = Dot(e, e)
	dst[k: the component's scalar] = t1
}
`},
	// A column that a row is not asked for: Go takes no name that is not read.
	{"unread", `for each row with x of data, y of y, w of w {
	t = 2*y
	sum s += weight*(t + x)
}
for each row with x of data, y of y {
	sum u += weight*(y^2)
}
return s + u
`, `for each row with x of data, y of y {
	t = 2*y
	sum s += weight*(t + x)
}
for each row with y of y {
	sum u += weight*(y^2)
}
return s + u
`},
	{"slots", `name m[d] = z[0: vector(d)]
memory a[d], slot 0
copy(a, m)
t0 = Dot(a, m)
memory b[d], slot 0
copy(b, m)
t1 = Dot(b, m)
for each block of rows with x[rows] of data {
	memory r[rows], slot 0
	copy(r, x)
	for i < rows {
		sum s += weight*(r[i])
	}
}
return s + t0 + t1
`, `slots 2 of [d], 1 of [rows]
name m[d] = z[0: vector(d)]
memory a[d], slot 0
copy(a, m)
t0 = Dot(a, m)
memory b[d], slot 1
copy(b, m)
t1 = Dot(b, m)
for each block of rows with x[rows] of data {
	memory r[rows], slot 0
	copy(r, x)
	for i < rows {
		sum s += weight*(r[i])
	}
}
return s + t0 + t1
`},
	{"share", `slots 1 of [d], 2 of [d, d]
name m[d] = z[0: vector(d)]
memory a[d], slot 0
copy(a, m)
t0 = Dot(a, m)
memory A[d, d], slot 0
clear(A)
memory b[d], slot 0
MulVec(b, A, m, d, d)
memory B[d, d], slot 1
clear(B)
memory e[d], slot 0
MulVec(e, B, m, d, d)
t1 = Dot(e, b)
return t0 + t1
`, `slots 2 of [d], 1 of [d, d]
name m[d] = z[0: vector(d)]
memory a[d], slot 0
copy(a, m)
t0 = Dot(a, m)
memory A[d, d], slot 0
clear(A)
memory b[d], slot 0
MulVec(b, A, m, d, d)
memory B[d, d], slot 0
clear(B)
memory e[d], slot 1
MulVec(e, B, m, d, d)
t1 = Dot(e, b)
return t0 + t1
`},
	{"share", `slots 4 of [d]
name m[d] = z[0: vector(d)]
memory a[d], slot 0
copy(a, m)
memory b[d], slot 1
copy(b, a)
memory c[d], slot 2
copy(c, b)
memory e[d], slot 3
copy(e, b)
t0 = Dot(e, c)
return t0
`, `slots 3 of [d]
name m[d] = z[0: vector(d)]
memory a[d], slot 0
copy(a, m)
memory b[d], slot 1
copy(b, a)
memory c[d], slot 0
copy(c, b)
memory e[d], slot 2
copy(e, b)
t0 = Dot(e, c)
return t0
`},
}

func TestPasses(t *testing.T) {
	for _, c := range cases {
		p, err := program.Parse(c.before)
		if err != nil {
			t.Fatalf("%s: %v", c.pass, err)
		}
		if err := pass.One(c.pass, p); err != nil {
			t.Fatalf("%s: %v", c.pass, err)
		}
		if got := p.String(); got != c.after {
			t.Errorf("%s makes\n%s\nnot\n%s", c.pass, got, c.after)
		}
		if !pass.Holds(pass.Components, c.pass) {
			continue // loops mention what others have: there is nothing to verify yet
		}
		if err := verify.Unplaced(p); err != nil {
			t.Errorf("%s: %v", c.pass, err)
		}
	}
	for _, p := range pass.Passes {
		before := func(c struct{ pass, before, after string }) bool { return c.pass == p.Name && c.before != c.after }
		if !slices.ContainsFunc(cases, before) {
			t.Errorf("no program that %s changes, before and after it, is in cases", p.Name)
		}
		if strings.Count(p.Doc, ".") != 1 || !strings.HasSuffix(p.Doc, ".") {
			t.Errorf("the Doc of %s is not one sentence, with its full stop, that says what holds of programs behind it: %q", p.Name, p.Doc)
		}
	}
}

// ARCHITECTURE lists the passes in their order.
func TestDocumented(t *testing.T) {
	text, err := os.ReadFile("../../../ARCHITECTURE.md")
	if err != nil {
		t.Fatal(err)
	}
	_, list, ok := strings.Cut(strings.Join(strings.Fields(string(text)), " "), "*Passes* (`gen/program/pass`) go from program to program: ")
	list, _, end := strings.Cut(list, ". ")
	if !ok || !end {
		t.Fatal("ARCHITECTURE.md has no list of the passes")
	}
	var names []string
	for _, p := range pass.Passes {
		names = append(names, p.Name)
	}
	if want := strings.Join(names, ", "); list != want {
		t.Errorf("ARCHITECTURE.md lists the passes %s, the table %s", list, want)
	}
}

// The order of the passes is right, and others are not.
func TestOrder(t *testing.T) {
	check := func(rows []pass.Row) error { return pass.Check(rows, pass.Written, pass.Needed) }
	if err := check(pass.Rows()); err != nil {
		t.Error(err)
	}
	reversed := pass.Rows()
	slices.Reverse(reversed)
	optional := pass.Rows()
	for i := range optional {
		optional[i].Optional = true
	}
	late := slices.Clone(pass.Rows())
	late[1].After = []string{"share"}
	for want, rows := range map[string][]pass.Row{
		"share requires memory, which no pass before it establishes": reversed,
		"two passes are called sink":                                 append(pass.Rows(), pass.Rows()[0]),
		"no pass establishes components":                             {},
		"fuse requires components, which":                            optional,
		"spill comes after share, which is not before it":            late,
	} {
		if err := check(rows); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, not %s", err, want)
		}
	}
}

// Passes that are needed are run whoever asks for a program without them; others are not.
func TestWithout(t *testing.T) {
	var names []string
	for _, p := range pass.Passes {
		names = append(names, p.Name)
	}
	p, err := program.Parse(cases[1].before)
	if err != nil {
		t.Fatal(err)
	}
	var run []string
	if err := pass.Run(p, pass.Options{Without: names, After: func(name string, _ *program.Program) { run = append(run, name) }}); err != nil {
		t.Fatal(err)
	}
	if want := []string{"spill", "slots"}; !slices.Equal(run, want) {
		t.Errorf("%v were run, not %v", run, want)
	}
}
