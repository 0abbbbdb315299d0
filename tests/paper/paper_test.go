package main

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"html"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sngdgen/sngdgen/internal/page"
	"github.com/sngdgen/sngdgen/internal/picture"
	"github.com/sngdgen/sngdgen/tests/paper/grid"
	"github.com/sngdgen/sngdgen/tests/paper/internal/curves"
)

// TestSmall makes the whole page in small and looks for every figure and every series in it.
func TestSmall(t *testing.T) {
	text := made(t, files(t)...)
	sections := strings.Split(string(text), "<section id=")[1:]
	if len(sections) != len(figures) {
		t.Errorf("%d sections of %d figures and tables", len(sections), len(figures))
	}
	for i, f := range figures {
		s := sections[i]
		if !strings.HasPrefix(s, `"`+f.name+`"`) || !strings.Contains(s, html.EscapeString(f.claim)) {
			t.Errorf("%s: section %d begins with %.100s", f.name, i, s)
		}
		if strings.Contains(s, `class="missing"`) {
			t.Errorf("%s finds no data", f.name)
		}
		if got := strings.Count(s, "<svg"); got != f.panels {
			t.Errorf("%s: %d pictures, not %d", f.name, got, f.panels)
		}
		for _, name := range f.series {
			if !strings.Contains(s, ">"+name+"</text>") {
				t.Errorf("%s has no series %q", f.name, name)
			}
		}
	}
	wellFormed(t, text)
}

// made makes the page in small.
func made(t *testing.T, args ...string) []byte {
	t.Helper()
	out := filepath.Join(t.TempDir(), "paper.html")
	var progress bytes.Buffer
	if err := command(t.Context(), append([]string{"-small", "-o", out}, args...), &progress); err != nil {
		t.Fatalf("%v\n%s", err, &progress)
	}
	text, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// files are flags with small files in the place of data that cannot be shipped.
func files(t *testing.T) (args []string) {
	t.Helper()
	dir, rng := t.TempDir(), rand.New(rand.NewPCG(7, 7))
	for _, f := range []struct {
		flag, header  string
		rows, columns int
		cell          func(row, column int) float64
	}{
		{"-miniboone", "a,b,c,d", 300, 4, func(_, _ int) float64 { return rng.NormFloat64() }},
		{"-covertype", "y,a,b,c", 80, 4, func(_, j int) float64 {
			if j == 0 {
				return float64(rng.IntN(2))
			}
			return rng.Float64()
		}},
		{"-admissions", "admissions", 150, 1, func(i, _ int) float64 { return float64(1 + rng.IntN(50) + 40*(i%5)) }},
		{"-returns", "a,b,c", 200, 3, func(_, _ int) float64 { return rng.NormFloat64() / math.Sqrt(rng.ExpFloat64()) }},
	} {
		var b strings.Builder
		fmt.Fprintln(&b, f.header)
		for i := range f.rows {
			for j := range f.columns {
				if j > 0 {
					b.WriteByte(',')
				}
				fmt.Fprint(&b, f.cell(i, j))
			}
			b.WriteByte('\n')
		}
		path := filepath.Join(dir, f.flag[1:]+".csv")
		if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
			t.Fatal(err)
		}
		args = append(args, f.flag, path)
	}
	return args
}

// TestMissing: without a file a figure says which flag names it, and claims nothing of it.
func TestMissing(t *testing.T) {
	text := string(made(t, "-only", "figure-2,figure-3,figure-6,figure-9,figure-11,figure-16"))
	for _, s := range strings.Split(text, "<section id=")[1:] {
		if !strings.Contains(s, "name a file with -") || strings.Contains(s, "<svg") || strings.Contains(s, "<b>Here:</b>") {
			t.Errorf("a section without data is\n%s", s)
		}
	}
	if n := strings.Count(text, `class="missing"`); n != 6 {
		t.Errorf("%d figures say what is missing", n)
	}
	// Drawn data in the place of a file are named with the verdict, if there is one.
	text = string(made(t, "-only", "figure-15"))
	if !strings.Contains(text, "name a file with -returns") || !strings.Contains(text, "<svg") || !strings.Contains(text, "of drawn data.</p>") {
		t.Error("figure 15 does not say that its data are drawn")
	}
}

// TestEdges names the best setting where it is at an end of the grid, of each kind of settings and each number by itself.
func TestEdges(t *testing.T) {
	of := func(method, text string, loss float64) grid.Result {
		return grid.Result{Method: method, Text: text, Runs: []grid.Run{{Samples: []grid.Sample{{Loss: 9}, {Step: 10, Seconds: 1, Loss: loss}}}}}
	}
	c := &contest{title: "a", checkpoints: &grid.Checkpoints{Steps: []int{10}, Every: 10}, rs: []grid.Result{
		of("SNGD", "step 0.1, auxiliary rate 0.01", 3), of("SNGD", "step 0.3, auxiliary rate 0.01", 1), of("SNGD", "step 1, auxiliary rate 0.01", 2),
		of("Adam", "covariance root, rate 0.1", 2), of("Adam", "covariance root, rate 1e-3", 1), of("Adam", "precision root, rate 1e-4", 5),
		of("natural L-BFGS", "", 1),
	}}
	got := c.edges()
	if len(got) != 1 || !strings.Contains(got[0], "Adam, covariance root, rate 1e-3 (0.001 of 0.001 to 0.1)") {
		t.Errorf("%q", got)
	}
	// Every number that is at an end is named.
	c.rs = []grid.Result{of("SNGD", "step 0.1, auxiliary rate 0.01", 1), of("SNGD", "step 0.3, auxiliary rate 0.1", 2)}
	if got := c.edges(); len(got) != 1 || !strings.Contains(got[0], "(0.1 of 0.1 to 0.3, 0.01 of 0.01 to 0.1)") {
		t.Errorf("%q", got)
	}
}

// TestTally: a claim of leadership holds where every comparison is won, and in part where a lowest mean is clearly higher.
func TestTally(t *testing.T) {
	lead := func(there, best curves.Difference) curves.Lead {
		return curves.Lead{There: [2]curves.Difference{there, there}, Best: best}
	}
	lower, level, higher := curves.Difference{Mean: -2, Error: 1}, curves.Difference{Mean: -0.5, Error: 1}, curves.Difference{Mean: 2, Error: 1}
	for _, c := range []struct {
		leads []curves.Lead
		want  verdict
	}{
		{nil, nothing},
		{[]curves.Lead{lead(lower, level)}, agrees},
		{[]curves.Lead{lead(lower, higher)}, partly},
		{[]curves.Lead{lead(level, level)}, differs},
		{[]curves.Lead{lead(lower, lower), lead(higher, lower)}, partly},
	} {
		var got tally
		got.of(c.leads)
		if got.verdict() != c.want {
			t.Errorf("%+v: %v, not %v", got, verdicts[got.verdict()], verdicts[c.want])
		}
	}
}

// wellFormed: the page loads nothing and its elements nest.
func wellFormed(t *testing.T, text []byte) {
	t.Helper()
	d := xml.NewDecoder(bytes.NewReader(text))
	d.Strict, d.AutoClose, d.Entity = false, xml.HTMLAutoClose, xml.HTMLEntity
	for {
		token, err := d.Token()
		if err == io.EOF {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		e, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		for _, a := range e.Attr {
			if a.Name.Local == "src" || a.Name.Local == "href" && !strings.HasPrefix(a.Value,
				"#") || strings.HasPrefix(a.Name.Local, "on") {
				t.Errorf("<%s %s=%q>", e.Name.Local, a.Name.Local, a.Value)
			}
		}
	}
}

// TestCheck: a figure that lacks a series, or a picture, is an error, and no page is made.
func TestCheck(t *testing.T) {
	line := func(name string, x ...float64) picture.Layer {
		return picture.Layer{Kind: picture.Line, Name: name, X: x, Y: x}
	}
	curve := func(layers ...picture.Layer) *found {
		return &found{panels: []picture.Panel{{Name: curvePanel + "a", Layers: layers}}}
	}
	for _, c := range []struct {
		got  *found
		want string
	}{
		{curve(line("SNGD", 1, 2), line("Adam", 1, 2)), ""},
		{curve(line("SNGD", 1, 2)), `no series "Adam"`},
		{curve(line("SNGD", 1, 2), line("Adam")), `no series "Adam"`},
		{&found{}, "0 pictures instead of 1"},
		{&found{missing: "no data"}, ""},
	} {
		f := figure{name: "figure-0", panels: 1, series: []string{"SNGD", "Adam"},
			make: func(context.Context, *lab) (*found, error) { return c.got, nil }}
		_, err := article(t.Context(), &options{}, []figure{f}, io.Discard)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("the error is %v, not %q", err, c.want)
		}
	}
}

// TestNames: figures have names of their own.
func TestNames(t *testing.T) {
	var names []string
	for _, f := range figures {
		names = append(names, f.name)
	}
	slices.Sort(names)
	if len(slices.Compact(slices.Clone(names))) != len(names) {
		t.Errorf("%v", names)
	}
}

// TestInterrupted: nothing is written, and what was there stays.
func TestInterrupted(t *testing.T) {
	dir := t.TempDir()
	out := filepath.Join(dir, "paper.html")
	if err := os.WriteFile(out, []byte("before"), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := command(ctx, []string{"-small", "-o", out}, io.Discard); !errors.Is(err, context.Canceled) {
		t.Errorf("the error is %v", err)
	}
	bad := &page.Article{Sections: []page.Section{{Name: "a", Panels: []picture.Panel{{}}}}}
	if writeWhole(out, bad) == nil {
		t.Error("a panel without a name is drawn")
	}
	text, err := os.ReadFile(out)
	if files, _ := os.ReadDir(dir); err != nil || string(text) != "before" || len(files) != 1 {
		t.Errorf("%q, %d files", text, len(files))
	}
}

func TestFlags(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{"-seeds -1", "must not be negative"},
		{"-only figure-99", `no "figure-99"`},
		{"extra", "no flag"},
	} {
		if err := command(t.Context(), strings.Fields(c.args), io.Discard); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: the error is %v", c.args, err)
		}
	}
}
