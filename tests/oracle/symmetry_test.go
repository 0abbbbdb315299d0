package oracle_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// TestSymmetric: at symmetric coordinates everything that belongs to a symmetric matrix is symmetric to the last bit,
// and so are the starts. Methods that extrapolate, as L-BFGS does, multiply what is not, iteration by iteration, and
// the loss, which reads one triangle, cannot tell.
func TestSymmetric(t *testing.T) {
	eachPoint(t, shaped, func(p trial) {
		a := answersAt(p.m, p.z)
		p.symmetric("v", a.v)
		p.symmetric("c", a.c)
		p.symmetric("v by NaturalGradient", a.only)
		p.symmetric("dual", a.dual)
		for i := range p.m.Info().Starts + 2 {
			p.symmetric(fmt.Sprintf("start %d", i), start(p.T, p.m, i, rand.New(rand.NewPCG(31, uint64(i)))))
		}
	})
}

func (p trial) symmetric(what string, x []float64) {
	p.Helper()
	for _, b := range p.m.Blocks() {
		if !b.Symmetric {
			continue
		}
		for _, a := range parts(x, b) {
			if i, j := asymmetric(a); i > j {
				d := side(len(a))
				p.Errorf("%s of %s: entries %d, %d and %d, %d are %v and %v", what, b.Name, i, j, j, i, a[i*d+j], a[j*d+i])
				return
			}
		}
	}
}

// asymmetric is a place below the diagonal where a square matrix is not symmetric, the first on the diagonal where it
// is.
func asymmetric(a []float64) (i, j int) {
	d := side(len(a))
	for i := range d {
		for j := range i {
			if a[i*d+j] != a[j*d+i] {
				return i, j
			}
		}
	}
	return 0, 0
}
