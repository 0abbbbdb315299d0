package derive

import "github.com/sngdgen/sngdgen/gen/bind"

// Contained is an approximation that the one of the problem contains: the coordinates where both are equal, and those where a fit
// begins, in terms of what is given.
type Contained struct {
	*bind.Contained
	Equal Start
	Start *Start // nil where it is Equal
}

func (d *deriver) contained(sur *Surrogate) []*Contained {
	var out []*Contained
	for _, b := range d.p.Contained {
		c := &Contained{Contained: b, Equal: d.start(b.Equal, sur)}
		if b.Start != nil {
			start := d.start(*b.Start, sur)
			c.Start = &start
		}
		out = append(out, c)
	}
	return out
}
