package pass

import (
	"slices"

	"github.com/sngdgen/sngdgen/gen/program"
)

// ownSlots gives every array a slot of its own among those next to which it is declared.
func ownSlots(p *program.Program, _ *Names) error {
	assignSlots(p, func([]program.Stmt) map[*program.Place]int { return nil })
	return nil
}

// shareSlots lets arrays of one shape that are not in use at the same time share a slot. An array is in use from the statement that
// declares it to the last that mentions it, among those next to which it is declared.
func shareSlots(p *program.Program, _ *Names) error {
	assignSlots(p, lastMentions)
	return nil
}

// assignSlots gives arrays their slots: that of an array is free behind the last of its statements, if that is known.
func assignSlots(p *program.Program, last func([]program.Stmt) map[*program.Place]int) {
	p.Slots = nil
	assignSlotsIn(p, p.Body, last(p.Body))
	program.Walk(p.Body, func(s program.Stmt) {
		for _, body := range program.Bodies(s) {
			assignSlotsIn(p, *body, last(*body))
		}
	})
}

// pool are the slots of one shape.
type pool struct {
	shape program.Shape
	free  []int
	count int
}

func assignSlotsIn(p *program.Program, stmts []program.Stmt, last map[*program.Place]int) {
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
	var live []*program.Buffer
	for i, s := range stmts {
		b, ok := s.(*program.Buffer)
		if !ok {
			continue
		}
		live = slices.DeleteFunc(live, func(o *program.Buffer) bool {
			if at, ok := last[o.To]; last == nil || ok && at >= i {
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
