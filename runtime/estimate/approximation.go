package estimate

import (
	"cmp"
	"math"
	"strconv"
	"strings"

	"github.com/sngdgen/sngdgen/runtime"
)

// Approximation is the outcome of a fit of a variational objective: an approximation of a posterior.
type Approximation struct {
	Problem   string         `json:"problem"`
	Objective string         `json:"objective"`
	Target    string         `json:"target"` // the family of the approximation
	Surrogate string         `json:"surrogate"`
	Method    string         `json:"method"`
	Status    runtime.Status `json:"status"`
	Converged bool           `json:"converged"`
	Message   string         `json:"message"`

	Dimensions Sizes `json:"dimensions,omitempty"`

	N    float64 `json:"n"` // sum of the weights
	Rows int     `json:"rows"`

	ELBO ELBO `json:"elbo"`

	Posterior  Posterior `json:"posterior"`
	Parameters Values    `json:"parameters"` // of the approximation
	// Labels are what the entries of latent variables and of what is reported are called, where a caller says.
	Labels map[string][]string `json:"labels,omitempty"`
	// MatrixLabels are the same for the rows and the columns of matrices: two lists, of which one may be empty.
	MatrixLabels map[string][][]string `json:"matrix_labels,omitempty"`

	Start       int    `json:"start"`                // index of the start that led there
	Warm        bool   `json:"warm_start,omitempty"` // whether that was a former result
	Steps       int    `json:"steps"`
	Evaluations int    `json:"evaluations"` // of gradients and of the bound, in the run from that start
	Draws       int    `json:"draws"`       // of the latent variables for each gradient
	Averaged    int    `json:"averaged"`    // of how many of its last points the outcome is the mean; 0 means the last point
	Course      Course `json:"course"`
	// Noise says what the draws of a sample average leave open; nil for other methods.
	Noise *NoiseError `json:"noise,omitempty"`
	// Quadrature says what is known of the bound without draws; nil where that needs draws.
	Quadrature *Quadrature `json:"quadrature,omitempty"`
	// Propagation is what expectation propagation says; nil for other methods.
	Propagation *Propagation `json:"expectation_propagation,omitempty"`
	Guard       Guard        `json:"domain_guard"`

	Ends     []End    `json:"ends,omitempty"` // when there were several starts, best first
	Seed     uint64   `json:"seed"`
	Seconds  float64  `json:"seconds"` // wall-clock time of all starts together, without the evaluation
	Warnings []string `json:"warnings,omitempty"`

	// Sample are draws of the latent variables, where they were asked for, and Resampled what importance resampling says of them.
	Sample    *PosteriorDraws `json:"-"`
	Resampled *Resampled      `json:"resampled,omitempty"`
	// Predictive compares the observed data with those that the model draws, where they were asked for.
	Predictive []PredictiveCheck `json:"predictive,omitempty"`

	// Coordinates are the point where the run ended, in the coordinates of the surrogate: see Point.
	Coordinates []Number `json:"coordinates"`

	// Runs are the courses of all runs, where the settings ask for them, and Cut says that they had more points than are kept.
	Runs []RunTrace `json:"-"`
	Cut  bool       `json:"-"`

	// Timed is set when the request says where the run ends.
	Timed bool `json:"-"`
}

// Theta returns the parameters of the approximation as the model has them, one after the other.
func (a *Approximation) Theta() []float64 { return a.Parameters.flat() }

// Guard counts what was done so that steps stay inside the domain.
type Guard struct {
	Halvings int `json:"halvings"` // of a step that led out of the domain
	Skipped  int `json:"skipped"`  // gradients that were not finite, of which no step was taken
}

// End is where one of several starts led.
type End struct {
	Start         int            `json:"start"`
	ELBO          Number         `json:"elbo"` // a rough estimate, from the same random numbers for all
	StandardError Number         `json:"standard_error"`
	Status        runtime.Status `json:"status"`
}

// Complete reports whether the run came to the end that it was meant to have: its bound has converged, or it took all the
// steps that it was given.
func (a *Approximation) Complete() bool { return a.Converged || a.Timed && isLimit(a.Status) }

// approximation describes the best run.
func approximation(m runtime.Variational, r *Settings, best *attempt, warnings []string) *Approximation {
	info, res := m.Info(), best.res
	rows, _, n := m.Counts()
	a := &Approximation{
		Problem: info.Name, Objective: info.Objective, Target: info.Target, Surrogate: info.Surrogate, Method: cmp.Or(best.method, r.Method),
		Status: res.Status, Converged: res.Status.Converged(), Message: res.Message,
		Dimensions: dimensions(m), N: n, Rows: rows,
		Parameters:  values(m, best.theta),
		Coordinates: numbers(res.Z),
		Start:       best.start, Warm: r.Init != nil, Steps: res.Iterations, Evaluations: res.LossEvaluations + res.GradientEvaluations,
		Draws: m.Draws(), Averaged: res.Averaged, Course: *r.course(rows, res),
		Guard: Guard{Halvings: res.Halvings, Skipped: res.RollBacks},
		Noise: best.noise, Quadrature: best.quadrature, Seed: r.Seed, Warnings: warnings, Timed: best.timed,
	}
	if best.err != nil {
		a.Message = best.err.Error()
	}
	if a.Noise != nil {
		a.Draws = a.Noise.Draws
	}
	if a.Quadrature != nil {
		a.Draws = 0
	}
	for _, err := range []error{a.evaluate(m, r, res.Z), a.resolved(m, r, res.Z), a.summarise(m, r, res.Z), a.sample(m, r, res.Z)} {
		if err != nil {
			a.Warnings = append(a.Warnings, err.Error())
		}
	}
	if r.Method != "ep" && math.IsNaN(float64(a.ELBO.Mean)) && a.Converged {
		// Draws whose numbers are matched may all lie where the density is a number, and others not.
		a.Status, a.Converged, a.Message = runtime.Failed, false, runtime.ErrNoBound.Error()
	}
	return a
}

// EntryNames are the names of all entries, one after the other: mu of a number, z[1], z[2] and so on of a vector, of a matrix
// S[1;1], S[1;2], and S[2;1;1] of the matrix of the second component of a mixture: names that need no quotes in CSV.
func (vs Values) EntryNames() []string {
	var names []string
	for _, v := range vs {
		if v.Shape == nil {
			names = append(names, v.Name)
			continue
		}
		at := make([]int, len(v.Shape)) // of the entry, from 0
		for range v.Entries {
			var place []string
			for _, i := range at {
				place = append(place, strconv.Itoa(i+1))
			}
			names = append(names, v.Name+"["+strings.Join(place, ";")+"]")
			for k := len(at) - 1; k >= 0; k-- {
				if at[k]++; at[k] < v.Shape[k] {
					break
				}
				at[k] = 0
			}
		}
	}
	return names
}

// Labelled is what an entry with a name of EntryNames is called: by the labels of its dimensions, where these have some.
func (a *Approximation) Labelled(name string) string {
	of, inner, entry := strings.Cut(strings.TrimSuffix(name, "]"), "[")
	if !entry {
		return name
	}
	place, lists := strings.Split(inner, ";"), a.MatrixLabels[of]
	if len(place) == 1 {
		lists = [][]string{a.Labels[of]}
	}
	if len(lists) != len(place) {
		return name
	}
	for k, list := range lists {
		if i, err := strconv.Atoi(place[k]); err == nil && i >= 1 && i <= len(list) {
			place[k] = list[i-1]
		}
	}
	return of + "[" + strings.Join(place, ";") + "]"
}
