package expr

import (
	"math"
	"slices"
)

func init() {
	for _, op := range linalgOps {
		op.factRule = func(*Node) (Range, bool) { return Real, false }
	}
	entry := func(n *Node) (Range, bool) { return n.Args[0].Facts.Range, n.Args[0].Facts.Integer }
	Eye.factRule = func(*Node) (Range, bool) { return UnitClosed, true }
	Ones.factRule = func(*Node) (Range, bool) { return Point(1), true }
	Iota.factRule = func(n *Node) (Range, bool) {
		r := Range{Lo: 1, Hi: math.Inf(1), HiOpen: true}
		if size := n.Type.Dims[0].Size; size > 0 {
			r.Hi, r.HiOpen = float64(size), false
		}
		return r, true
	}
	Table.factRule = func(n *Node) (Range, bool) {
		return Range{Lo: slices.Min(n.Coefs), Hi: slices.Max(n.Coefs)}, !slices.ContainsFunc(n.Coefs, func(v float64) bool { return v != math.Trunc(v) })
	}
	Transpose.factRule = entry
	Outer.factRule = func(n *Node) (Range, bool) {
		x, y := n.Args[0].Facts, n.Args[1].Facts
		return x.Range.times(y.Range), x.Integer && y.Integer
	}
	Diag.factRule = func(n *Node) (Range, bool) {
		r, integer := entry(n)
		if n.Args[0].Facts.Structure&(PositiveDefinite|PositiveDiagonal) != 0 {
			r = positivePart(r)
		}
		return r, integer
	}
	Dot.factRule = func(n *Node) (Range, bool) {
		x, y := n.Args[0], n.Args[1]
		if entry, ok := n.entryOf(); ok {
			return entry.Facts.Range, entry.Facts.Integer
		}
		switch {
		case x == y && x.Nonzero():
			return Positive, false
		case x == y, y.Op == MatMul && y.Args[len(y.Args)-1] == x && semidefinite(y.Args[:len(y.Args)-1]):
			return Nonnegative, false
		}
		return signOf(x.Facts.Range.times(y.Facts.Range)), false
	}
	Inner.factRule = func(n *Node) (Range, bool) {
		return Real, false
	}
}

// positivePart is the part of a range that is positive; a range without one contradicts what else is known.
func positivePart(r Range) Range {
	if p := r.Intersect(Positive); !p.Empty() {
		return p
	}
	return Positive
}

// signOf is what the sign of the terms says of a sum of at least one of them.
func signOf(r Range) Range {
	for _, s := range []Range{Positive, Nonnegative, Negative, Nonpositive} {
		if r.Within(s) {
			return s
		}
	}
	return Real
}

// structureOf is what is known of a matrix from the way it is computed.
func structureOf(n *Node) Structure {
	if n.Type.Rank != 2 {
		return 0
	}
	switch n.Op {
	case Eye:
		return Symmetric | PositiveDefinite | LowerTriangular | Diagonal | UnitDiagonal | PositiveDiagonal
	case DiagMat:
		s := Symmetric | LowerTriangular | Diagonal
		if n.Args[0].Positive() {
			s |= PositiveDefinite | PositiveDiagonal
		}
		return s
	case Chol:
		return LowerTriangular | PositiveDiagonal
	case LowerHalf:
		return LowerTriangular | n.Args[0].Facts.Structure&ZeroDiagonal
	case Inv:
		return invStructure(n.Args[0].Facts.Structure)
	case Outer:
		if n.Args[0] == n.Args[1] {
			return Symmetric
		}
	case MatMul:
		return matMulStructure(n.Args)
	case opSum:
		return n.Args[0].Facts.Structure & Symmetric
	case opLin:
		return linStructure(n)
	case opProd:
		return prodStructure(n)
	case opPow:
		return entriesStructure(n, func() bool { return false })
	}
	return 0
}

// invStructure: the diagonal of an inverse is positive where the matrix is definite or triangular, but not one of ones
// unless the matrix is triangular.
func invStructure(s Structure) Structure {
	if s&LowerTriangular == 0 {
		s &^= UnitDiagonal
		if s&PositiveDefinite == 0 {
			s &^= PositiveDiagonal
		}
	}
	return s
}

// matMulStructure: A B A' is symmetric, and positive definite where B is and A has an inverse; products of triangular
// matrices are triangular.
func matMulStructure(args []*Node) Structure {
	s := LowerTriangular | PositiveDiagonal
	for _, a := range args {
		s &= a.Facts.Structure
	}
	if s&LowerTriangular == 0 { // then the diagonal is not the product of diagonals
		s = 0
	}
	if palindrome(args) {
		s |= Symmetric
		if definite(args) {
			s |= PositiveDefinite | PositiveDiagonal
		}
	}
	return s
}

// definite reports whether a product that is its own transpose is positive definite.
func definite(args []*Node) bool {
	half := len(args) / 2
	if !semidefinite(args) {
		return false
	}
	for _, a := range args[:half] {
		if !regular(a) {
			return false
		}
	}
	return true
}

// semidefinite reports whether a product is B A B' with a positive definite A, or B B'.
func semidefinite(args []*Node) bool {
	half := len(args) / 2
	if len(args) == 0 || !palindrome(args) {
		return false
	}
	return len(args)%2 == 0 || args[half].Facts.Structure&PositiveDefinite != 0
}

// regular reports whether a matrix is known to have an inverse: its determinant is positive.
func regular(n *Node) bool {
	if n.Op == Transpose {
		n = n.Args[0]
	}
	if n.Op == Inv {
		return regular(n.Args[0])
	}
	s := n.Facts.Structure
	return s&PositiveDefinite != 0 || s&LowerTriangular != 0 && s&PositiveDiagonal != 0
}

// linStructure: sums of symmetric matrices are symmetric, positive sums of positive definite ones are positive definite.
// A number counts for every entry.
func linStructure(n *Node) Structure {
	s := Symmetric | PositiveDefinite | LowerTriangular | Diagonal | PositiveDiagonal
	if n.Const != 0 {
		s = Symmetric
	}
	positive := false // whether a term has a positive diagonal
	for i, a := range n.Args {
		t := a.Facts.Structure
		if a.Type.Rank == 0 {
			t = Symmetric
		}
		if n.Coefs[i] < 0 {
			t &^= PositiveDefinite | PositiveDiagonal
		}
		if t&Symmetric == 0 && a.Type.Rank == 2 && n.mirrored(i) {
			t |= Symmetric
		}
		positive = positive || t&PositiveDiagonal != 0
		if t&ZeroDiagonal != 0 {
			t |= PositiveDiagonal // of the sum, if another term makes it so
		}
		s &= t
	}
	if !positive {
		s &^= PositiveDiagonal
	}
	if n.Const == 0 && withoutDiagonal(n) {
		s |= ZeroDiagonal
	}
	if n.Const == 0 && skew(n) {
		s |= Skew
	}
	return s
}

// skew reports whether every term of a sum is the transpose of its negative, or there is the negative of its transpose.
func skew(n *Node) bool {
	for i, a := range n.Args {
		if a.Type.Rank == 0 || a.Facts.Structure&Skew == 0 && !n.pairedAt(i, -n.Coefs[i]) {
			return false
		}
	}
	return true
}

// mirrored reports whether a sum has the transpose of a term too.
func (n *Node) mirrored(i int) bool { return n.pairedAt(i, n.Coefs[i]) }

// pairedAt reports whether a sum has the transpose of a term with a coefficient.
func (n *Node) pairedAt(i int, coef float64) bool {
	for j, b := range n.Args {
		if j != i && n.Coefs[j] == coef && mirror(n.Args[i], b) {
			return true
		}
	}
	return false
}

// mirror reports whether a matrix is the transpose of another as that shows in how they are computed: outer(x, y) and outer(y, x), A B
// and B' A', and multiples of such.
func mirror(a, b *Node) bool {
	switch {
	case transposed(a, b):
		return true
	case a.Op != b.Op || len(a.Args) != len(b.Args):
		return false
	}
	last := len(a.Args) - 1
	switch a.Op {
	case Outer:
		return a.Args[0] == b.Args[1] && a.Args[1] == b.Args[0]
	case MatMul:
		for i, f := range a.Args {
			if !transposed(f, b.Args[last-i]) {
				return false
			}
		}
		return true
	case opProd: // numbers and one matrix, which may stand in different places
		numbers := numbersOf(a)
		return len(numbers) == last && slices.Equal(numbers, numbersOf(b)) && mirror(matrixOf(a), matrixOf(b))
	}
	return false
}

// factorOf is a factor with its power.
type factorOf struct {
	base *Node
	exp  float64
}

// numbersOf are the factors of a product that are numbers.
func numbersOf(n *Node) []factorOf {
	var out []factorOf
	for i, a := range n.Args {
		if a.Type.Rank == 0 {
			out = append(out, factorOf{a, n.Coefs[i]})
		}
	}
	return out
}

// matrixOf is the first factor of a product that is no number.
func matrixOf(n *Node) *Node {
	return n.Args[slices.IndexFunc(n.Args, func(a *Node) bool { return a.Type.Rank > 0 })]
}

// withoutDiagonal reports whether a sum is that of matrices without a diagonal, or a matrix less its diagonal.
func withoutDiagonal(n *Node) bool {
	left := map[*Node]float64{} // of the diagonals of matrices
	for i, a := range n.Args {
		switch {
		case a.Type.Rank == 0:
			return false
		case a.Op == DiagMat && addDiagonals(left, a.Args[0], n.Coefs[i]):
		case a.Facts.Structure&ZeroDiagonal == 0:
			left[a] += n.Coefs[i]
		}
	}
	for _, c := range left {
		if c != 0 {
			return false
		}
	}
	return true
}

// addDiagonals adds the matrices of whose diagonals a vector is a sum; false for other vectors.
func addDiagonals(left map[*Node]float64, v *Node, coef float64) bool {
	switch {
	case v.Op == Diag:
		left[v.Args[0]] += coef
		return true
	case v.Op != opLin || v.Const != 0:
		return false
	}
	for i, a := range v.Args {
		if !addDiagonals(left, a, coef*v.Coefs[i]) {
			return false
		}
	}
	return true
}

// prodStructure: a scalar keeps the shape of a matrix, a positive one its definiteness too. Several matrices, and powers, go entry by
// entry.
func prodStructure(n *Node) Structure {
	matrix, positive := (*Node)(nil), true
	for i, a := range n.Args {
		switch {
		case a.Type.Rank == 0:
			positive = positive && a.Facts.Range.power(n.Coefs[i]).Within(Positive)
		case matrix != nil || n.Coefs[i] != 1:
			return entrywiseStructure(n)
		default:
			matrix = a
		}
	}
	s := matrix.Facts.Structure &^ UnitDiagonal
	if !positive {
		s &^= PositiveDefinite | PositiveDiagonal
	}
	return s
}

// entrywiseStructure is that of a product of powers of entries.
func entrywiseStructure(n *Node) Structure {
	out := Symmetric
	for i, a := range n.Args {
		switch s := a.Facts.Structure; {
		case a.Type.Rank == 0 || s&Symmetric != 0 || s&Skew != 0 && math.Mod(n.Coefs[i], 2) == 0:
		case s&Skew != 0 && math.Abs(math.Mod(n.Coefs[i], 2)) == 1:
			out ^= Symmetric | Skew
		default:
			return 0
		}
	}
	return out
}

// entriesStructure is that of a function of the entries of operands: of two that are each other's transposes, where they may be exchanged.
func entriesStructure(n *Node, commute func() bool) Structure {
	for _, a := range n.Args {
		if a.Type.Rank > 0 && a.Facts.Structure&Symmetric == 0 {
			if len(n.Args) == 2 && mirror(n.Args[0], n.Args[1]) && commute() {
				return Symmetric
			}
			return 0
		}
	}
	return Symmetric
}

// palindrome reports whether a product is its own transpose.
func palindrome(args []*Node) bool {
	for i, j := 0, len(args)-1; i <= j; i, j = i+1, j-1 {
		if !transposed(args[i], args[j]) {
			return false
		}
	}
	return true
}

// transposed reports whether a is the transpose of b.
func transposed(a, b *Node) bool {
	switch {
	case a == b:
		return a.Facts.Structure&Symmetric != 0
	case a.Op == Transpose:
		return a.Args[0] == b
	case b.Op == Transpose:
		return b.Args[0] == a
	case a.Op == opLin && b.Op == opLin && len(a.Args) == len(b.Args) && a.Const == b.Const:
		return transposedTerms(a, b)
	}
	return false
}

// transposedTerms reports whether a sum, whose terms are in an order of their own, has the transpose of each term of another.
func transposedTerms(a, b *Node) bool {
	for i, x := range a.Args {
		found := false
		for j, y := range b.Args {
			found = found || a.Coefs[i] == b.Coefs[j] && transposed(x, y)
		}
		if !found {
			return false
		}
	}
	return true
}
