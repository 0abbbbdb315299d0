package emit

import (
	"maps"
	"slices"

	"github.com/dave/jennifer/jen"
	"github.com/sngdgen/sngdgen/gen/methods"
)

// The data are in a support.Data, which a model embeds; passes over them read its weights, and slices that are fields of the model: parts of
// the data, and what has been computed for every row. Batch sets these to some of the rows or to all.

// The packages that generated ones use beside the runtime.
const (
	supportModule = module + "/support"
	typesModule   = module + "/types"
	workersModule = module + "/workers"
)

// viewed are the arguments of a method of the rows that sets some fields, which are columns in their order, behind another argument.
func viewed(first string, fields []string) []jen.Code {
	out := []jen.Code{line("%s", first)}
	for _, name := range fields {
		out = append(out, line("&p.%s", name))
	}
	return out
}

// embeddedData is the type of the rows.
func (f *file) embeddedData() *jen.Statement {
	if f.Variational() != nil {
		return jen.Qual(supportModule, "ScaledData")
	}
	return jen.Qual(supportModule, "Data")
}

// batch writes Batch of a likelihood.
func (f *file) batch() {
	body := one(ifError(line("p.%s", f.see()).Call(f.seen()...)))
	f.add("Batch restricts the objective to the given rows of the data, nil to all of them; a row that the data do not have is\n"+
		"an error. It allocates nothing unless the batch is longer than any before.", batchMethod(append(body, line("p.prepare()"), line("return nil"))))
}

// scaledBatch writes Batch of a posterior.
func (f *file) scaledBatch() {
	f.add("Batch restricts the likelihood to the given rows of the data, nil to all of them, scaled to the weight of all; a row\n"+
		"that the data do not have is an error.", batchMethod(one(jen.Return(line("p.%s", f.see()).Call(f.seen()...)))))
}

func batchMethod(body []jen.Code) jen.Code {
	return method("Batch").Params(line("rows []int")).Error().Block(body...)
}

// see is the name of the method that has passes go over some rows.
func (f *file) see() string {
	if f.Ordered() {
		return "SeeAll"
	}
	return "See"
}

// seen are the rows that passes are to go over, and the fields that depend on them.
func (f *file) seen() []jen.Code { return viewed("rows", f.RowColumns()) }

// have are the calls that take the rows of a batch of some fields, where these were left for later.
//
//	p.Have(1, &p.x)
func (f *file) have(fields ...string) (out []jen.Code) {
	late := f.Late()
	for i, name := range f.RowColumns() {
		if slices.Contains(late, name) && slices.Contains(fields, name) {
			out = append(out, line("p.Have(%d, &p.%s)", i+1, name))
		}
	}
	return out
}

// later are the calls that leave columns for later.
func (f *file) later() (out []jen.Code) {
	late := f.Late()
	for i, name := range f.RowColumns() {
		if slices.Contains(late, name) {
			out = append(out, line("p.Rows.Later(%d)", i+1))
		}
	}
	return out
}

// clone writes Clone of a model of data: these are shared, but not the memory.
func (f *file) clone() {
	doc := "Clone returns a model on the same data, which are shared, for use by another goroutine. It has all rows"
	own, made := []string{"clone.Rows"}, []string{"p.Rows.Shared()"}
	if f.helps() {
		own, made = append(own, "clone."+passField), append(made, "p."+passField+".Fresh()")
	}
	for _, name := range f.rowMemory() {
		own, made = append(own, "clone."+name), append(made, "nil")
	}
	body := append(one(line("clone := *p")), assigned(own, "=", made)...)
	for _, name := range f.scanFields() {
		body = append(body, line("clone.%s = ", name).Qual("slices", "Clone").Call(line("p.%s", name)))
	}
	body = append(body, f.cloneGroups()...)
	if f.Shaped() || f.Variational() != nil {
		body = append(body, line("clone.allocate()"))
	}
	if v := f.Variational(); v != nil {
		doc += ", and the same\nrandom numbers"
		for _, d := range v.Noise {
			body = append(body, line("copy(clone.%[1]s, p.%[1]s)", methods.NoiseColumn(d)))
		}
	}
	for _, c := range f.d.Problem.Constants {
		if c.Sym.Type.Rank > 0 {
			body = append(body, line("copy(clone.%[1]s, p.%[1]s)", methods.ConstantField(c.Sym)))
		}
	}
	body = append(body, jen.Return(jen.Qual(supportModule, "WithAllRows").Call(line("&clone"))))
	f.add(doc+".", method("Clone").Params().Qual(module, "Model").Block(body...))
}

// rowMemory are the fields with numbers for every row that passes write.
func (f *file) rowMemory() []string {
	if f.Variational() != nil {
		return slices.Sorted(maps.Keys(f.PredictiveTypes()))
	}
	var out []string
	if f.Mixture() != nil {
		out = append(out, methods.LabelsField)
	}
	return append(out, f.limitColumns()...)
}

// limitColumns are the fields of values for every row that the limits need.
func (f *file) limitColumns() []string {
	var out []string
	for _, s := range f.Limited {
		for _, c := range s.Columns {
			out = append(out, c.Name)
		}
	}
	return out
}
