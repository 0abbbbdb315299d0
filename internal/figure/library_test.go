package figure_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/sngdgen/sngdgen/generated"
	"github.com/sngdgen/sngdgen/internal/figure"
	"github.com/sngdgen/sngdgen/internal/librarytest"
	"github.com/sngdgen/sngdgen/internal/picture"
	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/estimate"
	"github.com/sngdgen/sngdgen/runtime/modeltest"
	"github.com/sngdgen/sngdgen/runtime/types"
)

// TestLibrary fits every problem of the library to draws of its own and draws the pictures: of likelihoods data against the density,
// which integrates to about 1 over what is shown, quantiles, and the course of all runs; of posteriors margins, pairs, ratios and the
// course of the bound. They are well-formed, and the same when they are made again.
func TestLibrary(t *testing.T) {
	for _, name := range librarytest.Names() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			model := librarytest.Model(t, name)
			m := model()
			if v, ok := m.(runtime.Variational); ok {
				posterior(t, v)
				return
			}
			if _, ok := m.(runtime.Sampler); !ok {
				t.Skip("its spec does not say how to draw from it")
			}
			likelihood(t, m)
		})
	}
}

func likelihood(t *testing.T, m runtime.Model) {
	s, components := subject(t, m)
	fit := func() (*estimate.Report, []picture.Panel) {
		settings := &estimate.Settings{Components: components, Starts: 3, Details: s.Request(nil)}
		if err := estimate.Load(m, s.Data, components); err != nil {
			t.Fatal(err)
		}
		r, err := estimate.Fit(t.Context(), m, settings)
		if unfinished := (*estimate.Unfinished)(nil); err != nil && !errors.As(err, &unfinished) || len(r.Details.Notes) > 0 {
			t.Fatalf("%v, %q", err, r.Details.Notes)
		}
		return r, figure.Likelihood(s, r)
	}
	r, panels := fit()
	want := []string{"density", "quantiles"}
	switch {
	case m.Info().Ordered:
		want = []string{"sequence", "quantiles"}
	case s.Given && s.Number && s.Entries != types.Index:
		want = []string{"residuals", "fitted", "quantiles"}
	case s.Given: // a density for every row
		want = nil
	case s.Data.Columns > 1 && s.Entries == types.Binary:
		want = []string{"pairs"}
	case s.Data.Columns > 1:
		want = []string{"pairs", "scores"}
	case s.Entries == types.Count:
		want = []string{"density", "rootogram"}
	}
	if r.Iterations > 1 {
		want = append(want, "loss")
	}
	for _, w := range want {
		if !slices.ContainsFunc(panels, func(p picture.Panel) bool { return p.Name == w }) {
			t.Errorf("no picture %q among %q", w, names(panels))
		}
	}
	columns := s.Columns
	if s.Given { // of which pictures show the first at most
		columns = nil
		if s.Number && s.Entries != types.Index {
			columns = s.Columns[:1]
		}
	}
	if packed := lowerTriangles(s); packed != nil {
		columns = packed.Columns
		whole := s
		s = packed
		_, again := fit()
		if s = whole; !bytes.Equal(svg(t, panels), svg(t, again)) {
			t.Error("the pictures of matrices and of their lower triangles are not the same")
		}
	}
	wellFormed(t, columns, panels)
	if m.Info().Ordered { // whose rows have no density by themselves
		return
	}
	if mass := mass(s, r); !s.Given && !(mass > 0.9 && mass < 1.03) {
		t.Errorf("the density that is drawn integrates to %v", mass)
	}
	if _, again := fit(); !bytes.Equal(svg(t, panels), svg(t, again)) {
		t.Error("the pictures of the same fit are not the same")
	}
}

// lowerTriangles has the lower triangles of symmetric matrices in the place of all entries; nil where observations are something else.
func lowerTriangles(s *figure.Subject) *figure.Subject {
	if s.Form == nil || !s.Form.Has(types.Symmetric) {
		return nil
	}
	out := *s
	out.Data.Values, out.Columns = nil, nil
	d := int(math.Sqrt(float64(s.Data.Columns)))
	for at := 0; at < len(s.Data.Values); at += d * d {
		for i := range d {
			out.Data.Values = append(out.Data.Values, s.Data.Values[at+i*d:at+i*d+i+1]...)
		}
	}
	for i := range d {
		out.Columns = append(out.Columns, s.Columns[i*d:i*d+i+1]...)
	}
	out.Data.Columns = d * (d + 1) / 2
	return &out
}

// subject draws rows from a model: of two columns where the observation is a vector, and of two components of a mixture.
func subject(t *testing.T, m runtime.Model) (s *figure.Subject, components int) {
	t.Helper()
	info := m.Info()
	request := estimate.SampleRequest{Rows: 150, Seed: 4, Fallback: 2, Spread: true}
	if mix, ok := m.(runtime.Mixture); ok && mix.Components() == 0 {
		components = 2
		request.Components = 2
	}
	for _, p := range info.Parameters {
		if p.Shape == nil && p.Type.Entry == types.Positive {
			request.Set = append(request.Set, estimate.Value{Name: p.Name, Value: 5})
		}
	}
	draws, err := estimate.Sample(m, request)
	if err != nil {
		t.Fatal(err)
	}
	v := info.Variable
	return &figure.Subject{Problem: info.Name, Columns: draws.Columns, Entries: v.Type.Entry, Form: v.Type.Form,
		Given: len(info.Given) > 0, Number: v.Type.Form == types.Number && len(info.Record())-len(info.Given) == 1,
		Sequence: info.Ordered, Data: runtime.Data{Values: draws.Values, Columns: len(draws.Columns)}}, components
}

// mass is the integral of the density, or the sum of the probabilities, that are drawn; 1 where only draws are.
func mass(s *figure.Subject, r *estimate.Report) float64 {
	d, rows := r.Details.Density.Log, s.Request(nil).Rows
	sum := 0.0
	switch {
	case s.Data.Columns == 1 && s.Entries == types.Count:
		for _, l := range d {
			sum += math.Exp(l)
		}
	case s.Data.Columns == 1:
		for i := range d[1:] {
			sum += (rows[i+1] - rows[i]) * (math.Exp(d[i]) + math.Exp(d[i+1])) / 2
		}
	case s.Data.Columns == 2 && s.Form == types.Vector && s.Entries != types.Binary:
		n := 0 // the grid comes first: its rows have one y each
		for n+1 < len(rows)/2 && rows[2*n+1] == rows[1] {
			n++
		}
		cell := (rows[2] - rows[0]) * (rows[2*n+1] - rows[1])
		for _, l := range d[:n*n] {
			sum += cell * math.Exp(l)
		}
	default:
		return 1
	}
	return sum
}

func posterior(t *testing.T, m runtime.Variational) {
	data, components := madeUp(t, m)
	fit := func() *estimate.Approximation {
		if err := estimate.Load(m, data, components); err != nil {
			t.Fatal(err)
		}
		s := &estimate.Settings{Components: components, Details: estimate.DetailRequest{Trace: true}}
		s.Variational.Keep = 500
		if _, propagates := m.(interface{ Power() float64 }); !propagates {
			s.Method, s.Stochastic.Steps = "sngd", 40
		}
		a, _ := estimate.Approximate(t.Context(), m, s)
		if a == nil {
			t.Fatal("no approximation")
		}
		return a
	}
	a := fit()
	panels := figure.Posterior(a)
	want := []string{"margins"}
	if len(a.Sample.Columns) > 1 {
		want = append(want, "pairs")
	}
	if !math.IsNaN(float64(a.ELBO.KHat)) {
		want = append(want, "khat")
	}
	if a.Propagation == nil {
		want = append(want, "bound")
	}
	if got := names(panels); !slices.Equal(got, want) {
		t.Errorf("pictures %q, want %q", got, want)
	}
	wellFormed(t, a.Sample.Columns[:1], panels)
	if !bytes.Equal(svg(t, panels), svg(t, figure.Posterior(fit()))) {
		t.Error("the pictures of the same fit are not the same")
	}
}

// madeUp makes data of the types of a variational objective.
func madeUp(t *testing.T, m runtime.Variational) (data runtime.Data, components int) {
	t.Helper()
	if mix, ok := m.(runtime.Mixture); ok && mix.Components() == 0 {
		components = 2
	}
	return modeltest.DataOf(m, 2, 40, runtime.Stream(6, "made up")), components
}

func names(panels []picture.Panel) (out []string) {
	for _, p := range panels {
		out = append(out, p.Name)
	}
	return out
}

func svg(t *testing.T, panels []picture.Panel) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := picture.Write(&b, &picture.Figure{Panels: panels}, "svg"); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// wellFormed checks that each picture is a document of its own with its title, its labels and paths, and that the first one names the
// columns.
func wellFormed(t *testing.T, columns []string, panels []picture.Panel) {
	t.Helper()
	for i, p := range panels {
		d := xml.NewDecoder(bytes.NewReader(svg(t, panels[i:i+1])))
		texts, paths := map[string]bool{}, 0
		for {
			token, err := d.Token()
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatalf("%s: %v", p.Name, err)
			}
			switch token := token.(type) {
			case xml.CharData:
				texts[strings.TrimSpace(string(token))] = true
			case xml.StartElement:
				if token.Name.Local == "path" {
					paths++
				}
			}
		}
		want := []string{p.Title, p.X.Label, p.Y.Label}
		if i == 0 {
			want = append(want, columns...)
		}
		for _, w := range want {
			if !texts[w] && w != "" {
				t.Errorf("%s: no text %q", p.Name, w)
			}
		}
		if paths < 10 {
			t.Errorf("%s: %d paths", p.Name, paths)
		}
	}
	files := map[string]bool{}
	for _, p := range panels {
		if files[p.Name] {
			t.Errorf("two pictures %s", p.Name)
		}
		files[p.Name] = true
	}
}

// TestComparison: the criteria of all numbers of components are drawn, and the best number's density.
func TestComparison(t *testing.T) {
	model, _ := generated.Lookup("normalmix")
	m := model()
	s, _ := subject(t, m)
	if err := estimate.Load(m, s.Data, 1); err != nil {
		t.Fatal(err)
	}
	c, err := estimate.Compare(t.Context(), m, []int{1, 2, 3}, &estimate.Settings{Details: s.Request(nil)})
	if err != nil {
		t.Fatal(err)
	}
	panels := figure.Comparison(s, c)
	if got := fmt.Sprint(names(panels)); got != "[criteria density quantiles loss]" {
		t.Errorf("%s", got)
	}
	for _, l := range panels[0].Layers {
		if l.Kind == picture.Line && (len(l.X) != 3 || l.X[2] != 3) {
			t.Errorf("%s at %v", l.Name, l.X)
		}
	}
	wellFormed(t, s.Columns, panels[1:])
	wellFormed(t, nil, panels)
}
