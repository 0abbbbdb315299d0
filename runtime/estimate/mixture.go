package estimate

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/sngdgen/sngdgen/runtime"
)

// Load checks that a model of the data has room in memory, sets the number of components if it is above 0, and gives the
// data to the model.
func Load(m runtime.Model, data runtime.Data, components int) error {
	if err := Room(m.Info(), data.Columns, components); err != nil {
		return err
	}
	if err := SetComponents(m, components); err != nil {
		return err
	}
	return m.SetData(data)
}

// SetComponents sets the number of components of a mixture; 0 leaves it as it is, if there is one.
func SetComponents(m runtime.Model, k int) error {
	info := m.Info()
	mix, ok := m.(runtime.Mixture)
	switch {
	case k < 0:
		return fmt.Errorf("the number of components cannot be %d", k)
	case !ok && k > 0:
		return fmt.Errorf("%s is no mixture: it has no components to count", info.Name)
	case ok && k == 0 && mix.Components() == 0:
		return noComponents(info)
	case k == 0 || mix.Components() == k:
		return nil
	}
	if err := fits(info, withComponents(m, k)); err != nil {
		return err
	}
	return mix.SetComponents(k)
}

// noComponents is the error about a mixture of nobody knows how many components.
func noComponents(info *runtime.Info) error {
	return fmt.Errorf("%s is a mixture, and nothing says of how many components\n"+
		"hint: --components=3 sets their number; pinned in the spec it is dimensions: {%s: 3}", info.Name, info.Components)
}

// withComponents returns the sizes of a model that has k components.
func withComponents(m runtime.Model, k int) []int {
	sizes := slices.Clone(m.Sizes())
	if i := slices.Index(m.Info().Dims, m.Info().Components); i >= 0 && i < len(sizes) {
		sizes[i] = k
	}
	return sizes
}

// componentsOf returns the number of components of a mixture, 0 for other models.
func componentsOf(m runtime.Model) int {
	if mix, ok := m.(runtime.Mixture); ok {
		return mix.Components()
	}
	return 0
}

// parts returns a parameter as one component of a mixture has it, how many have it, and the number of entries in each; the
// parameter itself, 1 and its length where it is one of the whole.
func parts(m runtime.Model, p *runtime.Parameter) (one runtime.Parameter, count, each int) {
	one = p.Component()
	return one, p.Copies(m), one.Len(m)
}

// ordered returns a permutation of the components: those of a report in terms of those of the model. The likelihood does not
// tell components apart, and they would come in whatever order the start had. It is by their means where these are given,
// those without one last, otherwise by weight, the largest first.
func ordered(weights, means []float64) []int {
	keys := make([]float64, len(weights))
	out := make([]int, len(weights))
	for c, w := range weights {
		out[c], keys[c] = c, -w
		if means != nil {
			keys[c] = means[c]
		}
		if math.IsNaN(keys[c]) {
			keys[c] = math.Inf(1)
		}
	}
	slices.SortStableFunc(out, func(a, b int) int { return cmp.Compare(keys[a], keys[b]) })
	return out
}

// permuted returns the parameters with the components in an order. The first parameter of a mixture is its weights.
func permuted(m runtime.Model, theta []float64, order []int) []float64 {
	if order == nil {
		return theta
	}
	out, at := slices.Clone(theta), 0
	for i := range m.Info().Parameters {
		p := &m.Info().Parameters[i]
		n := p.Len(m)
		if each := n / len(order); i == 0 || p.Components {
			for to, from := range order {
				copy(out[at+to*each:at+(to+1)*each], theta[at+from*each:at+(from+1)*each])
			}
		}
		at += n
	}
	return out
}

// sameParameters is how closely parameters of runs that ended at the same optimum agree, relative to the largest entry.
const sameParameters = 1e-4

// sameMixture reports whether two points are the same mixture but for the order of the components: whether each component
// of one has its like in the other.
func sameMixture(m runtime.Model, a, b []float64) bool { return alikeMixtures(m, a, b, sameParameters) }

// alikeMixtures is sameMixture up to a tolerance.
func alikeMixtures(m runtime.Model, a, b []float64, tolerance float64) bool {
	k := componentsOf(m)
	taken := make([]bool, k)
	for c := range k {
		like := -1
		for d := range k {
			if like < 0 && !taken[d] && sameComponent(m, a, b, c, d, tolerance) {
				like = d
			}
		}
		if like < 0 {
			return false
		}
		taken[like] = true
	}
	return true
}

// sameComponent compares component c of one point with component d of another.
func sameComponent(m runtime.Model, a, b []float64, c, d int, tolerance float64) bool {
	at := 0
	for i := range m.Info().Parameters {
		p := &m.Info().Parameters[i]
		n := p.Len(m)
		x, y := a[at:at+n], b[at:at+n]
		at += n
		if i > 0 && !p.Components {
			continue
		}
		each := n / componentsOf(m)
		if !alike(x[c*each:(c+1)*each], y[d*each:(d+1)*each], tolerance*max(largest(x), largest(y))) {
			return false
		}
	}
	return true
}

func alike(x, y []float64, most float64) bool {
	for i := range x {
		if !(math.Abs(x[i]-y[i]) <= most) {
			return false
		}
	}
	return true
}

func largest(x []float64) float64 {
	most := 0.0
	for _, v := range x {
		most = math.Max(most, math.Abs(v))
	}
	return most
}
