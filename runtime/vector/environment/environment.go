// Package environment lets the environment choose the level of runtime/vector, when the program begins: SNGDGEN_KERNELS may be
// "go", "avx2" or "avx512". It is a package of its own because whoever calls kernels need not know that there are
// environments. A level that the processor lacks is the best below it. Any other word counts for nothing: there is nobody
// to tell before the program begins.
package environment

import (
	"os"

	"github.com/sngdgen/sngdgen/runtime/vector"
)

// Variable is the name of the variable.
const Variable = "SNGDGEN_KERNELS"

func init() {
	word := os.Getenv(Variable)
	for _, l := range []vector.Level{vector.Go, vector.AVX2, vector.AVX512} {
		if l.String() == word {
			vector.Use(l)
		}
	}
}
