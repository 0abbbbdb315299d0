package main

import (
	"context"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/sngdgen/sngdgen/gen"
	"github.com/sngdgen/sngdgen/gen/fit"
	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/estimate"
	"github.com/sngdgen/sngdgen/spec"
	"github.com/sngdgen/sngdgen/tests/overlay"
	"github.com/sngdgen/sngdgen/tests/rivals"
)

// Every spec becomes packages, for each way that a case has.
func TestSpecs(t *testing.T) {
	files, err := filepath.Glob("specs/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		f, diags := spec.LoadFile(file)
		for _, p := range f.Problems {
			_, more := gen.Generate(t.Context(), p, gen.Options{})
			diags.Append(more)
		}
		if diags.HasErrors() || len(f.Problems) != 3 {
			t.Errorf("%s: %d problems, %s", file, len(f.Problems), diags.String())
		}
	}
}

// Every case has a spec, an answer, and where R was asked a maximum that is not above those of the other comparison of the same model.
func TestCases(t *testing.T) {
	cases, err := rivals.Records(casesCSV)
	if err != nil || len(cases) < 20 {
		t.Fatal(len(cases), err)
	}
	known, err := rivals.Load[*answer]("oracle.json")
	if err != nil {
		t.Fatal(err)
	}
	answers := map[string]*answer{}
	for _, a := range known.Answers {
		answers[a.Name] = a
	}
	for _, c := range cases {
		a := answers[c["name"]]
		if a == nil || a.N == 0 || (c["call"] == "") != (a.LogLikelihood == 0) {
			t.Errorf("%s: %+v", c["name"], a)
		}
		if _, err := os.Stat("specs/" + c["spec"] + ".yaml"); err != nil {
			t.Error(err)
		}
	}
}

// Packages of surrogates that are given columns pass check, and the tests that are emitted with them.
func TestGenerated(t *testing.T) {
	f, diags := spec.LoadFile("testdata/models.yaml")
	if diags.HasErrors() {
		t.Fatal(diags.String())
	}
	for _, p := range f.Problems {
		t.Run(p.Package, func(t *testing.T) {
			if found := gen.Check(t.Context(), p, gen.Options{}); found.HasErrors() {
				t.Error(found.String())
			}
			generated, diags := gen.Generate(t.Context(), p, gen.Options{})
			if diags.HasErrors() {
				t.Fatal(diags.String())
			}
			files := map[string][]byte{}
			for _, g := range generated {
				files[g.Name] = g.Data
			}
			program, err := overlay.Compile(t.Context(), "tests/rivals/surrogates/"+p.Package, files, t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			if out, err := exec.CommandContext(t.Context(), program).CombinedOutput(); err != nil {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}

// model is one of testdata/models.yaml with data.
func model(t *testing.T, problem string, data runtime.Data) runtime.Model {
	t.Helper()
	text, err := os.ReadFile("testdata/models.yaml")
	if err != nil {
		t.Fatal(err)
	}
	p, _, err := fit.Open(context.Background(), fit.Source{Text: string(text), Problem: problem})
	if err != nil {
		t.Fatal(err)
	}
	m := p.Model()
	if err := estimate.Load(m, data, 0); err != nil {
		t.Fatal(err)
	}
	return m
}

// counted are rows of a count and three columns.
func counted(rng *rand.Rand, rows int) (y *mat.VecDense, x *mat.Dense) {
	y, x = mat.NewVecDense(rows, nil), mat.NewDense(rows, 3, nil)
	for i := range rows {
		x.SetRow(i, []float64{1, rng.NormFloat64(), rng.Float64()})
		y.SetVec(i, math.Floor(4*rng.ExpFloat64()))
	}
	return y, x
}

// rowsOf are the data of a response and covariates.
func rowsOf(y *mat.VecDense, x *mat.Dense) runtime.Data {
	n, p := x.Dims()
	d := runtime.Data{Columns: p + 1}
	for i := range n {
		d.Values = append(append(d.Values, y.AtVec(i)), x.RawRowView(i)...)
	}
	return d
}

// The natural step of Poisson regression is that of Fisher scoring, inv(X'WX) X'(y - mu), by another program's linear algebra, for all rows
// and for those of a batch.
func TestFisherScoring(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	y, x := counted(rng, 60)
	m := model(t, "scoring", rowsOf(y, x))
	z, v := []float64{0.3, -0.2, 0.4}, make([]float64, 3)
	for _, rows := range [][]int{nil, {3, 9, 11, 20, 21, 40, 59}} {
		if err := m.(runtime.Batcher).Batch(rows); err != nil {
			t.Fatal(err)
		}
		m.NaturalGradient(v, z)
		if rows == nil {
			for i := range 60 {
				rows = append(rows, i)
			}
		}
		information, score := mat.NewSymDense(3, nil), mat.NewVecDense(3, nil)
		for _, i := range rows {
			row := mat.NewVecDense(3, x.RawRowView(i))
			mu := math.Exp(mat.Dot(row, mat.NewVecDense(3, z)))
			information.SymRankOne(information, mu, row)
			score.AddScaledVec(score, y.AtVec(i)-mu, row)
		}
		var chol mat.Cholesky
		if !chol.Factorize(information) {
			t.Fatal("no factor")
		}
		if err := chol.SolveVecTo(score, score); err != nil {
			t.Fatal(err)
		}
		for i, got := range v {
			if want := -score.AtVec(i); math.Abs(got-want) > 1e-12*(1+math.Abs(want)) {
				t.Errorf("%d rows, entry %d: %v, Fisher scoring has %v", len(rows), i, got, want)
			}
		}
	}
}

// Natural steps do not depend on which combinations of the columns are given: the losses along a run are the same.
func TestRecombinedColumns(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	y, x := counted(rng, 80)
	var other mat.Dense
	other.Mul(x, mat.NewDense(3, 3, []float64{2, 1, 0.5, 0, 0.25, -3, 1, 0, 4}))
	for _, problem := range []string{"scoring", "leastsquares", "overdispersed", "heavytails"} {
		var courses [2][]float64
		for k, columns := range []*mat.Dense{x, &other} {
			m := model(t, problem, rowsOf(y, columns))
			blocks := m.Blocks()
			z := make([]float64, blocks[len(blocks)-1].Offset+blocks[len(blocks)-1].Len)
			if err := m.Start(z, 0, nil); err != nil {
				t.Fatal(err)
			}
			record := func(it *runtime.Iteration) error {
				courses[k] = append(courses[k], it.Loss)
				return nil
			}
			set := &runtime.Settings{MaxIterations: 5, Step: runtime.Backtracking{}, Recorder: runtime.RecorderFunc(record)}
			if _, err := runtime.Minimize(t.Context(), m, z, set); err != nil {
				t.Fatal(problem, err)
			}
		}
		for i, loss := range courses[0] {
			if math.Abs(loss-courses[1][i]) > 1e-9*math.Abs(loss) {
				t.Errorf("%s: loss %d is %v, with other columns %v", problem, i, loss, courses[1][i])
			}
		}
		if len(courses[0]) < 3 || !(courses[0][len(courses[0])-1] < courses[0][0]) {
			t.Errorf("%s: %v", problem, courses[0])
		}
	}
}
