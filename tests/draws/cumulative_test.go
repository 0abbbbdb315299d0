package draws

import (
	"math"
	"slices"
	"sort"

	"gonum.org/v1/gonum/stat"
)

// cumulative is an integral of a density, by the trapezoidal rule in t, where the unconstrained coordinate of the variable is
// centre + scale sinh(t).
type cumulative struct {
	x, upTo []float64
}

const (
	nodes = 40000
	ends  = 22.0 // of t
)

// cumulated integrates a density about where draws of it are.
func (s subject) cumulated(draws, given []float64) cumulative {
	s.Helper()
	smooth := s.m.Info().Variable.Type.Entry.Smooth()
	u := make([]float64, 0, len(draws))
	for _, v := range draws {
		u = append(u, smooth.Link.Coordinate(v))
	}
	sort.Float64s(u)
	if len(u) < 100 {
		return cumulative{}
	}
	centre := stat.Quantile(0.5, stat.Empirical, u, nil)
	scale := (stat.Quantile(0.75, stat.Empirical, u, nil) - stat.Quantile(0.25, stat.Empirical, u, nil)) / 2
	var c cumulative
	var rows, slopes []float64
	for i := range nodes + 1 {
		t := ends * (2*float64(i)/nodes - 1)
		u := centre + scale*math.Sinh(t)
		v := smooth.Link.Value(u)
		if slope := smooth.Link.Slope(u, v) * scale * math.Cosh(t); smooth.Contains(v) && slope > 0 && moderate(v) {
			c.x, slopes = append(c.x, v), append(slopes, math.Log(slope))
			rows = append(append(rows, v), given...)
		}
	}
	total, before := 0.0, 0.0
	for i, l := range s.densities(rows, s.theta) {
		f := math.Exp(l + slopes[i])
		total += (before + f) / 2 * 2 * ends / nodes
		c.upTo, before = append(c.upTo, total), f
	}
	return c
}

// moderate reports whether cubes of a number, and of its inverse, are numbers.
func moderate(v float64) bool { return v == 0 || math.Abs(v) > 1e-90 && math.Abs(v) < 1e90 }

func (c cumulative) total() float64 {
	if len(c.upTo) == 0 {
		return 0
	}
	return c.upTo[len(c.upTo)-1]
}

// at is the integral up to a number.
func (c cumulative) at(v float64) float64 {
	i, found := slices.BinarySearch(c.x, v)
	switch {
	case found:
		return c.upTo[i]
	case i == 0:
		return 0
	case i == len(c.x):
		return c.total()
	}
	part := (v - c.x[i-1]) / (c.x[i] - c.x[i-1])
	return c.upTo[i-1] + part*(c.upTo[i]-c.upTo[i-1])
}
