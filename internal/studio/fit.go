package studio

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	enginefit "github.com/sngdgen/sngdgen/gen/fit"
	"github.com/sngdgen/sngdgen/internal/figure"
	"github.com/sngdgen/sngdgen/internal/picture"
	"github.com/sngdgen/sngdgen/internal/record"
	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/estimate"
	"github.com/sngdgen/sngdgen/runtime/types"
	"github.com/sngdgen/sngdgen/spec"
)

// fitRequest asks for a fit.
type fitRequest struct {
	dataRequest
	Method     string  `json:"method"`
	Components string  `json:"components"` // a number, or several as in 1..6
	Starts     int     `json:"starts"`
	Seed       uint64  `json:"seed"`
	Penalty    bool    `json:"penalty"`
	Batch      int     `json:"batch"`  // rows of each step; 0 means all
	Epochs     float64 `json:"epochs"` // of minibatches; 0 means the default
}

const (
	mostComponents = 64
	mostStarts     = 1000
	mostEpochs     = 100_000
)

// settings of the fit, and the numbers of components to compare, where there are several.
func (r *fitRequest) settings() (s *estimate.Settings, counts []int, err error) {
	s = &estimate.Settings{Method: r.Method, Starts: r.Starts, Seed: r.Seed, Penalty: r.Penalty}
	s.Stochastic.Batch, s.Stochastic.Epochs = r.Batch, r.Epochs
	if counts, err = spec.ParseComponents(r.Components); err != nil {
		return nil, nil, err
	}
	switch {
	case len(counts) > 0 && counts[len(counts)-1] > mostComponents:
		return nil, nil, errComponents(counts[len(counts)-1])
	case len(counts) == 1:
		s.Components, counts = counts[0], nil
	}
	switch {
	case r.Starts < 0 || r.Starts > mostStarts:
		return nil, nil, fmt.Errorf("%d starts: from 1 to %d", r.Starts, mostStarts)
	case r.Batch < 0 || !(r.Epochs >= 0 && r.Epochs <= mostEpochs):
		return nil, nil, fmt.Errorf("batches of %d rows for %v epochs: a batch has at least one row, and there are up to %d epochs", r.Batch, r.Epochs, mostEpochs)
	}
	return s, counts, s.Check()
}

func errComponents(k int) error { return fmt.Errorf("%d components: from 1 to %d", k, mostComponents) }

// fitted is what came of a fit.
type fitted struct {
	Kind    string   `json:"kind"` // likelihood, comparison or posterior
	Report  any      `json:"report"`
	Panels  []panel  `json:"panels"`
	Frames  *frames  `json:"frames,omitempty"`
	Trouble string   `json:"trouble,omitempty"` // why the outcome is no maximum
	Notes   []string `json:"notes,omitempty"`   // on what is taken for what
	// Names of the entries of vectors, where data tell them, by the names of parameters.
	Labels map[string][]string `json:"labels,omitempty"`
	// MatrixLabels are those of the rows and columns of matrices.
	MatrixLabels map[string][][]string `json:"matrix_labels,omitempty"`
}

// fit fits a problem to data.
func fit(ctx context.Context, r *fitRequest, tell func(any)) (any, error) {
	p, err := r.problem()
	if err != nil {
		return nil, err
	}
	settings, counts, err := r.settings()
	if err != nil {
		return nil, err
	}
	if len(p.Starts) == 0 && p.RandomStart == nil {
		return nil, fmt.Errorf("%s has no start: nothing says where a fit begins\nhint: add start, with a formula of the data for each "+
			"parameter of the surrogate", p.Package)
	}
	if len(counts) > 0 && (p.Components == nil || p.VI != nil) {
		return nil, fmt.Errorf("several numbers of components are for mixtures: %s is none", p.Package)
	}
	data, err := r.read(p)
	if err != nil {
		return nil, err
	}
	engine, err := r.engine(ctx, p)
	if err != nil {
		return nil, err
	}
	w := &watcher{tell: tell}
	settings.Progress = w.watch
	out, err := data.fitted(ctx, p, engine, settings, counts)
	w.flush()
	if err != nil {
		return nil, record.WithHints(data.located(err), p, data.table)
	}
	out.Labels, out.MatrixLabels, out.Notes = data.names, data.matrices, data.notes
	if out.Trouble != "" {
		out.Notes = slices.Concat(out.Notes, record.Hints(p, data.table))
	}
	return out, ctx.Err()
}

// fitted fits a problem, or compares numbers of components.
func (d *dataset) fitted(ctx context.Context, p *spec.Problem, engine *enginefit.Problem, settings *estimate.Settings, counts []int) (*fitted, error) {
	if p.VI != nil {
		settings.Details.Trace, settings.Variational.Keep = true, figure.PosteriorDraws
		answer, err := engine.Fit(ctx, d.data, settings)
		if err != nil {
			return nil, err
		}
		return show(answer, nil), nil
	}
	s := subjectOf(p, d)
	settings.Details = s.Request(nil)
	if len(counts) > 0 {
		c, err := engine.Compare(ctx, d.data, counts, settings)
		if err != nil {
			return nil, err
		}
		return &fitted{Kind: "comparison", Report: c, Panels: panelsOf(figure.Comparison(s, c))}, nil
	}
	settings.Details.Path = s.Data.Columns == 1
	answer, err := engine.Fit(ctx, d.data, settings)
	if err != nil {
		return nil, err
	}
	out := show(answer, s)
	if s.Data.Columns == 1 && !s.Given {
		if m := engine.Model(); estimate.Load(m, s.Data, settings.Components) == nil {
			out.Frames = framesOf(ctx, m, answer.Likelihood, settings.Details.Rows)
		}
	}
	return out, nil
}

// show makes the pictures of what came of a fit.
func show(answer *enginefit.Answer, s *figure.Subject) *fitted {
	if a := answer.Posterior; a != nil {
		out := &fitted{Kind: "posterior", Report: a, Panels: panelsOf(figure.Posterior(a))}
		if !a.Complete() {
			out.Trouble = a.Message
		}
		return out
	}
	report := answer.Likelihood
	out := &fitted{Kind: "likelihood", Report: report, Panels: panelsOf(figure.Likelihood(s, report))}
	if !report.Complete() {
		out.Trouble = report.Message
	}
	return out
}

// subjectOf says what is fitted.
func subjectOf(p *spec.Problem, d *dataset) *figure.Subject {
	v := observed(p)[0]
	of := v.Type.Type()
	s := &figure.Subject{Problem: p.Package, Columns: d.table.Columns, Entries: of.Entry, Form: of.Form, Data: d.data,
		Given: len(p.Given()) > 0, Number: of.Form == types.Number && len(observed(p)) == 1, Sequence: p.TargetDist != nil && len(p.TargetDist.States) > 0}
	if parts := observed(p); len(parts) > 1 && !s.Given {
		s.Entries, s.Form, s.Each = nil, types.Vector, record.Entries(parts, len(d.table.Columns))
	}
	return s
}

// watcher tells the points of runs, some at a time.
type watcher struct {
	tell   func(any)
	points []point
	last   time.Time
}

// point is one of a run while it goes on.
type point struct {
	Run       int     `json:"run"`
	Iteration int     `json:"iteration"`
	Loss      number  `json:"loss"`
	Seconds   float64 `json:"seconds"`
}

const (
	tellEvery = 100 * time.Millisecond
	mostTold  = 500 // points at a time
)

func (w *watcher) watch(p estimate.Progress) {
	if len(w.points) < mostTold {
		w.points = append(w.points, point{p.Run, p.Iteration, number(p.Loss), p.Seconds})
	}
	if time.Since(w.last) >= tellEvery {
		w.flush()
	}
}

func (w *watcher) flush() {
	if len(w.points) > 0 {
		w.tell(w.points)
	}
	w.points, w.last = nil, time.Now()
}

// frames are densities at points of the run that led to the estimate.
type frames struct {
	X     []number `json:"x"`
	Steps []frame  `json:"steps"`
}

type frame struct {
	Iteration int      `json:"iteration"`
	Loss      number   `json:"loss"`
	Y         []number `json:"y"`
}

// mostFrames is how many densities the page has at most.
const mostFrames = 40

// framesOf evaluates densities along the last run from the start of the estimate; nil where there is no way to tell.
func framesOf(ctx context.Context, m runtime.Model, r *estimate.Report, rows []float64) *frames {
	var points []estimate.TracePoint
	for _, run := range r.Details.Runs {
		if run.Start == r.Start {
			for _, p := range run.Points {
				if p.Z != nil {
					points = append(points, p)
				}
			}
		}
	}
	if len(points) < 2 || len(rows) == 0 {
		return nil
	}
	out := &frames{X: numbersOf(rows)}
	theta := make([]float64, len(r.Theta()))
	for k := range min(len(points), mostFrames) {
		p := points[k*(len(points)-1)/max(1, min(len(points), mostFrames)-1)]
		m.Theta(theta, p.Z)
		d, err := estimate.ScoreRows(ctx, m, theta, rows)
		if err != nil {
			return nil
		}
		for i := range d.Log {
			d.Log[i] = math.Exp(d.Log[i])
		}
		out.Steps = append(out.Steps, frame{p.Iteration, number(p.Loss), numbersOf(d.Log)})
	}
	return out
}

// panel is a picture as numbers, for the page to draw.
type panel struct {
	Name   string     `json:"name"`
	Title  string     `json:"title"`
	Note   string     `json:"note,omitempty"`
	X      axis       `json:"x"`
	Y      axis       `json:"y"`
	Layers []layer    `json:"layers"`
	Grid   [][]*panel `json:"grid,omitempty"`
	Loose  bool       `json:"loose,omitempty"`
}

type axis struct {
	Label string         `json:"label"`
	Min   number         `json:"min"`
	Max   number         `json:"max"`
	Log   bool           `json:"log,omitempty"`
	Whole bool           `json:"whole,omitempty"`
	Bare  bool           `json:"bare,omitempty"`
	Ticks []picture.Tick `json:"ticks,omitempty"`
}

type layer struct {
	Kind  picture.Kind `json:"kind"`
	Name  string       `json:"name,omitempty"`
	Color int          `json:"color"`
	Faint bool         `json:"faint,omitempty"`
	Dash  bool         `json:"dash,omitempty"`
	Thin  bool         `json:"thin,omitempty"`
	X     []number     `json:"x,omitempty"`
	Y     []number     `json:"y,omitempty"`
	From  []number     `json:"from,omitempty"`
	To    []number     `json:"to,omitempty"`
	Low   []number     `json:"low,omitempty"`
	High  []number     `json:"high,omitempty"`
	Size  []number     `json:"size,omitempty"`
}

func panelsOf(list []picture.Panel) []panel {
	out := []panel{}
	for i := range list {
		if list[i].Check() == nil {
			out = append(out, *panelOf(&list[i]))
		}
	}
	return out
}

func panelOf(p *picture.Panel) *panel {
	out := &panel{Name: p.Name, Title: p.Title, Note: p.Note, X: axisOf(&p.X), Y: axisOf(&p.Y), Loose: p.Loose, Layers: []layer{}}
	for i := range p.Layers {
		out.Layers = append(out.Layers, layerOf(&p.Layers[i]))
	}
	for _, row := range p.Grid {
		var own []*panel
		for _, q := range row {
			if q == nil {
				own = append(own, nil)
				continue
			}
			own = append(own, panelOf(q))
		}
		out.Grid = append(out.Grid, own)
	}
	return out
}

func axisOf(a *picture.Axis) axis {
	return axis{a.Label, number(a.Min), number(a.Max), a.Log, a.Whole, a.Bare, a.Ticks}
}

// layerOf is a layer; the contours of a field are the lines of it.
func layerOf(l *picture.Layer) layer {
	out := layer{Kind: l.Kind, Name: l.Name, Color: l.Color, Faint: l.Faint, Dash: l.Dash, Thin: l.Thin, X: numbersOf(l.X), Y: numbersOf(l.Y),
		From: numbersOf(l.From), To: numbersOf(l.To), Low: numbersOf(l.Low), High: numbersOf(l.High), Size: numbersOf(l.Size)}
	if l.Kind == picture.Contour {
		out.Kind, out.X, out.Y = picture.Line, nil, nil
		for _, level := range l.Levels {
			for _, line := range picture.Contours(l, level) {
				for _, p := range line {
					out.X, out.Y = append(out.X, number(p[0])), append(out.Y, number(p[1]))
				}
				out.X, out.Y = append(out.X, number(math.NaN())), append(out.Y, number(math.NaN()))
			}
		}
	}
	return out
}
