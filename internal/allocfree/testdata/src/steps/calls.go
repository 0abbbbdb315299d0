package steps

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/sngdgen/sngdgen/runtime/special"
	"other"
)

type shape interface{ Area() float64 }

type calls struct {
	f func(float64) float64
	s shape
	c chan float64
	g special.Solver
}

func (p *calls) NaturalGradient(v, z []float64) {
	v[0] = other.F(z[0]) // want `call of other.F, which is not known to be free of allocations`
	other.T{}.M()        // want `call of \(other.T\).M, which is not known`
	v[1] = p.f(z[0])     // want `call through a function value, in NaturalGradient`
	v[2] = p.s.Area()    // want `call of Area through an interface`
	fmt.Println()        // want `call of fmt.Println, which is not known`
	_ = errors.New("a")  // want `call of errors.New, which is not known`
	v[3] = math.Max(special.Lgamma(1), 2)
}

func (p *calls) Gradient(g, u []float64) float64 {
	f := func() { g[0]++ } // want `function literal allocates a closure`
	f()                    // want `call through a function value`
	next := p.g.Next       // want `method value Next allocates a closure`
	next()                 // want `call through a function value`
	go even(1)             // want `go statement allocates a goroutine`
	defer even(2)          // want `defer statement may allocate`
	h := math.Exp
	for range seq { // want `range over a function calls through a function value`
		break
	}
	return h(1) // want `call through a function value`
}

func seq(yield func() bool) {
	yield() // want `call through a function value, in seq`
}

func (p *calls) Hessian(h, u []float64) {
	total()
	total(h...)
	total(1, 2)     // want `variadic call makes a slice of its arguments`
	p.c <- 1        // want `channel operation`
	h[0] = <-p.c    // want `channel operation`
	close(p.c)      // want `channel operation`
	for range p.c { // want `channel operation`
	}
	select { // want `channel operation`
	default: // want `channel operation`
	}
	p.c = make(chan float64) // want `make allocates`
	println(1)               // want `println is not known to be free of allocations`
	_ = method[square](square{})
}

func total(x ...float64) (sum float64) { return sum }

type square struct{ side float64 }

func (s square) Area() float64 { return s.side }

func method[T shape](t T) float64 {
	return t.Area() // want `call of Area through an interface, in method`
}

func (p *calls) FromTheta(u, theta []float64) {
	name := "a"
	name = name + "b"              // want `string concatenation allocates`
	name += "c"                    // want `string concatenation allocates`
	b := []byte(name)              // want `conversion of a string allocates`
	name = string(b)               // want `conversion to string allocates`
	name = string(rune(len(name))) // want `conversion to string allocates`
	_ = strings.ToUpper(name)      // want `call of strings.ToUpper, which is not known`
	type label string
	_ = label(name)
	_ = float64(len(name))
}
