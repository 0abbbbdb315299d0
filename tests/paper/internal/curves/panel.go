package curves

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/sngdgen/sngdgen/internal/picture"
)

// Style is how the curve of a method is drawn, the same in all pictures.
type Style struct {
	Color int
	Dash  bool
}

// styles of the methods that are in more than one picture. Those of this project are dashed.
var styles = map[string]Style{
	"SNGD": {1, false}, "GD": {0, false}, "BFGS": {3, false}, "NGD": {4, false}, "NGD-g": {6, false}, "MCEF": {3, false},
	"Adam, covariance root": {2, false}, "Adam, precision root": {5, false},
	"natural L-BFGS": {7, true}, "sample average": {7, true},
}

// View says what panels of curves show.
type View struct {
	Name, Title, Note string
	Loss              string  // label of the losses
	Above             float64 // the loss that others are drawn above, on a logarithmic axis; NaN for losses as they are
	Least             float64 // on that axis what is below is drawn there; 0 means 1e-12, where rounding decides
}

// Panels draws methods along iterations and, on a logarithmic axis, along time, with the same losses on both.
func (v View) Panels(pairs []Pair) []picture.Panel {
	iterations := Along(pairs, Iterations)
	low, high := v.ends(iterations)
	return []picture.Panel{v.panel("-iterations", Iterations, iterations, low, high), v.panel("-seconds", Seconds, Along(pairs, Seconds), low, high)}
}

// crowded is the number of curves above which dashed ones have no bands.
const crowded = 6

// early is the part of the axis after which all curves are to be seen whole: what comes before may be cut off at the top.
const early = 0.03

// from is what losses are drawn above.
func (v View) from() float64 {
	if math.IsNaN(v.Above) {
		return 0
	}
	return v.Above
}

// panel draws curves with bands of two standard errors along one axis.
func (v View) panel(suffix string, a Against, all []Curve, low, high float64) picture.Panel {
	p := picture.Panel{Name: v.Name + suffix, Title: v.Title, Note: v.Note, X: picture.Axis{Label: a.Label(), Log: a == Seconds},
		Y: picture.Axis{Label: v.Loss, Min: low, Max: high}}
	from := v.from()
	if !math.IsNaN(v.Above) {
		p.Y.Log = true
		p.Y.Label = fmt.Sprintf("%s less %.7g", v.Loss, v.Above)
	}
	if low < high && cut(all, from, high) {
		p.Note = strings.TrimPrefix(p.Note+"; losses above the picture are cut off", "; ")
	}
	for _, c := range all {
		line := picture.Layer{Kind: picture.Line, Name: c.Method, Color: styles[c.Method].Color, Dash: styles[c.Method].Dash}
		band := picture.Layer{Kind: picture.Band, Color: line.Color, Faint: true}
		for i, x := range c.X {
			if p.X.Log && !(x > 0) {
				continue
			}
			y, least, most := c.Mean[i]-from, c.Mean[i]-c.Error[i]-from, c.Mean[i]+c.Error[i]-from
			if p.Y.Log {
				// Below the mean two standard errors of its logarithm, to first order, as the mean less two of its own may be negative.
				y = max(y, low)
				least, most = y/math.Exp(min(c.Error[i]/y, widest)), y+c.Error[i]
			}
			line.X, line.Y = append(line.X, x), append(line.Y, y)
			band.X, band.Low, band.High = append(band.X, x), append(band.Low, least), append(band.High, most)
		}
		if len(all) <= crowded || !styles[c.Method].Dash {
			p.Layers = append(p.Layers, band)
		}
		p.Layers = append(p.Layers, line)
	}
	return p
}

// cut reports whether a curve leaves the picture at the top.
func cut(all []Curve, from, high float64) bool {
	return slices.ContainsFunc(all, func(c Curve) bool { return len(c.Mean) > 0 && slices.Max(c.Mean)-from > high })
}

// rounding is the distance from the optimum below which nothing is known.
const rounding = 1e-12

// widest bounds a band on a logarithmic axis.
const widest = 20

// ends are those of the axis of losses, by the curves along iterations.
func (v View) ends(all []Curve) (low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	from, end := v.from(), 0.0
	for _, c := range all {
		for _, x := range c.X {
			end = max(end, x)
		}
	}
	for _, c := range all {
		for i, m := range c.Mean {
			if !math.IsNaN(v.Above) {
				low, high = min(low, max(m-from, cmp.Or(v.Least, rounding))), max(high, m+c.Error[i]-from)
				continue
			}
			// What is not the paper's may leave the picture, as losses on held-out rows do where a likelihood is unbounded.
			low = min(low, m)
			if late := c.X[i] >= early*end || i == len(c.Mean)-1; late && !styles[c.Method].Dash {
				high = max(high, m+c.Error[i])
			}
		}
	}
	if !(low < high) {
		return 0, 0
	}
	if !math.IsNaN(v.Above) {
		return low / 1.5, high * 1.5
	}
	room := 0.04 * (high - low)
	return low - room, high + room
}
