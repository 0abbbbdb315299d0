package modeltest

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/types"
)

// components is the number of components of the mixtures that are tested, unless the spec pins another.
const components = 3

// setComponents sets the number of components of a mixture, and does nothing to other models.
func setComponents(m runtime.Model) error {
	if !m.Info().Mixture {
		return nil
	}
	x, ok := m.(runtime.Mixture)
	if !ok {
		return fmt.Errorf("%s is a mixture by its Info, but not runtime.Mixture", m.Info().Name)
	}
	if m.Info().Components == "" {
		return nil
	}
	return x.SetComponents(components)
}

// groups is the number of components, 1 for other models.
func groups(m runtime.Model) int {
	if x, ok := m.(runtime.Mixture); ok {
		return x.Components()
	}
	return 1
}

// apart moves an observation to those of a group of its own: counts and positive numbers by a factor, real ones by a
// shift.
func apart(e *types.Entry, x float64, group int) float64 {
	switch {
	case e.Lo == 0 && math.IsInf(e.Hi, 1):
		return x * math.Pow(5, float64(group))
	case e == types.Real:
		return x + 8*float64(group)
	}
	return x
}

// separate gives the components of a mixture real parameters that differ.
func separate(m runtime.Model, p *runtime.Parameter, x []float64) {
	if !p.Components || p.Type.Entry != types.Real || p.Type.Form.Rank == 2 {
		return
	}
	n := len(x) / p.Copies(m)
	if p.Type.Form.Has(types.UnitLength) { // along the axes
		for c := range p.Copies(m) {
			own := x[c*n : (c+1)*n]
			clear(own)
			own[c%n] = 1
		}
		return
	}
	for i := range x {
		x[i] += 4 * float64(i/n)
	}
}

// checkMixture checks what mixtures have beyond other models.
func checkMixture(t *testing.T, p point) {
	x, ok := p.Model.(runtime.Mixture)
	if !ok {
		return
	}
	if q := &p.Info().Parameters[0]; !q.Type.Form.Has(types.SumsToOne) || q.Components || q.Len(p) != x.Components() {
		t.Fatalf("the first parameter is %+v, not the weights", *q)
	}
	checkResponsibilities(t, p, x)
	checkSwap(t, p, x)
	checkRaised(t, p, x)
	checkComponents(t, p)
}

// checkResponsibilities: they are probabilities.
func checkResponsibilities(t *testing.T, p point, x runtime.Mixture) {
	_, distinct, _ := p.Counts()
	k := x.Components()
	r := slices.Repeat([]float64{math.NaN()}, distinct*k)
	x.Responsibilities(r, p.z)
	for i := range distinct {
		sum := 0.0
		for _, v := range r[i*k : (i+1)*k] {
			if !(v >= 0) {
				t.Errorf("row %d has the responsibilities %v", i, r[i*k:(i+1)*k])
				return
			}
			sum += v
		}
		if !close(sum, 1, 1, 1e-12) {
			t.Errorf("the responsibilities of row %d sum to %v", i, sum)
			return
		}
	}
}

// checkSwap: the order of the components does not matter.
func checkSwap(t *testing.T, p point, x runtime.Mixture) {
	o, ok := p.Model.(runtime.Objective)
	if !ok {
		t.Error("a mixture, but no Objective")
		return
	}
	theta, g := make([]float64, thetaLen(p)), make([]float64, thetaLen(p))
	p.Theta(theta, p.z)
	want := o.ThetaGradient(g, theta)
	for range x.Components() {
		rotate(p.Model, theta)
		if got := o.ThetaGradient(g, theta); !close(got, want, 1, 1e-12) {
			t.Errorf("loss %v, with the components in another order %v", want, got)
		}
	}
}

// rotate exchanges the first component of a mixture with the second, and so on in turn, when called again and again.
func rotate(m runtime.Model, theta []float64) {
	eachParameter(m, func(p *runtime.Parameter, at, n int) {
		each := n / groups(m)
		if x := theta[at : at+n]; p.Components || at == 0 {
			copy(x, append(slices.Clone(x[each:]), x[:each]...))
		}
	})
}

// checkRaised: RaiseWeights does nothing where no weight is below the floor, and else gives the nearest weights that
// are not, which it keeps when asked again.
func checkRaised(t *testing.T, p point, x runtime.Mixture) {
	k, n := x.Components(), thetaLen(p)
	before, after, z := make([]float64, n), make([]float64, n), slices.Clone(p.z)
	p.Theta(before, z)
	least := slices.Min(before[:k])
	for _, floor := range []float64{0, 0.5 * least, 0.99 * least} {
		if x.RaiseWeights(z, floor) || !slices.Equal(z, p.z) {
			t.Errorf("weights %v are raised to %v", before[:k], floor)
		}
	}
	for _, share := range []float64{0.1, 0.5, 0.9} {
		floor := least + share*(1/float64(k)-least)
		if copy(z, p.z); k == 1 || floor < least+1e-9 {
			continue
		}
		if !x.RaiseWeights(z, floor) {
			t.Errorf("weights %v are not raised to %v", before[:k], floor)
		}
		if p.Violation(z) >= 0 {
			t.Errorf("raising weights %v to %v leaves the domain", before[:k], floor)
		}
		p.Theta(after, z)
		for i, want := range append(nearestWeights(before[:k], floor), before[k:]...) {
			if !close(after[i], want, 1e-3, 1e-9) {
				t.Errorf("weights %v raised to %v: entry %d of theta is %v, want %v", before[:k], floor, i, after[i], want)
			}
		}
		if x.RaiseWeights(z, floor) {
			t.Errorf("weights %v are raised to %v a second time", after[:k], floor)
		}
	}
}

// nearestWeights finds the a at which the weights max(floor, a w) sum to 1 by bisection.
func nearestWeights(w []float64, floor float64) []float64 {
	out := make([]float64, len(w))
	low, high := 0.0, 1.0
	for range 60 {
		a, sum := (low+high)/2, 0.0
		for i, x := range w {
			out[i] = math.Max(floor, a*x)
			sum += out[i]
		}
		if sum > 1 {
			high = a
		} else {
			low = a
		}
	}
	return out
}

// checkComponents: the number of components can be set, keeps the data, and must be positive.
func checkComponents(t *testing.T, p point) {
	m := p.Clone()
	x, k := m.(runtime.Mixture), groups(p.Model)
	want := answers(m, p.z)
	for _, bad := range []int{0, -1} {
		if x.SetComponents(bad) == nil {
			t.Errorf("%d components are taken", bad)
		}
	}
	switch err := x.SetComponents(k + 1); {
	case p.Info().Components == "" && err == nil:
		t.Errorf("%d components are taken, though the spec pins %d", k+1, k)
	case p.Info().Components != "" && (err != nil || x.Components() != k+1):
		t.Errorf("%d components instead of %d: %v", x.Components(), k+1, err)
	}
	if err := x.SetComponents(k); err != nil {
		t.Fatal(err)
	}
	if got := answers(m, p.z); !slices.Equal(got, want) {
		t.Errorf("after other numbers of components: %v, before %v", got, want)
	}
}
