package spec

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"pgregory.net/rapid"

	_ "github.com/sngdgen/sngdgen/internal/testseed"

	"github.com/sngdgen/sngdgen/expr/syntax"
)

// FuzzParse feeds files of any kind: none may cause a panic, every diagnostic can be printed, and what is accepted is
// safe to generate code from.
func FuzzParse(f *testing.F) {
	for _, pattern := range []string{"testdata/*/*.yaml", "library/*/*.yaml"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			f.Fatal(err)
		}
		for _, name := range files {
			text, err := os.ReadFile(name)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(string(text))
		}
	}
	f.Add("&a [*a, *a]: <<: *a")
	f.Add("a: !!binary |\n  x\n")
	f.Add("%YAML 1.2\n%TAG ! !x\n--- !y\nfamily: x\n...\n")
	f.Add("package: \"\\u0000\"\ndoc: \"\\x07\\n//go:build\"\n")
	mixture := "package: p\ntarget: {mixture: normal, components: k}\nsurrogate: {mixture: normal, components: k}\n" +
		"map: {mu: mu, sigma2: sigma2}\nstart: {groups: slices, mu: mean(x), sigma2: var(x)}\n"
	f.Add(mixture)
	f.Add(strings.ReplaceAll(mixture, "k}", "3}") + "random_start: {groups: none, mu: 0, sigma2: 1}\n")
	f.Add(strings.Replace(mixture, "mixture: normal", "mixture: {mixture: normal, components: 2}", 1))
	variational := "package: p\ntarget: normal\nsurrogate: normal\nmap: {mu: mu, sigma2: sigma2}\nobjective:\n  vi:\n" +
		"    latent: z\n    data:\n      X: matrix(n, d)\n      y: binary vector(n)\n    constants: {a: 1}\n" +
		"    let: {f: X @ z}\n    log_likelihood: sum(y*f)\n    log_prior: -a*z^2\n    draws: 20\n" +
		"    estimator: path\n    antithetic: true\n"
	f.Add(variational)
	f.Add(strings.ReplaceAll(variational, "normal\n", "multivariate_normal\n"))
	f.Add(strings.Replace(strings.ReplaceAll(variational, "normal\n", "multivariate_normal\n"),
		"latent: z", "latent: {z: vector(d), logtau: real}", 1))
	f.Add(strings.Replace(variational, "log_likelihood", "log_joint", 1))
	f.Add(strings.Replace(variational, "matrix(n, d)", "matrix(d, n)", 1))
	f.Add("package: p\ntarget: normal\nsurrogate: normal\nmap: {mu: mu}\nobjective: \" vi \"\n")
	f.Add("? package\n: normal\n")
	f.Add("--- # first\n  function: f(x)\n  value: x\n...\n")
	f.Add("\ufefffunction: f(x)\r\nvalue: x\r\n")
	f.Add("# in braces\n{function: f(x), value: x}")
	f.Fuzz(func(t *testing.T, text string) {
		open := func(name string) ([]byte, error) {
			if strings.Contains(name, "x") {
				return []byte(text), nil // imports itself under another name, or in a circle
			}
			return nil, os.ErrNotExist
		}
		file, diags := Parse("fuzz.yaml", []byte(text), open)
		if (file == nil) != diags.HasErrors() {
			t.Fatalf("file %v with diagnostics\n%s", file, diags.String())
		}
		for _, d := range diags.All() {
			checkPrintable(t, d.String())
		}
		if file != nil {
			checkSafe(t, file)
			checkMigrated(t, file, text, open)
		}
	})
}

// checkMigrated checks that a file in the newest version of the language says so, means the same, and is left alone.
func checkMigrated(t *testing.T, file *File, text string, open func(string) ([]byte, error)) {
	t.Helper()
	migrated, diags := Migrate("fuzz.yaml", []byte(text), open)
	if diags.HasErrors() {
		t.Fatalf("cannot be migrated:\n%s", diags.String())
	}
	again, diags := Parse("fuzz.yaml", migrated, open)
	if diags.HasErrors() {
		t.Fatalf("migrated to\n%s\n%s", migrated, diags.String())
	}
	for i, p := range file.Problems {
		if p.Checksum() != again.Problems[i].Checksum() {
			t.Fatalf("%s means something else when migrated to\n%s", p.Package, migrated)
		}
	}
	if twice, _ := Migrate("fuzz.yaml", migrated, open); string(twice) != string(migrated) || !strings.Contains(string(migrated), "version") {
		t.Fatalf("migrated to\n%s\nand then to\n%s", migrated, twice)
	}
}

// checkPrintable checks that a text holds nothing but printable characters, tabs and line breaks.
func checkPrintable(t *testing.T, s string) {
	t.Helper()
	for _, r := range s {
		if r != '\n' && r != '\t' && !unicode.IsGraphic(r) {
			t.Fatalf("control character %q in %q", r, s)
		}
	}
}

// checkSafe checks what generated code relies on: complete definitions, checked names, docs that stay in a comment.
func checkSafe(t *testing.T, file *File) {
	t.Helper()
	for _, p := range file.Problems {
		if !packagePattern.MatchString(p.Package) || p.Surrogate == nil || (p.TargetDist == nil) == (p.TargetFamily == nil) {
			t.Fatalf("problem %+v", p)
		}
		if len(p.Map) == 0 || p.Step != StepMean && p.Step != StepNatural {
			t.Fatalf("problem %+v", p)
		}
		checkDoc(t, p.Doc)
		checkMixture(t, p)
		checkVariational(t, p)
		checkFormulas(t, p.formulas())
		for _, a := range p.Auxiliary {
			checkIdentifier(t, a.Name)
		}
		checkBindings(t, p.Map)
	}
	for _, f := range file.Families {
		checkDoc(t, f.Doc)
		checkIdentifier(t, f.Name)
		checkFormulas(t, definition{family: f}.formulas())
		checkBindings(t, f.Let, f.FromNatural, f.FromMean, f.NewtonStart)
		checkParams(t, f.Parameters, f.Variable)
		if f.LogPartition == nil || len(f.Statistics) == 0 || len(f.Natural) == 0 {
			t.Fatalf("family %+v", f)
		}
	}
	for _, d := range file.Distributions {
		checkDoc(t, d.Doc)
		checkIdentifier(t, d.Name)
		checkFormulas(t, append(definition{distribution: d}.formulas(), definition{distribution: d}.ofLimits()...))
		checkBindings(t, d.Let)
		checkParams(t, d.Parameters, d.Record()...)
		if d.LogPDF == nil {
			t.Fatalf("distribution %+v", d)
		}
	}
}

// checkMixture checks that the number of components is a name of its own or within bounds, and that only mixtures have
// groups.
func checkMixture(t *testing.T, p *Problem) {
	t.Helper()
	groups := []string{""}
	if c := p.Components; c != nil {
		groups = append(groups, GroupsSlices, GroupsClusters, GroupsNone)
		switch {
		case c.Name == "" && (c.Size < 1 || c.Size > MaxComponents), c.Name != "" && c.Size != 0:
			t.Fatalf("components %+v", c)
		case c.Name != "":
			checkIdentifier(t, c.Name)
		}
		for _, d := range append(p.sides()[0].declarations(), p.sides()[1].declarations()...) {
			if c.Name != "" && hasDim(d, c.Name) {
				t.Fatalf("%s has a dimension %v", d.Name, c)
			}
		}
	}
	for _, s := range p.allStarts() {
		if !slices.Contains(groups, s.Groups) || (s.Groups == "") != s.GroupsSpan.IsZero() {
			t.Fatalf("start %+v", s)
		}
	}
	if slices.ContainsFunc(p.Starts, func(s Start) bool { return s.Groups == GroupsNone }) {
		t.Fatal("a start without groups")
	}
}

// checkVariational checks that the settings of an objective are there when it has some, complete and within bounds, and
// that its names are told apart.
func checkVariational(t *testing.T, p *Problem) {
	t.Helper()
	v := p.VI
	if v == nil {
		if p.Objective != ObjectiveMLE {
			t.Fatalf("objective %q", p.Objective)
		}
		return
	}
	joint, parts := v.LogJoint != nil, v.LogLikelihood != nil || v.LogPrior != nil
	if p.Objective == ObjectiveMLE || (p.Objective == ObjectiveEP) != (v.Power != nil) || joint == parts || len(v.Latent) == 0 || v.LatentWhole && len(v.Latent) != 1 {
		t.Fatalf("objective %q: %+v", p.Objective, v)
	}
	if v.Draws < 1 || v.Draws > maxDraws || v.Estimator != EstimatorReparameterised && v.Estimator != EstimatorPath {
		t.Fatalf("settings %+v", v)
	}
	if v.Power != nil && !(*v.Power >= 0 && *v.Power <= 1) {
		t.Fatalf("power %v", *v.Power)
	}
	seen := map[string]bool{rowsName: true}
	for _, d := range v.names() {
		if checkIdentifier(t, d.Name); seen[d.Name] {
			t.Fatalf("two are called %q", d.Name)
		}
		seen[d.Name] = true
	}
	checkBindings(t, v.Constants, v.Let)
	checkModelTypes(t, v)
	for _, d := range slices.Concat(v.Latent, v.Data) {
		for _, dim := range d.Type.Dims {
			if dim.Name != rowsName && seen[dim.Name] {
				t.Fatalf("a dimension is called %q", dim.Name)
			}
		}
	}
}

// checkModelTypes checks that latent variables are free of conditions, and that only first dimensions of data are rows.
func checkModelTypes(t *testing.T, v *VI) {
	t.Helper()
	for _, l := range v.Latent {
		if v.LatentWhole != (l.Type.Kind == "") || !v.LatentWhole && l.Type.Type().Entry.Integer || hasDim(l, rowsName) {
			t.Fatalf("latent %+v", l)
		}
	}
	for _, d := range v.Data {
		dims := d.Type.Dims
		ok := len(dims) == 0 || d.Type.Kind == "vector" ||
			d.Type.Kind == "matrix" && dims[0].Name == rowsName && dims[1].Name != rowsName
		if !ok || Noise(d.Type.Elem) != nil {
			t.Fatalf("data %+v", d)
		}
	}
}

func checkDoc(t *testing.T, doc string) {
	t.Helper()
	if strings.ContainsAny(doc, "\n\r\t\u2028\u2029") || strings.Contains(doc, "*/") || len([]rune(doc)) > maxDoc+1 {
		t.Fatalf("doc %q", doc)
	}
	checkPrintable(t, doc)
}

// What names are, written as documents say it.
var (
	namePattern    = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_]{0,63}$`)
	packagePattern = regexp.MustCompile(`^[a-z][a-z0-9]{0,39}$`)
)

func checkIdentifier(t *testing.T, name string) {
	t.Helper()
	if !namePattern.MatchString(name) {
		t.Fatalf("name %q", name)
	}
}

func checkBindings(t *testing.T, lists ...[]Binding) {
	t.Helper()
	for _, list := range lists {
		for _, b := range list {
			checkIdentifier(t, b.Name)
			if b.NameSpan.Text() != b.Name && !strings.ContainsAny(b.NameSpan.Text(), "\\'\" \n") {
				t.Fatalf("name %q is at %q", b.Name, b.NameSpan.Text())
			}
		}
	}
}

func checkParams(t *testing.T, ps []Param, others ...Param) {
	t.Helper()
	if len(ps) == 0 {
		t.Fatal("no parameters")
	}
	for _, p := range append(others, ps...) {
		checkIdentifier(t, p.Name)
		if again, errs := syntax.ParseType(p.Type.String()); len(errs) > 0 || again.String() != p.Type.String() {
			t.Fatalf("type %+v", p.Type)
		}
	}
}

// checkFormulas checks that formulas are there, can be written again, and stand where they say.
func checkFormulas(t *testing.T, formulas []*Formula) {
	t.Helper()
	for _, f := range formulas {
		if f == nil {
			continue // optional
		}
		syntax.Walk(f.Expr, func(e syntax.Expr) bool {
			if n, ok := e.(*syntax.Name); ok && f.Span(n).Text() != n.Name {
				t.Fatalf("%q is at %q", n.Name, f.Span(n).Text())
			}
			return true
		})
	}
}

// TestPlacesInAllStyles writes formulas, line breaks and all, in the styles of YAML, and looks their names up again.
func TestPlacesInAllStyles(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		names := rapid.SliceOfN(rapid.StringMatching(`[a-z][a-z0-9]{0,3}'{0,2}`), 1, 6).Draw(rt, "names")
		gap := rapid.SampledFrom([]string{" + ", "  +\t ", " +\n      ", "\n        + ", " +\n\n      "})
		formula := names[0]
		for _, n := range names[1:] {
			formula += gap.Draw(rt, "gap") + n
		}
		style := rapid.SampledFrom([]string{
			"  a:  %s\n", "  a: \"%s\"  # comment\n", "  a: '%s'\n", "  a: |\n      %s\n\n", "  a: |-\n      %s\n", "  a: |4+\n      %s\n  \n",
		}).Draw(rt, "style")
		written := formula
		if strings.Contains(style, "'") {
			written = strings.ReplaceAll(formula, "'", "''")
		}
		text := "distribution: mine\ndoc: é 漢字\nvariable: {x: real}\nparameters: {mu: real}\n" +
			"let:\n" + fmt.Sprintf(style, written) + "logpdf: x\n"
		if nl := rapid.SampledFrom([]string{"\n", "\r\n"}).Draw(rt, "newline"); nl != "\n" {
			text = strings.ReplaceAll(text, "\n", nl)
		}
		f, diags := Parse("p.yaml", []byte(text), nil)
		if f == nil {
			rt.Fatalf("%q:\n%s", text, diags.String())
		}
		found := 0
		let := f.Distributions[0].Let[0].Formula
		syntax.Walk(let.Expr, func(e syntax.Expr) bool {
			if n, ok := e.(*syntax.Name); ok {
				found++
				if got := let.Span(n).Text(); got != n.Name {
					rt.Fatalf("%q is at %v: %q in\n%s", n.Name, let.Span(n), got, text)
				}
			}
			return true
		})
		if found != len(names) {
			rt.Fatalf("%d names, want %d", found, len(names))
		}
	})
}

// TestMisspelled drops one letter of one key of a good file: the key, and no other line, is pointed out.
func TestMisspelled(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("testdata", "good", "deeper", "more.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"variable", "parameters", "logpdf"} {
		for i := range key {
			bad := strings.Replace(string(text), key+":", key[:i]+key[i+1:]+":", 1)
			_, diags := Parse("m.yaml", []byte(bad), nil)
			all := diags.All()
			if len(all) != 1 || all[0].Span.Text() != key[:i]+key[i+1:] || !strings.Contains(all[0].Hint, "did you mean \""+key+"\"?") {
				t.Errorf("%s:\n%s", key[:i]+key[i+1:], diags.String())
			}
		}
	}
}
