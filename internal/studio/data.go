package studio

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/sngdgen/sngdgen/gen/engine"
	enginefit "github.com/sngdgen/sngdgen/gen/fit"
	"github.com/sngdgen/sngdgen/internal/record"
	"github.com/sngdgen/sngdgen/internal/table"
	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/estimate"
	"github.com/sngdgen/sngdgen/spec"
)

// dataRequest is a file of data for a problem.
type dataRequest struct {
	specRequest
	Name string `json:"name"`
	Text string `json:"text"`
	// Columns says of which columns each part of the data is made, and Terms of which terms, as in a formula, instead.
	Columns map[string][]string `json:"columns"`
	Terms   map[string]string   `json:"terms"`
	Skip    bool                `json:"skip"` // rows in which a value is missing
	Comma   bool                `json:"comma"`
}

// options are what to read of the file.
func (r *dataRequest) options(columns []string) table.Options {
	return table.Options{Name: r.Name, Columns: columns, Several: true, SkipMissing: r.Skip, DecimalComma: r.Comma}
}

// mostPreviewed is how many rows of a file are shown.
const mostPreviewed = 8

// inspected is what is in a file, and what is taken for what.
type inspected struct {
	Columns []string            `json:"columns"` // of numbers, and then the others
	Numbers int                 `json:"numbers"` // how many of them
	Rows    int                 `json:"rows"`
	Preview [][]string          `json:"preview"`
	Chosen  map[string][]string `json:"chosen"` // of which columns each part is made, where the page has not said it
}

// inspect reads a file as far as it can be read without knowing what it is for.
func inspect(ctx context.Context, r *dataRequest) (any, error) {
	o := r.options(nil)
	o.SkipMissing = true
	t, err := table.Read(strings.NewReader(r.Text), o)
	if err != nil {
		return nil, err
	}
	out := inspected{Columns: append(slices.Clone(t.Columns), t.Ignored...), Numbers: len(t.Columns), Rows: t.Rows(), Preview: [][]string{}}
	for i := range min(t.Rows(), mostPreviewed) {
		var row []string
		for _, x := range t.Values[i*len(t.Columns) : (i+1)*len(t.Columns)] {
			row = append(row, strconv.FormatFloat(x, 'g', 6, 64))
		}
		out.Preview = append(out.Preview, row)
	}
	if p, err := r.problem(); err == nil {
		out.Chosen = suggest(record.Of(p), out.Columns, len(t.Columns))
	}
	return out, ctx.Err()
}

// suggest says of which columns parts may be made: of those of their names, and then in order. Vectors share what others leave.
func suggest(parts []record.Part, columns []string, numbers int) map[string][]string {
	out := map[string][]string{}
	taken := map[string]bool{}
	take := func(p record.Part, names ...string) {
		for _, name := range names {
			taken[name] = true
		}
		out[p.Name] = append(out[p.Name], names...)
	}
	for _, p := range parts {
		for _, c := range columns {
			if c == p.Name || p.Vector && record.EntryNumber(p.Name, c) >= 0 {
				take(p, c)
			}
		}
	}
	vectors := 0
	for _, p := range parts {
		if out[p.Name] == nil && p.Vector && p.Length == 0 && p.ByRow {
			vectors++
		}
	}
	rest := func() (left []string) {
		for _, c := range columns[:numbers] {
			if !taken[c] {
				left = append(left, c)
			}
		}
		return left
	}
	singles := 0 // which still need a column each
	for _, p := range parts {
		if out[p.Name] == nil && !(p.Vector && p.Length == 0 && p.ByRow) {
			singles += max(1, p.Length)
		}
	}
	for _, p := range parts {
		left := rest()
		n := max(1, p.Length)
		switch {
		case out[p.Name] != nil || len(left) == 0:
			continue
		case p.Vector && p.ByRow && p.Length == 0:
			n = max(1, (len(left)-singles)/vectors)
			vectors--
		case !p.ByRow:
			n, singles = 1, singles-n
		default:
			singles -= n
		}
		take(p, left[:min(n, len(left))]...)
	}
	return out
}

// dataset are the data of a problem.
type dataset struct {
	data  runtime.Data
	table *table.Table // arranged as the model takes it; nil where columns are vectors that are given once
	names map[string][]string
	// matrices are those of rows and columns of matrices.
	matrices map[string][][]string
	notes    []string // on what is taken for what
}

// read reads the data that a problem is fitted to.
func (r *dataRequest) read(p *spec.Problem) (*dataset, error) {
	parts := record.Of(p)
	if len(parts) == 0 {
		return nil, fmt.Errorf("%s has no data: there is nothing to fit it to", p.Package)
	}
	of, err := r.terms(parts)
	if err != nil {
		return nil, err
	}
	var notes strings.Builder
	reader := r.reader(&notes)
	t, widths, err := reader.ReadTerms(parts, of)
	if err != nil {
		return nil, err
	}
	out := &dataset{data: t.Data(), table: t, notes: linesOf(notes.String())}
	if p.VI == nil {
		out.names = record.Labels(p, t)
	} else {
		columns, at := make([][]string, len(parts)), 0
		for i, n := range widths {
			columns[i] = t.Columns[at : at+n]
			at += n
		}
		names := record.NameColumns(t.Names, parts, columns)
		out.names, out.matrices = record.EntryNames(p, names), record.MatrixNames(p, names)
	}
	if slices.ContainsFunc(parts, func(q record.Part) bool { return !q.ByRow }) {
		return out.once(parts)
	}
	return out, nil
}

// reader reads rows of the text, and writes down what it makes of it.
func (r *dataRequest) reader(notes io.Writer) *record.Reader {
	open := func(o table.Options) (*table.Table, error) {
		if strings.TrimSpace(r.Text) == "" {
			return nil, errors.New("no data yet\nhint: drop a file of columns, paste one, or draw some")
		}
		return table.Read(strings.NewReader(r.Text), o)
	}
	o := r.options(nil)
	o.Several = true
	return &record.Reader{Options: o, Open: open, Notes: notes}
}

// linesOf are the lines of a text.
func linesOf(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(text, "\n"), "\n")
}

// terms are what parts are made of.
func (r *dataRequest) terms(parts []record.Part) (of [][]record.Term, err error) {
	for i := range parts {
		q := &parts[i]
		names, text := r.Columns[q.Name], strings.TrimSpace(r.Terms[q.Name])
		switch {
		case text != "":
			terms, err := record.ParseTerms(text, q.Vector)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", q.Name, err)
			}
			q.Independent = q.Vector && !q.Observed
			of = append(of, terms)
			continue
		case len(names) == 0:
			return nil, fmt.Errorf("no column is chosen for %s", q.Name)
		case !q.Vector && len(names) > 1:
			return nil, fmt.Errorf("%s is one number, and has %d columns", q.Name, len(names))
		case !q.ByRow:
			q.Length = 0 // its entries may stand below each other
		}
		of = append(of, record.Columns(names))
	}
	return of, nil
}

// once takes the columns of the table as vectors that are given once.
func (d *dataset) once(parts []record.Part) (*dataset, error) {
	if slices.ContainsFunc(parts, func(q record.Part) bool { return q.ByRow }) {
		return nil, errors.New("some of the data are given once, and some in every row\nhint: sngdgen fit takes a file for each")
	}
	t, width := d.table, len(d.table.Columns)
	if t.Rows() > 1 {
		values := make([]float64, 0, len(t.Values))
		for c := range width {
			for i := range t.Rows() {
				values = append(values, t.Values[i*width+c])
			}
		}
		d.data, d.table, d.names = runtime.Data{Values: values, Columns: len(values)}, nil, nil
	}
	return d, nil
}

// located says where in the file a value stands that a model refuses.
func (d *dataset) located(err error) error {
	if d.table == nil {
		return err
	}
	return d.table.Locate(err)
}

// engine derives what runs a problem of the spec.
func (r *specRequest) engine(ctx context.Context, p *spec.Problem) (*enginefit.Problem, error) {
	out, _, err := enginefit.Open(ctx, enginefit.Source{Name: fileName, Text: r.Spec, Problem: p.Package})
	if errors.As(err, new(engine.Unsupported)) {
		return nil, fmt.Errorf("the page cannot run %s: %w\nhint: sngdgen fit compiles it, with the Go toolchain", p.Package, err)
	}
	return out, err
}

// drawRequest asks for data that are drawn from the target of a problem.
type drawRequest struct {
	specRequest
	Rows       int    `json:"rows"`
	Seed       uint64 `json:"seed"`
	Components int    `json:"components"`
}

const (
	mostDrawn  = 100_000 // rows
	drawnWidth = 2       // of vectors whose length nothing says
)

// draw draws from the target, at parameters of no importance.
func draw(ctx context.Context, r *drawRequest) (any, error) {
	p, err := r.problem()
	if err != nil {
		return nil, err
	}
	if p.VI != nil {
		return nil, fmt.Errorf("%s is about a posterior: its data are those of the model, which does not draw them", p.Package)
	}
	if r.Rows < 1 || r.Rows > mostDrawn {
		return nil, fmt.Errorf("%d rows cannot be drawn: from 1 to %d", r.Rows, mostDrawn)
	}
	if r.Components < 0 || r.Components > mostComponents {
		return nil, errComponents(r.Components)
	}
	engine, err := r.engine(ctx, p)
	if err != nil {
		return nil, err
	}
	d, err := estimate.Sample(engine.Model(), estimate.SampleRequest{Rows: r.Rows, Seed: r.Seed, Components: r.Components, Fallback: drawnWidth, Spread: true})
	if err != nil {
		return nil, err
	}
	var b strings.Builder
	b.WriteString(strings.Join(d.Columns, ",") + "\n")
	for i, x := range d.Values {
		b.WriteString(strconv.FormatFloat(x, 'g', 8, 64))
		b.WriteByte(",\n"[map[bool]int{true: 1}[(i+1)%len(d.Columns) == 0]])
	}
	return file{p.Package + "-draws.csv", b.String()}, nil
}
