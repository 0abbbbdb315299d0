package figure

import (
	"fmt"
	"math"
	"slices"

	"github.com/sngdgen/sngdgen/internal/picture"
	"github.com/sngdgen/sngdgen/runtime/estimate"
	"github.com/sngdgen/sngdgen/runtime/psis"
)

// PosteriorDraws are kept for pictures of a posterior, where nothing else is asked for.
const PosteriorDraws = 4000

const (
	shownMargins = 12 // of latent variables
	marginsInRow = 4
)

// Posterior makes the pictures of an approximation of a posterior.
func Posterior(a *estimate.Approximation) (panels []picture.Panel) {
	panels = append(panels, margins(a)...)
	panels = append(panels, posteriorPairs(a)...)
	panels = append(panels, ratios(a)...)
	panels = append(panels, predicted(a)...)
	return append(panels, bounds(a)...)
}

// margins are the marginal densities of the latent variables.
func margins(a *estimate.Approximation) []picture.Panel {
	if a.Sample == nil || a.Sample.Rows() == 0 || len(varying(a)) == 0 {
		return nil
	}
	names, which := namesOf(a), varying(a)
	n := min(len(which), shownMargins)
	p := picture.Panel{Name: "margins", Title: a.Problem + ": posterior of each latent variable",
		Note: fmt.Sprintf("densities of %s, dashed lines at the ends of the %g %% interval", plural(a.Sample.Rows(), "draw"), 100*a.Posterior.Level)}
	if n < len(which) {
		p.Note += fmt.Sprintf("; the first %d of %d", n, len(which))
	}
	lows, highs := a.Posterior.Interval.Ends()
	columns := min(n, marginsInRow)
	for i, k := range which[:n] {
		if i%columns == 0 {
			p.Grid = append(p.Grid, nil)
		}
		x := drawn(&a.Sample.Draws, k)
		ax := wideAxis(x, curveCells)
		q := &picture.Panel{Name: "margin", Title: names[k], X: picture.Axis{Label: names[k]}, Y: picture.Axis{Bare: true}}
		q.Layers = []picture.Layer{{Kind: picture.Band, Color: picture.Fitted, Faint: true, X: ax.centers(),
			Low: make([]float64, ax.cells), High: ax.curve(x)},
			{Kind: picture.Line, Color: picture.Fitted, X: ax.centers(), Y: ax.curve(x)}}
		if k < len(lows) {
			if ends := finite(lows[k], highs[k]); len(ends) > 0 {
				q.Layers = append(q.Layers, picture.Layer{Kind: picture.Upright, Color: picture.Other, Thin: true, Dash: true, X: ends})
			}
		}
		row := len(p.Grid) - 1
		p.Grid[row] = append(p.Grid[row], q)
	}
	p.Loose = true
	return []picture.Panel{p}
}

// varying are the numbers of a draw that are not the same in all of them, as those above the diagonal of a triangular matrix are.
func varying(a *estimate.Approximation) (which []int) {
	for k := range a.Sample.Columns {
		if x := drawn(&a.Sample.Draws, k); slices.Min(x) < slices.Max(x) {
			which = append(which, k)
		}
	}
	return which
}

// namesOf are what the numbers of a draw are called: entries by the levels and columns of the data, where these have names.
func namesOf(a *estimate.Approximation) (names []string) {
	for _, name := range a.Sample.Columns {
		names = append(names, a.Labelled(name))
	}
	return names
}

// wideAxis is the range of draws.
func wideAxis(x []float64, cells int) axis {
	low, high := equal(x).core()
	room := 0.05 * (high - low)
	if room == 0 {
		room = 0.5 * math.Max(math.Abs(low), 1e-3)
	}
	return axis{low: low - room, high: high + room, cells: cells, least: math.Inf(-1), most: math.Inf(1), kernel: fullKernel}
}

// posteriorPairs is the matrix of pictures of the first latent variables.
func posteriorPairs(a *estimate.Approximation) []picture.Panel {
	if a.Sample == nil || a.Sample.Rows() == 0 || len(a.Sample.Columns) < 2 {
		return nil
	}
	names, which := namesOf(a), varying(a)
	n := min(len(which), shownColumns)
	if n < 2 {
		return nil
	}
	p := picture.Panel{Name: "pairs", Title: a.Problem + ": posterior of pairs", Grid: make([][]*picture.Panel, n)}
	if n < len(which) {
		p.Note = fmt.Sprintf("the first %d of %d latent variables", n, len(which))
	}
	for j := range n {
		p.Grid[j] = make([]*picture.Panel, n)
		y := drawn(&a.Sample.Draws, which[j])
		ay := wideAxis(y, fieldPoints)
		for i := range j {
			x := drawn(&a.Sample.Draws, which[i])
			f := &field{wideAxis(x, fieldPoints), ay}
			q := &picture.Panel{Name: "pair", X: picture.Axis{Label: names[which[i]], Min: f.a.low, Max: f.a.high},
				Y: picture.Axis{Min: f.b.low, Max: f.b.high}}
			q.Layers = append(q.Layers, picture.Layer{Kind: picture.Points, Name: "draws", Color: picture.Data, Faint: true,
				X: x[:min(len(x), shownPoints)], Y: y[:min(len(y), shownPoints)]})
			if l, ok := f.contour(surface(&f.a, &f.b, x, y)); ok {
				l.Name = "half and 90 % of the probability"
				q.Layers = append(q.Layers, l)
			}
			p.Grid[j][i] = q
		}
		wide := wideAxis(y, curveCells)
		p.Grid[j][j] = &picture.Panel{Name: "margin", X: picture.Axis{Label: names[which[j]], Min: wide.low, Max: wide.high},
			Y:      picture.Axis{Bare: true},
			Layers: []picture.Layer{{Kind: picture.Line, Color: picture.Fitted, X: wide.centers(), Y: wide.curve(y)}}}
		p.Grid[j][0].Y.Label = names[which[j]]
	}
	return []picture.Panel{p}
}

// ratios are the importance ratios of the draws by their ranks, in logarithms, with the tail that is fitted to them: the k-hat of the
// report is the shape of such a tail, of more draws.
func ratios(a *estimate.Approximation) []picture.Panel {
	khat := float64(a.ELBO.KHat)
	if a.Sample == nil || a.Sample.Resampled || math.IsNaN(khat) {
		return nil
	}
	w := a.Sample.LogWeights()
	slices.Sort(w)
	slices.Reverse(w)
	smooth := slices.Clone(w)
	if k := psis.Smooth(smooth); len(finite(append(w, k)...)) <= len(w) {
		return nil
	}
	n := len(w)
	points := picture.Layer{Kind: picture.Points, Name: "draws", Color: picture.Data}
	tail := picture.Layer{Kind: picture.Line, Name: "generalised Pareto distribution of the tail", Color: picture.Fitted}
	for i, v := range w {
		rank := (float64(i) + 0.5) / float64(n)
		inTail := smooth[i] != v
		if inTail && smooth[i] < w[0] {
			tail.X, tail.Y = append(tail.X, rank), append(tail.Y, smooth[i]-w[0])
		}
		if inTail || i%max(1, n/shownPoints) == 0 { // all of the tail, some of the others
			points.X, points.Y = append(points.X, rank), append(points.Y, v-w[0])
		}
	}
	return []picture.Panel{{Name: "khat", Title: fmt.Sprintf("%s: importance ratios, k-hat %.2f", a.Problem, khat),
		Note: fmt.Sprintf("k-hat is by %s, with standard error %.2f; importance sampling can be trusted below 0.7",
			plural(a.ELBO.Draws, "draw"), float64(a.ELBO.KHatError)),
		X:      picture.Axis{Label: "part of the draws with a larger ratio", Log: true},
		Y:      picture.Axis{Label: "log ratio, less the largest"},
		Layers: []picture.Layer{points, tail}}}
}

// predicted are the checks of data that the model draws: intervals of statistics, and what was observed.
func predicted(a *estimate.Approximation) []picture.Panel {
	if len(a.Predictive) == 0 {
		return nil
	}
	p := picture.Panel{Name: "predictive", Title: a.Problem + ": data that the model draws", Note: "each statistic in units of the half of its interval",
		X: picture.Axis{}, Y: picture.Axis{Label: "distance from the mean of what is drawn"}}
	drawnLayer := picture.Layer{Kind: picture.Errors, Name: fmt.Sprintf("%g %% of draws", 100*a.Posterior.Level), Color: picture.Fitted}
	observed := picture.Layer{Kind: picture.Points, Name: "observed", Color: picture.Other}
	for i, c := range a.Predictive {
		mean, half := float64(c.Mean), (float64(c.High)-float64(c.Low))/2
		if !(half > 0) || len(finite(mean, half, float64(c.Observed))) < 3 {
			continue
		}
		x := float64(i)
		p.X.Ticks = append(p.X.Ticks, picture.Tick{At: x, Label: c.Statistic + " of " + c.Name})
		drawnLayer.X, drawnLayer.Low = append(drawnLayer.X, x), append(drawnLayer.Low, (float64(c.Low)-mean)/half)
		drawnLayer.High = append(drawnLayer.High, (float64(c.High)-mean)/half)
		observed.X, observed.Y = append(observed.X, x), append(observed.Y, (float64(c.Observed)-mean)/half)
		observed.Size = append(observed.Size, 1.6)
	}
	if len(observed.X) == 0 {
		return nil
	}
	p.X.Min, p.X.Max = -0.5, float64(len(a.Predictive))-0.5
	p.Layers = []picture.Layer{{Kind: picture.Across, Color: picture.Data, Thin: true, Y: []float64{0}}, drawnLayer, observed}
	return []picture.Panel{p}
}

// bounds is the course of the bound.
func bounds(a *estimate.Approximation) []picture.Panel {
	all := courses(a.Runs)
	if len(all) == 0 {
		return nil
	}
	p := picture.Panel{Name: "bound", Title: a.Problem + ": evidence lower bound along the runs",
		X: picture.Axis{Label: "steps"}, Y: picture.Axis{Label: "evidence lower bound"}}
	var seen []float64
	for _, c := range all {
		l := picture.Layer{Kind: picture.Line, Name: "other starts", Color: picture.Data, Thin: true}
		if c.start == a.Start {
			l.Name, l.Color, l.Thin = "", picture.Fitted, false
		}
		for i, f := range c.loss {
			l.X, l.Y = append(l.X, c.iterations[i]), append(l.Y, -f)
			seen = append(seen, -f)
		}
		p.Layers = append(p.Layers, l)
	}
	slices.SortStableFunc(p.Layers, func(a, b picture.Layer) int { return a.Color - b.Color })
	// The first steps may come from far below: then they are left out.
	if s := equal(seen); s.x[0] < 0 {
		top, low := s.x[len(s.x)-1], s.quantile(0.2)
		if room := top - low; room > 0 && s.x[0] < low-8*room {
			p.Y.Min, p.Y.Max = low-room, top+0.1*room
			p.Note = "the first steps begin below what is shown"
		}
	}
	return []picture.Panel{p}
}
