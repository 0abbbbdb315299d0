package emit

import (
	"github.com/dave/jennifer/jen"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/gen/bind"
	"github.com/sngdgen/sngdgen/gen/methods"
	"github.com/sngdgen/sngdgen/gen/program"
)

// Data that a spec says how to draw are drawn row by row from the latent variables: random number after random number, each for
// all rows in a column of its own, with a pass over the rows in front where its parameters are formulas; then the data, in a last
// pass.

// predictive writes the method that draws the data.
//
//	for i := range p.predictiveK { p.predictiveK[i] = random.Poisson(rng, p.argument0[i]) }
func (f *file) predictive() {
	if f.Predicts() == nil {
		return
	}
	body := f.unfolding()
	pass := func(columns []methods.Column) {
		if len(columns) == 0 {
			return
		}
		for _, c := range columns {
			body = append(body, f.sized(c.Name, c.Type))
		}
		body = append(body, jen.Block(f.kernel("Predict", nil)...))
	}
	for _, d := range f.Posterior.Predictive {
		args := []jen.Code{jen.Id("rng")}
		for _, a := range d.Args {
			if a.Field == "" {
				args = append(args, number(a.Number).Statement)
			} else {
				args = append(args, jen.Id("p."+a.Field).Index(jen.Id("i")))
			}
		}
		pass(d.Fields)
		field := "p." + d.Name
		body = append(body, f.sized(d.Name, d.Type), jen.For(line("i := range %s", field)).Block(
			jen.Id(field).Index(jen.Id("i")).Op("=").Qual(module+"/random", exported(d.Kind)).Call(args...)))
	}
	pass(f.Posterior.Predicted)
	f.add("Predict draws data from the model with the latent variables z, and writes those of Info().Predicted to dst, one after the\n"+
		"other, each row by row.",
		method("Predict").Params(floats("dst", "z"), jen.Id("rng").Op("*").Qual("math/rand/v2", "Rand")).Block(append(body, f.joined(methods.PredictedField)...)...))
	f.add("Observed writes what was observed of the data that Predict draws to dst.",
		method("Observed").Params(floats("dst")).Block(f.joined(f.DataField)...))
}

// joined copies the fields of the data that are drawn to dst, one after the other.
func (f *file) joined(of func(bind.Param) string) []jen.Code {
	var out []jen.Code
	from := ""
	for _, x := range f.Predicts().Data {
		if out = append(out, line("copy(dst[%s:], p.%s)", from, of(x))); from != "" {
			from += "+"
		}
		from += "len(p." + of(x) + ")"
	}
	return out
}

// sized makes a column as long as there are rows.
func (f *file) sized(field string, t expr.Type) jen.Code {
	size := "p.W.Len()"
	if t.Rank > 0 {
		size += "*" + f.inFields(f.size(program.Shape{Dims: t.Dims[:t.Rank]}))
	}
	return jen.Id("p."+field).Op("=").Qual(supportModule, "Grow").Call(jen.Id("p."+field), jen.Id(size))
}
