package emit

import (
	"slices"
	"strings"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/gen/bind"
	"github.com/sngdgen/sngdgen/gen/program"
)

// Posterior is what the package of a posterior has besides, for who runs its programs.
type Posterior struct {
	// Noise are the fields with the random numbers of the draws, in the order in which they are made, Columns all fields with something
	// for every draw.
	Noise   []Noise
	Columns []Column
	// Evaluations are the functions that evaluate the log joint density at one draw.
	Evaluations map[program.Evaluate]string
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
func (f *file) posterior() *Posterior {
	v := f.variational()
	if v == nil {
		return nil
	}
	out := &Posterior{Evaluations: map[program.Evaluate]string{}, Packed: f.packed()}
	for _, d := range v.Noise {
		out.Noise = append(out.Noise, Noise{noiseColumn(d), d, noiseNumbers(d)})
	}
	types := f.drawTypes()
	types["drawWeights"] = expr.Scalar
	if f.mixture() != nil {
		types[labelsField] = expr.Scalar
	}
	for name, t := range types {
		out.Columns = append(out.Columns, Column{name, coreOf(t)})
	}
	slices.SortFunc(out.Columns, func(a, b Column) int { return strings.Compare(a.Name, b.Name) })
	for _, e := range evaluations {
		out.Evaluations[e.Evaluate] = e.one
	}
	for i, n := range f.pieces() {
		out.Pieces = append(out.Pieces, Column{pieceField(i), coreOf(n.Type)})
	}
	for i, s := range f.stacked() {
		out.Stacked = append(out.Stacked, StackedColumn{stackedField(i), s.Else, f.stackedPieces(s.Parts)})
	}
	f.describePredictive(out)
	return out
}

// stackedPieces says where what belongs to the latent variables comes from.
func (f *file) stackedPieces(parts []*expr.Node) []StackedPiece {
	var out []StackedPiece
	at, pieces := f.latentLayout(), f.pieces()
	for i, part := range parts {
		if part == nil {
			continue
		}
		piece := StackedPiece{From: at.offset(i)}
		if x, known := part.IsConst(); known {
			piece.Number = x
		} else if k := slices.Index(pieces, part); k >= 0 {
			piece.Column = 1 + len(f.dataParams()) + k
		} else {
			piece.Column = f.dataColumn(part)
		}
		out = append(out, piece)
	}
	return out
}

// describePredictive says how data are drawn.
func (f *file) describePredictive(out *Posterior) {
	q := f.predicts()
	if q == nil {
		return
	}
	passes := 0
	for _, d := range q.Noise {
		one := RowNoise{Column: Column{predictiveField(d), coreOf(d.Sym.Type)}, Kind: d.Kind.Name, Pass: -1}
		for i, x := range noiseNumbers(d) {
			arg := RowArgument{Number: x}
			if !f.isNumber(d, i) {
				arg.Field = argumentField(d, i)
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
		out.Predicted = append(out.Predicted, Column{predictedField(x), coreOf(x.Sym.Type)})
	}
}

// isNumber reports whether a parameter of a random number is one that is known.
func (f *file) isNumber(d bind.Draw, i int) bool {
	if i >= len(d.Args) {
		return true
	}
	_, is := d.Args[i].IsConst()
	return is
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

// integratorNames are the functions that compute expectations.
func (f *file) integratorNames() map[*expr.Lambda]string {
	out := map[*expr.Lambda]string{}
	for _, fn := range f.integrators {
		out[fn] = f.integratorName(fn)
	}
	return out
}
