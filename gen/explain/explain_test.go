package explain_test

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/sngdgen/sngdgen/gen"
	"github.com/sngdgen/sngdgen/spec"
)

var update = flag.Bool("update", false, "write the golden files; look at every change")

func explanation(t *testing.T, name string, latex bool) string {
	t.Helper()
	return explained(t, spec.Library().Problem(name), latex)
}

func explained(t *testing.T, p *spec.Problem, latex bool) string {
	t.Helper()
	var b bytes.Buffer
	if err := gen.Explain(t.Context(), &b, p, latex); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestGolden compares whole explanations with files.
func TestGolden(t *testing.T) {
	for _, name := range []string{"negbin", "studentt", "skewnormal", "gaussiancopula", "negbinmix", "mvnormalmixnat", "logistic"} {
		for _, latex := range []bool{false, true} {
			file := filepath.Join("testdata", name+".txt")
			if latex {
				file = filepath.Join("testdata", name+".tex")
			}
			got := explanation(t, name, latex)
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
				continue
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if got != strings.ReplaceAll(string(want), "\r\n", "\n") {
				t.Errorf("%s: got\n%s\nwant\n%s", file, got, want)
			}
		}
	}
}

// TestLibrary writes every problem of the library both ways: without a panic, as text that fits a screen, and without
// what is left over when a formula or a name is missing.
func TestLibrary(t *testing.T) {
	lib := spec.Library()
	for _, name := range slices.Concat(lib.ProblemsOf(spec.ObjectiveMLE), lib.ProblemsOf(spec.ObjectiveVI), lib.ProblemsOf(spec.ObjectiveEP)) {
		t.Run(name, func(t *testing.T) {
			text := explanation(t, name, false)
			for i, line := range strings.Split(text, "\n") {
				if n := utf8.RuneCountInString(line); n > 120 {
					t.Errorf("line %d has %d columns: %s", i+1, n, line)
				}
			}
			p := *spec.Library().Problem(name)
			p.Doc = "" // may have any words
			for _, s := range []string{explained(t, &p, false), explained(t, &p, true)} {
				for _, bad := range []string{"%!", "<nil>", "NaN", "centred", "no value"} {
					if strings.Contains(s, bad) {
						t.Errorf("contains %q: %s", bad, s)
					}
				}
			}
		})
	}
}
