package pass

import (
	"slices"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/gen/program"
)

// dead takes out what computes numbers and arrays that nothing reads.
func dead(p *program.Program, _ *Names) error {
	livenessOf(p.Body, nil).sweep(&p.Body)
	return nil
}

// sweep takes out what is not live, and names and memory that nothing mentions then, here or elsewhere.
func (l *liveness) sweep(body *[]program.Stmt, elsewhere ...*program.Place) {
	l.sweepEffects(body)
	for undeclared(body, elsewhere) {
	}
}

func (l *liveness) sweepEffects(body *[]program.Stmt) {
	var out []program.Stmt
	for _, s := range *body {
		for _, inner := range program.Bodies(s) {
			l.sweepEffects(inner)
		}
		if !l.dead(s) && !l.sweepEnds(s) {
			out = append(out, l.lessened(s)...)
		}
	}
	*body = out
}

// sweepEnds takes out ends of a loop that are not live, and reports whether it does nothing then.
func (l *liveness) sweepEnds(s program.Stmt) bool {
	switch s := s.(type) {
	case *program.Each:
		s.Writes = slices.DeleteFunc(s.Writes, func(w *program.Write) bool { return l.dead(w) })
		s.Totals = slices.DeleteFunc(s.Totals, func(t *program.Total) bool { return l.dead(t) })
		s.Sums = slices.DeleteFunc(s.Sums, func(t *program.Sum) bool { return l.dead(t) })
		return len(s.Writes)+len(s.Totals)+len(s.Sums)+len(s.Guards) == 0
	case *program.Rows:
		s.Writes = slices.DeleteFunc(s.Writes, func(w *program.Write) bool { return l.dead(w) })
		s.Sums = slices.DeleteFunc(s.Sums, func(t *program.Sum) bool { return l.dead(t) })
		return len(s.Writes)+len(s.Sums) == 0
	case *program.Blocks:
		added := map[*program.Place]bool{}
		program.Changes(s.Body, func(p *program.Place) { added[p] = true })
		program.Walk(s.Body, func(in program.Stmt) {
			if in, ok := in.(*program.Perform); ok {
				for _, p := range in.Stage.Adds {
					added[p] = true
				}
			}
		})
		s.Sums = slices.DeleteFunc(s.Sums, func(t *program.Sum) bool { return !added[t.To] })
	}
	return false
}

// lessened is a statement without results that are not live, where there is something that computes the others alone.
func (l *liveness) lessened(s program.Stmt) []program.Stmt {
	switch s := s.(type) {
	case *program.Call:
		k := program.Kernels()[s.Kernel]
		if less, args := k.Without(func(i int) bool { return s.Args[i].Place != nil && !l.wanted(s.Args[i].Place) }, s.Args); less != nil {
			out := *s
			out.Kernel, out.Args = less.Name, args
			return []program.Stmt{&out}
		}
	case *program.Joint:
		return l.lessJoint(s)
	}
	return []program.Stmt{s}
}

// wanted reports whether a place is needed, by the program or by others.
func (l *liveness) wanted(p *program.Place) bool {
	p = l.whole(p)
	return l.needed[p] || !l.own(p)
}

// lessJoint computes those of some functions that are needed: together, where there is a function for that, or one by one.
func (l *liveness) lessJoint(s *program.Joint) []program.Stmt {
	var to []*program.Place
	var ops []string
	for i, p := range s.To {
		if l.needed[l.whole(p)] {
			to, ops = append(to, p), append(ops, s.Joint.Ops[i])
		}
	}
	if len(ops) == len(s.To) {
		return []program.Stmt{s}
	}
	if i := slices.IndexFunc(expr.Joints, func(j expr.Joint) bool { return slices.Equal(j.Ops, ops) }); i >= 0 {
		return []program.Stmt{&program.Joint{To: to, Joint: expr.Joints[i], Value: applied(s.Value, ops[0])}}
	}
	var out []program.Stmt
	for i, op := range ops {
		out = append(out, &program.Let{To: to[i], Value: applied(s.Value, op)})
	}
	return out
}

// applied is the application of another function to the same operands.
func applied(a *program.Apply, name string) *program.Apply {
	out := *a
	out.Op, _ = expr.FunctionNamed(name)
	return &out
}

// undeclared takes out names of parts, memory and loops over components or rows that are not mentioned, or do nothing, any more.
func undeclared(body *[]program.Stmt, elsewhere []*program.Place) bool {
	some := false
	for _, s := range *body {
		for _, inner := range program.Bodies(s) {
			some = undeclared(inner, nil) || some
		}
	}
	mentioned := map[*program.Place]bool{} // in this body: a name that a loop gives to a part may be that of what another loop computes
	program.Mentions(*body, func(p *program.Place) { mentioned[p] = true })
	for _, p := range elsewhere {
		mentioned[p] = true
	}
	before := len(*body)
	*body = slices.DeleteFunc(*body, func(s program.Stmt) bool {
		switch s := s.(type) {
		case *program.Buffer:
			return !mentioned[s.To]
		case *program.Bind:
			return s.Own != nil && !mentioned[s.To]
		case *program.Components:
			return len(s.Body) == 0
		case *program.EachRow:
			return len(s.Body) == 0
		case *program.Blocks:
			return len(s.Body) == 0
		}
		return false
	})
	return some || len(*body) < before
}
