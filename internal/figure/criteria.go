package figure

import (
	"fmt"
	"math"
	"strings"

	"github.com/sngdgen/sngdgen/internal/picture"
	"github.com/sngdgen/sngdgen/runtime/estimate"
)

// Comparison makes the pictures of fits of several numbers of components: the criteria, and the fit that is best by BIC.
func Comparison(s *Subject, c *estimate.Comparison) (panels []picture.Panel) {
	p := picture.Panel{Name: "criteria", Title: "criteria against the number of components",
		Note: "smaller is better; the best of each is marked, of fits that converged",
		X:    picture.Axis{Label: "components", Whole: true}, Y: picture.Axis{Label: "criterion"}}
	for i, by := range []struct {
		name string
		of   func(*estimate.Report) estimate.Number
	}{
		{"AIC", func(r *estimate.Report) estimate.Number { return r.AIC }}, {"BIC", func(r *estimate.Report) estimate.Number { return r.BIC }},
		{"ICL", func(r *estimate.Report) estimate.Number { return r.ICL }},
	} {
		line := picture.Layer{Kind: picture.Line, Name: by.name, Color: i + 1}
		best := picture.Layer{Kind: picture.Points, Color: i + 1}
		for _, n := range c.Fits {
			if n.Report == nil || by.name == "ICL" && n.Report.ICL == 0 || math.IsNaN(float64(by.of(n.Report))) {
				continue
			}
			line.X, line.Y = append(line.X, float64(n.Components)), append(line.Y, float64(by.of(n.Report)))
			for _, criterion := range n.Best {
				if strings.EqualFold(criterion, by.name) {
					best.X, best.Y, best.Size = append(best.X, float64(n.Components)), append(best.Y, float64(by.of(n.Report))), append(best.Size, 2)
				}
			}
		}
		if len(line.X) > 0 {
			dots := line
			dots.Kind, dots.Name = picture.Points, ""
			p.Layers = append(p.Layers, line, dots, best)
		}
	}
	if len(p.Layers) > 0 {
		panels = append(panels, p)
	}
	if n := Best(c); n != nil {
		for _, q := range Likelihood(s, n.Report) {
			if q.Name != "loss" {
				q.Title = fmt.Sprintf("%s, %s", q.Title, plural(n.Components, "component"))
			}
			panels = append(panels, q)
		}
	}
	return panels
}

// Best is the fit that is best by BIC, or by another criterion where there is none; nil if no fit converged.
func Best(c *estimate.Comparison) *estimate.Numbered {
	for _, name := range []string{"bic", "aic", "icl"} {
		for i := range c.Fits {
			for _, by := range c.Fits[i].Best {
				if by == name && c.Fits[i].Report != nil {
					return &c.Fits[i]
				}
			}
		}
	}
	return nil
}
