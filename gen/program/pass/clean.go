package pass

import (
	"slices"

	"github.com/sngdgen/sngdgen/gen/program"
)

// Clean takes out of programs that perform stages, and of these stages, what nothing needs any more: programs of which parts have been taken may have
// numbers that are there for the sake of stages in common. Passes over the rows that are the same in several of them stay whole. What the stages are handed and hand back is what is left of that. The programs are copies,
// the stages have statements of their own then.
func Clean(stages []*program.Stage, programs []*program.Program) []*program.Program {
	out := make([]*program.Program, len(programs))
	var bodies []*[]program.Stmt
	for i, p := range programs {
		clean := *p
		clean.Body = program.Copy(p.Body, nil)
		out[i], bodies = &clean, append(bodies, &clean.Body)
	}
	for _, s := range stages {
		s.Body = program.Copy(s.Body, nil)
		bodies = append(bodies, &s.Body)
	}
	performed, common := performs(bodies), commonPasses(bodies)
	for range 2 { // what stages do not take any more, nobody needs to compute for them
		for _, p := range out {
			l := livenessOf(p.Body, nil)
			l.keepPasses(common)
			l.clean(&p.Body, nil)
		}
		for _, s := range stages {
			cleanStage(s, performed[s], common)
		}
	}
	return out
}

// commonPasses are the passes over the rows that are the same in several bodies, and so are printed once.
func commonPasses(bodies []*[]program.Stmt) map[program.Stmt]bool {
	found := map[string][]program.Stmt{} // by what those that are alike have in common
	out := map[program.Stmt]bool{}
	for _, b := range bodies {
		program.Walk(*b, func(s program.Stmt) {
			if _, ok := program.PassOf(s); !ok || !program.IsCut(s) {
				return
			}
			key := program.Key(s)
			for _, other := range found[key] {
				if program.NewRenaming().Alike(other, s) {
					out[other], out[s] = true, true
				}
			}
			found[key] = append(found[key], s)
		})
	}
	return out
}

// performs are the statements that perform a stage.
func performs(bodies []*[]program.Stmt) map[*program.Stage][]*program.Perform {
	out := map[*program.Stage][]*program.Perform{}
	for _, b := range bodies {
		program.Walk(*b, func(s program.Stmt) {
			if s, ok := s.(*program.Perform); ok {
				out[s.Stage] = append(out[s.Stage], s)
			}
		})
	}
	return out
}

// clean takes out what is not live, and asks stages for no more than what is mentioned, in the statements or elsewhere.
func (l *liveness) clean(body *[]program.Stmt, elsewhere []*program.Place) {
	l.sweep(body, elsewhere...)
	unreadIn(body)
	mentioned := map[*program.Place]bool{}
	for _, p := range elsewhere {
		mentioned[p] = true
	}
	program.Mentions(*body, func(p *program.Place) { mentioned[p] = true })
	program.Walk(*body, func(s program.Stmt) {
		if s, ok := s.(*program.Perform); ok {
			for _, list := range [][]*program.Place{s.Out, s.Kept} {
				for i, p := range list {
					if !mentioned[p] {
						list[i] = nil
					}
				}
			}
		}
	})
}

// cleanStage leaves a stage what those who perform it need of it.
func cleanStage(st *program.Stage, by []*program.Perform, common map[program.Stmt]bool) {
	needed := func(list func(*program.Perform) *[]*program.Place) func(int) bool {
		return func(i int) bool {
			return slices.ContainsFunc(by, func(s *program.Perform) bool { return (*list(s))[i] != nil })
		}
	}
	st.Out = selected(st.Out, by, placesOut, needed(placesOut))
	st.Kept = selected(st.Kept, by, placesKept, needed(placesKept))
	back := slices.Concat(st.Out, st.Adds)
	for _, m := range st.Kept {
		back = append(back, m.To)
	}
	handed := slices.Clone(st.In)
	for _, m := range st.Held {
		handed = append(handed, m.To)
	}
	l := livenessOf(append(slices.Clone(st.Body), &program.Perform{Stage: st, In: back}), nil, handed...)
	l.keepPasses(common)
	l.clean(&st.Body, back)
	mentioned := map[*program.Place]bool{}
	program.Mentions(st.Body, func(p *program.Place) { mentioned[p] = true })
	for _, p := range back {
		mentioned[p] = true
	}
	in, held := st.In, st.Held
	st.In = selected(in, by, placesIn, func(i int) bool { return mentioned[in[i]] })
	st.Held = selected(held, by, placesHeld, func(i int) bool { return mentioned[held[i].To] })
}

// The lists of a stage, for those who perform it.
func placesIn(s *program.Perform) *[]*program.Place   { return &s.In }
func placesHeld(s *program.Perform) *[]*program.Place { return &s.Held }
func placesOut(s *program.Perform) *[]*program.Place  { return &s.Out }
func placesKept(s *program.Perform) *[]*program.Place { return &s.Kept }

// selected are those of a list of a stage that are chosen; whoever performs the stage has the same ones.
func selected[T any](list []T, by []*program.Perform, places func(*program.Perform) *[]*program.Place, chosen func(int) bool) []T {
	var out []T
	left := make([][]*program.Place, len(by))
	for i, x := range list {
		if !chosen(i) {
			continue
		}
		out = append(out, x)
		for k, s := range by {
			left[k] = append(left[k], (*places(s))[i])
		}
	}
	for k, s := range by {
		*places(s) = left[k]
	}
	return out
}
