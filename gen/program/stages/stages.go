// Package stages cuts programs into stages: runs of statements that are functions of their own. Functions of a package begin with the same
// work, a factor of the same matrix, the same moments of the data; what several have in common is one stage. So are parts of functions
// that would be too long to be read.
//
// What goes into a stage and what comes out of it follows from where places are declared and mentioned. The programs stay as they are, to be
// run: what is made of them has statements that perform stages, and is for those who print them.
package stages

import (
	"fmt"
	"slices"

	"github.com/sngdgen/sngdgen/gen/program"
)

// Function is a program that may be cut.
type Function struct {
	Program *program.Program
	// Rows is where its rows come from: functions whose rows come from elsewhere have no stages in common with it.
	Rows int
	// Checked is whether the function ends where a condition does not hold, Definite whether it ends where a matrix without a condition is
	// not positive definite.
	Checked, Definite bool
	// Often is whether it is called at every step and has numbers alone. Such functions are cut only where they are long: numbers that come out of a
	// call are in memory, which costs loops over the rows up to a tenth of their time.
	Often bool
	left  []program.Stmt // its statements, with stages inside passes
}

// Limits are what stages are chosen by.
type Limits struct {
	LeastCommon, LeastSaved  int // lines that are worth a stage, and that it has to save
	Few                      int // values that may go in, or come out, before arrays are found in memory where that is possible
	MostPassed, MostReturned int // values that may go in and come out
	Shortest                 int // lines of a function that is too long that are worth a stage
	Longest, Bearable        int // lines that a function may have where little goes in and out, and where more than usual does
	LongestPass              int // lines of a pass that stays in its function
	Most                     int // lines of a stage
}

// Usual are the limits of the library.
var Usual = Limits{LeastCommon: 6, LeastSaved: 6, Few: 6, MostPassed: 14, MostReturned: 8, Shortest: 25, Longest: 115, Bearable: 115, LongestPass: 100, Most: 118}

// Cut cuts functions into stages. It returns the stages in the order in which they are found, and what is left of the programs: copies that
// perform stages, in the order of the functions, the program itself where there are none.
func Cut(functions []Function, l Limits) ([]*program.Stage, []*program.Program) {
	c := &cutter{Limits: l, known: map[[2]start]comparison{}}
	for i := range functions {
		c.list = append(c.list, read(c.cutPasses(&functions[i])))
	}
	c.share()
	for _, f := range c.list {
		for f.length() > c.Longest {
			run := c.cut(f)
			if run == nil {
				break
			}
			c.extract(run)
		}
	}
	out := make([]*program.Program, len(c.list))
	for i, f := range c.list {
		out[i] = f.rest()
	}
	return c.stages, out
}

type cutter struct {
	Limits
	list   []*function
	stages []*program.Stage
	known  map[[2]start]comparison
}

// function is a function with what the choice of stages asks of it again and again.
type function struct {
	*Function
	within   *program.Blocks // the pass whose body it is, nil for the whole
	body     []*facts
	taken    []bool         // statements that are in a stage
	performs map[int]*piece // what is in the place of statements, by the first of them
	lives    []life
	last     map[*program.Place]int // statement that mentions a place last, counted from 1
	prepared map[*program.Place]bool
	memory   map[*program.Place]*program.Buffer
}

// piece is what a function has in the place of statements.
type piece struct {
	perform *program.Perform
	names   []program.Stmt // for what is given, of which the stage has its own
	count   int            // of the statements
}

// cutPasses cuts what is in passes over blocks of rows where it is long, and returns the function with what is left.
func (c *cutter) cutPasses(of *Function) *Function {
	body := slices.Clone(of.Program.Body)
	for i, s := range body {
		pass, ok := s.(*program.Blocks)
		if !ok || pass.Cut {
			continue
		}
		f := readBody(of, pass.Body)
		f.within = pass
		for f.length() > c.LongestPass {
			run := c.cut(f)
			if run == nil {
				break
			}
			c.extract(run)
		}
		if len(f.performs) > 0 {
			left := *pass
			left.Body = f.remaining()
			body[i] = &left
		}
	}
	out := *of
	out.left = body
	return &out
}

// rest is a program with its stages.
func (f *function) rest() *program.Program {
	out := *f.Program
	out.Body = f.remaining()
	return &out
}

// remaining are the statements with stages in the place of what is in these.
func (f *function) remaining() []program.Stmt {
	var out []program.Stmt
	for i := 0; i < len(f.body); i++ {
		p := f.performs[i]
		if p == nil {
			out = append(out, f.body[i].stmt)
			continue
		}
		out = append(append(out, p.perform), p.names...)
		i += p.count - 1
	}
	return out
}

// length is about how many lines a function has, those of its stages not counted.
func (f *function) length() int {
	n, bound := 0, 0
	for i, s := range f.body {
		switch {
		case f.performs[i] != nil:
			n += 4 + len(f.performs[i].names)
		case !f.taken[i]:
			if n += s.lines; s.lines == 0 {
				bound++
			}
		}
	}
	return n + bound/3
}

// run is a run of statements that several functions have, or one.
type run struct {
	of    *function
	from  int
	count int
	lines int
	where []occurrence
	// What goes in and what comes out, by the names of the function that has it first.
	in, out    []*program.Place
	held, kept []*program.Place
	arguments  []program.Taken
	adds       []*program.Place // sums of the pass that it is in
	fails      bool
}

// occurrence is where a function has a run, under its own names.
type occurrence struct {
	f    *function
	at   int
	name *program.Renaming // from those of the run
}

func (r *run) facts() []*facts { return r.of.body[r.from : r.from+r.count] }

// saves is how many lines are saved.
func (r *run) saves() int {
	calls := 1
	if r.fails {
		calls = 4
	}
	return r.lines*(len(r.where)-1) - calls*len(r.where) - 5
}

// extract makes a stage of a run.
func (c *cutter) extract(r *run) {
	s := &program.Stage{Name: fmt.Sprintf("stage%d", len(c.stages)+1), In: r.in, Out: r.out, Arguments: r.arguments, Adds: r.adds, Within: r.of.within,
		Fails: r.fails, Of: r.of.Program}
	for _, f := range r.used() {
		s.Body = append(s.Body, f.stmt)
	}
	for _, p := range r.held {
		s.Held = append(s.Held, r.of.memory[p])
	}
	for _, p := range r.kept {
		s.Kept = append(s.Kept, r.of.memory[p])
	}
	for _, o := range r.where {
		if !slices.Contains(s.Users, o.f.Program.Name) {
			s.Users = append(s.Users, o.f.Program.Name)
		}
		later := func(p *program.Place) bool { return o.f.later(p, o.at+r.count) }
		always := func(*program.Place) bool { return true }
		p := &piece{count: r.count, perform: &program.Perform{Stage: s, In: own(o, r.in, always), Held: own(o, r.held, always),
			Out: own(o, r.out, later), Kept: own(o, r.kept, later)}}
		for k := range r.count {
			o.f.taken[o.at+k] = true
			if b := o.f.body[o.at+k].bind; b != nil && later(b.To) {
				p.names = append(p.names, b)
			}
		}
		o.f.performs[o.at] = p
	}
	c.stages = append(c.stages, s)
}

// own are the places of a function that correspond to those of a run, nil for those that are not wanted.
func own(o occurrence, places []*program.Place, wanted func(*program.Place) bool) []*program.Place {
	var out []*program.Place
	for _, p := range places {
		if p = o.name.Of(p); !wanted(p) {
			p = nil
		}
		out = append(out, p)
	}
	return out
}
