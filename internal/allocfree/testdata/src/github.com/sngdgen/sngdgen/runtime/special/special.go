// Package special stands for the package of that path, which steps may call.
package special

type Solver struct{ X float64 }

func (s *Solver) Next() bool { return s.X > 0 }

func Lgamma(x float64) float64 { return x }

func Pair(x float64) (float64, float64) { return x, x }
