package main

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/sngdgen/sngdgen/generated/studentt"
	"github.com/sngdgen/sngdgen/internal/picture"
	"github.com/sngdgen/sngdgen/internal/table"
	"github.com/sngdgen/sngdgen/runtime/special"
	"github.com/sngdgen/sngdgen/tests/paper/grid"
	"github.com/sngdgen/sngdgen/tests/paper/internal/minibatch"
)

// The figures of the t copula.
var (
	copulaFigure = []figure{{name: "figure-5", title: "Figure 5: t copula",
		claim: "In maximum likelihood for a t copula on daily returns of stocks (n = 1,515, d = 93) SNGD converges " +
			"significantly faster than Adam; contours of a marginal of the fit follow the data.",
		panels: 3, series: withOwn, make: copulaCurves}}
	copulaFrontier = []figure{{name: "figure-15", title: "Figure 15: Pareto frontiers, t copula", claim: frontierClaim,
		panels: 2, series: withOwn, make: drawnCopula(true)}}
)

// returns reads the file of the flag, or draws from a copula of about the paper's size.
func returns(l *lab, t minibatch.Task) (*minibatch.Experiment, string, string, error) {
	model, _ := minibatch.Models(t.Name)
	c := l.grids(minibatch.Config{Batch: 100, Checkpoints: grid.Checkpoints{Steps: []int{l.iterations(500, 40)}, Every: 10, Thin: 100}})
	if l.returns == "" {
		c.D, c.N, c.Held = cmp.Or(min(l.columns, 93), sized(l, 93, 5)), sized(l, 1365, 400), sized(l, 150, 100)
		e, err := minibatch.Prepare(t, c, model, 1)
		return e, fmt.Sprintf("t copula, drawn, d = %d", c.D), fmt.Sprintf("Drawn data in place of the paper's returns of "+
			"stocks, which cannot be shipped (name a file with -returns): "+
			"a t copula with nu = 5 and the correlations of W'W/d + 1e-4 I, n = %d to train on, %d held out, d = %d, "+
			"minibatches of %d.", c.N, c.Held, c.D, c.Batch), err
	}
	values, err := remembered(l, "returns", func() ([]float64, error) { return uniformReturns(l) })
	if err != nil {
		return nil, "", "", err
	}
	data, err := table.ReadFile(l.returns, nil, table.Options{Several: true})
	if err != nil {
		return nil, "", "", err
	}
	c.D = len(data.Columns)
	n := len(values) / c.D
	c.Held = int(heldPart * float64(n))
	c.N = n - c.Held
	c.Batch = min(c.Batch, c.N)
	e, err := minibatch.On(shuffled(values, c.D), c, model)
	return e, "t copula, returns", fmt.Sprintf("n = %d rows of the file to train on and %d held out, d = %d, each column by its "+
		"own Student's t distribution, minibatches of %d.", c.N, c.Held, c.D, c.Batch), err
}

// uniformReturns are the quantiles of returns under Student's t distributions fitted to each column.
func uniformReturns(l *lab) ([]float64, error) {
	data, err := table.ReadFile(l.returns, nil, table.Options{Several: true})
	if err != nil {
		return nil, err
	}
	d := len(data.Columns)
	out := slices.Clone(data.Values)
	for j := range d {
		var x []float64
		for i := j; i < len(data.Values); i += d {
			x = append(x, data.Values[i])
		}
		m, err := studentt.New(x)
		if err != nil {
			return nil, fmt.Errorf("column %d: %w", j+1, err)
		}
		theta, _, err := m.Fit(context.Background(), nil)
		if err != nil {
			return nil, fmt.Errorf("column %d: %w", j+1, err)
		}
		for i, v := range x {
			out[i*d+j] = special.TCDF((v-theta.Mu)/theta.Sigma, theta.Nu)
		}
	}
	return out, nil
}

// drawnCopula says of figures without a file that they show drawn data.
func drawnCopula(frontier bool) func(ctx context.Context, l *lab) (*found, error) {
	return func(ctx context.Context, l *lab) (*found, error) {
		out, err := batchFigure(frontier, returns, "tcopula")(ctx, l)
		if err == nil && l.returns == "" {
			out.missing, out.on = "The returns of stocks are not here: name a file with -returns. What follows is of drawn data.", out.on+", of drawn data"
		}
		return out, err
	}
}

// copulaCurves are training curves, and a marginal of the fit by natural L-BFGS with the data.
func copulaCurves(ctx context.Context, l *lab) (*found, error) {
	out, err := drawnCopula(false)(ctx, l)
	if err != nil {
		return nil, err
	}
	t := minibatch.Tasks[slices.IndexFunc(minibatch.Tasks, func(t minibatch.Task) bool { return t.Name == "tcopula" })]
	e, _, _, err := returns(l, t)
	if err != nil {
		return nil, err
	}
	model, _ := minibatch.Models(t.Name)
	_, theta, err := e.NaturalLBFGS(ctx, model, 0)
	if err != nil {
		return nil, err
	}
	d := e.D
	i, j := strongest(theta, d)
	rho, nu := theta[i*d+j], theta[d*d]
	var u, v []float64
	for row := range e.N {
		u, v = append(u, e.Rows()[row*d+i]), append(v, e.Rows()[row*d+j])
	}
	out.panels = append(out.panels, copulaPanel(u, v, i, j, rho, nu))
	out.seen = append(out.seen, fmt.Sprintf("Fitted by natural L-BFGS: nu = %.4g. Of the two columns with the strongest "+
		"correlation, %d and %d, Kendall's tau is %.3f in the data and %.3f in the fit, (2/pi) asin(%.3f).",
		nu, i+1, j+1, kendall(u, v), 2/math.Pi*math.Asin(rho), rho))
	return out, nil
}

// strongest are the two columns with the strongest correlation.
func strongest(r []float64, d int) (i, j int) {
	j = 1
	for a := range d {
		for b := range a {
			if math.Abs(r[a*d+b]) > math.Abs(r[i*d+j]) {
				i, j = b, a
			}
		}
	}
	return i, j
}

// kendall is Kendall's rank correlation of numbers without ties.
func kendall(u, v []float64) float64 {
	sum := 0.0
	for i := range u {
		for j := range i {
			sum += math.Copysign(1, (u[i]-u[j])*(v[i]-v[j]))
		}
	}
	n := float64(len(u))
	return 2 * sum / (n * (n - 1))
}

// copulaPanel draws the density of a marginal of the copula on a grid, with the data.
func copulaPanel(u, v []float64, i, j int, rho, nu float64) picture.Panel {
	const cells = 80
	var at []float64
	for k := range cells {
		at = append(at, (float64(k)+0.5)/cells)
	}
	c := picture.Layer{Kind: picture.Contour, Name: "density of the fit at 0.25, 0.5, 1, " +
		"2, 4 and 8", Color: picture.Fitted, X: at, Y: at, Levels: []float64{0.25, 0.5, 1, 2, 4, 8}}
	for _, b := range at {
		for _, a := range at {
			c.Z = append(c.Z, copulaDensity(a, b, rho, nu))
		}
	}
	return picture.Panel{Name: "copula-marginal", Title: fmt.Sprintf("columns %d and %d and the fitted t copula", i+1, j+1),
		X: picture.Axis{Label: fmt.Sprintf("column %d", i+1), Min: 0, Max: 1}, Y: picture.Axis{Label: fmt.Sprintf("column %d",
			j+1), Min: 0, Max: 1},
		Layers: []picture.Layer{{Kind: picture.Points, Name: "data to train on", Color: picture.Data, Faint: true, X: u, Y: v}, c}}
}

// copulaDensity is that of the t copula of two variables.
func copulaDensity(u, v, rho, nu float64) float64 {
	x, y := special.TQuantile(u, nu), special.TQuantile(v, nu)
	one := 1 - rho*rho
	q := (x*x - 2*rho*x*y + y*y) / one
	a, _ := math.Lgamma((nu + 2) / 2)
	b, _ := math.Lgamma(nu / 2)
	c, _ := math.Lgamma((nu + 1) / 2)
	return math.Exp(a + b - 2*c - math.Log(one)/2 - (nu+2)/2*math.Log1p(q/nu) + (nu+1)/2*(math.Log1p(x*x/nu)+math.Log1p(y*y/nu)))
}
