package estimate

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/sngdgen/sngdgen/runtime"
)

// Point is the outcome of a fit, for another one to start from.
type Point struct {
	Problem     string    `json:"problem"`
	Target      string    `json:"target"`
	Surrogate   string    `json:"surrogate"`
	Coordinates []float64 `json:"coordinates"` // of the surrogate
	// Lengths are those of the dimensions, where they are known: fewer groups may occur in other data.
	Lengths map[string]int `json:"dimensions,omitempty"`
	// Parameters are those of the target there, in any order: where there are any, they must be those of the coordinates.
	Parameters Values `json:"-"`

	order []int // of the components of a mixture in Parameters: see Report.Order
}

// Point is where the run ended.
func (a *Approximation) Point() *Point {
	p := &Point{Problem: a.Problem, Target: a.Target, Surrogate: a.Surrogate, Parameters: a.Parameters}
	for _, z := range a.Coordinates {
		p.Coordinates = append(p.Coordinates, float64(z))
	}
	for _, d := range a.Dimensions {
		if p.Lengths == nil {
			p.Lengths = map[string]int{}
		}
		p.Lengths[d.Name] = d.Len
	}
	return p
}

// Measure gives a model the lengths of the dimensions, where the point has all of them. The model loses its data.
func (p *Point) Measure(m runtime.Model) error {
	sizes := make([]int, len(m.Info().Dims))
	for i, name := range m.Info().Dims {
		if sizes[i] = p.Lengths[name]; sizes[i] == 0 {
			return nil
		}
	}
	if len(sizes) == 0 {
		return nil
	}
	return m.Resize(sizes)
}

// sameWritten is how closely parameters that are written agree with those of the coordinates, relative to the largest of
// their kind: what a few digits of a decimal number make.
const sameWritten = 1e-6

// check reports a point that is none of the model.
func (p *Point) check(m runtime.Variational) error {
	info := m.Info()
	switch n := dimension(m); {
	case p.Problem != info.Name:
		return fmt.Errorf("the former result is one of %s, not of %s", p.Problem, info.Name)
	case p.Target != info.Target || p.Surrogate != info.Surrogate:
		return fmt.Errorf("the former result is a %s by a %s, but %s is fitted as a %s by a %s", p.Target, p.Surrogate,
			info.Name, info.Target, info.Surrogate)
	case len(p.Coordinates) == 0:
		return errors.New("the former result has no coordinates")
	case len(p.Coordinates) != n:
		return fmt.Errorf("the former result has %d coordinates, but the problem has %d with these data\n"+
			"hint: its latent variables had other lengths, or it was a mixture of another number of components", len(p.Coordinates), n)
	case slices.ContainsFunc(p.Coordinates, func(z float64) bool { return math.IsNaN(z) || math.IsInf(z, 0) }):
		return errors.New("the coordinates of the former result are not all finite")
	}
	if i := m.Violation(p.Coordinates); i >= 0 {
		return fmt.Errorf("the coordinates of the former result are outside the domain, in block %s", m.Blocks()[i].Name)
	}
	theta := make([]float64, thetaLen(m))
	m.Theta(theta, p.Coordinates)
	for _, now := range values(m, theta) {
		i := slices.IndexFunc(p.Parameters, func(v Value) bool { return v.Name == now.Name })
		if p.Parameters != nil && (i < 0 || !now.near(&p.Parameters[i])) {
			return fmt.Errorf("the coordinates of the former result are not those of its parameters, as %s shows", now.Name)
		}
	}
	return nil
}

// near reports whether two values are the same but for a few digits.
func (v *Value) near(other *Value) bool {
	if !slices.Equal(v.Shape, other.Shape) {
		return false
	}
	a, b := Values{*v}.flat(), Values{*other}.flat()
	scale := 0.0
	for _, x := range a {
		scale = math.Max(scale, math.Abs(x))
	}
	for i, x := range a {
		if !(math.Abs(x-b[i]) <= sameWritten*scale) {
			return false
		}
	}
	return true
}

// from is the start there.
func (p *Point) from(_ runtime.Model, z []float64) error {
	copy(z, p.Coordinates)
	return nil
}
