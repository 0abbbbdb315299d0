package estimate_test

import (
	"context"
	"testing"
	"time"

	"github.com/sngdgen/sngdgen/runtime/estimate"
)

// TestFewRows: where so few rows have no spot beside any clusters, the search for starts of a mixture ends all the same, by itself.
func TestFewRows(t *testing.T) {
	m := loaded(t, "normalmix", []float64{0.1, 0.4, -0.3, 0.25, -0.12, 0.05, 5.1, 5.4, 4.7, 4.9, 5.2, 5.05}, 1, 3)
	done := make(chan error, 1)
	go func() {
		_, err := estimate.Fit(context.Background(), m, &estimate.Settings{Components: 3})
		done <- err
	}()
	select {
	case err := <-done: // these rows have no maximum with three components, which is an error
		t.Log(err)
	case <-time.After(time.Minute):
		t.Fatal("the search for starts has no end")
	}
}
