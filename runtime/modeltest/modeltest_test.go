package modeltest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/sngdgen/sngdgen/internal/fitfixture"
	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/support"
)

// The hand-written problem passes everything but the test of allocations.
func TestRight(t *testing.T) { run(t, newRight, checks[:len(checks)-1]) }

func newRight() runtime.Model { return new(fitfixture.SkewNormal) }

type fault struct {
	name, noticed string
	make          func() runtime.Model
}

// faults are ways to be wrong, each with the test that must notice.
var faults = []fault{
	{"none", "allocations", newRight},
	{"v of m1", "gradients", mutant(func(m *faulty) { m.v = 0 })},
	{"v of M2", "gradients", mutant(func(m *faulty) { m.v = -1 })},
	{"v of eta in NaturalGradient", "gradients", mutant(func(m *faulty) { m.natural = true })},
	{"metric", "gradients", mutant(func(m *faulty) { m.metric = true })},
	{"c", "gradients", mutant(func(m *faulty) { m.c = true })},
	{"asymmetric c", "gradients", mutant(func(m *faulty) { m.asymmetric = true })},
	{"loss", "gradients", mutant(func(m *faulty) { m.loss = 1e-9 })},
	{"theta", "theta", mutant(func(m *faulty) { m.theta = true })},
	{"theta on the edge", "theta", mutant(func(m *faulty) { m.edge = true })},
	{"theta outside", "theta", mutant(func(m *faulty) { m.outside = true })},
	{"start on the edge", "gradients", mutant(func(m *faulty) { m.narrow = true })},
	{"weights", "weights", mutant(func(m *faulty) { m.unweighted = true })},
	{"batch", "batches", mutant(func(m *faulty) { m.batch = true })},
	{"bad batch", "batches", mutant(func(m *faulty) { m.forgiving = true })},
	{"clone", "repeatable", mutant(func(m *faulty) { m.shared = true })},
	{"domain", "domain", mutant(func(m *faulty) { m.domain = true })},
	{"resize", "sizes", mutant(func(m *faulty) { m.resize = true })},
}

// faulty is the hand-written problem with one fault.
type faulty struct {
	*fitfixture.SkewNormal
	v                                         int // coordinate whose v is wrong, from the end of the surrogate's when negative
	natural, metric, c, asymmetric, theta     bool
	edge, outside, narrow                     bool
	starts                                    [][]float64 // that have been given
	unweighted, batch, shared, domain, resize bool
	forgiving                                 bool      // of rows that the data do not have
	at                                        []float64 // the parameters that were asked for first
	loss                                      float64
}

func mutant(set func(*faulty)) func() runtime.Model {
	return func() runtime.Model {
		m := &faulty{SkewNormal: new(fitfixture.SkewNormal), v: 1 << 30}
		set(m)
		return m
	}
}

func (m *faulty) Gradients(v, c, z []float64) float64 {
	f := m.SkewNormal.Gradients(v, c, z)
	d := m.Sizes()[0]
	if i := (m.v + d + d*d) % (d + d*d); m.v < 1<<30 {
		v[i] *= 1 + 1e-4
	}
	if m.c {
		c[d+d*d-1] *= 1 + 1e-4
	}
	if m.asymmetric && d > 1 {
		c[d+1] += 1e-3
		c[d+d] -= 1e-3
	}
	for i := d + d*d; m.metric && i < len(v); i++ {
		v[i] = -v[i]
	}
	return f
}

func (m *faulty) NaturalGradient(v, z []float64) {
	m.SkewNormal.NaturalGradient(v, z)
	d := m.Sizes()[0]
	c := make([]float64, len(z))
	full := slices.Clone(v)
	m.Gradients(full, c, z)
	copy(v[:d+d*d], full) // the same fault in the surrogate's blocks, which must be noticed by other means
	if m.natural {
		copy(v[d+d*d:], full[d+d*d:])
	}
}

func (m *faulty) Loss(z []float64) float64 { return m.SkewNormal.Loss(z) * (1 + m.loss) }

func (m *faulty) Violation(z []float64) int {
	if m.narrow && !slices.ContainsFunc(m.starts, func(start []float64) bool { return slices.Equal(start, z) }) {
		return 0
	}
	if i := m.SkewNormal.Violation(z); i != 1 || !m.domain {
		return i
	}
	return -1
}

func (m *faulty) Start(z []float64, i int, rng *rand.Rand) error {
	err := m.SkewNormal.Start(z, i, rng)
	m.starts = append(m.starts, slices.Clone(z))
	return err
}

func (m *faulty) ThetaGradient(g, theta []float64) float64 {
	f := m.SkewNormal.ThetaGradient(g, theta)
	if m.outside || m.edge && m.at != nil && !slices.Equal(m.at, theta) {
		return math.NaN()
	}
	m.at = slices.Clone(theta)
	if m.theta {
		g[len(g)-1] *= 1 + 1e-4
	}
	return f
}

func (m *faulty) SetData(d runtime.Data) error {
	if m.unweighted {
		d.Weights = nil
	}
	return m.SkewNormal.SetData(d)
}

func (m *faulty) Batch(rows []int) error {
	if n, _, _ := m.Counts(); m.forgiving && support.CheckBatch(rows, n) != nil {
		return nil
	}
	if m.batch && len(rows) > 0 {
		rows = append([]int{rows[0]}, rows[:len(rows)-1]...)
	}
	return m.SkewNormal.Batch(rows)
}

func (m *faulty) Clone() runtime.Model {
	c := *m
	if !m.shared {
		c.SkewNormal = m.SkewNormal.Clone().(*fitfixture.SkewNormal)
	}
	return &c
}

func (m *faulty) Resize(sizes []int) error {
	if m.resize && slices.Max(append(sizes, 0)) == 0 {
		return nil
	}
	return m.SkewNormal.Resize(sizes)
}

// faultVariable names the fault that a run of this program in a process of its own is to have.
const faultVariable = "MODELTEST_FAULT"

// TestFaulty runs the tests on a faulty model, when it is told to.
func TestFaulty(t *testing.T) {
	for _, f := range faults {
		if f.name == os.Getenv(faultVariable) {
			run(t, f.make, checks)
		}
	}
}

// Every fault is noticed, by the test that is there for it.
func TestFaults(t *testing.T) {
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range faults {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			cmd := exec.Command(program, "-test.run=^TestFaulty$/^"+f.noticed+"$", "-test.short")
			cmd.Env = append(os.Environ(), faultVariable+"="+f.name)
			out, err := cmd.CombinedOutput()
			if err == nil || !strings.Contains(string(out), fmt.Sprintf("--- FAIL: TestFaulty/%s", f.noticed)) {
				t.Errorf("%v: %.300s", err, out)
			}
			if strings.Contains(string(out), "panic") {
				t.Errorf("%.600s", out)
			}
		})
	}
}
