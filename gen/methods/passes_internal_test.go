package methods

import (
	"testing"

	"github.com/sngdgen/sngdgen/gen/program"
)

// Passes that are the same but for names are one method where their rows are from the same place, and two where they are not.
func TestMethodsOfPasses(t *testing.T) {
	pass := func(name string) program.Stmt {
		p, err := program.Parse("for each row with x of data {\n\tsum " + name + " += weight*(2*x)\n}\nreturn " + name + "\n")
		if err != nil {
			t.Fatal(err)
		}
		return p.Body[0]
	}
	p := passes{calls: map[program.Stmt]*PassCall{}, by: map[string][]*RowPass{}}
	own := p.method(pass("s"), []string{"Loss"}, OwnRows)
	if same := p.method(pass("t"), []string{"Gradients"}, OwnRows); same != own || len(own.Users) != 2 {
		t.Errorf("%v, not %v", same, own)
	}
	if other := p.method(pass("s"), []string{"Fisher"}, GivenRows); other == own || other.Name == own.Name {
		t.Errorf("rows from elsewhere have %v too", other)
	}
}

// TestUnread: sums that only the pass itself mentions are not handed back.
func TestUnread(t *testing.T) {
	p, err := program.Parse("for each block of rows with x[rows] of data {\n\tfor i < rows {\n\t\tsum a += weight*(x[i])\n\t\tsum b += weight*(2*x[i])\n\t}\n}\nd = a\nreturn d\n")
	if err != nil {
		t.Fatal(err)
	}
	pass, _ := program.PassOf(p.Body[0])
	h := HandedTo(p, pass)
	for _, s := range pass.Sums {
		if h.Unread[s.To] != (s.To.Name != "a") {
			t.Errorf("%s is unread: %v", s.To.Name, h.Unread[s.To])
		}
	}
}
