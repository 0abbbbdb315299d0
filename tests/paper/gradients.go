package main

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/sngdgen/sngdgen/generated/negbin"
	"github.com/sngdgen/sngdgen/internal/picture"
	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/baseline"
	"github.com/sngdgen/sngdgen/runtime/special"
	"github.com/sngdgen/sngdgen/tests/sheep"
)

// The figures of the appendices about natural gradients, all of the negative binomial on the sheep in the mean parameters of its gamma
// surrogate.
var gradientFigures = []figure{
	{name: "figure-17", title: "Figure 17: what SNGD does",
		claim: "Of all steps in a small ball in the divergence of the surrogate, SNGD goes to the one at which the objective " +
			"is least; natural gradient descent under the target would go elsewhere, to the least in its own ball.",
		panels: 1, make: balls},
	{name: "figure-19", title: "Figure 19: full steps of SNGD and of natural gradients under the target",
		claim: "Far from the optimum a full step of SNGD moves more consistently to a low value of the objective than one of " +
			"NGD under the target; near it the Fisher matrix of the target approaches the Hessian, which that of the surrogate does not.",
		panels: 2, make: steps},
	{name: "figure-20", title: "Figure 20: the objective as a likelihood of the surrogate and a distortion",
		claim: "The objective is the divergence of the surrogate from its optimum, of which each natural step moves straight " +
			"to the optimum, and a distortion, whose effect is small even far from the optimum.",
		panels: 3, make: distortion},
}

// landscape is the objective in the mean parameters of the surrogate, m1 = E log x and m2 = E x.
type landscape struct {
	m       *negbin.Model
	ngd     runtime.Problem // natural gradients under the target in the same coordinates
	optimum [2]float64
	alpha   float64 // of the surrogate at the optimum
	beta    float64
}

func newLandscape() (*landscape, error) {
	m, err := negbin.New(sheep.Ticks())
	if err != nil {
		return nil, err
	}
	g := &landscape{m: m, alpha: sheep.R * (1 - sheep.S), beta: sheep.S}
	g.optimum = [2]float64{special.Digamma(g.alpha) - math.Log(g.beta), g.alpha / g.beta}
	g.ngd, err = baseline.NaturalSurrogate(m)
	return g, err
}

// loss is NaN outside of the domain.
func (g *landscape) loss(x, y float64) float64 {
	z := []float64{x, y}
	if g.m.Violation(z) >= 0 {
		return math.NaN()
	}
	return g.m.Loss(z)
}

// step is the full step of a problem; ok says that there is one.
func (g *landscape) step(p runtime.Problem, x, y float64) (d [2]float64, ok bool) {
	v, c, z := make([]float64, 2), make([]float64, 2), []float64{x, y}
	if g.m.Violation(z) >= 0 || math.IsNaN(p.Gradients(v, c, z)) {
		return d, false
	}
	return [2]float64{-v[0], -v[1]}, true
}

// divergence is KL(surrogate at the optimum || surrogate at the point), of gamma distributions.
func (g *landscape) divergence(x, y float64) float64 {
	z := []float64{x, y}
	if g.m.Violation(z) >= 0 {
		return math.NaN()
	}
	alpha, beta := gammaOf(g.m, z)
	la, _ := math.Lgamma(alpha)
	lb, _ := math.Lgamma(g.alpha)
	return (g.alpha-alpha)*special.Digamma(g.alpha) - lb + la + alpha*math.Log(g.beta/beta) + g.alpha*(beta-g.beta)/g.beta
}

// surrogateFisher is the Fisher matrix of the surrogate in its mean parameters: the inverse of the second derivative of the
// log-partition function ln Gamma(alpha) - alpha ln beta with respect to alpha and -beta.
func (g *landscape) surrogateFisher(x, y float64) *mat.SymDense {
	alpha, beta := gammaOf(g.m, []float64{x, y})
	a, b, c := special.Trigamma(alpha), 1/beta, alpha/(beta*beta)
	det := a*c - b*b
	return mat.NewSymDense(2, []float64{c / det, -b / det, -b / det, a / det})
}

// targetFisher is that of the target in the same coordinates, by a sum over the counts.
func (g *landscape) targetFisher(x, y float64) *mat.SymDense {
	const most = 4000
	xs, ws := make([]float64, most), make([]float64, most)
	for i := range xs {
		xs[i], ws[i] = float64(i), 1
	}
	f := make([]float64, 4)
	g.m.FisherSurrogate(f, []float64{x, y}, xs, ws)
	return mat.NewSymDense(2, f)
}

// hessian is that of the objective, by central differences of its gradient.
func (g *landscape) hessian(x, y float64) *mat.SymDense {
	const h = 1e-5
	at := func(x, y float64) []float64 {
		v, c := make([]float64, 2), make([]float64, 2)
		g.m.Gradients(v, c, []float64{x, y})
		return c
	}
	right, left, up, down := at(x+h, y), at(x-h, y), at(x, y+h), at(x, y-h)
	d := func(a, b []float64, i int) float64 { return (a[i] - b[i]) / (2 * h) }
	cross := (d(right, left, 1) + d(up, down, 0)) / 2
	return mat.NewSymDense(2, []float64{d(right, left, 0), cross, cross, d(up, down, 1)})
}

// relative are the eigenvalues of inv(f) h: 1 where a metric is the Hessian.
func relative(f, h *mat.SymDense) [2]float64 {
	var inverse, product mat.Dense
	if inverse.Inverse(f) != nil {
		return [2]float64{math.NaN(), math.NaN()}
	}
	product.Mul(&inverse, h)
	half := (product.At(0, 0) + product.At(1, 1)) / 2
	root := math.Sqrt(math.Max(half*half-mat.Det(&product), 0))
	return [2]float64{half - root, half + root}
}

// window is a part of the plane that is shown.
type window struct{ x0, x1, y0, y1 float64 }

// far is the part around the optimum that the figures show.
var far = window{0.2, 2.3, 2.5, 12}

// field evaluates a function on a fine grid.
func (w window) field(f func(x, y float64) float64) (x, y, z []float64) {
	const cells = 240
	for i := range cells + 1 {
		t := float64(i) / cells
		x, y = append(x, w.x0+t*(w.x1-w.x0)), append(y, w.y0+t*(w.y1-w.y0))
	}
	for _, b := range y {
		for _, a := range x {
			z = append(z, f(a, b))
		}
	}
	return x, y, z
}

// points are those of a coarse grid at which f is defined.
func (w window) points(nx, ny int, f func(x, y float64) float64) (out [][2]float64) {
	for j := range ny {
		for i := range nx {
			x, y := w.x0+(float64(i)+0.5)/float64(nx)*(w.x1-w.x0), w.y0+(float64(j)+0.5)/float64(ny)*(w.y1-w.y0)
			if !math.IsNaN(f(x, y)) {
				out = append(out, [2]float64{x, y})
			}
		}
	}
	return out
}

// contours is a layer of levels whose distances above the least value grow in proportion.
func (w window) contours(name string, f func(x, y float64) float64, levels []float64) picture.Layer {
	x, y, z := w.field(f)
	return picture.Layer{Kind: picture.Contour, Name: name, Color: picture.Data, Thin: true, X: x, Y: y, Z: z, Levels: levels}
}

// above are levels over a least value.
func above(least float64, distances ...float64) (out []float64) {
	for _, d := range distances {
		out = append(out, least+d)
	}
	return out
}

// arrows draws vectors from points, with heads as they look in a picture of 3 by 2.
func (w window) arrows(name string, color int, from, d [][2]float64) picture.Layer {
	l := picture.Layer{Kind: picture.Line, Name: name, Color: color, Thin: true}
	add := func(x, y float64) { l.X, l.Y = append(l.X, x), append(l.Y, y) }
	sx, sy := (w.x1-w.x0)/3, (w.y1-w.y0)/2
	for i, p := range from {
		ex, ey := p[0]+d[i][0], p[1]+d[i][1]
		ux, uy := d[i][0]/sx, d[i][1]/sy
		length := math.Hypot(ux, uy)
		if length == 0 {
			continue
		}
		ux, uy = ux/length, uy/length
		head := min(0.05, 0.35*length)
		add(p[0], p[1])
		add(ex, ey)
		for _, side := range []float64{1, -1} {
			bx, by := -ux+side*0.5*uy, -uy-side*0.5*ux
			add(ex+head*bx*sx, ey+head*by*sy)
			add(ex, ey)
		}
		add(math.NaN(), math.NaN())
	}
	return l
}

// panel is a picture of the plane with the optimum.
func (w window) panel(g *landscape, name, title, note string, layers ...picture.Layer) picture.Panel {
	star := picture.Layer{Kind: picture.Points, Name: "optimum", Color: 7, X: []float64{g.optimum[0]},
		Y: []float64{g.optimum[1]}, Size: []float64{2}}
	if w == far {
		layers = append(layers, w.domain())
	}
	return picture.Panel{Name: name, Title: title, Note: note, X: picture.Axis{Label: "E log x under the surrogate", Min: w.x0, Max: w.x1},
		Y: picture.Axis{Label: "E x under the surrogate", Min: w.y0, Max: w.y1}, Layers: append(layers, star)}
}

// domain is its edge, where the rate of the surrogate is 1 and the target is Poisson's distribution.
func (w window) domain() picture.Layer {
	l := picture.Layer{Kind: picture.Line, Name: "edge of the domain", Color: 7, Dash: true}
	const cells = 200
	for i := range cells + 1 {
		mean := w.y0 + float64(i)/cells*(w.y1-w.y0)
		if x := special.Digamma(mean); x >= w.x0 && x <= w.x1 {
			l.X, l.Y = append(l.X, x), append(l.Y, mean)
		}
	}
	return l
}

// The objective is drawn at these distances above its least value.
var lossLevels = []float64{0.003, 0.01, 0.03, 0.1, 0.2, 0.4, 0.8}

func (g *landscape) lossContours(w window) picture.Layer {
	return w.contours("objective", g.loss, above(sheepOptimum, lossLevels...))
}

// balls is the picture of a step in a small ball.
func balls(context.Context, *lab) (*found, error) {
	g, err := newLandscape()
	if err != nil {
		return nil, err
	}
	at := [2]float64{1.1, 8.5}
	const radius, small = 0.2, 1e-4 // of the ball that is drawn, and of that which is searched
	w := far
	tilde, target := g.surrogateFisher(at[0], at[1]), g.targetFisher(at[0], at[1])
	sngd, _ := g.step(g.m, at[0], at[1])
	ngd, _ := g.step(g.ngd, at[0], at[1])
	onEdge := scaledTo(tilde, sngd, radius)
	inside := picture.Layer{Kind: picture.Band, Name: "ball of the surrogate", Color: picture.Fitted, Faint: true}
	inside.X, inside.Low, inside.High = ellipseBand(at, tilde, radius)
	p := w.panel(g, "ball", "a step of SNGD in the ball of its surrogate", "balls are enlarged", g.lossContours(w), inside,
		ellipse("ball of the target", 2, at, target, radius), w.arrows("direction of SNGD", picture.Fitted, [][2]float64{at},
			[][2]float64{onEdge}))
	out := &found{panels: []picture.Panel{p}}
	offOwn, offOther := g.offLeast(at, tilde, sngd, small), g.offLeast(at, target, ngd, small)
	between := g.offLeast(at, target, sngd, small)
	out.seen = []string{
		fmt.Sprintf("On the edge of a ball of radius %g in the divergence of the surrogate the objective is least %.2g degrees "+
			"from the direction of SNGD (in coordinates in which the ball is round).", small, offOwn),
		fmt.Sprintf("On the edge of that of the target it is least %.2g degrees from the direction of NGD, and %.3g degrees "+
			"from that of SNGD.", offOther, between),
	}
	won := 0
	for _, ok := range []bool{offOwn < 1, offOther < 1, between > 1} {
		if ok {
			won++
		}
	}
	out.verdict = wins(won, 3)
	return out, nil
}

// scaledTo is a vector of a length in a metric.
func scaledTo(f *mat.SymDense, d [2]float64, length float64) [2]float64 {
	v := mat.NewVecDense(2, d[:])
	s := length / math.Sqrt(mat.Inner(v, f, v))
	return [2]float64{s * d[0], s * d[1]}
}

// edge are points at a distance in a metric, with their angles where the ball is round.
func edge(f *mat.SymDense, radius float64, n int) (out [][2]float64) {
	var chol mat.Cholesky
	if !chol.Factorize(f) {
		return nil
	}
	var l mat.TriDense
	chol.LTo(&l)
	for i := range n {
		s, c := math.Sincos(2 * math.Pi * float64(i) / float64(n))
		// inv(L') (c, s) has the length 1 in L L'.
		y := s / l.At(1, 1)
		x := (c - l.At(1, 0)*y) / l.At(0, 0)
		out = append(out, [2]float64{radius * x, radius * y})
	}
	return out
}

func ellipse(name string, color int, at [2]float64, f *mat.SymDense, radius float64) picture.Layer {
	l := picture.Layer{Kind: picture.Line, Name: name, Color: color, Dash: true}
	points := edge(f, radius, 200)
	for _, d := range append(points, points[0]) {
		l.X, l.Y = append(l.X, at[0]+d[0]), append(l.Y, at[1]+d[1])
	}
	return l
}

// ellipseBand is the inside of an ellipse, as an area between two curves.
func ellipseBand(at [2]float64, f *mat.SymDense, radius float64) (x, low, high []float64) {
	a, b, c := f.At(0, 0), f.At(0, 1), f.At(1, 1)
	reach := radius * math.Sqrt(c/(a*c-b*b))
	const n = 100
	for i := range n + 1 {
		d := reach * math.Sin(math.Pi*(float64(i)/n-0.5))
		root := math.Sqrt(math.Max(b*b*d*d-c*(a*d*d-radius*radius), 0))
		x, low, high = append(x, at[0]+d), append(low, at[1]+(-b*d-root)/c), append(high, at[1]+(-b*d+root)/c)
	}
	return x, low, high
}

// offLeast is the angle between a direction and the point on the edge of a ball at which the objective is least, in degrees where the
// ball is round.
func (g *landscape) offLeast(at [2]float64, f *mat.SymDense, d [2]float64, radius float64) float64 {
	points := edge(f, radius, 7200)
	best := slices.MinFunc(points, func(a, b [2]float64) int {
		return int(math.Copysign(1, g.loss(at[0]+a[0], at[1]+a[1])-g.loss(at[0]+b[0], at[1]+b[1])))
	})
	u, v := mat.NewVecDense(2, d[:]), mat.NewVecDense(2, best[:])
	cos := mat.Inner(u, f, v) / math.Sqrt(mat.Inner(u, f, u)*mat.Inner(v, f, v))
	return math.Acos(min(cos, 1)) * 180 / math.Pi
}

// steps compares full steps far from the optimum, and metrics near it.
func steps(context.Context, *lab) (*found, error) {
	g, err := newLandscape()
	if err != nil {
		return nil, err
	}
	wide, high := (far.x1-far.x0)/2000, (far.y1-far.y0)/2000
	near := window{g.optimum[0] - wide, g.optimum[0] + wide, g.optimum[1] - high, g.optimum[1] + high}
	nearLevels := above(sheepOptimum, 2e-9, 1e-8, 3e-8, 6e-8, 1e-7, 1.5e-7, 2.2e-7, 3e-7, 5e-7, 1e-6)
	out := &found{panels: []picture.Panel{
		g.stepPanel(far, "steps", "full steps", "", g.lossContours(far), 5, 4, 1),
		g.stepPanel(near, "steps-near", "the optimum magnified 1,000 times", "steps at a third of "+
			"their length", near.contours("objective", g.loss, nearLevels), 7, 6, 1./3),
	}}
	after := g.afterSteps(far.points(12, 10, g.loss)) // more than can be drawn
	lower := 0
	outside := [2]int{}
	for i := range after[0] {
		if after[0][i] < after[1][i] {
			lower++
		}
		for k := range outside {
			if math.IsInf(after[k][i], 1) {
				outside[k]++
			}
		}
	}
	h := g.hessian(g.optimum[0], g.optimum[1])
	own, target := relative(g.surrogateFisher(g.optimum[0], g.optimum[1]), h), relative(g.targetFisher(g.optimum[0], g.optimum[1]), h)
	out.seen = []string{
		fmt.Sprintf("From %d of %d points the full step of SNGD ends lower. After it the objective is %s above its least value "+
			"in the median, after that of NGD %s; "+
			"at three quarters of the points at most %s and %s, at nine tenths "+
			"%s and %s.", lower, len(after[0]), height(after[0], 0.5), height(after[1], 0.5),
			height(after[0], 0.75), height(after[1], 0.75), height(after[0], 0.9), height(after[1], 0.9)),
		fmt.Sprintf("%d full steps of SNGD and %d of NGD leave the domain.", outside[0], outside[1]),
		fmt.Sprintf("At the optimum the eigenvalues of the inverse Fisher matrix of the target times the Hessian are %.4f and %.4f, "+
			"those with the Fisher matrix of the surrogate %.4f and %.4f; steps like Newton's "+
			"would have 1.", target[0], target[1], own[0], own[1]),
	}
	won := 0
	for _, ok := range []bool{2*lower > len(after[0]), quantile(after[0], 0.9) < quantile(after[1], 0.9), offOne(target) < offOne(own)} {
		if ok {
			won++
		}
	}
	out.verdict = wins(won, 3)
	return out, nil
}

// problems are SNGD and NGD under the target in the same coordinates.
func (g *landscape) problems() [2]runtime.Problem { return [2]runtime.Problem{g.m, g.ngd} }

// stepPanel draws the steps of both from a grid of points, at a part of their length.
func (g *landscape) stepPanel(w window, name, title, note string, contours picture.Layer, nx, ny int, scale float64) picture.Panel {
	from := w.points(nx, ny, g.loss)
	dots := picture.Layer{Kind: picture.Points, Color: picture.Data}
	var d [2][][2]float64
	for _, p := range from {
		dots.X, dots.Y = append(dots.X, p[0]), append(dots.Y, p[1])
		for k, problem := range g.problems() {
			s, _ := g.step(problem, p[0], p[1])
			d[k] = append(d[k], [2]float64{scale * s[0], scale * s[1]})
		}
	}
	return w.panel(g, name, title, note, contours, dots, w.arrows("SNGD", picture.Fitted, from, d[0]),
		w.arrows("NGD under the target", picture.Other, from, d[1]))
}

// afterSteps are the losses after a full step of both, above the least one; +Inf outside of the domain.
func (g *landscape) afterSteps(from [][2]float64) (after [2][]float64) {
	for _, p := range from {
		for k, problem := range g.problems() {
			s, _ := g.step(problem, p[0], p[1])
			end := g.loss(p[0]+s[0], p[1]+s[1])
			if math.IsNaN(end) {
				end = math.Inf(1)
			}
			after[k] = append(after[k], end-sheepOptimum)
		}
	}
	return after
}

// height writes a quantile of losses above the least one.
func height(x []float64, p float64) string {
	q := quantile(x, p)
	if math.IsInf(q, 1) {
		return "without bound (outside of the domain)"
	}
	return fmt.Sprintf("%.2g", q)
}

func offOne(x [2]float64) float64 { return max(math.Abs(x[0]-1), math.Abs(x[1]-1)) }

// quantile is that of a few numbers, one of them.
func quantile(x []float64, p float64) float64 {
	s := slices.Clone(x)
	slices.Sort(s)
	return s[min(int(p*float64(len(s))), len(s)-1)]
}

// distortion takes objective and steps apart.
func distortion(context.Context, *lab) (*found, error) {
	g, err := newLandscape()
	if err != nil {
		return nil, err
	}
	w := far
	h := func(x, y float64) float64 { return g.loss(x, y) - g.divergence(x, y) }
	from := w.points(7, 6, g.loss)
	var straight, rest, whole [][2]float64
	var ratio []float64
	off := 0.0
	for _, p := range from {
		s, _ := g.step(g.m, p[0], p[1])
		f := g.surrogateFisher(p[0], p[1])
		own := g.divergenceStep(p, f)
		toOptimum := [2]float64{g.optimum[0] - p[0], g.optimum[1] - p[1]}
		miss := [2]float64{own[0] - toOptimum[0], own[1] - toOptimum[1]}
		off = max(off, norm(f, miss)/norm(f, toOptimum))
		r := [2]float64{s[0] - toOptimum[0], s[1] - toOptimum[1]}
		straight, rest, whole = append(straight, toOptimum), append(rest, r), append(whole, s)
		ratio = append(ratio, norm(f, r)/norm(f, toOptimum))
	}
	three := []int{0, len(from) - 7, len(from) - 1}
	var few, fewSteps [][2]float64
	for _, i := range three {
		few, fewSteps = append(few, from[i]), append(fewSteps, straight[i])
	}
	_, _, field := w.field(h)
	var defined []float64
	for _, v := range field {
		if !math.IsNaN(v) {
			defined = append(defined, v)
		}
	}
	var levels []float64
	for _, p := range []float64{0.05, 0.15, 0.3, 0.5, 0.7, 0.85, 0.95} {
		levels = append(levels, quantile(defined, p))
	}
	out := &found{panels: []picture.Panel{
		w.panel(g, "divergence", "divergence of the surrogate from "+
			"its optimum", "", w.contours("divergence", g.divergence, above(0, lossLevels...)), w.arrows("natural steps of it",
			picture.Fitted, few, fewSteps)),
		w.panel(g, "distortion", "+ distortion", "", w.contours("distortion", h, slices.Compact(levels)),
			w.arrows("natural steps of it", picture.Fitted, from, rest)),
		w.panel(g, "whole", "= objective", "", g.lossContours(w), w.arrows("steps of SNGD", picture.Fitted, from, whole)),
	}}
	median := quantile(ratio, 0.5)
	out.seen = []string{
		fmt.Sprintf("Natural steps of the divergence, by differences of it and the Fisher matrix of the surrogate, miss the "+
			"optimum by %.1e of their length at most, at %d points.", off, len(from)),
		fmt.Sprintf("The step of the distortion is %.2g times as long as the way to the optimum in the median of the points, in "+
			"the metric of the surrogate, and %.2g times at most.", median, slices.Max(ratio)),
	}
	won := 0
	for _, ok := range []bool{off < 1e-4, median < smallDistortion} {
		if ok {
			won++
		}
	}
	out.verdict = wins(won, 2)
	out.notes = append(out.notes, fmt.Sprintf("A distortion counts as small when its step is less than %.2g of the way to the "+
		"optimum in the median.", smallDistortion))
	return out, nil
}

// smallDistortion is what is called small.
const smallDistortion = 1. / 3

// divergenceStep is the natural step of the divergence, by central differences.
func (g *landscape) divergenceStep(p [2]float64, f *mat.SymDense) [2]float64 {
	const h = 1e-6
	gradient := mat.NewVecDense(2, []float64{
		(g.divergence(p[0]+h, p[1]) - g.divergence(p[0]-h, p[1])) / (2 * h),
		(g.divergence(p[0], p[1]+h) - g.divergence(p[0], p[1]-h)) / (2 * h),
	})
	var v mat.VecDense
	if v.SolveVec(f, gradient) != nil {
		return [2]float64{math.NaN(), math.NaN()}
	}
	return [2]float64{-v.AtVec(0), -v.AtVec(1)}
}

// norm is the length of a vector in a metric.
func norm(f *mat.SymDense, d [2]float64) float64 {
	v := mat.NewVecDense(2, d[:])
	return math.Sqrt(mat.Inner(v, f, v))
}
