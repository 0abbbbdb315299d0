package verify

import (
	"maps"
	"slices"

	"github.com/sngdgen/sngdgen/gen/program"
)

// perform checks a stage where it is performed: its statements see what is handed to them, memory that they find, and what the program is
// given. What it finds in memory is to be there in the slot that it looks in, what it leaves there has to be in it still at its end.
func (v *verifier) perform(s *program.Perform) {
	st := s.Stage
	if len(s.In) != len(st.In) || len(s.Held) != len(st.Held) || len(s.Out) != len(st.Out) || len(s.Kept) != len(st.Kept) {
		v.fault(s, "%s has other places than it is performed with", st.Name)
		return
	}
	outer, states, views := v.scope, v.state, v.views
	inside := map[*program.Place]bool{}
	v.state, v.views = maps.Clone(states), maps.Clone(views)
	hand := func(to, from *program.Place) {
		v.known(s, from)
		if from == nil {
			return
		}
		if inside[to] = true; !to.Shape.Equal(from.Shape) {
			v.fault(s, "%s of %s is not of the shape of %s", to.Name, st.Name, from.Name)
		}
		if v.state[to] = states[from]; views[from] != nil {
			v.views[to] = views[from]
		}
		if t, ok := v.prepares[from]; ok {
			v.prepares[to] = t
		}
		if at, ok := v.owner[from]; ok && to != from { // the stage's own place has the slot, until it ends
			v.owner[to], v.slots[at] = at, &program.Buffer{To: to, Slot: at.number}
		}
	}
	for i, p := range st.In {
		hand(p, s.In[i])
	}
	for i, m := range st.Held {
		if at, ok := v.owner[s.Held[i]]; v.placed && (!ok || at.number != m.Slot) {
			v.fault(s, "%s is not in slot %d", m.To.Name, m.Slot)
		}
		hand(m.To, s.Held[i])
	}
	v.scope = inside
	v.statements(st.Body)
	ends := slices.ContainsFunc(st.Body, func(s program.Stmt) bool { _, ok := s.(*program.Return); return ok })
	if ends {
		v.fault(s, "%s returns from the function that it is a part of", st.Name)
	}
	v.endStage(s, outer, states, views)
}

// endStage gives what a stage was given, and what it hands back, to those behind it.
func (v *verifier) endStage(s *program.Perform, outer map[*program.Place]bool, states map[*program.Place]state, views map[*program.Place]*program.Place) {
	st := s.Stage
	inner, innerScope := v.state, v.scope
	v.scope, v.state, v.views = outer, states, views
	give := func(to, from *program.Place, declares bool) {
		if to == nil {
			return
		}
		if declares {
			if !innerScope[from] {
				v.fault(s, "%s does not declare %s", st.Name, from.Name)
			}
			v.declare(s, to)
		}
		v.state[to] = inner[from]
		if t, ok := v.prepares[from]; ok {
			v.prepares[to] = t
		}
		if at, ok := v.owner[from]; ok && v.slots[at].To == from && to != from {
			v.owner[to], v.slots[at] = at, &program.Buffer{To: to, Slot: at.number}
		}
	}
	for _, s := range st.Body {
		if b, ok := s.(*program.Bind); ok && b.Out {
			v.filledBy(b, inner[b.To])
		}
	}
	for i, p := range st.In {
		give(s.In[i], p, false)
	}
	for i, m := range st.Held {
		give(s.Held[i], m.To, false)
	}
	for i, p := range st.Out {
		give(s.Out[i], p, true)
	}
	for i, m := range st.Kept {
		if at, ok := v.owner[m.To]; v.placed && (!ok || at.number != m.Slot || v.slots[at].To != m.To) {
			v.fault(s, "%s is not in slot %d at the end of %s", m.To.Name, m.Slot, st.Name)
		}
		give(s.Kept[i], m.To, true)
	}
}

// filledBy notes what a stage has filled of memory that the program is to fill, under its own name for it.
func (v *verifier) filledBy(b *program.Bind, filled state) {
	o := v.out(b.From)
	o.filled = max(o.filled, filled)
	for _, name := range o.names {
		if name != b.To {
			v.state[name] = max(v.state[name], o.filled)
		}
	}
}
