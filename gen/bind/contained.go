package bind

import (
	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/spec"
)

// Contained is an approximation that the one of the problem contains.
type Contained struct {
	Spec *spec.Contained
	// Given are what the formulas are in terms of: in a mixture the weights of the components, then the parameters of the target
	// of the contained approximation, each component its own in a mixture, and there a direction in the space of the variable.
	Given []Param
	// Equal is where the approximations are equal, Start where a fit begins: the same, unless something else is said.
	Equal Start
	Start *Start
}

// containedPrefix keeps the parameters of contained approximations apart from those of the problem.
const containedPrefix = "contained."

// contained binds what the approximation of the problem contains.
func (b *binder) contained(p *spec.Problem, out *Problem) {
	if p.Approximation == nil || b.diags.HasErrors() {
		return
	}
	b.reductions, b.inStart = true, true
	defer func() { b.reductions, b.inStart = false, false }()
	for i := range p.Approximation.Contains {
		if c := b.containedOne(&p.Approximation.Contains[i], out); c != nil {
			out.Contained = append(out.Contained, c)
		}
	}
}

func (b *binder) containedOne(s *spec.Contained, out *Problem) *Contained {
	c := &Contained{Spec: s}
	for _, d := range s.Approximation.Dimensions() { // the lengths that it has there
		if _, ok := b.dims[d.Name]; !ok {
			b.pinned[d.Name] = expr.Dim{Size: d.Size}
		}
	}
	prefix := containedPrefix + s.Approximation.Name + "."
	for _, q := range s.Approximation.Parameters() {
		for _, dim := range q.Type.Dims {
			_, known := b.dims[dim.Name]
			if _, pinned := b.pinned[dim.Name]; !known && !pinned && dim.Name != "" {
				b.diags.Errorf(s.NameSpan, "the target of %s has a dimension %q, which that of %s does not have", s.Approximation.Name, dim.Name,
					out.Spec.Approximation.Name)
				return nil
			}
		}
		c.Given = append(c.Given, b.param(q, prefix, b.axes))
	}
	names := nameMap(c.Given)
	bind := func(from spec.Draws, names map[string]*expr.Node) Start {
		d := b.startValues(out, spec.Start{Noise: from.Noise, Values: from.Values, Span: s.NameSpan}, "contained "+s.Approximation.Name, names)
		return Start{Draws: *d, Groups: GroupsNone}
	}
	c.Equal = bind(spec.Draws{Values: s.Equal}, names)
	moved := copyNames(names)
	m := out.Mixture
	if m != nil {
		x := out.Target.Variable
		weights := Param{Name: weightsName, Sym: b.g.Sym(prefix+weightsName, m.Weights.Type, m.Weights.Facts)}
		direction := Param{Name: spec.Direction, Sym: b.g.Sym(prefix+spec.Direction, core(x.Sym.Type).Over(b.axes), expr.Unknown)}
		c.Given = append(append([]Param{weights}, c.Given...), direction)
		moved[spec.Direction] = direction.Sym
		c.Equal.Values = append([]Def{{Name: weightsName, Sym: m.Weights, Node: weights.Sym, Span: s.NameSpan}}, c.Equal.Values...)
	}
	if s.Start != nil {
		start := bind(*s.Start, moved)
		if m != nil {
			start.Values = append(c.Equal.Values[:1:1], start.Values...)
		}
		c.Start = &start
	}
	return c
}
