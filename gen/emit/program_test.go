package emit_test

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/gen/bind"
	"github.com/sngdgen/sngdgen/gen/derive"
	"github.com/sngdgen/sngdgen/gen/emit"
	"github.com/sngdgen/sngdgen/gen/methods"
	"github.com/sngdgen/sngdgen/gen/program"
	"github.com/sngdgen/sngdgen/gen/program/pass"
	"github.com/sngdgen/sngdgen/gen/program/verify"
	"github.com/sngdgen/sngdgen/internal/testseed"
	"github.com/sngdgen/sngdgen/spec"
)

// Programs of the library have no fault that the verifier finds.
func TestLibraryVerifies(t *testing.T) {
	for _, name := range spec.Library().Problems() {
		t.Run(name, func(t *testing.T) {
			functions, err := methods.Of(derived(t, name), methods.Options{})
			if err != nil {
				t.Fatal(err)
			}
			for _, p := range functions.Programs {
				if err := verify.Program(p); err != nil {
					t.Errorf("%v\nin\n%s", err, p)
				}
			}
		})
	}
}

// Passes can be run again, and those that are optional left out: the verifier finds nothing, and all passes lead to where they led, but for parts of
// functions, which may have numbers that nothing needs.
func TestPassesAgain(t *testing.T) {
	for _, name := range spec.Library().Problems() {
		t.Run(name, func(t *testing.T) {
			functions, err := methods.Of(derived(t, name), methods.Options{})
			if err != nil {
				t.Fatal(err)
			}
			for _, p := range functions.Programs {
				text := p.String()
				o := pass.Options{After: func(name string, p *program.Program) {
					if err := verified(name, p); err != nil {
						t.Errorf("after %s: %v\nin\n%s", name, err, p)
					}
				}}
				for _, r := range pass.Rows() {
					if r.Optional {
						o.Without = append(o.Without, r.Name)
					}
				}
				for range 2 {
					if err := pass.Run(p, o); err != nil {
						t.Fatal(err)
					}
					o.Without = nil
				}
				if again := p.String(); again != text && functions.Functions[p.Name].Steps[0].PartOf == "" {
					t.Errorf("%s has become\n%s\nnot\n%s", p.Name, again, text)
				}
			}
		})
	}
}

// derived derives a problem of the library.
func derived(t *testing.T, name string) *derive.Result {
	t.Helper()
	b, diags := bind.Bind(spec.Library().Problem(name))
	if diags.HasErrors() {
		t.Fatal(diags.String())
	}
	d, err := derive.Derive(b)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// Without a statement a program is faulty, and the verifier says so: but for those that are no declaration and write nothing that
// was not there before, conditions, results and updates in place.
func TestStatementsAreNeeded(t *testing.T) {
	for _, name := range []string{"negbin", "skewt", "gaussiancopula", "mvnormalnat", "mvnormalmix", "logistic", "logisticskewmix"} {
		functions, err := methods.Of(derived(t, name), methods.Options{})
		if err != nil {
			t.Fatal(err)
		}
		removed := 0
		for _, p := range functions.Programs {
			kept := neededOutside(p)
			without(&p.Body, func(s program.Stmt) {
				if slices.ContainsFunc(writesOf(s), func(place *program.Place) bool { return kept[place] }) {
					return
				}
				if removed++; verify.Program(p) == nil {
					t.Errorf("%s, %s: nothing is wrong without\n%s", name, p.Name, program.Line(s))
				}
			})
		}
		if removed < 50 {
			t.Errorf("%s: only %d statements were taken out", name, removed)
		}
	}
}

// without takes one statement after the other out, at all depths.
func without(body *[]program.Stmt, visit func(program.Stmt)) {
	for i, s := range *body {
		if declaresOrWrites(s) {
			whole := *body
			*body = slices.Delete(slices.Clone(whole), i, i+1)
			visit(s)
			*body = whole
		}
		for _, inner := range program.Bodies(s) {
			without(inner, visit)
		}
	}
}

// neededOutside are the places that the program says nothing of after they have been written: results, and a component's own
// part of memory that is given.
func neededOutside(p *program.Program) map[*program.Place]bool {
	out := map[*program.Place]bool{}
	program.Walk(p.Body, func(s program.Stmt) {
		if b, ok := s.(*program.Bind); ok && !b.Out && b.From != nil {
			out[b.To] = true
		}
		if l, ok := s.(*program.Let); ok {
			out[l.To] = true
		}
	})
	program.Mentions(p.Body, func(place *program.Place) {
		if place.Shape.Number() {
			delete(out, place)
		}
	})
	return out
}

// writesOf are the places that a statement writes to or declares.
func writesOf(s program.Stmt) []*program.Place {
	out := program.Declares(s)
	switch s := s.(type) {
	case *program.Each:
		for _, w := range s.Writes {
			out = append(out, w.To.Place)
		}
	case *program.Call:
		for i, p := range program.Kernels()[s.Kernel].Params {
			if p.Access == program.Writes {
				out = append(out, s.Args[i].Place)
			}
		}
	}
	return out
}

// declaresOrWrites reports whether something is not known without a statement.
func declaresOrWrites(s program.Stmt) bool {
	switch s := s.(type) {
	case *program.Call:
		return s.To != nil || !s.Definite && writesAnew(s)
	case *program.Guard, *program.Return, *program.Store, *program.Evaluate, *program.Components, *program.Blocks, *program.Add:
		return false
	case *program.Each:
		added := slices.ContainsFunc(s.Writes, func(w *program.Write) bool {
			inPlace := false
			program.Operands(w.Value, func(r program.Ref) { inPlace = inPlace || r.Place == w.To.Place })
			return w.Add || w.To.Place.Given != nil || inPlace
		})
		return len(s.Writes)+len(s.Totals)+len(s.Sums) > 0 && !added
	case *program.Rows:
		return len(s.Sums) > 0
	}
	return true
}

// writesAnew reports whether a kernel writes memory that it does not read.
func writesAnew(s *program.Call) bool {
	for i, p := range program.Kernels()[s.Kernel].Params {
		place := s.Args[i].Place
		others := slices.Delete(slices.Clone(s.Args), i, i+1)
		if p.Access == program.Writes && place.Given == nil && !slices.ContainsFunc(others, func(a program.Operand) bool { return a.Place == place }) {
			return true
		}
	}
	return false
}

// The text of a program reads back: what has been read is written in the same way, and the verifier finds as little wrong with it.
func TestLibraryParses(t *testing.T) {
	for _, name := range spec.Library().Problems() {
		t.Run(name, func(t *testing.T) {
			functions, err := methods.Of(derived(t, name), methods.Options{})
			if err != nil {
				t.Fatal(err)
			}
			for _, p := range functions.Programs {
				text := p.String()
				read, err := program.Parse(text)
				if err != nil {
					t.Fatalf("%s: %v\nin\n%s", p.Name, err, text)
				}
				if again := read.String(); again != text {
					t.Errorf("%s reads back as\n%s\nnot\n%s", p.Name, again, text)
				}
				if err := verify.Program(read); err != nil {
					t.Errorf("%s, read back: %v\nin\n%s", p.Name, err, text)
				}
			}
		})
	}
}

// The bytes depend on no order but that of formulas: not on the numbers of nodes, of which some are left out, and on no map, whose order
// is another one whenever it is asked for.
func TestOrdersAreOfNoImportance(t *testing.T) {
	for i, name := range spec.Library().Problems() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rng := rand.New(rand.NewPCG(testseed.Seed(), uint64(i)))
			var want []emit.File
			for round := range 3 {
				g := expr.NewGraph()
				if round > 0 {
					g.LeaveGaps(func() int { return rng.IntN(4) })
				}
				b, diags := bind.In(g, spec.Library().Problem(name), new(bind.Places))
				if diags.HasErrors() {
					t.Fatal(diags.String())
				}
				d, err := derive.Derive(b)
				if err != nil {
					t.Fatal(err)
				}
				functions, err := methods.Of(d, methods.Options{Source: name})
				if err != nil {
					t.Fatal(err)
				}
				files, err := emit.Emit(d, functions, name)
				if err != nil {
					t.Fatal(err)
				}
				for k, f := range files {
					if round > 0 && !bytes.Equal(f.Data, want[k].Data) {
						t.Errorf("%s is another one", f.Name)
					}
				}
				want = files
			}
		})
	}
}

// verified is what is wrong with a program after the pass of that name: loops over components know what is in memory, once it is, and the slots of
// arrays count once they have some.
func verified(after string, p *program.Program) error {
	switch {
	case pass.Holds(pass.Memory, after):
		return verify.Program(p)
	case pass.Holds(pass.Components, after):
		return verify.Unplaced(p)
	}
	return nil
}
