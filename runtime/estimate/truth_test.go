package estimate

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestTruth: moments of a normal distribution by draws of another one, in two dimensions, as they come and with half of them wider:
// errors are as large as they are said to be, and below those of as many draws of the distribution itself.
func TestTruth(t *testing.T) {
	const n, d, runs = 4000, 2, 60
	own := marginMoments{[]float64{1, -2}, []float64{2, 0.5}}
	want := marginMoments{[]float64{1.2, -2.05}, []float64{1.9, 0.52}}
	for _, wide := range []float64{1, 1.6} {
		rng := rand.New(rand.NewPCG(3, 7))
		means, sds, saidMeans, saidSDs := 0.0, 0.0, 0.0, 0.0
		for range runs {
			p := &proposals{draws: &PosteriorDraws{}}
			for range n {
				scale := 1.0
				if rng.IntN(2) == 1 {
					scale = wide
				}
				ratio, e2, shift := 0.0, 0.0, 0.0
				for j := range d {
					e := scale * rng.NormFloat64()
					x := own.mean[j] + own.sd[j]*e
					u := (x - want.mean[j]) / want.sd[j]
					shift += (e*e-u*u)/2 + math.Log(own.sd[j]/want.sd[j])
					e2 += e * e
					p.draws.Values = append(p.draws.Values, x)
				}
				// phi/(phi/2 + wide/2) in two dimensions
				ratio = -math.Log(0.5 + 0.5*math.Exp(e2/2-e2/(2*wide*wide))/(wide*wide))
				p.shape = append(p.shape, ratio)
				p.logs = append(p.logs, shift+ratio)
			}
			found := newTruth(p, own)
			off := distance(found.whole, want)
			means, sds = means+square(float64(off.Means))/runs, sds+square(float64(off.Deviations))/runs
			saidMeans, saidSDs = saidMeans+square(found.meanError)/runs, saidSDs+square(found.sdError)/runs
		}
		for _, x := range [][2]float64{{means, saidMeans}, {sds, saidSDs}} {
			if ratio := math.Sqrt(x[0] / x[1]); !(ratio > 0.75 && ratio < 1.33) {
				t.Errorf("spread %v: errors are %v, and said to be %v", wide, math.Sqrt(x[0]), math.Sqrt(x[1]))
			}
		}
		if plain := math.Sqrt(1.0 / n); !(math.Sqrt(means) < plain) && wide == 1 {
			t.Errorf("means are %v off, those of draws %v", math.Sqrt(means), plain)
		}
	}
}

// TestDistance: by hand.
func TestDistance(t *testing.T) {
	got := distance(marginMoments{[]float64{1, 0}, []float64{3, 4}}, marginMoments{[]float64{0, 0.4}, []float64{2, 4}})
	want := MomentDistance{Means: Number(math.Sqrt((0.25 + 0.01) / 2)), LargestMean: 0.5, Deviations: Number(0.5 / math.Sqrt2), LargestDeviation: 0.5,
		Divergence: 0.13 + 0.25}
	for _, x := range [][2]Number{{got.Means, want.Means}, {got.LargestMean, want.LargestMean}, {got.Deviations, want.Deviations},
		{got.LargestDeviation, want.LargestDeviation}, {got.Divergence, want.Divergence}} {
		if !(math.Abs(float64(x[0]-x[1])) < 1e-12) {
			t.Errorf("%+v, want %+v", *got, want)
		}
	}
}
