package figure

import (
	"fmt"

	"github.com/sngdgen/sngdgen/internal/picture"
	"github.com/sngdgen/sngdgen/runtime/estimate"
)

// Ranking shows how good surrogates are: the eigenvalues of the Hessian and of the Fisher information in their metrics, and the course of sngd
// beside what these predict.
func Ranking(ranked []*estimate.Ranked) []picture.Panel {
	spectra := picture.Panel{Name: "spectra", Title: "Spectra", Note: "eigenvalues in the metric of the surrogate; all are 1 where a full step is Newton's",
		X: picture.Axis{Label: "eigenvalue", Log: true}, Y: picture.Axis{Min: -0.5, Max: float64(len(ranked)) - 0.5}}
	hessian := picture.Layer{Kind: picture.Points, Name: "Hessian", Color: 1}
	fisher := picture.Layer{Kind: picture.Points, Name: "Fisher information of the target", Color: 2}
	excess := picture.Panel{Name: "excess", Title: "Course of sngd", Note: "lines are runs, dots what the spectrum at the optimum predicts",
		X: picture.Axis{Label: "iterations", Whole: true}, Y: picture.Axis{Label: "loss above the optimum", Log: true}}
	for i, r := range ranked {
		at, color := float64(len(ranked)-1-i), 1+i%(len(picture.Colors)-1)
		spectra.Y.Ticks = append(spectra.Y.Ticks, picture.Tick{At: at, Label: r.Problem})
		w := &r.Ways[0]
		addPositive(&hessian, w.Hessian, at+0.1)
		addPositive(&fisher, w.Fisher, at-0.1)
		run, model := w.Runs[0].Run, w.Runs[0].Model
		excess.Layers = append(excess.Layers, positiveCourse(picture.Layer{Kind: picture.Line, Name: r.Problem, Color: color}, run),
			positiveCourse(picture.Layer{Kind: picture.Points, Name: fmt.Sprintf("%s, predicted", r.Problem), Color: color}, model))
	}
	spectra.Layers = []picture.Layer{hessian}
	if len(fisher.X) > 0 {
		spectra.Layers = append(spectra.Layers, fisher)
	}
	return []picture.Panel{spectra, excess}
}

func addPositive(l *picture.Layer, values []estimate.Number, at float64) {
	for _, x := range values {
		if x > 0 {
			l.X, l.Y = append(l.X, float64(x)), append(l.Y, at)
		}
	}
}

// positiveCourse has an excess against its iterations, as far as it is above 0.
func positiveCourse(l picture.Layer, excess []estimate.Number) picture.Layer {
	for i, x := range excess {
		if x > 0 {
			l.X, l.Y = append(l.X, float64(i)), append(l.Y, float64(x))
		}
	}
	return l
}
