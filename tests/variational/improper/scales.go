package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/sngdgen/sngdgen/gen/fit"
)

// model is a model with scales, of which theory says whether its posterior is proper.
type model struct {
	name   string
	improp string // where its density has no finite mass, in the words of a report; "" where it is proper
	why    string
	latent string
	data   string // one array after the other, with types
	let    string
	like   string
	prior  string
	values []float64
	wide   int // columns
}

// Eight schools (Rubin 1981), the effects and their standard errors.
var effects, errors = []float64{28, 8, -3, 7, -1, 1, 18, 12}, []float64{15, 10, 16, 11, 9, 11, 10, 18}

// times are the schools with effects so many times as large, so that the likelihood at tau = 0 is far below that at the mode.
func (m *model) times(factor float64) *model {
	m.name += fmt.Sprintf(", effects times %g", factor)
	for i := range len(m.values) / 2 {
		m.values[i] *= factor
	}
	return m
}

// schools are the first of them, with the effects given by standardised ones, or by themselves.
func schools(count int, centred bool, name, prior, improper, why string) *model {
	m := &model{name: fmt.Sprintf("%d schools, %s", count, name), improp: improper, why: why, latent: "{mu: real, tau: positive, e: vector(j)}",
		data: "y: vector(j)\n      sigma: positive vector(j)", let: "let: {theta: mu + tau*e}",
		like: "-total(((y - theta)/sigma)^2)/2 - total(log(sigma))", prior: "-dot(e, e)/2 + " + prior}
	if centred {
		m.name = "centred, " + m.name
		m.latent, m.let = "{mu: real, tau: positive, theta: vector(j)}", ""
		m.prior = "-total((theta - mu)^2)/(2*tau^2) - j*log(tau) + " + prior
	}
	m.values = append(append(m.values, effects[:count]...), errors[:count]...)
	m.wide = len(m.values)
	return m
}

// groups is a regression on the groups of rows alone, with a flat prior on the standard deviation of their effects.
func groups(count int, improper, why string) *model {
	m := &model{name: fmt.Sprintf("effects of %d groups, flat tau", count), improp: improper, why: why, latent: "{mu: real, tau: positive, s: positive, e: vector(g)}",
		data: "G: matrix(n, g)\n      y: vector(n)", like: "sum(-(y - mu - tau*(G @ e))^2/(2*s^2) - log(s))", prior: "-dot(e, e)/2 - log(s)", wide: count + 1}
	for i := range 5 * count {
		row := make([]float64, count+1)
		row[i/5] = 1
		row[count] = effects[(3*i)%8]/10 + float64(i/5)
		m.values = append(m.values, row...)
	}
	return m
}

// normal are so many numbers with unknown mean and standard deviation.
func normal(rows int, improper, why string) *model {
	return &model{name: fmt.Sprintf("%d normal rows, flat log s", rows), improp: improper, why: why, latent: "{mu: real, s: positive}", data: "y: vector(n)",
		like: "sum(-(y - mu)^2/(2*s^2) - log(s))", prior: "-log(s)", values: effects[:rows], wide: 1}
}

// coins are tosses of which the probability has a flat log odds.
func coins(tosses []float64, improper, why string) *model {
	return &model{name: fmt.Sprintf("tosses %v, flat log odds", tosses), improp: improper, why: why, latent: "{p: unit, q: unit}", data: "y: binary vector(n)",
		like: "sum(y*log(p) + (1 - y)*log(1 - p))", prior: "-log(p) - log(1 - p)", values: tosses, wide: 1}
}

// regression is one on the schools' numbers, moved about.
func regression(name, improper, why, latent, like, prior string, rows, columns int) *model {
	m := &model{name: name, improp: improper, why: why, latent: latent, data: fmt.Sprintf("X: matrix(n, %d)\n      y: vector(n)", columns),
		like: like, prior: prior, wide: columns + 1}
	for i := range rows * (columns + 1) {
		m.values = append(m.values, effects[(i*i+i/3)%8]/10-float64((7*i)%5)/3)
	}
	return m
}

// contaminated are rows close to 3, one in twenty of which may be anywhere, with a prior a billion times as wide as what they say of the mean.
func contaminated(deviation float64) *model {
	m := &model{name: fmt.Sprintf("contaminated rows, prior of deviation %g", deviation), why: "a proper prior", latent: "{mu: real, s: positive}", data: "y: vector(n)",
		like:  "sum(log(0.95*exp(-((y - mu)/0.001)^2/2)/0.001 + 0.05*0.01))",
		prior: fmt.Sprintf("-(mu/%g)^2/2 - s", deviation), wide: 1}
	for i := range 5 {
		for _, e := range effects {
			m.values = append(m.values, 3+(e-8)*float64(i+1)/50000)
		}
	}
	return m
}

var models = []*model{
	schools(8, false, "flat log tau", "-log(tau)", "tau = 0", "the likelihood has a limit at tau = 0"),
	schools(8, true, "flat log tau", "-log(tau)", "tau = 0", "the same model"),
	schools(2, false, "flat log tau", "-log(tau)", "tau = 0", "the same"),
	schools(8, false, "flat log tau", "-log(tau)", "tau = 0", "the same, 319 below the mode, as logarithms").times(12),
	schools(8, false, "flat log tau", "-log(tau)", "tau = 0", "the same, 4,900 below the mode").times(40),
	schools(8, true, "flat log tau", "-log(tau)", "tau = 0", "the same model").times(40),
	schools(8, false, "flat tau", "0", "", "tau^-7 far out"),
	schools(8, false, "flat tau", "0", "", "tau^-7 far out").times(40),
	schools(8, true, "flat tau", "0", "", "the same model"),
	schools(3, false, "flat tau", "0", "", "tau^-2 far out"),
	schools(2, false, "flat tau", "0", "tau = infinity", "tau^-1 far out (Gelman 2006)"),
	schools(2, true, "flat tau", "0", "tau = infinity", "the same model"),
	schools(2, false, "half-Cauchy", "-log1p(tau^2/25)", "", "tau^-3 far out"),
	schools(2, false, "log tau normal with deviation 100", "-log(tau) - (log(tau)/100)^2/2", "", "a proper prior"),
	{name: "8 schools, gamma(0.001, 0.001)", why: "a proper prior", latent: "{mu: real, p: positive, e: vector(j)}",
		data: "y: vector(j)\n      sigma: positive vector(j)", let: "let: {theta: mu + e/sqrt(p)}", like: "-total(((y - theta)/sigma)^2)/2 - total(log(sigma))",
		prior: "-dot(e, e)/2 - 0.999*log(p) - 0.001*p", values: append(append([]float64(nil), effects...), errors...), wide: 16},
	groups(2, "tau = infinity", "tau^-1 far out"),
	groups(3, "", "tau^-2 far out"),
	normal(1, "s = 0", "s^-1 with the mean integrated out"),
	normal(2, "", "s^-2 far out, and exp(-1/s^2) near 0"),
	coins([]float64{1, 1, 1}, "p = 1", "a constant density of the log odds"),
	coins([]float64{1, 1, 0}, "", "exponential tails of the log odds"),
	regression("5 rows, 8 columns, no prior", "a line on which", "a null space", "{b: vector(8)}", "sum(-(y - X @ b)^2/2)", "0", 5, 8),
	regression("5 rows, 8 columns, Cauchy", "", "a proper prior", "{b: vector(8)}", "sum(-(y - X @ b)^2/2)", "-total(log1p(b^2))", 5, 8),
	contaminated(1e6),
	regression("horseshoe", "", "proper priors", "{z: vector(3), l: positive vector(3), t: positive}", "sum(-(y - X @ (t*l*z))^2/2)",
		"-dot(z, z)/2 - total(log1p(l^2)) - log1p(t^2)", 12, 3),
	regression("horseshoe, flat log t", "t = 0", "the likelihood has a limit at t = 0, far below the mode", "{z: vector(3), l: positive vector(3), t: positive}",
		"sum(-(y - X @ (t*l*z))^2/2)", "-dot(z, z)/2 - total(log1p(l^2)) - log(t)", 12, 3),
	regression("horseshoe, t^-2", "", "a proper prior", "{z: vector(3), l: positive vector(3), t: positive}", "sum(-(y - X @ (t*l*z))^2/2)",
		"-dot(z, z)/2 - total(log1p(l^2)) - 2*log1p(t)", 12, 3),
}

func (m *model) text() string {
	return fmt.Sprintf("package: scales\napproximation: normal\nobjective:\n  vi:\n    latent: %s\n    data:\n      %s\n    %s\n    log_likelihood: |\n      %s\n    log_prior: |\n      %s\n",
		m.latent, m.data, m.let, m.like, m.prior)
}

// scaleMethods are those that models with scales are fitted by.
var scaleMethods = []string{"auto", "saa", "sngd"}

// scales writes the rows of the models.
func (o *options) scales(ctx context.Context, out io.Writer) error {
	for _, m := range models {
		if !strings.HasPrefix(m.name, o.only) {
			continue
		}
		problem, _, err := fit.Open(ctx, fit.Source{Text: m.text()})
		if err != nil {
			return fmt.Errorf("%s: %w", m.name, err)
		}
		for _, method := range scaleMethods {
			t := &tally{where: m.improp}
			for seed := range o.seeds {
				if t.fit(ctx, problem, &data{Values: m.values, Columns: m.wide}, method, uint64(seed)); t.err != nil {
					return fmt.Errorf("%s, %s: %w", m.name, method, t.err)
				}
			}
			truth := "proper"
			if m.improp != "" {
				truth = "improper"
			}
			row := fmt.Sprintf("| %s | %s: %s | %s | %d | %d | %d | %s | %.2f |\n", m.name, truth, m.why, method, t.improper, t.converged, t.open,
				t.verdict(m.improp != ""), t.longest.Seconds())
			fmt.Fprint(out, row)
			fmt.Fprint(o.progress, row)
		}
	}
	return nil
}
