package figure

import (
	"fmt"
	"math"
	"slices"

	"github.com/sngdgen/sngdgen/internal/picture"
	"github.com/sngdgen/sngdgen/runtime/estimate"
)

// course is the loss along all runs from one start, one after the other.
type course struct {
	start      int
	iterations []float64
	seconds    []float64
	loss       []float64
}

// courses joins the runs of each start; what came before a run of a later one counts.
func courses(runs []estimate.RunTrace) (out []*course) {
	by := map[int]*course{}
	for _, run := range runs {
		c := by[run.Start]
		if c == nil {
			c = &course{start: run.Start}
			by[run.Start] = c
			out = append(out, c)
		}
		steps, seconds := 0.0, 0.0
		if n := len(c.iterations); n > 0 {
			steps, seconds = c.iterations[n-1], c.seconds[n-1]
		}
		for _, p := range run.Points {
			if !math.IsNaN(p.Loss) && !math.IsInf(p.Loss, 0) {
				c.iterations, c.seconds, c.loss = append(c.iterations, steps+float64(p.Iteration)), append(c.seconds, seconds+p.Seconds), append(c.loss, p.Loss)
			}
		}
	}
	slices.SortFunc(out, func(a, b *course) int { return a.start - b.start })
	return slices.DeleteFunc(out, func(c *course) bool { return len(c.loss) == 0 })
}

// losses is the loss above that of the estimate, against iterations and where times are asked for against seconds, of all starts.
func losses(r *estimate.Report, timed bool) (panels []picture.Panel) {
	all := courses(r.Details.Runs)
	level := math.NaN()
	for _, c := range all {
		if c.start == r.Start {
			level = slices.Min(c.loss)
		}
	}
	if math.IsNaN(level) {
		return nil
	}
	note := fmt.Sprintf("mean negative log-likelihood less %.7g; %s", level, plural(len(all), "start"))
	if lower := lowerEnds(all, level); lower > 0 {
		note += fmt.Sprintf(", %d of which ended below that, at no sound maximum", lower)
	}
	type axis struct {
		name, label string
		log         bool // as runs take very different times, and begin at none
		of          func(c *course) []float64
	}
	axes := []axis{{"loss", "iterations", false, func(c *course) []float64 { return c.iterations }}}
	if timed {
		axes = append(axes, axis{"loss-seconds", "seconds, without what lies between runs", true, func(c *course) []float64 { return c.seconds }})
	}
	for _, axis := range axes {
		p := picture.Panel{Name: axis.name, Title: title(r, "course of the runs"), Note: note, X: picture.Axis{Label: axis.label, Log: axis.log},
			Y: picture.Axis{Label: "loss above that of the estimate", Log: true}, Layers: lossLayers(all, r.Start, level, axis.log, axis.of)}
		if len(p.Layers) > 0 { // none where all began at the optimum, or next to it
			panels = append(panels, p)
		}
	}
	return panels
}

// lowerEnds is how many courses end below a level.
func lowerEnds(all []*course, level float64) (n int) {
	for _, c := range all {
		if level-c.loss[len(c.loss)-1] > 1e-9*(1+math.Abs(level)) {
			n++
		}
	}
	return n
}

// lossLayers are the lines of all courses above a level, the one that led to the estimate last; those along a logarithmic axis begin above 0.
func lossLayers(all []*course, start int, level float64, log bool, of func(c *course) []float64) (layers []picture.Layer) {
	least := 1e-15 * (1 + math.Abs(level))
	var chosen picture.Layer
	for _, c := range all {
		l := picture.Layer{Kind: picture.Line, Name: "other starts", Color: picture.Data, Thin: true, Faint: true}
		for i, f := range c.loss {
			if f-level >= least && (!log || of(c)[i] > 0) {
				l.X, l.Y = append(l.X, of(c)[i]), append(l.Y, f-level)
			}
		}
		if c.start == start {
			chosen = l
			chosen.Name, chosen.Color, chosen.Thin, chosen.Faint = fmt.Sprintf("start %d, which led to the estimate", c.start), picture.Fitted, false, false
			continue
		}
		layers = append(layers, l)
	}
	return slices.DeleteFunc(append(layers, chosen), func(l picture.Layer) bool { return len(l.X) < 2 })
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// componentName is in legends of not too many components.
func componentName(c, count int) string {
	if count > 8 {
		return ""
	}
	return fmt.Sprintf("component %d", c+1)
}

// profile is the profile likelihood of a number among the parameters.
func profile(q *estimate.Profile) picture.Panel {
	values, logs := near(q)
	fall := make([]float64, len(values))
	for i, l := range logs {
		fall[i] = l - q.Maximum
	}
	note := fmt.Sprintf("%g %% interval: %s to %s", 100*q.Level, end(q.Low), end(q.High))
	if q.Unfinished > 0 {
		note += fmt.Sprintf("; %s left out, where no maximum over the other parameters was found", plural(q.Unfinished, "value"))
	}
	if q.Maximum > q.Best+1e-6*(1+math.Abs(q.Best)) {
		note += fmt.Sprintf("; a likelihood higher by %.3g than that of the estimate was found", q.Maximum-q.Best)
	}
	p := picture.Panel{Name: "profile-" + fileName(q.Name), Title: "profile likelihood of " + q.Name, Note: note,
		X: picture.Axis{Label: q.Name, Log: wide(values)}, Y: picture.Axis{Label: "log-likelihood below its maximum"},
		Layers: []picture.Layer{
			{Kind: picture.Line, Name: "largest over the other parameters", Color: picture.Fitted, X: values, Y: fall},
			{Kind: picture.Upright, Name: "estimate", Color: len(picture.Colors) - 1, Thin: true, X: []float64{q.Estimate}},
		}}
	if limits := finite(q.Low, q.High); len(limits) > 0 {
		p.Layers = append(p.Layers, picture.Layer{Kind: picture.Upright, Name: "ends of the interval",
			Color: picture.Other, Thin: true, Dash: true, X: limits})
	}
	return p
}

// near is the part of a profile that is around its interval: one that levels off goes on to values that would leave no room for it.
func near(q *estimate.Profile) (values, logs []float64) {
	low, high := math.Inf(-1), math.Inf(1)
	if width := q.High - q.Low; width > 0 {
		low, high = q.Low-width, q.High+width
	}
	for i, v := range q.Values {
		if v >= low && v <= high {
			values, logs = append(values, v), append(logs, q.LogLikelihood[i])
		}
	}
	return values, logs
}

// wide reports whether positive numbers go through so many orders that they are shown by their logarithms.
func wide(values []float64) bool {
	return len(values) > 0 && values[0] > 0 && values[len(values)-1] > 50*values[0]
}

func finite(x ...float64) (out []float64) {
	for _, v := range x {
		if !math.IsNaN(v) && !math.IsInf(v, 0) {
			out = append(out, v)
		}
	}
	return out
}

func end(x float64) string {
	if math.IsNaN(x) {
		return "beyond what was looked at"
	}
	return fmt.Sprintf("%.5g", x)
}

// fileName keeps letters and digits of a name, for files.
func fileName(name string) string {
	var out []rune
	for _, c := range name {
		switch {
		case c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_':
			out = append(out, c)
		case len(out) > 0 && out[len(out)-1] != '-':
			out = append(out, '-')
		}
	}
	for len(out) > 0 && out[len(out)-1] == '-' {
		out = out[:len(out)-1]
	}
	return string(out)
}
