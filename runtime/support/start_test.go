package support_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/grouping"
	"github.com/sngdgen/sngdgen/runtime/support"
)

// blending is a mixture with a start that lies in the domain where enough of all rows is mixed into each group.
type blending struct {
	runtime.Model
	labels []float64
	blend  float64
	enough float64
	blends []float64 // that were tried
}

func (b *blending) Violation([]float64) int {
	b.blends = append(b.blends, b.blend)
	if b.blend < b.enough {
		return 0
	}
	return -1
}

func (b *blending) Conditions() []runtime.Condition {
	return []runtime.Condition{{Text: "Sigma positive definite"}}
}

func (b *blending) grouped() support.Grouped {
	w := support.WeightsOf(nil, 4)
	return support.Grouped{X: []float64{1, 9, 2, 8}, Weights: &w, Columns: 1, Components: 2, Labels: &b.labels, Blend: &b.blend}
}

var startsOfBlending = []support.Start[*blending]{
	{From: func(b *blending, z []float64) { z[0] = b.labels[1] }, By: grouping.Slices},
	{Draw: func(b *blending, z []float64, rng *rand.Rand) { z[0] = 5 + rng.Float64() }, By: grouping.Clusters},
}

// A start gets more and more of all rows in each group until it lies in the domain, and an error says what does not hold in the end.
func TestBlends(t *testing.T) {
	b, z := &blending{enough: 0.4}, []float64{0}
	if err := support.StartMixture(b, b.grouped(), startsOfBlending, z, 0, nil); err != nil || !slices.Equal(b.blends, []float64{0, 0.2, 0.5}) || z[0] != 1 {
		t.Error(err, b.blends, z)
	}
	b = &blending{enough: 2}
	err := support.StartMixture(b, b.grouped(), startsOfBlending, z, 0, nil)
	if err == nil || !strings.Contains(err.Error(), "Sigma positive definite") {
		t.Error(err)
	}
}

// All starts behind those that are computed are drawn; where none is, there are no others.
func TestStartsAreNumbered(t *testing.T) {
	b, z := &blending{}, []float64{0}
	for _, i := range []int{1, 7} {
		if err := support.StartMixture(b, b.grouped(), startsOfBlending, z, i, rand.New(rand.NewPCG(1, 2))); err != nil || z[0] < 5 {
			t.Error(i, err, z)
		}
	}
	for _, i := range []int{-1, 1} {
		if err := support.StartAt(b, startsOfBlending[:1], z, i, nil); err == nil {
			t.Errorf("there is a start %d", i)
		}
	}
}

// A start that is computed from the data is the same whatever the generator: only those that are drawn group by it.
func TestComputedStartsIgnoreTheGenerator(t *testing.T) {
	computed := []support.Start[*blending]{{From: func(*blending, []float64) {}, By: grouping.Clusters}}
	var first []float64
	for seed := range uint64(20) {
		b := &blending{}
		g := b.grouped()
		g.X, g.Components = []float64{0, 1, 2, 3}, 2 // as well cut in three places
		if err := support.StartMixture(b, g, computed, []float64{0}, 0, rand.New(rand.NewPCG(seed, 1))); err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = b.labels
		}
		if !slices.Equal(b.labels, first) {
			t.Fatalf("groups %v, and %v by another seed", first, b.labels)
		}
	}
}

// Where there are no starts there is none of any number.
func TestNoStarts(t *testing.T) {
	if err := support.StartAt(&blending{}, nil, []float64{0}, 0, nil); err == nil {
		t.Error("a start of none")
	}
}

// Groups of a caller's are taken as they are, by the starts that are computed.
func TestStartFrom(t *testing.T) {
	b, z := &blending{}, []float64{0}
	if err := support.StartFrom(b, b.grouped(), startsOfBlending, z, []float64{0, 3, 0, 0}, 0); err != nil || z[0] != 3 || b.blends[0] != 1e-6 {
		t.Error(err, z, b.blends)
	}
	for i, labels := range [][]float64{0: {1, 2}, 1: {0, 0, 0, 0}} {
		if err := support.StartFrom(b, b.grouped(), startsOfBlending, z, labels, i); err == nil {
			t.Errorf("start %d of %v", i, labels)
		}
	}
}
