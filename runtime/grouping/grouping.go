// Package grouping says in which ways the starts of a mixture put the rows of the data into groups, one for each component, and how much of
// all rows is mixed into each.
package grouping

import "slices"

// Kind is a way to put rows into groups.
type Kind int

// The ways: none, neighbours of sorted numbers, clusters.
const (
	None Kind = iota
	Slices
	Clusters
)

// names are what specs call the ways.
var names = [...]string{None: "none", Slices: "slices", Clusters: "clusters"}

// Called is the way that specs call so; None for what is not the name of one.
func Called(name string) Kind { return Kind(max(0, slices.Index(names[:], name))) }

// Blends are how much of all rows is mixed into each group of a start, one after the other until the start lies in the domain. A cluster may
// have fewer rows than a covariance matrix needs, so that clusters get a little from the beginning.
func (k Kind) Blends() []float64 { return blends[k] }

var blends = [...][]float64{
	None:     {0},
	Slices:   {0, 0.2, 0.5, 0.9},
	Clusters: {0.05, 0.2, 0.5, 0.9},
}

// Given are those of groups that a caller gives. These may be the outcome of a fit, or a few rows close together whose shape a share of all
// others would drown, so that what is taken of these is next to nothing if that will do.
func Given() []float64 { return given[:] }

var given = [...]float64{1e-6, 0.01, 0.05, 0.2, 0.5, 0.9}
