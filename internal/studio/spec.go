package studio

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/sngdgen/sngdgen/gen"
	"github.com/sngdgen/sngdgen/gen/derive"
	"github.com/sngdgen/sngdgen/internal/diag"
	"github.com/sngdgen/sngdgen/internal/record"
	"github.com/sngdgen/sngdgen/runtime/types"
	"github.com/sngdgen/sngdgen/spec"
)

// fileName is what a spec is called that has no file.
const fileName = "spec.yaml"

// specRequest is a spec, and which of its problems is meant; the first where that is empty.
type specRequest struct {
	Spec    string `json:"spec"`
	Problem string `json:"problem"`
}

// problem returns the problem that is meant. The error is a *diag.ListError where the spec is faulty.
func (r *specRequest) problem() (*spec.Problem, error) {
	f, diags := spec.Parse(fileName, []byte(r.Spec), nil)
	if f == nil {
		return nil, diags.Err()
	}
	if len(f.Problems) == 0 && len(f.Regressions) > 0 {
		return nil, errors.New(onlyFormula(f))
	}
	if len(f.Problems) == 0 {
		return nil, errors.New("no problem in this spec\nhint: a document with package, target, surrogate and map is one")
	}
	return chosen(f, r.Problem), nil
}

// onlyFormula says what to do with a spec that is a formula, short for a problem that its data have a part in.
func onlyFormula(f *spec.File) string {
	r := f.Regressions[0]
	return fmt.Sprintf("%s is a formula, of which the data say how many columns it has\nhint: give the data, and the distribution %s and the formula under Regression, "+
		"which writes the spec; or sngdgen fit SPEC DATA fits it as it is", r.Package, r.Target)
}

// chosen is the problem of a name, and the first where there is none of that name.
func chosen(f *spec.File, name string) *spec.Problem {
	return f.Problems[max(0, slices.IndexFunc(f.Problems, func(p *spec.Problem) bool { return p.Package == name }))]
}

// finding is a diagnostic. Places are counted as scripts count characters, from 0; lines and columns as people do.
type finding struct {
	Severity string `json:"severity"`
	Message  string `json:"message"`
	Hint     string `json:"hint,omitempty"`
	Start    int    `json:"start"`
	End      int    `json:"end"`
	Line     int    `json:"line"`
	Column   int    `json:"column"`
}

// findings are the diagnostics of a text. Those of other texts, as of the library, stand at the beginning.
func findings(text string, list diag.List) []finding {
	out := []finding{}
	for _, d := range list.All() {
		f := finding{Severity: d.Severity.String(), Message: d.Message, Hint: d.Hint, Line: 1, Column: 1}
		if s := d.Span.Source; s != nil && s.Name == fileName {
			f.Start, f.End = units(text, d.Span.Start), units(text, d.Span.End)
			f.Line, f.Column = s.Position(d.Span.Start)
		} else if s != nil {
			f.Message = d.Span.String() + ": " + f.Message
		}
		out = append(out, f)
	}
	return out
}

// units is how many UTF-16 units stand before a byte of a text.
func units(text string, offset int) (n int) {
	offset = min(max(offset, 0), len(text))
	for i := 0; i < offset; {
		r, size := utf8.DecodeRuneInString(text[i:])
		n += max(1, utf16.RuneLen(r))
		i += size
	}
	return n
}

// part is one of the data of a problem, as the page knows it.
type part struct {
	Name      string `json:"name"`
	Type      string `json:"type"`
	Vector    bool   `json:"vector"`
	Given     bool   `json:"given"`     // not modelled
	Predictor bool   `json:"predictor"` // a vector for each row that may be made of terms, as a formula has them
	Labels    bool   `json:"labels"`    // a column of labels, or of numbers from 1
	Once      bool   `json:"once"`      // not in every row
}

func partsOf(p *spec.Problem) (out []part) {
	for _, q := range record.Of(p) {
		out = append(out, part{Name: q.Name, Type: q.Type, Vector: q.Vector, Given: p.VI == nil && !q.Observed,
			Predictor: q.Vector && q.ByRow && !q.Observed, Labels: q.Numbers.Any(), Once: !q.ByRow})
	}
	return out
}

// observed returns what the target of a problem is about.
func observed(p *spec.Problem) []spec.Param { return p.Observed() }

// problemInfo is what the page knows of a problem.
type problemInfo struct {
	Name      string `json:"name"`
	Doc       string `json:"doc"`
	Objective string `json:"objective"`
	Target    string `json:"target"`
	Surrogate string `json:"surrogate"`
	Mixture   bool   `json:"mixture"` // whose number of components is to be given
	Number    bool   `json:"number"`  // an observation is one number
	Whole     bool   `json:"whole"`
	Parts     []part `json:"parts"`
}

func about(p *spec.Problem) problemInfo {
	info := problemInfo{Name: p.Package, Doc: p.Doc, Objective: p.Objective, Parts: partsOf(p), Mixture: p.Components != nil}
	if p.Surrogate != nil {
		info.Surrogate = p.Surrogate.Name
	}
	switch {
	case p.TargetDist != nil:
		info.Target = p.TargetDist.Name
	case p.TargetFamily != nil:
		info.Target = p.TargetFamily.Name
	}
	if p.VI == nil {
		v := observed(p)[0].Type.Type()
		info.Number, info.Whole = len(observed(p)) == 1 && v.Form == types.Number, v.Entry != nil && v.Entry.Integer
	}
	return info
}

// checked is what is found in a spec.
type checked struct {
	Findings []finding     `json:"findings"`
	Problems []problemInfo `json:"problems"`
}

// check reads a spec and derives the problem that is meant.
func check(ctx context.Context, r *specRequest) (any, error) {
	f, diags := spec.Parse(fileName, []byte(r.Spec), nil)
	out := checked{Problems: []problemInfo{}}
	if f != nil {
		for _, p := range f.Problems {
			out.Problems = append(out.Problems, about(p))
		}
		switch {
		case len(f.Problems) > 0:
			diags.Append(gen.Use(ctx, chosen(f, r.Problem), gen.Options{}, func(*derive.Result) error { return nil }))
		case len(f.Regressions) > 0:
			text, hint, _ := strings.Cut(onlyFormula(f), "\nhint: ")
			diags.Notef(f.Regressions[0].FormulaSpan, "%s", text).WithHint("%s", hint)
		default:
			diags.Notef(diag.Span{Source: f.Source}, "no problem yet: a document with package, target, surrogate and map is one")
		}
	}
	out.Findings = findings(r.Spec, diags)
	return out, ctx.Err()
}

// example is a problem of the library.
type example struct {
	problemInfo
	Text string `json:"text"`
}

// gallery lists the problems of the library, with the texts of their specs.
func gallery(context.Context, *struct{}) (any, error) {
	lib := spec.Library()
	out := []example{}
	for _, name := range lib.Problems() {
		p := lib.Problem(name)
		out = append(out, example{about(p), string(p.Source.Text)})
	}
	return out, nil
}

// file is a text with a name.
type file struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

// generated is what a problem generates.
type generated struct {
	Files    []file `json:"files"`
	Programs []file `json:"programs"`
}

// code generates the package of a problem, and its programs.
func code(ctx context.Context, r *specRequest) (any, error) {
	p, err := r.problem()
	if err != nil {
		return nil, err
	}
	files, diags := gen.Generate(ctx, p, gen.Options{})
	if diags.HasErrors() {
		return nil, diags.Err()
	}
	out := generated{Files: []file{}, Programs: []file{}}
	for _, f := range files {
		out.Files = append(out.Files, file{p.Package + "/" + f.Name, string(f.Data)})
	}
	var b strings.Builder
	if err := gen.Programs(ctx, &b, p, gen.AllFunctions, nil); err != nil {
		return nil, fmt.Errorf("no programs: %w", err)
	}
	out.Programs = append(out.Programs, file{"all functions", strings.ReplaceAll(b.String(), "\t", "    ")})
	return out, nil
}
