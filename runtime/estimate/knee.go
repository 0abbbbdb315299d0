package estimate

import (
	"math"
	"slices"
)

// knee is the first rung that no other exceeds by more than NegligibleRise and two standard errors, among those that came to
// their end if one of them did.
func (l *Ladder) knee() int {
	if i := l.kneeOf(func(r *Rung) bool { return r.Fit != nil && r.Fit.Complete() }); i >= 0 {
		return i
	}
	return l.kneeOf(func(r *Rung) bool { return r.Fit != nil })
}

func (l *Ladder) kneeOf(counts func(*Rung) bool) int {
	for i := range l.Rungs {
		exceeded := func(j int) bool {
			rise, err := l.between(i, j)
			return rise > NegligibleRise+2*err
		}
		if l.Rungs[i].Method == "" && counts(&l.Rungs[i]) && !slices.ContainsFunc(identity(len(l.Rungs)), exceeded) {
			return i
		}
	}
	return -1
}

// between is by how much the bound of rung j is higher than that of rung i, with its standard error: the sum of the rises along
// the way from what both contain, or the difference of two estimates where there is nothing.
func (l *Ladder) between(i, j int) (rise, err float64) {
	if l.Rungs[j].Fit == nil || l.Rungs[j].Method != "" {
		return 0, 0
	}
	a, b := l.path(i), l.path(j)
	common := 0
	for common < min(len(a), len(b)) && a[common] == b[common] {
		common++
	}
	variance := 0.0
	if common == 0 {
		p, q := &l.Rungs[a[0]].Fit.ELBO, &l.Rungs[b[0]].Fit.ELBO
		rise = float64(q.Mean - p.Mean)
		variance = square(float64(p.StandardError)) + square(float64(q.StandardError))
		common = 1
	}
	for _, r := range b[common:] {
		rise += float64(l.Rungs[r].Rise)
		variance += square(float64(l.Rungs[r].RiseError))
	}
	for _, r := range a[common:] {
		rise -= float64(l.Rungs[r].Rise)
		variance += square(float64(l.Rungs[r].RiseError))
	}
	return rise, math.Sqrt(variance)
}

// path are the rungs that lead to a rung, from the lowest.
func (l *Ladder) path(i int) []int {
	var out []int
	for ; i >= 0; i = l.Rungs[i].From {
		out = append(out, i)
	}
	slices.Reverse(out)
	return out
}

func square(x float64) float64 { return x * x }
