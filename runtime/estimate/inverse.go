package estimate

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/sngdgen/sngdgen/runtime"
)

// A fit of a likelihood starts from the parameters of a former one. There are formulas from coordinates to parameters only, and what
// coordinates mean may depend on the data, as the origin of moments does. So the former coordinates are tried, and from there, or from the
// first start, Levenberg and Marquardt's method goes to where the parameters are.

// Components returns the number of components of a mixture that the former result has, 0 where it has none or the model is no mixture.
func (p *Point) Components(m runtime.Model) int {
	if _, mixture := m.(runtime.Mixture); p == nil || !mixture {
		return 0
	}
	for _, v := range p.Parameters { // the weights come first in Theta
		if v.Name == m.Info().Parameters[0].Name && len(v.Shape) == 1 {
			return v.Shape[0]
		}
	}
	return 0
}

// setComponents sets the number of components to that of the former result where nobody has said it.
func (p *Point) setComponents(m runtime.Model, r *Settings) error {
	k := p.Components(m)
	if k > 0 && r.Components != 0 && r.Components != k {
		return fmt.Errorf("the former result has %d components, not %d", k, r.Components)
	}
	r.Components = max(r.Components, k)
	return nil
}

// at is the start of a likelihood there.
func (p *Point) at(m runtime.Model, z []float64) error {
	own := m.Clone()
	sizes := slices.Clone(own.Sizes())
	want, err := (&Fitted{Problem: p.Problem, Target: p.Target, Parameters: p.Parameters}).On(own)
	switch {
	case err != nil:
		return fmt.Errorf("the former result cannot be a start: %w", err)
	case !slices.Equal(sizes, own.Sizes()):
		return errors.New("the former result has parameters of other lengths than these data")
	case len(p.order) > 0:
		want = permuted(m, want, unordered(p.order))
	}
	l := &inversion{m: m, want: want, z: z}
	if len(p.Coordinates) == len(z) && p.Surrogate == m.Info().Surrogate && allNumbers(p.Coordinates) && m.Violation(p.Coordinates) < 0 {
		copy(z, p.Coordinates)
	} else if err := m.Start(z, 0, runtime.Stream(0, "inverse")); err != nil {
		return err
	}
	return l.run()
}

// unordered is a permutation of numbers from 1 the other way round, from 0.
func unordered(order []int) []int {
	if len(order) == 0 {
		return nil
	}
	out := make([]int, len(order))
	for to, from := range order {
		if from < 1 || from > len(order) {
			return nil
		}
		out[from-1] = to
	}
	return out
}

// inversion looks for coordinates of given parameters.
type inversion struct {
	m     runtime.Model
	want  []float64
	z     []float64
	moves [][]int // coordinates that are moved together: the two of an entry of a symmetric matrix
}

const (
	// mostInverted bounds the numbers of a Jacobian.
	mostInverted = 1 << 22
	// invertedTo is how near parameters come, relative to their sizes.
	invertedTo = 1e-9
)

var errNotReached = errors.New("no coordinates of the surrogate have the parameters of the former result")

// run leaves the coordinates in z.
func (l *inversion) run() error {
	r := make([]float64, len(l.want))
	now := l.residual(r, l.z)
	if math.IsInf(now, 1) {
		return errNotReached
	}
	if now <= invertedTo {
		return nil
	}
	l.moves = movesOf(l.m)
	if len(l.moves)*len(r) > mostInverted {
		return fmt.Errorf("%d coordinates are too many to be found from parameters", len(l.moves))
	}
	damping := 1e-3
	j := mat.NewDense(len(r), len(l.moves), nil)
	next, trial := make([]float64, len(l.z)), make([]float64, len(r))
	for range 200 {
		l.jacobian(j)
		for {
			if !l.step(next, j, r, damping) {
				return errNotReached
			}
			if after := l.residual(trial, next); after < now {
				copy(l.z, next)
				copy(r, trial)
				now, damping = after, math.Max(damping/10, 1e-15)
				break
			}
			if damping *= 4; damping > 1e12 {
				return errNotReached
			}
		}
		if now <= invertedTo {
			return nil
		}
	}
	return errNotReached
}

// movesOf lists the coordinates of a problem that may be moved, each with those that move with it: the two of an entry of a symmetric
// matrix.
func movesOf(p runtime.Problem) (moves [][]int) {
	for _, b := range p.Blocks() {
		copies, length := b.Parts()
		for c := range copies {
			at, side := b.Offset+c*length, int(math.Round(math.Sqrt(float64(length))))
			for i := range length {
				row, column := 0, 0
				if b.Symmetric || b.Lower {
					row, column = i/side, i%side
				}
				switch {
				case column > row:
				case b.Symmetric && column < row:
					moves = append(moves, []int{at + i, at + column*side + row})
				default:
					moves = append(moves, []int{at + i})
				}
			}
		}
	}
	return moves
}

// residual writes how far the parameters at z are from those that are wanted, in units of their sizes, and returns the length; infinity
// outside the domain.
func (l *inversion) residual(r, z []float64) float64 {
	if l.m.Violation(z) >= 0 {
		return math.Inf(1)
	}
	l.m.Theta(r, z)
	sum, at := 0.0, 0
	for i := range l.m.Info().Parameters {
		n := l.m.Info().Parameters[i].Len(l.m)
		scale := 0.0
		for _, x := range l.want[at : at+n] {
			scale = math.Max(scale, math.Abs(x))
		}
		if scale == 0 {
			scale = 1
		}
		for k := at; k < at+n; k++ {
			r[k] = (r[k] - l.want[k]) / scale
			sum += r[k] * r[k]
		}
		at += n
	}
	if math.IsNaN(sum) {
		return math.Inf(1)
	}
	return math.Sqrt(sum)
}

// jacobian takes differences along every move.
func (l *inversion) jacobian(j *mat.Dense) {
	rows, _ := j.Dims()
	up, down, z := make([]float64, rows), make([]float64, rows), slices.Clone(l.z)
	for k, move := range l.moves {
		h := 1e-6 * math.Max(math.Abs(l.z[move[0]]), 1e-3)
		shift := func(by float64) {
			for _, i := range move {
				z[i] = l.z[i] + by
			}
		}
		shift(h)
		above := l.residual(up, z)
		shift(-h)
		below := l.residual(down, z)
		width := 2 * h
		if math.IsInf(above, 1) || math.IsInf(below, 1) { // at the end of the domain
			width = h
			if math.IsInf(above, 1) {
				shift(0)
				l.residual(up, z)
			} else {
				shift(0)
				l.residual(down, z)
			}
		}
		shift(0)
		for i := range rows {
			j.Set(i, k, (up[i]-down[i])/width)
		}
	}
}

// step writes where a damped step leads, with every coordinate in the units of its column.
func (l *inversion) step(next []float64, j *mat.Dense, r []float64, damping float64) bool {
	n := len(l.moves)
	var gram mat.SymDense
	gram.SymOuterK(1, j.T())
	for k := range n {
		gram.SetSym(k, k, gram.At(k, k)*(1+damping)+math.SmallestNonzeroFloat64)
	}
	var right, by mat.VecDense
	right.MulVec(j.T(), mat.NewVecDense(len(r), r))
	var c mat.Cholesky
	if !c.Factorize(&gram) {
		for k := range n { // coordinates that parameters do not depend on
			gram.SetSym(k, k, gram.At(k, k)+1e-12+damping)
		}
		if !c.Factorize(&gram) {
			return false
		}
	}
	if err := c.SolveVecTo(&by, &right); err != nil && by.Len() == 0 {
		return false
	}
	copy(next, l.z)
	for k, move := range l.moves {
		for _, i := range move {
			next[i] -= by.AtVec(k)
		}
	}
	return allNumbers(next)
}
