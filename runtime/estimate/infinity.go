package estimate

import (
	"fmt"
	"math"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/types"
)

const (
	farther = 5.0  // in unconstrained coordinates: a factor of 150 for a positive parameter
	nothing = 1e-3 // in total log-likelihood: of no consequence to any inference
	beyond  = 25.0 // in unconstrained coordinates: 1e11 or 1e-11; no data put a parameter there
)

// noMaximum begins the message about an estimate at infinity.
const noMaximum = "the likelihood has no maximum: it still rises, ever more slowly, as "

// growsThere begins it where the likelihood has no bound either.
const growsThere = "the likelihood has no maximum: it grows without bound as "

// coordinate is an unconstrained coordinate of a parameter that is a number.
type coordinate struct {
	name  string
	entry *types.Entry // what the number is
}

// coordinates lists those of a model whose parameters are numbers.
func coordinates(info *runtime.Info) (cs []coordinate) {
	for _, i := range free(info) {
		cs = append(cs, coordinate{info.Parameters[i].Name, info.Parameters[i].Type.Entry})
	}
	return cs
}

// end says what lies beyond the end of a run, along the direction in which the likelihood is flattest.
type end struct {
	far   string // in words, where parameters go: the likelihood has no maximum
	level string // a warning: there is a maximum, but next to nothing speaks against infinity
}

// ways are how far along a direction the likelihood is compared.
var ways = [...]float64{0.5, 1, 2, farther}

// ray looks where parameters go, and whether the likelihood falls there: where moving farther along the flattest direction of
// the likelihood costs nothing at all, or where a parameter is beyond all bounds already and the likelihood is not curved,
// the estimate is at infinity. Where it costs little, but more than rounding, there is a maximum all the same. Where the
// likelihood is flat in several directions, which of them is the flattest is rounding: then single parameters are moved too, and
// at last with the others fitted again.
func ray(cs []coordinate, u runtime.Unconstrained, theta []float64, n float64) end {
	x := make([]float64, u.Dim())
	u.FromTheta(x, theta)
	d, unit, curvature := flattest(cs, u, x, n)
	if !(curvature > nothing) {
		if far := describe(cs, out(cs, x)); far != "" || math.IsNaN(curvature) {
			return end{far: far}
		}
	}
	found := look(cs, u, x, n, d, unit)
	if found == (end{}) && !(curvature > nothing) {
		for _, axis := range flatAxes(cs, x, information(u, x, n)) {
			if other := look(cs, u, x, n, axis, unit); other.far != "" {
				return other
			}
		}
		found.far = followed(cs, u, x, n)
	}
	if found.far == "" && !(curvature > nothing) {
		if far := followedFromNearer(cs, u, x, n); far != "" {
			return end{far: far}
		}
	}
	return found
}

// look is ray along one direction.
func look(cs []coordinate, u runtime.Unconstrained, x []float64, n float64, d, unit []float64) end {
	at := make([]float64, len(x))
	move := func(t float64) []float64 {
		for i := range at {
			at[i] = x[i] + t*d[i]*unit[i]
		}
		return at
	}
	loss, most := u.Loss(x), math.Inf(-1)
	for _, t := range ways {
		rise := n * (u.Loss(move(t)) - loss)
		if !(rise < nothing) { // NaN: the domain ends
			return end{}
		}
		most = math.Max(most, rise)
	}
	noise := n * math.Max(jitter(u, move, 0), jitter(u, move, farther))
	if where := describe(cs, d); most <= noise {
		return end{far: where}
	} else if where != "" {
		return end{level: fmt.Sprintf("next to nothing speaks against larger values: as %s, the log-likelihood falls by %.2g only", where, most)}
	}
	return end{}
}

// flatAxes are the directions, either way, of the parameters along which the likelihood is not curved. Real ones, which have
// no scale, are left out.
func flatAxes(cs []coordinate, x []float64, h *mat.SymDense) (axes [][]float64) {
	for k, c := range cs {
		if c.entry == types.Real || h.At(k, k) > nothing {
			continue
		}
		for _, sign := range []float64{math.Copysign(1, x[k]), -math.Copysign(1, x[k])} {
			axis := make([]float64, len(x))
			axis[k] = sign
			axes = append(axes, axis)
		}
	}
	return axes
}

// jitter is about how much of a loss is rounding, along a direction: the largest of some second differences over a distance
// at which the loss itself is straight, with a margin.
func jitter(u runtime.Unconstrained, move func(float64) []float64, from float64) float64 {
	const step, margin = 1e-6, 10
	var f [8]float64
	most := 0.0
	for i := range f {
		if f[i] = u.Loss(move(from + float64(i)*step)); i > 1 {
			most = math.Max(most, math.Abs(f[i]-2*f[i-1]+f[i-2]))
		}
	}
	return margin * math.Max(most, 0x1p-52*math.Abs(f[0]))
}

// out points to the ends of the domain that coordinates have reached. A real parameter has no scale to tell by.
func out(cs []coordinate, x []float64) []float64 {
	d := make([]float64, len(x))
	for k, c := range cs {
		if math.Abs(x[k]) > beyond && c.entry != types.Real {
			d[k] = math.Copysign(1, x[k])
		}
	}
	return d
}

// atEdge reports which parameters the likelihood would still change at a point where the coordinates of the surrogate
// have converged: then the point lies at the edge of what the map reaches.
func atEdge(info *runtime.Info, u runtime.Unconstrained, theta []float64, n float64) string {
	x, g := make([]float64, u.Dim()), make([]float64, u.Dim())
	u.FromTheta(x, theta)
	u.Gradient(g, x)
	reach := reaches(info, u, x, g, n)
	var names []string
	for k, i := range free(info) {
		if n*math.Abs(g[k])*reach[k] > nothing {
			names = append(names, info.Parameters[i].Name)
		}
	}
	return strings.Join(names, ", ")
}

// reaches are how far a step along each coordinate would go: a Newton step, or where the likelihood is not curved a
// factor of e, which a real parameter, having no scale, cannot take.
func reaches(info *runtime.Info, u runtime.Unconstrained, x, g []float64, n float64) []float64 {
	out := make([]float64, len(x))
	var chol mat.Cholesky
	var step mat.VecDense
	if chol.Factorize(information(u, x, n)) && chol.SolveVecTo(&step, mat.NewVecDense(len(g), g)) == nil {
		for k := range out {
			out[k] = n * math.Abs(step.AtVec(k))
		}
		return out
	}
	for k, i := range free(info) {
		if info.Parameters[i].Type.Entry != types.Real {
			out[k] = 1
		}
	}
	return out
}

// flattest returns the smallest eigenvalue of the observed information, NaN when it is undefined, and its eigenvector,
// scaled to a largest component of 1 in size and pointing away from the origin; both in the units of the coordinates.
func flattest(cs []coordinate, u runtime.Unconstrained, x []float64, n float64) (d, unit []float64, curvature float64) {
	h := information(u, x, n)
	unit = units(cs, h, x)
	for i := range unit {
		for j := range i + 1 {
			h.SetSym(i, j, unit[i]*h.At(i, j)*unit[j])
		}
	}
	var eigen mat.EigenSym
	if math.IsNaN(mat.Sum(h)) || math.IsInf(mat.Sum(h), 0) || !eigen.Factorize(h, true) {
		return nil, nil, math.NaN()
	}
	var vectors mat.Dense
	eigen.VectorsTo(&vectors)
	d = mat.Col(nil, 0, &vectors) // eigenvalues ascend
	k := 0
	for i := range d {
		if math.Abs(d[i]) > math.Abs(d[k]) {
			k = i
		}
	}
	scale := 1 / d[k]
	if x[k] < 0 {
		scale = -scale
	}
	for i := range d {
		d[i] *= scale
	}
	return d, unit, eigen.Values(nil)[0]
}

// farReal is how many times its own size the deviation of a real parameter is at most taken to be: one that the data leave
// more uncertain is on its way to infinity.
const farReal = 1e3

// units are the units of the coordinates. Logarithms and logits have none; real parameters that of their standard
// deviation, given the others, where it is above 1.
func units(cs []coordinate, information *mat.SymDense, x []float64) []float64 {
	out := make([]float64, len(x))
	for k, c := range cs {
		out[k] = 1
		if h := information.At(k, k); c.entry == types.Real && h > 0 {
			out[k] = math.Min(math.Max(1, 1/math.Sqrt(h)), farReal*(1+math.Abs(x[k])))
		}
	}
	return out
}

// limitInWords is an end of a range.
func limitInWords(end float64) string {
	switch {
	case math.IsInf(end, 1):
		return "infinity"
	case math.IsInf(end, -1):
		return "minus infinity"
	}
	return fmt.Sprint(end)
}

// describe says where the parameters go along a direction.
func describe(cs []coordinate, d []float64) string {
	var goes []string
	for k, c := range cs {
		if math.Abs(d[k]) < 0.1 {
			continue
		}
		end := c.entry.Hi
		if d[k] < 0 {
			end = c.entry.Lo
		}
		goes = append(goes, fmt.Sprintf("%s goes to %s", c.name, limitInWords(end)))
	}
	return strings.Join(goes, " and ")
}
