package grouping_test

import (
	"slices"
	"testing"

	"github.com/sngdgen/sngdgen/runtime/grouping"
	"github.com/sngdgen/sngdgen/spec"
)

// Every name that specs have for a way is one, and no other is.
func TestCalled(t *testing.T) {
	for name, want := range map[string]grouping.Kind{spec.GroupsNone: grouping.None, spec.GroupsSlices: grouping.Slices,
		spec.GroupsClusters: grouping.Clusters, "": grouping.None, "sorted": grouping.None} {
		if got := grouping.Called(name); got != want {
			t.Errorf("%q is %d, not %d", name, got, want)
		}
	}
}

// More and more is mixed into a group, and some of it always is its own.
func TestBlends(t *testing.T) {
	for _, shares := range [][]float64{grouping.None.Blends(), grouping.Slices.Blends(), grouping.Clusters.Blends(), grouping.Given()} {
		if !slices.IsSorted(shares) || shares[0] < 0 || shares[len(shares)-1] >= 1 {
			t.Error(shares)
		}
	}
}
