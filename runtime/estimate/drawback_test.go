package estimate_test

import (
	"math"
	"strings"
	"testing"

	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/estimate"
)

// Numbers of different values in data of others.
var (
	// batches are those of 216 strengths of carbon fabric (carbon.fabric of the R package cmstatr 0.9.1): all rows are on three values.
	batches = map[float64]float64{1: 72, 2: 72, 3: 72}
	// scores are those of 30 pupils in a test (Tests of the R package sem 3.1.15).
	scores = map[float64]float64{4: 1, 10: 1, 13: 3, 14: 4, 15: 4, 16: 1, 17: 1, 18: 2, 19: 1, 20: 1, 21: 1, 22: 4, 23: 1, 24: 3, 25: 1, 28: 1}
	// effects are those of a treatment on 111 people (mtept of the R package multcomp 1.4.22).
	effects = map[float64]float64{1: 23, 2: 26, 3: 24, 4: 24, 5: 8, 6: 6}
	// items are those of 4,000 people to a question (q_2745 of spi of the R package psychTools 2.2.9).
	items = map[float64]float64{1: 35, 2: 118, 3: 291, 4: 1112, 5: 1375, 6: 1069}
	// intervals are days between cases of measles in Hagelloch, 188 of them (hagelloch.df of the R package surveillance 1.20.3).
	intervals = map[float64]float64{0: 4, 7: 4, 8: 19, 9: 32, 10: 50, 11: 35, 12: 25, 13: 11, 14: 5, 15: 2, 16: 1}
	// seeds are those that were left in 160 places (SeedPred_wide of the R package emdbook 1.3.12).
	seeds = map[float64]float64{0: 106, 1: 7, 2: 6, 3: 6, 4: 12, 5: 23}
	// treatments are those of 508 people (CHAIN of the R package mi 1.1).
	treatments = map[float64]float64{0: 231, 1: 117, 2: 160}
	// kicks are deaths by horse kicks in 280 years of corps of the Prussian army (VonBort of the R package vcd 1.4.11).
	kicks = map[float64]float64{0: 144, 1: 91, 2: 32, 3: 11, 4: 2}
	// stamps are those of which so many were counted of 76 thicknesses (stamp of the R package locfit 1.5.9.7).
	stamps = map[float64]float64{0: 14, 1: 10, 2: 9, 3: 9, 4: 3, 5: 4, 6: 2, 7: 6, 8: 1, 9: 2, 10: 2, 11: 3, 15: 2, 18: 2, 20: 2, 23: 1, 26: 1, 32: 1, 37: 1, 42: 1}
	// saturations are carbon monoxide in the breath of 55 smokers (Smoking of the R package ipred 0.9.13).
	saturations = map[float64]float64{28: 1, 34: 1, 42: 1, 43: 1, 46: 2, 50: 1, 53: 2, 54: 1, 55: 1, 56: 2, 57: 1, 59: 1, 61: 2, 66: 2, 69: 1, 70: 1, 71: 2, 72: 1, 73: 1,
		75: 1, 76: 1, 77: 1, 79: 1, 80: 1, 81: 1, 84: 3, 85: 1, 86: 2, 87: 1, 88: 1, 91: 2, 94: 1, 95: 1, 96: 1, 97: 1, 100: 2, 103: 1, 108: 1, 109: 2, 119: 1, 120: 1,
		121: 1, 155: 1}
)

// Of counts that are not overdispersed, or in part, components of a mixture of negative binomials are Poisson distributions, at infinity: it is said which, and the
// likelihood is that of these. It was that of wherever a run was when s came to 1, with the verdict that this is a maximum, or that it failed. What is
// below so many components is what more have at least.
func TestPoissonComponents(t *testing.T) {
	for _, c := range []struct {
		name       string
		values     map[float64]float64
		components int
		least      float64 // a little below the log-likelihood at infinity
	}{
		{"seven of each", map[float64]float64{1: 7, 2: 7, 3: 7}, 2, -30.2823},
		{"batches", batches, 2, -311.4738},
		{"batches", batches, 3, -311.4738},
		{"scores", scores, 2, -90.7942},
		{"effects", effects, 2, -197.3171},
		{"effects", effects, 3, -197.3171},
		{"items", items, 2, -7333.52},
		{"items", items, 3, -7333.52},
		{"intervals", intervals, 3, -428.648},
		{"seeds", seeds, 2, -201.873},
		{"seeds", seeds, 3, -201.873},
		{"treatments", treatments, 2, -610.880},
		{"treatments", treatments, 3, -610.880},
		{"answers", answers, 2, -5376.456},
		{"answers", answers, 3, -5376.456},
		{"heights", heights, 2, -735.995},
		{"heights", heights, 3, -735.995},
		{"volumes", volumes, 3, -1184.618},
		{"kicks", kicks, 3, -313.536},
		{"saturations", saturations, 3, -251.788},
		{"binomial, beyond digits", map[float64]float64{0: 13, 1: 17, 2: 38, 3: 22, 4: 8, 5: 2}, 3, -161.4327},
		{"of a thousand, beyond digits", map[float64]float64{0: 110, 1: 253, 2: 297, 3: 221, 4: 91, 5: 19, 6: 9}, 3, -1638.8541},
	} {
		rep, err := estimate.Find(t.Context(), occurring(t, "negbinmix", c.values, c.components), estimate.Settings{Components: c.components})
		switch {
		case err != nil:
			t.Errorf("%s, %d components: %v", c.name, c.components, err)
		case rep.Status != runtime.AtInfinity || !strings.Contains(rep.Message, "r of component") || !math.IsNaN(float64(rep.AIC)):
			t.Errorf("%s, %d components: %v: %s, AIC %v", c.name, c.components, rep.Status, rep.Message, rep.AIC)
		case !(float64(rep.LogLikelihood) > c.least):
			t.Errorf("%s, %d components: %v, want %v", c.name, c.components, rep.LogLikelihood, c.least)
		}
	}
}

// Where all components are overdispersed nothing is at infinity, and where they are at a maximum that is not much lower than what there is with a
// Poisson component, it is the maximum that is reported, and by how much it is lower.
func TestNoPoissonComponents(t *testing.T) {
	for _, c := range []struct {
		name   string
		values map[float64]float64
		higher bool
	}{
		{"stamps", stamps, false},
		{"saturations", saturations, true},
	} {
		rep, err := estimate.Find(t.Context(), occurring(t, "negbinmix", c.values, 2), estimate.Settings{Components: 2})
		if err != nil || !rep.Converged || math.IsNaN(float64(rep.AIC)) {
			t.Errorf("%s: %v, %v", c.name, err, rep)
			continue
		}
		warned := strings.Contains(strings.Join(rep.Warnings, "\n"), "the likelihood has no global maximum: as r of component")
		if warned != c.higher {
			t.Errorf("%s: %q", c.name, rep.Warnings)
		}
	}
}
