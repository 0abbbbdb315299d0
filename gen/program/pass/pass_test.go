package pass_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/sngdgen/sngdgen/gen/program"
	"github.com/sngdgen/sngdgen/gen/program/pass"
	"github.com/sngdgen/sngdgen/gen/program/verify"
)

// before and after passes, by their names.
var cases = []struct{ pass, before, after string }{
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
		if err := verify.Unplaced(p); err != nil {
			t.Errorf("%s: %v", c.pass, err)
		}
	}
	for _, p := range pass.Passes {
		if !slices.ContainsFunc(cases, func(c struct{ pass, before, after string }) bool { return c.pass == p.Name }) {
			t.Errorf("no program before and after %s", p.Name)
		}
		if p.Doc == "" || strings.Count(p.Doc, ".") != 1 {
			t.Errorf("%s has no sentence that says what it does", p.Name)
		}
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
	late[0].After = []string{"share"}
	for want, rows := range map[string][]pass.Row{
		"share requires memory, which no pass before it establishes": reversed,
		"two passes are called spill":                                append(pass.Rows(), pass.Rows()[0]),
		"no pass establishes components":                             {},
		"unread requires components, which":                          optional,
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
