// Package types is the table of the types of values: what a spec may declare a parameter, an observation or an auxiliary
// parameter to be. The parser, the facts of formulas, checks of data, unconstrained coordinates, intervals and counts of free
// parameters know a type because it has a row here.
//
// A type has two parts: an [Entry], what each number is, and a [Form], how numbers are arranged. `count vector(d)` is the form
// Vector of entries Count, `positive` the form Number of the entry Positive. Lengths are no part of it.
package types

import (
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Type is that of a value, without its lengths. Types are equal when they are the same.
type Type struct {
	Form  *Form
	Entry *Entry
}

// Written returns the type as a spec writes it, with so many lengths as it takes: vector(d), count vector(d), spd(3).
func (t Type) Written(lengths ...string) string {
	if t.Form == Number {
		return t.Entry.Name
	}
	name := t.Form.Name
	if t.Form.Entries == nil && t.Entry != Real {
		name = t.Entry.Name + " " + name
	}
	return name + "(" + strings.Join(lengths[:len(t.Form.Lengths)], ", ") + ")"
}

// MarshalText writes the type with names for its lengths.
func (t Type) MarshalText() ([]byte, error) { return []byte(t.Written(t.Form.Lengths...)), nil }

// Doc says in words what a value is, with so many lengths as the type takes.
func (t Type) Doc(lengths ...string) string {
	switch {
	case t.Form == Number:
		return t.Entry.Doc
	case t.Form == Vector:
		return "a vector of " + lengths[0] + " numbers, each " + t.Entry.Doc
	}
	doc := t.Form.Doc
	for i, name := range t.Form.Lengths {
		doc = strings.ReplaceAll(doc, "<"+name+">", lengths[i])
	}
	return doc
}

// Entry is what a number is: a row of the table of numbers.
type Entry struct {
	Name string // in specs
	Doc  string // what a value is
	Want string // what a value of a data set should have been

	// Lo and Hi are the ends of the range, which may be infinite, and are then open.
	Lo, Hi         float64
	LoOpen, HiOpen bool
	Integer        bool

	// Default is the value where nothing else is said.
	Default float64
	// Numbers is true of what numbers the entries of a length, which specs write in parentheses: index(G).
	Numbers bool
	// Atoms are numbers that have a probability of their own, in order, and Of what the others are, which have a density: positive or 0.
	Atoms []float64
	Of    *Entry
	// Random draws a number for tests: overdispersed counts, skewed positive numbers, heavy-tailed real ones.
	Random func(rng *rand.Rand) float64
	// Link is the unconstrained coordinate, nil of whole numbers and of those with atoms, which have none.
	Link *Link
}

// The entries.
var (
	Real = &Entry{Name: "real", Doc: "a finite number", Want: "a finite number",
		Lo: math.Inf(-1), Hi: math.Inf(1), LoOpen: true, HiOpen: true, Link: Identity,
		Random: func(rng *rand.Rand) float64 { return 1 + 2*rng.NormFloat64()/math.Sqrt(0.3+rng.ExpFloat64()) }}
	Positive = &Entry{Name: "positive", Doc: "a number greater than 0", Want: "a finite number above 0",
		Hi: math.Inf(1), LoOpen: true, HiOpen: true, Default: 1, Link: Log,
		Random: func(rng *rand.Rand) float64 { return rng.ExpFloat64() + 0.3*rng.ExpFloat64() }}
	Unit = &Entry{Name: "unit", Doc: "a number strictly between 0 and 1", Want: "between 0 and 1 (both excluded)",
		Hi: 1, LoOpen: true, HiOpen: true, Default: 0.5, Link: Logit,
		Random: func(rng *rand.Rand) float64 {
			a, b := rng.ExpFloat64()+rng.ExpFloat64(), rng.ExpFloat64()+rng.ExpFloat64()
			return a / (a + b)
		}}
	Count = &Entry{Name: "count", Doc: "a whole number, 0 or greater", Want: "a whole number, 0 or more",
		Hi: math.Inf(1), HiOpen: true, Integer: true, Default: 1,
		Random: func(rng *rand.Rand) float64 { return math.Floor(6 * rng.ExpFloat64()) }}
	Integer = &Entry{Name: "integer", Doc: "a whole number", Want: "a whole number", Lo: math.Inf(-1), Hi: math.Inf(1), LoOpen: true, HiOpen: true,
		Integer: true, Random: func(rng *rand.Rand) float64 { return math.Floor(6*rng.ExpFloat64()) - math.Floor(5*rng.ExpFloat64()) }}
	Binary = &Entry{Name: "binary", Doc: "0 or 1", Want: "0 or 1", Hi: 1, Integer: true,
		Random: func(rng *rand.Rand) float64 { return float64(rng.IntN(2)) }}
	Index = &Entry{Name: "index", Doc: "a whole number, from 1 to a length", Want: "a whole number, 1 or more", Lo: 1, Hi: math.Inf(1), HiOpen: true,
		Integer: true, Default: 1, Numbers: true, Random: func(rng *rand.Rand) float64 { return float64(1 + rng.IntN(3)) }}
)

// Entries lists the table, in the order in which it is shown to users.
var Entries = []*Entry{Real, Positive, Unit, Count, Integer, Binary, Index}

// bounds of numbers, which keep those of the same ends one entry.
type bounds struct{ lo, hi float64 }

var bounded sync.Map // of bounds to *Entry

// Between is what numbers are that lie between two ends, lo < hi, neither of which they reach: real(lo, hi). One end may be infinite;
// between infinite ends are Real numbers. It is one entry for the same ends.
func Between(lo, hi float64) *Entry {
	if math.IsInf(lo, -1) && math.IsInf(hi, 1) {
		return Real
	}
	if e, ok := bounded.Load(bounds{lo, hi}); ok {
		return e.(*Entry)
	}
	a, b := End(lo), End(hi)
	e := &Entry{Name: "real(" + a + ", " + b + ")", Doc: "a number between " + a + " and " + b, Want: "between " + a + " and " + b + " (both excluded)",
		Lo: lo, Hi: hi, LoOpen: true, HiOpen: true, Link: between(lo, hi)}
	switch {
	case math.IsInf(hi, 1):
		e.Doc, e.Want, e.Default = "a number greater than "+a, "a finite number above "+a, lo+1
		e.Random = func(rng *rand.Rand) float64 { return lo + Positive.Random(rng) }
	case math.IsInf(lo, -1):
		e.Doc, e.Want, e.Default = "a number less than "+b, "a finite number below "+b, hi-1
		e.Random = func(rng *rand.Rand) float64 { return hi - Positive.Random(rng) }
	default:
		e.Default = lo + (hi-lo)/2
		e.Random = func(rng *rand.Rand) float64 { return lo + (hi-lo)*Unit.Random(rng) }
	}
	kept, _ := bounded.LoadOrStore(bounds{lo, hi}, e)
	return kept.(*Entry)
}

// mixed are the entries with atoms, by their names.
var mixed sync.Map

// With is what numbers are that are of an entry of real numbers, or one of some others, each of which may have a probability of its own:
// positive or 0. It is one entry for the same numbers.
func (e *Entry) With(atoms ...float64) *Entry {
	points := slices.Clone(atoms)
	slices.Sort(points)
	points = slices.Compact(points)
	if len(points) == 0 {
		return e
	}
	name, doc, want := e.Name, e.Doc, strings.TrimSuffix(e.Want, " (both excluded)")
	for _, x := range points {
		name += " or " + End(x)
		doc += ", or " + End(x)
		want += ", or " + End(x)
	}
	if m, ok := mixed.Load(name); ok {
		return m.(*Entry)
	}
	m := &Entry{Name: name, Doc: doc, Want: want, Lo: e.Lo, Hi: e.Hi, LoOpen: e.LoOpen, HiOpen: e.HiOpen, Default: e.Default, Atoms: points, Of: e}
	if first := points[0]; first <= m.Lo {
		m.Lo, m.LoOpen = first, false
	}
	if last := points[len(points)-1]; last >= m.Hi {
		m.Hi, m.HiOpen = last, false
	}
	m.Random = func(rng *rand.Rand) float64 {
		if rng.IntN(4) == 0 {
			return points[rng.IntN(len(points))]
		}
		return e.Random(rng)
	}
	kept, _ := mixed.LoadOrStore(name, m)
	return kept.(*Entry)
}

// Smooth is what numbers of an entry are that have no probability of their own.
func (e *Entry) Smooth() *Entry {
	if e.Of != nil {
		return e.Of
	}
	return e
}

// Infinity is how specs write an end that is infinite.
const Infinity = "infinity"

// End is an end of a range as specs write it.
func End(x float64) string {
	switch {
	case math.IsInf(x, 1):
		return Infinity
	case math.IsInf(x, -1):
		return "-" + Infinity
	}
	return strconv.FormatFloat(x, 'g', -1, 64)
}

// Bounded reports whether an entry is one of Between.
func (e *Entry) Bounded() bool { return !e.Integer && e.Of == nil && EntryNamed(e.Name) == nil }

// EntryNamed returns the entry of that name, nil if there is none.
func EntryNamed(name string) *Entry {
	for _, e := range Entries {
		if e.Name == name {
			return e
		}
	}
	return nil
}

// Contains reports whether x is such a number. Whole numbers end at 2^53, from where on neighbouring ones are no longer distinct.
func (e *Entry) Contains(x float64) bool {
	if e.Of != nil {
		return slices.Contains(e.Atoms, x) || e.Of.Contains(x)
	}
	within := (x > e.Lo || x == e.Lo && !e.LoOpen) && (x < e.Hi || x == e.Hi && !e.HiOpen)
	return within && (!e.Integer || math.Abs(x) < 1<<53 && x == math.Trunc(x))
}

// Binary reports whether there are but two values.
func (e *Entry) Binary() bool { return e.Integer && e.Hi == e.Lo+1 }
