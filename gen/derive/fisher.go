package derive

import (
	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/expr/diff"
)

// Fisher is the Fisher information of the target, as a sum over nodes x with weights: E[s s'] with s the score of one
// row. With the nodes as rows and their weights as the weights of the rows it is an expression like any other.
type Fisher struct {
	Mass, First, Second *expr.Node     // sum of w q(x), of w q(x) x and of w q(x) x^2
	Unconstrained       [][]*expr.Node // lower triangle
	Surrogate           [][]*expr.Node // lower triangle
}

// fisher derives the scores by forward mode: the derivative of every row in the direction of one coordinate.
func (d *deriver) fisher(s *Surrogate, u *Unconstrained) (*Fisher, error) {
	x := d.p.Target.Variable.Sym
	density := d.call("exp", u.LogPDF)
	sum := func(n *expr.Node) *expr.Node { return d.g.Sum(expr.Rows, n) }
	out := &Fisher{
		Mass: sum(density), First: sum(d.g.Mul(density, x)), Second: sum(d.g.Mul(density, x, x)),
	}
	slope, err := d.slopes(u)
	if err != nil {
		return nil, err
	}
	var scores []*expr.Node
	for k, i := range u.Free {
		ds, err := diff.Pushforward(d.g, []*expr.Node{u.LogPDF}, []*expr.Node{u.Theta[i].Sym}, []*expr.Node{slope[k]})
		if err != nil {
			return nil, err
		}
		scores = append(scores, ds[0])
	}
	scores = d.simplify(nil, scores...)
	out.Unconstrained = d.outer(density, scores)
	if out.Surrogate, err = d.surrogateFisher(s, density); err != nil {
		return nil, err
	}
	return out, nil
}

// surrogateFisher takes the scores with respect to the standard parameters, then through ds/dz.
func (d *deriver) surrogateFisher(s *Surrogate, density *expr.Node) ([][]*expr.Node, error) {
	logPDF := d.g.Substitute(d.logPDF(), d.byMap())
	density = d.g.Substitute(density, d.byMap())
	atoms := append(append([]*expr.Node{}, d.fam.Std...), d.auxSyms()...)
	stepped := d.fam.Mean
	if d.p.Spec.Step == "natural" {
		stepped = d.fam.Natural
	}
	scores := make([]*expr.Node, len(s.Coords))
	for i := range scores {
		scores[i] = d.g.Const(0)
	}
	for k, atom := range atoms {
		ds, err := diff.Pushforward(d.g, []*expr.Node{logPDF}, []*expr.Node{atom}, []*expr.Node{d.g.Const(1)})
		if err != nil {
			return nil, err
		}
		if k >= len(d.fam.Std) { // an auxiliary parameter is a coordinate itself
			scores[k] = d.g.Add(scores[k], ds[0])
			continue
		}
		unit := make([]*expr.Node, len(d.fam.Std))
		unit[k] = d.g.Const(1)
		row, err := d.pullback(stepped, unit, nil)
		if err != nil {
			return nil, err
		}
		for i := range row {
			scores[i] = d.g.Add(scores[i], d.g.Mul(row[i], ds[0]))
		}
	}
	return d.outer(density, d.simplify(roundTrips(stepped), scores...)), nil
}

// outer is the lower triangle of the sum over the nodes of q s s'.
func (d *deriver) outer(density *expr.Node, scores []*expr.Node) [][]*expr.Node {
	var out [][]*expr.Node
	for i := range scores {
		var row []*expr.Node
		for j := 0; j <= i; j++ {
			row = append(row, d.g.Sum(expr.Rows, d.g.Mul(density, scores[i], scores[j])))
		}
		out = append(out, d.stabilise(row...))
	}
	return out
}
