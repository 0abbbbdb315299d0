package studio

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/sngdgen/sngdgen/internal/diag"
	"github.com/sngdgen/sngdgen/internal/record"
	"github.com/sngdgen/sngdgen/internal/regression"
	"github.com/sngdgen/sngdgen/runtime/estimate"
	"github.com/sngdgen/sngdgen/spec"
)

// distribution is one of the library that may have linear predictors.
type distribution struct {
	Name string `json:"name"`
	Doc  string `json:"doc"`
}

// distributions are those that a formula may be about.
func distributions(context.Context, *struct{}) (any, error) {
	lib := spec.Library()
	docs := map[string]string{}
	for _, name := range lib.Distributions() {
		docs[name] = lib.Distribution(name).Doc
	}
	for _, name := range lib.Families() {
		docs[name] = lib.Family(name).Doc
	}
	out := []distribution{}
	for _, name := range slices.Sorted(maps.Keys(docs)) {
		if regression.Of(lib.Distribution(name), lib.Family(name)).Check() == nil {
			out = append(out, distribution{name, docs[name]})
		}
	}
	return out, nil
}

// regressRequest asks for the spec of a regression, as y ~ age + sex says it of the columns of a file.
type regressRequest struct {
	dataRequest
	Distribution string `json:"distribution"`
	// Formula has equations, and of what the distribution is given the columns, as in y ~ x; trials = n.
	Formula string `json:"formula"`
	Mixture bool   `json:"mixture"` // each component has coefficients of its own
}

// regressed is the spec of a regression, and of what the parts of its rows are made.
type regressed struct {
	Spec    string              `json:"spec"`
	Columns map[string][]string `json:"columns"`
	Terms   map[string]string   `json:"terms"`
}

// regress writes the spec of a regression.
func regress(ctx context.Context, r *regressRequest) (any, error) {
	lib := spec.Library()
	d, f := lib.Distribution(r.Distribution), lib.Family(r.Distribution)
	if d == nil && f == nil {
		names := slices.Concat(lib.Distributions(), lib.Families())
		return nil, fmt.Errorf("no distribution %q in the library\nhint: %s", r.Distribution, diag.Suggest(r.Distribution, names))
	}
	m := regression.Of(d, f)
	formula, given := split(r.Formula)
	equations, err := regression.Parse(formula)
	if err != nil {
		return nil, err
	}
	parts, mapping, err := record.OfRegression(m, equations)
	if err != nil {
		return nil, err
	}
	mapping = append(mapping, given...)
	var notes strings.Builder
	t, widths, err := r.reader(&notes).Read(parts, mapping)
	if err != nil {
		return nil, err
	}
	base := r.byItself(m)
	p, err := base.problem()
	if err != nil {
		return nil, err
	}
	engine, err := base.engine(ctx, p)
	if err != nil {
		return nil, err
	}
	own, err := record.WithoutPredictors(m, t, widths)
	if err != nil {
		return nil, err
	}
	fit := &estimate.Report{}
	if answer, err := engine.Fit(ctx, own.Data(), nil); err == nil {
		fit = answer.Likelihood // where there is none the regression may do better, or say what is wrong
	}
	m.StartFrom(fit)
	record.SetColumns(m, parts, widths)
	m.Mixture = r.Mixture
	out := regressed{Spec: m.Spec(), Columns: map[string][]string{}, Terms: map[string]string{}}
	for _, q := range parts {
		out.Columns[q.Name] = []string{q.Name}
	}
	for _, one := range mapping {
		name, terms, _ := strings.Cut(one, "=")
		i := slices.IndexFunc(parts, func(q record.Part) bool { return q.Name == strings.TrimSpace(name) })
		if terms = strings.TrimSpace(terms); parts[i].Vector || strings.Contains(terms, "(") {
			delete(out.Columns, parts[i].Name)
			out.Terms[parts[i].Name] = terms
		} else {
			out.Columns[parts[i].Name] = []string{terms}
		}
	}
	return out, ctx.Err()
}

// split takes from a formula what says of columns what they are, trials = n.
func split(text string) (formula string, given []string) {
	var equations []string
	for _, part := range regression.Split(text, ';') {
		if !strings.Contains(part, "~") && strings.Contains(part, "=") {
			given = append(given, part)
		} else {
			equations = append(equations, part)
		}
	}
	return strings.Join(equations, ";"), given
}

// byItself is a problem about the distribution without predictors: of the library, where it has one.
func (r *regressRequest) byItself(m *regression.Model) *specRequest {
	lib := spec.Library()
	for _, name := range lib.Problems() {
		if p := lib.Problem(name); p.VI == nil && p.Components == nil && about(p).Target == m.Base {
			return &specRequest{Spec: string(p.Source.Text), Problem: name}
		}
	}
	return &specRequest{Spec: m.Spec()}
}
