package estimate

import (
	"cmp"
	"math/rand/v2"
	"slices"

	"github.com/sngdgen/sngdgen/runtime"
)

// PosteriorDraws are draws of the latent variables, a row for each, with what importance sampling wants to know of them.
type PosteriorDraws struct {
	Draws
	Parts []Part // the latent variables and what else is reported, whose entries the columns are, one after the other
	// LogJoint is the logarithm of the joint density of data and latent variables at every draw, LogDensity that of the density of
	// the approximation. The draws are independent, in no order.
	LogJoint, LogDensity []float64
	// Resampled says that the draws are from among those of the approximation, by importance resampling: then they all count the same.
	Resampled bool
	// Predicted are data that the model draws for each draw, where they were asked for.
	Predicted *Predictions

	latents []float64 // the draws as the variable of the target, where that is not what is shown
}

// Part is one of several latent variables.
type Part struct {
	Name  string
	Shape []int // nil for a number, the length of a vector, rows and columns of a matrix
}

// LogWeights are the logarithms of the importance ratios of the draws, of the joint density to that of the approximation.
func (d *PosteriorDraws) LogWeights() []float64 {
	out := slices.Clone(d.LogJoint)
	for i, q := range d.LogDensity {
		out[i] -= q
	}
	return out
}

// Rows is the number of draws.
func (d *PosteriorDraws) Rows() int { return len(d.LogJoint) }

// pick returns some of the draws, by their numbers.
func (d *PosteriorDraws) pick(rows []int) *PosteriorDraws {
	width := len(d.Columns)
	out := &PosteriorDraws{Draws: Draws{Columns: d.Columns, Values: make([]float64, 0, len(rows)*width)}, Parts: d.Parts}
	length := len(d.latents) / max(d.Rows(), 1)
	for _, i := range rows {
		out.Values = append(out.Values, d.Values[i*width:(i+1)*width]...)
		out.latents = append(out.latents, d.latents[i*length:(i+1)*length]...)
		out.LogJoint = append(out.LogJoint, d.LogJoint[i])
		out.LogDensity = append(out.LogDensity, d.LogDensity[i])
	}
	return out
}

const (
	// keepAtOnce is how many draws of a sample are made at a time, and leastAtOnce how many at least, so that there are some of
	// every component of a mixture.
	keepAtOnce  = 1000
	leastAtOnce = 100
)

// drawn makes draws of the approximation at z. What reshape, which may be nil, makes of the random numbers of some draws, they are
// made of.
func drawn(m runtime.Variational, z []float64, count int, rng *rand.Rand, reshape func(arrays []runtime.Noise, order []int)) (*PosteriorDraws, error) {
	clone := m.Clone().(runtime.Variational)
	size := min(keepAtOnce, max(count, leastAtOnce))
	if err := clone.SetDraws(size + size%2); err != nil { // even, for draws in pairs
		return nil, err
	}
	size = clone.Draws()
	d := m.Info().Variable.Len(m)
	all := &PosteriorDraws{Parts: shownParts(m)}
	all.Columns = parted(all.Parts, make([]float64, shownLen(m))).EntryNames()
	latents, weights, densities := make([]float64, size*d), make([]float64, size), make([]float64, size)
	all.Values = make([]float64, 0, count*d)
	for all.Rows() < count {
		clone.Draw(rng)
		// Those of a mixture come component by component, and others in pairs: the first few would not stand for all.
		order := rng.Perm(size)[:min(size, count-all.Rows())]
		if reshape != nil {
			reshape(clone.Noise(), order)
		}
		clone.LogDensities(densities, z)
		clone.Weights(weights, z)
		clone.Latents(latents, z)
		for _, i := range order {
			all.Values = append(all.Values, latents[i*d:(i+1)*d]...)
			all.LogJoint = append(all.LogJoint, weights[i]+densities[i])
			all.LogDensity = append(all.LogDensity, densities[i])
		}
	}
	all.latents = all.Values
	all.Values = shown(clone, all.latents)
	return all, nil
}

// sample draws from the approximation, or from among its draws.
func (a *Approximation) sample(m runtime.Variational, r *Settings, z []float64) (err error) {
	switch {
	case r.Variational.Resample > 0:
		err = a.resample(m, r, z)
	case r.Variational.Keep > 0:
		a.Sample, err = drawn(m, z, r.Variational.Keep, runtime.Stream(r.Seed, "sample"), nil)
	}
	return cmp.Or(err, a.drawData(m, r))
}

// latentParts returns the names and shapes of the parts of the variable of the target: of latent variables with fewer free numbers than
// entries these, as vectors.
func latentParts(m runtime.Model) []Part {
	list := m.Info().Latent
	if len(list) == 0 {
		list = []runtime.Parameter{m.Info().Variable}
	}
	out := partsOf(m, list)
	for i, p := range list {
		if free := p.Coordinates(m); free != out[i].len() {
			out[i].Shape = []int{free}
		}
	}
	return out
}

// parted cuts latent variables into parts.
func parted(parts []Part, x []float64) Values {
	var vs Values
	for _, p := range parts {
		v, n := Value{Name: p.Name, Shape: p.Shape}, p.len()
		if v.Shape == nil {
			v.Value = x[0]
		} else {
			v.Entries = slices.Clone(x[:n])
		}
		vs, x = append(vs, v), x[n:]
	}
	return vs
}

// len is the number of entries.
func (p *Part) len() int {
	n := 1
	for _, length := range p.Shape {
		n *= length
	}
	return n
}
