package invariants

import (
	"testing"

	"github.com/sngdgen/sngdgen/gen"
	"github.com/sngdgen/sngdgen/spec"
)

// sharedRate is a family without a closed inverse of its mean map in a vector and a number, with random numbers whose
// parameters vary by entry. Its linear system is that of a diagonal with a border.
const sharedRate = `
family: shared_rate
variable: {x: positive vector(k)}
parameters: {alpha: positive vector(k), beta: positive}
statistics: [log(x), total(x)]
natural: [alpha - 1, -beta]
log_partition: total(lgamma(alpha)) - total(alpha)*log(beta)
from_natural: {alpha: eta1 + 1, beta: -eta2}
mean: alpha/beta
sample:
  noise: {y: "gamma(alpha, beta)"}
  x: y
---
package: every
target: shared_rate
surrogate: shared_rate
map: {alpha: alpha, beta: beta}
start: {alpha: 2*ones(k), beta: 2*k/total(mean(x))}
random_start:
  noise: {u: exponential, v: "gamma(2*ones(k))", w: "uniform(v/4, 1 + v) vector(k)"}
  alpha: v + w
  beta: u
objective: mle
`

// TestSystemsInVectorsCompute compiles a problem whose standard parameters are a root in a vector and a number, and runs
// the tests that are emitted with it: gradients against differences, no allocations, the domain.
func TestSystemsInVectorsCompute(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs the compiler")
	}
	f, diags := spec.Parse("every.yaml", []byte(sharedRate), nil)
	if f == nil {
		t.Fatal(diags.String())
	}
	files, diags := gen.Generate(t.Context(), f.Problems[0], gen.Options{})
	if diags.HasErrors() {
		t.Fatal(diags.String())
	}
	if diags = gen.Check(t.Context(), f.Problems[0], gen.Options{}); diags.HasErrors() {
		t.Error(diags.String())
	}
	runEmitted(t, files)
}
