package estimate_test

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sngdgen/sngdgen/generated/logistic"
	"github.com/sngdgen/sngdgen/generated/normalmix"
	"github.com/sngdgen/sngdgen/generated/skewnormal"
	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/estimate"
)

// said is a report without what depends on the clock.
func said(t *testing.T, rep *estimate.Report) string {
	t.Helper()
	if rep == nil {
		t.Fatal("no report")
	}
	one := *rep
	one.Seconds = 0
	text, err := json.Marshal(&one)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// resumable are models with data, and settings of their fits.
func resumable(t *testing.T) map[string]func() (runtime.Model, estimate.Settings) {
	t.Helper()
	return map[string]func() (runtime.Model, estimate.Settings){
		"mixture": func() (runtime.Model, estimate.Settings) {
			m, err := normalmix.New(threeMixed()[:120], 3)
			if err != nil {
				t.Fatal(err)
			}
			return m, estimate.Settings{Seed: 1}
		},
		"vectors": func() (runtime.Model, estimate.Settings) {
			x := threeMixed()[:240]
			for i := range x {
				x[i] += math.Sin(float64(i * i))
			}
			m, err := skewnormal.New(x, 2)
			if err != nil {
				t.Fatal(err)
			}
			return m, estimate.Settings{Method: "sngd", LineSearch: "wolfe", Starts: 3, GradientTolerance: 1e-6}
		},
	}
}

func size(t *testing.T, path string) int64 {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info.Size()
}

// A fit that was stopped, and whose file has lost the end of what was written last, is begun again: it says to the last digit what one says that
// was never stopped. Begun a third time it evaluates nothing that is new.
func TestCheckpoint(t *testing.T) {
	estimate.KeepAll(t)
	for name, made := range resumable(t) {
		t.Run(name, func(t *testing.T) {
			m, s := made()
			whole, err := estimate.Fit(t.Context(), m, &s)
			if err != nil {
				t.Fatal(err)
			}
			s.Checkpoint = estimate.Checkpoint{File: filepath.Join(t.TempDir(), "fit"), Identity: "1"}

			ctx, stop := context.WithCancel(t.Context())
			points := 0
			stopped := s
			stopped.Progress = func(estimate.Progress) {
				if points++; points == 20 {
					stop()
				}
			}
			m, _ = made()
			if rep, _ := estimate.Fit(ctx, m, &stopped); rep != nil && said(t, rep) == said(t, whole) {
				t.Fatal("it was not stopped")
			}
			before := size(t, s.Checkpoint.File)
			if err := os.Truncate(s.Checkpoint.File, before-3); err != nil {
				t.Fatal(err)
			}

			m, _ = made()
			again, err := estimate.Fit(t.Context(), m, &s)
			if err != nil || said(t, again) != said(t, whole) {
				t.Errorf("%v\n%s\nnot\n%s", err, said(t, again), said(t, whole))
			}
			after := size(t, s.Checkpoint.File)
			if after <= before {
				t.Errorf("%d bytes, and %d when it was stopped", after, before)
			}
			m, _ = made()
			if again, err = estimate.Fit(t.Context(), m, &s); err != nil || said(t, again) != said(t, whole) || size(t, s.Checkpoint.File) != after {
				t.Errorf("the third time: %v, %d bytes, not %d", err, size(t, s.Checkpoint.File), after)
			}
		})
	}
}

// A gradient is that of the data: of others the same file knows nothing.
func TestCheckpointOfOtherData(t *testing.T) {
	estimate.KeepAll(t)
	s := estimate.Settings{Checkpoint: estimate.Checkpoint{File: filepath.Join(t.TempDir(), "fit"), Identity: "1"}, Components: 2}
	for _, n := range []int{60, 90} {
		x := threeMixed()[:n]
		plain, err := estimate.FindOn(t.Context(), new(normalmix.Model), runtime.Data{Values: x}, estimate.Settings{Components: 2})
		if err != nil {
			t.Fatal(err)
		}
		m, err := normalmix.New(x, 2)
		if err != nil {
			t.Fatal(err)
		}
		kept, err := estimate.Fit(t.Context(), m, &s)
		if kept == nil || said(t, kept) != said(t, plain) {
			t.Errorf("%d rows: %v\n%s\nnot\n%s", n, err, said(t, kept), said(t, plain))
		}
	}
}

// What a file does not hold is an error, and so are methods that keep nothing.
func TestCheckpointErrors(t *testing.T) {
	folder := t.TempDir()
	of := func(name, identity string) estimate.Checkpoint {
		return estimate.Checkpoint{File: filepath.Join(folder, name), Identity: identity}
	}
	if err := os.WriteFile(filepath.Join(folder, "table.csv"), []byte("x\n1\n2\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		settings estimate.Settings
		want     string
	}{
		{estimate.Settings{Checkpoint: of("fit", "a")}, ""},
		{estimate.Settings{Checkpoint: of("fit", "b")}, "is of another spec, or of another version of the program"},
		{estimate.Settings{Checkpoint: of("table.csv", "a")}, "is no checkpoint"},
		{estimate.Settings{Checkpoint: of("none/fit", "a")}, "no such file or directory"},
		{estimate.Settings{Checkpoint: of("", "a")}, "checkpoint"},
		{estimate.Settings{Checkpoint: of("other", "a"), Method: "adam"}, "method adam"},
		{estimate.Settings{Checkpoint: of("other", "a"), Method: "sngd", Stochastic: estimate.Stochastic{Batch: 10}}, "over minibatches"},
	} {
		m, err := normalmix.New(threeMixed()[:60], 2)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := estimate.Fit(t.Context(), m, &test.settings); (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%+v: %v", test.settings.Checkpoint, err)
		}
	}
	m, err := logistic.New(runtime.Data{Values: []float64{1, 0, 1, 1, 2, 1}, Columns: 2})
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := m.Fit(t.Context(), &estimate.Settings{Checkpoint: of("posterior", "a")}); err == nil || errors.As(err, new(*estimate.Unfinished)) {
		t.Errorf("a posterior: %v", err)
	}
}
