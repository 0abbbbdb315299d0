package derive

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/expr/diff"
	"github.com/sngdgen/sngdgen/gen/bind"
	"github.com/sngdgen/sngdgen/spec"
)

// Sites is what expectation propagation needs of a model: its log joint density as a quadratic function of the latent variables
// plus parts that see a few linear predictors each, and the coordinates of an approximation with given moments.
type Sites struct {
	// Asked is set where the objective is expectation propagation. Otherwise it is another method for the same problem.
	Asked bool
	Power float64
	Parts []Part
	// Quadratic is the rest, with its gradient by each latent variable.
	Quadratic *expr.Node
	Gradient  []*expr.Node
	// Moments is where the approximation has the mean and the covariance (of a number the variance) that these symbols stand for.
	Moments          Start
	Mean, Covariance *expr.Node
}

// Part is a Joint as it is computed for one row, whose data are those of OfOneRow. H varies with S, over the rows of which are the
// predictors that it is evaluated at.
type Part Joint

// PartNames are what the functions of a part are called: of its factor, with the parameters that have the predictors, and of the
// coefficients of each predictor.
type PartNames struct {
	Factor                   string
	Predictors, Coefficients []string
}

// Names are those of the k-th part.
func (q *Part) Names(k int) PartNames {
	n := PartNames{Factor: fmt.Sprintf("factor%d", k), Predictors: []string{"xs"}, Coefficients: []string{fmt.Sprintf("coefficients%d", k)}}
	for j := 1; j < len(q.S); j++ {
		n.Predictors = append(n.Predictors, fmt.Sprintf("xs%d", j+1))
		n.Coefficients = append(n.Coefficients, fmt.Sprintf("coefficients%dOf%d", k, j+1))
	}
	return n
}

// Obstacle is a part of a problem that expectation propagation has no sites for.
type Obstacle struct{ Reason, Hint string }

func (o *Obstacle) Error() string { return o.Reason }

// sites takes the model apart; nil where it has no sites, and the objective does not ask for them.
func (d *deriver) sites(sur *Surrogate) (*Sites, error) {
	v := d.p.Variational
	s := &Sites{Asked: v.Spec.Power != nil, Power: spec.DefaultPower}
	if s.Asked {
		s.Power = *v.Spec.Power
	} else if v.External {
		return nil, nil
	}
	err := d.takeApart(s, sur)
	if obstacle := (*Obstacle)(nil); errors.As(err, &obstacle) && !s.Asked {
		return nil, nil
	}
	return s, err
}

// takeApart finds the sites, or says what has none: an *Obstacle.
func (d *deriver) takeApart(s *Sites, sur *Surrogate) error {
	v := d.p.Variational
	if v.Ordered() {
		return &Obstacle{"expectation propagation has a site for every row alone, and a state joins them", "objective vi takes it"}
	}
	if err := d.fromMoments(s, sur); err != nil {
		return err
	}
	var terms []*expr.Node
	for _, t := range []*expr.Node{v.Likelihood, v.Prior} {
		if t != nil {
			terms = append(terms, t)
		}
	}
	if v.Likelihood == nil {
		return &Obstacle{"expectation propagation needs a likelihood", "a prior alone is given as log_joint"}
	}
	joint := d.simplify(nil, d.g.Substitute(d.g.Add(terms...), map[*expr.Node]*expr.Node{v.Scale: d.g.Const(1)}))[0]
	sides := d.sides()
	latent := syms(sides)
	seen, rest := Predictors(d.g, d.bySide(joint, sides), latent)
	seen = (&predictors{g: d.g, latent: latent}).gathered(seen)
	var failed error
	together, alone, rest := jointly(d.g, seen, rest, latent, func(term *expr.Node) bool {
		ok, err := d.secondDegree(term, latent)
		failed = cmp.Or(failed, err)
		return ok
	})
	if failed != nil {
		return failed
	}
	for _, q := range alone {
		if d.linearIn(q.H, q.S) {
			rest = d.g.Add(rest, d.backInto(q, latent))
		} else {
			together = append(together, q.Alone())
		}
	}
	rows := d.ofOneRow(v)
	for _, q := range together {
		part, err := d.part(q, sides, rows)
		if err != nil {
			return err
		}
		s.Parts = append(s.Parts, part)
	}
	return d.quadratic(s, d.fromSides(rest, sides))
}

// RowPrefix is that of the symbols that stand for the data of one row.
const RowPrefix = "row1."

// OfOneRow is the symbol of data for one row.
func OfOneRow(g *expr.Graph, q bind.Param) *expr.Node {
	t := q.Sym.Type
	t.Axes = 0
	return g.Sym(RowPrefix+q.Name, t, q.Sym.Facts)
}

func (d *deriver) ofOneRow(v *bind.Variational) map[*expr.Node]*expr.Node {
	by := map[*expr.Node]*expr.Node{}
	for _, q := range v.Data {
		by[q.Sym] = OfOneRow(d.g, q)
	}
	return by
}

// part is what one row sees.
func (d *deriver) part(q Joint, sides []side, rows map[*expr.Node]*expr.Node) (Part, error) {
	combined := func(a *expr.Node) bool { return a.Axis != 0 }
	all := []*expr.Node{q.H}
	for _, coefs := range q.Coefs {
		all = append(all, slices.DeleteFunc(slices.Clone(coefs), func(c *expr.Node) bool { return c == nil })...)
	}
	if expr.Find(combined, all...) {
		return Part{}, &Obstacle{"the factor of a row depends on sums over other rows, in " + q.H.String(),
			"give what is made of all rows as data, or as constants"}
	}
	out := Part{ByRow: q.ByRow}
	by := maps.Clone(rows)
	for k, coefs := range q.Coefs {
		s := d.g.Fresh("predictor", expr.Scalar.Over(expr.Rows), expr.Unknown)
		by[q.S[k]], out.S = s, append(out.S, s)
		coefs = together(d.g, sides, coefs, len(d.latents()))
		ofRow := make([]*expr.Node, len(coefs))
		for i, c := range coefs {
			if c != nil {
				ofRow[i] = d.stabilise(d.simplify(nil, d.g.Substitute(c, rows))...)[0]
			}
		}
		out.Coefs = append(out.Coefs, ofRow)
	}
	out.H = d.stabilise(d.simplify(nil, d.g.Substitute(q.H, by))...)[0]
	return out, nil
}

// linearIn reports whether the derivative of a number is linear in a symbol.
func (d *deriver) linearIn(n, s *expr.Node) bool {
	slope, err := diff.Gradient(d.g, n, []*expr.Node{s})
	if err != nil {
		return false
	}
	curvature, err := diff.Gradient(d.g, d.simplify(nil, slope[0])[0], []*expr.Node{s})
	return err == nil && !expr.Depends(d.simplify(nil, curvature[0])[0], s)
}

// backInto writes a part as a function of the latent variables again.
func (d *deriver) backInto(q Predictor, latent []*expr.Node) *expr.Node {
	h := d.g.Substitute(q.H, map[*expr.Node]*expr.Node{q.S: linear(d.g, q.Coefs, latent)})
	if q.ByRow {
		h = d.g.Sum(expr.Rows, h)
	}
	return h
}

// quadratic takes what is left, in which every term has to be of second degree at most.
func (d *deriver) quadratic(s *Sites, rest *expr.Node) error {
	latent := d.latents()
	rest = d.simplify(nil, rest)[0]
	var others []string
	for _, term := range d.g.Terms(rest) {
		if ok, err := d.secondDegree(term, latent); err != nil {
			return err
		} else if !ok {
			others = append(others, term.String())
		}
	}
	if len(others) > 0 {
		return &Obstacle{"expectation propagation has no sites for " + strings.Join(others, " and for "),
			fmt.Sprintf("a term of the log joint density must be of second degree in the latent variables, or see them through at most %d numbers "+
				"that are linear in them, as the likelihood of a row of a regression does; objective vi takes all terms", mostPredictors)}
	}
	gradient, err := diff.Gradient(d.g, rest, latent)
	if err != nil {
		return err
	}
	s.Gradient = d.stabilise(d.simplify(nil, gradient...)...)
	s.Quadratic = d.stabilise(rest)[0]
	return nil
}

// secondDegree reports whether a number is a polynomial of second degree: its derivative in some direction is linear.
func (d *deriver) secondDegree(n *expr.Node, latent []*expr.Node) (bool, error) {
	if !expr.Depends(n, latent...) {
		return true, nil
	}
	gradient, err := diff.Gradient(d.g, n, latent)
	if err != nil {
		return false, err
	}
	slope := d.g.Const(0)
	for i, z := range latent {
		u := d.g.Sym("direction."+z.Name, z.Type, expr.Unknown)
		slope = d.g.Add(slope, d.g.Dot(gradient[i], u))
	}
	second, err := diff.Gradient(d.g, d.simplify(nil, slope)[0], latent)
	if err != nil {
		return false, err
	}
	return !slices.ContainsFunc(d.simplify(nil, second...), func(h *expr.Node) bool { return expr.Depends(h, latent...) }), nil
}

// fromMoments finds where the approximation has given moments: the mean parameters of the surrogate are expectations of its
// statistics, which are polynomials of second degree, and the moments of the target have to be the ones that were given. So the
// approximation may be any normal distribution.
func (d *deriver) fromMoments(s *Sites, sur *Surrogate) error {
	no := &Obstacle{"expectation propagation has sites for approximations that may be any normal distribution, which " + d.p.Target.Name +
		" with the surrogate " + d.p.Surrogate.Name + " is not", "the sufficient statistics must be those of a normal distribution with " +
		"any covariance matrix, x and outer(x, x), as with approximation: normal"}
	t, x := d.p.Target, d.p.Target.Variable.Sym
	if t.Mean == nil || t.Variance == nil || d.p.Mixture != nil || len(d.p.Auxiliary) > 0 || d.p.Surrogate.FromMean == nil {
		return no
	}
	core := expr.Type{Rank: x.Type.Rank, Dims: x.Type.Dims}
	s.Mean = d.g.Sym("moments.mean", core, expr.Unknown)
	s.Covariance = d.g.Sym("moments.covariance", t.Variance.Type, t.Variance.Facts)
	z := d.g.Sym("moments."+t.Variable.Name, core, expr.Unknown)
	if ok, err := d.secondDegree(d.g.Substitute(d.logPDF(), map[*expr.Node]*expr.Node{x: z}), []*expr.Node{z}); err != nil || !ok {
		return errors.Join(err, no)
	}
	given := &bind.Density{Mean: s.Mean, Variance: s.Covariance}
	by := map[*expr.Node]*expr.Node{}
	for i, m := range d.p.Surrogate.M {
		statistic := d.g.Substitute(d.p.Surrogate.Statistics[i], map[*expr.Node]*expr.Node{d.p.Surrogate.Variable.Sym: z})
		if by[m] = d.expectation(given, statistic, z); by[m] == nil {
			return no
		}
	}
	var values []bind.Def
	for _, def := range d.p.Surrogate.FromMean {
		def.Node = d.simplify(nil, d.g.Substitute(def.Node, by))[0]
		by[def.Sym] = def.Node
		values = append(values, def)
	}
	has := func(n *expr.Node) *expr.Node {
		return d.simplify(nil, d.g.Substitute(d.g.Substitute(n, d.byMap()), by))[0]
	}
	if has(t.Mean) != s.Mean || has(t.Variance) != s.Covariance {
		return no
	}
	s.Moments = d.start(bind.Start{Draws: bind.Draws{Values: values}, Groups: bind.GroupsNone}, sur)
	return nil
}

// Joint is the log joint density, put together again from its parts, in the latent variables and the data of the model.
func (s *Sites) Joint(g *expr.Graph, v *bind.Variational) *expr.Node {
	by := map[*expr.Node]*expr.Node{}
	for _, q := range v.Data {
		by[OfOneRow(g, q)] = q.Sym
	}
	joint := s.Quadratic
	for _, part := range s.Parts {
		predictors := map[*expr.Node]*expr.Node{}
		for k, z := range part.S {
			predictors[z] = g.Substitute(linear(g, part.Coefs[k], symsOf(v.Latent)), by)
		}
		h := g.Substitute(g.Substitute(part.H, by), predictors)
		if part.ByRow {
			h = g.Sum(expr.Rows, h)
		}
		joint = g.Add(joint, h)
	}
	return joint
}

// Predicted are the predictors of a part, in the latent variables and the data of one row.
func Predicted(g *expr.Graph, part *Part, latent []bind.Param) (out []*expr.Node) {
	for _, coefs := range part.Coefs {
		out = append(out, linear(g, coefs, symsOf(latent)))
	}
	return out
}

// linear is the sum of products of coefficients, nil for 0, with latent variables.
func linear(g *expr.Graph, coefs, latent []*expr.Node) *expr.Node {
	sum := g.Const(0)
	for i, c := range coefs {
		if c != nil {
			sum = g.Add(sum, g.Contract(c, latent[i]))
		}
	}
	return sum
}

// symsOf are the symbols of parameters.
func symsOf(list []bind.Param) []*expr.Node {
	out := make([]*expr.Node, len(list))
	for i, q := range list {
		out[i] = q.Sym
	}
	return out
}
