package stages

import (
	"strings"

	"github.com/sngdgen/sngdgen/gen/program"
)

// facts is what the choice of stages asks of a statement, with those inside it.
type facts struct {
	stmt     program.Stmt
	bind     *program.Bind // the statement, where it gives a name to what is given
	lines    int
	key      string           // that of statements which are the same but for names
	declares []*program.Place // for those that follow
	inner    []*program.Place // for those inside it too
	mentions []*program.Place
	takes    []program.Taken  // arguments of the function that it names or writes to
	adds     []*program.Place // by a loop over components
	fails    bool             // may end the function
	stays    bool             // cannot be moved
}

// life is where a number or an array is declared, and where it is used.
type life struct {
	place *program.Place
	first int
	used  []int
}

// read finds the facts of a function.
func read(of *Function) *function {
	f := &function{Function: of, taken: make([]bool, len(of.Program.Body)), performs: map[int]*piece{}, prepared: map[*program.Place]bool{},
		memory: map[*program.Place]*program.Buffer{}}
	for _, s := range of.Program.Body {
		f.body = append(f.body, factsOf(of, s))
		if b, ok := s.(*program.Buffer); ok && !b.To.Shape.Block {
			f.memory[b.To] = b
		}
	}
	program.Walk(of.Program.Body, func(s program.Stmt) {
		if p, ok := s.(*program.Prepare); ok {
			f.prepared[p.To] = true
		}
	})
	f.lives = livesOf(f.body)
	return f
}

func factsOf(of *Function, stmt program.Stmt) *facts {
	f := &facts{stmt: stmt, declares: program.Declares(stmt), key: program.Key(stmt), lines: max(1, strings.Count(program.Text(stmt), "\n"))}
	f.bind, _ = stmt.(*program.Bind)
	_, f.stays = stmt.(*program.Return)
	_, components := stmt.(*program.Components)
	program.Walk([]program.Stmt{stmt}, func(in program.Stmt) {
		f.inner = append(f.inner, program.Declares(in)...)
		for _, c := range program.Columns(in) {
			f.inner = append(f.inner, c.To)
		}
		switch t := in.(type) {
		case *program.Guard:
			f.fails = true
		case *program.Each:
			f.fails = f.fails || len(t.Guards) > 0
		case *program.Call:
			f.fails = f.fails || t.Definite && (t.Guard >= 0 && of.Checked || of.Definite)
		case *program.Prepare:
			f.stays = f.stays || t.View
		case *program.Let:
			f.stays = f.stays || t.Out
		case *program.Attained:
			f.stays = true
		case *program.Add:
			if components {
				f.adds = append(f.adds, t.To)
			}
		case *program.Bind:
			if t.From != nil {
				f.take(t.From, t.To.Shape)
			}
		case *program.Store:
			if t.To.Place.Given != nil {
				f.take(t.To.Place.Given, t.To.Place.Shape)
			}
		}
	})
	seen := map[*program.Place]bool{}
	program.Mentions([]program.Stmt{stmt}, func(p *program.Place) {
		if seen[p] {
			return
		}
		seen[p] = true
		if f.mentions = append(f.mentions, p); p.Given != nil {
			f.take(p.Given, p.Shape)
		}
	})
	return f
}

// take notes an argument of the function.
func (f *facts) take(g *program.Given, shape program.Shape) {
	if g.Owner != "" || g.Kind != program.Variable || g.Table != nil {
		return
	}
	for _, t := range f.takes {
		if t.Name == g.Name {
			return
		}
	}
	f.takes = append(f.takes, program.Taken{Name: g.Name, Number: g.Part == nil && len(g.At) == 0 && shape.Number()})
}

// livesOf are those of what statements declare; of names for what is given there are none, as everybody may have them.
func livesOf(body []*facts) []life {
	by := map[*program.Place]*life{}
	var order []*life
	for i, f := range body {
		if f.bind == nil {
			for _, to := range f.declares {
				if to != nil && by[to] == nil {
					by[to] = &life{place: to, first: i}
					order = append(order, by[to])
				}
			}
		}
		for _, to := range f.mentions {
			if l := by[to]; l != nil {
				l.used = append(l.used, i)
			}
		}
	}
	var out []life
	for _, l := range order {
		if len(l.used) > 0 {
			out = append(out, *l)
		}
	}
	return out
}

// crossing is how many numbers and arrays go into statements, or come out of them. Arrays count where handing them on is the only way.
func (f *function) crossing(from, to int) int {
	n := 0
	for _, l := range f.lives {
		if f.memory[l.place] != nil {
			continue
		}
		last := l.used[len(l.used)-1]
		if l.first >= from && l.first < to {
			if last >= to {
				n++
			}
			continue
		}
		if l.first < from {
			for _, k := range l.used {
				if k >= from && k < to {
					n++
					break
				}
			}
		}
	}
	return n
}

// mentioned are the places that statements from there on mention.
func (f *function) mentioned(from int) map[*program.Place]bool {
	out := map[*program.Place]bool{}
	for _, s := range f.body[min(from, len(f.body)):] {
		for _, p := range s.mentions {
			out[p] = true
		}
	}
	return out
}
