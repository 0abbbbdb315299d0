package studio

import (
	"math"
	"strconv"
)

// number is one to be drawn: with the digits of a screen, and null where it is not finite.
type number float64

// MarshalJSON writes six digits.
func (x number) MarshalJSON() ([]byte, error) {
	v := float64(x)
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return []byte("null"), nil
	}
	return strconv.AppendFloat(nil, v, 'g', 7, 64), nil
}

func numbersOf(x []float64) []number {
	if x == nil {
		return nil
	}
	out := make([]number, len(x))
	for i, v := range x {
		out[i] = number(v)
	}
	return out
}
