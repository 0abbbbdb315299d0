package main

import "github.com/sngdgen/sngdgen/runtime/estimate"

// schemaVersion is that of what --json prints, as docs/output.schema.json describes it. It grows when a member gets another meaning or
// another type, or goes away; members may be added without.
const schemaVersion = 1

// printed begins what --json prints.
type printed struct {
	Version int `json:"version"` // of the schema: 1
	// Kind is what was fitted: "likelihood", "comparison" of numbers of components, "posterior", or "ladder" of approximations; or what was made
	// of fits: "scores", "assignment", "predictions", "versus" of two fits, "ranking" of surrogates.
	Kind string `json:"kind"`
}

// printedFit is the fit of a likelihood.
type printedFit struct {
	printed
	*estimate.Report
	Origin *origin `json:"origin"`
}

// printedComparison has the fits of mixtures of several numbers of components.
type printedComparison struct {
	printed
	Fits     []*compared `json:"fits"` // in ascending order of the numbers
	Warnings []string    `json:"warnings,omitempty"`
}

// printedPosterior is the fit of a posterior.
type printedPosterior struct {
	printed
	*estimate.Approximation
	Origin *origin `json:"origin"`
}

// printedLadder has the fits of several approximations of a posterior.
type printedLadder struct {
	printed
	*estimate.Ladder
}

// printedScores are log-densities of rows under a fit.
type printedScores struct {
	printed
	Count   int               `json:"rows"`
	N       float64           `json:"n"`                // sum of the weights
	Mean    estimate.Number   `json:"mean_log_density"` // minus the held-out loss
	StdErr  estimate.Number   `json:"standard_error"`   // of the mean
	Total   estimate.Number   `json:"log_likelihood"`
	Numbers []int32           `json:"row_numbers"` // in the file, from 1
	Log     []estimate.Number `json:"log_densities"`
}

// printedAssignment has the components of rows.
type printedAssignment struct {
	printed
	Rows          []int32             `json:"row_numbers"` // in the file, from 1
	Component     []int               `json:"components"`  // the most probable one of each row, from 1
	Probabilities [][]estimate.Number `json:"probabilities"`
}

// printedPredictions have a row of numbers for each row of the data.
type printedPredictions struct {
	printed
	By      int                 `json:"by_draws,omitempty"` // how many draws moments and quantiles are of; left out where they are integrals
	Columns []string            `json:"columns"`
	Rows    []int32             `json:"row_numbers"` // in the file, from 1
	Values  [][]estimate.Number `json:"values"`
}
