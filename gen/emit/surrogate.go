package emit

import (
	"fmt"

	"github.com/dave/jennifer/jen"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/gen/derive"
	"github.com/sngdgen/sngdgen/gen/methods"
	"github.com/sngdgen/sngdgen/gen/program"
)

// spoil writes NaN to the first place of a slice and returns: a factorisation has failed where nobody checks the domain.
func spoil(slice string) []jen.Code {
	return []jen.Code{jen.Id(slice).Index(jen.Lit(0)).Op("=").Qual("math", "NaN").Call(), jen.Return()}
}

// spoiled is the same where conditions do not hold.
func spoiled(slice string) func(int) jen.Code {
	both := spoil(slice)
	return func(int) jen.Code { return jen.Add(both[0]).Line().Add(both[1]) }
}

func returnNaN(int) jen.Code { return jen.Return(jen.Qual("math", "NaN").Call()) }

// surrogate writes the methods of runtime.Problem.
func (f *file) surrogate() {
	coords := f.d.Problem.Spec.Step + " parameters"
	f.add(fmt.Sprintf("Gradients writes the natural gradient at z to v and the ordinary gradient to c, and returns the loss; NaN outside\n"+
		"the domain. The standard parameters of the surrogate are computed once, from its %s; their cotangents\n"+
		"are pulled back through both coordinate systems.\n\nCost: %s.", coords, f.cost(f.Usage("Gradients"))),
		method("Gradients").Params(floats("v", "c", "z")).Float64().Block(f.kernel("Gradients", returnNaN, returnNaN(0))...))
	f.add(fmt.Sprintf("NaturalGradient writes the natural gradient at z to v%s. %s\n\n%s\nCost: %s.",
		f.auxiliaryNote(), f.domainNote("NaturalGradient"), f.formulas("v", f.Natural()), f.cost(f.Usage("NaturalGradient"))),
		method("NaturalGradient").Params(floats("v", "z")).Block(f.kernel("NaturalGradient", spoiled("v"), spoil("v")...)...))
	f.add(fmt.Sprintf("Loss returns %s at z; NaN outside the domain.\n\nCost: %s.", f.objectiveName(), f.cost(f.Usage("Loss"))),
		method("Loss").Params(floats("z")).Float64().Block(f.kernel("Loss", returnNaN, returnNaN(0))...))
	body := f.kernel("Violation", func(i int) jen.Code { return jen.Return(jen.Lit(i)) })
	f.add("Violation returns the index in Conditions of the first condition that z violates, or -1.",
		method("Violation").Params(floats("z")).Int().Block(append(body, jen.Return(jen.Lit(-1)))...))
	f.add("Dual writes the dual coordinates at z to dst.",
		method("Dual").Params(floats("dst", "z")).Block(f.kernel("Dual", nil, spoil("dst")...)...))
	f.add("Theta writes the parameters of the target at z to dst, in the order of Info().Parameters.",
		method("Theta").Params(floats("dst", "z")).Block(f.kernel("Theta", nil, spoil("dst")...)...))
}

// formulas lists expressions for a comment, indented as code, with names for what is long and occurs in several places.
func (f *file) formulas(name string, nodes []*expr.Node) string {
	known := map[*expr.Node]string{}
	for _, t := range f.d.Surrogate.Theta {
		if t.Node.Op != expr.Const && t.Node.Op != expr.Sym {
			known[t.Node] = t.Name
		}
	}
	if v := f.Variational(); v != nil {
		for _, d := range v.Noise {
			known[d.Sym] = derive.Plain(d.Sym.Name)
		}
	}
	texts, where := expr.Brief(nodes, known)
	out := ""
	for i, text := range texts {
		out += fmt.Sprintf("\t%s = %s\n", given(f.CoordLayout().Of(program.Argument(name), i)), text)
	}
	if len(where) > 0 {
		out += "\nwhere\n\n"
	}
	for _, d := range where {
		out += fmt.Sprintf("\t%s = %s\n", d.Name, d.Text)
	}
	if f.Estimated() {
		out += "\nSums go over the n draws.\n"
	}
	return out
}

// domainNote says what a function does outside the domain.
func (f *file) domainNote(name string) string {
	if f.Functions[name].Steps[0].PartOf != "" {
		return "Outside the domain v[0] is NaN."
	}
	return "It does not check the domain."
}

// auxiliaryNote says what NaturalGradient gives for auxiliary parameters.
func (f *file) auxiliaryNote() string {
	if len(f.d.Problem.Auxiliary) == 0 {
		return ""
	}
	return ", and the ordinary gradient of the auxiliary parameters"
}

// cost describes what a kernel costs: flops where there are numbers alone, else what grows with the cube of a dimension or
// with its square for each row.
func (f *file) cost(c methods.Usage) string {
	switch {
	case f.Mixture() != nil && !f.Vectors():
		return fmt.Sprintf("%.0f flops for each component, and for each %s %.0f and %.0f for each component",
			c.PerComponent, f.rowName(), c.PerRow, c.PerRowAndComponent)
	case f.Mixture() != nil:
		return "for each component " + c.Budget.String()
	case f.Shaped():
		return c.Budget.String()
	case c.PerRow == 0:
		return fmt.Sprintf("%.0f flops, whatever the number of rows", c.Cost.Once)
	}
	return fmt.Sprintf("%.0f flops and %.0f for each %s", c.Cost.Once, c.PerRow, f.rowName())
}

func (f *file) rowName() string {
	if f.Integer() && !f.Records() {
		return "distinct row"
	}
	return "row"
}
