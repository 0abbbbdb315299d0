package emit

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/gen/derive"
	"github.com/sngdgen/sngdgen/gen/plan"
	"github.com/sngdgen/sngdgen/gen/program"
)

// surrogateKernel is a kernel in the stepped coordinates.
func (f *file) surrogateKernel(guards bool, outputs ...plan.Output) *plan.Kernel {
	defs, names := f.surrogateDefs()
	k := &plan.Kernel{Inputs: f.coordInputs(), Defs: defs, Names: names, Outputs: outputs, Rows: f.rows}
	if guards {
		for i, c := range f.d.Surrogate.Conditions {
			k.Guards = append(k.Guards, plan.Guard{Node: c.Node, Range: c.Range, Definite: c.Definite, Index: i})
		}
	}
	return k
}

// outputsTo lists numbers that are written to a slice.
func outputsTo(name string, nodes []*expr.Node) []plan.Output {
	var out []plan.Output
	for i, n := range nodes {
		out = append(out, plan.Output{To: program.Argument(name).Entry(i), Node: n})
	}
	return out
}

// coordOutputs lists one value for each coordinate, thetaOutputs one for each parameter of the target.
func (f *file) coordOutputs(slice string, nodes []*expr.Node) []plan.Output {
	var names []string
	var places []*expr.Node
	for _, c := range f.d.Surrogate.Coords {
		names, places = append(names, c.Name), append(places, c.Sym)
	}
	return f.coordLayout().outputs(slice, nodes, places, names)
}

func (f *file) thetaOutputs(slice string, nodes []*expr.Node) []plan.Output {
	var names []string
	var places []*expr.Node
	for _, t := range f.d.Problem.Target.Params {
		names, places = append(names, t.Name), append(places, t.Sym)
	}
	return f.thetaLayout().outputs(slice, nodes, places, names)
}

// spoil writes NaN to the first place of a slice and returns: a factorisation has failed where nobody checks the domain.
func spoil(slice string) []jen.Code {
	return []jen.Code{jen.Id(slice).Index(jen.Lit(0)).Op("=").Qual("math", "NaN").Call(), jen.Return()}
}

func returnNaN(int) jen.Code { return jen.Return(jen.Qual("math", "NaN").Call()) }

// surrogate writes the methods of runtime.Problem.
func (f *file) surrogate() {
	s := &f.d.Surrogate
	coords := f.d.Problem.Spec.Step + " parameters"
	gradients := append(f.coordOutputs("v", s.Natural), f.coordOutputs("c", s.Covector)...)

	body, cost := f.kernel(f.surrogateKernel(true, append(gradients, result(s.Loss))...), f.ownSource(), returnNaN, returnNaN(0))
	f.full = cost
	f.add(fmt.Sprintf("Gradients writes the natural gradient at z to v and the ordinary gradient to c, and returns the loss; NaN outside\n"+
		"the domain. The standard parameters of the surrogate are computed once, from its %s; their cotangents\n"+
		"are pulled back through both coordinate systems.\n\nCost: %s.", coords, f.cost(cost)),
		method("Gradients").Params(floats("v", "c", "z")).Float64().Block(body...))

	step := slices.Clone(s.Natural)
	for i, c := range s.Coords {
		if c.Auxiliary {
			step[i] = s.Covector[i]
		}
	}
	body, cost = f.kernel(f.surrogateKernel(false, f.coordOutputs("v", step)...), f.ownSource(), nil, spoil("v")...)
	f.step = cost
	f.add(fmt.Sprintf("NaturalGradient writes the natural gradient at z to v%s. It does not check the domain.\n\n%s\nCost: %s.",
		f.auxiliaryNote(), f.formulas("v", step), f.cost(cost)),
		method("NaturalGradient").Params(floats("v", "z")).Block(body...))

	body, cost = f.kernel(f.surrogateKernel(true, result(s.Loss)), f.ownSource(), returnNaN, returnNaN(0))
	f.loss = cost
	f.add(fmt.Sprintf("Loss returns %s at z; NaN outside the domain.\n\nCost: %s.", f.objectiveName(), f.cost(cost)),
		method("Loss").Params(floats("z")).Float64().Block(body...))

	body, f.domain = f.kernel(f.surrogateKernel(true), f.ownSource(), func(i int) jen.Code { return jen.Return(jen.Lit(i)) })
	f.add("Violation returns the index in Conditions of the first condition that z violates, or -1.",
		method("Violation").Params(floats("z")).Int().Block(append(body, jen.Return(jen.Lit(-1)))...))

	dual := slices.Clone(s.ToDual)
	for _, a := range f.d.Problem.Auxiliary {
		dual = append(dual, a.Sym)
	}
	body, _ = f.kernel(f.surrogateKernel(false, f.coordOutputs("dst", dual)...), f.ownSource(), nil, spoil("dst")...)
	f.add("Dual writes the dual coordinates at z to dst.", method("Dual").Params(floats("dst", "z")).Block(body...))

	var theta []*expr.Node
	for _, t := range s.Theta {
		theta = append(theta, t.Node)
	}
	body, _ = f.kernel(f.surrogateKernel(false, f.thetaOutputs("dst", theta)...), f.ownSource(), nil, spoil("dst")...)
	f.add("Theta writes the parameters of the target at z to dst, in the order of Info().Parameters.",
		method("Theta").Params(floats("dst", "z")).Block(body...))
}

// formulas lists expressions for a comment, indented as code, with names for what is long and occurs in several places.
func (f *file) formulas(name string, nodes []*expr.Node) string {
	if f.unprinted {
		return ""
	}
	known := map[*expr.Node]string{}
	for _, t := range f.d.Surrogate.Theta {
		if t.Node.Op != expr.Const && t.Node.Op != expr.Sym {
			known[t.Node] = t.Name
		}
	}
	if v := f.variational(); v != nil {
		for _, d := range v.Noise {
			known[d.Sym] = derive.Plain(strings.TrimSuffix(d.Sym.Name, ".row"))
		}
	}
	texts, where := expr.Brief(nodes, known)
	out := ""
	for i, text := range texts {
		out += fmt.Sprintf("\t%s = %s\n", given(f.coordLayout().of(program.Argument(name), i)), text)
	}
	if len(where) > 0 {
		out += "\nwhere\n\n"
	}
	for _, d := range where {
		out += fmt.Sprintf("\t%s = %s\n", d.Name, d.Text)
	}
	if f.estimated() {
		out += "\nSums go over the n draws.\n"
	}
	return out
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
func (f *file) cost(c Usage) string {
	switch {
	case f.mixture() != nil && !f.vectors():
		return fmt.Sprintf("%.0f flops for each component, and for each %s %.0f and %.0f for each component",
			c.PerComponent, f.rowName(), c.PerRow, c.PerRowAndComponent)
	case f.mixture() != nil:
		return "for each component " + c.Budget.String()
	case f.shaped():
		return c.Budget.String()
	case c.PerRow == 0:
		return fmt.Sprintf("%.0f flops, whatever the number of rows", c.Cost.Once)
	}
	return fmt.Sprintf("%.0f flops and %.0f for each %s", c.Cost.Once, c.PerRow, f.rowName())
}

func (f *file) rowName() string {
	if f.merged() || f.integer() && !f.records() {
		return "distinct row"
	}
	return "row"
}

// integer reports whether observations are whole numbers, of which equal ones are merged.
func (f *file) integer() bool { return f.d.Problem.Target.Variable.Kind.Integer }
