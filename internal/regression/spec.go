package regression

import (
	"fmt"
	"math"
	"regexp"
	"strings"

	"github.com/sngdgen/sngdgen/expr/syntax"
	"github.com/sngdgen/sngdgen/runtime/types"
	"github.com/sngdgen/sngdgen/spec"
)

// Model is a distribution with linear predictors.
type Model struct {
	Name       string       // of the distribution that is made; its package has the same letters
	Base       string       // the distribution as formulas call it
	Import     string       // the file that defines it, "" for the library
	Variable   spec.Param   // what it is about
	Given      []spec.Param // what it is given itself
	Parameters []Parameter
}

// Parameter is one of the distribution: a number of this type.
type Parameter struct {
	Name    string
	Type    syntax.TypeExpr
	Columns int // of its predictor; 0 for a parameter that is the same in all rows
	// Start is the value in all rows to begin with, and Information that of one row about the unconstrained coordinate there.
	Start, Information float64
}

// Link is the unconstrained coordinate of a parameter, in which it is linear: nil of what has none, whole numbers.
func (p Parameter) Link() *types.Link { return p.entry().Link }

func (p Parameter) entry() *types.Entry { return types.EntryNamed(p.Type.Kind) }

// largest is how far from 0 an unconstrained coordinate may be to begin with: beyond it an estimate is about to go to infinity.
const largest = 20

// StartAt takes the start of a parameter, and its information, from an estimate of n rows that are all alike; the default of its type,
// and the information 1, where there is none.
func (p *Parameter) StartAt(value, stdErr, n float64) {
	u := p.Link().Coordinate(value)
	if !(math.Abs(u) <= largest || p.Link() == types.Identity && !math.IsInf(u, 0) && !math.IsNaN(u)) {
		p.Start, p.Information = p.entry().Default, 1
		return
	}
	p.Start, p.Information = value, 1
	if of := stdErr / p.Link().Slope(u, value); of > 0 && !math.IsInf(of, 0) {
		p.Information = 1 / (n * of * of)
	}
}

// Covariates is what the columns of a predictor are called as part of a row.
func (p Parameter) Covariates() string { return "x_" + p.Name }

// coordinate is the u in the formula of a link.
var coordinate = regexp.MustCompile(`\bu\b`)

// ofCoordinate is the parameter as a formula of its unconstrained coordinate.
func (p Parameter) ofCoordinate(u string) string {
	return coordinate.ReplaceAllLiteralString(p.Link().Formula, u)
}

// Spec writes the distribution and a problem for it. All coefficients are auxiliary parameters, in a metric that is their information at
// the start, were that the same in all rows.
func (m *Model) Spec() string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	if m.Import != "" {
		line("import: [%q]", m.Import)
	}
	line("distribution: %s", m.Name)
	line("doc: %s with linear predictors", m.Base)
	line("variable: {%s: %s}", m.Variable.Name, m.Variable.Type)
	line("given:")
	row := []string{m.Variable.Name}
	for _, g := range m.Given {
		line("  %s: %s", g.Name, g.Type)
		row = append(row, g.Name)
	}
	for _, p := range m.Parameters {
		if p.Columns > 0 {
			line("  %s: %s", p.Covariates(), p.vector())
		}
	}
	line("parameters:")
	var values []string
	for _, p := range m.Parameters {
		if p.Columns > 0 {
			line("  %s: %s", p.Name, p.vector())
			values = append(values, p.ofCoordinate("dot("+p.Covariates()+", "+p.Name+")"))
			continue
		}
		line("  %s: %s", p.Name, p.Type)
		values = append(values, p.Name)
	}
	line("logpdf: %s.logpdf(%s; %s)", m.Base, strings.Join(row, ", "), strings.Join(values, ", "))
	m.problem(line)
	return b.String()
}

// vector is the type of the coefficients of a parameter, and of the columns that they belong to.
func (p Parameter) vector() string { return "vector(p_" + p.Name + ")" }

// problem writes the problem.
func (m *Model) problem(line func(format string, args ...any)) {
	line("---")
	line("package: %s", strings.ReplaceAll(m.Name, "_", ""))
	line("target: %s", m.Name)
	line("surrogate: none")
	line("dimensions:")
	for _, p := range m.Parameters {
		if p.Columns > 0 {
			line("  p_%s: %d", p.Name, p.Columns)
		}
	}
	line("auxiliary:")
	for _, p := range m.Parameters {
		line("  %s:", p.coordinateName())
		if p.Columns > 0 {
			line("    type: %s", p.vector())
			line("    metric: %.6g*mean(outer(%s, %s))", p.Information, p.Covariates(), p.Covariates())
			continue
		}
		line("    type: real")
		line("    metric: %.6g", p.Information)
	}
	line("map:")
	for _, p := range m.Parameters {
		if p.Columns > 0 {
			line("  %s: %s", p.Name, p.coordinateName())
			continue
		}
		line("  %s: %s", p.Name, p.ofCoordinate(p.coordinateName()))
	}
	line("start:")
	for _, p := range m.Parameters {
		u := p.Link().Coordinate(p.Start)
		if p.Columns > 0 {
			x := p.Covariates()
			line("  %s: solve(mean(outer(%s, %s)), mean(%s))*(%.6g)", p.coordinateName(), x, x, x, u)
			continue
		}
		line("  %s: %.6g", p.coordinateName(), u)
	}
}

// coordinateName is what the unconstrained coordinate of a parameter is called, log_nu or logit_p, or its coefficients.
func (p Parameter) coordinateName() string {
	link, _, _ := strings.Cut(p.Link().Inverse, "(")
	switch {
	case p.Columns > 0:
		return "b_" + p.Name
	case p.Link() == types.Identity:
		return p.Name
	}
	return link + "_" + p.Name
}
