package methods

import (
	"fmt"
	"slices"

	"github.com/sngdgen/sngdgen/gen/program"
)

// RowPass is a pass over the rows that is a method of its own, for the rows of one block. Functions whose passes are the same but for names
// share one, which has the names of the function that it was found in first.
type RowPass struct {
	Name  string
	Stmt  program.Stmt
	Users []string // functions
	rows  Source
}

// PassCall is how a function makes such a pass.
type PassCall struct {
	*RowPass
	Of     *program.Pass
	Handed *Handed // what goes in and comes out, under the names of the function
}

// RowPasses finds the passes in ranges of all functions, with stages where these have been cut, by their statements.
func (f *Package) RowPasses() map[program.Stmt]*PassCall {
	p := passes{calls: map[program.Stmt]*PassCall{}, by: map[string][]*RowPass{}}
	for _, of := range f.Programs {
		for _, step := range f.Functions[of.Name].Steps {
			if step.Program == of {
				p.within(step.Printed().Body, of, []string{of.Name}, step.Rows)
			}
		}
	}
	return p.calls
}

type passes struct {
	calls map[program.Stmt]*PassCall
	by    map[string][]*RowPass // by what their statements have in common
	count int
}

// within looks for passes in statements of a program, and of its stages.
func (p *passes) within(body []program.Stmt, of *program.Program, users []string, rows Source) {
	program.Walk(body, func(s program.Stmt) {
		if perform, ok := s.(*program.Perform); ok {
			p.within(perform.Stage.Body, perform.Stage.Of, perform.Stage.Users, rows)
			return
		}
		if !program.IsCut(s) || p.calls[s] != nil {
			return
		}
		if pass, ok := program.PassOf(s); ok {
			p.calls[s] = &PassCall{RowPass: p.method(s, users, rows), Of: pass, Handed: HandedTo(of, pass)}
		}
	})
}

// method is the method of a pass, which is a new one where there is none like it.
func (p *passes) method(s program.Stmt, users []string, rows Source) *RowPass {
	key := program.Key(s)
	for _, m := range p.by[key] {
		if m.rows == rows && program.NewRenaming().Alike(m.Stmt, s) {
			for _, u := range users {
				if !slices.Contains(m.Users, u) {
					m.Users = append(m.Users, u)
				}
			}
			return m
		}
	}
	p.count++
	m := &RowPass{Name: fmt.Sprintf("pass%d", p.count), Stmt: s, Users: slices.Clone(users), rows: rows}
	p.by[key] = append(p.by[key], m)
	return m
}
