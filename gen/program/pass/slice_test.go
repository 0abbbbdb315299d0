package pass_test

import (
	"testing"

	"github.com/sngdgen/sngdgen/gen/program"
	"github.com/sngdgen/sngdgen/gen/program/pass"
	"github.com/sngdgen/sngdgen/gen/program/verify"
)

// whole has two outputs and a result: v of sums over the rows, c of these and a solve.
const whole = `slots 1 of [d, d], 2 of [d]
name z1 = z[0]
name L[d, d] = z[1: matrix(d, d)]
fill vMu[d] = v[0: vector(d)]
fill cMu[d] = c[0: vector(d)]
check z1 in (0, +Inf), condition 0
memory sums[d], slot 0
clear(sums)
t = log(z1)
u = 2*t
for each block of rows with x[rows, d] of data, y[rows] of y {
	memory n[rows], slot 0
	RowsSquare(n, x, rows, d)
	AddMulTVec(sums, 1, x, weights, rows, d)
	for i < rows by Dot {
		sum norm += weight*(n[i])
	}
	for i < rows {
		sum far += weight*(y[i])
	}
}
memory solved[d], slot 1
copy(solved, sums)
SolveLower(solved, L, d)
q = Dot(solved, solved)
for i < d {
	vMu[i] = t*sums[i]
}
for i < d {
	cMu[i] = u*solved[i]
}
c[d] = 3*u
return norm + q
`

// parts are its parts with v alone, and with c alone in the place of v, by what is kept of numbers that nothing needs.
var parts = []struct {
	name, of string
	kept     pass.Kept
	want     string
}{
	{"all numbers of rows and others whose operands are there", "v", pass.AllNumbers, `slots 1 of [d, d], 2 of [d]
name z1 = z[0]
fill vMu[d] = v[0: vector(d)]
check z1 in (0, +Inf), condition 0
memory sums[d], slot 0
clear(sums)
t = log(z1)
u = 2*t
for each block of rows with x[rows, d] of data, y[rows] of y {
	AddMulTVec(sums, 1, x, weights, rows, d)
	for i < rows {
		sum far += weight*(y[i])
	}
}
for i < d {
	vMu[i] = t*sums[i]
}
`},
	{"numbers but for those of rows", "v", pass.Numbers, `slots 1 of [d, d], 2 of [d]
name z1 = z[0]
fill vMu[d] = v[0: vector(d)]
check z1 in (0, +Inf), condition 0
memory sums[d], slot 0
clear(sums)
t = log(z1)
u = 2*t
for each block of rows with x[rows, d] of data {
	AddMulTVec(sums, 1, x, weights, rows, d)
}
for i < d {
	vMu[i] = t*sums[i]
}
`},
	{"numbers of rows", "v", pass.RowNumbers, `slots 1 of [d, d], 2 of [d]
name z1 = z[0]
fill vMu[d] = v[0: vector(d)]
check z1 in (0, +Inf), condition 0
memory sums[d], slot 0
clear(sums)
t = log(z1)
for each block of rows with x[rows, d] of data, y[rows] of y {
	AddMulTVec(sums, 1, x, weights, rows, d)
	for i < rows {
		sum far += weight*(y[i])
	}
}
for i < d {
	vMu[i] = t*sums[i]
}
`},
	{"nothing else", "c", pass.NoNumbers, `slots 1 of [d, d], 2 of [d]
name z1 = z[0]
name L[d, d] = z[1: matrix(d, d)]
fill vMu[d] = v[0: vector(d)]
check z1 in (0, +Inf), condition 0
memory sums[d], slot 0
clear(sums)
t = log(z1)
u = 2*t
for each block of rows with x[rows, d] of data {
	AddMulTVec(sums, 1, x, weights, rows, d)
}
memory solved[d], slot 1
copy(solved, sums)
SolveLower(solved, L, d)
for i < d {
	vMu[i] = u*solved[i]
}
v[d] = 3*u
`},
}

// TestSlice: a part of a program has what its outputs need, the conditions, and the numbers that are asked for; the program stays as it is.
func TestSlice(t *testing.T) {
	for _, c := range parts {
		p, err := program.Parse(whole)
		if err != nil {
			t.Fatal(err)
		}
		part := pass.Slice(p, pass.Wanted{Kept: c.kept, Output: func(g *program.Given) *program.Given {
			switch {
			case g.Name != "v" && g.Name != "c":
				return g
			case g.Name != c.of:
				return nil
			}
			to := *g
			to.Name = "v"
			return &to
		}})
		if got := part.String(); got != c.want {
			t.Errorf("%s: the part is\n%s\nnot\n%s", c.name, got, c.want)
		}
		if err := verify.Program(part); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		for _, s := range part.Body {
			if b, ok := s.(*program.Blocks); ok && !b.Weights {
				t.Errorf("%s: the weights of the rows are not known", c.name)
			}
		}
		if got := p.String(); got != whole {
			t.Errorf("%s: the whole has become\n%s", c.name, got)
		}
	}
}

// TestNoSlice: an output that another one is made of cannot be left out.
func TestNoSlice(t *testing.T) {
	p, err := program.Parse("fill vMu[d] = v[0: vector(d)]\nfill cMu[d] = c[0: vector(d)]\nclear(cMu)\ncopy(vMu, cMu)\n")
	if err != nil {
		t.Fatal(err)
	}
	without := func(name string) *program.Program {
		return pass.Slice(p, pass.Wanted{Output: func(g *program.Given) *program.Given {
			if g.Name == name {
				return nil
			}
			return g
		}})
	}
	if part := without("c"); part != nil {
		t.Errorf("the part is\n%v", part)
	}
	if got, want := without("v").String(), "fill cMu[d] = c[0: vector(d)]\nclear(cMu)\n"; got != want {
		t.Errorf("the part is\n%s\nnot\n%s", got, want)
	}
}
