package methods

import (
	"slices"

	"github.com/sngdgen/sngdgen/gen/program"
	"github.com/sngdgen/sngdgen/gen/program/pass"
	"github.com/sngdgen/sngdgen/gen/program/stages"
)

// CutStages cuts the functions of the package into stages, for those who print it: programs stay as they are, and have a copy that performs
// stages. The stages are returned in the order in which they are found.
func (f *Package) CutStages() []*program.Stage {
	var functions []stages.Function
	var steps []*Step
	for _, p := range f.Programs {
		of := f.Functions[p.Name]
		for i := range of.Steps {
			s := &of.Steps[i]
			if s.Program != p || !s.staged {
				continue
			}
			steps = append(steps, s)
			functions = append(functions, stages.Function{Program: p, Rows: int(s.Rows), Checked: s.Checked, Definite: s.Definite, Often: f.scalar() && oftenCalled(p.Name)})
		}
	}
	list, rest := stages.Cut(functions, stages.Usual)
	if slices.ContainsFunc(steps, func(s *Step) bool { return s.PartOf != "" }) {
		rest = pass.Clean(list, rest) // parts have numbers for the sake of stages in common
	}
	for i, s := range steps {
		s.Cut = rest[i]
	}
	return list
}

// oftenCalled reports whether a function is called at every step.
func oftenCalled(name string) bool {
	switch name {
	case "Gradients", "NaturalGradient", "Loss", "ExactGradients", "ExactLoss":
		return true
	}
	return false
}

// Printed is the program as it is printed.
func (s *Step) Printed() *program.Program {
	if s.Cut != nil {
		return s.Cut
	}
	return s.Program
}
