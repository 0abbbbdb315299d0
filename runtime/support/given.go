package support

import (
	"math/rand/v2"

	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/types"
)

// Random draws an entry of a part of the data of a model by its type: where it numbers the entries of something, one of those that
// there are.
func Random(p *runtime.Parameter, m runtime.Model, rng *rand.Rand) float64 {
	if n := p.Of.Len(m); n > 0 {
		return float64(1 + rng.IntN(n+p.Beyond))
	}
	return p.Type.Entry.Random(rng)
}

// DrawGiven draws what is given in every row of synthetic data of a model, whose sizes are known: standard normal numbers where they
// may be any, so that sums of them have both signs, and random numbers of their type elsewhere. It leaves what is observed alone.
func DrawGiven(rows []float64, m runtime.Model, rng *rand.Rand) {
	info := m.Info()
	width, observed := info.RowLen(m), 0
	for _, p := range info.Observed() {
		observed += p.Len(m)
	}
	for ; len(rows) > 0; rows = rows[width:] {
		at := observed
		for i := range info.Given {
			p := &info.Given[i]
			n := p.Len(m)
			for j := range rows[at : at+n] {
				if p.Type.Entry == types.Real {
					rows[at+j] = rng.NormFloat64()
				} else {
					rows[at+j] = Random(p, m, rng)
				}
			}
			at += n
		}
	}
}
