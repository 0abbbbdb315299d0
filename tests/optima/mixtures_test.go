package optima_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/estimate"
)

// mixture has the weights and the parameters of each component.
type mixture struct {
	w  []float64
	of [][]float64
}

// shares returns the logarithms of the terms of the mixture at a row, their sum taken out: those of the posterior
// probabilities, and the log-density.
func shares(of []func([]float64) float64, w, x, terms []float64) float64 {
	high := math.Inf(-1)
	for c, log := range of {
		terms[c] = math.Log(w[c]) + log(x)
		high = max(high, terms[c])
	}
	sum := 0.0
	for _, t := range terms {
		sum += math.Exp(t - high)
	}
	all := high + math.Log(sum)
	for c := range terms {
		terms[c] -= all
	}
	return all
}

// densities are those of the components.
func (m mixture) densities(of *component) []func([]float64) float64 {
	var out []func([]float64) float64
	for _, theta := range m.of {
		out = append(out, of.log(theta))
	}
	return out
}

// loss is the mean negative log-likelihood.
func (m mixture) loss(of *component, s rows) float64 {
	logs, terms := m.densities(of), make([]float64, len(m.w))
	sum, n := 0.0, 0.0
	for i, x := range s.x {
		sum -= s.w[i] * shares(logs, m.w, x, terms)
		n += s.w[i]
	}
	return sum / n
}

// em is one iteration of the EM algorithm (Dempster, Laird and Rubin 1977).
func (m mixture) em(of *component, s rows) mixture {
	logs, terms := m.densities(of), make([]float64, len(m.w))
	posterior := make([][]float64, len(m.w))
	for i, x := range s.x {
		shares(logs, m.w, x, terms)
		for c, t := range terms {
			posterior[c] = append(posterior[c], s.w[i]*math.Exp(t))
		}
	}
	next, n := mixture{w: make([]float64, len(m.w))}, 0.0
	for c, r := range posterior {
		for _, p := range r {
			next.w[c] += p
			n += p
		}
		next.of = append(next.of, of.best(rows{s.x, r}))
	}
	for c := range next.w {
		next.w[c] /= n
	}
	return next
}

// distance is the largest change of a parameter, relative to the component's largest.
func (m mixture) distance(o mixture) float64 {
	d := largest(minus(m.w, o.w))
	for c, theta := range m.of {
		d = max(d, largest(minus(theta, o.of[c]))/largest(theta))
	}
	return d
}

// sorted has the largest weight first.
func (m mixture) sorted() mixture {
	order := make([]int, len(m.w))
	for c := range order {
		order[c] = c
	}
	slices.SortFunc(order, func(a, b int) int {
		if m.w[a] > m.w[b] {
			return -1
		}
		return 1
	})
	var out mixture
	for _, c := range order {
		out.w, out.of = append(out.w, m.w[c]), append(out.of, m.of[c])
	}
	return out
}

// coordinates are the logarithms of the ratios of the weights to the last, then those of the components.
func (m mixture) coordinates(of *component) []float64 {
	var u []float64
	last := m.w[len(m.w)-1]
	for _, w := range m.w[:len(m.w)-1] {
		u = append(u, math.Log(w/last))
	}
	for _, theta := range m.of {
		u = append(u, of.from(theta)...)
	}
	return u
}

// mixtureAt is the inverse of coordinates.
func mixtureAt(of *component, k int, u []float64) mixture {
	var m mixture
	sum := 0.0
	for c := range k {
		w := 1.0
		if c < k-1 {
			w = math.Exp(u[c])
		}
		m.w, sum = append(m.w, w), sum+w
	}
	for c := range m.w {
		m.w[c] /= sum
	}
	each := (len(u) - (k - 1)) / k
	for c := range k {
		m.of = append(m.of, of.theta(u[k-1+c*each:k-1+(c+1)*each]))
	}
	return m
}

// mixtureOf takes apart theta as generated models and reports have it: the weights, then parameter by parameter.
func mixtureOf(m runtime.Model, theta []float64) mixture {
	k := m.(runtime.Mixture).Components()
	out := mixture{slices.Clone(theta[:k]), make([][]float64, k)}
	at := k
	for i := range m.Info().Parameters[1:] {
		n := m.Info().Parameters[1+i].Len(m)
		for c := range k {
			out.of[c] = append(out.of[c], theta[at+c*n/k:at+(c+1)*n/k]...)
		}
		at += n
	}
	return out
}

// mixedRows has rows of k components, the first of which is the largest, and the mixture of what fits each.
func mixedRows(of *component, k, n int, rng *rand.Rand) (rows, mixture) {
	var s rows
	var truth mixture
	for c := range k {
		own := rows{x: of.draw(c, n*2*(k-c)/(k*(k+1)), rng)}
		own.w = weights(len(own.x), rng)
		s.x, s.w = append(s.x, own.x...), append(s.w, own.w...)
		truth.w, truth.of = append(truth.w, 2*float64(k-c)/float64(k*(k+1))), append(truth.of, of.best(own))
	}
	return s, truth
}

// mixedOptimum is a data set with the best mixtures found for it.
type mixedOptimum struct {
	rows
	truth mixture
	found map[string]mixture // by the method
}

var mixedOptima = map[string]*mixedOptimum{}

// mixedAt returns the data and the optimum at a number of components: by the EM algorithm where its steps are cheap,
// and by BFGS and Newton's method on the likelihood in coordinates without constraints, both from what fits the rows
// of each component.
func mixedAt(of *component, base string, k int) *mixedOptimum {
	key := fmt.Sprint(base, k)
	if o := mixedOptima[key]; o != nil {
		return o
	}
	o := &mixedOptimum{found: map[string]mixture{}}
	o.rows, o.truth = mixedRows(of, k, of.rows*k, rand.New(rand.NewPCG(33, uint64(k))))
	if of.em {
		m := o.truth
		for range 2000 {
			next := m.em(of, o.rows)
			done := next.distance(m) <= 1e-14
			if m = next; done {
				break
			}
		}
		o.found["EM"] = m.sorted()
	}
	o.found["BFGS and Newton"] = o.highest(of, k).sorted()
	mixedOptima[key] = o
	return o
}

// highest finds a maximum of the likelihood from what fits the rows of each component and from other points near it.
func (o *mixedOptimum) highest(of *component, k int) mixture {
	l := likelihood{loss: func(u []float64) float64 { return mixtureAt(of, k, u).loss(of, o.rows) }}
	rng := rand.New(rand.NewPCG(34, uint64(k)))
	starts := [][]float64{o.truth.coordinates(of)}
	for range 2 {
		u := slices.Clone(starts[0])
		for i := range u {
			u[i] += 0.1 * rng.NormFloat64()
		}
		starts = append(starts, u)
	}
	return mixtureAt(of, k, l.maximum(starts))
}

// ofMixture fits a mixture: the fits end at the optimum that is found without generated code, by every
// method.
func ofMixture(t *testing.T, name string, m runtime.Model) {
	base := strings.TrimSuffix(name, "nat")
	of, ok := components[base]
	if !ok {
		t.Fatalf("no independent optimum is known here for the mixture %s", name)
	}
	methods := append(onSurrogate, method{"bfgs", ""})
	if of.slow {
		methods = methods[len(methods)-2:]
	}
	for k := 2; k <= 3 && (k == 2 || of.em); k++ {
		o := mixedAt(&of, base, k)
		if err := estimate.Load(m, o.data(), k); err != nil {
			t.Fatal(err)
		}
		for _, f := range methods {
			o.compare(t, &of, m, f)
		}
	}
}

func entriesOf(r *estimate.Report) []float64 {
	var theta []float64
	for _, p := range r.Estimate {
		theta = append(theta, p.Entries...)
	}
	return theta
}

// compare fits from several starts, of which the best fit counts: not each start ends in the best optimum.
func (o *mixedOptimum) compare(t *testing.T, of *component, m runtime.Model, f method) {
	k := m.(runtime.Mixture).Components()
	what := fmt.Sprintf("k = %d, %s %s", k, f.name, f.search)
	r, err := estimate.Fit(context.Background(), m, &estimate.Settings{Method: f.name, LineSearch: f.search, Starts: 8, Seed: 1})
	if err != nil {
		t.Errorf("%s: %v", what, err)
		return
	}
	if !r.Converged {
		t.Errorf("%s: %s", what, r.Message)
	}
	got := mixtureOf(m, entriesOf(r)).sorted()
	if loss := got.loss(of, o.rows); !(math.Abs(loss-float64(r.Loss)) <= 1e-12*(1+math.Abs(loss))) {
		t.Errorf("%s: the loss is reported as %.15g, by hand it is %.15g", what, float64(r.Loss), loss)
	}
	for how, want := range o.found {
		loss := want.loss(of, o.rows)
		if !(math.Abs(float64(r.Loss)-loss) <= 1e-12*(1+math.Abs(loss))) {
			t.Errorf("%s: the loss is %.15g, that of %s %.15g", what, float64(r.Loss), how, loss)
		}
		if d := got.distance(want); !(d <= 1e-8) {
			t.Errorf("%s: the parameters are\n%v, by %s\n%v", what, got, how, want)
		} else {
			t.Logf("%s: as %s to %.1e, after %d iterations", what, how, d, r.Iterations)
		}
	}
}
