package gen

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"os"
	"regexp"
	"strings"
	"testing"

	"gonum.org/v1/gonum/integrate/quad"

	"github.com/sngdgen/sngdgen/gen/emit"
	"github.com/sngdgen/sngdgen/gen/methods"
	"github.com/sngdgen/sngdgen/internal/diag"
	"github.com/sngdgen/sngdgen/spec"
)

// long is a spec with a log-density of x, at mu and s, after local definitions.
func long(let []string, logpdf string) string {
	definitions := ""
	if len(let) > 0 {
		definitions = "let:\n  " + strings.Join(let, "\n  ") + "\n"
	}
	return `distribution: long
variable: {x: real}
parameters: {mu: real, s: positive}
` + definitions + `logpdf: |
  ` + logpdf + `
---
package: long
target: long
surrogate: normal
map: {mu: mu, s: sigma2}
start: {mu: mean(x), sigma2: var(x)}
`
}

// joined is the sum or the product of n parts, one a line.
func joined(n int, operator string, part func(i int) string) string {
	parts := make([]string, n)
	for i := range parts {
		parts[i] = part(i)
	}
	return strings.Join(parts, operator+"\n  ")
}

// chain is a chain of definitions, of which each uses the one before it twice.
func chain(n int, link string) (let []string) {
	let = []string{"a0: (x - mu)^2/s"}
	for i := range n {
		let = append(let, fmt.Sprintf("a%d: %s", i+1, strings.ReplaceAll(link, "a", fmt.Sprint("a", i))))
	}
	return let
}

// hermite is a logistic regression with a normal effect, integrated by a Gauss-Hermite rule that is written out.
func hermite(nodes int) string {
	x, w := make([]float64, nodes), make([]float64, nodes)
	quad.Hermite{}.FixedLocations(x, w, math.Inf(-1), math.Inf(1))
	return "log(" + joined(nodes, " +", func(i int) string {
		return fmt.Sprintf("%g*sigmoid(x*(mu + %g*sqrt(s)))", w[i]/math.Sqrt(math.Pi), x[i]*math.Sqrt2)
	}) + ")"
}

// exponentials is a sum of exponentials.
func exponentials(n int) string {
	return long(nil, joined(n, " +", func(i int) string { return fmt.Sprintf("exp(-%d*(x - mu)^2/s)", i+1) }))
}

// longFormulas are formulas of the lengths that people paste in, with what they may take: nodes asked for, and bytes of
// generated code.
var longFormulas = []struct {
	name        string
	spec        string
	work, bytes int
}{
	{"sum of 200 exponentials", exponentials(200), 350_000, 250_000},
	{"density of 16 exponentials", long(nil, "log("+joined(16, " +", func(i int) string { return fmt.Sprintf("exp(-(x - mu - %d.25*sqrt(s))^2/s)", i) })+")"), 340_000, 80_000},
	{"quadrature with 60 nodes", long(nil, hermite(60)), 550_000, 450_000},
	{"product of 29 factors", long(nil, "-("+joined(29, "*", func(i int) string { return fmt.Sprintf("(1 + %d*(x - mu)^2/s)", i+1) })+")"), 1_400_000, 170_000},
	{"chain of 8 products", long(chain(8, "a*(1 + a)"), "-a8"), 950_000, 100_000},
	{"chain of 10 quotients", long(chain(10, "a/(1 + a)"), "-a10"), 1_200_000, 250_000},
	{"chain of 20 logarithms", long(chain(20, "a + log1p(a)"), "-a20"), 850_000, 140_000},
	{"chain of 40 squares", long(chain(40, "(a + 1)^2"), "-a40"), 450_000, 70_000},
}

func TestLongFormulas(t *testing.T) {
	for _, f := range longFormulas {
		t.Run(f.name, func(t *testing.T) {
			work, bytes := effort(t, f.spec)
			t.Logf("work %d, %d bytes", work, bytes)
			if work > f.work || bytes > f.bytes {
				t.Errorf("work %d of %d, %d bytes of %d", work, f.work, bytes, f.bytes)
			}
		})
	}
}

// TestSumsAreLinear: twice the terms are twice the work.
func TestSumsAreLinear(t *testing.T) {
	work, bytes := effort(t, exponentials(40))
	more, longer := effort(t, exponentials(80))
	if float64(more) > 2.3*float64(work) || float64(longer) > 2.3*float64(bytes) {
		t.Errorf("work %d and then %d, %d and then %d bytes", work, more, bytes, longer)
	}
}

// comments are the formulas that code is annotated with.
var comments = regexp.MustCompile(`(?m)//.*$`)

// effort is the work on a spec, and the length of the generated code without its comments.
func effort(t *testing.T, text string) (operations, bytes int) {
	t.Helper()
	diags := bounded(t.Context(), problemOf(t, text), DefaultBudget, func(w *work) diag.List {
		d, diags := w.derive(Options{})
		if d == nil {
			return diags
		}
		functions, err := methods.Of(d, methods.Options{Source: "long.yaml"})
		if err != nil {
			t.Fatal(err)
		}
		files, err := emit.Emit(d, functions, "long.yaml")
		if err != nil {
			t.Fatal(err)
		}
		operations, bytes = w.g.Work(), len(comments.ReplaceAll(files[0].Data, nil))
		return diags
	})
	if diags.HasErrors() {
		t.Fatal(diags.String())
	}
	return operations, bytes
}

// TestTooLong: what does not fit into the budget is reported at the formula that takes most.
func TestTooLong(t *testing.T) {
	text := long(chain(8, "a*(1 + a)"), "-a8 - log(s)/2")
	line := strings.Count(text[:strings.Index(text, "-a8")], "\n") + 1
	for _, limit := range []int{300, 2000, 20000} { // while it is bound, differentiated, and improved
		_, diags := Generate(t.Context(), problemOf(t, text), Options{Budget: limit})
		want := fmt.Sprintf("long needs more than %d operations on formulas, most of them for this one\n", limit)
		if !strings.Contains(diags.String(), want) {
			t.Errorf("got\n%s\nwant\n%s", diags.String(), want)
		}
		if at := fmt.Sprintf("long.yaml:%d:3: ", line); limit > 300 && !strings.HasPrefix(diags.String(), at) {
			t.Errorf("got\n%s\nwant it at %s", diags.String(), at)
		}
	}
}

// countdown is a context that ends when it has been looked at a number of times.
type countdown struct {
	context.Context
	left *int
}

func (c countdown) Err() error {
	if *c.left--; *c.left < 0 {
		return context.Canceled
	}
	return nil
}

// TestInterrupt ends the context later and later, until it comes too late.
func TestInterrupt(t *testing.T) {
	p := problemOf(t, long(nil, "-(x - mu)^2/(2*s) - log(2*pi*s)/2"))
	for name, do := range map[string]func(context.Context) error{
		"Generate": func(ctx context.Context) error {
			files, diags := Generate(ctx, p, Options{})
			if len(files) > 0 && diags.HasErrors() {
				t.Error("files in spite of errors")
			}
			return diags.Err()
		},
		"Check":   func(ctx context.Context) error { diags := Check(ctx, p, Options{}); return diags.Err() },
		"Explain": func(ctx context.Context) error { return Explain(ctx, &bytes.Buffer{}, p, false) },
	} {
		ended, interrupted := false, 0
		for looks := 0; !ended; looks = 2*looks + 1 {
			left := looks
			err := do(countdown{t.Context(), &left})
			switch ended = left >= 0; {
			case ended && err != nil:
				t.Errorf("%s: %v", name, err)
			case !ended:
				interrupted++
				if err == nil || !strings.Contains(err.Error(), "stopped: "+context.Canceled.Error()) || left != -1 {
					t.Errorf("%s gives %v, and looks %d times more, after look %d", name, err, -1-left, looks)
				}
			}
		}
		if want := map[string]int{"Generate": 2, "Check": 5, "Explain": 2}[name]; interrupted < want {
			t.Errorf("%s looks too seldom: interrupted %d times of %d", name, interrupted, want)
		}
	}
}

func problemOf(t *testing.T, text string) *spec.Problem {
	t.Helper()
	f, diags := spec.Parse("long.yaml", []byte(text), func(string) ([]byte, error) { return nil, os.ErrNotExist })
	if diags.HasErrors() {
		t.Fatal(diags.String())
	}
	return f.Problems[0]
}
