package spec

import (
	"go/token"
	"regexp"
	"slices"
	"strings"
	"sync"

	"go.yaml.in/yaml/v4"

	"github.com/sngdgen/sngdgen/internal/diag"
)

// GoFunction names a function of numbers in Go. The zero value names none.
type GoFunction struct {
	Path, Name string // import path, exported name
	Span       diag.Span
}

// Of a function in Go nothing else than these goes into generated code.
var importPattern = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]*(\.[A-Za-z0-9_-]+)*(/[A-Za-z0-9][A-Za-z0-9_-]*(\.[A-Za-z0-9_-]+)*)*$`)
})

const (
	longestImport = 200
	hintGo        = "such as go: example.com/mine/bessel.LogI0, a function of numbers whose result is a number"
)

// functionValue reads what a function is, and its derivatives.
func (r *reader) functionValue(f *Function, o *object) {
	f.Value = r.optional(o, "value")
	if n := o.get("go"); n != nil {
		r.goFunction(f, n)
	}
	switch {
	case o.has("value") && o.has("go"):
		r.diags.Errorf(o.keySpan("go"), msgValueAndGo).WithHint("leave one of them out")
	case !o.has("value") && !o.has("go") && !o.misspelt("value", functionOptions):
		r.diags.Errorf(o.span, msgMissingKey, o.what, "value").WithHint("a formula in the arguments, or go: a function in Go")
	case o.has("go") && !o.has("derivative"):
		r.diags.Errorf(o.keySpan("go"), msgGoDerivative).WithHint("add derivative: a formula, which may be a call of another function in Go")
	}
	if n := o.get("derivative"); n != nil {
		r.derivatives(f, n)
	}
}

// goFunction reads an import path and a name.
func (r *reader) goFunction(f *Function, n *yaml.Node) {
	p, ok := r.exact(n, "go", "a text")
	if !ok {
		return
	}
	at := strings.LastIndexByte(p.text, '.')
	if at <= strings.LastIndexByte(p.text, '/') || len(p.text) > longestImport || !importPattern().MatchString(p.text[:at]) || !isName(p.text[at+1:]) || !token.IsExported(p.text[at+1:]) {
		r.diags.Errorf(p.whole(), msgGoName, clip(p.text)).WithHint(hintGo)
		return
	}
	if path := p.text[:at]; path == "C" || path == "unsafe" || slices.Contains(strings.Split(path, "/"), "internal") {
		r.diags.Errorf(p.whole(), msgGoInternal, clip(path)).WithHint(hintGo)
		return
	}
	f.Go = GoFunction{p.text[:at], p.text[at+1:], p.whole()}
}

// derivatives reads one formula, of a function of one argument, or one for each argument.
func (r *reader) derivatives(f *Function, n *yaml.Node) {
	if n.Kind != yaml.MappingNode {
		if d := r.formula(n, "derivative"); d != nil && len(f.Arguments) > 1 {
			r.diags.Errorf(d.Whole(), msgDerivatives, f.Name, len(f.Arguments)).WithHint("write derivative: {%s: ..., %s: ...}", f.Arguments[0].Name, f.Arguments[1].Name)
		} else if d != nil {
			f.Derivatives = []*Formula{d}
		}
		return
	}
	o := r.object(n, "derivative")
	if o == nil {
		return
	}
	out := make([]*Formula, len(f.Arguments))
	for _, b := range r.entries(o.entries, "derivative") {
		k := slices.IndexFunc(f.Arguments, func(a Param) bool { return a.Name == b.Name })
		if k < 0 {
			r.diags.Errorf(b.NameSpan, msgNoArgument, b.Name, f.Name)
			continue
		}
		out[k] = b.Formula
	}
	for k, a := range f.Arguments {
		if out[k] == nil && !o.has(a.Name) {
			r.diags.Errorf(o.span, msgMissingKey, "derivative", a.Name)
		}
	}
	if !slices.Contains(out, nil) {
		f.Derivatives = out
	}
}
