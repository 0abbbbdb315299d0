package eval

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/sngdgen/sngdgen/expr"
)

// Solve returns the solution of the equations of fn for the given values of its parameters, NaN where there is none.
func Solve(fn *expr.Lambda, params []float64) ([]float64, error) {
	s := solver{fn: fn, env: Scalars(nil)}
	for i, p := range fn.Params {
		s.env.Set(p.Name, params[i])
	}
	if len(fn.Vars) == 1 {
		y, err := s.bisect()
		return []float64{y}, err
	}
	return s.newton()
}

type solver struct {
	fn  *expr.Lambda
	env *Env
}

// residual evaluates the equations at y.
func (s *solver) residual(y []float64) ([]float64, error) {
	for i, v := range s.fn.Vars {
		s.env.Set(v.Name, y[i])
	}
	values, err := All(s.fn.Eqs, s.env)
	out := make([]float64, len(values))
	for i, v := range values {
		out[i] = v.Scalar
	}
	return out, err
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

// bisect solves one equation by scanning for a change of sign and halving: slow, and hard to get wrong.
func (s *solver) bisect() (float64, error) {
	r := s.fn.Vars[0].Facts.Range
	f := func(t float64) (float64, error) {
		v, err := s.residual([]float64{chart(r, t)})
		if err != nil {
			return math.NaN(), err
		}
		return v[0], nil
	}
	const lo, hi, step = -700.0, 700.0, 1.0
	last, err := f(lo)
	for t := lo; t < hi && err == nil; t += step {
		var next float64
		next, err = f(t + step)
		if last == 0 || last*next < 0 {
			return s.halve(f, r, t, t+step, last)
		}
		last = next
	}
	return math.NaN(), err
}

func (s *solver) halve(f func(float64) (float64, error), r expr.Range, a, b, fa float64) (float64, error) {
	for range 200 {
		m := a + (b-a)/2
		if m == a || m == b {
			break
		}
		fm, err := f(m)
		if err != nil {
			return math.NaN(), err
		}
		if fa*fm <= 0 {
			b = m
		} else {
			a, fa = m, fm
		}
	}
	return chart(r, a+(b-a)/2), nil
}

// newton solves a system by Newton's method in charts of the unknowns, halving steps until the residual falls.
func (s *solver) newton() ([]float64, error) {
	p := len(s.fn.Vars)
	nan := make([]float64, p)
	for i := range nan {
		nan[i] = math.NaN()
	}
	t := make([]float64, p)
	at := func(t []float64) ([]float64, []float64, float64, error) {
		y := make([]float64, p)
		for i, v := range s.fn.Vars {
			y[i] = chart(v.Facts.Range, t[i])
		}
		f, err := s.residual(y)
		norm := 0.0
		for _, v := range f {
			norm += v * v
		}
		return y, f, norm, err
	}
	y, f, norm, err := at(t)
	for range 500 {
		if err != nil || math.IsNaN(norm) {
			return nan, err
		}
		if norm == 0 {
			break
		}
		jac := mat.NewDense(p, p, nil)
		for j := range t {
			h := 1e-6 * (1 + math.Abs(t[j]))
			up, down := append([]float64(nil), t...), append([]float64(nil), t...)
			up[j] += h
			down[j] -= h
			_, fu, _, _ := at(up)
			_, fd, _, _ := at(down)
			for i := range f {
				jac.Set(i, j, (fu[i]-fd[i])/(2*h))
			}
		}
		var d mat.VecDense
		if err := d.SolveVec(jac, mat.NewVecDense(p, f)); err != nil {
			return nan, nil
		}
		moved := false
		for step := 1.0; step > 1e-12; step /= 2 {
			trial := append([]float64(nil), t...)
			for i := range trial {
				trial[i] -= step * d.AtVec(i)
			}
			ty, tf, tn, err := at(trial)
			if err == nil && tn < norm {
				t, y, f, norm, moved = trial, ty, tf, tn, true
				break
			}
		}
		if !moved {
			break
		}
	}
	if norm > 1e-16*float64(p) {
		return nan, nil
	}
	return y, nil
}
