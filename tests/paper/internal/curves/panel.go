package curves

import (
	"cmp"
	"fmt"
	"math"

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
	"SNGD, k = 1": {6, false}, "SNGD, k = 3": {1, false}, "SNGD, k = 5": {3, false},
	"Adam, k = 1": {0, false}, "Adam, k = 3": {2, false}, "Adam, k = 5": {5, false},
	"sample average, k = 1": {6, true}, "sample average, k = 3": {1, true}, "sample average, k = 5": {3, true},
}

// View says what a panel of curves shows.
type View struct {
	Name, Title, Note string
	Against           Against
	Loss              string  // label of the losses
	Above             float64 // the loss that others are drawn above, on a logarithmic axis; NaN for losses as they are
	Least             float64 // on that axis what is below is drawn there; 0 means 1e-12, where rounding decides
	LogX              bool
}

// crowded is the number of curves above which dashed ones have no bands.
const crowded = 6

// early is the part of the axis after which all curves are to be seen whole: what comes before may be cut off at the top.
const early = 0.03

// Panel draws curves with bands of two standard errors.
func (v View) Panel(all []Curve) picture.Panel {
	p := picture.Panel{Name: v.Name, Title: v.Title, Note: v.Note, X: picture.Axis{Label: v.Against.Label(), Log: v.LogX},
		Y: picture.Axis{Label: v.Loss}}
	from := 0.0
	if !math.IsNaN(v.Above) {
		from, p.Y.Log = v.Above, true
		p.Y.Label = fmt.Sprintf("%s less %.7g", v.Loss, v.Above)
	}
	low, high := v.ends(all, from)
	for _, c := range all {
		line := picture.Layer{Kind: picture.Line, Name: c.Method, Color: styles[c.Method].Color, Dash: styles[c.Method].Dash}
		band := picture.Layer{Kind: picture.Band, Color: line.Color, Faint: true}
		for i, x := range c.X {
			if v.LogX && !(x > 0) {
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
	p.Y.Min, p.Y.Max = low, high
	return p
}

// rounding is the distance from the optimum below which nothing is known.
const rounding = 1e-12

// widest bounds a band on a logarithmic axis.
const widest = 20

// ends are those of the axis of losses.
func (v View) ends(all []Curve, from float64) (low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	end := 0.0
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
