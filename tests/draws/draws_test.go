// Package draws compares draws of everything in the library with its density, which they do not use.
package draws

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sort"
	"testing"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/sngdgen/sngdgen/gen"
	"github.com/sngdgen/sngdgen/internal/librarytest"
	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/estimate"
	"github.com/sngdgen/sngdgen/runtime/support"
	"github.com/sngdgen/sngdgen/spec"
)

const (
	seeds = 3 // points of the parameter space with their draws
	n     = 6000
	// leastChance is the probability under which a test fails: of some thousand tests none does so by chance.
	leastChance = 1e-7
)

// TestLibrary: everything in the library that is a density has draws, and they are draws of it.
func TestLibrary(t *testing.T) {
	for _, name := range append(spec.Library().Families(), spec.Library().Distributions()...) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := entryOf(name)
			if e.sample == nil {
				t.Fatalf("%s does not say how to draw from it", name)
			}
			if e.own { // no density by itself: its draws have to have the mean parameters of its log-partition
				checked(t, name)
				return
			}
			s := subject{T: t, entry: e, m: e.model(t)}
			s.u = e.unconstrained(t, s.m)
			for seed := range uint64(seeds) {
				s.at(seed)
			}
		})
	}
}

// TestProblems: the model of every problem of the library has draws, of the target and, of a posterior, of data.
func TestProblems(t *testing.T) {
	for _, name := range librarytest.Names() {
		m := librarytest.Model(t, name)()
		if _, ok := m.(runtime.Sampler); !ok {
			t.Errorf("%s does not say how to draw from %s", name, m.Info().Target)
		}
		if _, ok := m.(runtime.Variational); !ok {
			continue
		}
		if _, ok := m.(runtime.Predictor); !ok && drawable(spec.Library().Problem(name)) {
			t.Errorf("%s does not say how data are drawn", name)
		}
	}
}

// checked fails where the checker of a problem with a family, which compares draws with mean parameters, finds something wrong.
func checked(t *testing.T, family string) {
	t.Helper()
	found := false
	for _, name := range librarytest.Names() {
		p := spec.Library().Problem(name)
		if p.Surrogate == nil || p.Surrogate.Name != family {
			continue
		}
		found = true
		if diags := gen.Check(t.Context(), p, gen.Options{}); diags.HasErrors() {
			t.Error(diags.String())
		}
	}
	if !found {
		t.Errorf("no problem with the surrogate %s", family)
	}
}

// subject is a density at a point of its parameter space.
type subject struct {
	*testing.T
	entry
	m     runtime.Model
	u     runtime.Unconstrained
	theta []float64
	rng   *rand.Rand
	what  string
}

// at goes to a point, with what is given, and looks at draws there.
func (s subject) at(seed uint64) {
	s.Helper()
	s.rng = rand.New(rand.NewPCG(seed, 71))
	z := s.point(s.rng)
	s.theta = s.thetaAt(z)
	looked := 0
	for row := 0; row < s.givenRows() || looked == 0 && row < 20; row++ {
		s.what = fmt.Sprintf("seed %d, given row %d, parameters %.4g", seed, row, s.theta)
		x := s.draw()
		if s.m.Info().Ordered {
			s.scores(x, z)
			looked++
			continue
		}
		if univariate(s.m) && !s.distribution(x) { // what is given says that the variable was not seen, as of a censored time
			continue
		}
		looked++
		s.scores(x, z)
		s.neighbours(x, z)
	}
	if looked == 0 {
		s.Errorf("%s: no density of mass 1", s.what)
	}
}

// givenRows is how many rows of what is given are tried at least.
func (s subject) givenRows() int {
	if len(s.m.Info().Given) == 0 {
		return 1
	}
	return 3
}

// draw draws rows that are given the same. A sequence is drawn with what is given in each row.
func (s subject) draw() []float64 {
	s.Helper()
	width := s.m.Info().RowLen(s.m)
	x := make([]float64, n*width)
	err := support.DrawInside(x, s.m, func(rows []float64) {
		support.DrawGiven(rows[:width], s.m, s.rng)
		for i := width; i < len(rows); i += width {
			copy(rows[i:i+width], rows[:width])
		}
		for part := range slices.Chunk(rows, s.series()*width) {
			s.m.(runtime.Sampler).Sample(part, s.theta, s.rng)
		}
	})
	if err != nil {
		s.Fatalf("%s: %v", s.what, err)
	}
	for _, v := range x {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			s.Fatalf("%s: draws of %v", s.what, v)
		}
	}
	return x
}

// series is how many rows are drawn together.
func (s subject) series() int {
	if s.m.Info().Ordered {
		return n / groups
	}
	return n
}

// groups are groups of rows whose mean scores are compared.
const groups = 60

// scores: the derivative of the log-density by the parameters is 0 on average, where an exponential family has the mean of its
// statistics less the derivative of its log-partition. Standard errors are those of means of groups of rows.
func (s subject) scores(x, z []float64) {
	s.Helper()
	width := s.m.Info().RowLen(s.m)
	of := make([][]float64, len(z))
	for part := range slices.Chunk(x, len(x)/groups) {
		if err := s.m.SetData(runtime.Data{Values: part, Columns: width}); err != nil {
			s.Fatalf("%s: %v", s.what, err)
		}
		g := make([]float64, len(z))
		s.u.Gradient(g, z)
		for i := range g {
			of[i] = append(of[i], g[i])
		}
	}
	for i, list := range of {
		s.mean(fmt.Sprintf("the score of coordinate %d", i), list, 0)
	}
}

// neighbours: the ratio of the density of another point to that of the point that draws are of has mean 1.
func (s subject) neighbours(x, z []float64) {
	s.Helper()
	from := s.densities(x, s.theta)
	for range 4 {
		way := make([]float64, len(z))
		for i := range way {
			way[i] = s.rng.NormFloat64()
		}
		const small, wanted = 1e-4, 0.3 // standard deviation of the logarithm of the ratio
		logs := s.ratios(x, from, z, way, small)
		if logs == nil {
			continue
		}
		logs = s.ratios(x, from, z, way, small*wanted/stat.StdDev(logs, nil))
		for i, l := range logs {
			logs[i] = math.Exp(l)
		}
		if logs != nil {
			s.mean("the ratio to the density nearby", logs, 1)
		}
	}
}

// ratios are those of the density some way from z to that at z, as logarithms; nil outside of the domain.
func (s subject) ratios(x, from, z, way []float64, by float64) []float64 {
	s.Helper()
	near := slices.Clone(z)
	for i := range near {
		near[i] += by * way[i]
	}
	if !s.inside(near, s.rng) {
		return nil
	}
	to := s.densities(x, s.thetaAt(near))
	for i := range to {
		to[i] -= from[i]
	}
	return to
}

// mean fails where the mean of numbers is not what it should be, by Student's t.
func (s subject) mean(what string, x []float64, want float64) {
	s.Helper()
	mean, sd := stat.MeanStdDev(x, nil)
	err := sd / math.Sqrt(float64(len(x)))
	off := math.Abs(mean - want)
	if off <= 1e-9 { // what no draw changes
		return
	}
	if p := 2 * (distuv.StudentsT{Sigma: 1, Nu: float64(len(x) - 1)}).Survival(off/err); !(p >= leastChance) {
		s.Errorf("%s: the mean of %s is %.4g, not %v, with standard error %.2g", s.what, what, mean, want, err)
	}
}

// densities are log-densities of rows.
func (s subject) densities(rows, theta []float64) []float64 {
	s.Helper()
	d, err := estimate.ScoreRows(s.Context(), s.m, theta, rows)
	if err != nil {
		s.Fatalf("%s: %v", s.what, err)
	}
	return d.Log
}

// univariate reports whether a row has one number that is observed.
func univariate(m runtime.Model) bool {
	return m.Info().Variable.Len(m) == 1 && len(m.Info().Observed()) == 1
}

// distribution compares the distribution of draws of a number with its density. It is false where that is none.
func (s subject) distribution(x []float64) bool {
	s.Helper()
	width := s.m.Info().RowLen(s.m)
	var draws []float64
	for i := 0; i < len(x); i += width {
		draws = append(draws, x[i])
	}
	given := x[1:width]
	sort.Float64s(draws)
	e := s.m.Info().Variable.Type.Entry
	if e.Integer {
		s.whole(draws, given)
		return true
	}
	total := 0.0
	for _, a := range e.Atoms {
		p := math.Exp(s.densities(append([]float64{a}, given...), s.theta)[0])
		total += p
		s.share(fmt.Sprint("the value ", a), draws, a, p)
	}
	draws = slices.DeleteFunc(draws, func(v float64) bool { return slices.Contains(e.Atoms, v) })
	c := s.cumulated(draws, given)
	if mass := total + c.total(); math.Abs(mass-1) > 2e-4 { // next to an end a density may be too high for numbers
		return false
	}
	s.kolmogorov(draws, c)
	return true
}

// whole compares the frequencies of whole numbers with their probabilities, by chi squared. Numbers that are expected less often than
// ten times are one class, with all that were not drawn.
func (s subject) whole(draws, given []float64) {
	s.Helper()
	counts := map[float64]float64{}
	for _, v := range draws {
		counts[v]++
	}
	rest, restCount, chi, classes := 1.0, float64(len(draws)), 0.0, 0
	for v, k := range counts {
		p := math.Exp(s.densities(append([]float64{v}, given...), s.theta)[0])
		if want := p * float64(len(draws)); want >= 10 {
			chi += (k - want) * (k - want) / want
			rest, restCount, classes = rest-p, restCount-k, classes+1
		}
	}
	if want := rest * float64(len(draws)); want >= 10 {
		chi += (restCount - want) * (restCount - want) / want
		classes++
	} else if p := chance(restCount, float64(len(draws)), math.Max(rest, 1e-12)); p < leastChance || rest < -1e-9 {
		s.Errorf("%s: %v draws of rare values, whose probability is %.3g", s.what, restCount, rest)
	}
	if classes < 2 {
		return
	}
	if p := (distuv.ChiSquared{K: float64(classes - 1)}).Survival(chi); !(p >= leastChance) {
		s.Errorf("%s: chi squared is %.4g for %d classes", s.what, chi, classes)
	}
}

// share compares the share of one value with its probability.
func (s subject) share(what string, draws []float64, value, p float64) {
	s.Helper()
	k := 0.0
	for _, v := range draws {
		if v == value {
			k++
		}
	}
	if chance(k, float64(len(draws)), p) < leastChance {
		s.Errorf("%s: %s is drawn %v times of %d, with probability %.4g", s.what, what, k, len(draws), p)
	}
}

// chance is the probability of so many successes, or of a number further off.
func chance(k, of, p float64) float64 {
	b := distuv.Binomial{N: of, P: p}
	return 2 * math.Min(b.CDF(k), b.Survival(k-1))
}

// kolmogorov compares the distribution of draws with that of the density: the asymptotic distribution of the largest difference, times the
// root of their number, is Kolmogorov's.
func (s subject) kolmogorov(draws []float64, c cumulative) {
	s.Helper()
	most, size := 0.0, float64(len(draws))
	for i, v := range draws {
		p := c.at(v) / c.total()
		most = math.Max(most, math.Max(math.Abs(p-float64(i)/size), math.Abs(p-float64(i+1)/size)))
	}
	if p := 2 * math.Exp(-2*size*most*most); size > 0 && p < leastChance {
		s.Errorf("%s: the distributions of %d draws and of the density are %.4g apart", s.what, len(draws), most)
	}
}
