package estimate

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/baseline"
	"github.com/sngdgen/sngdgen/runtime/types"
)

// Where parameters are vectors or matrices, package runtime looks for auxiliary blocks that go to infinity (see Negligible
// in its Settings); that works with factors instead of distances, and so needs no scale. The coordinates of the surrogate
// have no place to go: at the ends of their domain the family degenerates, and the run fails with a message about it.

// negligible is the change of the mean loss that matters to no inference from n observations; 0, which stands for not
// looking, where parameters are numbers: atInfinity looks at the curvature of the likelihood there.
func negligible(m runtime.Model, n float64) float64 {
	if m.Unconstrained() != nil {
		return 0
	}
	return nothing / n
}

// unbounded reports in words which blocks have gone to infinity where a run ended; "" when none have. Alone is whether it is one of several
// coordinates, of which the words say no more than that, or none that is a parameter, whose name says nothing to a reader. Methods that do not look by themselves, and runs that failed, perhaps for this reason, are
// looked at here.
func unbounded(ctx context.Context, m runtime.Model, v *view, res *runtime.Result, negligible float64) (words string, alone bool) {
	if negligible == 0 {
		return "", false
	}
	blocks := res.Unbounded
	if len(blocks) == 0 {
		noSteps := &runtime.Settings{MaxIterations: -1, Negligible: negligible}
		look, err := runtime.Minimize(ctx, v.watched, res.Z, noSteps)
		if err != nil {
			return "", false
		}
		blocks = look.Unbounded
	}
	var goes []string
	for _, b := range v.Blocks() {
		if slices.Contains(blocks, b.Name) {
			goes = append(goes, v.direction(m, b, res.Z))
			alone = b.Len > 1 || parameter(m.Info(), b.Name) == nil
		}
	}
	return strings.Join(goes, " and "), alone && len(goes) == 1
}

// direction says where a block goes. In unconstrained coordinates it has the name of the parameter whose coordinates it is; in those of a surrogate it may have a name of its own, which
// says nothing to a reader: then the parameters that depend on it are named.
func (v *view) direction(m runtime.Model, b runtime.Block, z []float64) string {
	own := z[b.Offset : b.Offset+b.Len]
	p := parameter(m.Info(), b.Name)
	if p == nil {
		if words := v.driven(m, b, z); words != "" {
			return words
		}
	}
	entry := types.Real
	if v.u != nil && p != nil {
		entry = p.Type.Entry
		if p.Shape != nil && entry != types.Real || p.Type.Form.Structure != 0 {
			return b.Name + endOfDomain
		}
	}
	if b.Len > 1 {
		return lengthOf(b.Name)
	}
	return describe([]coordinate{{b.Name, entry}}, []float64{math.Copysign(1, own[0])})
}

const endOfDomain = " goes to the end of its domain"

func lengthOf(name string) string { return "the length of " + name + " goes to infinity" }

// driven says where the parameters go that depend on a block, as all of it grows; "" where none does.
func (v *view) driven(m runtime.Model, b runtime.Block, z []float64) string {
	const grows = 1 + 1e-3
	n := 0
	for i := range m.Info().Parameters {
		n += m.Info().Parameters[i].Len(m)
	}
	from, to, farther := make([]float64, n), make([]float64, n), slices.Clone(z)
	floats.Scale(grows, farther[b.Offset:b.Offset+b.Len])
	v.theta(from, m, z)
	v.theta(to, m, farther)
	var goes []string
	for i := range m.Info().Parameters {
		p := &m.Info().Parameters[i]
		count := p.Len(m)
		before, after := from[:count], to[:count]
		from, to = from[count:], to[count:]
		switch {
		case slices.Equal(before, after):
		case p.Shape == nil:
			goes = append(goes, describe([]coordinate{{p.Name, p.Type.Entry}}, []float64{math.Copysign(1, after[0]-before[0])}))
		case p.Type.Entry == types.Real && p.Type.Form.Lo == p.Type.Form.Hi:
			goes = append(goes, lengthOf(p.Name))
		default:
			goes = append(goes, p.Name+endOfDomain)
		}
	}
	return strings.Join(goes, " and ")
}

// chartRay is ray where all parameters are numbers but the observations are not, and for mixtures of what has numbers for
// parameters, where all components are sound: those that have died may go anywhere. Where there are vectors too, as in regressions, only
// single parameters are followed: of real vectors a search for directions of recession knows more.
func chartRay(m runtime.Model, u *endPoint, theta []float64, n float64) end {
	if u == nil || u.Dim() > mostFree {
		return end{}
	}
	cs, _, vectors := chartNumbers(m, u)
	if cs == nil {
		return end{}
	}
	if vectors {
		return end{far: followed(cs, u, u.x, n)}
	}
	return ray(cs, u, theta, n)
}

// chartNumbers lists the coordinates of a model whose parameters are numbers, or vectors, with the component of a mixture that has each, -1 where
// none has; nil where there are matrices. Vectors is whether one component has vectors.
func chartNumbers(m runtime.Model, u runtime.Unconstrained) (cs []coordinate, of []int, vectors bool) {
	for _, b := range baseline.Euclidean(u).Blocks() {
		p := parameter(m.Info(), b.Name)
		weights := p.Type.Form.Has(types.SumsToOne) && !p.Components
		vectors = vectors || p.Component().Shape != nil && !weights
		_, _, each := parts(m, p)
		for c := range b.Len {
			component := -1
			if p.Components {
				component = c / each
			}
			of = append(of, component)
			if weights { // their log odds
				cs = append(cs, coordinate{fmt.Sprintf("the weight of component %d", c+1), types.Unit})
				continue
			}
			if p.Type.Form != types.Number && p.Type.Form != types.Vector {
				return nil, nil, false
			}
			cs = append(cs, coordinate{entryName(m, p, c), p.Type.Entry})
		}
	}
	return cs, of, vectors
}

// shapedEdge is atEdge where parameters are vectors or matrices: it reports along which parameters that are numbers the
// likelihood would still rise where a run has gone to infinity, or has converged because the map ends.
func shapedEdge(m runtime.Model, r *Settings, best *attempt, n float64) string {
	rises := risesBeyond
	switch {
	case best.far != "":
	case best.res.Status.Converged() && !r.unconstrained() && endOfMap(m, best.res.Z, best.theta):
		rises = slopes
	default:
		return ""
	}
	u := best.here
	var names []string
	for _, b := range u.such(m, isNumber) {
		p := parameter(m.Info(), b.Name)
		for c := range b.Len {
			if rises(u, u.x, b.Offset+c, n) {
				names = append(names, nameOf(p, c))
			}
		}
	}
	return strings.Join(names, ", ")
}

// isNumber is whether a parameter is a number whose unconstrained coordinate is a logarithm or a logit.
func isNumber(p *runtime.Parameter) bool {
	return p.Type.Form == types.Number && p.Type.Entry != types.Real
}

// isVectorOf is whether a parameter is a vector of such numbers.
func isVectorOf(entry *types.Entry) func(p *runtime.Parameter) bool {
	return func(p *runtime.Parameter) bool { return p.Type == types.Vector.Of(entry) }
}

// flatOut names the numbers that have gone so far that the likelihood does not fall any more, however far they go on, while it does on the way back: what is
// there is a limit, and no maximum. One that is so far out that the way back to where the likelihood falls is too long, or what is left of floating point too short, is looked at from nearer, if
// the likelihood is as high there as the run had it at its end, where coordinates may have none.
func flatOut(m runtime.Model, u *endPoint, ended, n float64) string {
	if u == nil || u.Dim() > mostFree {
		return ""
	}
	x, at := u.x, slices.Clone(u.x)
	for _, b := range u.such(m, func(p *runtime.Parameter) bool { return isNumber(p) || isVectorOf(types.Positive)(p) }) {
		p := parameter(m.Info(), b.Name)
		for k := b.Offset; k < b.Offset+b.Len; k++ {
			for _, way := range []float64{1, -1} {
				from := x[k]
				move := func(t float64) []float64 {
					at[k] = from + way*t
					return at
				}
				flat := n*(u.aside(k, way)-u.Loss(x)) < nothing && fallsOnlyBack(u, move, n)
				if from = way * drawnTo; !flat && way*x[k] > drawnFrom && n*(u.Loss(move(0))-ended) < nothing {
					flat = fallsOnlyBack(u, move, n)
				}
				if flat {
					return describe([]coordinate{{entryName(m, p, k-b.Offset), p.Type.Entry}}, []float64{way})
				}
			}
			at[k] = x[k]
		}
	}
	return ""
}

// fallsOnlyBack reports whether the likelihood falls by no more than rounding along a way, as far as it is looked at, and does on the way back.
func fallsOnlyBack(u runtime.Unconstrained, move func(t float64) []float64, n float64) bool {
	loss := u.Loss(move(0))
	fall := func(t float64) float64 { return u.Loss(move(t)) - loss }
	if !(n*fall(1) < nothing) {
		return false
	}
	noise := math.Max(roundingOf*(1+math.Abs(loss)), math.Max(jitter(u, move, 0), jitter(u, move, farther)))
	for t := 0.25; t <= mostAlong; t *= 2 {
		if !(fall(t) <= noise) { // NaN: the domain ends
			return false
		}
	}
	for t := 0.25; t <= mostAlong; t *= 2 {
		if n*fall(-t) > nothing {
			return true
		}
	}
	return false
}

// mostAlong is how far fallsOnlyBack looks, in logarithms and logits: 1e27 times.
const mostAlong = 64

// waysAside are how far from its end a run is looked at along logarithms and logits, which have no units.
var waysAside = []float64{-1, -0.1, 0.1, 1}

// risesBeyond reports whether the likelihood is clearly higher some way along a coordinate, which is the logarithm or the
// logit of a parameter.
func risesBeyond(u runtime.Unconstrained, x []float64, k int, n float64) bool {
	here, f := x[k], u.Loss(x)
	least := f
	for _, step := range waysAside {
		x[k] = here + step
		least = math.Min(least, u.Loss(x))
	}
	x[k] = here
	return n*(f-least) > 10*nothing
}

// scaleRises names the vectors of positive numbers at whose multiples the likelihood is clearly higher: on rows that are all
// the same, say, coordinates may come so far out that their gradient is 0 to the last digit.
func scaleRises(m runtime.Model, u *endPoint, n float64) string {
	var names []string
	for _, b := range u.such(m, isVectorOf(types.Positive)) {
		loss := u.Loss(u.x)
		if slices.ContainsFunc(waysAside, func(step float64) bool {
			at := slices.Clone(u.x)
			floats.AddConst(step, at[b.Offset:b.Offset+b.Len])
			return n*(loss-u.Loss(at)) > 10*nothing
		}) {
			names = append(names, b.Name)
		}
	}
	return strings.Join(names, ", ")
}

// slopes reports whether the likelihood is not stationary along a coordinate: whether a Newton step, or where it is not
// curved the step 1, times the slope matters. A point where the coordinates of the surrogate have converged is stationary
// unless the map ends there.
func slopes(u runtime.Unconstrained, x []float64, k int, n float64) bool {
	const h = 1e-5
	g, here := make([]float64, len(x)), x[k]
	slope := func(step float64) float64 {
		x[k] = here + step
		u.Gradient(g, x)
		return g[k]
	}
	curvature := (slope(h) - slope(-h)) / (2 * h)
	s := math.Abs(slope(0))
	reach := 1.0
	if curvature > 0 {
		reach = s / curvature
	}
	return n*s*reach > nothing
}

// sameTheta is the relative change of parameters that is none.
const sameTheta = 1e-6

// endOfMap reports whether a number of the map may be four times as far out at the same parameters of the target: then the
// coordinates may have converged because the map ends there, whatever the likelihood does.
func endOfMap(m runtime.Model, z, theta []float64) bool {
	at, far := slices.Clone(z), make([]float64, len(theta))
	same := func(x, y float64) bool { return math.Abs(x-y) <= sameTheta*math.Abs(y) }
	for _, b := range m.Blocks() {
		if _, each := b.Parts(); !b.Auxiliary || each != 1 {
			continue
		}
		for i := b.Offset; i < b.Offset+b.Len; i++ {
			at[i] = 4 * z[i]
			m.Theta(far, at)
			at[i] = z[i]
			if z[i] != 0 && slices.EqualFunc(far, theta, same) {
				return true
			}
		}
	}
	return false
}

// singularShare is the share of the variance of an entry of a vector, given those before it, at which a matrix is singular
// but for rounding.
const singularShare = 1e-13

// singular reports which positive definite matrices are singular at theta but for rounding.
func singular(m runtime.Model, theta []float64) string {
	var names []string
	for i := range m.Info().Parameters {
		p := &m.Info().Parameters[i]
		one, count, each := parts(m, p)
		for c := range count {
			if definite(p) && leastShare(theta[:each], one.Shape[0].Len(m)) <= singularShare {
				names = append(names, nameOf(p, c))
			}
			theta = theta[each:]
		}
	}
	return strings.Join(names, ", ")
}

// definite reports whether a parameter that is estimated is a positive definite matrix, or several of them.
func definite(p *runtime.Parameter) bool {
	return !p.Known && p.Type.Form.Has(types.PositiveDefinite)
}

// nameOf returns the name of a parameter, with the component that has it.
func nameOf(p *runtime.Parameter, component int) string {
	if !p.Components {
		return p.Name
	}
	return fmt.Sprintf("%s of component %d", p.Name, component+1)
}

// leastShare is the smallest square of a pivot of the Cholesky factor of a d x d matrix, scaled to be 1 on the diagonal; 0
// where there is none.
func leastShare(a []float64, d int) float64 {
	scaled := mat.NewSymDense(d, nil)
	for i := range d {
		for j := range i + 1 {
			scaled.SetSym(i, j, a[i*d+j]/math.Sqrt(a[i*d+i])/math.Sqrt(a[j*d+j]))
		}
	}
	var chol mat.Cholesky
	if !chol.Factorize(scaled) {
		return 0
	}
	var l mat.TriDense
	chol.LTo(&l)
	least := 1.0
	for i := range d {
		least = math.Min(least, l.At(i, i)*l.At(i, i))
	}
	return least
}
