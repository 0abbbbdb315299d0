package modeltest

import (
	"testing"

	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/penalty"
)

// checkPenalty looks at the penalised objective as at any other one: its gradients are compared with differences, in all
// coordinates. A penalty that is wrong in one of them is found, as the objective without it has been.
func checkPenalty(t *testing.T, s subject) {
	if s.make().Info().Penalty == "" {
		return
	}
	penalised := subject{n: s.n, make: func() runtime.Model {
		m, err := penalty.Of(s.make())
		if err != nil {
			t.Fatal(err)
		}
		return m
	}}
	penalised.eachPoint(t, checkGradients)
	penalised.eachPoint(t, checkUnconstrained)
	penalised.eachPoint(t, checkTheta)
	checkRepeatable(t, penalised)
}
