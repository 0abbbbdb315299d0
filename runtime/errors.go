package runtime

import (
	"fmt"
	"strings"
)

// Error explains why a run failed.
type Error struct {
	Iteration int     // index of the step that failed; 0 when Start is true
	Start     bool    // the starting point is at fault
	Block     string  // block of coordinates or parameter at fault; "" when none can be named
	Step      float64 // shortest step tried; 0 when Start is true
	Reason    string
}

// Error returns one line that names the iteration, the block, the step and the reason.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString("runtime: ")
	if e.Start {
		b.WriteString("start")
	} else {
		fmt.Fprintf(&b, "iteration %d", e.Iteration)
	}
	if e.Block != "" {
		fmt.Fprintf(&b, ", block %s", e.Block)
	}
	if e.Step != 0 {
		fmt.Fprintf(&b, ", step %.3g", e.Step)
	}
	return b.String() + ": " + e.Reason
}

// fault says what is wrong with an evaluated point: the block and the reason.
func (m *Minimizer) fault(pt *point) (block, reason string) {
	if block, reason = violation(m.p, pt.z); reason != "" {
		return block, reason
	}
	if !finite(pt.f) {
		return "", fmt.Sprintf("the loss is %v", pt.f)
	}
	if i := firstBad(pt.c); i >= 0 {
		return blockAt(m.p, i), fmt.Sprintf("the gradient of coordinate %d is %v", i, pt.c[i])
	}
	if i := firstBad(pt.v); i >= 0 {
		return blockAt(m.p, i), fmt.Sprintf("the natural gradient of coordinate %d is %v", i, pt.v[i])
	}
	return "", "the gradient is too large for floating point"
}

// violation says which condition z violates; the reason is "" when it is inside the domain.
func violation(p Problem, z []float64) (block, reason string) {
	i := p.Violation(z)
	if i < 0 {
		return "", ""
	}
	if cs := p.Conditions(); i < len(cs) {
		return cs[i].Block, "outside the domain: needs " + cs[i].Text
	}
	return "", "outside the domain"
}

func blockAt(p Problem, i int) string {
	for _, b := range p.Blocks() {
		if i >= b.Offset && i < b.Offset+b.Len {
			return b.Name
		}
	}
	return ""
}

func firstBad(x []float64) int {
	for i, v := range x {
		if !finite(v) {
			return i
		}
	}
	return -1
}
