package stages

import (
	"slices"

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
	sums     []*program.Place // of the rows, by loops over these
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
func read(of *Function) *function { return readBody(of, of.left) }

// readBody finds those of statements of a function.
func readBody(of *Function, body []program.Stmt) *function {
	f := &function{Function: of, taken: make([]bool, len(body)), performs: map[int]*piece{}, prepared: map[*program.Place]bool{},
		memory: map[*program.Place]*program.Buffer{}, last: map[*program.Place]int{}}
	for _, s := range body {
		f.body = append(f.body, factsOf(of, s))
	}
	for _, s := range of.Program.Body {
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
	for i, s := range f.body {
		for _, p := range s.mentions {
			f.last[p] = i + 1
		}
	}
	return f
}

func factsOf(of *Function, stmt program.Stmt) *facts {
	f := &facts{stmt: stmt, declares: program.Declares(stmt), key: program.Key(stmt), lines: linesOf(stmt)}
	f.bind, _ = stmt.(*program.Bind)
	_, f.stays = stmt.(*program.Return)
	_, components := stmt.(*program.Components)
	var nested []*program.Place // sums in loops inside others, which are those of a component, or stay
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
			for _, sum := range t.Sums {
				if f.sums = append(f.sums, sum.To); in != stmt {
					nested = append(nested, sum.To)
				}
				f.stays = f.stays || sum.Max
			}
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
	f.stays = f.stays || slices.ContainsFunc(nested, func(p *program.Place) bool { return !slices.Contains(f.inner, p) })
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

// crossing is how many numbers and arrays go into statements, or come out of them: those that have to be handed over, and arrays that are in
// memory.
func (f *function) crossing(from, to int) (over, inMemory int) {
	for _, l := range f.lives {
		if l.first >= to {
			break
		}
		crosses := false
		if l.first >= from {
			crosses = l.used[len(l.used)-1] >= to
		} else if k, _ := slices.BinarySearch(l.used, from); k < len(l.used) {
			crosses = l.used[k] < to
		}
		switch {
		case !crosses:
		case f.memory[l.place] != nil:
			inMemory++
		default:
			over++
		}
	}
	return over, inMemory
}

// later reports whether statements from there on mention a place.
func (f *function) later(p *program.Place, from int) bool { return f.last[p] > from }
