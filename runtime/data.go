package runtime

import (
	"fmt"
	"strings"
)

// DataError is a value of a data set that the model cannot take.
type DataError struct {
	Row     int // from 0
	Column  int // from 0
	Columns int // numbers in a row: the message names the column when there are several
	Value   float64
	Name    string // of the variable, or "weight"
	Want    string // what the value should have been
}

// Error returns one line; rows and columns are counted from 1, as people do.
func (e *DataError) Error() string {
	at := fmt.Sprintf("row %d", e.Row+1)
	if e.Columns > 1 {
		at += fmt.Sprintf(", column %d", e.Column+1)
	}
	return fmt.Sprintf("%s: %s = %v is not %s", at, e.Name, e.Value, e.Want)
}

// Entries returns the type of each entry of a parameter: real, positive, unit, count or binary; that of a number is its
// own, and that of a matrix real.
func (p *Parameter) Entries() string { return entries(p.Type) }

// Kind returns the type without the type of its entries and its lengths: vector, matrix, spd, corr, lower, simplex, or
// for a number the type itself.
func (p *Parameter) Kind() string {
	_, kind := splitType(p.Type)
	return kind
}

// Default writes the value that a parameter of a model has where nothing else is said, as for draws: 0 for real numbers
// and bits, 1 for positive ones and counts, 1/2 between 0 and 1, entry by entry in vectors, except that n numbers between 0
// and 1, which may be the probabilities of all cases but one, are 1/(n+1); the identity for spd, corr and lower; equal
// parts for a simplex; 0 for other matrices. All components of a mixture have the same. The sizes of the model must be
// known.
func (p *Parameter) Default(dst []float64, m Model) {
	if p.Components {
		one := p.Component()
		for n := one.Len(m); len(dst) > 0; dst = dst[n:] {
			one.Default(dst[:n], m)
		}
		return
	}
	entry := map[string]float64{"positive": 1, "count": 1, "unit": 0.5}[p.Entries()]
	kind := p.Kind()
	switch {
	case kind == "simplex":
		entry = 1 / float64(len(dst))
	case kind == "vector" && p.Entries() == "unit":
		entry = 1 / float64(len(dst)+1)
	}
	for i := range dst {
		dst[i] = entry
	}
	if kind == "spd" || kind == "corr" || kind == "lower" {
		for i := 0; i < len(dst); i += p.Shape[1].Len(m) + 1 {
			dst[i] = 1
		}
	}
}

// entries is the type of the entries of a type.
func entries(typ string) string {
	switch entry, kind := splitType(typ); {
	case entry != "":
		return entry
	case kind == "vector", kind == "matrix", kind == "spd", kind == "corr", kind == "lower":
		return "real"
	case kind == "simplex":
		return "unit"
	default:
		return kind
	}
}

// splitType cuts "count vector(d)" into count and vector.
func splitType(typ string) (entry, kind string) {
	kind, _, _ = strings.Cut(typ, "(")
	if before, after, ok := strings.Cut(kind, " "); ok {
		return before, after
	}
	return "", kind
}
