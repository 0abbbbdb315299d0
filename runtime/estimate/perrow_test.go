package estimate_test

import (
	"encoding/json"
	"errors"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/sngdgen/sngdgen/generated/normalmix"
	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/estimate"
)

// room gives memory, up to so many numbers, and counts them.
type room struct {
	sync.Mutex
	given, most int
}

func (r *room) numbers(n int) ([]float64, error) {
	r.Lock()
	defer r.Unlock()
	if r.given+n > r.most {
		return nil, errors.New("the disk is full")
	}
	r.given += n
	x := make([]float64, n)
	for i := range x {
		x[i] = -7 // nobody may take it for zeros
	}
	return x, nil
}

// What a fit of a mixture keeps of every row is weights, probabilities of one end, and of each run at a time a sorted column and probabilities,
// however many runs there are, and all in the room that it is given; the report is the same.
func TestMemoryOfMixtures(t *testing.T) {
	const rows, k, workers = 80_000, 3, 2
	rng := rand.New(rand.NewPCG(1, 2))
	x := make([]float64, rows)
	for i := range x {
		x[i] = rng.NormFloat64() + 4*float64(rng.IntN(3))
	}
	for _, starts := range []int{0, 6} {
		fit := func(r *room) string {
			s := estimate.Settings{Components: k, Starts: starts, Seed: 1, Workers: workers, MaxIterations: 12}
			if r != nil {
				s.Room = r.numbers
			}
			rep, err := estimate.FindOn(t.Context(), new(normalmix.Model), runtime.Data{Values: x}, s)
			if err != nil {
				t.Fatal(err)
			}
			rep.Seconds = 0
			text, err := json.Marshal(rep)
			if err != nil {
				t.Fatal(err)
			}
			return string(text)
		}
		want, all := fit(nil), &room{most: 1 << 40}
		if got := fit(all); got != want {
			t.Errorf("%d starts: %s\nwant %s", starts, got, want)
		}
		if most := rows * (1 + k + workers*(1+k)); all.given > most || all.given < rows*(1+k) {
			t.Errorf("%d starts: %d numbers of %d rows, want at most %d", starts, all.given, rows, most)
		}
		if got := fit(&room{most: rows}); !strings.Contains(got, "the disk is full") || strings.Contains(want, "the disk is full") {
			t.Errorf("%d starts: nothing is said of a full disk: %s", starts, got)
		}
	}
}
