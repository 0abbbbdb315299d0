package main

import "github.com/sngdgen/sngdgen/runtime/estimate"

// schemaVersion is that of what --json prints, as docs/fit.schema.json describes it. It grows when a member gets another meaning or
// another type, or goes away; members may be added without.
const schemaVersion = 1

// printed begins what --json prints.
type printed struct {
	Version int `json:"version"` // of the schema: 1
	// Kind is what was fitted: "likelihood", "comparison" of numbers of components, "posterior", or "ladder" of approximations.
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
}

// printedLadder has the fits of several approximations of a posterior.
type printedLadder struct {
	printed
	*estimate.Ladder
}
