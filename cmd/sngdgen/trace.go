package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"strconv"

	"github.com/sngdgen/sngdgen/runtime/estimate"
)

// traceColumns are those of a trace, in order.
var traceColumns = []string{"run", "start", "iteration", "evaluations", "epochs", "loss", "natural_norm", "step", "seconds"}

// tracePoint is a line of a trace in JSON; what is not known is null.
type tracePoint struct {
	Run         int             `json:"run"`   // number of the run, from 1
	Start       int             `json:"start"` // as in the report
	Iteration   int             `json:"iteration"`
	Evaluations int             `json:"evaluations"`
	Epochs      estimate.Number `json:"epochs"`
	Loss        estimate.Number `json:"loss"`
	NaturalNorm estimate.Number `json:"natural_norm"`
	Step        estimate.Number `json:"step"`
	Seconds     estimate.Number `json:"seconds"`
}

// writeTrace writes all points of all runs, if that is asked for.
func (f *pictureFlags) writeTrace(s *session, runs []estimate.RunTrace, cut bool) error {
	if f.Trace == "" {
		return nil
	}
	if cut {
		fmt.Fprintf(s.err, "warning: %s: the runs have more points than are kept: those that came later are left out\n", f.Trace)
	}
	lines := writeTraceCSV
	if filepath.Ext(f.Trace) == ".jsonl" {
		lines = writeTraceJSON
	}
	err := s.writeWhole(f.Trace, func(w io.Writer) error {
		b := bufio.NewWriter(w)
		if err := lines(b, runs); err != nil {
			return err
		}
		return b.Flush()
	})
	if err != nil {
		return fmt.Errorf("%s: %w", f.Trace, cause(err))
	}
	return nil
}

// writeTraceCSV writes a header and a row for each point, with empty cells for what is not known.
func writeTraceCSV(w *bufio.Writer, runs []estimate.RunTrace) error {
	for i, name := range traceColumns {
		if i > 0 {
			w.WriteByte(',')
		}
		w.WriteString(name)
	}
	w.WriteByte('\n')
	var line []byte
	for i, run := range runs {
		for _, p := range run.Points {
			line = strconv.AppendInt(line[:0], int64(i+1), 10)
			for _, n := range []int{run.Start, p.Iteration, p.Evaluations} {
				line = strconv.AppendInt(append(line, ','), int64(n), 10)
			}
			for _, x := range []float64{p.Epochs, p.Loss, p.NaturalNorm, p.Step, p.Seconds} {
				if line = append(line, ','); !math.IsNaN(x) && !math.IsInf(x, 0) {
					line = strconv.AppendFloat(line, x, 'g', -1, 64)
				}
			}
			if _, err := w.Write(append(line, '\n')); err != nil {
				return err
			}
		}
	}
	return nil
}

// writeTraceJSON writes an object for each point, a line each.
func writeTraceJSON(w *bufio.Writer, runs []estimate.RunTrace) error {
	e := json.NewEncoder(w)
	for i, run := range runs {
		for _, p := range run.Points {
			if err := e.Encode(tracePoint{i + 1, run.Start, p.Iteration, p.Evaluations, estimate.Number(p.Epochs), estimate.Number(p.Loss),
				estimate.Number(p.NaturalNorm), estimate.Number(p.Step), estimate.Number(p.Seconds)}); err != nil {
				return err
			}
		}
	}
	return nil
}
