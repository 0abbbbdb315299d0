package emit

import (
	"fmt"

	"github.com/dave/jennifer/jen"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/gen/bind"
	"github.com/sngdgen/sngdgen/gen/derive"
	"github.com/sngdgen/sngdgen/gen/plan"
	"github.com/sngdgen/sngdgen/gen/program"
)

// Data that a spec says how to draw are drawn row by row from the latent variables: random number after random number, each for
// all rows in a column of its own, with a pass over the rows in front where its parameters are formulas; then the data, in a last
// pass.

// predictiveField is the field with a random number of every row, and predictedField that with what is drawn of the data.
func predictiveField(d bind.Draw) string { return "predictive" + exported(derive.Plain(d.Sym.Name)) }
func predictedField(q bind.Param) string { return "predicted" + exported(q.Name) }

// argumentField is the field with a parameter of a random number for every row.
func argumentField(d bind.Draw, i int) string {
	return fmt.Sprintf("argument%s%d", exported(derive.Plain(d.Sym.Name)), i)
}

// predicts is how the data are drawn; nil where the spec does not say.
func (f *file) predicts() *bind.Predictive {
	if v := f.variational(); v != nil {
		return v.Predictive
	}
	return nil
}

// predictiveTypes are the types of the columns with an entry for every row of the data.
func (f *file) predictiveTypes() map[string]expr.Type {
	out := map[string]expr.Type{}
	q := f.predicts()
	if q == nil {
		return out
	}
	for _, d := range q.Noise {
		out[predictiveField(d)] = d.Sym.Type
		for i, a := range d.Args {
			if _, number := a.IsConst(); !number {
				out[argumentField(d, i)] = d.Sym.Type
			}
		}
	}
	for _, x := range q.Data {
		out[predictedField(x)] = x.Sym.Type
	}
	return out
}

// predictive writes the method that draws the data.
//
//	for i := range p.predictiveK { p.predictiveK[i] = random.Poisson(rng, p.argument0[i]) }
func (f *file) predictive() {
	q := f.predicts()
	if q == nil {
		return
	}
	body := f.unfolding()
	drawn := map[*expr.Node]string{}
	pass := func(stores []plan.Output) {
		if len(stores) == 0 {
			return
		}
		k := f.modelKernel()
		for sym, field := range drawn {
			k.Rows.Columns[sym] = field
		}
		for i, o := range stores {
			if body = append(body, f.sized(o.To.Name, o.Type)); !o.Node.Type.Axes.Has(expr.Rows) { // the same in all rows
				stores[i].Node = f.d.Problem.Graph.Fresh("shared", o.Type, o.Node.Facts)
				k.Defs = append(k.Defs, plan.Def{Sym: stores[i].Node, Name: "shared", Node: o.Node})
			}
		}
		k.Stores = stores
		stmts, _ := f.kernel(k, dataSource, nil)
		body = append(body, jen.Block(stmts...))
	}
	for _, d := range q.Noise {
		args, stores := []jen.Code{jen.Id("rng")}, []plan.Output(nil)
		for i, param := range d.Kind.Params {
			if i >= len(d.Args) {
				args = append(args, number(param.Default).Statement)
			} else if v, is := d.Args[i].IsConst(); is {
				args = append(args, number(v).Statement)
			} else {
				stores = append(stores, plan.Output{To: program.Field("p", argumentField(d, i)), Node: d.Args[i], Type: d.Sym.Type})
				args = append(args, jen.Id("p."+argumentField(d, i)).Index(jen.Id("i")))
			}
		}
		pass(stores)
		field := "p." + predictiveField(d)
		body = append(body, f.sized(predictiveField(d), d.Sym.Type), jen.For(line("i := range %s", field)).Block(
			jen.Id(field).Index(jen.Id("i")).Op("=").Qual(module+"/random", exported(d.Kind.Name)).Call(args...)))
		drawn[d.Sym] = predictiveField(d)
	}
	var stores []plan.Output
	for i, x := range q.Data {
		stores = append(stores, plan.Output{To: program.Field("p", predictedField(x)), Node: q.Values[i], Type: x.Sym.Type})
	}
	pass(stores)
	f.add("Predict draws data from the model with the latent variables z, and writes those of Info().Predicted to dst, one after the\n"+
		"other, each row by row.",
		method("Predict").Params(floats("dst", "z"), jen.Id("rng").Op("*").Qual("math/rand/v2", "Rand")).Block(append(body, f.joined(predictedField)...)...))
	f.add("Observed writes what was observed of the data that Predict draws to dst.",
		method("Observed").Params(floats("dst")).Block(f.joined(f.dataField)...))
}

// joined copies the fields of the data that are drawn to dst, one after the other.
func (f *file) joined(of func(bind.Param) string) []jen.Code {
	var out []jen.Code
	from := ""
	for _, x := range f.predicts().Data {
		if out = append(out, line("copy(dst[%s:], p.%s)", from, of(x))); from != "" {
			from += "+"
		}
		from += "len(p." + of(x) + ")"
	}
	return out
}

// sized makes a column as long as there are rows.
func (f *file) sized(field string, t expr.Type) jen.Code {
	size := "len(p.w)"
	if t.Rank > 0 {
		size += "*" + f.inFields(f.size(program.Shape{Dims: t.Dims[:t.Rank]}))
	}
	return jen.Id("p."+field).Op("=").Qual(supportModule, "Grow").Call(jen.Id("p."+field), jen.Id(size))
}
