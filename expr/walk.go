package expr

import (
	"slices"
	"sync"
)

// Walk calls visit for every node that roots depend on, operands before their users, each once. The equations of a Root
// are not entered: its operands are the values of the parameters.
func Walk(visit func(*Node), roots ...*Node) {
	Find(func(n *Node) bool { visit(n); return false }, roots...)
}

// Find walks until visit returns true, and reports whether it did.
func Find(visit func(*Node) bool, roots ...*Node) bool {
	seen := marksPool.Get().(*marks)
	defer marksPool.Put(seen)
	seen.clear()
	return slices.ContainsFunc(roots, func(r *Node) bool { return seen.find(visit, r) })
}

// Size is how many nodes the roots depend on, each counted with its operands: the length of the program that computes them.
func Size(roots ...*Node) int {
	size := 0
	Walk(func(n *Node) { size += 1 + len(n.Args) }, roots...)
	return size
}

// Depends reports whether n depends on any of the given nodes.
func Depends(n *Node, on ...*Node) bool {
	return Find(func(m *Node) bool { return slices.Contains(on, m) }, n)
}

// marks is a set of nodes of one graph, by their numbers. Walks are what most passes spend their time with, so a set is
// used again and emptied by counting on.
type marks struct {
	at  []uint32 // by the number of a node: when it was added
	now uint32
}

var marksPool = sync.Pool{New: func() any { return &marks{} }}

func (m *marks) clear() {
	if m.now++; m.now == 0 { // counted through
		clear(m.at)
		m.now = 1
	}
}

// add reports whether the node is new.
func (m *marks) add(n *Node) bool {
	if n.ID >= len(m.at) {
		m.at = append(m.at, make([]uint32, n.ID+1-len(m.at)+len(m.at)/2)...)
	}
	if m.at[n.ID] == m.now {
		return false
	}
	m.at[n.ID] = m.now
	return true
}

func (m *marks) find(visit func(*Node) bool, n *Node) bool {
	if !m.add(n) {
		return false
	}
	for _, a := range n.Args {
		if m.find(visit, a) {
			return true
		}
	}
	return visit(n)
}
