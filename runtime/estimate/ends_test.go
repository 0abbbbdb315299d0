package estimate_test

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/sngdgen/sngdgen/generated"
	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/estimate"
	"github.com/sngdgen/sngdgen/tests/paper/synthetic/tcopula"
)

// library returns a problem of the library with data.
func library(t *testing.T, name string, x []float64, columns int) runtime.Model {
	t.Helper()
	newModel, ok := generated.Lookup(name)
	if !ok {
		t.Fatalf("the library has no problem %s", name)
	}
	m := newModel()
	if err := m.SetData(runtime.Data{Values: x, Columns: columns}); err != nil {
		t.Fatal(err)
	}
	return m
}

// twice fits two times and checks that the reports are the same, with every digit.
func twice(t *testing.T, m runtime.Model, r estimate.Settings) *estimate.Report {
	t.Helper()
	var texts [2]string
	var rep *estimate.Report
	for i := range texts {
		var err error
		if rep, err = estimate.Find(context.Background(), m, r); err != nil {
			t.Fatal(err)
		}
		rep.Seconds = 0
		if strings.Contains(rep.Message, "the supremum was not found") {
			t.Error(rep.Message)
		}
		text, err := json.Marshal(rep)
		if err != nil {
			t.Fatal(err)
		}
		texts[i] = string(text)
	}
	if texts[0] != texts[1] {
		t.Errorf("a second run differs:\n%s\n%s", texts[0], texts[1])
	}
	return rep
}

// Two blocks go to infinity at once: data that are half normal in one direction, and no heavier than normal. Nu is held
// where it is infinite for all purposes, or it would go on to where formulas overflow and gradients are wrong.
func TestTwoAtInfinity(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	half := make([]float64, 200)
	for i := range half {
		if half[i] = rng.NormFloat64(); i%2 == 0 {
			half[i] = math.Abs(half[i])
		}
	}
	for _, name := range []string{"skewt", "skewtnat"} {
		rep := twice(t, library(t, name, half, 2), estimate.Settings{})
		want := "the likelihood has no maximum: it still rises, ever more slowly, as the length of eta goes to infinity and " +
			"nu goes to infinity"
		if rep.Status != runtime.AtInfinity || !strings.HasPrefix(rep.Message, want) {
			t.Errorf("%s: %v %q", name, rep.Status, rep.Message)
		}
		if rep.Evaluations > 1000 {
			t.Errorf("%s: %d evaluations", name, rep.Evaluations)
		}
		for _, p := range rep.Estimate {
			if p.Name == "nu" && !(p.Value > 1e3 && p.Value < 1e100) {
				t.Errorf("%s: nu = %g", name, p.Value)
			}
		}
		t.Logf("%s: %d evaluations, %q", name, rep.Evaluations, rep.Warnings)
	}
}

// Four points in three dimensions say next to nothing about nu and eta. Whatever the verdict, it must not take forever.
func TestFewPoints(t *testing.T) {
	four := []float64{0.4, 0.2, 0.6, -0.6, 1, 2.8, 0.55, 0.97, -0.2, -0.25, 0.68, -0.65}
	for _, name := range []string{"skewt", "skewtnat"} {
		rep := twice(t, library(t, name, four, 3), estimate.Settings{})
		if rep.Evaluations > 30_000 {
			t.Errorf("%s: %d evaluations", name, rep.Evaluations)
		}
		t.Logf("%s: %v, %d evaluations, log-likelihood %g, %q", name, rep.Status, rep.Evaluations, rep.LogLikelihood, rep.Warnings)
	}
}

// With tails lighter than normal nu goes to infinity, and what is left is the normal distribution, whose estimates are
// the mean and the covariance matrix.
func TestNormalAtInfinity(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	const n, d = 60, 2
	x := make([]float64, n*d)
	for i := range n {
		x[i*d] = rng.Float64()
		x[i*d+1] = rng.Float64() + x[i*d]
	}
	var mean [d]float64
	var cov [d * d]float64
	for i := range n {
		for j := range d {
			mean[j] += x[i*d+j] / n
		}
	}
	for i := range n {
		for j := range d {
			for k := range d {
				cov[j*d+k] += (x[i*d+j] - mean[j]) * (x[i*d+k] - mean[k]) / n
			}
		}
	}
	for _, name := range []string{"mvstudentt", "mvstudenttnat"} {
		rep := twice(t, library(t, name, x, d), estimate.Settings{})
		if rep.Status != runtime.AtInfinity || !strings.Contains(rep.Message, "as nu goes to infinity; the supremum that was found is ") {
			t.Errorf("%s: %v %q", name, rep.Status, rep.Message)
		}
		for _, p := range rep.Estimate {
			switch p.Name {
			case "mu":
				for j := range mean {
					near(t, name+" mu", p.Entries[j], mean[j], 1e-5)
				}
			case "Sigma":
				for j := range cov {
					near(t, name+" Sigma", p.Entries[j], cov[j], 1e-5)
				}
			}
		}
		t.Logf("%s: %d evaluations", name, rep.Evaluations)
	}
}

// The map of a t copula of the paper's ends at nu = 2, those of the library do not end. A method in coordinates of R and nu
// themselves tells on which side of 2 the likelihood has its maximum.
func TestEdgeOfMap(t *testing.T) {
	below, above := 0, 0
	for seed := range uint64(12) {
		newModel, _ := generated.Lookup("tcopula")
		m := newModel()
		if err := m.Resize([]int{2}); err != nil {
			t.Fatal(err)
		}
		rng := runtime.Stream(seed, "sample")
		x := make([]float64, 2*80)
		for i := range 80 {
			m.(runtime.Sampler).Sample(x[2*i:2*i+2], []float64{1, -0.3, -0.3, 1, 2.5}, rng)
		}
		edge, err := tcopula.New(x, 2)
		if err != nil {
			t.Fatal(err)
		}
		for name, m := range map[string]runtime.Model{"edge": edge, "tcopula": library(t, "tcopula", x, 2), "tcopulanat": library(t, "tcopulanat", x, 2)} {
			free, err := estimate.Find(context.Background(), m, estimate.Settings{Method: "bfgs"})
			if err != nil || !free.Converged {
				t.Fatalf("seed %d: %v, %v", seed, free, err)
			}
			rep := twice(t, m, estimate.Settings{})
			nu := free.Estimate[1].Value
			rise := float64(free.LogLikelihood - rep.LogLikelihood)
			t.Logf("seed %d, %s: nu = %.6g by bfgs, %.6g through the map: %s (%.2g)", seed, name, nu, rep.Estimate[1].Value, rep.Message, rise)
			switch {
			case nu < 2 && name == "edge":
				below++
				if rep.Status != runtime.AtInfinity || !strings.HasSuffix(rep.Message, "rises beyond it, in nu") || rise < 0 {
					t.Errorf("seed %d, %s: %v %q, a rise of %g", seed, name, rep.Status, rep.Message, rise)
				}
			default:
				above++
				if !rep.Converged || math.Abs(rise) > 1e-8 {
					t.Errorf("seed %d, %s: %v %q, a rise of %g", seed, name, rep.Status, rep.Message, rise)
				}
			}
		}
	}
	if below < 4 || above < 4 {
		t.Errorf("%d below, %d above", below, above)
	}
}

// TestConstantRows: densities that contract on rows that are all the same have no maximum, and it is said along which parameters,
// in whatever way a run ends: where the gradient is 0 by rounding, the metric no longer positive definite, or steps too short.
func TestConstantRows(t *testing.T) {
	for _, c := range []struct {
		problem string
		row     []float64
		grow    string
	}{
		{"dirichlet", []float64{0.3, 0.7}, "all entries of alpha go to infinity together"},
		{"dirichlet", []float64{0.25, 0.5, 0.25}, "all entries of alpha go to infinity together"},
		{"dirichlet", []float64{0.1, 0.2, 0.3, 0.4}, "all entries of alpha go to infinity together"},
		{"dirichlet", []float64{0.01, 0.99}, "all entries of alpha go to infinity together"},
		{"beta", []float64{0.3}, "a and b go to infinity together"},
		{"beta", []float64{0.999}, "a and b go to infinity together"},
		{"gamma", []float64{0.3}, "alpha and beta go to infinity together"},
		{"gamma", []float64{3}, "alpha and beta go to infinity together"},
		{"inversegamma", []float64{1e6}, "alpha and beta go to infinity together"},
	} {
		for _, rows := range []int{1, 6, 50} {
			rep, err := estimate.Find(t.Context(), library(t, c.problem, slices.Repeat(c.row, rows), len(c.row)), estimate.Settings{})
			switch {
			case err != nil:
				t.Errorf("%s, %d rows %v: %v", c.problem, rows, c.row, err)
			case rep.Status != runtime.AtInfinity || rep.AIC == rep.AIC || !strings.Contains(rep.Message, "grows without bound as "+c.grow):
				t.Errorf("%s, %d rows %v: %v: %s", c.problem, rows, c.row, rep.Status, rep.Message)
			}
		}
	}
}

// A component of counts that are hardly overdispersed goes to a Poisson distribution, where its s is 1 to the last digit: that is at infinity,
// although a mixture has weights, which are a vector, besides numbers. The days of absence of Quine (1975), in docs/data.
func TestComponentAtInfinity(t *testing.T) {
	file, err := os.Open("../../docs/data/quine.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	rows, err := csv.NewReader(file).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var days []float64
	for _, row := range rows[1:] {
		x, err := strconv.ParseFloat(row[len(row)-1], 64)
		if err != nil {
			t.Fatal(err)
		}
		days = append(days, x)
	}
	newModel, _ := generated.Lookup("negbinmix")
	m := newModel()
	m.(runtime.Mixture).SetComponents(2)
	if err := m.SetData(runtime.Data{Values: days, Columns: 1}); err != nil {
		t.Fatal(err)
	}
	rep, err := estimate.Find(t.Context(), m, estimate.Settings{Components: 2})
	if err != nil || rep.Status != runtime.GradientConverged {
		t.Fatalf("%v, %v", rep.Status, err)
	}
	for _, p := range rep.Estimate {
		if p.Name == "r" && slices.Max(p.Entries) > 1e6 {
			t.Errorf("r = %g has converged", p.Entries)
		}
	}
}

// Survival times of 33 patients with leukaemia (Feigl and Zelen, Biometrics 21, 1965): the likelihood of a skew-normal distribution rises as the slant goes to
// infinity, and has an inflection where the slant is 0, which runs leave by a step that is many times as long as the slant.
func TestInflection(t *testing.T) {
	times := []float64{65, 156, 100, 134, 16, 108, 121, 4, 39, 143, 56, 26, 22, 1, 1, 5, 65, 56, 65, 17, 7, 16, 22, 3, 4, 2, 3, 8, 4, 3, 30, 4, 43}
	rep := twice(t, library(t, "skewnormal", times, 1), estimate.Settings{})
	if rep.Status != runtime.AtInfinity || !(rep.LogLikelihood > -159.6) {
		t.Errorf("%v at %v, %q", rep.Status, rep.LogLikelihood, rep.Message)
	}
}

// TestAtInflection: a run that begins at the inflection of the skew-normal likelihood, where its gradient is 0 to all digits and the second derivative is nothing along
// the direction in which the third is not, is at no maximum: distances to the Meuse (Burrough and McDonnell, Principles of Geographical Information Systems, 1998;
// meuse of the R package sp 1.6.0).
func TestAtInflection(t *testing.T) {
	distances := []float64{
		0.00135803, 0.0122243, 0.103029, 0.190094, 0.27709, 0.364067, 0.190094, 0.0921516, 0.184614, 0.309702, 0.315116, 0.228123, 0, 0.113932, 0.168336, 0,
		0.0122243, 0.0122243, 0, 0, 0.0703468, 0.0975136, 0.113932, 0.342321, 0.385804, 0.429289, 0.315116, 0.320574, 0.249863, 0.489064, 0.472778, 0.287957,
		0.271622, 0.385807, 0.418417, 0.244474, 0.135709, 0.0484965, 0, 0.00135803, 0.135709, 0.26622, 0.211843, 0.320572, 0.081222, 0.190086, 0.287941,
		0.423826, 0.554289, 0.603225, 0.614071, 0.00135803, 0, 0.0054321, 0.0054321, 0.0054321, 0.146578, 0.135684, 0.0703333, 0.0484831, 0.0054321,
		0.0054321, 0.0316663, 0.0122243, 0.0122243, 0.0373395, 0.211846, 0.451037, 0.575877, 0.0756869, 0.12481, 0.103024, 0.157469, 0.200976, 0.200976,
		0.26622, 0.298835, 0.0812247, 0.070355, 0.0122243, 0, 0.0537723, 0.0593662, 0.211843, 0.12481, 0.12481, 0.0921516, 0.113941, 0.179216, 0.233596,
		0.336861, 0.070355, 0.0593662, 0.255341, 0.364067, 0.429295, 0.380328, 0.249874, 0.266212, 0.451037, 0.30971, 0.293359, 0.532351, 0.619513, 0.684725,
		0.809742, 0.880389, 0.749591, 0.575752, 0.581484, 0.49452, 0.32058, 0.336851, 0.249852, 0.0756869, 0.0756869, 0.162853, 0.0974916, 0.440142, 0.4619,
		0.222701, 0.103024, 0.0921353, 0.0484884, 0.168331, 0.38581, 0.489064, 0.57602, 0.0812194, 0.0373369, 0.771698, 0.336829, 0.228123, 0.597761,
		0.44558, 0.396675, 0.581478, 0.287966, 0.233596, 0.364067, 0.331454, 0.211846, 0.103029, 0.070355, 0.146576, 0.0537723, 0.119286, 0.0921435,
		0.249863, 0.37494, 0.423837, 0.423837, 0.27709, 0.358606, 0.0122243,
	}
	sum, squares := 0.0, 0.0
	for _, x := range distances {
		sum, squares = sum+x/float64(len(distances)), squares+x*x/float64(len(distances))
	}
	variance, eta := squares-sum*sum, 1.911030519319827e-07
	at := &estimate.Point{Problem: "skewnormal", Target: "skew_normal", Surrogate: "multivariate_normal", Lengths: map[string]int{"d": 1},
		Coordinates: []float64{-5.921332646019958e-09, variance, eta}, // about the mean
		Parameters: estimate.Values{{Name: "xi", Shape: []int{1}, Entries: []float64{sum - math.Sqrt(2/math.Pi)*variance*eta}},
			{Name: "Omega", Shape: []int{1, 1}, Entries: []float64{variance}}, {Name: "eta", Shape: []int{1}, Entries: []float64{eta}}}}
	rep, err := estimate.Find(t.Context(), library(t, "skewnormal", distances, 1), estimate.Settings{Init: at})
	if err != nil {
		t.Fatal(err)
	}
	if rep.Converged {
		t.Errorf("%v: %s", rep.Status, rep.Message)
	}
}
