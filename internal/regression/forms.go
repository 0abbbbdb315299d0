package regression

import (
	"slices"
	"strings"

	"github.com/sngdgen/sngdgen/expr/syntax"
	"github.com/sngdgen/sngdgen/runtime/types"
	"github.com/sngdgen/sngdgen/spec"
)

// Mean is the parameter that is the mean of a distribution; "" where none is, or its mean is not given.
func Mean(d *spec.Distribution) string {
	if d.Mean == nil {
		return ""
	}
	n, ok := d.Mean.Expr.(*syntax.Name)
	if !ok || !slices.ContainsFunc(d.Parameters, func(q spec.Param) bool { return q.Name == n.Name }) {
		return ""
	}
	return n.Name
}

// ByMean are the forms of a distribution in a library of which a parameter is the mean, where that is not so of the distribution itself: about the same
// numbers, with as many parameters, and with a name that goes on from its own.
func ByMean(d *spec.Distribution, lib *spec.Lib) (out []*spec.Distribution) {
	if d.Mean == nil || Mean(d) != "" {
		return nil
	}
	for _, name := range lib.Distributions() {
		other := lib.Distribution(name)
		if Mean(other) != "" && len(other.Parameters) == len(d.Parameters) && other.Variable.Type.String() == d.Variable.Type.String() &&
			strings.HasPrefix(name, d.Name+"_") && Of(other, nil).Check() == nil {
			out = append(out, other)
		}
	}
	return out
}

// Covariates is the name of the covariates of a problem that is a regression already: the only vector that its target is given for each row. ""
// where there is none, or more than one.
func Covariates(p *spec.Problem) string {
	if p == nil || p.TargetDist == nil {
		return ""
	}
	name := ""
	for _, g := range p.TargetDist.Given {
		if g.Type.IsScalar() {
			continue
		}
		if name != "" {
			return ""
		}
		name = g.Name
	}
	return name
}

// CutPoints is the parameter of a regression that lies between the levels of what is explained, an ordered vector, so that an intercept would say
// the same again; "" where there is none.
func CutPoints(p *spec.Problem) string {
	for _, q := range p.TargetDist.Parameters {
		if q.Type.Type().Form == types.Ordered {
			return q.Name
		}
	}
	return ""
}
