package methods

import (
	"slices"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/gen/bind"
	"github.com/sngdgen/sngdgen/runtime"
)

// What a package says of itself is a value of the type that it has at run time, which is printed as Go, and which the engine hands out
// as it is.

// describeAll says what is written around the functions.
func (f *Package) describeAll() {
	f.Undivided = f.undivided()
	if f.Variational() != nil {
		WidthsOf(f.DataParams())
	} else if f.Records() { // of which the lengths have to follow from the number of columns
		WidthsOf(f.d.Problem.Target.Record())
	}
	f.Info, f.Conditions, f.Coordinates = f.describe(), f.conditionsInfo(), f.blocksInfo()
	if f.Posterior = f.posterior(); f.Posterior == nil {
		f.Data = append(f.Data, Column{"x", CoreOf(f.d.Problem.Target.Variable.Sym.Type)})
	}
	for _, q := range f.DataParams() {
		f.Data = append(f.Data, Column{f.DataField(q), CoreOf(q.Sym.Type)})
	}
	for _, c := range f.d.Problem.Constants {
		f.Constants = append(f.Constants, ConstantField(c.Sym))
	}
	f.Stage = columnsOf(f.DataStage.Columns)
	for _, l := range f.Limited {
		f.Limits = append(f.Limits, columnsOf(l.Columns))
	}
}

// describe is the description of the problem.
func (f *Package) describe() *runtime.Info {
	p := f.d.Problem
	info := &runtime.Info{Name: p.Spec.Package, Target: f.TargetName(), Surrogate: f.SurrogateName(), Coordinates: p.Spec.Step,
		Objective: p.Spec.Objective, Source: f.options.Source, Deterministic: !f.Estimated(), Variable: f.parameter(p.Target.Variable),
		Reported: f.reportedInfo(), Starts: len(f.d.Starts), RandomStart: f.d.RandomStart != nil, Limits: f.limitInfo(),
		Contained: f.containedInfo(), Hessian: f.d.Unconstrained.Hessian != nil, DualOfData: p.Surrogate.OfColumns, Ordered: f.Ordered(), Approximated: f.approximated()}
	for i, t := range p.Target.Params {
		q := f.parameter(t)
		q.Known = p.Known(i)
		info.Parameters = append(info.Parameters, q)
	}
	if f.Variational() == nil {
		info.Beside, info.Given = f.columnsInfo(p.Target.Beside), f.columnsInfo(p.Target.Given)
	} else {
		info.Path = p.Variational.Spec.Estimator == bind.EstimatorPath
		info.Data = f.columnsInfo(f.DataParams())
		for _, q := range p.Variational.Declared {
			info.Latent = append(info.Latent, f.parameter(q))
		}
		if q := f.Predicts(); q != nil {
			info.Predicted = f.columnsInfo(q.Data)
		}
	}
	for _, c := range p.Support() {
		info.Support = append(info.Support, c.Text)
	}
	if q := f.d.Penalty; q != nil {
		info.Penalty = q.Formula.String()
	}
	if m := f.Mixture(); m != nil {
		info.Mixture, info.Components = true, m.Components.Name
	}
	if f.Shaped() {
		info.Dims = []string{}
		for _, d := range f.Dims {
			info.Dims = append(info.Dims, d.Name)
		}
	}
	return info
}

// parameter describes a parameter, a latent variable or a quantity.
func (f *Package) parameter(q bind.Param) runtime.Parameter {
	out := runtime.Parameter{Name: q.Name, Type: q.Kind.Type, Of: dimInfo(q.Sym.Facts.Index), Beyond: q.Sym.Facts.Beyond,
		Components: f.ofComponent(q)}
	for _, d := range f.lengths(q.Sym.Type) {
		out.Shape = append(out.Shape, dimInfo(d))
	}
	return out
}

// columnsInfo describes parts of the data.
func (f *Package) columnsInfo(parts []bind.Param) []runtime.Parameter {
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
func (f *Package) reportedInfo() (out []runtime.Parameter) {
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
func (f *Package) limitInfo() (out []runtime.Limit) {
	for _, l := range f.d.Limits {
		limit := runtime.Limit{Name: l.Spec.Name, Starts: len(l.Starts), RandomStart: l.RandomStart != nil, From: l.From != nil}
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
func (f *Package) containedInfo() (out []runtime.Contained) {
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
func (f *Package) conditionsInfo() (out []runtime.Condition) {
	for _, c := range f.d.Surrogate.Conditions {
		out = append(out, runtime.Condition{Block: c.Block, Text: c.Text})
	}
	return out
}

// blocksInfo describes the coordinates, without their places.
func (f *Package) blocksInfo() (out []Coordinate) {
	at := f.CoordLayout()
	for i, c := range f.d.Surrogate.Coords {
		one := Coordinate{Block: runtime.Block{Name: c.Name, Auxiliary: c.Auxiliary}, Offset: at.Offset(i), Len: at.Len(i),
			Copies: at.Places[i].Each() && !c.Free}
		switch s := c.Sym.Facts.Structure; {
		case at.Places[i].Rank < 2:
		case s&expr.Symmetric != 0:
			one.Block.Symmetric = true
		case s&expr.LowerTriangular != 0:
			one.Block.Lower, one.Block.Strict = true, s&expr.ZeroDiagonal != 0
		}
		out = append(out, one)
	}
	return out
}

func dimInfo(d expr.Dim) runtime.Dim {
	if d.Name != "" {
		return runtime.Dim{Name: d.Name}
	}
	return runtime.Dim{Size: d.Size}
}

// approximated are the kinds of sums that the density has, or the joint density, in the order of the formulas.
func (f *Package) approximated() (kinds []string) {
	if f.d.Finer == nil && !f.RefinedPosterior() {
		return nil
	}
	for _, a := range f.d.Problem.Approximations {
		if !slices.Contains(kinds, a.What) {
			kinds = append(kinds, a.What)
		}
	}
	return kinds
}
