package engines

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/sngdgen/sngdgen/generated"
	"github.com/sngdgen/sngdgen/internal/librarytest"
	"github.com/sngdgen/sngdgen/internal/processes"
	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/ranges"
	"github.com/sngdgen/sngdgen/runtime/workers"
	"github.com/sngdgen/sngdgen/spec"
)

// Models of which processes have a part of the rows each compute what one of all rows does: to the bit where they have whole ranges, and to
// rounding where they have not, in all of them the same. Others refuse the data in all of them.
func TestProcesses(t *testing.T) {
	compiled := spec.Library().Compiled()
	refused := 0
	for _, name := range spec.Library().Problems() {
		t.Run(name, func(t *testing.T) {
			interpreted := librarytest.Interpreted(t, name)
			if !sameInProcesses(t, interpreted) {
				refused++
			}
			if slices.Contains(compiled, name) {
				alone, _ := generated.Lookup(name)
				sameInProcesses(t, alone)
			}
		})
	}
	if likelihoods := len(spec.Library().Problems()) - refused; likelihoods < 30 {
		t.Errorf("only %d problems take rows of several processes", likelihoods)
	}
}

// sameInProcesses compares models of parts of the rows with one of all. It reports whether such models take data.
func sameInProcesses(t *testing.T, makeOne func() runtime.Model) (takes bool) {
	t.Helper()
	d := librarytest.Data(t, makeOne(), manyRows, 3)
	if _, posterior := makeOne().(runtime.Variational); posterior && len(d.Values) < manyRows {
		return false // there are no data
	}
	alone := ready(t, makeOne(), d)
	zs := points(t, alone)
	want := dataValues(alone, zs)
	r := ranges.Cut(manyRows, 1)
	cut := func(at ...int) ranges.Shares {
		s := ranges.Shares{0}
		for _, i := range at {
			from, _ := r.Range(i)
			s = append(s, from)
		}
		return append(s, manyRows)
	}
	for i, shares := range []ranges.Shares{cut(2), cut(1, 3), cut(1, 2, 3), {0, 1000, 1001, manyRows}} {
		whole := i < 3
		all := make([][]values, len(shares)-1)
		errs := processes.Run(len(all), func(own runtime.Reducer) error {
			pool := workers.New(1 + own.Rank())
			defer pool.Stop()
			m := makeOne()
			if p, ok := m.(runtime.Parallel); ok {
				p.SetWorkers(pool)
			}
			if x, ok := m.(runtime.Mixture); ok && x.Components() == 0 {
				if err := x.SetComponents(2); err != nil {
					return err
				}
			}
			if err := m.SetData(part(d, shares, own)); err != nil {
				return err
			}
			m = m.Clone()
			all[own.Rank()] = dataValues(m, zs)
			return own.Sum(nil)
		})
		for rank, err := range errs {
			if err != nil {
				if !strings.Contains(err.Error(), "this model needs all of them in one") {
					t.Fatalf("process %d of %d: %v", rank, len(errs), err)
				}
				return false
			}
		}
		for rank, got := range all {
			if len(got) != len(want) {
				t.Fatalf("%d values, and %d", len(got), len(want))
			}
			for k, x := range got {
				one, first := want[k], all[0][k]
				switch {
				case !sameBits(x.is, first.is):
					t.Fatalf("%v: %s is %v in process %d, and %v in the first", shares, x.of, x.is, rank, first.is)
				case whole && !sameBits(x.is, one.is):
					t.Fatalf("%v: %s is %v, and %v in one process", shares, x.of, x.is, one.is)
				case !nearly(x.is, one.is):
					t.Fatalf("%v: %s is %v, and %v in one process", shares, x.of, x.is, one.is)
				}
			}
		}
	}
	return true
}

// part are the rows of a process.
func part(d runtime.Data, s ranges.Shares, own runtime.Reducer) runtime.Data {
	from, to := s.Of(own.Rank())
	width := max(d.Columns, 1)
	d.Values, d.Others = d.Values[from*width:to*width], own
	if d.Weights != nil {
		d.Weights = d.Weights[from:to]
	}
	return d
}

// values are what a function returns.
type values struct {
	of string
	is []float64
}

func sameBits(a, b []float64) bool {
	return slices.EqualFunc(a, b, func(x, y float64) bool { return math.Float64bits(x) == math.Float64bits(y) || x != x && y != y })
}

// near reports whether numbers are the same but for rounding of some thousand rows.
func nearly(a, b []float64) bool {
	size := 1.0
	for _, x := range b {
		if !math.IsNaN(x) && !math.IsInf(x, 0) {
			size = max(size, math.Abs(x))
		}
	}
	return slices.EqualFunc(a, b, func(x, y float64) bool { return math.Abs(x-y) <= 1e-7*size || x == y || x != x && y != y })
}

// points are starts of a model, and where a step leads from there.
func points(t *testing.T, m runtime.Model) (zs [][]float64) {
	n := 0
	for _, b := range m.Blocks() {
		n = max(n, b.Offset+b.Len)
	}
	for i := range m.Info().Starts + 2 {
		z, v := make([]float64, n), make([]float64, n)
		if m.Start(z, i, rand.New(rand.NewPCG(uint64(i), 2))) != nil {
			continue
		}
		m.NaturalGradient(v, z)
		next := slices.Clone(z)
		for k := range next {
			next[k] -= 0.3 * v[k]
		}
		return [][]float64{z, next}
	}
	t.Error("there is no start")
	return nil
}

// dataValues are what a model computes of all rows.
func dataValues(m runtime.Model, zs [][]float64) (out []values) {
	add := func(what string, x ...float64) { out = append(out, values{what, x}) }
	rows, distinct, weight := m.Counts()
	add("Counts", float64(rows), float64(distinct), weight)
	info, size := m.Info(), 0
	for i := range info.Parameters {
		size += info.Parameters[i].Len(m)
	}
	for _, s := range m.Sizes() {
		add("Sizes", float64(s))
	}
	batch := []int{4000, 3, manyRows - 1, 3, 1001}
	if _, mixture := m.(runtime.Mixture); !mixture { // of mixtures these are groups of the rows, which a search finds on a sample
		for i := range info.Starts + 2 {
			z := make([]float64, len(zs[0]))
			err := m.Start(z, i, rand.New(rand.NewPCG(uint64(i), 2)))
			add(fmt.Sprint("Start ", i, err), z...)
		}
	}
	for at, z := range zs {
		n := len(z)
		of := func(what string) string { return fmt.Sprint(what, " at ", at) }
		add(of("Loss"), m.Loss(z))
		if m.Violation(z) >= 0 {
			continue
		}
		v, c, theta, g := make([]float64, n), make([]float64, n), make([]float64, size), make([]float64, size)
		add(of("Gradients"), m.Gradients(v, c, z))
		add(of("v of Gradients"), v...)
		add(of("c of Gradients"), c...)
		m.NaturalGradient(v, z)
		add(of("NaturalGradient"), slices.Clone(v)...)
		m.Theta(theta, z)
		if o, ok := m.(runtime.Objective); ok {
			add(of("ThetaGradient"), o.ThetaGradient(g, theta))
			add(of("g of ThetaGradient"), g...)
		}
		if u := m.Unconstrained(); u != nil {
			d := u.Dim()
			x, g, h := make([]float64, d), make([]float64, d), make([]float64, d*d)
			u.FromTheta(x, theta)
			add(of("unconstrained Loss"), u.Loss(x), u.Gradient(g, x))
			add(of("unconstrained Gradient"), g...)
			u.Hessian(h, x)
			add(of("Hessian"), h...)
		}
		if p, ok := m.(runtime.Penalised); ok {
			add(of("PenaltyGradients"), p.PenaltyGradients(v, c, z))
			add(of("c of PenaltyGradients"), slices.Clone(c)...)
		}
		if b, ok := m.(runtime.Batcher); ok && !info.Ordered {
			if err := b.Batch(batch); err != nil {
				add(err.Error())
				continue
			}
			add(of("Loss of a batch"), m.Loss(z))
			b.Batch(nil)
			add(of("Loss after a batch"), m.Loss(z))
		}
	}
	if l, ok := m.(runtime.Limiting); ok {
		for i, limit := range info.Limits {
			n := 0
			for k := range limit.Parameters {
				n += limit.Parameters[k].Len(m)
			}
			theta, g := make([]float64, n), make([]float64, n)
			err := l.LimitStart(theta, i, 0, rand.New(rand.NewPCG(3, 4)))
			add(fmt.Sprint("LimitStart ", i, err), theta...)
			way := make([]float64, size)
			l.LimitPath(way, theta, i, 1e3)
			add(fmt.Sprint("LimitPath ", i), way...)
			back := make([]float64, n)
			l.LimitFrom(back, way, i)
			add(fmt.Sprint("LimitFrom ", i), back...)
			add(fmt.Sprint("LimitGradient ", i), append(g, l.LimitGradient(g, theta, i))...)
		}
	}
	return out
}
