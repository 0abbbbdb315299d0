package interpret

import (
	"maps"

	"github.com/sngdgen/sngdgen/gen/program"
)

// perform runs a stage: it knows what is handed to it, what it finds in memory, and what the program is given; who performs it knows what it
// hands back afterwards, and nothing else.
func (r *runner) perform(s *program.Perform) {
	outer := r.cells
	r.cells = map[*program.Place][]float64{}
	hand := func(to, from *program.Place) {
		values, ok := outer[from]
		if !ok {
			fail("%s is not known", from.Name)
		}
		r.cells[to] = values
	}
	for i, p := range s.Stage.In {
		hand(p, s.In[i])
	}
	for i, m := range s.Stage.Held {
		hand(m.To, s.Held[i])
	}
	for _, sum := range s.Stage.Adds { // of the pass that it is in
		if values, ok := outer[sum]; ok {
			r.cells[sum] = values
		}
	}
	prepared := r.prepared
	r.prepared = maps.Clone(prepared)
	for i, p := range s.Stage.In {
		for key, x := range prepared {
			if key.place == s.In[i] {
				r.prepared[preparedOwn{p, key.component}] = x
			}
		}
	}
	r.statements(s.Stage.Body)
	inner := r.cells
	r.cells = outer
	if r.ended {
		return
	}
	for _, sum := range s.Stage.Adds {
		r.cells[sum] = inner[sum]
	}
	back := func(to, from *program.Place) {
		if to == nil {
			return
		}
		values, ok := inner[from]
		if !ok {
			fail("%s is not known at the end of %s", from.Name, s.Stage.Name)
		}
		r.cells[to] = values
		for key, x := range r.prepared {
			if key.place == from {
				prepared[preparedOwn{to, key.component}] = x
			}
		}
	}
	for i, p := range s.Stage.Out {
		back(s.Out[i], p)
	}
	for i, m := range s.Stage.Kept {
		back(s.Kept[i], m.To)
	}
	r.prepared = prepared
}
