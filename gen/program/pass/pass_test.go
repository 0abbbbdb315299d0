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
		i := slices.IndexFunc(pass.Passes, func(p pass.Pass) bool { return p.Name == c.pass })
		if err := pass.Passes[i].Run(p); err != nil {
			t.Fatalf("%s: %v", c.pass, err)
		}
		if got := p.String(); got != c.after {
			t.Errorf("%s makes\n%s\nnot\n%s", c.pass, got, c.after)
		}
		if err := verify.Program(p); err != nil {
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
	if err := pass.Check(pass.Passes); err != nil {
		t.Error(err)
	}
	reversed := slices.Clone(pass.Passes)
	slices.Reverse(reversed)
	optional := slices.Clone(pass.Passes)
	for i := range optional {
		optional[i].Optional = true
	}
	for want, passes := range map[string][]pass.Pass{
		"share requires memory, which no pass before it establishes": reversed,
		"two passes are called unread":                               append(slices.Clone(pass.Passes), pass.Passes[0]),
		"no pass establishes memory":                                 pass.Passes[:1],
		"share requires memory, which":                               optional,
	} {
		if err := pass.Check(passes); err == nil || !strings.Contains(err.Error(), want) {
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
	p, err := program.Parse(cases[0].before)
	if err != nil {
		t.Fatal(err)
	}
	var run []string
	if err := pass.Run(p, pass.Options{Without: names, After: func(name string, _ *program.Program) { run = append(run, name) }}); err != nil {
		t.Fatal(err)
	}
	if want := []string{"slots"}; !slices.Equal(run, want) {
		t.Errorf("%v were run, not %v", run, want)
	}
}
