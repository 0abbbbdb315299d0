package estimate_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sngdgen/sngdgen/generated"
	"github.com/sngdgen/sngdgen/internal/processes"
	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/estimate"
	"github.com/sngdgen/sngdgen/runtime/ranges"
)

// spread is a data set whose rows several processes can have in whole ranges, with a fit of it.
type spread struct {
	problem    string
	components int
	data       runtime.Data
	settings   estimate.Settings
}

// spreads are fits of all kinds: of numbers, counts, vectors and mixtures.
func spreads() map[string]spread {
	rng := rand.New(rand.NewPCG(1, 2))
	numbers := func(n int, draw func() float64) []float64 {
		x := make([]float64, n)
		for i := range x {
			x[i] = draw()
		}
		return x
	}
	two := func() float64 { return rng.NormFloat64() + 5*float64(rng.IntN(2)) }
	heavy := func() float64 { return 3 + rng.NormFloat64()/math.Sqrt(rng.ExpFloat64()) }
	counts := func() float64 { return math.Floor(rng.ExpFloat64() * 10) }
	vectors := numbers(3*9000, two)
	weights := numbers(9000, func() float64 { return rng.Float64() })
	return map[string]spread{
		"numbers":    {problem: "studentt", data: runtime.Data{Values: numbers(9000, heavy), Weights: weights}},
		"minibatch":  {problem: "studentt", data: runtime.Data{Values: numbers(9000, heavy)}, settings: estimate.Settings{Stochastic: estimate.Stochastic{Batch: 100, Epochs: 2}}},
		"counts":     {problem: "negbin", data: runtime.Data{Values: numbers(9000, counts)}},
		"vectors":    {problem: "skewnormal", data: runtime.Data{Values: vectors, Columns: 3}},
		"mixture":    {problem: "normalmix", components: 2, data: runtime.Data{Values: numbers(8500, two)}},
		"no maximum": {problem: "studentt", data: runtime.Data{Values: numbers(9000, rng.Float64)}},
	}
}

// fitted is the fit of a part of the rows, of all where there are no others.
func (s *spread) fitted(ctx context.Context, d runtime.Data, settings estimate.Settings) (*estimate.Report, error) {
	made, _ := generated.Lookup(s.problem)
	m := made()
	if x, ok := m.(runtime.Mixture); ok {
		if err := x.SetComponents(s.components); err != nil {
			return nil, err
		}
	}
	if err := m.SetData(d); err != nil {
		return nil, err
	}
	return estimate.Fit(ctx, m, &settings)
}

// part are the rows of a process.
func part(d runtime.Data, own runtime.Reducer) runtime.Data {
	width := max(d.Columns, 1)
	from, to := ranges.Even(len(d.Values)/width, own.Size()).Of(own.Rank())
	d.Values, d.Others = d.Values[from*width:to*width], own
	if d.Weights != nil {
		d.Weights = d.Weights[from:to]
	}
	return d
}

// Processes that have whole ranges of the rows report what one process reports of all, to the last digit, and all of them the same.
func TestFitInProcesses(t *testing.T) {
	for name, s := range spreads() {
		t.Run(name, func(t *testing.T) {
			rep, failed := s.fitted(t.Context(), s.data, s.settings)
			want := said(t, rep)
			for _, n := range []int{2, 4} {
				got := make([]string, n)
				errs := processes.Run(n, func(own runtime.Reducer) error {
					settings := s.settings
					settings.Workers = 1 + own.Rank()
					rep, err := s.fitted(t.Context(), part(s.data, own), settings)
					if rep != nil {
						got[own.Rank()] = said(t, rep)
					}
					return err
				})
				for rank := range n {
					if (errs[rank] == nil) != (failed == nil) {
						t.Fatalf("process %d of %d: %v, alone %v", rank, n, errs[rank], failed)
					}
					if got[rank] != want {
						t.Fatalf("process %d of %d reports\n%s\none process\n%s", rank, n, got[rank], want)
					}
				}
			}
		})
	}
}

// Three processes have parts of ranges: they agree with each other to the last digit, and with one process but for rounding.
func TestFitOfPartsOfRanges(t *testing.T) {
	all := spreads()
	few := all["mixture"] // as many rows as a search looks at
	few.data.Values = few.data.Values[:1500]
	all["few"] = few
	for _, name := range []string{"numbers", "vectors", "few"} {
		s := all[name]
		alone, err := s.fitted(t.Context(), s.data, s.settings)
		if err != nil {
			t.Fatal(err)
		}
		all := make([]*estimate.Report, 3)
		errs := processes.Run(3, func(own runtime.Reducer) (err error) {
			all[own.Rank()], err = s.fitted(t.Context(), part(s.data, own), s.settings)
			return err
		})
		if err := errors.Join(errs...); err != nil {
			t.Fatal(name, err)
		}
		for _, rep := range all[1:] {
			if said(t, rep) != said(t, all[0]) {
				t.Errorf("%s: processes report different things", name)
			}
		}
		for k, x := range alone.Theta() {
			if got := all[0].Theta()[k]; math.Abs(got-x) > 1e-6*(1+math.Abs(x)) {
				t.Errorf("%s: parameter %d is %v, and %v in one process", name, k, got, x)
			}
		}
		if got, want := float64(all[0].LogLikelihood), float64(alone.LogLikelihood); math.Abs(got-want) > 1e-9*math.Abs(want) {
			t.Errorf("%s: the log-likelihood is %v, and %v in one process", name, all[0].LogLikelihood, alone.LogLikelihood)
		}
	}
}

// What is wrong with the rows of one process is said in all of them.
func TestFaultsOfOtherProcesses(t *testing.T) {
	s := spreads()["numbers"]
	s.data.Values = slices.Clone(s.data.Values)
	s.data.Values[8000] = math.NaN()
	errs := processes.Run(2, func(own runtime.Reducer) error {
		_, err := s.fitted(t.Context(), part(s.data, own), s.settings)
		return err
	})
	var bad *runtime.DataError
	if !errors.As(errs[1], &bad) || bad.Row != 8000-ownFirst(s.data, 1) {
		t.Errorf("the process with the row says %v", errs[1])
	}
	if errs[0] == nil || !strings.HasPrefix(errs[0].Error(), "process 2 of 2: ") {
		t.Errorf("the other one says %v", errs[0])
	}
}

// A process that ends early ends the others, with an error.
func TestProcessGone(t *testing.T) {
	s := spreads()["numbers"]
	errs := processes.Run(2, func(own runtime.Reducer) error {
		d := part(s.data, own)
		if own.Rank() == 1 {
			d.Others = &mortal{own, 40}
		}
		_, err := s.fitted(t.Context(), d, s.settings)
		return err
	})
	for rank, err := range errs {
		if err == nil || !strings.Contains(err.Error(), "did not come to the end together") {
			t.Errorf("process %d: %v", rank, err)
		}
	}
}

// mortal is a process that ends after some sums.
type mortal struct {
	runtime.Reducer
	left int
}

func (m *mortal) Sum(x []float64) error {
	if m.left--; m.left < 0 {
		return errors.New("dead")
	}
	return m.Reducer.Sum(x)
}

// The first of the processes has the checkpoint: a fit that is begun again by as many, or by one less, comes to the same digits.
func TestCheckpointOfProcesses(t *testing.T) {
	estimate.KeepAll(t)
	s := spreads()["numbers"]
	file := filepath.Join(t.TempDir(), "fit")
	var texts []string
	run := func(n int) {
		reports := make([]*estimate.Report, n)
		errs := processes.Run(n, func(own runtime.Reducer) (err error) {
			settings := s.settings
			settings.Checkpoint = estimate.Checkpoint{File: file, Identity: "1"}
			reports[own.Rank()], err = s.fitted(t.Context(), part(s.data, own), settings)
			return err
		})
		if err := errors.Join(errs...); err != nil {
			t.Fatal(err)
		}
		for _, rep := range reports {
			texts = append(texts, said(t, rep))
		}
	}
	run(2)
	before := size(t, file)
	run(2)
	if after := size(t, file); after != before || before < 1000 {
		t.Errorf("a second fit made the checkpoint %d bytes, from %d", after, before)
	}
	for _, text := range texts {
		if text != texts[0] {
			t.Error("fits with a checkpoint report different things")
		}
	}
}

// Goroutines of one process may not use parts of rows at the same time, as the others would not know which of them they wait for.
func TestOneGoroutineAtATime(t *testing.T) {
	s := spreads()["numbers"]
	errs := processes.Run(2, func(own runtime.Reducer) error {
		made, _ := generated.Lookup(s.problem)
		m, d := made(), part(s.data, own)
		slow := &meeting{Reducer: own, met: make(chan bool)}
		d.Others = slow
		if err := m.SetData(d); err != nil {
			return err
		}
		z := make([]float64, 3)
		if err := m.Start(z, 0, nil); err != nil {
			return err
		}
		other, done := m.Clone(), make(chan bool)
		slow.on = true
		go func() { m.Loss(z); close(done) }()
		<-slow.met
		other.Loss(z)
		slow.met <- true
		<-done
		slow.on = false
		return m.(runtime.Distributed).Others().Sum(nil)
	})
	for _, err := range errs {
		if err == nil || !strings.Contains(err.Error(), "two goroutines") {
			t.Errorf("got %v", err)
		}
	}
}

// meeting is a process that waits, while it sums up, for somebody.
type meeting struct {
	runtime.Reducer
	on  bool
	met chan bool
}

func (m *meeting) Sum(x []float64) error {
	if m.on {
		m.met <- true
		<-m.met
	}
	return m.Reducer.Sum(x)
}

// ownFirst is the first row of a process of two.
func ownFirst(d runtime.Data, rank int) int {
	from, _ := ranges.Even(len(d.Values)/max(d.Columns, 1), 2).Of(rank)
	return from
}
