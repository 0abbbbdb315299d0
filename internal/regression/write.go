package regression

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/sngdgen/sngdgen/expr/syntax"
	"github.com/sngdgen/sngdgen/runtime/types"
)

// Spec writes the distribution and a problem for it. All coefficients are auxiliary parameters, in a metric that is their information at
// the start, were that the same in all rows. Without any predictor it is the problem of the distribution by itself.
func (m *Model) Spec() string {
	var w writer
	if m.Import != "" {
		w.line("import: [%q]", m.Import)
	}
	m.distribution(&w)
	w.line("---")
	m.problem(&w)
	return w.String()
}

func (m *Model) distribution(w *writer) {
	w.line("distribution: %s", m.name())
	w.line("doc: %s", m.doc())
	w.line("variable: {%s: %q}", m.Variable.Name, m.Variable.Type)
	var given, parameters, values []string
	row := []string{m.Variable.Name}
	for _, g := range m.Given {
		given, row = append(given, fmt.Sprintf("%s: %s", g.Name, g.Type)), append(row, g.Name)
	}
	for _, p := range m.Parameters {
		if p.Columns == 0 {
			parameters, values = append(parameters, fmt.Sprintf("%s: %s", p.Name, p.Type)), append(values, p.Name)
			continue
		}
		given = append(given, p.Covariates()+": "+p.vector())
		parameters = append(parameters, p.Name+": "+p.vector())
		if p.Offset {
			given = append(given, p.OffsetName()+": real")
		}
		values = append(values, p.ofPredictor(p.Name))
	}
	w.mapping("given", given)
	w.mapping("parameters", parameters)
	var let []string
	for _, b := range m.Let {
		let = append(let, b.Name+": "+syntax.Format(b.Formula.Expr))
	}
	w.mapping("let", let)
	if len(m.Support) > 0 {
		w.line("support:")
	}
	for _, f := range m.Support {
		w.line("  - %s", syntax.Format(f.Expr))
	}
	w.line("logpdf: %s.logpdf(%s; %s)", m.Base, strings.Join(row, ", "), strings.Join(values, ", "))
	m.limits(w)
}

// componentCount is the name of the number of components: no distribution has a parameter of this name.
const componentCount = "component_count"

// mixed reports whether what is written is a mixture: the distribution by itself is none.
func (m *Model) mixed() bool { return m.Mixture && m.predicted() }

func (m *Model) problem(w *writer) {
	w.line("package: %s", m.packageName())
	if m.mixed() {
		w.line("target: {mixture: %s, components: %s}", m.name(), componentCount)
		w.line("surrogate: {mixture: none, components: %s}", componentCount)
	} else {
		w.line("target: %s", m.name())
		w.line("surrogate: none")
	}
	var dimensions, auxiliary, values []string
	for _, p := range m.Parameters {
		u := p.coordinateName()
		if p.Columns == 0 {
			auxiliary = append(auxiliary, u+":", "  type: real", fmt.Sprintf("  metric: %.6g", p.Information))
			values = append(values, p.Name+": "+p.ofCoordinate(u))
			continue
		}
		dimensions = append(dimensions, fmt.Sprintf("p_%s: %d", p.Name, p.Columns))
		auxiliary = append(auxiliary, u+":", "  type: "+p.vector(),
			fmt.Sprintf("  metric: %.6g*mean(outer(%s, %s))", p.Information, p.Covariates(), p.Covariates()))
		values = append(values, p.Name+": "+u)
	}
	w.mapping("dimensions", dimensions)
	w.mapping("auxiliary", auxiliary)
	w.mapping("map", values)
	if !m.predicted() {
		m.startsAlone(w)
		return
	}
	m.start(w)
}

// start writes the start of a regression: the same values in all rows. Those of the components of a mixture have to differ: the first
// parameter, where it has a predictor, begins at least squares of what the response is in its coordinate, in the group of the component.
func (m *Model) start(w *writer) {
	var values []string
	for i, p := range m.Parameters {
		value := p.startValue()
		if y := m.response(p); m.mixed() && i == 0 && p.Columns > 0 && y != "" {
			value = y
		}
		if p.Columns > 0 {
			value = p.coefficients(value, m.mixed() && value != "0")
		}
		values = append(values, p.coordinateName()+": "+value)
	}
	w.mapping("start", values)
}

// startValue is the unconstrained coordinate to begin with.
func (p Parameter) startValue() string { return fmt.Sprintf("%.6g", p.Link().Coordinate(p.Start)) }

// coefficients are those of least squares with which the predictor is near a value, which varies over the rows or does not.
func (p Parameter) coefficients(value string, varies bool) string {
	x := p.Covariates()
	switch {
	case p.Offset:
		return fmt.Sprintf("solve(mean(outer(%s, %s)), mean(%s*(%s - %s)))", x, x, x, value, p.OffsetName())
	case varies:
		return fmt.Sprintf("solve(mean(outer(%s, %s)), mean(%s*(%s)))", x, x, x, value)
	}
	return fmt.Sprintf("solve(mean(outer(%s, %s)), mean(%s))*(%s)", x, x, x, value)
}

// response is the variable in the unconstrained coordinate of a parameter, away from the ends of its range; "" where it has none.
func (m *Model) response(p Parameter) string {
	x := m.Variable.Name
	switch m.kind() {
	case types.Count.Name:
		x += " + 1/2"
	case types.Binary.Name:
		x = "(" + x + " + 1/2)/2"
	case types.Real.Name, types.Integer.Name:
		if p.Link() != types.Identity {
			return ""
		}
	case types.Unit.Name, types.Positive.Name:
	default:
		return ""
	}
	if p.Link() == types.Logit && m.Variable.Type.Kind != types.Unit.Name && m.Variable.Type.Kind != types.Binary.Name {
		return ""
	}
	return ofValue().ReplaceAllLiteralString(p.Link().Inverse, x)
}

// kind is the type of the variable as far as starts go: of one with a probability at an end there is no logarithm.
func (m *Model) kind() string {
	if len(m.Variable.Type.Atoms) > 0 {
		return types.Real.Name
	}
	return m.Variable.Type.Kind
}

// startsAlone writes starts of a distribution without predictors. Nothing is known of what its parameters mean: a real one may be a place
// of the variable or of its logarithm, positive ones may be scales, or the first a mean.
func (m *Model) startsAlone(w *writer) {
	x := m.Variable.Name
	type start struct{ real, first, positive string }
	mean, sd := "mean("+x+")", "sd("+x+")"
	starts := []start{{"0", "1", "1"}, {mean, "1", "1"}, {mean, sd, sd}}
	switch m.kind() {
	case types.Positive.Name:
		starts = append(starts, start{"mean(log(" + x + "))", mean, "1"})
	case types.Count.Name:
		starts = append(starts, start{mean, mean + " + 1/2", "1"})
	}
	w.line("start:")
	for _, s := range starts {
		lead := "- "
		for _, p := range m.Parameters {
			value := strconv.FormatFloat(p.Default(), 'g', -1, 64)
			switch p.Link() {
			case types.Identity:
				value = s.real
			case types.Log:
				value, s.first = s.first, s.positive
			}
			w.line("  %s%s: %s", lead, p.coordinateName(), ofValue().ReplaceAllLiteralString(p.Link().Inverse, value))
			lead = "  "
		}
	}
}

// predicted reports whether any parameter has a predictor.
func (m *Model) predicted() bool {
	return slices.ContainsFunc(m.Parameters, func(p Parameter) bool { return p.Columns > 0 })
}

// name is that of the distribution.
func (m *Model) name() string {
	if !m.predicted() {
		return m.Base + "_by_itself"
	}
	return m.Base + "_regression"
}

func (m *Model) doc() string {
	if !m.predicted() {
		return m.Base + " by itself"
	}
	return m.Base + " with linear predictors"
}

// packageName is as long as a name may be, at most.
func (m *Model) packageName() string {
	if m.Package != "" && m.predicted() {
		return m.Package
	}
	const most = 40
	name := strings.ReplaceAll(m.name(), "_", "")
	return name[:min(len(name), most)]
}

// Covariates is what the columns of a predictor are called as part of a row.
func (p Parameter) Covariates() string { return "x_" + p.Name }

// OffsetName is what the term without a coefficient is called as part of a row.
func (p Parameter) OffsetName() string { return "o_" + p.Name }

// vector is the type of the coefficients of a parameter, and of the columns that they belong to.
func (p Parameter) vector() string { return "vector(p_" + p.Name + ")" }

// coordinateName is what the unconstrained coordinate of a parameter is called, log_nu or logit_p. Coefficients have the name of their
// parameter, as they have in reports.
func (p Parameter) coordinateName() string {
	link, _, _ := strings.Cut(p.Link().Inverse, "(")
	switch {
	case p.Columns > 0, p.Link() == types.Identity:
		return p.Name
	}
	return link + "_" + p.Name
}

// ofCoordinate is the parameter as a formula of its unconstrained coordinate.
func (p Parameter) ofCoordinate(u string) string {
	return coordinate().ReplaceAllLiteralString(p.Link().Formula, u)
}

// The variables in the formulas of a link.
var (
	coordinate = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\bu\b`) })
	ofValue    = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\bx\b`) })
)

// ofPredictor is the parameter of a row as a formula of coefficients.
func (p Parameter) ofPredictor(coefficients string) string {
	predictor := "dot(" + p.Covariates() + ", " + coefficients + ")"
	if p.Offset {
		predictor = "(" + predictor + " + " + p.OffsetName() + ")"
	}
	return p.ofCoordinate(predictor)
}

// writer writes YAML.
type writer struct{ strings.Builder }

func (w *writer) line(format string, args ...any) { fmt.Fprintf(w, format+"\n", args...) }

// mapping writes a key with entries, nothing where there are none.
func (w *writer) mapping(key string, entries []string) {
	for i, e := range entries {
		if i == 0 {
			w.line("%s:", key)
		}
		w.line("  %s", e)
	}
}

// indented writes lines further to the right.
func (w *writer) indented(by, lines string) {
	for line := range strings.Lines(lines) {
		w.WriteString(by + line)
	}
}
