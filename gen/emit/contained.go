package emit

import (
	"fmt"

	"github.com/dave/jennifer/jen"

	"github.com/sngdgen/sngdgen/gen/derive"
)

// contained writes the points where the approximation of a posterior is one that it contains, and where a fit from there begins.
func (f *file) contained() {
	if len(f.d.Contained) == 0 {
		return
	}
	var equal, start []jen.Code
	for i, c := range f.d.Contained {
		name := fmt.Sprintf("contained%d", i)
		call := func(s *derive.Start) jen.Code {
			f.start(name, len(s.Noise) > 0, "z", "theta")
			if len(s.Noise) > 0 {
				return jen.Case(jen.Lit(i)).Block(line("p.%s(z, theta, rng)", name))
			}
			return jen.Case(jen.Lit(i)).Block(line("p.%s(z, theta)", name))
		}
		equal = append(equal, call(&c.Equal))
		if c.Start != nil {
			name += "Start"
			start = append(start, call(c.Start))
		} else {
			start = append(start, jen.Case(jen.Lit(i)).Block(line("p.%s(z, theta)", name)))
		}
	}
	rng := jen.Id("rng").Op("*").Qual("math/rand/v2", "Rand")
	f.containedMethod("Contain", "writes to z where the approximation is the contained one i with the parameters theta.", equal, nil)
	f.containedMethod("ContainStart", "writes to z where a fit begins that comes from the contained approximation i with the parameters theta.", start, rng)
}

// containedMethod writes the choice among the contained approximations.
func (f *file) containedMethod(name, about string, cases []jen.Code, rng jen.Code) {
	params := []jen.Code{floats("z", "theta"), jen.Id("i").Int()}
	if rng != nil {
		params = append(params, rng)
	}
	none := jen.Default().Block(jen.Return(jen.Qual("fmt", "Errorf").Call(jen.Lit("there is no contained approximation %d"), jen.Id("i"))))
	f.add(name+" "+about+" See runtime.Container.",
		method(name).Params(params...).Error().Block(
			jen.Switch(jen.Id("i")).Block(append(cases, none)...),
			jen.Return(jen.Qual(supportModule, "Inside").Call(line("p"), line("z")))))
}
