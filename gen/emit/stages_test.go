package emit

import (
	"slices"
	"testing"

	"github.com/sngdgen/sngdgen/gen/program"
)

const stagesHead = "given m[d], a[d], A[d, d], y0\nslots 3 of [d]\n"

// deferredOf reads a program that is to be printed.
func deferredOf(t *testing.T, name, text string) *deferred {
	t.Helper()
	p, err := program.Parse(stagesHead + text)
	if err != nil {
		t.Fatal(err)
	}
	p.Name = name
	d := &deferred{prog: p, calls: map[int]*stage{}, prepared: map[*program.Place]string{}}
	d.read()
	d.lives = livesOf(&deferred{prog: p})
	return d
}

// What two functions have in common is found whatever the names are, with what goes in and what comes out; what differs in a sign, or in which
// of two numbers is meant, is not.
func TestCommonStages(t *testing.T) {
	first := "memory b[d], slot 0\nMulVec(b, A, m, d, d)\nfor i < d {\n\tb[i] = y0*b[i]\n}\nt0 = Dot(b, b)\nt1 = t0 + 1\nt2 = t0*t1\ny0 = t2 + t1\n"
	for _, c := range []struct {
		name, text string
		same       int
	}{
		{"other names", "memory q[d], slot 0\nMulVec(q, A, m, d, d)\nfor i < d {\n\tq[i] = y0*q[i]\n}\ns = Dot(q, q)\nr = s + 1\nw = s*r\ny0 = w - r\n", 6},
		{"another sign", "memory b[d], slot 0\nMulVec(b, A, m, d, d)\nfor i < d {\n\tb[i] = y0*b[i]\n}\nt0 = Dot(b, b)\nt1 = t0 - 1\nt2 = t0*t1\ny0 = t2 + t1\n", 4},
		{"another number", "memory b[d], slot 0\nMulVec(b, A, m, d, d)\nfor i < d {\n\tb[i] = y0*b[i]\n}\nt0 = Dot(b, b)\nt1 = t0 + 1\nt2 = t1*t0\ny0 = t2 + t1\n", 5},
		{"another slot", "memory b[d], slot 1\nMulVec(b, A, m, d, d)\nfor i < d {\n\tb[i] = y0*b[i]\n}\nt0 = Dot(b, b)\nt1 = t0 + 1\nt2 = t0*t1\ny0 = t2 + t1\n", 0},
	} {
		a, b := deferredOf(t, "start0", first), deferredOf(t, "start1", c.text)
		if got := common(a, b, 0, 0); got != c.same {
			t.Errorf("%s: %d statements are common, not %d", c.name, got, c.same)
		}
	}
	a, b := deferredOf(t, "start0", first), deferredOf(t, "start1", "memory q[d], slot 0\nMulVec(q, A, m, d, d)\nfor i < d {\n\tq[i] = y0*q[i]\n}\ns = Dot(q, q)\nr = s + 1\nw = s*r\ny0 = w - r\n")
	all := candidates([]*deferred{a, b})
	if len(all) == 0 {
		t.Fatal("nothing is found")
	}
	best := slices.MaxFunc(all, func(x, y *found) int { return x.saves() - y.saves() })
	best.need()
	var out []string
	for _, p := range best.stage.out {
		out = append(out, p.Name)
	}
	if len(best.where) != 2 || best.stage.to-best.stage.from != 6 || !slices.Equal(out, []string{"t1", "t2"}) {
		t.Errorf("a stage of %d statements, of %d functions, returns %v", best.stage.to-best.stage.from, len(best.where), out)
	}
	if in := best.stage.arguments; !slices.Contains(in, "m") || !slices.Contains(in, "A") || !slices.Contains(in, "y0") {
		t.Errorf("the stage is given %v", in)
	}
}

// A function that is called at every step has its statements for itself.
func TestStepsKeepShortStages(t *testing.T) {
	const text = "memory b[d], slot 0\nMulVec(b, A, m, d, d)\nt0 = Dot(b, b)\nt1 = t0 + 1\nt2 = t0*t1\nt3 = t2*t1\nt4 = t3*t1\ny0 = t4\n"
	a, b := deferredOf(t, "Gradients", text), deferredOf(t, "Loss", text)
	if all := candidates([]*deferred{a, b}); len(all) > 0 {
		t.Errorf("%d stages", len(all))
	}
	a.prog.Name, b.prog.Name = "start0", "start1"
	if all := candidates([]*deferred{a, b}); len(all) == 0 {
		t.Error("no stages of starts")
	}
}
