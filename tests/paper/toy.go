package main

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/sngdgen/sngdgen/internal/page"
	"github.com/sngdgen/sngdgen/internal/picture"
	"github.com/sngdgen/sngdgen/runtime/estimate"
	"github.com/sngdgen/sngdgen/tests/paper/grid"
	"github.com/sngdgen/sngdgen/tests/paper/internal/curves"
	"github.com/sngdgen/sngdgen/tests/paper/internal/posteriors"
)

var toyFigure = []figure{{name: "figure-7", title: "Figure 7: approximations of the posterior of Murphy's toy data",
	claim: "A mixture of skew-normals is a visibly better approximation than one of as many normals; the ground truth (GT) is " +
		"by a sampler.",
	panels: 1, make: toyPosteriors}}

// toyApproximation is a row of the figure, and toyComponents its columns.
type toyApproximation struct {
	title, problem string
	skew           bool
}

var (
	toyApproximations = []toyApproximation{{"normals", "logisticmix", false}, {"skew-normals", "logisticskewmix", true}}
	toyComponents     = []int{1, 3, 5}
)

// plane is a grid of points around the posterior.
type plane struct {
	x, y []float64
	cell float64
}

func planeAround(r *posteriors.Reference) *plane {
	const cells, width = 100, 5.0 // along each side, in standard deviations to each side
	p := new(plane)
	sx, sy := math.Sqrt(r.Cov.At(0, 0)), math.Sqrt(r.Cov.At(1, 1))
	for i := range cells {
		t := width * (2*(float64(i)+0.5)/cells - 1)
		p.x, p.y = append(p.x, r.Mean[0]+t*sx), append(p.y, r.Mean[1]+t*sy)
	}
	p.cell = (p.x[1] - p.x[0]) * (p.y[1] - p.y[0])
	return p
}

// field evaluates a density on the grid.
func (p *plane) field(density func(x, y float64) float64) (z []float64) {
	for _, y := range p.y {
		for _, x := range p.x {
			z = append(z, density(x, y))
		}
	}
	return z
}

// regions are the levels above which a density has the given parts of its mass.
func (p *plane) regions(z []float64, parts ...float64) (levels []float64) {
	sorted := slices.Clone(z)
	slices.Sort(sorted)
	slices.Reverse(sorted)
	sum := 0.0
	for _, v := range sorted {
		if sum += v * p.cell; len(levels) < len(parts) && sum >= parts[len(levels)] {
			levels = append(levels, v)
		}
	}
	return levels
}

// panel draws the contours of a density.
func (p *plane) panel(x, y, name string, color int, z, levels []float64) *picture.Panel {
	return &picture.Panel{Name: "density", Title: name, X: shown(x, p.x), Y: shown(y, p.y),
		Layers: []picture.Layer{{Kind: picture.Contour, Name: name, Color: color, Thin: true, X: p.x, Y: p.y, Z: z, Levels: levels}}}
}

// shown is the part of an axis in which the contours are.
func shown(label string, at []float64) picture.Axis {
	n := len(at)
	return picture.Axis{Label: label, Min: at[n/5], Max: at[n-1-n/5/2]}
}

func toyPosteriors(ctx context.Context, l *lab) (*found, error) {
	r, err := toyReference(l)
	if err != nil {
		return nil, err
	}
	data := posteriors.ToyData(toyRows)
	p := planeAround(r)
	truth := p.field(func(x, y float64) float64 { return math.Exp(posteriors.LogJoint(data, []float64{x, y}) - r.Evidence) })
	levels := p.regions(truth, 0.3, 0.6, 0.8, 0.9, 0.95, 0.99)
	out := &found{panels: []picture.Panel{{Name: "posterior-grid", Title: "posterior of two weights and its approximations",
		Note: "contours at the same densities in all pictures: of the smallest regions with 30, 60, 80, 90, 95 and 99 % of the " +
			"ground truth"}}}
	rows := page.Table{Title: "Approximations", Open: true, Head: []string{"mixture of", "k", "ELBO",
		"KL divergence from the posterior", "total variation", "mean off", "k-hat"},
		Note: "The divergence is the log evidence, by a sum over a fine grid, less the ELBO, with two standard errors; total " +
			"variation is by a sum over the grid of the pictures; the mean is off the sampler's by so many of its standard deviations."}
	divergence := map[bool][]curves.Difference{}
	for row, a := range toyApproximations {
		out.panels[0].Grid = append(out.panels[0].Grid, nil)
		for _, k := range toyComponents {
			l.report("%s, k = %d", a.title, k)
			fit, theta, err := l.approximate(ctx, a, k)
			if err != nil {
				return nil, err
			}
			z := p.field(func(x, y float64) float64 { return mixtureDensity(theta, k, a.skew, x, y) })
			y := a.title
			if k > 1 {
				y = ""
			}
			out.panels[0].Grid[row] = append(out.panels[0].Grid[row], p.panel(fmt.Sprintf("k = %d", k), y, "approximation",
				picture.Fitted, z, levels))
			gap := r.Evidence - float64(fit.ELBO.Mean)
			divergence[a.skew] = append(divergence[a.skew], curves.Difference{Mean: gap, Error: 2 * float64(fit.ELBO.StandardError)})
			mean, _ := r.Off(fit)
			rows.Rows = append(rows.Rows, []string{a.title, fmt.Sprint(k), fmt.Sprintf("%.4f", float64(fit.ELBO.Mean)),
				fmt.Sprintf("%.4f ± %.4f", gap, 2*float64(fit.ELBO.StandardError)),
				fmt.Sprintf("%.3f", p.variation(truth, z)), fmt.Sprintf("%.3f", mean), fmt.Sprintf("%.2f", float64(fit.ELBO.KHat))})
		}
		out.panels[0].Grid[row] = append(out.panels[0].Grid[row], p.panel("GT", "", "ground truth", picture.Data, truth, levels))
	}
	var t tally
	for i, k := range toyComponents {
		normal, skew := divergence[false][i], divergence[true][i]
		d := curves.Difference{Mean: skew.Mean - normal.Mean, Error: math.Hypot(skew.Error, normal.Error)}
		t.add(d.Outcome())
		out.seen = append(out.seen, fmt.Sprintf("k = %d: the KL divergence from the posterior is %.4f ± %.4f with normals and %.4f ± %.4f "+
			"with skew-normals, a difference of %v.", k, normal.Mean, normal.Error, skew.Mean, skew.Error, d))
	}
	out.seen = append(out.seen, fmt.Sprintf("Mixtures of skew-normals are nearer by more than two standard errors for %d of %d numbers of "+
		"components, level for %d, farther for %d.", t.ahead, len(toyComponents), t.level, t.behind))
	out.seen = append(out.seen, fmt.Sprintf("The sampler has the mean (%.3f, %.3f) and the standard deviations %.3f and %.3f; "+
		"the density that is drawn as the ground truth, evaluated on a grid, has the mean (%.3f, %.3f).",
		r.Mean[0], r.Mean[1], math.Sqrt(r.Cov.At(0, 0)), math.Sqrt(r.Cov.At(1, 1)), p.mean(truth, p.x, false), p.mean(truth, p.y, true)))
	out.verdict = t.verdict()
	out.tables = append(out.tables, rows)
	out.notes = append(out.notes, toyNote, "Each approximation is the best of several random starts by stochastic steps of this project. The paper "+
		"draws its ground truth by a sampler; here it is the exact density, and the sampler's moments are compared with it.")
	return out, nil
}

// approximate fits a mixture, and returns the parameters of the target too.
func (l *lab) approximate(ctx context.Context, a toyApproximation, k int) (*estimate.Approximation, []float64, error) {
	data := posteriors.ToyData(toyRows)
	fit, err := posteriors.Approximate(ctx, a.problem, data, k, &estimate.Settings{Seed: 1, Starts: sized(l, 4, 1),
		Stochastic: estimate.Stochastic{Steps: sized(l, 3000, 100)}, Variational: estimate.Variational{EvalDraws: sized(l, 20_000, 500)}})
	if err != nil {
		return nil, nil, fmt.Errorf("%s, k = %d: %w", a.title, k, err)
	}
	m, err := posteriors.Load(a.problem, data, k)
	if err != nil {
		return nil, nil, err
	}
	z := make([]float64, len(fit.Coordinates))
	for i, x := range fit.Coordinates {
		z[i] = float64(x)
	}
	theta := make([]float64, grid.LengthOfTheta(m))
	m.Theta(theta, z)
	return fit, theta, nil
}

// variation is the total variation between two densities on the grid.
func (p *plane) variation(a, b []float64) float64 {
	sum := 0.0
	for i := range a {
		sum += math.Abs(a[i]-b[i]) * p.cell / 2
	}
	return sum
}

// mean is that of one coordinate under a density on the grid.
func (p *plane) mean(z, at []float64, vertical bool) float64 {
	sum, mass := 0.0, 0.0
	for i, v := range z {
		x := at[i%len(p.x)]
		if vertical {
			x = at[i/len(p.x)]
		}
		sum, mass = sum+v*x, mass+v
	}
	return sum / mass
}

// mixtureDensity is that of a mixture of normal or skew-normal distributions in the plane: weights, locations, matrices, and where there is
// skew the slants, in the order of the target's parameters. A component is 2 N(x; xi, Omega) Phi(eta'(x - xi)) (So and Turner 2024,
// appendix "Experiment details").
func mixtureDensity(theta []float64, k int, skew bool, x, y float64) float64 {
	weights, locations, matrices, slants := theta[:k], theta[k:3*k], theta[3*k:7*k], theta[7*k:]
	sum := 0.0
	for c := range k {
		dx, dy := x-locations[2*c], y-locations[2*c+1]
		o := matrices[4*c:]
		det := o[0]*o[3] - o[1]*o[2]
		q := (o[3]*dx*dx - (o[1]+o[2])*dx*dy + o[0]*dy*dy) / det
		f := math.Exp(-q/2) / (2 * math.Pi * math.Sqrt(det))
		if skew {
			f *= math.Erfc(-(slants[2*c]*dx + slants[2*c+1]*dy) / math.Sqrt2) // 2 Phi
		}
		sum += weights[c] * f
	}
	return sum
}
