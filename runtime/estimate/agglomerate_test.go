package estimate

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/sngdgen/sngdgen/runtime"
)

// groupsLoss is the cost of a group of rows by its definition.
func groupsLoss(x []float64, d int, rows []int, prior float64, spherical bool) float64 {
	n, more := float64(len(rows)), float64(d+1)
	mean := make([]float64, d)
	for _, i := range rows {
		for j := range d {
			mean[j] += x[i*d+j] / n
		}
	}
	s := mat.NewSymDense(d, nil)
	for _, i := range rows {
		away := mat.NewVecDense(d, nil)
		for j := range d {
			away.SetVec(j, x[i*d+j]-mean[j])
		}
		s.SymRankOne(s, 1, away)
	}
	if spherical {
		return n * float64(d) * math.Log((mat.Trace(s)/float64(d)+more*prior)/(n+more))
	}
	for j := range d {
		s.SetSym(j, j, s.At(j, j)+more*prior)
	}
	s.ScaleSym(1/(n+more), s)
	logDet, _ := mat.LogDet(s)
	return n * logDet
}

// TestAgglomerator: the merges are those that a search of all pairs finds every time.
func TestAgglomerator(t *testing.T) {
	for seed := range uint64(30) {
		rng := rand.New(rand.NewPCG(seed, 8))
		d, n, k, spherical := 1+rng.IntN(3), 12+rng.IntN(15), 2+rng.IntN(3), seed%2 == 1
		x := make([]float64, n*d)
		for i := range x {
			x[i] = rng.NormFloat64() * math.Exp(rng.NormFloat64())
		}
		all := make([]int, n)
		for i := range all {
			all[i] = i
		}
		a := newAgglomerator(x, ones(n), d, k, all, spherical)
		got := a.run(x, ones(n), k)
		groups := make([][]int, n)
		for i := range groups {
			groups[i] = []int{i}
		}
		for len(groups) > k {
			low, g, h := math.Inf(1), 0, 0
			for i := range groups {
				for j := range i {
					both := slices.Concat(groups[i], groups[j])
					c := groupsLoss(x, d, both, a.prior, spherical) - groupsLoss(x, d, groups[i], a.prior, spherical) -
						groupsLoss(x, d, groups[j], a.prior, spherical)
					if c < low-1e-9 {
						low, g, h = c, j, i
					}
				}
			}
			groups[g] = append(groups[g], groups[h]...)
			groups = slices.Delete(groups, h, h+1)
		}
		for _, rows := range groups {
			for _, i := range rows {
				if got[i] != got[rows[0]] {
					t.Fatalf("seed %d: groups %v, want %v", seed, got, groups)
				}
			}
		}
	}
}

// TestAgglomerated: of many rows a sample is merged, and all find their group: a long cluster across the middle of a wide one, which
// k-means cuts.
func TestAgglomerated(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	const n = 3000
	values, labels := make([]float64, 2*n), make([]int, n)
	for i := range n {
		x, y := rng.NormFloat64(), rng.NormFloat64()
		if labels[i] = i % 2; labels[i] == 1 {
			x, y = 0.05*x+4, 6*y
		}
		values[2*i], values[2*i+1] = x, y
	}
	p := newPrincipal(runtime.Data{Values: values, Columns: 2, Weights: ones(n)})
	right := 0
	p.agglomerated(2, 1, func(groups []int) bool {
		same := 0
		for i, g := range groups {
			if g == labels[i] {
				same++
			}
		}
		right = max(same, n-same)
		return false
	})
	if right < n*99/100 {
		t.Errorf("%d of %d rows in their groups", right, n)
	}
}
