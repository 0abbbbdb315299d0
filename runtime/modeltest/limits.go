package modeltest

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/sngdgen/sngdgen/runtime"
)

// limited is a limit of a model with data, and a point inside its domain.
type limited struct {
	runtime.Limiting
	m     runtime.Model
	index int
	info  *runtime.Limit
	theta []float64
	rng   *rand.Rand
}

// eachLimit runs a check for every limit, at its starts and near them.
func (s subject) eachLimit(t *testing.T, check func(*testing.T, limited)) {
	info := s.make().Info()
	if len(info.Limits) == 0 {
		return
	}
	rng := rand.New(rand.NewPCG(21, 22))
	m := s.with(t, s.data(t, 200, rng))
	for index := range info.Limits {
		l := limited{m.(runtime.Limiting), m, index, &info.Limits[index], nil, rng}
		starts, found := l.info.Starts, 0
		if l.info.RandomStart {
			starts += 5
		}
		for i := range starts {
			l.theta = make([]float64, limitLen(m, l.info))
			if err := l.LimitStart(l.theta, index, i, rng); err != nil {
				t.Errorf("limit %s: start %d: %v", l.info.Name, i+1, err)
				continue
			}
			if d := l.direction(); d != nil {
				l.theta = along(l.theta, d, 1)
				check(t, l)
				found++
			}
		}
		if found == 0 {
			t.Errorf("limit %s: no start lies inside its domain", l.info.Name)
		}
		if l.info.RandomStart {
			continue
		}
		if err := l.LimitStart(make([]float64, limitLen(m, l.info)), index, starts, nil); err == nil {
			t.Errorf("limit %s has a start too many", l.info.Name)
		}
	}
}

// limitLen is the number of entries of the parameters of a limit.
func limitLen(m runtime.Model, info *runtime.Limit) int {
	n := 0
	for i := range info.Parameters {
		n += info.Parameters[i].Len(m)
	}
	return n
}

func (l limited) loss(theta []float64) float64 {
	return l.LimitGradient(make([]float64, len(theta)), theta, l.index)
}

// direction is a random change of the parameters that keeps them in the domain for steps up to its length; nil where they are
// outside.
func (l limited) direction() []float64 {
	if math.IsNaN(l.loss(l.theta)) {
		return nil
	}
	d, at := make([]float64, len(l.theta)), 0
	for i := range l.info.Parameters {
		q := &l.info.Parameters[i]
		x := d[at : at+q.Len(l.m)]
		for j := range x {
			x[j] = l.rng.NormFloat64() * (1e-3 + 1e-2*math.Abs(l.theta[at+j]))
		}
		q.Type.Form.Tangent(x, q.Side(l.m))
		at += len(x)
	}
	for range 60 {
		if !math.IsNaN(l.loss(along(l.theta, d, 1))) && !math.IsNaN(l.loss(along(l.theta, d, -1))) {
			return d
		}
		for i := range d {
			d[i] /= 4
		}
	}
	return nil
}

// checkLimit compares the gradient of a limit with differences, and follows the target on its way to the limit.
func checkLimit(t *testing.T, l limited) {
	g := make([]float64, len(l.theta))
	f := l.LimitGradient(g, l.theta, l.index)
	again := make([]float64, len(g))
	if l.LimitGradient(again, l.theta, l.index) != f || !slices.Equal(g, again) {
		t.Errorf("limit %s: not the same twice", l.info.Name)
	}
	compared := 0
	for range 4 {
		d := l.direction()
		if d == nil {
			continue
		}
		at := func(h float64) float64 { return l.loss(along(l.theta, d, h)) }
		want, wide := derivative(at, 1e-3), derivative(at, 1e-2)
		scale := floor(f) + 1e-3*math.Sqrt(dot(g, g)*dot(d, d))
		if !close(want, wide, scale, 1e-5) { // a kink is near
			continue
		}
		compared++
		if got := dot(g, d); !close(got, want, scale, 1e-5) {
			t.Errorf("limit %s at %v: g.dtheta = %v, by differences %v", l.info.Name, l.theta, got, want)
		}
	}
	if compared == 0 {
		t.Errorf("limit %s at %v: kinks everywhere", l.info.Name, l.theta)
	}
	l.checkWay(t, f)
	l.checkBack(t, f)
}

// checkWay checks that the objective of the target tends to that of the limit.
func (l limited) checkWay(t *testing.T, f float64) {
	theta := make([]float64, thetaLen(l.m))
	least, far := math.Inf(1), math.NaN()
	for scale := 10.0; scale < 1e16; scale *= 10 {
		l.LimitPath(theta, l.theta, l.index, scale)
		off := math.Abs(lossAt(l.m, theta)-f) / (1 + math.Abs(f))
		if scale == 10 {
			far = off
		}
		if off < least {
			least = off
		}
	}
	if !(least <= 1e-4 && !(least > far)) {
		t.Errorf("limit %s at %v: the target's loss comes no closer than %.2g to %v on the way to it", l.info.Name, l.theta, least, f)
	}
}

// checkBack checks that the way back from the target leads to where the way to the limit began, as far as the objective shows.
func (l limited) checkBack(t *testing.T, f float64) {
	at, theta := make([]float64, len(l.theta)), make([]float64, thetaLen(l.m))
	if !l.info.From {
		if l.LimitFrom(at, theta, l.index); !math.IsNaN(at[0]) {
			t.Errorf("limit %s: no way back is known, and LimitFrom writes %v", l.info.Name, at)
		}
		return
	}
	least := math.Inf(1)
	for scale := 10.0; scale < 1e16; scale *= 10 {
		l.LimitPath(theta, l.theta, l.index, scale)
		l.LimitFrom(at, theta, l.index)
		least = math.Min(least, math.Abs(l.loss(at)-f)/(1+math.Abs(f)))
	}
	if !(least <= 1e-4) {
		t.Errorf("limit %s at %v: the way back from the target comes no closer than %.2g to the loss %v", l.info.Name, l.theta, least, f)
	}
}

// lossAt is the loss in the parameters of the target.
func lossAt(m runtime.Model, theta []float64) float64 {
	if o, ok := m.(runtime.Objective); ok {
		return o.ThetaGradient(make([]float64, len(theta)), theta)
	}
	u := m.Unconstrained()
	at := make([]float64, u.Dim())
	u.FromTheta(at, theta)
	return u.Loss(at)
}

// checkLimitData checks that a limit is that of the data at hand: after other data, of a batch, and of a clone.
func checkLimitData(t *testing.T, s subject) {
	s.eachLimit(t, func(t *testing.T, l limited) {
		f := l.loss(l.theta)
		on := func(m runtime.Model) float64 {
			return limited{m.(runtime.Limiting), m, l.index, l.info, l.theta, l.rng}.loss(l.theta)
		}
		if got := on(l.m.Clone()); got != f {
			t.Errorf("limit %s: %v, but of a clone %v", l.info.Name, f, got)
		}
		b, ok := l.m.(runtime.Batcher)
		if !ok {
			return
		}
		b.Batch([]int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20})
		if got := l.loss(l.theta); got == f && f != 0 { // 0 whatever the data: the copula of one variable
			t.Errorf("limit %s: a batch makes no difference", l.info.Name)
		}
		b.Batch(nil)
		if got := l.loss(l.theta); got != f {
			t.Errorf("limit %s: %v, but after a batch %v", l.info.Name, f, got)
		}
	})
}
