package emit

import (
	"maps"
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/gen/plan"
)

// The data are in a support.Rows; passes over them read slices that are fields of the model: weights, parts of the
// data, and what has been computed for every row. Batch sets these to some of the rows or to all.

// The packages that generated ones use beside the runtime.
const (
	supportModule = module + "/support"
	typesModule   = module + "/types"
	workersModule = module + "/workers"
)

// dataColumns are the fields with the data, and with what is computed from them for every row once.
func (f *file) dataColumns() []string {
	out := f.givenFields()
	for i := range f.pieces() {
		out = append(out, pieceField(i))
	}
	for i := range f.stacked() {
		out = append(out, stackedField(i))
	}
	return out
}

// givenFields are the fields with the data as they are given.
func (f *file) givenFields() []string {
	var out []string
	if f.variational() == nil {
		out = append(out, "x")
	}
	for _, q := range f.dataParams() {
		out = append(out, f.dataField(q))
	}
	return out
}

// givenColumns are the fields with what a row has besides the first variable.
func (f *file) givenColumns() map[*expr.Node]string {
	out := map[*expr.Node]string{}
	for _, q := range f.d.Problem.Target.Record()[1:] {
		out[q.Sym] = f.dataField(q)
	}
	return out
}

// dataRows are the rows of the data as they are, without what is computed from them.
func (f *file) dataRows() *plan.RowSource {
	return &plan.RowSource{Sym: f.rows.Sym, Columns: f.givenColumns()}
}

// rowColumns are the fields that have their rows from the batch, but for the weights. What is computed for every row is one of
// them, unless equal rows are merged: those of a batch are not.
func (f *file) rowColumns() []string {
	out := f.dataColumns()
	if f.variational() != nil || f.merged() {
		return out
	}
	for _, c := range f.stage.Columns {
		out = append(out, c.Name)
	}
	return out
}

// view sets the weights and some fields, which are columns in their order, to rows.
func view(rows string, fields []string) []jen.Code {
	out := []jen.Code{line("p.w = p.rows[0].Batch(%s)", rows)}
	for i, name := range fields {
		out = append(out, line("p.%s = p.rows[%d].Batch(%s)", name, i+1, rows))
	}
	return append(out, sumWeights())
}

// seeAll sets the fields of the data to all rows.
func (f *file) seeAll() []jen.Code { return view("nil", f.dataColumns()) }

func sumWeights() jen.Code { return line("p.n = p.rows.Total(p.w)") }

// batch writes Batch of a likelihood.
func (f *file) batch() {
	var after []jen.Code
	if f.merged() {
		after = f.callColumns("p")
	}
	f.add("Batch restricts the objective to the given rows of the data, nil to all of them; a row that the data do not have is\n"+
		"an error. It allocates nothing unless the batch is longer than any before.", f.batchMethod(append(after, line("p.prepare()"))...))
}

// batchMethod is the method Batch, with what depends on the rows.
func (f *file) batchMethod(after ...jen.Code) jen.Code {
	check := ifError(line("p.rows.CheckBatch(rows)"))
	if f.d.Problem.Target.Ordered() {
		check = ifError(jen.Qual(supportModule, "CheckOrdered").Call(line("rows")))
	}
	body := slices.Concat([]jen.Code{check}, view("rows", f.rowColumns()), after)
	return method("Batch").Params(line("rows []int")).Error().Block(append(body, line("return nil"))...)
}

// clone writes Clone of a model of data: these are shared, but not the memory.
func (f *file) clone() {
	doc := "Clone returns a model on the same data, which are shared, for use by another goroutine. It has all rows"
	body := []jen.Code{line("clone := *p"), line("clone.rows = p.rows.Shared()")}
	for _, name := range f.rowMemory() {
		body = append(body, line("clone.%s = nil", name))
	}
	body = append(body, f.cloneCrew()...)
	if f.shaped() || f.variational() != nil {
		body = append(body, line("clone.allocate()"))
	}
	if v := f.variational(); v != nil {
		doc += ", and the same\nrandom numbers"
		for _, d := range v.Noise {
			body = append(body, line("copy(clone.%[1]s, p.%[1]s)", noiseColumn(d)))
		}
	}
	for _, c := range f.d.Problem.Constants {
		if c.Sym.Type.Rank > 0 {
			body = append(body, line("copy(clone.%[1]s, p.%[1]s)", constantField(c.Sym)))
		}
	}
	body = append(body, jen.If(line("p.rows.Given() > 0")).Block(line("clone.Batch(nil)")), line("return &clone"))
	f.add(doc+".", method("Clone").Params().Qual(module, "Model").Block(body...))
}

// rowMemory are the fields with numbers for every row that passes write.
func (f *file) rowMemory() []string {
	if f.variational() != nil {
		return slices.Sorted(maps.Keys(f.predictiveTypes()))
	}
	out := f.scanFields()
	if f.mixture() != nil {
		out = append(out, labelsField)
	}
	if f.merged() {
		for _, c := range f.stage.Columns {
			out = append(out, c.Name)
		}
	}
	return append(out, f.limitColumns()...)
}
