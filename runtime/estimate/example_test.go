package estimate_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"

	"github.com/sngdgen/sngdgen/generated/negbin"
	"github.com/sngdgen/sngdgen/generated/normalmix"
	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/estimate"
)

// A fit of counts, written as JSON, and used by another program on counts that it has not seen.
func ExampleFitted() {
	m, err := negbin.New([]float64{0, 1, 1, 2, 0, 5, 3, 0, 9, 1, 0, 2})
	if err != nil {
		log.Fatal(err)
	}
	report, err := estimate.Fit(context.Background(), m, nil)
	if err != nil {
		log.Fatal(err)
	}
	text, err := json.Marshal(report)
	if err != nil {
		log.Fatal(err)
	}

	var fit estimate.Fitted
	if err := json.Unmarshal(text, &fit); err != nil {
		log.Fatal(err)
	}
	other := new(negbin.Model)
	theta, err := fit.On(other)
	if err != nil {
		log.Fatal(err)
	}
	scores, err := estimate.Score(context.Background(), other, theta, runtime.Data{Values: []float64{0, 4, 1, 7}})
	if err != nil {
		log.Fatal(err)
	}
	forecast, err := estimate.Predict(context.Background(), other, theta, runtime.Data{}, &estimate.ForecastSettings{Levels: []float64{0.5, 0.95}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("held-out loss %.4f\n", -float64(scores.Mean))
	fmt.Printf("mean %.4f, median %v, 95%% at most %v\n", forecast.Mean[0], forecast.Quantiles[0], forecast.Quantiles[1])
	// Output:
	// held-out loss 2.3149
	// mean 2.0000, median 1, 95% at most 7
}

// The number of components of a mixture by BIC, then the probabilities that new rows belong to them.
func ExampleCompare() {
	x := []float64{1.8, 2.1, 1.9, 2.2, 1.7, 2.0, 4.4, 4.1, 4.6, 4.3, 4.5, 4.0, 4.2, 4.7, 2.3}
	m, err := normalmix.New(x, 2)
	if err != nil {
		log.Fatal(err)
	}
	compared, err := estimate.Compare(context.Background(), m, []int{1, 2}, nil)
	if err != nil {
		log.Fatal(err)
	}
	for _, n := range compared.Fits {
		fmt.Printf("%d: BIC %.2f\n", n.Components, float64(n.Report.BIC))
	}
	best := compared.Fits[1].Report
	theta, err := best.Fitted().On(m)
	if err != nil {
		log.Fatal(err)
	}
	scores, err := estimate.Score(context.Background(), m, theta, runtime.Data{Values: []float64{2.05, 4.3}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.3f\n", scores.Shares)
	// Output:
	// 1: BIC 53.26
	// 2: BIC 30.73
	// [1.000 0.000 0.000 1.000]
}
