package estimate

import (
	"cmp"
	"math"
	"slices"
	"sync"

	"github.com/sngdgen/sngdgen/runtime"
)

// Course of the runs of a fit, for tables and pictures.

// RunTrace is one run of a loop. A start may have several: where a search runs a few steps from many starts and goes on with the best,
// where a fit with more fixed draws follows one with fewer, or where a saddle point is left.
type RunTrace struct {
	Start  int // index of the start, as in Report.Start
	Points []TracePoint
}

// TracePoint is a point of a run. What is not known is NaN.
type TracePoint struct {
	Iteration   int     // number of steps of this run so far, 0 at its start
	Evaluations int     // of the loss or the gradients in this run so far
	Epochs      float64 // of scheduled steps: how many times the rows have been gone through
	Loss        float64 // mean negative log-likelihood, with the penalty if there is one; of a posterior minus the bound
	NaturalNorm float64 // of the gradient; NaN in scheduled steps
	Step        float64 // multiple of the direction that led here
	Seconds     float64 // since the start of the run
	// Z are the coordinates of the surrogate, of some points where the request asks for a path; nil of others, and of methods that
	// step other coordinates.
	Z []float64
}

// mostPoints bounds the points of all runs of a fit together: 56 MB of them.
const mostPoints = 1_000_000

// tracer collects the runs of a fit. Runs from several starts go on at a time: their order is that of the calls of runAll, and
// within each that of the starts.
type tracer struct {
	lock   sync.Mutex
	tell   func(Progress) // nil where nobody wants to know while the runs go on
	keep   bool           // whether the points are kept
	group  int
	runs   []*tracedRun
	points int
	cut    bool
	paths  bool // whether coordinates are kept
	kept   int  // how many numbers of them
}

// tracedRun is a RunTrace with its place in the order of all.
type tracedRun struct {
	RunTrace
	number, group, index int
}

// Progress is a point that a run has come to while a fit is under way.
type Progress struct {
	Run, Start int // numbers of the run among those that have begun, and of its start among those of the same round, from 0
	TracePoint
}

// newTracer returns a tracer of a fit, nil where nobody wants one.
func newTracer(r *Settings) *tracer {
	if !r.Details.Trace && r.Progress == nil {
		return nil
	}
	return &tracer{tell: r.Progress, keep: r.Details.Trace, paths: r.Details.Path && !r.unconstrained()}
}

// keeps reports whether the course of the runs is kept.
func (t *tracer) keeps() bool { return t != nil && t.keep }

// begin makes room for the runs from several starts, or one; nil has no room.
func (t *tracer) begin() {
	if t != nil {
		t.group++
	}
}

// start notes that a run begins.
func (t *tracer) start(index int) *tracedRun {
	if t == nil {
		return nil
	}
	t.lock.Lock()
	defer t.lock.Unlock()
	r := &tracedRun{RunTrace: RunTrace{Start: index}, number: len(t.runs), group: t.group, index: index}
	t.runs = append(t.runs, r)
	return r
}

// add tells of a point, and appends it as long as there are not too many.
func (t *tracer) add(r *tracedRun, p TracePoint, z []float64) {
	t.lock.Lock()
	defer t.lock.Unlock()
	if t.tell != nil {
		t.tell(Progress{r.number, r.index, p})
	}
	if !t.keep {
		return
	}
	if t.points == mostPoints {
		t.cut = true
		return
	}
	if t.paths && len(z) <= mostPath-t.kept && onPath(p.Iteration) {
		p.Z = slices.Clone(z)
		t.kept += len(z)
	}
	t.points++
	r.Points = append(r.Points, p)
}

// mostPath bounds the numbers of all coordinates that are kept: 8 MB of them.
const mostPath = 1_000_000

// onPath says of which iterations coordinates are kept: of the first ones, and then ever fewer.
func onPath(iteration int) bool {
	return iteration < 16 || iteration < 256 && iteration%8 == 0 || iteration < 4096 && iteration%128 == 0 || iteration%2048 == 0
}

// all returns the runs that have points, in an order that does not depend on scheduling. Runs of one start of a call follow each
// other in time.
func (t *tracer) all() []RunTrace {
	slices.SortStableFunc(t.runs, func(a, b *tracedRun) int {
		return cmp.Or(cmp.Compare(a.group, b.group), cmp.Compare(a.index, b.index))
	})
	var out []RunTrace
	for _, r := range t.runs {
		if len(r.Points) > 0 {
			out = append(out, r.RunTrace)
		}
	}
	return out
}

// number gives the run, and what is recorded of it, the number of its start among all.
func (a *attempt) number(start int) {
	a.start = start
	for _, r := range a.traced {
		r.Start = start
	}
}

// record returns a recorder of a new run, and of what to, which may be nil, wants to know of it. Nothing is recorded where nobody
// has asked for it.
func (a *attempt) record(r *Settings, index int, to runtime.Recorder) runtime.Recorder {
	run := r.tracer.start(index)
	if run == nil {
		return to
	}
	a.traced = append(a.traced, run)
	return runtime.RecorderFunc(func(it *runtime.Iteration) error {
		r.tracer.add(run, TracePoint{Iteration: it.Index, Evaluations: it.Evaluations, Epochs: it.Epochs, Loss: it.Loss,
			NaturalNorm: it.NaturalNorm, Step: it.Step, Seconds: it.Elapsed.Seconds()}, it.Z)
		if to == nil {
			return nil
		}
		return to.Record(it)
	})
}

const (
	// recordEvery is the number of scheduled steps between two records: as many as between two looks at the domain, which a record
	// takes too, so that a run is the same whether it is recorded or not.
	recordEvery = 10
	// The loss at a recorded point of scheduled steps, which their loop does not need, is evaluated at steps ever further apart:
	// by this part of the steps so far. Of a posterior it is an estimate by so many draws.
	recordRise  = 0.03
	recordDraws = 200
)

// recordSteps makes scheduled steps tell a recorder the loss, at points ever further apart, and of every checkpointEvery-th step,
// and the last one, also another recorder, which may be nil. What it returns is to be called after the last step.
func (a *attempt) recordSteps(s *runtime.Stochastic, r *Settings, p runtime.Problem, to runtime.Recorder) (last func()) {
	own := a.record(r, a.start, nil)
	if own == nil {
		if s.Recorder = to; to != nil {
			s.Every = checkpointEvery
		}
		return func() {}
	}
	var left runtime.Trace // the last step, if the other recorder has not been told of it
	next := 0
	s.Every = recordEvery
	s.Recorder = runtime.RecorderFunc(func(it *runtime.Iteration) error {
		if it.Index >= next {
			next = it.Index + max(1, int(recordRise*float64(it.Index)))
			shown := *it
			shown.Loss = evaluatedLoss(p, it.Z, r.Seed)
			if err := own.Record(&shown); err != nil {
				return err
			}
		}
		left.Iterations = left.Iterations[:0]
		if to == nil {
			return nil
		}
		if it.Index%checkpointEvery == 0 {
			return to.Record(it)
		}
		return left.Record(it)
	})
	return func() {
		for i := range left.Iterations {
			_ = to.Record(&left.Iterations[i]) // an error would end the run, which has ended
		}
	}
}

// evaluatedLoss is the loss over all rows; of a posterior an estimate.
func evaluatedLoss(p runtime.Problem, z []float64, seed uint64) float64 {
	if v, ok := p.(runtime.Variational); ok {
		e, err := runtime.ELBO(v, z, recordDraws, seed)
		if err != nil {
			return math.NaN()
		}
		return -e.Mean
	}
	if b, ok := p.(runtime.Batcher); ok {
		_ = b.Batch(nil) // all rows are no error
	}
	return p.Loss(z)
}
