// Package other is on no list.
package other

func F(x float64) float64 { return x }

type T struct{}

func (T) M() {}

func Keep(x []float64) {}
