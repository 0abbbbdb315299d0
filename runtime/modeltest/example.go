package modeltest

import (
	"math/rand/v2"

	"github.com/sngdgen/sngdgen/runtime"
)

// New returns a model of a generated package that has no data yet.
func New[M any, P interface {
	*M
	runtime.Model
}]() runtime.Model {
	return P(new(M))
}

// MadeUp is a model with data that are made up, for the examples of generated packages: see MakeUp. It panics where there are none.
func MadeUp[M runtime.Model](m M) M {
	if err := MakeUp(m); err != nil {
		panic(err)
	}
	return m
}

// MakeUp gives a model data that are made up. Vectors have two entries, or three that sum to 1, and
// mixtures two components.
func MakeUp(m runtime.Model) error {
	const rows = 300
	rng := rand.New(rand.NewPCG(11, 12))
	if err := setComponents(m); err != nil {
		return err
	}
	if v, ok := m.(runtime.Variational); ok {
		return Provide(v, 2, rng)
	}
	if lengthened(m.Info()) {
		if err := m.Resize(sizesOf(m, possible(m.Info(), []int{1, 2, 3})[1])); err != nil {
			return err
		}
	}
	return m.SetData(Rows(m, rows, rng))
}
