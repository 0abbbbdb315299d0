package figure

import (
	"fmt"
	"math"
	"strings"

	"github.com/sngdgen/sngdgen/internal/picture"
	"github.com/sngdgen/sngdgen/runtime/estimate"
)

// layer is the histogram as bars.
func (b *bins) layer() picture.Layer {
	l := picture.Layer{Kind: picture.Bars, Name: "data", Color: picture.Data, High: b.heights, Low: make([]float64, len(b.heights))}
	l.From, l.To = b.edges[:len(b.edges)-1], b.edges[1:]
	return l
}

// fittedLayers are the density at x and, of mixtures, those of the components, each times its weight.
func fittedLayers(x []float64, d *estimate.Density, components int) []picture.Layer {
	all := make([]float64, len(x))
	for i := range x {
		all[i] = math.Exp(d.Log[i])
	}
	out := []picture.Layer{{Kind: picture.Line, Name: "fitted", Color: picture.Fitted, X: x, Y: all}}
	if components > 1 && d.Shares != nil {
		for c := range components {
			own := make([]float64, len(x))
			for i := range x {
				own[i] = all[i] * d.Shares[i*components+c]
			}
			out = append(out, picture.Layer{Kind: picture.Line, Name: componentName(c, components), Color: picture.Component(c), X: x, Y: own, Thin: true})
		}
	}
	return out
}

// density is the histogram of a continuous number with the fitted density.
func density(s *Subject, r *estimate.Report) []picture.Panel {
	x := s.column(0)
	at := s.line()
	low, high := at[0], at[len(at)-1]
	p := picture.Panel{Name: "density", Title: title(r, "data and fitted density"), Note: s.unseen(x, low, high),
		X: picture.Axis{Label: s.label(0)}, Y: picture.Axis{Label: "density"}}
	h := x.histogram(low, high)
	p.Layers = append(p.Layers, h.layer())
	if d := &r.Details.Density; len(d.Log) == len(at) {
		p.Layers = append(p.Layers, fittedLayers(at, d, len(r.Components))...)
		if p.Y.Max = ceiling(h, p.Layers[1:]); p.Y.Max > 0 {
			p.Note = strings.TrimPrefix(p.Note+"; the density rises above what is shown", "; ")
		}
	}
	return []picture.Panel{p}
}

// ceiling is the end of an axis of densities: that of the highest bar or of the curves, but no more than four times the bar, as
// densities may have poles and spikes. 0 leaves it to the curves.
func ceiling(h *bins, curves []picture.Layer) float64 {
	bar, top := 0.0, 0.0
	for _, y := range h.heights {
		bar = math.Max(bar, y)
	}
	for _, l := range curves {
		for _, y := range l.Y {
			top = math.Max(top, y)
		}
	}
	if top > 4*bar && bar > 0 {
		return 4 * bar
	}
	return 0
}

// unseen is the note about rows that are not shown.
func (s *Subject) unseen(x *sample, low, high float64) string {
	out := x.outside(low, high)
	if out == 0 {
		return ""
	}
	return fmt.Sprintf("%.4g of %.6g rows lie outside of what is shown", out, x.total())
}

// title is that of a panel about a fit.
func title(r *estimate.Report, what string) string {
	return r.Problem + ": " + what
}
