package regression

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/sngdgen/sngdgen/expr/syntax"
	"github.com/sngdgen/sngdgen/internal/diag"
	"github.com/sngdgen/sngdgen/runtime/estimate"
	"github.com/sngdgen/sngdgen/runtime/types"
	"github.com/sngdgen/sngdgen/spec"
)

// Model is a distribution with linear predictors.
type Model struct {
	Base       string       // the distribution as formulas call it
	Import     string       // the file that defines it, "" for the library
	Variable   spec.Param   // what it is about
	Beside     []spec.Param // what is observed together with the variable
	Given      []spec.Param // what it is given itself
	Support    []*spec.Formula
	Let        []spec.Binding // that Support uses
	Parameters []Parameter
	Limits     []spec.Limit // of the distribution by itself
	Sequence   bool         // whether it has a state, so that rows have no density by themselves
	Package    string       // what the problem is called; "" for a name that follows from the distribution
	Mixture    bool         // whether each component of a mixture has coefficients of its own
}

// Of is the model of a distribution, or of a family, without predictors.
func Of(d *spec.Distribution, f *spec.Family) *Model {
	m := &Model{}
	var params []spec.Param
	if d != nil {
		m.Base, m.Variable, m.Beside, m.Given, params = d.Name, d.Variable, d.Beside, d.Given, d.Parameters
		m.Support, m.Let, m.Limits = d.Support, usedBy(d.Support, d.Let), d.Limits
		m.Sequence = len(d.States) > 0
	} else {
		m.Base, m.Variable, params = f.Name, f.Variable, f.Parameters
		m.Support, m.Let = f.Support, usedBy(f.Support, f.Let)
	}
	for _, q := range params {
		m.Parameters = append(m.Parameters, Parameter{Name: q.Name, Type: q.Type, Information: 1})
	}
	return m
}

// usedBy are the definitions that formulas use, and those that these use.
func usedBy(formulas []*spec.Formula, let []spec.Binding) (out []spec.Binding) {
	used := map[string]bool{}
	var visit func(f *spec.Formula)
	visit = func(f *spec.Formula) {
		syntax.Walk(f.Expr, func(e syntax.Expr) bool {
			if n, ok := e.(*syntax.Name); ok && !used[n.Name] {
				used[n.Name] = true
				for _, b := range let {
					if b.Name == n.Name {
						visit(b.Formula)
					}
				}
			}
			return true
		})
	}
	for _, f := range formulas {
		visit(f)
	}
	for _, b := range let {
		if used[b.Name] {
			out = append(out, b)
		}
	}
	return out
}

// Check says why parameters of a distribution cannot have predictors.
func (m *Model) Check() error {
	if m.Sequence {
		return fmt.Errorf("%s has a state that is carried along the rows: linear predictors are for distributions of one row by itself", m.Base)
	}
	if len(m.Beside) > 0 {
		return fmt.Errorf("%s is a distribution of %d variables, %s, %s: linear predictors are for those of one number", m.Base, len(m.Beside)+1,
			m.Variable.Name, m.Beside[0].Name)
	}
	if !m.Variable.Type.IsScalar() {
		return fmt.Errorf("%s is a distribution of a %s: linear predictors are for those of numbers", m.Base, m.Variable.Type)
	}
	for _, p := range m.Parameters {
		if !p.Type.IsScalar() || p.Link() == nil {
			return fmt.Errorf("%s has a parameter %s of type %s: linear predictors are for distributions whose parameters are real, positive or unit", m.Base,
				p.Name, p.Type)
		}
	}
	return nil
}

// Predictors gives parameters those of a formula: columns by the name of the parameter.
func (m *Model) Predictors(equations []Equation) (map[string]Equation, error) {
	var names []string
	for _, p := range m.Parameters {
		names = append(names, p.Name)
	}
	of := map[string]Equation{}
	for i, e := range equations {
		name := e.Left
		if i == 0 {
			name = names[0]
		}
		if !slices.Contains(names, name) {
			hint := "it has " + strings.Join(names, ", ")
			if meant := diag.Suggest(name, names); meant != "" {
				hint = fmt.Sprintf("did you mean %q? %s", meant, hint)
			}
			return nil, fmt.Errorf("%s has no parameter %q: %s", m.Base, name, hint)
		}
		if _, twice := of[name]; twice {
			return nil, fmt.Errorf("the first equation is that of %s already", name)
		}
		of[name] = e
	}
	return of, nil
}

// Parameter is one of the distribution: a number of this type.
type Parameter struct {
	Name    string
	Type    syntax.TypeExpr
	Columns int  // of its predictor; 0 for a parameter that is the same in all rows
	Offset  bool // whether its predictor has a term without a coefficient
	// Start is the value in all rows to begin with, and Information that of one row about the unconstrained coordinate there.
	Start, Information float64
}

// Link is the unconstrained coordinate of a parameter, in which it is linear: nil of what has none, whole numbers.
func (p Parameter) Link() *types.Link {
	if e := p.entry(); e != nil {
		return e.Link
	}
	return nil
}

// Default is the value where nothing else is known.
func (p Parameter) Default() float64 { return p.entry().Default }

func (p Parameter) entry() *types.Entry { return p.Type.Type().Entry }

// largest is how far from 0 an unconstrained coordinate may be to begin with: beyond it an estimate is about to go to infinity.
const largest = 20

// StartFrom takes the starts of all parameters, and their information, from a fit of the distribution by itself; it may be empty.
func (m *Model) StartFrom(fit *estimate.Report) {
	for i := range m.Parameters {
		q := &m.Parameters[i]
		value, stdErr := math.NaN(), math.NaN()
		for k, v := range fit.Estimate {
			if v.Name == q.Name && k < len(fit.StdErr) {
				value, stdErr = v.Value, fit.StdErr[k].Value
			}
		}
		q.StartAt(value, stdErr, fit.N)
	}
}

// StartAt takes the start of a parameter, and its information, from an estimate of n rows that are all alike; the default of its type,
// and the information 1, where there is none.
func (p *Parameter) StartAt(value, stdErr, n float64) {
	u := p.Link().Coordinate(value)
	if !(math.Abs(u) <= largest || p.Link() == types.Identity && !math.IsInf(u, 0) && !math.IsNaN(u)) {
		p.Start, p.Information = p.Default(), 1
		return
	}
	p.Start, p.Information = value, 1
	if of := stdErr / p.Link().Slope(u, value); of > 0 && !math.IsInf(of, 0) {
		p.Information = 1 / (n * of * of)
	}
}
