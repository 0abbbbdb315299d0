package figure

import (
	"math"

	"github.com/sngdgen/sngdgen/internal/picture"
	"github.com/sngdgen/sngdgen/runtime/estimate"
)

// Ladder makes the pictures of several approximations of a posterior: their bounds and k-hats, and the posterior by the simplest one
// that no other much exceeds.
func Ladder(problem string, l *estimate.Ladder) (panels []picture.Panel) {
	bound := picture.Layer{Kind: picture.Points, Color: picture.Fitted}
	spread := picture.Layer{Kind: picture.Errors, Color: picture.Fitted}
	khat := picture.Layer{Kind: picture.Points, Color: picture.Fitted}
	khatError := picture.Layer{Kind: picture.Errors, Color: picture.Fitted}
	best := math.Inf(-1)
	for i := range l.Rungs {
		if f := l.Rungs[i].Fit; f != nil && !math.IsNaN(float64(f.ELBO.Mean)) {
			best = math.Max(best, float64(f.ELBO.Mean))
		}
	}
	var x picture.Axis
	for i := range l.Rungs {
		at := float64(i)
		x.Ticks = append(x.Ticks, picture.Tick{At: at, Label: l.Rungs[i].Label()})
		f := l.Rungs[i].Fit
		if f == nil {
			continue
		}
		add(&bound, &spread, at, float64(f.ELBO.Mean)-best, float64(f.ELBO.StandardError))
		add(&khat, &khatError, at, float64(f.ELBO.KHat), float64(f.ELBO.KHatError))
	}
	x.Min, x.Max = -0.5, float64(len(l.Rungs))-0.5
	for _, p := range []picture.Panel{
		{Name: "bounds", Title: problem + ": evidence lower bounds", Note: "with two standard errors; less the highest", X: x,
			Y: picture.Axis{Label: "bound below the highest"}, Layers: []picture.Layer{spread, bound}},
		{Name: "khats", Title: problem + ": k-hat", Note: "with two standard errors; importance sampling can be trusted below 0.7", X: x,
			Y: picture.Axis{Label: "k-hat"}, Layers: []picture.Layer{
				{Kind: picture.Across, Color: picture.Other, Thin: true, Dash: true, Y: []float64{0.7}}, khatError, khat}},
	} {
		if len(p.Layers[len(p.Layers)-1].X) > 0 {
			panels = append(panels, p)
		}
	}
	if l.Knee >= 0 && l.Knee < len(l.Rungs) && l.Rungs[l.Knee].Fit != nil {
		panels = append(panels, Posterior(l.Rungs[l.Knee].Fit)...)
	}
	return panels
}

// add appends a number with two standard errors, where both are known.
func add(points, errors *picture.Layer, x, y, se float64) {
	if len(finite(y, se)) < 2 {
		return
	}
	points.X, points.Y, points.Size = append(points.X, x), append(points.Y, y), append(points.Size, 1.6)
	errors.X, errors.Low, errors.High = append(errors.X, x), append(errors.Low, y-2*se), append(errors.High, y+2*se)
}
