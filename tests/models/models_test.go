// Package models has specs as users of other programs would write them: of each what the user's guide of Stan, the examples of NumPyro or
// the documents of brms and statsmodels have a chapter on. Data are drawn here, without sngdgen, from parameters that are known.
package models

import (
	"cmp"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sngdgen/sngdgen/gen"
	"github.com/sngdgen/sngdgen/gen/fit"
	"github.com/sngdgen/sngdgen/internal/diag"
	_ "github.com/sngdgen/sngdgen/internal/testseed"
	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/estimate"
	"github.com/sngdgen/sngdgen/spec"
)

// model is how a row of data is drawn, in the order of the spec, and what was true.
type model struct {
	rows int // 600 if 0
	draw func(r *rand.Rand, row int) []float64
	want map[string][]float64
	// noted is said of models of which some warning is right.
	noted string
}

// away is how many standard errors an estimate may be from the truth; there are some 120 estimates.
const away = 4

// TestModels: every spec of the folder is right to check, becomes a package, and is fitted to data that are drawn here; every estimate is
// within a few standard errors of the truth.
func TestModels(t *testing.T) {
	files, err := filepath.Glob("specs/*.yaml")
	if err != nil || len(files) != len(models) || len(files) < 30 {
		t.Fatalf("%d specs, %d models: %v", len(files), len(models), err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".yaml")
		t.Run(name, func(t *testing.T) {
			m, ok := models[name]
			if !ok {
				t.Fatal("no data")
			}
			m.check(t, file)
			m.fit(t, name, file)
		})
	}
}

// check wants no warning, and a package.
func (m model) check(t *testing.T, file string) {
	f, diags := spec.LoadFile(file)
	if diags.HasErrors() {
		t.Fatal(diags.String())
	}
	diags = gen.Check(t.Context(), f.Problems[0], gen.Options{})
	for _, d := range diags.All() {
		if d.Severity != diag.Note && (m.noted == "" || !strings.Contains(d.Message, m.noted)) {
			t.Errorf("%s", d)
		}
	}
	if _, diags = gen.Generate(t.Context(), f.Problems[0], gen.Options{}); diags.HasErrors() {
		t.Error(diags.String())
	}
}

func (m model) fit(t *testing.T, name, file string) {
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	p, _, err := fit.Open(t.Context(), fit.Source{Name: file, Text: string(text)})
	if err != nil {
		t.Fatal(err)
	}
	r, data := rand.New(rand.NewPCG(7, uint64(len(name)))), runtime.Data{}
	for i := range cmp.Or(m.rows, 600) {
		row := m.draw(r, i)
		data.Columns = len(row)
		data.Values = append(data.Values, row...)
	}
	a, err := p.Fit(t.Context(), data, nil)
	if err != nil {
		t.Fatal(err)
	}
	if q := a.Posterior; q != nil {
		if !q.Converged {
			t.Error(q.Message)
		}
		m.compare(t, q.Posterior.Mean, q.Posterior.SD)
		return
	}
	if !a.Likelihood.Converged {
		t.Error(a.Likelihood.Message)
	}
	m.compare(t, a.Likelihood.Estimate, a.Likelihood.StdErr)
}

// compare holds estimates against the truth.
func (m model) compare(t *testing.T, estimates, errors estimate.Values) {
	found := 0
	for i, v := range estimates {
		want, ok := m.want[v.Name]
		if !ok {
			continue
		}
		found++
		got, err := v.Entries, errors[i].Entries
		if v.Shape == nil {
			got, err = []float64{v.Value}, []float64{errors[i].Value}
		}
		if len(got) != len(want) || len(err) != len(got) {
			t.Fatalf("%s has %d entries, want %d", v.Name, len(got), len(want))
		}
		for k, w := range want {
			if off := math.Abs(got[k]-w) / err[k]; !(off <= away) {
				t.Errorf("%s[%d] = %v, std. error %v, want %v", v.Name, k+1, got[k], err[k], w)
			}
		}
	}
	if found != len(m.want) {
		t.Errorf("%d of %d parameters are reported", found, len(m.want))
	}
}
