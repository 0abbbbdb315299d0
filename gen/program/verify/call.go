package verify

import (
	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/gen/program"
)

// call checks the call of a kernel against the table: kinds, shapes, memory that is shared, what has been written.
func (v *verifier) call(s *program.Call) {
	k := program.Kernels()[s.Kernel]
	if k == nil {
		v.fault(s, "there is no such kernel")
		return
	}
	if len(s.Args) != len(k.Params) {
		v.fault(s, "%d operands, not %d", len(s.Args), len(k.Params))
		return
	}
	if k.Returns != (s.To != nil) {
		v.fault(s, "what it returns and what is expected of it differ")
	}
	if k.Test != s.Definite {
		v.fault(s, "whether it tests and whether that is expected of it differ")
	}
	lengths := map[string]extent{}
	var whole *program.Shape
	for i, p := range k.Params {
		a := s.Args[i]
		switch {
		case p.Length:
			if a.Place != nil || a.Value != nil {
				v.fault(s, "%s is no length", p.Name)
			}
			v.same(s, lengths, p.Name, extent{block: a.Block, dim: a.Dim})
		case p.Number:
			v.factor(s, p, a)
		case p.Prepared != "":
			v.prepared(s, p, a)
		case a.Place == nil:
			v.fault(s, "%s is no array", p.Name)
			return
		case p.Any:
			v.whole(s, p, a.Place, &whole)
		default:
			v.shape(s, p, a.Place, lengths)
		}
	}
	v.shared(s, k)
	v.accesses(s, k)
	v.declare(s, s.To)
}

// factor checks a number: a formula, or the length 1.
func (v *verifier) factor(s *program.Call, p program.Param, a program.Operand) {
	if a.Value != nil {
		v.formula(s, a.Value)
	} else if a.Place != nil || a.Block || a.Dim != (expr.Dim{Size: 1}) {
		v.fault(s, "%s is no number", p.Name)
	}
}

// prepared checks what has been prepared.
func (v *verifier) prepared(s *program.Call, p program.Param, a program.Operand) {
	v.known(s, a.Place)
	if made := v.prepares[a.Place]; made != p.Prepared {
		v.fault(s, "%s is not prepared %s", p.Name, p.Prepared)
	}
}

// whole checks operands that are arrays of one shape, whatever it is.
func (v *verifier) whole(s *program.Call, p program.Param, place *program.Place, shape **program.Shape) {
	v.known(s, place)
	if place.Shape.Number() {
		v.fault(s, "%s is a number", place.Name)
	}
	if *shape == nil {
		*shape = &place.Shape
		return
	}
	a, b := **shape, place.Shape
	a.Inside, b.Inside, a.Lower, b.Lower, a.Here, b.Here = false, false, false, false, false, false
	if !a.Equal(b) {
		v.fault(s, "%s has another shape", p.Name)
	}
}

// shape checks an array against the lengths of a kernel: one name stands for one length. A kernel sees rows and components as
// rows of a matrix, components first.
func (v *verifier) shape(s *program.Call, p program.Param, place *program.Place, lengths map[string]extent) {
	v.known(s, place)
	axes := v.axes(place)
	if place.Shape.Stacked && place.Shape.Block {
		axes[0], axes[1] = axes[1], axes[0]
	}
	if len(axes) != len(p.Axes) {
		v.fault(s, "%s has %d axes, not %d", place.Name, len(axes), len(p.Axes))
		return
	}
	for i, name := range p.Axes {
		v.same(s, lengths, name, axes[i])
	}
}

func (v *verifier) same(s *program.Call, lengths map[string]extent, name string, e extent) {
	if known, ok := lengths[name]; ok && known != e {
		v.fault(s, "%s is %s and %s", name, known, e)
	}
	lengths[name] = e
}

// shared checks that operands that are written are no other operand, unless the kernel allows it.
func (v *verifier) shared(s *program.Call, k *program.Kernel) {
	for i, p := range k.Params {
		for j, q := range k.Params {
			if j <= i || s.Args[i].Place == nil || s.Args[i].Place != s.Args[j].Place || p.May == q.Name || q.May == p.Name {
				continue
			}
			if p.Access != program.Reads || q.Access != program.Reads {
				v.fault(s, "%s and %s are the same memory", p.Name, q.Name)
			}
		}
	}
}

// accesses checks that what is read has been written, and notes what is written then.
func (v *verifier) accesses(s *program.Call, k *program.Kernel) {
	want := func(p program.Param) state {
		if p.Triangle != program.Full {
			return lower
		}
		return full
	}
	for i, p := range k.Params {
		if place := s.Args[i].Place; place != nil && p.Prepared == "" && (p.Access == program.Reads || p.Access == program.Updates) {
			v.reads(s, place, want(p))
		}
	}
	for i, p := range k.Params {
		place := s.Args[i].Place
		switch {
		case place == nil || p.Prepared != "":
		case p.Access == program.Writes:
			v.state[place] = full
		case p.Access == program.Scratch:
			v.state[place] = nothing
		case k.Name == "Mirror":
			v.state[place] = full
		case p.Access == program.Updates && p.Triangle == program.Lower:
			v.state[place] = lower
		}
	}
}
