package spec

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/sngdgen/sngdgen/expr/syntax"
)

func load(t *testing.T, name string) *File {
	t.Helper()
	f, diags := LoadFile(filepath.Join("testdata", "good", name))
	if f == nil || diags.Len() > 0 {
		t.Fatalf("diagnostics:\n%s", diags.String())
	}
	return f
}

// texts formats a list of formulas.
func texts(fs []*Formula) string {
	var out []string
	for _, f := range fs {
		out = append(out, syntax.Format(f.Expr))
	}
	return strings.Join(out, "; ")
}

// pairs formats a list of bindings.
func pairs(bs []Binding) string {
	var out []string
	for _, b := range bs {
		out = append(out, b.Name+": "+syntax.Format(b.Formula.Expr))
	}
	return strings.Join(out, "; ")
}

func typesOf(ps []Param) string {
	var out []string
	for _, p := range ps {
		out = append(out, p.Name+": "+p.Type.String())
	}
	return strings.Join(out, "; ")
}

func constants(cs []Constant) string {
	var out []string
	for _, c := range cs {
		s := c.Name
		if c.Type.Kind != "" {
			s += ": " + c.Type.String()
		}
		out = append(out, s+" = "+syntax.Format(c.Formula.Expr))
	}
	return strings.Join(out, "; ")
}

func noise(ds []Draw) string {
	var out []string
	for _, d := range ds {
		s := d.Name + ": " + d.Kind + "(" + texts(d.Args) + ")"
		if d.Shape.Kind != "" {
			s += " " + d.Shape.String()
		}
		out = append(out, s)
	}
	return strings.Join(out, "; ")
}

// check compares values by name.
func check(t *testing.T, got map[string]string, want map[string]string) {
	t.Helper()
	for name := range want {
		if got[name] != want[name] {
			t.Errorf("%s: got %q, want %q", name, got[name], want[name])
		}
	}
}

func TestFamily(t *testing.T) {
	f := load(t, "everything.yaml").Families[0]
	check(t, map[string]string{
		"name": f.Name, "doc": f.Doc, "variable": typesOf([]Param{f.Variable}), "parameters": typesOf(f.Parameters),
		"let": pairs(f.Let), "statistics": texts(f.Statistics), "natural": texts(f.Natural),
		"log_partition": syntax.Format(f.LogPartition.Expr), "log_base_measure": syntax.Format(f.LogBaseMeasure.Expr),
		"from_natural": pairs(f.FromNatural), "from_mean": pairs(f.FromMean), "newton_start": pairs(f.NewtonStart),
		"constants": constants(f.Constants),
	}, map[string]string{
		"name": "mine", "doc": "Two lines of text, and a * / comment's end with a tab.",
		"variable": "x: vector(d)", "parameters": "mu: vector(d); Sigma: spd(d)", "let": "P: inv(Sigma)",
		"statistics": "x; outer(x, x)", "natural": "P' @ mu; -P/2",
		"log_partition":    "logdet(Sigma)/2 + dot(mu, solve(Sigma, mu))/2",
		"log_base_measure": "-d*log(2*pi)/2",
		"from_natural":     "Sigma: inv(-2*eta2); mu: Sigma @ eta1",
		"from_mean":        "mu: m1; Sigma: m2", "newton_start": "mu: m1; Sigma: m2",
		"constants": "scale = 2*pi; origin: vector(d) = 0",
	})
}

func TestDistribution(t *testing.T) {
	d := load(t, "everything.yaml").Distributions[0]
	check(t, map[string]string{
		"name": d.Name, "let": pairs(d.Let), "mean": syntax.Format(d.Mean.Expr),
		"variance": syntax.Format(d.Variance.Expr), "noise": noise(d.Sample.Noise), "values": pairs(d.Sample.Values),
		"logpdf": syntax.Format(d.LogPDF.Expr),
	}, map[string]string{
		"name": "skew", "let": "beta: Omega @ eta/sqrt(1 + quad(Omega, eta))", "mean": "xi + sqrt(2/pi)*beta",
		"variance": "Omega - 2/pi*outer(beta, beta)",
		"noise":    "w: normal(); e: normal() vector(d); u: uniform()",
		"values":   "g: w*2; x: xi + abs(w)*beta + chol(Omega) @ e",
		"logpdf":   "log(2) + mine.logpdf(x; xi, Omega) + log_ndtr(dot(eta, x - xi))",
	})
}

func TestProblem(t *testing.T) {
	file := load(t, "everything.yaml")
	p := file.Problems[0]
	if p.TargetDist != file.Distributions[0] || p.TargetFamily != nil || p.Surrogate != file.Families[0] {
		t.Error("target and surrogate are not those of the file")
	}
	if p.TargetRefSpan.Text() != "skew" || p.SurrogateRefSpan.Text() != "mine" || p.PackageSpan.Text() != "first" ||
		p.MapSpan.Text() != "map" {
		t.Errorf("spans: %v %v %v %v", p.TargetRefSpan, p.SurrogateRefSpan, p.PackageSpan, p.MapSpan)
	}
	var aux []Param
	for _, a := range p.Auxiliary {
		aux = append(aux, Param{Name: a.Name, Type: a.Type})
	}
	check(t, map[string]string{
		"step": p.Step, "auxiliary": typesOf(aux), "metric": texts([]*Formula{p.Auxiliary[0].Metric}),
		"map": pairs(p.Map), "where": texts(p.Where), "start": pairs(p.Starts[0].Values),
		"second start": pairs(p.Starts[1].Values), "noise": noise(p.RandomStart.Noise),
		"random start": pairs(p.RandomStart.Values), "objective": p.Objective,
	}, map[string]string{
		"step": "natural", "auxiliary": "eta: vector(d); lognu: real", "metric": "Sigma",
		"map": "xi: mu; Omega: Sigma; eta: eta", "where": "lognu < 3; lognu > -3", "start": "mu: mean(x); Sigma: var(x)",
		"second start": "mu: 0; Sigma: 1", "random start": "mu: u", "objective": "mle",
		"noise": "u: uniform(0.05; 0.95); g: gamma(6.25; 1.25) vector(d); k: poisson((u + 1)*2)",
	})
	if p.Auxiliary[1].Metric != nil {
		t.Error("a metric from nowhere")
	}
}

func TestMixture(t *testing.T) {
	file := load(t, "everything.yaml")
	p := file.Problems[4]
	if p.TargetDist != file.Distributions[0] || p.TargetFamily != nil || p.Surrogate != file.Families[0] {
		t.Error("target and surrogate are not those of the file")
	}
	check(t, map[string]string{
		"name": p.Components.Name, "components": p.Components.String(), "place": p.Components.Span.String(),
		"target": p.TargetRefSpan.Text(), "surrogate": p.SurrogateRefSpan.Text(), "pinned": p.Dimensions[0].Name,
		"start": pairs(p.Starts[0].Values), "groups": p.Starts[0].Groups,
		"second start": pairs(p.Starts[1].Values), "second groups": p.Starts[1].Groups, "word": p.Starts[1].GroupsSpan.Text(),
		"random start": pairs(p.RandomStart.Values), "random groups": p.RandomStart.Groups,
		"noise": noise(p.RandomStart.Noise),
	}, map[string]string{
		"name": "c", "components": "c", "place": filepath.ToSlash(file.Source.Name) + ":103:37",
		"target": "skew", "surrogate": "mine", "pinned": "c",
		"start": "mu: mean(x); Sigma: var(x)", "groups": "",
		"second start": "mu: mean(x); Sigma: 1", "second groups": GroupsClusters, "word": "clusters",
		"random start": "mu: u", "random groups": GroupsNone, "noise": "u: uniform()",
	})
	if p.Components.Size != 0 || !p.Starts[0].GroupsSpan.IsZero() {
		t.Error("a number or a word from nowhere")
	}
	q := file.Problems[5]
	if q.TargetDist.Name != "inline" || q.Surrogate != Library().Family("gamma") {
		t.Error("target in place, surrogate from the library")
	}
	if c := q.Components; c.Name != "" || c.Size != 1024 || c.String() != "1024" || q.Starts[0].Groups != GroupsSlices {
		t.Errorf("components %+v, start %+v", q.Components, q.Starts[0])
	}
	for _, other := range file.Problems[:4] {
		if other.Components != nil || other.RandomStart != nil && other.RandomStart.Groups != "" {
			t.Errorf("%s is no mixture", other.Package)
		}
	}
}

func TestVariational(t *testing.T) {
	file := load(t, "variational.yaml")
	p := file.Problems[0]
	v := p.VI
	check(t, map[string]string{
		"objective": p.Objective, "latent": v.Latent[0].Name, "place": v.Latent[0].NameSpan.Text(), "data": typesOf(v.Data),
		"constants": pairs(v.Constants), "let": pairs(v.Let), "likelihood": syntax.Format(v.LogLikelihood.Expr),
		"prior": syntax.Format(v.LogPrior.Expr), "estimator": v.Estimator, "span": v.Span.Text(),
	}, map[string]string{
		"objective": ObjectiveVI, "latent": "z", "place": "z", "data": "X: matrix(n, d); y: binary vector(n)",
		"constants": "lambda: 1; tau: 2*pi", "let": "f: X @ z", "likelihood": "sum(log_sigmoid((2*y - 1)*f))",
		"prior": "-lambda/2*dot(z, z)", "estimator": EstimatorPath, "span": "vi",
	})
	if !v.LatentWhole || len(v.Latent) != 1 || v.Latent[0].Type.Kind != "" || v.LogJoint != nil || v.Draws != 100000 ||
		!v.Antithetic {
		t.Errorf("%+v", v)
	}
	v = file.Problems[1].VI
	check(t, map[string]string{
		"latent": typesOf(v.Latent), "data": typesOf(v.Data), "joint": syntax.Format(v.LogJoint.Expr), "estimator": v.Estimator,
	}, map[string]string{
		"latent": "mu: real; logtau: real vector(1); eta: vector(j)",
		"data": "y: vector(n); c: count vector(n); w: positive vector(n); u: unit vector(n); sigma: positive vector(j); " +
			"s: unit; k: count; b: binary; r: real; p: positive; v: vector(3)",
		"joint": "-dot(eta, eta)", "estimator": EstimatorReparameterised,
	})
	if v.LatentWhole || v.LogLikelihood != nil || v.LogPrior != nil || v.Draws != 20 || v.Antithetic {
		t.Errorf("%+v", v)
	}
	for i, want := range []string{"likelihood", "prior"} {
		v := file.Problems[2+i].VI
		if got := v.LogLikelihood != nil; got != (want == "likelihood") || got == (v.LogPrior != nil) || v.LogJoint != nil {
			t.Errorf("problem with a %s alone: %+v", want, v)
		}
	}
	if last := file.Problems[4]; last.VI != nil || last.Objective != ObjectiveMLE {
		t.Error("settings from nowhere")
	}
}

func TestEntropy(t *testing.T) {
	file := load(t, "variational.yaml")
	got := texts([]*Formula{file.Families[0].Entropy, file.Distributions[0].Entropy})
	if want := "-mu^2/2; log(2*pi)/2 + 0.5"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if Library().Distribution("skew_normal").Entropy != nil {
		t.Error("an entropy from nowhere")
	}
}

func TestExpectations(t *testing.T) {
	var list []*Formula
	for _, e := range load(t, "variational.yaml").Distributions[0].Expectations {
		list = append(list, e.Of, e.Is)
	}
	if got, want := texts(list), "x^2; 1 + mu^2; exp(x); exp(mu + 1/2)"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	for _, name := range Library().Distributions() {
		d := Library().Distribution(name)
		if len(d.Expectations) > 0 && d.Sample == nil {
			t.Errorf("%s: expectations that no draws can be held against", d.Name)
		}
	}
}

// TestVariationalOfLaterDefinitions checks latent parts against targets that stand behind the problem or in an import.
func TestVariationalOfLaterDefinitions(t *testing.T) {
	problem := "import: [other.yaml]\npackage: p\ntarget: other\nsurrogate: normal\nmap: {m: mu}\n" +
		"objective: {vi: {latent: {a: real}, log_joint: -a^2}}\n"
	other := "distribution: other\nvariable: {x: %t}\nparameters: {m: real}\nlogpdf: 0\n"
	for typ, wantError := range map[string]bool{"real": false, "vector(d)": false, "positive": true, "simplex(d)": true} {
		other := strings.ReplaceAll(other, "%t", typ)
		for _, file := range []string{problem, strings.Replace(problem, "import: [other.yaml]\n", "", 1) + "---\n" + other} {
			f, diags := Parse("p.yaml", []byte(file), func(string) ([]byte, error) { return []byte(other), nil })
			if got := f == nil; got != wantError || wantError && (diags.Len() != 1 || diags.All()[0].Span.Text() != "a") {
				t.Errorf("variable %s:\n%s", typ, diags.String())
			}
		}
	}
}

// TestMixtureOfLaterDefinitions checks definitions that stand behind the problem, or in an import, where they can be told
// apart from the problem's own names only when all is read.
func TestMixtureOfLaterDefinitions(t *testing.T) {
	problem := "import: [other.yaml]\npackage: p\ntarget: {mixture: other, components: %c}\n" +
		"surrogate: {mixture: multivariate_normal, components: %c}\nmap: {m: mu}\n"
	other := "distribution: other\nvariable: {x: vector(d)}\nparameters: {m: vector(j)}\nlogpdf: 0\n"
	for name, wantError := range map[string]bool{"k": false, "d": true, "j": true, "x": false, "m": false} {
		text := strings.ReplaceAll(problem, "%c", name)
		for _, file := range []string{text, strings.Replace(text, "import: [other.yaml]\n", "", 1) + "---\n" + other} {
			f, diags := Parse("p.yaml", []byte(file), func(string) ([]byte, error) { return []byte(other), nil })
			if got := f == nil; got != wantError || wantError && (diags.Len() != 1 || diags.All()[0].Span.Text() != name) {
				t.Errorf("components %s:\n%s", name, diags.String())
			}
		}
	}
}

func TestReferences(t *testing.T) {
	file := load(t, "everything.yaml")
	second, third, fourth := file.Problems[1], file.Problems[2], file.Problems[3]
	if second.TargetDist.Name != "imported" || second.Surrogate != Library().Family("gamma") || second.Step != StepMean {
		t.Error("second: target from the import, surrogate from the library, step by default")
	}
	if third.TargetFamily == nil || third.Surrogate == nil || third.TargetFamily == third.Surrogate {
		t.Error("third: definitions in place")
	}
	if fourth.Surrogate == Library().Family("normal") || len(fourth.Surrogate.Parameters) != 1 {
		t.Error("fourth: the imported family shadows the library")
	}
	// Each definition sees what its own file sees.
	if d, _ := file.Lookup("more"); d == nil {
		t.Error("imports of imports are seen")
	}
	if _, f := Library().Distribution("student_t").Lookup("normal"); f != Library().Family("normal") {
		t.Error("the library does not see user files")
	}
	if d, f := file.Lookup("nothing"); d != nil || f != nil {
		t.Error("something for nothing")
	}
	if d, _ := (&Problem{}).Lookup("student_t"); d == nil {
		t.Error("a problem made by hand sees the library")
	}
	if d, _ := second.TargetDist.Lookup("skew"); d != nil {
		t.Error("an imported file does not see the importing one")
	}
	if _, f := fourth.Surrogate.Lookup("gamma"); f == nil {
		t.Error("an imported family sees the library")
	}
}

// TestPlaces checks that every name in every formula points to where it stands in its file.
func TestPlaces(t *testing.T) {
	for _, name := range []string{"everything.yaml", "variational.yaml"} {
		testPlaces(t, load(t, name))
	}
}

func testPlaces(t *testing.T, file *File) {
	var all []*Formula
	for _, f := range file.Families {
		all = append(all, definition{family: f}.formulas()...)
	}
	for _, d := range file.Distributions {
		all = append(append(all, definition{distribution: d}.formulas()...), definition{distribution: d}.ofLimits()...)
	}
	for _, p := range file.Problems {
		all = append(all, p.formulas()...)
	}
	n := 0
	for _, f := range all {
		if f == nil {
			continue
		}
		syntax.Walk(f.Expr, func(e syntax.Expr) bool {
			n++
			want := ""
			switch e := e.(type) {
			case *syntax.Name:
				want = e.Name
			case *syntax.Number:
				want = e.Text
			case *syntax.Call:
				want = e.Fun
				if got := f.Range(e.FunStart, e.FunStart+len(e.Fun)).Text(); got != want {
					t.Errorf("%v: got %q, want %q", f.Span(e), got, want)
				}
			}
			if got := f.Span(e).Text(); !strings.HasPrefix(got, want) {
				t.Errorf("%v: got %q, want %q", f.Span(e), got, want)
			}
			return true
		})
	}
	if n < 100 {
		t.Errorf("only %d nodes in %s", n, file.Source.Name)
	}
}

func TestFormulaWithoutPlace(t *testing.T) {
	e, _ := syntax.Parse("a + b")
	f := &Formula{Text: "a + b", Expr: e}
	if !f.Whole().IsZero() || !f.Span(e).IsZero() || !f.Span(nil).IsZero() || !f.Range(-1, 100).IsZero() {
		t.Error("a formula made by hand stands nowhere")
	}
}

func TestLibrary(t *testing.T) {
	lib := Library()
	if diags := lib.Diagnostics(); diags.Len() > 0 {
		t.Errorf("the library has faults:\n%s", diags.String())
	}
	for _, name := range lib.Problems() {
		p := lib.Problem(name)
		if p.Package != name || p.Surrogate == nil || (p.TargetDist == nil) == (p.TargetFamily == nil) || p.Doc == "" {
			t.Errorf("problem %s is incomplete", name)
		}
		folder := "library/models/"
		if slices.Contains(lib.Compiled(), name) {
			folder = "library/problems/"
		}
		if want := folder + name + ".yaml"; p.Source.Name != want {
			t.Errorf("problem %s is in %s, not in %s", name, p.Source.Name, want)
		}
	}
	for _, name := range lib.Families() {
		if f := lib.Family(name); f.Name != name || f.Doc == "" || f.Source.Name != "library/families/"+name+".yaml" {
			t.Errorf("family %s in %s", f.Name, f.Source.Name)
		}
	}
	for _, name := range lib.Distributions() {
		if d := lib.Distribution(name); d.Name != name || d.Doc == "" || d.Source.Name != "library/targets/"+name+".yaml" {
			t.Errorf("distribution %s in %s", d.Name, d.Source.Name)
		}
	}
	if len(lib.Problems()) == 0 || len(lib.Families()) == 0 || len(lib.Distributions()) == 0 {
		t.Error("the library is empty")
	}
	if lib.Problem("none") != nil || lib.Family("none") != nil || lib.Distribution("none") != nil {
		t.Error("something for nothing")
	}
	if lib != Library() || !reflect.DeepEqual(lib.Families(), Library().Families()) {
		t.Error("the library changes")
	}
}

func TestWindowsFile(t *testing.T) {
	text := "\ufefffamily: mine\r\nvariable: {x: real}\r\nparameters: {mu: real}\r\nstatistics: [x]\r\nnatural: [mu]\r\n" +
		"log_partition: |\r\n  mu\r\n\r\n    + nu*2\r\n"
	f, diags := Parse("w.yaml", []byte(text), nil)
	if f == nil {
		t.Fatal(diags.String())
	}
	l := f.Families[0].LogPartition
	nu := l.Expr.(*syntax.Binary).Y.(*syntax.Binary).X
	if s := l.Span(nu); s.Text() != "nu" || s.String() != "w.yaml:9:7" {
		t.Errorf("nu is at %v: %q", s, s.Text())
	}
}

// TestForeignFile: of a file that is no spec a diagnostic shows nothing, be it named by the user or by an import.
func TestForeignFile(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{
		"passwd": "root:hunter2\n\tx", "secret.yaml": "password: [hunter2\n", "import.yaml": "import: [secret.yaml, sub/../secret.yaml]\n",
		"long.yml": strings.Repeat("hunter2 ", MaxFile), "import2.yaml": "import: [long.yml]\n",
	} {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"./passwd", "passwd", "import.yaml", "import2.yaml"} {
		f, diags := LoadFile(name)
		if got := diags.String(); f != nil || !diags.HasErrors() || strings.Contains(got, "hunter2") || !strings.Contains(got, " is no spec") {
			t.Errorf("%s: %s", name, got)
		}
	}
}
