package eval

import (
	"maps"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/sngdgen/sngdgen/expr"
)

// Solve returns the solution of the equations of fn for the given values of its parameters, NaN where there is none.
func Solve(fn *expr.Lambda, params []float64) ([]float64, error) {
	s := solver{fn: fn, env: Scalars(nil)}
	for i, p := range fn.Params {
		s.env.Set(p.Name, params[i])
	}
	for _, v := range fn.Vars {
		s.ranges, s.lengths = append(s.ranges, v.Facts.Range), append(s.lengths, 1)
	}
	if len(fn.Vars) == 1 {
		y, err := s.scan()
		return []float64{y}, err
	}
	return s.newton()
}

// root is an unknown of a shaped system, for values of its parameters.
func (in *interpreter) root(n *expr.Node, params []*mat.Dense) (*mat.Dense, error) {
	s := solver{fn: n.Fn, env: Scalars(nil)}
	maps.Copy(s.env.Symbols, in.env.Symbols) // the lengths of the dimensions, where no parameter gives them
	for i, p := range n.Fn.Params {
		if p.Type.Rank == 1 && n.Args[i].Type.Rank == 1 {
			s.env.Set(p.Type.Dims[0].Name, float64(params[i].RawMatrix().Rows))
		}
	}
	for i, p := range n.Fn.Params {
		size, err := s.length(p.Type)
		if err != nil {
			return nil, err
		}
		s.env.Symbols[p.Name] = pack(p.Type, []*mat.Dense{filled(params[i], size)}, false)
	}
	at := 0
	for i, v := range n.Fn.Vars {
		size, err := s.length(v.Type)
		if err != nil {
			return nil, err
		}
		if i < n.Index {
			at += size
		}
		s.lengths, s.ranges = append(s.lengths, size), append(s.ranges, slices.Repeat([]expr.Range{v.Facts.Range}, size)...)
	}
	y, err := s.newton()
	if err != nil {
		return nil, err
	}
	size := s.lengths[n.Index]
	return mat.NewDense(size, 1, slices.Clone(y[at:at+size])), nil
}

// length is that of a vector, by the value of the symbol of its dimension; 1 for a number.
func (s *solver) length(t expr.Type) (int, error) {
	if t.Rank == 0 {
		return 1, nil
	}
	in := interpreter{env: s.env}
	ones, err := in.ofDimension(&expr.Node{Op: expr.Ones, Type: t})
	if err != nil {
		return 0, err
	}
	return ones.RawMatrix().Rows, nil
}

// filled is a vector of a length: a number is one for all entries.
func filled(m *mat.Dense, length int) *mat.Dense {
	if r, _ := m.Dims(); r == length {
		return m
	}
	out := mat.NewDense(length, 1, nil)
	out.Apply(func(int, int, float64) float64 { return m.At(0, 0) }, out)
	return out
}

type solver struct {
	fn      *expr.Lambda
	env     *Env
	lengths []int        // of the unknowns
	ranges  []expr.Range // of their entries, one after the other
}

// entries lists the entries of values one after the other, a number for a vector as often as that is long.
func (s *solver) entries(values []Value) []float64 {
	var out []float64
	for i, v := range values {
		m := filled(v.at(0), s.lengths[i])
		out = append(out, m.RawMatrix().Data...)
	}
	return out
}

// residual evaluates the equations at y.
func (s *solver) residual(y []float64) ([]float64, error) {
	for i, v := range s.fn.Vars {
		m := mat.NewDense(s.lengths[i], 1, slices.Clone(y[:s.lengths[i]]))
		s.env.Symbols[v.Name] = pack(v.Type, []*mat.Dense{m}, false)
		y = y[s.lengths[i]:]
	}
	values, err := All(s.fn.Eqs, s.env)
	if err != nil {
		return nil, err
	}
	return s.entries(values), nil
}

// chart maps the real line onto the domain of an unknown.
func chart(r expr.Range, t float64) float64 {
	switch {
	case r == expr.Unit:
		return 1 / (1 + math.Exp(-t))
	case r.Lo == 0 && math.IsInf(r.Hi, 1):
		return math.Exp(t)
	}
	return math.Sinh(t)
}

// unchart is the inverse of chart.
func unchart(r expr.Range, y float64) float64 {
	switch {
	case r == expr.Unit:
		return math.Log(y / (1 - y))
	case r.Lo == 0 && math.IsInf(r.Hi, 1):
		return math.Log(y)
	}
	return math.Asinh(y)
}

// scan solves one equation by looking for a change of sign from the middle outwards: slow, and hard to get wrong.
func (s *solver) scan() (float64, error) {
	r := s.fn.Vars[0].Facts.Range
	f := func(t float64) (float64, error) {
		v, err := s.residual([]float64{chart(r, t)})
		if err != nil {
			return math.NaN(), err
		}
		return v[0], nil
	}
	// From the middle outwards, on both sides by turns: roots are seldom far out.
	const furthest = 700
	middle, err := f(0)
	if err != nil {
		return math.NaN(), err
	}
	last := map[float64]float64{1: middle, -1: middle} // by direction
	for k := 0.0; k < furthest; k++ {
		for _, direction := range []float64{1, -1} {
			a, b := direction*k, direction*(k+1)
			fa := last[direction]
			fb, err := f(b)
			if err != nil {
				return math.NaN(), err
			}
			last[direction] = fb
			if fa != 0 && fb != 0 && !(fa*fb < 0) {
				continue
			}
			if t, ok, err := narrow(f, a, b, fa, fb); ok || err != nil {
				return chart(r, t), err
			}
		}
	}
	return math.NaN(), nil
}

// narrow finds a change of sign between a and b by the method of Chandrupatla (1997): inverse quadratic interpolation where three points allow it,
// halves elsewhere. It returns false when the change is that of a pole.
func narrow(f func(float64) (float64, error), a, b, fa, fb float64) (float64, bool, error) {
	limit := max(math.Abs(fa), math.Abs(fb))
	at, value := a, fa // the better end
	if math.Abs(fb) < math.Abs(fa) {
		at, value = b, fb
	}
	fraction := 0.5 // of the way from a to b where the next value is taken
	for range 200 {
		closest := math.Nextafter(math.Abs(at), math.Inf(1)) - math.Abs(at)
		if value == 0 || math.Abs(b-a) <= 4*closest {
			break
		}
		if edge := 2 * closest / math.Abs(b-a); fraction < edge || fraction > 1-edge {
			fraction = min(max(fraction, edge), 1-edge)
		}
		x := a + fraction*(b-a)
		fx, err := f(x)
		if err != nil {
			return math.NaN(), false, err
		}
		c, fc := a, fa
		if fa*fx <= 0 {
			c, fc, b, fb = b, fb, a, fa
		}
		a, fa = x, fx
		at, value = a, fa
		if math.Abs(fb) < math.Abs(fa) {
			at, value = b, fb
		}
		fraction = 0.5
		if xi, phi := (a-b)/(c-b), (fa-fb)/(fc-fb); phi*phi < xi && (1-phi)*(1-phi) < 1-xi {
			fraction = fa/(fb-fa)*fc/(fb-fc) + (c-a)/(b-a)*fa/(fc-fa)*fb/(fc-fb)
		}
	}
	return at, math.Abs(value) <= limit, nil
}

// start is where Newton's method starts in the charts: at the start of the equations, or in the middle of the domain.
func (s *solver) start() ([]float64, error) {
	t := make([]float64, len(s.ranges))
	at := 0
	for i, length := range s.lengths {
		if s.fn.Start != nil && s.fn.Start[i] != nil {
			v, err := All(s.fn.Start[i:i+1], s.env)
			if err != nil {
				return nil, err
			}
			y := filled(v[0].at(0), length)
			for j := range length {
				t[at+j] = unchart(s.ranges[at+j], y.At(j, 0))
			}
		}
		at += length
	}
	return t, nil
}

// iterate is a point of Newton's method: in the charts, the unknowns, the equations there and their sum of squares.
type iterate struct {
	t, y, f []float64
	norm    float64
}

func (s *solver) at(t []float64) (iterate, error) {
	it := iterate{t: t, y: make([]float64, len(t))}
	for i, r := range s.ranges {
		it.y[i] = chart(r, t[i])
	}
	f, err := s.residual(it.y)
	it.f = f
	for _, v := range f {
		it.norm += v * v
	}
	return it, err
}

// newton solves a system by Newton's method in charts of the unknowns, with slopes by differences, halving steps until
// the residual falls. NaN when that ends far from a solution.
func (s *solver) newton() ([]float64, error) {
	t, err := s.start()
	if err != nil {
		return nil, err
	}
	it, err := s.at(t)
	for range 500 {
		if err != nil || math.IsNaN(it.norm) || it.norm == 0 {
			break
		}
		next, ok := s.step(it)
		if !ok {
			break
		}
		it = next
	}
	if !(it.norm <= 1e-16*float64(len(t))) {
		for i := range it.y {
			it.y[i] = math.NaN()
		}
	}
	return it.y, err
}

// step is the longest of ever shorter Newton steps that lowers the residual; ok is false when none does.
func (s *solver) step(it iterate) (next iterate, ok bool) {
	p := len(it.t)
	var d mat.VecDense
	if err := d.SolveVec(s.slopes(it.t), mat.NewVecDense(p, it.f)); err != nil {
		return it, false
	}
	for scale := 1.0; scale > 1e-12; scale /= 2 {
		t := slices.Clone(it.t)
		for i := range t {
			t[i] -= scale * d.AtVec(i)
		}
		if next, err := s.at(t); err == nil && next.norm < it.norm {
			return next, true
		}
	}
	return it, false
}

// slopes is the Jacobian of the equations in the charts, by central differences.
func (s *solver) slopes(t []float64) *mat.Dense {
	jac := mat.NewDense(len(t), len(t), nil)
	for j := range t {
		h := 1e-6 * (1 + math.Abs(t[j]))
		shifted := func(by float64) []float64 {
			u := slices.Clone(t)
			u[j] += by
			it, _ := s.at(u)
			return it.f
		}
		up, down := shifted(h), shifted(-h)
		for i := range up {
			jac.Set(i, j, (up[i]-down[i])/(2*h))
		}
	}
	return jac
}
