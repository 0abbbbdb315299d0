package dense_test

import (
	"flag"
	"fmt"
	"os"
	"testing"

	"github.com/sngdgen/sngdgen/runtime/vector"
)

// TestMain runs all tests on every level that the processor has, and benchmarks on the best.
func TestMain(m *testing.M) {
	flag.Parse()
	if flag.Lookup("test.bench").Value.String() != "" {
		os.Exit(m.Run())
	}
	worst := 0
	for l := vector.Active(); l >= vector.Go; l-- {
		vector.Use(l)
		code := m.Run()
		if code != 0 {
			fmt.Printf("with SNGDGEN_KERNELS=%v\n", l)
		}
		worst = max(worst, code)
	}
	os.Exit(worst)
}
