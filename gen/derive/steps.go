package derive

import (
	"github.com/sngdgen/sngdgen/expr/rewrite"
	"github.com/sngdgen/sngdgen/gen/bind"
)

// SurrogateSteps returns what the rules do on the way to the natural gradient, without what they do for the unconstrained
// coordinates and for the Fisher information: the part of Result.Trace that explains a step.
func SurrogateSteps(p *bind.Problem) ([]rewrite.Step, error) {
	fam, err := NewFamily(p.Graph, p.Surrogate)
	if err != nil {
		return nil, err
	}
	d := &deriver{p: p, g: p.Graph, fam: fam}
	if _, err := d.surrogate(); err != nil {
		return nil, err
	}
	return d.trace, nil
}
