package emit

import (
	"reflect"

	"github.com/dave/jennifer/jen"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/gen/bind"
	"github.com/sngdgen/sngdgen/gen/plan"
	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/types"
)

// What a package says of itself is a value of the type that it has at run time, which is printed as Go, and which the engine hands out
// as it is.

// describe is the description of the problem.
func (f *file) describe() *runtime.Info {
	p := f.d.Problem
	info := &runtime.Info{Name: p.Spec.Package, Target: f.target(), Surrogate: f.surrogateOf(), Coordinates: p.Spec.Step,
		Objective: p.Spec.Objective, Source: f.options.Source, Deterministic: !f.estimated(), Variable: f.parameter(p.Target.Variable),
		Reported: f.reportedInfo(), Starts: len(f.d.Starts), RandomStart: f.d.RandomStart != nil, Limits: f.limitInfo(),
		Contained: f.containedInfo(), Hessian: f.d.Unconstrained.Hessian != nil, DualOfData: p.Surrogate.OfColumns, Ordered: p.Target.Ordered()}
	for i, t := range p.Target.Params {
		q := f.parameter(t)
		q.Known = p.Known(i)
		info.Parameters = append(info.Parameters, q)
	}
	if f.variational() == nil {
		info.Beside, info.Given = f.columnsInfo(p.Target.Beside), f.columnsInfo(p.Target.Given)
		for _, c := range p.Target.Support {
			info.Support = append(info.Support, c.Text)
		}
	} else {
		info.Path = p.Variational.Spec.Estimator == bind.EstimatorPath
		info.Data = f.columnsInfo(f.dataParams())
		for _, q := range p.Variational.Declared {
			info.Latent = append(info.Latent, f.parameter(q))
		}
		if q := f.predicts(); q != nil {
			info.Predicted = f.columnsInfo(q.Data)
		}
	}
	if q := f.d.Penalty; q != nil {
		info.Penalty = display(q.Formula)
	}
	if m := f.mixture(); m != nil {
		info.Mixture, info.Components = true, m.Components.Name
	}
	if f.shaped() {
		info.Dims = []string{}
		for _, d := range f.dims() {
			info.Dims = append(info.Dims, d.Name)
		}
	}
	return info
}

// parameter describes a parameter, a latent variable or a quantity.
func (f *file) parameter(q bind.Param) runtime.Parameter {
	out := runtime.Parameter{Name: q.Name, Type: q.Kind.Type, Of: dimInfo(q.Sym.Facts.Index), Beyond: q.Sym.Facts.Beyond,
		Components: f.ofComponent(q)}
	for _, d := range f.lengths(q.Sym.Type) {
		out.Shape = append(out.Shape, dimInfo(d))
	}
	return out
}

func dimInfo(d expr.Dim) runtime.Dim {
	if d.Name != "" {
		return runtime.Dim{Name: d.Name}
	}
	return runtime.Dim{Size: d.Size}
}

// columnsInfo describes parts of the data.
func (f *file) columnsInfo(parts []bind.Param) []runtime.Parameter {
	v := f.d.Problem.Variational
	var out []runtime.Parameter
	for _, q := range parts {
		column := f.parameter(q)
		column.Rows = (v == nil || v.ByRow) && q.Sym.Type.Axes.Has(expr.Rows)
		out = append(out, column)
	}
	return out
}

// reportedInfo describes what reports show, of an estimate besides the parameters, of a posterior in place of the latent variables.
func (f *file) reportedInfo() (out []runtime.Parameter) {
	var list []bind.Quantity
	switch {
	case f.d.Variational != nil:
		list = f.d.Variational.Reported
	case f.d.Report != nil:
		list = f.d.Report.Quantities
	}
	for _, q := range list {
		out = append(out, f.parameter(bind.Param{Name: q.Name, Kind: q.Kind, Sym: q.Node}))
	}
	return out
}

// limitInfo describes the limits.
func (f *file) limitInfo() (out []runtime.Limit) {
	for _, l := range f.d.Limits {
		limit := runtime.Limit{Name: l.Spec.Name, Starts: len(l.Starts), RandomStart: l.RandomStart != nil}
		for _, e := range l.Spec.When {
			limit.When = append(limit.When, runtime.LimitEnd{Parameter: e.Name, To: e.Value})
		}
		for _, q := range l.Params {
			limit.Parameters = append(limit.Parameters, f.parameter(q))
		}
		out = append(out, limit)
	}
	return out
}

// containedInfo describes the contained approximations.
func (f *file) containedInfo() (out []runtime.Contained) {
	for _, c := range f.d.Contained {
		one := runtime.Contained{Name: c.Spec.Approximation.Name}
		for _, q := range c.Given {
			if q.Kind.Name != "" { // neither weights nor the direction
				one.Parameters = append(one.Parameters, f.parameter(q))
			}
		}
		out = append(out, one)
	}
	return out
}

// conditionsInfo describes the domain.
func (f *file) conditionsInfo() (out []runtime.Condition) {
	for _, c := range f.d.Surrogate.Conditions {
		out = append(out, runtime.Condition{Block: c.Block, Text: c.Text})
	}
	return out
}

// blocksInfo describes the coordinates, without their places.
func (f *file) blocksInfo() (out []Coordinate) {
	at := f.coordLayout()
	for i, c := range f.d.Surrogate.Coords {
		one := Coordinate{Block: runtime.Block{Name: c.Name, Auxiliary: c.Auxiliary}, Offset: at.offset(i), Len: at.len(i),
			Copies: at.places[i].each() && !c.Free}
		switch s := c.Sym.Facts.Structure; {
		case at.places[i].Rank < 2:
		case s&expr.Symmetric != 0:
			one.Block.Symmetric = true
		case s&expr.LowerTriangular != 0:
			one.Block.Lower, one.Block.Strict = true, s&expr.ZeroDiagonal != 0
		}
		out = append(out, one)
	}
	return out
}

// blocks prints the coordinates, with places that depend on the lengths.
func (f *file) blocks() []jen.Code {
	var out []jen.Code
	for _, c := range f.blocksInfo() {
		list := []jen.Code{field("Name", jen.Lit(c.Block.Name)), field("Offset", jen.Id(lengthText(c.Offset))), field("Len", jen.Id(lengthText(c.Len)))}
		if c.Copies {
			list = append(list, field("Copies", jen.Id(plan.DimName(f.components()))))
		}
		c.Block.Name = ""
		out = append(out, jen.Values(append(list, fields(reflect.ValueOf(c.Block))...)...))
	}
	return out
}

// literal prints a value of a type of package runtime: fields that are not zero, in the order of their declaration, and elements of a
// list one a line unless all are short.
func literal(v reflect.Value) jen.Code {
	if t, ok := v.Interface().(types.Type); ok {
		return typeOf(t)
	}
	switch v.Kind() {
	case reflect.Struct:
		return runtimeType(v.Type().Name()).Add(braces(v))
	case reflect.Float64:
		return number(v.Float()).Statement
	case reflect.Slice:
		element := jen.Code(jen.String())
		if e := v.Type().Elem(); e.Kind() == reflect.Struct {
			element = runtimeType(e.Name())
		}
		return jen.Index().Add(element).Add(braces(v))
	}
	return jen.Lit(v.Interface())
}

// braces is what stands behind the type of a literal.
func braces(v reflect.Value) jen.Code {
	list := fields(v)
	if v.Kind() == reflect.Slice {
		for i := range v.Len() {
			if e := v.Index(i); e.Kind() == reflect.Struct {
				list = append(list, braces(e))
			} else {
				list = append(list, literal(e))
			}
		}
	}
	if long(v.Type()) {
		return lines(list...)
	}
	return jen.Values(list...)
}

// fields are those of a struct that are not zero.
func fields(v reflect.Value) (list []jen.Code) {
	if v.Kind() != reflect.Struct {
		return nil
	}
	for i := range v.NumField() {
		if x := v.Field(i); !x.IsZero() {
			list = append(list, field(v.Type().Field(i).Name, literal(x)))
		}
	}
	return list
}

// long reports whether a literal has its elements in lines of their own: a list of parameters, and what has one.
func long(t reflect.Type) bool {
	parameters := reflect.TypeFor[[]runtime.Parameter]()
	if t.Kind() == reflect.Slice {
		return t == parameters || long(t.Elem())
	}
	if t.Kind() != reflect.Struct {
		return false
	}
	for i := range t.NumField() {
		if t.Field(i).Type == parameters {
			return true
		}
	}
	return false
}
