//go:build !amd64

package vector

// detect says that there are no kernels for this processor.
func detect() Level { return Go }

const missing = "vector: there are no kernels for this processor"

func mulPanel(c *float64, ldc int, a *float64, aRow, aColumn int, b *float64, ldb int, w *float64, m, k, n int,
	alpha float64, lower, overwrite int) {
	panic(missing)
}
