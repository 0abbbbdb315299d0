package fit

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/estimate"
)

// twins are two ways to write one model, of rows with two covariates, a group of three, another of two, and a response.
type twins struct {
	name, latent, eta, prior            string
	otherLatent, otherEta, otherPrior   string
	order                               []int // where number i of the first lies in the second
	let, otherLet, response, likelihood string
	pinned                              string // dimensions
	approximation                       string // mean_field has variances in the place of a covariance matrix
	unpropagated                        bool   // there are no sites
}

// byColumns is the order of the entries of a matrix of 3 x 2 in its columns, behind and before so many other numbers.
func byColumns(before, behind int) []int {
	out := upTo(before)
	for _, k := range []int{0, 3, 1, 4, 2, 5} {
		out = append(out, before+k)
	}
	for k := range behind {
		out = append(out, before+6+k)
	}
	return out
}

func upTo(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

const (
	counts = "sum(y*eta - exp(eta) - lgamma(y + 1))"
	binary = "sum(log_sigmoid((2*y - 1)*eta))"
)

var allTwins = []twins{
	{name: "entries", latent: `{A: "matrix(J, 2)"}`, eta: "A[g, 1] + A[g, 2]*x", prior: "-tr(A' @ A)/2",
		otherLatent: "{u: vector(J), v: vector(J)}", otherEta: "u[g] + v[g]*x", otherPrior: "-dot(u, u)/2 - dot(v, v)/2", order: byColumns(0, 0)},
	{name: "beside", latent: `{b: vector(2), A: "matrix(J, 2)", l: real}`, eta: "b[1] + A[g, 1] + (b[2] + A[g, 2])*x",
		prior:       "-dot(b, b)/20 - tr(A' @ A)*exp(-2*l)/2 - 2*J*l - l^2",
		otherLatent: "{b: vector(2), u: vector(J), v: vector(J), l: real}", otherEta: "b[1] + u[g] + (b[2] + v[g])*x",
		otherPrior: "-dot(b, b)/20 - (dot(u, u) + dot(v, v))*exp(-2*l)/2 - 2*J*l - l^2", order: byColumns(2, 1), unpropagated: true},
	{name: "rows", latent: `{A: "matrix(J, 2)"}`, eta: "dot(A[g, :], X)", prior: "-tr(A' @ A)/2",
		otherLatent: "{u: vector(J), v: vector(J)}", otherEta: "u[g]*X[1] + v[g]*X[2]", otherPrior: "-dot(u, u)/2 - dot(v, v)/2", order: byColumns(0, 0)},
	{name: "quadrature", latent: `{m: real, A: "matrix(J, 2)"}`, eta: "m + dot(A[g, :], X)", prior: "-tr(A' @ A)/2 - m^2/8",
		otherLatent: "{m: real, u: vector(J), v: vector(J)}", otherEta: "m + u[g]*X[1] + v[g]*X[2]", otherPrior: "-dot(u, u)/2 - dot(v, v)/2 - m^2/8",
		order: byColumns(1, 0), response: "binary", likelihood: binary},
	{name: "wide", latent: `{A: "matrix(2, J)"}`, eta: "A[1, g] + A[2, g]*x", prior: "-tr(A @ A')/2",
		otherLatent: "{u: vector(J), v: vector(J)}", otherEta: "u[g] + v[g]*x", otherPrior: "-dot(u, u)/2 - dot(v, v)/2", order: upTo(6)},
	{name: "correlated", latent: `{A: "matrix(J, 2)"}`, eta: "A[g, 1] + A[g, 2]*x", prior: "-tr(K @ A' @ A)/2", let: "K: outer([1, 0.3], [1, 0.3]) + eye(2)",
		otherLatent: "{u: vector(J), v: vector(J)}", otherEta: "u[g] + v[g]*x", otherPrior: "-(2*dot(u, u) + 0.6*dot(u, v) + 1.09*dot(v, v))/2",
		order: byColumns(0, 0)},
	{name: "means", latent: `{m: vector(2), A: "matrix(J, 2)"}`, eta: "A[g, 1] + A[g, 2]*x",
		prior: "-tr((A - outer(ones(J), m))' @ (A - outer(ones(J), m))) - dot(m, m)/8", otherLatent: "{m: vector(2), u: vector(J), v: vector(J)}",
		otherEta: "u[g] + v[g]*x", otherPrior: "-dot(u - m[1], u - m[1]) - dot(v - m[2], v - m[2]) - dot(m, m)/8", order: byColumns(2, 0)},
	{name: "two", latent: `{A: "matrix(J, 2)", B: "matrix(H, 2)"}`, eta: "A[g, 1] + B[h, 1] + (A[g, 2] + B[h, 2])*x", prior: "-tr(A' @ A)/2 - tr(B @ B')",
		otherLatent: "{u: vector(J), v: vector(J), r: vector(H), s: vector(H)}", otherEta: "u[g] + v[g]*x + r[h] + s[h]*x",
		otherPrior: "-dot(u, u)/2 - dot(v, v)/2 - dot(r, r) - dot(s, s)", order: append(byColumns(0, 0), 6, 8, 7, 9)},
	{name: "whole rows", latent: `{A: "matrix(J, q)", l: real}`, eta: "dot(A[g, :], Z)", prior: "-tr(A' @ A)*exp(l)/2 + J*l - l^2",
		otherLatent: `{A: "matrix(J, 2)", l: real}`, otherEta: "A[g, 1]*Z[1] + A[g, 2]*Z[2]", otherPrior: "-tr(A' @ A)*exp(l)/2 + J*l - l^2",
		order: upTo(7), unpropagated: true},
	{name: "whole rows of the likelihood alone", latent: `{A: "matrix(J, q)"}`, eta: "dot(A[g, :], Z)", prior: "-tr(A' @ A)/2",
		otherLatent: "{u: vector(J), v: vector(J)}", otherEta: "u[g]*Z[1] + v[g]*Z[2]", otherPrior: "-dot(u, u)/2 - dot(v, v)/2", order: byColumns(0, 0)},
	{name: "known lengths", latent: `{m: real, A: "matrix(3, 2)"}`, eta: "m + A[g, 1] + A[2, 2]*x", prior: "-tr(A' @ A)/2 - m^2",
		otherLatent: "{m: real, u: vector(3), v: vector(3)}", otherEta: "m + u[g] + v[2]*x", otherPrior: "-dot(u, u)/2 - dot(v, v)/2 - m^2",
		order: byColumns(1, 0), pinned: "{J: 3}"},
	{name: "mean field", latent: `{b: vector(2), A: "matrix(J, 2)", l: real}`, eta: "b[1] + A[g, 1] + (b[2] + A[g, 2])*x",
		prior:       "-dot(b, b)/20 - tr(A' @ A)*exp(-2*l)/2 - 2*J*l - l^2",
		otherLatent: "{b: vector(2), u: vector(J), v: vector(J), l: real}", otherEta: "b[1] + u[g] + (b[2] + v[g])*x",
		otherPrior: "-dot(b, b)/20 - (dot(u, u) + dot(v, v))*exp(-2*l)/2 - 2*J*l - l^2", order: byColumns(2, 1), unpropagated: true, approximation: "mean_field"},
	{name: "differences", latent: "{b: vector(q), e: vector(q)}", eta: "Z @ (b - e)", prior: "-dot(b, b)/2 - dot(e, e)",
		otherLatent: "{b: vector(q), e: vector(q)}", otherEta: "Z @ b - Z @ e", otherPrior: "-dot(b, b)/2 - dot(e, e)", order: upTo(4)},
	{name: "fixed factors", latent: "{b: vector(q), e: vector(q)}", eta: "Z @ (tau*b - e*tau^2)", prior: "-dot(b, b)/2 - dot(e, e)",
		otherLatent: "{b: vector(q), e: vector(q)}", otherEta: "tau*(Z @ b) - tau^2*(Z @ e)", otherPrior: "-dot(b, b)/2 - dot(e, e)", order: upTo(4)},
	{name: "a number for all", latent: "{b: vector(q), l: real}", eta: "Z @ (b - l/3 + 0.2)", prior: "-dot(b, b)/2 - l^2",
		otherLatent: "{b: vector(q), l: real}", otherEta: "Z @ b - l*total(Z)/3 + 0.2*total(Z)", otherPrior: "-dot(b, b)/2 - l^2", order: upTo(3)},
	{name: "a latent factor", latent: "{b: vector(q), e: vector(q), l: real}", eta: "Z @ (exp(l)*b - e)", prior: "-dot(b, b) - dot(e, e) - 3*l^2",
		otherLatent: "{b: vector(q), e: vector(q), l: real}", otherEta: "exp(l)*(Z @ b) - Z @ e", otherPrior: "-dot(b, b) - dot(e, e) - 3*l^2",
		order: upTo(5), response: "binary", likelihood: binary, unpropagated: true},
	{name: "two forms", latent: `{u: vector(J), v: vector(J), m: real, l: real}`, eta: "u[g] + v[g]*x",
		prior:       "-exp(l)*dot(u - m, v + u - m) - dot(v, v) - dot(u, u)/2 - l^2 - m^2",
		otherLatent: "{u: vector(J), v: vector(J), m: real, l: real}", otherEta: "u[g] + v[g]*x",
		otherPrior: "-exp(l)*(dot(u, v) + dot(u, u) - 2*m*total(u) - m*total(v) + J*m^2) - dot(v, v) - dot(u, u)/2 - l^2 - m^2",
		order:      upTo(8), unpropagated: true},
}

// TestTwins: a model that is written with a matrix, and with its columns as vectors, has the same approximation by the same means.
func TestTwins(t *testing.T) {
	for i := range allTwins {
		w := &allTwins[i]
		t.Run(w.name, func(t *testing.T) {
			w.compare(t, "")
			if !w.unpropagated {
				w.compare(t, "ep")
			}
		})
	}
}

// spec is the text of one of them.
func (w *twins) spec(latent, eta, prior, let string) string {
	response, likelihood := w.response, w.likelihood
	if response == "" {
		response, likelihood = "count", counts
	}
	columns := "2"
	if strings.Contains(latent, "q)") {
		columns = "q"
	}
	if let != "" {
		let = "\n      " + let
	}
	return fmt.Sprintf(`
package: twin
approximation: %s
dimensions: %s
objective:
  vi:
    latent: %s
    data:
      x: vector(n)
      X: matrix(n, 2)
      Z: matrix(n, %s)
      g: index(J) vector(n)
      h: index(H) vector(n)
      y: %s vector(n)
    constants: {tau: 0.7}
    let:
      eta: %s%s
    log_likelihood: %s
    log_prior: %s
`, cmp.Or(w.approximation, "normal"), cmp.Or(w.pinned, "{}"), latent, columns, response, eta, let, likelihood, prior)
}

// compare fits both by a method.
func (w *twins) compare(t *testing.T, method string) {
	t.Helper()
	one := w.fitted(t, method, w.spec(w.latent, w.eta, w.prior, w.let))
	two := w.fitted(t, method, w.spec(w.otherLatent, w.otherEta, w.otherPrior, w.otherLet))
	if one.Method != two.Method || one.Message != two.Message || one.Steps != two.Steps || one.Converged != two.Converged {
		t.Errorf("%s: %s in %d steps, %q, and %s in %d steps, %q", method, one.Method, one.Steps, one.Message, two.Method, two.Steps, two.Message)
	}
	if !one.Converged {
		t.Errorf("%s: %s", method, one.Message)
	}
	near := func(what string, a, b float64) {
		t.Helper()
		if !(math.Abs(a-b) <= 1e-8*(1+math.Abs(b))) {
			t.Errorf("%s: the %s is %.12g and %.12g", method, what, a, b)
		}
	}
	if method == "" {
		if one.Quadrature == nil {
			t.Fatal("it goes by draws")
		}
		near("bound", float64(one.ELBO.Mean), float64(two.ELBO.Mean))
	} else {
		near("log evidence", float64(one.Propagation.LogEvidence), float64(two.Propagation.LogEvidence))
	}
	theta, other, d := one.Theta(), two.Theta(), len(w.order)
	square := len(theta) == d+d*d
	if t.Failed() {
		return
	}
	for i, k := range w.order {
		near(fmt.Sprint("mean of ", i), theta[i], other[k])
		if !square {
			near(fmt.Sprint("variance of ", i), theta[d+i], other[d+k])
			continue
		}
		for j, l := range w.order {
			near(fmt.Sprintf("covariance of %d and %d", i, j), theta[d+i*d+j], other[d+k*d+l])
		}
	}
}

func (w *twins) fitted(t *testing.T, method, text string) *estimate.Approximation {
	t.Helper()
	p, _, err := Open(t.Context(), Source{Text: text})
	if err != nil {
		t.Fatal(err)
	}
	a, err := p.Fit(t.Context(), w.data(t, p.Model().Info().Data), &estimate.Settings{Method: method, Variational: estimate.Variational{EvalDraws: 1000}})
	if err != nil {
		t.Fatal(err)
	}
	return a.Posterior
}

// data are 40 rows.
func (w *twins) data(t *testing.T, parts []runtime.Parameter) runtime.Data {
	rng := rand.New(rand.NewPCG(5, 6))
	drawn := map[string][][]float64{}
	add := func(name string, k int, v float64) {
		for len(drawn[name]) <= k {
			drawn[name] = append(drawn[name], nil)
		}
		drawn[name][k] = append(drawn[name][k], v)
	}
	for i := range 40 {
		x := rng.NormFloat64()
		add("x", 0, x)
		for _, name := range []string{"X", "Z"} {
			add(name, 0, 1)
			add(name, 1, x)
		}
		add("g", 0, float64(i%3+1))
		add("h", 0, float64(i%2+1))
		y := math.Floor(math.Exp(0.2*float64(i%3)+0.4*x) + rng.Float64())
		if strings.Contains(w.response, "binary") {
			y = math.Min(y, 1)
		}
		add("y", 0, y)
	}
	var list [][]float64
	for _, q := range parts {
		list = append(list, drawn[q.Name]...)
	}
	return columns(t, nil, list...)
}
