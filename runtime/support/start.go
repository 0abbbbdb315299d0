package support

import (
	"errors"
	"fmt"
	"math/rand/v2"

	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/grouping"
)

// Start is a starting point of a model: a function that computes it from the data, or one that draws it.
type Start[M any] struct {
	From func(p M, z []float64)
	Draw func(p M, z []float64, rng *rand.Rand)
	By   grouping.Kind // how rows are put into groups before
}

// write runs the function.
func (s Start[M]) write(p M, z []float64, rng *rand.Rand) {
	if s.Draw != nil {
		s.Draw(p, z, rng)
		return
	}
	s.From(p, z)
}

// at is starting point i: those that are computed come first, and all behind them are drawn, if one is.
func at[M any](starts []Start[M], i int) (Start[M], error) {
	if i >= 0 && i < len(starts) {
		return starts[i], nil
	}
	if last := len(starts) - 1; last >= 0 && starts[last].Draw != nil {
		return starts[last], nil
	}
	return Start[M]{}, fmt.Errorf("there is no start %d: the spec has %d, and none that is random", i, len(starts))
}

// StartAt writes starting point i to z. An error says what condition of the domain it violates.
func StartAt[M runtime.Model](p M, starts []Start[M], z []float64, i int, rng *rand.Rand) error {
	s, err := at(starts, i)
	if err != nil {
		return err
	}
	s.write(p, z, rng)
	return StartInside(p, z)
}

// Grouped is what the starts of a mixture need of it: its rows, and where its functions read the groups of these.
type Grouped struct {
	X          []float64 // all that is observed, row by row
	Weights    *Weights
	Columns    int // of X
	Components int
	Labels     *[]float64 // written: the group of every row
	Blend      *float64   // written: how much of all rows is mixed into each group
}

// group puts the rows into groups: with a generator, or always in the same way where it is nil.
func (g Grouped) group(by grouping.Kind, rng *rand.Rand) error {
	*g.Labels = Grow(*g.Labels, g.Weights.Len())
	if by == grouping.Slices {
		return Slices(*g.Labels, g.X, g.Weights.Given(), g.Components)
	}
	return Clusters(*g.Labels, g.X, g.Weights.Given(), g.Columns, g.Components, rng)
}

// blended writes a start with more and more of all rows in each group, and reports whether one lies in the domain.
func blended[M runtime.Model](p M, s Start[M], blend *float64, shares []float64, z []float64, rng *rand.Rand) bool {
	for _, *blend = range shares {
		if s.write(p, z, rng); p.Violation(z) < 0 {
			return true
		}
	}
	return false
}

// StartMixture is StartAt for a mixture, which starts from groups of its rows.
func StartMixture[M runtime.Model](p M, g Grouped, starts []Start[M], z []float64, i int, rng *rand.Rand) error {
	s, err := at(starts, i)
	switch {
	case err != nil:
		return err
	case s.By == grouping.None:
		return StartAt(p, starts, z, i, rng)
	case s.Draw == nil:
		rng = nil
	}
	if err := g.group(s.By, rng); err != nil {
		return err
	}
	if blended(p, s, g.Blend, s.By.Blends(), z, rng) {
		return nil
	}
	return StartInside(p, z)
}

// StartFrom writes starting point i of a mixture, one that is computed, to z, of the groups in labels: for each of the distinct rows the number
// of its group, from 0, as a component has it.
func StartFrom[M runtime.Model](p M, g Grouped, starts []Start[M], z, labels []float64, i int) error {
	if len(labels) != g.Weights.Len() {
		return fmt.Errorf("%d labels of %d distinct rows", len(labels), g.Weights.Len())
	}
	if i < 0 || i >= len(starts) || starts[i].Draw != nil {
		return fmt.Errorf("there is no start %d from groups: those that are drawn are not, and the spec has %d in all", i, len(starts))
	}
	*g.Labels = append((*g.Labels)[:0], labels...)
	if !blended(p, starts[i], g.Blend, grouping.Given(), z, nil) {
		return errors.New("the start from these groups is outside the domain")
	}
	return nil
}
