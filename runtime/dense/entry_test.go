package dense

import (
	"math"
	"testing"
)

func TestEntry(t *testing.T) {
	x := []float64{1, 2, 3, 4, 5, 6} // 3 rows of 2
	for i := -2; i < 9; i++ {
		want := 0.0
		if i >= 0 && i < 6 {
			want = x[i]
		}
		if got := Entry(x, i); got != want {
			t.Errorf("Entry(%d) = %v, want %v", i, got, want)
		}
		for j := -2; j < 5; j++ {
			want := 0.0
			if i >= 0 && i < 3 && j >= 0 && j < 2 {
				want = x[2*i+j]
			}
			if got := Entry2(x, 2, i, j); got != want {
				t.Errorf("Entry2(%d, %d) = %v, want %v", i, j, got, want)
			}
		}
	}
	nan := math.NaN()
	if got := Entry2(x, 2, int(nan)-1, 0); got != 0 {
		t.Errorf("an entry of no number is %v", got)
	}
}

func TestAddEntry(t *testing.T) {
	x, y := make([]float64, 6), make([]float64, 6)
	for i := -2; i < 9; i++ {
		AddEntry(x, i, float64(i+1))
		for j := -2; j < 5; j++ {
			AddEntry2(y, 2, i, j, float64(2*i+j+1))
		}
	}
	for i := range 6 {
		if x[i] != float64(i+1) || y[i] != float64(i+1) {
			t.Errorf("entry %d is %v and %v", i, x[i], y[i])
		}
	}
}
