package plan

import (
	"slices"

	"github.com/sngdgen/sngdgen/gen/program"
)

// assignSlots gives arrays their memory: those of one shape that are not in use at the same time share a slot. An array is in use
// from the statement that declares it to the last that mentions it, among those next to which it is declared.
func assignSlots(p *program.Program) {
	assignSlotsIn(p, p.Body)
	program.Walk(p.Body, func(s program.Stmt) {
		for _, body := range program.Bodies(s) {
			assignSlotsIn(p, *body)
		}
	})
}

// pool are the slots of one shape.
type pool struct {
	shape program.Shape
	free  []int
	count int
}

func assignSlotsIn(p *program.Program, stmts []program.Stmt) {
	var pools []*pool
	poolOf := func(s program.Shape) *pool {
		for _, q := range pools {
			if q.shape.Equal(s) {
				return q
			}
		}
		pools = append(pools, &pool{shape: s})
		return pools[len(pools)-1]
	}
	last := lastMentions(stmts)
	var live []*program.Buffer
	for i, s := range stmts {
		b, ok := s.(*program.Buffer)
		if !ok {
			continue
		}
		live = slices.DeleteFunc(live, func(o *program.Buffer) bool {
			if last[o.To] >= i {
				return false
			}
			q := poolOf(o.To.Shape)
			q.free = append(q.free, o.Slot)
			return true
		})
		if q := poolOf(b.To.Shape); len(q.free) > 0 {
			slices.Sort(q.free)
			b.Slot, q.free = q.free[0], q.free[1:]
		} else {
			b.Slot = q.count
			q.count++
			p.Demand(b.To.Shape, q.count)
		}
		live = append(live, b)
	}
}

// lastMentions are the positions of the last of some statements that mention a place.
func lastMentions(stmts []program.Stmt) map[*program.Place]int {
	last := map[*program.Place]int{}
	for i := range stmts {
		program.Mentions(stmts[i:i+1], func(place *program.Place) { last[place] = i })
	}
	return last
}
