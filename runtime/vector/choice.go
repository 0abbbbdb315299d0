package vector

import "os"

// chosen is the level that the environment asks for, or the best. Of a word that is none the best is taken: there is nobody to
// tell before the program begins.
func chosen(best Level) Level {
	word := os.Getenv("SNGDGEN_KERNELS")
	for l := Go; l <= AVX512; l++ {
		if l.String() == word {
			return min(l, best)
		}
	}
	return best
}
