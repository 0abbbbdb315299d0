package runtime_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/support"
)

// gauss is the normal distribution of rows of d numbers in its mean parameters z = [E x (d); E x x' (d*d)], by hand:
// the natural gradient of the mean negative log-likelihood is z less the same means over the batch, and nothing
// allocates.
type gauss struct {
	x       [][]float64
	batch   []int
	chol    []float64
	visited []int   // how often each row was in a batch
	batches [][]int // kept when not nil
	checks  int     // calls of Violation
}

func newGauss(n, d int, seed uint64) *gauss {
	rng := runtime.Stream(seed, "test")
	p := &gauss{chol: make([]float64, d*d), visited: make([]int, n), batch: make([]int, 0, n)}
	for range n {
		x := make([]float64, d)
		common := rng.NormFloat64()
		for j := range x {
			x[j] = float64(j) + common + rng.NormFloat64()
		}
		p.x = append(p.x, x)
	}
	p.Batch(nil)
	clear(p.visited)
	return p
}

func (p *gauss) d() int { return len(p.x[0]) }

func (p *gauss) Counts() (rows, distinct int, weight float64) {
	return len(p.x), len(p.x), float64(len(p.x))
}

func (p *gauss) Batch(rows []int) error {
	if err := support.CheckBatch(rows, len(p.x)); err != nil {
		return err
	}
	p.batch = p.batch[:0]
	if rows == nil {
		for i := range p.x {
			p.batch = append(p.batch, i)
		}
		return nil
	}
	p.batch = append(p.batch, rows...)
	for _, i := range rows {
		p.visited[i]++
	}
	if p.batches != nil {
		p.batches = append(p.batches, append([]int(nil), rows...))
	}
	return nil
}

func (p *gauss) Blocks() []runtime.Block {
	d := p.d()
	return []runtime.Block{{Name: "m1", Len: d}, {Name: "m2", Offset: d, Len: d * d, Symmetric: true}}
}

func (p *gauss) Conditions() []runtime.Condition {
	return []runtime.Condition{{Block: "m2", Text: "m2 - m1 m1' positive definite"}}
}

func (p *gauss) NaturalGradient(v, z []float64) {
	d := p.d()
	copy(v, z)
	w := 1 / float64(len(p.batch))
	for _, i := range p.batch {
		x := p.x[i]
		for j, a := range x {
			v[j] -= w * a
			for k, b := range x {
				v[d+j*d+k] -= w * a * b
			}
		}
	}
}

// factor writes the Cholesky factor of the covariance and reports whether there is one.
func (p *gauss) factor(z []float64) bool {
	d, l := p.d(), p.chol
	for j := range d {
		for k := range j + 1 {
			s := z[d+j*d+k] - z[j]*z[k]
			for i := range k {
				s -= l[j*d+i] * l[k*d+i]
			}
			switch {
			case j > k:
				l[j*d+k] = s / l[k*d+k]
			case s > 0:
				l[j*d+j] = math.Sqrt(s)
			default:
				return false
			}
		}
	}
	return true
}

func (p *gauss) Violation(z []float64) int {
	p.checks++
	if !p.factor(z) {
		return 0
	}
	return -1
}

// Loss is half the log-determinant of the covariance and half the mean square of the whitened residuals.
func (p *gauss) Loss(z []float64) float64 {
	if !p.factor(z) {
		return math.NaN()
	}
	d, l := p.d(), p.chol
	f := 0.0
	r := make([]float64, d)
	for _, i := range p.batch {
		for j := range d {
			r[j] = p.x[i][j] - z[j]
			for k := range j {
				r[j] -= l[j*d+k] * r[k]
			}
			r[j] /= l[j*d+j]
			f += r[j] * r[j] / 2 / float64(len(p.batch))
		}
	}
	for j := range d {
		f += math.Log(l[j*d+j])
	}
	return f
}

func (p *gauss) Gradients(v, c, z []float64) float64 { panic("a stochastic run needs no loss") }

// optimum returns the means over all rows: the maximum likelihood estimate.
func (p *gauss) optimum() []float64 {
	d := p.d()
	p.Batch(nil)
	v := make([]float64, d+d*d)
	p.NaturalGradient(v, make([]float64, d+d*d))
	for i := range v {
		v[i] = -v[i]
	}
	return v
}

// start is a point with identity covariance, 1 away from the optimum.
func (p *gauss) start() []float64 {
	d := p.d()
	z := p.optimum()[:d]
	z = append(z, make([]float64, d*d)...)
	for j := range d {
		z[j]++
	}
	for j := range d {
		for k := range d {
			z[d+j*d+k] = z[j] * z[k]
		}
		z[d+j*d+j]++
	}
	return z
}

// line is the regression y = b x + noise beside a normal distribution of x: two mean parameters of a surrogate, and the
// auxiliary slope b with the metric 4.
type line struct {
	*gauss
	y []float64
	z []float64 // of the last gradients: what they were evaluated at
}

func newLine(n int, slope float64, seed uint64) *line {
	p := &line{gauss: newGauss(n, 1, seed), y: make([]float64, n)}
	rng := runtime.Stream(seed, "noise")
	for i := range p.y {
		p.y[i] = slope*p.x[i][0] + rng.NormFloat64()
	}
	return p
}

func (p *line) Blocks() []runtime.Block {
	return append(p.gauss.Blocks(), runtime.Block{Name: "b", Offset: 2, Len: 1, Auxiliary: true})
}

func (p *line) NaturalGradient(v, z []float64) {
	p.gauss.NaturalGradient(v[:2], z[:2])
	v[2] = p.slope(z[2])
	p.z = append(p.z[:0], z...)
}

// slope is the derivative of the mean of (y - b x)^2/2.
func (p *line) slope(b float64) (c float64) {
	for _, i := range p.batch {
		c -= (p.y[i] - b*p.x[i][0]) * p.x[i][0] / float64(len(p.batch))
	}
	return c
}

func (p *line) Loss(z []float64) float64 {
	f := p.gauss.Loss(z[:2])
	for _, i := range p.batch {
		e := p.y[i] - z[2]*p.x[i][0]
		f += e * e / 2 / float64(len(p.batch))
	}
	return f
}

func (p *line) Violation(z []float64) int { return p.gauss.Violation(z[:2]) }

// Gradients has the ordinary gradient of a normal distribution in its mean parameters, and the slope's in its metric.
func (p *line) Gradients(v, c, z []float64) float64 {
	f := p.Loss(z)
	if math.IsNaN(f) {
		return f
	}
	p.NaturalGradient(v, z)
	s := z[1] - z[0]*z[0]
	c[1] = (1 - (s-v[1]+2*z[0]*v[0])/s) / (2 * s) // (1 - S/s)/(2 s) with S the mean square about z[0]
	c[0] = v[0]/s - 2*c[1]*z[0]
	c[2], v[2] = v[2], v[2]/4
	return f
}

// optimum of all three coordinates.
func (p *line) optimum() []float64 {
	z := p.gauss.optimum()
	var xx, xy float64
	for i, y := range p.y {
		xx += p.x[i][0] * p.x[i][0]
		xy += p.x[i][0] * y
	}
	return append(z, xy/xx)
}

// A row that the data do not have ends a run with an error that names it, at the first batch that has it.
func TestBatchOutOfRange(t *testing.T) {
	for _, c := range []struct {
		rows []int
		want string
	}{
		{nil, ""},
		{[]int{9, 0, 9}, ""},
		{[]int{}, "runtime: Batch is empty: it must be a list of rows, or nil for all of them"},
		{[]int{0, 10}, "runtime: Batch[1] is 10: it must be the index of a row, of which the data have 10"},
		{[]int{-1}, "runtime: Batch[0] is -1: it must be the index of a row, of which the data have 10"},
	} {
		got := ""
		if err := support.CheckBatch(c.rows, 10); err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%v\ngot  %s\nwant %s", c.rows, got, c.want)
		}
	}
	p := newGauss(10, 1, 1)
	few := struct {
		runtime.Problem
		runtime.Batcher
	}{p, p}
	res, err := runtime.Descend(ctx, few, p.start(), &runtime.Stochastic{Batch: 4, Rows: 1000, Seed: 1})
	var e *runtime.SettingError
	if !errors.As(err, &e) || !strings.HasPrefix(e.Setting, "Batch[") || res.Status != runtime.Failed || !math.IsNaN(res.Loss) {
		t.Errorf("%+v, %v", res, err)
	}
}
