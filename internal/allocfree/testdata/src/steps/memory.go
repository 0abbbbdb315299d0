package steps

type memory struct {
	x, y []float64
	m    map[int]float64
}

// A local make that does not escape: the compiler's -m says nothing of the allocation.
func (p *memory) Loss(z []float64, n int) float64 {
	t := make([]float64, n) // want `make allocates, in Loss`
	q := new(point)         // want `new allocates, in Loss`
	p.x = append(p.x, q.x)  // want `append allocates, in Loss`
	return t[0]
}

// A map insert, of which -m says nothing either.
func (p *memory) Theta(dst, z []float64) {
	p.m[1] = 2           // want `map operation, in Theta`
	dst[0] = p.m[2]      // want `map operation`
	dst[1]++             //
	v, ok := p.m[3]      // want `map operation`
	for k := range p.m { // want `map operation`
		_ = k
	}
	delete(p.m, 1) // want `map operation`
	clear(p.m)     // want `map operation`
	_ = len(p.m)   // want `map operation`
	_, _ = v, ok
}

func (p *memory) Dual(dst, z []float64) {
	_ = []float64{1, 2}        // want `slice literal allocates`
	_ = map[string]int{"a": 1} // want `map literal allocates`
	_ = &point{1, 2}           // want `address of a composite literal allocates`
	_ = [2]*point{{1, 2}, nil} // want `address of a composite literal allocates`
	_ = [1][]float64{{1}}      // want `slice literal allocates`
	var local point
	sink = &local.x // want `address of local may move it to the heap`
	var a [4]float64
	helper(a[:])      // want `slice of the array a may move it to the heap`
	helper((&a)[1:2]) // want `address of a may move it to the heap`
	sink = &dst[0]
}

// A batch may make the memory of its receiver longer, and no other.
func (p *memory) Batch(rows []int, other *memory) {
	p.x = p.x[:0]
	for _, i := range rows {
		p.x = append(p.x, float64(i))
		p.x = append(p.x, p.y[i:i+1]...)
	}
	p.x = append(p.y, 1)             // want `append allocates, in Batch`
	other.x = append(other.x, 1)     // want `append allocates, in Batch`
	local := append(p.x, 1)          // want `append allocates, in Batch`
	local = append(local, 1)         // want `append allocates, in Batch`
	p.x, p.y = append(p.x, 1), local // want `append allocates, in Batch`
	p.x = append(p.x, make([]float64, 8)...)
	p.x = append(p.x, append(local, 1)...)   // want `append allocates, in Batch`
	p.x = append(p.y, make([]float64, 8)...) // want `append allocates, in Batch` `make allocates, in Batch`
	p.x = make([]float64, 1)                 // want `make allocates, in Batch`
	p.grow()
}

func (p *memory) grow() {
	p.x = append(p.x, 1) // want `append allocates, in grow`
}

var sink *float64

// helper is reached from Dual.
func helper(x []float64) {
	deeper(len(x))
}

func deeper(n int) {
	_ = make([]float64, n) // want `make allocates, in deeper`
}

// unreached belongs to no step.
func unreached(n int) []float64 { return make([]float64, n) }

// Violation as a function is no method.
func Violation(n int) []float64 { return make([]float64, n) }
