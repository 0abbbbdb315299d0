package support

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// With every round more the inertia is no higher: from the same seeds, so many rounds.
func TestInertiaNeverRises(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	const n, columns = 300, 2
	x, w := make([]float64, n*columns), make([]float64, n)
	for i := range x {
		x[i] = rng.ExpFloat64()
	}
	for i := range w {
		w[i] = float64(rng.IntN(3))
	}
	for trial := range 10 {
		before := math.Inf(1)
		for rounds := range 30 {
			m := newKMeans(x, w, columns, 7)
			m.seed(rand.New(rand.NewPCG(uint64(trial), 1)))
			after := m.lloyd(rounds + 1)
			if after > before*(1+1e-12) {
				t.Errorf("inertia %v after %d rounds, %v after one less", after, rounds+1, before)
			}
			before = after
		}
	}
}

// A group that loses its rows gets the worst row of the others.
func TestRefill(t *testing.T) {
	x := []float64{0, 0.1, 0.2, 10}
	m := newKMeans(x, nil, 1, 3)
	copy(m.centre, []float64{m.x[0], 1e6, 1e6})
	inertia := m.lloyd(10)
	weights := make([]float64, 3)
	for i, g := range m.group {
		weights[g] += m.w[i]
	}
	for g, weight := range weights {
		if weight == 0 {
			t.Errorf("group %d is empty", g)
		}
	}
	if inertia > 1e-3 {
		t.Errorf("inertia %v", inertia)
	}
}

// A group that has lost its rows gets the one that costs most, weight times squared distance: not the farthest, and none of
// weight 0.
func TestRefillByCost(t *testing.T) {
	x := []float64{0, 0, 0, 0, 3, 5, 9}
	for i, w := range [][]float64{
		{1, 1, 1, 1, 1, 1, 1},
		{1, 1, 1, 1, 1, 9, 1},
		{1, 1, 1, 1, 40, 9, 0},
	} {
		m := newKMeans(x, w, 1, 2)
		copy(m.centre, []float64{m.x[0], 1e3}) // no row is near the second
		m.assign()
		if !m.refill() || m.refill() {
			t.Fatal("not one group was empty")
		}
		if got, want := slices.Index(m.group, 1), []int{6, 5, 4}[i]; got != want {
			t.Errorf("weights %v: row %d, want %d", w, got, want)
		}
	}
}

// k-means++ draws the second centre in proportion to weight times squared distance from the first.
func TestSeedDistances(t *testing.T) {
	x, w := []float64{0, 0, 1, 3}, []float64{1e9, 0, 2, 1}
	m := newKMeans(x, w, 1, 2)
	rng, far := rand.New(rand.NewPCG(1, 1)), 0
	const n = 4000
	for range n {
		m.seed(rng)
		if m.centre[1] == m.x[3] {
			far++
		}
	}
	if p, want := float64(far)/n, 9.0/11; math.Abs(p-want) > 5*math.Sqrt(want*(1-want)/n) {
		t.Errorf("the far row is drawn with frequency %v, want %v", p, want)
	}
}
