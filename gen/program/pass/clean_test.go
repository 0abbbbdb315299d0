package pass_test

import (
	"strings"
	"testing"

	"github.com/sngdgen/sngdgen/gen/program"
	"github.com/sngdgen/sngdgen/gen/program/pass"
	"github.com/sngdgen/sngdgen/gen/program/verify"
)

// staged performs a stage with more than anybody needs: what it is handed for a number that nobody reads, and what it hands back of that.
const staged = `slots 2 of [d]
name z1 = z[0]
name x[d] = z[1: vector(d)]
t0 = exp(z1)
t1 = 2*z1
memory a[d], slot 0
copy(a, x)
stage s with t0 as u0, t1 as u1, a as m[d] giving v1 as w1, v2 as w2 kept b as n[d] slot 1 {
	w1 = u0 + u1
	w2 = 3*u1
	memory n[d], slot 1
	Scale(m, w2, m)
}
Scale(b, v2, a)
t3 = Dot(b, a)
return t3
`

const cleaned = `slots 2 of [d]
name z1 = z[0]
name x[d] = z[1: vector(d)]
t1 = 2*z1
memory a[d], slot 0
copy(a, x)
stage s with t1 as u1, a as m[d] giving v2 as w2 kept b as n[d] slot 1 {
	w2 = 3*u1
	memory n[d], slot 1
	Scale(m, w2, m)
}
Scale(b, v2, a)
t3 = Dot(b, a)
return t3
`

// TestClean: stages are handed what they read and hand back what somebody reads, nothing is computed for more, and what a stage does with memory that it is
// handed stays. The program stays as it is; the copy performs the same stage.
func TestClean(t *testing.T) {
	p := parsed(t, staged)
	stages := stagesOf(p)
	out := pass.Clean(stages, []*program.Program{p})[0]
	if got := out.String(); got != cleaned {
		t.Errorf("what is left is\n%s\nnot\n%s", got, cleaned)
	}
	if err := verify.Program(out); err != nil {
		t.Error(err)
	}
	if again := stagesOf(out); len(again) != 1 || again[0] != stages[0] {
		t.Errorf("the copy performs other stages")
	}
	if p.Body[len(p.Body)-1] == out.Body[len(out.Body)-1] {
		t.Error("program and copy have a statement in common")
	}
}

// TestCleanOfPasses: sums over the rows that a stage inside a pass adds up are not left out.
func TestCleanOfPasses(t *testing.T) {
	const text = `for each block of rows with x[rows] of data {
	stage s with x as y[rows] adding total {
		for i < rows by Dot {
			sum total += weight*(y[i])
		}
	}
}
return total
`
	p := parsed(t, text)
	if got := pass.Clean(stagesOf(p), []*program.Program{p})[0].String(); got != text {
		t.Errorf("what is left is\n%s\nnot\n%s", got, text)
	}
}

// TestCleanOfCommonPasses: a pass that another function has too stays as it is, and one that is a function's own leaves out what nothing reads.
func TestCleanOfCommonPasses(t *testing.T) {
	const rows = `for each block of rows in ranges with x[rows] of data, y[rows] of y {
	for i < rows {
		sum a += weight*(x[i])
		sum b += weight*(y[i])
	}
}
`
	whole, part := rows+"return a + b\n", rows+"return a\n"
	staged := func(text string) string {
		body, _ := strings.CutSuffix(text, "return a\n")
		return "stage s giving c as a {\n\t" + strings.TrimSuffix(strings.ReplaceAll(body, "\n", "\n\t"), "\t") + "}\nreturn c\n"
	}
	own := strings.Replace(part, "\t\tsum b += weight*(y[i])\n", "", 1)
	for _, c := range []struct {
		programs []string
		want     string
	}{
		{[]string{whole, part}, part},
		{[]string{strings.ReplaceAll(whole, "y[i]", "y[i]^2"), part}, own},
		{[]string{strings.ReplaceAll(whole, "y[i]", "x[i]"), part}, own},
		{[]string{strings.ReplaceAll(whole, " in ranges", ""), strings.ReplaceAll(part, " in ranges", "")}, strings.ReplaceAll(own, " in ranges", "")},
		{[]string{part}, own},
		{[]string{whole, staged(part)}, staged(part)},
		{[]string{staged(part)}, staged(own)},
	} {
		var programs []*program.Program
		for _, text := range c.programs {
			programs = append(programs, parsed(t, text))
		}
		out := pass.Clean(stagesOf(programs[len(programs)-1]), programs)
		if got := out[len(out)-1].String(); got != c.want {
			t.Errorf("beside %q, what is left is\n%s\nnot\n%s", c.programs[0], got, c.want)
		}
	}
}

// TestNeeded: what ends a program, and what has been prepared for all components, is needed whatever reads it.
func TestNeeded(t *testing.T) {
	for _, text := range []string{
		"given A[d, d]\nmemory l[d, d], slot 0\ncheck Cholesky(l, A, d), condition 1\nreturn 1\n",
		"for k components\nfor each component {\n\tname b = z[0: the component's scalar]\n\tprepare own = special.GammaDiffs(b), slot 1 of each component\n}\n" +
			"for each row with x of data {\n\tsum s += weight*(x)\n}\nreturn s\n",
	} {
		p := parsed(t, text)
		if err := pass.One("dead", p); err != nil {
			t.Fatal(err)
		}
		if got := p.String(); got != text {
			t.Errorf("what is left is\n%s\nnot\n%s", got, text)
		}
	}
}

func parsed(t *testing.T, text string) *program.Program {
	t.Helper()
	p, err := program.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// stagesOf are the stages that a program performs.
func stagesOf(p *program.Program) (out []*program.Stage) {
	program.Walk(p.Body, func(s program.Stmt) {
		if s, ok := s.(*program.Perform); ok {
			out = append(out, s.Stage)
		}
	})
	return out
}
