package estimate

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/sngdgen/sngdgen/runtime"
)

const (
	// Gradients of the log joint density are by central differences, this far apart, in standard deviations.
	farDifference = 1e-3
	// Steps on the way to the highest point at a distance.
	farSteps = 40
	// A step that moves less, or a gain that is less, ends them.
	farMove = 1e-9
	// Where the density at a distance is lower than at the centre by more, as a logarithm, beside what a flat one may fall, the line is given up.
	farFall = 5
)

// search looks for a line along which the density does not fall, nil where there is none. Lines begin in the directions in which the
// approximation has moved and widened since its start.
func (f *far) search(start []float64) []float64 {
	for _, line := range f.directions(start) {
		if line = f.refine(line); line != nil && f.leads(line) {
			return line
		}
	}
	return nil
}

// leads reports whether a line leads out of where a start would look, at its end. One of an approximation that has collapsed does not:
// ten million of its standard deviations may be less than one of the posterior.
func (f *far) leads(line []float64) bool {
	var move mat.VecDense
	move.MulVec(f.factor(), mat.NewVecDense(f.width, line))
	for i, begun := range f.begun {
		if math.Abs(move.AtVec(i))*math.Pow10(farDecades) > leastLed*begun {
			return true
		}
	}
	return false
}

// directions are that of the means, and both along which the variable goes whose standard deviation has grown most.
func (f *far) directions(start []float64) (lines [][]float64) {
	factor := f.factor()
	first, err := posteriorMoments(f.m, start, checkDraws, 0)
	if err != nil {
		return nil
	}
	f.begun = make([]float64, f.d)
	for i := range f.begun {
		f.begun[i] = math.Sqrt(first.Covariance[i*f.d+i])
	}
	move := make([]float64, f.d)
	floats.SubTo(move, f.place(make([]float64, f.width)), first.Mean)
	var line mat.VecDense
	if line.SolveVec(factor, mat.NewVecDense(f.d, move)) == nil {
		lines = append(lines, line.RawVector().Data)
	}
	widest, growth := 0, 0.0
	for i := range f.d {
		if g := mat.Norm(factor.RowView(i), 2) / f.begun[i]; g > growth {
			widest, growth = i, g
		}
	}
	wide := mat.Row(nil, widest, factor) // the covariances with that variable are those of the line
	back := onLine(nil, wide, -1)
	out := lines[:0]
	for _, l := range append(lines, wide, back) {
		if norm := floats.Norm(l, 2); norm > 0 && !math.IsInf(norm, 0) && !math.IsNaN(norm) {
			floats.Scale(1/norm, l)
			out = append(out, l)
		}
	}
	return out
}

// factor is the matrix by which latent variables depend on the random numbers.
func (f *far) factor() *mat.Dense {
	a := mat.NewDense(f.d, f.width, nil)
	centre := f.place(make([]float64, f.width))
	for j := range f.width {
		e := make([]float64, f.width)
		e[j] = 1
		for i, x := range f.place(e) {
			a.Set(i, j, x-centre[i])
		}
	}
	return a
}

// refine moves a line, distance by distance, to where the density is highest, until it is flat. Along what the data decide the
// highest point is the same at all distances, so that the difference of two of them has an error that is small beside its length.
func (f *far) refine(line []float64) []float64 {
	last, distance := make([]float64, f.width), 0.0
	centre := make([]float64, 1)
	f.at(centre, [][]float64{last})
	for _, to := range farDistances {
		if f.flat(line, lineFar) {
			return line
		}
		top, height := f.top(onLine(last, line, to-distance), line)
		if !(height > centre[0]-farFall-leastFall*math.Log(to)) || f.evaluations <= 0 {
			return nil
		}
		next := make([]float64, f.width)
		floats.SubTo(next, top, last)
		floats.Scale(1/floats.Norm(next, 2), next)
		line, last, distance = next, top, to
	}
	if f.flat(line, lineFar) {
		return line
	}
	return nil
}

// flat reports whether the density does not fall along a line on the last flatDecades to a distance, from most of some draws of the approximation.
func (f *far) flat(line []float64, to float64) bool {
	rng := runtime.Stream(0, "lines")
	var points [][]float64
	for range farLines {
		from := make([]float64, f.width)
		for i := range from {
			from[i] = rng.NormFloat64()
		}
		points = append(points, from, onLine(from, line, to*flatPart), onLine(from, line, to))
	}
	logs := make([]float64, len(points))
	f.at(logs, points)
	count := 0
	for i := 0; i < len(logs); i += 3 {
		if !math.IsInf(logs[i], 0) && level(logs[i+1], logs[i+2]) {
			count++
		}
	}
	return float64(count) >= flatLines*farLines
}

// level reports whether a log density does not fall over flatDecades, but for what a power falls that is too slow for a finite mass.
func level(near, far float64) bool {
	return !math.IsInf(far, 0) && near-far < leastFall*flatDecades*math.Ln10
}

// top is the highest point beside another one, across a line, and its height: BFGS with derivatives by differences, which begins with
// the metric of the approximation, and a step no longer than the way to the point.
func (f *far) top(from, line []float64) (at []float64, height float64) {
	x := from
	g, height := f.slope(x, line)
	n := len(x)
	inverse := mat.NewSymDense(n, nil)
	for i := range n {
		inverse.SetSym(i, i, math.Min(1, floats.Norm(x, 2)/floats.Norm(g, 2)))
	}
	for range farSteps {
		step := mat.NewVecDense(n, nil)
		step.MulVec(inverse, mat.NewVecDense(n, g))
		rise := floats.Dot(g, step.RawVector().Data)
		next, above := ascend(f.at, x, step.RawVector().Data, height, rise)
		if next == nil || f.evaluations <= 0 {
			break
		}
		change, turn := make([]float64, n), make([]float64, n)
		floats.SubTo(change, next, x)
		slope, _ := f.slope(next, line)
		floats.SubTo(turn, g, slope)
		done := above-height < farMove && floats.Norm(change, 2) < farMove*1e3
		x, g, height = next, slope, above
		if done {
			break
		}
		update(inverse, change, turn)
	}
	return x, height
}

// ascend is a point along a step that is higher than where it begins, nil where there is none.
func ascend(density func(dst []float64, points [][]float64), x, step []float64, height, rise float64) (next []float64, at float64) {
	const armijo, halvings, together = 1e-4, 20, 4
	logs := make([]float64, together)
	points := make([][]float64, together)
	for i := 0; i < halvings; i += together {
		for j := range points {
			points[j] = onLine(x, step, math.Ldexp(1, -i-j))
		}
		density(logs, points)
		for j, log := range logs {
			if log > height+armijo*math.Ldexp(rise, -i-j) {
				return points[j], log
			}
		}
	}
	return nil, 0
}

// slope is the gradient across a line, and the height.
func (f *far) slope(x, line []float64) (g []float64, height float64) {
	points := [][]float64{x}
	unit := make([]float64, len(x))
	for i := range x {
		unit[i] = 1
		points = append(points, onLine(x, unit, farDifference), onLine(x, unit, -farDifference))
		unit[i] = 0
	}
	logs := make([]float64, len(points))
	f.at(logs, points)
	g = make([]float64, len(x))
	for i := range g {
		g[i] = (logs[2*i+1] - logs[2*i+2]) / (2 * farDifference)
	}
	floats.AddScaled(g, -floats.Dot(g, line), line)
	return g, logs[0]
}

// update is that of BFGS, of the inverse of the negative Hessian.
func update(inverse *mat.SymDense, change, turn []float64) {
	n := len(change)
	product := floats.Dot(change, turn)
	if !(product > farMove*floats.Norm(change, 2)*floats.Norm(turn, 2)) {
		return
	}
	s := mat.NewVecDense(n, change)
	hy := mat.NewVecDense(n, nil)
	hy.MulVec(inverse, mat.NewVecDense(n, turn))
	inverse.SymRankOne(inverse, (1+floats.Dot(turn, hy.RawVector().Data)/product)/product, s)
	inverse.RankTwo(inverse, -1/product, s, hy)
}
