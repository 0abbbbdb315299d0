package oracle_test

import (
	"math/rand/v2"
	"testing"

	"github.com/sngdgen/sngdgen/expr/eval"
	"github.com/sngdgen/sngdgen/runtime"
)

// TestGeneratedBatches: restricted to rows, some of them twice, a model is the problem on these rows, with the
// constants of the whole data set.
func TestGeneratedBatches(t *testing.T) {
	eachSize(t, every, checkBatch)
}

func checkBatch(t *testing.T, p problem) {
	rng := p.random(27)
	x := weighted(p.sized(t), 300, rng) // two blocks of rows
	rows := someRows(280, 300, rng)
	part := pick(x, rows)
	m := p.on(t, x)
	for i := range m.Info().Starts + 2 {
		at := trial{t, p, m, p.onPart(t, m, x, part), part, off(m, start(t, m, i, rng), rng)}
		at.place()
		all, s := answersAt(m, at.z), &p.d.Surrogate
		if err := m.(runtime.Batcher).Batch(rows); err != nil {
			t.Fatal(err)
		}
		got := answersAt(m, at.z)
		at.equal("loss of a batch", got.loss, s.Loss)
		at.equalCoords("v of a batch", got.v, s.Natural...)
		at.equalCoords("c of a batch", got.c, s.Covector...)
		at.equalCoords("v of a batch by NaturalGradient", got.only, ordinary(s)...)
		at.checkAlone(got, part)
		if m.(runtime.Batcher).Batch(nil); !answersAt(m, at.z).equal(all) {
			t.Error("after a batch the answer on all rows is another one")
		}
	}
}

// checkAlone: where there are no constants, a batch is the model of these rows, number for number. (Unless some are equal, and merged, which
// changes the order of sums.)
func (p trial) checkAlone(got answers, part runtime.Data) {
	p.Helper()
	m := p.on(p.T, part)
	if rows, distinct, _ := m.Counts(); distinct < rows || len(p.d.Problem.Constants) > 0 {
		return
	}
	if alone := answersAt(m, p.z); !alone.equal(got) {
		p.Errorf("a batch gives %v, these rows alone %v", got, alone)
	}
}

// onPart gives the interpreter a part of the data, with the constants of all.
func (p problem) onPart(t *testing.T, m runtime.Model, all, part runtime.Data) *eval.Env {
	t.Helper()
	whole, env := p.environment(t, m, all), p.environment(t, m, part)
	for _, c := range p.d.Problem.ConstantSyms() {
		env.Symbols[c.Name] = whole.Symbols[c.Name]
	}
	return env
}

// pick makes a data set of rows.
func pick(x runtime.Data, rows []int) runtime.Data {
	out := runtime.Data{Columns: x.Columns}
	for _, i := range rows {
		out.Values = append(out.Values, x.Values[i*x.Columns:(i+1)*x.Columns]...)
		out.Weights = append(out.Weights, x.Weights[i])
	}
	return out
}

// someRows are n rows out of so many, with repetitions.
func someRows(n, of int, rng *rand.Rand) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = rng.IntN(of)
	}
	return out
}
