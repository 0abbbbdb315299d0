package pass

import (
	"fmt"
	"regexp"
	"strings"
	"sync"

	"github.com/sngdgen/sngdgen/gen/program"
	"github.com/sngdgen/sngdgen/gen/program/wording"
)

// Names are those in use in a program: what a pass declares gets another.
type Names struct {
	taken    map[string]bool
	reserved func(string) bool
	temps    int
}

// namesOf collects the names of a program; reserved are others that nothing may have.
func namesOf(p *program.Program, reserved func(string) bool) *Names {
	n := &Names{taken: map[string]bool{}, reserved: reserved}
	take := func(place *program.Place) {
		if place != nil {
			n.taken[place.Name] = true
		}
	}
	program.Mentions(p.Body, take)
	program.Walk(p.Body, func(s program.Stmt) {
		for _, place := range program.Declares(s) {
			take(place)
		}
		for _, c := range program.Columns(s) {
			take(c.To)
		}
	})
	return n
}

// New is a name that is not in use: the hint, or that with a number, behind a word where all names that begin as the hint are reserved.
func (n *Names) New(hint string) string {
	if n.reserves(hint) && n.reserves(numbered(hint)+"2") {
		hint = "own" + strings.ToUpper(hint[:1]) + hint[1:]
	}
	name := hint
	for i := 2; n.taken[name] || n.reserves(name); i++ {
		name = fmt.Sprintf("%s%d", numbered(hint), i)
	}
	n.taken[name] = true
	return name
}

func (n *Names) reserves(name string) bool { return n.reserved != nil && n.reserved(name) }

// Temporary is a name that says nothing.
func (n *Names) Temporary() string {
	for ; ; n.temps++ {
		if name := fmt.Sprintf("t%d", n.temps); !n.taken[name] {
			n.taken[name] = true
			return name
		}
	}
}

// Of is a name for what an expression computes: what its formula is called, or one that says nothing.
func (n *Names) Of(e program.Expr) string {
	if hint := called(e); hint != "" && !n.reserves(hint) {
		return n.New(hint)
	}
	return n.Temporary()
}

// called is what a formula of numbers that have names is called, "" where there is no short name for it.
func called(e program.Expr) string {
	switch e := e.(type) {
	case program.Ref:
		if len(e.At) > 0 {
			return ""
		}
		name := e.Place.Name
		if g := e.Place.Given; g != nil && g.Part == nil && len(g.At) == 0 {
			name = g.Name
		}
		if wording.Telling(name) {
			return name
		}
	case *program.Apply:
		f := wording.Formula{Op: e.Op, Operands: make([]string, len(e.Args)), Coefs: e.Coefs, Const: e.Const}
		for i, a := range e.Args {
			if a != nil {
				f.Operands[i] = called(a)
			}
		}
		return wording.Name(f)
	}
	return ""
}

// Entry is a name for an entry of an array: deltaI of delta.
func (n *Names) Entry(array string) string {
	if unnamed().MatchString(array) {
		return n.Temporary()
	}
	return n.New(numbered(array) + "I")
}

// unnamed matches names that say nothing.
var unnamed = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^t[0-9]+(_[0-9]+)?s?$`) })

// numbered is a name that a number may follow: m1_ of m1.
func numbered(name string) string {
	if last := name[len(name)-1]; '0' <= last && last <= '9' || last == '_' {
		return name + "_"
	}
	return name
}
