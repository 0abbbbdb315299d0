package methods

import (
	"cmp"
	"slices"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/gen/derive"
	"github.com/sngdgen/sngdgen/gen/plan"
	"github.com/sngdgen/sngdgen/gen/program"
)

// DataColumns are the fields with the data, and with what is computed from them for every row once.
func (f *Package) DataColumns() []string {
	out := f.GivenFields()
	for i := range f.Pieces() {
		out = append(out, PieceField(i))
	}
	for i := range f.Stacked() {
		out = append(out, StackedField(i))
	}
	return out
}

// observations is the field with the values of the variable.
const observations = "x"

// GivenFields are the fields with the data as they are given.
func (f *Package) GivenFields() []string {
	var out []string
	if f.Variational() == nil {
		out = append(out, observations)
	}
	for _, q := range f.DataParams() {
		out = append(out, f.DataField(q))
	}
	return out
}

// givenColumns are the fields with what a row has besides the first variable.
func (f *Package) givenColumns() map[*expr.Node]string {
	out := map[*expr.Node]string{}
	for _, q := range f.d.Problem.Target.Record()[1:] {
		out[q.Sym] = f.DataField(q)
	}
	return out
}

// dataRows are the rows of the data as they are, without what is computed from them.
func (f *Package) dataRows() *plan.RowSource {
	return &plan.RowSource{Sym: f.Rows.Sym, Columns: f.givenColumns()}
}

// RowColumns are the fields that have their rows from the batch, but for the weights: data, and what is computed for every row.
func (f *Package) RowColumns() []string {
	out := f.DataColumns()
	if f.Variational() != nil {
		return out
	}
	for _, c := range f.DataStage.Columns {
		out = append(out, c.Name)
	}
	return out
}

// Late are the fields of columns of which no step reads anything, as what it needs of them has been computed for every row. Of a batch they are taken
// by the passes that read them.
func (f *Package) Late() []string {
	if f.Variational() != nil || len(f.DataStage.Columns) == 0 {
		return nil
	}
	early := map[string]bool{}
	for _, p := range f.Programs {
		program.Walk(p.Body, func(s program.Stmt) {
			if !program.IsCut(s) || ofSteps(p.Name) || p.Name == "prepare" {
				for _, field := range ColumnsOf(s) {
					early[field] = true
				}
			}
		})
	}
	return slices.DeleteFunc(f.RowColumns(), func(field string) bool { return early[field] })
}

// ColumnsOf are the fields that a pass reads, nil of a statement that is none.
func ColumnsOf(s program.Stmt) []string {
	var columns []program.Column
	switch s := s.(type) {
	case *program.Rows:
		columns = s.Columns
	case *program.Blocks:
		columns = s.Columns
	}
	var out []string
	for _, c := range columns {
		out = append(out, cmp.Or(c.Field, observations))
	}
	return out
}

// dataKernel is a kernel of the data stage.
func (f *Package) dataKernel() *plan.Kernel {
	return &plan.Kernel{Inputs: f.dataInputs(), Rows: f.dataRows(),
		Names: map[*expr.Node]string{f.Rows.Sym: f.Local(f.d.Problem.Target.Variable.Name)}}
}

// scalarsOf is the kernel of the numbers of a data stage.
func (f *Package) scalarsOf(stage *plan.DataStage) *plan.Kernel {
	k := f.dataKernel()
	by := f.readColumns(k.Rows, stage)
	for _, d := range stage.Scalars {
		node := f.stable(f.d.Problem.Graph.Substitute(d.Node, by))[0]
		k.Outputs = append(k.Outputs, plan.Output{To: program.Field("p", d.Name), Node: node, Type: d.Node.Type})
	}
	return k
}

// readColumns lets a kernel read the columns of a data stage: symbols for what they hold.
func (f *Package) readColumns(rows *plan.RowSource, stage *plan.DataStage) map[*expr.Node]*expr.Node {
	by := map[*expr.Node]*expr.Node{}
	if rows.Columns == nil {
		rows.Columns = map[*expr.Node]string{}
	}
	for _, d := range stage.Columns {
		by[d.Node] = f.d.Problem.Graph.Fresh(d.Name, d.Node.Type, d.Node.Facts)
		rows.Columns[by[d.Node]] = d.Name
	}
	return by
}

// overData makes the rows of a kernel those of the data of the model.
func (f *Package) overData(k *plan.Kernel) {
	m, g := f.d.Problem.Variational, f.d.Problem.Graph
	k.Rows = &plan.RowSource{Sym: f.Rows.Sym, Columns: map[*expr.Node]string{}}
	k.Inputs = append(k.Inputs, plan.Input{Sym: g.Size(expr.Rows), From: program.Field("p", WeightField)}, plan.Input{Sym: m.Scale, From: program.Field("p", ScaleField)})
	for _, d := range f.Dims {
		k.Inputs = append(k.Inputs, f.length(d))
	}
	for _, q := range m.Data {
		k.Rows.Columns[q.Sym] = f.DataField(q)
	}
	for i, s := range f.Stacked() {
		k.Rows.Columns[s.Sym] = StackedField(i)
	}
}

// modelKernel is what the methods of the model have in common.
func (f *Package) modelKernel() *plan.Kernel {
	m := f.d.Problem.Variational
	k := &plan.Kernel{}
	f.overData(k)
	at := f.LatentLayout()
	for i, q := range m.Latent {
		k.Inputs = append(k.Inputs, at.input(program.Argument("z"), i, q.Sym, f.Local(q.Name)))
	}
	return k
}

// ofRow are the data of one row and what does not vary, as inputs of a kernel.
func (f *Package) ofRow() []plan.Input {
	g := f.d.Problem.Graph
	in := []plan.Input{{Sym: g.Size(expr.Rows), From: program.Field("p", WeightField)}}
	for _, d := range f.Dims {
		in = append(in, f.length(d))
	}
	for _, q := range f.DataParams() {
		from := program.Field("p", f.DataField(q)).Cut(program.Part{Type: CoreOf(q.Sym.Type), Of: program.OwnRow})
		in = append(in, plan.Input{Sym: derive.OfOneRow(g, q), Name: f.Local(q.Name), From: from})
	}
	return in
}

// Scalars are the numbers of all data stages.
func (f *Package) Scalars() []plan.Field {
	out := f.DataStage.Scalars
	for _, s := range f.Limited {
		out = slices.Concat(out, s.Scalars)
	}
	return out
}
