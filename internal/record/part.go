// Package record makes the rows that a model takes of the columns of a file: of which columns each part of a row is made, with
// indicators for labels, products, functions of columns, and levels that are numbered.
package record

import (
	"cmp"
	"io"
	"slices"

	"github.com/sngdgen/sngdgen/internal/table"
	"github.com/sngdgen/sngdgen/runtime/types"
	"github.com/sngdgen/sngdgen/spec"
)

// Part is one of the data of a problem: a number or a vector, for each row or once.
type Part struct {
	Name   string
	Words  string // what people are told it is, where that is not its name
	Type   string
	ByRow  bool
	Vector bool
	Length int    // of a vector that the spec pins, otherwise 0
	Dim    string // the name of that length, where it has one
	// Numbers is what a number of the entries of something is of.
	Numbers Numbered
	// Observed is said of what the density is about.
	Observed bool
	// Independent is said of a vector that leaves out columns which are combinations of others.
	Independent bool
	// Linear is said of the columns of a predictor of which what is observed, a real number, is a linear function but for its errors.
	Linear bool
}

// Called is what people are told that a part is.
func (p Part) Called() string { return cmp.Or(p.Words, p.Name) }

// Of lists the parts of the data of a problem, in the order in which a model takes them: of a likelihood those of a row, what is
// observed and then what is given.
func Of(p *spec.Problem) (out []Part) {
	if p.VI != nil {
		return ofPosterior(p)
	}
	observed := p.Observed()
	for i, q := range p.Record() {
		one := Part{Name: q.Name, Type: q.Type.String(), ByRow: true, Vector: len(q.Type.Dims) > 0, Observed: i < len(observed), Numbers: numberedBy(p, q)}
		if one.Vector {
			one.Length = lengthOf(p, q.Type.Dims[0].Name, q.Type.Dims[0].Size)
		}
		out = append(out, one)
	}
	return out
}

// rowsName is the dimension of what is given for each row.
const rowsName = "n"

func ofPosterior(p *spec.Problem) (out []Part) {
	for _, q := range p.VI.Data {
		one := Part{Name: q.Name, Type: q.Type.String(), Numbers: numberedBy(p, q)}
		dims := q.Type.Dims
		if len(dims) > 0 && dims[0].Name == rowsName {
			one.ByRow, dims = true, dims[1:]
		}
		if one.Vector = len(dims) > 0; one.Vector {
			one.Length, one.Dim = lengthOf(p, dims[0].Name, dims[0].Size), dims[0].Name
		}
		out = append(out, one)
	}
	return out
}

// lengthOf returns the length of a dimension with a name or a size, 0 where the spec leaves it open.
func lengthOf(p *spec.Problem, name string, size int) int {
	if name == "" {
		return size
	}
	for _, pin := range p.Dimensions {
		if pin.Name == name {
			return pin.Size
		}
	}
	return 0
}

// Reader reads rows.
type Reader struct {
	// Options of the file, but for the columns.
	Options table.Options
	// Open reads the file.
	Open func(table.Options) (*table.Table, error)
	// Notes is where it is said of what the parts are made, a line each: notes, warnings and hints.
	Notes io.Writer
}

// Fault is an error in what was asked for.
type Fault struct{ error }

// Unwrap returns the error.
func (f Fault) Unwrap() error { return f.error }

// Entries is what each of so many columns is, of several variables. Those of a length that the data tell share it equally.
func Entries(parts []spec.Param, columns int) (out []*types.Entry) {
	open, rest := 0, columns
	for _, q := range parts {
		switch {
		case q.Type.IsScalar():
			rest--
		case q.Type.Dims[0].Size > 0:
			rest -= q.Type.Dims[0].Size
		default:
			open++
		}
	}
	for _, q := range parts {
		width := 1
		if !q.Type.IsScalar() {
			if width = q.Type.Dims[0].Size; width == 0 {
				width = rest / open
			}
		}
		out = append(out, slices.Repeat([]*types.Entry{q.Type.Type().Entry}, width)...)
	}
	return out
}
