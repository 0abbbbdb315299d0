package support

import (
	"fmt"

	"github.com/sngdgen/sngdgen/runtime"
)

// Filled gives a new model its data.
func Filled[M runtime.Model](m M, d runtime.Data) (M, error) {
	if err := m.SetData(d); err != nil {
		var none M
		return none, err
	}
	return m, nil
}

// FilledMixture gives a new model of a mixture its number of components and its data.
func FilledMixture[M mixture](m M, d runtime.Data, components int) (M, error) {
	if err := m.SetComponents(components); err != nil {
		var none M
		return none, err
	}
	return Filled(m, d)
}

// mixture is a model of a mixture.
type mixture interface {
	runtime.Model
	runtime.Mixture
}

// ThetaAt returns the parameters of the target at z, one after the other.
func ThetaAt(m runtime.Model, z []float64) []float64 {
	n := 0
	for _, p := range m.Info().Parameters {
		n += p.Len(m)
	}
	theta := make([]float64, n)
	m.Theta(theta, z)
	return theta
}

// WithAllRows is a copy of a model, which sees all rows of the data that the two share, if there are any.
func WithAllRows(clone interface {
	runtime.Model
	runtime.Batcher
}) runtime.Model {
	if rows, _, _ := clone.Counts(); rows > 0 {
		clone.Batch(nil)
	}
	return clone
}

// Inside returns an error where z lies outside the domain.
func Inside(m runtime.Model, z []float64) error { return inside(m, z, "") }

// StartInside is Inside for a point that the data have led to.
func StartInside(m runtime.Model, z []float64) error { return inside(m, z, " on these data") }

func inside(m runtime.Model, z []float64, where string) error {
	if violated := m.Violation(z); violated >= 0 {
		return fmt.Errorf("outside the domain%s: %s does not hold", where, m.Conditions()[violated].Text)
	}
	return nil
}
