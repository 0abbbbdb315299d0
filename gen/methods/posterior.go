package methods

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/gen/bind"
	"github.com/sngdgen/sngdgen/gen/derive"
	"github.com/sngdgen/sngdgen/gen/program"
	"github.com/sngdgen/sngdgen/gen/program/wording"
)

// Posterior is what the package of a posterior has besides, for who runs its programs.
type Posterior struct {
	// Noise are the fields with the random numbers of the draws, in the order in which they are made, Columns all fields with something
	// for every draw.
	Noise   []Noise
	Columns []Column
	// Evaluations are the functions that evaluate the log joint density at one draw.
	Evaluations map[program.Evaluate]string
	// Linear are the linear predictors that these functions read.
	Linear map[expr.Terms][]LinearPredictor
	// Pieces are fields that function SetData computes for every row of the data, Stacked those that are put together of data and
	// pieces.
	Pieces  []Column
	Stacked []StackedColumn
	// Predictive are the random numbers of function Predict, each after a pass if one computes its parameters; the last pass writes the
	// fields of Predicted.
	Predictive []RowNoise
	Predicted  []Column
	// Packed is whether latent variables have fewer numbers in the variable of the target than in programs.
	Packed bool
}

// Noise is a random number, or an array of them, of every draw.
type Noise struct {
	Field string
	Draw  bind.Draw
	Args  []float64 // with defaults
}

// StackedColumn is a column with a number for every entry of the latent variables.
type StackedColumn struct {
	Field  string
	Else   float64
	Pieces []StackedPiece
}

// StackedPiece is what belongs to one latent variable: a column of the rows, that of the weights being the first, or a number.
type StackedPiece struct {
	From   program.Length
	Column int
	Number float64
}

// RowNoise is a random number, or an array of them, of every row of the data.
type RowNoise struct {
	Column
	Kind string
	Args []RowArgument
	// Pass is which of the passes of the function computes the parameters, -1 where all are numbers; Fields are what it writes.
	Pass   int
	Fields []Column
}

// RowArgument is a parameter of a random number: a number, or a field with one for each.
type RowArgument struct {
	Number float64
	Field  string
}

// posterior describes what a posterior has besides, nil for a likelihood.
func (f *Package) posterior() *Posterior {
	v := f.Variational()
	if v == nil {
		return nil
	}
	out := &Posterior{Evaluations: map[program.Evaluate]string{}, Packed: f.Packed(), Linear: map[expr.Terms][]LinearPredictor{}}
	for _, d := range v.Noise {
		out.Noise = append(out.Noise, Noise{NoiseColumn(d), d, noiseNumbers(d)})
	}
	types := f.DrawTypes()
	types["drawWeights"] = expr.Scalar
	if f.Mixture() != nil {
		types[LabelsField] = expr.Scalar
	}
	for name, t := range types {
		out.Columns = append(out.Columns, Column{name, CoreOf(t)})
	}
	slices.SortFunc(out.Columns, func(a, b Column) int { return strings.Compare(a.Name, b.Name) })
	for _, e := range Evaluations {
		out.Evaluations[e.Evaluate] = e.One
		out.Linear[e.Terms] = f.LinearPredictors(e.Terms)
	}
	for i, n := range f.Pieces() {
		out.Pieces = append(out.Pieces, Column{PieceField(i), CoreOf(n.Type)})
	}
	for i, s := range f.Stacked() {
		out.Stacked = append(out.Stacked, StackedColumn{StackedField(i), s.Else, f.StackedPieces(s.Parts)})
	}
	f.describePredictive(out)
	return out
}

// StackedPieces says where what belongs to the latent variables comes from.
func (f *Package) StackedPieces(parts []*expr.Node) []StackedPiece {
	var out []StackedPiece
	at, pieces := f.LatentLayout(), f.Pieces()
	for i, part := range parts {
		if part == nil {
			continue
		}
		piece := StackedPiece{From: at.Offset(i)}
		if x, known := part.IsConst(); known {
			piece.Number = x
		} else if k := slices.Index(pieces, part); k >= 0 {
			piece.Column = 1 + len(f.DataParams()) + k
		} else {
			piece.Column = f.DataColumn(part)
		}
		out = append(out, piece)
	}
	return out
}

// describePredictive says how data are drawn.
func (f *Package) describePredictive(out *Posterior) {
	q := f.Predicts()
	if q == nil {
		return
	}
	passes := 0
	for _, d := range q.Noise {
		one := RowNoise{Column: Column{PredictiveField(d), CoreOf(d.Sym.Type)}, Kind: d.Kind.Name, Pass: -1}
		for i, x := range noiseNumbers(d) {
			arg := RowArgument{Number: x}
			if !f.IsNumber(d, i) {
				arg.Field = ArgumentField(d, i)
				one.Fields = append(one.Fields, Column{arg.Field, one.Type})
			}
			one.Args = append(one.Args, arg)
		}
		if len(one.Fields) > 0 {
			one.Pass = passes
			passes++
		}
		out.Predictive = append(out.Predictive, one)
	}
	for _, x := range q.Data {
		out.Predicted = append(out.Predicted, Column{PredictedField(x), CoreOf(x.Sym.Type)})
	}
}

// IsNumber reports whether a parameter of a random number is one that is known.
func (f *Package) IsNumber(d bind.Draw, i int) bool {
	if i >= len(d.Args) {
		return true
	}
	_, is := d.Args[i].IsConst()
	return is
}

// ByQuadrature reports whether some of the expectations are integrals.
func (f *Package) ByQuadrature() bool {
	v := f.Variational()
	return v != nil && v.Exact != nil && !v.Exact.Closed
}

// Stacked are the columns that the bound without draws has besides the data.
func (f *Package) Stacked() []derive.Stacked {
	if v := f.Variational(); v != nil && v.Exact != nil {
		return v.Exact.Stacked
	}
	return nil
}

// Pieces are what is computed for every row once: to be stacked, besides numbers and data as they are, and to be read by functions.
func (f *Package) Pieces() (out []*expr.Node) {
	for _, s := range f.Stacked() {
		for _, part := range s.Parts {
			if part == nil || part.Op == expr.Const || f.DataColumn(part) > 0 || slices.Contains(out, part) {
				continue
			}
			out = append(out, part)
		}
	}
	for _, p := range f.kept {
		if !slices.Contains(out, p.node) {
			out = append(out, p.node)
		}
	}
	return out
}

// DataColumn is which column of the rows a part of the data is; 0 for what is none.
func (f *Package) DataColumn(n *expr.Node) int {
	return 1 + slices.IndexFunc(f.DataParams(), func(q bind.Param) bool { return q.Sym == n })
}

// PredictiveTypes are the types of the columns with an entry for every row of the data.
func (f *Package) PredictiveTypes() map[string]expr.Type {
	out := map[string]expr.Type{}
	q := f.Predicts()
	if q == nil {
		return out
	}
	for _, d := range q.Noise {
		out[PredictiveField(d)] = d.Sym.Type
		for i, a := range d.Args {
			if _, number := a.IsConst(); !number {
				out[ArgumentField(d, i)] = d.Sym.Type
			}
		}
	}
	for _, x := range q.Data {
		out[PredictedField(x)] = x.Sym.Type
	}
	return out
}

// noiseNumbers are the parameters of a random number, 0 where one is a formula.
func noiseNumbers(d bind.Draw) []float64 {
	var out []float64
	for i, param := range d.Kind.Params {
		v := param.Default
		if i < len(d.Args) {
			v, _ = d.Args[i].IsConst()
		}
		out = append(out, v)
	}
	return out
}

func StackedField(i int) string { return fmt.Sprintf("stacked%d", i+1) }

func PieceField(i int) string { return fmt.Sprintf("piece%d", i+1) }

// PredictiveField is the field with a random number of every row, and predictedField that with what is drawn of the data.
func PredictiveField(d bind.Draw) string {
	return wording.Behind("predictive", derive.Plain(d.Sym.Name))
}

func PredictedField(q bind.Param) string { return wording.Behind("predicted", q.Name) }

// ArgumentField is the field with a parameter of a random number for every row.
func ArgumentField(d bind.Draw, i int) string {
	return fmt.Sprintf("%s%d", wording.Behind("argument", derive.Plain(d.Sym.Name)), i)
}
