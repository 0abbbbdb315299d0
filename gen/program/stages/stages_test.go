package stages

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/sngdgen/sngdgen/gen/program"
	"github.com/sngdgen/sngdgen/gen/program/interpret"
	"github.com/sngdgen/sngdgen/gen/program/verify"
)

const head = "given m[d], a[d], A[d, d], y0\nslots 3 of [d]\n"

// function is a program that is read from its text.
func parsed(t *testing.T, name, text string) Function {
	t.Helper()
	p, err := program.Parse(head + text)
	if err != nil {
		t.Fatal(err)
	}
	p.Name = name
	return Function{Program: p, left: p.Body}
}

const first = "memory b[d], slot 0\nMulVec(b, A, m, d, d)\nfor i < d {\n\tb[i] = y0*b[i]\n}\nt0 = Dot(b, b)\nt1 = t0 + 1\nt2 = t0*t1\ny0 = t2 + t1\n"

// What two functions have in common is found whatever the names are; what differs in a sign, or in which of two numbers is meant, is not.
func TestCommon(t *testing.T) {
	for _, c := range []struct {
		name, text string
		same       int
	}{
		{"other names", "memory q[d], slot 0\nMulVec(q, A, m, d, d)\nfor i < d {\n\tq[i] = y0*q[i]\n}\ns = Dot(q, q)\nr = s + 1\nw = s*r\ny0 = w - r\n", 6},
		{"another sign", "memory b[d], slot 0\nMulVec(b, A, m, d, d)\nfor i < d {\n\tb[i] = y0*b[i]\n}\nt0 = Dot(b, b)\nt1 = t0 - 1\nt2 = t0*t1\ny0 = t2 + t1\n", 4},
		{"another number", "memory b[d], slot 0\nMulVec(b, A, m, d, d)\nfor i < d {\n\tb[i] = y0*b[i]\n}\nt0 = Dot(b, b)\nt1 = t0 + 1\nt2 = t1*t0\ny0 = t2 + t1\n", 5},
		{"another slot", "memory b[d], slot 1\nMulVec(b, A, m, d, d)\nfor i < d {\n\tb[i] = y0*b[i]\n}\nt0 = Dot(b, b)\nt1 = t0 + 1\nt2 = t0*t1\ny0 = t2 + t1\n", 0},
		{"another argument", "memory b[d], slot 0\nMulVec(b, A, a, d, d)\nfor i < d {\n\tb[i] = y0*b[i]\n}\nt0 = Dot(b, b)\nt1 = t0 + 1\nt2 = t0*t1\ny0 = t2 + t1\n", 1},
	} {
		f, g := parsed(t, "start0", first), parsed(t, "start1", c.text)
		if got := compare(read(&f).body, read(&g).body).count; got != c.same {
			t.Errorf("%s: %d statements are common, not %d", c.name, got, c.same)
		}
	}
}

// A run is where all of it is the same and none of it is in a stage, whatever has been compared before.
func TestFind(t *testing.T) {
	other := "memory q[d], slot 0\nMulVec(q, A, m, d, d)\nfor i < d {\n\tq[i] = y0*q[i]\n}\ns = Dot(q, q)\nr = s + 1\nw = s*r\ny0 = w - r\n"
	functions := []Function{parsed(t, "start0", first), parsed(t, "start1", other), parsed(t, "start2", strings.Replace(other, "s + 1", "s - 1", 1))}
	c := &cutter{known: map[[2]start]comparison{}}
	for i := range functions {
		c.list = append(c.list, read(&functions[i]))
	}
	has := func(count int) (names []string) {
		r := runOf(c.list[0], 0, count)
		c.find(r, []start{{0, 0}, {1, 0}, {2, 0}})
		for _, o := range r.where {
			names = append(names, o.f.Program.Name)
		}
		return names
	}
	if got := has(6); !slices.Equal(got, []string{"start0", "start1"}) {
		t.Errorf("6 statements are in %v", got)
	}
	if got := has(4); len(got) != 3 {
		t.Errorf("4 statements are in %v", got)
	}
	c.list[1].taken[3] = true
	if got := has(4); !slices.Equal(got, []string{"start0", "start2"}) {
		t.Errorf("4 statements, of which start1 has one in a stage, are in %v", got)
	}
	if n := c.common(start{0, 0}, start{1, 0}); n != 3 {
		t.Errorf("%d statements in front of the one in a stage", n)
	}
}

// A stage is given what it reads, and hands back what somebody reads later, under the names of each who performs it.
func TestHandedOver(t *testing.T) {
	functions := []Function{parsed(t, "start0", first), parsed(t, "start1",
		"memory q[d], slot 0\nMulVec(q, A, m, d, d)\nfor i < d {\n\tq[i] = y0*q[i]\n}\ns = Dot(q, q)\nr = s + 1\nw = s*r\ny0 = w - r\n")}
	l := Usual
	l.LeastSaved = 0
	stages, rest := Cut(functions, l)
	if len(stages) != 1 {
		t.Fatalf("%d stages", len(stages))
	}
	var got []string
	for _, s := range rest[1].Body {
		got = append(got, program.Line(s))
	}
	if want := []string{"stage stage1 giving r as t1, w as t2", "y0 = w - r"}; !slices.Equal(got, want) {
		t.Errorf("start1 is\n%s", strings.Join(got, "\n"))
	}
	var arguments []string
	for _, a := range stages[0].Arguments {
		arguments = append(arguments, a.Name)
	}
	if slices.Sort(arguments); !slices.Equal(arguments, []string{"A", "m", "y0"}) || !slices.Equal(stages[0].Users, []string{"start0", "start1"}) {
		t.Errorf("the stage of %v is given %v", stages[0].Users, arguments)
	}
	for _, p := range rest {
		if err := verify.Program(p); err != nil {
			t.Errorf("%v\nin\n%v", err, p)
		}
	}
}

// A function that is called at every step has its statements for itself, and so have functions with other rows or other ends.
func TestApart(t *testing.T) {
	text := strings.ReplaceAll(first, "y0 = t2 + t1", "t3 = t2*t1\nt4 = t3*t1\nt5 = t4*t1\ny0 = t5")
	for _, c := range []struct {
		name string
		mark func(*Function)
		want int
	}{
		{"alike", func(*Function) {}, 1},
		{"often", func(f *Function) { f.Often = true }, 0},
		{"rows", func(f *Function) { f.Rows = 1 }, 0},
		{"checked", func(f *Function) { f.Checked = true }, 0},
		{"definite", func(f *Function) { f.Definite = true }, 0},
	} {
		functions := []Function{parsed(t, "start0", text), parsed(t, "start1", text)}
		c.mark(&functions[0])
		l := Usual
		l.LeastSaved = 0
		if stages, _ := Cut(functions, l); len(stages) != c.want {
			t.Errorf("%s: %d stages", c.name, len(stages))
		}
	}
}

const long = `slots 2 of [d]
name z1[d] = z[0: vector(d)]
memory u[d], slot 0
for i < d {
	u[i] = 2*z1[i]
}
memory w[d], slot 1
for i < d {
	w[i] = u[i]*z1[i]
}
t0 = Dot(u, w)
t1 = t0 + 1
t2 = t1*t0
memory x[d], slot 0
for i < d {
	x[i] = w[i] + t2
}
t3 = Dot(x, w)
t4 = t3*t1
return t4 + t2
`

// Whatever the limits, what is left of a program with its stages has no fault, reads back from its text, and computes what the program does.
func TestLimits(t *testing.T) {
	z := []float64{0.3, -1.2, 2.5}
	run := func(p *program.Program) float64 {
		r, err := interpret.Run(p, &interpret.Memory{Dims: map[string]int{"d": 3}, Slices: map[string][]float64{"z": z}})
		if err != nil {
			t.Fatalf("%v\nin\n%v", err, p)
		}
		return r.Returned
	}
	whole, err := program.Parse(long)
	if err != nil {
		t.Fatal(err)
	}
	want, counts := run(whole), map[int]bool{}
	for longest := 2; longest < 14; longest++ {
		for passed := range 4 {
			l := Limits{LeastCommon: 6, LeastSaved: 6, MostPassed: passed, MostReturned: passed, Shortest: 2, Longest: longest, Bearable: longest + 2, Most: 12}
			stages, rest := Cut([]Function{{Program: whole}}, l)
			counts[len(stages)] = true
			p := rest[0]
			if err := verify.Program(p); err != nil {
				t.Fatalf("%+v: %v\nin\n%v", l, err, p)
			}
			if got := run(p); math.Float64bits(got) != math.Float64bits(want) {
				t.Errorf("%+v: %v, not %v, by\n%v", l, got, want, p)
			}
			read, err := program.Parse(p.String())
			if err != nil {
				t.Fatalf("%v\nin\n%v", err, p)
			}
			if again := read.String(); again != p.String() {
				t.Errorf("reads back as\n%s\nnot\n%v", again, p)
			}
			if err := verify.Program(read); err != nil {
				t.Errorf("read back: %v\nin\n%v", err, p)
			}
		}
	}
	if len(counts) < 3 {
		t.Errorf("numbers of stages are %v", counts)
	}
}

// Lives begin where places are declared and end where they are mentioned last: what is declared in a run and read behind it crosses its end,
// also where it is read inside as well.
func TestLifetimes(t *testing.T) {
	of := parsed(t, "f", "t0 = y0 + 1\nt1 = t0*t0\nt2 = t1 + t0\nt3 = t1*t2\nreturn t3\n")
	f := read(&of)
	for _, c := range []struct{ from, to, over int }{
		{0, 1, 1}, // t0
		{0, 2, 2}, // t0 and t1 are read later
		{1, 3, 3}, // t0 comes in, t1 and t2 go out
		{1, 4, 2},
		{4, 5, 1},
		{0, 5, 0},
	} {
		if over, memory := f.crossing(c.from, c.to); over != c.over || memory != 0 {
			t.Errorf("%d and %d cross statements from %d to %d, not %d", over, memory, c.from, c.to, c.over)
		}
	}
}

// Arrays are found in memory where all who perform a stage have them in the same slot, and handed over where not.
func TestInMemory(t *testing.T) {
	text := func(slot string) string {
		return "memory b[d], slot " + slot + "\nclear(b)\nmemory c[d], slot 2\nMulVec(c, A, b, d, d)\nt0 = Dot(c, b)\nt1 = t0 + 1\nt2 = t0*t1\nt3 = t2 + t1\nt4 = t3*t2\ny0 = t4\n"
	}
	for _, c := range []struct {
		other    string
		held, in int
	}{{"0", 1, 0}, {"1", 0, 1}} {
		functions := []Function{parsed(t, "start0", text("0")), parsed(t, "start1", text(c.other))}
		f := &cutter{list: []*function{read(&functions[0]), read(&functions[1])}, known: map[[2]start]comparison{}}
		r := runOf(f.list[0], 2, 7)
		f.find(r, []start{{0, 2}, {1, 2}})
		if len(r.where) != 2 {
			t.Fatalf("%d have the run", len(r.where))
		}
		r.need()
		in, held := r.inMemory(r.in)
		if len(in) != c.in || len(held) != c.held {
			t.Errorf("with slot %s: %d handed over, %d found in memory", c.other, len(in), len(held))
		}
	}
}
