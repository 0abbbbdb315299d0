package modeltest

import (
	"slices"
	"testing"

	"github.com/sngdgen/sngdgen/internal/fitfixture"
	"github.com/sngdgen/sngdgen/runtime"
)

// The hand-written mixture passes everything.
func TestRightMixture(t *testing.T) { Run(t, func() runtime.Model { return new(fitfixture.Mixture) }) }

// mixtureFaults are the ways of a mixture to be wrong that checkMixture must notice.
var mixtureFaults = []string{
	"responsibilities", "asymmetric", "floor", "components moved", "not raised", "zero", "drops data", "stays",
}

func init() {
	for _, name := range mixtureFaults {
		faults = append(faults, fault{name, "mixture", func() runtime.Model {
			return &faultyMixture{new(fitfixture.Mixture), name}
		}})
	}
}

// faultyMixture is the hand-written mixture with one fault.
type faultyMixture struct {
	*fitfixture.Mixture
	fault string
}

func (m *faultyMixture) Clone() runtime.Model {
	return &faultyMixture{m.Mixture.Clone().(*fitfixture.Mixture), m.fault}
}

func (m *faultyMixture) Responsibilities(dst, z []float64) {
	m.Mixture.Responsibilities(dst, z)
	if m.fault == "responsibilities" {
		dst[len(dst)-1] *= 1 - 1e-6
	}
}

func (m *faultyMixture) ThetaGradient(g, theta []float64) float64 {
	f := m.Mixture.ThetaGradient(g, theta)
	if m.fault == "asymmetric" {
		f += 1e-9 * theta[m.Components()]
	}
	return f
}

func (m *faultyMixture) RaiseWeights(z []float64, floor float64) bool {
	k := m.Components()
	switch raised := slices.Clone(z); m.fault {
	case "floor": // a little too low
		return m.Mixture.RaiseWeights(z, 0.999*floor)
	case "components moved":
		if !m.Mixture.RaiseWeights(raised, floor) {
			return false
		}
		copy(z[:k-1], raised)
		return true
	case "not raised":
		return m.Mixture.RaiseWeights(raised, floor)
	}
	return m.Mixture.RaiseWeights(z, floor)
}

func (m *faultyMixture) SetComponents(k int) error {
	switch {
	case m.fault == "zero" && k == 0:
		return nil
	case m.fault == "drops data" && k > components:
		return m.Resize([]int{k})
	case m.fault == "stays" && m.Components() > 0 && k > 0:
		return nil
	}
	return m.Mixture.SetComponents(k)
}

// copied is a model of which only the blocks are there.
type copied struct{ runtime.Model }

func (copied) Blocks() []runtime.Block {
	return []runtime.Block{
		{Name: "a", Len: 1},
		{Name: "S", Offset: 1, Len: 8, Copies: 2, Symmetric: true},
		{Name: "L", Offset: 9, Len: 8, Copies: 2, Lower: true},
	}
}

// Matrices of a mixture are treated one by one.
func TestCopies(t *testing.T) {
	x := make([]float64, 17)
	for i := range x {
		x[i] = float64(i)
	}
	Symmetrise(copied{}, x)
	if want := []float64{0, 1, 3, 3, 4, 5, 7, 7, 8, 9, 0, 11, 12, 13, 0, 15, 16}; !slices.Equal(x, want) {
		t.Errorf("%v, want %v", x, want)
	}
	for i, want := range []int{0, 1, 3, 2, 4, 5, 7, 6, 8, 9, 10} {
		if got := mirror(copied{}, i); got != want {
			t.Errorf("the mirror image of %d is %d, not %d", i, got, want)
		}
	}
}
