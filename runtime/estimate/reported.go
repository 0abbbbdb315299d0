package estimate

import "github.com/sngdgen/sngdgen/runtime"

// What reports show of a posterior are its latent variables, in the units in which they are declared, and further quantities: a
// function of the variable of the target, which is of every draw.

// reporter is a model of which reports show something else than the latent variables.
func reporter(m runtime.Model) (r runtime.Reporter, ok bool) {
	r, ok = m.(runtime.Reporter)
	return r, ok && len(m.Info().Reported) > 0
}

// shownParts are the names and shapes of what reports show.
func shownParts(m runtime.Model) []Part {
	if r, ok := reporter(m); ok {
		return partsOf(m, r.Info().Reported)
	}
	return latentParts(m)
}

func partsOf(m runtime.Model, list []runtime.Parameter) []Part {
	var out []Part
	for _, p := range list {
		out = append(out, Part{p.Name, shape(m, &p)})
	}
	return out
}

// shownLen is how many numbers reports show of each draw.
func shownLen(m runtime.Model) int { return lenOf(shownParts(m)) }

// shown returns what reports show of draws of the latent variables, row by row: these themselves where there is nothing else.
func shown(m runtime.Model, latents []float64) []float64 {
	r, ok := reporter(m)
	if !ok {
		return latents
	}
	d, width := m.Info().Variable.Len(m), shownLen(m)
	out := make([]float64, len(latents)/d*width)
	for i := range len(latents) / d {
		r.Reported(out[i*width:(i+1)*width], latents[i*d:(i+1)*d])
	}
	return out
}
