package interpret

import (
	"github.com/sngdgen/sngdgen/gen/program"
	"github.com/sngdgen/sngdgen/runtime/ranges"
)

// inRanges makes a pass: where it is cut, range by range, each with memory of its own for what is added up, and then adds that up as a tree.
func (r *runner) inRanges(s program.Stmt, sums []*program.Sum, pass func()) {
	r.begin(sums)
	blocks := (len(r.Weights) + r.block() - 1) / r.block()
	count := min(r.Ranges, blocks)
	p, ok := program.PassOf(s)
	if !program.IsCut(s) || !ok || count <= 1 {
		pass()
		return
	}
	var whole [][]float64
	parts := &ranges.Parts{}
	for _, a := range p.Adds {
		whole = append(whole, r.array(a))
		parts.Entries += len(r.array(a))
	}
	var added, largest []*program.Sum
	for _, sum := range sums {
		if sum.Max {
			largest = append(largest, sum)
		} else {
			added = append(added, sum)
		}
	}
	parts.Sums, parts.Largest = len(added), len(largest)
	parts.Begin(count)
	for i := range count {
		r.from, r.to = blocks*i/count*r.block(), min(blocks*(i+1)/count*r.block(), len(r.Weights))
		part := parts.Of(i)
		at := part[parts.Sums+2*parts.Largest:]
		for k, a := range p.Adds {
			r.put(a, at[:len(whole[k])])
			at = at[len(whole[k]):]
		}
		r.begin(sums)
		pass()
		for k, sum := range added {
			part[k] = r.number(sum.To)
		}
		for k, sum := range largest {
			part[len(added)+2*k] = r.number(sum.To)
			if sum.Index != nil {
				part[len(added)+2*k+1] = r.number(sum.Index)
			}
		}
	}
	r.from, r.to = 0, len(r.Weights)
	parts.Combine(count)
	r.take(parts.Of(0), added, largest)
	at := parts.Of(0)[parts.Sums+2*parts.Largest:]
	for k, a := range p.Adds {
		for i := range whole[k] {
			whole[k][i] += at[i]
		}
		r.put(a, whole[k])
		at = at[len(whole[k]):]
	}
	r.instead = nil
}

// put makes an array other memory.
func (r *runner) put(a *program.Place, values []float64) {
	if a.Given == nil {
		r.cells[a] = values
		return
	}
	if r.instead == nil {
		r.instead = map[string][]float64{}
	}
	r.instead[a.Given.String()] = values
}

// take sets the sums of a pass to what all ranges have.
func (r *runner) take(all []float64, added, largest []*program.Sum) {
	for k, sum := range added {
		r.set(sum.To, all[k])
	}
	for k, sum := range largest {
		r.set(sum.To, all[len(added)+2*k])
		if sum.Index != nil {
			r.set(sum.Index, all[len(added)+2*k+1])
		}
	}
}
