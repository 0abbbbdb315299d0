package studio

import (
	"context"
	"encoding/json"
	"math"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/sngdgen/sngdgen/docs"
	"github.com/sngdgen/sngdgen/gen"
	"github.com/sngdgen/sngdgen/gen/explain"
	"github.com/sngdgen/sngdgen/internal/fitfixture"
	"github.com/sngdgen/sngdgen/internal/mathml"
	"github.com/sngdgen/sngdgen/internal/record"
	"github.com/sngdgen/sngdgen/spec"
)

// ask asks a question and returns the events, and the result decoded into an R, or the fault.
func ask[R any](t *testing.T, name string, question any) (result R, events []json.RawMessage, fault *Fault) {
	t.Helper()
	body, err := json.Marshal(question)
	if err != nil {
		t.Fatal(err)
	}
	done := false
	Answer(t.Context(), name, body, func(message []byte) {
		var m struct {
			Event, Result json.RawMessage
			Error         *Fault
		}
		if err := json.Unmarshal(message, &m); err != nil || strings.ContainsRune(string(message), '\n') || done {
			t.Fatalf("%v: %.200s", err, message)
		}
		switch {
		case m.Event != nil:
			events = append(events, m.Event)
		case m.Error != nil:
			fault, done = m.Error, true
		default:
			done = true
			if err := json.Unmarshal(m.Result, &result); err != nil {
				t.Fatalf("%v: %.200s", err, message)
			}
		}
	})
	if !done {
		t.Fatal("no answer")
	}
	return result, events, fault
}

func library(name string) specRequest {
	return specRequest{Spec: string(spec.Library().Problem(name).Source.Text)}
}

func sheep(t *testing.T) dataRequest {
	t.Helper()
	text, err := docs.Data.ReadFile("data/sheep.csv")
	if err != nil {
		t.Fatal(err)
	}
	return dataRequest{specRequest: library("negbin"), Name: "sheep.csv", Text: string(text), Columns: map[string][]string{"x": {"ticks"}}}
}

func TestCheck(t *testing.T) {
	r := library("negbin")
	if got, _, fault := ask[checked](t, "check", r); fault != nil || len(got.Findings) > 0 || len(got.Problems) != 1 || !got.Problems[0].Whole {
		t.Errorf("%v: %+v", fault, got)
	}
	r.Spec = strings.Replace(r.Spec, "doc: negative", "doc: \U0001d53a negative", 1)
	r.Spec = strings.Replace(r.Spec, "alpha/(1", "alhpa/(1", 1)
	got, _, fault := ask[checked](t, "check", r)
	if fault != nil || len(got.Findings) != 1 {
		t.Fatalf("%v: %+v", fault, got)
	}
	f := got.Findings[0]
	at := strings.Index(r.Spec, "alhpa") - 2 // the letter before it has four bytes, and two units
	if f.Severity != "error" || f.Line != 7 || f.Column != 6 || f.Start != at || f.End != at+5 || !strings.Contains(f.Hint, `"alpha"`) {
		t.Errorf("%+v, not at %d", f, at)
	}
	for _, text := range []string{"", "package: p", "family: f\nimport: [../../etc/passwd]", "imports: [/etc/passwd]\n", "\x00", "a: [", strings.Repeat("a: b\n", 100000)} {
		got, _, fault := ask[checked](t, "check", specRequest{Spec: text})
		if fault != nil || len(got.Findings) == 0 {
			t.Errorf("%.20q: %v, %+v", text, fault, got)
		}
	}
}

// TestOnlyFormula: a spec that is a formula is no fault, and every question about it is told what to do.
func TestOnlyFormula(t *testing.T) {
	const text, want = "package: trial\ntarget: poisson\nformula: ticks ~ 1\n", "trial is a formula"
	r := specRequest{Spec: text}
	got, _, fault := ask[checked](t, "check", r)
	if fault != nil || len(got.Findings) != 1 || got.Findings[0].Severity != "note" || got.Findings[0].Line != 3 ||
		!strings.Contains(got.Findings[0].Message, want) || !strings.Contains(got.Findings[0].Hint, "under Regression") {
		t.Errorf("%v: %+v", fault, got)
	}
	data := sheep(t)
	data.Spec = text
	for name, request := range map[string]any{"explain": r, "code": r, "draw": r, "fit": data} {
		if _, _, fault := ask[any](t, name, request); fault == nil || !strings.Contains(fault.Message, want) || !strings.Contains(fault.Hint, "under Regression") {
			t.Errorf("%s: %+v", name, fault)
		}
	}
}

// TestGallery: every problem of the library is a text that stands by itself.
func TestGallery(t *testing.T) {
	list, _, fault := ask[[]example](t, "gallery", struct{}{})
	if fault != nil || len(list) != len(spec.Library().Problems()) {
		t.Fatal(fault, len(list))
	}
	for _, e := range list {
		f, diags := spec.Parse(fileName, []byte(e.Text), nil)
		if f == nil || len(f.Problems) == 0 || chosen(f, e.Name).Package != e.Name {
			t.Errorf("%s: %s", e.Name, diags.String())
		}
		if len(e.Parts) == 0 {
			t.Errorf("%s has no data", e.Name)
		}
	}
}

// TestTypeset: all formulas of all derivations of the library are typeset.
func TestTypeset(t *testing.T) {
	for _, name := range spec.Library().Problems() {
		doc, err := gen.Describe(t.Context(), spec.Library().Problem(name))
		if err != nil {
			t.Fatal(err)
		}
		formulas := 0
		for _, s := range doc.Sections {
			for i := range s.Blocks {
				for _, latex := range formulasOf(&s.Blocks[i]) {
					formulas++
					if _, err := mathml.Row(latex); err != nil {
						t.Errorf("%s: %s: %v: %s", name, s.Heading, err, latex)
					}
				}
			}
		}
		if formulas < 20 {
			t.Errorf("%s: %d formulas", name, formulas)
		}
	}
}

// formulasOf are those of a block.
func formulasOf(b *explain.Block) (out []string) {
	pieces := func(list []explain.Piece) {
		for _, p := range list {
			out = append(out, p.LaTeX)
		}
	}
	equations := func(list []explain.Equation) {
		for _, e := range list {
			out = append(append(out, e.Left), e.Right...)
		}
	}
	pieces(b.Text)
	equations(b.Equations)
	if b.Rule != nil {
		for _, s := range b.Rule.Steps {
			out = append(append(out, s.Before...), s.After...)
			equations(s.Where)
			for _, r := range s.Remarks {
				pieces(r)
			}
		}
	}
	return out
}

func TestExplain(t *testing.T) {
	got, _, fault := ask[derivation](t, "explain", library("skewnormal"))
	if fault != nil || got.Title != "skewnormal" || len(got.Sections) < 8 {
		t.Fatal(fault, got.Title, len(got.Sections))
	}
	rules := 0
	for _, s := range got.Sections {
		for _, b := range s.Blocks {
			if b.Rule != nil {
				if rules++; len(b.Rule.Steps) == 0 || !strings.Contains(b.Rule.Steps[0].Math, "<mo>⇒</mo>") {
					t.Errorf("%+v", b.Rule)
				}
			}
		}
	}
	if rules < 3 {
		t.Errorf("%d rules", rules)
	}
}

// TestHostile: names and texts of a spec stay texts.
func TestHostile(t *testing.T) {
	const text = "package: p\ndoc: \"<img src=x onerror=alert(1)>\"\ntarget: exponential\nsurrogate: exponential\nmap: {lambda: lambda}\nstart: {lambda: 1/mean(x)}\n"
	got, _, fault := ask[derivation](t, "explain", specRequest{Spec: text})
	if fault != nil || !strings.Contains(got.Doc, "<img") {
		t.Fatal(fault, got.Doc)
	}
	for _, s := range got.Sections {
		for _, b := range s.Blocks {
			if strings.Contains(b.Math, "<img") {
				t.Error(b.Math)
			}
		}
	}
}

func TestCode(t *testing.T) {
	got, _, fault := ask[generated](t, "code", library("negbin"))
	if fault != nil || len(got.Files) < 2 || !strings.Contains(got.Files[0].Text, "func (p *Model) NaturalGradient(") ||
		!strings.Contains(got.Programs[0].Text, "NaturalGradient, a part of Gradients:") {
		t.Errorf("%v: %d files", fault, len(got.Files))
	}
}

func TestColumns(t *testing.T) {
	r := dataRequest{specRequest: specRequest{Spec: "package: p\ntarget: multivariate_normal\nsurrogate: multivariate_normal\n" +
		"map: {mu: mu, Sigma: Sigma}\nstart: {mu: mean(x), Sigma: diag(var(x))}\n"}, Name: "d.csv", Text: "id;a;b\nu;1;2\nv;3;4\n"}
	got, _, fault := ask[inspected](t, "columns", r)
	if fault != nil || strings.Join(got.Columns, " ") != "a b id" || got.Numbers != 2 || got.Rows != 2 || strings.Join(got.Chosen["x"], " ") != "a b" {
		t.Errorf("%v: %+v", fault, got)
	}
	r.Text = "a,b\n1,2\n3,x\n"
	if _, _, fault := ask[inspected](t, "columns", r); fault == nil {
		t.Error("no fault")
	}
}

func TestSuggest(t *testing.T) {
	number, vector := record.Part{Name: "y", ByRow: true}, record.Part{Name: "x", ByRow: true, Vector: true}
	three := record.Part{Name: "z", ByRow: true, Vector: true, Length: 3}
	for _, test := range []struct {
		parts   []record.Part
		columns string
		want    string
	}{
		{[]record.Part{number}, "a b", "y=a"},
		{[]record.Part{number}, "a y", "y=y"},
		{[]record.Part{vector, number}, "a b c", "x=a b y=c"},
		{[]record.Part{number, vector}, "x1 y x2", "y=y x=x1 x2"},
		{[]record.Part{three, vector, number}, "a b c d e", "z=a b c x=d y=e"},
		{[]record.Part{{Name: "y", Vector: true}, {Name: "s", Vector: true}}, "effect error", "y=effect s=error"},
		{[]record.Part{number, vector}, "a", "y=a x="},
	} {
		got := suggest(test.parts, strings.Fields(test.columns), len(strings.Fields(test.columns)))
		var words []string
		for _, p := range test.parts {
			words = append(words, p.Name+"="+strings.Join(got[p.Name], " "))
		}
		if text := strings.Join(words, " "); text != test.want {
			t.Errorf("%s: %s, not %s", test.columns, text, test.want)
		}
	}
}

func TestFit(t *testing.T) {
	type result struct {
		Kind   string
		Report struct {
			Parameters map[string]float64 `json:"parameters"`
		}
		Panels []struct{ Name string }
		Frames struct {
			X     []float64
			Steps []struct {
				Iteration int
				Loss      float64
				Y         []float64
			}
		}
	}
	got, events, fault := ask[result](t, "fit", fitRequest{dataRequest: sheep(t)})
	if fault != nil || got.Kind != "likelihood" || len(events) == 0 {
		t.Fatal(fault, got.Kind, len(events))
	}
	if r := got.Report.Parameters["r"]; math.Abs(r-fitfixture.SheepR) > 1e-6 {
		t.Errorf("r = %v", r)
	}
	if len(got.Panels) != 3 || got.Panels[0].Name != "density" {
		t.Errorf("%+v", got.Panels)
	}
	steps := got.Frames.Steps
	for k, s := range steps {
		sum := 0.0
		for _, p := range s.Y {
			sum += p
		}
		if len(s.Y) != len(got.Frames.X) || !(sum > 0.9 && sum < 1) || k > 0 && s.Loss > steps[k-1].Loss {
			t.Errorf("frame %d: probabilities of %v of %d numbers, loss %v", k, sum, len(s.Y), s.Loss)
		}
	}
	if len(steps) < 5 {
		t.Errorf("%d frames", len(steps))
	}
}

func TestFitFaults(t *testing.T) {
	good := sheep(t)
	change := func(f func(*fitRequest)) fitRequest {
		r := fitRequest{dataRequest: good}
		f(&r)
		return r
	}
	for want, r := range map[string]fitRequest{
		"no data":                   change(func(r *fitRequest) { r.Text = " " }),
		"no column is chosen":       change(func(r *fitRequest) { r.Columns = nil }),
		"one number":                change(func(r *fitRequest) { r.Columns = map[string][]string{"x": {"ticks", "ticks"}} }),
		"ticks2":                    change(func(r *fitRequest) { r.Columns = map[string][]string{"x": {"ticks2"}} }),
		"sheep.csv:3":               change(func(r *fitRequest) { r.Text = "ticks\n1\n-2\n" }),
		"unknown method":            change(func(r *fitRequest) { r.Method = "magic" }),
		"components: from":          change(func(r *fitRequest) { r.Components = "1000" }),
		"starts: from":              change(func(r *fitRequest) { r.Starts = -1 }),
		"a number of components as": change(func(r *fitRequest) { r.Components = "6..1" }),
		"are for mixtures":          change(func(r *fitRequest) { r.Components = "1..3" }),
		"a batch of 500 rows":       change(func(r *fitRequest) { r.Method, r.Batch = "sngd", 500 }),
		"at least one row":          change(func(r *fitRequest) { r.Batch = -1 }),
		"is missing beside +":       change(func(r *fitRequest) { r.Terms = map[string]string{"x": "ticks + "} }),
		"no problem in":             change(func(r *fitRequest) { r.Spec = "family: f\n" + strings.SplitN(familyText, "\n", 2)[1] }),
		"has no start": change(func(r *fitRequest) {
			r.Spec = "package: p\ntarget: gamma\nsurrogate: gamma\nmap: {alpha: alpha, beta: beta}\n"
		}),
		"unknown family or": change(func(r *fitRequest) { r.Spec = strings.Replace(r.Spec, "negative_binomial", "negative", 1) }),
	} {
		_, _, fault := ask[struct{}](t, "fit", r)
		if fault == nil || !strings.Contains(fault.Message+fault.Hint, want) {
			t.Errorf("%s: %+v", want, fault)
		}
	}
}

const familyText = `family: f
doc: exponential distribution
variable: {x: positive}
parameters: {lambda: positive}
statistics: [x]
natural: [-lambda]
log_partition: -log(lambda)
from_natural: {lambda: -eta1}
from_mean: {lambda: 1/m1}
`

// TestRegress: a formula becomes a spec, whose words are indicators; with the same data it is fitted to the estimates of
// negativebinomial of statsmodels 0.15.0, and of glm.nb of R, whose package MASS has these data.
func TestRegress(t *testing.T) {
	text, err := os.ReadFile("../../docs/data/quine.csv")
	if err != nil {
		t.Fatal(err)
	}
	data := dataRequest{Name: "quine.csv", Text: string(text)}
	got, _, fault := ask[regressed](t, "regress", regressRequest{dataRequest: data, Distribution: "negative_binomial_mean",
		Formula: "Days ~ Eth + Sex + Age + Lrn"})
	if fault != nil || got.Terms["x_mu"] != "1+Eth+Sex+Age+Lrn" || strings.Join(got.Columns["x"], " ") != "Days" {
		t.Fatalf("%+v: %+v", fault, got)
	}
	data.Spec, data.Columns, data.Terms = got.Spec, got.Columns, got.Terms
	type result struct {
		Report struct {
			LogLikelihood float64        `json:"log_likelihood"`
			Parameters    map[string]any `json:"parameters"`
		}
		Labels map[string][]string
		Notes  []string
		Panels []struct{ Name string }
	}
	fitted, _, fault := ask[result](t, "fit", fitRequest{dataRequest: data})
	if fault != nil {
		t.Fatal(fault)
	}
	want := []float64{2.89458, -0.56937, 0.08233, -0.44843, 0.08808, 0.35691, 0.29210}
	beta, _ := fitted.Report.Parameters["mu"].([]any)
	for i, w := range want {
		if len(beta) != len(want) || math.Abs(beta[i].(float64)-w) > 2e-5 {
			t.Fatalf("coefficients %v, not %v", beta, want)
		}
	}
	if labels := strings.Join(fitted.Labels["mu"], " "); labels != "intercept Eth=N Sex=M Age=F1 Age=F2 Age=F3 Lrn=SL" {
		t.Errorf("coefficients are called %s", labels)
	}
	if notes := strings.Join(fitted.Notes, "\n"); !strings.Contains(notes, "Age has 4 levels; F0 is the reference") {
		t.Errorf("notes: %s", notes)
	}
}

// TestRegressFaults: what is no formula is an error.
func TestRegressFaults(t *testing.T) {
	data := dataRequest{Name: "d.csv", Text: "y,n,g\n1,3,a\n2,4,b\n0,2,a\n"}
	for want, r := range map[string]regressRequest{
		"no distribution":       {dataRequest: data, Distribution: "poison", Formula: "y ~ g"},
		"is no formula":         {dataRequest: data, Distribution: "poisson", Formula: "y"},
		"no column \"h\"":       {dataRequest: data, Distribution: "poisson", Formula: "y ~ h"},
		"no column \"trials\"":  {dataRequest: data, Distribution: "binomial", Formula: "y ~ g"},
		"no data yet":           {Distribution: "poisson", Formula: "y ~ g"},
		"has no parameter":      {dataRequest: data, Distribution: "poisson", Formula: "y ~ 1; sigma ~ g"},
		"part of the data is":   {dataRequest: data, Distribution: "binomial", Formula: "y ~ g; of = n"},
		"linear predictors are": {dataRequest: data, Distribution: "multivariate_normal", Formula: "y ~ g"},
	} {
		if _, _, fault := ask[regressed](t, "regress", r); fault == nil || !strings.Contains(fault.Message+fault.Hint, want) {
			t.Errorf("%s: %+v", want, fault)
		}
	}
	got, _, fault := ask[regressed](t, "regress", regressRequest{dataRequest: data, Distribution: "binomial", Formula: "y ~ g; trials = n"})
	if fault != nil || strings.Join(got.Columns["trials"], " ") != "n" {
		t.Errorf("%+v: %+v", fault, got)
	}
}

// TestCounts: of several numbers of components there is a table, as the command prints it.
func TestCounts(t *testing.T) {
	text, err := os.ReadFile("../../docs/data/faithful.csv")
	if err != nil {
		t.Fatal(err)
	}
	r := fitRequest{dataRequest: dataRequest{specRequest: library("normalmix"), Name: "faithful.csv", Text: string(text),
		Columns: map[string][]string{"x": {"eruptions"}}}, Components: "1..3"}
	got, _, fault := ask[struct {
		Kind   string
		Report struct {
			Fits []struct {
				Components int
				Report     struct{ BIC float64 }
				Best       []string
			}
		}
		Panels []struct{ Name string }
	}](t, "fit", r)
	if fault != nil || got.Kind != "comparison" || len(got.Report.Fits) != 3 || len(got.Panels) < 2 || got.Panels[0].Name != "criteria" {
		t.Fatalf("%+v: %+v", fault, got)
	}
	// By 3,000 steps of EM in NumPy.
	if bic := got.Report.Fits[1].Report.BIC; math.Abs(bic-580.7490913) > 1e-5 {
		t.Errorf("BIC of two components: %v", bic)
	}
}

// TestBatches: steps over some rows at a time come near to the maximum.
func TestBatches(t *testing.T) {
	got, _, fault := ask[struct {
		Report struct {
			Parameters map[string]float64 `json:"parameters"`
		}
	}](t, "fit", fitRequest{dataRequest: sheep(t), Method: "sngd", Batch: 20, Epochs: 200, Starts: 1})
	if fault != nil || math.Abs(got.Report.Parameters["r"]-fitfixture.SheepR) > 0.1 {
		t.Errorf("%+v: %+v", fault, got)
	}
}

// TestDraw: what is drawn from a target can be fitted, vectors and mixtures too.
func TestDraw(t *testing.T) {
	for _, name := range []string{"negbin", "studentt", "skewnormal", "normalmix", "dirichlet"} {
		k, text := 0, ""
		if spec.Library().Problem(name).Components != nil {
			k, text = 2, "2"
		}
		drawn, _, fault := ask[file](t, "draw", drawRequest{specRequest: library(name), Rows: 200, Seed: 1, Components: k})
		if fault != nil || strings.Count(drawn.Text, "\n") != 201 {
			t.Errorf("%s: %+v, %.40s", name, fault, drawn.Text)
			continue
		}
		r := dataRequest{specRequest: library(name), Name: drawn.Name, Text: drawn.Text}
		in, _, fault := ask[inspected](t, "columns", r)
		if fault != nil {
			t.Fatal(fault)
		}
		r.Columns = in.Chosen
		if got, _, fault := ask[struct{ Kind string }](t, "fit", fitRequest{dataRequest: r, Components: text, Starts: 2}); fault != nil || got.Kind != "likelihood" {
			t.Errorf("%s: %+v", name, fault)
		}
	}
	for _, r := range []drawRequest{{specRequest: library("negbin")}, {specRequest: library("negbin"), Rows: 1e9}, {specRequest: library("logistic"), Rows: 5},
		{specRequest: library("normalmix"), Rows: 5, Components: 1e9}} {
		if _, _, fault := ask[file](t, "draw", r); fault == nil {
			t.Errorf("%d rows of %d components are drawn", r.Rows, r.Components)
		}
	}
}

// TestRequests: what is no question is an error, and no more.
func TestRequests(t *testing.T) {
	for name, body := range map[string]string{"magic": "{}", "check": `{"spec": 3}`, "fit": `{"speck": ""}`, "code": "", "explain": "[", "draw": "null"} {
		var last []byte
		Answer(t.Context(), name, []byte(body), func(m []byte) { last = m })
		if !strings.Contains(string(last), `"error"`) {
			t.Errorf("%s %s: %s", name, body, last)
		}
	}
	Answer(t.Context(), "check", make([]byte, MostRequest+1), func(m []byte) {
		if !strings.Contains(string(m), "MiB") {
			t.Errorf("%s", m)
		}
	})
}

// TestStopped: a fit ends with its context.
func TestStopped(t *testing.T) {
	r := sheep(t)
	body, err := json.Marshal(fitRequest{dataRequest: r, Starts: mostStarts, Method: "gd"})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	Answer(ctx, "fit", body, func(m []byte) {
		if strings.Contains(string(m), `"result"`) {
			t.Errorf("%.200s", m)
		}
	})
}
