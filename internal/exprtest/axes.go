package exprtest

import (
	"math"

	"github.com/sngdgen/sngdgen/expr/eval"
)

// Components is the number of components of a point.
const Components = 2

// Lists of values have one of four layouts, which their lengths tell apart: one value; one for each row; one for each
// component; one for each row and component, row by row.

// Grid returns the values for each row and component, row by row.
func Grid[T any](list []T) []T {
	out := make([]T, 0, Rows*Components)
	for row := range Rows {
		for c := range Components {
			out = append(out, at(list, row, c))
		}
	}
	return out
}

// at is the value in one row, of one component.
func at[T any](list []T, row, c int) T {
	switch len(list) {
	case 1:
		return list[0]
	case Rows:
		return list[row]
	case Components:
		return list[c]
	}
	return list[row*Components+c]
}

// common gives lists one layout: that of the longest where it varies as all others do.
func common[T any](lists [][]T) [][]T {
	rows, components := false, false
	for _, l := range lists {
		rows = rows || len(l) == Rows || len(l) > max(Rows, Components)
		components = components || len(l) == Components || len(l) > max(Rows, Components)
	}
	out := make([][]T, len(lists))
	for i, l := range lists {
		out[i] = layout(l, rows, components)
	}
	return out
}

// layout repeats values over the axes asked for.
func layout[T any](list []T, rows, components bool) []T {
	switch {
	case rows && components:
		return Grid(list)
	case rows && len(list) == 1:
		return repeat(list[0], Rows)
	case components && len(list) == 1:
		return repeat(list[0], Components)
	}
	return list
}

func repeat[T any](v T, n int) []T {
	out := make([]T, n)
	for i := range out {
		out[i] = v
	}
	return out
}

// Flat lists the numbers of a value of the interpreter.
func Flat(v eval.Value) []float64 {
	switch {
	case v.Components != nil:
		lists := make([][]float64, len(v.Components))
		for c, own := range v.Components {
			lists[c] = Flat(own)
		}
		lists = common(lists)
		var out []float64
		for row := range lists[0] {
			for _, own := range lists {
				out = append(out, own[row])
			}
		}
		return out
	case v.Rows != nil:
		return v.Rows
	}
	return []float64{v.Scalar}
}

// Unflat is the value of the interpreter that has these numbers.
func Unflat(list []float64) eval.Value {
	switch len(list) {
	case 1:
		return eval.Value{Scalar: list[0]}
	case Rows:
		return eval.Value{Rows: list}
	}
	components := make([]eval.Value, Components)
	for c := range components {
		own := make([]float64, len(list)/Components)
		for i := range own {
			own[i] = list[i*Components+c]
		}
		components[c] = Unflat(own)
	}
	return eval.PerComponent(components)
}

// overRows combines the rows, of each component where the values vary over these.
func overRows(reduce func([]Ball) Ball, x []Ball) []Ball {
	if len(x) == 1 || len(x) == Rows {
		return []Ball{reduce(layout(x, true, false))}
	}
	out := make([]Ball, Components)
	for c := range out {
		own := make([]Ball, Rows)
		for row := range own {
			own[row] = at(x, row, c)
		}
		out[c] = reduce(own)
	}
	return out
}

// combinations are the functions of the values of all components.
var combinations = map[string]func(x []Ball) []Ball{
	"logsumexp": func(x []Ball) []Ball {
		return overComponents(x, func(own []Ball) []Ball { return []Ball{logSumExp(own)} })
	},
	"softmax": func(x []Ball) []Ball {
		return overComponents(x, func(own []Ball) []Ball {
			out := make([]Ball, Components)
			for c := range out {
				out[c] = share(own, c)
			}
			return out
		})
	},
}

// overComponents combines the components, in each row where the values vary over these.
func overComponents(x []Ball, combine func([]Ball) []Ball) []Ball {
	if len(x) <= Components {
		return combine(layout(x, false, true))
	}
	var out []Ball
	for row := range Rows {
		own := make([]Ball, Components)
		for c := range own {
			own[c] = at(x, row, c)
		}
		out = append(out, combine(own)...)
	}
	return out
}

// logSumExp is the sum of exponentials of the differences to each of the components in turn, of which one at least does
// not overflow.
func logSumExp(x []Ball) Ball {
	return Apply(func(v []float64) float64 {
		best := math.Inf(1)
		for _, about := range v {
			total := 0.0
			for _, y := range v {
				total += math.Exp(y - about)
			}
			if s := about + math.Log(total); !math.IsInf(total, 0) && !math.IsNaN(s) {
				best = min(best, s)
			}
		}
		if math.IsInf(best, 0) { // no component is finite
			return math.Log(sumOfExp(v))
		}
		return best
	}, x...)
}

func sumOfExp(v []float64) float64 {
	total := 0.0
	for _, y := range v {
		total += math.Exp(y)
	}
	return total
}

// share is the part of a component in the sum of all exponentials. One that underflows says nothing.
func share(x []Ball, c int) Ball {
	out := Apply(func(v []float64) float64 {
		total := 0.0
		for _, y := range v {
			total += math.Exp(y - v[c])
		}
		return 1 / total
	}, x...)
	if out.V == 0 {
		out.R = math.Inf(1)
	}
	return out
}
