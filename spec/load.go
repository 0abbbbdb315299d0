package spec

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"go.yaml.in/yaml/v4"

	"github.com/sngdgen/sngdgen/internal/diag"
)

// maxImports is the number of files that one file may import, directly or not.
const maxImports = 64

// LoadFile reads a file and what it imports. The file is nil when the list has errors.
func LoadFile(name string) (*File, diag.List) {
	name = filepath.ToSlash(name)
	text, diags := readSpec(name)
	if diags.HasErrors() {
		return nil, diags
	}
	return ParseOnDisk(name, text)
}

// readSpec reads the text of a file that is meant to be a spec.
func readSpec(name string) ([]byte, diag.List) {
	var diags diag.List
	text, err := readFile(name)
	if err == nil && !isYAML(name) && !isSpec(text) {
		err = &fileError{msg: fmt.Sprintf(msgNoSpec, name), hint: hintNoSpec}
	}
	if err != nil {
		diags.Add(err.diagnostic(diag.Span{}))
	}
	return text, diags
}

// ParseOnDisk is Parse for a file that would lie at a path: it imports from there.
func ParseOnDisk(name string, text []byte) (*File, diag.List) {
	return Parse(name, text, openOnDisk)
}

// openOnDisk reads what a file imports.
func openOnDisk(name string) ([]byte, error) {
	text, err := readFile(name)
	if err != nil {
		return nil, err
	}
	return text, nil
}

// fileError says why a file cannot be read. Its text stands in a diagnostic as it is.
type fileError struct{ msg, hint string }

// Error implements the error interface.
func (e *fileError) Error() string { return e.msg }

func (e *fileError) diagnostic(span diag.Span) *diag.Diagnostic {
	return &diag.Diagnostic{Span: span, Message: e.msg, Hint: e.hint}
}

// readFile reads a regular file of at most MaxFile bytes; a longer one is cut off right after, to be refused by size.
func readFile(name string) ([]byte, *fileError) {
	info, err := os.Stat(filepath.FromSlash(name))
	if err != nil {
		return nil, readError(name, err)
	}
	if !info.Mode().IsRegular() { // opening a pipe or a device might never return
		return nil, &fileError{msg: fmt.Sprintf(msgNotRegular, name)}
	}
	f, err := os.Open(filepath.FromSlash(name))
	if err != nil {
		return nil, readError(name, err)
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, MaxFile+1))
	if err != nil {
		return nil, readError(name, err)
	}
	return text, nil
}

// readError words an error of the operating system without the path, which the message has already.
func readError(name string, err error) *fileError {
	var pathError *os.PathError
	if errors.As(err, &pathError) {
		err = pathError.Err
	}
	return &fileError{msg: fmt.Sprintf(msgRead, name, err)}
}

// Parse reads a file from memory. The name is used in messages, and as the base of the paths it imports: resolve is
// asked for these, joined to the directory of the importing file. Without resolve nothing can be imported. The file is
// nil when the list has errors.
func Parse(name string, text []byte, resolve func(importPath string) ([]byte, error)) (*File, diag.List) {
	l := &loader{open: resolve, files: map[string]*File{}}
	f := l.load(path.Clean(name), text, newSource(name, text))
	if l.diags.HasErrors() {
		return nil, l.diags
	}
	return f, l.diags
}

// loader reads a file and its imports, each once.
type loader struct {
	diags diag.List
	open  func(string) ([]byte, error)
	files map[string]*File // by path; nil while being loaded
	path  []string         // the files that are being loaded, outermost first
}

// load reads the documents of a file, then its imports, and then resolves its names.
func (l *loader) load(name string, text []byte, src *diag.Source) *File {
	l.files[name] = nil
	l.path = append(l.path, name)
	defer func() { l.path = l.path[:len(l.path)-1] }()

	r := &reader{src: src, diags: &l.diags, broken: map[*yaml.Node]bool{}}
	f := &File{Source: src, scope: &scope{own: map[string]definition{}}}
	roots, ok := r.documents()
	if ok && len(roots) == 0 {
		l.diags.Errorf(diag.Span{Source: src}, msgNothing)
	}
	d := &documents{r: r, file: f}
	for _, root := range roots {
		d.read(root)
	}
	for _, i := range d.imports {
		if other := l.imported(name, i); other != nil {
			f.scope.imports = append(f.scope.imports, other.scope)
		}
	}
	l.files[name] = f
	if ok { // else what is missing may just not have been read
		d.resolve()
	}
	return f
}

// specKey finds a key that makes a document a spec, at the start of a line.
var specKey = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?m)^[\s{]*["']?(family|distribution|function|package|approximation|import)["']?\s*:`)
})

// isSpec tells whether a text is meant to be a spec, right or wrong. What is not is never shown in a diagnostic: a spec that
// is checked for somebody else might import any file, to see what is in it.
func isSpec(text []byte) bool { return specKey().Match(text) }

// isYAML tells whether a file is named as one of YAML.
func isYAML(name string) bool { return path.Ext(name) == ".yaml" || path.Ext(name) == ".yml" }

// imported reads an imported file, unless it has been read. It returns nil after a fault.
func (l *loader) imported(importer string, at place) *File {
	p := at.text
	if !isYAML(p) {
		l.diags.Errorf(at.whole(), msgImportPath, clip(p)).WithHint("a spec is named .yaml or .yml")
		return nil
	}
	if path.IsAbs(p) || filepath.IsAbs(p) || filepath.VolumeName(p) != "" || strings.ContainsAny(p, "\\\x00") || l.open == nil {
		l.diags.Errorf(at.whole(), msgImportPath, clip(p)).
			WithHint("an import is a path relative to the importing file, with / between its parts")
		return nil
	}
	p = path.Join(path.Dir(importer), p)
	if f, ok := l.files[p]; ok {
		if f == nil && slices.Contains(l.path, p) {
			circle := append(slices.Clone(l.path[slices.Index(l.path, p):]), p)
			l.diags.Errorf(at.whole(), msgImportCycle, strings.Join(circle, " -> "))
		}
		return f
	}
	if len(l.files) > maxImports {
		l.diags.Errorf(at.whole(), msgTooManyImports, maxImports)
		return nil
	}
	l.files[p] = nil
	text, err := l.open(p)
	if err != nil {
		var known *fileError
		if !errors.As(err, &known) {
			known = readError(p, err)
		}
		l.diags.Add(known.diagnostic(at.whole()))
		return nil
	}
	if !isSpec(text) {
		l.diags.Errorf(at.whole(), msgNoSpec, p).WithHint(hintNoSpec)
		return nil
	}
	return l.load(p, text, newSource(p, text))
}

// documents reads the documents of one file.
type documents struct {
	r       *reader
	file    *File
	imports []place
	refs    []reference
	named   []approximated // problems that name an approximation
	within  []containment
	begun   bool // a document has been read
}

// approximated is a problem with the name of its approximation, before that is looked up.
type approximated struct {
	p    *Problem
	name string
	at   diag.Span
}

// kinds are the keys that say what a document is.
var kinds = []string{"family", "distribution", "function", "package"}

// read reads one document. The first one may say which version of the language the file is written in.
func (d *documents) read(root *yaml.Node) {
	o := d.r.object(root, documentName(root))
	if o == nil {
		return
	}
	d.takeVersion(o)
	if n := o.get("import"); n != nil {
		for _, item := range d.r.list(n, "import") {
			if p, ok := d.r.exact(item, "an import", "a path"); ok {
				d.imports = append(d.imports, p)
			}
		}
	}
	var found []string
	for _, k := range kinds {
		if o.has(k) {
			found = append(found, k)
		}
	}
	if len(found) == 0 && o.has("approximation") { // in a problem it is a name
		found = append(found, "approximation")
	}
	switch {
	case len(found) > 1:
		d.r.diags.Errorf(o.keySpan(found[1]), msgTwoDocuments, found[0], found[1]).
			WithHint("put a line with --- between them")
	case len(found) == 1:
		d.define(o, found[0])
	case o.has("import") && len(o.entries) == 1:
	default:
		d.unknown(o)
	}
}

// documentName returns what a document is called in messages: "family gamma", "problem negbin".
func documentName(root *yaml.Node) string {
	for i := 0; i+1 < len(root.Content); i += 2 {
		key, value := root.Content[i].Value, root.Content[i+1]
		if root.Kind != yaml.MappingNode || key != "approximation" && !slices.Contains(kinds, key) {
			continue
		}
		if key == "package" {
			key = "problem"
		}
		if value.Kind != yaml.ScalarNode {
			return "the " + key
		}
		return key + " " + clip(value.Value)
	}
	return "a document"
}

// hintNoSpec says what makes a document one of ours.
const hintNoSpec = "a family has the key family, a distribution the key distribution, a function the key function, a problem the key " +
	"package, an approximation the key approximation"

// unknown reports a document that is none of the kinds.
func (d *documents) unknown(o *object) {
	hint := hintNoSpec
	for _, e := range o.entries {
		if s := diag.Suggest(e.key, append(slices.Clone(kinds), "approximation", "import")); s != "" {
			d.r.diags.Errorf(e.span, msgUnknownDocument).WithHint("did you mean %q? %s", s, hint)
			return
		}
	}
	d.r.diags.Errorf(o.span, msgUnknownDocument).WithHint("%s", hint)
}

// define reads a document of a kind and adds what it defines to the file.
func (d *documents) define(o *object, kind string) {
	f, s := d.file, d.file.scope
	switch kind {
	case "family":
		fam := d.r.family(o, s)
		if d.add(definition{family: fam}) {
			f.Families = append(f.Families, fam)
		}
	case "distribution":
		dist := d.r.distribution(o, s)
		if d.add(definition{distribution: dist}) {
			f.Distributions = append(f.Distributions, dist)
		}
	case "function":
		d.addFunction(d.r.function(o, s))
	case "approximation":
		a, refs := d.r.approximation(o, s)
		d.refs = append(d.refs, refs...)
		d.addApproximation(a, o)
	case "package":
		if o.has("formula") {
			d.addRegression(d.r.regression(o))
			return
		}
		if o.has("approximation") {
			p, name := d.r.approximated(o, s)
			d.named = append(d.named, approximated{p, name, o.r.span(o.get("approximation"))})
			d.addProblem(p)
			return
		}
		p, refs := d.r.problem(o, s)
		d.refs = append(d.refs, refs...)
		d.addProblem(p)
	}
}

// add makes a definition known in the file.
func (d *documents) add(def definition) bool {
	name := def.name()
	if name == "" {
		return false // reported
	}
	if _, ok := d.file.scope.own[name]; ok {
		d.r.diags.Errorf(def.span(), msgDuplicate, name)
		return false
	}
	d.file.scope.own[name] = def
	return true
}

// addApproximation makes an approximation known in the file.
func (d *documents) addApproximation(a *Approximation, o *object) {
	d.within = append(d.within, d.r.contains(a, o.get("contains"))...)
	s := d.file.scope
	switch {
	case a.Name == "": // reported
		return
	case s.approximations[a.Name] != nil:
		d.r.diags.Errorf(a.NameSpan, msgDuplicate, a.Name)
		return
	case s.approximations == nil:
		s.approximations = map[string]*Approximation{}
	}
	s.approximations[a.Name] = a
	d.file.Approximations = append(d.file.Approximations, a)
}

func (d *documents) addProblem(p *Problem) {
	d.checkNew(p.Package, p.PackageSpan)
	d.file.Problems = append(d.file.Problems, p)
}

func (d *documents) addRegression(p *Regression) {
	d.checkNew(p.Package, p.PackageSpan)
	d.file.Regressions = append(d.file.Regressions, p)
}

// checkNew reports a package of which the file has one already.
func (d *documents) checkNew(name string, at diag.Span) {
	known := slices.ContainsFunc(d.file.Problems, func(p *Problem) bool { return p.Package == name }) ||
		slices.ContainsFunc(d.file.Regressions, func(p *Regression) bool { return p.Package == name })
	if known && name != "" {
		d.r.diags.Errorf(at, msgDuplicate, name)
	}
}

// resolve looks up all names that formulas and problems refer to.
func (d *documents) resolve() {
	s := d.file.scope
	for _, ref := range d.refs {
		if len(ref.factors) > 0 {
			ref.resolveFactors(d.r, s)
			continue
		}
		ref.resolve(d.r, s)
	}
	functions := &recursion{diags: d.r.diags, state: map[*Function]int{}}
	for _, f := range d.file.Functions {
		d.r.checkCalls(s, append([]*Formula{f.Value}, f.Derivatives...))
		functions.visit(f)
	}
	c := &cycles{scope: s, diags: d.r.diags, state: map[definition]int{}}
	for _, def := range d.definitions() {
		d.r.checkDensities(s, append(def.formulas(), def.ofLimits()...))
		c.visit(def)
	}
	for i := range d.within {
		d.within[i].resolve(d.r, s)
	}
	for _, a := range d.file.Approximations {
		d.r.checkMixture(a.form)
		d.r.checkContained(a)
		d.r.checkDensities(s, a.formulas())
	}
	for _, p := range d.named {
		if a := d.r.approximationAt(s, p.name, p.at); a != nil {
			p.p.approximate(a)
		}
	}
	for _, p := range d.file.Regressions {
		p.resolve(d.r, s)
	}
	for _, p := range d.file.Problems {
		d.r.checkOfColumns(p)
		d.r.checkMixture(p)
		d.r.checkVariational(p)
		d.r.checkDensities(s, p.own())
	}
}

// definitions returns the definitions of the file, those in place too, in order.
func (d *documents) definitions() []definition {
	var out []definition
	for _, f := range d.file.Families {
		out = append(out, definition{family: f})
	}
	for _, t := range d.file.Distributions {
		out = append(out, definition{distribution: t})
	}
	return append(out, d.file.scope.inline...)
}
