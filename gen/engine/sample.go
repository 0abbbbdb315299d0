package engine

import (
	"math/rand/v2"
	"strings"

	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/random"
)

// sampler is what a model has besides whose target can be drawn from.
type sampler struct{ of *core }

type sampledScalar struct {
	*scalar
	sampler
}

type sampledShaped struct {
	*shaped
	sampler
}

type sampledMixture struct {
	*mixture
	sampler
}

type sampledPenalisedScalar struct {
	*penalisedScalar
	sampler
}

type sampledPenalisedShaped struct {
	*penalisedShaped
	sampler
}

// sampled is a model that can be drawn from too.
func sampled(m runtime.Model, of *core) runtime.Model {
	s := sampler{of}
	switch m := m.(type) {
	case *scalar:
		return sampledScalar{m, s}
	case *shaped:
		return sampledShaped{m, s}
	case *mixture:
		return sampledMixture{m, s}
	case *penalisedScalar:
		return sampledPenalisedScalar{m, s}
	case *penalisedShaped:
		return sampledPenalisedShaped{m, s}
	}
	return m
}

// Sample fills dst with draws from the target with the parameters theta, given what stands in other columns of the rows.
func (s sampler) Sample(dst, theta []float64, rng *rand.Rand) {
	m := s.of
	units := m.function("Sample")
	list := m.randomNumbers("Sample", units)
	if m.d.Problem.Scalar() {
		m.sampleNumbers(dst, theta, rng, units[0], list)
		return
	}
	own, width := m.pkg.Functions["Sample"].Own, 0
	for _, q := range m.d.Problem.Target.Record() {
		width += m.width(q.Sym.Type)
	}
	units[0].set("dst", dst).set("theta", theta)
	if units[0].run() == indefinite {
		dst[0] = nan
		return
	}
	states, units := m.statesOfDraws(units)
	for start := 0; start < len(dst); start += width {
		row := dst[start : start+width]
		units[0].set("row", row)
		if states.begins(dst[max(start-width, 0):start], row) && states.start.run() == indefinite {
			dst[0] = nan
			return
		}
		if own {
			m.comp = random.Index(rng, theta[:m.components()])
		}
		if st := run(m.argumentsOf(units)); st == goesOn {
			m.draw(list, rng)
			m.machine.entry = start
			st = units[len(units)-1].run()
			if st != indefinite {
				states.goOn()
				continue
			}
		}
		dst[0] = nan
		return
	}
}

// sampledStates are the states that draws of a sequence carry along, nil of other draws.
type sampledStates struct {
	start         *unit
	front, behind []*[]float64
	series        int // which number of a row says to which series it belongs; -1 where there is one
}

// statesOfDraws are the states that draws carry along, and the programs without the one that begins a series.
func (m *core) statesOfDraws(units []*unit) (*sampledStates, []*unit) {
	f := m.pkg.Functions["Sample"]
	if len(f.States) == 0 {
		return nil, units
	}
	s := &sampledStates{start: units[1], series: -1}
	for i, c := range f.States {
		t := m.d.Problem.Target.States[i].Sym.Type
		n := m.machine.size(t.Dims[:t.Rank])
		s.front, s.behind = append(s.front, m.machine.grown(c.Front.Name, n)), append(s.behind, m.machine.grown(c.Behind.Name, n))
	}
	if f.Series != nil {
		s.series = m.machine.length(f.Series.Part.From)
	}
	return s, append(units[:1:1], units[2:]...)
}

// begins reports whether a row is the first of a series.
func (s *sampledStates) begins(before, row []float64) bool {
	return s != nil && (len(before) == 0 || s.series >= 0 && row[s.series] != before[s.series])
}

// goOn goes on behind a row.
func (s *sampledStates) goOn() {
	if s == nil {
		return
	}
	for i, front := range s.front {
		copy(*front, *s.behind[i])
	}
}

// argumentsOf are the programs that compute parameters of random numbers, between what is computed once and the draw.
func (m *core) argumentsOf(units []*unit) []func() status {
	var out []func() status
	for _, u := range units[1 : len(units)-1] {
		out = append(out, u.run)
	}
	return out
}

// sampleNumbers draws numbers. The parameters have the names of the fields of a struct.
func (m *core) sampleNumbers(dst, theta []float64, rng *rand.Rand, u *unit, list []*randomNumber) {
	for i, t := range m.d.Problem.Target.Params {
		u.set("theta."+strings.ToUpper(t.Name[:1])+t.Name[1:], theta[i:i+1])
	}
	for i := range dst {
		m.draw(list, rng)
		u.run()
		dst[i] = u.value
	}
}
