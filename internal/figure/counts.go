package figure

import (
	"math"

	"github.com/sngdgen/sngdgen/internal/picture"
	"github.com/sngdgen/sngdgen/runtime/estimate"
)

// shownCounts is how many bars of whole numbers there are at most: of more, some are added up.
const shownCounts = 60

// groups are whole numbers that are added up: as many as width to a bar.
type groups struct {
	low, width         float64
	observed, expected []float64 // probabilities
	parts              [][]float64
}

// group adds up frequencies and probabilities of whole numbers, which are known at some in equal distances.
func group(x *sample, at []float64, d *estimate.Density, components int) *groups {
	stride := 1.0
	if len(at) > 1 {
		stride = at[1] - at[0]
	}
	span := at[len(at)-1] - at[0] + 1
	g := &groups{low: at[0], width: stride * math.Ceil(span/shownCounts/stride)}
	count := int(math.Ceil(span / g.width))
	g.observed = make([]float64, count)
	place := func(v float64) int { return min(count-1, max(0, int((v-g.low)/g.width))) }
	for i, v := range x.x {
		g.observed[place(v)] += x.w[i] / x.total()
	}
	if len(d.Log) != len(at) {
		return g
	}
	g.expected = make([]float64, count)
	if components > 1 && d.Shares != nil {
		for range components {
			g.parts = append(g.parts, make([]float64, count))
		}
	}
	for i, v := range at {
		p := stride * math.Exp(d.Log[i])
		g.expected[place(v)] += p
		for c := range g.parts {
			g.parts[c][place(v)] += p * d.Shares[i*components+c]
		}
	}
	return g
}

// middle is where a bar stands.
func (g *groups) middle(i int) float64 { return g.low + float64(i)*g.width + (g.width-1)/2 }

func (g *groups) middles() (out []float64) {
	for i := range g.observed {
		out = append(out, g.middle(i))
	}
	return out
}

// bars stand at the middles, with a little room between them.
func (g *groups) bars(low, high []float64) picture.Layer {
	l := picture.Layer{Kind: picture.Bars, Name: "data", Color: picture.Data, Low: low, High: high}
	for i := range g.observed {
		l.From, l.To = append(l.From, g.middle(i)-0.42*g.width), append(l.To, g.middle(i)+0.42*g.width)
	}
	return l
}

// counts are the frequencies of whole numbers with the fitted probabilities, and the rootogram.
func counts(s *Subject, r *estimate.Report) []picture.Panel {
	x := s.column(0)
	g := group(x, x.integers(), &r.Details.Density, len(r.Components))
	what := "probability"
	if g.width > 1 {
		what = "probability of a bar"
	}
	at := g.middles()
	p := picture.Panel{Name: "density", Title: title(r, "data and fitted probabilities"),
		X: picture.Axis{Label: s.label(0), Whole: true}, Y: picture.Axis{Label: what}}
	p.Layers = append(p.Layers, g.bars(make([]float64, len(at)), g.observed))
	if g.expected == nil {
		return []picture.Panel{p}
	}
	p.Layers = append(p.Layers, picture.Layer{Kind: picture.Line, Color: picture.Fitted, Thin: true, X: at, Y: g.expected},
		picture.Layer{Kind: picture.Points, Name: "fitted", Color: picture.Fitted, X: at, Y: g.expected})
	for c, part := range g.parts {
		p.Layers = append(p.Layers, picture.Layer{Kind: picture.Line, Name: componentName(c, len(g.parts)), Color: picture.Component(c), Thin: true,
			X: at, Y: part})
	}
	return []picture.Panel{p, g.rootogram(s, r, x.total())}
}

// rootogram hangs bars of the square roots of frequencies from those that are expected, so that what is amiss shows at 0 and has
// about the same standard deviation, 1/2, everywhere (Tukey, Some graphic and semigraphic displays, 1972; Kleiber and Zeileis, The
// American Statistician 70, 2016).
func (g *groups) rootogram(s *Subject, r *estimate.Report, n float64) picture.Panel {
	at := g.middles()
	top, bottom := make([]float64, len(at)), make([]float64, len(at))
	for i := range at {
		top[i] = math.Sqrt(n * g.expected[i])
		bottom[i] = top[i] - math.Sqrt(n*g.observed[i])
	}
	return picture.Panel{Name: "rootogram", Title: title(r, "hanging rootogram"),
		Note: "bars hang from the fit; dashed: two standard deviations of their ends around 0",
		X:    picture.Axis{Label: s.label(0), Whole: true}, Y: picture.Axis{Label: "square root of the frequency"},
		Layers: []picture.Layer{g.bars(bottom, top),
			{Kind: picture.Across, Color: len(picture.Colors) - 1, Thin: true, Y: []float64{0}},
			{Kind: picture.Across, Color: picture.Other, Thin: true, Dash: true, Y: []float64{-1, 1}},
			{Kind: picture.Line, Color: picture.Fitted, Thin: true, X: at, Y: top},
			{Kind: picture.Points, Name: "fitted", Color: picture.Fitted, X: at, Y: top}}}
}
