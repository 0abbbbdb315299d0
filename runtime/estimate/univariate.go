package estimate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sort"

	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/types"
)

// univariate is the distribution of a number, of which only the density is known. That of whole numbers is added up from 0, others are integrated
// in t, where the unconstrained coordinate u of the number is centre + scale sinh(t): tails that fall as powers fall exponentially there.
// Panels are halved until the two rules of Gauss and Kronrod agree.
type univariate struct {
	ctx   context.Context
	s     *scorer
	given []float64
	entry *types.Entry
	seeds []float64 // draws, where there are any
	at    []float64 // their t, in order

	mean, sd float64

	first         float64   // the least of whole numbers that were added up
	mass          []float64 // of whole numbers the probabilities of first, first + 1, ...
	atoms         []float64 // the probabilities of the numbers that have one of their own
	centre, scale float64
	reference     float64 // moments are taken about this number
	panels        []panel // in the order of t
	total         float64
	cut           float64 // of it what lies where floating point has left the range, about
}

const (
	seedDraws = 64
	// tailMass is what tails may hold of the mass, and of moments relative to these.
	tailMass = 1e-13
	// massError is how far the mass of a density may be from 1.
	massError = 1e-6
	// mostWhole is up to how many whole numbers are added up.
	mostWhole = 1 << 22
	// mostPanels bounds the work of an integral.
	mostPanels = 1 << 14
	// mostHalved is how often a panel is halved.
	mostHalved = 40
)

// panel is a piece of the line with what it has of the mass and of the first two moments about the reference.
type panel struct {
	from, to float64
	moments  [3]float64
}

// logs evaluates the log-density at numbers: minus infinity at those that the model refuses, as outside of the support.
func (l *univariate) logs(x []float64) ([]float64, error) {
	rows := make([]float64, 0, len(x)*l.s.width)
	for _, v := range x {
		rows = append(append(rows, v), l.given...)
	}
	var d Density
	err := l.s.score(l.ctx, &d, rows)
	var bad *runtime.DataError
	if !errors.As(err, &bad) || bad.Column > 0 {
		return d.Log, err
	}
	if len(x) == 1 {
		return []float64{math.Inf(-1)}, nil
	}
	out := make([]float64, 0, len(x))
	for i := range x {
		one, err := l.logs(x[i : i+1])
		if err != nil {
			return nil, err
		}
		out = append(out, one...)
	}
	return out, nil
}

func (l *univariate) integrate() error {
	if l.entry.Integer {
		return l.add()
	}
	own, err := l.points()
	if err != nil {
		return err
	}
	if own < 1-tailMass {
		if err := l.locate(); err != nil {
			return err
		}
		if err := l.cover(); err != nil {
			return err
		}
	}
	var sum [3]float64
	for _, p := range l.panels {
		for k, x := range p.moments {
			sum[k] += x
		}
	}
	for i, p := range l.atoms {
		for k := range sum {
			sum[k] += p * math.Pow(l.entry.Atoms[i]-l.reference, float64(k))
		}
	}
	if l.total = sum[0]; !(math.Abs(l.total-1) <= massError+0.02*l.cut) {
		return fmt.Errorf("its density there has the total mass %v: it is none of the variable alone", l.total)
	}
	m, square := sum[1]/l.total, sum[2]/l.total
	l.mean, l.sd = l.reference+m, math.Sqrt(math.Max(square-m*m, 0))
	if first := l.tailShare(1); !(first <= massError) {
		l.mean = math.NaN()
	}
	if second := l.tailShare(2); !(second <= massError) {
		l.sd = math.NaN()
	}
	return nil
}

// points finds the probabilities of the numbers that have one of their own, and their sum.
func (l *univariate) points() (sum float64, err error) {
	if len(l.entry.Atoms) == 0 {
		return 0, nil
	}
	if l.atoms, err = l.logs(l.entry.Atoms); err != nil {
		return 0, err
	}
	for i, x := range l.atoms {
		if l.atoms[i] = math.Exp(x); math.IsNaN(l.atoms[i]) {
			return 0, fmt.Errorf("its probability of %v is not a number there", l.entry.Atoms[i])
		}
		sum += l.atoms[i]
	}
	return sum, nil
}

// tailShare is how much of a moment the outermost panels have, and those of numbers beyond all measure: a moment that does not exist has
// most of itself there.
func (l *univariate) tailShare(k int) float64 {
	const beyond = 100 // 1e43 times the scale
	whole, ends := 0.0, 0.0
	for i, p := range l.panels {
		part := math.Abs(p.moments[k])
		whole += part
		low := math.IsInf(l.entry.Smooth().Lo, -1) && (i == 0 || p.to < -beyond)
		if low || math.IsInf(l.entry.Smooth().Hi, 1) && (i == len(l.panels)-1 || p.from > beyond) {
			ends += part
		}
	}
	if whole == 0 {
		return 0
	}
	return ends / whole
}

// add sums over whole numbers, in blocks: upwards from the least one, or from 0 on both sides.
func (l *univariate) add() error {
	down := math.IsInf(l.entry.Lo, -1)
	if l.first = l.entry.Lo; down {
		l.first = 0
	}
	sum, second := 0.0, 0.0
	for size := 64; len(l.mass) < mostWhole; size = min(2*size, 1<<12) {
		last := l.first + float64(len(l.mass)) - 1
		above, err := l.block(last+1, math.Min(last+float64(size), l.entry.Hi))
		if err != nil {
			return err
		}
		var below []float64
		if down {
			if below, err = l.block(l.first-float64(size), l.first-1); err != nil {
				return err
			}
		}
		l.first -= float64(len(below))
		before := second
		for i, p := range below {
			v := l.first + float64(i)
			sum, second = sum+p, second+p*v*v
		}
		for i, p := range above {
			v := last + 1 + float64(i)
			sum, second = sum+p, second+p*v*v
		}
		l.mass = slices.Concat(below, l.mass, above)
		if len(above)+len(below) == 0 || sum > 1-massError && second-before <= tailMass*second {
			break
		}
	}
	if l.total = sum; !(math.Abs(sum-1) <= massError) {
		return fmt.Errorf("the probabilities of whole numbers below %v add up to %v there", l.first+float64(len(l.mass)), sum)
	}
	first, squares := 0.0, 0.0
	for i, p := range l.mass {
		first += p * (l.first + float64(i))
	}
	l.mean = first / sum
	for i, p := range l.mass {
		d := l.first + float64(i) - l.mean
		squares += p * d * d
	}
	l.sd = math.Sqrt(squares / sum)
	return nil
}

// block are the probabilities of the whole numbers from one to another.
func (l *univariate) block(from, to float64) ([]float64, error) {
	var x []float64
	for v := from; v <= to; v++ {
		x = append(x, v)
	}
	if len(x) == 0 {
		return nil, nil
	}
	logs, err := l.logs(x)
	if err != nil {
		return nil, err
	}
	for i, v := range x {
		if logs[i] = math.Exp(logs[i]); math.IsNaN(logs[i]) { // which would be added up for long
			return nil, fmt.Errorf("its probability of %v is not a number there", v)
		}
	}
	return logs, nil
}

// number is x at t, with the logarithm of dx/dt; not ok where floating point leaves the range.
func (l *univariate) number(t float64) (x, logSlope float64, ok bool) {
	u := l.centre + l.scale*math.Sinh(t)
	smooth := l.entry.Smooth()
	x = smooth.Link.Value(u)
	if slices.Contains(l.entry.Atoms, x) {
		x = math.Nextafter(x, math.Inf(1))
	}
	slope := smooth.Link.Slope(u, x)
	if !smooth.Contains(x) || !(slope > 0) || math.IsInf(slope, 0) {
		return 0, 0, false
	}
	return x, math.Log(slope) + math.Log(l.scale) + math.Log(math.Cosh(t)), true
}

// densities are those with respect to t.
func (l *univariate) densities(t []float64) (x, d []float64, err error) {
	x, d = make([]float64, len(t)), make([]float64, len(t))
	var inside []float64
	var at []int
	var slopes []float64
	for i, v := range t {
		if y, slope, ok := l.number(v); ok {
			x[i] = y
			inside, at, slopes = append(inside, y), append(at, i), append(slopes, slope)
		}
	}
	if len(inside) == 0 {
		return x, d, nil
	}
	logs, err := l.logs(inside)
	if err != nil {
		return nil, nil, err
	}
	for k, i := range at {
		if d[i] = math.Exp(logs[k] + slopes[k]); math.IsNaN(d[i]) {
			d[i] = 0
		}
	}
	return x, d, nil
}

// locate finds where the mass is: by draws, otherwise around the largest density on a grid.
func (l *univariate) locate() error {
	var u []float64
	for _, x := range l.seeds {
		if v := l.entry.Smooth().Link.Coordinate(x); !math.IsNaN(v) && !math.IsInf(v, 0) {
			u = append(u, v)
		}
	}
	slices.Sort(u)
	if n := len(u); n >= seedDraws/2 && u[3*n/4] > u[n/4] {
		l.centre, l.scale = u[n/2], (u[3*n/4]-u[n/4])/1.35
	} else if err := l.search(); err != nil {
		return err
	}
	l.reference = l.entry.Smooth().Link.Value(l.centre)
	return nil
}

// search looks for the largest density with respect to u on grids that become finer, and takes for the scale how far it is to where the
// density is lower by a factor of e.
func (l *univariate) search() error {
	l.centre, l.scale = 0, 1
	log := func(t []float64) ([]float64, error) {
		_, d, err := l.densities(t)
		for i := range d {
			d[i] /= math.Cosh(t[i])
		}
		return d, err
	}
	const points, rounds = 400, 12
	from, to, best := -25.0, 25.0, 0.0
	for range rounds {
		t := make([]float64, points+1)
		for i := range t {
			t[i] = from + (to-from)*float64(i)/points
		}
		d, err := log(t)
		if err != nil {
			return err
		}
		top := 0
		for i := range d {
			if d[i] > d[top] {
				top = i
			}
		}
		if !(d[top] > 0) {
			return fmt.Errorf("no place where it has a density was found")
		}
		best = t[top]
		step := (to - from) / points
		from, to = best-2*step, best+2*step
		down, err := log([]float64{from, best, to})
		if err != nil {
			return err
		}
		if down[0] > down[1]/math.E && down[2] > down[1]/math.E { // the grid sees its width
			width := step
			for width < 25 && (down[0] > down[1]/math.E || down[2] > down[1]/math.E) {
				width *= 1.5
				if down, err = log([]float64{best - width, best, best + width}); err != nil {
					return err
				}
			}
			l.centre, l.scale = math.Sinh(best), width*math.Cosh(best)
			return nil
		}
	}
	return fmt.Errorf("the density is too narrow to be found")
}

// cover integrates from the centre outwards until nothing is left.
func (l *univariate) cover() error {
	for _, x := range l.seeds {
		if t := math.Asinh((l.entry.Smooth().Link.Coordinate(x) - l.centre) / l.scale); !math.IsNaN(t) && !math.IsInf(t, 0) {
			l.at = append(l.at, t)
		}
	}
	slices.Sort(l.at)
	for _, side := range []float64{1, -1} {
		if err := l.cover1(side); err != nil {
			return err
		}
	}
	slices.SortFunc(l.panels, func(a, b panel) int { return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to)) })
	return nil
}

// cover1 integrates outwards on the side of this sign.
func (l *univariate) cover1(side float64) error {
	reach := 3.0
	for _, t := range l.at {
		reach = math.Max(reach, side*t+0.5)
	}
	var sums [3]float64
	width := 0.5
	for at := 0.0; at < 700; at += width {
		if at >= 4 {
			width = math.Min(at/4, 8)
		}
		from, to := side*at, side*(at+width)
		_, _, within := l.number(to)
		if !within {
			to = l.edge(from, to)
		}
		first := len(l.panels)
		if err := l.panel(math.Min(from, to), math.Max(from, to), mostHalved); err != nil {
			return err
		}
		if !within {
			return l.beyond(to)
		}
		small := at >= reach
		for k := range sums {
			part := 0.0
			for _, p := range l.panels[first:] {
				part += math.Abs(p.moments[k])
			}
			sums[k] += part
			small = small && part <= tailMass*sums[k]
		}
		if small {
			return nil
		}
	}
	return nil
}

// edgeMargin is how far in u from the last number the line ends: nearer to 1 neighbouring numbers are too far apart.
const edgeMargin = 5

// back is the t where u is nearer to the centre by so much.
func (l *univariate) back(t, by float64) float64 {
	return math.Asinh(math.Sinh(t) - math.Copysign(by/l.scale, t))
}

// edge is about the last t at which there is a number, between one where there is and one where there is none.
func (l *univariate) edge(inside, outside float64) float64 {
	for range 60 {
		middle := (inside + outside) / 2
		if _, _, ok := l.number(middle); ok {
			inside = middle
		} else {
			outside = middle
		}
	}
	if t := l.back(inside, edgeMargin); t*inside > 0 {
		return t
	}
	return inside
}

// beyond adds as a point what lies where floating point has left the range: the density with respect to u falls exponentially there.
func (l *univariate) beyond(edge float64) error {
	before := l.back(edge, edgeMargin)
	x, d, err := l.densities([]float64{edge, before})
	if err != nil {
		return err
	}
	end := d[0] / (l.scale * math.Cosh(edge))
	rate := (math.Log(d[1]/(l.scale*math.Cosh(before))) - math.Log(end)) / edgeMargin
	if end > 0 && rate > 0 {
		p, y := panel{from: edge, to: edge}, x[0]-l.reference
		l.cut += end / rate
		p.moments = [3]float64{end / rate, end / rate * y, end / rate * y * y}
		l.panels = append(l.panels, p)
	}
	return nil
}

// panel integrates from one t to another.
func (l *univariate) panel(from, to float64, depth int) error {
	p, wrong, err := l.kronrod(from, to)
	if err != nil {
		return err
	}
	if wrong <= 1e-11 && !l.missed(&p) || depth == 0 || len(l.panels) > mostPanels {
		l.panels = append(l.panels, p)
		return nil
	}
	middle := (from + to) / 2
	if err := l.panel(from, middle, depth-1); err != nil {
		return err
	}
	return l.panel(middle, to, depth-1)
}

// missed reports whether a panel has much less of the mass than of the draws, as where it is in a narrow place between nodes.
func (l *univariate) missed(p *panel) bool {
	first, _ := slices.BinarySearch(l.at, p.from)
	last, _ := slices.BinarySearch(l.at, p.to)
	return p.moments[0] < 0.01*float64(last-first)/seedDraws
}

// The nodes and weights of the rules of Gauss with 7 nodes and of Kronrod with 15 on [-1, 1] (Piessens et al., QUADPACK, 1983, qk15); the
// nodes of Gauss are every second one.
var (
	kronrodNodes = [8]float64{0.991455371120812639206854697526329, 0.949107912342758524526189684047851, 0.864864423359769072789712788640926,
		0.741531185599394439863864773280788, 0.586087235467691130294144691693013, 0.405845151377397166906606412076961,
		0.207784955007898467600689403773245, 0}
	kronrodWeights = [8]float64{0.022935322010529224963732008058970, 0.063092092629978553290700663189204, 0.104790010322250183839876322541518,
		0.140653259715525918745189590510238, 0.169004726639267902826583426598550, 0.190350578064785409913256402421014,
		0.204432940075298892414161999234649, 0.209482141084727828012999174891714}
	gaussWeights = [4]float64{0.129484966168869693270611432679082, 0.279705391489276667901467771423780, 0.381830050505118944950369775488975,
		0.417959183673469387755102040816327}
)

// kronrod is a panel as one piece, and how far the two rules differ in its mass and, relative to the scale, in its moments.
func (l *univariate) kronrod(from, to float64) (p panel, wrong float64, err error) {
	half, middle := (to-from)/2, (from+to)/2
	t := make([]float64, 15)
	for i, x := range kronrodNodes {
		t[i], t[14-i] = middle-half*x, middle+half*x
	}
	x, d, err := l.densities(t)
	if err != nil {
		return p, 0, err
	}
	p = panel{from: from, to: to}
	var gauss, size [3]float64
	for i := range t {
		j := min(i, 14-i)
		y := x[i] - l.reference
		value := half * d[i]
		if d[i] == 0 {
			y = 0
		}
		for k := range p.moments {
			p.moments[k] += kronrodWeights[j] * value
			size[k] += kronrodWeights[j] * math.Abs(value)
			if j%2 == 1 {
				gauss[k] += gaussWeights[j/2] * value
			}
			value *= y
		}
	}
	// Moments are relative to what the panel has of them, where its mass is no rounding.
	wrong = math.Abs(p.moments[0] - gauss[0])
	if p.moments[0] > tailMass {
		for k := 1; k <= 2; k++ {
			if size[k] > 0 {
				wrong = math.Max(wrong, p.moments[0]*math.Abs(p.moments[k]-gauss[k])/size[k])
			}
		}
	}
	return p, wrong, nil
}

// quantile is the smallest number that is not exceeded with probability p.
func (l *univariate) quantile(p float64) (float64, error) {
	if l.entry.Integer {
		sum := 0.0
		for i, mass := range l.mass {
			if sum += mass; sum >= p*l.total*(1-1e-12) {
				return l.first + float64(i), nil
			}
		}
		return l.first + float64(len(l.mass)-1), nil
	}
	want, lower := p*l.total, 0.0
	for i, x := range l.entry.Atoms {
		below, _, err := l.beside(x)
		if err != nil {
			return 0, err
		}
		if below >= want {
			break
		}
		if want <= below+l.atoms[i] || len(l.panels) == 0 {
			return x, nil
		}
		lower += l.atoms[i]
	}
	return l.smoothQuantile(want - lower)
}

// smoothQuantile is the number below which there is so much of the mass of those that have no probability of their own.
func (l *univariate) smoothQuantile(want float64) (float64, error) {
	below := make([]float64, len(l.panels)+1)
	for i, q := range l.panels {
		below[i+1] = below[i] + q.moments[0]
	}
	i := min(sort.SearchFloat64s(below, want), len(l.panels)) - 1
	if i < 0 {
		i = 0
	}
	q := l.panels[i]
	if q.from == q.to {
		x, _, _ := l.number(q.from)
		return x, nil
	}
	low, high, left := q.from, q.to, want-below[i]
	t := low + (high-low)*left/math.Max(q.moments[0], math.SmallestNonzeroFloat64)
	for range 60 { // Newton's method, within an interval that becomes shorter
		part, _, err := l.kronrod(q.from, t)
		if err != nil {
			return 0, err
		}
		off := part.moments[0] - left
		if math.Abs(off) <= 1e-15 {
			break
		}
		if off > 0 {
			high = t
		} else {
			low = t
		}
		_, d, err := l.densities([]float64{t})
		if err != nil {
			return 0, err
		}
		next := t - off/d[0]
		if !(next > low && next < high) {
			next = (low + high) / 2
		}
		if t, next = next, math.Abs(next-t); next <= 1e-14*(1+math.Abs(t)) {
			break
		}
	}
	x, _, _ := l.number(t)
	return x, nil
}
