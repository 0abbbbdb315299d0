package program

import (
	"math"
	"slices"
	"sync"

	"github.com/sngdgen/sngdgen/expr"
)

// Access is what a kernel does with an operand.
type Access int

// The ways to access an operand.
const (
	Reads   Access = iota
	Writes         // all of it, whatever it held
	Updates        // reads and writes
	Scratch        // writes, with nothing that anybody may read afterwards
)

// Triangle is what of a square matrix is read or written.
type Triangle int

// The parts of a square matrix.
const (
	Full     Triangle = iota
	Lower             // the lower triangle alone
	Diagonal          // the diagonal alone
)

// Has reports whether an entry, by its row and its column, is part of it.
func (t Triangle) Has(row, column int) bool {
	return t == Full || row == column || t == Lower && column < row
}

// Param is an operand of a kernel: an array with a length for each axis, a length, or a number.
type Param struct {
	Name     string
	Axes     []string // names of lengths; one name stands for one length in a call. Nil for numbers and lengths, see Any
	Any      bool     // an array of any shape, the same for all such operands
	Length   bool
	Number   bool
	Access   Access
	Triangle Triangle
	May      string // the operand that it may be the same memory as; "" for none
	Adds     bool   // to what it updates, whatever that is
	Prepared string // the type of functions that have been prepared, for such an operand
	Zeros    bool   // above its diagonal
}

// Kernel is a function on arrays, of package dense unless it is one of Go's own, or of functions.
type Kernel struct {
	Name    string
	Special bool // it computes functions for all entries, in package special
	Params  []Param
	Returns bool // a number
	Test    bool // reports whether the matrix is positive definite
	// Less are kernels that compute some of the results alone, with the same names for operands.
	Less []string
	// Flops counts additions, multiplications, divisions, square roots, exponentials and logarithms.
	Flops func(n func(string) float64) float64
	// Reference is the obvious implementation. It counts what it does.
	Reference func(a *Activation) float64
	// Class says what is counted of it where it is outside the passes over rows, and in them, as what grows with the cube of a
	// dimension or with its square for each row.
	Once, InBlock Work
}

// Work counts what grows with the cube of a dimension, or with its square for each row.
type Work struct{ Factorisations, Inverses, Solves, Products, Grams int }

func read(name string, axes ...string) Param   { return Param{Name: name, Axes: axes} }
func write(name string, axes ...string) Param  { return Param{Name: name, Axes: axes, Access: Writes} }
func update(name string, axes ...string) Param { return Param{Name: name, Axes: axes, Access: Updates} }
func scratch(name string, axes ...string) Param {
	return Param{Name: name, Axes: axes, Access: Scratch}
}
func length(name string) Param { return Param{Name: name, Length: true} }
func number(name string) Param { return Param{Name: name, Number: true} }

func (p Param) lower() Param           { p.Triangle = Lower; return p }
func (p Param) diagonal() Param        { p.Triangle = Diagonal; return p }
func (p Param) may(other string) Param { p.May = other; return p }
func (p Param) any() Param             { p.Any = true; return p }
func (p Param) adds() Param            { p.Adds = true; return p }
func (p Param) zeros() Param           { p.Zeros = true; return p }

// size is the product of lengths.
func size(names ...string) func(func(string) float64) float64 { return times(1, names...) }

func times(c float64, names ...string) func(func(string) float64) float64 {
	return func(n func(string) float64) float64 {
		out := c
		for _, name := range names {
			out *= n(name)
		}
		return out
	}
}

func none(func(string) float64) float64 { return 0 }

// Kernels is the table of kernels, by name.
var Kernels = sync.OnceValue(func() map[string]*Kernel {
	kernels := map[string]*Kernel{}
	for _, k := range slices.Concat(ofArrays(), ofTriangles(), ofSums(), ofVectors(), ofMatrices(), ofFactors(), ofSolves(), ofComponents(), ofFunctions()) {
		if kernels[k.Name] != nil {
			panic("program: two kernels are called " + k.Name)
		}
		kernels[k.Name] = k
	}
	return kernels
})

// What there is for arrays of any shape, and for vectors.
func ofArrays() []*Kernel {
	return []*Kernel{
		{Name: "clear", Params: []Param{write("dst").any()}, Flops: none, Reference: func(a *Activation) float64 {
			clear(a.Arrays["dst"])
			return 0
		}},
		{Name: "copy", Params: []Param{write("dst").any(), read("x").any()}, Flops: none, Reference: func(a *Activation) float64 {
			copy(a.Arrays["dst"], a.Arrays["x"])
			return 0
		}},
		{Name: "Scale", Params: []Param{write("dst").any().may("x"), number("a"), read("x").any()}, Flops: size(anySize),
			Reference: func(a *Activation) float64 {
				for i, x := range a.Arrays["x"] {
					a.Arrays["dst"][i] = a.count(1) * a.Numbers["a"] * x
				}
				return 0
			}},
		{Name: "AffineTimes", Params: []Param{write("dst").any().may("x"), number("c"), number("a"), read("x").any().may("y"), number("b"),
			read("y").any().may("dst")}, Flops: times(4, anySize), Reference: func(a *Activation) float64 {
			for i, x := range a.Arrays["x"] {
				sum := float64(a.Numbers["a"]*x) + a.Numbers["b"]
				a.Arrays["dst"][i] = a.count(4) * a.Numbers["c"] * sum * a.Arrays["y"][i]
			}
			return 0
		}},
		{Name: "ScaledSum", Params: []Param{write("dst").any().may("x"), number("a"), read("x").any().may("y"), number("b"), read("y").any().may("dst")},
			Flops: times(3, anySize), Reference: func(a *Activation) float64 {
				for i, x := range a.Arrays["x"] {
					a.Arrays["dst"][i] = float64(a.Numbers["a"]*x) + a.count(3)*a.Numbers["b"]*a.Arrays["y"][i]
				}
				return 0
			}},
		{Name: "Range", Params: []Param{write("dst").any()}, Flops: none, Reference: func(a *Activation) float64 {
			for i := range a.Arrays["dst"] {
				a.Arrays["dst"][i] = float64(i + 1)
			}
			return 0
		}},
		{Name: "Cumulative", Params: []Param{update("dst", "d")}, Flops: times(1, "d"),
			Reference: func(a *Activation) float64 { return a.accumulate(1, len(a.Arrays["dst"]), false) }},
		{Name: "Remaining", Params: []Param{update("dst", "d")}, Flops: times(1, "d"),
			Reference: func(a *Activation) float64 { return a.accumulate(1, len(a.Arrays["dst"]), true) }},
		{Name: "CumulativeRows", Params: []Param{update("dst", "r", "d"), length("r"), length("d")}, Flops: times(1, "r", "d"),
			Reference: func(a *Activation) float64 { return a.accumulate(a.Lengths["r"], a.Lengths["d"], false) }},
		{Name: "RemainingRows", Params: []Param{update("dst", "r", "d"), length("r"), length("d")}, Flops: times(1, "r", "d"),
			Reference: func(a *Activation) float64 { return a.accumulate(a.Lengths["r"], a.Lengths["d"], true) }},
		{Name: "Dot", Params: []Param{read("x").any(), read("y").any().may("x")}, Returns: true, Flops: times(2, anySize),
			Reference: func(a *Activation) float64 { return a.dot(a.Arrays["x"], a.Arrays["y"]) }},
		{Name: "Sum", Params: []Param{read("x").any()}, Returns: true, Flops: size(anySize),
			Reference: func(a *Activation) float64 {
				sum := 0.0
				for _, x := range a.Arrays["x"] {
					sum += a.count(1) * x
				}
				return sum
			}},
		entrywise("Plus", func(x, y float64) float64 { return x + y }),
		entrywise("Minus", func(x, y float64) float64 { return x - y }),
		{Name: "Divide", Params: []Param{write("dst").any().may("x"), read("x").any(), number("a")}, Flops: size(anySize),
			Reference: func(a *Activation) float64 {
				for i, x := range a.Arrays["x"] {
					a.Arrays["dst"][i] = a.count(1) * x / a.Numbers["a"]
				}
				return 0
			}},
	}
}

// Triangles and diagonals.
func ofTriangles() []*Kernel {
	return []*Kernel{
		{Name: "Mirror", Params: []Param{update("dst", "d", "d").lower(), length("d")}, Flops: none, Reference: mirror},
		{Name: "ClearLower", Params: []Param{write("dst", "d", "d").lower(), length("d")}, Flops: none, Reference: func(a *Activation) float64 {
			for i := range a.Lengths["d"] {
				clear(a.Arrays["dst"][i*a.Lengths["d"]:][:i+1])
			}
			return 0
		}},
		{Name: "LowerHalf", Params: []Param{update("dst", "d", "d"), length("d")}, Flops: size("d"), Reference: lowerHalf},
		{Name: "Transpose", Params: []Param{write("dst", "c", "r"), read("a", "r", "c"), length("r"), length("c")}, Flops: none,
			Reference: transpose},
		{Name: "DiagOf", Params: []Param{write("dst", "d"), read("a", "d", "d").diagonal(), length("d")}, Flops: none,
			Reference: func(a *Activation) float64 {
				for i := range a.Lengths["d"] {
					a.Arrays["dst"][i] = a.Arrays["a"][i*a.Lengths["d"]+i]
				}
				return 0
			}},
		{Name: "Trace", Params: []Param{read("a", "d", "d").diagonal(), length("d")}, Returns: true, Flops: size("d"),
			Reference: func(a *Activation) float64 {
				sum := 0.0
				for i := range a.Lengths["d"] {
					sum += a.count(1) * a.Arrays["a"][i*a.Lengths["d"]+i]
				}
				return sum
			}},
		{Name: "SymmetricDot", Params: []Param{read("a", "d", "d").lower(), read("b", "d", "d").lower().may("a"), length("d")}, Returns: true,
			Flops:     func(n func(string) float64) float64 { d := n("d"); return d*d + 3*d },
			Reference: func(a *Activation) float64 { return a.symmetricDot(a.Arrays["a"], a.Arrays["b"]) }},
		{Name: "AddToDiagonal", Params: []Param{update("dst", "d", "d").diagonal(), number("a"), length("d")}, Flops: size("d"),
			Reference: func(a *Activation) float64 {
				for i := range a.Lengths["d"] {
					a.Arrays["dst"][i*a.Lengths["d"]+i] += a.count(1) * a.Numbers["a"]
				}
				return 0
			}},
		{Name: "Mirrored", Params: []Param{write("dst", "d", "d").may("a"), read("a", "d", "d").lower(), length("d")}, Flops: none,
			Reference: func(a *Activation) float64 {
				return a.mirrored(func(i, j int) float64 { return a.entry("a", i, j) })
			}},
		{Name: "MirroredScale", Params: []Param{write("dst", "d", "d").may("a"), number("s"), read("a", "d", "d").lower(), length("d")},
			Flops: lowerEntries(1), Reference: func(a *Activation) float64 {
				return a.mirrored(func(i, j int) float64 { return a.count(1) * a.Numbers["s"] * a.entry("a", i, j) })
			}},
		{Name: "MirroredPlusOuter", Params: []Param{write("dst", "d", "d").may("a"), read("a", "d", "d").lower(), number("alpha"),
			read("u", "d"), read("v", "d").may("u"), length("d")}, Flops: lowerEntries(3), Reference: func(a *Activation) float64 {
			return a.mirrored(func(i, j int) float64 {
				return a.entry("a", i, j) + a.count(3)*a.Numbers["alpha"]*(a.Arrays["u"][i]*a.Arrays["v"][j])
			})
		}},
	}
}

// Sums of symmetric matrices, in their lower triangles or whole.
func ofSums() []*Kernel {
	return slices.Concat(
		symmetricSum("Sum", []Param{number("t"), read("b", "d", "d").lower()}, 3, sumTerm),
		symmetricSum("Symmetric", []Param{number("t"), read("b", "d", "d")}, 4, func(a *Activation, i, j int) float64 {
			return a.count(2) * a.Numbers["t"] * (a.entry("b", i, j) + a.entry("b", j, i))
		}),
		symmetricSum("RankTwo", []Param{number("t"), read("u", "d"), read("v", "d").may("u")}, 6,
			func(a *Activation, i, j int) float64 { return a.rankTwo("t", i, j) }),
		symmetricSum("SumRankTwo", []Param{number("t"), read("b", "d", "d").lower(), number("r"), read("u", "d"), read("v", "d").may("u")}, 8,
			func(a *Activation, i, j int) float64 { return sumTerm(a, i, j) + a.count(1)*a.rankTwo("r", i, j) }),
	)
}

// sumTerm is an entry of t B.
func sumTerm(a *Activation, i, j int) float64 {
	return a.count(1) * a.Numbers["t"] * a.entry("b", i, j)
}

// rankTwo is an entry of a multiple of u v' + v u'.
func (a *Activation) rankTwo(factor string, i, j int) float64 {
	u, v := a.Arrays["u"], a.Arrays["v"]
	return a.count(4) * a.Numbers[factor] * (u[i]*v[j] + v[i]*u[j])
}

// symmetricSum is a multiple of a symmetric matrix and something else, into memory that may be that of the matrix: its lower triangle, and all of it.
func symmetricSum(name string, of []Param, flops float64, term func(a *Activation, i, j int) float64) []*Kernel {
	entry := func(a *Activation, i, j int) float64 {
		return a.count(2)*a.Numbers["s"]*a.entry("a", i, j) + term(a, i, j)
	}
	dst := write("dst", "d", "d").may("a")
	params := func(dst Param) []Param {
		return slices.Concat([]Param{dst, number("s"), read("a", "d", "d").lower()}, of, []Param{length("d")})
	}
	return []*Kernel{
		{Name: LowerTriangle + name, Params: params(dst.lower()), Flops: lowerEntries(flops), Reference: func(a *Activation) float64 {
			for i := range a.Lengths["d"] {
				for j := range i + 1 {
					a.Arrays["dst"][i*a.Lengths["d"]+j] = entry(a, i, j)
				}
			}
			return 0
		}},
		{Name: MirroredTriangle + name, Params: params(dst), Flops: lowerEntries(flops), Reference: func(a *Activation) float64 {
			return a.mirrored(func(i, j int) float64 { return entry(a, i, j) })
		}},
	}
}

// How names of kernels begin that write the lower triangle of a symmetric matrix, and of those that do the same and mirror it.
const LowerTriangle, MirroredTriangle = "Lower", "Mirrored"

// lowerEntries counts what is done for each entry of a lower triangle.
func lowerEntries(each float64) func(func(string) float64) float64 {
	return func(n func(string) float64) float64 { return each * n("d") * (n("d") + 1) / 2 }
}

// entrywise is an operation of two arrays of one shape, entry by entry, into memory that may be that of either.
func entrywise(name string, f func(x, y float64) float64) *Kernel {
	return &Kernel{Name: name, Params: []Param{write("dst").any().may("x"), read("x").any().may("y"), read("y").any().may("dst")},
		Flops: size(anySize), Reference: func(a *Activation) float64 {
			for i, x := range a.Arrays["x"] {
				a.Arrays["dst"][i] = a.count(1) * f(x, a.Arrays["y"][i])
			}
			return 0
		}}
}

// rowwise is an operation of each row of a block and one vector.
func rowwise(name string, f func(x, v float64) float64) *Kernel {
	return &Kernel{Name: name, Params: []Param{write("dst", "b", "d").may("x"), read("x", "b", "d"), read("v", "d"), length("b"), length("d")},
		Flops: size("b", "d"), Reference: func(a *Activation) float64 {
			for i, x := range a.Arrays["x"] {
				a.Arrays["dst"][i] = a.count(1) * f(x, a.Arrays["v"][i%a.Lengths["d"]])
			}
			return 0
		}}
}

// Products with vectors.
func ofVectors() []*Kernel {
	return []*Kernel{
		{Name: "MulVec", Params: []Param{write("dst", "r"), read("a", "r", "c"), read("x", "c"), length("r"), length("c")},
			Flops: times(2, "r", "c"), Reference: func(a *Activation) float64 { return a.mulVec(a.Lengths["r"], a.Lengths["c"]) }},
		{Name: "SymmetricMulVec", Params: []Param{write("dst", "d"), read("a", "d", "d"), read("x", "d"), length("d")}, Flops: times(2, "d", "d"),
			Reference: func(a *Activation) float64 { return a.mulVec(a.Lengths["d"], a.Lengths["d"]) }},
		{Name: "MulTVec", Params: []Param{write("dst", "c"), read("a", "r", "c"), read("x", "r"), length("r"), length("c")},
			Flops: times(2, "r", "c"), Reference: func(a *Activation) float64 {
				clear(a.Arrays["dst"])
				return addMulTVec(a, 1)
			}},
		{Name: "AddMulTVec", Params: []Param{update("dst", "c").adds(), number("alpha"), read("a", "r", "c"), read("x", "r"), length("r"),
			length("c")}, Flops: times(2, "r", "c"),
			Reference: func(a *Activation) float64 { return addMulTVec(a, a.Numbers["alpha"]) }},
		{Name: "PlusOuter", Params: []Param{write("dst", "r", "c").may("a"), read("a", "r", "c"), number("alpha"), read("u", "r"),
			read("v", "c").may("u"), length("r"), length("c")}, Flops: times(3, "r", "c"), Reference: func(a *Activation) float64 {
			c := a.Lengths["c"]
			for i, x := range a.Arrays["a"] {
				a.Arrays["dst"][i] = x + a.count(3)*a.Numbers["alpha"]*(a.Arrays["u"][i/c]*a.Arrays["v"][i%c])
			}
			return 0
		}},
		rowwise("RowsPlus", func(x, v float64) float64 { return x + v }),
		rowwise("RowsLess", func(x, v float64) float64 { return x - v }),
		{Name: "LessRows", Params: []Param{write("dst", "b", "d").may("x"), read("v", "d"), read("x", "b", "d"), length("b"), length("d")},
			Flops: size("b", "d"), Reference: func(a *Activation) float64 {
				for i, x := range a.Arrays["x"] {
					a.Arrays["dst"][i] = a.count(1) * (a.Arrays["v"][i%a.Lengths["d"]] - x)
				}
				return 0
			}},
		{Name: "AddScaledRows", Params: []Param{update("dst", "b", "d").adds(), read("w", "b"), read("x", "b", "d"), length("b"), length("d")},
			Flops: times(2, "b", "d"), Reference: func(a *Activation) float64 {
				for i, x := range a.Arrays["x"] {
					a.Arrays["dst"][i] += a.count(2) * a.Arrays["w"][i/a.Lengths["d"]] * x
				}
				return 0
			}},
		{Name: "AddRowsOuter", Params: []Param{update("dst", "b", "d").adds(), read("w", "b"), read("v", "d"), length("b"), length("d")},
			Flops: times(2, "b", "d"), Reference: func(a *Activation) float64 {
				d := a.Lengths["d"]
				for i := range a.Arrays["dst"] {
					a.Arrays["dst"][i] += a.count(2) * a.Arrays["w"][i/d] * a.Arrays["v"][i%d]
				}
				return 0
			}},
		{Name: "RowsDot", Params: []Param{write("dst", "b"), read("x", "b", "d"), read("y", "b", "d").may("x"), length("b"),
			length("d")}, Flops: times(2, "b", "d"), Reference: func(a *Activation) float64 { return rowsDot(a, "x", "y") }},
		{Name: "RowsSquare", Params: []Param{write("dst", "b"), read("x", "b", "d"), length("b"), length("d")},
			Flops: times(2, "b", "d"), Reference: func(a *Activation) float64 { return rowsDot(a, "x", "x") }},
	}
}

// Products of matrices.
func ofMatrices() []*Kernel {
	return []*Kernel{
		{Name: "Mul", Params: []Param{write("dst", "m", "n"), read("a", "m", "k"), read("b", "k", "n").may("a"), length("m"),
			length("k"), length("n")}, Flops: times(2, "m", "k", "n"), Once: Work{Products: 1}, InBlock: Work{Products: 1},
			Reference: func(a *Activation) float64 { return product(a, false) }},
		{Name: "MulNT", Params: []Param{write("dst", "m", "n"), read("a", "m", "k"), read("b", "n", "k").may("a"), length("m"),
			length("k"), length("n")}, Flops: times(2, "m", "k", "n"), Once: Work{Products: 1}, InBlock: Work{Products: 1},
			Reference: func(a *Activation) float64 { return product(a, true) }},
		{Name: "MulToLower", Params: []Param{write("dst", "d", "d").lower(), read("a", "d", "k"), read("b", "k", "d").may("a"), length("d"), length("k")},
			Flops: func(n func(string) float64) float64 { d := n("d"); return d * (d + 1) * n("k") }, Once: Work{Products: 1}, InBlock: Work{Products: 1},
			Reference: func(a *Activation) float64 {
				for i := range a.Lengths["d"] {
					for j := range i + 1 {
						sum := 0.0
						for l := range a.Lengths["k"] {
							sum += a.count(2) * a.Arrays["a"][i*a.Lengths["k"]+l] * a.Arrays["b"][l*a.Lengths["d"]+j]
						}
						a.Arrays["dst"][i*a.Lengths["d"]+j] = sum
					}
				}
				return 0
			}},
		{Name: "MulLower", Params: []Param{write("dst", "d", "n"), read("l", "d", "d").zeros(), read("b", "d", "n"), length("d"), length("n")},
			Flops: func(n func(string) float64) float64 { d := n("d"); return d * (d + 1) * n("n") }, Once: Work{Products: 1}, InBlock: Work{Products: 1},
			Reference: func(a *Activation) float64 {
				d, n := a.Lengths["d"], a.Lengths["n"]
				return a.triangular(d, n, func(i, _ int) int { return i + 1 }, func(i, k int) float64 { return a.zeroAbove("l", i, k) },
					func(k, j int) float64 { return a.Arrays["b"][k*n+j] })
			}},
		{Name: "MulNTLower", Params: []Param{write("dst", "m", "d"), read("a", "m", "d"), read("l", "d", "d").zeros(), length("m"), length("d")},
			Flops: func(n func(string) float64) float64 { d := n("d"); return d * (d + 1) * n("m") }, Once: Work{Products: 1}, InBlock: Work{Products: 1},
			Reference: func(a *Activation) float64 {
				m, d := a.Lengths["m"], a.Lengths["d"]
				return a.triangular(m, d, func(_, j int) int { return j + 1 }, func(i, k int) float64 { return a.Arrays["a"][i*d+k] },
					func(k, j int) float64 { return a.zeroAbove("l", j, k) })
			}},
		{Name: "MulLowers", Params: []Param{write("dst", "d", "d"), read("a", "d", "d").zeros(), read("l", "d", "d").zeros().may("a"), length("d")},
			Flops: func(n func(string) float64) float64 { d := n("d"); return d * (d + 1) * (2*d + 1) / 3 }, Once: Work{Products: 1},
			Reference: func(a *Activation) float64 {
				d := a.Lengths["d"]
				return a.triangular(d, d, func(i, j int) int { return min(i, j) + 1 }, func(i, k int) float64 { return a.zeroAbove("a", i, k) },
					func(k, j int) float64 { return a.zeroAbove("l", j, k) })
			}},
		{Name: "AddWeightedGram", Params: []Param{update("dst", "d", "d").lower().adds(), read("w", "b"), read("x", "b", "d"),
			scratch("scratch", "b", "d"), length("b"), length("d")},
			Flops: func(n func(string) float64) float64 { return n("b") * n("d") * (n("d") + 2) },
			Once:  Work{Grams: 1}, InBlock: Work{Grams: 1}, Reference: gram},
		{Name: "AddWeightedCross", Params: []Param{update("dst", "r", "c").adds(), read("w", "b"), read("x", "b", "r"),
			read("y", "b", "c"), scratch("scratch", "b", "r"), length("b"), length("r"), length("c")},
			Flops: func(n func(string) float64) float64 { return n("b") * n("r") * (2*n("c") + 1) },
			Once:  Work{Grams: 1}, InBlock: Work{Grams: 1}, Reference: cross},
		{Name: "AddLowerCross", Params: []Param{update("dst", "d", "d").lower().adds(), read("w", "b"), read("x", "b", "d"),
			read("y", "b", "d"), scratch("scratch", "b", "d"), length("b"), length("d")},
			Flops: func(n func(string) float64) float64 { return n("b") * n("d") * (n("d") + 2) },
			Once:  Work{Grams: 1}, InBlock: Work{Grams: 1}, Reference: lowerCross},
	}
}

// Cholesky factors, and what is made of them.
func ofFactors() []*Kernel {
	return []*Kernel{
		{Name: "Cholesky", Params: []Param{write("dst", "d", "d").may("a"), read("a", "d", "d").lower(), length("d")}, Test: true,
			Flops: func(n func(string) float64) float64 { d := n("d"); return (d*d*d + 1.5*d*d + 0.5*d) / 3 },
			Once:  Work{Factorisations: 1}, Reference: cholesky},
		{Name: "LogDet", Params: []Param{read("l", "d", "d").lower(), length("d")}, Returns: true,
			Flops: func(n func(string) float64) float64 { return 2*n("d") + 1 }, Reference: logDet},
		{Name: "InverseFromCholesky", Params: []Param{write("dst", "d", "d"), read("l", "d", "d").lower(), length("d")},
			Flops: times(2, "d", "d", "d"), Once: Work{Inverses: 1}, Reference: func(a *Activation) float64 {
				return a.inverse(a.Arrays["dst"], a.Arrays["l"], a.Lengths["d"])
			}},
		{Name: "TraceOfInverse", Params: []Param{read("l", "d", "d").lower(), scratch("scratch", "d", "d"), length("d")},
			Returns: true, Flops: func(n func(string) float64) float64 { d := n("d"); return 2*d*d*d + d }, Once: Work{Solves: 1},
			Reference: func(a *Activation) float64 {
				d, trace := a.Lengths["d"], 0.0
				a.inverse(a.Arrays["scratch"], a.Arrays["l"], d)
				for i := range d {
					trace += a.count(1) * a.Arrays["scratch"][i*d+i]
				}
				return trace
			}},
		{Name: "DiagOfSolve", Params: []Param{write("dst", "d"), read("l", "d", "d").lower(), read("s", "d", "d"),
			scratch("scratch", "d", "d"), length("d")}, Once: Work{Solves: 1},
			Flops: func(n func(string) float64) float64 { d := n("d"); return 2*d*d*d + 2*d*d }, Reference: diagOfSolve},
		{Name: "TraceOfSolve", Params: []Param{read("l", "d", "d").lower(), read("s", "d", "d").lower(), scratch("scratch", "d", "d"), length("d")},
			Returns: true, Flops: func(n func(string) float64) float64 { d := n("d"); return 2*d*d*d + d*d + 3*d }, Once: Work{Solves: 1},
			Reference: traceOfSolve},
	}
}

// Triangular solves, in place.
func ofSolves() []*Kernel {
	return []*Kernel{
		{Name: "SolveLower", Params: []Param{update("x", "d"), read("l", "d", "d").lower(), length("d")}, Flops: size("d", "d"),
			Reference: func(a *Activation) float64 { return a.solveLower(a.Arrays["x"], a.Arrays["l"], a.Lengths["d"]) }},
		{Name: "SolveLowerT", Params: []Param{update("x", "d"), read("l", "d", "d").lower(), length("d")}, Flops: size("d", "d"),
			Reference: func(a *Activation) float64 { return a.solveLowerT(a.Arrays["x"], a.Arrays["l"], a.Lengths["d"]) }},
		{Name: "Solve", Params: []Param{update("x", "d"), read("l", "d", "d").lower(), length("d")}, Flops: times(2, "d", "d"),
			Reference: func(a *Activation) float64 { return a.solve(a.Arrays["x"], a.Arrays["l"], a.Lengths["d"]) }},
		rowSolve("SolveLowerRows", 1, (*Activation).solveLower),
		rowSolve("SolveLowerTRows", 1, (*Activation).solveLowerT),
		rowSolve("SolveRows", 2, (*Activation).solve),
		{Name: "SolveLowerHalf", Params: []Param{write("dst", "d", "d").may("x"), read("x", "d", "d").lower(), read("l", "d", "d").lower(), length("d")},
			Once:  Work{Solves: 1},
			Flops: func(n func(string) float64) float64 { d := n("d"); return d*(d+1)*(2*d+1)/6 + d },
			Reference: func(a *Activation) float64 {
				d := a.Lengths["d"]
				copy(a.Arrays["dst"], a.Arrays["x"])
				for i := range d { // equations up to the row's own
					a.solveLeading(a.Arrays["dst"][i*d:(i+1)*d], a.Arrays["l"], d, i+1)
				}
				return lowerHalf(a)
			}},
		{Name: "SolveLowerBoth", Params: []Param{update("x", "d", "d"), scratch("scratch", "d", "d"), read("l", "d", "d").lower(), length("d")},
			Once: Work{Solves: 2}, Flops: bothSolves, Reference: func(a *Activation) float64 {
				return a.solveBoth(a.Arrays["x"], a.Arrays["scratch"], a.Arrays["x"], false)
			}},
		{Name: "SolveLowerTBoth", Params: []Param{write("dst", "d", "d"), update("x", "d", "d"), read("l", "d", "d").lower(), length("d")},
			Once: Work{Solves: 2}, Flops: bothSolves, Reference: func(a *Activation) float64 {
				return a.solveBoth(a.Arrays["x"], a.Arrays["dst"], a.Arrays["dst"], true)
			}},
		{Name: "RowsSquareOfSolve", Params: []Param{write("dst", "b"), read("x", "b", "d"), scratch("scratch", "b", "d"), read("l", "d", "d").lower(),
			length("b"), length("d")}, Once: Work{Solves: 1}, InBlock: Work{Solves: 1},
			Flops: func(n func(string) float64) float64 { return n("b") * n("d") * (n("d") + 2) },
			Reference: func(a *Activation) float64 {
				d := a.Lengths["d"]
				for i := range a.Lengths["b"] {
					x := slices.Clone(a.Arrays["x"][i*d : (i+1)*d])
					a.solveLower(x, a.Arrays["l"], d)
					a.Arrays["dst"][i] = a.dot(x, x)
				}
				return 0
			}},
	}
}

// What combines components.
func ofComponents() []*Kernel {
	return []*Kernel{
		{Name: "LogSumExp", Params: []Param{write("dst", "b"), read("terms", "k", "b"), length("b"), length("k")},
			Flops: func(n func(string) float64) float64 { return n("b") * (expCost*n("k") + logCost) },
			Reference: func(a *Activation) float64 {
				return a.logSumExp(nil, a.Arrays["dst"], a.Arrays["terms"], a.Lengths["b"], a.Lengths["k"])
			}},
		{Name: "Softmax", Less: []string{"LogSumExp"}, Params: []Param{write("resp", "k", "b").may("terms"), write("dst", "b"), read("terms", "k", "b"),
			length("b"), length("k")},
			Flops: func(n func(string) float64) float64 { return n("b") * (expCost*n("k") + logCost + n("k")) },
			Reference: func(a *Activation) float64 {
				return a.logSumExp(a.Arrays["resp"], a.Arrays["dst"], a.Arrays["terms"], a.Lengths["b"], a.Lengths["k"])
			}},
		{Name: "LogSumExpOf", Params: []Param{read("terms", "k")}, Returns: true,
			Flops: func(n func(string) float64) float64 { return expCost*n("k") + logCost },
			Reference: func(a *Activation) float64 {
				out := make([]float64, 1)
				a.logSumExp(nil, out, a.Arrays["terms"], 1, len(a.Arrays["terms"]))
				return out[0]
			}},
		{Name: "SoftmaxOf", Params: []Param{write("dst", "k").may("terms"), read("terms", "k")},
			Flops: func(n func(string) float64) float64 { return expCost*n("k") + logCost + n("k") },
			Reference: func(a *Activation) float64 {
				return a.logSumExp(a.Arrays["dst"], make([]float64, 1), a.Arrays["terms"], 1, len(a.Arrays["terms"]))
			}},
	}
}

// ofFunctions are the functions that are computed for all entries of an array. Flops are those of the functions one by one.
func ofFunctions() []*Kernel {
	var out []*Kernel
	for _, f := range expr.Slices {
		ops := f.Ops()
		k := &Kernel{Name: f.Name, Special: true}
		cost := 0.0
		for _, op := range ops {
			k.Params = append(k.Params, write(op.Name).any())
			cost += op.Cost
		}
		k.Params[0].May = "x"
		k.Params = append(k.Params, read("x").any())
		args := func(_ *Activation, x float64) []float64 { return []float64{x} }
		if f.Type != "" {
			k.Params = append(k.Params, Param{Name: preparedOperand, Prepared: f.Type})
			args = func(a *Activation, x float64) []float64 {
				prepared, _ := expr.Preparation(ops[0])
				return slices.Insert([]float64{x}, prepared.Operand, a.Numbers[preparedOperand])
			}
		}
		k.Flops = times(cost, anySize)
		k.Reference = func(a *Activation) float64 {
			for i, x := range slices.Clone(a.Arrays["x"]) {
				for _, op := range ops {
					a.Arrays[op.Name][i] = a.count(op.Cost) * op.Eval(args(a, x))
				}
			}
			return 0
		}
		for _, less := range expr.Slices {
			if less.Type == f.Type && subset(less.Ops(), ops) {
				k.Less = append(k.Less, less.Name)
			}
		}
		out = append(out, k)
	}
	return out
}

// subset reports whether functions are some of others, not all.
func subset(some, all []*expr.Op) bool {
	return len(some) < len(all) && !slices.ContainsFunc(some, func(op *expr.Op) bool { return !slices.Contains(all, op) })
}

// Without is the kernel that computes what this one does without results that are not wanted, with its operands; nil where there is none, or all
// are wanted.
func (k *Kernel) Without(unwanted func(param int) bool, args []Operand) (*Kernel, []Operand) {
	if k.Less == nil {
		return nil, nil
	}
	var params []Param
	var left []Operand
	for i, p := range k.Params {
		if p.Access != Writes || !unwanted(i) {
			params, left = append(params, p), append(left, args[i])
		}
	}
	if len(params) == len(k.Params) {
		return nil, nil
	}
	for _, name := range k.Less {
		less := Kernels()[name]
		if slices.EqualFunc(less.Params, params, func(p, q Param) bool { return p.Name == q.Name }) {
			return less, left
		}
	}
	return nil, nil
}

// preparedOperand is the name of an operand that has been prepared.
const preparedOperand = "prepared"

// anySize is the length of operands of any shape.
const anySize = "size"

// The costs of functions that kernels call, in flops: those of the table of functions.
const (
	expCost = 10
	logCost = 10
)

// rowSolve is a triangular solve for every row of a block, or of a matrix, in place.
func rowSolve(name string, triangles int, one func(a *Activation, x, l []float64, d int) float64) *Kernel {
	return &Kernel{Name: name, Params: []Param{update("x", "b", "d"), read("l", "d", "d").lower(), length("b"), length("d")},
		Flops: times(float64(triangles), "b", "d", "d"), Once: Work{Solves: triangles}, InBlock: Work{Solves: triangles},
		Reference: func(a *Activation) float64 {
			d := a.Lengths["d"]
			for i := range a.Lengths["b"] {
				one(a, a.Arrays["x"][i*d:(i+1)*d], a.Arrays["l"], d)
			}
			return 0
		}}
}

// Activation is a call of a kernel: its operands by their names, and how many flops it has taken so far.
type Activation struct {
	Arrays  map[string][]float64
	Lengths map[string]int
	Numbers map[string]float64
	Flops   float64
	// Indefinite is set by a factorisation of a matrix that is not positive definite.
	Indefinite bool
}

// count counts flops; it is 1, so that it may stand in front of what it counts.
func (a *Activation) count(flops float64) float64 { a.Flops += flops; return 1 }

func (a *Activation) dot(x, y []float64) float64 {
	sum := 0.0
	for i := range x {
		sum += a.count(2) * x[i] * y[i]
	}
	return sum
}

// triangular writes the products of a matrix and another of so many rows and columns, of which each entry has so many terms.
func (a *Activation) triangular(rows, columns int, terms func(i, j int) int, left, right func(i, j int) float64) float64 {
	for i := range rows {
		for j := range columns {
			sum := 0.0
			for k := range terms(i, j) {
				sum += a.count(2) * left(i, k) * right(k, j)
			}
			a.Arrays["dst"][i*columns+j] = sum
		}
	}
	return 0
}

// zeroAbove is an entry of a matrix that has zeros above its diagonal, NaN if one in its row is not.
func (a *Activation) zeroAbove(name string, i, j int) float64 {
	d := a.Lengths["d"]
	for _, x := range a.Arrays[name][i*d+i+1 : (i+1)*d] {
		if x != 0 {
			return math.NaN()
		}
	}
	return a.Arrays[name][i*d+j]
}

func mirror(a *Activation) float64 {
	d, m := a.Lengths["d"], a.Arrays["dst"]
	for i := range d {
		for j := range i {
			m[j*d+i] = m[i*d+j]
		}
	}
	return 0
}

func lowerHalf(a *Activation) float64 {
	d, m := a.Lengths["d"], a.Arrays["dst"]
	for i := range d {
		m[i*d+i] *= a.count(1) * 0.5
		clear(m[i*d+i+1 : (i+1)*d])
	}
	return 0
}

// accumulate replaces the entries of every row by their sums up to each, or from each on.
func (a *Activation) accumulate(rows, d int, fromEnd bool) float64 {
	for i := range rows {
		sum := 0.0
		for j := range d {
			if fromEnd {
				j = d - 1 - j
			}
			sum += a.count(1) * a.Arrays["dst"][i*d+j]
			a.Arrays["dst"][i*d+j] = sum
		}
	}
	return 0
}

// entry is one of a square matrix.
func (a *Activation) entry(name string, i, j int) float64 { return a.Arrays[name][i*a.Lengths["d"]+j] }

// mirrored writes the symmetric matrix with a lower triangle.
func (a *Activation) mirrored(lower func(i, j int) float64) float64 {
	d, dst := a.Lengths["d"], a.Arrays["dst"]
	for i := range d {
		for j := range i + 1 {
			x := lower(i, j)
			dst[i*d+j], dst[j*d+i] = x, x
		}
	}
	return 0
}

func transpose(a *Activation) float64 {
	r, c := a.Lengths["r"], a.Lengths["c"]
	for i := range r {
		for j := range c {
			a.Arrays["dst"][j*r+i] = a.Arrays["a"][i*c+j]
		}
	}
	return 0
}

func (a *Activation) mulVec(r, c int) float64 {
	for i := range r {
		a.Arrays["dst"][i] = a.dot(a.Arrays["a"][i*c:(i+1)*c], a.Arrays["x"])
	}
	return 0
}

func addMulTVec(a *Activation, alpha float64) float64 {
	c := a.Lengths["c"]
	for i := range a.Lengths["r"] {
		for j := range c {
			a.Arrays["dst"][j] += a.count(2) * alpha * a.Arrays["a"][i*c+j] * a.Arrays["x"][i]
		}
	}
	return 0
}

func rowsDot(a *Activation, x, y string) float64 {
	d := a.Lengths["d"]
	for i := range a.Lengths["b"] {
		a.Arrays["dst"][i] = a.dot(a.Arrays[x][i*d:(i+1)*d], a.Arrays[y][i*d:(i+1)*d])
	}
	return 0
}

func product(a *Activation, transposed bool) float64 {
	m, k, n := a.Lengths["m"], a.Lengths["k"], a.Lengths["n"]
	for i := range m {
		for j := range n {
			sum := 0.0
			for l := range k {
				at := l*n + j
				if transposed {
					at = j*k + l
				}
				sum += a.count(2) * a.Arrays["a"][i*k+l] * a.Arrays["b"][at]
			}
			a.Arrays["dst"][i*n+j] = sum
		}
	}
	return 0
}

func gram(a *Activation) float64 {
	d := a.Lengths["d"]
	for i := range a.Lengths["b"] {
		row := a.Arrays["x"][i*d : (i+1)*d]
		for j := range d {
			wx := a.count(1) * a.Arrays["w"][i] * row[j]
			for l := range j + 1 {
				a.Arrays["dst"][j*d+l] += a.count(2) * wx * row[l]
			}
		}
	}
	return 0
}

func lowerCross(a *Activation) float64 {
	d := a.Lengths["d"]
	for i := range a.Lengths["b"] {
		for j := range d {
			wx := a.count(1) * a.Arrays["w"][i] * a.Arrays["x"][i*d+j]
			for l := range j + 1 {
				a.Arrays["dst"][j*d+l] += a.count(2) * wx * a.Arrays["y"][i*d+l]
			}
		}
	}
	return 0
}

func cross(a *Activation) float64 {
	r, c := a.Lengths["r"], a.Lengths["c"]
	for i := range a.Lengths["b"] {
		for j := range r {
			wx := a.count(1) * a.Arrays["w"][i] * a.Arrays["x"][i*r+j]
			for l := range c {
				a.Arrays["dst"][j*c+l] += a.count(2) * wx * a.Arrays["y"][i*c+l]
			}
		}
	}
	return 0
}

func cholesky(a *Activation) float64 {
	d, l := a.Lengths["d"], a.Arrays["dst"]
	copy(l, a.Arrays["a"])
	for i := range d {
		for j := range i + 1 {
			sum := l[i*d+j]
			for k := range j {
				sum -= a.count(2) * l[i*d+k] * l[j*d+k]
			}
			a.count(1)
			if i > j {
				l[i*d+j] = sum / l[j*d+j]
				continue
			}
			if !(sum > 0) || math.IsInf(sum, 1) {
				a.Indefinite = true
				return 0
			}
			l[i*d+i] = math.Sqrt(sum)
		}
		clear(l[i*d+i+1 : (i+1)*d])
	}
	return 0
}

func logDet(a *Activation) float64 {
	d, sum := a.Lengths["d"], 0.0
	for i := range d {
		sum += a.count(2) * math.Log(a.Arrays["l"][i*d+i])
	}
	return 2 * sum * a.count(1)
}

func (a *Activation) solveLower(x, l []float64, d int) float64 { return a.solveLeading(x, l, d, d) }

// solveLeading solves the first n of d equations.
func (a *Activation) solveLeading(x, l []float64, d, n int) float64 {
	for i := range n {
		sum := x[i]
		for k := range i {
			sum -= a.count(2) * l[i*d+k] * x[k]
		}
		x[i] = a.count(1) * sum / l[i*d+i]
	}
	return 0
}

func (a *Activation) solveLowerT(x, l []float64, d int) float64 { return a.solveTrailing(x, l, d, 0) }

// solveTrailing solves the equations of L' from one on.
func (a *Activation) solveTrailing(x, l []float64, d, from int) float64 {
	for i := d - 1; i >= from; i-- {
		sum := x[i]
		for k := i + 1; k < d; k++ {
			sum -= a.count(2) * l[k*d+i] * x[k]
		}
		x[i] = a.count(1) * sum / l[i*d+i]
	}
	return 0
}

// bothSolves counts a solve of all rows, and one of what a symmetric result needs of each.
func bothSolves(n func(string) float64) float64 { d := n("d"); return d*d*d + d*(d+1)*(2*d+1)/6 }

// solveBoth solves with a symmetric matrix from both sides. Of a row of the result the second solve takes the entries up to the diagonal, with the transpose
// those from it on.
func (a *Activation) solveBoth(x, flipped, dst []float64, transposed bool) float64 {
	d, l := a.Lengths["d"], a.Arrays["l"]
	for i := range d {
		row := x[i*d : (i+1)*d]
		if transposed {
			a.solveLowerT(row, l, d)
		} else {
			a.solveLower(row, l, d)
		}
		for j, v := range row {
			flipped[j*d+i] = v
		}
	}
	for i := range d {
		row, from, to := flipped[i*d:(i+1)*d], 0, i+1
		if transposed {
			from, to = i, d
			a.solveTrailing(row, l, d, i)
		} else {
			a.solveLeading(row, l, d, i+1)
		}
		for j := from; j < to; j++ {
			dst[i*d+j], dst[j*d+i] = row[j], row[j]
		}
	}
	return 0
}

func (a *Activation) solve(x, l []float64, d int) float64 {
	a.solveLower(x, l, d)
	return a.solveLowerT(x, l, d)
}

// inverse writes the inverse of a matrix with a Cholesky factor.
func (a *Activation) inverse(dst, l []float64, d int) float64 {
	clear(dst[:d*d])
	for i := range d {
		dst[i*d+i] = 1
		a.solve(dst[i*d:(i+1)*d], l, d)
	}
	return 0
}

func diagOfSolve(a *Activation) float64 {
	d, inverse := a.Lengths["d"], a.Arrays["scratch"]
	a.inverse(inverse, a.Arrays["l"], d)
	for i := range d {
		a.Arrays["dst"][i] = a.dot(inverse[i*d:(i+1)*d], a.Arrays["s"][i*d:(i+1)*d])
	}
	return 0
}

// logSumExp writes the logarithms of sums of exponentials, and where resp is not nil the terms' shares of the sums.
func (a *Activation) logSumExp(resp, dst, terms []float64, b, k int) float64 {
	for i := range b {
		top := math.Inf(-1)
		for c := range k {
			top = math.Max(top, terms[c*b+i])
		}
		sum := 0.0
		for c := range k {
			sum += a.count(expCost) * math.Exp(terms[c*b+i]-top)
		}
		total := top + a.count(logCost)*math.Log(sum)
		if math.IsInf(top, 0) {
			total = top
		}
		for c := range k {
			if resp != nil {
				resp[c*b+i] = a.count(1) * math.Exp(terms[c*b+i]-total)
			}
		}
		dst[i] = total
	}
	return 0
}

func traceOfSolve(a *Activation) float64 {
	a.inverse(a.Arrays["scratch"], a.Arrays["l"], a.Lengths["d"])
	return a.symmetricDot(a.Arrays["scratch"], a.Arrays["s"])
}

// symmetricDot adds up the products of the entries of symmetric matrices, those below the diagonal twice.
func (a *Activation) symmetricDot(x, y []float64) float64 {
	d, sum := a.Lengths["d"], 0.0
	for i := range d {
		row, of := x[i*d:i*d+i+1], y[i*d:i*d+i+1]
		sum += a.count(4) * (2*a.dot(row[:i], of[:i]) + row[i]*of[i])
	}
	return sum
}
