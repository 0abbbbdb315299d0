package methods

import (
	"slices"

	"github.com/sngdgen/sngdgen/gen/program"
	"github.com/sngdgen/sngdgen/gen/program/pass"
	"github.com/sngdgen/sngdgen/gen/program/verify"
)

// Sums of outer products are added up in lower triangles, and mirrored. Where a step on a batch reads no more of one than that, as it often does of what is
// added to a symmetric matrix, it is mirrored by those who do: for a batch that would take as long as the step takes for all matrices of its size.

// lowerTriangles leaves the matrices of the data stage in their lower triangles of which no more is read by it and by natural gradients.
func (f *Package) lowerTriangles() {
	stage := f.Functions["prepare"]
	if stage == nil {
		return
	}
	p := stage.Steps[0].Program
	for i := 0; i < len(p.Body); i++ {
		mirror, ok := p.Body[i].(*program.Call)
		if !ok || mirror.Kernel != "Mirror" || mirror.Args[0].Place.Given == nil || f.wantedWhole(mirror.Args[0].Place, p.Body[i+1:]) {
			continue
		}
		p.Body = slices.Delete(p.Body, i, i+1)
		i--
		clearLower(p, mirror)
		f.Lower = append(f.Lower, mirror.Args[0].Place.Given.Name)
		for _, q := range f.Programs {
			mirrorFirst(q, mirror)
		}
	}
}

// clearLower has a program begin a sum, which is mirrored by others, with zeros in its lower triangle alone.
func clearLower(p *program.Program, mirror *program.Call) {
	for _, s := range p.Body {
		if c, ok := s.(*program.Call); ok && c.Kernel == "clear" && c.Args[0].Place == mirror.Args[0].Place {
			c.Kernel, c.Args = "ClearLower", slices.Clone(mirror.Args)
		}
	}
}

// wantedWhole reports whether what follows in the data stage, or a natural gradient, reads more than the lower triangle of a field.
func (f *Package) wantedWhole(field *program.Place, behind []program.Stmt) bool {
	return pass.Whole(f.Functions["prepare"].Steps[0].Program, behind)[field] || slices.ContainsFunc(f.Programs, func(p *program.Program) bool {
		at, _ := readsWhole(p, field)
		return p.Name == "NaturalGradient" && at >= 0
	})
}

// readsWhole is the first statement of a program that reads more than the lower triangle of a field, with its place there; -1 where none does.
func readsWhole(p *program.Program, field *program.Place) (int, *program.Place) {
	for i := range p.Body {
		for place := range pass.Whole(p, p.Body[i:i+1]) {
			if place != nil && place.Given != nil && place.Name == field.Name {
				return i, place
			}
		}
	}
	return -1, nil
}

// mirrorFirst has a program mirror a field in front of what reads more than the lower triangle that is there.
func mirrorFirst(p *program.Program, mirror *program.Call) {
	field := mirror.Args[0].Place
	program.Mentions(p.Body, func(place *program.Place) {
		if place.Given != nil && place.Name == field.Name {
			place.Given.Lower = true
		}
	})
	if i, own := readsWhole(p, field); i >= 0 && p.Name != "prepare" {
		for i > 0 && isBuffer(p.Body[i-1]) { // which are printed with what fills them
			i--
		}
		first := *mirror
		first.Args = slices.Clone(mirror.Args)
		first.Args[0].Place = own
		p.Body = slices.Insert(p.Body, i, program.Stmt(&first))
	}
	if err := verify.Program(p); err != nil {
		panic(unsound{err})
	}
}

func isBuffer(s program.Stmt) bool {
	_, ok := s.(*program.Buffer)
	return ok
}
