package methods_test

import (
	"slices"
	"testing"

	"github.com/sngdgen/sngdgen/gen/methods"
	"github.com/sngdgen/sngdgen/gen/program"
)

// Every pass in ranges of a function has one method, which does what the pass does but for names; methods are not alike, and name who has them.
func TestRowPasses(t *testing.T) {
	shared := 0
	for name, p := range packages(t) {
		calls := p.RowPasses()
		found := map[*methods.RowPass]bool{}
		for _, of := range p.Programs {
			program.Walk(of.Body, func(s program.Stmt) {
				if !program.IsCut(s) {
					return
				}
				c := calls[s]
				switch {
				case c == nil:
					t.Errorf("%s: a pass of %s has no method", name, of.Name)
					return
				case !program.NewRenaming().Alike(c.Stmt, s):
					t.Errorf("%s: %s is another pass than that of %s", name, c.Name, of.Name)
				case !slices.Contains(c.Users, of.Name):
					t.Errorf("%s: %s is not said to be of %s", name, c.Name, of.Name)
				}
				if len(c.Users) > 1 {
					shared++
				}
				found[c.RowPass] = true
			})
		}
		names := map[string]bool{}
		for m := range found {
			if names[m.Name] {
				t.Errorf("%s: two methods are called %s", name, m.Name)
			}
			names[m.Name] = true
			for o := range found {
				if o != m && program.Key(o.Stmt) == program.Key(m.Stmt) && program.NewRenaming().Alike(o.Stmt, m.Stmt) && sharesRows(p, o, m) {
					t.Errorf("%s: %s and %s are the same", name, o.Name, m.Name)
				}
			}
		}
	}
	if shared == 0 {
		t.Error("no functions share a pass")
	}
}

// sharesRows reports whether the functions of two passes have the same rows.
func sharesRows(p *methods.Package, a, b *methods.RowPass) bool {
	rows := func(m *methods.RowPass) methods.Source { return p.Functions[m.Users[0]].Steps[0].Rows }
	return rows(a) == rows(b)
}
