// Package vector stands for the package of that path, whose functions may be assembly.
package vector

import "other"

// kernel is assembly.
//
//go:noescape
func kernel(dst *float64, n int)

func careless(dst *float64, n int) // want "a function without a body"

func few() float64 {
	var copies [8]float64
	kernel(&copies[0], 8)
	slice(copies[:])
	other.Keep(copies[:]) // want "slice of the array copies may move it to the heap" "call of other.Keep"
	p := &copies[1]       // want "address of copies may move it to the heap"
	return *p
}

func slice(x []float64) { kernel(&x[0], len(x)) }
