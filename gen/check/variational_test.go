package check

import (
	"math"
	"strings"
	"testing"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/gen/bind"
	"github.com/sngdgen/sngdgen/gen/derive"
	"github.com/sngdgen/sngdgen/spec"
)

// derivedFile derives the problem of a file.
func derivedFile(t *testing.T, name string) *derive.Result {
	t.Helper()
	f, diags := spec.LoadFile(name)
	if diags.HasErrors() {
		t.Fatal(diags.String())
	}
	b, diags := bind.Bind(f.Problems[0])
	if diags.HasErrors() {
		t.Fatal(diags.String())
	}
	d, err := derive.Derive(b)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// TestPathDerivative compares the gradients of the path derivative with differences where the parameters of log q are held fixed,
// and notices when they are wrong, or those of the objective itself.
func TestPathDerivative(t *testing.T) {
	d := derivedFile(t, "testdata/good/path_estimator.yaml")
	if findsWrongDerivative(d) {
		t.Error("the path derivative is said to be wrong")
	}
	for what, list := range derivedExpressions(d) {
		for i, right := range list {
			*right.place = d.Problem.Graph.Scale(1+1e-4, right.node)
			if !findsWrongDerivative(d) {
				t.Errorf("did not notice a wrong %s [%d]", what, i)
			}
			*right.place = right.node
		}
	}
	d.Problem.Variational.Spec.Estimator = spec.EstimatorReparameterised
	if !findsWrongDerivative(d) {
		t.Error("the path derivative is taken for the gradient of the objective")
	}
}

// TestClosedForms changes what is known in closed form: the objective, the entropy of which it has, is noticed to be off.
func TestClosedForms(t *testing.T) {
	for _, name := range spec.Library().ProblemsOf(spec.ObjectiveVI) {
		d := derived(t, name)
		g := d.Problem.Graph
		for _, off := range []float64{0, 2, -2} {
			literal := d.Surrogate.Literal
			d.Surrogate.Literal = g.Add(literal, g.Const(off))
			c := newChecker(d)
			c.closedForms()
			if found := c.diags.HasErrors(); found != (off != 0) {
				t.Errorf("%s, off by %v: %v\n%s", name, off, found, c.diags.String())
			}
			d.Surrogate.Literal = literal
		}
	}
}

// TestExpectations changes an expectation that a distribution lists.
func TestExpectations(t *testing.T) {
	for _, off := range []float64{0, 0.2, -0.2} {
		b, diags := bind.Bind(spec.Library().Problem("logisticskewt"))
		if diags.HasErrors() {
			t.Fatal(diags.String())
		}
		e := &b.Target.Expectations[0]
		e.Is = b.Graph.Add(e.Is, b.Graph.Const(off))
		d, err := derive.Derive(b)
		if err != nil {
			t.Fatal(err)
		}
		c := newChecker(d)
		c.closedForms()
		if found := c.diags.HasErrors(); found != (off != 0) {
			t.Errorf("off by %v: %v\n%s", off, found, c.diags.String())
		}
	}
}

// TestLatentLengths gives the variable of the target as many entries as its parts have, in every round.
func TestLatentLengths(t *testing.T) {
	for _, name := range spec.Library().ProblemsOf(spec.ObjectiveVI) {
		c := newChecker(derived(t, name))
		for _, lengths := range c.rounds() {
			c.at(lengths)
			total := 0
			for i, q := range c.p.Variational.Latent { // of some matrices and vectors not all entries are free
				rows, columns := c.shape(q.Sym.Type)
				total += c.p.Variational.Places[i].Count(rows*columns, columns)
			}
			if rows, columns := c.shape(c.p.Target.Variable.Sym.Type); rows*columns != total {
				t.Errorf("%s at %v: %d latent variables, but %d entries", name, lengths, total, rows*columns)
			}
		}
	}
}

// TestModelIsEvaluated evaluates the log joint density of logistic regression on data by hand.
func TestModelIsEvaluated(t *testing.T) {
	c := newChecker(derived(t, "logistic"))
	env := c.modelEnv(c.stream("test"))
	x, y := env.Symbols[c.p.Variational.Data[0].Sym.Name], env.Symbols[c.p.Variational.Data[1].Sym.Name]
	const z = 0.7
	want := 0.0
	for i, m := range x.Cores {
		margin := (2*y.Rows[i] - 1) * m.At(0, 0) * z
		want -= modelScale * math.Log1p(math.Exp(-margin))
	}
	if got, _ := c.model(env)(expr.AllTerms, []float64{z}); !sameNumber(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if n := env.Symbols[c.g.Size(expr.Rows).Name].Scalar; n != modelRows {
		t.Errorf("%v rows", n)
	}
}

// TestMadeUpDataArePossible: where numbers that are made up one by one could not all be data, as more successes than trials, they are drawn as
// the model says.
func TestMadeUpDataArePossible(t *testing.T) {
	c := newChecker(derived(t, "logisticintercept"))
	for _, lengths := range c.rounds() {
		c.at(lengths)
		data := map[string][]float64{}
		env := c.modelEnv(c.stream("test"))
		for _, q := range c.p.Variational.Data {
			data[q.Name] = env.Symbols[q.Sym.Name].Rows
		}
		for i, y := range data["y"] {
			if !(y >= 0 && y <= data["trials"][i]) {
				t.Errorf("%v successes in %v trials, at %v", y, data["trials"][i], lengths)
			}
		}
		if len(data["y"]) != modelRows {
			t.Errorf("%d rows, at %v", len(data["y"]), lengths)
		}
	}
}

// TestRareDraws: 400 data sets without a success say nothing of what a success would add to the score, so that their mean, which is not 0, is
// no fault.
func TestRareDraws(t *testing.T) {
	c := newChecker(derived(t, "logisticintercept"))
	c.predictiveScore()
	if len(c.diags.All()) > 0 {
		t.Error(c.diags.String())
	}
	rare, common := make([]float64, 400), make([]float64, 400)
	for i := range common {
		common[i] = float64(i % 2)
	}
	rare[7] = 1
	if got := othersThanMost(rare); got != 1 {
		t.Errorf("%d others than the usual one, not 1", got)
	}
	if got := othersThanMost(common); got != 200 {
		t.Errorf("%d others, of half", got)
	}
}

// TestRareIsSaid: where hardly anything but one value is drawn at all points, check says that it has not compared.
func TestRareIsSaid(t *testing.T) {
	c := newChecker(derivedFile(t, "testdata/good/rare_draws.yaml"))
	c.at(c.rounds()[0])
	if c.predictiveScore(); !strings.Contains(c.diags.String(), "could not be tested: nearly all draws are the same") {
		t.Errorf("%q", c.diags.String())
	}
}
