package main

import (
	"fmt"
	"math"
	"strings"
)

// sameLikelihood is by how much logarithms of likelihoods differ at most that are the same.
const sameLikelihood = 1e-6

// estimated reports whether there is a maximum, and both have an estimate.
func (o *outcome) estimated() bool {
	return o.theirs.Kind == none && o.report.Converged && o.theirs.Likelihood != nil
}

// higher is by how much the log-likelihood at the estimate of sngdgen is higher than survreg's.
func (o *outcome) higher() float64 { return o.report.Likelihood - *o.theirs.Likelihood }

// apart is how far the coefficients of both are from each other at most, in standard errors; 0 without these.
func (o *outcome) apart() (most float64) {
	parameter := o.family().coefficients(o.example)[0].parameter
	errors := flat(o.report.Errors[parameter])
	for i, x := range flat(o.report.Parameters[parameter]) {
		if i < len(errors) {
			most = math.Max(most, math.Abs(x-o.theirs.Coefficients[i])/errors[i])
		}
	}
	return most
}

// bySurvreg compares estimates of censored regressions, where there are any, and says where survreg warns or fails.
func bySurvreg(outcomes []*outcome) string {
	var b strings.Builder
	b.WriteString("| regressions | with a maximum | survreg fails | same | sngdgen higher | survreg higher | largest difference of log-likelihoods that are the same | of their coefficients, in standard errors |\n| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n")
	censored := of(outcomes, func(o *outcome) bool { return o.family().sides != nil })
	for _, f := range families {
		own := of(censored, func(o *outcome) bool { return o.Family == f.name && o.theirs.Kind == none })
		if len(own) == 0 {
			continue
		}
		both := of(own, (*outcome).estimated)
		same := of(both, func(o *outcome) bool { return math.Abs(o.higher()) <= sameLikelihood })
		difference, apart := 0.0, 0.0
		for _, o := range same {
			difference, apart = math.Max(difference, math.Abs(o.higher())), math.Max(apart, o.apart())
		}
		fmt.Fprintf(&b, "| %s | %d | %d | %d | %d | %d | %.2g | %.2g |\n", f.called, len(own), count(own, func(o *outcome) bool { return o.theirs.Likelihood == nil }), len(same),
			count(both, func(o *outcome) bool { return o.higher() > sameLikelihood }), count(both, func(o *outcome) bool { return o.higher() < -sameLikelihood }), difference, apart)
	}
	b.WriteString("\n| regressions | by linear programming | cases | survreg warns or fails |\n| --- | --- | ---: | ---: |\n")
	for _, f := range families {
		for _, kind := range kinds {
			own := of(censored, func(o *outcome) bool { return o.Family == f.name && o.theirs.Kind == kind })
			if len(own) > 0 {
				fmt.Fprintf(&b, "| %s | %s | %d | %d |\n", f.called, kind, len(own), count(own, func(o *outcome) bool { return len(o.theirs.Warnings) > 0 }))
			}
		}
	}
	return b.String()
}
