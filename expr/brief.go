package expr

import "fmt"

// Definition is a name that stands for an expression where others are printed.
type Definition struct{ Name, Text string }

const (
	worthName = 24  // the length from which on what occurs several times gets a name
	tooLong   = 160 // the length from which on everything does
)

// Brief prints expressions as formulas of the language with names for parts of them: those that are known, and new ones for what
// occurs several times or would be too long, a1 and so on for numbers, b1 for vectors, B1 for matrices. The definitions of the new
// ones come in an order in which each is made of those before it. So what is printed is no longer than what there is to compute.
func Brief(nodes []*Node, known map[*Node]string) (texts []string, where []Definition) {
	b := brief{notation: text, names: map[*Node]string{}, uses: map[*Node]int{}, taken: map[string]bool{}, done: map[*Node]bool{}}
	b.notation.name = func(n *Node) string { return b.names[n] }
	for n, name := range known {
		b.names[n], b.taken[name] = name, true
	}
	for _, n := range nodes {
		b.use(n)
	}
	for _, n := range nodes {
		b.parts(n)
		texts = append(texts, b.print(n, precSum))
	}
	return texts, b.where
}

type brief struct {
	notation
	names map[*Node]string
	uses  map[*Node]int
	taken map[string]bool // names
	where []Definition
	done  map[*Node]bool
}

// use counts how often expressions occur in others.
func (b *brief) use(n *Node) {
	b.uses[n]++
	if n.Op == opSym {
		b.taken[plainSymbol(n.Name)] = true
	}
	if b.uses[n] > 1 || b.names[n] != "" {
		return
	}
	for _, a := range n.Args {
		b.use(a)
	}
}

// parts names parts of an expression, the smallest first.
func (b *brief) parts(n *Node) {
	for _, a := range n.Args {
		if b.names[a] != "" || len(a.Args) == 0 || b.done[a] {
			continue
		}
		b.parts(a)
		b.done[a] = true
		if s := b.print(a, precSum); len(s) > tooLong || b.uses[a] > 1 && len(s) >= worthName {
			b.names[a] = b.fresh([...]string{"a", "b", "B"}[a.Type.Rank])
			b.where = append(b.where, Definition{b.names[a], s})
		}
	}
}

// fresh is a new name that begins with a letter.
func (b *brief) fresh(letter string) string {
	for i := 1; ; i++ {
		if name := fmt.Sprint(letter, i); !b.taken[name] {
			b.taken[name] = true
			return name
		}
	}
}
