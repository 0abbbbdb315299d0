package whole

func makes(n int) []float64 {
	return make([]float64, n) // want `make allocates, in makes`
}

type T struct{}

func (T) Whatever(n int) {
	_ = new(T) // want `new allocates, in Whatever`
}

func assembly(x float64) float64 // want `a function without a body cannot be checked`

func clean(x []float64) (sum float64) {
	for _, v := range x {
		sum += v
	}
	return sum
}
