package derive

import (
	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/expr/diff"
)

// Fisher is the Fisher information of the target, E[s s'] with s the score of one row, as a sum over nodes x with
// weights w. With the nodes as rows and their weights as the weights of the rows it is an expression like any other.
type Fisher struct {
	Unconstrained, Surrogate Information
}

// Information is the Fisher information in one coordinate system, and the moments that tell whether the nodes cover the
// distribution: sums of w q(x) times 1, x and x^2.
type Information struct {
	Matrix              [][]*expr.Node // lower triangle
	Mass, First, Second *expr.Node
}

// fisher derives the scores by forward mode: the derivative of every row in the direction of one coordinate.
func (d *deriver) fisher(s *Surrogate, u *Unconstrained) (*Fisher, error) {
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
	out := &Fisher{Unconstrained: d.information(u.LogPDF, d.simplify(nil, scores...))}
	stepped, _ := d.coordinates()
	stepped = d.centred(stepped)
	logPDF := d.g.Substitute(d.g.Substitute(d.logPDF(), d.byMap()), d.fam.centring.locations(d.g))
	if scores, err = d.surrogateScores(s, stepped, logPDF); err != nil {
		return nil, err
	}
	all := d.exact(roundTrips(d.g, stepped), append(scores, logPDF))
	out.Surrogate = d.information(all[len(scores)], all[:len(scores)])
	return out, nil
}

// surrogateScores takes the scores with respect to the standard parameters, then through ds/dz.
func (d *deriver) surrogateScores(s *Surrogate, stepped Coords, logPDF *expr.Node) ([]*expr.Node, error) {
	atoms := append(d.fam.centring.std(d.fam.Std), d.auxSyms()...)
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
	return scores, nil
}

// information sums density times products of scores, and the moments.
func (d *deriver) information(logPDF *expr.Node, scores []*expr.Node) Information {
	density, x := d.call("exp", logPDF), d.p.Target.Variable.Sym
	sum := func(factors ...*expr.Node) *expr.Node {
		return d.stabilise(d.g.Sum(expr.Rows, d.g.Mul(append(factors, density)...)))[0]
	}
	out := Information{Mass: sum(), First: sum(x), Second: sum(x, x)}
	for i := range scores {
		var row []*expr.Node
		for j := 0; j <= i; j++ {
			row = append(row, sum(scores[i], scores[j]))
		}
		out.Matrix = append(out.Matrix, row)
	}
	return out
}
