package main

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/sngdgen/sngdgen/generated"
	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/estimate"
	"github.com/sngdgen/sngdgen/runtime/penalty"
	"github.com/sngdgen/sngdgen/tests/rivals"
)

// penalised is what package sn found on a data set by maximum penalised likelihood: see penalised.R.
type penalised struct {
	Name      string      `json:"name"`
	Data      [][]float64 `json:"data"`
	Normal, T struct {
		Penalised float64     `json:"penalised"` // log-likelihood less the penalty
		Xi        any         `json:"xi"`
		Omega     [][]float64 `json:"Omega"`
		Eta       any         `json:"eta"`
		Nu        *float64    `json:"nu"`
	}
}

func (p *penalised) Key() string { return p.Name }

// vector reads what R writes as a number when there is one.
func vector(x any) (out []float64) {
	if v, one := x.(float64); one {
		return []float64{v}
	}
	for _, v := range x.([]any) {
		out = append(out, v.(float64))
	}
	return out
}

// The penalty is that of sn, at the points where sn ended, and with it the estimates are no worse, and finite.
func TestPenalised(t *testing.T) {
	known, err := rivals.Load[*penalised]("penalised.json")
	if err != nil || len(known.Answers) < 10 {
		t.Fatalf("%d answers, %v", len(known.Answers), err)
	}
	for _, a := range known.Answers {
		for _, problem := range []string{"skewnormal", "skewnormalnat", "skewt", "skewtnat"} {
			theirs := &a.Normal
			if problem[:5] == "skewt" {
				theirs = &a.T
			}
			newModel, _ := generated.Lookup(problem)
			m := newModel()
			d := len(a.Data[0])
			if err := m.SetData(runtime.Data{Values: slices.Concat(a.Data...), Columns: d}); err != nil {
				t.Fatal(err)
			}
			with, err := penalty.Of(m)
			if err != nil {
				t.Fatal(err)
			}
			theta := slices.Concat(vector(theirs.Xi), slices.Concat(theirs.Omega...), vector(theirs.Eta))
			if theirs.Nu != nil {
				theta = append(theta, *theirs.Nu)
			}
			n := float64(len(a.Data))
			if got := -n * with.(runtime.Objective).ThetaGradient(make([]float64, len(theta)), theta); !(math.Abs(got-theirs.Penalised) < 1e-7*math.Abs(got)) {
				t.Errorf("%s, %s: %.12g at the estimate of sn, which says %.12g", a.Name, problem, got, theirs.Penalised)
			}
			rep, err := estimate.Fit(context.Background(), m, &estimate.Settings{Penalty: true})
			if rep == nil {
				t.Fatalf("%s, %s: %v", a.Name, problem, err)
			}
			value := float64(rep.LogLikelihood - rep.Penalty)
			// Nu has no penalty: where sn is on the way to infinity, a finite maximum may be lower, which the report says.
			said := theirs.Nu != nil && *theirs.Nu > 1e5 && strings.Contains(strings.Join(rep.Warnings, "\n"), "ended at a higher likelihood, but at no maximum")
			if !(value > theirs.Penalised-1e-6) && !said {
				t.Errorf("%s, %s: %.9g, that of sn is %.9g higher: %s", a.Name, problem, value, theirs.Penalised-value, rep.Message)
			}
			if off := float64(rep.Loss)*n + float64(rep.LogLikelihood); math.Abs(off) > 1e-9*n {
				t.Errorf("%s, %s: loss %v, log-likelihood %v", a.Name, problem, rep.Loss, rep.LogLikelihood)
			}
			if theirs.Nu == nil && !rep.Converged || !rep.Penalised || !(rep.Penalty >= 0) || rep.AIC == rep.AIC {
				t.Errorf("%s, %s: %+v", a.Name, problem, rep)
			}
		}
	}
}
