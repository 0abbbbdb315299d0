package variational_test

import (
	"testing"

	"github.com/sngdgen/sngdgen/generated/logistic"
	"github.com/sngdgen/sngdgen/generated/logisticskew"
	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/estimate"
	"github.com/sngdgen/sngdgen/runtime/special"
)

// work counts how often a row is looked at by a draw: by gradients and by values of the log joint density, over batches and over all rows.
type work struct {
	steps  float64 // gradients over batches
	checks float64 // values over batches
	whole  float64 // either over all rows
}

// counted is a posterior that counts, together with its clones.
type counted struct {
	model
	of   *work
	rows int // of the batch, 0 for all
}

func (c *counted) count(batched *float64) {
	if c.rows == 0 {
		n, _, _ := c.Counts()
		c.of.whole += float64(c.Draws() * n)
		return
	}
	*batched += float64(c.Draws() * c.rows)
}

func (c *counted) Batch(rows []int) error {
	c.rows = len(rows)
	return c.model.Batch(rows)
}

func (c *counted) Gradients(v, g, z []float64) float64 {
	c.count(&c.of.steps)
	return c.model.Gradients(v, g, z)
}

func (c *counted) NaturalGradient(v, z []float64) {
	c.count(&c.of.steps)
	c.model.NaturalGradient(v, z)
}

func (c *counted) Loss(z []float64) float64 {
	c.count(&c.of.checks)
	return c.model.Loss(z)
}

func (c *counted) Weights(dst, z []float64) {
	c.count(&c.of.checks)
	c.model.Weights(dst, z)
}

func (c *counted) Clone() runtime.Model { return &counted{c.model.Clone().(model), c.of, c.rows} }

// manyRows are data of a logistic regression.
func manyRows(n, d int) runtime.Data {
	rng := runtime.Stream(5, "rows")
	data := runtime.Data{Columns: d + 1}
	for range n {
		s := 0.0
		for j := range d {
			x := rng.NormFloat64()
			data.Values = append(data.Values, x)
			s += x * float64(1-2*(j%2)) / 2
		}
		y := 0.0
		if rng.Float64() < special.Sigmoid(s) {
			y = 1
		}
		data.Values = append(data.Values, y)
	}
	return data
}

// TestWorkOfChecks: a run of batches that ends by itself spends at most as much on checks as on steps, of which a look at a row costs
// more: gradients are taken there. What is said of its end, over all rows, costs no more than six times as many looks, of rows of which a
// thousand draws are looked at in any case: so there are not too many of them here.
func TestWorkOfChecks(t *testing.T) {
	for _, c := range []struct {
		name           string
		m              model
		rows, d, batch int
	}{
		{"small batches", new(logistic.Model), 3000, 3, 32}, {"many rows", new(logistic.Model), 20_000, 4, 128},
		{"batches of half of the rows", new(logistic.Model), 1000, 2, 500}, {"auxiliary parameters", new(logisticskew.Model), 3000, 2, 64},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			of := new(work)
			m := &counted{model: c.m, of: of}
			if err := m.SetData(manyRows(c.rows, c.d)); err != nil {
				t.Fatal(err)
			}
			a, err := estimate.Approximate(t.Context(), m, &estimate.Settings{Stochastic: estimate.Stochastic{Batch: c.batch}})
			if a == nil {
				t.Fatal(err)
			}
			t.Logf("%v: %.3g by steps, %.3g by checks, %.3g over all rows", a.Status, of.steps, of.checks, of.whole)
			if of.steps == 0 || of.checks == 0 {
				t.Fatal("nothing has been counted")
			}
			if of.checks > of.steps {
				t.Errorf("checks look at %.3g rows, steps at %.3g", of.checks, of.steps)
			}
			if of.whole > 6*of.steps {
				t.Errorf("the report looks at %.3g rows, steps at %.3g", of.whole, of.steps)
			}
		})
	}
}
