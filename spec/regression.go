package spec

import "github.com/sngdgen/sngdgen/internal/diag"

var (
	regressionKeys    = []string{"package", "target", "formula"}
	regressionOptions = []string{"doc", "import"}
)

// Regression is a document with a formula: a distribution whose parameters have linear predictors, of columns that a file of data has. It is
// short for a problem that package internal/regression writes.
type Regression struct {
	Package     string
	PackageSpan diag.Span
	Doc         string
	Target      string // the name of the distribution
	Formula     string // y ~ age + sex; sigma ~ age
	FormulaSpan diag.Span
	Source      *diag.Source
	// What the target is: one of them.
	Distribution *Distribution
	Family       *Family

	target place
}

// regression reads a problem that a formula stands for.
func (r *reader) regression(o *object) *Regression {
	if missing := o.only(regressionKeys, regressionOptions); missing != nil {
		missing.WithHint("a formula has the target beside it, a distribution by name, and stands for all else")
	}
	out := &Regression{Doc: r.doc(o), Source: r.src}
	if name, ok := r.text(o.get("package"), "package", "a name"); ok && r.checkPackage(clip(name.text), name.whole()) {
		out.Package, out.PackageSpan = name.text, name.whole()
	}
	if name, ok := r.text(o.get("target"), "target", "a name"); ok && r.checkDefinition(name) {
		out.Target, out.target = name.text, name
	}
	if formula, ok := r.exact(o.get("formula"), "formula", "a formula, as y ~ age + sex; sigma ~ age"); ok {
		out.Formula, out.FormulaSpan = formula.text, formula.whole()
	}
	return out
}

// resolve looks up the distribution.
func (p *Regression) resolve(r *reader, s *scope) {
	if p.Target == "" {
		return // reported
	}
	if def, ok := r.resolve(s, p.target, "target", false); ok {
		p.Distribution, p.Family = def.distribution, def.family
	}
}
