package draws

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/sngdgen/sngdgen/internal/librarytest"
	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/estimate"
	"github.com/sngdgen/sngdgen/runtime/support"
	"github.com/sngdgen/sngdgen/runtime/types"
	"github.com/sngdgen/sngdgen/spec"
)

// TestPossible: every row of the types of the data that a density of the library takes has a density. Others are refused, by a type or a
// condition: a fit would say no more of them than that something is not a number.
func TestPossible(t *testing.T) {
	for _, name := range append(spec.Library().Families(), spec.Library().Distributions()...) {
		t.Run(name, func(t *testing.T) {
			e := entryOf(name)
			if e.own {
				return
			}
			s := subject{T: t, entry: e, m: e.model(t), rng: rand.New(rand.NewPCG(3, 4))}
			s.u = e.unconstrained(t, s.m)
			if s.m.Info().Ordered { // whose rows have no density by themselves
				return
			}
			s.theta = s.thetaAt(s.point(s.rng))
			taken := 0
			for range 300 {
				row, ok := anyRow(s.m, s.m.Info().Record(), s.rng)
				if !ok {
					return
				}
				d, err := estimate.ScoreRows(t.Context(), s.m, s.theta, row)
				if refused(t, row, err) || s.m.Info().Support != nil && math.IsInf(d.Log[0], -1) {
					continue
				}
				if taken++; math.IsNaN(d.Log[0]) || math.IsInf(d.Log[0], 0) {
					t.Fatalf("the log-density of %v is %v", row, d.Log[0])
				}
			}
			if taken == 0 {
				t.Error("no row was taken")
			}
			s.allBinary()
		})
	}
}

// TestPossiblePosteriors is that of the data of posteriors.
func TestPossiblePosteriors(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for _, name := range librarytest.Names() {
		m := librarytest.Model(t, name)()
		if m.Info().Data == nil {
			continue
		}
		if mix, ok := m.(runtime.Mixture); ok && m.Info().Components != "" {
			if err := mix.SetComponents(2); err != nil {
				t.Fatal(err)
			}
		}
		taken := 0
		for range 200 {
			row, ok := anyRow(m, m.Info().Data, rng)
			if !ok {
				break
			}
			one := m.Clone()
			if refused(t, row, one.SetData(runtime.Data{Values: row, Columns: len(row)})) {
				continue
			}
			blocks := one.Blocks()
			z := make([]float64, blocks[len(blocks)-1].Offset+blocks[len(blocks)-1].Len)
			if err := one.Start(z, 0, rng); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if taken++; math.IsNaN(one.Loss(z)) || math.IsInf(one.Loss(z), 0) {
				t.Errorf("%s: the loss at a row %v is %v", name, row, one.Loss(z))
				break
			}
		}
		if taken == 0 {
			t.Errorf("%s: no row was taken", name)
		}
	}
}

// anyRow draws a row by the types of its parts alone; not ok where some have a structure, as matrices.
func anyRow(m runtime.Model, parts []runtime.Parameter, rng *rand.Rand) (row []float64, ok bool) {
	for i := range parts {
		p := &parts[i]
		if f := p.Type.Form; f != types.Number && f != types.Vector {
			return nil, false
		}
		n := 1
		for _, d := range p.Shape {
			n *= max(d.Size, 1)
			if d.Size == 0 {
				n = length
			}
		}
		for range n {
			row = append(row, support.Random(p, m, rng))
		}
	}
	return row, true
}

// refused reports whether a row was refused as data. Other errors are none that data may cause.
func refused(t *testing.T, row []float64, err error) bool {
	t.Helper()
	var bad *runtime.DataError
	if err != nil && !errors.As(err, &bad) {
		t.Fatalf("%v: %v", row, err)
	}
	return err != nil
}

// allBinary: the probabilities of all zeros and ones that a density takes sum to 1.
func (s subject) allBinary() {
	s.Helper()
	v := s.m.Info().Variable
	if !v.Type.Entry.Binary() || len(s.m.Info().Record()) > 1 {
		return
	}
	n, total := v.Len(s.m), 0.0
	for code := range 1 << n {
		row := make([]float64, n)
		for i := range row {
			row[i] = float64(code >> i & 1)
		}
		d, err := estimate.ScoreRows(s.Context(), s.m, s.theta, row)
		if !refused(s.T, row, err) {
			total += math.Exp(d.Log[0])
		}
	}
	if math.Abs(total-1) > 1e-9 {
		s.Errorf("the probabilities of all that is taken sum to %v", total)
	}
}
