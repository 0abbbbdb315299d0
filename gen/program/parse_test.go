package program_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/sngdgen/sngdgen/gen/program"
	"github.com/sngdgen/sngdgen/gen/program/verify"
)

// small is a text with every statement.
const small = `for k components
given A[d, d] lower, mass, p.shape[d]
slots 1 of [d, d], 2 of [d], 1 of [rows, d], 2 of [rows], 1 of [components, rows], 1 of [components]
fill v[d] = dst[0: vector(d)]
name m[d, d] = z[d: matrix(d, d)]
name weights2 = z[0: k-1 of scalar]
name n = length(d)
name s = draws(k)
check m[0, 0] in (-Inf, +Inf), condition 0
memory chol[d, d], slot 0
check Cholesky(chol, m, d), condition 1
t0 = LogDet(chol, d)
a, b = softplus, sigmoid(t0)
solve x, _ = root<x>(a, 2*b)
y = root<y>(a)
prepare dist = special.TDistribution(a), slot 0, for each of d
prepare own = special.GammaDiffs(b), slot 1 of each component
prepared again = special.GammaDiffs(), slot 1 of each component
evaluate the model: values, gradients
memory all[components], slot 0
zero total
for each component {
	name w = z[0: the component's free scalar]
	name index = component()
	name one = last(k)
	total += w*one
	all[component] = -(w^2/(n*s))
}
whole = LogSumExpOf(z[0: k of scalar])
for each block of rows of one component with x2[rows, d] of data, labels[rows] of labels {
	memory terms[components, rows], slot 0
	memory r[rows], slot 0
	memory out[rows, d], slot 0
	for the component of the rows {
		name term[rows] of a component = terms[component]
		for i < rows {
			term[i] = x2[i, 0]
		}
	}
	for i < rows, j < d {
		out[i, j] = x2[i, j] - A[j, j]
		total r += x2[i, j]^2
	}
	for i < rows {
		q = dist.t_logcdf(r[i])
		sum loss += weight*(q)
		largest top, at of q + r[i]
	}
	for i < rows {
		here = 1 in row at, else 0
		r[i] = here
	}
}
for each row with x3 of data, c of col {
	u = x3*c
	sum sum2 += weight*(u)
	p.logs[row] = u
}
for i < d, j <= i {
	check m[i, j] in [0, 1), condition 2
	A[i, j] = weight*(m[i, j])
	A[i, i] += 1e-07
}
do {
	total t9 += m[0, 1]/(t0*(a + b))
}
for i < d {
	v[i] = p.shape[i]/(x - 0.5*t0)
}
z[d+d*d] = 3 but for the last component
mass = loss - Inf
p.n = sum2 - (-3)
return -(a*b) + 0.5*pow(t9, x) - 2
`

// A text with every statement reads back as it is.
func TestParse(t *testing.T) {
	p, err := program.Parse(small)
	if err != nil {
		t.Fatal(err)
	}
	if again := p.String(); again != small {
		t.Errorf("reads back as\n%s", again)
	}
	for _, s := range []any{&program.Bind{}, &program.Solve{}} {
		if _, ok := s.(program.Stmt); !ok {
			t.Errorf("%T is no statement", s)
		}
	}
}

// What is wrong with a text is said with line and column.
func TestSyntax(t *testing.T) {
	for text, want := range map[string]string{
		"t = ":                             `1:5: a formula belongs here, not the end`,
		"t = 2\n\nu = (t + ":               `3:10: a formula belongs here, not the end`,
		"t = 1 +\nu = 2":                   `1:8: a formula belongs here, not the end of the line`,
		"t = 1 2":                          `1:7: nothing belongs here any more, but there is "2"`,
		"t = sine(1)":                      `1:5: there is no function "sine"`,
		"for i < d {\n\tt = 1\n":           `3:1: "}" belongs here, not the end`,
		"for j < d {\n}\n":                 `1:5: "i" belongs here, not "j"`,
		"for i < d, j < d, l < d {\n}":     `1:19: more than two loops`,
		"}":                                `1:1: "}" outside of everything`,
		"memory x[d slot 0":                `1:12: "]" belongs here, not "slot"`,
		"memory x[d, d, d], slot 0":        `1:9: 3 dimensions, where there are two at most`,
		"memory x[d], slot a":              `1:19: a whole number belongs here, not "a"`,
		"check t between 0 and 1":          `1:9: "in" belongs here, not "between"`,
		"check Sqrt(x), condition 1":       `1:7: there is no function "Sqrt"`,
		"Fly(x)":                           `1:1: "Fly" is no kernel`,
		"12":                               `1:1: no statement begins with "12"`,
		"a, b = log, exp(x)":               `1:8: log, exp are not computed together`,
		"solve a = fly<a>(x)":              `1:11: "fly" is nothing that solves equations`,
		"name m[d] = z[0: tensor(d)]":      `1:24: "of" belongs here, not "("`,
		"name m[d] = z[0: vector(d, d)":    `1:18: "vector" has 2 lengths`,
		"sum s += weight*(t)":              `1:1: what is added up over rows or entries stands at the end of a loop`,
		"x = ü + $":                        `1:9: a formula belongs here, not "$"`,
		"t = " + strings.Repeat("(", 3000): `1:1005: nested more than 1000 deep`,
	} {
		_, err := program.Parse(text)
		var fault *program.SyntaxError
		if !errors.As(err, &fault) || err.Error() != want {
			t.Errorf("%.40q: %v, not %s", text, err, want)
		}
	}
}

// Whatever the text, it is read or refused; what has been read is written so that it reads back, and can be verified.
func FuzzParse(f *testing.F) {
	f.Add(small)
	for line := range strings.Lines(small) {
		f.Add(line)
	}
	for _, found := range []string{"t = -2*(-3)/(2*x)^2 - (x - (y)) + Inf", "t = 0 + 0 + 0", "t = (((0)))", "memory x[], slot 0", "x\xff"} {
		f.Add(found)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 1<<14 {
			t.Skip()
		}
		p, err := program.Parse(text)
		if err != nil {
			return
		}
		_ = verify.Program(p)
		first := p.String()
		q, err := program.Parse(first)
		if err != nil {
			t.Fatalf("%v\nin\n%s\nof\n%s", err, first, text)
		}
		if second := q.String(); second != first {
			t.Errorf("reads back as\n%s\nnot\n%s", second, first)
		}
	})
}
