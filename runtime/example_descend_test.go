package runtime_test

import (
	"context"
	"fmt"

	"github.com/sngdgen/sngdgen/generated/skewnormal"
	"github.com/sngdgen/sngdgen/runtime"
)

// Minibatches of a skew-normal distribution in two dimensions, with a generated package: decreasing steps for the
// surrogate, Adam for the slant.
func ExampleDescend() {
	const d, n = 2, 5000
	m := new(skewnormal.Model)
	if err := m.Resize([]int{d}); err != nil {
		fmt.Println(err)
		return
	}
	x := make([]float64, n*d)
	m.Sample(x, []float64{1, -1 /* xi */, 2, 0.5, 0.5, 1 /* Omega */, 3, 0 /* eta */}, runtime.Stream(1, "data"))
	if err := m.SetData(runtime.Data{Values: x, Columns: d}); err != nil {
		fmt.Println(err)
		return
	}
	z := make([]float64, d+d*d+d) // m1, m2 and eta, as m.Blocks() says
	if err := m.Start(z, 2, nil); err != nil {
		fmt.Println(err)
		return
	}
	result, err := runtime.Descend(context.Background(), m, z, &runtime.Stochastic{
		Batch:     100,
		MaxEpochs: 40,
		Step:      runtime.Decay{First: 0.1, Delay: 100, Power: 0.75},
		Auxiliary: runtime.Adam{Rate: 0.05},
		Seed:      1,
	})
	theta := m.ThetaAt(result.Z)
	fmt.Printf("%.0f %.0f %v\n", theta.Xi, theta.Eta, err)
	// Output: [1 -1] [3 0] <nil>
}
