package main

import (
	"bytes"
	"context"
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/expr/eval"
	"github.com/sngdgen/sngdgen/gen"
	"github.com/sngdgen/sngdgen/gen/bind"
	"github.com/sngdgen/sngdgen/spec"
	"github.com/sngdgen/sngdgen/tests/overlay"
)

// problem is a spec with its data, by the names of their parts: a row of numbers for each row of the data, or a single one.
type problem struct {
	*spec.Problem
	name  string
	parts map[string][][]float64
}

// problems reads all specs and their data.
func problems(t *testing.T) []*problem {
	t.Helper()
	files, err := filepath.Glob("specs/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatal("no specs", err)
	}
	var all []*problem
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		f, diags := spec.Parse(file, text, nil)
		if f == nil || diags.HasErrors() || len(f.Problems) != 1 {
			t.Fatal(diags.String())
		}
		p := &problem{Problem: f.Problems[0], name: strings.TrimSuffix(filepath.Base(file), ".yaml")}
		if p.Package != p.name {
			t.Errorf("%s: the package is called %s", file, p.Package)
		}
		p.read(t)
		all = append(all, p)
	}
	return all
}

// read reads the data: the columns of a part are those of its name, with a number after it where there are several.
func (p *problem) read(t *testing.T) {
	t.Helper()
	f, err := os.Open(dataFile(".", p.name))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	p.parts = map[string][][]float64{}
	for _, part := range p.VI.Data {
		var columns []int
		for j, name := range rows[0] {
			if strings.TrimRight(name, "0123456789") == part.Name {
				columns = append(columns, j)
			}
		}
		for _, line := range rows[1:] {
			var row []float64
			for _, j := range columns {
				x, err := strconv.ParseFloat(line[j], 64)
				if err != nil {
					t.Fatal(p.name, err)
				}
				row = append(row, x)
			}
			p.parts[part.Name] = append(p.parts[part.Name], row)
		}
		if part.Type.Dims[0].Name != "n" { // a column of entries that are given once
			p.parts[part.Name] = [][]float64{slices.Concat(p.parts[part.Name]...)}
		}
	}
}

// TestAnswers: every model has an answer to its data, good enough to compare with.
func TestAnswers(t *testing.T) {
	known, err := answersIn(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range problems(t) {
		i := slices.IndexFunc(known.Answers, func(a *answer) bool { return a.Model == p.name })
		if i < 0 {
			t.Errorf("%s has no answer", p.name)
			continue
		}
		a := known.Answers[i]
		if n := a.NUTS; n != nil && !(n.RHat < 1.01 && n.ErrorOfMeans < 0.03) || n == nil && a.Exact == nil {
			t.Errorf("%s: no truth: %+v", p.name, n)
		}
		if x := a.truth(); len(x.Mean) != a.D || len(x.SD) != a.D || len(a.entries()) != a.D {
			t.Errorf("%s: %d means and %d standard deviations of %d latent variables", p.name, len(x.Mean), len(x.SD), a.D)
		}
		if a.Exact == nil || a.NUTS == nil {
			continue
		}
		e := a.distance(a.NUTS.Mean, a.NUTS.SD) // of the sampler from what is known
		if !(math.Abs(e.mean.most) < 5*a.NUTS.ErrorOfMeans && math.Abs(e.sd.most) < 5*a.NUTS.ErrorOfSDs) {
			t.Errorf("%s: NUTS is %+v from the truth", p.name, e)
		}
	}
}

// TestLogJoint: specs say the same models as those that NumPyro was asked about, with the same constants.
func TestLogJoint(t *testing.T) {
	known, err := answersIn(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range problems(t) {
		i := slices.IndexFunc(known.Answers, func(a *answer) bool { return a.Model == p.name })
		if i < 0 {
			continue
		}
		a := known.Answers[i]
		for j, z := range a.Points {
			got, want := p.logJoint(t, a, z), a.LogJoint[j]
			if !(math.Abs(got-want) < 1e-9*(1+math.Abs(want))) {
				t.Errorf("%s: the log joint density is %.12g, by NumPyro %.12g", p.name, got, want)
			}
		}
	}
}

// logJoint interprets the log joint density of a spec.
func (p *problem) logJoint(t *testing.T, a *answer, z []float64) float64 {
	t.Helper()
	b, diags := bind.Bind(p.Problem)
	if diags.HasErrors() {
		t.Fatal(diags.String())
	}
	v, env := b.Variational, eval.Scalars(nil)
	env.Set("d", float64(a.D))
	env.Set(v.Scale.Name, 1)
	at := 0
	for i, q := range v.Latent {
		n := 1
		if s := a.Sites[i]; len(s.Shape) > 0 {
			n = s.Shape[0]
		}
		if t := q.Sym.Type; t.Rank > 0 && t.Dims[0].Name != "" {
			env.Set(t.Dims[0].Name, float64(n))
		}
		if env.Symbols[q.Sym.Name] = (eval.Value{Scalar: z[at]}); q.Sym.Type.Rank > 0 {
			env.Symbols[q.Sym.Name] = eval.Core(mat.NewDense(n, 1, slices.Clone(z[at:at+n])))
		}
		at += n
	}
	for _, q := range v.Data {
		rows := p.parts[q.Name]
		env.Set(expr.Rows.String(), float64(len(rows)))
		column := make([]float64, len(rows))
		cores := make([]*mat.Dense, len(rows))
		for i, row := range rows {
			column[i], cores[i] = row[0], mat.NewDense(len(row), 1, slices.Clone(row))
		}
		if env.Symbols[q.Sym.Name] = (eval.Value{Rows: column}); q.Sym.Type.Rank > 0 {
			env.Symbols[q.Sym.Name] = eval.CoreRows(cores)
		}
	}
	sum := 0.0
	for _, term := range []*expr.Node{v.Likelihood, v.Prior} {
		if term == nil {
			continue
		}
		x, err := eval.Eval(term, env)
		if err != nil {
			t.Fatal(p.name, err)
		}
		sum += x
	}
	return sum
}

// TestGenerated compiles what is generated for all specs, runs its own tests, and fits the posterior that is normal.
func TestGenerated(t *testing.T) {
	const place = "tests/rivals/posteriors/drawn"
	files := map[string][]byte{}
	var imports, models bytes.Buffer
	for _, p := range problems(t) {
		generated, diags := gen.Generate(context.Background(), p.Problem, gen.Options{})
		if diags.HasErrors() {
			t.Error(diags.String())
			continue
		}
		for _, f := range generated {
			if !strings.HasSuffix(f.Name, "_test.go") {
				files[p.name+"/"+f.Name] = f.Data
			}
		}
		fmt.Fprintf(&imports, "\t%q\n", overlay.Module+"/"+place+"/"+p.name)
		fmt.Fprintf(&models, "\t%q: func() runtime.Model { return new(%s.Model) },\n", p.name, p.name)
	}
	driver, err := os.ReadFile("testdata/drawn_test.go.txt")
	if err != nil {
		t.Fatal(err)
	}
	files["drawn_test.go"] = fmt.Appendf(nil, string(driver), imports.String(), models.String())
	program, err := overlay.Compile(t.Context(), place, files, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if out, err := exec.CommandContext(t.Context(), program, "-test.short").CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
