package special

import (
	"math"
	"testing"
)

func TestLogNdtrRatioTables(t *testing.T) {
	checkTable(t, "logndtr", 6, func(a []float64) float64 { return first(LogNdtrRatio(a[0])) }, inUlps)
	checkTable(t, "ndtrratio", 5, func(a []float64) float64 { return second(LogNdtrRatio(a[0])) }, inUlps)
}

// It is the two functions, but for the last bits.
func TestLogNdtrRatioEdges(t *testing.T) {
	points := append(spread(1e-300, 1e300), nan, inf, -inf, 0, 8.3, 38.4, 38.5, 38.6, 39, 40, math.MaxFloat64)
	for _, x := range points {
		for _, x := range []float64{x, -x} {
			log, ratio := LogNdtrRatio(x)
			if want := LogNdtr(x); !same(log, want) && !(math.Abs(log-want) <= 2*ulp(want)) {
				t.Errorf("LogNdtrRatio(%v): log %v, want %v", x, log, want)
			}
			if want := NdtrRatio(x); !same(ratio, want) && !(math.Abs(ratio-want) <= 2*ulp(want)) {
				t.Errorf("LogNdtrRatio(%v): ratio %v, want %v", x, ratio, want)
			}
		}
	}
	if n := testing.AllocsPerRun(5, func() {
		for _, x := range []float64{-50, -3, 0, 3, 50} {
			sink += first(LogNdtrRatio(x))
		}
	}); n != 0 {
		t.Errorf("LogNdtrRatio allocates %v times", n)
	}
}

// Neighbours on either side of the edge of a cell have the same values, but for rounding and for what lies between them:
// relative slopes are at most 6 there.
func TestNormalCellEdges(t *testing.T) {
	near := func(a, b float64) bool { return math.Abs(a-b) <= 8*ulp(b)+6*ulp(4.0)*math.Abs(b) }
	for k := range len(normalCells) + 1 {
		right := (float64(k)-0.5)/normalCellsPerUnit - normalCellsEnd
		right = max(min(right, math.Nextafter(normalCellsEnd, 5)), -normalCellsEnd)
		left := math.Nextafter(right, -5)
		log, ratio := LogNdtrRatio(right)
		log0, ratio0 := LogNdtrRatio(left)
		if !near(log, log0) || !near(ratio, ratio0) {
			t.Errorf("at %v: %v, %v; just below: %v, %v", right, log, ratio, log0, ratio0)
		}
	}
}

// BenchmarkLogNdtrRatio compares it with the two calls that it replaces.
func BenchmarkLogNdtrRatio(b *testing.B) {
	points := gaussian(2, benchPoints)
	b.Run("apart", func(b *testing.B) {
		for k := 0; b.Loop(); k++ {
			x := points[k%benchPoints]
			sink += LogNdtr(x) + NdtrRatio(x)
		}
	})
	b.Run("together", func(b *testing.B) {
		for k := 0; b.Loop(); k++ {
			log, ratio := LogNdtrRatio(points[k%benchPoints])
			sink += log + ratio
		}
	})
}
