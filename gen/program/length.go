package program

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sngdgen/sngdgen/expr"
)

// Length is a sum of products of dimensions: how long something is, or where it begins.
type Length struct {
	Number int
	Terms  []Term // equal ones are one
}

// Term is a multiple of a product of dimensions.
type Term struct {
	Times int
	Dims  []expr.Dim // those with names
}

// Plus adds a multiple of a product of dimensions.
func (l Length) Plus(times int, dims ...expr.Dim) Length {
	var named []expr.Dim
	for _, d := range dims {
		if d.Name == "" {
			times *= d.Size
		} else {
			named = append(named, d)
		}
	}
	out := Length{Number: l.Number, Terms: slices.Clone(l.Terms)}
	if len(named) == 0 {
		out.Number += times
		return out
	}
	for i, t := range out.Terms {
		if slices.Equal(t.Dims, named) {
			out.Terms[i].Times += times
			return out
		}
	}
	out.Terms = append(out.Terms, Term{times, named})
	return out
}

// Zero reports whether it is 0.
func (l Length) Zero() bool { return l.Number == 0 && len(l.Terms) == 0 }

// Text writes the sum with a name for each dimension.
func (l Length) Text(name func(expr.Dim) string) string {
	var parts []string
	for _, t := range l.Terms {
		var factors []string
		if t.Times != 1 {
			factors = append(factors, fmt.Sprint(t.Times))
		}
		for _, d := range t.Dims {
			factors = append(factors, name(d))
		}
		parts = append(parts, strings.Join(factors, "*"))
	}
	text := strings.Join(parts, "+")
	switch {
	case text == "":
		return fmt.Sprint(l.Number)
	case l.Number != 0:
		return fmt.Sprintf("%s%+d", text, l.Number)
	}
	return text
}

func (l Length) String() string { return l.Text(expr.Dim.String) }
