package expr

import (
	"fmt"
	"math"
	"strconv"

	"github.com/sngdgen/sngdgen/runtime/types"
)

// Range is an interval of the real line. An infinite end is always open: facts speak of real numbers.
type Range struct {
	Lo, Hi         float64
	LoOpen, HiOpen bool
}

// The ranges of the declared types.
var (
	Real        = Range{math.Inf(-1), math.Inf(1), true, true}
	Positive    = Range{0, math.Inf(1), true, true}
	Nonnegative = Range{0, math.Inf(1), false, true}
	Unit        = Range{0, 1, true, true}
	UnitClosed  = Range{0, 1, false, false}
	Negative    = Range{math.Inf(-1), 0, true, true}
	Nonpositive = Range{math.Inf(-1), 0, true, false}
	Signed      = Range{-1, 1, false, false}
)

// Point is the range of one number.
func Point(v float64) Range {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return Real
	}
	return Range{v, v, false, false}
}

// Within reports whether r is a subset of s.
func (r Range) Within(s Range) bool {
	lo := r.Lo > s.Lo || r.Lo == s.Lo && (r.LoOpen || !s.LoOpen)
	hi := r.Hi < s.Hi || r.Hi == s.Hi && (r.HiOpen || !s.HiOpen)
	return lo && hi
}

// Contains reports whether v is in r.
func (r Range) Contains(v float64) bool {
	return (v > r.Lo || v == r.Lo && !r.LoOpen) && (v < r.Hi || v == r.Hi && !r.HiOpen)
}

// Intersect returns the common part of r and s.
func (r Range) Intersect(s Range) Range {
	if s.Lo > r.Lo || s.Lo == r.Lo && s.LoOpen {
		r.Lo, r.LoOpen = s.Lo, s.LoOpen
	}
	if s.Hi < r.Hi || s.Hi == r.Hi && s.HiOpen {
		r.Hi, r.HiOpen = s.Hi, s.HiOpen
	}
	return r
}

// Empty reports whether no number is in r: a contradiction.
func (r Range) Empty() bool {
	return r.Lo > r.Hi || r.Lo == r.Hi && (r.LoOpen || r.HiOpen)
}

// String returns for example "(0, 1]".
func (r Range) String() string {
	open, shut := "[", "]"
	if r.LoOpen {
		open = "("
	}
	if r.HiOpen {
		shut = ")"
	}
	f := func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
	return fmt.Sprintf("%s%s, %s%s", open, f(r.Lo), f(r.Hi), shut)
}

// hull returns the smallest range that r and s are in.
func (r Range) hull(s Range) Range {
	if s.Lo < r.Lo || s.Lo == r.Lo && !s.LoOpen {
		r.Lo, r.LoOpen = s.Lo, s.LoOpen
	}
	if s.Hi > r.Hi || s.Hi == r.Hi && !s.HiOpen {
		r.Hi, r.HiOpen = s.Hi, s.HiOpen
	}
	return r
}

// neg returns the range of -x. An end at 0 stays +0: powers tell the zeros apart.
func (r Range) neg() Range { return Range{0 - r.Hi, 0 - r.Lo, r.HiOpen, r.LoOpen} }

// scale returns the range of c*x for a finite c.
func (r Range) scale(c float64) Range {
	switch {
	case c == 0:
		return Point(0)
	case c < 0:
		return r.neg().scale(-c)
	}
	out := Range{c * r.Lo, c * r.Hi, r.LoOpen, r.HiOpen}
	if out.Lo == 0 && r.Lo != 0 { // underflow
		out.Lo, out.LoOpen = min(math.Copysign(tiny, r.Lo), 0), true
	}
	if out.Hi == 0 && r.Hi != 0 {
		out.Hi, out.HiOpen = max(math.Copysign(tiny, r.Hi), 0), true
	}
	return closed(out)
}

// add returns the range of x + y, ends rounded outwards.
func (r Range) add(s Range) Range {
	lo, below := sum(r.Lo, s.Lo)
	hi, above := sum(r.Hi, s.Hi)
	if below < 0 {
		lo = math.Nextafter(lo, math.Inf(-1))
	}
	if above > 0 {
		hi = math.Nextafter(hi, math.Inf(1))
	}
	return closed(Range{lo, hi, r.LoOpen || s.LoOpen, r.HiOpen || s.HiOpen})
}

// sum returns a + b rounded, and what rounding left out (Knuth's TwoSum).
func sum(a, b float64) (s, lost float64) {
	s = a + b
	c := s - a
	return s, (a - (s - c)) + (b - c)
}

// tiny stands for what is positive but underflows.
const tiny = math.SmallestNonzeroFloat64

// closed opens infinite ends and replaces undefined ones by infinite ones.
func closed(r Range) Range {
	if math.IsNaN(r.Lo) || math.IsInf(r.Lo, 0) {
		r.Lo, r.LoOpen = math.Inf(-1), true
	}
	if math.IsNaN(r.Hi) || math.IsInf(r.Hi, 0) {
		r.Hi, r.HiOpen = math.Inf(1), true
	}
	return r
}

// times returns the range of x*y, exactly when the signs of both are known.
func (r Range) times(s Range) Range {
	switch {
	case r == Point(0) || s == Point(0):
		return Point(0)
	case r.Within(Nonpositive):
		return r.neg().times(s).neg()
	case s.Within(Nonpositive):
		return r.times(s.neg()).neg()
	case !r.Within(Nonnegative) || !s.Within(Nonnegative):
		return Real
	}
	out := Range{Lo: r.Lo * s.Lo, Hi: max(r.Hi*s.Hi, tiny)}
	if out.Lo == 0 { // 0 is attained only by a factor that attains it
		out.LoOpen = r.Within(Positive) && s.Within(Positive)
	} else {
		out.LoOpen = r.LoOpen || s.LoOpen
	}
	out.HiOpen = r.HiOpen || s.HiOpen
	return closed(out)
}

// power returns the range of x^e for a constant e.
func (r Range) power(e float64) Range {
	even := e == math.Trunc(e) && math.Mod(e, 2) == 0
	switch {
	case r == Point(0):
		if e > 0 {
			return r
		}
		return Real
	case r.Within(Positive) && e > 0:
		return closed(Range{math.Pow(r.Lo, e), max(math.Pow(r.Hi, e), tiny), r.LoOpen, r.HiOpen}).Intersect(Positive)
	case r.Within(Nonnegative) && e > 0:
		return closed(Range{math.Pow(r.Lo, e), max(math.Pow(r.Hi, e), tiny), r.LoOpen, r.HiOpen})
	case r.Within(Positive):
		return closed(Range{math.Pow(r.Hi, e), max(math.Pow(r.Lo, e), tiny), r.HiOpen, r.LoOpen}).Intersect(Positive)
	case r.Within(Nonpositive) && even:
		return r.neg().power(e)
	case r.Within(Negative) && e == math.Trunc(e):
		return r.neg().power(e).neg()
	case even && e > 0:
		return Nonnegative
	}
	return Real
}

// Structure is what is known of a matrix.
type Structure uint8

// The structures a matrix may have.
const (
	Symmetric Structure = 1 << iota
	PositiveDefinite
	LowerTriangular
	Diagonal
	UnitDiagonal
	PositiveDiagonal
	ZeroDiagonal
	Skew // the transpose of its negative
)

// Facts are what is known of a value: they come from declared types and from the rules of the operations.
type Facts struct {
	Range     Range // of every entry
	Integer   bool  // every entry is a whole number
	Structure Structure
	Wild      bool // it may not be finite where the symbols of formulas are: see where.go
	OfTable   bool // its entries are functions of those of a table, each by itself
	Overflows bool // these may be infinite where symbols are not: see overflow.go
	Index     Dim  // of what numbers the entries of vectors of this length, from 1; the zero value of anything else
	Beyond    int  // how much greater such a number may be than the length
}

// Unknown is a real number of which nothing is known.
var Unknown = Facts{Range: Real}

// Computed is what is known of a number that has been computed and lies in memory.
var Computed = Facts{Range: Real, Wild: true}

// In is the fact of lying in a range.
func In(r Range) Facts { return Facts{Range: r} }

// Kind is a declared type as a spec writes it, with the facts it stands for.
type Kind struct {
	Name string
	Doc  string
	Type types.Type
	Facts
}

// structures are those of the table of types, as facts.
var structures = map[types.Structure]Structure{
	types.Symmetric: Symmetric, types.PositiveDefinite: PositiveDefinite, types.LowerTriangular: LowerTriangular,
	types.UnitDiagonal: UnitDiagonal, types.PositiveDiagonal: PositiveDiagonal,
}

// KindOf returns a type with its lengths.
func KindOf(t types.Type, lengths ...string) Kind {
	lo, hi, loOpen, hiOpen := t.Range()
	k := Kind{Name: t.Written(lengths...), Doc: t.Doc(lengths...), Type: t,
		Facts: Facts{Range: Range{lo, hi, loOpen, hiOpen}, Integer: t.Entry.Integer}}
	for known, fact := range structures {
		if t.Form.Has(known) {
			k.Structure |= fact
		}
	}
	return k
}
